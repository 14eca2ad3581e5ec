/*
 * A stub jumps through a slot that the dynamic linker fills: `jmp *slot(%rip)`. The relocation of that slot says
 * with whose address. Reading the jump works for all layouts: .plt, .plt.sec, .plt.got, of ld, gold and lld.
 */
#include "analysis/symbols/plt.h"

#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { STUB_BYTES = 16, JUMP_BYTES = 6 };

struct slot {
	uint64_t address;
	const char *name;
};

typedef PE_VEC(struct slot) slot_list;

static int by_address(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* The slots that relocations of one section fill with the address of a symbol. */
static void read_relocations(slot_list *slots, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *link = elf_getscn(elf, header->sh_link);
	GElf_Shdr symbols;
	Elf_Data *names = link != NULL && gelf_getshdr(link, &symbols) != NULL
				  ? elf_getdata(link, NULL)
				  : NULL;
	GElf_Rela rela;
	GElf_Sym sym;

	if (data == NULL || names == NULL)
		return;
	for (int i = 0; gelf_getrela(data, i, &rela) != NULL; i++) {
		const uint64_t type = GELF_R_TYPE(rela.r_info);
		const char *name;

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    gelf_getsym(names, (int)GELF_R_SYM(rela.r_info), &sym) == NULL)
			continue;
		name = elf_strptr(elf, symbols.sh_link, sym.st_name);
		if (name != NULL && name[0] != '\0')
			pe_vec_push(slots, (struct slot){rela.r_offset, name});
	}
}

static const char *name_of(const slot_list *slots, uint64_t address)
{
	const struct slot key = {.address = address};
	const struct slot *found =
		slots->n > 0 ? bsearch(&key, slots->data, slots->n, sizeof(key), by_address) : NULL;

	return found != NULL ? found->name : NULL;
}

/* Look for jumps, and say of each the stub that it is in. */
static void read_stubs(const slot_list *slots, Elf_Scn *scn, const GElf_Shdr *header,
		       pe_plt_fn *found, void *payload)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	const unsigned char *bytes = data != NULL ? data->d_buf : NULL;
	const uint64_t size = header->sh_entsize == 8 ? 8 : STUB_BYTES;

	if (bytes == NULL)
		return;
	for (size_t at = 0; at + JUMP_BYTES <= data->d_size; at++) {
		int32_t distance;
		const char *name;

		if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
			continue;
		memcpy(&distance, bytes + at + 2, sizeof(distance));
		name = name_of(slots, header->sh_addr + at + JUMP_BYTES + (uint64_t)distance);
		if (name != NULL)
			found(header->sh_addr + at / size * size, size, name, payload);
	}
}

void pe_plt_read(const struct pe_symbols_file *file, pe_plt_fn *found, void *payload)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	Elf *elf = file->module.elf;
	pe_auto_free slot_list slots = {0};
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr header;

	if (gelf_getehdr(elf, &ehdr) == NULL || ehdr.e_machine != EM_X86_64)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &header) != NULL && header.sh_type == SHT_RELA &&
		    (header.sh_flags & SHF_ALLOC) != 0)
			read_relocations(&slots, elf, scn, &header);
	if (slots.n > 0)
		qsort(slots.data, slots.n, sizeof(*slots.data), by_address);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		scn = pe_elf_section(elf, sections[i], &header);
		if (scn != NULL && header.sh_type == SHT_PROGBITS)
			read_stubs(&slots, scn, &header, found, payload);
	}
}
