#include "power.h"

#include "failing_vfs.h"

#include "core/base/vec.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

#include <sqlite3.h>

enum { SECTOR = 512, MOST_FILES = 8 };

/* A write since the last sync; a truncation has no bytes. */
struct change {
	unsigned char *bytes;
	size_t at, n;
};

struct bytes {
	unsigned char *data;
	size_t n;
};

/* One name. */
struct kept {
	char name[128];
	bool there;         /* now */
	bool durably_there; /* as its folder was synced: this file, or an earlier one of that name */
	bool was_another;   /* the latter, which is `earlier` */
	bool syncs_folder;  /* with its first sync: a journal that was made new */
	struct bytes synced, earlier;
	PE_VEC(struct change) since;
};

static struct kept files[MOST_FILES];
static size_t n_files;
static long calls, every;
static void (*on_cut)(void);

static struct kept *find(const char *name)
{
	for (size_t i = 0; i < n_files; i++)
		if (strcmp(files[i].name, name) == 0)
			return &files[i];
	cr_assert_lt(n_files, MOST_FILES);
	snprintf(files[n_files].name, sizeof(files[n_files].name), "%s", name);
	return &files[n_files++];
}

static void forget_changes(struct kept *file)
{
	for (size_t i = 0; i < file->since.n; i++)
		free(file->since.data[i].bytes);
	file->since.n = 0;
}

static void resize(struct bytes *bytes, size_t to)
{
	bytes->data = realloc(bytes->data, to + 1);
	cr_assert_not_null(bytes->data);
	if (to > bytes->n)
		memset(bytes->data + bytes->n, 0, to - bytes->n);
	bytes->n = to;
}

static void make_durable(struct kept *file)
{
	for (size_t i = 0; i < file->since.n; i++) {
		const struct change *change = &file->since.data[i];

		if (change->bytes == NULL || change->at + change->n > file->synced.n)
			resize(&file->synced, change->at + change->n);
		if (change->bytes != NULL)
			memcpy(file->synced.data + change->at, change->bytes, change->n);
	}
	forget_changes(file);
}

static void sync_folder(void)
{
	for (size_t i = 0; i < n_files; i++) {
		files[i].durably_there = files[i].there;
		files[i].was_another = false;
	}
}

static void add_change(struct kept *file, const struct vfs_call *call)
{
	struct change change = {.at = (size_t)call->at, .n = (size_t)call->n};

	if (call->what == VFS_WRITE) {
		change.bytes = malloc(change.n + 1);
		cr_assert_not_null(change.bytes);
		memcpy(change.bytes, call->bytes, change.n);
	}
	pe_vec_push(&file->since, change);
}

/* SQLite syncs the folder of a journal or log that it made with the first sync of that file. */
static void open_one(struct kept *file, int flags)
{
	const int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
	struct bytes last = file->synced;

	if (file->there || (flags & SQLITE_OPEN_CREATE) == 0)
		return;
	if (file->durably_there && !file->was_another) {
		file->synced = file->earlier;
		file->earlier = last;
		file->was_another = true;
	}
	forget_changes(file);
	resize(&file->synced, 0);
	file->there = true;
	file->syncs_folder = (flags & journals) != 0;
}

static void follow(const struct vfs_call *call)
{
	struct kept *file = find(call->name);

	if (++calls % every == 0) {
		vfs_watch = NULL;
		on_cut();
		vfs_watch = follow;
	}
	switch (call->what) {
	case VFS_OPEN:
		open_one(file, call->flags);
		break;
	case VFS_SYNC:
		make_durable(file);
		if (file->syncs_folder)
			sync_folder();
		file->syncs_folder = false;
		break;
	case VFS_DELETE:
		file->there = false;
		if (call->flags != 0)
			sync_folder();
		break;
	default:
		add_change(file, call);
	}
}

void power_begin(long n, void (*cut)(void))
{
	cr_assert_eq(n_files, 0);
	failing_vfs_install();
	calls = 0;
	every = n;
	on_cut = cut;
	vfs_watch = follow;
}

void power_end(void)
{
	vfs_watch = NULL;
	for (size_t i = 0; i < n_files; i++) {
		forget_changes(&files[i]);
		pe_vec_release(&files[i].since);
		free(files[i].synced.data);
		free(files[i].earlier.data);
	}
	memset(files, 0, sizeof(files));
	n_files = 0;
}

long power_calls(void)
{
	return calls;
}

/* --- Images --- */

/* How much of what was not synced is there: nothing, all, or each sector by the toss of a coin. */
static double draw_luck(struct pe_random *random)
{
	switch (pe_random_below(random, 4)) {
	case 0:
		return 0;
	case 1:
		return 1;
	default:
		return pe_random_unit(random);
	}
}

static bool happens(struct pe_random *random, double luck)
{
	return pe_random_unit(random) < luck;
}

/* The sectors of a write that are there; a file that it makes longer is so with the first of them, the rest is noise. */
static void put_sectors(struct bytes *bytes, const struct change *change, struct pe_random *random,
			double luck)
{
	for (size_t done = 0; done < change->n;) {
		size_t at = change->at + done;
		size_t part = SECTOR - at % SECTOR;
		size_t old = bytes->n;

		if (part > change->n - done)
			part = change->n - done;
		if (happens(random, luck)) {
			if (at + part > old)
				resize(bytes, at + part);
			for (size_t i = old; i < at; i++)
				bytes->data[i] = (unsigned char)pe_random_next(random);
			memcpy(bytes->data + at, change->bytes + done, part);
		}
		done += part;
	}
}

static void add_unsynced(struct bytes *bytes, const struct kept *file, struct pe_random *random)
{
	double luck = draw_luck(random);

	for (size_t i = 0; i < file->since.n; i++) {
		const struct change *change = &file->since.data[i];

		if (change->bytes != NULL)
			put_sectors(bytes, change, random, luck);
		else if (happens(random, luck))
			resize(bytes, change->n);
	}
}

static void write_file(const char *folder, const struct kept *file, bool earlier,
		       struct pe_random *random)
{
	const struct bytes *from = earlier ? &file->earlier : &file->synced;
	struct bytes image = {0};
	char path[256];
	FILE *to;

	resize(&image, from->n);
	if (from->n > 0)
		memcpy(image.data, from->data, from->n);
	if (!earlier)
		add_unsynced(&image, file, random);
	snprintf(path, sizeof(path), "%s%s", folder, strrchr(file->name, '/'));
	to = fopen(path, "w");
	cr_assert_not_null(to, "%s", path);
	cr_assert_eq(fwrite(image.data, 1, image.n, to), image.n);
	fclose(to);
	free(image.data);
}

void power_image(const char *folder, struct pe_random *random)
{
	for (size_t i = 0; i < n_files; i++) {
		const struct kept *file = &files[i];
		bool changed = pe_random_below(random, 2) == 0; /* what its folder says of it */

		if (changed ? file->there : file->durably_there)
			write_file(folder, file, !changed && file->was_another, random);
	}
}
