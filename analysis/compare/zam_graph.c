/* ZAM: the critical graph of one pair of profiles (algorithm 2), perfevo's additions, and what graphs have in common. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/pairing.h"

#include <math.h>

/* --- Gains --- */

/*
 * The additional time of each call of the new tree, where work moved as well, as from a loop to the callbacks of timers, or
 * from one caller to another. A call in a new context gains at most as much as its method gains over all contexts; the rest
 * was done before, elsewhere.
 */
struct zam_gain {
	double *ns; /* by new node, inclusive: gain over its partner, without work that moved here */
	double *moved; /* by new node, inclusive: work that moved here */
	double *own; /* by new node: gain of its own, at most that of its method over all contexts */
};

/* By key: gain of a method over all contexts, with its callees and without. */
struct net {
	double *total, *self;
};

static void add_tree(struct net *net, const struct pe_cct *cct, const struct zam_values *values,
		     const uint32_t *key, double sign)
{
	for (uint32_t i = 0; i < cct->n; i++) {
		net->total[key[cct->nodes[i].frame]] += sign * values->total[i];
		net->self[key[cct->nodes[i].frame]] += sign * values->own[i];
	}
}

struct zam_values pe_zam_times(const struct pe_cct *cct, bool waiting, struct pe_arena *arena)
{
	struct zam_values values = {pe_arena_new(arena, double, cct->n),
				    pe_arena_new(arena, double, cct->n)};

	for (uint32_t i = cct->n; i-- > 0;) {
		if (!waiting || pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			values.own[i] = (double)cct->self_ns[i];
		values.total[i] += values.own[i];
		if (i > 0)
			values.total[cct->nodes[i].parent] += values.total[i];
	}
	return values;
}

/* Find the gain of each new node. key: by frame, of methods. */
static void find_gain(struct zam_gain *out, const struct pe_match *match,
		      const struct zam_values *old_values, const struct zam_values *new_values,
		      const uint32_t *key, struct pe_arena *arena)
{
	const struct pe_cct *old_cct = match->old_cct, *new_cct = match->new_cct;
	uint32_t n_frames = new_cct->frames->n;
	struct net net = {pe_arena_new(arena, double, n_frames),
			  pe_arena_new(arena, double, n_frames)};

	out->ns = pe_arena_new(arena, double, new_cct->n);
	out->moved = pe_arena_new(arena, double, new_cct->n);
	out->own = pe_arena_new(arena, double, new_cct->n);
	add_tree(&net, old_cct, old_values, key, -1);
	add_tree(&net, new_cct, new_values, key, 1);
	/* Children come first, so their sums are complete: out->moved always, out->ns where the parent is new. */
	for (uint32_t j = new_cct->n; j-- > 0;) {
		uint32_t i = match->to_old[j], k = key[new_cct->nodes[j].frame];
		uint32_t parent = new_cct->nodes[j].parent;

		out->own[j] = fmin(new_values->own[j] - (i != PE_CCT_NONE ? old_values->own[i] : 0),
				   fmax(0, net.self[k]));
		if (i == PE_CCT_NONE) {
			out->ns[j] = fmin(out->own[j] + out->ns[j], fmax(0, net.total[k]));
			out->moved[j] = new_values->total[j] - out->ns[j];
		} else {
			out->ns[j] = new_values->total[j] - old_values->total[i] - out->moved[j];
		}
		if (j == 0)
			break;
		out->moved[parent] += out->moved[j];
		if (match->to_old[parent] == PE_CCT_NONE)
			out->ns[parent] += out->ns[j];
	}
}

/* --- Graphs --- */

struct pe_zam_graph pe_zam_graph_new(struct pe_frames *frames, uint32_t n, struct pe_arena *arena)
{
	struct pe_zam_graph graph = {pe_cct_new(frames, n, 0, arena),
				     pe_arena_new(arena, struct zam_place, n)};

	graph.cct->n = 0;
	return graph;
}

uint32_t pe_zam_graph_add(struct pe_zam_graph *graph, uint32_t parent, uint32_t frame,
			  const struct zam_place *place)
{
	const uint32_t at = graph->cct->n++;

	graph->cct->nodes[at] =
		(struct pe_cct_node){.parent = parent, .end = at + 1, .frame = frame};
	graph->at[at] = *place;
	return at;
}

void pe_zam_graph_close(struct pe_zam_graph *graph)
{
	struct pe_cct_node *nodes = graph->cct->nodes;

	for (uint32_t i = graph->cct->n; i-- > 1;)
		if (nodes[nodes[i].parent].end < nodes[i].end)
			nodes[nodes[i].parent].end = nodes[i].end;
}

struct pe_zam_graph pe_zam_graph_shared(const struct pe_zam_graph *a, const struct pe_zam_graph *b,
					bool filter, struct pe_arena *arena)
{
	static const struct pe_match_opts any_order = {
		.rule = PE_MATCH_HYBRID, .no_call_sites = true, .cells = 1};
	uint32_t *at = pe_arena_new(arena, uint32_t, a->cct->n);
	struct pe_match match;
	struct pe_zam_graph graph;

	pe_match_make(&match, a->cct, b->cct, &any_order, arena);
	graph = pe_zam_graph_new(a->cct->frames, match.pairs, arena);
	for (uint32_t i = 0; i < a->cct->n; i++) {
		const struct pe_cct_node *node = &a->cct->nodes[i];
		const uint32_t j = match.to_new[i];
		struct zam_place place = a->at[i];

		if (j == PE_CCT_NONE)
			continue;
		for (int side = 0; side < 2 && !filter; side++) {
			place.ns[side] += b->at[j].ns[side];
			place.own[side] += b->at[j].own[side];
			place.wait[side] += b->at[j].wait[side];
		}
		place.seen = place.seen || b->at[j].seen;
		if (b->at[j].places < place.places)
			place.places = b->at[j].places;
		at[i] = pe_zam_graph_add(&graph, i == 0 ? PE_CCT_NONE : at[node->parent],
					 node->frame, &place);
	}
	pe_zam_graph_close(&graph);
	return graph;
}

/* --- A slowdown of one method in many contexts, by its own times below a call --- */

/* Share of a method's gain above which it counts as the gain of one context. */
static const double MOST_OF_GAIN = 0.75;

/* A method by its key, and its own times over all contexts below a call. */
struct scattered {
	uint32_t key;
	double ns[2]; /* of old and new */
	double most;  /* the largest gain of one context */
	uint32_t
		places; /* contexts that gained; 1 or 0: not scattered, also where one has most of the gain */
};

/* Sums by method, reused from one call to the next. */
struct scatter {
	const struct pe_match *match;
	const uint32_t *key;   /* by frame */
	struct scattered *sum; /* by key; all 0 between calls */
	uint32_t *touched;
	uint32_t n_touched;
};

/* Add own times by key. A key may be listed twice while its sum is 0, which does no harm. */
static void add(struct scatter *scatter, int side, const struct pe_cct *cct, uint32_t from)
{
	for (uint32_t i = from; i < cct->nodes[from].end; i++) {
		uint32_t key = scatter->key[cct->nodes[i].frame];

		if (cct->self_ns[i] == 0 || pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			continue;
		if (scatter->sum[key].ns[side] == 0)
			scatter->touched[scatter->n_touched++] = key;
		scatter->sum[key].ns[side] += (double)cct->self_ns[i];
	}
}

/* Add the gain of each context below a node of the new tree. */
static void add_gains(struct scatter *scatter, uint32_t from)
{
	const struct pe_cct *old_cct = scatter->match->old_cct, *cct = scatter->match->new_cct;

	for (uint32_t j = from; j < cct->nodes[from].end; j++) {
		struct scattered *sum = &scatter->sum[scatter->key[cct->nodes[j].frame]];
		const uint32_t i = scatter->match->to_old[j];
		const double gain = (double)cct->self_ns[j] -
				    (i != PE_CCT_NONE ? (double)old_cct->self_ns[i] : 0);

		if (gain <= 0)
			continue;
		sum->places++;
		sum->most = fmax(sum->most, gain);
	}
}

/* The method that became slower most below a node of the new tree and its partner. Linear in their subtrees. */
static struct scattered find(struct scatter *scatter, uint32_t new_node)
{
	uint32_t old_node = scatter->match->to_old[new_node];
	struct scattered best = {.key = PE_FRAME_NONE};

	scatter->n_touched = 0;
	add(scatter, 1, scatter->match->new_cct, new_node);
	if (old_node != PE_CCT_NONE)
		add(scatter, 0, scatter->match->old_cct, old_node);
	add_gains(scatter, new_node);
	for (uint32_t i = 0; i < scatter->n_touched; i++) {
		struct scattered one = scatter->sum[scatter->touched[i]];

		one.key = scatter->touched[i];
		if (best.key == PE_FRAME_NONE || one.ns[1] - one.ns[0] > best.ns[1] - best.ns[0])
			best = one;
	}
	for (uint32_t i = 0; i < scatter->n_touched; i++)
		scatter->sum[scatter->touched[i]] = (struct scattered){0};
	if (best.most > MOST_OF_GAIN * (best.ns[1] - best.ns[0]))
		best.places = 1;
	return best;
}

/*
 * Add scattered methods below leaves: a method with at least half of the leaf's gain, and the mu of own times, in several
 * contexts, each too small to be detected alone. Below a root without other nodes, one context is enough, because gains
 * elsewhere may have hidden it. A new call is its own cause, whatever its callees are.
 *
 * @param new_node  by node of the graph: its node in the new tree
 * @param key       by frame, of methods
 */
static struct pe_zam_graph with_scattered(const struct pe_zam_graph *graph,
					  const uint32_t *new_node, const struct pe_match *match,
					  const uint32_t *key, double min_own_ns,
					  struct pe_arena *arena)
{
	const struct pe_cct *cct = graph->cct;
	uint32_t *at = pe_arena_new(arena, uint32_t, cct->n);
	struct pe_zam_graph out = pe_zam_graph_new(cct->frames, 2 * cct->n, arena);
	struct scatter scatter = {
		.match = match,
		.key = key,
		.sum = pe_arena_new(arena, struct scattered, cct->frames->n),
		/* Each key may be added for both trees. */
		.touched = pe_arena_new(arena, uint32_t, 2 * (size_t)cct->frames->n),
	};

	for (uint32_t g = 0; g < cct->n; g++) {
		const struct pe_cct_node *node = &cct->nodes[g];
		const double gain = graph->at[g].ns[1] - graph->at[g].ns[0];
		struct scattered found;

		at[g] = pe_zam_graph_add(&out, g > 0 ? at[node->parent] : PE_CCT_NONE, node->frame,
					 &graph->at[g]);
		if (node->end > g + 1 || (g > 0 && !graph->at[g].seen))
			continue;
		found = find(&scatter, new_node[g]);
		if (found.key == PE_FRAME_NONE || (g > 0 && found.places < 2) ||
		    found.key == key[node->frame] ||
		    found.ns[1] - found.ns[0] < fmax(min_own_ns, gain / 2))
			continue;
		pe_zam_graph_add(&out, at[g], found.key,
				 &(struct zam_place){.ns = {found.ns[0], found.ns[1]},
						     .own = {found.ns[0], found.ns[1]},
						     .seen = found.ns[0] > 0,
						     .places = found.places});
	}
	pe_zam_graph_close(&out);
	return out;
}

/* --- One pair --- */

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

	find_gain(&pair.gain, match, &pair.old_time, &pair.new_time, key, arena);
	find_gain(&pair.waiting, match, &pair.old_wait, &pair.new_wait, key, arena);
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
	return mu->min_from_noise
		       ? with_scattered(&graph, new_node, match, key, (double)mu->min_own_ns, arena)
		       : graph;
}
