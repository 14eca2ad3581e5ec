#include "app/measure/kept.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/walk.h"
#include "vcs/digest.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Beside the tree: the list. It is no part of itself, and neither is the slot's state, which has its digest. */
static const char LIST[] = "list", STATE[] = "state";

/* Files above this are as they were if their stat is. */
static const uint64_t MOST_READ_BYTES = 256u << 20;

/* The clock of files ticks 100 to 1,000 times a second, where a file system does not count in seconds. */
enum { TICK_NS = 20 * 1000 * 1000 };

static const int64_t NS_PER_S = 1000000000;

/* --- Whose turn it was --- */

/* What the kernel stamps files with: up to a tick behind the clock. */
static int64_t stamp_ns(void)
{
	struct timespec now;

#ifdef CLOCK_REALTIME_COARSE
	if (clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0)
		return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
#endif
	return pe_clock_file_ns();
}

static size_t find_tree(const struct pe_kept *kept, const char *tree)
{
	for (size_t i = kept->trees.n; i-- > 0;)
		if (strcmp(kept->trees.data[i], tree) == 0)
			return i;
	return SIZE_MAX;
}

static void add_turn_until(struct pe_kept *kept, const char *tree, int64_t from_ns, int64_t to_ns)
{
	struct pe_kept_turn turn = {find_tree(kept, tree), from_ns, to_ns};
	struct pe_kept_turn *last = kept->turns.n > 0 ? &kept->turns.data[kept->turns.n - 1] : NULL;

	if (turn.tree == SIZE_MAX) {
		turn.tree = kept->trees.n;
		pe_vec_push(&kept->trees, pe_arena_strdup(kept->arena, tree));
	}
	/* A beginning is a tick behind the clock that ends are read from. */
	if (last != NULL && turn.to_ns < last->to_ns)
		turn.to_ns = last->to_ns;
	if (last != NULL && last->tree == turn.tree)
		last->to_ns = turn.to_ns;
	else
		pe_vec_push(&kept->turns, turn);
}

static void add_turn(struct pe_kept *kept, const char *tree, int64_t from_ns)
{
	add_turn_until(kept, tree, from_ns, pe_clock_file_ns());
}

static int run_in_turn(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
		       struct pe_err *err)
{
	struct pe_kept *kept = payload;
	int64_t from_ns = stamp_ns();
	int rc = kept->inner.run(out, spec, kept->inner.payload, err);

	add_turn(kept, spec->places[0] != NULL ? spec->places[0] : "", from_ns);
	return rc;
}

struct pe_executor pe_kept_executor(struct pe_kept *kept, struct pe_executor inner,
				    struct pe_arena *arena)
{
	kept->inner = inner;
	kept->arena = arena;
	return (struct pe_executor){run_in_turn, kept, inner.tree};
}

int64_t pe_kept_begin_together(void)
{
	return stamp_ns();
}

void pe_kept_end_together(struct pe_kept *kept, int64_t since_ns, const char *const *trees,
			  size_t n)
{
	int64_t now_ns = pe_clock_file_ns();

	/* What comes before is nobody's turn, and is not joined with the first of these. */
	add_turn_until(kept, "", since_ns, since_ns);
	for (size_t i = 0; i < n; i++)
		add_turn_until(kept, trees[i], since_ns, now_ns);
}

void pe_kept_break(struct pe_kept *kept)
{
	/* Turns of one tree are joined where no other lies between them. */
	add_turn(kept, "", stamp_ns());
}

void pe_kept_release(struct pe_kept *kept)
{
	pe_vec_release(&kept->trees);
	pe_vec_release(&kept->turns);
}

/* Whether a time of a file lies in a turn of a tree's; file systems that count in seconds are met halfway. */
static bool is_own(const struct pe_kept *kept, const char *tree, int64_t ctime_ns)
{
	size_t own = find_tree(kept, tree), low = 0, high = kept->turns.n;
	int64_t coarse = ctime_ns % NS_PER_S == 0 ? NS_PER_S : 1;

	/* The first turn that ends at this time or later. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kept->turns.data[middle].to_ns < ctime_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < kept->turns.n && kept->turns.data[low].from_ns / coarse <= ctime_ns / coarse;
	     low++)
		if (kept->turns.data[low].tree == own)
			return true;
	return false;
}

/* --- Lists --- */

struct row {
	const char *path; /* from the slot's folder */
	uint32_t mode;
	uint64_t size, inode;
	int64_t ctime_ns;
	bool dense;            /* a regular file whose content is read */
	char hash[PE_OID_HEX]; /* of the content, or of a link's target; "-": not read */
};

struct list {
	PE_VEC(struct row) rows;
	int64_t taken_ns;     /* by the clock of files, before the first file was looked at */
	bool of_another_boot; /* what was not synced may be gone, under the stat that it had */
	int64_t top_ns;       /* when a name in the slot's folder came or went last */
};

static int compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->path, ((const struct row *)b)->path);
}

struct scan {
	struct list *list;
	struct pe_arena *arena;
};

static int meet(const struct pe_walk_step *step, void *payload)
{
	struct scan *scan = payload;
	struct row row = {.hash = "-"};
	struct stat st;

	if (strcmp(step->path, LIST) == 0 || strcmp(step->path, STATE) == 0)
		return PE_WALK_PASS;
	if (fstatat(step->dir, step->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	row.path = pe_arena_strdup(scan->arena, step->path);
	row.mode = (uint32_t)st.st_mode;
	row.size = (uint64_t)st.st_size;
	row.inode = (uint64_t)st.st_ino;
	row.ctime_ns = (int64_t)st.st_ctim.tv_sec * NS_PER_S + st.st_ctim.tv_nsec;
	row.dense = S_ISREG(st.st_mode) && row.size <= MOST_READ_BYTES &&
		    row.size <= ((uint64_t)st.st_blocks * 512 + 65536) * 16;
	pe_vec_push(&scan->list->rows, row);
	return step->is_dir ? PE_WALK_ENTER : PE_WALK_PASS;
}

static int look(struct list *out, int slot, struct pe_arena *arena)
{
	struct scan scan = {out, arena};
	const struct pe_folder_walk walk = {.meet = meet, .payload = &scan};
	struct stat st;

	out->taken_ns = stamp_ns();
	if (pe_walk_folder(slot, &walk, NULL) != 0 || fstat(slot, &st) != 0)
		return -1;
	out->top_ns = (int64_t)st.st_ctim.tv_sec * NS_PER_S + st.st_ctim.tv_nsec;
	if (out->rows.n > 0)
		qsort(out->rows.data, out->rows.n, sizeof(struct row), compare_rows);
	return 0;
}

static void hash_link(struct row *row, int dir, const char *name)
{
	char target[4096];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	if (n < 0 || pe_digest_bytes(row->hash, target, (size_t)n) != 0)
		snprintf(row->hash, sizeof(row->hash), "-");
}

/* What cannot be read stays "-": then its stat decides. */
static void hash_row(struct row *row, int slot)
{
	const char *name;
	int dir, fd;

	if (!row->dense && !S_ISLNK(row->mode))
		return;
	dir = pe_files_open_parent(slot, row->path, &name);
	if (dir < 0)
		return;
	if (S_ISLNK(row->mode)) {
		hash_link(row, dir, name);
	} else {
		fd = pe_files_open_placed(dir, name, MOST_READ_BYTES);
		if (fd < 0 || pe_digest_fd(row->hash, fd) != 0)
			snprintf(row->hash, sizeof(row->hash), "-");
		if (fd >= 0)
			close(fd);
	}
	close(dir);
}

/* --- On disk --- */

static int save(const struct list *list, struct pe_slot *slot, int dir, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	char boot[PE_BOOT_ID];

	pe_clock_boot(boot);
	pe_text_addf(&text, "perfevo kept 2 %s %" PRIx64 "\n", boot, (uint64_t)list->taken_ns);
	for (size_t i = 0; i < list->rows.n; i++) {
		const struct row *row = &list->rows.data[i];

		pe_text_addf(&text, "%x %" PRIx64 " %" PRIx64 " %" PRIx64 " %s %s", row->mode,
			     row->size, row->inode, (uint64_t)row->ctime_ns, row->hash, row->path);
		pe_text_addc(&text, '\0');
	}
	if (pe_files_write_at(&text, dir, LIST) != 0 ||
	    pe_digest_bytes(slot->list, text.data, text.len) != 0)
		return pe_fail_errno(err, "cannot write %s/%s", slot->dir, LIST);
	return PE_OK;
}

static bool parse_row(struct row *row, const char *line, struct pe_arena *arena)
{
	uint64_t ctime_ns;
	int at = 0;

	*row = (struct row){.path = NULL};
	if (sscanf(line, "%" SCNx32 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %40[0-9a-f-] %n",
		   &row->mode, &row->size, &row->inode, &ctime_ns, row->hash, &at) != 5 ||
	    at == 0)
		return false;
	row->ctime_ns = (int64_t)ctime_ns;
	row->path = pe_arena_strdup(arena, line + at);
	return true;
}

/* False: there is none, or it is not the one of the slot's state. */
static bool load(struct list *out, const struct pe_slot *slot, int dir, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;
	char digest[PE_OID_HEX], boot[PE_BOOT_ID], now[PE_BOOT_ID];
	uint64_t taken_ns;
	const char *at, *end;

	if (slot->list[0] == '\0' || pe_files_read_at(&text, dir, LIST) != 0 ||
	    pe_digest_bytes(digest, pe_text_str(&text), text.len) != 0 ||
	    strcmp(digest, slot->list) != 0 ||
	    sscanf(text.data, "perfevo kept 2 %36s %" SCNx64 "\n", boot, &taken_ns) != 2)
		return false;
	pe_clock_boot(now);
	out->of_another_boot = strcmp(boot, now) != 0;
	out->taken_ns = (int64_t)taken_ns;
	end = text.data + text.len;
	for (at = strchr(text.data, '\n') + 1; at < end; at += strlen(at) + 1) {
		struct row row;

		if (!parse_row(&row, at, arena))
			return false;
		pe_vec_push(&out->rows, row);
	}
	return true;
}

int pe_kept_record(struct pe_slot *slot, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	int dir = pe_files_open_below(slot->trusted, slot->dir, false);
	struct list list = {.taken_ns = 0};
	int rc = PE_OK;

	if (dir < 0 || look(&list, dir, &arena) != 0)
		rc = pe_fail_errno(err, "cannot look at what was built in %s", slot->dir);
	for (size_t i = 0; rc == PE_OK && i < list.rows.n; i++)
		hash_row(&list.rows.data[i], dir);
	if (rc == PE_OK)
		rc = save(&list, slot, dir, err);
	pe_vec_release(&list.rows);
	if (dir >= 0)
		close(dir);
	return rc;
}

/* --- Comparing --- */

struct comparing {
	const struct pe_kept *kept;
	const struct pe_slot *slot;
	int dir;
	struct list old, now;
	bool moved; /* the list is to be written again */
};

/* The clock could not have told a later change from the one before the list was made. */
static bool is_racy(const struct list *list, const struct row *row)
{
	int64_t tick = row->ctime_ns % NS_PER_S == 0 ? 2 * NS_PER_S : TICK_NS;

	return row->ctime_ns + tick > list->taken_ns;
}

/* Whether a row is what it was; its hash is filled in. Of a folder only that it is one: what is in it has rows. */
static bool is_same(struct comparing *all, const struct row *old, struct row *now)
{
	bool untouched = old->mode == now->mode && old->size == now->size &&
			 old->inode == now->inode && old->ctime_ns == now->ctime_ns;

	if (S_ISDIR(old->mode) && S_ISDIR(now->mode))
		return true;
	if (untouched &&
	    (old->hash[0] == '-' || (!all->old.of_another_boot && !is_racy(&all->old, old)))) {
		memcpy(now->hash, old->hash, sizeof(now->hash));
		return true;
	}
	all->moved = true;
	hash_row(now, all->dir);
	return old->mode == now->mode && old->size == now->size && now->hash[0] != '-' &&
	       strcmp(old->hash, now->hash) == 0;
}

/* When something was last added to or taken from the nearest folder that is left of a row's. */
static int64_t folder_ns(const struct comparing *all, const struct row *gone,
			 struct pe_arena *arena)
{
	char *path = pe_arena_strdup(arena, gone->path), *slash;

	while ((slash = strrchr(path, '/')) != NULL) {
		struct row wanted = {.path = path};
		const struct row *found;

		*slash = '\0';
		found = bsearch(&wanted, all->now.rows.data, all->now.rows.n, sizeof(wanted),
				compare_rows);
		if (found != NULL)
			return found->ctime_ns;
	}
	return all->now.top_ns;
}

/* NULL: it was the slot's own run. */
static const char *blame(struct comparing *all, const struct row *row, int64_t ctime_ns,
			 const char *what, struct pe_arena *arena)
{
	const char *path = row->path;

	all->moved = true;
	if (is_own(all->kept, all->slot->tree, ctime_ns))
		return NULL;
	if (strncmp(path, "tree/", 5) == 0)
		path += 5;
	return pe_arena_printf(arena, "%s %s", path, what);
}

/* Both lists side by side, as far as the first difference. */
static const char *find_difference(struct comparing *all, struct pe_arena *arena)
{
	const char *difference = NULL;
	size_t i = 0, j = 0;

	while (difference == NULL && (i < all->old.rows.n || j < all->now.rows.n)) {
		struct row *old = i < all->old.rows.n ? &all->old.rows.data[i] : NULL;
		struct row *now = j < all->now.rows.n ? &all->now.rows.data[j] : NULL;
		int order = old == NULL ? 1 : now == NULL ? -1 : strcmp(old->path, now->path);

		assert(order <= 0 || now != NULL);
		if (order < 0) {
			difference = blame(all, old, folder_ns(all, old, arena), "is gone", arena);
		} else if (order > 0) {
			difference = blame(all, now, now->ctime_ns, "was added", arena);
			hash_row(now, all->dir);
		} else if (!is_same(all, old, now)) {
			difference = blame(all, now, now->ctime_ns, "differs", arena);
		}
		i += order <= 0;
		j += order >= 0;
	}
	return difference;
}

int pe_kept_compare(const char **difference, struct pe_kept *kept, struct pe_slot *slot,
		    struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_arena rows = PE_ARENA_INIT;
	struct comparing all = {.kept = kept, .slot = slot};
	int rc = PE_OK;

	*difference = NULL;
	all.dir = pe_files_open_below(slot->trusted, slot->dir, false);
	if (all.dir < 0 || !load(&all.old, slot, all.dir, &rows))
		*difference = "the list of its files is gone or differs";
	else if (look(&all.now, all.dir, &rows) != 0)
		*difference = pe_arena_printf(arena, "it cannot be read (%s)", strerror(errno));
	else
		*difference = find_difference(&all, arena);
	if (*difference == NULL && all.moved) {
		rc = save(&all.now, slot, all.dir, err);
		if (rc == PE_OK)
			rc = pe_slot_write_state(slot, err);
	}
	pe_vec_release(&all.old.rows);
	pe_vec_release(&all.now.rows);
	if (all.dir >= 0)
		close(all.dir);
	return rc;
}
