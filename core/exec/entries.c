#include "core/exec/entries.h"

#include "probe/formats/entries.h"
#include "core/base/files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file while it is laid out. */
struct layout {
	struct pe_entries_head *head;
	struct pe_entries_module *modules;
	uint64_t *addresses;
	unsigned char *entered;
	size_t bytes;
};

static struct layout lay_out(const struct pe_entries *entries, struct pe_arena *arena)
{
	struct layout out;
	size_t n = 0;

	for (size_t i = 0; i < entries->n; i++)
		n += entries->modules[i].n;
	out.bytes = sizeof(*out.head) + entries->n * sizeof(*out.modules) +
		    n * (sizeof(*out.addresses) + 1);
	/* In words, for their alignment. */
	out.head = (struct pe_entries_head *)(void *)pe_arena_new(arena, uint64_t,
								  out.bytes / sizeof(uint64_t) + 1);
	out.modules = (struct pe_entries_module *)(out.head + 1);
	out.addresses = (uint64_t *)(out.modules + entries->n);
	out.entered = (unsigned char *)(out.addresses + n);
	*out.head = (struct pe_entries_head){PE_ENTRIES_MAGIC, (uint32_t)entries->n, n};
	return out;
}

/* A module that is not there has no file that could be met. */
static void fill(struct layout *layout, const struct pe_entries *entries)
{
	size_t first = 0;

	for (size_t i = 0; i < entries->n; i++) {
		const struct pe_entered_module *module = &entries->modules[i];
		struct stat info = {0};

		if (stat(module->path, &info) != 0)
			info.st_ino = 0;
		layout->modules[i] = (struct pe_entries_module){.device = info.st_dev,
								.inode = info.st_ino,
								.first = first,
								.n = module->n};
		if (module->n > 0)
			memcpy(layout->addresses + first, module->addresses,
			       module->n * sizeof(*module->addresses));
		first += module->n;
	}
}

int pe_entries_write(int dir, const struct pe_entries *entries, struct pe_arena *arena,
		     struct pe_err *err)
{
	struct layout layout = lay_out(entries, arena);
	pe_auto_fd fd = openat(dir, PE_ENTRIES_NAME,
			       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t done = 0;
	ssize_t n = 1;

	fill(&layout, entries);
	while (fd >= 0 && done < layout.bytes && n > 0) {
		n = write(fd, (const char *)layout.head + done, layout.bytes - done);
		done += n > 0 ? (size_t)n : 0;
	}
	return done == layout.bytes ? PE_OK
				    : pe_fail_errno(err, "cannot write the list of functions");
}

/* All of the file, if it has the length that it was written with. */
static bool read_whole(const struct layout *layout, int dir)
{
	pe_auto_fd fd =
		openat(dir, PE_ENTRIES_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat info;
	size_t done = 0;
	ssize_t n = 1;

	if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
	    (size_t)info.st_size == layout->bytes)
		while (done < layout->bytes && n > 0) {
			n = read(fd, (char *)layout->head + done, layout->bytes - done);
			done += n > 0 ? (size_t)n : 0;
		}
	return done == layout->bytes;
}

void pe_entries_read(struct pe_entries *entries, int dir, struct pe_arena *arena)
{
	struct layout layout = lay_out(entries, arena);
	const bool whole = read_whole(&layout, dir);
	size_t first = 0;

	for (size_t i = 0; i < entries->n; i++) {
		struct pe_entered_module *module = &entries->modules[i];
		const uint32_t flags = whole ? layout.modules[i].flags : PE_ENTRIES_FAILED;

		module->watched =
			(flags & PE_ENTRIES_WATCHED) != 0 && (flags & PE_ENTRIES_FAILED) == 0;
		module->opened = (flags & PE_ENTRIES_OPENED) != 0;
		for (size_t k = 0; k < module->n; k++)
			module->entered[k] = whole && layout.entered[first + k] != 0;
		first += module->n;
	}
}
