/* The blueprint's measures (Blueprint, section III). */
#include "analysis/compare/blueprint.h"

#include "tests/support/random.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(blueprint, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

static struct pe_delta *lay_over(const struct pe_cct *old_cct, const struct pe_cct *new_cct,
				 const struct pe_match_opts *opts)
{
	const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, 2);
	struct pe_runs *runs = pe_arena_new(&arena, struct pe_runs, 2);
	struct pe_match *match = pe_arena_new(&arena, struct pe_match, 1);
	struct pe_delta *delta = pe_arena_new(&arena, struct pe_delta, 1);

	at[0] = old_cct;
	at[1] = new_cct;
	pe_runs_make(&runs[0], &at[0], 1, &arena);
	pe_runs_make(&runs[1], &at[1], 1, &arena);
	pe_match_make(match, at[0], at[1], opts, &arena);
	pe_delta_make(delta, &runs[0], &runs[1], match, &arena);
	return delta;
}

static struct pe_delta *overlay(const char *old_text, const char *new_text)
{
	return lay_over(tree(&frames, old_text, &arena), tree(&frames, new_text, &arena), NULL);
}

static uint32_t find(const struct pe_delta *delta, const char *name)
{
	for (uint32_t i = 0; i < delta->n; i++)
		if (strcmp(frames.at[delta->nodes[i].frame].name, name) == 0)
			return i;
	cr_assert(false, "there is no %s", name);
	return 0;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* Figure 5: E stands between A and its B and C now, F is a new leaf. */
static const char FIGURE_5_OLD[] = "A*2:10{B*4:20 C*6:30 D*8:40}";
static const char FIGURE_5_NEW[] = "A*2:10{E*3:60{B*4:20 C*6:30} D*8:40{F*5:40}}";

Test(blueprint, figure_5_by_share)
{
	struct pe_delta *delta = overlay(FIGURE_5_OLD, FIGURE_5_NEW);
	struct pe_blueprint_opts opts = {.basis = PE_BASIS_SHARE};
	struct pe_blueprint blueprint;
	const struct pe_blueprint_box *e, *f, *d;

	pe_blueprint_make(&blueprint, delta, &opts, &arena);
	e = &blueprint.boxes[find(delta, "E")];
	f = &blueprint.boxes[find(delta, "F")];
	d = &blueprint.boxes[find(delta, "D")];
	cr_expect(near(e->height, 110.0 / 200 - 50.0 / 100), "E less what B and C took without it");
	cr_expect(near(f->height, 40.0 / 200), "a leaf: all it takes");
	cr_expect(near(d->height, 80.0 / 200 - 40.0 / 100));
	cr_expect(near(e->width, log(fabs(3.0 - 2) + 1)), "held against its parent's calls");
	cr_expect(near(f->width, log(fabs(5.0 - 8) + 1)));
	cr_expect(near(d->width, 0));
	cr_expect(eq(int, e->colour, PE_COLOUR_YELLOW));
	cr_expect(eq(int, f->colour, PE_COLOUR_YELLOW));
	cr_expect(eq(int, d->colour, PE_COLOUR_NEUTRAL), "its share is what it was");
}

Test(blueprint, a_removed_node_mirrors_an_added_one)
{
	struct pe_delta *there = overlay(FIGURE_5_OLD, FIGURE_5_NEW);
	struct pe_delta *back = overlay(FIGURE_5_NEW, FIGURE_5_OLD);
	struct pe_blueprint_opts opts = {.basis = PE_BASIS_SHARE};
	struct pe_blueprint a, b;

	pe_blueprint_make(&a, there, &opts, &arena);
	pe_blueprint_make(&b, back, &opts, &arena);
	for (uint32_t i = 0; i < there->n; i++) {
		uint32_t k = find(back, frames.at[there->nodes[i].frame].name);

		cr_expect(near(a.boxes[i].signed_height, -b.boxes[k].signed_height));
		cr_expect(near(a.boxes[i].width, b.boxes[k].width));
	}
	cr_expect(eq(int, b.boxes[find(back, "E")].colour, PE_COLOUR_GRAY));
}

Test(blueprint, colours_follow_time_and_source)
{
	struct pe_delta *delta =
		overlay("r{a:10 b:10 c:10 d:10 e:10}", "r{a:20 b:20 c:5 d:5 e:10}");
	struct pe_frame_change *states = pe_arena_new(&arena, struct pe_frame_change, frames.n);
	struct pe_changes changes = {states, frames.n};
	struct pe_blueprint_opts opts = {.basis = PE_BASIS_TIME, .changes = &changes};
	struct pe_blueprint blueprint;

	states[delta->nodes[find(delta, "a")].frame].source = PE_SOURCE_MODIFIED;
	states[delta->nodes[find(delta, "c")].frame].code = PE_BINARY_RECOMPILED;
	pe_blueprint_make(&blueprint, delta, &opts, &arena);
	cr_expect(eq(int, blueprint.boxes[find(delta, "a")].colour, PE_COLOUR_RED));
	cr_expect(eq(int, blueprint.boxes[find(delta, "b")].colour, PE_COLOUR_LIGHT_RED));
	cr_expect(eq(int, blueprint.boxes[find(delta, "c")].colour, PE_COLOUR_GREEN));
	cr_expect(eq(int, blueprint.boxes[find(delta, "d")].colour, PE_COLOUR_LIGHT_GREEN));
	cr_expect(eq(int, blueprint.boxes[find(delta, "e")].colour, PE_COLOUR_NEUTRAL));
}

/* What has no past on the other side is held against its caller on its own, and not against 0 calls. */
Test(blueprint, a_new_node_below_a_new_one_is_held_against_its_calls)
{
	struct pe_delta *there = overlay("r*1{f*4:5}", "r*1{f*4:5 g*7:1{h*7:2{i*19:3}}}");
	struct pe_delta *back = overlay("r*1{f*4:5 g*7:1{h*7:2{i*19:3}}}", "r*1{f*4:5}");
	struct pe_delta *const deltas[] = {there, back};

	for (size_t k = 0; k < 2; k++) {
		struct pe_blueprint blueprint;

		pe_blueprint_make(&blueprint, deltas[k], NULL, &arena);
		cr_expect(
			near(blueprint.boxes[find(deltas[k], "g")].width, log(fabs(7.0 - 1) + 1)));
		cr_expect(near(blueprint.boxes[find(deltas[k], "h")].width, 0), "as often as g");
		cr_expect(
			near(blueprint.boxes[find(deltas[k], "i")].width, log(fabs(19.0 - 7) + 1)));
	}
}

/* --- Own heights --- */

Test(blueprint, the_highest_box_is_the_cause_and_not_the_way_to_it)
{
	struct pe_delta *delta = overlay("r:10{main:10{load:10{parse:30{lex:40}}}}",
					 "r:10{main:10{load:10{parse:28{lex:90}}}}");
	struct pe_blueprint blueprint;

	pe_blueprint_make(&blueprint, delta, NULL, &arena);
	cr_expect(near(blueprint.boxes[find(delta, "lex")].signed_height, 0.5));
	cr_expect(near(blueprint.boxes[find(delta, "parse")].signed_height, -0.02));
	cr_expect(near(blueprint.boxes[find(delta, "load")].height, 0));
	cr_expect(eq(int, blueprint.boxes[find(delta, "lex")].colour, PE_COLOUR_LIGHT_RED));
	cr_expect(eq(int, blueprint.boxes[find(delta, "parse")].colour, PE_COLOUR_LIGHT_GREEN));
	/* What it spends itself is as before; its callees are slower. */
	cr_expect(eq(int, blueprint.boxes[find(delta, "load")].colour, PE_COLOUR_LIGHT_RED));
}

/* Whatever came, went or moved in between: by any rule, of times, else of allocations, else of calls. */
Test(blueprint, own_heights_sum_to_the_jump)
{
	static const unsigned known[] = {PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS,
					 PE_CCT_CALLS | PE_CCT_ALLOCATIONS, PE_CCT_CALLS};
	struct pe_random random = random_of(29);
	unsigned both = 0, came_or_went = 0;

	for (unsigned round = 0; round < 400; round++) {
		uint32_t names = 1 + (uint32_t)pe_random_below(&random, 6);
		const struct pe_match_opts opts = {
			.rule = (enum pe_match_rule)(round % PE_N_MATCH_RULES)};
		struct pe_blueprint_opts drawn = {.basis = PE_BASIS_TIME};
		struct pe_blueprint own, all;
		struct pe_cct *ccts[2];
		struct pe_delta *delta;
		double sum = 0;

		for (int side = 0; side < 2; side++) {
			struct sketch sketch =
				sketch_random(&frames, &random,
					      1 + (uint32_t)pe_random_below(&random, 18), names, 3);

			ccts[side] = sketch_tree(&sketch, &frames, known[round % 3], NULL, &arena);
			ccts[side]->facts.duration_ns += pe_random_below(&random, 3) * 5;
		}
		delta = lay_over(ccts[0], ccts[1], &opts);
		pe_blueprint_make(&own, delta, NULL, &arena);
		pe_blueprint_make(&all, delta, &drawn, &arena);
		for (uint32_t i = 0; i < delta->n; i++)
			sum += own.boxes[i].signed_height;
		cr_assert(fabs(sum - all.boxes[0].signed_height) < 1e-9, "round %u: %g is not %g",
			  round, sum, all.boxes[0].signed_height);
		both += delta->both;
		came_or_went += delta->added + delta->removed;
	}
	cr_expect(gt(uint, both, 500));
	cr_expect(gt(uint, came_or_went, 500));
}

Test(blueprint, a_time_differs_where_a_cause_shows)
{
	struct pe_delta *delta = overlay("r{f:100{g:100} h:50}", "r{f:130{g:350} h:51}");
	uint32_t *cause_of = pe_arena_new(&arena, uint32_t, delta->n);
	struct pe_blueprint_opts opts = {.cause_of = cause_of};
	struct pe_blueprint blueprint;

	cause_of[find(delta, "g")] = 1;
	pe_blueprint_make(&blueprint, delta, &opts, &arena);
	cr_expect(eq(int, blueprint.boxes[find(delta, "f")].colour, PE_COLOUR_LIGHT_RED),
		  "with its callees");
	cr_expect(eq(int, blueprint.boxes[find(delta, "g")].colour, PE_COLOUR_LIGHT_RED));
	cr_expect(eq(int, blueprint.boxes[find(delta, "h")].colour, PE_COLOUR_NEUTRAL));
	opts.cause_of = NULL;
	pe_blueprint_make(&blueprint, delta, &opts, &arena);
	cr_expect(eq(int, blueprint.boxes[find(delta, "h")].colour, PE_COLOUR_LIGHT_RED));
}

/* A thousand callees that vary alike are no picture. */
Test(blueprint, at_first_so_many_are_shown_at_most)
{
	struct pe_blueprint blueprint;
	struct pe_delta *delta;
	struct sketch old_sketch = sketch_parse(&frames, "r"), new_sketch;
	uint32_t n = 0;

	old_sketch.n = SKETCH_NODES;
	for (uint32_t i = 1; i < SKETCH_NODES; i++)
		old_sketch.at[i] = (struct sketch_node){.frame = old_sketch.at[0].frame,
							.site = i,
							.order = i,
							.calls = 1,
							.self_ns = 10};
	new_sketch = old_sketch;
	for (uint32_t i = 1; i < SKETCH_NODES; i++)
		new_sketch.at[i].self_ns = 20 + i % 2;
	delta = lay_over(sketch_tree(&old_sketch, &frames,
				     PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_SITES, NULL, &arena),
			 sketch_tree(&new_sketch, &frames,
				     PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_SITES, NULL, &arena),
			 NULL);
	pe_blueprint_make(&blueprint, delta, NULL, &arena);
	for (uint32_t i = 0; i < delta->n; i++)
		n += blueprint.boxes[i].first;
	cr_expect(eq(u32, delta->both, SKETCH_NODES));
	cr_expect(eq(u32, n, 2 + PE_BLUEPRINT_FIRST), "the root, the hottest, and so many more");
}

/* Counts are exact: where times are not known, every difference has its colour. */
Test(blueprint, without_times_counts_are_drawn)
{
	static const unsigned known = PE_CCT_CALLS | PE_CCT_ALLOCATIONS;
	struct sketch olds = sketch_parse(&frames, "r{f!10 g!30}");
	struct sketch news = sketch_parse(&frames, "r{f!10 g!31}");
	struct pe_blueprint blueprint;
	struct pe_delta *delta = lay_over(sketch_tree(&olds, &frames, known, NULL, &arena),
					  sketch_tree(&news, &frames, known, NULL, &arena), NULL);

	pe_blueprint_make(&blueprint, delta, NULL, &arena);
	cr_expect(eq(int, pe_blueprint_cost(delta), PE_COST_ALLOCATIONS));
	cr_expect(near(blueprint.boxes[find(delta, "g")].height, 1.0 / 40));
	cr_expect(eq(int, blueprint.boxes[find(delta, "g")].colour, PE_COLOUR_LIGHT_RED));
	cr_expect(eq(int, blueprint.boxes[find(delta, "f")].colour, PE_COLOUR_NEUTRAL));
}

Test(blueprint, the_hot_path_follows_the_greatest_variation)
{
	struct pe_delta *delta =
		overlay("r{a:5{x:100} b{y:50{z:50} w:9}}", "r{a:5{x:101} b{y:10{z:10} w:9}}");
	struct pe_blueprint blueprint;

	pe_blueprint_make(&blueprint, delta, NULL, &arena);
	cr_assert(eq(u32, blueprint.n_hot, 4));
	cr_expect(eq(u32, blueprint.hot_path[1], find(delta, "b")));
	cr_expect(eq(u32, blueprint.hot_path[3], find(delta, "z")));
	cr_expect(blueprint.boxes[find(delta, "y")].hot);
	cr_expect(not(blueprint.boxes[find(delta, "w")].hot));
}
