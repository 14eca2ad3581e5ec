/*
 * Walk: the commits of a range, oldest first. They come from the graph, which loads by commit time: libgit2's revision walk
 * loads the whole history where it sorts, and stops without a word where a shallow clone was cut.
 *
 * "A..B" by first parents, with an A that is none of B's (the tip of a merged branch), ends at the first commit that A
 * reaches.
 */
#include "vcs/graph.h"

#include "core/base/search.h"

struct walk {
	struct pe_repo *repo;
	const struct pe_range *range;
	struct pe_graph graph;
	oid_vec found; /* those that pass the filters, newest first */
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

static int add_starts(struct walk *walk, struct pe_err *err)
{
	const struct pe_range *range = walk->range;

	for (size_t i = 0; i < range->ids.n; i++)
		PE_TRY(pe_graph_add_spec(&walk->graph, range->ids.at[i], false, err));
	return range->ids.n > 0 ? PE_OK : pe_graph_add_range(&walk->graph, range->spec, err);
}

/* Keep, of all that was read, what passes the filters. */
static int find(struct walk *walk, struct pe_err *err)
{
	const struct pe_range *range = walk->range;
	const bool tips_only = range->ids.n > 0;
	const struct pe_graph_bounds bounds = {
		.since_s = tips_only ? 0 : range->since_s,
		.last = tips_only ? 0 : range->last,
		.tips_only = tips_only,
		.counts = passes,
		.payload = walk,
	};
	pe_auto_free oid_vec order = {NULL, 0, 0};

	PE_TRY(add_starts(walk, err));
	PE_TRY(pe_graph_load(&walk->graph, &bounds, err));
	order = pe_graph_order(&walk->graph);
	for (size_t i = 0; i < order.n && !is_full(walk); i++) {
		const struct pe_graph_node *node = pe_graph_find(&walk->graph, &order.data[i]);

		if ((!tips_only || node->wanted) && passes(&node->id, node->time_s, walk))
			pe_vec_push(&walk->found, node->id);
	}
	return PE_OK;
}

/* found is newest first, the answer oldest first. */
static int give_out(struct pe_revisions *out, const struct walk *walk, struct pe_arena *arena,
		    struct pe_err *err)
{
	const struct pe_graph *graph = &walk->graph;
	size_t n = walk->found.n;

	out->at = pe_arena_new(arena, struct pe_revision, n);
	out->n = n;
	out->cut_short = graph->cut_short && graph->cut_s >= walk->range->since_s &&
			 !is_full(walk) && walk->range->ids.n == 0;
	for (size_t i = 0; i < n; i++) {
		pe_auto_commit *commit = NULL;

		if (git_commit_lookup(&commit, walk->repo->git, &walk->found.data[n - 1 - i]) < 0)
			return pe_vcs_fail(err, GIT_ERROR, "cannot read a commit");
		pe_vcs_revision(&out->at[i], commit, arena);
		out->passed_over += i > 0 && pe_graph_find(graph, git_commit_id(commit))->skips;
	}
	return PE_OK;
}

int pe_repo_walk(struct pe_revisions *out, struct pe_repo *repo, const struct pe_range *range,
		 struct pe_arena *arena, struct pe_err *err)
{
	struct walk walk = {
		.repo = repo,
		.range = range,
		.graph = {.repo = repo, .first_parents = !range->all_parents && range->ids.n == 0},
	};
	int rc = find(&walk, err);

	*out = (struct pe_revisions){0};
	if (rc == PE_OK)
		rc = give_out(out, &walk, arena, err);
	pe_graph_release(&walk.graph);
	pe_vec_release(&walk.found);
	return rc;
}
