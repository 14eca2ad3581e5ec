/*
 * Fill: make a folder hold a revision's tree, and nothing else where that is asked for.
 *
 *   (1) A file that has its content already is not touched: it keeps its mtime.
 *   (2) A tracked file that a build changed, removed or replaced is restored, also between equal revisions and
 *       also when products are kept.
 *   (3) A clean fill leaves exactly the tree: every file, link and folder that has no row is removed.
 *   (4) Nothing is written through a link (see checkout.h), and nothing at all outside the folder.
 *
 * One walk through the folder removes what has to go; then every file of the tree is compared with what stands in its
 * place, byte by byte, and written where it differs.
 */
#include "vcs/checkout.h"

#include "core/base/files.h"
#include "core/base/walk.h"
#include "core/exec/ports.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

struct filling {
	struct pe_repo *repo;
	const struct pe_fill_spec *spec;
	struct pe_fill *out;
	struct pe_err *err;
	struct pe_tree *tree; /* what the folder shall hold */
	struct pe_tree *old;  /* what it holds; empty when that is unknown */
	bool whole;           /* it holds a revision, with what was built there */
	bool clean;           /* nothing but the tree shall be there */
	int dir;              /* the folder */
	uint64_t bytes;       /* of the files so far */
};

/* -- clean or incremental --------------------------------------------------------------------------------- */

/*
 * Files that tell a build system what to do. A build that started from others of these is not trusted to
 * notice (a changed configure.ac was ignored in practice, and the binary differed from a clean build's).
 */
static const char *const build_descriptions[] = {
	"CMake*",     "*.cmake*",     "configure*", "autogen.sh",     "bootstrap*",
	"*.ac",       "*.am",         "*.in",       "*.m4",           "Makefile*",
	"makefile*",  "GNUmakefile*", "*.mk",       "*.mak",          "Kbuild*",
	"Kconfig*",   "meson*",       "*.wrap",     "Cargo.*",        "package*.json",
	"*.gyp*",     "*.gn",         "*.gni",      "*.ninja",        "*.pro",
	"*.pri",      "*.qbs",        "BUILD",      "BUILD.*",        "build.*",
	"WORKSPACE*", "MODULE.bazel", "*.bzl",      "SCons*",         "wscript",
	"*make*.lua", "go.*",         "setup.*",    "pyproject.toml", "conanfile.*",
	"vcpkg.json", "Jam*",         "pom.xml",    ".gitmodules",    ".gitattributes",
};

static bool describes_build(const char *path)
{
	const char *name = path_name(path);

	for (size_t i = 0; i < sizeof(build_descriptions) / sizeof(build_descriptions[0]); i++)
		if (fnmatch(build_descriptions[i], name, 0) == 0)
			return true;
	return false;
}

/* Whether one tree has a build description that the other has not like this; another mode counts (of configure). */
static bool has_description_alone(const struct pe_tree *tree, const struct pe_tree *other)
{
	for (size_t i = 0; i < tree->rows.n; i++) {
		const struct pe_row *row = &tree->rows.data[i], *same;

		if (row_is_dir(row) || !describes_build(row->path))
			continue;
		same = pe_tree_find(other, row->path);
		if (same == NULL || same->mode != row->mode || !git_oid_equal(&same->id, &row->id))
			return true;
	}
	return false;
}

static bool description_changed(const struct pe_tree *old, const struct pe_tree *tree)
{
	return has_description_alone(old, tree) || has_description_alone(tree, old);
}

/* -- what has to go --------------------------------------------------------------------------------------- */

static bool has_folder(const struct pe_tree *tree, const struct pe_walk_step *step)
{
	pe_auto_text path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/", step->path);
	return pe_tree_find(tree, path.data) != NULL;
}

static int remove_step(struct filling *filling, const struct pe_walk_step *step)
{
	return pe_files_remove_at(step->dir, step->name, &filling->out->removed) == 0 ? PE_WALK_PASS
										      : -1;
}

/* Products are kept, unless the fill is clean: what neither tree has. */
static int meet(const struct pe_walk_step *step, void *payload)
{
	struct filling *filling = payload;

	if (!filling->whole)
		return remove_step(filling, step);
	if (step->is_dir && has_folder(filling->tree, step))
		return PE_WALK_ENTER;
	if (!step->is_dir && pe_tree_find(filling->tree, step->path) != NULL)
		return PE_WALK_PASS;
	if (filling->clean)
		return remove_step(filling, step);
	if (step->is_dir)
		return has_folder(filling->old, step) ? PE_WALK_ENTER : PE_WALK_PASS;
	return pe_tree_find(filling->old, step->path) != NULL ? remove_step(filling, step)
							      : PE_WALK_PASS;
}

/* A folder of the old revision alone goes, unless there are products in it. */
static int leave(const struct pe_walk_step *step, void *payload)
{
	const struct filling *filling = payload;

	if (!has_folder(filling->tree, step))
		pe_files_unlink_at(step->dir, step->name, AT_REMOVEDIR);
	return 0;
}

static int remove_rest(struct filling *filling)
{
	const struct pe_folder_walk walk = {meet, leave, filling};
	pe_auto_text path = PE_TEXT_INIT;

	return pe_walk_folder(filling->dir, &walk, &path) == 0
		       ? PE_OK
		       : pe_fail_errno(filling->err, "cannot clean '%s'", pe_text_str(&path));
}

/* -- what is there, or is written ------------------------------------------------------------------------- */

/* Bound the bytes of the tree: a blob of zeros takes some kilobytes in git, and a tree names it a million times. */
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

static int put_row(struct filling *filling, const struct pe_row *row)
{
	pe_auto_content content = {0};
	bool written;

	PE_TRY(check_bytes(filling, pe_content_raw_size(filling->tree, row)));
	PE_TRY(pe_content_load(&content, filling->tree, row, filling->err));
	PE_TRY(check_bytes(filling, content.size));
	PE_TRY(pe_checkout_put(&written, filling->dir, row, &content, filling->err));
	filling->bytes += content.size;
	filling->out->written += written;
	filling->out->kept += !written;
	return PE_OK;
}

/* A folder comes before what is in it. */
static int put_rows(struct filling *filling)
{
	for (size_t i = 0; i < filling->tree->rows.n; i++) {
		const struct pe_row *row = &filling->tree->rows.data[i];

		PE_TRY(row_is_dir(row) ? pe_checkout_make_folder(filling->dir, row, filling->err)
				       : put_row(filling, row));
	}
	return PE_OK;
}

/* -- the port --------------------------------------------------------------------------------------------- */

/* What the folder holds, also of what is left out of trees now. False: it is not known. */
static bool list_old(struct filling *filling)
{
	struct pe_repo *repo = filling->repo;
	const struct pe_strings exclude = repo->exclude;
	int rc = PE_ENOTFOUND;

	repo->exclude = (struct pe_strings){NULL, 0};
	if (filling->spec->have != NULL)
		rc = pe_tree_list(filling->old, repo, filling->spec->have, NULL);
	repo->exclude = exclude;
	return rc == PE_OK;
}

static int list_revisions(struct filling *filling)
{
	const struct pe_fill_spec *spec = filling->spec;

	PE_TRY(pe_tree_list(filling->tree, filling->repo, spec->id, filling->err));
	filling->whole = list_old(filling);
	pe_vcs_flush_attributes(filling->repo);
	filling->clean =
		!filling->whole || spec->clean == PE_CLEAN_ALWAYS ||
		(spec->clean == PE_CLEAN_AUTO && description_changed(filling->old, filling->tree));
	return PE_OK;
}

static int fill_folder(struct filling *filling)
{
	const struct pe_fill_spec *spec = filling->spec;
	int rc;

	PE_TRY(pe_checkout_open(&filling->dir, spec->trusted, spec->dir, filling->err));
	rc = remove_rest(filling);
	if (rc == PE_OK)
		rc = put_rows(filling);
	close(filling->dir);
	if (rc == PE_ESYS || rc == PE_EFULL)
		pe_err_context(filling->err, "%s", spec->dir);
	filling->out->products_kept = !filling->clean;
	return rc;
}

static int fill(struct pe_fill *out, const struct pe_fill_spec *spec, void *payload,
		struct pe_err *err)
{
	pe_auto_rows tree = {0}, old = {0};
	struct filling filling = {
		.repo = payload, .spec = spec, .out = out, .err = err, .tree = &tree, .old = &old};

	memset(out, 0, sizeof(*out));
	PE_TRY(list_revisions(&filling));
	return fill_folder(&filling);
}

struct pe_source pe_repo_source(struct pe_repo *repo)
{
	return (struct pe_source){.fill = fill, .payload = repo};
}
