/*
 * A stub jumps through a slot that the dynamic linker fills: `jmp *slot(%rip)`, or on arm64 `adrp x16, slot; ldr x17, [x16, slot]`
 * before the jump. The relocation of that slot has the name. Reading this works for all layouts: .plt, .plt.sec,
 * .plt.got, of ld, gold and lld.
 */
#include "analysis/symbols/plt.h"

#include "core/base/sort.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* How the stubs of one machine are read. */
struct dialect {
	uint16_t machine;        /* e_machine */
	uint64_t jump, got;      /* types of relocations that fill slots */
	size_t step, jump_bytes; /* distances of places to look at; what is read there */
	/* The slot through which the instructions at an address jump. @return  there are none */
	bool (*slot)(uint64_t *slot, const unsigned char *bytes, uint64_t address);
	/* The stub that has such a jump at an offset of its section: its first byte; n is set to how many it has. */
	size_t (*start)(uint64_t *n, const unsigned char *bytes, size_t at,
			const GElf_Shdr *header);
};

struct slot {
	uint64_t address;
	const char *name;
};

typedef PE_VEC(struct slot) slot_list;

PE_SORT_BY(by_address, struct slot, address);

/* The slots that relocations of one section fill with the address of a symbol. */
static void read_relocations(slot_list *slots, const struct dialect *dialect, Elf *elf,
			     Elf_Scn *scn, const GElf_Shdr *header)
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

		if ((type != dialect->jump && type != dialect->got) ||
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

static bool x86_slot(uint64_t *slot, const unsigned char *bytes, uint64_t address)
{
	int32_t distance;

	if (bytes[0] != 0xff || bytes[1] != 0x25)
		return false;
	memcpy(&distance, bytes + 2, sizeof(distance));
	*slot = address + 6 + (uint64_t)distance;
	return true;
}

static size_t x86_start(uint64_t *n, const unsigned char *bytes, size_t at, const GElf_Shdr *header)
{
	(void)bytes;
	*n = header->sh_entsize == 8 ? 8 : 16;
	return at / *n * *n;
}

static uint32_t word_at(const unsigned char *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static bool arm64_slot(uint64_t *slot, const unsigned char *bytes, uint64_t address)
{
	const uint32_t adrp = word_at(bytes), ldr = word_at(bytes + 4);
	const uint64_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	/* A number of 21 bits with a sign. */
	*slot = (address & ~(uint64_t)0xfff) + (((pages ^ 1 << 20) - (1 << 20)) << 12) +
		(ldr >> 10 & 0xfff) * 8;
	return true;
}

/* Four instructions, which "bti c" may precede. */
static size_t arm64_start(uint64_t *n, const unsigned char *bytes, size_t at,
			  const GElf_Shdr *header)
{
	const bool marked = at >= 4 && word_at(bytes + at - 4) == 0xd503245f;

	(void)header;
	*n = marked ? 20 : 16;
	return marked ? at - 4 : at;
}

static const struct dialect dialects[] = {
	{EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, 1, 6, x86_slot, x86_start},
	{EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, 4, 8, arm64_slot, arm64_start},
};

/* Find the jumps of a section, and report the stub of each. */
static void read_stubs(const slot_list *slots, const struct dialect *dialect, Elf_Scn *scn,
		       const GElf_Shdr *header, pe_plt_fn *found, void *payload)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	const unsigned char *bytes = data != NULL ? data->d_buf : NULL;

	for (size_t at = 0; bytes != NULL && at + dialect->jump_bytes <= data->d_size;
	     at += dialect->step) {
		uint64_t slot, n;
		const char *name;
		size_t start;

		if (!dialect->slot(&slot, bytes + at, header->sh_addr + at))
			continue;
		name = name_of(slots, slot);
		start = dialect->start(&n, bytes, at, header);
		if (name != NULL)
			found(header->sh_addr + start, n, name, payload);
	}
}

static const struct dialect *find_dialect(Elf *elf)
{
	GElf_Ehdr ehdr;

	for (size_t i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		if (gelf_getehdr(elf, &ehdr) != NULL && ehdr.e_machine == dialects[i].machine)
			return &dialects[i];
	return NULL;
}

void pe_plt_read(const struct pe_symbols_file *file, pe_plt_fn *found, void *payload)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	Elf *elf = file->module.elf;
	const struct dialect *dialect = find_dialect(elf);
	pe_auto_free slot_list slots = {0};
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	if (dialect == NULL)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &header) != NULL && header.sh_type == SHT_RELA &&
		    (header.sh_flags & SHF_ALLOC) != 0)
			read_relocations(&slots, dialect, elf, scn, &header);
	pe_sort(slots.data, slots.n, by_address);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		scn = pe_elf_section(elf, sections[i], &header);
		if (scn != NULL && header.sh_type == SHT_PROGBITS)
			read_stubs(&slots, dialect, scn, &header, found, payload);
	}
}
