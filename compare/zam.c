/* ZAM: one critical graph a pair of profiles, then what all of them share. */
#include "compare/zam.h"

#include "compare/scattered.h"
#include "compare/side.h"
#include "compare/tree.h"
#include "compare/zam_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What makes a difference. */
struct bound {
	double min_ns;
	bool scattered; /* look below leaves */
};

static bool is_call(const struct pe_cct *cct, uint32_t node)
{
	return pe_cct_frame(cct, node)->kind != PE_FRAME_WAITING;
}

/*
 * Which new nodes are in the graph (algorithm 2): below a pair that is in it, pairs that got slower by mu,
 * and new calls that take mu themselves; nothing below these.
 */
static uint32_t mark(uint8_t *in_graph, const struct pe_match *match, const struct bound *bound)
{
	const struct pe_cct *old_cct = match->old_cct, *new_cct = match->new_cct;
	uint32_t n = 1;

	in_graph[0] = 1;
	for (uint32_t j = 1; j < new_cct->n;) {
		uint32_t i = match->to_old[j];
		double before = i != PE_CCT_NONE ? (double)old_cct->total_ns[i] : 0;

		if (!is_call(new_cct, j) || (double)new_cct->total_ns[j] - before < bound->min_ns) {
			j = new_cct->nodes[j].end;
			continue;
		}
		in_graph[j] = 1;
		n++;
		j = i != PE_CCT_NONE ? j + 1 : new_cct->nodes[j].end;
	}
	return n;
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

		out.cct->nodes[n] = cct->nodes[g];
		out.cct->nodes[n].parent = g > 0 ? at[cct->nodes[g].parent] : PE_CCT_NONE;
		out.old_ns[n] = graph->old_ns[g];
		out.new_ns[n] = graph->new_ns[g];
		out.old_own[n] = graph->old_own[g];
		out.new_own[n] = graph->new_own[g];
		out.seen[n] = graph->seen[g];
		at[g] = n++;
		if (cct->nodes[g].end > g + 1 || (g > 0 && graph->seen[g] == 0))
			continue;
		found = scatter_find(&scatter, new_node[g]);
		if (found.key == PE_FRAME_NONE || (g > 0 && found.places < 2) ||
		    found.key == key[cct->nodes[g].frame] ||
		    found.new_ns - found.old_ns < fmax(bound->min_ns, gain / 2))
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

static struct graph critical_graph(const struct pe_match *match, const struct bound *bound,
				   struct pe_arena *arena)
{
	const struct pe_cct *new_cct = match->new_cct;
	uint8_t *in_graph = pe_arena_new(arena, uint8_t, new_cct->n);
	uint32_t *at = pe_arena_new(arena, uint32_t, new_cct->n);
	struct graph graph = graph_new(new_cct->frames, mark(in_graph, match, bound), arena);
	uint32_t *new_node = pe_arena_new(arena, uint32_t, graph.cct->n), n = 0;

	for (uint32_t j = 0; j < new_cct->n; j++) {
		const struct pe_cct_node *node = &new_cct->nodes[j];
		uint32_t i = match->to_old[j];

		if (in_graph[j] == 0)
			continue;
		graph.cct->nodes[n] = (struct pe_cct_node){
			.parent = j == 0 ? PE_CCT_NONE : at[node->parent], .frame = node->frame};
		graph.old_ns[n] = i != PE_CCT_NONE ? (double)match->old_cct->total_ns[i] : 0;
		graph.new_ns[n] = (double)new_cct->total_ns[j];
		graph.old_own[n] = i != PE_CCT_NONE ? (double)match->old_cct->self_ns[i] : 0;
		graph.new_own[n] = (double)new_cct->self_ns[j];
		graph.seen[n] = i != PE_CCT_NONE;
		new_node[n] = j;
		at[j] = n++;
	}
	graph_close(graph.cct);
	return bound->scattered ? with_scattered(&graph, new_node, match, bound, arena) : graph;
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
		graph.seen[n] = a->seen[i] | b->seen[j];
		graph.places[n] = a->places[i] < b->places[j] ? a->places[i] : b->places[j];
		at[i] = n++;
	}
	graph_close(graph.cct);
	return graph;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The most that any node's inclusive time differs between two runs of one revision. */
static uint64_t most_apart(const struct pe_cct *a, const struct pe_cct *b,
			   const struct pe_match_opts *opts)
{
	struct pe_arena work = PE_ARENA_INIT;
	struct pe_match match;
	uint64_t most = 0;

	pe_match_make(&match, a, b, opts, &work);
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t j = match.to_new[i];
		uint64_t size = apart(a->total_ns[i], j != PE_CCT_NONE ? b->total_ns[j] : 0);

		most = size > most ? size : most;
	}
	for (uint32_t j = 0; j < b->n; j++)
		if (match.to_old[j] == PE_CCT_NONE && b->total_ns[j] > most)
			most = b->total_ns[j];
	pe_arena_release(&work);
	return most;
}

static int by_value(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/*
 * The middle one of what neighbouring old runs are apart at most. Not the greatest: a sampler puts a long
 * call below another caller now and then. Not of the new runs: what got slower varies more with it. And a
 * cause has to show in every pair anyway.
 */
static uint64_t noise(const struct profiles *profiles, const struct pe_match_opts *opts)
{
	uint64_t *most = pe_realloc(NULL, profiles->n, sizeof(*most));
	uint64_t whole = profiles->olds[0]->total_ns[0] / profiles->n, middle = 0;
	uint32_t n = 0;

	for (uint32_t i = 1; i < profiles->n; i++) {
		whole += profiles->olds[i]->total_ns[0] / profiles->n;
		most[n++] = most_apart(profiles->olds[i - 1], profiles->olds[i], opts);
	}
	if (n > 0) {
		qsort(most, n, sizeof(*most), by_value);
		middle = most[n / 2];
	}
	free(most);
	middle = whole / 100 > middle ? whole / 100 : middle;
	return middle > 0 ? middle : 1;
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
	for (uint32_t k = 0; k < n; k++)
		out->n_methods += sums.least[k] >= (double)out->min_ns;
	out->methods = pe_arena_new(arena, struct pe_zam_method, out->n_methods);
	out->n_methods = 0;
	for (uint32_t k = 0; k < n; k++)
		if (sums.least[k] >= (double)out->min_ns)
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

static void hand_over(struct pe_zam *out, const struct graph *graph,
		      const struct pe_changes *changes, struct pe_arena *arena)
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
			.cause = i > 0 && cct->nodes[i].end == i + 1,
			.blamed = PE_CCT_NONE,
			.old_ns = graph->old_ns[i] / out->pairs,
			.new_ns = graph->new_ns[i] / out->pairs,
		};
		if (out->nodes[i].cause)
			out->nodes[i].blamed = blame(graph, changes, i);
		out->causes += out->nodes[i].cause;
	}
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

int pe_zam_make(struct pe_zam *out, const struct pe_cct *const *olds,
		const struct pe_cct *const *news, uint32_t n, const struct pe_zam_opts *opts,
		struct pe_arena *arena, struct pe_err *err)
{
	static const struct pe_zam_opts defaults = PE_ZAM_DEFAULTS;
	struct pe_arena work = PE_ARENA_INIT;
	struct profiles profiles = {.n = n};
	struct graph graph = {0};
	struct bound bound;
	int rc = check(olds, news, n, err);

	if (rc < 0)
		return rc;
	opts = opts != NULL ? opts : &defaults;
	*out = (struct pe_zam){.pairs = n, .min_ns = opts->min_ns};
	profiles.olds = pe_arena_new(&work, const struct pe_cct *, n);
	profiles.news = pe_arena_new(&work, const struct pe_cct *, n);
	for (uint32_t i = 0; i < n; i++) {
		out->nodes_in += news[i]->n;
		profiles.olds[i] = opts->keep_nameless ? olds[i] : pe_tree_pruned(olds[i], &work);
		profiles.news[i] = opts->keep_nameless ? news[i] : pe_tree_pruned(news[i], &work);
	}
	if (out->min_ns == 0) {
		out->min_ns = noise(&profiles, &opts->match);
		out->min_from_noise = true;
	}
	bound = (struct bound){(double)out->min_ns, out->min_from_noise};
	for (uint32_t i = 0; i < n; i++) {
		struct pe_match match;
		struct graph pair;

		pe_match_make(&match, profiles.olds[i], profiles.news[i], &opts->match, &work);
		pair = critical_graph(&match, &bound, &work);
		graph = i == 0 ? pair : shared_graph(&graph, &pair, &work);
	}
	if (out->min_from_noise)
		graph = graph_without_weak(&graph, &profiles, opts, &work);
	hand_over(out, &graph, opts->changes, arena);
	sum_methods(out, &profiles, arena);
	pe_arena_release(&work);
	return PE_OK;
}
