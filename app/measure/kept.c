#include "app/measure/kept.h"

#include "core/base/file_list.h"
#include "core/base/files.h"
#include "core/base/walk.h"
#include "vcs/digest.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files beside the tree that are not listed: the list itself, and the slot's state, which has the list's digest. */
static const char LIST[] = "list", STATE[] = "state";

/* Larger files are compared by their stat alone. */
static const uint64_t MOST_READ_BYTES = 256u << 20;

/* --- Lists --- */

/* The first line of a list. */
static const char TITLE[] = "perfevo kept 3";

/* The present files of a slot. A file's id is the digest of its content, or of a link's target; "-": not read. */
struct listing {
	struct pe_file_list list;
	struct pe_arena *arena;
	int64_t top_ns; /* when an entry of the slot's folder was last added or removed */
};

static int meet(const struct pe_walk_step *step, void *payload)
{
	struct listing *listing = payload;
	struct pe_listed_file file = {.id = "-"};
	struct stat st;

	if (strcmp(step->path, LIST) == 0 || strcmp(step->path, STATE) == 0)
		return PE_WALK_PASS;
	if (fstatat(step->dir, step->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	file.path = pe_arena_strdup(listing->arena, step->path);
	pe_listed_file_set(&file, &st);
	pe_vec_push(&listing->list.files, file);
	return step->is_dir ? PE_WALK_ENTER : PE_WALK_PASS;
}

static int look(struct listing *out, int slot)
{
	const struct pe_folder_walk walk = {.meet = meet, .payload = out};
	struct stat st;

	out->list.taken_ns = pe_file_list_now_ns();
	if (pe_walk_folder(slot, &walk, NULL) != 0 || fstat(slot, &st) != 0)
		return -1;
	out->top_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	pe_file_list_sort(&out->list);
	return 0;
}

static void hash_link(struct pe_listed_file *file, int dir, const char *name)
{
	char target[4096];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	if (n < 0 || pe_digest_bytes(file->id, target, (size_t)n) != 0)
		snprintf(file->id, sizeof(file->id), "-");
}

/* Hash a file's content. A file that is mostly holes is not read: its size costs its maker nothing. */
static void hash_content(struct pe_listed_file *file, int dir, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, MOST_READ_BYTES);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 ||
			(uint64_t)st.st_size > ((uint64_t)st.st_blocks * 512 + 65536) * 16 ||
			pe_digest_fd(file->id, fd) != 0))
		snprintf(file->id, sizeof(file->id), "-");
}

/* Hash a file or link. One that cannot be read keeps "-", and is compared by its stat. */
static void hash_file(struct pe_listed_file *file, int slot)
{
	const char *name;
	pe_auto_fd dir = -1;

	if (!S_ISREG(file->mode) && !S_ISLNK(file->mode))
		return;
	dir = pe_files_open_parent(slot, file->path, &name);
	if (dir < 0)
		return;
	if (S_ISLNK(file->mode))
		hash_link(file, dir, name);
	else
		hash_content(file, dir, name);
}

static int save(const struct pe_file_list *list, struct pe_slot *slot, int dir, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_file_list_write(&text, list, TITLE);
	if (pe_files_write_at(&text, dir, LIST) != 0 ||
	    pe_digest_bytes(slot->list, text.data, text.len) != 0)
		return pe_fail_errno(err, "cannot write %s/%s", slot->dir, LIST);
	return PE_OK;
}

/* Load a slot's list. False: there is none, or its digest is not the one of the slot's state. */
static bool load(struct pe_file_list *out, const struct pe_slot *slot, int dir,
		 struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;
	char digest[PE_OID_HEX];

	return slot->list[0] != '\0' && pe_files_read_at(&text, dir, LIST) == 0 &&
	       pe_digest_bytes(digest, pe_text_str(&text), text.len) == 0 &&
	       strcmp(digest, slot->list) == 0 && pe_file_list_parse(out, &text, TITLE, arena);
}

int pe_kept_record(struct pe_slot *slot, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_fd dir = pe_files_open_below(slot->trusted, slot->dir, false);
	struct listing now = {.arena = &arena};
	int rc = PE_OK;

	if (dir < 0 || look(&now, dir) != 0)
		rc = pe_fail_errno(err, "cannot look at what was built in %s", slot->dir);
	for (size_t i = 0; rc == PE_OK && i < now.list.files.n; i++)
		hash_file(&now.list.files.data[i], dir);
	if (rc == PE_OK)
		rc = save(&now.list, slot, dir, err);
	pe_vec_release(&now.list.files);
	return rc;
}

/* --- Comparing --- */

struct comparing {
	const struct pe_outside *outside;
	const struct pe_slot *slot;
	int dir;
	struct pe_file_list old;
	struct listing now;
	bool moved; /* the list is to be written again */
};

/* Whether a file is unchanged; its id is filled in. A folder only has to be one: its entries are listed themselves. */
static bool is_same(struct comparing *all, const struct pe_listed_file *old,
		    struct pe_listed_file *now)
{
	if (S_ISDIR(old->mode) && S_ISDIR(now->mode))
		return true;
	if (pe_listed_file_equal(old, now) &&
	    (old->id[0] == '-' || !pe_file_list_is_unsure(&all->old, old))) {
		memcpy(now->id, old->id, sizeof(now->id));
		return true;
	}
	all->moved = true;
	hash_file(now, all->dir);
	return old->mode == now->mode && old->size == now->size && now->id[0] != '-' &&
	       strcmp(old->id, now->id) == 0;
}

/* When an entry was last added to or removed from the nearest remaining folder above a file. */
static int64_t folder_ns(const struct comparing *all, const struct pe_listed_file *gone,
			 struct pe_arena *arena)
{
	char *path = pe_arena_strdup(arena, gone->path), *slash;

	while ((slash = strrchr(path, '/')) != NULL) {
		const struct pe_listed_file *found;

		*slash = '\0';
		found = pe_file_list_find(&all->now.list, path);
		if (found != NULL)
			return found->ctime_ns;
	}
	return all->now.top_ns;
}

/* Describe a change. NULL: the slot's own run made it. */
static const char *blame(struct comparing *all, const struct pe_listed_file *file, int64_t ctime_ns,
			 const char *what, struct pe_arena *arena)
{
	const char *path = file->path;

	all->moved = true;
	if (all->outside != NULL && pe_outside_is_own(all->outside, all->slot->tree, ctime_ns))
		return NULL;
	if (strncmp(path, "tree/", 5) == 0)
		path += 5;
	return pe_arena_printf(arena, "%s %s", path, what);
}

/* Compare both lists up to the first difference. */
static const char *find_difference(struct comparing *all, struct pe_arena *arena)
{
	const struct pe_file_list *before = &all->old, *after = &all->now.list;
	const char *difference = NULL;
	size_t i = 0, j = 0;

	while (difference == NULL && (i < before->files.n || j < after->files.n)) {
		const struct pe_listed_file *old =
			i < before->files.n ? &before->files.data[i] : NULL;
		struct pe_listed_file *now = j < after->files.n ? &after->files.data[j] : NULL;
		int order = old == NULL ? 1 : now == NULL ? -1 : strcmp(old->path, now->path);

		assert(order <= 0 || now != NULL);
		if (order < 0) {
			difference = blame(all, old, folder_ns(all, old, arena), "is gone", arena);
		} else if (order > 0) {
			difference = blame(all, now, now->ctime_ns, "was added", arena);
			hash_file(now, all->dir);
		} else if (!is_same(all, old, now)) {
			difference = blame(all, now, now->ctime_ns, "differs", arena);
		}
		i += order <= 0;
		j += order >= 0;
	}
	return difference;
}

int pe_kept_compare(const char **difference, const struct pe_outside *outside, struct pe_slot *slot,
		    struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_arena paths = PE_ARENA_INIT;
	pe_auto_fd dir = pe_files_open_below(slot->trusted, slot->dir, false);
	struct comparing all = {.outside = outside, .slot = slot, .dir = dir, .now.arena = &paths};
	int rc = PE_OK;

	*difference = NULL;
	if (dir < 0 || !load(&all.old, slot, all.dir, &paths))
		*difference = "the list of its files is gone or differs";
	else if (look(&all.now, all.dir) != 0)
		*difference = pe_arena_printf(arena, "it cannot be read (%s)", strerror(errno));
	else
		*difference = find_difference(&all, arena);
	if (*difference == NULL && all.moved) {
		rc = save(&all.now.list, slot, all.dir, err);
		if (rc == PE_OK)
			rc = pe_slot_write_state(slot, err);
	}
	pe_vec_release(&all.old.files);
	pe_vec_release(&all.now.list.files);
	return rc;
}
