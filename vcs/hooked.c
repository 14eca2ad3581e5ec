#define _XOPEN_SOURCE 700 /* realpath(3) */
#include "vcs/hooked.h"

#include "vcs/graph.h"
#include "vcs/internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *pe_repo_git_dir(const struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_free char *dir = pe_vcs_strdup_dir(git_repository_path(repo->git));

	return pe_arena_strdup(arena, dir);
}

/* --- The folder of hooks --- */

/* config.worktree, which this libgit2 does not read. */
static char *worktree_setting(const struct pe_repo *repo)
{
	pe_auto_text path = PE_TEXT_INIT;
	pe_auto_config *config = NULL, *own = NULL;
	pe_auto_git_buf value = GIT_BUF_INIT;
	char *copy = NULL;
	int extended = 0;

	pe_text_addf(&path, "%sconfig.worktree", git_repository_path(repo->git));
	if (git_repository_config_snapshot(&config, repo->git) == 0 &&
	    git_config_get_bool(&extended, config, "extensions.worktreeconfig") == 0 &&
	    extended != 0 && git_config_open_ondisk(&own, path.data) == 0 &&
	    git_config_get_string_buf(&value, own, "core.hookspath") == 0)
		copy = pe_vcs_strdup(value.ptr);
	return copy;
}

static char *setting_of(enum pe_hooks_origin *origin, const struct pe_repo *repo)
{
	char *copy = worktree_setting(repo);
	git_config_entry *entry = NULL;
	pe_auto_config *config = NULL;

	*origin = PE_HOOKS_CONFIGURED;
	if (copy == NULL && git_repository_config(&config, repo->git) == 0 &&
	    git_config_get_entry(&entry, config, "core.hookspath") == 0) {
		copy = pe_vcs_strdup(entry->value);
		if (entry->level < GIT_CONFIG_LEVEL_LOCAL)
			*origin = PE_HOOKS_SHARED;
	}
	git_config_entry_free(entry);
	return copy;
}

/* As git does: "~" is somebody's home, and what is relative counts from where hooks run. */
static int expand(const char **out, const struct pe_repo *repo, const char *setting,
		  struct pe_arena *arena, struct pe_err *err)
{
	const char *top = repo->workdir != NULL ? repo->workdir : repo->common_dir;
	pe_auto_git_buf path = GIT_BUF_INIT;
	char real[PATH_MAX];

	if (git_config_parse_path(&path, setting) < 0)
		return pe_vcs_fail(err, -1, "core.hooksPath '%s'", setting);
	*out = path.ptr[0] == '/' ? pe_arena_strdup(arena, path.ptr)
				  : pe_arena_printf(arena, "%s/%s", top, path.ptr);
	if (realpath(*out, real) != NULL)
		*out = pe_arena_strdup(arena, real);
	return PE_OK;
}

int pe_repo_hooks_place(struct pe_hooks_place *out, struct pe_repo *repo, struct pe_arena *arena,
			struct pe_err *err)
{
	pe_auto_free char *setting = NULL;

	*out = (struct pe_hooks_place){0};
	setting = setting_of(&out->origin, repo);
	if (setting == NULL) {
		out->origin = PE_HOOKS_OWN;
		out->folder = pe_arena_printf(arena, "%s/hooks", repo->common_dir);
		return PE_OK;
	}
	out->setting = pe_arena_strdup(arena, setting);
	return expand(&out->folder, repo, setting, arena, err);
}

/* --- What is staged --- */

int pe_repo_staged(struct pe_text *out, struct pe_repo *repo, const char *path, struct pe_err *err)
{
	const char *named = getenv("GIT_INDEX_FILE");
	pe_auto_text file = PE_TEXT_INIT;
	const git_index_entry *entry;
	pe_auto_index *index = NULL;
	pe_auto_blob *blob = NULL;
	int rc;

	if (named != NULL && named[0] != '\0')
		pe_text_add(&file, named);
	else
		pe_text_addf(&file, "%sindex", git_repository_path(repo->git));
	rc = git_index_open(&index, file.data);
	if (rc == 0)
		rc = git_index_read(index, 1);
	if (rc < 0)
		return pe_fail(err, PE_EUNSUPPORTED, "cannot read the index: %s", pe_vcs_message());
	entry = git_index_get_bypath(index, path, 0);
	if (entry == NULL)
		return PE_ENOTFOUND;
	rc = git_blob_lookup(&blob, repo->git, &entry->id);
	if (rc < 0)
		return pe_vcs_fail(err, rc, "the staged %s", path);
	pe_text_addn(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
	return PE_OK;
}

/* --- Where a push begins --- */

/* Hide what the remote's branches lead to; @return how many there are. */
static size_t hide_remote(struct pe_graph *graph, struct pe_repo *repo, const char *remote)
{
	const ref_names *names = pe_vcs_names(repo);
	size_t n = remote != NULL ? strlen(remote) : 0, hidden = 0;

	for (size_t i = 0; i < names->n; i++) {
		const struct pe_ref_name *name = &names->data[i];

		if (name->kind == REF_REMOTE &&
		    (remote == NULL ||
		     (strncmp(name->name, remote, n) == 0 && name->name[n] == '/')))
			hidden += pe_graph_add_id(graph, &name->commit, true);
	}
	return hidden;
}

static void first_hidden(char out[PE_OID_HEX], const struct pe_graph *graph, const git_oid *tip)
{
	const struct pe_graph_node *node = pe_graph_find(graph, tip);

	while (node != NULL && !node->hidden)
		node = node->read && node->n_parents > 0
			       ? &graph->nodes.data[graph->parents.data[node->first_parent]]
			       : NULL;
	out[0] = '\0';
	if (node != NULL)
		git_oid_tostr(out, PE_OID_HEX, &node->id);
}

int pe_repo_fork_point(char out[PE_OID_HEX], struct pe_repo *repo, const char *tip,
		       const char *known, const char *remote, struct pe_err *err)
{
	pe_auto_graph graph = {.repo = repo};
	pe_auto_commit *commit = NULL;
	git_oid there;

	out[0] = '\0';
	PE_TRY(pe_vcs_commit(&commit, repo, tip, err));
	pe_graph_add(&graph, commit, false);
	if ((known == NULL || git_oid_fromstr(&there, known) < 0 ||
	     !pe_graph_add_id(&graph, &there, true)) &&
	    (remote == NULL || hide_remote(&graph, repo, remote) == 0))
		hide_remote(&graph, repo, NULL);
	PE_TRY(pe_graph_load(&graph, &(struct pe_graph_filter){0}, err));
	first_hidden(out, &graph, git_commit_id(commit));
	return PE_OK;
}
