/*
 * A call of an imported function goes through a stub of the procedure linkage table, which jumps to where a
 * slot of the global offset table points; the slot is what a relocation names the symbol for. So: symbol, its
 * slots, the stubs that jump through them, and the calls of those stubs (or, with -fno-plt, through the slot
 * itself). Instructions are not decoded for this: four bytes of displacement that lead to exactly one of these
 * places are no accident.
 */
#include "analysis/symbols/hooks.h"

#include "core/base/files.h"
#include "core/base/vec.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static const char HOOK[] = "__cyg_profile_func_enter";

/* An open file. */
struct image {
	int fd;
	Elf *elf;
	const char *path;
	struct pe_err *err;
};

typedef PE_VEC(uint64_t) addresses;

static bool has(const addresses *set, uint64_t address)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->data[i] == address)
			return true;
	return false;
}

/* --- The file --- */

static int open_image(struct image *out, const char *path, struct pe_err *err)
{
	*out = (struct image){.fd = pe_files_open_found(path, 0), .path = path, .err = err};
	if (out->fd < 0 && errno == ENOENT)
		return pe_fail(err, PE_ENOTFOUND, "%s is not there", path);
	if (out->fd < 0)
		return pe_fail_errno(err, "cannot read %s", path);
	elf_version(EV_CURRENT);
	out->elf = elf_begin(out->fd, ELF_C_READ_MMAP, NULL);
	return PE_OK;
}

static void close_image(struct image *image)
{
	elf_end(image->elf);
	close(image->fd);
}

static int broken(const struct image *image)
{
	return pe_fail(image->err, PE_EINVALID, "%s is a broken ELF file: %s", image->path,
		       elf_errmsg(-1));
}

/* The next section of a type and its content; NULL after the last. */
static Elf_Scn *next_section(const struct image *image, Elf_Scn *after, uint32_t type,
			     GElf_Shdr *header, Elf_Data **data)
{
	while ((after = elf_nextscn(image->elf, after)) != NULL) {
		if (gelf_getshdr(after, header) == NULL || header->sh_type != type)
			continue;
		*data = elf_getdata(after, NULL);
		if (*data != NULL && (*data)->d_buf != NULL)
			return after;
	}
	return NULL;
}

static size_t entries(const GElf_Shdr *header)
{
	return header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
}

/* --- Symbols --- */

/* The hook's number among the symbols of a section; 0: it is not there. */
static size_t find_hook(const struct image *image, const GElf_Shdr *header, Elf_Data *data,
			GElf_Sym *symbol)
{
	for (size_t i = 1; i < entries(header); i++) {
		const char *name;

		if (gelf_getsym(data, (int)i, symbol) == NULL)
			break;
		name = elf_strptr(image->elf, header->sh_link, symbol->st_name);
		if (name != NULL && strcmp(name, HOOK) == 0)
			return i;
	}
	return 0;
}

static bool is_function(const GElf_Sym *symbol)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_size > 0;
}

static size_t count_functions(const GElf_Shdr *header, Elf_Data *data)
{
	GElf_Sym symbol;
	size_t n = 0;

	for (size_t i = 0; i < entries(header); i++)
		n += gelf_getsym(data, (int)i, &symbol) != NULL && is_function(&symbol);
	return n;
}

/* --- Slots, stubs and calls --- */

/* Where relocations put the address of symbol number `hook`. */
static void find_slots(addresses *out, const struct image *image, size_t dynsym, size_t hook)
{
	GElf_Shdr header;
	Elf_Scn *section = NULL;
	Elf_Data *data;
	GElf_Rela relocation;

	while ((section = next_section(image, section, SHT_RELA, &header, &data)) != NULL) {
		if (header.sh_link != dynsym)
			continue;
		for (size_t i = 0; i < entries(&header); i++)
			if (gelf_getrela(data, (int)i, &relocation) != NULL &&
			    GELF_R_SYM(relocation.r_info) == hook)
				pe_vec_push(out, relocation.r_offset);
	}
}

#if defined(__x86_64__)

static uint64_t displaced(uint64_t address, const unsigned char *displacement)
{
	int32_t by;

	memcpy(&by, displacement, sizeof(by));
	return address + (uint64_t)(int64_t)by;
}

/* "jmp *slot(%rip)", which may follow endbr64, and carry a bnd prefix. */
static void find_stubs(addresses *out, const addresses *slots, const unsigned char *code, size_t n,
		       uint64_t at)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	for (size_t i = 0; i + 6 <= n; i++) {
		size_t start = i;

		if (code[i] != 0xff || code[i + 1] != 0x25 ||
		    !has(slots, displaced(at + i + 6, code + i + 2)))
			continue;
		start -= start >= 1 && code[start - 1] == 0xf2;
		if (start >= 4 && memcmp(code + start - 4, endbr64, 4) == 0)
			start -= 4;
		pe_vec_push(out, at + start);
	}
}

static size_t count_calls(const addresses *slots, const addresses *stubs, const unsigned char *code,
			  size_t n, uint64_t at)
{
	size_t calls = 0;

	for (size_t i = 0; i + 6 <= n; i++) {
		if (code[i] == 0xe8 || code[i] == 0xe9)
			calls += has(stubs, displaced(at + i + 5, code + i + 1));
		else if (code[i] == 0xff && code[i + 1] == 0x15)
			calls += has(slots, displaced(at + i + 6, code + i + 2));
	}
	return calls;
}

static size_t calls_through(const addresses *slots, const struct image *image)
{
	pe_auto_free addresses stubs = {NULL, 0, 0};
	GElf_Shdr header;
	Elf_Scn *section = NULL;
	Elf_Data *data;
	size_t calls = 0;

	/* The stubs may stand behind the code that calls them. */
	while ((section = next_section(image, section, SHT_PROGBITS, &header, &data)) != NULL)
		if ((header.sh_flags & SHF_EXECINSTR) != 0)
			find_stubs(&stubs, slots, data->d_buf, data->d_size, header.sh_addr);
	while ((section = next_section(image, section, SHT_PROGBITS, &header, &data)) != NULL)
		if ((header.sh_flags & SHF_EXECINSTR) != 0)
			calls += count_calls(slots, &stubs, data->d_buf, data->d_size,
					     header.sh_addr);
	return calls;
}

#else

static size_t calls_through(const addresses *slots, const struct image *image)
{
	(void)slots;
	(void)image;
	return 0;
}

#endif

/* --- Looking --- */

static void look_at_imports(struct pe_hooks *out, const struct image *image)
{
	pe_auto_free addresses slots = {NULL, 0, 0};
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;
	Elf_Scn *section = next_section(image, NULL, SHT_DYNSYM, &header, &data);
	size_t hook = section != NULL ? find_hook(image, &header, data, &symbol) : 0;

	out->is_static = section == NULL;
	if (hook == 0)
		return;
	out->own = symbol.st_shndx != SHN_UNDEF;
	out->imported = !out->own;
	if (out->imported) {
		find_slots(&slots, image, elf_ndxscn(section), hook);
		out->calls = calls_through(&slots, image);
	}
}

static void look_at_table(struct pe_hooks *out, const struct image *image)
{
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;

	if (next_section(image, NULL, SHT_SYMTAB, &header, &data) == NULL)
		return;
	out->functions = count_functions(&header, data);
	if (find_hook(image, &header, data, &symbol) != 0 && symbol.st_shndx != SHN_UNDEF)
		out->own = true;
}

int pe_hooks_look(struct pe_hooks *out, const char *path, struct pe_err *err)
{
	struct image image;
	size_t strings;
	int rc = open_image(&image, path, err);

	*out = (struct pe_hooks){.is_elf = false};
	if (rc != PE_OK)
		return rc;
	if (image.elf != NULL && elf_kind(image.elf) == ELF_K_ELF) {
		out->is_elf = true;
		if (elf_getshdrstrndx(image.elf, &strings) != 0)
			rc = broken(&image);
	}
	if (rc == PE_OK && out->is_elf) {
		look_at_imports(out, &image);
		look_at_table(out, &image);
	}
	close_image(&image);
	return rc;
}

int pe_hooks_small(uint64_t **out, size_t *n, const char *path, uint64_t bytes,
		   struct pe_arena *arena, struct pe_err *err)
{
	struct image image;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;
	int rc = open_image(&image, path, err);

	*out = NULL;
	*n = 0;
	if (rc != PE_OK)
		return rc;
	if (image.elf != NULL && elf_kind(image.elf) == ELF_K_ELF &&
	    next_section(&image, NULL, SHT_SYMTAB, &header, &data) != NULL) {
		*out = pe_arena_new(arena, uint64_t, entries(&header));
		for (size_t i = 0; i < entries(&header); i++)
			if (gelf_getsym(data, (int)i, &symbol) != NULL && is_function(&symbol) &&
			    symbol.st_size < bytes)
				(*out)[(*n)++] = symbol.st_value;
	}
	close_image(&image);
	return rc;
}
