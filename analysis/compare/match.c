/*
 * Match: pairs below the roots by `relaxed` first. Then, under `subsequence`, left-over children are searched below the other
 * side's left-over children, and `relaxed` continues below each pair found.
 */
#include "analysis/compare/match.h"

#include "analysis/compare/pairing.h"

#include <stdlib.h>
#include <string.h>

const char *pe_match_rule_name(enum pe_match_rule rule)
{
	static const char *const names[PE_N_MATCH_RULES] = {
		[PE_MATCH_SUBSEQUENCE] = "subsequence",
		[PE_MATCH_RELAXED] = "relaxed",
		[PE_MATCH_STRICT] = "strict",
		[PE_MATCH_HYBRID] = "hybrid",
	};

	return names[rule];
}

/* A match while it is made. */
struct making {
	struct side left, right;
	struct level level;
	enum pe_match_rule rule;
};

/* Whether the order of children means nothing: top-level tasks, threads, processes (ZAM alg. 3). */
static bool orderless(const struct making *making, uint32_t l)
{
	return making->rule == PE_MATCH_HYBRID &&
	       (l == 0 || pe_cct_frame(making->left.cct, l)->kind != PE_FRAME_METHOD);
}

/*
 * Pair all nodes below a pair, level by level. The subtree of a node without a partner is skipped, so the work is that of
 * the pairs and their children.
 */
static void pair_below(struct making *making, uint32_t l, enum pe_match_rule rule, uint8_t *state)
{
	const struct pe_cct_node *nodes = making->left.cct->nodes;

	for (uint32_t i = l; i < nodes[l].end;) {
		enum level_rule how = rule == PE_MATCH_STRICT ? LEVEL_PLACE : LEVEL_ORDER;

		if (making->left.partner[i] == PE_CCT_NONE) {
			i = nodes[i].end;
			continue;
		}
		if (state != NULL && i != l)
			state[i] = state[nodes[i].parent];
		if (orderless(making, i))
			how = LEVEL_OCCURRENCE;
		pe_level_pair(&making->level, i, making->left.partner[i], how);
		i++;
	}
}

static void pair_roots(struct making *making)
{
	if (pe_side_skips(&making->left, 0) || pe_side_skips(&making->right, 0))
		return;
	making->left.partner[0] = 0;
	making->right.partner[0] = 0;
}

static uint32_t count(const struct side *side)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < side->cct->n; i++)
		n += side->partner[i] != PE_CCT_NONE;
	return n;
}

/* Count the paired nodes of each subtree; 0 where its root has no partner. */
static uint32_t *count_subtrees(const struct side *side, const uint32_t *partner,
				struct pe_arena *arena)
{
	const struct pe_cct *cct = side->cct;
	uint32_t *n = pe_arena_new(arena, uint32_t, cct->n);

	for (uint32_t i = cct->n; i-- > 0;) {
		n[i] = partner[i] != PE_CCT_NONE ? n[i] + 1 : 0;
		if (i > 0)
			n[cct->nodes[i].parent] += n[i];
	}
	return n;
}

/* Replace the pairs below (and with) one pair by those of `strict`. */
static void replace_pairs(struct side *left, struct side *right, const uint32_t *strict, uint32_t i)
{
	uint32_t end = left->cct->nodes[i].end;

	for (uint32_t k = i; k < end; k++)
		if (left->partner[k] != PE_CCT_NONE) {
			right->partner[left->partner[k]] = PE_CCT_NONE;
			left->partner[k] = PE_CCT_NONE;
		}
	for (uint32_t k = i; k < end; k++)
		if (strict[k] != PE_CCT_NONE) {
			left->partner[k] = strict[k];
			right->partner[strict[k]] = k;
		}
}

/*
 * Take the pairs of `strict` where they are more: a longer common subsequence of children can have fewer pairs below it. They
 * replace the others below each pair of both rules where `strict` has more.
 */
static void take_better(struct making *making, const uint32_t *strict, struct pe_arena *work)
{
	struct side *left = &making->left, *right = &making->right;
	uint32_t *by_place = count_subtrees(left, strict, work);
	uint32_t *by_order = pe_arena_new(work, uint32_t, left->cct->n);
	const struct pe_cct_node *nodes = left->cct->nodes;

	for (uint32_t i = left->cct->n; i-- > 0;) {
		by_order[i] = left->partner[i] != PE_CCT_NONE ? by_order[i] + 1 : 0;
		if (left->partner[i] != PE_CCT_NONE && strict[i] == left->partner[i] &&
		    by_place[i] > by_order[i])
			by_order[i] = by_place[i];
		else
			by_place[i] = 0; /* keeps the pairs by order */
		if (i > 0)
			by_order[nodes[i].parent] += by_order[i];
	}
	for (uint32_t i = 0; i < left->cct->n;) {
		if (by_place[i] == 0) {
			i++;
			continue;
		}
		replace_pairs(left, right, strict, i);
		i = nodes[i].end;
	}
}

static void compare_with_strict(struct making *making)
{
	uint32_t n_left = making->left.cct->n, n_right = making->right.cct->n;
	uint32_t pairs = count(&making->left);
	pe_auto_arena work = PE_ARENA_INIT;
	struct making strict = *making;

	if (pairs == (n_left < n_right ? n_left : n_right))
		return;
	strict.left.partner = pe_cct_no_nodes(n_left, &work);
	strict.right.partner = pe_cct_no_nodes(n_right, &work);
	strict.level.left = &strict.left;
	strict.level.right = &strict.right;
	pair_roots(&strict);
	pair_below(&strict, 0, PE_MATCH_STRICT, NULL);
	making->level = strict.level;
	making->level.left = &making->left;
	making->level.right = &making->right;
	if (count(&strict.left) > pairs)
		take_better(making, strict.left.partner, &work);
}

static void search_below(struct making *making, uint32_t n_keys)
{
	uint32_t n_left = making->left.cct->n, n_right = making->right.cct->n;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct below below = {
		.level = &making->level,
		.state = pe_arena_new(&arena, uint8_t, n_left),
		.holds_left = pe_arena_new(&arena, uint8_t, n_left),
		.holds_right = pe_arena_new(&arena, uint8_t, n_right),
		.wanted = pe_arena_new(&arena, uint32_t, n_keys),
		.stamp = pe_arena_new(&arena, uint32_t, n_keys),
		.candidates = pe_arena_new(&arena, uint32_t, n_keys),
		.candidates_stamp = pe_arena_new(&arena, uint32_t, n_keys),
	};

	/* New pairs come later in preorder, so the state of each is set before its search. */
	for (uint32_t i = 0; i < n_left; i++) {
		if (making->left.partner[i] == PE_CCT_NONE)
			continue;
		pe_below_search(&below, i, making->left.partner[i]);
		for (size_t k = 0; k < below.paired.n; k++)
			pair_below(making, below.paired.data[k], PE_MATCH_RELAXED, below.state);
	}
	pe_below_release(&below);
}

static void start_from(struct making *making, const struct pe_match_opts *opts, bool mirrored)
{
	enum pe_match_rule rule =
		opts->rule == PE_MATCH_SUBSEQUENCE ? PE_MATCH_RELAXED : opts->rule;

	for (uint32_t i = 0; i < opts->n_starts; i++) {
		const struct pe_match_start *start = &opts->starts[i];
		uint32_t l = mirrored ? start->new_node : start->old_node;
		uint32_t r = mirrored ? start->old_node : start->new_node;

		making->left.partner[l] = r;
		making->right.partner[r] = l;
		pair_below(making, l, rule, NULL);
	}
}

static void run_rule(struct making *making, enum pe_match_rule rule, uint32_t n_keys)
{
	pair_roots(making);
	pair_below(making, 0, rule, NULL);
	if (rule == PE_MATCH_RELAXED || rule == PE_MATCH_SUBSEQUENCE)
		compare_with_strict(making);
	if (rule == PE_MATCH_SUBSEQUENCE)
		search_below(making, n_keys);
}

void pe_match_make(struct pe_match *out, const struct pe_cct *old_cct, const struct pe_cct *new_cct,
		   const struct pe_match_opts *opts, struct pe_arena *arena)
{
	static const struct pe_match_opts defaults = {.rule = PE_MATCH_SUBSEQUENCE};
	struct making making = {0};
	pe_auto_arena work = PE_ARENA_INIT;
	uint32_t n_keys = old_cct->frames->n;
	struct side old_side = {0}, new_side = {0};
	const uint32_t *keys, *new_keys;
	bool by_name, mirrored;

	opts = opts != NULL ? opts : &defaults;
	by_name = opts->rule == PE_MATCH_HYBRID;
	keys = pe_side_keys(old_cct->frames, opts->sites.renamed, by_name, &work);
	new_keys = opts->sites.renamed != NULL ? pe_side_keys(old_cct->frames, NULL, by_name, &work)
					       : keys;
	pe_side_make(&old_side, old_cct, opts->cut_old, keys, opts, !opts->no_call_sites, &work);
	pe_side_make(&new_side, new_cct, opts->cut_new, new_keys, NULL, !opts->no_call_sites,
		     &work);
	old_side.partner = pe_cct_no_nodes(old_cct->n, arena);
	new_side.partner = pe_cct_no_nodes(new_cct->n, arena);
	mirrored = pe_side_compare(&old_side, &new_side) > 0;
	making.left = mirrored ? new_side : old_side;
	making.right = mirrored ? old_side : new_side;
	making.rule = opts->rule;
	making.level.left = &making.left;
	making.level.right = &making.right;
	making.level.cells = opts->cells != 0 ? opts->cells : PE_MATCH_CELLS;
	making.level.sites_lead = opts->sites.map_site != NULL;
	making.level.unordered = by_name;
	if (opts->starts != NULL)
		start_from(&making, opts, mirrored);
	else
		run_rule(&making, opts->rule, n_keys);
	*out = (struct pe_match){
		.old_cct = old_cct,
		.new_cct = new_cct,
		.to_new = old_side.partner,
		.to_old = new_side.partner,
		.pairs = count(&making.left),
	};
	pe_level_release(&making.level);
}
