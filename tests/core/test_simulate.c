/* What valgrind's records say of functions, and what a process that writes into them can make of it. */
#define _GNU_SOURCE
#include "core/base/text.h"
#include "core/exec/simulate_functions.h"
#include "tests/support/test.h"

#include <sys/mman.h>

static struct pe_simulated_functions functions;
static struct pe_arena arena;

TestSuiteWith(simulate, (void)0,
	      (pe_simulated_functions_release(&functions), pe_arena_release(&arena)),
	      .timeout = 600);

#define HEAD "desc: I1 cache: 32768 B\ncmd: ./a\nevents: Ir\n"

static void add(const char *record, size_t n, uint64_t total)
{
	int fd = memfd_create("record", MFD_CLOEXEC);

	cr_assert(fd >= 0 && write(fd, record, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
	pe_simulated_functions_read(&functions, fd, total);
	close(fd);
}

static struct pe_function_counts read_one(const char *record, uint64_t total)
{
	pe_simulated_functions_release(&functions);
	functions = (struct pe_simulated_functions){0};
	add(record, strlen(record), total);
	return pe_simulated_functions_take(&functions, &arena);
}

Test(simulate, lines_of_a_function_add_up_and_files_tell_functions_apart)
{
	struct pe_function_counts counts = read_one(
		HEAD "fl=a.c\nfn=main\n3 12\n9 30\nfl=b.c\nfn=main\n1 8\nfl=a.c\nfn=f(int, char)\n"
		     "2 1\nfn=main\n4 100\nfn=never\n7 0\nsummary: 151\n",
		151);

	cr_assert(eq(sz, counts.n, 3));
	cr_expect_text("main a.c 142 b.c 8 f(int, char)", counts.at[0].name, counts.at[0].component,
		       counts.at[0].instructions, counts.at[1].component, counts.at[1].instructions,
		       counts.at[2].name);
}

Test(simulate, processes_add_up_and_one_that_is_lost_takes_all)
{
	const char *one = HEAD "fl=a.c\nfn=main\n3 12\nsummary: 12\n";
	const char *bad = HEAD "fl=a.c\nfn=main\n3 12\nsummary: 13\n";
	struct pe_function_counts counts;

	add(one, strlen(one), 12);
	add(one, strlen(one), 12);
	counts = pe_simulated_functions_take(&functions, &arena);
	cr_assert(eq(sz, counts.n, 1));
	cr_expect(eq(u64, counts.at[0].instructions, 24));
	add(bad, strlen(bad), 13);
	add(one, strlen(one), 12);
	cr_expect(eq(sz, pe_simulated_functions_take(&functions, &arena).n, 0));
}

Test(simulate, what_does_not_hold_together_has_no_functions)
{
	static const struct {
		const char *record;
		uint64_t total;
	} cases[] = {
		{"", 0},
		{HEAD, 0},
		{HEAD "fl=a.c\nfn=main\n3 12\n", 12},
		{HEAD "fl=a.c\nfn=main\n3 12\nsummary: 12", 12},
		{HEAD "fl=a.c\nfn=main\n3 12\nsummary: 12\n", 11},
		{HEAD "fl=a.c\nfn=main\n3 11\nsummary: 12\n", 12},
		{HEAD "fl=a.c\nfn=main\n3 12\nsummary: 12\n0 0\n", 12},
		{HEAD "fl=a.c\nfn=main\n3 12\nsummary: 12\nmore", 12},
		{HEAD "fn=main\n3 12\nsummary: 12\n", 12},
		{HEAD "fl=a.c\n3 12\nsummary: 12\n", 12},
		{HEAD "fl=a.c\nfn=main\nfl=b.c\n3 12\nsummary: 12\n", 12},
		{HEAD "fl=a.c\nfn=main\n3 -12\nsummary: 12\n", 12},
		{HEAD "fl=a.c\nfn=main\n3 18446744073709551616\nsummary: 0\n", 0},
		{HEAD "fl=a.c\nfn=main\n3 18446744073709551615\n3 13\nsummary: 12\n", 12},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect(eq(sz, read_one(cases[i].record, cases[i].total).n, 0), "case %zu", i);
}

Test(simulate, the_command_line_is_no_record)
{
	struct pe_function_counts counts = read_one(
		"cmd: ./a x\nfl=evil.c\nfn=evil\n1 5\nsummary: 1\nevents: Ir\nfl=a.c\nfn=main\n3 12\n"
		"summary: 12\n",
		12);

	cr_assert(eq(sz, counts.n, 1));
	cr_expect_str_eq(counts.at[0].name, "main");
}

Test(simulate, what_is_too_long_or_too_much_is_lost_and_bounded)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(&text, HEAD "fl=a.c\nfn=");
	for (size_t i = 0; i < PE_SIMULATE_LINE_BYTES; i++)
		pe_text_add(&text, "x");
	pe_text_add(&text, "\n1 12\nsummary: 12\n");
	cr_expect(eq(sz, read_one(text.data, 12).n, 0));
	pe_text_clear(&text);
	pe_text_add(&text, HEAD "fl=a.c\n");
	for (size_t i = 0; i <= PE_SIMULATE_FUNCTIONS; i++)
		pe_text_addf(&text, "fn=%zu\n", i);
	pe_text_add(&text, "1 12\nsummary: 12\n");
	cr_expect(eq(sz, read_one(text.data, 12).n, 0));
	cr_expect(eq(sz, functions.at.n, PE_SIMULATE_FUNCTIONS));
	pe_text_clear(&text);
	pe_text_add(&text, HEAD "fl=a.c\nfn=a");
	pe_text_addn(&text, "\0b", 2);
	pe_text_add(&text, "\n1 12\nsummary: 12\n");
	pe_simulated_functions_release(&functions);
	functions = (struct pe_simulated_functions){0};
	add(text.data, text.len, 12);
	cr_expect(functions.lost);
}
