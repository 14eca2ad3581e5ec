/*
 * Open a repository without leaving a trace in it, and give the reason where that is refused.
 *
 * libgit2 opens by reading the repository and the configuration only. Calls that are never made here: refreshing the
 * index, adding a worktree, writing a reference, an object or a configuration value.
 */
#define _XOPEN_SOURCE 700 /* realpath(3) */
#include "vcs/hooked.h"
#include "vcs/internal.h"

#include "core/base/text.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Extensions that change nothing about how objects and refs are read. libgit2 refuses what is not named. */
static const char *const extensions[] = {
	"worktreeconfig",
	"preciousobjects",
	"relativeworktrees",
	"partialclone",
};

const char *pe_vcs_message(void)
{
	const git_error *last = git_error_last();

	return last != NULL && last->message != NULL ? last->message : "unknown error";
}

int pe_vcs_fail(struct pe_err *err, int rc, const char *format, ...)
{
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return pe_fail(err, rc == GIT_ENOTFOUND ? PE_ENOTFOUND : PE_EVCS, "%s: %s", what,
		       pe_vcs_message());
}

char *pe_vcs_strdup(const char *string)
{
	size_t n = string != NULL ? strlen(string) + 1 : 0;

	return n != 0 ? memcpy(pe_realloc(NULL, n, 1), string, n) : NULL;
}

char *pe_vcs_strdup_dir(const char *path)
{
	char *copy = pe_vcs_strdup(path);
	size_t n = copy != NULL ? strlen(copy) : 0;

	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	return copy;
}

/* The folder that `safe.directory` must name: the one git itself would ask about. */
static char *refused_dir(const char *path)
{
	git_buf found = GIT_BUF_INIT;
	char real[PATH_MAX];
	char *dir;
	size_t n;

	if (git_repository_discover(&found, path, 0, NULL) < 0)
		return pe_vcs_strdup(realpath(path, real) != NULL ? real : path);
	dir = pe_vcs_strdup_dir(found.ptr);
	git_buf_dispose(&found);
	assert(dir != NULL);
	n = strlen(dir);
	if (n > 5 && strcmp(dir + n - 5, "/.git") == 0)
		dir[n - 5] = '\0';
	return dir;
}

static bool is_ownership_refusal(int rc)
{
	const char *message = pe_vcs_message();

	return rc == GIT_EOWNER || (rc < 0 && (strstr(message, "safe.directory") != NULL ||
					       strstr(message, "not owned") != NULL));
}

/* `safe.directory = *`, which git honours and libgit2 1.5 does not. */
static bool every_owner_is_trusted(void)
{
	pe_auto_config *config = NULL;
	pe_auto_config_iterator *values = NULL;
	git_config_entry *entry;
	bool trusted = false;

	if (git_config_open_default(&config) == 0 &&
	    git_config_multivar_iterator_new(&values, config, "safe.directory", NULL) == 0)
		while (git_config_next(&entry, values) == 0)
			/* An empty value takes back those before it. */
			trusted = entry->value[0] != '\0' &&
				  (trusted || strcmp(entry->value, "*") == 0);
	return trusted;
}

int pe_vcs_open_trusted(git_repository **out, const char *path, unsigned flags)
{
	int validates = 1, rc;

	git_libgit2_opts(GIT_OPT_GET_OWNER_VALIDATION, &validates);
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	rc = git_repository_open_ext(out, path, flags, NULL);
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, validates);
	return rc;
}

/*
 * libgit2's refusals come as general errors, and an ownership refusal even as "not found"; its message is
 * the only thing that tells them apart.
 */
static int refuse(struct pe_err *err, int rc, const char *path)
{
	const char *message = pe_vcs_message();

	if (is_ownership_refusal(rc)) {
		pe_auto_free char *dir = refused_dir(path);
		pe_auto_text word = PE_TEXT_INIT;

		pe_text_add_word(&word, dir);
		return pe_fail(
			err, PE_EUNSUPPORTED,
			"the repository '%s' belongs to another user; if you trust it, run 'git config --global --add safe.directory %s'",
			dir, word.data);
	}
	if (strstr(message, "extensions.objectformat") != NULL)
		return pe_fail(
			err, PE_EUNSUPPORTED,
			"this repository names its objects by SHA-256, which libgit2 %s cannot read; measure a SHA-1 clone of the project instead",
			LIBGIT2_VERSION);
	if (strstr(message, "extensions.refstorage") != NULL)
		return pe_fail(
			err, PE_EUNSUPPORTED,
			"this repository keeps its references in reftables, which libgit2 %s cannot read; run 'git refs migrate --ref-format=files' or measure a new clone",
			LIBGIT2_VERSION);
	if (strstr(message, "unsupported extension") != NULL ||
	    strstr(message, "unsupported repository version") != NULL)
		return pe_fail(
			err, PE_EUNSUPPORTED,
			"libgit2 %s cannot read this repository (%s); measure a new clone of it",
			LIBGIT2_VERSION, message);
	if (rc == GIT_ENOTFOUND)
		return pe_fail(
			err, PE_ENOTFOUND,
			"no git repository at or above '%s': run perfevo inside a clone, or 'git init'",
			path);
	return pe_fail(err, PE_EVCS, "cannot open the repository at '%s': %s", path, message);
}

/* Hooks export GIT_DIR (and GIT_WORK_TREE); with an unusual layout nothing else leads to the repository. */
static int open_from_environment(git_repository **out)
{
	const char *git_dir = getenv("GIT_DIR");
	const char *work_tree = getenv("GIT_WORK_TREE");
	int rc;

	rc = git_repository_open_ext(out, git_dir, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	if (rc == 0 && work_tree != NULL && work_tree[0] != '\0')
		rc = git_repository_set_workdir(*out, work_tree, 0);
	return rc;
}

static int open_git(git_repository **out, const char *path, bool as_git, struct pe_err *err)
{
	const char *start = path != NULL && path[0] != '\0' ? path : ".";
	const char *git_dir = getenv("GIT_DIR");
	int rc;

	if (as_git && git_dir != NULL && git_dir[0] != '\0' && open_from_environment(out) == 0)
		return 0;
	rc = git_repository_open_ext(out, start, 0, NULL);

	if (is_ownership_refusal(rc)) {
		/* The calls that follow must not overwrite the message of this refusal. */
		struct pe_err refusal = PE_ERR_INIT;
		int code = refuse(&refusal, rc, start);

		rc = every_owner_is_trusted() ? pe_vcs_open_trusted(out, start, 0) : GIT_EOWNER;
		if (rc == 0)
			return 0;
		return pe_fail(err, code, "%s", refusal.message);
	}
	if (rc == GIT_ENOTFOUND && path == NULL && git_dir != NULL && git_dir[0] != '\0') {
		start = git_dir;
		rc = open_from_environment(out);
	}
	if (rc < 0) {
		git_repository_free(*out);
		*out = NULL;
		return refuse(err, rc, start);
	}
	return 0;
}

/* ".../perl/.git" and ".../perl.git" are both "perl", and so is every worktree of them. */
static char *name_of(const char *common_dir)
{
	pe_auto_free char *copy = pe_vcs_strdup(common_dir);
	const char *slash;
	size_t n;

	assert(copy != NULL);
	n = strlen(copy);
	if (n > 5 && strcmp(copy + n - 5, "/.git") == 0)
		copy[n - 5] = '\0';
	else if (n > 4 && strcmp(copy + n - 4, ".git") == 0 && copy[n - 5] != '/')
		copy[n - 4] = '\0';
	slash = strrchr(copy, '/');
	return pe_vcs_strdup(slash != NULL && slash[1] != '\0' ? slash + 1 : copy);
}

static int compare_oids(const void *a, const void *b)
{
	return git_oid_cmp(a, b);
}

/* The commits at which history was cut; the file is absent in a whole clone. */
static void read_shallow(struct pe_repo *repo)
{
	pe_auto_text path = PE_TEXT_INIT, text = PE_TEXT_INIT;
	const char *line;
	git_oid id;

	pe_text_addf(&path, "%s/shallow", repo->common_dir);
	if (pe_text_read_file(&text, path.data, NULL) == 0) {
		for (line = pe_text_str(&text); line != NULL && line[0] != '\0';) {
			if (strcspn(line, "\n") == GIT_OID_HEXSZ &&
			    git_oid_fromstrn(&id, line, GIT_OID_HEXSZ) == 0)
				pe_vec_push(&repo->shallow, id);
			line = strchr(line, '\n');
			line = line != NULL ? line + 1 : NULL;
		}
	}
	if (repo->shallow.n != 0)
		qsort(repo->shallow.data, repo->shallow.n, sizeof(git_oid), compare_oids);
}

bool pe_vcs_is_shallow_end(const struct pe_repo *repo, const git_oid *commit)
{
	return repo->shallow.n != 0 && bsearch(commit, repo->shallow.data, repo->shallow.n,
					       sizeof(git_oid), compare_oids) != NULL;
}

static void identify(struct pe_repo *repo)
{
	char real[PATH_MAX];
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, realpath(repo->common_dir, real) != NULL ? real : repo->common_dir);
	pe_hash_hex(&hash, repo->identity);
}

static int open_repo(struct pe_repo **out, const char *path, bool as_git, struct pe_err *err)
{
	struct pe_repo *repo;
	git_repository *git = NULL;
	int rc;

	*out = NULL;
	if (git_libgit2_init() < 0)
		return pe_fail(err, PE_EVCS, "cannot start libgit2: %s", pe_vcs_message());
	/* What push packs counts as sent, and must outlast a power cut: perfevo writes to repositories of its own alone. */
	git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions,
			 sizeof(extensions) / sizeof(extensions[0]));
	rc = open_git(&git, path, as_git, err);
	if (rc < 0) {
		git_libgit2_shutdown();
		return rc;
	}
	repo = pe_realloc(NULL, 1, sizeof(*repo));
	memset(repo, 0, sizeof(*repo));
	repo->git = git;
	repo->common_dir = pe_vcs_strdup_dir(git_repository_commondir(git));
	repo->workdir = pe_vcs_strdup_dir(git_repository_workdir(git));
	repo->name = name_of(repo->common_dir);
	identify(repo);
	read_shallow(repo);
	pe_vcs_read_snapshots(repo->git, repo);
	*out = repo;
	return 0;
}

int pe_repo_open(struct pe_repo **out, const char *path, struct pe_err *err)
{
	return open_repo(out, path, false, err);
}

int pe_repo_open_as_git(struct pe_repo **out, struct pe_err *err)
{
	return open_repo(out, NULL, true, err);
}

void pe_repo_close(struct pe_repo *repo)
{
	if (repo == NULL)
		return;
	for (size_t i = 0; i < repo->origins.n; i++)
		pe_vcs_origin_close(repo->origins.data[i]);
	pe_vec_release(&repo->origins);
	pe_vcs_names_release(&repo->names);
	pe_vec_release(&repo->shallow);
	git_repository_free(repo->git);
	free(repo->common_dir);
	free(repo->workdir);
	free(repo->name);
	free(repo);
	git_libgit2_shutdown();
}

void pe_repo_exclude(struct pe_repo *repo, const struct pe_strings *paths)
{
	repo->exclude = *paths;
}

const char *pe_repo_common_dir(const struct pe_repo *repo)
{
	return repo->common_dir;
}

const char *pe_repo_workdir(const struct pe_repo *repo)
{
	return repo->workdir;
}

const char *pe_repo_name(const struct pe_repo *repo)
{
	return repo->name;
}

const char *pe_repo_identity(const struct pe_repo *repo)
{
	return repo->identity;
}

const char *pe_repo_user(struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_signature *user = NULL;

	return git_signature_default(&user, repo->git) == 0
		       ? pe_arena_printf(arena, "%s <%s>", user->name, user->email)
		       : NULL;
}

bool pe_repo_is_shallow(const struct pe_repo *repo)
{
	return repo->shallow.n != 0;
}
