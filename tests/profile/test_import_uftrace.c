/* The output of uftrace dump: exact calls, exact times. */
#include "imported.h"

#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

TestSuite(import_uftrace, .fini = imported_release, .timeout = 600);

static struct imported *import_records(const char *records)
{
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_add(&text, "uftrace file header: version       = 4\n\nreading 7.dat\n");
	pe_text_add(&text, records);
	imported = import_bytes(text.data, text.len);
	pe_text_release(&text);
	return imported;
}

static void expect_refusal(const char *records, const char *place, const char *expected)
{
	struct imported *imported = import_records(records);

	cr_expect(eq(int, imported->rc, PE_EINVALID), "%s", records);
	cr_expect(strncmp(imported->err.message, place, strlen(place)) == 0, "%s",
		  imported->err.message);
	cr_expect(strstr(imported->err.message, expected) != NULL, "%s", imported->err.message);
}

Test(import_uftrace, times_go_to_the_function_on_top)
{
	struct imported *imported =
		import_records("1.000000100   7: [entry] main(4010a0) depth: 0\n"
			       "1.000000110   7: [entry] f(4010b0) depth: 1\n"
			       "1.000000130   7: [exit ] f(4010b0) depth: 1\n"
			       "1.000000140   7: [entry] f(4010b0) depth: 1\n"
			       "1.000000190   7: [exit ] f(4010b0) depth: 1\n"
			       "1.000000200   7: [exit ] main(4010a0) depth: 0\n");

	cr_expect_str_eq(drawn(imported), "main c1 t30\n  f c2 t70\n");
	cr_expect(eq(u64, imported->cct->facts.duration_ns, 100));
	/* 20 and 50: mean 35, deviation sqrt(2 * 15^2 / 1) */
	cr_expect(epsilon_eq(dbl, imported->cct->deviation_ns[2], 21.2132, 1e-4));
}

Test(import_uftrace, tasks_have_stacks_of_their_own)
{
	struct imported *imported = import_records("1.000000100   7: [entry] main(1) depth: 0\n"
						   "1.000000900   7: [exit ] main(1) depth: 0\n"
						   "reading 8.dat\n"
						   "1.000000200   8: [entry] work(2) depth: 0\n"
						   "1.000000300   8: [exit ] work(2) depth: 0\n");

	cr_expect_str_eq(drawn(imported), "main c1 t800\nwork c1 t100\n");
	cr_expect(eq(u32, imported->cct->facts.threads, 2));
}

Test(import_uftrace, arguments_events_and_the_kernel_are_passed_over)
{
	struct imported *imported =
		import_records("1.000000100   7: [entry] main(1) depth: 0\n"
			       "1.000000100   7: [args ] length = 8\n"
			       "  args[0] d64: 0x000000000000000c\n"
			       "1.000000150   7: [event] linux:sched-out(200002) depth: 1\n"
			       "1.000000900   7: [exit ] main(1) depth: 0\n"
			       "1.000000900   7: [retval] length = 8\n"
			       "  retval d64: 0x0000000000000000\n"
			       "reading kernel-cpu0.dat\n"
			       "1.000000120   7: [entry] sys_read(2) depth: 1\n"
			       "reading perf-cpu0.dat\n"
			       "1.000000150   7: [event] linux:sched-in(200001)\n");

	cr_expect_str_eq(drawn(imported), "main c1 t800\n");
	cr_expect(strstr(imported->note, "kernel") != NULL);
}

Test(import_uftrace, functions_left_by_a_jump_are_closed_by_the_depth_of_what_follows)
{
	struct imported *imported = import_records("1.000000100   7: [entry] main(1) depth: 0\n"
						   "1.000000110   7: [entry] a(2) depth: 1\n"
						   "1.000000120   7: [entry] b(3) depth: 2\n"
						   "1.000000130   7: [entry] c(4) depth: 1\n"
						   "1.000000140   7: [exit ] c(4) depth: 1\n"
						   "1.000000150   7: [exit ] main(1) depth: 0\n");

	cr_expect_str_eq(drawn(imported), "main c1 t20\n  a c1 t10\n    b c1 t10\n  c c1 t10\n");
	cr_expect(strstr(imported->note, "2 places") != NULL, "%s", imported->note);
}

Test(import_uftrace, names_may_hold_brackets)
{
	struct imported *imported =
		import_records("1.000000100   7: [entry] ns::f(int)(4010a0) depth: 0\n"
			       "1.000000200   7: [exit ] ns::f(int)(4010a0) depth: 0");

	cr_expect_str_eq(drawn(imported), "ns::f(int) c1 t100\n");
}

Test(import_uftrace, the_calls_of_a_real_program_are_exact)
{
	struct imported *imported = import_fixture("busy.uftrace");

	cr_expect(eq(u64, calls_of(imported, "main"), 1));
	cr_expect(eq(u64, calls_of(imported, "fib"), 41 + 9));
	cr_expect(eq(u64, calls_of(imported, "even"), 5));
	cr_expect(eq(u64, calls_of(imported, "odd"), 5));
	cr_expect(eq(u64, calls_of(imported, "shared"), 2));
	/* The worker's among them. */
	cr_expect(eq(u64, calls_of(imported, "middle"), 3));
	cr_expect(eq(u64, calls_of(imported, "leaf"), 7));
	cr_expect(eq(u32, imported->cct->facts.threads, 2));
}

Test(import_uftrace, broken_records_are_named)
{
	static const char entry[] = "1.000000100   7: [entry] main(1) depth: 0\n";
	char text[256];

	expect_refusal("nonsense\n", "x:4: offset 54: ", "a record");
	expect_refusal("1.000000100   7: [entry] main(1) dep", "x:4: offset ", "a record");
	snprintf(text, sizeof(text), "%s0.5\n", entry);
	expect_refusal(text, "x:5: offset ", "a record");
	snprintf(text, sizeof(text), "%s1.000000099   7: [exit ] main(1) depth: 0\n", entry);
	expect_refusal(text, "x:5: offset ", "backwards");
	expect_refusal("", "x: offset ", "no samples");
}

Test(import_uftrace, stacks_may_be_thousands_deep)
{
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_add(&text, "reading 7.dat\n");
	for (int i = 0; i < 30000; i++)
		pe_text_addf(&text, "1.%09d 7: [entry] f(1) depth: %d\n", i, i);
	for (int i = 30000; i > 0; i--)
		pe_text_addf(&text, "1.%09d 7: [exit ] f(1) depth: %d\n", 60000 - i, i - 1);
	imported = import_bytes(text.data, text.len);
	pe_text_release(&text);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, 30001));
	cr_expect(eq(u64, imported->cct->facts.duration_ns, 59999));
}
