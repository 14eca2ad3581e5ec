/* Matching: which node is which, under the four rules. Numbers in brackets are the header's promises. */
#include "analysis/compare/match.h"

#include "tests/support/cases.h"
#include "tests/support/random.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(match, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

enum { CASES = 1500, ALL = PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES };

static struct pe_match match(const struct pe_cct *a, const struct pe_cct *b,
			     enum pe_match_rule rule)
{
	struct pe_match_opts opts = {.rule = rule};
	struct pe_match out;

	pe_match_make(&out, a, b, &opts, &arena);
	return out;
}

/* A random tree, and another that is like it in most parts or not at all. */
static void two_trees(struct pe_random *random, struct pe_cct **a, struct pe_cct **b)
{
	uint32_t names = 1 + (uint32_t)pe_random_below(random, 6);
	uint32_t sites = (uint32_t)pe_random_below(random, 4);
	struct sketch one = sketch_random(&frames, random,
					  1 + (uint32_t)pe_random_below(random, 18), names, sites);
	struct sketch other = one;

	if (pe_random_below(random, 4) == 0)
		other = sketch_random(&frames, random, 1 + (uint32_t)pe_random_below(random, 18),
				      names, sites);
	for (uint64_t edits = pe_random_below(random, 5); edits > 0 && other.n > 1; edits--) {
		uint32_t i = 1 + (uint32_t)pe_random_below(random, other.n - 1);

		switch (pe_random_below(random, 4)) {
		case 0:
			other.at[i].frame = other.at[pe_random_below(random, other.n)].frame;
			break;
		case 1:
			other.at[i].parent = other.at[other.at[i].parent].parent;
			if (other.at[i].parent == PE_CCT_NONE)
				other.at[i].parent = 0;
			break;
		case 2:
			other.at[i].order = pe_random_unit(random) * other.n;
			break;
		default:
			other.at[i].self_ns += 1 + pe_random_below(random, 50);
		}
	}
	*a = sketch_tree(&one, &frames, ALL, NULL, &arena);
	*b = sketch_tree(&other, &frames, ALL, NULL, &arena);
}

/* Old tree | new tree, under the rule WORD: how many pairs, nodes that moved or have no partner. */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char *old_text = pe_arena_strndup(&arena, input, n), *new_text = strchr(old_text, '|');
	const struct pe_cct *a, *b;
	struct pe_match m;
	int rule = 0;

	*new_text++ = '\0';
	while (strcmp(pe_match_rule_name((enum pe_match_rule)rule), word) != 0)
		rule++;
	a = tree(&frames, old_text, &arena);
	b = tree(&frames, new_text, &arena);
	m = match(a, b, (enum pe_match_rule)rule);
	pe_text_addf(result, "%u pairs", m.pairs);
	for (uint32_t i = 0; i < a->n; i++)
		if (m.to_new[i] == PE_CCT_NONE)
			pe_text_addf(result, ", -%s", tree_path(a, i, &arena));
		else if (m.to_new[i] != i)
			pe_text_addf(result, ", %s is %u%s", tree_path(a, i, &arena), m.to_new[i],
				     tree_path(b, m.to_new[i], &arena));
	for (uint32_t j = 0; j < b->n; j++)
		if (m.to_old[j] == PE_CCT_NONE)
			pe_text_addf(result, ", +%s", tree_path(b, j, &arena));
}

Test(match, is_as_its_cases_say)
{
	cases_check("compare/cases", "match", read_case);
}

Test(match, hybrid_needs_component_and_name_alone)
{
	struct pe_frame f = {.name = "f", .component = "a.c", .signature = "(int)"};
	struct pe_frame g = {.name = "f", .component = "a.c", .signature = "(long)"};
	struct pe_cct *a = tree(&frames, "r{f}", &arena);
	struct pe_cct *b = tree(&frames, "r{f}", &arena);

	a->nodes[1].frame = pe_frames_add(&frames, &f);
	b->nodes[1].frame = pe_frames_add(&frames, &g);
	cr_expect(eq(u32, match(a, b, PE_MATCH_HYBRID).pairs, 2));
	cr_expect(eq(u32, match(a, b, PE_MATCH_SUBSEQUENCE).pairs, 1));
}

Test(match, renamed_methods_are_what_they_were)
{
	struct pe_cct *a = tree(&frames, "r{probe{x} y}", &arena);
	struct pe_cct *b = tree(&frames, "r{table_probe{x} y}", &arena);
	uint32_t *renamed = malloc(frames.n * sizeof(*renamed));
	struct pe_match_opts opts = {.sites = {.renamed = renamed}};
	struct pe_match m;

	for (uint32_t i = 0; i < frames.n; i++)
		renamed[i] = PE_FRAME_NONE;
	renamed[a->nodes[1].frame] = b->nodes[1].frame;
	pe_match_make(&m, a, b, &opts, &arena);
	cr_expect_text("4 1", m.pairs, m.to_new[1]);
	free(renamed);
}

static uint32_t ten_lines_on(uint32_t caller, uint32_t line, void *payload)
{
	(void)caller;
	(void)payload;
	return line == 10 ? 0 : line + 10; /* the call in line 10 was taken out */
}

Test(match, call_sites_are_carried_through_the_diff)
{
	struct pe_cct *a = tree(&frames, "r{f@10 f@20 f@30}", &arena);
	struct pe_cct *b = tree(&frames, "r{f@30 f@40}", &arena);
	struct pe_match_opts opts = {.sites = {.map_site = ten_lines_on}};
	struct pe_match m;

	pe_match_make(&m, a, b, &opts, &arena);
	cr_expect(eq(u32, m.to_new[1], PE_CCT_NONE));
	cr_expect_text("1 2", m.to_new[2], m.to_new[3]);
}

Test(match, what_is_cut_has_no_partner)
{
	struct pe_cct *a = tree(&frames, "r{f{g} h}", &arena);
	uint8_t cut[4] = {0, 1, 0, 0};
	struct pe_match_opts opts = {.cut_old = cut};
	struct pe_match m;

	pe_match_make(&m, a, a, &opts, &arena);
	cr_expect(eq(u32, m.pairs, 2));
	cr_expect(eq(u32, m.to_new[2], PE_CCT_NONE), "nor what is below it");
	cr_expect(eq(u32, m.to_new[3], 3));
}

/* (3) */
Test(match, a_tree_is_itself)
{
	struct pe_random random = random_of(1);

	for (int i = 0; i < CASES; i++) {
		struct pe_cct *a, *b;

		two_trees(&random, &a, &b);
		for (int rule = 0; rule < PE_N_MATCH_RULES; rule++) {
			struct pe_match m = match(b, b, (enum pe_match_rule)rule);

			cr_assert(eq(u32, m.pairs, b->n));
			for (uint32_t k = 0; k < b->n; k++)
				cr_assert(eq(u32, m.to_new[k], k));
		}
		pe_arena_release(&arena);
	}
}

static uint32_t paired_ancestor(const struct pe_cct *cct, const uint32_t *partner, uint32_t node)
{
	do
		node = cct->nodes[node].parent;
	while (node != PE_CCT_NONE && partner[node] == PE_CCT_NONE);
	return node;
}

static bool gap_above(const struct pe_cct *cct, const uint32_t *partner, uint32_t node)
{
	for (; node != PE_CCT_NONE; node = cct->nodes[node].parent)
		if (partner[node] == PE_CCT_NONE)
			return true;
	return false;
}

static uint32_t place(const struct pe_cct *cct, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t c = cct->nodes[node].parent + 1; c != node; c = cct->nodes[c].end)
		n++;
	return n;
}

static void check_pairs(const struct pe_cct *a, const struct pe_cct *b, const struct pe_match *m,
			int rule)
{
	uint32_t pairs = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t j = m->to_new[i], up;

		if (j == PE_CCT_NONE)
			continue;
		pairs++;
		cr_assert(lt(u32, j, b->n));
		cr_assert(eq(u32, m->to_old[j], i), "one to one");
		cr_assert(eq(u32, a->nodes[i].frame, b->nodes[j].frame));
		up = paired_ancestor(a, m->to_new, i);
		cr_assert(eq(u32, up == PE_CCT_NONE ? up : m->to_new[up],
			     paired_ancestor(b, m->to_old, j)));
		cr_assert(not(gap_above(a, m->to_new, i) && gap_above(b, m->to_old, j)));
		if (rule == PE_MATCH_STRICT && i > 0)
			cr_assert(eq(u32, place(a, i), place(b, j)));
		if (rule != PE_MATCH_SUBSEQUENCE)
			cr_assert(not(gap_above(a, m->to_new, i)));
	}
	for (uint32_t j = 0; j < b->n; j++)
		pairs -= m->to_old[j] != PE_CCT_NONE;
	cr_assert(eq(u32, pairs, 0));
}

/* Siblings of one method and site may stand in any order; all others keep theirs under `relaxed`. */
static void check_order(const struct pe_cct *a, const struct pe_cct *b, const struct pe_match *m)
{
	for (uint32_t i = 1; i < a->n; i++)
		for (uint32_t k = i + 1; k < a->n; k++) {
			uint32_t x = m->to_new[i], y = m->to_new[k];

			if (a->nodes[i].parent != a->nodes[k].parent || x == PE_CCT_NONE ||
			    y == PE_CCT_NONE || a->nodes[i].frame == a->nodes[k].frame)
				continue;
			cr_assert(lt(u32, x, y));
		}
	(void)b;
}

static bool has_twins(const struct pe_cct *cct)
{
	for (uint32_t i = 1; i < cct->n; i++)
		for (uint32_t k = i + 1; k < cct->n; k++)
			if (cct->nodes[i].parent == cct->nodes[k].parent &&
			    cct->nodes[i].frame == cct->nodes[k].frame)
				return true;
	return false;
}

/* (1), (2), and what each rule says of its pairs. */
Test(match, pairs_keep_ancestry_and_paths)
{
	struct pe_random random = random_of(2);

	for (int i = 0; i < CASES; i++) {
		struct pe_cct *a, *b;

		two_trees(&random, &a, &b);
		for (int rule = 0; rule < PE_N_MATCH_RULES; rule++) {
			struct pe_match m = match(a, b, (enum pe_match_rule)rule);

			/* Twins that change places leave their position to each other. */
			if (rule != PE_MATCH_STRICT || !(has_twins(a) || has_twins(b)))
				check_pairs(a, b, &m, rule);
			if (rule == PE_MATCH_RELAXED && !has_twins(a) && !has_twins(b))
				check_order(a, b, &m);
		}
		pe_arena_release(&arena);
	}
}

/* (4) */
Test(match, swapping_the_inputs_swaps_added_and_removed)
{
	struct pe_random random = random_of(3);

	for (int i = 0; i < CASES; i++) {
		struct pe_cct *a, *b;

		two_trees(&random, &a, &b);
		for (int rule = 0; rule < PE_N_MATCH_RULES; rule++) {
			struct pe_match m = match(a, b, (enum pe_match_rule)rule);
			struct pe_match w = match(b, a, (enum pe_match_rule)rule);

			for (uint32_t k = 0; k < a->n; k++)
				cr_assert(eq(u32, m.to_new[k], w.to_old[k]));
			for (uint32_t k = 0; k < b->n; k++)
				cr_assert(eq(u32, m.to_old[k], w.to_new[k]));
		}
		pe_arena_release(&arena);
	}
}

/* (5) */
Test(match, pairs_grow_from_strict_to_relaxed_to_subsequence)
{
	struct pe_random random = random_of(4);

	for (int i = 0; i < 2 * CASES; i++) {
		struct pe_cct *a, *b;
		uint32_t strict, relaxed;

		two_trees(&random, &a, &b);
		strict = match(a, b, PE_MATCH_STRICT).pairs;
		relaxed = match(a, b, PE_MATCH_RELAXED).pairs;
		cr_assert(le(u32, strict, relaxed));
		cr_assert(le(u32, relaxed, match(a, b, PE_MATCH_SUBSEQUENCE).pairs));
		pe_arena_release(&arena);
	}
}

/* A number that is the same for all trees that differ in the order of twins alone. */
static uint64_t twin_hash(const struct pe_cct *cct, uint32_t node)
{
	uint64_t hash = cct->nodes[node].frame * UINT64_C(0x9e3779b97f4a7c15) +
			cct->nodes[node].site * UINT64_C(1000003) + cct->self_ns[node] * 31 +
			cct->calls[node] * 7 + cct->allocations[node];
	uint64_t sum = 0;

	for (uint32_t c = pe_cct_first(cct, node); c != PE_CCT_NONE; c = pe_cct_next(cct, c)) {
		uint64_t below = twin_hash(cct, c);

		sum += (below ^ (below >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
		hash = (hash ^ (cct->nodes[c].frame + 64 * cct->nodes[c].site)) *
		       UINT64_C(0x100000001b3);
	}
	hash ^= sum;
	return (hash ^ (hash >> 31)) * UINT64_C(0x94d049bb133111eb);
}

static uint64_t path_hash(const struct pe_cct *cct, uint32_t node)
{
	uint64_t hash = 0;

	for (; node != PE_CCT_NONE; node = cct->nodes[node].parent)
		hash = (hash ^ twin_hash(cct, node)) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t answer_hash(const struct pe_match *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->old_cct->n; i++) {
		uint64_t hash = path_hash(m->old_cct, i);

		if (m->to_new[i] != PE_CCT_NONE)
			hash ^= path_hash(m->new_cct, m->to_new[i]) * 3;
		sum += (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	}
	return sum;
}

/* (6): twins exchange their places, with all that is below them. */
Test(match, storage_of_twins_makes_no_difference)
{
	struct pe_random random = random_of(6);
	uint32_t shuffled = 0;

	for (int i = 0; i < CASES; i++) {
		struct sketch one = sketch_random(&frames, &random,
						  1 + (uint32_t)pe_random_below(&random, 16), 3, 1);
		struct sketch other = sketch_random(
			&frames, &random, 1 + (uint32_t)pe_random_below(&random, 16), 3, 1);
		struct sketch twin = one;
		struct pe_cct *a, *b, *c;

		for (uint32_t k = 1; k < twin.n; k++) {
			uint32_t l = 1 + (uint32_t)pe_random_below(&random, twin.n - 1);
			double order = twin.at[k].order;

			if (twin.at[k].parent != twin.at[l].parent ||
			    twin.at[k].frame != twin.at[l].frame || k == l)
				continue;
			twin.at[k].order = twin.at[l].order;
			twin.at[l].order = order;
			shuffled++;
		}
		a = sketch_tree(&one, &frames, ALL, NULL, &arena);
		b = sketch_tree(&other, &frames, ALL, NULL, &arena);
		c = sketch_tree(&twin, &frames, ALL, NULL, &arena);
		for (int rule = 0; rule < PE_N_MATCH_RULES; rule++) {
			struct pe_match x = match(a, b, (enum pe_match_rule)rule);
			struct pe_match y = match(c, b, (enum pe_match_rule)rule);

			cr_assert(eq(u64, answer_hash(&x), answer_hash(&y)), "case %d rule %d", i,
				  rule);
		}
		pe_arena_release(&arena);
	}
	cr_expect(gt(u32, shuffled, 400));
}

/* The longest common subsequence by the textbook. */
static uint32_t textbook(const struct pe_cct *a, const struct pe_cct *b)
{
	uint32_t table[SKETCH_NODES][SKETCH_NODES] = {{0}};

	for (uint32_t i = 1; i < a->n; i++)
		for (uint32_t j = 1; j < b->n; j++) {
			uint32_t skip = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j]
									  : table[i][j - 1];

			table[i][j] = a->nodes[i].frame == b->nodes[j].frame
					      ? table[i - 1][j - 1] + 1
					      : skip;
		}
	return table[a->n - 1][b->n - 1];
}

static struct pe_cct *one_level(struct pe_random *random, uint32_t names)
{
	struct sketch sketch =
		sketch_random(&frames, random, 1 + (uint32_t)pe_random_below(random, 40), names, 9);

	for (uint32_t i = 1; i < sketch.n; i++)
		sketch.at[i].parent = 0;
	return sketch_tree(&sketch, &frames, ALL, NULL, &arena);
}

Test(match, relaxed_is_a_longest_common_subsequence)
{
	struct pe_random random = random_of(7);
	uint32_t short_of = 0;

	for (int i = 0; i < CASES; i++) {
		uint32_t names = 1 + (uint32_t)pe_random_below(&random, 12);
		struct pe_cct *a = one_level(&random, names), *b = one_level(&random, names);
		struct pe_match_opts tight = {.rule = PE_MATCH_RELAXED, .cells = 1};
		uint32_t longest = textbook(a, b);
		struct pe_match m = match(a, b, PE_MATCH_RELAXED);

		cr_assert(eq(u32, m.pairs - 1, longest));
		check_pairs(a, b, &m, PE_MATCH_RELAXED);
		pe_match_make(&m, a, b, &tight, &arena);
		check_pairs(a, b, &m, PE_MATCH_RELAXED);
		cr_assert(le(u32, m.pairs - 1, longest), "beyond the budget it may be shorter");
		cr_assert(ge(u32, 4 * (m.pairs - 1) + 4, longest));
		short_of += longest - (m.pairs - 1);
		pe_arena_release(&arena);
	}
	cr_expect(gt(u32, short_of, 0), "the budget was passed");
}

/* The bad cases (7): wide levels of one name, of all different names, and deep chains. */
static struct pe_cct *wide(uint32_t n, bool one_name, uint32_t from)
{
	struct pe_cct *cct = pe_cct_new(&frames, n + 1, ALL, &arena);

	cct->nodes[0] = (struct pe_cct_node){PE_CCT_NONE, n + 1,
					     pe_frames_add_method(&frames, "root", "x.c"), 0};
	for (uint32_t i = 1; i <= n; i++) {
		char name[24];

		snprintf(name, sizeof(name), "m%u", one_name ? 0 : (i * 7919 + from) % n);
		cct->nodes[i] = (struct pe_cct_node){
			0, i + 1, pe_frames_add_method(&frames, name, "x.c"), i + from};
	}
	pe_cct_sum(cct);
	return cct;
}

Test(match, wide_levels_of_one_name)
{
	struct pe_cct *a = wide(100000, true, 0), *b = wide(100000, true, 3);
	struct pe_match m = match(a, b, PE_MATCH_SUBSEQUENCE);

	cr_expect(eq(u32, m.pairs, 100001));
}

Test(match, wide_levels_of_different_names)
{
	struct pe_cct *a = wide(100000, false, 0), *b = wide(100000, false, 5);
	struct pe_match m = match(a, b, PE_MATCH_SUBSEQUENCE);

	cr_expect(eq(u32, m.pairs, 100001), "in any order");
	m = match(a, b, PE_MATCH_HYBRID);
	cr_expect(eq(u32, m.pairs, 100001));
	m = match(a, b, PE_MATCH_RELAXED);
	cr_expect(gt(u32, m.pairs, 50000));
}

/* Every `step`-th node of the chain is of a method of its own. */
static struct pe_cct *chain(uint32_t n, uint32_t step, const char *odd)
{
	struct pe_cct *cct = pe_cct_new(&frames, n, PE_CCT_TIME, &arena);
	uint32_t even = pe_frames_add_method(&frames, "even", "x.c");
	uint32_t other = pe_frames_add_method(&frames, odd, "x.c");

	for (uint32_t i = 0; i < n; i++)
		cct->nodes[i] = (struct pe_cct_node){i > 0 ? i - 1 : PE_CCT_NONE, n,
						     i % step == step - 1 ? other : even, 0};
	pe_cct_sum(cct);
	return cct;
}

Test(match, deep_chains)
{
	struct pe_cct *plain = chain(200000, 200001, "odd");
	struct pe_cct *odd = chain(400000, 2, "odd"), *strange = chain(400000, 2, "strange");

	cr_expect(eq(u32, match(odd, odd, PE_MATCH_STRICT).pairs, 400000));
	cr_expect(eq(u32, match(plain, odd, PE_MATCH_SUBSEQUENCE).pairs, 200000),
		  "an inner node between every two");
	cr_expect(eq(u32, match(odd, strange, PE_MATCH_SUBSEQUENCE).pairs, 1));
}
