/* Instructions of methods on the contexts of trees. */
#include "analysis/compare/method_counts.h"

#include "analysis/compare/delta.h"
#include "tests/support/random.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(method_counts, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

enum { ALL = PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES, CASES = 1500 };

/* Two executions with what was counted of them. */
struct pair {
	const struct pe_cct *at[2];
	struct pe_runs runs[2];
	struct pe_function_changes counts;
	struct pe_frame_count *by_frame;
	const uint32_t *renamed;
	struct pe_match match;
	struct pe_delta delta;
	struct pe_delta_methods methods;
};

static struct pair *new_pair(const struct pe_cct *a, const struct pe_cct *b)
{
	struct pair *pair = pe_arena_new(&arena, struct pair, 1);

	pair->at[0] = a;
	pair->at[1] = b;
	for (int side = 0; side < 2; side++)
		pe_runs_make(&pair->runs[side], &pair->at[side], 1, &arena);
	pair->counts.by_frame = pair->by_frame =
		pe_arena_new(&arena, struct pe_frame_count, frames.n);
	pair->counts.n_frames = frames.n;
	return pair;
}

static void finish(struct pair *pair)
{
	pe_method_counts_lay(pair->runs, &pair->counts, pair->renamed, &arena);
	pe_match_make(&pair->match, pair->at[0], pair->at[1], NULL, &arena);
	pe_delta_make(&pair->delta, &pair->runs[0], &pair->runs[1], &pair->match, &arena);
	pe_delta_methods_sum(&pair->methods, &pair->delta, &arena);
}

static uint32_t frame_of(const char *name)
{
	for (uint32_t f = 0; f < frames.n; f++)
		if (strcmp(frames.at[f].name, name) == 0)
			return f;
	cr_assert(false, "no method %s", name);
}

static void count(struct pair *pair, const char *name, uint64_t old_value, uint64_t new_value)
{
	const int64_t amount = (int64_t)(new_value - old_value);

	pair->by_frame[frame_of(name)].before += old_value;
	pair->by_frame[frame_of(name)].amount += amount;
	pair->counts.old_whole += old_value;
	pair->counts.amount += amount;
}

static uint64_t executed_by(const struct pair *pair, uint32_t frame, int side)
{
	const struct pe_frame_count *count = &pair->by_frame[frame];

	return count->before + (side == 0 ? 0 : (uint64_t)count->amount);
}

/* Of all methods: what the contexts of new execute more than those of old. */
static int64_t sum_of(const struct pair *pair)
{
	int64_t sum = 0;

	for (uint32_t m = 0; m < pair->methods.n; m++)
		sum += pair->methods.at[m].difference[PE_COST_INSTRUCTIONS];
	return sum;
}

static uint64_t at(const struct pair *pair, int side, const char *path)
{
	return pair->runs[side].instructions[tree_find(pair->at[side], path)];
}

Test(method_counts, one_context_has_all_of_its_method)
{
	struct pair *pair = new_pair(tree(&frames, "r{f*10{g*3} h*2}", &arena),
				     tree(&frames, "r{f*10{g*3} h*2}", &arena));

	count(pair, "f", 1001, 1001);
	count(pair, "g", 7, 10);
	finish(pair);
	cr_expect_text("1001 7 10 0 1008 1008 g 3 10", at(pair, 0, "/r/f"), at(pair, 0, "/r/f/g"),
		       at(pair, 1, "/r/f/g"), at(pair, 1, "/r/h"),
		       pair->runs[0].total_instructions[0],
		       pair->runs[0].total_instructions[tree_find(pair->at[0], "/r/f")],
		       frames.at[pair->methods.at[0].frame].name,
		       pair->methods.at[0].difference[PE_COST_INSTRUCTIONS],
		       pair->methods.at[0].instructions_new);
}

Test(method_counts, several_contexts_have_shares_by_their_calls)
{
	struct pair *pair = new_pair(tree(&frames, "r{a{f*1} b{f*2} c{f*0:99}}", &arena),
				     tree(&frames, "r{a{f*1} b{f*3} c{f*0:1}}", &arena));

	count(pair, "f", 100, 401);
	finish(pair);
	cr_expect(eq(u64, at(pair, 0, "/r/a/f"), 33));
	cr_expect(eq(u64, at(pair, 0, "/r/b/f"), 67), "the heaviest takes what rounding leaves");
	cr_expect(eq(u64, at(pair, 0, "/r/c/f"), 0), "not called");
	cr_expect_text("100 301", at(pair, 1, "/r/a/f"), at(pair, 1, "/r/b/f"));
}

/* Both sides are divided by the same, or what one lacks would be a difference. */
Test(method_counts, uncounted_contexts_have_shares_by_their_times)
{
	struct pe_cct *a = tree(&frames, "r{a{f*1:30} b{f*2:10}}", &arena);
	struct pe_cct *b = tree(&frames, "r{a{f*1:30} b{f*2:10}}", &arena);
	struct pair *pair;

	b->flags[tree_find(b, "/r/b/f")] |= PE_CCT_UNCOUNTED;
	pair = new_pair(a, b);
	count(pair, "f", 1000, 1000);
	finish(pair);
	for (int side = 0; side < 2; side++) {
		cr_expect_text("750 250", at(pair, side, "/r/a/f"), at(pair, side, "/r/b/f"));
	}
	b->self_ns = NULL;
	pair = new_pair(a, b);
	count(pair, "f", 1001, 1001);
	finish(pair);
	cr_expect(eq(u64, at(pair, 0, "/r/a/f"), 501), "nothing tells");
	cr_expect(eq(u64, at(pair, 1, "/r/b/f"), 500));
}

Test(method_counts, what_no_context_executes_is_the_rest)
{
	struct pair *pair = new_pair(tree(&frames, "r{f{lib} gone:1}", &arena),
				     tree(&frames, "r{f fresh:1}", &arena));

	count(pair, "f", 100, 90);
	count(pair, "lib", 50, 80); /* new executes it in no context */
	count(pair, "gone", 5, 1);  /* and 1 in no context of new */
	count(pair, "fresh", 0, 2);
	pair->counts.old_whole += 1000;
	pair->counts.amount += 400;
	finish(pair);
	cr_expect(eq(u64, at(pair, 0, "/r/f/lib"), 0), "nor has old");
	cr_expect(eq(u64, at(pair, 0, "/r/gone"), 4));
	cr_expect(
		eq(u64, pair->runs[1].whole_instructions - pair->runs[0].whole_instructions, 418));
	cr_expect(eq(i64, sum_of(pair), -10 - 4 + 2));
}

Test(method_counts, where_nobody_counted_they_are_unknown)
{
	struct pair *pair = new_pair(tree(&frames, "r{f}", &arena), tree(&frames, "r{f}", &arena));

	pair->counts.old_whole = 100; /* of an interpreter, whose functions are no methods */
	pair->counts.amount = 100;
	finish(pair);
	cr_expect(pair->runs[0].instructions == NULL && pair->runs[1].instructions == NULL);
	cr_expect(not(pe_delta_knows(&pair->delta, PE_COST_INSTRUCTIONS)));
}

Test(method_counts, shares_sum_to_their_method)
{
	struct pe_random random = random_of(19);

	for (int i = 0; i < CASES; i++) {
		struct pe_cct *trees[2];
		uint64_t huge = pe_random_below(&random, 9) == 0 ? UINT64_MAX / 128 : 1000;
		uint64_t laid[2][8] = {{0}};
		struct pair *pair;

		for (int side = 0; side < 2; side++) {
			uint32_t n = 1 + (uint32_t)pe_random_below(&random, 20);
			struct sketch sketch = sketch_random(&frames, &random, n, 6, 3);

			trees[side] = sketch_tree(&sketch, &frames, ALL, NULL, &arena);
			for (uint32_t c = 0; c < trees[side]->n; c++)
				trees[side]->calls[c] = pe_random_below(&random, huge);
			if (pe_random_below(&random, 4) == 0)
				trees[side]->flags[pe_random_below(&random, n)] |= PE_CCT_UNCOUNTED;
		}
		pair = new_pair(trees[0], trees[1]);
		for (uint32_t f = 0; f < frames.n; f++)
			count(pair, frames.at[f].name, pe_random_below(&random, huge),
			      pe_random_below(&random, huge));
		finish(pair);
		if (!pe_delta_knows(&pair->delta, PE_COST_INSTRUCTIONS))
			continue;
		for (int side = 0; side < 2; side++)
			for (uint32_t c = 0; c < trees[side]->n; c++)
				laid[side][trees[side]->nodes[c].frame] +=
					pair->runs[side].instructions[c];
		for (uint32_t f = 0; f < frames.n; f++) {
			/* of each side, what the other's tree has no context for */
			const uint64_t outside[2] = {executed_by(pair, f, 0) - laid[0][f],
						     executed_by(pair, f, 1) - laid[1][f]};

			cr_assert(outside[0] == outside[1] || (laid[0][f] == 0 && laid[1][f] == 0));
			cr_assert(outside[0] == 0 || laid[0][f] == 0 || laid[1][f] == 0);
		}
	}
}

/* --- What methods execute --- */

static const struct pe_function_ranges none;

/* Laid on trees that have each method once. */
static struct pair *lay_out(const char *text, const struct pe_function_ranges *a,
			    const struct pe_function_ranges *b, const struct pe_charges *charges)
{
	struct pair *pair = new_pair(tree(&frames, text, &arena), tree(&frames, text, &arena));

	pe_functions_compare(&pair->counts, a, b, &none, &arena);
	pe_functions_join(&pair->counts, &frames, charges, pair->renamed, &arena);
	finish(pair);
	return pair;
}

Test(method_counts, what_varies_is_no_difference)
{
	struct pe_function_ranges a =
		RANGES({"f", "", "", 100, 110}, {"g", "", "", 7, 7}, {"apart", "", "", 10, 20});
	struct pe_function_ranges b = RANGES({"f", "", "", 90, 105}, {"g", "", "", 9, 9},
					     {"apart", "", "", 30, 50}, {"lib", "", "", 4, 4});
	const struct pair *pair = lay_out("r{f g apart}", &a, &b, NULL);

	cr_expect_text("110 110 9 10", at(pair, 0, "/r/f"), at(pair, 1, "/r/f"),
		       at(pair, 1, "/r/g"), at(pair, 1, "/r/apart") - at(pair, 0, "/r/apart"));
	cr_expect(eq(u64, pair->runs[1].whole_instructions - pair->runs[0].whole_instructions,
		     2 + 10 + 4));
}

/* What was inlined is its own method's: no instruction is of two. */
Test(method_counts, charged_methods_have_what_they_are_charged_with)
{
	struct pe_function_ranges a =
		RANGES({"host", "", "", 1000, 1000}, {"rand", "", "x", 50, 90});
	struct pe_function_ranges b =
		RANGES({"host", "", "", 1200, 1200}, {"rand", "", "x", 55, 85});
	const struct pe_charges charges = {
		(struct pe_charge[]){{"host", "", "", 10, 14, 0, "", 0, 0, 0, 0, "", 0, 0},
				     {"inlined", "", "", 990, 1186, 0, "", 0, 0, 0, 0, "", 0, 0}},
		2};
	const struct pair *pair = lay_out("r{host{inlined}}", &a, &b, &charges);

	cr_expect_text("10 990 1186", at(pair, 0, "/r/host"), at(pair, 0, "/r/host/inlined"),
		       at(pair, 1, "/r/host/inlined"));
}

Test(method_counts, a_renamed_method_is_one)
{
	struct pe_function_ranges a = RANGES({"before", "", "", 100, 100});
	struct pe_function_ranges b = RANGES({"after", "", "", 100, 100});
	struct pe_cct *x = tree(&frames, "r{before}", &arena);
	struct pe_cct *y = tree(&frames, "r{after}", &arena);
	uint32_t renamed[8];
	struct pair *pair;

	for (uint32_t f = 0; f < 8; f++)
		renamed[f] = PE_FRAME_NONE;
	renamed[frame_of("before")] = frame_of("after");
	pair = new_pair(x, y);
	pair->renamed = renamed;
	pe_functions_compare(&pair->counts, &a, &b, &none, &arena);
	pe_functions_join(&pair->counts, &frames, NULL, renamed, &arena);
	finish(pair);
	cr_expect_text("100 100", at(pair, 0, "/r/before"), at(pair, 1, "/r/after"));
}
