/* The counting library in programs whose calling context tree is known. */
#include "probe/formats/trace.h"
#include "tests/runtime/counted.h"
#include "tests/support/test.h"

TestSuite(calls, .init = counted_set_up, .fini = counted_tear_down, .timeout = 600);

#define CHECK(...) counted_check(&(struct counted){__VA_ARGS__})

/* With both compilers. clang's flag for optimised code leaves inlined calls out. */
#define CHECK_ALL(...)                                                                             \
	do {                                                                                       \
		CHECK(__VA_ARGS__, .compiler = "gcc -O2");                                         \
		CHECK(__VA_ARGS__, .compiler = "clang -O2");                                       \
	} while (0)

Test(calls, recursion_is_folded)
{
	CHECK_ALL(.source = "recursion.c");
}

Test(calls, longjmp_leaves_the_calls_that_it_jumps_over)
{
	CHECK_ALL(.source = "longjmp.c");
}

Test(calls, exceptions_leave_the_calls_that_they_unwind)
{
	CHECK(.source = "exceptions.cc", .compiler = "g++ -O0");
	CHECK(.source = "exceptions.cc", .compiler = "g++ -O2");
	CHECK(.source = "exceptions.cc", .compiler = "clang++ -O0");
	CHECK(.source = "exceptions.cc", .compiler = "clang++ -O2");
}

Test(calls, threads_are_summed)
{
	CHECK_ALL(.source = "threads.c");
	cr_expect(eq(uint, counted_notes()->threads, 2051));
}

Test(calls, children_of_fork_go_on_where_their_parent_was)
{
	CHECK_ALL(.source = "fork.c");
	cr_expect(eq(uint, counted_notes()->processes, 5));
}

Test(calls, every_end_leaves_the_whole_tree)
{
	CHECK_ALL(.source = "ends.c", .args = "exit", .tag = "exit", .status = 3);
	CHECK(.source = "ends.c", .compiler = "gcc -O2", .args = "_exit", .status = 3);
	CHECK(.source = "ends.c", .compiler = "gcc -O2", .args = "crash", .status = 139);
	CHECK(.source = "ends.c", .compiler = "gcc -O2", .args = "kill", .status = 137);
}

Test(calls, a_library_in_the_place_of_another_is_told_apart)
{
	static const char *const compilers[] = {"gcc -O0", "gcc -O2", "clang -O2"};

	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		counted_shell(
			"cd '%s' && for name in one:10 two:30; do %s -g -finstrument-functions "
			"-shared -fPIC -DNAME=${name%%:*} -DSIZE=${name#*:} -o ${name%%:*}.so "
			"'" PE_SOURCE_DIR "/tests/programs/calls/plugin.c'; done",
			counted_dir(), compilers[i]);
		CHECK(.source = "plugins.c", .compiler = compilers[i], .args = "./one.so ./two.so");
	}
}

Test(calls, handlers_stand_below_what_they_interrupt)
{
	CHECK_ALL(.source = "signals.c");
}

static uint64_t calls_of(const struct pe_cct *cct, const char *name, const char *parent)
{
	uint64_t calls = 0;

	for (uint32_t i = 1; i < cct->n; i++)
		if (strcmp(pe_cct_frame(cct, i)->name, name) == 0 &&
		    (parent == NULL ||
		     strcmp(pe_cct_frame(cct, cct->nodes[i].parent)->name, parent) == 0))
			calls += cct->calls[i];
	return calls;
}

/* Wherever the handler comes: every call is counted, below its caller. */
static void check_storm(const char *compiler)
{
	const struct counted how = {.source = "storm.c", .compiler = compiler};
	const struct pe_cct *cct;
	unsigned long ticks, rounds;

	counted_build(&how);
	cct = counted_run(&how);
	cr_assert(eq(int, sscanf(counted_output(), "%lu %lu", &ticks, &rounds), 2));
	cr_expect(eq(u64, calls_of(cct, "tick", NULL), ticks));
	cr_expect(eq(u64, calls_of(cct, "busy", NULL), rounds));
	cr_expect(eq(u64, calls_of(cct, "busy", "main"), rounds));
	cr_expect(eq(u64, calls_of(cct, "work", "tick"), ticks));
	cr_expect(eq(u64, calls_of(cct, "work", "busy"), rounds));
	cr_expect(eq(u64, calls_of(cct, "unit", "work"), ticks + rounds));
	cr_expect(eq(u64, counted_notes()->lost_calls, 0));
}

Test(calls, handlers_in_the_middle_of_a_hook_are_counted)
{
	check_storm("gcc -O0");
	check_storm("gcc -O2");
	check_storm("clang -O2");
}

Test(calls, coroutines_keep_their_own_stacks)
{
	CHECK_ALL(.source = "coroutines.c");
}

Test(calls, inlined_calls_have_their_own_sites)
{
	CHECK(.source = "inlined.c", .compiler = "gcc -O0");
	CHECK(.source = "inlined.c", .compiler = "gcc -O2");
	CHECK(.source = "inlined.c", .compiler = "clang -O0");
}

Test(calls, thousands_of_children_are_found)
{
	const struct counted how = {.source = "many.c", .compiler = "clang -O0"};
	const struct pe_cct *cct;
	uint32_t at, n = 0;
	char name[32];

	counted_build(&how);
	cct = counted_run(&how);
	at = counted_child(cct, counted_child(cct, 0, "many"), "main");
	cr_assert(ne(uint, at, PE_CCT_NONE));
	for (uint32_t c = pe_cct_first(cct, at); c != PE_CCT_NONE; c = pe_cct_next(cct, c), n++) {
		snprintf(name, sizeof(name), "child_%04o", n < 4096 ? n : 8191 - n);
		cr_assert(eq(int, strcmp(pe_cct_frame(cct, c)->name, name), 0), "%s at %u",
			  pe_cct_frame(cct, c)->name, n);
		cr_assert(eq(u64, cct->calls[c], 1));
	}
	cr_expect(eq(uint, n, 8192));
}

Test(calls, an_allocator_of_its_own_is_unknown)
{
	CHECK_ALL(.source = "allocator.c");
	cr_expect(eq(uint, counted_notes()->bypassed, 1));
	cr_expect(eq(int, strcmp(counted_notes()->bypassed_name, "allocator"), 0));
}

Test(calls, a_trace_that_cannot_grow_says_so)
{
	const struct counted how = {
		.source = "many.c", .compiler = "clang -O0", .env = PE_TRACE_LIMIT_ENV "=262144"};
	const struct pe_cct *cct;
	uint64_t calls = 0;

	counted_build(&how);
	cct = counted_run(&how);
	for (uint32_t i = 2; i < cct->n; i++)
		calls += cct->calls[i];
	cr_expect(gt(u64, calls, 1000));
	cr_expect(eq(u64, calls + counted_notes()->lost_calls, 8193));
	cr_expect(eq(uint, counted_notes()->stopped, 1));
}

Test(calls, two_runs_agree)
{
	static const char *const programs[] = {"recursion.c", "longjmp.c", "fork.c", "threads.c"};

	for (size_t p = 0; p < sizeof(programs) / sizeof(*programs); p++) {
		const struct counted how = {.source = programs[p], .compiler = "gcc -O2"};
		const struct pe_cct *a, *b;

		counted_build(&how);
		a = counted_run(&how);
		b = counted_run(&how);
		cr_assert(eq(uint, a->n, b->n));
		for (uint32_t i = 0; i < a->n; i++) {
			cr_expect(eq(uint, a->nodes[i].frame, b->nodes[i].frame));
			cr_expect(eq(u64, a->calls[i], b->calls[i]));
			cr_expect(eq(u64, a->allocations[i], b->allocations[i]));
		}
	}
}
