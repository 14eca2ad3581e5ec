/* CPU profiles of V8: both formats, real ones of a known regression, odd clocks, deep stacks, broken files. */
#include "import_expect.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

TestSuite(import_cpuprofile, .fini = imported_release, .timeout = 600);

#define NODE(id, name, url, line)                                                                  \
	"{\"id\":" #id ",\"callFrame\":{\"functionName\":\"" name                                  \
	"\",\"scriptId\":\"1\",\"url\":\"" url "\",\"lineNumber\":" #line ",\"columnNumber\":3}"
#define ROOT "{\"nodes\":[" NODE(1, "(root)", "", -1) ",\"children\":[2,3]},"
#define TWO  NODE(2, "f", "file:///a/x.js?v=1", 4) "}," NODE(3, "g", "http://h/y.js#z", 0) "}]"

Test(import_cpuprofile, deltas_are_the_time_of_their_own_samples)
{
	struct imported *imported =
		import_text(ROOT TWO ",\"startTime\":100,\"endTime\":200,"
				     "\"samples\":[2,2,3,1],\"timeDeltas\":[10,20,40,5]}");

	expect_drawn(imported, "f @/a/x.js s2 t30000\ng @http://h/y.js s1 t40000\n");
	cr_expect(eq(u64, imported->cct->self_ns[0], 5000));
	cr_expect(eq(u64, imported->cct->facts.duration_ns, 75000));
	cr_expect(eq(u64, imported->cct->facts.samples, 4));
	cr_expect(eq(u32, frame_named(imported, "f")->line, 5));
	expect_string(imported->cct->facts.source, "cpuprofile");
}

Test(import_cpuprofile, calls_and_sites_are_unknown_and_not_zero)
{
	struct imported *imported = import_text(ROOT TWO ",\"samples\":[2],\"timeDeltas\":[10]}");

	cr_expect(eq(uint, imported->cct->known, PE_CCT_SAMPLES | PE_CCT_TIME));
	cr_expect(imported->cct->calls == NULL && imported->cct->allocations == NULL);
}

Test(import_cpuprofile, the_order_of_members_does_not_matter)
{
	static const char *const tree = "g @http://h/y.js s3 t60000\nf @/a/x.js s1 t7000\n";

	expect_drawn(
		import_text("{\"timeDeltas\":[10,20,7,30],\"samples\":[3,3,2,3],"
			    "\"nodes\":[" NODE(3, "g", "http://h/y.js", 0) "}," NODE(
				    2, "f", "file:///a/x.js",
				    4) "}," NODE(1, "(root)", "", -1) ",\"children\":[2,3]}]}"),
		tree);
}

Test(import_cpuprofile, time_that_runs_backwards_counts_once)
{
	struct imported *imported =
		import_text(ROOT TWO ",\"samples\":[2,3,2,3,2],\"timeDeltas\":[100,-40,30,50,10]}");

	expect_drawn(imported, "f @/a/x.js s3 t110000\ng @http://h/y.js s2 t40000\n");
	cr_expect(eq(u64, imported->cct->facts.duration_ns, 150000));
}

Test(import_cpuprofile, anonymous_functions_are_told_apart_by_script_and_callers)
{
	struct imported *imported =
		import_text("{\"nodes\":[" NODE(1, "(root)", "", -1) ",\"children\":[2,3,4]}," NODE(
			2, "", "a.js",
			1) "}," NODE(3, "", "a.js",
				     9) "}," NODE(4, "", "b.js",
						  0) "}],"
						     "\"samples\":[2,3,4],\"timeDeltas\":[1,2,4]}");

	expect_drawn(imported, "(anonymous) @a.js s2 t3000\n(anonymous) @b.js s1 t4000\n");
}

Test(import_cpuprofile, the_engine_s_own_frames_stay)
{
	struct imported *imported =
		import_text("{\"nodes\":[" NODE(1, "(root)", "", -1) ",\"children\":[2,3,4]}," NODE(
			2, "(program)", "",
			-1) "}," NODE(3, "(idle)", "", -1) "}," NODE(4, "(garbage collector)", "",
								     -1) "}],"
									 "\"samples\":[2,3,4],"
									 "\"timeDeltas\":[1,2,4]}");

	expect_drawn(
		imported,
		"(program) s1 t1000\nwaiting (waiting) s0 t2000\n(garbage collector) s1 t4000\n");
	cr_expect(eq(u64, imported->cct->facts.samples, 2));
	cr_expect(eq(u64, pe_cct_waiting_ns(imported->cct), 2000));
}

Test(import_cpuprofile, without_samples_hits_share_the_time)
{
	struct imported *imported =
		import_text("{\"nodes\":[" NODE(1, "(root)", "", -1) ",\"children\":[2,3]}," NODE(
			2, "f", "",
			4) ",\"hitCount\":3}," NODE(3, "g", "",
						    0) ",\"hitCount\":1}],"
						       "\"startTime\":1000,\"endTime\":1400}");

	expect_drawn(imported, "f s3 t300000\ng s1 t100000\n");
}

Test(import_cpuprofile, the_old_nested_format_is_read)
{
	struct imported *imported = import_text(
		"{\"head\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":0,"
		"\"hitCount\":0,\"callUID\":1,\"children\":[{\"functionName\":\"f\","
		"\"url\":\"http://h/a.js\",\"lineNumber\":5,\"hitCount\":1,\"children\":["
		"{\"functionName\":\"\",\"url\":\"\",\"lineNumber\":0,\"children\":[],\"id\":3}],"
		"\"id\":2},{\"functionName\":\"g\",\"children\":[],\"id\":4}],\"id\":1},"
		"\"startTime\":1.5,\"endTime\":2.5,\"samples\":[2,3,3,4],"
		"\"timestamps\":[1000,1100,1300,1301]}");

	expect_drawn(imported, "f @http://h/a.js s1 t0\n  (anonymous) s2 t300000\ng s1 t1000\n");
	cr_expect(eq(u32, frame_named(imported, "f")->line, 5));
}

Test(import_cpuprofile, the_old_format_may_have_hits_only_and_counts_seconds)
{
	struct imported *imported = import_text(
		"{\"head\":{\"functionName\":\"(root)\",\"children\":["
		"{\"functionName\":\"f\",\"hitCount\":4,\"children\":[],\"id\":2}],\"id\":1},"
		"\"startTime\":1.5,\"endTime\":3.5}");

	expect_drawn(imported, "f s4 t2000000000\n");
}

Test(import_cpuprofile, nodes_nested_a_hundred_thousand_deep_are_read)
{
	enum { DEPTH = 100000 };
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_add(&text, "{\"head\":");
	for (int i = 1; i <= DEPTH; i++)
		pe_text_addf(&text, "{\"functionName\":\"f%d\",\"id\":%d,\"children\":[", i % 50,
			     i);
	for (int i = 1; i <= DEPTH; i++)
		pe_text_add(&text, "]}");
	pe_text_addf(&text, ",\"samples\":[%d],\"timestamps\":[5]}", DEPTH);
	imported = import_bytes(text.data, text.len);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, DEPTH + 1));
	cr_expect(eq(u64, imported->cct->samples[DEPTH], 1));
	pe_text_release(&text);
}

/* highlight.js, a minor release before and with a regular expression that backtracks: self time 0 to 1876 ms. */
Test(import_cpuprofile, a_real_regression_shows_at_its_node)
{
	struct imported *old = import_fixture("highlight-old.cpuprofile");
	struct imported *new = import_fixture("highlight-new.cpuprofile");
	uint32_t node = 0;

	for (uint32_t i = 0; i < new->cct->n; i++)
		if (new->cct->self_ns[i] > new->cct->self_ns[node])
			node = i;
	cr_expect(strncmp(pe_cct_frame(new->cct, node)->name, "RegExp: \\/\\*\\*|", 15) == 0);
	cr_expect(eq(u64, new->cct->self_ns[node], 1876301000));
	cr_expect(frame_named(old, pe_cct_frame(new->cct, node)->name) == NULL);
	node = new->cct->nodes[node].parent;
	expect_string(pe_cct_frame(new->cct, node)->name, "highlight");
	expect_string(pe_cct_frame(new->cct, node)->component,
		      "/case/node_modules/highlight.js/lib/highlight.js");
	node = new->cct->nodes[node].parent;
	expect_string(pe_cct_frame(new->cct, node)->name, "highlightAll");
}

Test(import_cpuprofile, broken_files_name_offset_and_expectation)
{
	expect_refusal(ROOT TWO ",\"samples\":[2,9],\"timeDeltas\":[1,2]}", "x: offset ",
		       "node 9 is not there");
	expect_refusal(ROOT "{\"id\":\"2\"}", "x: offset 137: the string '2'", "a whole number");
	expect_refusal("{\"nodes\":[{\"callFrame\":3}", "x: offset 23: the number 3", "an object");
	expect_refusal("{\"nodes\":[{\"callFrame\" 3}", "x: offset 23: '3'", "':' after a key");
	expect_refusal("{\"nodes\":{\"callFrame\":3}", "x: offset 9: an object", "an array");
	expect_refusal("{\"nodes\":[],\"timeDeltas\":[]}", "x: offset 28: no samples", "some");
	expect_refusal("{\"nodes\":[],\"callFrame\":0,\"timestamps\":[0.5]}", "x: offset ",
		       "a whole number");
	expect_refusal("{\"nodes\":[],\"callFrame\":0,\"timestamps\":[-9223372036854775807,9]}",
		       "x: offset ", "a stamp in microseconds");
	expect_refusal("{\"nodes\":[" NODE(1, "a", "", 0) ",\"children\":[3]}," NODE(
			       2, "b", "", 0) ",\"children\":[3]}," NODE(3, "c", "",
									 0) "}],\"samples\":[3]}",
		       "x: offset ", "one parent");
	expect_refusal("{\"nodes\":[" NODE(1, "a", "", 0) ",\"children\":[\"2\"]}]}", "x: offset ",
		       "a node, or the number of one");
	expect_refusal("{\"timeDeltas\":[1,,2]}", "x: offset 17: ','", "a value");
	expect_refusal("{\"timeDeltas\":[1 2]}", "x: offset 17: '2'", "',' or ']'");
	expect_refusal("{\"timeDeltas\":[1]} {}", "x: offset 19: '{'", "the end of the file");
	expect_refusal("{\"nodes\":[" NODE(1, "a", "", 0) "}," NODE(1, "b", "", 0) "}]}",
		       "x: offset ", "each node once");
	expect_refusal("{\"nodes\":[" NODE(1, "a", "", 0) ",\"children\":[2]}," NODE(
			       2, "b", "", 0) ",\"children\":[1]}],\"samples\":[1]}",
		       "x: offset ", "a tree");
}

Test(import_cpuprofile, a_heap_profile_is_refused_with_what_it_is)
{
	expect_refusal(
		"{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"},\"selfSize\":0,\"children\":[]}}",
		"x: offset 0: ", "a heap profile of V8");
}

Test(import_cpuprofile, every_file_that_ends_early_is_refused)
{
	size_t n;
	const char *borrowed = fixture("highlight-old.cpuprofile", &n);
	char *whole = malloc(n);

	memcpy(whole, borrowed, n);
	for (size_t length = 200; length + 2 < n; length += 97) {
		struct imported *imported = import_bytes(whole, length);

		cr_assert(eq(int, imported->rc, PE_EINVALID), "%zu", length);
		cr_assert(strstr(imported->err.message, "ends early; expected") != NULL, "%s",
			  imported->err.message);
		imported_release();
	}
	free(whole);
}

/* node --cpu-prof, of a program whose work() calls fib() by way of map(). */
Test(import_cpuprofile, a_real_profile_of_node_adds_up)
{
	struct imported *imported = import_fixture("node.cpuprofile");
	const struct pe_frame *fib = frame_named(imported, "fib");
	uint32_t node = 0;

	cr_assert(fib != NULL);
	expect_string(fib->component, "/case/n.js");
	cr_expect(eq(u32, fib->line, 1));
	cr_expect(eq(u64, imported->cct->facts.samples, 24));
	cr_expect(eq(u64, imported->cct->total_ns[0], 73594000));
	while (pe_cct_frame(imported->cct, node) != fib)
		node++;
	expect_string(pe_cct_frame(imported->cct, imported->cct->nodes[node].parent)->name, "work");
}
