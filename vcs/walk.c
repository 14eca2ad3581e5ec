/*
 * Walk: the commits of a range, oldest first.
 *
 * The default follows first parents by hand and costs what it returns: a revision walk that sorts loads the
 * whole history, and stops without a word where a shallow clone was cut. All parents, and ids from a list,
 * go through the graph, which loads by commit time.
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
	oid_vec chain;            /* first parents, newest first */
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

/* The first parent; NULL at a root and where history was cut. */
static int step(git_commit **out, struct walk *walk, git_commit *commit, struct pe_err *err)
{
	int rc;

	*out = NULL;
	if (git_commit_parentcount(commit) == 0)
		return 0;
	if (pe_vcs_is_shallow_end(walk->repo, git_commit_id(commit))) {
		walk->cut_short |=
			!is_full(walk) && git_commit_time(commit) >= walk->range->since_s;
		return 0;
	}
	rc = pe_vcs_commit_readable(out, walk->repo, git_commit_parent_id(commit, 0));
	if (rc < 0)
		return pe_vcs_fail_parent(err, commit, 0);
	return 0;
}

/*
 * Follow first parents into chain and found. Ends at the hidden commit, at the root, or when the rest cannot
 * matter; with a hidden commit it goes on after the last wanted one to see whether it comes.
 */
static int follow(bool *met_hidden, struct walk *walk, struct pe_err *err)
{
	const git_oid *stop = walk->hidden != NULL ? git_commit_id(walk->hidden) : NULL;
	int64_t stop_s = walk->hidden != NULL ? git_commit_time(walk->hidden) : 0;
	git_commit *commit = NULL, *next = NULL;
	size_t slack = 0;
	bool useless;
	int rc = git_commit_dup(&commit, walk->tip);

	*met_hidden = false;
	while (rc == 0 && commit != NULL && slack < PE_GRAPH_SLACK) {
		const git_oid *id = git_commit_id(commit);
		int64_t time_s = git_commit_time(commit);

		*met_hidden = stop != NULL && git_oid_equal(id, stop);
		if (*met_hidden || (stop == NULL && is_full(walk)))
			break;
		pe_vec_push(&walk->chain, *id);
		if (!is_full(walk) && passes(id, time_s, walk))
			pe_vec_push(&walk->found, *id);
		useless = (is_full(walk) || time_s < walk->range->since_s) &&
			  (stop == NULL || time_s < stop_s);
		slack = useless ? slack + 1 : 0;
		rc = step(&next, walk, commit, err);
		git_commit_free(commit);
		commit = next;
	}
	git_commit_free(commit);
	return rc;
}

/*
 * "A..B" with an A that is no first parent of B (the tip of a merged branch): the first-parent chain ends
 * at the first commit that A reaches. Reachability along the chain never goes back to "no".
 */
static int drop_hidden(struct walk *walk, struct pe_err *err)
{
	struct pe_graph graph = {.repo = walk->repo};
	struct pe_graph_bounds bounds = {0};
	size_t n = 0;
	int rc;

	pe_graph_add(&graph, walk->tip, false);
	pe_graph_add(&graph, walk->hidden, true);
	rc = pe_graph_load(&graph, &bounds, err);
	for (; rc == 0 && n < walk->chain.n; n++) {
		const struct pe_graph_node *node = pe_graph_find(&graph, &walk->chain.data[n]);

		if (node != NULL && node->hidden)
			break;
	}
	if (rc == 0 && n < walk->chain.n) {
		size_t kept = 0;

		for (size_t i = 0; i < n && kept < walk->found.n; i++)
			kept += git_oid_equal(&walk->chain.data[i], &walk->found.data[kept]);
		walk->found.n = kept;
		walk->cut_short = false;
	}
	pe_graph_release(&graph);
	return rc;
}

static int walk_first_parents(struct walk *walk, struct pe_err *err)
{
	bool met_hidden;
	int rc = follow(&met_hidden, walk, err);

	if (rc == 0 && walk->hidden != NULL && !met_hidden)
		rc = drop_hidden(walk, err);
	return rc;
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

static int walk_all_parents(struct walk *walk, struct pe_err *err)
{
	struct pe_graph graph = {.repo = walk->repo};
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
		git_commit *commit = NULL;

		rc = pe_vcs_commit(&commit, walk->repo, ids->at[i], err);
		if (rc == 0)
			pe_graph_add(&graph, commit, false);
		git_commit_free(commit);
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
		git_commit *commit = NULL;

		if (git_commit_lookup(&commit, walk->repo->git, &walk->found.data[n - 1 - i]) < 0)
			return pe_vcs_fail(err, GIT_ERROR, "cannot read a commit");
		pe_vcs_revision(&out->at[i], commit, walk->arena);
		git_commit_free(commit);
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
			rc = range->all_parents ? walk_all_parents(&walk, err)
						: walk_first_parents(&walk, err);
	}
	if (rc == 0)
		rc = give_out(out, &walk, err);
	git_commit_free(walk.tip);
	git_commit_free(walk.hidden);
	pe_vec_release(&walk.chain);
	pe_vec_release(&walk.found);
	return rc;
}
