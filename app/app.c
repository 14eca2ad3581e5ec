/* Opening what an application needs: finding the config and the store. */
#include "app/app.h"

#include "core/base/files.h"
#include "core/exec/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/file.h>
#include <unistd.h>

const char *const pe_config_names[PE_N_CONFIG_NAMES] = {"perfevo.yml", ".perfevo.yml"};

/* --- Cache --- */

const char *pe_app_cache_root(const struct pe_app *app)
{
	const char *home = getenv("HOME");
	const char *xdg = getenv("XDG_CACHE_HOME");

	if (app->config != NULL && app->config->cache_dir != NULL)
		return app->config->cache_dir;
	if (xdg != NULL && xdg[0] == '/')
		return pe_arena_printf(app->arena, "%s/perfevo", xdg);
	/* Without a home there is no cache, see pe_app_make_cache(); a shared folder is none. */
	return pe_arena_printf(app->arena, "%s/.cache/perfevo", home != NULL ? home : "");
}

/* Builds are run from the cache: whoever may write to it, or replace it, decides what runs. */
static int own_cache_dir(const struct pe_app *app, const char *folder)
{
	struct pe_err why = PE_ERR_INIT;
	int rc = pe_files_own_dir(folder, &why);

	if (rc != PE_EINVALID)
		return rc != PE_OK ? pe_fail(app->err, rc, "%s", why.message) : rc;
	return pe_fail(app->err, PE_ESYS,
		       "cannot use the cache folder %s, from which programs are run: %s; set "
		       "XDG_CACHE_HOME, or 'cache:' in the config, to a folder of your own",
		       folder, why.message);
}

int pe_app_make_cache(struct pe_app *app, const char *folder)
{
	const char *home = getenv("HOME");
	const char *xdg = getenv("XDG_CACHE_HOME");
	const char *root = pe_app_cache_root(app);

	if ((app->config == NULL || app->config->cache_dir == NULL) &&
	    (xdg == NULL || xdg[0] != '/') && (home == NULL || home[0] != '/'))
		return pe_fail(
			app->err, PE_ESYS,
			"no place for builds: HOME is not set; set it, or XDG_CACHE_HOME, or "
			"'cache:' in the config");
	PE_TRY(own_cache_dir(app, root));
	for (size_t n = strlen(root); folder[n] == '/';) {
		n += 1 + strcspn(folder + n + 1, "/");
		PE_TRY(own_cache_dir(app, pe_arena_strndup(app->arena, folder, n)));
	}
	return PE_OK;
}

const char *pe_app_cache_dir(struct pe_app *app)
{
	return pe_arena_printf(app->arena, "%s/%s", pe_app_cache_root(app),
			       pe_repo_identity(app->repo));
}

const char *pe_app_hook_dir(struct pe_app *app)
{
	return pe_arena_printf(app->arena, "%s/perfevo/hooks", pe_repo_common_dir(app->repo));
}

/* --- Config --- */

/* The absolute folder of a file; NULL: the current one is gone. */
static const char *folder_of(const char *path, struct pe_arena *arena)
{
	const char *slash = strrchr(path, '/');
	const char *folder =
		pe_arena_strndup(arena, path, slash != NULL ? (size_t)(slash - path) : 0);
	char here[4096];

	if (path[0] == '/')
		return folder[0] != '\0' ? folder : "/";
	if (getcwd(here, sizeof(here)) == NULL)
		return NULL;
	return pe_arena_printf(arena, "%s%s%s", here, folder[0] != '\0' ? "/" : "", folder);
}

static int load(struct pe_app *app, const char *path, const char *root)
{
	app->config = pe_arena_new(app->arena, struct pe_config, 1);
	return pe_config_load(app->config, path, root, NULL, app->arena, app->err);
}

int pe_app_config_name(const char **out, struct pe_app *app, const char *revision)
{
	const struct pe_strings paths = {pe_config_names, PE_N_CONFIG_NAMES};
	char ids[PE_N_CONFIG_NAMES][PE_OID_HEX];

	*out = NULL;
	PE_TRY(pe_repo_path_ids(ids, app->repo, revision, &paths, app->err));
	for (size_t i = 0; i < PE_N_CONFIG_NAMES; i++)
		if (ids[i][0] != '\0' && *out == NULL)
			*out = pe_config_names[i];
	return PE_OK;
}

/* Everything of the user's tree that the config refers to: the overlay and the benchmarks' input files. */
static struct pe_strings files_of(const struct pe_config *config, struct pe_arena *arena)
{
	size_t most = config->overlay.paths.n, n = 0;
	const char **at;

	for (size_t i = 0; i < config->n_benchmarks; i++)
		most += config->benchmarks[i].inputs.n;
	at = pe_arena_new(arena, const char *, most + 1);
	if (config->overlay.revision == NULL)
		for (size_t i = 0; i < config->overlay.paths.n; i++)
			at[n++] = config->overlay.paths.at[i];
	for (size_t i = 0; i < config->n_benchmarks; i++)
		for (size_t j = 0; j < config->benchmarks[i].inputs.n; j++)
			at[n++] = config->benchmarks[i].inputs.at[j];
	return (struct pe_strings){at, n};
}

/*
 * A tree that is not checked out takes the place of the user's: HEAD's in a bare repository, or the requested one. Files
 * that the config refers to are copied into the cache, into a folder named by the commit, which therefore never
 * changes.
 */
static int load_from_revision(struct pe_app *app, const char *spec)
{
	struct pe_revision revision;
	struct pe_strings one = {NULL, 1}, files;
	const char *name, *root;

	PE_TRY(pe_repo_resolve(&revision, app->repo, spec, app->arena, app->err));
	PE_TRY(pe_app_config_name(&name, app, revision.id));
	if (name == NULL)
		return pe_fail(
			app->err, PE_ENOTFOUND,
			"no perfevo.yml in %.10s (%s) of %s: commit one, or name a file with "
			"--config",
			revision.id, spec, pe_repo_common_dir(app->repo));
	root = pe_arena_printf(app->arena, "%s/head/%s", pe_app_cache_dir(app), revision.id);
	one.at = &name;
	PE_TRY(pe_app_make_cache(app, root));
	PE_TRY(pe_repo_export(app->repo, revision.id, &one, root, NULL, app->err));
	PE_TRY(load(app, pe_arena_printf(app->arena, "%s/%s", root, name), root));
	files = files_of(app->config, app->arena);
	return files.n > 0 ? pe_repo_export(app->repo, revision.id, &files, root, NULL, app->err)
			   : PE_OK;
}

const char *pe_app_tree_config(struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo);
	struct stat st;

	for (size_t i = 0; tree != NULL && i < PE_N_CONFIG_NAMES; i++) {
		const char *path = pe_arena_printf(app->arena, "%s/%s", tree, pe_config_names[i]);

		if (lstat(path, &st) == 0)
			return path;
	}
	return NULL;
}

static int load_from_tree(struct pe_app *app, const char *root)
{
	const char *path = pe_app_tree_config(app);

	if (path != NULL)
		return load(app, path, root);
	return pe_fail(app->err, PE_ENOTFOUND, "no perfevo.yml in %s: run 'perfevo init'", root);
}

static int load_config(struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo);

	if (app->config_path != NULL) {
		if (tree == NULL)
			tree = folder_of(app->config_path, app->arena);
		if (tree == NULL)
			return pe_fail_errno(app->err, "cannot read the current folder");
		return load(app, app->config_path, tree);
	}
	if (app->config_revision != NULL || tree == NULL)
		return load_from_revision(app, app->config_revision != NULL ? app->config_revision
									    : "HEAD");
	return load_from_tree(app, tree);
}

/* The hash of an overlay that comes from a revision: its files are written out once, and thrown away. */
static int hash_overlay(char hex[PE_HASH_HEX], struct pe_app *app)
{
	struct pe_overlay *overlay = &app->config->overlay;
	const char *tmp = getenv("TMPDIR");
	char *dir = pe_arena_printf(app->arena, "%s/perfevo-XXXXXX",
				    tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	struct pe_revision revision;
	struct pe_hash hash;
	int rc = pe_repo_resolve(&revision, app->repo, overlay->revision, app->arena, app->err);

	if (rc != PE_OK) {
		pe_err_context(app->err, "overlay of '%s'", overlay->revision);
		return rc;
	}
	if (mkdtemp(dir) == NULL)
		return pe_fail_errno(app->err, "cannot make a folder in %s", dir);
	/* From here on it is one commit, whatever becomes of the branch while this command runs. */
	overlay->revision = pe_arena_strdup(app->arena, revision.id);
	pe_hash_init(&hash);
	rc = pe_repo_export(app->repo, overlay->revision, &overlay->paths, dir, &hash, app->err);
	if (rc != PE_OK)
		pe_err_context(app->err, "overlay of '%s'", overlay->revision);
	pe_files_remove(dir, NULL);
	pe_hash_hex(&hash, hex);
	return rc;
}

int pe_app_open_config(struct pe_app *app)
{
	char hex[PE_HASH_HEX];
	const char *overlay_hash = NULL;
	int rc = load_config(app);

	if (rc == PE_OK && app->config->overlay.paths.n > 0 &&
	    app->config->overlay.revision != NULL) {
		rc = hash_overlay(hex, app);
		overlay_hash = hex;
	}
	if (rc == PE_OK)
		rc = pe_config_seal(app->config, overlay_hash, app->err);
	if (rc == PE_OK)
		pe_repo_exclude(app->repo, &app->config->recipe.exclude);
	if (rc != PE_OK)
		app->config = NULL;
	return rc;
}

/* --- Store --- */

const char *pe_app_store_path(struct pe_app *app)
{
	if (app->store_path != NULL)
		return app->store_path;
	return pe_arena_printf(app->arena, "%s/perfevo/perfevo.db", pe_repo_common_dir(app->repo));
}

int pe_app_open_store(struct pe_app *app, unsigned needs)
{
	bool must_exist = (needs & PE_NEEDS_STORE_READ) != 0;
	unsigned flags = (needs & PE_NEEDS_STORE) != 0 ? 0 : PE_OPEN_READONLY;
	const char *path = pe_app_store_path(app), *folder;

	if (must_exist && access(path, F_OK) < 0 && errno == ENOENT)
		return pe_fail(app->err, PE_ENOTFOUND,
			       "nothing measured yet (no %s): run 'perfevo track'", path);
	if (!must_exist && app->store_path == NULL) {
		folder = pe_arena_printf(app->arena, "%s/perfevo", pe_repo_common_dir(app->repo));
		if (pe_files_make_dir(folder, app->err) != PE_OK)
			return PE_ESYS;
	}
	return pe_store_open(&app->store, path, flags, app->err);
}

/* Who measures holds the lock beside the store (app/measure/session.c); it goes with the process. */
static bool is_held(const char *path)
{
	pe_auto_fd lock = open(path, O_RDONLY | O_CLOEXEC);

	return lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

bool pe_app_is_measured(struct pe_app *app)
{
	return is_held(pe_arena_printf(app->arena, "%s-lock", pe_app_store_path(app)));
}

bool pe_app_is_machine_busy(struct pe_app *app)
{
	return is_held(pe_arena_printf(app->arena, "%s/measure.lock", pe_app_cache_root(app)));
}

int pe_app_lock_cache(int *lock, const struct pe_app *app, struct pe_err *err)
{
	const char *path = pe_arena_printf(app->arena, "%s/measure.lock", pe_app_cache_root(app));

	*lock = open(path, O_RDWR | O_CLOEXEC);
	if (*lock < 0)
		return errno == ENOENT ? PE_OK : pe_fail_errno(err, "cannot open %s", path);
	if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
		return PE_OK;
	return errno == EWOULDBLOCK
		       ? pe_fail(err, PE_EBUSY,
				 "another perfevo is measuring on this machine: try again when it has ended")
		       : pe_fail_errno(err, "cannot lock %s", path);
}

/* --- Application --- */

static int open_wanted_config(struct pe_app *app)
{
	int rc = pe_app_open_config(app);

	/* A named file must be good; one that was found may be half written. */
	if (rc == PE_OK || app->config_path != NULL)
		return rc;
	if (rc != PE_ENOTFOUND)
		pe_app_note(app, "%s; continuing without a config", app->err->message);
	*app->err = (struct pe_err)PE_ERR_INIT;
	return PE_OK;
}

int pe_app_resolve(struct pe_revision *out, struct pe_app *app, const char *spec)
{
	return pe_repo_resolve(out, app->repo, spec, app->arena, app->err);
}

int pe_app_open(struct pe_app *app, unsigned needs)
{
	if ((needs & PE_NEEDS_REPO) != 0 && app->repo == NULL)
		PE_TRY(pe_repo_open(&app->repo, NULL, app->err));
	if ((needs & PE_NEEDS_CONFIG) != 0)
		PE_TRY(pe_app_open_config(app));
	else if ((needs & PE_WANTS_CONFIG) != 0)
		PE_TRY(open_wanted_config(app));
	if ((needs & (PE_NEEDS_STORE | PE_NEEDS_STORE_READ)) != 0)
		PE_TRY(pe_app_open_store(app, needs));
	return PE_OK;
}

/* Where the compilers' answers are remembered; NULL: there is no cache yet, or it is not ours alone. */
static const char *memory_of_compilers(struct pe_app *app)
{
	const char *root = pe_app_cache_root(app);
	struct pe_err why = PE_ERR_INIT;

	if (access(root, W_OK) != 0 || pe_files_own_dir(root, &why) != PE_OK)
		return NULL;
	return pe_arena_printf(app->arena, "%s/compilers", root);
}

const struct pe_machine *pe_app_here(struct pe_app *app)
{
	struct pe_machine *here;

	if (app->here == NULL) {
		here = pe_arena_new(app->arena, struct pe_machine, 1);
		pe_machine_identify(here, memory_of_compilers(app), app->arena);
		app->here = here;
	}
	return app->here;
}

const struct pe_machine *pe_app_machine(struct pe_app *app)
{
	return app->machine != NULL ? app->machine : pe_app_here(app);
}

int pe_app_find_revisions(const char **missing, struct pe_app *app,
			  const struct pe_results *results, struct pe_arena *arena)
{
	for (size_t i = 0; i < results->n_revisions; i++) {
		const char *id = results->revisions[i];
		struct pe_revision revision;
		int64_t key;

		if (pe_repo_commit(&revision, app->repo, id, arena) == PE_OK)
			PE_TRY(pe_store_put_revision(&key, app->store, &revision, app->err));
		else if (*missing == NULL)
			*missing = id;
	}
	return PE_OK;
}

void pe_app_close(struct pe_app *app)
{
	pe_store_close(app->store);
	pe_repo_close(app->repo);
	pe_arena_release(app->arena);
	app->store = NULL;
	app->repo = NULL;
}

bool pe_app_is_pipeline(void)
{
	const char *ci = getenv("CI");

	return ci != NULL && *ci != '\0' && strcmp(ci, "false") != 0;
}

void pe_app_note(const struct pe_app *app, const char *format, ...)
{
	char sentence[sizeof(app->err->message) + 256];
	va_list args;

	if (app->quiet || app->note == NULL)
		return;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	app->note(app->note_payload, sentence);
}
