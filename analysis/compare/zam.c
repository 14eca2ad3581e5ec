/* ZAM: makes one critical graph for each pair of profiles, then the graph of their common nodes. */
#include "analysis/compare/zam.h"

#include "analysis/compare/zam_steps.h"
#include "analysis/profile/tree.h"

/* The graph of one old and one new profile. */
static struct pe_zam_graph graph_between(const struct pe_cct *old_cct, const struct pe_cct *new_cct,
					 const struct pe_match_opts *how, const struct pe_zam *mu,
					 struct pe_arena *arena)
{
	struct pe_match match;

	pe_match_make(&match, old_cct, new_cct, how, arena);
	return pe_zam_pair_graph(&match, mu, arena);
}

/* Whether a node is a cause: a leaf. With samples, processes and threads are none, because they only contain calls. */
static bool is_cause(const struct pe_zam_graph *graph, uint32_t node, bool sampled)
{
	const struct pe_cct *cct = graph->cct;
	enum pe_frame_kind kind = pe_cct_frame(cct, node)->kind;

	return node > 0 && cct->nodes[node].end == node + 1 &&
	       (!sampled || (kind != PE_FRAME_PROCESS && kind != PE_FRAME_THREAD));
}

static void hand_over(struct pe_zam *out, const struct pe_zam_graph *graph, bool sampled,
		      struct pe_arena *arena)
{
	const struct pe_cct *cct = graph->cct;

	out->n = cct->n;
	out->nodes = pe_arena_new(arena, struct pe_zam_node, cct->n);
	for (uint32_t i = 0; i < cct->n; i++) {
		const struct zam_place *place = &graph->at[i];

		out->nodes[i] = (struct pe_zam_node){
			.parent = cct->nodes[i].parent,
			.end = cct->nodes[i].end,
			.frame = cct->nodes[i].frame,
			.added = !place->seen,
			.places = place->places,
			.cause = is_cause(graph, i, sampled),
			.blamed = PE_CCT_NONE,
			.old_ns = place->ns[0] / out->pairs,
			.new_ns = place->ns[1] / out->pairs,
			.old_waiting_ns = place->wait[0] / out->pairs,
			.new_waiting_ns = place->wait[1] / out->pairs,
		};
		if (out->nodes[i].cause)
			out->nodes[i].blamed = i;
		out->causes += out->nodes[i].cause;
	}
	out->nodes[0].old_ns += out->old_rest.waiting_ns + out->old_rest.engine_ns;
	out->nodes[0].new_ns += out->new_rest.waiting_ns + out->new_rest.engine_ns;
}

/* The calls of a profile; its time outside of calls is added to the means of its side. */
static const struct pe_cct *calls_of(const struct pe_cct *cct, const struct pe_zam_opts *opts,
				     uint32_t n, struct pe_zam_rest *mean, struct pe_arena *arena)
{
	struct pe_zam_rest rest;
	const struct pe_cct *calls = pe_timeline_calls(
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

/* The order in which samples first met siblings is chance, so it must not decide (algorithm 3 has the rule for that). */
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
	pe_auto_arena work = PE_ARENA_INIT;
	struct zam_profiles profiles = {.n = n};
	struct pe_zam_graph graph;
	struct pe_match_opts how;
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
	for (uint32_t i = 0; i < n; i++) {
		out->nodes_in += news[i]->n;
		profiles.olds[i] = calls_of(olds[i], opts, n, &out->old_rest, &work);
		profiles.news[i] = calls_of(news[i], opts, n, &out->new_rest, &work);
	}
	if (out->min_ns == 0) {
		pe_zam_noise_find(out, &profiles, &how);
		out->min_from_noise = true;
	}
	graph = graph_between(profiles.olds[0], profiles.news[0], &how, out, &work);
	for (uint32_t i = 1; i < n; i++) {
		const struct pe_zam_graph pair =
			graph_between(profiles.olds[i], profiles.news[i], &how, out, &work);

		graph = pe_zam_graph_shared(&graph, &pair, false, &work);
	}
	/*
	 * Keep the nodes that are also in the graphs of other pairs of the same runs: with two pairs, of every old run and
	 * every new one. A graph from noise needs this, because two runs of one side may both be slow by chance.
	 */
	for (uint32_t i = 0; out->min_from_noise && n > 1 && i < n; i++) {
		const struct pe_zam_graph other = graph_between(
			profiles.olds[i], profiles.news[(i + 1) % n], &how, out, &work);

		graph = pe_zam_graph_shared(&graph, &other, true, &work);
	}
	if (out->min_from_noise)
		graph = pe_zam_without_weak(&graph, &profiles, &work);
	hand_over(out, &graph, profiles.news[0]->samples != NULL, arena);
	pe_zam_methods_sum(out, &profiles, arena);
	return PE_OK;
}
