#include "app/pages/site.h"

#include "app/pages/report_page.h"
#include "app/history/values.h"
#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "core/json/tree.h"
#include "report/site.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX "index.json"

typedef PE_VEC(const char *) paths_vec;

/* The folder, and the new site. */
struct writer {
	struct pe_app *app;
	const struct pe_site_opts *opts;
	struct pe_site_sum *sum;
	struct pe_site site;
	struct pe_site_branch *branches; /* one for each name at most; the site's */
	PE_VEC(struct pe_site_change) changes;
	paths_vec owned; /* files that the folder's index.json lists */
	paths_vec made;  /* files of the new site */
	int dir;         /* -1: not opened yet */
};

/* --- The folder --- */

static int fail_foreign(const struct writer *writer, const char *path)
{
	return pe_fail(
		writer->app->err, PE_EINVALID,
		"%s/%s is there and is none of the site's files: name another folder, or remove it",
		writer->opts->folder, path);
}

static int fail_write(const struct writer *writer, const char *path)
{
	return pe_fail_errno(writer->app->err, "cannot write %s/%s", writer->opts->folder, path);
}

static int read_index(struct writer *writer)
{
	struct pe_app *app = writer->app;
	struct pe_err why = PE_ERR_INIT;
	const struct pe_json_value *old, *files;
	pe_auto_text text = PE_TEXT_INIT;

	if (pe_files_read_at(&text, writer->dir, INDEX) != 0) {
		if (errno == ENOENT)
			return PE_OK;
		return errno == ELOOP || errno == EINVAL ? fail_foreign(writer, INDEX)
							 : fail_write(writer, INDEX);
	}
	if (pe_json_tree(&old, pe_text_str(&text), text.len, app->arena, &why) != PE_OK ||
	    !pe_json_equals(pe_json_member(old, "generator"), PE_SITE_GENERATOR))
		return fail_foreign(writer, INDEX);
	files = pe_json_member(old, "files");
	for (size_t i = 0; i < pe_json_length(files); i++) {
		const char *path = pe_json_string(pe_json_element(files, i));

		if (path != NULL && pe_site_is_path(path))
			pe_vec_push(&writer->owned, path);
	}
	return PE_OK;
}

static int open_folder(struct writer *writer)
{
	PE_TRY(pe_files_make_dir(writer->opts->folder, writer->app->err));
	writer->dir = pe_files_open_below(NULL, writer->opts->folder, false);
	if (writer->dir < 0)
		return pe_fail_errno(writer->app->err, "cannot open the folder %s",
				     writer->opts->folder);
	return read_index(writer);
}

/* --- Files --- */

/* Open the folder of a path, which is created; a file of its name stays. -1 with errno. */
static int open_parent(const struct writer *writer, const char *path, const char **name)
{
	const char *slash = strchr(path, '/');
	const char *folder =
		slash != NULL ? pe_arena_strndup(writer->app->arena, path, (size_t)(slash - path))
			      : ".";

	*name = slash != NULL ? slash + 1 : path;
	if (slash != NULL && mkdirat(writer->dir, folder, 0777) != 0 && errno != EEXIST)
		return -1;
	return pe_files_open_parent(writer->dir, path, name);
}

/* Whether a folder has a file with this content. */
static bool is_same(int dir, const char *name, const struct pe_text *text)
{
	pe_auto_text there = PE_TEXT_INIT;

	return pe_files_read_at(&there, dir, name) == 0 && there.len == text->len &&
	       memcmp(there.data, text->data, text->len) == 0;
}

/* List a file in index.json before it is written, so that an interrupted run leaves no unlisted file. */
static int list_first(struct writer *writer, const char *path)
{
	struct pe_site none = writer->site;
	pe_auto_text text = PE_TEXT_INIT;

	pe_vec_push(&writer->owned, path);
	none.n_branches = none.n_changes = 0;
	none.files = writer->owned.data;
	none.n_files = writer->owned.n;
	pe_site_json(&text, &none);
	return pe_files_write_at(&text, writer->dir, INDEX, 0666) == 0 ? PE_OK
								       : fail_write(writer, INDEX);
}

static int write_in(struct writer *writer, int dir, const char *name, const char *path,
		    const struct pe_text *text)
{
	struct stat st;

	if (!pe_has_string(writer->owned.data, writer->owned.n, path)) {
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return fail_foreign(writer, path);
		PE_TRY(list_first(writer, path));
	}
	if (is_same(dir, name, text)) {
		writer->sum->unchanged++;
		return PE_OK;
	}
	writer->sum->written++;
	return pe_files_write_at(text, dir, name, 0666) == 0 ? PE_OK : fail_write(writer, path);
}

/* Write a file of the site. @param path  kept */
static int put_file(struct writer *writer, const char *path, const struct pe_text *text)
{
	const char *name;
	pe_auto_fd dir = open_parent(writer, path, &name);

	pe_vec_push(&writer->made, path);
	if (dir < 0)
		return errno == ENOTDIR || errno == ELOOP ? fail_foreign(writer, path)
							  : fail_write(writer, path);
	return write_in(writer, dir, name, path, text);
}

static const char *path_of(const struct writer *writer, const struct pe_site_branch *branch,
			   const char *name)
{
	return pe_arena_printf(writer->app->arena, "%s/%s", branch->folder, name);
}

/* Remove the files that the site no longer has, and their folders if these are empty. */
static void remove_others(struct writer *writer)
{
	for (size_t i = 0; i < writer->owned.n; i++) {
		const char *path = writer->owned.data[i], *slash = strchr(path, '/'), *name;
		pe_auto_fd dir = -1;

		if (pe_has_string(writer->made.data, writer->made.n, path))
			continue;
		dir = pe_files_open_parent(writer->dir, path, &name);
		if (dir >= 0 && unlinkat(dir, name, 0) == 0)
			writer->sum->removed++;
		if (slash != NULL)
			unlinkat(writer->dir,
				 pe_arena_strndup(writer->app->arena, path, (size_t)(slash - path)),
				 AT_REMOVEDIR);
	}
}

/* --- A branch --- */

static int put_page(struct writer *writer, struct pe_site_branch *branch, struct pe_app *app,
		    const struct pe_evolution *evolution)
{
	const struct pe_reporting_opts opts = {
		.jumps = PE_REPORT_JUMPS,
		.branch = evolution->revisions[evolution->n_revisions - 1].id};
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_hash hash;

	PE_TRY(pe_report_html(&text, app, evolution, &opts));
	pe_hash_init(&hash);
	pe_hash_bytes(&hash, pe_text_str(&text), text.len);
	pe_hash_hex(&hash, branch->digest);
	return put_file(writer, path_of(writer, branch, "index.html"), &text);
}

static int put_branch(struct writer *writer, struct pe_site_branch *branch, struct pe_app *app,
		      const struct pe_evolution *evolution, const struct pe_commit_block *blocks,
		      size_t n)
{
	pe_auto_text data = PE_TEXT_INIT, badge = PE_TEXT_INIT;

	pe_evolution_json(&data, evolution);
	PE_TRY(put_page(writer, branch, app, evolution));
	PE_TRY(put_file(writer, path_of(writer, branch, "data.json"), &data));
	pe_site_badge(&badge, evolution, blocks, n);
	return put_file(writer, path_of(writer, branch, "badge.svg"), &badge);
}

/* Whether a change is listed already: a commit of several branches is one change, of the first of these. */
static bool is_told(const struct writer *writer, const char *commit)
{
	for (size_t i = 0; i < writer->changes.n; i++)
		if (strcmp(writer->changes.data[i].commit, commit) == 0)
			return true;
	return false;
}

static void add_changes(struct writer *writer, const struct pe_site_branch *branch,
			const struct pe_evolution *evolution, const struct pe_commit_block *blocks,
			size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (blocks[i].class.standing == PE_STANDING_CONFIRMED &&
		    blocks[i].class.class != PE_CLASS_LAYOUT &&
		    !is_told(writer, evolution->revisions[blocks[i].commit].id))
			pe_vec_push(&writer->changes,
				    pe_site_change_of(branch, evolution, &blocks[i],
						      writer->app->arena));
}

/* @param app  with the branch's own arena */
static int make_branch(struct writer *writer, struct pe_app *app, const char *name,
		       const char *revision)
{
	struct pe_site_branch *branch = &writer->branches[writer->site.n_branches];
	const struct pe_values_query asked = {.range = revision, .own_line = true};
	const struct pe_commit_block *blocks;
	struct pe_evolution evolution;
	pe_auto_text folder = PE_TEXT_INIT;
	size_t n;

	PE_TRY(pe_values_load(&evolution, app, &asked));
	blocks = pe_commit_blocks(&n, &evolution, app->arena);
	*branch = (struct pe_site_branch){.name = name};
	if (!pe_site_describe(branch, &evolution, blocks, n, writer->app->arena))
		return pe_fail(app->err, PE_ENOTFOUND, "nothing is measured");
	/* The time is that of the newest commit, so that the same values give the same files. */
	evolution.generated_s = branch->newest.time_s;
	pe_site_add_folder(&folder, name);
	branch->folder = pe_arena_strdup(writer->app->arena, pe_text_str(&folder));
	if (writer->dir < 0)
		PE_TRY(open_folder(writer));
	PE_TRY(put_branch(writer, branch, app, &evolution, blocks, n));
	add_changes(writer, branch, &evolution, blocks, n);
	writer->site.n_branches++;
	return PE_OK;
}

static int resolve_branch(struct pe_revision *out, struct pe_app *app, const char *name)
{
	static const char *const places[] = {"refs/heads/", "refs/remotes/"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct pe_err why = PE_ERR_INIT;

		if (pe_repo_resolve(out, app->repo,
				    pe_arena_printf(app->arena, "%s%s", places[i], name),
				    app->arena, &why) == PE_OK)
			return PE_OK;
	}
	return pe_fail(app->err, PE_ENOTFOUND, "no branch '%s': 'git branch --all' lists them",
		       name);
}

static bool has_branch(const struct writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->site.n_branches; i++)
		if (strcmp(writer->branches[i].name, name) == 0)
			return true;
	return false;
}

/* Add a branch; memory for its page is released with it. A branch without stored results is a note. */
static int add_branch(struct writer *writer, const char *name)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_app app = *writer->app;
	pe_auto_text word = PE_TEXT_INIT;
	struct pe_revision tip;
	int rc;

	PE_TRY(resolve_branch(&tip, writer->app, name));
	if (has_branch(writer, name))
		return PE_OK;
	app.arena = &arena;
	rc = make_branch(writer, &app, name, tip.id);
	if (rc != PE_ENOTFOUND)
		return rc;
	pe_text_add_word(&word, name);
	pe_app_note(
		writer->app,
		"branch '%s' is left out: nothing is stored of it ('perfevo track %s' measures it)",
		name, pe_text_str(&word));
	*writer->app->err = (struct pe_err)PE_ERR_INIT;
	return PE_OK;
}

/* --- The site --- */

PE_SORT_DOWN_BY(by_time, struct pe_site_change, time_s, commit);

/* Write the index files. index.json comes last, when the files that it lists are there. */
static int put_index(struct writer *writer)
{
	static const struct {
		const char *path;
		void (*add)(struct pe_text *out, const struct pe_site *site);
	} files[] = {
		{"index.html", pe_site_html},
		{"feed.atom", pe_site_feed},
		{"latest/index.html", pe_site_latest},
		{INDEX, pe_site_json},
	};

	pe_sort(writer->changes.data, writer->changes.n, by_time);
	writer->site.changes = writer->changes.data;
	writer->site.n_changes = writer->changes.n;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		pe_auto_text text = PE_TEXT_INIT;

		if (strcmp(files[i].path, INDEX) == 0) {
			remove_others(writer);
			writer->site.files = writer->made.data;
			writer->site.n_files = writer->made.n;
			pe_vec_push(&writer->owned, INDEX);
		}
		files[i].add(&text, &writer->site);
		PE_TRY(put_file(writer, files[i].path, &text));
	}
	return PE_OK;
}

static int name_branches(struct pe_strings *out, struct pe_app *app,
			 const struct pe_site_opts *opts)
{
	const char **one;

	*out = opts->branches;
	if (out->n > 0)
		return PE_OK;
	one = pe_arena_new(app->arena, const char *, 1);
	one[0] = pe_repo_branch(app->repo, app->arena);
	if (one[0] == NULL)
		return pe_fail(app->err, PE_ENOTFOUND,
			       "no branch is checked out: name one with --branch");
	*out = (struct pe_strings){one, 1};
	return PE_OK;
}

static int write_site(struct writer *writer)
{
	struct pe_app *app = writer->app;
	struct pe_strings names;

	PE_TRY(name_branches(&names, app, writer->opts));
	writer->branches = pe_arena_new(app->arena, struct pe_site_branch, names.n);
	writer->site.branches = writer->branches;
	for (size_t i = 0; i < names.n; i++)
		PE_TRY(add_branch(writer, names.at[i]));
	writer->sum->branches = writer->site.n_branches;
	if (writer->site.n_branches == 0)
		return pe_fail(app->err, PE_ENOTFOUND,
			       "nothing is measured on any of the branches: run 'perfevo track'");
	return put_index(writer);
}

int pe_site_write(struct pe_site_sum *out, struct pe_app *app, const struct pe_site_opts *opts)
{
	const char *project = pe_repo_name(app->repo);
	struct writer writer = {
		.app = app,
		.opts = opts,
		.sum = out,
		.site = {.project = project,
			 .version = PE_VERSION,
			 .title = opts->title != NULL
					  ? opts->title
					  : pe_arena_printf(app->arena,
							    "%s: performance over its history",
							    project),
			 .url = opts->url},
		.dir = -1,
	};
	int rc;

	*out = (struct pe_site_sum){0};
	rc = write_site(&writer);
	if (writer.dir >= 0)
		close(writer.dir);
	pe_vec_release(&writer.changes);
	pe_vec_release(&writer.owned);
	pe_vec_release(&writer.made);
	return rc;
}
