/*
 * ZAM: causes that exact counts tell. What a method executes more for sure made it slower, be it by less than the samples show
 * of a few runs: it is in the graph where the verdict has it as well, in its greatest context; where it is handed the work, the
 * modified method that does that is.
 */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/counted_causes.h"
#include "analysis/compare/side.h"

#include <math.h>
#include <string.h>

/* The graph with room for more nodes, which are in no order yet. */
struct growing {
	struct pe_zam_graph graph;
	uint32_t n, room;
	uint32_t n_before;   /* those that were there before counts put any */
	const uint32_t *key; /* by frame */
	double pairs;
};

/* --- Which --- */

/* A leaf that samples show may be noise, however great: what is sure is no crumb beside it. */
static double greatest(const struct counted_causes *counted)
{
	double most = 0;

	for (uint32_t i = 0; i < counted->n; i++)
		most = fmax(most, counted->at[i].worth_ns);
	return most;
}

/* Whether a leaf is put down to it already. */
static bool is_blamed(const struct growing *growing, const struct pe_zam_graph *graph,
		      const struct pe_changes *changes, uint32_t frame)
{
	const struct pe_cct *cct = graph->cct;

	for (uint32_t i = 1; i < cct->n; i++) {
		uint32_t blamed;

		if (cct->nodes[i].end != i + 1)
			continue;
		blamed = cct->nodes[pe_zam_graph_blamed(graph, changes, i)].frame;
		if (growing->key[blamed] == growing->key[frame])
			return true;
	}
	return false;
}

/* The context that takes most of a method's own time; PE_CCT_NONE: it has none. */
static uint32_t greatest_context(const struct growing *growing, const struct pe_cct *cct,
				 uint32_t frame)
{
	uint32_t best = PE_CCT_NONE;

	for (uint32_t j = 1; j < cct->n; j++)
		if (growing->key[cct->nodes[j].frame] == growing->key[frame] &&
		    (best == PE_CCT_NONE || cct->self_ns[j] > cct->self_ns[best]))
			best = j;
	return best;
}

/* The context of a method that is the nearest above one of another. */
static uint32_t context_above(const struct growing *growing, const struct pe_cct *cct,
			      uint32_t frame, uint32_t above)
{
	uint32_t best = PE_CCT_NONE, least = UINT32_MAX;

	for (uint32_t j = 1; j < cct->n; j++) {
		uint32_t distance = 0, i = j;

		if (growing->key[cct->nodes[j].frame] != growing->key[frame])
			continue;
		while ((i = cct->nodes[i].parent) != PE_CCT_NONE && ++distance < least) {
			if (growing->key[cct->nodes[i].frame] != growing->key[above])
				continue;
			least = distance;
			best = i;
		}
	}
	return best;
}

/* --- Where --- */

static uint32_t child_of(const struct growing *growing, uint32_t parent, uint32_t frame)
{
	for (uint32_t i = 1; i < growing->n; i++) {
		const struct pe_cct_node *node = &growing->graph.cct->nodes[i];

		if (node->parent == parent && growing->key[node->frame] == growing->key[frame])
			return i;
	}
	return PE_CCT_NONE;
}

static uint32_t put_node(struct growing *growing, uint32_t parent, uint32_t frame, double ns)
{
	uint32_t at = growing->n++;

	growing->graph.cct->nodes[at] = (struct pe_cct_node){.parent = parent, .frame = frame};
	growing->graph.times[at].old_ns = growing->graph.times[at].new_ns = ns * growing->pairs;
	growing->graph.seen[at] = 1;
	return at;
}

static uint32_t depth_of(const struct pe_cct *cct, uint32_t context)
{
	uint32_t depth = 0;

	for (uint32_t j = context; j != 0; j = cct->nodes[j].parent)
		depth++;
	return depth;
}

/* Room for the way to a context. */
static void grow(struct growing *growing, uint32_t depth, struct pe_arena *arena)
{
	struct pe_zam_graph more;

	if (growing->n + depth <= growing->room)
		return;
	growing->room = 2 * growing->n + depth;
	more = pe_zam_graph_new(growing->graph.cct->frames, growing->room, arena);
	more.counted = pe_arena_new(arena, uint8_t, growing->room);
	for (uint32_t i = 0; i < growing->n; i++) {
		pe_zam_graph_copy(&more, i, &growing->graph, i,
				  growing->graph.cct->nodes[i].parent);
		if (growing->graph.counted != NULL)
			more.counted[i] = growing->graph.counted[i];
	}
	growing->graph = more;
}

/* What counts say, in a context that they put there: old is so much less than what is known of new. */
static void gain(struct growing *growing, uint32_t at, const struct counted_cause *one)
{
	struct graph_times *times = &growing->graph.times[at];
	double gained = one->worth_ns * growing->pairs, room = fmax(0, times->old_ns);

	times->old_ns = room - fmin(room, gained);
	times->new_ns += gained - fmin(room, gained);
}

/* The way to a context; what samples did not put there gains what counts say. */
static void put_way(struct growing *growing, const struct pe_cct *cct, uint32_t context,
		    const struct counted_cause *one, struct pe_arena *arena)
{
	uint32_t n = depth_of(cct, context), at = 0;
	uint32_t *way = pe_arena_new(arena, uint32_t, n);

	for (uint32_t j = context, k = 0; j != 0; j = cct->nodes[j].parent)
		way[k++] = j;
	while (n-- > 0) {
		uint32_t j = way[n], frame = cct->nodes[j].frame;
		uint32_t found = child_of(growing, at, frame);
		/* Of the method itself over all its contexts; of those above, and of who hands on the work, with all below. */
		bool itself = n == 0 && growing->key[frame] == growing->key[one->decision->frame];

		at = found != PE_CCT_NONE ? found
					  : put_node(growing, at, frame,
						     itself ? one->decision->old_ns + one->worth_ns
							    : (double)cct->total_ns[j]);
		if (at >= growing->n_before)
			gain(growing, at, one);
	}
	growing->graph.counted[at] = 1;
}

/* In preorder, children in the order in which they came. */
static struct pe_zam_graph arrange(const struct growing *growing, struct pe_arena *arena)
{
	const struct pe_zam_graph *from = &growing->graph;
	struct pe_zam_graph out = pe_zam_graph_new(from->cct->frames, growing->n, arena);
	uint32_t *next = pe_arena_new(arena, uint32_t, growing->n); /* sibling */
	uint32_t *first = pe_arena_new(arena, uint32_t, growing->n);
	uint32_t *at = pe_arena_new(arena, uint32_t, growing->n), n = 0;

	out.counted = pe_arena_new(arena, uint8_t, growing->n);
	for (uint32_t i = growing->n; i-- > 1;) {
		uint32_t parent = from->cct->nodes[i].parent;

		next[i] = first[parent];
		first[parent] = i;
	}
	for (uint32_t i = 0;;) {
		uint32_t parent = i > 0 ? at[from->cct->nodes[i].parent] : PE_CCT_NONE;

		pe_zam_graph_copy(&out, n, from, i, parent);
		out.counted[n] = from->counted[i];
		at[i] = n++;
		if (first[i] != 0) {
			i = first[i];
			continue;
		}
		while (i != 0 && next[i] == 0)
			i = from->cct->nodes[i].parent;
		if (i == 0)
			break;
		i = next[i];
	}
	pe_zam_graph_close(out.cct);
	return out;
}

struct pe_zam_graph pe_zam_with_counted(const struct pe_zam_graph *graph,
					const struct zam_profiles *profiles,
					const struct pe_zam_opts *opts, struct pe_arena *arena)
{
	const struct pe_decisions *decisions = opts->decisions;
	const struct pe_cct *news = profiles->news[0];
	struct growing growing = {
		.n = graph->cct->n, .n_before = graph->cct->n, .pairs = profiles->n};
	struct counted_causes counted;
	double least;

	if (decisions == NULL || decisions->n_counted == 0)
		return *graph;
	growing.key = pe_side_keys(graph->cct->frames, NULL, true, arena);
	growing.graph = *graph;
	counted = pe_counted_causes_find(decisions, opts->changes, decisions->counted_ns, arena);
	least = ZAM_CRUMB * greatest(&counted);
	for (uint32_t i = 0; i < counted.n; i++) {
		const struct counted_cause *one = &counted.at[i];
		uint32_t frame = pe_counted_cause_doer(one);
		uint32_t context;

		if (one->worth_ns < fmax(1, least) ||
		    is_blamed(&growing, graph, opts->changes, frame))
			continue;
		context = one->by != PE_FRAME_NONE
				  ? context_above(&growing, news, one->decision->frame, one->by)
				  : greatest_context(&growing, news, frame);
		if (context != PE_CCT_NONE) {
			grow(&growing, depth_of(news, context), arena);
			put_way(&growing, news, context, one, arena);
		}
	}
	return growing.room > 0 ? arrange(&growing, arena) : *graph;
}
