/*
 * Own work: whether a tracked file is as its user left it here, and whether commits were made here. Authors, committers and
 * messages of a commit can be made up, so the reflog decides: for a commit that was made in this clone, git wrote an entry
 * that leads from its first parent to it, with its committer and in the second of its clock. Content that is also in a
 * commit of others is theirs, whoever committed it here.
 */
#include "vcs/internal.h"

#include "core/base/files.h"
#include "core/base/hash.h"

#include <string.h>

/* Reflogs of years have thousands of entries; histories, hundreds of thousands of commits. Beyond these bounds all is foreign. */
enum {
	ENTRIES = 1000,
	COMMITS = 100000,
	AMENDED = 50,
	CHANGED = 500,
	CLOCK_S = 2,
	MOST_BYTES = 1 << 20
};

/** Histories of this clone: where it was, and where its branch was, which another worktree may have had checked out. */
struct reflogs {
	git_repository *git;
	git_reflog *logs[2];
};

static void reflogs_open(struct reflogs *here, git_repository *git)
{
	pe_auto_reference *head = NULL;

	*here = (struct reflogs){.git = git};
	git_reflog_read(&here->logs[0], git, "HEAD");
	if (git_repository_head(&head, git) == 0)
		git_reflog_read(&here->logs[1], git, git_reference_name(head));
}

static void reflogs_close(struct reflogs *here)
{
	git_reflog_free(here->logs[0]);
	git_reflog_free(here->logs[1]);
}

/* --- Commits --- */

static bool same_person(const git_signature *a, const git_signature *b)
{
	return strcmp(a->email, b->email) == 0 && strcmp(a->name, b->name) == 0;
}

static bool same_author(const git_commit *a, const git_commit *b)
{
	return git_commit_author(a)->when.time == git_commit_author(b)->when.time &&
	       same_person(git_commit_author(a), git_commit_author(b));
}

static int hash_file(const git_diff_delta *delta, float progress, void *payload)
{
	struct pe_hash *hash = payload;
	const git_diff_file *sides[] = {&delta->old_file, &delta->new_file};

	(void)progress;
	for (size_t i = 0; i < 2; i++) {
		pe_hash_string(hash, sides[i]->path);
		pe_hash_number(hash, sides[i]->mode);
	}
	return 0;
}

static int hash_binary(const git_diff_delta *delta, const git_diff_binary *binary, void *payload)
{
	(void)binary;
	pe_hash_bytes(payload, &delta->old_file.id, sizeof(delta->old_file.id));
	pe_hash_bytes(payload, &delta->new_file.id, sizeof(delta->new_file.id));
	return 0;
}

static int hash_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
		     const git_diff_line *line, void *payload)
{
	(void)delta;
	(void)hunk;
	pe_hash_number(payload, (uint64_t)line->origin);
	pe_hash_number(payload, line->content_len);
	pe_hash_bytes(payload, line->content, line->content_len);
	return 0;
}

static git_diff *diff_to_parent(git_repository *git, const git_commit *commit)
{
	pe_auto_commit *parent = NULL;
	pe_auto_tree *old = NULL, *new = NULL;
	git_diff *diff = NULL;

	if ((git_commit_parentcount(commit) == 0 ||
	     (git_commit_parent(&parent, commit, 0) == 0 && git_commit_tree(&old, parent) == 0)) &&
	    git_commit_tree(&new, commit) == 0)
		git_diff_tree_to_tree(&diff, git, old, new, NULL);
	return diff;
}

/* The lines that a commit with one parent changes and those around them, to the byte. git-patch-id(1) passes spaces over. */
static bool patch_of(char hex[PE_HASH_HEX], git_repository *git, const git_commit *commit)
{
	pe_auto_diff *diff =
		git_commit_parentcount(commit) == 1 ? diff_to_parent(git, commit) : NULL;
	struct pe_hash hash;
	bool done;

	pe_hash_init(&hash);
	done = diff != NULL &&
	       git_diff_foreach(diff, hash_file, hash_binary, NULL, hash_line, &hash) == 0;
	pe_hash_hex(&hash, hex);
	return done;
}

static bool is_proved(const struct reflogs *here, const git_commit *commit, unsigned depth);
static bool is_rebased(const struct reflogs *here, const git_commit *commit);

/* What was amended may have been rebased before; further back, entries alone prove it, so that each is looked at once. */
static bool amends_own(const struct reflogs *here, const git_oid *id, unsigned depth)
{
	pe_auto_commit *commit = NULL;

	return git_commit_lookup(&commit, here->git, id) == 0 &&
	       (is_proved(here, commit, depth + 1) || (depth == 0 && is_rebased(here, commit)));
}

static bool same_parents(git_repository *git, const git_commit *commit, const git_oid *other)
{
	pe_auto_commit *old = NULL;
	bool same = git_commit_lookup(&old, git, other) == 0 &&
		    git_commit_parentcount(old) == git_commit_parentcount(commit);

	for (unsigned i = 0; same && i < git_commit_parentcount(commit); i++)
		same = git_oid_equal(git_commit_parent_id(old, i), git_commit_parent_id(commit, i));
	return same;
}

/*
 * Whether an entry proves that its commit was made then. The words are git's own; what was only checked out, picked, applied
 * or fast-forwarded to has others. Somebody else's name as the author means somebody else's work.
 */
static bool proves_making(const struct reflogs *here, const git_reflog_entry *entry,
			  const git_commit *commit, unsigned depth)
{
	const char *message = git_reflog_entry_message(entry);
	const git_signature *by = git_reflog_entry_committer(entry);
	const git_oid *old = git_reflog_entry_id_old(entry);
	const int64_t late = by->when.time - git_commit_time(commit);

	if (message == NULL || late < 0 || late > CLOCK_S ||
	    !same_person(by, git_commit_committer(commit)) ||
	    !same_person(by, git_commit_author(commit)))
		return false;
	if (pe_starts_with(message, "commit (amend): "))
		return same_parents(here->git, commit, old) && amends_own(here, old, depth);
	if (pe_starts_with(message, "commit (initial): "))
		return git_commit_parentcount(commit) == 0;
	return git_commit_parentcount(commit) > 0 &&
	       git_oid_equal(git_commit_parent_id(commit, 0), old) &&
	       (git_commit_parentcount(commit) > 1
			? pe_starts_with(message, "commit (merge): ") ||
				  ((pe_starts_with(message, "merge ") ||
				    pe_starts_with(message, "pull")) &&
				   strstr(message, ": Merge made by ") != NULL)
			: pe_starts_with(message, "commit: "));
}

/* The next of the entries, of both histories together; NULL behind the last. */
static const git_reflog_entry *next_entry(const struct reflogs *here, size_t *at)
{
	for (; *at < 2 * ENTRIES; (*at)++) {
		git_reflog *log = here->logs[*at / ENTRIES];

		if (log != NULL && *at % ENTRIES < git_reflog_entrycount(log))
			return git_reflog_entry_byindex(log, (*at)++ % ENTRIES);
	}
	return NULL;
}

static bool is_proved(const struct reflogs *here, const git_commit *commit, unsigned depth)
{
	const git_reflog_entry *entry;
	bool proved = false;

	for (size_t at = 0; !proved && depth < AMENDED && (entry = next_entry(here, &at)) != NULL;)
		proved = git_oid_equal(git_reflog_entry_id_new(entry), git_commit_id(commit)) &&
			 proves_making(here, entry, commit, depth);
	return proved;
}

/* Whether one commit is, elsewhere in the history, the one that an entry made: by author, his clock and the patch. */
static bool is_copy(const struct reflogs *here, const git_commit *commit,
		    const git_reflog_entry *entry)
{
	const char *message = git_reflog_entry_message(entry);
	char left[PE_HASH_HEX], right[PE_HASH_HEX];
	pe_auto_commit *original = NULL;

	return message != NULL && pe_starts_with(message, "commit") &&
	       git_commit_lookup(&original, here->git, git_reflog_entry_id_new(entry)) == 0 &&
	       same_author(commit, original) && proves_making(here, entry, original, 1) &&
	       patch_of(left, here->git, commit) && patch_of(right, here->git, original) &&
	       strcmp(left, right) == 0;
}

static bool is_rebased(const struct reflogs *here, const git_commit *commit)
{
	const git_reflog_entry *entry;
	bool copy = false;

	for (size_t at = 0; !copy && (entry = next_entry(here, &at)) != NULL;)
		copy = is_copy(here, commit, entry);
	return copy;
}

static bool was_made_here(const struct reflogs *here, const git_commit *commit)
{
	return is_proved(here, commit, 0) || is_rebased(here, commit);
}

/* --- Content --- */

/* GIT_ENOTFOUND: there is none. */
static int blob_at(git_oid *out, const git_commit *commit, const char *path)
{
	pe_auto_tree *tree = NULL;
	pe_auto_tree_entry *entry = NULL;

	PE_TRY(git_commit_tree(&tree, commit));
	PE_TRY(git_tree_entry_bypath(&entry, tree, path));
	git_oid_cpy(out, git_tree_entry_id(entry));
	return 0;
}

/* Whether a commit gave a file this content: it has it, and none of its parents. */
static bool introduces(const git_commit *commit, const char *path, const git_oid *content)
{
	git_oid id;
	bool first = blob_at(&id, commit, path) == 0 && git_oid_equal(&id, content);

	for (unsigned i = 0; first && i < git_commit_parentcount(commit); i++) {
		pe_auto_commit *parent = NULL;

		first = git_commit_parent(&parent, commit, i) != 0 ||
			blob_at(&id, parent, path) != 0 || !git_oid_equal(&id, content);
	}
	return first;
}

static int push_fetched(const char *name, const char *url, const git_oid *id, unsigned merge,
			void *payload)
{
	(void)name;
	(void)url;
	(void)merge;
	git_revwalk_push(payload, id); /* may be no commit */
	return 0;
}

/* All commits that refs, what was fetched last, and the reflogs lead to. */
static git_revwalk *walk_all(const struct reflogs *here)
{
	const git_reflog_entry *entry;
	git_revwalk *walk = NULL;

	if (git_revwalk_new(&walk, here->git) != 0)
		return NULL;
	git_revwalk_push_glob(walk, "refs/*");
	git_revwalk_push_head(walk);
	git_repository_fetchhead_foreach(here->git, push_fetched, walk);
	for (size_t at = 0; (entry = next_entry(here, &at)) != NULL;)
		git_revwalk_push(walk, git_reflog_entry_id_new(entry));
	return walk;
}

struct origins {
	bool own, foreign;
};

/* Whose the commits of a walk are that gave a file this content. Too many to look at: somebody else's. */
static void find_origins(struct origins *out, const struct reflogs *here, git_revwalk *walk,
			 const char *path, const git_oid *content)
{
	size_t n = 0;
	git_oid id;

	while (walk != NULL && !out->foreign && git_revwalk_next(&id, walk) == 0) {
		pe_auto_commit *commit = NULL;

		if (n++ >= COMMITS || git_commit_lookup(&commit, here->git, &id) != 0)
			out->foreign = true;
		else if (introduces(commit, path, content))
			*(was_made_here(here, commit) ? &out->own : &out->foreign) = true;
	}
}

static struct origins origins_of(git_repository *git, const char *path, const git_oid *content)
{
	struct origins origins = {0};
	struct reflogs here;
	git_revwalk *walk;

	reflogs_open(&here, git);
	walk = walk_all(&here);
	find_origins(&origins, &here, walk, path, content);
	git_revwalk_free(walk);
	reflogs_close(&here);
	return origins;
}

/* Line ends are whose they like; other conversions make the file another one than the commit's. */
static bool is_converted(git_repository *git, const char *path)
{
	static const char *const names[] = {"filter", "ident", "working-tree-encoding"};
	const char *values[sizeof(names) / sizeof(*names)];
	bool converted = git_attr_get_many(values, git, GIT_ATTR_CHECK_FILE_THEN_INDEX, path,
					   sizeof(names) / sizeof(*names),
					   (const char **)(size_t)names) != 0;

	for (size_t i = 0; !converted && i < sizeof(names) / sizeof(*names); i++)
		converted = git_attr_value(values[i]) == GIT_ATTR_VALUE_TRUE ||
			    git_attr_value(values[i]) == GIT_ATTR_VALUE_STRING;
	return converted;
}

static bool same_but_line_ends(const struct pe_text *text, git_repository *git, const git_oid *id)
{
	pe_auto_blob *blob = NULL;
	const char *left = text->data, *right = NULL;
	size_t n = text->len, m = 0;

	if (git_blob_lookup(&blob, git, id) != 0)
		return true;
	right = git_blob_rawcontent(blob);
	m = (size_t)git_blob_rawsize(blob);
	while (n > 0 || m > 0) {
		if (n > 0 && *left == '\r')
			left++, n--;
		else if (m > 0 && *right == '\r')
			right++, m--;
		else if (n > 0 && m > 0 && *left == *right)
			left++, n--, right++, m--;
		else
			break;
	}
	return n == 0 && m == 0;
}

/*
 * Whether the file of the tree is as neither HEAD nor the index has it, nor any commit of others: somebody edited it here.
 * tracked is HEAD's content, NULL where it has none.
 */
static bool is_edited(const struct pe_repo *repo, const char *path, const git_oid *tracked)
{
	pe_auto_text text = PE_TEXT_INIT;
	const git_index_entry *entry = NULL;
	pe_auto_index *index = NULL;
	git_oid id;
	pe_auto_fd fd = pe_files_open_placed_in(repo->workdir, path, MOST_BYTES);
	bool edited = fd >= 0 && pe_text_read_fd(&text, fd) == 0 &&
		      !is_converted(repo->git, path) &&
		      git_repository_index(&index, repo->git) == 0;

	if (edited)
		entry = git_index_get_bypath(index, path, GIT_INDEX_STAGE_NORMAL);
	edited = edited && !(tracked != NULL && same_but_line_ends(&text, repo->git, tracked)) &&
		 !(entry != NULL && same_but_line_ends(&text, repo->git, &entry->id)) &&
		 git_odb_hash(&id, pe_text_str(&text), text.len, GIT_OBJECT_BLOB) == 0 &&
		 !origins_of(repo->git, path, &id).foreign;
	return edited;
}

bool pe_repo_is_own_work(struct pe_repo *repo, const char *path)
{
	pe_auto_reference *head = NULL;
	pe_auto_commit *commit = NULL;
	struct origins origins;
	git_oid tracked;
	bool own = false;
	int rc = git_repository_head(&head, repo->git);

	if (rc == 0)
		rc = git_reference_peel((git_object **)&commit, head, GIT_OBJECT_COMMIT);
	if (rc == 0)
		rc = blob_at(&tracked, commit, path);
	if (repo->workdir != NULL && (rc == 0 || rc == GIT_ENOTFOUND || rc == GIT_EUNBORNBRANCH))
		own = is_edited(repo, path, rc == 0 ? &tracked : NULL);
	if (own || rc != 0)
		return own;
	origins = origins_of(repo->git, path, &tracked);
	return origins.own && !origins.foreign;
}

/* --- Ranges --- */

/* Whether a commit that was made here has content of others, as after `cherry-pick -n` or `merge --squash`. */
static bool holds_foreign(const struct reflogs *here, const git_commit *commit)
{
	pe_auto_diff *diff = diff_to_parent(here->git, commit);
	size_t n = diff != NULL ? git_diff_num_deltas(diff) : SIZE_MAX;
	struct origins origins = {.foreign = n > CHANGED};

	for (size_t i = 0; !origins.foreign && i < n; i++) {
		const git_diff_file *file = &git_diff_get_delta(diff, i)->new_file;
		git_revwalk *walk;

		if (git_oid_is_zero(&file->id))
			continue;
		/* What this commit stands on may have had it once: to go back to it is no foreign work. */
		walk = walk_all(here);
		for (unsigned p = 0; walk != NULL && p < git_commit_parentcount(commit); p++)
			git_revwalk_hide(walk, git_commit_parent_id(commit, p));
		find_origins(&origins, here, walk, file->path, &file->id);
		git_revwalk_free(walk);
	}
	return origins.foreign;
}

bool pe_repo_are_own_commits(struct pe_repo *repo, const char *base, const char *tip)
{
	git_revwalk *walk = NULL;
	struct reflogs here;
	git_oid from, to, id;
	size_t n = 0;
	bool own = git_oid_fromstr(&from, base) == 0 && git_oid_fromstr(&to, tip) == 0 &&
		   git_revwalk_new(&walk, repo->git) == 0 && git_revwalk_push(walk, &to) == 0 &&
		   git_revwalk_hide(walk, &from) == 0;

	reflogs_open(&here, repo->git);
	while (own && git_revwalk_next(&id, walk) == 0) {
		pe_auto_commit *commit = NULL;

		own = n++ < ENTRIES && git_commit_lookup(&commit, repo->git, &id) == 0 &&
		      was_made_here(&here, commit) && !holds_foreign(&here, commit);
	}
	reflogs_close(&here);
	git_revwalk_free(walk);
	return own;
}
