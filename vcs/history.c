#include "vcs/history.h"

#include "vcs/graph.h"

#include <string.h>

struct reading {
	struct pe_repo *repo;
	const struct pe_repo_history_query *query;
	struct pe_graph graph;
	struct pe_arena *arena;
	git_oid head;      /* zero before the first commit */
	char *head_branch; /* NULL: detached */
};

static void read_head(struct reading *reading)
{
	pe_auto_reference *head = NULL;

	if (git_repository_head(&head, reading->repo->git) != 0)
		return;
	git_oid_cpy(&reading->head, git_reference_target(head));
	if (git_reference_is_branch(head))
		reading->head_branch =
			pe_arena_strdup(reading->arena, git_reference_shorthand(head));
}

/* --- Where it starts --- */

static int add_spec(struct reading *reading, struct pe_err *err)
{
	/* HEAD of a repository without a commit leads nowhere, and that is no error. */
	if (reading->query->spec == NULL && git_oid_is_zero(&reading->head))
		return PE_OK;
	return pe_graph_add_range(&reading->graph, reading->query->spec, err);
}

static int add_starts(struct reading *reading, struct pe_err *err)
{
	const struct pe_strings *also = &reading->query->also;
	const ref_names *names = pe_vcs_names(reading->repo);
	int rc = add_spec(reading, err);

	for (size_t i = 0; reading->query->all && i < names->n; i++)
		pe_graph_add_id(&reading->graph, &names->data[i].commit, false);
	for (size_t i = 0; i < also->n; i++) {
		git_oid id;

		if (git_oid_fromstr(&id, also->at[i]) == 0)
			pe_graph_add_id(&reading->graph, &id, false);
	}
	return rc;
}

/* --- What is given out --- */

static void name_commit(struct pe_repo_commit *out, const struct reading *reading,
			const git_oid *id)
{
	const ref_names *names = pe_vcs_names(reading->repo);
	size_t from = pe_vcs_first_name(names, id), to = from;
	const char **refs;

	while (to < names->n && git_oid_equal(&names->data[to].commit, id))
		to++;
	refs = pe_arena_new(reading->arena, const char *, to - from + 2);
	if (git_oid_equal(id, &reading->head)) {
		refs[out->n_refs++] = "HEAD";
		if (reading->head_branch != NULL)
			refs[out->n_refs++] = reading->head_branch;
	}
	for (size_t i = from; i < to; i++) {
		const struct pe_ref_name *one = &names->data[i];

		if (one->kind != REF_BRANCH || reading->head_branch == NULL ||
		    strcmp(one->name, reading->head_branch) != 0)
			refs[out->n_refs++] =
				pe_arena_printf(reading->arena, "%s%s",
						one->kind == REF_TAG ? "tag: " : "", one->name);
	}
	out->refs = refs;
}

static int fill_commit(struct pe_repo_commit *out, const struct reading *reading, const git_oid *id,
		       struct pe_err *err)
{
	pe_auto_commit *commit = NULL;

	if (git_commit_lookup(&commit, reading->repo->git, id) < 0)
		return pe_vcs_fail(err, GIT_ERROR, "cannot read the commit %s",
				   git_oid_tostr_s(id));
	pe_vcs_revision(&out->revision, commit, reading->arena);
	name_commit(out, reading, id);
	return 0;
}

/* Name the parents that the graph has; false when one of a commit's parents is not shown. */
static bool name_parents(struct pe_repo_commit *out, const struct reading *reading,
			 const struct pe_graph_node *node, const bool *shown)
{
	const struct pe_graph *graph = &reading->graph;
	char(*parents)[PE_OID_HEX] =
		(char(*)[PE_OID_HEX])pe_arena_alloc(reading->arena, node->n_parents, PE_OID_HEX);
	/* Where a shallow clone was cut, the commit names parents that the graph does not have. */
	bool whole = node->n_parents == out->revision.n_parents;

	for (size_t i = 0; i < node->n_parents; i++) {
		const size_t parent = graph->parents.data[node->first_parent + i];

		git_oid_tostr(parents[i], PE_OID_HEX, &graph->nodes.data[parent].id);
		whole = whole && shown[parent];
	}
	if (node->skips)
		out->revision.parents = (const char(*)[PE_OID_HEX])parents;
	return whole;
}

static int give_out(struct pe_repo_history *out, const struct reading *reading,
		    const pe_graph_nodes *found, struct pe_err *err)
{
	const struct pe_graph_node *nodes = reading->graph.nodes.data;
	bool *shown = pe_arena_new(reading->arena, bool, reading->graph.nodes.n);

	for (size_t i = 0; i < found->n; i++)
		shown[found->data[i]] = true;
	out->n = found->n;
	out->at = pe_arena_new(reading->arena, struct pe_repo_commit, out->n);
	for (size_t i = 0; i < out->n; i++) {
		const struct pe_graph_node *node = &nodes[found->data[i]];

		PE_TRY(fill_commit(&out->at[i], reading, &node->id, err));
		out->cut |= !name_parents(&out->at[i], reading, node, shown);
	}
	return PE_OK;
}

int pe_repo_history(struct pe_repo_history *out, struct pe_repo *repo,
		    const struct pe_repo_history_query *query, struct pe_arena *arena,
		    struct pe_err *err)
{
	struct reading reading = {
		.repo = repo, .query = query, .graph = {.repo = repo}, .arena = arena};
	const struct pe_graph_filter filter = {
		.since_s = query->since_s,
		.until_s = query->until_s,
		.last = query->last,
	};
	pe_auto_free pe_graph_nodes found = {NULL, 0, 0};
	int rc;

	*out = (struct pe_repo_history){0};
	read_head(&reading);
	rc = add_starts(&reading, err);
	if (rc == PE_OK)
		rc = pe_graph_choose(&found, &reading.graph, &filter, err);
	if (rc == PE_OK && found.n > 0)
		rc = give_out(out, &reading, &found, err);
	pe_graph_release(&reading.graph);
	return rc;
}
