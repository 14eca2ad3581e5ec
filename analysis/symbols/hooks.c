#include "analysis/symbols/hooks.h"

#include "analysis/symbols/file.h"

#include <errno.h>
#include <string.h>

static const char HOOK[] = "__cyg_profile_func_enter";

/* --- The file --- */

/* A file of another kind is no failure: out->elf is NULL then. */
static int open_image(struct pe_elf *out, const char *path, struct pe_err *err)
{
	if (pe_elf_open(out, path) || errno == ENOEXEC)
		return PE_OK;
	if (errno == ENOENT)
		return pe_fail(err, PE_ENOTFOUND, "%s is not there", path);
	return pe_fail_errno(err, "cannot read %s", path);
}

static size_t entries(const GElf_Shdr *header)
{
	return header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
}

/* --- Symbols --- */

/* Find the hook among the symbols of a section. */
static bool find_hook(Elf *elf, const GElf_Shdr *header, Elf_Data *data, GElf_Sym *symbol)
{
	for (size_t i = 1; i < entries(header); i++) {
		const char *name;

		if (gelf_getsym(data, (int)i, symbol) == NULL)
			break;
		name = elf_strptr(elf, header->sh_link, symbol->st_name);
		if (name != NULL && strcmp(name, HOOK) == 0)
			return true;
	}
	return false;
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

static void look_at_imports(struct pe_hooks *out, Elf *elf)
{
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data = pe_elf_section(elf, ".dynsym", &header);

	out->is_static = data == NULL;
	if (out->is_static || !find_hook(elf, &header, data, &symbol))
		return;
	out->own = symbol.st_shndx != SHN_UNDEF;
	out->imported = !out->own;
}

static void look_at_table(struct pe_hooks *out, Elf *elf)
{
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data = pe_elf_section(elf, ".symtab", &header);

	if (data == NULL)
		return;
	out->functions = count_functions(&header, data);
	if (find_hook(elf, &header, data, &symbol) && symbol.st_shndx != SHN_UNDEF)
		out->own = true;
}

int pe_hooks_look(struct pe_hooks *out, const char *path, struct pe_err *err)
{
	struct pe_elf file;
	size_t strings;
	int rc = PE_OK;

	*out = (struct pe_hooks){.is_elf = false};
	PE_TRY(open_image(&file, path, err));
	out->is_elf = file.elf != NULL;
	if (out->is_elf && elf_getshdrstrndx(file.elf, &strings) != 0) {
		rc = pe_fail(err, PE_EINVALID, "%s is a broken ELF file: %s", path, elf_errmsg(-1));
	} else if (out->is_elf) {
		look_at_imports(out, file.elf);
		look_at_table(out, file.elf);
	}
	pe_elf_close(&file);
	return rc;
}
