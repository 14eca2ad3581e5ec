/* The delta tree, its parts, and several runs as one. */
#include "analysis/compare/delta.h"

#include "analysis/profile/tree.h"
#include "core/base/text.h"
#include "tests/support/random.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(delta, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

enum { CASES = 3000, ALL = PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES };

/* Two executions laid over each other. */
struct pair {
	const struct pe_cct *old_at[1], *new_at[1];
	struct pe_runs old_runs, new_runs;
	struct pe_match match;
	struct pe_delta delta;
};

static struct pair *overlay(const struct pe_cct *a, const struct pe_cct *b)
{
	struct pair *pair = pe_arena_new(&arena, struct pair, 1);

	pair->old_at[0] = a;
	pair->new_at[0] = b;
	pe_runs_make(&pair->old_runs, pair->old_at, 1, &arena);
	pe_runs_make(&pair->new_runs, pair->new_at, 1, &arena);
	pe_match_make(&pair->match, a, b, NULL, &arena);
	pe_delta_make(&pair->delta, &pair->old_runs, &pair->new_runs, &pair->match, &arena);
	return pair;
}

/* "r{a +b{c} -d}": + added, - removed. */
static void draw(struct pe_text *out, const struct pe_delta *delta, uint32_t node)
{
	static const char *const signs[] = {"", "+", "-"};
	uint32_t end = delta->nodes[node].end;

	pe_text_addf(out, "%s%s", signs[pe_delta_state(delta, node)],
		     delta->frames->at[delta->nodes[node].frame].name);
	if (end == node + 1)
		return;
	pe_text_add(out, "{");
	for (uint32_t c = node + 1; c < end; c = delta->nodes[c].end) {
		draw(out, delta, c);
		if (delta->nodes[c].end < end)
			pe_text_add(out, " ");
	}
	pe_text_add(out, "}");
}

static void expect_drawing(const char *old_text, const char *new_text, const char *drawing)
{
	struct pair *pair =
		overlay(tree(&frames, old_text, &arena), tree(&frames, new_text, &arena));
	pe_auto_text text = PE_TEXT_INIT;

	draw(&text, &pair->delta, 0);
	cr_expect_str_eq(pe_text_str(&text), drawing, "%s", pe_text_str(&text));
}

Test(delta, both_trees_are_one)
{
	expect_drawing("A{B C D}", "A{E{B C} D{F}}", "A{+E{B C} D{+F}}");
	expect_drawing("A{E{B C} D{F}}", "A{B C D}", "A{-E{B C} D{-F}}");
	expect_drawing("r{a x{p q} b}", "r{a b y}", "r{a -x{-p -q} b +y}");
	expect_drawing("r{x a}", "r{a}", "r{-x a}");
	expect_drawing("r{a{b{c{d}}}}", "r{a{d}}", "r{a{-b{-c{d}}}}");
	expect_drawing("r", "r{a}", "r{+a}");
	expect_drawing("r", "r", "r");
}

static void two_trees(struct pe_random *random, struct pe_cct **a, struct pe_cct **b)
{
	uint32_t names = 1 + (uint32_t)pe_random_below(random, 6);
	struct sketch one =
		sketch_random(&frames, random, 1 + (uint32_t)pe_random_below(random, 18), names, 3);
	struct sketch other =
		sketch_random(&frames, random, 1 + (uint32_t)pe_random_below(random, 18), names, 3);

	if (pe_random_below(random, 2) == 0) {
		other = one;
		for (uint32_t i = 0; i < other.n; i++) {
			other.at[i].calls = pe_random_below(random, 9);
			other.at[i].self_ns = pe_random_below(random, 1000000007);
			if (pe_random_below(random, 4) == 0 && i > 0)
				other.at[i].parent = other.at[other.at[i].parent].parent;
			if (other.at[i].parent == PE_CCT_NONE && i > 0)
				other.at[i].parent = 0;
		}
	}
	*a = sketch_tree(&one, &frames, ALL, NULL, &arena);
	*b = sketch_tree(&other, &frames, ALL, NULL, &arena);
}

static uint32_t ancestor_on(const struct pe_delta *delta, uint32_t node, bool new_side)
{
	do
		node = delta->nodes[node].parent;
	while (node != PE_CCT_NONE && (new_side ? delta->nodes[node].new_node
						: delta->nodes[node].old_node) == PE_CCT_NONE);
	return node;
}

Test(delta, leaving_one_side_out_gives_the_other_tree)
{
	struct pe_random random = random_of(11);

	for (int i = 0; i < CASES; i++) {
		struct pe_cct *a, *b;
		const struct pe_delta *delta;
		struct pair *pair;

		two_trees(&random, &a, &b);
		pair = overlay(a, b);
		delta = &pair->delta;
		cr_assert(eq(u32, delta->n, a->n + b->n - pair->match.pairs));
		cr_assert(eq(u32, delta->both, pair->match.pairs));
		cr_assert(eq(u32, delta->added + delta->removed + delta->both, delta->n));
		cr_assert(eq(u32, delta->nodes[0].end, delta->n));
		for (uint32_t k = 1; k < delta->n; k++) {
			const struct pe_delta_node *at = &delta->nodes[k];
			uint32_t up;

			cr_assert(lt(u32, at->parent, k));
			cr_assert(le(u32, at->end, delta->nodes[at->parent].end));
			if (at->old_node != PE_CCT_NONE) {
				up = ancestor_on(delta, k, false);
				cr_assert(eq(u32, delta->nodes[up].old_node,
					     a->nodes[at->old_node].parent));
			}
			if (at->new_node != PE_CCT_NONE) {
				up = ancestor_on(delta, k, true);
				cr_assert(eq(u32, delta->nodes[up].new_node,
					     b->nodes[at->new_node].parent));
			}
		}
		pe_arena_release(&arena);
	}
}

Test(delta, methods_sum_to_the_whole_exactly)
{
	struct pe_random random = random_of(12);

	for (int i = 0; i < CASES; i++) {
		struct pe_delta_methods methods;
		struct pe_cct *a, *b;
		struct pair *pair;

		two_trees(&random, &a, &b);
		if (pe_random_below(&random, 5) == 0)
			b->calls = NULL;
		pair = overlay(a, b);
		pe_delta_methods_sum(&methods, &pair->delta, &arena);
		for (int cost = 0; cost < PE_N_JUDGED; cost++) {
			int64_t sum = 0;

			for (uint32_t m = 0; m < methods.n; m++)
				sum += methods.at[m].difference[cost];
			cr_assert(eq(i64, sum,
				     pe_delta_difference(pe_delta_values(
					     &pair->delta, 0, pe_cost_total((enum pe_cost)cost)))));
		}
		pe_arena_release(&arena);
	}
}

Test(delta, methods_come_by_the_size_of_their_difference)
{
	struct pair *pair = overlay(tree(&frames, "r:10{f*10:100 g*3:30}", &arena),
				    tree(&frames, "r:10{f*30:330 h:7}", &arena));
	struct pe_delta_methods methods;

	pe_delta_methods_sum(&methods, &pair->delta, &arena);
	cr_assert(eq(u32, methods.n, 4));
	cr_expect_text("f 30 230 -30 7", frames.at[methods.at[0].frame].name,
		       methods.at[0].calls_new, methods.at[0].difference[PE_COST_TIME],
		       methods.at[1].difference[PE_COST_TIME],
		       methods.at[2].difference[PE_COST_TIME]);
}

Test(delta, without_sites_children_of_one_method_are_one)
{
	struct pe_cct *a = tree(&frames, "r{f@1*2:5{g:1} h f@2*3:7{g:2 k:4}}", &arena);
	struct pe_cct *merged = pe_tree_without_sites(a, &arena);

	cr_assert(eq(u32, merged->n, 5));
	cr_expect_text("5 19 3", merged->calls[tree_find(merged, "/r/f")],
		       merged->total_ns[tree_find(merged, "/r/f")],
		       merged->self_ns[tree_find(merged, "/r/f/g")]);
	cr_expect(eq(u64, merged->total_ns[0], a->total_ns[0]));
	cr_expect(eq(int, (int)(merged->known & PE_CCT_SITES), 0));
}

/* Lines from 2 to 4 were deleted. */
static uint32_t some_deleted(uint32_t caller, uint32_t line, void *payload)
{
	(void)caller, (void)payload;
	return line >= 2 && line <= 4 ? 0 : line;
}

Test(delta, calls_that_moved_to_fewer_sites_are_one_child)
{
	const struct pe_cct *a =
		tree(&frames, "r{f{g@1*7 g@2*10 g@3*21{k} g@4*5} h@3 h@9}", &arena);
	const struct pe_cct *b = tree(&frames, "r{f{q@1*7 q@12*30{k} q@13*5} h@9}", &arena);
	const struct pe_cct **at[2] = {&a, &b};
	const uint32_t g = a->nodes[tree_find(a, "/r/f/g")].frame,
		       q = b->nodes[tree_find(b, "/r/f/q")].frame;
	uint32_t *renamed = pe_arena_new(&arena, uint32_t, frames.n);

	memset(renamed, 0xff, frames.n * sizeof(*renamed)); /* PE_FRAME_NONE */
	renamed[g] = q;
	pe_tree_align_sites(at, (uint32_t[]){1, 1},
			    &(struct pe_sites){.renamed = renamed, .map_site = some_deleted},
			    &arena);
	/* r, f, g of line 1, g, k; and h, which has no site on a line that old lacks. */
	cr_expect_text("7 6", a->n, b->n);
	cr_expect_text("1 7 0 36", a->nodes[2].site, a->calls[2], a->nodes[3].site, a->calls[3]);
	cr_expect_text("1 7 0 35", b->nodes[2].site, b->calls[2], b->nodes[3].site, b->calls[3]);
}

Test(delta, as_many_calls_from_other_sites_are_one_child)
{
	const struct pe_cct *a = tree(&frames, "r{f@5*40 g@7*2 g@8*3}", &arena);
	const struct pe_cct *b = tree(&frames, "r{f@5*10 f@6*30 g@7*2}", &arena);
	const struct pe_cct **at[2] = {&a, &b};

	pe_tree_align_sites(at, (uint32_t[]){1, 1}, &(struct pe_sites){NULL, NULL, NULL}, &arena);
	cr_expect_text("4 3", a->n, b->n);
	cr_expect_text("0 40 0 40", a->nodes[1].site, a->calls[1], b->nodes[1].site, b->calls[1]);
}

Test(delta, nameless_methods_leave_their_children_to_the_caller)
{
	struct pe_cct *a =
		tree(&frames, "root:1{(anonymous)*4:2{f:3{g:4} x:5{y:6{hh:7}}} ok:8}", &arena);
	struct pe_cct *pruned = pe_tree_pruned(a, &arena);

	cr_assert(eq(u32, pruned->n, 3));
	cr_expect(eq(u64, pruned->self_ns[0], 1 + 2 + 3 + 4 + 5 + 6));
	cr_expect(eq(u64, pruned->self_ns[tree_find(pruned, "/root/hh")], 7));
	cr_expect(eq(u64, pruned->total_ns[0], a->total_ns[0]));
	cr_expect(eq(u64, pruned->calls[0], 1), "calls are not the caller's");
	cr_expect(eq(u32, pruned->nodes[0].end, 3));
}

static struct pe_runs runs_of(const struct pe_cct **at, uint32_t n)
{
	struct pe_runs runs;

	pe_runs_make(&runs, at, n, &arena);
	return runs;
}

Test(delta, runs_are_means_and_what_they_differ_by)
{
	const struct pe_cct *at[] = {
		tree(&frames, "r:10{f*3:100{x:1} g:50}", &arena),
		tree(&frames, "r:10{f*3:120 g:52 z:9}", &arena),
		tree(&frames, "r:10{f*4:110 g:51}", &arena),
	};
	struct pe_runs runs = runs_of(at, 3);
	const struct pe_cct *mean = runs.cct;
	uint32_t f = tree_find(mean, "/r/f"), g = tree_find(mean, "/r/g");

	cr_assert(eq(u32, mean->n, 5));
	cr_expect_text("110 51", mean->self_ns[f], mean->self_ns[g]);
	cr_expect(eq(u64, mean->self_ns[tree_find(mean, "/r/z")], 3), "absent is zero");
	cr_expect(eq(u32, runs.node_of[1][tree_find(at[1], "/r/z")], tree_find(mean, "/r/z")));
	cr_expect(gt(dbl, pe_runs_variance(&runs, f), pe_runs_variance(&runs, g)));
	cr_expect(gt(dbl, pe_runs_variance(&runs, g), 0));
	cr_expect(not(runs.unsteady[g]) && not(runs.unsteady[f]));
	cr_expect(runs.unsteady[tree_find(mean, "/r/z")]);
	cr_expect(runs.unsteady[tree_find(mean, "/r/f/x")]);
}

Test(delta, equal_runs_do_not_vary)
{
	struct pe_cct *a = tree(&frames, "r:10{f*3:100{x:1} g:50}", &arena);
	const struct pe_cct *at[] = {a, a, a};
	struct pe_runs runs = runs_of(at, 3);

	for (uint32_t i = 0; i < runs.cct->n; i++) {
		cr_expect(eq(dbl, pe_runs_variance(&runs, i), 0));
		cr_expect(not(runs.unsteady[i]));
		cr_expect(eq(u64, runs.cct->total_ns[i], a->total_ns[i]));
	}
}

/* n samples of which s found a node: its time varies like a share of them. */
Test(delta, samples_tell_how_a_time_varies)
{
	struct pe_cct *a = tree(&frames, "r:750000{f:250000}", &arena);
	const struct pe_cct *at[] = {a};
	struct pe_runs runs;
	double expected = 1e6 * sqrt(0.25 * 0.75 / 10000);

	a->samples = pe_arena_new(&arena, uint64_t, 2);
	a->samples[0] = 7500;
	a->samples[1] = 2500;
	a->facts.samples = 10000;
	runs = runs_of(at, 1);
	cr_expect(lt(dbl, fabs(sqrt(pe_runs_variance(&runs, 1)) / expected - 1), 0.01));
}
