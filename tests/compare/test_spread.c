/* Spread: what untouched methods tell of the machine, and what verdict and graph make of it. */
#include "analysis/compare/evidence.h"

#include "analysis/compare/zam.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(spread, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

static const char OLD_1[] = "r{aa:10000 bb:20000 cc:10000 dd:30000 ee:10000 hit:20000}";
static const char OLD_2[] = "r{aa:10100 bb:20200 cc:9900 dd:29700 ee:10100 hit:20000}";

static struct pe_delta compare(const char *new_1, const char *new_2)
{
	const struct pe_match_opts opts = {.rule = PE_MATCH_SUBSEQUENCE};
	const struct pe_cct **olds = pe_arena_new(&arena, const struct pe_cct *, 2);
	const struct pe_cct **news = pe_arena_new(&arena, const struct pe_cct *, 2);
	struct pe_runs *runs = pe_arena_new(&arena, struct pe_runs, 2);
	struct pe_match *match = pe_arena_new(&arena, struct pe_match, 1);
	struct pe_delta delta;

	olds[0] = tree(&frames, OLD_1, &arena);
	olds[1] = tree(&frames, OLD_2, &arena);
	news[0] = tree(&frames, new_1, &arena);
	news[1] = tree(&frames, new_2, &arena);
	pe_runs_make(&runs[0], olds, 2, &arena);
	pe_runs_make(&runs[1], news, 2, &arena);
	pe_match_make(match, runs[0].cct, runs[1].cct, &opts, &arena);
	pe_delta_make(&delta, &runs[0], &runs[1], match, &arena);
	return delta;
}

/* Every method is the same but `hit`, which was modified. */
static struct pe_changes all_but_hit(void)
{
	struct pe_frame_change *at = pe_arena_new(&arena, struct pe_frame_change, frames.n);

	for (uint32_t f = 0; f < frames.n; f++) {
		bool hit = strcmp(frames.at[f].name, "hit") == 0;

		at[f].source = hit ? PE_SOURCE_MODIFIED : PE_SOURCE_SAME;
		at[f].code = hit ? PE_BINARY_RECOMPILED : PE_BINARY_SAME;
	}
	return (struct pe_changes){at, frames.n};
}

static double spread_of(const struct pe_delta *delta, const struct pe_changes *changes)
{
	struct evidence evidence;

	pe_evidence_find(&evidence, delta, &(struct pe_attribution_opts){.changes = changes},
			 &arena);
	return evidence.spread;
}

/* The machine made half of the methods a fifth dearer and the others cheaper; `hit` costs 30 % more. */
static const char MOVED_1[] = "r{aa:12000 bb:16000 cc:12000 dd:24000 ee:12000 hit:26000}";
static const char MOVED_2[] = "r{aa:12100 bb:16100 cc:11900 dd:24100 ee:12100 hit:26000}";

Test(spread, repetitions_that_tell_all_give_one)
{
	struct pe_delta delta =
		compare("r{aa:10050 bb:20100 cc:9950 dd:29800 ee:10050 hit:90000}",
			"r{aa:10000 bb:20150 cc:10000 dd:29900 ee:10000 hit:90000}");
	struct pe_changes changes = all_but_hit();

	cr_expect(eq(dbl, spread_of(&delta, &changes), 1));
}

Test(spread, untouched_methods_that_moved_raise_it)
{
	struct pe_delta delta = compare(MOVED_1, MOVED_2);
	struct pe_changes changes = all_but_hit();

	cr_expect(gt(dbl, spread_of(&delta, &changes), 100));
}

Test(spread, nothing_is_known_without_changes_or_with_few_methods)
{
	struct pe_delta delta = compare(MOVED_1, MOVED_2);
	struct pe_changes changes = all_but_hit();
	struct pe_frame_change *at = (struct pe_frame_change *)changes.at;

	cr_expect(eq(dbl, spread_of(&delta, NULL), 1));
	for (uint32_t f = 0; f < frames.n; f++)
		if (strcmp(frames.at[f].name, "aa") == 0 || strcmp(frames.at[f].name, "bb") == 0)
			at[f].code = PE_BINARY_RECOMPILED;
	cr_expect(eq(dbl, spread_of(&delta, &changes), 1));
}

static struct pe_zam graph_of(const char *old_text, const char *new_text,
			      const struct pe_zam_opts *opts)
{
	const struct pe_cct *old_cct = tree(&frames, old_text, &arena);
	const struct pe_cct *new_cct = tree(&frames, new_text, &arena);
	struct pe_err err = PE_ERR_INIT;
	struct pe_zam zam;

	cr_assert(eq(int, pe_zam_make(&zam, &old_cct, &new_cct, 1, opts, &arena, &err), PE_OK));
	return zam;
}

/* mu is 1 % of the old execution, 10: no context of `slow` got slower by as much, all together by 24. */
static const char MANY_OLD[] =
	"r{work:700{aa:80{slow:1} bb:80{slow:1} cc:80{slow:1} dd:53{slow:1}}}";
static const char MANY_NEW[] =
	"r{work:700{aa:80{slow:7} bb:80{slow:7} cc:80{slow:7} dd:53{slow:7}}}";

Test(spread, a_method_that_is_slower_in_many_places_is_the_leaf)
{
	struct pe_zam zam = graph_of(MANY_OLD, MANY_NEW, NULL);

	cr_assert(eq(u32, zam.n, 3));
	cr_expect_text("work slow 4", frames.at[zam.nodes[1].frame].name,
		       frames.at[zam.nodes[2].frame].name, zam.nodes[2].places);
	cr_expect(zam.nodes[2].cause && !zam.nodes[1].cause);
	cr_expect(eq(dbl, zam.nodes[2].old_ns, 4));
	cr_expect(eq(dbl, zam.nodes[2].new_ns, 28));
}

Test(spread, a_given_mu_is_the_papers)
{
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	struct pe_zam zam;

	opts.min_ns = 10;
	zam = graph_of(MANY_OLD, MANY_NEW, &opts);
	cr_assert(eq(u32, zam.n, 2));
	cr_expect(zam.nodes[1].cause && zam.nodes[1].places == 0);
}

Test(spread, crumbs_beside_a_large_cause_are_none)
{
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	const char *before = "r{aa:400 bb:500}", *after = "r{aa:412 bb:900}";
	struct pe_zam zam = graph_of(before, after, NULL);

	cr_expect(eq(u32, zam.causes, 1));
	opts.min_ns = 10;
	zam = graph_of(before, after, &opts);
	cr_expect(eq(u32, zam.causes, 2));
}

Test(spread, a_cause_that_was_made_up_for_is_found)
{
	struct pe_zam zam = graph_of("r{aa:500{xx:1} bb:400}", "r{aa:300{xx:100} bb:405}", NULL);

	cr_assert(eq(u32, zam.n, 2));
	cr_expect_str_eq(frames.at[zam.nodes[1].frame].name, "xx");
	cr_expect(zam.nodes[1].places == 1 && zam.nodes[1].cause);
}

/* One context of a method, and a few small causes of it elsewhere, is that context; a new call is itself. */
Test(spread, a_cause_is_not_replaced_by_its_only_callee)
{
	struct pe_zam zam =
		graph_of("r{work:700{aa:80{slow:1} bb:80{slow:1} cc:70{slow:1}} io:70}",
			 "r{work:705{aa:80{slow:8} bb:80{slow:1} cc:70{slow:2}} io:70}", NULL);

	cr_assert(eq(u32, zam.n, 2));
	cr_expect_str_eq(frames.at[zam.nodes[1].frame].name, "work");
	zam = graph_of("r{work:900 io:100}", "r{work:900{fresh:20{inner:300}} io:100}", NULL);
	cr_assert(eq(u32, zam.causes, 1));
	cr_expect_str_eq(frames.at[zam.nodes[zam.n - 1].frame].name, "fresh");
	cr_expect(eq(u32, zam.nodes[zam.n - 1].places, 0));
	/* Twice in a leaf: mostly in one of them. */
	zam = graph_of("r{work:900{fold@3:1{mix:1} fold@9:1{mix:1}} io:90}",
		       "r{work:900{fold@3:1{mix:12} fold@9:1{mix:2}} io:90}", NULL);
	for (uint32_t i = 0; i < zam.n; i++)
		cr_expect(eq(u32, zam.nodes[i].places, 0));
}
