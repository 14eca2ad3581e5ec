/*
 * Reading an ELF file the way the dynamic linker will: what is loaded where, what is filled in, and which
 * names cross its border.
 */
#include "analysis/methods/code_image.h"

#include "core/base/files.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "analysis/methods/code_linkage.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* Sections whose content follows from what else is compared, or that only describe it. */
static const char *const tables[] = {
	/* clang-format off */
	".interp", ".note", ".hash", ".gnu.hash", ".dynsym", ".dynstr", ".gnu.version", ".rela",
	".rel.", ".relr", ".dynamic", ".eh_frame", ".gcc_except_table", ".gnu_debug",
	".gnu_object_only", NULL,
	/* clang-format on */
};

static bool is_content(const char *name, uint32_t type)
{
	if (type != SHT_PROGBITS && type != SHT_NOBITS && type != SHT_INIT_ARRAY &&
	    type != SHT_FINI_ARRAY && type != SHT_PREINIT_ARRAY)
		return false;
	for (size_t i = 0; tables[i] != NULL; i++)
		if (strncmp(name, tables[i], strlen(tables[i])) == 0)
			return false;
	return true;
}

PE_SORT_BY(by_addr, struct pe_section, addr);

int pe_image_damaged(const struct pe_image *image, const char *what, struct pe_err *err)
{
	return pe_fail(err, PE_EINVALID, "%s: damaged %s", image->path, what);
}

static int read_sections(struct pe_image *image, struct pe_arena *arena, struct pe_err *err)
{
	Elf *elf = image->elf;
	Elf_Scn *scn = NULL;
	size_t names, n;
	GElf_Shdr header;

	if (elf_getshdrstrndx(elf, &names) != 0 || elf_getshdrnum(elf, &n) != 0)
		return pe_image_damaged(image, "section table", err);
	image->sections = pe_arena_new(arena, struct pe_section, n);
	image->tls = pe_arena_new(arena, struct pe_section, n);
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		struct pe_section section = {0};
		Elf_Data *data;

		if (gelf_getshdr(scn, &header) == NULL)
			return pe_image_damaged(image, "section table", err);
		if ((header.sh_flags & SHF_ALLOC) == 0 || header.sh_size == 0)
			continue;
		section.name = elf_strptr(elf, names, header.sh_name);
		if (section.name == NULL || header.sh_addr + header.sh_size < header.sh_addr)
			return pe_image_damaged(image, "section table", err);
		section.addr = header.sh_addr;
		section.size = header.sh_size;
		section.align = header.sh_addralign;
		section.type = header.sh_type;
		section.code = (header.sh_flags & SHF_EXECINSTR) != 0;
		section.writable = (header.sh_flags & SHF_WRITE) != 0;
		section.tls = (header.sh_flags & SHF_TLS) != 0;
		section.content = is_content(section.name, section.type);
		image->go = image->go || strstr(section.name, "gopclntab") != NULL;
		if (header.sh_type != SHT_NOBITS) {
			data = elf_rawdata(scn, NULL);
			if (data == NULL || data->d_buf == NULL || data->d_size < header.sh_size)
				return pe_image_damaged(image, "section", err);
			section.bytes = data->d_buf;
		}
		if (section.tls)
			image->tls[image->n_tls++] = section;
		else
			image->sections[image->n_sections++] = section;
	}
	pe_sort(image->sections, image->n_sections, by_addr);
	pe_sort(image->tls, image->n_tls, by_addr);
	return PE_OK;
}

static int read_segments(struct pe_image *image, struct pe_arena *arena, struct pe_err *err)
{
	size_t n, size;
	GElf_Phdr header;
	char *raw = elf_rawfile(image->elf, &size);

	if (raw == NULL || elf_getphdrnum(image->elf, &n) != 0)
		return pe_image_damaged(image, "program header", err);
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(image->elf, (int)i, &header) == NULL)
			return pe_image_damaged(image, "program header", err);
		if (header.p_type == PT_TLS) {
			image->tls_size = header.p_memsz;
			image->tls_align = header.p_align > 0 ? header.p_align : 1;
		} else if (header.p_type == PT_GNU_STACK) {
			image->stack_flags = header.p_flags;
		} else if (header.p_type == PT_INTERP) {
			if (header.p_offset > size || header.p_filesz > size - header.p_offset)
				return pe_image_damaged(image, "program header", err);
			image->interpreter =
				pe_arena_strndup(arena, raw + header.p_offset, header.p_filesz);
		}
	}
	return PE_OK;
}

/* As what a run has loaded (core/exec/modules.c): larger ones are not compared. */
static const uint64_t MOST_BYTES = UINT64_C(1) << 30;

static int open_elf(struct pe_image *out, struct pe_err *err)
{
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	out->fd = pe_files_open_found(out->path, MOST_BYTES);
	if (out->fd < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? pe_fail(err, PE_ENOTFOUND, "%s does not exist", out->path)
			       : pe_fail_errno(err, "%s", out->path);
	out->elf = elf_begin(out->fd, ELF_C_READ_MMAP, NULL);
	if (out->elf == NULL || elf_kind(out->elf) != ELF_K_ELF)
		return pe_fail(err, PE_EUNSUPPORTED, "%s is not an ELF file", out->path);
	if (gelf_getehdr(out->elf, &header) == NULL)
		return pe_image_damaged(out, "header", err);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return pe_fail(err, PE_EUNSUPPORTED, "%s is not a linked program or library",
			       out->path);
	out->machine = header.e_machine;
	out->kind = header.e_type;
	out->entry = header.e_entry;
	out->fixed = header.e_type == ET_EXEC;
	out->x86_64 = header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] == ELFCLASS64;
	return PE_OK;
}

static int read_image(struct pe_image *image, struct pe_arena *arena, struct pe_err *err)
{
	PE_TRY(open_elf(image, err));
	PE_TRY(read_sections(image, arena, err));
	PE_TRY(read_segments(image, arena, err));
	PE_TRY(pe_image_read_slots(image, arena, err));
	PE_TRY(pe_image_read_linkage(image, arena, err));
	PE_TRY(pe_image_read_atoms(image, arena, err));
	pe_image_find_addresses(image, arena);
	return PE_OK;
}

int pe_image_open(struct pe_image *out, const char *path, struct pe_arena *arena,
		  struct pe_err *err)
{
	int rc;

	*out = (struct pe_image){.path = pe_arena_strdup(arena, path), .fd = -1};
	rc = read_image(out, arena, err);
	if (rc != PE_OK)
		pe_image_close(out);
	return rc;
}

void pe_image_close(struct pe_image *image)
{
	if (image == NULL)
		return;
	if (image->elf != NULL)
		elf_end(image->elf);
	if (image->fd > 0)
		close(image->fd);
	image->elf = NULL;
	image->fd = -1;
}

const struct pe_section *pe_image_section(const struct pe_image *image, uint64_t addr)
{
	size_t at = 0;

	pe_search(at, image->n_sections, i, image->sections[i].addr <= addr);
	if (at == 0 || addr - image->sections[at - 1].addr >= image->sections[at - 1].size)
		return NULL;
	return &image->sections[at - 1];
}

const unsigned char *pe_image_bytes(const struct pe_image *image, uint64_t addr, uint64_t n)
{
	const struct pe_section *section = pe_image_section(image, addr);

	if (section == NULL || section->bytes == NULL || n > section->size - (addr - section->addr))
		return NULL;
	return section->bytes + (addr - section->addr);
}

/* Number of atoms that start at or before an address. */
static size_t atoms_until(const struct pe_atom *atoms, size_t n, uint64_t addr)
{
	size_t at = 0;

	pe_search(at, n, i, atoms[i].addr <= addr);
	return at;
}

static const struct pe_atom *innermost(const struct pe_atom *atoms, size_t n, uint64_t addr)
{
	for (size_t i = atoms_until(atoms, n, addr); i > 0 && atoms[i - 1].reach > addr; i--)
		if (addr - atoms[i - 1].addr < atoms[i - 1].size)
			return &atoms[i - 1];
	return NULL;
}

const struct pe_atom *pe_image_atom(const struct pe_image *image, uint64_t addr)
{
	return innermost(image->atoms, image->n_atoms, addr);
}

const struct pe_atom *pe_image_atom_before(const struct pe_image *image, uint64_t addr)
{
	const size_t n = atoms_until(image->atoms, image->n_atoms, addr);

	return n > 0 ? &image->atoms[n - 1] : NULL;
}

const struct pe_atom *pe_image_tls_atom(const struct pe_image *image, uint64_t offset)
{
	return innermost(image->tls_atoms, image->n_tls_atoms, offset);
}

size_t pe_image_slot_from(const struct pe_image *image, uint64_t addr)
{
	size_t at = 0;

	pe_search(at, image->n_slots, i, image->slots[i].addr < addr);
	return at;
}

const struct pe_image_slot *pe_image_slot(const struct pe_image *image, uint64_t addr)
{
	const size_t at = pe_image_slot_from(image, addr);

	return at < image->n_slots && image->slots[at].addr == addr ? &image->slots[at] : NULL;
}
