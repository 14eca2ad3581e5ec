/* ZAM: the critical graph of one pair of profiles (algorithm 2), and perfevo's additions. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/pairing.h"

/* A pair of profiles, with the gains of the nodes of the new one. */
struct pair {
	const struct pe_match *match;
	struct zam_values old_time, new_time, old_wait, new_wait; /* by node of either tree */
	struct zam_gain gain, waiting;
	uint8_t *in_graph;
	uint32_t n; /* nodes in the graph */
};

static bool is_call(const struct pe_cct *cct, uint32_t node)
{
	return pe_cct_frame(cct, node)->kind != PE_FRAME_WAITING;
}

/*
 * Whether a call became slower: by mu, or by the mu of waiting alone. Processing varies with the machine's load, and a gain
 * there may hide a longer wait.
 */
static bool is_slower(const struct pair *pair, uint32_t j, const struct pe_zam *mu)
{
	uint32_t i = pair->match->to_old[j];

	if (i == PE_CCT_NONE)
		return pair->gain.ns[j] >= (double)mu->min_ns ||
		       pair->waiting.ns[j] >= (double)mu->min_waiting_ns;
	return pair->new_time.total[j] - pair->old_time.total[i] >= (double)mu->min_ns ||
	       pair->new_wait.total[j] - pair->old_wait.total[i] >= (double)mu->min_waiting_ns;
}

/*
 * Whether the search goes on below a call. A new call is a leaf (algorithm 2), unless it has more than its own gain: work
 * that moved there, or mostly waiting, which a callee causes.
 */
static bool is_entered(const struct pair *pair, uint32_t j, const struct pe_zam *mu)
{
	return pair->match->to_old[j] != PE_CCT_NONE || pair->gain.moved[j] >= (double)mu->min_ns ||
	       pair->waiting.ns[j] >= pair->gain.ns[j] * 3 / 4;
}

/*
 * Mark hidden causes. Definition 2 requires all calls above a cause to be slower, too, but a busy machine or another faster
 * call can hide that. A method in samples whose own time gained the mu of own times over all contexts, and as
 * much in this one, is in the graph with the path to it.
 */
static void mark_hidden(struct pair *pair, const struct pe_zam *mu)
{
	const struct pe_cct *cct = pair->match->new_cct;

	for (uint32_t j = 1; cct->calls == NULL && j < cct->n; j++) {
		uint32_t at = j, parent = cct->nodes[j].parent;

		if (pair->in_graph[j] != 0 || !is_call(cct, j) ||
		    pair->gain.own[j] < (double)mu->min_own_ns)
			continue;
		for (; parent != 0 && !is_entered(pair, parent, mu);
		     parent = cct->nodes[parent].parent)
			at = parent;
		for (uint32_t i = at; pair->in_graph[i] == 0; i = cct->nodes[i].parent) {
			pair->in_graph[i] = 2;
			pair->n++;
		}
	}
}

/* Unmark calls whose time moved there from elsewhere, and calls above them without another marked one. */
static void unmark_moved(struct pair *pair, const struct pe_zam *mu)
{
	const struct pe_cct *cct = pair->match->new_cct;
	uint8_t *in_graph = pair->in_graph;

	for (uint32_t j = cct->n; j-- > 1;) {
		uint32_t parent = cct->nodes[j].parent;

		/* 2: a node below it stays. */
		if (in_graph[j] == 1 && pair->gain.ns[j] < (double)mu->min_ns &&
		    pair->waiting.ns[j] < (double)mu->min_waiting_ns) {
			in_graph[j] = 0;
			pair->n--;
		}
		if (in_graph[j] != 0)
			in_graph[parent] = 2;
	}
}

/*
 * Mark the new nodes in the graph (algorithm 2): below a pair in the graph, pairs that became slower by mu, and new calls
 * that take mu themselves, or wait.
 */
static void mark(struct pair *pair, const struct pe_zam *mu)
{
	const struct pe_cct *new_cct = pair->match->new_cct;

	pair->in_graph[0] = 1;
	pair->n = 1;
	for (uint32_t j = 1; j < new_cct->n;) {
		if (!is_call(new_cct, j) || !is_slower(pair, j, mu)) {
			j = new_cct->nodes[j].end;
			continue;
		}
		pair->in_graph[j] = 1;
		pair->n++;
		j = is_entered(pair, j, mu) ? j + 1 : new_cct->nodes[j].end;
	}
	mark_hidden(pair, mu);
	unmark_moved(pair, mu);
}

static struct zam_place place_of(const struct pair *pair, uint32_t j)
{
	const struct pe_cct *old_cct = pair->match->old_cct, *new_cct = pair->match->new_cct;
	const uint32_t i = pair->match->to_old[j];
	struct zam_place place = {
		.ns[1] = (double)new_cct->total_ns[j],
		.own[1] = (double)new_cct->self_ns[j],
		.wait[1] = pair->new_wait.total[j],
		.seen = i != PE_CCT_NONE,
	};

	if (place.seen) {
		place.ns[0] = (double)old_cct->total_ns[i];
		place.own[0] = (double)old_cct->self_ns[i];
		place.wait[0] = pair->old_wait.total[i];
	} else if (pair->gain.moved[j] > pair->gain.ns[j]) {
		place.ns[0] = pair->gain.moved[j];
		place.seen = true;
	}
	return place;
}

struct pe_zam_graph pe_zam_pair_graph(const struct pe_match *match, const struct pe_zam *mu,
				      struct pe_arena *arena)
{
	const struct pe_cct *new_cct = match->new_cct;
	const uint32_t *key = pe_side_keys(new_cct->frames, NULL, true, arena);
	uint32_t *at = pe_arena_new(arena, uint32_t, new_cct->n), *new_node;
	struct pair pair = {
		.match = match,
		.old_time = pe_zam_times(match->old_cct, false, arena),
		.new_time = pe_zam_times(new_cct, false, arena),
		.old_wait = pe_zam_times(match->old_cct, true, arena),
		.new_wait = pe_zam_times(new_cct, true, arena),
		.in_graph = pe_arena_new(arena, uint8_t, new_cct->n),
	};
	struct pe_zam_graph graph;

	pe_zam_gain_find(&pair.gain, match, &pair.old_time, &pair.new_time, key, arena);
	pe_zam_gain_find(&pair.waiting, match, &pair.old_wait, &pair.new_wait, key, arena);
	mark(&pair, mu);
	graph = pe_zam_graph_new(new_cct->frames, pair.n, arena);
	new_node = pe_arena_new(arena, uint32_t, pair.n);
	for (uint32_t j = 0; j < new_cct->n; j++) {
		const struct pe_cct_node *node = &new_cct->nodes[j];
		const struct zam_place place = place_of(&pair, j);

		if (pair.in_graph[j] == 0)
			continue;
		at[j] = pe_zam_graph_add(&graph, j == 0 ? PE_CCT_NONE : at[node->parent],
					 node->frame, &place);
		new_node[at[j]] = j;
	}
	pe_zam_graph_close(&graph);
	return mu->min_from_noise ? pe_zam_with_scattered(&graph, new_node, match, key,
							  (double)mu->min_own_ns, arena)
				  : graph;
}
