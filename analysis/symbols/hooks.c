#include "analysis/symbols/hooks.h"

#include "core/base/files.h"

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

/* --- Looking --- */

static void look_at_imports(struct pe_hooks *out, const struct image *image)
{
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
