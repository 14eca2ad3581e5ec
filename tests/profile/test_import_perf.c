/* The output of perf script in all its shapes. */
#include "imported.h"

#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

TestSuite(import_perf, .fini = imported_release, .timeout = 600);

static void expect_tree(const char *text, const char *tree)
{
	struct imported *imported = import_text(text);

	cr_expect_str_eq(drawn(imported), tree);
	cr_expect_str_eq(imported->cct->facts.source, "perf-script");
}

static void expect_refusal(const char *text, const char *place, const char *expected)
{
	struct imported *imported = import_text(text);

	cr_expect(eq(int, imported->rc, PE_EINVALID), "%s", text);
	cr_expect(strncmp(imported->err.message, place, strlen(place)) == 0, "%s",
		  imported->err.message);
	cr_expect(strstr(imported->err.message, expected) != NULL, "%s", imported->err.message);
}

#define STACK "\t    11a0 leaf+0x1b (/opt/app)\n\t    1283 main+0x3c (/opt/app)\n\n"
#define FRAME "\t            11a0 "
#define TREE  "process app s0\n  main @app s0\n    leaf @app s1\n"

Test(import_perf, headers_may_lack_any_field)
{
	static const char *const headers[] = {
		"app 12 1.5: cycles: \n",
		"app 12/13 1.5: 1 cycles:ppp: \n",
		" app 12/13 1.5: 1 cycles:ppp: \n",
		"app  12 [003] 1.5: cycles:u: \n",
		"app 12 [003] 1.5: 1 cpu/cycles/u: \n",
		"app 12 cycles: \n",
		"app 12/13  \n",
		"app 12 1.5:\n",
		"app cycles:\n",
		"app 12 1.5: sched:sched_switch: prev_comm=a prev_pid=1 ==> next_comm=b\n",
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s" STACK, headers[i]);
		expect_tree(text, TREE);
	}
	expect_tree("\n" STACK, "main @app s0\n  leaf @app s1\n");
	expect_tree("cycles:u: \n" STACK, "main @app s0\n  leaf @app s1\n");
}

Test(import_perf, commands_may_hold_blanks_and_numbers)
{
	expect_tree("Web Content 7 12/13 [000] 1.5: cycles: \n" STACK,
		    "process Web Content 7 s0\n  main @app s0\n    leaf @app s1\n");
}

Test(import_perf, clocks_have_times_and_other_events_have_none)
{
	struct imported *clock = import_text("app 12 1.5: 250000 cpu-clock:u: \n" STACK
					     "app 12 1.6: 250000 cpu-clock:u: \n" STACK);
	struct imported *cycles = import_text("app 12 1.5: 250000 cycles: \n" STACK);

	cr_expect_str_eq(drawn(clock),
			 "process app s0 t0\n  main @app s0 t0\n    leaf @app s2 t500000\n");
	cr_expect(eq(u64, clock->cct->facts.interval_ns, 250000));
	cr_expect(eq(u64, clock->cct->facts.duration_ns, 500000));
	cr_expect(cycles->cct->self_ns == NULL);
	cr_expect(strstr(cycles->note, "cycles") != NULL);
}

Test(import_perf, of_several_events_a_clock_is_taken_and_the_others_leave_nothing)
{
	struct imported *imported =
		import_text("app 12 1.5: 1 page-faults: \n\t    99 fault+0x1 (/opt/app)\n\n"
			    "app 12 1.5: 1 page-faults: \n\t    99 fault+0x1 (/opt/app)\n\n"
			    "app 12 1.5: 1000 cpu-clock: \n" STACK);

	cr_expect_str_eq(drawn(imported),
			 "process app s0 t0\n  main @app s0 t0\n    leaf @app s1 t1000\n");
	cr_expect(strstr(imported->note, "cpu-clock") != NULL);
}

Test(import_perf, cores_of_two_kinds_are_one_event)
{
	expect_tree("app 12 1.5: 9 cpu_core/cycles/u: \n" STACK
		    "app 12 1.5: 9 cpu_atom/cycles/u: \n" STACK,
		    "process app s0\n  main @app s0\n    leaf @app s18\n");
}

Test(import_perf, a_sample_weighs_its_period_unless_it_is_of_a_clock)
{
	struct imported *imported =
		import_text("app 12 1.1: 1 cycles:u: \n" FRAME "start (/opt/app)\n\n"
			    "app 12 1.2: 3 cycles:u: \n" FRAME "start (/opt/app)\n\n"
			    "app 12 1.3: 1000001 cycles:u: \n" FRAME "work (/opt/app)\n");

	cr_expect_str_eq(drawn(imported),
			 "process app s0\n  start @app s4\n  work @app s1000001\n");
	cr_expect(eq(u64, imported->cct->facts.samples, 3));
	cr_expect(strstr(imported->note, "period") != NULL);
	expect_tree("app 12 1.1: page-faults: \n" FRAME "start (/opt/app)\n",
		    "process app s0\n  start @app s1\n");
	expect_tree("   1001001 \n" FRAME "work (/opt/app)\n\n   1001001 \n" FRAME
		    "work (/opt/app)\n",
		    "work @app s2002002\n");
}

Test(import_perf, records_that_are_no_samples_are_passed_over)
{
	expect_tree(
		"app 12 1.1: PERF_RECORD_FORK(50:51):(50:50)\n"
		"app 12 1.2: PERF_RECORD_MMAP2 50/50: [0x1000(0x1000) @ 0 fd:01 1 0]: r-xp /bin/app\n"
		"app 12 1.3: PERF_RECORD_NAMESPACES 12/12 - nr_namespaces: 1\n\t\t[0/net: 1/0xf]\n"
		"app 12 1.5: 1 cycles: \n" STACK,
		TREE);
}

Test(import_perf, samples_without_call_chains_stand_on_one_line)
{
	expect_tree(
		"     app   12 1.5:  1 cycles:  ffff8175336a elf_load+0x28a ([kernel.kallsyms])\n"
		"     app   12 1.6:  1 cycles:      7fbfd473bb70 main+0x0 (/opt/app (deleted))\n"
		"     app   13 1.6:  1 cycles: \n",
		"process app s1\n  elf_load @[kernel] s1\n  main @app s1\n");
}

Test(import_perf, inlined_functions_lie_in_the_module_of_the_next)
{
	expect_tree("app 12 1.5: cycles: \n\t 11a0 a+0x1 (inlined)\n\t 11a0 b+0x1 (inlined)\n"
		    "\t 11a0 c+0x1 (/opt/libx.so)\n\t 99 main+0x1 (/opt/app)\n\n",
		    "process app s0\n  main @app s0\n    c @libx.so s0\n      b @libx.so s0\n"
		    "        a @libx.so s1\n");
}

Test(import_perf, symbols_keep_signatures_and_lose_offsets)
{
	expect_tree(
		"app 12 1.5: cycles: \n"
		"\t 1 ns::f(int, std::vector<int> const&) const+0x1f (/opt/my app)\n"
		"\t 2 operator()(char)+0x1 (/opt/app)\n\t 3 [unknown] (/opt/libx.so)\n"
		"\t 4 [unknown] ([unknown])\n\t 5 LazyCompile:*go /a.js:1:2+0x3 (/run/perf-9.map)\n"
		"\t 6 __schedule ([kernel.kallsyms])\n\n",
		"process app s0\n  __schedule @[kernel] s0\n    go @/a.js s0\n"
		"      unknown [unknown] s0\n        unknown libx.so @libx.so s0\n"
		"          operator()(char) @app s0\n"
		"            ns::f(int, std::vector<int> const&) const @my app s1\n");
}

static uint64_t count(const char *text, const char *what)
{
	uint64_t n = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
		n++;
	return n;
}

static void expect_samples(const char *name, const char *mark)
{
	struct imported *imported = import_fixture(name);
	uint64_t n = count(fixture(name, NULL), mark);

	cr_expect(n > 0);
	cr_expect(eq(u64, imported->cct->facts.samples, n), "%s", name);
	cr_expect(eq(u32, imported->cct->facts.threads, 2), "%s", name);
	cr_expect(eq(u64, samples_of(imported, "busy"), 0));
}

Test(import_perf, every_sample_of_real_files_is_counted)
{
	expect_samples("busy.perf", " cpu-clock: ");
	expect_samples("busy-inlined.perf", " cpu-clock: ");
	expect_samples("busy-flat.perf", " cpu-clock: ");
	expect_samples("busy-lines.perf", "busy 1");
}

Test(import_perf, the_same_recording_gives_the_same_tree_with_and_without_source_lines)
{
	struct imported *lines = import_fixture("busy-lines.perf");
	struct imported *plain = import_fixture("busy-inlined.perf");

	cr_assert(eq(u32, lines->cct->n, plain->cct->n));
	for (uint32_t i = 1; i < lines->cct->n; i++) {
		cr_expect_str_eq(pe_cct_frame(lines->cct, i)->name,
				 pe_cct_frame(plain->cct, i)->name);
		cr_expect_str_eq(pe_cct_frame(lines->cct, i)->component,
				 pe_cct_frame(plain->cct, i)->component);
		cr_expect(eq(u64, lines->cct->samples[i], plain->cct->samples[i]));
	}
	cr_expect(samples_of(plain, "spin") > 0);
}

Test(import_perf, broken_files_are_named)
{
	expect_refusal("app 12 1.5: cycles: \n" STACK "what is this\n", "x:5: offset ", "header");
	expect_refusal("app 12 1.5: cycles: \n" STACK "app 12 1.5: cycles: \n\tzzz\n",
		       "x:6: offset ", "a frame");
	expect_refusal("app 12 1.5: cycles: \n" STACK "app 12 1.5: cycles: \n\t 11a0 lea",
		       "x:6: offset ", "within a line");
	static const char *const others[] = {
		"Failed to open perf.data: No such file\n",
		"Traceback (most recent call last):\n  File \"a.py\"\n",
		"Error list: foo:\n\tadd a file (x)\n",
		"{\"version\":1,\"title\":\"notes see: below\"}\n"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		expect_refusal(others[i], "x: offset 0: ", "no known profile format");
	expect_refusal("Flat profile:\n\nEach sample counts as 0.01 seconds.\n",
		       "x: offset 0: ", "this is the text that gprof prints");
	expect_refusal("# only\n# comments\n", "x: offset 0: ", "perf-script");
}

Test(import_perf, windows_line_ends_and_a_missing_last_one_are_taken)
{
	expect_tree("app 12 1.5: cycles: \r\n\t 1 leaf+0x1 (/opt/app)\r\n\r\n"
		    "app 12 1.5: cycles: \r\n\t 1 leaf+0x1 (/opt/app)",
		    "process app s0\n  leaf @app s2\n");
}

Test(import_perf, stacks_may_be_thousands_deep)
{
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	for (int round = 0; round < 2; round++) {
		pe_text_add(&text, "app 12 1.5: cycles: \n");
		for (int i = 20000; i > 0; i--)
			pe_text_addf(&text, "\t %x f%d+0x1 (/opt/app)\n", i, i);
		pe_text_add(&text, "\n");
	}
	imported = import_bytes(text.data, text.len);
	pe_text_release(&text);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, 20002));
	cr_expect(eq(u64, imported->cct->samples[20001], 2));
}
