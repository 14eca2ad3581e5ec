/*
 * Fill: make a folder hold a revision's tree, and nothing else where that is asked for.
 *
 *   (1) A file that is equal in both revisions, and that no build touched, is not touched: it keeps its mtime.
 *   (2) A tracked file that a build changed, removed or replaced is restored, also between equal revisions and
 *       also when products are kept.
 *   (3) A clean fill leaves exactly the tree: every file, link and folder that has no row is removed.
 *   (4) The folder is whole or nothing: the manifest goes first and comes last (see manifest.h).
 *   (5) Nothing is written through a link (see place.h), and nothing at all outside the folder and its
 *       manifest.
 *
 * Going from one commit to the next reads the folders and blobs that differ, and looks once (lstat) at each
 * tracked file, which is what (2) costs: about a millisecond for a thousand files. For (3) the names in a folder are
 * read only where its stat data says that some came or went since it was clean.
 */
#include "vcs/look.h"
#include "vcs/manifest.h"

#include "core/base/text.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct filling {
	struct pe_repo *repo;
	const struct pe_fill_spec *spec;
	struct pe_fill *out;
	struct pe_err *err;
	struct pe_manifest old; /* what the folder holds; empty when that is unknown */
	bool whole;             /* old is known */
	bool clean;             /* nothing but the tree shall be there */
	struct pe_tree tree;    /* what it shall hold */
	struct pe_checkout_dir place;
	char surroundings[PE_HASH_HEX];
	uint64_t bytes; /* of the files so far */
};

/* -- what else decides the content of files --------------------------------------------------------------- */

static void hash_file(struct pe_hash *hash, const char *path)
{
	struct pe_text text = PE_TEXT_INIT;

	if (pe_text_read_file(&text, path, NULL) == 0)
		pe_hash_bytes(hash, pe_text_str(&text), text.len);
	pe_hash_number(hash, text.len);
	pe_text_release(&text);
}

/* Files written under another configuration are not comparable: the folder then starts anew. */
static void hash_surroundings(char hex[PE_HASH_HEX], const struct pe_origin *origin,
			      const struct pe_strings *exclude)
{
	static const char *const keys[] = {"core.autocrlf", "core.eol", "core.attributesfile"};
	struct pe_text path = PE_TEXT_INIT;
	git_config *config = NULL;
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
	git_config_free(config);
	pe_text_addf(&path, "%s/info/attributes", origin->git_dir);
	hash_file(&hash, path.data);
	pe_text_release(&path);
	pe_hash_hex(&hash, hex);
}

/* -- rows that only the old tree has ---------------------------------------------------------------------- */

/* Both trees are sorted; from the end, so that folders come after what is in them. */
struct gone {
	const struct pe_tree *old, *new;
	size_t old_left, new_left;
};

static struct gone gone_rows(const struct filling *filling)
{
	return (struct gone){&filling->old.tree, &filling->tree, filling->old.tree.rows.n,
			     filling->tree.rows.n};
}

/* The next of them, or NULL. */
static const struct pe_row *next_gone(struct gone *gone)
{
	while (gone->old_left > 0) {
		const struct pe_row *row = &gone->old->rows.data[--gone->old_left];
		int order = -1;

		while (gone->new_left > 0) {
			const char *path = gone->new->rows.data[gone->new_left - 1].path;

			order = path == row->path ? 0 : strcmp(path, row->path);
			if (order <= 0)
				break;
			gone->new_left--;
		}
		if (gone->new_left == 0 || order != 0)
			return row;
	}
	return NULL;
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

/* Added, changed or removed; the mode counts (a configure that became executable). */
static bool build_description_changed(const struct filling *filling)
{
	const struct pe_tree *new = &filling->tree;
	struct gone gone = gone_rows(filling);
	const struct pe_row *row;

	for (size_t i = 0; i < new->rows.n; i++)
		if (!new->rows.data[i].same && !row_is_dir(&new->rows.data[i]) &&
		    describes_build(new->rows.data[i].path))
			return true;
	while ((row = next_gone(&gone)) != NULL)
		if (!row_is_dir(row) && describes_build(row->path))
			return true;
	return false;
}

static bool must_clean(const struct filling *filling)
{
	if (!filling->whole || filling->spec->clean == PE_CLEAN_ALWAYS)
		return true;
	return filling->spec->clean == PE_CLEAN_AUTO && build_description_changed(filling);
}

/* -- attributes that changed ------------------------------------------------------------------------------ */

/* Rows below a folder whose .gitattributes changed may need another conversion though their blob is equal. */
static int recheck_below(struct filling *filling, const char *attributes_path)
{
	size_t n = (size_t)(path_name(attributes_path) - attributes_path);
	int rc = 0;

	for (size_t i = 0; i < filling->tree.rows.n && rc == 0; i++) {
		struct pe_row *row = &filling->tree.rows.data[i];
		uint64_t attributes;

		if (!row->same || !row_is_file(row) || strncmp(row->path, attributes_path, n) != 0)
			continue;
		rc = pe_content_attributes(&attributes, &filling->tree, row, filling->err);
		row->same = rc == 0 && attributes == row->attributes;
	}
	return rc;
}

static bool is_attributes(const struct pe_row *row)
{
	return strcmp(path_name(row->path), ".gitattributes") == 0 && !row_is_dir(row);
}

static int recheck_attributes(struct filling *filling)
{
	const struct pe_tree *new = &filling->tree;
	struct gone gone = gone_rows(filling);
	const struct pe_row *row;
	int rc = 0;

	for (size_t i = 0; i < new->rows.n &&rc == 0; i++)
		if (!new->rows.data[i].same && is_attributes(&new->rows.data[i]))
			rc = recheck_below(filling, new->rows.data[i].path);
	while (rc == 0 && (row = next_gone(&gone)) != NULL)
		if (is_attributes(row))
			rc = recheck_below(filling, row->path);
	return rc;
}

/* -- files ------------------------------------------------------------------------------------------------ */

static void remember(struct pe_row *row, const struct stat *st)
{
	row->size = (uint64_t)st->st_size;
	row->inode = (uint64_t)st->st_ino;
	row->mtime_ns = pe_look_ns(st->st_mtim);
	row->ctime_ns = pe_look_ns(st->st_ctim);
}

/* Keep a file whose bytes are right although its stat data is not (copied over, touched, chmod'ed). */
static int keep_equal(bool *kept, struct filling *filling, struct pe_row *row, struct stat *st)
{
	struct pe_content content = {0};
	bool was_pointer = row->pointer;
	int rc = pe_content_load(&content, &filling->tree, row, filling->err);

	*kept = false;
	if (rc == 0 && was_pointer == row->pointer &&
	    (st->st_size < 0 || (uint64_t)st->st_size == content.size) &&
	    pe_checkout_dir_holds(&filling->place, row, &content)) {
		if (!pe_look_right_mode(row, st)) {
			rc = pe_checkout_dir_chmod(&filling->place, row, filling->err);
			if (rc == 0 && !pe_checkout_dir_stat(&filling->place, row->path, st))
				rc = pe_fail_errno(filling->err, "cannot look at '%s'", row->path);
		}
		*kept = rc == 0;
	}
	pe_content_release(&content);
	return rc;
}

/* One blob of zeros takes some kilobytes in git, and a tree may name it a million times. */
static int add_bytes(struct filling *filling, uint64_t bytes)
{
	uint64_t most = filling->spec->most_bytes;

	filling->bytes += bytes;
	if (most == 0 || (filling->bytes <= most && bytes <= most))
		return 0;
	return pe_fail(
		filling->err, PE_EINVALID,
		"the tree's files have more than %.0f MB, which is all that builds may take: raise 'disk:' in the config to have this revision written",
		(double)most / 1e6);
}

/* -- folders ---------------------------------------------------------------------------------------------- */

/*
 * The row of a folder has its stat data where that tells that the folder is clean, that is, holds nothing without a
 * row of its own; else no inode.
 */
static void forget_folder(struct pe_row *row)
{
	row->inode = 0;
}

/* Names in the folder of this path came or went. */
static void forget_folder_of(struct filling *filling, const char *path)
{
	size_t n = (size_t)(path_name(path) - path);
	char folder[PATH_MAX];
	struct pe_row *row;

	if (n == 0 || n >= sizeof(folder))
		return;
	memcpy(folder, path, n);
	folder[n] = '\0';
	row = pe_tree_find(&filling->tree, folder);
	if (row != NULL)
		forget_folder(row);
}

/* -- writing ---------------------------------------------------------------------------------------------- */

static int write_row(struct filling *filling, struct pe_row *row)
{
	struct pe_content content = {0};
	struct stat st;
	int rc = pe_content_load(&content, &filling->tree, row, filling->err);

	if (rc == 0)
		rc = add_bytes(filling, content.size);
	if (rc == 0)
		rc = pe_checkout_dir_write(&filling->place, row, &content, &st, filling->err);
	if (rc == 0) {
		remember(row, &st);
		forget_folder_of(filling, row->path);
		filling->out->written++;
	}
	pe_content_release(&content);
	return rc;
}

static int fill_file(struct filling *filling, struct pe_row *row)
{
	struct stat st;
	bool kept = false;
	int rc = 0;

	if (row->same && !row->untouched && pe_checkout_dir_stat(&filling->place, row->path, &st) &&
	    pe_look_right_kind(row, &st)) {
		rc = keep_equal(&kept, filling, row, &st);
		if (kept)
			remember(row, &st);
	}
	kept |= row->untouched;
	if (rc == 0 && kept) {
		filling->out->kept++;
		rc = add_bytes(filling, row->size);
	}
	if (rc == 0 && !kept)
		rc = write_row(filling, row);
	if (rc == 0)
		filling->out->lfs_pointers += row->pointer;
	return rc;
}

static int fill_folder(struct filling *filling, struct pe_row *row)
{
	const struct pe_row *old = row->same ? row : pe_tree_find(&filling->old.tree, row->path);
	size_t removed = filling->out->removed;
	struct stat st;
	int rc;

	if (!pe_checkout_dir_stat(&filling->place, row->path, &st) || !S_ISDIR(st.st_mode)) {
		forget_folder(row);
		forget_folder_of(filling, row->path);
		return pe_checkout_dir_dir(&filling->place, row->path, filling->err);
	}
	if (!filling->clean) {
		forget_folder(row);
		return 0;
	}
	if (old != NULL && filling->old.dates_folders &&
	    pe_look_untouched(old, &st, filling->old.written_ns)) {
		remember(row, &st);
		return 0;
	}
	rc = pe_checkout_dir_clean(&filling->place, row->path, &filling->tree,
				   &filling->out->removed, filling->err);
	if (filling->out->removed == removed)
		remember(row, &st);
	else
		forget_folder(row);
	return rc;
}

/* The folders that this fill itself changed. */
static void remember_folders(struct filling *filling)
{
	struct stat st;

	for (size_t i = 0; i < filling->tree.rows.n && filling->clean; i++) {
		struct pe_row *row = &filling->tree.rows.data[i];

		if (row_is_dir(row) && row->inode == 0 &&
		    pe_checkout_dir_stat(&filling->place, row->path, &st))
			remember(row, &st);
	}
}

/* Every row, a folder before what is in it. */
static int fill_rows(struct filling *filling)
{
	int rc = 0;

	for (size_t i = 0; i < filling->tree.rows.n && rc == 0; i++) {
		struct pe_row *row = &filling->tree.rows.data[i];

		rc = row_is_dir(row) ? fill_folder(filling, row) : fill_file(filling, row);
	}
	return rc;
}

/* Take away what only the old revision has. */
static int remove_gone(struct filling *filling)
{
	struct gone gone = gone_rows(filling);
	const struct pe_row *row;
	int rc = 0;

	while (rc == 0 && (row = next_gone(&gone)) != NULL)
		rc = pe_checkout_dir_remove(&filling->place, row->path, filling->clean,
					    &filling->out->removed, filling->err);
	return rc;
}

/* -- the port --------------------------------------------------------------------------------------------- */

static int list_trees(struct filling *filling)
{
	const struct pe_fill_spec *spec = filling->spec;
	struct pe_origin *origin;
	int rc = pe_vcs_origin(&origin, filling->repo, filling->err);

	if (rc != 0)
		return rc;
	hash_surroundings(filling->surroundings, origin, &filling->repo->exclude);
	if (spec->have != NULL)
		filling->whole = pe_manifest_load(&filling->old, spec, filling->surroundings);
	rc = pe_tree_list(&filling->tree, filling->repo, spec->id,
			  filling->whole ? &filling->old.tree : NULL, filling->err);
	/* The attributes of another commit must not answer for this one. */
	for (size_t i = 0; i < filling->repo->origins.n; i++)
		git_attr_cache_flush(filling->repo->origins.data[i]->git);
	if (rc == 0 && filling->whole)
		rc = recheck_attributes(filling);
	return rc;
}

static int fill_place(struct filling *filling)
{
	const struct pe_fill_spec *spec = filling->spec;
	int rc = pe_checkout_dir_open(&filling->place, spec->trusted, spec->dir, filling->err);

	filling->clean = must_clean(filling);
	if (rc == 0 && filling->whole)
		pe_look_files(&filling->tree, &filling->place, filling->old.written_ns);
	if (rc == 0)
		rc = remove_gone(filling);
	if (rc == 0 && filling->clean)
		rc = pe_checkout_dir_clean(&filling->place, "",
					   filling->whole ? &filling->tree : NULL,
					   &filling->out->removed, filling->err);
	if (rc == 0)
		rc = fill_rows(filling);
	if (rc == 0)
		remember_folders(filling);
	if (rc == 0)
		rc = pe_manifest_save(&filling->tree, spec, filling->surroundings, filling->err);
	pe_checkout_dir_close(&filling->place);
	filling->out->products_kept = rc == 0 && !filling->clean;
	return rc;
}

static int fill(struct pe_fill *out, const struct pe_fill_spec *spec, void *payload,
		struct pe_err *err)
{
	struct filling filling = {.repo = payload, .spec = spec, .out = out, .err = err};
	int rc, gone;

	memset(out, 0, sizeof(*out));
	rc = list_trees(&filling);
	/* After a failure the folder holds no revision either, so the manifest goes in any case. */
	gone = pe_manifest_remove(spec, rc == 0 ? err : NULL);
	if (rc == 0)
		rc = gone;
	if (rc == 0)
		rc = fill_place(&filling);
	pe_tree_release(&filling.tree);
	pe_tree_release(&filling.old.tree);
	return rc;
}

struct pe_source pe_repo_source(struct pe_repo *repo)
{
	return (struct pe_source){.fill = fill, .payload = repo};
}
