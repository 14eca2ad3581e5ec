#include "core/exec/entries.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "probe/formats/entries.h"

#include <string.h>
#include <sys/stat.h>

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
	pe_auto_text text = PE_TEXT_INIT;

	fill(&layout, entries);
	pe_text_addn(&text, (const char *)layout.head, layout.bytes);
	return pe_files_write_at(&text, dir, PE_ENTRIES_NAME) == 0
		       ? PE_OK
		       : pe_fail_errno(err, "cannot write the list of functions");
}

/* All of the file, if it has the length that it was written with. */
static bool read_whole(const struct layout *layout, int dir)
{
	pe_auto_fd fd = pe_files_open_placed(dir, PE_ENTRIES_NAME, layout->bytes);
	pe_auto_text text = PE_TEXT_INIT;

	if (fd < 0 || pe_text_read_fd(&text, fd) != 0 || text.len != layout->bytes)
		return false;
	memcpy(layout->head, text.data, layout->bytes);
	return true;
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
