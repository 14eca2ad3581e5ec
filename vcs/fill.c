/*
 * Fill: make a folder hold a revision's tree, and nothing else where that is asked for.
 *
 *   (1) A file that is equal in both revisions, and that no build touched, is not touched: it keeps its mtime.
 *   (2) A tracked file that a build changed, removed or replaced is restored, also between equal revisions and
 *       also when products are kept.
 *   (3) A clean fill leaves exactly the tree: every file, link and folder that has no row is removed.
 *   (4) The folder is whole or nothing: its manifest, the list of its files, goes first and comes last.
 *   (5) Nothing is written through a link (see checkout.h), and nothing at all outside the folder and its
 *       manifest, which lies beside it as <folder>.manifest.
 *
 * One walk through the folder looks at every file (lstat), removes what has to go and keeps what is right; then the rest
 * is written.
 */
#include "vcs/checkout.h"

#include "core/base/file_list.h"
#include "core/base/files.h"
#include "core/base/search.h"
#include "core/base/walk.h"
#include "core/exec/ports.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct filling {
	struct pe_repo *repo;
	const struct pe_fill_spec *spec;
	struct pe_fill *out;
	struct pe_err *err;
	struct pe_arena arena;
	struct pe_tree tree;          /* what the folder shall hold */
	struct pe_listed_file *files; /* of its rows; without a path: not in the folder yet */
	struct pe_file_list old;      /* what the folder holds; empty when that is unknown */
	bool whole;                   /* the old manifest was read */
	bool clean;                   /* nothing but the tree shall be there */
	bool converts_anew;           /* other attributes: equal blobs may be written otherwise */
	int dir;                      /* the folder */
	int rc;                       /* of what failed while it was walked through */
	char surroundings[PE_HASH_HEX];
	uint64_t bytes; /* of the files so far */
};

/* -- what else decides the content of files --------------------------------------------------------------- */

static void hash_file(struct pe_hash *hash, const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (pe_text_read_file(&text, path, NULL) == PE_OK)
		pe_hash_bytes(hash, pe_text_str(&text), text.len);
	pe_hash_number(hash, text.len);
}

/* Files written under another configuration are not comparable: the folder then starts anew. */
static void hash_surroundings(char hex[PE_HASH_HEX], const struct pe_origin *origin,
			      const struct pe_strings *exclude)
{
	static const char *const keys[] = {"core.autocrlf", "core.eol", "core.attributesfile"};
	pe_auto_text path = PE_TEXT_INIT;
	pe_auto_config *config = NULL;
	const char *value;
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, origin->git_dir);
	for (size_t i = 0; i < exclude->n; i++)
		pe_hash_string(&hash, exclude->at[i]);
	if (git_repository_config_snapshot(&config, origin->git) == 0) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			bool set = git_config_get_string(&value, config, keys[i]) == 0;

			pe_hash_string(&hash, set ? value : NULL);
			if (set && i == 2)
				hash_file(&hash, value);
		}
	}
	pe_text_addf(&path, "%s/info/attributes", origin->git_dir);
	hash_file(&hash, path.data);
	pe_hash_hex(&hash, hex);
}

/* -- the manifest ----------------------------------------------------------------------------------------- */

/* Open the folder of a manifest; `name` receives its name there. -1 with errno; the name is released in any case. */
static int open_manifest_dir(struct pe_text *name, const struct pe_fill_spec *spec)
{
	pe_auto_text path = PE_TEXT_INIT;
	pe_auto_free char *plain = pe_vcs_strdup_dir(spec->dir);
	const char *last = pe_path_name(plain);

	pe_text_addf(name, "%s.manifest", last);
	pe_text_addn(&path, plain, (size_t)(last - plain));
	return pe_files_open_below(spec->trusted, path.len > 0 ? path.data : ".", false);
}

static const char *manifest_title(struct filling *filling, const char *id)
{
	return pe_arena_printf(&filling->arena, "perfevo manifest 4 %s %s", id,
			       filling->surroundings);
}

/*
 * Neither files nor manifest are synced: that costs more than to write the files once more after the machine went down,
 * which can leave a file of the right size and time without its bytes. So a manifest counts until the next boot.
 */
static void load_manifest(struct filling *filling)
{
	pe_auto_text name = PE_TEXT_INIT, text = PE_TEXT_INIT;
	pe_auto_fd dir = open_manifest_dir(&name, filling->spec);

	filling->whole =
		dir >= 0 && pe_files_read_at(&text, dir, name.data) == 0 &&
		pe_file_list_parse(&filling->old, &text,
				   manifest_title(filling, filling->spec->have), &filling->arena) &&
		!filling->old.of_another_boot;
	if (!filling->whole)
		pe_vec_release(&filling->old.files);
}

static int remove_manifest(const struct pe_fill_spec *spec, struct pe_err *err)
{
	pe_auto_text name = PE_TEXT_INIT;
	pe_auto_fd dir = open_manifest_dir(&name, spec);
	size_t removed = 0;

	if (dir >= 0 ? pe_files_remove_at(dir, name.data, &removed) != 0 : errno != ENOENT)
		return pe_fail_errno(err, "cannot remove %s.manifest", spec->dir);
	return PE_OK;
}

static int save_manifest(struct filling *filling)
{
	pe_auto_text name = PE_TEXT_INIT, text = PE_TEXT_INIT;
	struct pe_file_list list = {.taken_ns = pe_file_list_now_ns()};
	pe_auto_fd dir = open_manifest_dir(&name, filling->spec);
	int rc = PE_OK;

	for (size_t i = 0; i < filling->tree.rows.n; i++) {
		struct pe_row *row = &filling->tree.rows.data[i];
		struct pe_listed_file *file = &filling->files[i];

		if (row_is_dir(row))
			continue;
		git_oid_tostr(file->id, sizeof(file->id), &row->id);
		/* A pointer is resolved again each time: no file has the time that is noted. */
		if (row->pointer)
			file->ctime_ns = INT64_MAX;
		pe_vec_push(&list.files, *file);
	}
	pe_file_list_write(&text, &list, manifest_title(filling, filling->spec->id));
	if (dir < 0 || pe_files_write_at(&text, dir, name.data) != 0)
		rc = pe_fail_errno(filling->err, "cannot write %s.manifest", filling->spec->dir);
	pe_vec_release(&list.files);
	return rc;
}

/* -- clean or incremental --------------------------------------------------------------------------------- */

/*
 * Files that tell a build system what to do. A build that started from others of these is not trusted to
 * notice (a changed configure.ac was ignored in practice, and the binary differed from a clean build's).
 */
static const char *const build_descriptions[] = {
	"CMakeLists.txt",
	"*.cmake",
	"*.cmake.in",
	"CMakePresets.json",
	"configure*",
	"autogen.sh",
	"bootstrap*",
	"*.ac",
	"*.am",
	"*.in",
	"*.m4",
	"Makefile*",
	"makefile*",
	"GNUmakefile*",
	"*.mk",
	"*.mak",
	"Kbuild*",
	"Kconfig*",
	"meson.build",
	"meson.options",
	"meson_options.txt",
	"*.wrap",
	"Cargo.toml",
	"Cargo.lock",
	"build.rs",
	"package.json",
	"package-lock.json",
	"binding.gyp",
	"*.gyp",
	"*.gypi",
	"*.gn",
	"*.gni",
	"*.ninja",
	"*.pro",
	"*.pri",
	"*.qbs",
	"BUILD",
	"BUILD.*",
	"WORKSPACE",
	"WORKSPACE.*",
	"MODULE.bazel",
	"*.bzl",
	"SConstruct",
	"SConscript",
	"wscript",
	"xmake.lua",
	"premake*.lua",
	"build.zig",
	"build.zig.zon",
	"go.mod",
	"go.sum",
	"setup.py",
	"pyproject.toml",
	"conanfile.*",
	"vcpkg.json",
	"Jamfile*",
	"Jamroot*",
	"build.xml",
	"build.gradle*",
	"pom.xml",
	".gitmodules",
	".gitattributes",
};

static bool describes_build(const char *path)
{
	const char *name = path_name(path);

	for (size_t i = 0; i < sizeof(build_descriptions) / sizeof(build_descriptions[0]); i++)
		if (fnmatch(build_descriptions[i], name, 0) == 0)
			return true;
	return false;
}

/* Whether a listed file was written from what a row names, and has its mode. */
static bool is_same(const struct pe_listed_file *old, const struct pe_row *row)
{
	char id[GIT_OID_HEXSZ + 1];

	if (row_is_file(row) ? !S_ISREG(old->mode) || (old->mode & 0100) != (row->mode & 0100)
			     : !S_ISLNK(old->mode))
		return false;
	return strcmp(git_oid_tostr(id, sizeof(id), &row->id), old->id) == 0;
}

/* Decide by the files that were added, changed or removed, side by side; another mode counts (of configure). */
static void compare_revisions(struct filling *filling)
{
	const struct pe_file_list *old = &filling->old;
	const struct pe_tree *tree = &filling->tree;
	bool description_changed = false;
	size_t i = 0, j = 0;

	while (i < old->files.n || j < tree->rows.n) {
		const struct pe_listed_file *file = i < old->files.n ? &old->files.data[i] : NULL;
		const struct pe_row *row = j < tree->rows.n ? &tree->rows.data[j] : NULL;
		int order = row == NULL ? -1 : file == NULL ? 1 : strcmp(file->path, row->path);

		i += order <= 0;
		j += order >= 0;
		if (order == 0 ? !is_same(file, row) : order < 0 || !row_is_dir(row)) {
			const char *path = order <= 0 ? file->path : row->path;

			description_changed |= describes_build(path);
			filling->converts_anew |= strcmp(path_name(path), ".gitattributes") == 0;
		}
	}
	filling->clean = !filling->whole || filling->spec->clean == PE_CLEAN_ALWAYS ||
			 (filling->spec->clean == PE_CLEAN_AUTO && description_changed);
}

/* -- what the folder has ---------------------------------------------------------------------------------- */

/* Bound the bytes that are written: a blob of zeros takes some kilobytes in git, and a tree names it a million times. */
static int check_bytes(const struct filling *filling, uint64_t bytes)
{
	uint64_t most = filling->spec->most_bytes;

	if (most == 0 || (filling->bytes <= most && bytes <= most - filling->bytes))
		return PE_OK;
	return pe_fail(
		filling->err, PE_EINVALID,
		"the tree's files have more than %.0f MB, which is all that builds may take: raise 'disk:' in the config to have this revision written",
		(double)most / 1e6);
}

/* A file that is the same in both revisions stays if its time shows no write, or its bytes are the same all the same. */
static int meet_same(struct filling *filling, struct pe_row *row, const struct pe_listed_file *old,
		     const struct pe_walk_step *step)
{
	struct pe_listed_file file = *old;
	struct pe_content content = {0};
	struct stat st;
	bool kept;
	int rc;

	if (fstatat(step->dir, step->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return PE_OK; /* it is written */
	pe_listed_file_set(&file, &st);
	kept = pe_listed_file_equal(old, &file) && !filling->converts_anew &&
	       !pe_file_list_is_unsure(&filling->old, old);
	if (!kept) {
		rc = pe_content_load(&content, &filling->tree, row, filling->err);
		if (rc == PE_OK)
			rc = pe_checkout_keep(&kept, step->dir, step->name, row, &content, &st,
					      filling->err);
		pe_content_release(&content);
		PE_TRY(rc);
	}
	if (!kept)
		return PE_OK;
	pe_listed_file_set(&file, &st);
	filling->files[row - filling->tree.rows.data] = file;
	filling->out->kept++;
	filling->bytes += file.size;
	return check_bytes(filling, 0);
}

/* Whether the old revision has files in a folder. */
static bool old_has_below(const struct filling *filling, const char *folder)
{
	const struct pe_file_list *old = &filling->old;
	pe_auto_text path = PE_TEXT_INIT;
	size_t at = 0;

	pe_text_addf(&path, "%s/", folder);
	pe_search(at, old->files.n, i, strcmp(old->files.data[i].path, path.data) < 0);
	return at < old->files.n && strncmp(old->files.data[at].path, path.data, path.len) == 0;
}

static struct pe_row *find_folder(struct filling *filling, const struct pe_walk_step *step)
{
	pe_auto_text path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/", step->path);
	return pe_tree_find(&filling->tree, path.data);
}

static int remove_step(struct filling *filling, const struct pe_walk_step *step)
{
	return pe_files_remove_at(step->dir, step->name, &filling->out->removed) == 0 ? PE_WALK_PASS
										      : -1;
}

static int meet_folder(struct filling *filling, const struct pe_walk_step *step)
{
	struct pe_row *row = find_folder(filling, step);

	if (row == NULL && filling->clean)
		return remove_step(filling, step);
	if (row == NULL)
		return old_has_below(filling, step->path) ? PE_WALK_ENTER : PE_WALK_PASS;
	filling->files[row - filling->tree.rows.data].path = row->path;
	return PE_WALK_ENTER;
}

static int meet(const struct pe_walk_step *step, void *payload)
{
	struct filling *filling = payload;
	const struct pe_listed_file *old;
	struct pe_row *row;

	if (!filling->whole)
		return remove_step(filling, step);
	if (step->is_dir)
		return meet_folder(filling, step);
	row = pe_tree_find(&filling->tree, step->path);
	old = pe_file_list_find(&filling->old, step->path);
	if (row == NULL)
		return filling->clean || old != NULL ? remove_step(filling, step) : PE_WALK_PASS;
	if (old != NULL && is_same(old, row))
		filling->rc = meet_same(filling, row, old, step);
	return filling->rc == PE_OK ? PE_WALK_PASS : -1;
}

/* A folder of the old revision alone goes, unless there are products in it. */
static int leave(const struct pe_walk_step *step, void *payload)
{
	if (find_folder(payload, step) == NULL)
		pe_files_unlink_at(step->dir, step->name, AT_REMOVEDIR);
	return 0;
}

static int keep_and_remove(struct filling *filling)
{
	const struct pe_folder_walk walk = {meet, leave, filling};
	pe_auto_text path = PE_TEXT_INIT;
	int rc = pe_walk_folder(filling->dir, &walk, &path);

	if (filling->rc != PE_OK || rc == 0)
		return filling->rc;
	return pe_fail_errno(filling->err, "cannot clean '%s'", pe_text_str(&path));
}

/* -- what it lacks ---------------------------------------------------------------------------------------- */

static int write_row(struct filling *filling, struct pe_row *row, struct pe_listed_file *file)
{
	struct pe_content content = {0};
	struct stat st;
	int rc;

	PE_TRY(check_bytes(filling, pe_content_raw_size(&filling->tree, row)));
	rc = pe_content_load(&content, &filling->tree, row, filling->err);
	if (rc == PE_OK)
		rc = check_bytes(filling, content.size);
	if (rc == PE_OK)
		rc = pe_checkout_write(filling->dir, row, &content, &st, filling->err);
	pe_content_release(&content);
	PE_TRY(rc);
	file->path = row->path;
	pe_listed_file_set(file, &st);
	filling->bytes += file->size;
	filling->out->written++;
	return PE_OK;
}

/* A folder comes before what is in it. */
static int write_rows(struct filling *filling)
{
	for (size_t i = 0; i < filling->tree.rows.n; i++) {
		struct pe_row *row = &filling->tree.rows.data[i];

		if (filling->files[i].path != NULL)
			continue;
		PE_TRY(row_is_dir(row) ? pe_checkout_make_folder(filling->dir, row, filling->err)
				       : write_row(filling, row, &filling->files[i]));
	}
	return PE_OK;
}

/* -- the port --------------------------------------------------------------------------------------------- */

static int list_revisions(struct filling *filling)
{
	const struct pe_fill_spec *spec = filling->spec;
	struct pe_origin *origin;

	PE_TRY(pe_vcs_origin(&origin, filling->repo, filling->err));
	hash_surroundings(filling->surroundings, origin, &filling->repo->exclude);
	if (spec->have != NULL)
		load_manifest(filling);
	PE_TRY(pe_tree_list(&filling->tree, filling->repo, spec->id, filling->err));
	/* The attributes of another commit must not answer for this one. */
	for (size_t i = 0; i < filling->repo->origins.n; i++)
		git_attr_cache_flush(filling->repo->origins.data[i]->git);
	compare_revisions(filling);
	return PE_OK;
}

static int fill_folder(struct filling *filling)
{
	const struct pe_fill_spec *spec = filling->spec;
	int rc;

	filling->files = pe_arena_new(&filling->arena, struct pe_listed_file, filling->tree.rows.n);
	PE_TRY(pe_checkout_open(&filling->dir, spec->trusted, spec->dir, filling->err));
	rc = keep_and_remove(filling);
	if (rc == PE_OK)
		rc = write_rows(filling);
	close(filling->dir);
	if (rc == PE_ESYS || rc == PE_EFULL)
		pe_err_context(filling->err, "%s", spec->dir);
	PE_TRY(rc);
	filling->out->products_kept = !filling->clean;
	return save_manifest(filling);
}

static int fill(struct pe_fill *out, const struct pe_fill_spec *spec, void *payload,
		struct pe_err *err)
{
	struct filling filling = {.repo = payload, .spec = spec, .out = out, .err = err};
	int rc, gone;

	memset(out, 0, sizeof(*out));
	rc = list_revisions(&filling);
	/* After a failure the folder holds no revision either, so the manifest goes in any case. */
	gone = remove_manifest(spec, rc == PE_OK ? err : NULL);
	if (rc == PE_OK)
		rc = gone;
	if (rc == PE_OK)
		rc = fill_folder(&filling);
	pe_tree_release(&filling.tree);
	pe_vec_release(&filling.old.files);
	pe_arena_release(&filling.arena);
	return rc;
}

struct pe_source pe_repo_source(struct pe_repo *repo)
{
	return (struct pe_source){.fill = fill, .payload = repo};
}
