/* Remotes of the user's repository: read, never written. */
#include "vcs/bundles.h"
#include "vcs/internal.h"

#include "core/base/array.h"

#include <string.h>

/* The remote of the branch that is checked out; NULL: it has none. */
static const char *upstream(struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_git_buf name = {0};
	pe_auto_reference *head = NULL;

	if (git_repository_head(&head, repo->git) != 0 ||
	    git_branch_upstream_remote(&name, repo->git, git_reference_name(head)) != 0 ||
	    strcmp(name.ptr, ".") == 0)
		return NULL;
	return pe_arena_strdup(arena, name.ptr);
}

/*
 * git_remote_list() and git_remote_lookup() match every key of the configuration with a regular expression,
 * and leak each match.
 */
static int list(struct pe_strings *out, struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	pe_auto_config *config = NULL;
	pe_auto_config_iterator *entries = NULL;
	git_config_entry *entry;
	int rc = git_repository_config_snapshot(&config, repo->git);

	if (rc == 0)
		rc = git_config_iterator_new(&entries, config);
	while (rc == 0 && git_config_next(&entry, entries) == 0) {
		const char *dot = strrchr(entry->name, '.');
		const char *name;

		if (strncmp(entry->name, "remote.", 7) != 0 || dot <= entry->name + 7 ||
		    (strcmp(dot, ".url") != 0 && strcmp(dot, ".pushurl") != 0))
			continue;
		name = pe_arena_strndup(arena, entry->name + 7, (size_t)(dot - entry->name) - 7);
		if (!pe_has_string(names.data, names.n, name))
			pe_vec_push(&names, name);
	}
	*out = (struct pe_strings){pe_vec_copy(arena, &names), names.n};
	return rc;
}

static int no_such_remote(const struct pe_strings *names, const char *name, struct pe_err *err)
{
	pe_auto_text there = PE_TEXT_INIT;

	for (size_t i = 0; i < names->n; i++)
		pe_text_addf(&there, "%s%s", i > 0 ? ", " : "", names->at[i]);
	if (names->n == 0)
		return pe_fail(
			err, PE_ENOTFOUND,
			"the repository has no remote: add one with 'git remote add NAME URL'");
	if (name == NULL)
		return pe_fail(err, PE_ENOTFOUND, "there are several remotes, say which one: %s",
			       pe_text_str(&there));
	return pe_fail(err, PE_ENOTFOUND, "there is no remote '%s'; there is: %s", name,
		       pe_text_str(&there));
}

static const char *choose(const struct pe_strings *names, const char *name, struct pe_repo *repo,
			  struct pe_arena *arena)
{
	if (name == NULL)
		name = upstream(repo, arena);
	if (name == NULL && pe_has_string(names->at, names->n, "origin"))
		name = "origin";
	if (name == NULL && names->n == 1)
		name = pe_arena_strdup(arena, names->at[0]);
	return name != NULL && pe_has_string(names->at, names->n, name) ? name : NULL;
}

/* The first of a key's values counts, as for git. */
static const char *value_of(git_config *config, const char *key, struct pe_arena *arena)
{
	git_config_entry *entry = NULL;
	const char *value = NULL;

	if (git_config_get_entry(&entry, config, key) == 0 && entry->value != NULL)
		value = pe_arena_strdup(arena, entry->value);
	git_config_entry_free(entry);
	return value;
}

/* As they stand there: git itself applies url.BASE.insteadOf. */
static int read_addresses(struct pe_remote *out, struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_config *config = NULL;
	const char *url, *push_url;

	PE_TRY(git_repository_config_snapshot(&config, repo->git));
	url = value_of(config, pe_arena_printf(arena, "remote.%s.url", out->name), arena);
	push_url = value_of(config, pe_arena_printf(arena, "remote.%s.pushurl", out->name), arena);
	out->fetch_url = url != NULL ? url : push_url != NULL ? push_url : "";
	out->push_url = push_url != NULL ? push_url : out->fetch_url;
	out->config = pe_arena_printf(arena, "%s/config", repo->common_dir);
	return 0;
}

int pe_remote_find(struct pe_remote *out, struct pe_repo *repo, const char *name,
		   struct pe_arena *arena, struct pe_err *err)
{
	struct pe_strings names;
	int rc = list(&names, repo, arena);

	*out = (struct pe_remote){0};
	if (rc < 0)
		return pe_vcs_fail(err, rc, "cannot list the remotes");
	out->name = choose(&names, name, repo, arena);
	if (out->name == NULL)
		return no_such_remote(&names, name, err);
	rc = read_addresses(out, repo, arena);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot read remote '%s'", out->name) : PE_OK;
}

const char *pe_repo_signing_key(bool *literal, struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_config *config = NULL;
	pe_auto_git_buf path = {0};
	const char *format, *key = NULL;

	*literal = false;
	if (git_repository_config_snapshot(&config, repo->git) != 0)
		return NULL;
	format = value_of(config, "gpg.format", arena);
	if (format != NULL && strcmp(format, "ssh") == 0)
		key = value_of(config, "user.signingkey", arena);
	/* As git has it: "key::" and a public key, or, as of old, a public key of ssh's own kinds. */
	*literal = key != NULL && (strncmp(key, "key::", 5) == 0 || strncmp(key, "ssh-", 4) == 0);
	if (*literal)
		key += strncmp(key, "key::", 5) == 0 ? 5 : 0;
	else if (key != NULL && git_config_get_path(&path, config, "user.signingkey") == 0)
		key = pe_arena_strdup(arena, path.ptr);
	return key != NULL && key[0] != '\0' ? key : NULL;
}

const char *pe_repo_revocations(struct pe_repo *repo, struct pe_arena *arena)
{
	const char *top = pe_repo_workdir(repo);
	pe_auto_config *config = NULL;
	pe_auto_git_buf path = {0};

	if (git_repository_config_snapshot(&config, repo->git) != 0 ||
	    git_config_get_path(&path, config, "gpg.ssh.revocationfile") != 0 || path.size == 0)
		return NULL;
	return path.ptr[0] == '/'
		       ? pe_arena_strdup(arena, path.ptr)
		       : pe_arena_printf(arena, "%s/%s",
					 top != NULL ? top : pe_repo_common_dir(repo), path.ptr);
}
