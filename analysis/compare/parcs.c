/* PARCS: the three stages. A cut subtree is marked at its root alone. */
#include "analysis/compare/parcs.h"

#include "analysis/compare/pairing.h"
#include "analysis/compare/steady.h"
#include "core/base/array.h"
#include "core/base/hash_index.h"
#include "core/base/sort.h"
#include "core/base/vec.h"

#include <stdlib.h>

const char *pe_parcs_reason_name(enum pe_parcs_reason reason)
{
	static const char *const names[PE_N_PARCS_REASONS] = {
		[PE_PARCS_DELETED] = "deleted method",
		[PE_PARCS_ADDED] = "added method",
		[PE_PARCS_MODIFIED] = "direct modification",
		[PE_PARCS_SIDE_EFFECT] = "side effect",
		[PE_PARCS_NONDETERMINISM] = "non-determinism",
	};

	return names[reason];
}

/* One of the trees that are cut. */
struct execution {
	const struct pe_runs *runs;
	const struct pe_cct *cct;
	const uint32_t *renamed; /* as in struct pe_match_opts, of old */
	uint8_t *cut;
	struct pe_map unsteady; /* by caller and method: a node */
	bool in_new;
};

struct stages {
	struct execution sides[2]; /* old and new */
	const struct pe_parcs_opts *opts;
	struct pe_arena *arena;
	PE_VEC(struct pe_parcs_cut) cuts;
};

static bool is_modified(const struct stages *stages, const struct pe_cct *cct, uint32_t node)
{
	uint32_t frame = cct->nodes[node].frame;

	/* A modification with the same machine code changes nothing below it. */
	return pe_changes_source(stages->opts->changes, frame) == PE_SOURCE_MODIFIED &&
	       pe_changes_touched(stages->opts->changes, frame);
}

/* The nodes below (and with) a node that are not cut; each node is counted with one cut alone. */
static uint32_t size_of(const struct execution *execution, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t i = node; i < execution->cct->nodes[node].end;) {
		if (execution->cut[i] != 0) {
			i = execution->cct->nodes[i].end;
			continue;
		}
		n++;
		i++;
	}
	return n;
}

/* The modified methods above a node, nearest first (section 3.5). */
static void attribute(struct stages *stages, const struct execution *execution,
		      struct pe_parcs_cut *cut)
{
	pe_auto_free PE_VEC(uint32_t) list = {NULL, 0, 0};

	for (uint32_t up = cut->caller; up != PE_CCT_NONE; up = execution->cct->nodes[up].parent)
		if (is_modified(stages, execution->cct, up))
			pe_vec_push(&list, up);
	cut->n_modified = (uint32_t)list.n;
	cut->modified = list.n > 0 ? pe_vec_copy(stages->arena, &list) : NULL;
}

static void cut_subtree(struct stages *stages, struct execution *execution, uint32_t node,
			enum pe_parcs_reason reason)
{
	struct pe_parcs_cut cut = {
		.reason = reason,
		.in_new = execution->in_new,
		.node = node,
		.nodes = size_of(execution, node),
		.caller = execution->cct->nodes[node].parent,
	};

	if (reason == PE_PARCS_MODIFIED)
		attribute(stages, execution, &cut);
	execution->cut[node] = 1;
	pe_vec_push(&stages->cuts, cut);
}

/* Stage 1: methods that the other revision does not have. */
static void cut_methods(struct stages *stages, struct execution *execution,
			enum pe_source_change which, enum pe_parcs_reason reason)
{
	const struct pe_cct *cct = execution->cct;

	for (uint32_t i = 1; i < cct->n;) {
		if (pe_changes_source(stages->opts->changes, cct->nodes[i].frame) != which) {
			i++;
			continue;
		}
		cut_subtree(stages, execution, i, reason);
		i = cct->nodes[i].end;
	}
}

/* A node of a modified method without one above it, and a hash of its context. */
struct dominator {
	uint32_t node;
	uint64_t context;
};

typedef PE_VEC(struct dominator) dominators;

/* The frame of a node's method in the new tree. */
static uint32_t method_of(const struct execution *execution, uint32_t node)
{
	return pe_changes_new_frame(execution->renamed, execution->cct->nodes[node].frame);
}

static void find_dominators(dominators *out, const struct stages *stages,
			    const struct execution *execution)
{
	const struct pe_cct *cct = execution->cct;
	pe_auto_free uint64_t *context = pe_realloc(NULL, cct->n, sizeof(*context));

	for (uint32_t i = 0; i < cct->n;) {
		const struct pe_cct_node *node = &cct->nodes[i];

		if (execution->cut[i] != 0) {
			i = node->end;
			continue;
		}
		context[i] =
			i == 0 ? 0 : pe_mix(context[node->parent] + method_of(execution, i) + 1);
		if (!is_modified(stages, cct, i)) {
			i++;
			continue;
		}
		pe_vec_push(out, (struct dominator){i, context[i]});
		i = node->end;
	}
}

PE_SORT_BY(by_context, struct dominator, context, node);

/* Pair the k-th dominators of a context: call sites of one caller keep their order. */
static struct pe_match_start *pair_dominators(dominators *olds, dominators *news, uint32_t *n,
					      struct pe_arena *arena)
{
	struct pe_match_start *pairs = pe_arena_new(arena, struct pe_match_start, olds->n);
	size_t i = 0, j = 0;

	*n = 0;
	pe_sort(olds->data, olds->n, by_context);
	pe_sort(news->data, news->n, by_context);
	while (i < olds->n && j < news->n) {
		const struct dominator *a = &olds->data[i], *b = &news->data[j];

		if (a->context == b->context) {
			pairs[(*n)++] = (struct pe_match_start){a->node, b->node};
			i++;
			j++;
		} else {
			*(a->context < b->context ? &i : &j) += 1;
		}
	}
	return pairs;
}

/* Find, for each caller, methods that it calls in some runs of one revision only. */
static void find_unsteady(struct execution *execution)
{
	for (uint32_t i = 1; i < execution->cct->n; i++)
		if (pe_steady_comes_and_goes(execution->runs, i))
			pe_map_put(&execution->unsteady, execution->cct->nodes[i].parent,
				   method_of(execution, i), i, NULL);
}

/*
 * The reason of a node without a partner after stage 3: non-determinism if runs of one revision differ there. Where only
 * the order differs, both trees have the node, and a difference between runs of one of them is enough.
 */
static enum pe_parcs_reason last_reason(const struct stages *stages,
					const struct execution *execution, uint32_t node,
					const uint32_t *partner)
{
	const struct execution *other = &stages->sides[execution->in_new ? 0 : 1];
	uint32_t parent = execution->cct->nodes[node].parent;
	uint32_t method = method_of(execution, node);
	bool twin = parent != PE_CCT_NONE && partner[parent] != PE_CCT_NONE &&
		    pe_map_find(&other->unsteady, partner[parent], method) != NULL;

	return twin || pe_steady_comes_and_goes(execution->runs, node) ? PE_PARCS_NONDETERMINISM
								       : PE_PARCS_SIDE_EFFECT;
}

/* Cut subtrees without a partner below (and with) a node. */
static void cut_unpaired(struct stages *stages, struct execution *execution, uint32_t node,
			 const uint32_t *partner, bool last_stage)
{
	const struct pe_cct *cct = execution->cct;

	for (uint32_t i = node; i < cct->nodes[node].end;) {
		if (execution->cut[i] != 0) {
			i = cct->nodes[i].end;
			continue;
		}
		if (partner[i] != PE_CCT_NONE) {
			i++;
			continue;
		}
		cut_subtree(stages, execution, i,
			    last_stage ? last_reason(stages, execution, i, partner)
				       : PE_PARCS_MODIFIED);
		i = cct->nodes[i].end;
	}
}

static struct pe_match_opts relaxed(const struct stages *stages)
{
	struct pe_match_opts opts = stages->opts->match;

	opts.rule = PE_MATCH_RELAXED;
	opts.cut_old = stages->sides[0].cut;
	opts.cut_new = stages->sides[1].cut;
	opts.starts = NULL;
	return opts;
}

/* Stage 2: cut below modified methods that both trees call in the same context. */
static void cut_below_dominators(struct stages *stages)
{
	pe_auto_arena work = PE_ARENA_INIT;
	dominators found[2] = {{0}, {0}};
	struct pe_match_opts opts = relaxed(stages);
	struct pe_match match;

	for (int side = 0; side < 2; side++)
		find_dominators(&found[side], stages, &stages->sides[side]);
	opts.starts = pair_dominators(&found[0], &found[1], &opts.n_starts, &work);
	pe_match_make(&match, stages->sides[0].cct, stages->sides[1].cct, &opts, &work);
	for (uint32_t i = 0; i < opts.n_starts; i++) {
		cut_unpaired(stages, &stages->sides[0], opts.starts[i].old_node, match.to_new,
			     false);
		cut_unpaired(stages, &stages->sides[1], opts.starts[i].new_node, match.to_old,
			     false);
	}
	for (int side = 0; side < 2; side++)
		pe_vec_release(&found[side]);
}

PE_SORT_BY(by_reason, struct pe_parcs_cut, reason, in_new, node);

static void hand_over(struct pe_parcs *out, struct stages *stages)
{
	out->n_cuts = (uint32_t)stages->cuts.n;
	out->cuts = pe_arena_new(stages->arena, struct pe_parcs_cut, out->n_cuts);
	for (uint32_t i = 0; i < out->n_cuts; i++) {
		const struct pe_parcs_cut *cut = &stages->cuts.data[i];

		out->cuts[i] = *cut;
		out->subtrees[cut->reason]++;
		out->nodes[cut->reason] += cut->nodes;
	}
	pe_sort(out->cuts, out->n_cuts, by_reason);
	pe_vec_release(&stages->cuts);
}

static void run_stages(struct pe_parcs *out, struct stages *stages)
{
	struct execution *sides = stages->sides;
	struct pe_match_opts opts;

	cut_methods(stages, &sides[0], PE_SOURCE_DELETED, PE_PARCS_DELETED);
	cut_methods(stages, &sides[1], PE_SOURCE_ADDED, PE_PARCS_ADDED);
	cut_below_dominators(stages);
	opts = relaxed(stages);
	pe_match_make(&out->common, sides[0].cct, sides[1].cct, &opts, stages->arena);
	for (int side = 0; side < 2; side++)
		find_unsteady(&sides[side]);
	cut_unpaired(stages, &sides[0], 0, out->common.to_new, true);
	cut_unpaired(stages, &sides[1], 0, out->common.to_old, true);
	out->common_share = (double)out->common.pairs / sides[0].cct->n;
	for (int side = 0; side < 2; side++)
		pe_map_release(&sides[side].unsteady);
}

/* The overlap of two executions of the new revision; 1 where it ran once. For counting runs it is stored with their tree. */
static double own_noise(const struct pe_runs *runs, enum pe_parcs_weight weight, bool *known)
{
	static const struct pe_match_opts opts = {.rule = PE_MATCH_RELAXED};
	pe_auto_arena work = PE_ARENA_INIT;
	const struct pe_cct_facts *facts = &runs->cct->facts;
	struct pe_match match;

	*known = weight != PE_PARCS_TIME && facts->counting_runs > 1;
	if (*known)
		return facts->own_overlap[weight == PE_PARCS_ALLOCATIONS];
	if (runs->n < 2)
		return 1;
	pe_match_make(&match, runs->at[0], runs->at[1], &opts, &work);
	return pe_parcs_own_overlap(&match, weight, known);
}

void pe_parcs_make(struct pe_parcs *out, const struct pe_runs *old_runs,
		   const struct pe_runs *new_runs, const struct pe_parcs_opts *opts,
		   struct pe_arena *arena)
{
	struct stages stages = {
		.sides = {{.runs = old_runs,
			   .cct = old_runs->cct,
			   .renamed = opts->match.sites.renamed},
			  {.runs = new_runs, .cct = new_runs->cct, .in_new = true}},
		.opts = opts,
		.arena = arena,
	};

	*out = (struct pe_parcs){0};
	for (int side = 0; side < 2; side++)
		stages.sides[side].cut = pe_arena_new(arena, uint8_t, stages.sides[side].cct->n);
	run_stages(out, &stages);
	hand_over(out, &stages);
	for (int weight = 0; weight < PE_N_PARCS_WEIGHTS; weight++) {
		bool known = false;
		double threshold =
			opts->threshold > 0
				? opts->threshold
				: own_noise(new_runs, (enum pe_parcs_weight)weight, &known);
		uint32_t top = opts->top;

		if (top == 0)
			top = known || opts->threshold > 0 ? 1000 : 10;
		pe_parcs_overlap(&out->weights[weight], &out->common, (enum pe_parcs_weight)weight,
				 opts->shows, threshold, top, arena);
		out->weights[weight].own_noise = known;
	}
}
