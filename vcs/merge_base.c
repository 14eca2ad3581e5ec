/*
 * The merge base of two commits. libgit2's own search reads parents that a shallow clone does not have, so there
 * it is found in the graph of what is here.
 */
#include "vcs/graph.h"

/* Of the commits at which the visible part ends because they are ancestors of both, the newest. */
static const struct pe_graph_node *newest_hidden_parent(const struct pe_graph *graph)
{
	const struct pe_graph_node *newest = NULL;

	for (size_t i = 0; i < graph->nodes.n; i++) {
		const struct pe_graph_node *node = &graph->nodes.data[i];

		for (size_t p = 0; !node->hidden && node->read && p < node->n_parents; p++) {
			const struct pe_graph_node *parent =
				&graph->nodes.data[graph->parents.data[node->first_parent + p]];

			if (parent->hidden && (newest == NULL || parent->time_s > newest->time_s))
				newest = parent;
		}
	}
	return newest;
}

static int in_shallow(git_oid *out, struct pe_repo *repo, const char *one, const char *other,
		      struct pe_err *err)
{
	pe_auto_graph graph = {.repo = repo};
	const struct pe_graph_node *found;

	PE_TRY(pe_graph_add_spec(&graph, one, false, err));
	PE_TRY(pe_graph_add_spec(&graph, other, true, err));
	PE_TRY(pe_graph_load(&graph, &(struct pe_graph_filter){0}, err));
	found = &graph.nodes.data[0]; /* the one */
	if (!found->hidden)
		found = newest_hidden_parent(&graph);
	if (found == NULL)
		return pe_fail(
			err, PE_ENOTFOUND,
			"no common ancestor of %.10s and %.10s is here, because this clone is shallow: 'git fetch --unshallow' gets it",
			one, other);
	git_oid_cpy(out, &found->id);
	return PE_OK;
}

static int in_whole(git_oid *out, struct pe_repo *repo, const char *one, const char *other,
		    struct pe_err *err)
{
	git_oid ids[2];
	int rc = git_oid_fromstr(&ids[0], one);

	if (rc == 0)
		rc = git_oid_fromstr(&ids[1], other);
	if (rc == 0)
		rc = git_merge_base(out, repo->git, &ids[0], &ids[1]);
	if (rc == GIT_ENOTFOUND)
		return pe_fail(err, PE_ENOTFOUND, "%.10s and %.10s have no common ancestor", one,
			       other);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot find where %.10s and %.10s parted", one, other)
		      : PE_OK;
}

int pe_repo_merge_base(char out[PE_OID_HEX], struct pe_repo *repo, const char *one,
		       const char *other, struct pe_err *err)
{
	git_oid base;
	int rc = pe_repo_is_shallow(repo) ? in_shallow(&base, repo, one, other, err)
					  : in_whole(&base, repo, one, other, err);

	if (rc == PE_OK)
		git_oid_tostr(out, PE_OID_HEX, &base);
	return rc;
}
