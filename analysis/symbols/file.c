#include "analysis/symbols/file.h"

#include "core/base/files.h"
#include "core/base/search.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A build id has 20 bytes, rarely 8 or 16; what is longer is damage. */
enum { MOST_ID = 64 };

void pe_elf_close(struct pe_elf *file)
{
	if (file->elf == NULL)
		return;
	elf_end(file->elf);
	close(file->fd);
	*file = (struct pe_elf){0};
}

bool pe_elf_open(struct pe_elf *out, const char *path)
{
	*out = (struct pe_elf){0};
	elf_version(EV_CURRENT);
	/* A path out of a profile may be a pipe or a device. */
	out->fd = pe_files_open_found(path, 0);
	if (out->fd < 0)
		return false;
	out->elf = elf_begin(out->fd, ELF_C_READ_MMAP, NULL);
	if (out->elf != NULL && elf_kind(out->elf) == ELF_K_ELF)
		return true;
	if (out->elf != NULL)
		elf_end(out->elf);
	close(out->fd);
	*out = (struct pe_elf){0};
	errno = ENOEXEC;
	return false;
}

Elf_Data *pe_elf_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *found = NULL;
		Elf_Data *data;

		if (gelf_getshdr(scn, header) != NULL)
			found = elf_strptr(elf, names, header->sh_name);
		if (found == NULL || strcmp(found, name) != 0)
			continue;
		data = elf_getdata(scn, NULL);
		return data != NULL && data->d_buf != NULL ? data : NULL;
	}
	return NULL;
}

static const char *read_build_id(Elf *elf, struct pe_arena *arena)
{
	const void *bytes;
	const ssize_t n = dwelf_elf_gnu_build_id(elf, &bytes);

	return n > 0 && n <= MOST_ID ? pe_arena_hex(arena, bytes, (size_t)n) : "";
}

PE_SORT_BY(by_start, struct pe_code_range, start);

typedef PE_VEC(struct pe_code_range) range_list;

static void add_range(range_list *ranges, uint64_t start, uint64_t size)
{
	if (size > 0 && start + size > start)
		pe_vec_push(ranges, (struct pe_code_range){start, start + size});
}

/* A tombstone (the address that linkers write for functions they dropped) is in no such range. */
static void read_code(struct pe_symbols_file *file, struct pe_arena *arena)
{
	Elf *elf = file->module.elf;
	pe_auto_free range_list ranges = {0};
	Elf_Scn *scn = NULL;
	GElf_Shdr section;

	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &section) != NULL && (section.sh_flags & SHF_ALLOC) != 0 &&
		    (section.sh_flags & SHF_EXECINSTR) != 0)
			add_range(&ranges, section.sh_addr, section.sh_size);
	if (ranges.n > 0) {
		pe_sort(ranges.data, ranges.n, by_start);
		file->code = pe_vec_copy(arena, &ranges);
	}
	file->n_code = ranges.n;
}

bool pe_symbols_file_is_code(const struct pe_symbols_file *file, uint64_t address)
{
	size_t at = 0;

	pe_search(at, file->n_code, i, file->code[i].end <= address);
	return at < file->n_code && file->code[at].start <= address;
}

/* The debug information of a file, when it holds units: NULL. */
static Dwarf *dwarf_of(Elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL;

	if (dwarf == NULL)
		return NULL;
	if (dwarf_get_units(dwarf, NULL, &unit, NULL, NULL, NULL, NULL) == 0)
		return dwarf;
	dwarf_end(dwarf);
	return NULL;
}

/* Read the separate file that the build id names, <debug>/.build-id/ab/cdef.debug, when it is the module's. */
static void read_separate(struct pe_symbols_file *file, const char *sysroot, struct pe_arena *arena)
{
	const char *id = file->build_id;

	if (strlen(id) <= 2 ||
	    !pe_elf_open(&file->debug,
			 pe_arena_printf(arena, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", sysroot,
					 id, id + 2)))
		return;
	if (strcmp(read_build_id(file->debug.elf, arena), id) == 0)
		file->dwarf = dwarf_of(file->debug.elf);
	if (file->dwarf == NULL)
		pe_elf_close(&file->debug);
}

bool pe_symbols_file_open(struct pe_symbols_file *out, const char *path, const char *sysroot,
			  struct pe_arena *arena)
{
	*out = (struct pe_symbols_file){0};
	if (!pe_elf_open(&out->module, pe_arena_printf(arena, "%s%s", sysroot, path)))
		return false;
	out->build_id = read_build_id(out->module.elf, arena);
	read_code(out, arena);
	out->dwarf = dwarf_of(out->module.elf);
	if (out->dwarf == NULL)
		read_separate(out, sysroot, arena);
	return true;
}

void pe_symbols_file_close(struct pe_symbols_file *file)
{
	if (file->dwarf != NULL)
		dwarf_end(file->dwarf);
	pe_elf_close(&file->debug);
	pe_elf_close(&file->module);
	*file = (struct pe_symbols_file){0};
}
