/* Callgrind's format: the whole of its grammar, and the tree that a graph becomes. */
#include "imported.h"

#include "core/base/text.h"
#include "analysis/profile/callgraph.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(import_callgrind, .fini = imported_release, .timeout = 600);

#define HEAD "# callgrind format\npositions: line\nevents: Ir\n"

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

Test(import_callgrind, functions_with_one_caller_are_exact)
{
	struct imported *imported = import_text(HEAD "fl=a.c\nfn=main\n1 10\n2 5\n"
						     "cfn=f\ncalls=3 20\n4 60\n"
						     "fn=f\n20 20\ncfn=g\ncalls=6 30\n21 40\n"
						     "fn=g\n30 40\n");

	cr_expect_str_eq(drawn(imported), "main @a.c c0 s15 U\n"
					  "  f @a.c :4 c3 s20\n"
					  "    g @a.c :21 c6 s40\n");
	cr_expect(eq(u64, imported->cct->facts.samples, 75));
	cr_expect(eq(uint, imported->cct->known, PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_SAMPLES));
}

Test(import_callgrind, shared_functions_are_split_by_what_callers_spent)
{
	/* f and g call h, which calls i: a quarter of h's 40 is f's. */
	expect_tree(HEAD "fl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 0\n2 11\ncfn=g\ncalls=1 0\n3 32\n"
			 "fn=f\n5 1\ncfn=h\ncalls=1 0\n6 10\nfn=g\n8 2\ncfn=h\ncalls=7 0\n9 30\n"
			 "fn=h\n20 8\ncfn=i\ncalls=8 0\n21 32\nfn=i\n30 32\n",
		    "main @a.c c0 s10 U\n"
		    "  f @a.c :2 c1 s1\n"
		    "    h @a.c :6 c1 s2 P\n"
		    "      i @a.c :21 c2 s8 P\n"
		    "  g @a.c :3 c1 s2\n"
		    "    h @a.c :9 c7 s6 P\n"
		    "      i @a.c :21 c6 s24 P\n");
}

Test(import_callgrind, leaves_keep_what_each_line_spent_in_them)
{
	expect_tree(HEAD "fl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 0\n2 5\ncfn=f\ncalls=2 0\n3 7\n"
			 "fn=f\n9 12\n",
		    "main @a.c c0 s10 U\n  f @a.c :2 c1 s5\n  f @a.c :3 c2 s7\n");
}

Test(import_callgrind, lines_that_call_one_inner_function_are_put_together)
{
	expect_tree(HEAD "fl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 0\n2 5\ncfn=f\ncalls=2 0\n3 7\n"
			 "fn=f\n9 2\ncfn=g\ncalls=3 0\n10 10\nfn=g\n15 10\n",
		    "main @a.c c0 s10 U\n  f @a.c c3 s2\n    g @a.c :10 c3 s10\n");
}

Test(import_callgrind, recursion_is_folded)
{
	expect_tree(HEAD "fl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 0\n2 30\n"
			 "fn=f\n5 30\ncfn=f\ncalls=9 0\n6 27\n",
		    "main @a.c c0 s1 U\n  f @a.c :2 c10 s30 F\n");
}

Test(import_callgrind, circles_stand_once_below_where_they_are_entered)
{
	expect_tree(HEAD "fl=a.c\nfn=main\n1 1\ncfn=even\ncalls=1 0\n2 90\n"
			 "fn=even\n5 50\ncfn=odd\ncalls=5 0\n6 80\n"
			 "fn=odd\n8 30\ncfn=even\ncalls=4 0\n9 70\ncfn=leaf\ncalls=5 0\n10 10\n"
			 "fn=leaf\n20 10\n",
		    "main @a.c c0 s1 U\n"
		    "  even @a.c :2 c5 s50 F\n"
		    "    odd @a.c :6 c5 s30\n"
		    "      leaf @a.c :10 c5 s10\n");
}

Test(import_callgrind, what_no_caller_accounts_for_stands_at_the_root)
{
	expect_tree(HEAD "fl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 0\n2 30\nfn=f\n5 40\n",
		    "main @a.c c0 s1 U\n"
		    "  f @a.c :2 c1 s30\n"
		    "f @a.c c0 s10 UP\n");
}

Test(import_callgrind, small_shares_are_cut_and_kept_by_function)
{
	/* One caller among two spends one in 100000 in h: what h calls for it is not followed. */
	expect_tree(HEAD "fl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 0\n2 1\ncfn=g\ncalls=1 0\n3 99999\n"
			 "fn=f\n5 0\ncfn=h\ncalls=3 0\n6 1\nfn=g\n8 0\ncfn=h\ncalls=7 0\n9 99999\n"
			 "fn=h\n20 50000\ncfn=i\ncalls=500000 0\n21 50000\nfn=i\n30 50000\n",
		    "main @a.c c0 s1 U\n"
		    "  f @a.c :2 c1 s0\n"
		    "    h @a.c :6 c3 s1 XP\n"
		    "  g @a.c :3 c1 s0\n"
		    "    h @a.c :9 c7 s49999 P\n"
		    "      i @a.c :21 c499995 s50000 P\n"
		    "unknown (other callers) c0 s0 X\n"
		    "  i @a.c c5 s0 XP\n");
}

Test(import_callgrind, names_and_positions_may_be_compressed)
{
	expect_tree("positions: instr line\nevents: Dr Ir\nob=(1) /opt/lib/libx.so\nfl=(7) a.c\n"
		    "fn=(1) main\n0x10 5 1 100\n+4 +2 1 10\n* * 0 1\n+0x2 -1\n"
		    "cob=(1)\ncfi=(8) b.c\ncfn=(2) ns::f(int)\ncalls=2 0x40 3\n+2 9 4 50\n"
		    "fl=(8)\nfn=(2)\n0x40 3 4 50\n\nfl=(7)\nfn=(1)\n+3 1 0 7\n",
		    "main @a.c c0 s118 U\n  ns::f(int) @b.c :9 c2 s50\n");
}

Test(import_callgrind, without_a_file_the_module_is_the_component)
{
	expect_tree(HEAD
		    "ob=/opt/lib/libx.so.1\nfl=???\nfn=main\n0 1\ncfn=0x00004020\ncalls=1 0\n0 2\n"
		    "fn=0x00004020\n0 2\n",
		    "main @libx.so.1 c0 s1 U\n  unknown 0x00004020 @libx.so.1 c1 s2\n");
}

Test(import_callgrind, lines_of_inlined_files_are_no_call_sites)
{
	expect_tree(HEAD
		    "fl=a.c\nfn=main\n1 1\nfi=a.h\n7 2\ncfi=a.c\ncfn=f\ncalls=1 0\n8 3\nfe=a.c\n"
		    "2 4\nfn=f\n20 3\n",
		    "main @a.c c0 s7 U\n  f @a.c c1 s3\n");
}

Test(import_callgrind, times_are_taken_before_instructions)
{
	struct imported *imported =
		import_text("creator: xdebug 3.1\ncmd: a.php\npositions: line\n"
			    "events: Memory_(bytes) Time_(10ns)\n\nfl=a.php\nfn={main}\n1 99 5\n");

	cr_expect_str_eq(drawn(imported), "{main} @a.php c0 t50 U\n");
	cr_expect(eq(u64, imported->cct->facts.duration_ns, 50));
}

Test(import_callgrind, windows_line_ends_and_a_missing_last_one_are_taken)
{
	expect_tree("events: Ir\r\nfl=a.c\r\nfn=main\r\n1 10\r\n\r\ntotals: 10",
		    "main @a.c c0 s10 U\n");
}

/*
 * Calls of a function by the lines of the file itself. (Not by the program: with --toggle-collect callgrind
 * counts some calls of threads that it does not collect from.)
 */
static uint64_t calls_in(const char *text, const char *name)
{
	char defined[64], id[32] = "none";
	const char *at, *end;
	uint64_t sum = 0;
	bool is_called = false;

	snprintf(defined, sizeof(defined), ") %s\n", name);
	at = strstr(text, defined);
	if (at == NULL)
		return 0;
	for (end = at; *at != '('; at--)
		;
	snprintf(id, sizeof(id), "cfn=%.*s)", (int)(end - at), at);
	for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
		if (strncmp(text, "cfn=", 4) == 0)
			is_called = strncmp(text, id, strlen(id)) == 0;
		if (is_called && strncmp(text, "calls=", 6) == 0)
			sum += strtoull(text + 6, NULL, 10);
	}
	return sum;
}

static void expect_calls_of_file(const struct imported *imported, const char *text)
{
	static const char *const names[] = {"main",   "fib",    "even", "odd",
					    "shared", "middle", "leaf"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char again[32];
		uint64_t calls;

		/* What it calls itself is told apart by depth, up to 2. */
		snprintf(again, sizeof(again), "%s'2", names[i]);
		calls = calls_in(text, names[i]) + calls_in(text, again);

		cr_expect(calls > 0);
		cr_expect(eq(u64, calls_of(imported, names[i]), calls), "%s", names[i]);
	}
	cr_expect(eq(u64, calls_of(imported, "fib"), 41 + 9));
	cr_expect(eq(u64, calls_of(imported, "even") + calls_of(imported, "odd"), 10));
}

/* "totals: 14261", of all parts. */
static uint64_t totals_of(const char *name)
{
	uint64_t sum = 0;

	for (const char *at = fixture(name, NULL); (at = strstr(at, "\ntotals: ")) != NULL; at++)
		sum += strtoull(at + 9, NULL, 10);
	return sum;
}

Test(import_callgrind, the_calls_and_costs_of_a_real_program_are_exact)
{
	static const char *const names[] = {"busy.callgrind", "busy-jumps.callgrind",
					    "busy-parts.callgrind"};

	for (size_t i = 0; i < 3; i++) {
		struct imported *imported = import_fixture(names[i]);
		uint64_t sum = 0;

		expect_calls_of_file(imported, fixture(names[i], NULL));
		for (uint32_t k = 0; k < imported->cct->n; k++)
			sum += imported->cct->samples[k];
		cr_expect(sum > 0);
		cr_expect(eq(u64, sum, totals_of(names[i])));
	}
}

Test(import_callgrind, separated_callers_give_an_exact_tree)
{
	struct imported *imported = import_fixture("busy-callers.callgrind");
	const char *tree = drawn(imported);

	for (uint32_t i = 0; i < imported->cct->n; i++)
		cr_expect(eq(int, imported->cct->flags[i] & PE_CCT_SPLIT, 0));
	cr_expect(strstr(tree, "shared @/src/busy.c c2 ") != NULL);
	cr_expect(strstr(tree, "'") == NULL);
	cr_expect(eq(u64, calls_of(imported, "fib"), 41 + 9));
	cr_expect(eq(u64, calls_of(imported, "even"), 5));
	cr_expect(eq(u64, calls_of(imported, "odd"), 5));
	cr_expect(eq(u64, calls_of(imported, "shared"), 2));
	cr_expect(eq(u64, calls_of(imported, "middle"), 2));
	cr_expect(eq(u64, calls_of(imported, "leaf"), 5));
	cr_expect(eq(u64, totals_of("busy-callers.callgrind"), imported->cct->facts.samples));
}

Test(import_callgrind, every_cut_of_a_real_file_is_an_error_that_names_its_place)
{
	size_t n;
	const char *text = fixture("busy.callgrind", &n);

	/* All but those within the last number, which make it another one. */
	for (size_t cut = 20; cut < n - 7; cut += 1 + cut % 61) {
		struct pe_frames frames = PE_FRAMES_INIT;
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_err err = PE_ERR_INIT;
		struct pe_cct *cct;
		int rc = pe_import_bytes(&cct, text, cut, "x", "callgrind", &frames, &arena, NULL,
					 &err);

		cr_expect(eq(int, rc, PE_EINVALID), "cut at %zu", cut);
		cr_expect(strncmp(err.message, "x:", 2) == 0 &&
				  strstr(err.message, "offset ") != NULL &&
				  strstr(err.message, "expected ") != NULL,
			  "%s", err.message);
		pe_frames_release(&frames);
		pe_arena_release(&arena);
	}
}

Test(import_callgrind, broken_lines_are_named)
{
	expect_refusal("events: Ir\n1 2\n", "x:2: offset 11: ", "'fn='");
	expect_refusal("events: Ir\nfn=a\n1 2x\n", "x:3: offset 18: ", "whole numbers");
	expect_refusal("events: Ir\nfn=(1)\n", "x:2: offset 14: ", "written out");
	expect_refusal("events: Ir\nfn=a\ncalls=1 2\n3 4\n", "x:3: offset 16: ", "'cfn='");
	expect_refusal("events: Ir\nfn=a\ncfn=b\ncalls=1 2\nfn=b\n", "x:5: offset 32: ", "cost");
	expect_refusal("events: Ir\nfn=a\ncfn=b\ncalls=1 2\n", "x:4: offset 22: ", "cost");
	expect_refusal("events: Ir\nfn=a\nnonsense\n", "x:3: offset 16: ", "'calls='");
	expect_refusal("events: Ir\nfn=a\n+z 1\n", "x:3: offset 16: ", "position");
	expect_refusal("events:\nfn=a\n+z 1\n", "x:1: offset ", "events");
	expect_refusal("events: Ir\n", "x: offset 11: ", "no samples");
	expect_refusal("# callgrind format\nfn=a\n1 2\n",
		       "x:3: offset 24: ", "'events:' before costs");
	expect_refusal("events: Ir\nfn=a\n1 2\ntotals: many\n", "x:4: offset 27: ", "costs");
	expect_refusal("events: Ir\nfn=a\nob\n", "x:3: offset 16: ", "a line of costs");
}

/* With --separate-threads=yes: a part of the file each, the first of which is the process. */
Test(import_callgrind, threads_are_nodes)
{
	struct imported *imported = import_text(
		HEAD "thread: 1\nfn=main\n1 5\ntotals: 9\n\nthread: 12\nfn=work\n1 7\n");

	cr_expect_str_eq(drawn(imported), "thread thread 12 c0 s0\n  work c0 s7 U\nmain c0 s5 U\n");
	cr_expect(eq(u32, imported->cct->facts.threads, 2));
	cr_expect(strstr(imported->note, "its lines add up to 12, where it states 9") != NULL, "%s",
		  imported->note);
}

Test(import_callgrind, chains_and_circles_of_any_depth_are_walked)
{
	enum { N = 50000 };
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_add(&text, HEAD "fl=a.c\n");
	for (int i = 0; i < N; i++)
		pe_text_addf(&text, "fn=f%d\n1 1\ncfn=f%d\ncalls=1 0\n2 %d\n", i,
			     i + 1 < N ? i + 1 : N / 2, N - i);
	imported = import_bytes(text.data, text.len);
	pe_text_release(&text);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, N + 1));
	cr_expect(eq(u64, imported->cct->facts.samples, N));
}

/* --- As a graph, with owners of code by address --- */

/* 0x10 to 0x1f is the code of owner 7, 0x20 to 0x2f that of 8. */
static uint32_t owner_of(void *payload, const char *object, uint64_t address)
{
	(void)payload;
	cr_expect_str_eq(object, "/bin/a");
	return address >= 0x10 && address < 0x30 ? (uint32_t)(address / 0x10) + 6 : UINT32_MAX;
}

#define ADDRESSES "# callgrind format\npositions: instr line\nevents: Ir\nob=/bin/a\n"

static int read_graph(struct pe_callgraph *out, const char *text)
{
	static const struct pe_callgrind_places places = {owner_of, NULL};
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;

	return pe_callgrind_read_graph(out, text, strlen(text), "record", &places, &work, &err);
}

static uint64_t charged(const struct pe_callgraph *graph, uint32_t owner)
{
	bool placed[16];
	uint64_t handed[16], sum = 0;

	cr_assert(le(sz, graph->functions.n, 16));
	for (size_t f = 0; f < graph->functions.n; f++)
		placed[f] = graph->functions.data[f].frame != UINT32_MAX;
	pe_callgraph_handed(handed, graph, placed);
	for (size_t f = 0; f < graph->functions.n; f++)
		if (graph->functions.data[f].frame == owner)
			sum += graph->functions.data[f].self + handed[f];
	return sum;
}

/* 8 was inlined into 7, and has memcpy() copy, which calls what nobody owns. */
Test(import_callgrind, code_is_its_owners_wherever_it_was_inlined)
{
	struct pe_callgraph graph;

	cr_assert(eq(int,
		     read_graph(&graph, ADDRESSES
				"fl=a.c\nfn=seven\n0x10 1 5\n+4 2 6\n0x20 9 40\ncfn=memcpy\n"
				"calls=2 0x90 1\n+2 9 300\n"
				"fn=memcpy\n0x90 1 200\ncfn=deep\ncalls=2 0xa0 1\n0x94 1 100\n"
				"fn=deep\n0xa0 1 100\n"),
		     PE_OK));
	cr_expect(eq(u64, charged(&graph, 7), 11));
	cr_expect(eq(u64, charged(&graph, 8), 340));
	pe_callgraph_release(&graph);
}

/* A sort that calls a comparison back is nobody's: what of it is whose is not told by its calls. */
Test(import_callgrind, what_leads_back_to_an_owner_is_nobodys)
{
	struct pe_callgraph graph;

	cr_assert(eq(int,
		     read_graph(&graph, ADDRESSES
				"fl=a.c\nfn=seven\n0x10 1 5\ncfn=qsort\ncalls=1 0x90 1\n+4 2 90\n"
				"fn=qsort\n0x90 1 50\ncfn=compare\ncalls=8 0x20 1\n0x94 1 40\n"
				"fn=compare\n0x20 1 40\n"),
		     PE_OK));
	cr_expect(eq(u64, charged(&graph, 7), 5));
	cr_expect(eq(u64, charged(&graph, 8), 40));
	pe_callgraph_release(&graph);
}

static uint32_t any_owner(void *payload, const char *object, uint64_t address)
{
	(void)payload;
	(void)object;
	return (uint32_t)address;
}

/* Owners come with the lines of costs, while functions are at hand. */
Test(import_callgrind, owners_come_and_go_on_coming)
{
	static const struct pe_callgrind_places places = {any_owner, NULL};
	enum { OWNERS = 3000 };
	pe_auto_arena work = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_callgraph graph;
	uint64_t sum = 0;

	pe_text_add(&text, ADDRESSES "fl=a.c\nfn=f\n");
	for (int i = 0; i < OWNERS; i++)
		pe_text_addf(&text, "%#x 1 %d\n", i + 1, i);
	cr_assert(eq(int,
		     pe_callgrind_read_graph(&graph, text.data, text.len, "record", &places, &work,
					     NULL),
		     PE_OK));
	cr_assert(eq(sz, graph.functions.n, OWNERS + 1));
	for (size_t f = 0; f < graph.functions.n; f++)
		sum += graph.functions.data[f].self;
	cr_expect(eq(u64, sum, (uint64_t)OWNERS * (OWNERS - 1) / 2));
	pe_callgraph_release(&graph);
}

Test(import_callgrind, a_record_without_addresses_has_no_owners)
{
	struct pe_callgraph graph;

	cr_expect(eq(int, read_graph(&graph, HEAD "ob=/bin/a\nfl=a.c\nfn=f\n1 10\n"), PE_EINVALID));
	pe_callgraph_release(&graph);
	cr_expect(eq(int,
		     read_graph(&graph, ADDRESSES "fl=a.c\nfn=f\n0x10 1\n"
						  "calls=x\n"),
		     PE_EINVALID));
	pe_callgraph_release(&graph);
}
