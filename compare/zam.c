/* ZAM: one critical graph a pair of profiles, then what all of them share. */
#include "compare/zam.h"

#include "compare/scattered.h"
#include "compare/side.h"
#include "compare/timeline.h"
#include "compare/tree.h"
#include "compare/zam_gain.h"
#include "compare/zam_graph.h"
#include "compare/zam_steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What makes a difference. */
struct bound {
	double min_ns, min_waiting_ns, min_own_ns;
	bool scattered; /* look below leaves */
};

/* A pair of profiles: what is to be told of each node of the new one. */
struct pair {
	const struct pe_match *match;
	struct zam_figures old_time, new_time, old_wait, new_wait; /* by node of either tree */
	struct zam_gain gain, waiting;
	uint8_t *in_graph;
	uint32_t n; /* nodes in it */
};

static bool is_call(const struct pe_cct *cct, uint32_t node)
{
	return pe_cct_frame(cct, node)->kind != PE_FRAME_WAITING;
}

/*
 * Whether a call got slower: by mu, or by waiting alone. Processing varies with all else that the machine does, and what
 * it gains may hide what is waited for now.
 */
static bool is_slower(const struct pair *pair, uint32_t j, const struct bound *bound)
{
	uint32_t i = pair->match->to_old[j];

	if (i == PE_CCT_NONE)
		return pair->gain.ns[j] >= bound->min_ns ||
		       pair->waiting.ns[j] >= bound->min_waiting_ns;
	return pair->new_time.total[j] - pair->old_time.total[i] >= bound->min_ns ||
	       pair->new_wait.total[j] - pair->old_wait.total[i] >= bound->min_waiting_ns;
}

/*
 * New calls are the lowest there is to say (algorithm 2), unless they hold more than what is new: what moved into them,
 * or waiting, which is for the function that schedules to answer for.
 */
static bool is_entered(const struct pair *pair, uint32_t j, const struct bound *bound)
{
	return pair->match->to_old[j] != PE_CCT_NONE || pair->gain.moved[j] >= bound->min_ns ||
	       pair->waiting.ns[j] >= pair->gain.ns[j] * 3 / 4;
}

/*
 * Definition 2 asks that all calls above a cause got slower as well. On a busy machine, and where something else got
 * faster, they did not: samples of a method that became dearer by mu over all contexts, and by mu in this one, are in the
 * graph with the way to them all the same. This mu is that of own times.
 */
static void mark_hidden(struct pair *pair, const struct bound *bound)
{
	const struct pe_cct *cct = pair->match->new_cct;

	for (uint32_t j = 1; cct->calls == NULL && j < cct->n; j++) {
		uint32_t at = j, parent = cct->nodes[j].parent;

		if (pair->in_graph[j] != 0 || !is_call(cct, j) ||
		    pair->gain.own[j] < bound->min_own_ns)
			continue;
		for (; parent != 0 && !is_entered(pair, parent, bound);
		     parent = cct->nodes[parent].parent)
			at = parent;
		for (uint32_t i = at; pair->in_graph[i] == 0; i = cct->nodes[i].parent) {
			pair->in_graph[i] = 2;
			pair->n++;
		}
	}
}

/* Calls whose time came from elsewhere are no causes, and so are those above them that have nothing else. */
static void unmark_moved(struct pair *pair, const struct bound *bound)
{
	const struct pe_cct *cct = pair->match->new_cct;
	uint8_t *in_graph = pair->in_graph;

	for (uint32_t j = cct->n; j-- > 1;) {
		uint32_t parent = cct->nodes[j].parent;

		/* 2: something below it stays. */
		if (in_graph[j] == 1 && pair->gain.ns[j] < bound->min_ns &&
		    pair->waiting.ns[j] < bound->min_waiting_ns) {
			in_graph[j] = 0;
			pair->n--;
		}
		if (in_graph[j] != 0)
			in_graph[parent] = 2;
	}
}

/*
 * Which new nodes are in the graph (algorithm 2): below a pair that is in it, pairs that got slower by mu,
 * and new calls that take mu themselves, or wait.
 */
static void mark(struct pair *pair, const struct bound *bound)
{
	const struct pe_cct *new_cct = pair->match->new_cct;

	pair->in_graph[0] = 1;
	pair->n = 1;
	for (uint32_t j = 1; j < new_cct->n;) {
		if (!is_call(new_cct, j) || !is_slower(pair, j, bound)) {
			j = new_cct->nodes[j].end;
			continue;
		}
		pair->in_graph[j] = 1;
		pair->n++;
		j = is_entered(pair, j, bound) ? j + 1 : new_cct->nodes[j].end;
	}
	mark_hidden(pair, bound);
	unmark_moved(pair, bound);
}

/*
 * Below a leaf whose slowdown is that of one method in several contexts which are all under mu, this method: at least
 * half of it, and mu. Below the root, too, when nothing else is: what became slower, be it in one context, may have
 * been made up for. A new call is its own cause, whatever it spends its time in.
 */
static struct graph with_scattered(const struct graph *graph, const uint32_t *new_node,
				   const struct pe_match *match, const struct bound *bound,
				   struct pe_arena *arena)
{
	const struct pe_cct *cct = graph->cct;
	uint32_t *key = pe_side_keys(cct->frames, NULL, true, arena), n = 0;
	uint32_t *at = pe_arena_new(arena, uint32_t, cct->n);
	struct graph out = graph_new(cct->frames, 2 * cct->n, arena);
	struct scatter scatter;

	scatter_init(&scatter, match, key, cct->frames->n, arena);
	for (uint32_t g = 0; g < cct->n; g++) {
		double gain = graph->new_ns[g] - graph->old_ns[g];
		struct scattered found;

		graph_copy(&out, n, graph, g, g > 0 ? at[cct->nodes[g].parent] : PE_CCT_NONE);
		at[g] = n++;
		if (cct->nodes[g].end > g + 1 || (g > 0 && graph->seen[g] == 0))
			continue;
		found = scatter_find(&scatter, new_node[g]);
		if (found.key == PE_FRAME_NONE || (g > 0 && found.places < 2) ||
		    found.key == key[cct->nodes[g].frame] ||
		    found.new_ns - found.old_ns < fmax(bound->min_own_ns, gain / 2))
			continue;
		out.cct->nodes[n] = (struct pe_cct_node){.parent = at[g], .frame = found.key};
		out.old_ns[n] = found.old_ns;
		out.new_ns[n] = found.new_ns;
		out.old_own[n] = found.old_ns;
		out.new_own[n] = found.new_ns;
		out.seen[n] = found.old_ns > 0;
		out.places[n++] = found.places;
	}
	out.cct->n = n;
	graph_close(out.cct);
	return out;
}

static void put_node(struct graph *graph, uint32_t n, const struct pair *pair, uint32_t j,
		     uint32_t parent)
{
	const struct pe_cct *old_cct = pair->match->old_cct, *new_cct = pair->match->new_cct;
	uint32_t i = pair->match->to_old[j];
	bool is_new = i == PE_CCT_NONE, is_moved = is_new && pair->gain.moved[j] > pair->gain.ns[j];

	graph->cct->nodes[n] =
		(struct pe_cct_node){.parent = parent, .frame = new_cct->nodes[j].frame};
	graph->old_ns[n] = is_moved ? pair->gain.moved[j]
			   : is_new ? 0
				    : (double)old_cct->total_ns[i];
	graph->new_ns[n] = (double)new_cct->total_ns[j];
	graph->old_own[n] = is_new ? 0 : (double)old_cct->self_ns[i];
	graph->new_own[n] = (double)new_cct->self_ns[j];
	graph->old_wait[n] = is_new ? 0 : pair->old_wait.total[i];
	graph->new_wait[n] = pair->new_wait.total[j];
	graph->seen[n] = !is_new || is_moved;
}

static struct graph critical_graph(const struct pe_match *match, const struct bound *bound,
				   struct pe_arena *arena)
{
	const struct pe_cct *new_cct = match->new_cct;
	const uint32_t *key = pe_side_keys(new_cct->frames, NULL, true, arena);
	uint32_t *at = pe_arena_new(arena, uint32_t, new_cct->n), *new_node, n = 0;
	struct pair pair = {
		.match = match,
		.old_time = zam_times(match->old_cct, arena),
		.new_time = zam_times(new_cct, arena),
		.old_wait = zam_waiting(match->old_cct, arena),
		.new_wait = zam_waiting(new_cct, arena),
		.in_graph = pe_arena_new(arena, uint8_t, new_cct->n),
	};
	struct graph graph;

	zam_gain_find(&pair.gain, match, &pair.old_time, &pair.new_time, key, arena);
	zam_gain_find(&pair.waiting, match, &pair.old_wait, &pair.new_wait, key, arena);
	mark(&pair, bound);
	graph = graph_new(new_cct->frames, pair.n, arena);
	new_node = pe_arena_new(arena, uint32_t, pair.n);
	for (uint32_t j = 0; j < new_cct->n; j++) {
		if (pair.in_graph[j] == 0)
			continue;
		put_node(&graph, n, &pair, j, j == 0 ? PE_CCT_NONE : at[new_cct->nodes[j].parent]);
		new_node[n] = j;
		at[j] = n++;
	}
	graph_close(graph.cct);
	return bound->scattered ? with_scattered(&graph, new_node, match, bound, arena) : graph;
}

/* What is left says only which calls got slower. */
static void graph_forget_times(struct graph *graph)
{
	size_t size = graph->cct->n * sizeof(double);

	memset(graph->old_ns, 0, size);
	memset(graph->new_ns, 0, size);
	memset(graph->old_own, 0, size);
	memset(graph->new_own, 0, size);
	memset(graph->old_wait, 0, size);
	memset(graph->new_wait, 0, size);
}

/* What both graphs have, level by level, by component and name, in any order (section 3.2). */
static struct graph shared_graph(const struct graph *a, const struct graph *b,
				 struct pe_arena *arena)
{
	static const struct pe_match_opts any_order = {
		.rule = PE_MATCH_HYBRID, .no_call_sites = true, .cells = 1};
	uint32_t *at = pe_arena_new(arena, uint32_t, a->cct->n);
	struct pe_match match;
	struct graph graph;
	uint32_t n = 0;

	pe_match_make(&match, a->cct, b->cct, &any_order, arena);
	graph = graph_new(a->cct->frames, match.pairs, arena);
	for (uint32_t i = 0; i < a->cct->n; i++) {
		const struct pe_cct_node *node = &a->cct->nodes[i];
		uint32_t j = match.to_new[i];

		if (j == PE_CCT_NONE)
			continue;
		graph.cct->nodes[n] = (struct pe_cct_node){
			.parent = i == 0 ? PE_CCT_NONE : at[node->parent], .frame = node->frame};
		graph.old_ns[n] = a->old_ns[i] + b->old_ns[j];
		graph.new_ns[n] = a->new_ns[i] + b->new_ns[j];
		graph.old_own[n] = a->old_own[i] + b->old_own[j];
		graph.new_own[n] = a->new_own[i] + b->new_own[j];
		graph.old_wait[n] = a->old_wait[i] + b->old_wait[j];
		graph.new_wait[n] = a->new_wait[i] + b->new_wait[j];
		graph.seen[n] = a->seen[i] | b->seen[j];
		graph.places[n] = a->places[i] < b->places[j] ? a->places[i] : b->places[j];
		at[i] = n++;
	}
	graph_close(graph.cct);
	return graph;
}

/*
 * Where noise is what counts, the graph of the pairs has to hold against other pairs of the same runs as well: with two
 * pairs, every old run against every new one. Two runs that were slow by chance and stand on the same side do not.
 */
static struct graph crossed(const struct graph *graph, const struct profiles *profiles,
			    const struct pe_match_opts *how, const struct pe_changes *changes,
			    const struct bound *bound, struct pe_arena *arena)
{
	struct graph out = *graph;

	for (uint32_t i = 0; profiles->n > 1 && i < profiles->n; i++) {
		const struct pe_cct *new_cct = profiles->news[(i + 1) % profiles->n];
		struct pe_match match;
		struct graph other;

		pe_match_make(&match, profiles->olds[i], new_cct, how, arena);
		zam_steady_match(&match, changes, arena);
		other = critical_graph(&match, bound, arena);
		graph_forget_times(&other);
		out = shared_graph(&out, &other, arena);
	}
	return out;
}

/* The most that any node's figures differ between two runs of one revision. */
static double most_apart(const struct pe_match *match, const struct zam_figures *a,
			 const struct zam_figures *b)
{
	double most = 0;

	for (uint32_t i = 0; i < match->old_cct->n; i++) {
		uint32_t j = match->to_new[i];

		most = fmax(most, fabs(a->total[i] - (j != PE_CCT_NONE ? b->total[j] : 0)));
	}
	for (uint32_t j = 0; j < match->new_cct->n; j++)
		if (match->to_old[j] == PE_CCT_NONE)
			most = fmax(most, b->total[j]);
	return most;
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double middle(double *values, uint32_t n)
{
	if (n == 0)
		return 0;
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

/* By key: own time over all contexts. */
static const double *own_sums(const struct pe_cct *cct, const uint32_t *key, struct pe_arena *arena)
{
	double *sums = pe_arena_new(arena, double, cct->frames->n);

	for (uint32_t i = 0; i < cct->n; i++)
		if (is_call(cct, i))
			sums[key[cct->nodes[i].frame]] += (double)cct->self_ns[i];
	return sums;
}

/* What the own time of any method differs by between two runs of one side: of all such pairs the middle one. */
static double own_noise(const struct profiles *profiles, struct pe_arena *arena)
{
	const struct pe_frames *frames = profiles->olds[0]->frames;
	const uint32_t *key = pe_side_keys(frames, NULL, true, arena);
	uint32_t n = profiles->n, pairs = 0;
	double *most = pe_arena_new(arena, double, (size_t)n *n);
	const double **sums = pe_arena_new(arena, const double *, 2 * (size_t)n);

	for (uint32_t i = 0; i < n; i++) {
		sums[i] = own_sums(profiles->olds[i], key, arena);
		sums[n + i] = own_sums(profiles->news[i], key, arena);
	}
	for (uint32_t i = 0; i < 2 * n; i++)
		for (uint32_t j = i + 1; j < (i < n ? n : 2 * n); j++, pairs++)
			for (uint32_t k = 0; k < frames->n; k++)
				most[pairs] = fmax(most[pairs], fabs(sums[i][k] - sums[j][k]));
	return middle(most, pairs);
}

/* What neighbouring runs of one side are apart at most, of time and of waiting: n - 1 of each. */
static void side_noise(double *times, double *waits, const struct pe_cct *const *runs, uint32_t n,
		       const struct pe_match_opts *opts)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct pe_cct *a = runs[i - 1], *b = runs[i];
		struct pe_arena work = PE_ARENA_INIT;
		struct zam_figures times_a = zam_times(a, &work), times_b = zam_times(b, &work);
		struct zam_figures waits_a = zam_waiting(a, &work), waits_b = zam_waiting(b, &work);
		struct pe_match match;

		pe_match_make(&match, a, b, opts, &work);
		times[i - 1] = most_apart(&match, &times_a, &times_b);
		waits[i - 1] = most_apart(&match, &waits_a, &waits_b);
		pe_arena_release(&work);
	}
}

/*
 * The middle one over both sides. Not the greatest: a sampler puts a long call below another caller now and then. Not
 * of one side alone: with two pairs that is one figure, which may be small by chance. And a cause has to show in every
 * pair anyway.
 */
static void find_noise(struct pe_zam *out, const struct profiles *profiles,
		       const struct pe_match_opts *opts)
{
	struct pe_arena work = PE_ARENA_INIT;
	uint32_t n = profiles->n, gaps = n - 1;
	double *times = pe_arena_new(&work, double, 2 * (size_t)n);
	double *waits = pe_arena_new(&work, double, 2 * (size_t)n);
	double whole = 0, least;

	side_noise(times, waits, profiles->olds, n, opts);
	side_noise(times + gaps, waits + gaps, profiles->news, n, opts);
	for (uint32_t i = 0; i < n; i++)
		whole += (double)profiles->olds[i]->total_ns[0] / n;
	least = fmax(1, floor(whole / 100));
	out->min_ns = (uint64_t)fmax(least, middle(times, 2 * gaps));
	out->min_waiting_ns = (uint64_t)fmax(least, middle(waits, 2 * gaps));
	out->min_own_ns = (uint64_t)fmax(least, own_noise(profiles, &work));
	pe_arena_release(&work);
}

/* Sums of own time by method. */
struct sums {
	double *old_ns, *new_ns; /* by key, over all pairs */
	double *least;           /* the smallest difference of any pair */
	uint32_t *contexts, *now;
};

static void sum_pair(struct sums *sums, const struct pe_cct *old_cct, const struct pe_cct *new_cct,
		     const uint32_t *key, uint32_t n_keys, double *before, double *after)
{
	memset(before, 0, n_keys * sizeof(*before));
	memset(after, 0, n_keys * sizeof(*after));
	memset(sums->now, 0, n_keys * sizeof(*sums->now));
	for (uint32_t i = 0; i < old_cct->n; i++)
		before[key[old_cct->nodes[i].frame]] += (double)old_cct->self_ns[i];
	for (uint32_t j = 0; j < new_cct->n; j++) {
		after[key[new_cct->nodes[j].frame]] += (double)new_cct->self_ns[j];
		sums->now[key[new_cct->nodes[j].frame]]++;
	}
	for (uint32_t k = 0; k < n_keys; k++) {
		sums->old_ns[k] += before[k];
		sums->new_ns[k] += after[k];
		sums->least[k] = fmin(sums->least[k], after[k] - before[k]);
		if (sums->now[k] > sums->contexts[k])
			sums->contexts[k] = sums->now[k];
	}
}

static int by_difference(const void *x, const void *y)
{
	const struct pe_zam_method *a = x, *b = y;
	double size_a = a->new_ns - a->old_ns, size_b = b->new_ns - b->old_ns;

	if (size_a != size_b)
		return size_a > size_b ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

/* Bottom-up: a slowdown spread over many contexts, each under mu. */
static void sum_methods(struct pe_zam *out, const struct profiles *profiles, struct pe_arena *arena)
{
	struct pe_arena work = PE_ARENA_INIT;
	struct pe_frames *frames = profiles->news[0]->frames;
	uint32_t n = frames->n;
	const uint32_t *key = pe_side_keys(frames, NULL, true, &work);
	uint8_t *is_cause = pe_arena_new(&work, uint8_t, n);
	double *before = pe_arena_new(&work, double, n), *after = pe_arena_new(&work, double, n);
	struct sums sums = {
		.old_ns = pe_arena_new(&work, double, n),
		.new_ns = pe_arena_new(&work, double, n),
		.least = pe_arena_new(&work, double, n),
		.contexts = pe_arena_new(&work, uint32_t, n),
		.now = pe_arena_new(&work, uint32_t, n),
	};

	for (uint32_t k = 0; k < n; k++)
		sums.least[k] = INFINITY;
	for (uint32_t i = 0; i < profiles->n; i++)
		sum_pair(&sums, profiles->olds[i], profiles->news[i], key, n, before, after);
	for (uint32_t i = 0; i < out->n; i++)
		if (out->nodes[i].cause)
			is_cause[key[out->nodes[i].frame]] = 1;
	for (uint32_t k = 0; k < n; k++) {
		if (frames->at[k].kind == PE_FRAME_WAITING)
			sums.least[k] = 0;
		out->n_methods += sums.least[k] >= (double)out->min_own_ns;
	}
	out->methods = pe_arena_new(arena, struct pe_zam_method, out->n_methods);
	out->n_methods = 0;
	for (uint32_t k = 0; k < n; k++)
		if (sums.least[k] >= (double)out->min_own_ns)
			out->methods[out->n_methods++] = (struct pe_zam_method){
				.frame = k,
				.old_ns = sums.old_ns[k] / profiles->n,
				.new_ns = sums.new_ns[k] / profiles->n,
				.contexts = sums.contexts[k],
				.in_graph = is_cause[k] != 0,
			};
	if (out->n_methods > 1)
		qsort(out->methods, out->n_methods, sizeof(*out->methods), by_difference);
	pe_arena_release(&work);
}

/* A leaf, or the nearest modified method above one that nobody touched: it hands on more work. */
static uint32_t blame(const struct graph *graph, const struct pe_changes *changes, uint32_t leaf)
{
	const struct pe_cct_node *nodes = graph->cct->nodes;

	for (uint32_t i = leaf; i != PE_CCT_NONE && graph->places[leaf] == 0; i = nodes[i].parent)
		if (pe_changes_touched(changes, nodes[i].frame))
			return i;
	return leaf;
}

/* What holds calls together is no cause of its own, where samples tell calls. */
static bool is_cause(const struct pe_cct *cct, uint32_t node, bool sampled)
{
	enum pe_frame_kind kind = pe_cct_frame(cct, node)->kind;

	return node > 0 && cct->nodes[node].end == node + 1 &&
	       (!sampled || (kind != PE_FRAME_PROCESS && kind != PE_FRAME_THREAD));
}

static void hand_over(struct pe_zam *out, const struct graph *graph,
		      const struct pe_changes *changes, bool sampled, struct pe_arena *arena)
{
	const struct pe_cct *cct = graph->cct;

	out->n = cct->n;
	out->nodes = pe_arena_new(arena, struct pe_zam_node, cct->n);
	for (uint32_t i = 0; i < cct->n; i++) {
		out->nodes[i] = (struct pe_zam_node){
			.parent = cct->nodes[i].parent,
			.end = cct->nodes[i].end,
			.frame = cct->nodes[i].frame,
			.added = graph->seen[i] == 0,
			.places = graph->places[i],
			.cause = is_cause(cct, i, sampled),
			.blamed = PE_CCT_NONE,
			.old_ns = graph->old_ns[i] / out->pairs,
			.new_ns = graph->new_ns[i] / out->pairs,
			.old_waiting_ns = graph->old_wait[i] / out->pairs,
			.new_waiting_ns = graph->new_wait[i] / out->pairs,
		};
		if (out->nodes[i].cause)
			out->nodes[i].blamed = blame(graph, changes, i);
		out->causes += out->nodes[i].cause;
	}
	out->nodes[0].old_ns += out->old_rest.waiting_ns + out->old_rest.engine_ns;
	out->nodes[0].new_ns += out->new_rest.waiting_ns + out->new_rest.engine_ns;
}

/* The calls of a profile; what is none of them goes to the means of its side. */
static const struct pe_cct *calls_of(const struct pe_cct *cct, const struct pe_zam_opts *opts,
				     uint32_t n, struct pe_zam_rest *mean, struct pe_arena *arena)
{
	struct timeline_rest rest;
	const struct pe_cct *calls = timeline_calls(
		opts->keep_nameless ? cct : pe_tree_pruned(cct, arena), &rest, arena);

	mean->waiting_ns += rest.waiting_ns / n;
	mean->engine_ns += rest.engine_ns / n;
	return calls;
}

static int check(const struct pe_cct *const *olds, const struct pe_cct *const *news, uint32_t n,
		 struct pe_err *err)
{
	if (n == 0)
		return pe_fail(err, PE_EINVALID,
			       "a critical graph needs an old and a new profile at least");
	for (uint32_t i = 0; i < n; i++)
		if (olds[i]->total_ns == NULL || news[i]->total_ns == NULL)
			return pe_fail(err, PE_EINVALID,
				       "the %s profile of pair %u has no times, by which calls "
				       "that got slower could be told",
				       olds[i]->total_ns == NULL ? "old" : "new", i + 1);
	return PE_OK;
}

/* In which order samples first met siblings is chance: it decides nothing (algorithm 3 has the rule for that). */
static struct pe_match_opts how_to_match(const struct pe_cct *const *olds,
					 const struct pe_cct *const *news, uint32_t n,
					 const struct pe_match_opts *opts)
{
	struct pe_match_opts how = *opts;

	for (uint32_t i = 0; i < n; i++)
		if (how.rule == PE_MATCH_HYBRID && olds[i]->calls == NULL && news[i]->calls == NULL)
			how.cells = 1;
	return how;
}

int pe_zam_make(struct pe_zam *out, const struct pe_cct *const *olds,
		const struct pe_cct *const *news, uint32_t n, const struct pe_zam_opts *opts,
		struct pe_arena *arena, struct pe_err *err)
{
	static const struct pe_zam_opts defaults = PE_ZAM_DEFAULTS;
	struct pe_arena work = PE_ARENA_INIT;
	struct profiles profiles = {.n = n}, steady = {.n = n};
	struct graph graph = {0};
	struct pe_match_opts how;
	struct bound bound;
	int rc = check(olds, news, n, err);

	if (rc < 0)
		return rc;
	opts = opts != NULL ? opts : &defaults;
	how = how_to_match(olds, news, n, &opts->match);
	*out = (struct pe_zam){.pairs = n,
			       .min_ns = opts->min_ns,
			       .min_waiting_ns = opts->min_ns,
			       .min_own_ns = opts->min_ns};
	profiles.olds = pe_arena_new(&work, const struct pe_cct *, n);
	profiles.news = pe_arena_new(&work, const struct pe_cct *, n);
	steady.olds = pe_arena_new(&work, const struct pe_cct *, n);
	steady.news = pe_arena_new(&work, const struct pe_cct *, n);
	for (uint32_t i = 0; i < n; i++) {
		out->nodes_in += news[i]->n;
		profiles.olds[i] = calls_of(olds[i], opts, n, &out->old_rest, &work);
		profiles.news[i] = calls_of(news[i], opts, n, &out->new_rest, &work);
	}
	if (out->min_ns == 0) {
		find_noise(out, &profiles, &how);
		out->min_from_noise = true;
	}
	bound = (struct bound){(double)out->min_ns, (double)out->min_waiting_ns,
			       (double)out->min_own_ns, out->min_from_noise};
	for (uint32_t i = 0; i < n; i++) {
		struct pe_match match;
		struct graph pair;

		pe_match_make(&match, profiles.olds[i], profiles.news[i], &how, &work);
		zam_steady_match(&match, opts->changes, &work);
		steady.olds[i] = match.old_cct;
		steady.news[i] = match.new_cct;
		pair = critical_graph(&match, &bound, &work);
		graph = i == 0 ? pair : shared_graph(&graph, &pair, &work);
	}
	if (out->min_from_noise)
		graph = crossed(&graph, &profiles, &how, opts->changes, &bound, &work);
	profiles = steady;
	if (out->min_from_noise)
		graph = graph_without_weak(&graph, &profiles, opts, &work);
	hand_over(out, &graph, opts->changes, profiles.news[0]->samples != NULL, arena);
	sum_methods(out, &profiles, arena);
	pe_arena_release(&work);
	return PE_OK;
}
