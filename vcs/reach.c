/* Reach: which commits branches, tags and HEAD still lead to. */
#include "vcs/graph.h"

/* A reference to something that is gone leads nowhere; the others count all the same. */
static void add_tips(struct pe_graph *graph, struct pe_repo *repo)
{
	const ref_names *names = pe_vcs_names(repo);

	for (size_t i = 0; i < names->n; i++)
		pe_graph_add_id(graph, &names->data[i].commit, false);
	/* A detached HEAD has no name of its own. */
	pe_graph_add_spec(graph, "HEAD", false, NULL);
}

int pe_repo_reachable(bool *out, struct pe_repo *repo, const struct pe_strings *ids,
		      struct pe_err *err)
{
	struct pe_graph graph = {.repo = repo};
	const struct pe_graph_bounds all = {0};
	int rc;

	add_tips(&graph, repo);
	rc = pe_graph_load(&graph, &all, err);
	for (size_t i = 0; rc == PE_OK && i < ids->n; i++) {
		git_oid id;

		out[i] =
			git_oid_fromstr(&id, ids->at[i]) == 0 && pe_graph_find(&graph, &id) != NULL;
	}
	pe_graph_release(&graph);
	return rc;
}
