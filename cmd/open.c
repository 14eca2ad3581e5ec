#include "cmd/open.h"

#include "cmd/session.h"
#include "core/bench/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const config_names[] = {"perfevo.yml", ".perfevo.yml"};

enum { N_CONFIG_NAMES = sizeof(config_names) / sizeof(*config_names) };

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

static int load(struct pe_cmd_ctx *ctx, const char *path, const char *root)
{
	ctx->config = pe_arena_new(ctx->arena, struct pe_config, 1);
	return pe_config_load(ctx->config, path, root, NULL, ctx->arena, ctx->err);
}

/* The first of the names that HEAD's tree holds, or NULL. */
static int find_in_head(const char **name, struct pe_cmd_ctx *ctx, const char *head)
{
	const struct pe_strings paths = {config_names, N_CONFIG_NAMES};
	char ids[N_CONFIG_NAMES][PE_OID_HEX];
	int rc = pe_repo_path_ids(ids, ctx->repo, head, &paths, ctx->err);

	*name = NULL;
	for (size_t i = 0; rc == PE_OK && i < N_CONFIG_NAMES; i++)
		if (ids[i][0] != '\0' && *name == NULL)
			*name = config_names[i];
	return rc;
}

/* Everything of the user's tree that the config refers to: the overlay and the benchmarks' input files. */
static struct pe_strings files_of(const struct pe_config *config, struct pe_arena *arena)
{
	size_t most = config->overlay.paths.n, n = 0;
	const char **at;

	for (size_t i = 0; i < config->n_workloads; i++)
		most += config->workloads[i].inputs.n;
	at = pe_arena_new(arena, const char *, most + 1);
	if (config->overlay.revision == NULL)
		for (size_t i = 0; i < config->overlay.paths.n; i++)
			at[n++] = config->overlay.paths.at[i];
	for (size_t i = 0; i < config->n_workloads; i++)
		for (size_t j = 0; j < config->workloads[i].inputs.n; j++)
			at[n++] = config->workloads[i].inputs.at[j];
	return (struct pe_strings){at, n};
}

/*
 * A bare repository has no tree of the user's: HEAD's takes its place. What the config refers to is copied into
 * the cache, into a folder named by the commit, so that what lies there never changes.
 */
static int load_from_head(struct pe_cmd_ctx *ctx)
{
	struct pe_revision head;
	struct pe_strings one = {NULL, 1}, files;
	const char *name, *root;
	int rc = pe_repo_resolve(&head, ctx->repo, "HEAD", ctx->arena, ctx->err);

	if (rc == PE_OK)
		rc = find_in_head(&name, ctx, head.id);
	if (rc != PE_OK)
		return rc;
	if (name == NULL)
		return pe_fail(ctx->err, PE_ENOTFOUND,
			       "no perfevo.yml in HEAD of %s: commit one, or name a file with "
			       "--config",
			       pe_repo_common_dir(ctx->repo));
	root = pe_arena_printf(ctx->arena, "%s/head/%s", pe_session_cache_dir(ctx), head.id);
	one.at = &name;
	rc = pe_files_make_dir(root, ctx->err);
	if (rc == PE_OK)
		rc = pe_repo_export(ctx->repo, head.id, &one, root, NULL, ctx->err);
	if (rc == PE_OK)
		rc = load(ctx, pe_arena_printf(ctx->arena, "%s/%s", root, name), root);
	if (rc != PE_OK)
		return rc;
	files = files_of(ctx->config, ctx->arena);
	return files.n > 0 ? pe_repo_export(ctx->repo, head.id, &files, root, NULL, ctx->err)
			   : PE_OK;
}

static int load_from_tree(struct pe_cmd_ctx *ctx, const char *root)
{
	for (size_t i = 0; i < N_CONFIG_NAMES; i++) {
		const char *path = pe_arena_printf(ctx->arena, "%s/%s", root, config_names[i]);

		if (access(path, F_OK) == 0)
			return load(ctx, path, root);
	}
	return pe_fail(ctx->err, PE_ENOTFOUND, "no perfevo.yml in %s: run 'perfevo init'", root);
}

static int load_config(struct pe_cmd_ctx *ctx)
{
	const char *tree = pe_repo_workdir(ctx->repo);

	if (ctx->config_path != NULL) {
		if (tree == NULL)
			tree = folder_of(ctx->config_path, ctx->arena);
		if (tree == NULL)
			return pe_fail_errno(ctx->err, "cannot tell the current folder");
		return load(ctx, ctx->config_path, tree);
	}
	return tree != NULL ? load_from_tree(ctx, tree) : load_from_head(ctx);
}

/* The hash of an overlay that comes from a revision: its files are written out once, and thrown away. */
static int hash_overlay(char hex[PE_HASH_HEX], struct pe_cmd_ctx *ctx)
{
	struct pe_overlay *overlay = &ctx->config->overlay;
	const char *tmp = getenv("TMPDIR");
	char *dir = pe_arena_printf(ctx->arena, "%s/perfevo-XXXXXX",
				    tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	struct pe_revision revision;
	struct pe_hash hash;
	int rc = pe_repo_resolve(&revision, ctx->repo, overlay->revision, ctx->arena, ctx->err);

	if (rc != PE_OK) {
		pe_err_context(ctx->err, "overlay of '%s'", overlay->revision);
		return rc;
	}
	if (mkdtemp(dir) == NULL)
		return pe_fail_errno(ctx->err, "cannot make a folder in %s", dir);
	/* From here on it is one commit, whatever becomes of the branch while this command runs. */
	overlay->revision = pe_arena_strdup(ctx->arena, revision.id);
	pe_hash_init(&hash);
	rc = pe_repo_export(ctx->repo, overlay->revision, &overlay->paths, dir, &hash, ctx->err);
	if (rc != PE_OK)
		pe_err_context(ctx->err, "overlay of '%s'", overlay->revision);
	pe_files_remove(dir, NULL);
	pe_hash_hex(&hash, hex);
	return rc;
}

int pe_open_config(struct pe_cmd_ctx *ctx)
{
	char hex[PE_HASH_HEX];
	const char *overlay_hash = NULL;
	int rc = load_config(ctx);

	if (rc == PE_OK && ctx->config->overlay.paths.n > 0 &&
	    ctx->config->overlay.revision != NULL) {
		rc = hash_overlay(hex, ctx);
		overlay_hash = hex;
	}
	if (rc == PE_OK)
		rc = pe_config_seal(ctx->config, overlay_hash, ctx->err);
	if (rc != PE_OK)
		ctx->config = NULL;
	return rc;
}

/* --- Store --- */

const char *pe_store_place(struct pe_cmd_ctx *ctx)
{
	if (ctx->store_path != NULL)
		return ctx->store_path;
	return pe_arena_printf(ctx->arena, "%s/perfevo/perfevo.db", pe_repo_common_dir(ctx->repo));
}

int pe_open_store(struct pe_cmd_ctx *ctx, unsigned needs)
{
	bool must_exist = (needs & PE_NEEDS_STORE_READ) != 0;
	unsigned flags = (needs & PE_NEEDS_STORE) != 0 ? 0 : PE_OPEN_READONLY;
	const char *path = pe_store_place(ctx), *folder;

	if (must_exist && access(path, F_OK) < 0 && errno == ENOENT)
		return pe_fail(ctx->err, PE_ENOTFOUND,
			       "nothing measured yet (no %s): run "
			       "'perfevo track'",
			       path);
	if (!must_exist && ctx->store_path == NULL) {
		folder = pe_arena_printf(ctx->arena, "%s/perfevo", pe_repo_common_dir(ctx->repo));
		if (mkdir(folder, 0777) < 0 && errno != EEXIST)
			return pe_fail_errno(ctx->err, "cannot make %s", folder);
	}
	return pe_store_open(&ctx->store, path, flags, ctx->err);
}
