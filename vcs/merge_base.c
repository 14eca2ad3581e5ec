/*
 * The merge base of two commits, found in the graph of what is here: libgit2's own search reads parents that a shallow clone
 * does not have.
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

int pe_repo_merge_base(char out[PE_OID_HEX], struct pe_repo *repo, const char *one,
		       const char *other, struct pe_err *err)
{
	pe_auto_graph graph = {.repo = repo};
	const struct pe_graph_node *found;

	PE_TRY(pe_graph_add_spec(&graph, one, false, err));
	PE_TRY(pe_graph_add_spec(&graph, other, true, err));
	PE_TRY(pe_graph_load(&graph, &(struct pe_graph_filter){0}, err));
	found = &graph.nodes.data[0]; /* the one */
	if (!found->hidden)
		found = newest_hidden_parent(&graph);
	if (found == NULL && pe_repo_is_shallow(repo))
		return pe_fail(
			err, PE_ENOTFOUND,
			"no common ancestor of %.10s and %.10s is here, because this clone is shallow: 'git fetch --unshallow' gets it",
			one, other);
	if (found == NULL)
		return pe_fail(err, PE_ENOTFOUND, "%.10s and %.10s have no common ancestor", one,
			       other);
	git_oid_tostr(out, PE_OID_HEX, &found->id);
	return PE_OK;
}
