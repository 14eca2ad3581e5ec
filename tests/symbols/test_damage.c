/* Files that are cut short or have bytes turned: any answer will do, but there must be one. */
#include "analysis/symbols/symbols.h"

#include "built.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

static struct pe_text good, bad;

static void end(void)
{
	pe_text_release(&good);
	pe_text_release(&bad);
	built_remove_root();
}

TestSuite(damage, .init = built_make_root, .fini = end, .timeout = 600);

static struct built_mark marks[32];
static size_t n_marks;
static char path[8192];

static void build(const char *compiler, const char *source, const char *flags)
{
	struct pe_err err = PE_ERR_INIT;

	built_shell("build", "gcc -c ../src/mark.c ../src/twin.c; %s %s ../src/%s %s -o program",
		    compiler, flags, source,
		    strcmp(source, "chain.c") == 0 ? "twin.o mark.o" : "mark.o");
	n_marks = built_run(marks, 32, "build", "./program");
	cr_assert(gt(sz, n_marks, 0));
	cr_assert(eq(int, pe_text_read_file(&good, marks[0].path, &err), PE_OK));
	snprintf(path, sizeof(path), "%s/damaged", built_root());
}

/* Ask for every tenth byte of the code around all marks. */
static void ask(void)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_symbols_db *db;
	struct pe_symbolizer symbolizer;
	struct pe_module module = {.path = path};
	struct pe_symbols symbols;

	cr_assert(eq(int, pe_text_write_file(&bad, path, &err), PE_OK));
	cr_assert(eq(int, pe_symbols_open(&db, built_root(), NULL, &err), PE_OK));
	symbolizer = pe_symbols_symbolizer(db);
	for (size_t i = 0; i < n_marks; i++) {
		for (unsigned long at = marks[i].address - 50; at < marks[i].address + 50;
		     at += 10) {
			cr_assert(eq(
				int,
				symbolizer.resolve(&symbols, &module, at, symbolizer.payload, &err),
				PE_OK));
			cr_assert(gt(sz, symbols.n, 0));
			for (size_t k = 0; k < symbols.n; k++)
				cr_assert(ne(chr, symbols.at[k].frame.name[0], '\0'));
		}
	}
	pe_symbols_close(db);
}

static void truncate_at(size_t n)
{
	pe_text_clear(&bad);
	pe_text_addn(&bad, good.data, n);
	ask();
}

Test(damage, truncated_files_give_an_answer)
{
	build("gcc", "chain.c", "-O2 -g");
	for (size_t i = 0; i < 120; i++)
		truncate_at(good.len * i / 120);
	for (size_t n = 0; n < 80; n += 7)
		truncate_at(n);
}

/* A few bytes anywhere, then many where the debug information lies: the second half. */
static void turn_bytes(uint64_t seed, size_t n, size_t from)
{
	struct pe_random random = random_of(seed);

	pe_text_clear(&bad);
	pe_text_addn(&bad, good.data, good.len);
	for (size_t i = 0; i < n; i++)
		bad.data[from + pe_random_below(&random, good.len - from)] ^=
			(char)(1U << pe_random_below(&random, 8));
	ask();
}

static void turn_many(void)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		turn_bytes(seed, 3, 0);
		turn_bytes(seed, 20, good.len / 4);
		turn_bytes(seed, 400, good.len / 4);
	}
}

Test(damage, turned_bytes_of_gccs_give_an_answer)
{
	build("gcc", "chain.c", "-O2 -g");
	turn_many();
}

Test(damage, turned_bytes_of_clangs_give_an_answer)
{
	build("clang", "chain.c", "-O2 -gdwarf-4");
	turn_many();
}

Test(damage, turned_bytes_of_cxx_give_an_answer)
{
	build("g++", "names.cc", "-O2 -g");
	turn_many();
}
