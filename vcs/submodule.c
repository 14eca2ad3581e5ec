/*
 * Origins: the repositories that trees are read from, the user's own and those of its submodules.
 *
 * A submodule's objects are where git left them: in <git dir>/modules/<name>, in the git directory of the
 * linked worktree, or in the checkout itself. Nothing is fetched.
 */
#define _GNU_SOURCE /* strcasestr(3) */
#include "vcs/internal.h"

#include "core/base/files.h"
#include "core/base/text.h"

#include <git2/sys/repository.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pe_vcs_origin_close(struct pe_origin *origin)
{
	if (origin == NULL)
		return;
	git_repository_free(origin->git);
	free(origin->git_dir);
	free(origin->workdir);
	free(origin->own_dir);
	free(origin->lfs_dir);
	free(origin->name);
	free(origin);
}

static bool exists(const char *dir, const char *name)
{
	pe_auto_text path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/%s", dir, name);
	return access(path.data, F_OK) == 0;
}

/* Attributes that hold for every tree: the user's, the system's, and the repository's own. */
static bool has_outer_attributes(const char *git_dir, git_config *config)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME"), *value;

	if (exists(git_dir, "info/attributes") || exists("/etc", "gitattributes"))
		return true;
	if (git_config_get_string(&value, config, "core.attributesfile") == 0)
		return true;
	if (xdg != NULL && xdg[0] != '\0')
		return exists(xdg, "git/attributes");
	return home != NULL && exists(home, ".config/git/attributes");
}

static void read_config(struct pe_origin *origin)
{
	pe_auto_text lfs = PE_TEXT_INIT;
	pe_auto_config *config = NULL;
	const char *value;

	git_error_clear();
	if (git_repository_config_snapshot(&config, origin->git) < 0)
		return;
	origin->partial = git_config_get_string(&value, config, "extensions.partialclone") == 0 ||
			  git_config_get_string(&value, config, "remote.origin.promisor") == 0;
	origin->converts = has_outer_attributes(origin->git_dir, config) ||
			   (git_config_get_string(&value, config, "core.autocrlf") == 0 &&
			    strcmp(value, "false") != 0);
	if (git_config_get_string(&value, config, "lfs.storage") != 0)
		value = "lfs";
	if (value[0] != '/')
		pe_text_addf(&lfs, "%s/", origin->git_dir);
	pe_text_add(&lfs, value);
	origin->lfs_dir = pe_vcs_strdup(lfs.data);
}

/*
 * Open a git directory to read trees from. The working directory, which libgit2 needs to look for attributes
 * below a tree's root, is set (in memory) to the objects folder: no attributes file can stand there. The
 * index is an empty one. What remains is the attributes of the commit that the caller names.
 */
static int open_origin(struct pe_origin **out, const char *git_dir)
{
	pe_auto_text objects = PE_TEXT_INIT;
	pe_auto_repository *git = NULL;
	pe_auto_index *index = NULL;

	PE_TRY(pe_vcs_open_trusted(&git, git_dir,
				   GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE));
	pe_text_addf(&objects, "%sobjects", git_repository_commondir(git));
	PE_TRY(git_repository_set_workdir(git, objects.data, 0));
	PE_TRY(git_index_new(&index));
	PE_TRY(git_repository_set_index(git, index));
	*out = pe_realloc(NULL, 1, sizeof(**out));
	**out = (struct pe_origin){.git = git,
				   .git_dir = pe_vcs_strdup_dir(git_repository_commondir(git))};
	git = NULL;
	read_config(*out);
	return 0;
}

int pe_vcs_origin(struct pe_origin **out, struct pe_repo *repo, struct pe_err *err)
{
	char *own_dir;

	if (repo->origins.n == 0) {
		struct pe_origin *origin = NULL;

		if (open_origin(&origin, repo->common_dir) != 0)
			return pe_vcs_fail(err, GIT_ERROR, "cannot open '%s' to read trees",
					   repo->common_dir);
		pe_vcs_read_snapshots(origin->git, repo);
		origin->name = pe_vcs_strdup("");
		origin->workdir = pe_vcs_strdup(repo->workdir);
		own_dir = pe_vcs_strdup_dir(git_repository_path(repo->git));
		if (strcmp(own_dir, repo->common_dir) != 0)
			origin->own_dir = own_dir;
		else
			free(own_dir);
		pe_vec_push(&repo->origins, origin);
	}
	*out = repo->origins.data[0];
	return 0;
}

void pe_vcs_flush_attributes(const struct pe_repo *repo)
{
	for (size_t i = 0; i < repo->origins.n; i++)
		git_attr_cache_flush(repo->origins.data[i]->git);
}

int pe_vcs_fail_object(struct pe_err *err, int rc, const struct pe_origin *origin,
		       const git_oid *id, const char *what)
{
	const char *in = origin->name[0] != '\0' ? " of " : "";
	const char *path = *what == '\'' ? what + 1 : "", *slash = strrchr(path, '/');
	const int n = (int)(slash != NULL ? slash + 1 - path : 0);
	pe_auto_text here = PE_TEXT_INIT;

	pe_text_add_word(&here, origin->workdir != NULL ? origin->workdir : origin->git_dir);
	if (rc == GIT_ENOTFOUND && origin->partial)
		return pe_fail(
			err, PE_EUNSUPPORTED,
			"%s%s%s (%.12s) was left out of this partial clone; run 'git -C %s fetch --refetch --no-filter' to have every version here%s%.*s%s",
			what, in, origin->name, git_oid_tostr_s(id), pe_text_str(&here),
			n > 0 ? ", or leave it out where no build needs it: 'tree: {exclude: ["
			      : "",
			n, path, n > 0 ? "]}'" : "");
	if (rc == GIT_ENOTFOUND)
		return pe_fail(
			err, PE_EVCS,
			"%s%s%s (%.12s) is missing from the repository; 'git fsck' tells what else is%s%.*s%s",
			what, in, origin->name, git_oid_tostr_s(id),
			n > 0 ? "; 'tree: {exclude: [" : "", n, path,
			n > 0 ? "]}' leaves out what no build needs" : "");
	return pe_fail(err, PE_EVCS, "cannot read %s%s%s (%.12s): %s", what, in, origin->name,
		       git_oid_tostr_s(id), pe_vcs_message());
}

int pe_vcs_commit_of(git_commit **out, const struct pe_origin *origin, const char *id,
		     struct pe_err *err)
{
	git_oid oid;
	int rc;

	if (git_oid_fromstr(&oid, id) < 0)
		return pe_fail(err, PE_EINVALID, "'%s' is not the id of a commit", id);
	rc = git_commit_lookup(out, origin->git, &oid);
	return rc < 0 ? pe_vcs_fail_object(err, rc, origin, &oid, "a commit") : PE_OK;
}

int pe_vcs_blob_of(git_blob **out, const struct pe_origin *origin, const char *id,
		   struct pe_err *err)
{
	git_oid oid;
	int rc;

	if (git_oid_fromstr(&oid, id) < 0)
		return pe_fail(err, PE_EINVALID, "'%s' is not the id of a blob", id);
	rc = git_blob_lookup(out, origin->git, &oid);
	return rc < 0 ? pe_vcs_fail_object(err, rc, origin, &oid, "a file") : PE_OK;
}

/* -- .gitmodules ------------------------------------------------------------------------------------------ */

/* libgit2 reads the files that `[include]` names, so a text that has such a section is not read. */
static int open_text(git_config **out, const char *text)
{
	pe_auto_fd fd = strcasestr(text, "[include") == NULL
				? pe_files_open_memory(text, strlen(text))
				: -1;
	char path[64];

	*out = NULL;
	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return git_config_open_ondisk(out, path);
}

/* "submodule.NAME.path" and "submodule.NAME.url"; the names of sections may have dots. */
void pe_vcs_submodules_parse(submodule_vec *out, const char *text, struct pe_arena *arena)
{
	static const char section[] = "submodule.";
	const size_t head = sizeof(section) - 1;
	pe_auto_config *config = NULL;
	pe_auto_config_iterator *entries = NULL;
	git_config_entry *entry;

	if (open_text(&config, text) != 0 || git_config_iterator_new(&entries, config) != 0)
		return;
	while (git_config_next(&entry, entries) == 0) {
		const char *dot = strrchr(entry->name, '.'), *name;

		if (strncmp(entry->name, section, head) != 0 || dot <= entry->name + head ||
		    entry->value == NULL)
			continue;
		name = pe_arena_strndup(arena, entry->name + head,
					(size_t)(dot - entry->name) - head);
		if (out->n == 0 || strcmp(out->data[out->n - 1].name, name) != 0)
			pe_vec_push(out, ((struct pe_submodule){.name = name}));
		if (strcmp(dot, ".path") == 0)
			out->data[out->n - 1].path = pe_arena_strdup(arena, entry->value);
		else if (strcmp(dot, ".url") == 0)
			out->data[out->n - 1].url = pe_arena_strdup(arena, entry->value);
	}
}

/* -- submodules ------------------------------------------------------------------------------------------- */

/* A name becomes part of a path inside the user's git directory: it may not lead out of it. */
static bool name_is_tame(const char *name)
{
	for (const char *at = name; *at != '\0';) {
		size_t n = strcspn(at, "/");

		if (n == 0 || (n == 1 && at[0] == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		at += n + (at[n] == '/');
	}
	return name[0] != '\0';
}

/* `submodule.<name>.update=none` and `.active=false`: the user builds without it, and so do we. */
static bool is_left_out(const struct pe_origin *parent, const char *name)
{
	pe_auto_text key = PE_TEXT_INIT;
	pe_auto_config *config = NULL;
	const char *value;
	int active = 1;

	if (git_repository_config_snapshot(&config, parent->git) < 0)
		return false;
	pe_text_addf(&key, "submodule.%s.update", name);
	if (git_config_get_string(&value, config, key.data) == 0 && strcmp(value, "none") == 0)
		return true;
	pe_text_clear(&key);
	pe_text_addf(&key, "submodule.%s.active", name);
	return git_config_get_bool(&active, config, key.data) == 0 && !active;
}

static struct pe_origin *open_cached(struct pe_repo *repo, const char *git_dir, const char *name,
				     const char *workdir)
{
	pe_auto_text label = PE_TEXT_INIT;
	struct pe_origin *origin = NULL;

	for (size_t i = 1; i < repo->origins.n; i++)
		if (strcmp(repo->origins.data[i]->own_dir, git_dir) == 0)
			return repo->origins.data[i];
	if (open_origin(&origin, git_dir) != 0)
		return NULL;
	pe_text_addf(&label, "submodule '%s'", name);
	origin->name = pe_vcs_strdup(label.data);
	origin->own_dir = pe_vcs_strdup(git_dir);
	origin->workdir = pe_vcs_strdup(workdir);
	pe_vec_push(&repo->origins, origin);
	return origin;
}

struct search {
	struct pe_repo *repo;
	const struct pe_submodule *submodule;
	const git_oid *commit;
	const char *workdir;       /* of the submodule; NULL: not checked out */
	struct pe_origin *nearest; /* a repository of it that lacks the commit */
};

/* Whether a folder is the submodule's repository and has the commit. */
static struct pe_origin *look(struct search *search, const char *git_dir)
{
	struct pe_origin *origin;
	pe_auto_commit *commit = NULL;

	if (access(git_dir, F_OK) != 0)
		return NULL;
	origin = open_cached(search->repo, git_dir, search->submodule->name, search->workdir);
	if (origin == NULL)
		return NULL;
	search->nearest = origin;
	return git_commit_lookup(&commit, origin->git, search->commit) == 0 ? origin : NULL;
}

/* Whether `git submodule update` can bring it: HEAD has a submodule at that path. */
static bool head_has(const struct pe_origin *parent, const char *path)
{
	pe_auto_object *tree = NULL;
	pe_auto_tree_entry *entry = NULL;

	return git_revparse_single(&tree, parent->git, "HEAD^{tree}") == 0 &&
	       git_tree_entry_bypath(&entry, (git_tree *)tree, path) == 0 &&
	       git_tree_entry_type(entry) == GIT_OBJECT_COMMIT;
}

/* The name is the commit's, and the commands are meant to be copied. */
static int not_here(const struct search *search, const struct pe_origin *parent, struct pe_err *err)
{
	const struct pe_submodule *submodule = search->submodule;
	const char *workdir = parent->workdir != NULL ? parent->workdir : parent->git_dir;
	pe_auto_text name = PE_TEXT_INIT, key = PE_TEXT_INIT, here = PE_TEXT_INIT;
	pe_auto_text place = PE_TEXT_INIT, way = PE_TEXT_INIT;
	pe_auto_git_buf url = GIT_BUF_INIT;

	pe_text_addf(&name, "submodule.%s.update", submodule->name);
	pe_text_add_word(&key, name.data);
	pe_text_add_word(&here, workdir);
	if (search->nearest != NULL) {
		pe_text_add(&way, "lacks a commit: run 'git -C ");
		pe_text_add_word(&way, search->workdir != NULL ? search->workdir
							       : search->nearest->git_dir);
		pe_text_add(&way, " fetch --all' to get it");
	} else if (head_has(parent, submodule->path)) {
		pe_text_addf(&way,
			     "is not here: run 'git -C %s submodule update --init --recursive'",
			     here.data);
	} else {
		pe_text_add(&way, "is not here, and HEAD has it no more: run 'git clone --bare ");
		if (submodule->url == NULL ||
		    git_submodule_resolve_url(&url, parent->git, submodule->url) < 0)
			pe_text_add(&way, "URL");
		else
			pe_text_add_word(&way, url.ptr);
		pe_text_addf(&place, "%s/modules/%s", parent->git_dir, submodule->name);
		pe_text_addc(&way, ' ');
		pe_text_add_word(&way, place.data);
		pe_text_addc(&way, '\'');
	}
	return pe_fail(err, PE_EUNSUPPORTED,
		       "submodule '%s' %s, or 'git -C %s config %s none' to build without it",
		       submodule->path, way.data, here.data, key.data);
}

int pe_vcs_origin_submodule(struct pe_origin **out, struct pe_repo *repo,
			    const struct pe_origin *parent, const struct pe_submodule *submodule,
			    const git_oid *commit, struct pe_err *err)
{
	struct search search = {repo, submodule, commit, NULL, NULL};
	pe_auto_text path = PE_TEXT_INIT, workdir = PE_TEXT_INIT;
	const char *places[] = {parent->own_dir, parent->git_dir};

	*out = NULL;
	if (is_left_out(parent, submodule->name))
		return 0;
	if (parent->workdir != NULL) {
		pe_auto_fd dir = -1;

		/* A link in the tree that is checked out may lead to any repository of the user's. */
		pe_text_addf(&workdir, "%s/%s", parent->workdir, submodule->path);
		dir = pe_files_open_below(parent->workdir, workdir.data, false);
		search.workdir = dir >= 0 ? workdir.data : NULL;
	}
	for (size_t i = 0; i < 2 && *out == NULL && name_is_tame(submodule->name); i++) {
		if (places[i] == NULL)
			continue;
		pe_text_clear(&path);
		pe_text_addf(&path, "%s/modules/%s", places[i], submodule->name);
		*out = look(&search, path.data);
	}
	if (*out == NULL && search.workdir != NULL) {
		pe_text_clear(&path);
		pe_text_addf(&path, "%s/.git", search.workdir);
		*out = look(&search, path.data);
	}
	return *out != NULL ? PE_OK : not_here(&search, parent, err);
}
