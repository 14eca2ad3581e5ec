/* Folded stacks of every tool that writes them, and what is wrong with those that are broken. */
#include "imported.h"

#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

TestSuite(import_folded, .fini = imported_release, .timeout = 600);

static void expect_tree(const char *text, const char *tree)
{
	cr_expect_str_eq(drawn(import_text(text)), tree);
}

static void expect_refusal(const char *text, const char *place, const char *expected)
{
	struct imported *imported = import_text(text);

	cr_expect(eq(int, imported->rc, PE_EINVALID), "%s", text);
	cr_expect(strncmp(imported->err.message, place, strlen(place)) == 0, "%s",
		  imported->err.message);
	cr_expect(strstr(imported->err.message, expected) != NULL, "%s", imported->err.message);
}

Test(import_folded, stacks_become_paths_and_counts_samples)
{
	struct imported *imported = import_text("a;b;c 3\na;b 2\na;d;c 1\na;b;c 4\ne 5\n");

	cr_expect_str_eq(drawn(imported), "a s0\n  b s2\n    c s7\n  d s0\n    c s1\ne s5\n");
	cr_expect(eq(u64, imported->cct->facts.samples, 15));
	cr_expect_str_eq(imported->cct->facts.source, "folded");
}

Test(import_folded, what_the_format_lacks_is_unknown_and_not_zero)
{
	struct imported *imported = import_text("a;b 3\n");

	cr_expect(eq(uint, imported->cct->known, PE_CCT_SAMPLES));
	cr_expect(imported->cct->calls == NULL && imported->cct->self_ns == NULL);
	cr_expect(eq(u64, imported->cct->facts.duration_ns, 0));
	cr_expect(imported->note != NULL);
}

Test(import_folded, names_that_share_a_prefix_are_told_apart)
{
	expect_tree("a;bc;d 1\na;b;d 1\na;bcd 1\na 1\nab;c 1\na;bc 1\n",
		    "a s1\n  bc s1\n    d s1\n  b s0\n    d s1\n  bcd s1\nab s0\n  c s1\n");
}

Test(import_folded, line_ends_blanks_and_comments_say_nothing)
{
	expect_tree("# folded\r\na;b 1\r\n\r\na;b \t 2  \r\n\na;c 4", "a s0\n  b s3\n  c s4\n");
}

Test(import_folded, comments_may_end_in_a_number)
{
	cr_expect_str_eq(
		drawn(import_text("# mode: wall 3\n#interval: 100\n\nmain;#run 105\n#run;main 1\n"
				  "\n# duration: 23873\n")),
		"main s0\n  #run s105\n#run s0\n  main s1\n");
}

Test(import_folded, empty_names_are_passed_over)
{
	expect_tree("a;b; 1\n;a;;c 2\n", "a s0\n  b s1\n  c s2\n");
}

Test(import_folded, names_may_hold_blanks)
{
	expect_tree("main loop;do it now 3\noperator new;f 1\n",
		    "main loop s0\n  do it now s3\noperator new s0\n  f s1\n");
}

Test(import_folded, fractions_are_rounded_so_that_their_sum_holds)
{
	struct imported *imported = import_text("a;b 0.4\na;c 0.4\na;d 0.4\na;b 2.8\n");

	cr_expect(eq(u64, imported->cct->facts.samples, 4));
	cr_expect(strstr(imported->note, "rounded") != NULL);
	imported = import_text("main;a 14.2343983248722834234\nmain;b 1.5\n");
	cr_expect(eq(u64, imported->cct->facts.samples, 15));
}

Test(import_folded, kernel_and_compiled_frames_lose_their_marks)
{
	expect_tree("java/lang/X.foo_[j];bar_[i];sys_read_[k] 1\njava/lang/X.foo_[0];baz_[1] 1\n",
		    "java/lang/X.foo s0\n  bar s0\n    sys_read @[kernel] s1\n  baz s1\n");
}

Test(import_folded, names_of_marks_alone_stay_names)
{
	expect_tree("[ tid=4];_[k];thread ();process 1:\"\";a`; - a:1 1\n",
		    "thread thread s0\n  _[k] s0\n    thread thread s0\n"
		    "      process 1:\"\" s0\n        a` s0\n           - a:1 s1\n");
}

Test(import_folded, the_fixtures_of_each_tool_read_as_they_should)
{
	cr_expect_str_eq(drawn(import_fixture("pyspy.folded")), "process python3 s0\n"
								"  thread MainThread s0\n"
								"    <module> @app/main.py s0\n"
								"      load @app/main.py s12\n"
								"        read @<frozen codecs> s3\n"
								"      malloc @libc.so.6 s4\n"
								"  thread thread s0\n"
								"    run @threading.py s9\n");
	cr_expect_str_eq(drawn(import_fixture("async.folded")),
			 "thread main s0\n"
			 "  java/lang/Thread.run s0\n"
			 "    Main.work s40\n"
			 "      __write @libc.so.6 s0\n"
			 "        entry_SYSCALL_64 @[kernel] s6\n"
			 "    Main.<init> s2\n"
			 "thread thread s0\n"
			 "  GCTaskThread::run() s5\n");
	cr_expect_str_eq(drawn(import_fixture("rbspy.folded")),
			 "<main> @bin/app.rb s0\n"
			 "  block in each - slowly @lib/app/list.rb s7\n"
			 "    sleep s30\n");
	cr_expect_str_eq(drawn(import_fixture("dtrace.folded")), "_start @app s0\n"
								 "  main @app s2\n"
								 "    malloc @libc.so.1 s5\n"
								 "page fault @unix s1\n");
	cr_expect_str_eq(drawn(import_fixture("perf.folded")),
			 "busy s0\n"
			 "  _start s0\n"
			 "    main s0\n"
			 "      ns::table<int>::probe(int, char const*) const s4\n"
			 "        operator()(int) s1\n"
			 "      unknown [unknown] s2\n"
			 "        unknown libc.so.6 @libc.so.6 s3\n"
			 "      foo @/src/a.js s8\n"
			 "        do_syscall_64 @[kernel] s1\n");
}

Test(import_folded, broken_lines_are_named_with_their_offset)
{
	expect_refusal("a;b 1\na;b\n", "x:2: offset 6: ", "a stack and its count");
	expect_refusal("a;b 1\na;b x12\n", "x:2: offset 10: ", "'x12' is no count");
	expect_refusal("a;b 1\r\n12\n", "x:2: offset 7: ", "without a stack");
	expect_refusal("a;b 1\na;c -4\n", "x:2: offset 10: ", "difference");
	expect_refusal("a;b 1\na;c 1234567890123456789\n", "x:2: offset 10: ", "too large");
	expect_refusal("a;b 1 2\na;c 3 4\n", "x:2: ", "two counts");
}

Test(import_folded, a_nul_byte_in_a_name_is_refused)
{
	struct imported *imported;
	struct pe_text text = PE_TEXT_INIT;

	for (int i = 0; i < 4000; i++)
		pe_text_add(&text, "a;b 1\n");
	pe_text_addn(&text, "a;\0b 1\n", 7);
	imported = import_bytes(text.data, text.len);
	pe_text_release(&text);
	cr_expect(eq(int, imported->rc, PE_EINVALID));
	cr_expect(strncmp(imported->err.message, "x:4001: offset 24002: ", 22) == 0, "%s",
		  imported->err.message);
}

Test(import_folded, no_samples_is_said)
{
	expect_refusal("", "x: offset 0: ", "no samples");
	expect_refusal("a;b 0\n", "x: offset 6: ", "no samples");
}

Test(import_folded, other_files_are_not_recognised)
{
	expect_refusal("Dear reader,\nthis is a letter.\n", "x: offset 0: ", "folded");
	cr_expect(eq(int,
		     import_bytes("\x7f"
				  "ELF\x02\x01;\0 12\n",
				  12)
			     ->rc,
		     PE_EINVALID));
}

Test(import_folded, stacks_may_be_thousands_deep)
{
	struct imported *imported;
	struct pe_text text = PE_TEXT_INIT;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 50000; i++)
			pe_text_addf(&text, "f%d;", i);
		pe_text_addf(&text, "leaf%d 3\n", round);
	}
	imported = import_bytes(text.data, text.len);
	pe_text_release(&text);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, 50003));
	cr_expect(eq(u64, imported->cct->samples[50001], 3));
	cr_expect(eq(u64, imported->cct->facts.samples, 6));
}

Test(import_folded, a_format_can_be_named)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	cr_expect(eq(int,
		     pe_import_bytes(&cct, "a 1", 3, "x", "folded", &frames, &arena, NULL, &err),
		     PE_OK));
	cr_expect(eq(u32, cct->n, 2));
	cr_expect(eq(int,
		     pe_import_bytes(&cct, "a 1", 3, "x", "foldet", &frames, &arena, NULL, &err),
		     PE_EINVALID));
	cr_expect(strstr(err.message, "folded") != NULL && strstr(err.message, "callgrind") != NULL,
		  "%s", err.message);
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}
