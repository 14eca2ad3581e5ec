/* PARCS: stages, attribution, overlap (sections 3.3 to 3.5). */
#include "analysis/compare/parcs.h"

#include "analysis/compare/steady.h"
#include "analysis/profile/merge.h"
#include "tests/support/random.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_frame_change states[64];
static struct pe_changes changes = {states, 64};

TestSuiteWith(parcs, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

static struct pe_runs *runs_of(const char *const *texts, uint32_t n)
{
	struct pe_runs *runs = pe_arena_new(&arena, struct pe_runs, 1);
	const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, n);

	for (uint32_t i = 0; i < n; i++)
		at[i] = tree(&frames, texts[i], &arena);
	pe_runs_make(runs, at, n, &arena);
	return runs;
}

static struct pe_runs *run_of(const char *text)
{
	return runs_of(&text, 1);
}

static void state(const char *name, enum pe_source_change source)
{
	states[pe_frames_add_method(&frames, name, "x.c")].source = (uint8_t)source;
}

static struct pe_parcs compare(const struct pe_runs *a, const struct pe_runs *b)
{
	struct pe_parcs_opts opts = {.changes = &changes};
	struct pe_parcs parcs;

	pe_parcs_make(&parcs, a, b, &opts, &arena);
	return parcs;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static const char *cut_path(const struct pe_parcs *parcs, uint32_t i)
{
	const struct pe_cct *cct =
		parcs->cuts[i].in_new ? parcs->common.new_cct : parcs->common.old_cct;

	return tree_path(cct, parcs->cuts[i].node, &arena);
}

Test(parcs, stage_1_cuts_what_was_added_and_deleted)
{
	struct pe_parcs parcs;

	state("fresh", PE_SOURCE_ADDED);
	state("dead", PE_SOURCE_DELETED);
	parcs = compare(run_of("m{a{dead{x y}} b}"), run_of("m{a b{fresh{z{dead2}}}}"));
	cr_assert(eq(u32, parcs.n_cuts, 2));
	cr_expect(eq(int, parcs.cuts[0].reason, PE_PARCS_DELETED));
	cr_expect_text("/m/a/dead 3 /m/a /m/b/fresh 3 3", cut_path(&parcs, 0), parcs.cuts[0].nodes,
		       tree_path(parcs.common.old_cct, parcs.cuts[0].caller, &arena),
		       cut_path(&parcs, 1), parcs.nodes[PE_PARCS_ADDED], parcs.common.pairs);
	cr_expect(eq(dbl, parcs.common_share, 3.0 / 6));
}

Test(parcs, stage_2_names_the_modified_methods_nearest_first)
{
	struct pe_parcs parcs;

	state("outer", PE_SOURCE_MODIFIED);
	state("inner", PE_SOURCE_MODIFIED);
	parcs = compare(run_of("m{outer{p{inner{q}}} s}"),
			run_of("m{outer{p{inner{q r{t}}}} s u}"));
	cr_assert(eq(u32, parcs.n_cuts, 2));
	cr_expect(eq(int, parcs.cuts[0].reason, PE_PARCS_MODIFIED));
	cr_expect_text("/m/outer/p/inner/r 2", cut_path(&parcs, 0), parcs.cuts[0].nodes);
	cr_assert(eq(u32, parcs.cuts[0].n_modified, 2));
	cr_expect_text("/m/outer/p/inner /m/outer",
		       tree_path(parcs.common.new_cct, parcs.cuts[0].modified[0], &arena),
		       tree_path(parcs.common.new_cct, parcs.cuts[0].modified[1], &arena));
	cr_expect(eq(int, parcs.cuts[1].reason, PE_PARCS_SIDE_EFFECT));
	cr_expect_str_eq(cut_path(&parcs, 1), "/m/u");
}

/* A class is initialised where its hash set comes to it first: section 4's JavaVersion. */
Test(parcs, repeats_tell_nondeterminism_from_side_effects)
{
	const char *olds[] = {"m{a{init} b c}", "m{a b{init} c}"};
	const char *news[] = {"m{a b c{init} d}", "m{a{init} b c d}"};
	struct pe_parcs parcs = compare(runs_of(olds, 2), runs_of(news, 2));

	for (uint32_t i = 0; i < parcs.n_cuts; i++) {
		bool init = strstr(cut_path(&parcs, i), "init") != NULL;

		cr_expect(eq(int, parcs.cuts[i].reason,
			     init ? PE_PARCS_NONDETERMINISM : PE_PARCS_SIDE_EFFECT));
	}
	cr_expect(eq(u32, parcs.subtrees[PE_PARCS_SIDE_EFFECT], 1), "d");
	cr_expect(eq(u32, parcs.subtrees[PE_PARCS_NONDETERMINISM], 2), "below b, and below c");
}

/* As the product has them: the counting runs of a revision are one tree by then. */
static struct pe_runs *counted(const char *const *texts, uint32_t n)
{
	struct pe_runs *runs = pe_arena_new(&arena, struct pe_runs, 1);
	const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, 1);
	struct pe_merge_joint *joint = pe_merge_joint_new(tree(&frames, texts[0], &arena));

	for (uint32_t i = 1; i < n; i++)
		pe_merge_joint_add(joint, tree(&frames, texts[i], &arena));
	at[0] = pe_merge_joint_finish(joint, &arena);
	pe_runs_make(runs, at, 1, &arena);
	return runs;
}

Test(parcs, counting_runs_tell_nondeterminism_from_side_effects)
{
	const char *olds[] = {"m{a{heads} b c}", "m{a b c}", "m{a{heads} b c}"};
	const char *news[] = {"m{a b c{g}}", "m{a{tails} b c{g}}", "m{a b c{g}}"};
	struct pe_parcs parcs = compare(counted(olds, 3), counted(news, 3));

	cr_assert(eq(u32, parcs.n_cuts, 3));
	cr_expect(eq(int, parcs.cuts[0].reason, PE_PARCS_SIDE_EFFECT));
	cr_expect_str_eq(cut_path(&parcs, 0), "/(root)/c/g");
	for (uint32_t i = 1; i < 3; i++)
		cr_expect(eq(int, parcs.cuts[i].reason, PE_PARCS_NONDETERMINISM), "%s",
			  cut_path(&parcs, i));
}

/* Only new's runs happened to show that the order is chance; old lost the same method to it. */
Test(parcs, order_by_chance_is_nondeterminism_on_both_sides)
{
	const char *olds[] = {"m{a b}", "m{a b}"};
	const char *news[] = {"m{b a}", "m{a b}"};
	struct pe_parcs parcs = compare(counted(olds, 2), counted(news, 2));

	cr_assert(eq(u32, parcs.n_cuts, 2));
	cr_expect(eq(u32, parcs.subtrees[PE_PARCS_NONDETERMINISM], 2));
}

Test(parcs, weights_leave_out_what_runs_of_one_revision_differ_by)
{
	const char *olds[] = {"m{flip*2 a*5 b*3}", "m{flip*6 a*5 b*3}"};
	const char *news[] = {"m{flip*5 a*5 b*4}", "m{flip*1 a*5 b*4}"};
	struct pe_parcs_opts opts = {.changes = &changes, .threshold = 1};
	struct pe_runs *old_runs = counted(olds, 2), *new_runs = counted(news, 2);
	const struct pe_parcs_overlap *calls;
	struct pe_parcs parcs;

	pe_parcs_make(&parcs, old_runs, new_runs, &opts, &arena);
	calls = &parcs.weights[PE_PARCS_CALLS];
	cr_expect(eq(u32, calls->own_doing, 1));
	cr_assert(gt(u32, calls->n_pairs, 0));
	cr_expect_str_eq(tree_path(old_runs->cct, calls->pairs[0].old_node, &arena), "/(root)/b");
	for (uint32_t i = 0; i < calls->n_pairs; i++)
		cr_expect_str_neq(tree_path(old_runs->cct, calls->pairs[i].old_node, &arena),
				  "/(root)/flip");
}

/* Of 8 calls, 2 go to what the other run lacks: 6 of 8 against 6 of 6 overlap by 75 %. */
Test(parcs, two_executions_overlap_by_what_both_have)
{
	const struct pe_cct *one = tree(&frames, "m*1{a*5 heads*2}", &arena);
	const struct pe_cct *other = tree(&frames, "m*1{a*5}", &arena);
	struct pe_match_opts relaxed = {.rule = PE_MATCH_RELAXED};
	struct pe_match match;
	bool known;

	pe_match_make(&match, one, other, &relaxed, &arena);
	cr_expect(near(pe_parcs_own_overlap(&match, PE_PARCS_CALLS, &known), 6.0 / 8));
	cr_expect(known);
	pe_parcs_own_overlap(&match, PE_PARCS_ALLOCATIONS, &known);
	cr_expect(not(known), "nothing allocates");
}

Test(parcs, the_threshold_is_the_overlap_of_counting_runs)
{
	const char *texts[] = {"m{a*5 heads*2}", "m{a*5}"};
	struct pe_runs *runs = counted(texts, 2);
	struct pe_cct *cct = (struct pe_cct *)runs->cct;
	struct pe_parcs parcs;

	cct->facts.own_overlap[0] = 0.75;
	cct->facts.own_overlap[1] = 1;
	parcs = compare(runs, runs);
	cr_expect(parcs.weights[PE_PARCS_CALLS].own_noise);
	cr_expect(near(parcs.weights[PE_PARCS_CALLS].threshold, 0.75));
}

/* Contexts below what changed are put down to that; what ranges explain is no question. */
Test(parcs, doubtful_is_what_neither_changes_nor_ranges_explain)
{
	const char *olds[] = {"m{a{x} b{y} flip*2 c}", "m{a{x} b{y} flip*4 c}"};
	const char *news[] = {"m{a{x z} b{y w} flip*3 c*2}", "m{a{x z} b{y w} flip*1 c*2}"};
	struct pe_runs *old_runs = counted(olds, 2), *new_runs = counted(news, 2);
	struct pe_match match;
	struct pe_delta delta;

	state("a", PE_SOURCE_MODIFIED);
	pe_match_make(&match, old_runs->cct, new_runs->cct, NULL, &arena);
	pe_delta_make(&delta, old_runs, new_runs, &match, &arena);
	cr_expect(eq(u32, pe_steady_doubtful(&delta, &changes), 2), "w and c");
}

Test(parcs, the_whole_of_both_trees_is_accounted_for)
{
	struct pe_random random = random_of(21);

	for (int i = 0; i < 8000; i++) {
		struct sketch one = sketch_random(&frames, &random,
						  1 + (uint32_t)pe_random_below(&random, 24), 6, 3);
		struct sketch other = sketch_random(
			&frames, &random, 1 + (uint32_t)pe_random_below(&random, 24), 6, 3);
		const struct pe_cct *at[2];
		struct pe_runs a, b;
		struct pe_parcs parcs;
		uint32_t nodes[2] = {0, 0};

		for (uint32_t k = 0; k < 8; k++)
			states[k].source = (uint8_t)pe_random_below(&random, PE_N_SOURCE_CHANGES);
		states[one.at[0].frame].source = PE_SOURCE_SAME;
		at[0] = sketch_tree(&one, &frames, PE_CCT_CALLS | PE_CCT_TIME, NULL, &arena);
		at[1] = sketch_tree(&other, &frames, PE_CCT_CALLS | PE_CCT_TIME, NULL, &arena);
		pe_runs_make(&a, &at[0], 1, &arena);
		pe_runs_make(&b, &at[1], 1, &arena);
		parcs = compare(&a, &b);
		for (uint32_t k = 0; k < parcs.n_cuts; k++)
			nodes[parcs.cuts[k].in_new] += parcs.cuts[k].nodes;
		cr_assert(eq(u32, nodes[0] + parcs.common.pairs, a.cct->n));
		cr_assert(eq(u32, nodes[1] + parcs.common.pairs, b.cct->n));
		pe_arena_release(&arena);
	}
}

/* By the definition, without any shortcut. */
static double plain_overlap(const double *a, const double *b, uint32_t n)
{
	double sum_a = 0, sum_b = 0, overlap = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum_a += a[i];
		sum_b += b[i];
	}
	for (uint32_t i = 0; i < n; i++)
		overlap += fmin(a[i] / sum_a, b[i] / sum_b);
	return overlap;
}

/*
 * As in section 3.4's figure 5: seven pairs, of which A differs most, then E and D; A weighs 20 % of the
 * left tree and is raised to 8.25 in the right one, whose others sum to 33, so that it is 20 % there too.
 * Left: A 20, E 26, D 6, C 14, H 10, B 14, I 10 of 100. Right: A 0, E 12, D 6, C 5, H 4, B 3, I 3 of 33.
 */
static const char FIGURE_5_LEFT[] = "A*20{B*14{D*6 E*26} C*14{H*10 I*10}}";
static const char FIGURE_5_RIGHT[] = "A*0{B*3{D*6 E*12} C*5{H*4 I*3}}";

Test(parcs, overlap_grows_by_adjusting_the_greatest_difference)
{
	const struct pe_cct *a = tree(&frames, FIGURE_5_LEFT, &arena);
	const struct pe_cct *b = tree(&frames, FIGURE_5_RIGHT, &arena);
	double left[] = {20, 14, 6, 26, 14, 10, 10}, right[] = {0, 3, 6, 12, 5, 4, 3};
	struct pe_match_opts relaxed = {.rule = PE_MATCH_RELAXED};
	struct pe_parcs_overlap overlap;
	struct pe_match match;

	pe_match_make(&match, a, b, &relaxed, &arena);
	pe_parcs_overlap(&overlap, &match, PE_PARCS_CALLS, NULL, 1, 1, &arena);
	cr_assert(overlap.known);
	cr_expect(near(overlap.initial, plain_overlap(left, right, 7)));
	cr_assert(eq(u32, overlap.n_pairs, 1));
	cr_expect_str_eq(tree_path(a, overlap.pairs[0].old_node, &arena), "/A");
	cr_expect(near(overlap.pairs[0].old_share, 0.2));
	cr_expect(near(overlap.pairs[0].new_share, 0));
	right[0] = 8.25;
	cr_expect(near(right[0] / (33 + right[0]), 0.2), "the paper's 8.25 is 20 %");
	cr_expect(near(overlap.adjusted, plain_overlap(left, right, 7)));
	cr_expect(gt(dbl, overlap.adjusted, overlap.initial));
}

/* Against the definition, recomputed after every step. */
Test(parcs, overlap_is_what_the_definition_says)
{
	struct pe_random random = random_of(22);

	for (int i = 0; i < 8000; i++) {
		struct sketch sketch = sketch_random(
			&frames, &random, 2 + (uint32_t)pe_random_below(&random, 20), 9, 0);
		double a[SKETCH_NODES], b[SKETCH_NODES];
		struct pe_cct *x, *y;
		struct pe_match match;
		struct pe_parcs_overlap o;

		x = sketch_tree(&sketch, &frames, PE_CCT_CALLS, NULL, &arena);
		y = sketch_tree(&sketch, &frames, PE_CCT_CALLS, NULL, &arena);
		for (uint32_t k = 0; k < x->n; k++)
			y->calls[k] = pe_random_below(&random, 9) * pe_random_below(&random, 9);
		pe_match_make(&match, x, y, &(struct pe_match_opts){.rule = PE_MATCH_STRICT},
			      &arena);
		cr_assert(eq(u32, match.pairs, x->n));
		for (uint32_t k = 0; k < x->n; k++) {
			a[k] = (double)x->calls[k];
			b[k] = (double)y->calls[match.to_new[k]];
		}
		pe_parcs_overlap(&o, &match, PE_PARCS_CALLS, NULL, 1, 100, &arena);
		if (!o.known) {
			pe_arena_release(&arena);
			continue;
		}
		cr_assert(near(o.initial, plain_overlap(a, b, x->n)));
		for (uint32_t p = 0; p < o.n_pairs; p++) {
			uint32_t at = o.pairs[p].old_node;
			double sum_a = 0, sum_b = 0, to;

			for (uint32_t k = 0; k < x->n; k++) {
				sum_a += a[k];
				sum_b += b[k];
			}
			to = fmax(a[at] / sum_a, b[at] / sum_b);
			if (a[at] / sum_a < b[at] / sum_b && to < 1)
				a[at] = to / (1 - to) * (sum_a - a[at]);
			else if (to < 1)
				b[at] = to / (1 - to) * (sum_b - b[at]);
			cr_assert(near(o.pairs[p].overlap, plain_overlap(a, b, x->n)), "case %d",
				  i);
			if (p > 0)
				cr_assert(ge(
					dbl,
					fabs(o.pairs[p - 1].old_share - o.pairs[p - 1].new_share) +
						1e-12,
					fabs(o.pairs[p].old_share - o.pairs[p].new_share)));
		}
		pe_arena_release(&arena);
	}
}

Test(parcs, the_threshold_is_the_noise_of_the_new_revision)
{
	const char *news[] = {"m{a:50 b:50}", "m{a:40 b:60}"};
	struct pe_parcs parcs = compare(run_of("m{a:90 b:10}"), runs_of(news, 2));
	const struct pe_parcs_overlap *time = &parcs.weights[PE_PARCS_TIME];

	cr_expect(time->own_noise);
	cr_expect(near(time->threshold, (50 + 100 + 40) / 200.0));
	cr_expect(gt(u32, time->n_pairs, 0));
	cr_expect(ge(dbl, time->adjusted, time->threshold));
	cr_expect(near(parcs.weights[PE_PARCS_CALLS].initial, 1));
}

Test(parcs, equal_trees_have_nothing_to_report)
{
	struct pe_parcs parcs = compare(run_of("m:3{a:50 b:50!4}"), run_of("m:3{a:50 b:50!4}"));

	cr_expect(eq(u32, parcs.n_cuts, 0));
	cr_expect(eq(dbl, parcs.common_share, 1));
	for (int weight = 0; weight < PE_N_PARCS_WEIGHTS; weight++) {
		cr_expect(parcs.weights[weight].known);
		cr_expect(near(parcs.weights[weight].initial, 1));
		cr_expect(eq(u32, parcs.weights[weight].n_pairs, 0));
	}
}
