/*
 * Changes: the files that differ between two revisions. Both trees are walked side by side in git's order,
 * which is that of strcmp(3) over whole paths; folders with equal ids are not read, so the cost is that of the
 * folders on the way to a change. The walk notes which of them hold a .gitattributes, and libgit2 looks up
 * attributes only where one can apply.
 *
 * A tree of twenty kilobytes can hold ten thousand million files, by naming the same folders again and again. So the
 * walk ends after a bounded number of names, and reports that.
 */
#include "vcs/internal.h"

#include "core/base/array.h"

#include <limits.h>
#include <string.h>

enum { BEFORE, AFTER, N_SIDES };

/* The largest trees that people work with hold half a million files. */
enum { MOST_NAMES = 1 << 21, MOST_FILES = 1 << 20 };

struct walk {
	const struct pe_changes_query *query;
	struct pe_origin *origin;
	git_oid commits[N_SIDES];
	bool attributed[N_SIDES]; /* a .gitattributes stands in the folder at hand or above it */
	bool asked;               /* libgit2 keeps attributes now */
	struct pe_text path;
	size_t names; /* that were looked at */
	bool cut;     /* and others were not */
	bool stopped; /* by who meets names */
	PE_VEC(struct pe_changed_file) files;
	struct pe_arena *arena;
	struct pe_err *err;
};

/* A folder on one side while it is walked; tree NULL: there is none. */
struct cursor {
	git_tree *tree;
	size_t at, n;
};

static int walk_folders(struct walk *walk, const git_oid *ids[N_SIDES]);

/* linguist's attributes are set by `x`, `x=true`; `-x` and `x=false` unset them. */
static bool is_set(const char *value)
{
	switch (git_attr_value(value)) {
	case GIT_ATTR_VALUE_TRUE:
		return true;
	case GIT_ATTR_VALUE_STRING:
		return strcmp(value, "false") != 0;
	default:
		return false;
	}
}

/* By the attributes of the commit that holds the file, the newer one if both do. */
static int read_attributes(struct pe_changed_file *file, struct walk *walk)
{
	static const char *names[] = {"linguist-generated", "linguist-vendored"};
	git_attr_options options = {.version = GIT_ATTR_OPTIONS_VERSION};
	int side = file->after[0] != '\0' ? AFTER : BEFORE;
	const char *values[2];

	if (!walk->attributed[side] && !walk->origin->converts)
		return 0;
	walk->asked = true;
	options.flags = GIT_ATTR_CHECK_INDEX_ONLY | GIT_ATTR_CHECK_INCLUDE_COMMIT;
	git_oid_cpy(&options.attr_commit_id, &walk->commits[side]);
	if (git_attr_get_many_ext(values, walk->origin->git, &options, file->path, 2, names) < 0)
		return pe_vcs_fail(walk->err, GIT_ERROR, "cannot read the attributes of '%s'",
				   file->path);
	file->generated = is_set(values[0]);
	file->vendored = is_set(values[1]);
	return 0;
}

static int add_file(struct walk *walk, const git_oid *ids[N_SIDES])
{
	struct pe_changed_file file = {0};
	int rc;

	if (walk->query->wanted != NULL &&
	    !walk->query->wanted(walk->path.data, walk->query->payload))
		return 0;
	file.path = pe_arena_strndup(walk->arena, walk->path.data, walk->path.len);
	if (ids[BEFORE] != NULL)
		git_oid_tostr(file.before, sizeof(file.before), ids[BEFORE]);
	if (ids[AFTER] != NULL)
		git_oid_tostr(file.after, sizeof(file.after), ids[AFTER]);
	rc = read_attributes(&file, walk);
	if (rc == 0)
		pe_vec_push(&walk->files, file);
	return rc;
}

static bool is_file(const git_tree_entry *entry)
{
	return entry != NULL && (git_tree_entry_filemode_raw(entry) & 0170000) == 0100000;
}

static bool is_folder(const git_tree_entry *entry)
{
	return entry != NULL && git_tree_entry_type(entry) == GIT_OBJECT_TREE;
}

static bool is_same(const struct walk *walk, const git_tree_entry *entries[N_SIDES])
{
	const git_tree_entry *before = entries[BEFORE], *after = entries[AFTER];

	if (before == NULL || after == NULL ||
	    !git_oid_equal(git_tree_entry_id(before), git_tree_entry_id(after)))
		return false;
	return walk->query->meet != NULL
		       ? git_tree_entry_filemode_raw(before) == git_tree_entry_filemode_raw(after)
		       : is_file(before) == is_file(after);
}

static void meet(struct walk *walk, const git_tree_entry *entries[N_SIDES])
{
	const struct pe_changed_name name = {
		.path = walk->path.data,
		.before = entries[BEFORE] != NULL,
		.after = entries[AFTER] != NULL,
		.was_dir = is_folder(entries[BEFORE]),
		.is_dir = is_folder(entries[AFTER]),
		.is_file = (entries[BEFORE] == NULL || is_file(entries[BEFORE])) &&
			   (entries[AFTER] == NULL || is_file(entries[AFTER])),
	};

	if (!(name.was_dir && name.is_dir))
		walk->stopped = !walk->query->meet(&name, walk->query->payload);
}

/* What stands under one name on both sides; NULL where it does not. Links and submodules are nothing. */
static int walk_name(struct walk *walk, const git_tree_entry *entries[N_SIDES])
{
	const git_oid *files[N_SIDES] = {NULL}, *folders[N_SIDES] = {NULL};
	const char *name = git_tree_entry_name(entries[entries[BEFORE] == NULL ? AFTER : BEFORE]);
	size_t outer = walk->path.len;
	int rc = 0;

	if (++walk->names > MOST_NAMES) {
		walk->cut = true;
		return 0;
	}
	if (is_same(walk, entries))
		return 0;
	for (int side = BEFORE; side < N_SIDES; side++) {
		if (is_file(entries[side]))
			files[side] = git_tree_entry_id(entries[side]);
		else if (is_folder(entries[side]))
			folders[side] = git_tree_entry_id(entries[side]);
	}
	if (walk->files.n >= MOST_FILES || outer + strlen(name) + 1 >= PATH_MAX) {
		walk->cut = true;
		return 0;
	}
	pe_text_add(&walk->path, name);
	if (walk->query->meet != NULL)
		meet(walk, entries);
	else if (files[BEFORE] != NULL || files[AFTER] != NULL)
		rc = add_file(walk, files);
	if (rc == 0 && !walk->stopped && (folders[BEFORE] != NULL || folders[AFTER] != NULL)) {
		pe_text_addc(&walk->path, '/');
		rc = walk_folders(walk, folders);
	}
	walk->path.len = outer;
	walk->path.data[outer] = '\0';
	return rc;
}

/* The next name in git's order, and who has it; false: both sides are through. */
static bool next_name(const git_tree_entry *entries[N_SIDES], struct cursor cursors[N_SIDES])
{
	int order;

	for (int side = BEFORE; side < N_SIDES; side++) {
		struct cursor *cursor = &cursors[side];

		entries[side] = cursor->at < cursor->n
					? git_tree_entry_byindex(cursor->tree, cursor->at)
					: NULL;
	}
	if (entries[BEFORE] == NULL && entries[AFTER] == NULL)
		return false;
	if (entries[BEFORE] != NULL && entries[AFTER] != NULL) {
		order = git_tree_entry_cmp(entries[BEFORE], entries[AFTER]);
		if (order < 0)
			entries[AFTER] = NULL;
		else if (order > 0)
			entries[BEFORE] = NULL;
	}
	cursors[BEFORE].at += entries[BEFORE] != NULL;
	cursors[AFTER].at += entries[AFTER] != NULL;
	return true;
}

/* The depth is bounded by that of a path (PATH_MAX). */
static int walk_folders(struct walk *walk, const git_oid *ids[N_SIDES])
{
	const git_tree_entry *entries[N_SIDES];
	struct cursor cursors[N_SIDES] = {{NULL, 0, 0}};
	bool outer[N_SIDES];
	int rc = 0;

	memcpy(outer, walk->attributed, sizeof(outer));
	for (int side = BEFORE; rc == 0 && side < N_SIDES; side++) {
		struct cursor *cursor = &cursors[side];
		const git_tree_entry *attributes;

		if (ids[side] == NULL)
			continue;
		rc = git_tree_lookup(&cursor->tree, walk->origin->git, ids[side]);
		if (rc < 0) {
			rc = pe_vcs_fail_object(walk->err, rc, walk->origin, ids[side],
						"a folder's list");
			continue;
		}
		cursor->n = git_tree_entrycount(cursor->tree);
		attributes = git_tree_entry_byname(cursor->tree, ".gitattributes");
		/* A tree with others is not written. */
		walk->attributed[side] |=
			attributes != NULL &&
			pe_vcs_is_bounded(walk->origin->git, git_tree_entry_id(attributes));
	}
	while (rc == 0 && !walk->stopped && walk->names <= MOST_NAMES &&
	       next_name(entries, cursors))
		rc = walk_name(walk, entries);
	memcpy(walk->attributed, outer, sizeof(outer));
	git_tree_free(cursors[BEFORE].tree);
	git_tree_free(cursors[AFTER].tree);
	return rc;
}

/* What the newer revision is compared with: NULL for an empty tree. */
static int find_before(git_commit **out, struct walk *walk, struct pe_repo *repo,
		       const git_commit *after)
{
	const char *id = walk->query->before;
	int rc;

	*out = NULL;
	if (id != NULL)
		return id[0] != '\0' ? pe_vcs_commit_of(out, walk->origin, id, walk->err) : 0;
	if (pe_vcs_is_shallow_end(repo, git_commit_id(after)))
		return pe_fail(
			walk->err, PE_ENOTFOUND,
			"%.10s is the oldest commit of this shallow clone: 'git fetch --unshallow' gets the one before it",
			walk->query->after);
	if (git_commit_parentcount(after) == 0)
		return 0;
	rc = pe_vcs_commit_readable(out, repo, git_commit_parent_id(after, 0));
	return rc < 0 ? pe_vcs_fail_object(walk->err, rc, walk->origin,
					   git_commit_parent_id(after, 0), "a commit")
		      : 0;
}

static int compare(struct walk *walk, struct pe_repo *repo)
{
	const git_oid *ids[N_SIDES] = {NULL};
	pe_auto_commit *before = NULL, *after = NULL;

	PE_TRY(pe_vcs_commit_of(&after, walk->origin, walk->query->after, walk->err));
	PE_TRY(find_before(&before, walk, repo, after));
	ids[AFTER] = git_commit_tree_id(after);
	git_oid_cpy(&walk->commits[AFTER], git_commit_id(after));
	if (before != NULL) {
		ids[BEFORE] = git_commit_tree_id(before);
		git_oid_cpy(&walk->commits[BEFORE], git_commit_id(before));
	}
	return before == NULL || !git_oid_equal(ids[BEFORE], ids[AFTER]) ? walk_folders(walk, ids)
									 : PE_OK;
}

int pe_repo_changes(struct pe_changed_files *out, struct pe_repo *repo,
		    const struct pe_changes_query *query, struct pe_arena *arena,
		    struct pe_err *err)
{
	struct walk walk = {.query = query, .arena = arena, .err = err};
	int rc = pe_vcs_origin(&walk.origin, repo, err);

	memset(out, 0, sizeof(*out));
	pe_text_add(&walk.path, "");
	if (rc == 0)
		rc = compare(&walk, repo);
	if (walk.asked)
		git_attr_cache_flush(walk.origin->git);
	if (rc == 0) {
		out->n = walk.files.n;
		out->cut = walk.cut;
		out->at = pe_vec_copy(arena, &walk.files);
	}
	pe_vec_release(&walk.files);
	pe_text_release(&walk.path);
	return rc;
}

int pe_repo_blob(struct pe_text *out, struct pe_repo *repo, const char *id, struct pe_err *err)
{
	struct pe_origin *origin;
	pe_auto_blob *blob = NULL;

	PE_TRY(pe_vcs_origin(&origin, repo, err));
	PE_TRY(pe_vcs_blob_of(&blob, origin, id, err));
	pe_text_addn(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
	return PE_OK;
}
