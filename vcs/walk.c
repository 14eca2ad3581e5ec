/*
 * Walk: the commits of a range, oldest first. They come from the graph, which loads by commit time: libgit2's revision walk
 * loads the whole history where it sorts, and stops without a word where a shallow clone was cut.
 *
 * "A..B" by first parents, with an A that is none of B's (the tip of a merged branch), ends at the first commit that A
 * reaches.
 */
#include "vcs/graph.h"

static int add_starts(struct pe_graph *graph, const struct pe_range *range, struct pe_err *err)
{
	for (size_t i = 0; i < range->ids.n; i++)
		PE_TRY(pe_graph_add_spec(graph, range->ids.at[i], false, err));
	return range->ids.n > 0 ? PE_OK : pe_graph_add_range(graph, range->spec, err);
}

/* Commits that were found are newest first, the answer oldest first. */
static int give_out(struct pe_revisions *out, const struct pe_graph *graph,
		    const pe_graph_nodes *found, struct pe_arena *arena, struct pe_err *err)
{
	out->at = pe_arena_new(arena, struct pe_revision, found->n);
	out->n = found->n;
	for (size_t i = 0; i < out->n; i++) {
		const struct pe_graph_node *node = &graph->nodes.data[found->data[out->n - 1 - i]];
		pe_auto_commit *commit = NULL;

		if (git_commit_lookup(&commit, graph->repo->git, &node->id) < 0)
			return pe_vcs_fail(err, GIT_ERROR, "cannot read a commit");
		pe_vcs_revision(&out->at[i], commit, arena);
		out->passed_over += i > 0 && node->skips;
	}
	return PE_OK;
}

int pe_repo_walk(struct pe_revisions *out, struct pe_repo *repo, const struct pe_range *range,
		 struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_graph_filter filter = {
		.since_s = range->since_s,
		.until_s = range->until_s,
		.last = range->last,
		.tips_only = range->ids.n > 0,
		.tags = range->tags,
	};
	pe_auto_graph graph = {.repo = repo,
			       .first_parents = !range->all_parents && !filter.tips_only};
	pe_auto_free pe_graph_nodes found = {NULL, 0, 0};

	*out = (struct pe_revisions){0};
	PE_TRY(add_starts(&graph, range, err));
	PE_TRY(pe_graph_choose(&found, &graph, &filter, err));
	out->cut_short = graph.cut_short && graph.cut_s >= range->since_s &&
			 (range->last == 0 || found.n < range->last) && !filter.tips_only;
	return give_out(out, &graph, &found, arena, err);
}

/* A reference to something that is gone leads nowhere; the others count all the same. */
static void add_tips(struct pe_graph *graph)
{
	const ref_names *names = pe_vcs_names(graph->repo);

	for (size_t i = 0; i < names->n; i++)
		pe_graph_add_id(graph, &names->data[i].commit, false);
	/* A detached HEAD has no name of its own. */
	pe_graph_add_spec(graph, "HEAD", false, NULL);
}

static void add_head(struct pe_graph *graph, const git_reference *head)
{
	if (git_reference_type(head) == GIT_REFERENCE_DIRECT)
		pe_graph_add_id(graph, git_reference_target(head), false);
}

/* Detached heads of other worktrees, as of a rebase: git's own gc keeps what they lead to. */
static void add_worktrees(struct pe_graph *graph)
{
	const struct pe_repo *repo = graph->repo;
	git_strarray names = {NULL, 0};
	pe_auto_repository *first = NULL;
	pe_auto_reference *main_head = NULL;

	if (git_repository_is_worktree(repo->git) &&
	    pe_vcs_open_trusted(&first, repo->common_dir, 0) == 0 &&
	    git_repository_head(&main_head, first) == 0)
		add_head(graph, main_head);
	if (git_worktree_list(&names, repo->git) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		pe_auto_reference *head = NULL;

		if (git_repository_head_for_worktree(&head, repo->git, names.strings[i]) == 0)
			add_head(graph, head);
	}
	git_strarray_dispose(&names);
}

int pe_repo_reachable(bool *out, struct pe_repo *repo, const struct pe_strings *ids,
		      struct pe_err *err)
{
	pe_auto_graph graph = {.repo = repo};
	git_oid id;

	add_tips(&graph);
	add_worktrees(&graph);
	PE_TRY(pe_graph_load(&graph, &(struct pe_graph_filter){0}, err));
	for (size_t i = 0; i < ids->n; i++)
		out[i] =
			git_oid_fromstr(&id, ids->at[i]) == 0 && pe_graph_find(&graph, &id) != NULL;
	return PE_OK;
}
