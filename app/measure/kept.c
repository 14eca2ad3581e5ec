#include "app/measure/kept.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "core/base/walk.h"
#include "vcs/digest.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files beside the tree that are not listed: the list itself, and the slot's state, which has the list's digest. */
static const char LIST[] = "list", STATE[] = "state";

/* Larger files are compared by their stat alone. */
static const uint64_t MOST_READ_BYTES = 256u << 20;

/* --- Lists --- */

/* The first line of a list; then the boot, the time, and a file after the other, each ended by a NUL: paths have newlines. */
static const char TITLE[] = "perfevo kept 4";

static const int64_t NS_PER_S = 1000000000;

struct listed {
	const char *path; /* below the slot's folder; borrowed */
	uint32_t mode;    /* st_mode */
	uint64_t size, inode;
	int64_t ctime_ns;
	char id[PE_OID_HEX]; /* digest of the content, or of a link's target; "-": not read */
};

struct list {
	PE_VEC(struct listed) files; /* by path, in the order of strcmp(3) */
	int64_t taken_ns;            /* by pe_clock_stamp_ns() */
	/* It was taken before a boot: what was not synced then may have lost its bytes in a power cut. */
	bool of_another_boot;
};

/* The present files of a slot. */
struct listing {
	struct list list;
	struct pe_arena *arena;
	int64_t top_ns; /* when an entry of the slot's folder was last added or removed */
};

static int64_t ctime_of(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * NS_PER_S + st->st_ctim.tv_nsec;
}

static int meet(const struct pe_walk_step *step, void *payload)
{
	struct listing *listing = payload;
	struct listed file = {.id = "-"};
	struct stat st;

	if (strcmp(step->path, LIST) == 0 || strcmp(step->path, STATE) == 0)
		return PE_WALK_PASS;
	if (fstatat(step->dir, step->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	file.path = pe_arena_strdup(listing->arena, step->path);
	file.mode = (uint32_t)st.st_mode;
	file.size = (uint64_t)st.st_size;
	file.inode = (uint64_t)st.st_ino;
	file.ctime_ns = ctime_of(&st);
	pe_vec_push(&listing->list.files, file);
	return step->is_dir ? PE_WALK_ENTER : PE_WALK_PASS;
}

PE_SORT_BY(by_path, struct listed, path);

static int look(struct listing *out, int slot)
{
	const struct pe_folder_walk walk = {.meet = meet, .payload = out};
	struct stat st;

	out->list.taken_ns = pe_clock_stamp_ns();
	if (pe_walk_folder(slot, &walk, NULL) != 0 || fstat(slot, &st) != 0)
		return -1;
	out->top_ns = ctime_of(&st);
	pe_sort(out->list.files.data, out->list.files.n, by_path);
	return 0;
}

static void hash_link(struct listed *file, int dir, const char *name)
{
	char target[4096];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	if (n < 0 || pe_digest_bytes(file->id, target, (size_t)n) != 0)
		snprintf(file->id, sizeof(file->id), "-");
}

/* Hash a file's content. A file that is mostly holes is not read: its size costs its maker nothing. */
static void hash_content(struct listed *file, int dir, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, MOST_READ_BYTES);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 ||
			(uint64_t)st.st_size > ((uint64_t)st.st_blocks * 512 + 65536) * 16 ||
			pe_digest_fd(file->id, fd) != 0))
		snprintf(file->id, sizeof(file->id), "-");
}

/* Hash a file or link. One that cannot be read keeps "-", and is compared by its stat. */
static void hash_file(struct listed *file, int slot)
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

static int save(const struct list *list, struct pe_slot *slot, int dir, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	char boot[PE_BOOT_ID];

	pe_clock_boot(boot);
	pe_text_addf(&text, "%s %s %" PRIx64 "\n", TITLE, boot, (uint64_t)list->taken_ns);
	for (size_t i = 0; i < list->files.n; i++) {
		const struct listed *file = &list->files.data[i];

		pe_text_addf(&text, "%" PRIx32 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %s %s",
			     file->mode, file->size, file->inode, (uint64_t)file->ctime_ns,
			     file->id, file->path);
		pe_text_addc(&text, '\0');
	}
	if (pe_files_write_at(&text, dir, LIST, 0600) != 0 ||
	    pe_digest_bytes(slot->list, text.data, text.len) != 0)
		return pe_fail_errno(err, "cannot write %s/%s", slot->dir, LIST);
	return PE_OK;
}

static bool parse_file(struct listed *file, const char *line)
{
	uint64_t ctime_ns;
	int at = 0;

	if (sscanf(line, "%" SCNx32 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %40[0-9a-f-]%n",
		   &file->mode, &file->size, &file->inode, &ctime_ns, file->id, &at) != 5 ||
	    line[at] != ' ' || line[at + 1] == '\0')
		return false;
	file->ctime_ns = (int64_t)ctime_ns;
	file->path = line + at + 1;
	return true;
}

/* Read a list, whose paths are borrowed. The text ends with a NUL of its own: the last file's may have been cut off. */
static bool parse(struct list *out, const char *at, const char *end)
{
	char boot[PE_BOOT_ID], now[PE_BOOT_ID];
	const size_t n = strlen(TITLE);
	uint64_t taken_ns;
	int head = 0;

	if (strncmp(at, TITLE, n) != 0 ||
	    sscanf(at + n, " %36[0-9a-f-] %" SCNx64 "%n", boot, &taken_ns, &head) != 2 ||
	    at[n + (size_t)head] != '\n')
		return false;
	pe_clock_boot(now);
	out->of_another_boot = strcmp(boot, now) != 0;
	out->taken_ns = (int64_t)taken_ns;
	for (at += n + (size_t)head + 1; at < end; at += strlen(at) + 1) {
		struct listed file;

		if (!parse_file(&file, at))
			return false;
		pe_vec_push(&out->files, file);
	}
	return at == end;
}

/* Load a slot's list. False: there is none, or its digest is not the one of the slot's state. */
static bool load(struct list *out, const struct pe_slot *slot, int dir, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;
	char digest[PE_OID_HEX];
	const char *copy;

	if (slot->list[0] == '\0' || pe_files_read_at(&text, dir, LIST) != 0 ||
	    pe_digest_bytes(digest, pe_text_str(&text), text.len) != 0 ||
	    strcmp(digest, slot->list) != 0)
		return false;
	copy = pe_arena_strndup(arena, text.data, text.len);
	return parse(out, copy, copy + text.len);
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
	struct list old;
	struct listing now;
	bool moved; /* the list is to be written again */
};

static bool has_same_stat(const struct listed *one, const struct listed *other)
{
	return one->mode == other->mode && one->size == other->size && one->inode == other->inode &&
	       one->ctime_ns == other->ctime_ns;
}

/* Whether the content of a listed file could have changed under the stat data that it has. */
static bool is_unsure(const struct list *list, const struct listed *file)
{
	int64_t tick = file->ctime_ns % NS_PER_S == 0 ? 2 * NS_PER_S : PE_CLOCK_TICK_NS;

	return list->of_another_boot || file->ctime_ns + tick > list->taken_ns;
}

static const struct listed *find(const struct list *list, const char *path)
{
	size_t at = 0;

	pe_search(at, list->files.n, i, strcmp(list->files.data[i].path, path) < 0);
	return at < list->files.n && strcmp(list->files.data[at].path, path) == 0
		       ? &list->files.data[at]
		       : NULL;
}

/* Whether a file is unchanged; its id is filled in. A folder only has to be one: its entries are listed themselves. */
static bool is_same(struct comparing *all, const struct listed *old, struct listed *now)
{
	if (S_ISDIR(old->mode) && S_ISDIR(now->mode))
		return true;
	if (has_same_stat(old, now) && (old->id[0] == '-' || !is_unsure(&all->old, old))) {
		memcpy(now->id, old->id, sizeof(now->id));
		return true;
	}
	all->moved = true;
	hash_file(now, all->dir);
	return old->mode == now->mode && old->size == now->size && now->id[0] != '-' &&
	       strcmp(old->id, now->id) == 0;
}

/* When an entry was last added to or removed from the nearest remaining folder above a file. */
static int64_t folder_ns(const struct comparing *all, const struct listed *gone,
			 struct pe_arena *arena)
{
	char *path = pe_arena_strdup(arena, gone->path), *slash;

	while ((slash = strrchr(path, '/')) != NULL) {
		const struct listed *found;

		*slash = '\0';
		found = find(&all->now.list, path);
		if (found != NULL)
			return found->ctime_ns;
	}
	return all->now.top_ns;
}

/* Describe a change. NULL: the slot's own run made it. */
static const char *blame(struct comparing *all, const struct listed *file, int64_t ctime_ns,
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
	const struct list *before = &all->old, *after = &all->now.list;
	const char *difference = NULL;
	size_t i = 0, j = 0;

	while (difference == NULL && (i < before->files.n || j < after->files.n)) {
		const struct listed *old = i < before->files.n ? &before->files.data[i] : NULL;
		struct listed *now = j < after->files.n ? &after->files.data[j] : NULL;
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
