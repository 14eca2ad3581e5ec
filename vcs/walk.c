/*
 * Walk: the commits of a range, oldest first. They come from the graph, which loads by commit time: libgit2's revision walk
 * loads the whole history where it sorts, and stops without a word where a shallow clone was cut.
 *
 * "A..B" by first parents, with an A that is none of B's (the tip of a merged branch), ends at the first commit that A
 * reaches.
 */
#include "vcs/graph.h"

#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

struct walk {
	struct pe_repo *repo;
	const struct pe_range *range;
	struct pe_arena *arena;
	git_commit *tip, *hidden; /* hidden: NULL without "A.." */
	oid_vec found;            /* those that pass the filters, newest first */
	bool cut_short;
};

static bool has_tag(struct pe_repo *repo, const git_oid *id)
{
	const ref_names *names = pe_vcs_names(repo);
	size_t at = 0;

	pe_search(at, names->n, i, git_oid_cmp(&names->data[i].commit, id) < 0);
	return at < names->n && git_oid_equal(&names->data[at].commit, id) &&
	       names->data[at].kind == REF_TAG;
}

static bool passes(const git_oid *id, int64_t time_s, const void *payload)
{
	const struct walk *walk = payload;
	const struct pe_range *range = walk->range;

	return (range->since_s == 0 || time_s >= range->since_s) &&
	       (range->until_s == 0 || time_s <= range->until_s) &&
	       (!range->tags || has_tag(walk->repo, id));
}

static bool is_full(const struct walk *walk)
{
	return walk->range->last != 0 && walk->found.n >= walk->range->last;
}

/* Keep, of an order newest first, what passes the filters. */
static void filter_order(struct walk *walk, const oid_vec *order, const struct pe_graph *graph,
			 bool tips_only)
{
	for (size_t i = 0; i < order->n && !is_full(walk); i++) {
		const struct pe_graph_node *node = pe_graph_find(graph, &order->data[i]);

		if ((!tips_only || node->wanted) && passes(&node->id, node->time_s, walk))
			pe_vec_push(&walk->found, node->id);
	}
}

static int walk_graph(struct walk *walk, struct pe_graph *graph, bool tips_only, struct pe_err *err)
{
	struct pe_graph_bounds bounds = {
		.since_s = tips_only ? 0 : walk->range->since_s,
		.last = tips_only ? 0 : walk->range->last,
		.tips_only = tips_only,
		.counts = passes,
		.payload = walk,
	};
	oid_vec order;
	int rc = pe_graph_load(graph, &bounds, err);

	if (rc != 0)
		return rc;
	order = pe_graph_order(graph);
	filter_order(walk, &order, graph, tips_only);
	walk->cut_short = graph->cut_short && graph->cut_s >= walk->range->since_s &&
			  !is_full(walk) && !tips_only;
	pe_vec_release(&order);
	return rc;
}

static int walk_range(struct walk *walk, struct pe_err *err)
{
	struct pe_graph graph = {.repo = walk->repo, .first_parents = !walk->range->all_parents};
	int rc;

	pe_graph_add(&graph, walk->tip, false);
	if (walk->hidden != NULL)
		pe_graph_add(&graph, walk->hidden, true);
	rc = walk_graph(walk, &graph, false, err);
	pe_graph_release(&graph);
	return rc;
}

static int walk_ids(struct walk *walk, struct pe_err *err)
{
	const struct pe_strings *ids = &walk->range->ids;
	struct pe_graph graph = {.repo = walk->repo};
	int rc = 0;

	for (size_t i = 0; i < ids->n && rc == 0; i++) {
		pe_auto_commit *commit = NULL;

		rc = pe_vcs_commit(&commit, walk->repo, ids->at[i], err);
		if (rc == 0)
			pe_graph_add(&graph, commit, false);
	}
	if (rc == 0)
		rc = walk_graph(walk, &graph, true, err);
	pe_graph_release(&graph);
	return rc;
}

int pe_vcs_range(git_commit **tip, git_commit **hidden, struct pe_repo *repo, const char *spec,
		 struct pe_err *err)
{
	const char *dots;
	char *from;
	int rc;

	if (spec == NULL)
		spec = "HEAD";
	dots = strstr(spec, "..");
	if (dots == NULL)
		return pe_vcs_commit(tip, repo, spec, err);
	if (dots[2] == '.')
		return pe_fail(err, PE_EINVALID,
			       "'%s' is a symmetric difference, which has no order; write A..B",
			       spec);
	from = pe_vcs_strdup(dots != spec ? spec : "HEAD");
	if (dots != spec)
		from[dots - spec] = '\0';
	rc = pe_vcs_commit(hidden, repo, from, err);
	if (rc == 0)
		rc = pe_vcs_commit(tip, repo, dots[2] != '\0' ? dots + 2 : "HEAD", err);
	free(from);
	return rc;
}

/* found is newest first, the answer oldest first. */
static int give_out(struct pe_revisions *out, struct walk *walk, struct pe_err *err)
{
	size_t n = walk->found.n;

	out->at = pe_arena_new(walk->arena, struct pe_revision, n);
	out->n = n;
	out->cut_short = walk->cut_short;
	for (size_t i = 0; i < n; i++) {
		pe_auto_commit *commit = NULL;

		if (git_commit_lookup(&commit, walk->repo->git, &walk->found.data[n - 1 - i]) < 0)
			return pe_vcs_fail(err, GIT_ERROR, "cannot read a commit");
		pe_vcs_revision(&out->at[i], commit, walk->arena);
	}
	return 0;
}

int pe_repo_walk(struct pe_revisions *out, struct pe_repo *repo, const struct pe_range *range,
		 struct pe_arena *arena, struct pe_err *err)
{
	struct walk walk = {.repo = repo, .range = range, .arena = arena};
	int rc;

	memset(out, 0, sizeof(*out));
	if (range->ids.n != 0) {
		rc = walk_ids(&walk, err);
	} else {
		rc = pe_vcs_range(&walk.tip, &walk.hidden, repo, range->spec, err);
		if (rc == 0)
			rc = walk_range(&walk, err);
	}
	if (rc == 0)
		rc = give_out(out, &walk, err);
	git_commit_free(walk.tip);
	git_commit_free(walk.hidden);
	pe_vec_release(&walk.found);
	return rc;
}
