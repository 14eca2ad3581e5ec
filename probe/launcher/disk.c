#include "probe/launcher/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A disk with less free space is full: also a condition of core/exec/failure.c, and both have to hold. */
static const uint64_t SCARCE_BYTES = 1u << 30;

enum { SCARCE_PERCENT = 1, MOST_LEVELS = 100 };

struct sum {
	uint64_t bytes, files;
	dev_t device;
	bool deeper; /* there are folders below MOST_LEVELS */
};

static bool look_at(struct statvfs *out, uint64_t *free_bytes, const struct pe_disk *disk)
{
	if (fstatvfs(disk->folder, out) != 0)
		return false;
	*free_bytes = (uint64_t)out->f_bavail * out->f_frsize;
	return true;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

void pe_disk_open(struct pe_disk *out, const char *path, uint64_t most_bytes, uint64_t most_files)
{
	struct statvfs info;
	uint64_t free_bytes, scarce;

	*out = (struct pe_disk){.folder = -1, .most_bytes = most_bytes, .most_files = most_files};
	if (most_bytes > 0 && *path == '/')
		out->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (out->folder < 0)
		return;
	if (!look_at(&info, &free_bytes, out)) {
		pe_disk_close(out);
		return;
	}
	/* The initial size of the folder is summed up only when it may matter. */
	out->free_bytes = free_bytes;
	out->free_files = info.f_ffree;
	out->look_bytes = less(free_bytes, most_bytes / 2);
	out->look_files = less(info.f_ffree, most_files / 2);
	scarce = (uint64_t)info.f_blocks * info.f_frsize / (100 / SCARCE_PERCENT);
	if (scarce > SCARCE_BYTES)
		scarce = SCARCE_BYTES;
	out->scarce_bytes = free_bytes > scarce ? scarce : 0;
}

/* Add a file. One with several names counts once in all of them together. */
static void add(struct sum *sum, const struct stat *info)
{
	uint64_t names = info->st_nlink > 1 && !S_ISDIR(info->st_mode) ? info->st_nlink : 1;

	sum->bytes += (uint64_t)info->st_blocks * 512 / names;
	sum->files++;
}

/* Sum up the files below an open folder, which it closes; it ends early once they exceed the bounds. */
static void sum_up(struct sum *sum, int folder, unsigned level, const struct pe_disk *disk)
{
	DIR *entries = fdopendir(folder);
	struct dirent *entry;

	if (entries == NULL)
		close(folder);
	while (entries != NULL && sum->bytes <= disk->most_bytes &&
	       sum->files <= disk->most_files && (entry = readdir(entries)) != NULL) {
		struct stat info;
		int below;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
		    info.st_dev != sum->device)
			continue;
		add(sum, &info);
		if (!S_ISDIR(info.st_mode))
			continue;
		sum->deeper = sum->deeper || level >= MOST_LEVELS;
		if (level >= MOST_LEVELS)
			continue;
		below = openat(folder, entry->d_name,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (below >= 0)
			sum_up(sum, below, level + 1, disk);
	}
	if (entries != NULL)
		closedir(entries);
}

/* Sum up the folder, once as much space is gone as its bound. Where it is below the bound, set the next time to do so. */
static bool holds_too_much(struct pe_disk *disk, uint64_t free_bytes, uint64_t free_files)
{
	struct stat info;
	struct sum sum = {0};
	int folder = fstat(disk->folder, &info) == 0
			     ? openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			     : -1;

	if (folder < 0)
		return false;
	sum.device = info.st_dev;
	sum_up(&sum, folder, 0, disk);
	/* Files in folders deeper than any project's must not escape the bound. */
	if (sum.bytes > disk->most_bytes || sum.files > disk->most_files || sum.deeper)
		return true;
	disk->look_bytes = less(free_bytes, disk->most_bytes - sum.bytes);
	disk->look_files = less(free_files, disk->most_files - sum.files);
	return false;
}

/* Raise the limits by the space that others free, which would hide new files here. */
static void take_note(struct pe_disk *disk, uint64_t free_bytes, uint64_t free_files)
{
	if (free_bytes > disk->free_bytes)
		disk->look_bytes += free_bytes - disk->free_bytes;
	if (free_files > disk->free_files)
		disk->look_files += free_files - disk->free_files;
	disk->free_bytes = free_bytes;
	disk->free_files = free_files;
}

enum pe_disk_state pe_disk_look(struct pe_disk *disk)
{
	struct statvfs info;
	uint64_t free_bytes;

	if (disk->folder < 0 || !look_at(&info, &free_bytes, disk))
		return PE_DISK_FINE;
	take_note(disk, free_bytes, info.f_ffree);
	if ((disk->small || free_bytes < disk->look_bytes || info.f_ffree < disk->look_files) &&
	    holds_too_much(disk, free_bytes, info.f_ffree))
		return PE_DISK_TAKEN;
	return free_bytes < disk->scarce_bytes ? PE_DISK_SCARCE : PE_DISK_FINE;
}

void pe_disk_close(struct pe_disk *disk)
{
	if (disk->folder >= 0)
		close(disk->folder);
	disk->folder = -1;
}
