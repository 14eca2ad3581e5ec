/* What is filled in when an image is loaded, and which names cross its border. */
#include "analysis/methods/code_linkage.h"

#include "core/base/sort.h"
#include "core/base/array.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

PE_SORT_BY(by_slot, struct pe_image_slot, addr);

typedef PE_VEC(struct pe_image_slot) slot_list;
typedef PE_VEC(const char *) name_list;

static void add_relative(slot_list *slots, uint64_t addr, uint64_t value, uint64_t bytes)
{
	pe_vec_push(slots, (struct pe_image_slot){.addr = addr,
						  .bytes = bytes,
						  .value = value,
						  .type = R_X86_64_RELATIVE});
}

/* RELR: an address, then bitmaps of the 63 words that follow (generic ABI, proposal of 2018). */
static void read_relr(slot_list *slots, const struct pe_image *image, const Elf_Data *data)
{
	const unsigned char *bytes = data->d_buf;
	uint64_t where = 0, entry, value;

	for (size_t at = 0; at + 8 <= data->d_size; at += 8) {
		memcpy(&entry, bytes + at, sizeof(entry));
		for (uint64_t bit = 0; bit < 64; bit++) {
			uint64_t addr = (entry & 1) == 0 ? entry : where + (bit - 1) * 8;
			const unsigned char *word;

			if ((entry & 1) == 0 ? bit > 0 : bit == 0 || (entry >> bit & 1) == 0)
				continue;
			word = pe_image_bytes(image, addr, 8);
			if (word == NULL)
				continue;
			memcpy(&value, word, sizeof(value));
			add_relative(slots, addr, value, 8);
		}
		where = (entry & 1) == 0 ? entry + 8 : where + 63 * 8;
	}
}

static void read_rela(slot_list *slots, const struct pe_image *image, Elf_Data *data,
		      Elf_Data *symbols, size_t strings)
{
	GElf_Rela rela;
	GElf_Sym sym;

	for (int i = 0; gelf_getrela(data, i, &rela) != NULL; i++) {
		struct pe_image_slot slot = {
			.addr = rela.r_offset, .bytes = 8, .value = (uint64_t)rela.r_addend};

		slot.type = (uint32_t)GELF_R_TYPE(rela.r_info);
		if (GELF_R_SYM(rela.r_info) != 0 && symbols != NULL &&
		    gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym) != NULL)
			slot.name = elf_strptr(image->elf, strings, sym.st_name);
		pe_vec_push(slots, slot);
	}
}

/* Take further slots over into the image. */
static void keep_slots(struct pe_image *image, slot_list *slots, struct pe_arena *arena)
{
	if (slots->n == 0)
		return;
	for (size_t i = 0; i < image->n_slots; i++)
		pe_vec_push(slots, image->slots[i]);
	pe_sort(slots->data, slots->n, by_slot);
	image->slots = pe_vec_copy(arena, slots);
	image->n_slots = slots->n;
}

int pe_image_read_slots(struct pe_image *image, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_free slot_list slots = {0};
	Elf_Scn *scn = NULL;
	GElf_Shdr header, symbols;

	while ((scn = elf_nextscn(image->elf, scn)) != NULL) {
		Elf_Data *data;
		Elf_Scn *link;

		if (gelf_getshdr(scn, &header) == NULL || (header.sh_flags & SHF_ALLOC) == 0 ||
		    (header.sh_type != SHT_RELA && header.sh_type != SHT_RELR) ||
		    header.sh_size == 0)
			continue;
		data = header.sh_type == SHT_RELA ? elf_getdata(scn, NULL) : elf_rawdata(scn, NULL);
		if (data == NULL)
			return pe_image_damaged(image, "relocations", err);
		link = header.sh_link != 0 ? elf_getscn(image->elf, header.sh_link) : NULL;
		if (link != NULL && gelf_getshdr(link, &symbols) == NULL)
			link = NULL;
		if (header.sh_type == SHT_RELR)
			read_relr(&slots, image, data);
		else
			read_rela(&slots, image, data,
				  link != NULL ? elf_getdata(link, NULL) : NULL,
				  link != NULL ? symbols.sh_link : 0);
	}
	keep_slots(image, &slots, arena);
	return PE_OK;
}

/* Any word of a fixed program's data may be an address: of what the program has there. */
static void add_words(slot_list *slots, const struct pe_image *image,
		      const struct pe_section *section)
{
	uint64_t value;

	if (!section->content || section->code || section->bytes == NULL)
		return;
	for (uint64_t at = (8 - section->addr % 8) % 8; at + 8 <= section->size; at += 8) {
		const struct pe_section *to;

		memcpy(&value, section->bytes + at, sizeof(value));
		to = value != 0 ? pe_image_section(image, value) : NULL;
		if (to != NULL && to->content && pe_image_slot(image, section->addr + at) == NULL)
			add_relative(slots, section->addr + at, value, 8);
	}
}

/* The entries of a table of offsets from its own start. */
static void add_offsets(slot_list *slots, const struct pe_image *image, const struct pe_atom *atom)
{
	const unsigned char *bytes = atom->scoped && strncmp(atom->name, "reltable.", 9) == 0
					     ? pe_image_bytes(image, atom->addr, atom->size)
					     : NULL;
	int32_t offset;

	for (uint64_t at = 0; bytes != NULL && at + 4 <= atom->size; at += 4) {
		memcpy(&offset, bytes + at, sizeof(offset));
		add_relative(slots, atom->addr + at, atom->addr + (uint64_t)(int64_t)offset, 4);
	}
}

void pe_image_find_addresses(struct pe_image *image, struct pe_arena *arena)
{
	pe_auto_free slot_list offsets = {0}, words = {0};

	for (size_t i = 0; i < image->n_atoms; i++)
		add_offsets(&offsets, image, &image->atoms[i]);
	keep_slots(image, &offsets, arena);
	for (size_t i = 0; image->fixed && i < image->n_sections; i++)
		add_words(&words, image, &image->sections[i]);
	keep_slots(image, &words, arena);
}

/* What the image asks of others by version: index to "library:version". */
static void read_needed_versions(const char **versions, size_t max, Elf_Scn *scn,
				 const struct pe_image *image, struct pe_arena *arena)
{
	GElf_Shdr header;
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Verneed need;
	GElf_Vernaux aux;

	if (data == NULL || gelf_getshdr(scn, &header) == NULL)
		return;
	for (int at = 0; gelf_getverneed(data, at, &need) != NULL; at += (int)need.vn_next) {
		int where = at + (int)need.vn_aux;

		for (unsigned k = 0; k < need.vn_cnt && gelf_getvernaux(data, where, &aux) != NULL;
		     k++) {
			const char *library = elf_strptr(image->elf, header.sh_link, need.vn_file);
			const char *version = elf_strptr(image->elf, header.sh_link, aux.vna_name);

			if (aux.vna_other < max && library != NULL && version != NULL)
				versions[aux.vna_other] =
					pe_arena_printf(arena, "%s:%s", library, version);
			if (aux.vna_next == 0 || aux.vna_next > INT32_MAX / 2)
				break;
			where += (int)aux.vna_next;
		}
		if (need.vn_next == 0 || need.vn_next > INT32_MAX / 2)
			break;
	}
}

static void read_border(struct pe_image *image, Elf_Scn *dynsym, Elf_Data *versyms,
			const char **versions, struct pe_arena *arena)
{
	pe_auto_free name_list imports = {0}, exports = {0};
	Elf_Data *data = elf_getdata(dynsym, NULL);
	GElf_Shdr header;
	GElf_Sym sym;
	GElf_Versym version;

	gelf_getshdr(dynsym, &header);
	for (int i = 1; data != NULL && gelf_getsym(data, i, &sym) != NULL; i++) {
		const char *name = elf_strptr(image->elf, header.sh_link, sym.st_name);
		const char *from = NULL;

		if (name == NULL)
			continue;
		version = 0;
		if (versyms != NULL && gelf_getversym(versyms, i, &version) != NULL)
			from = versions[version & 0x7fff];
		if (sym.st_shndx != SHN_UNDEF) {
			pe_vec_push(&exports, pe_arena_printf(arena, "%s %u %u %u", name,
							      sym.st_info, sym.st_other, version));
			continue;
		}
		pe_vec_push(&imports, pe_arena_printf(arena, "%s@%s %u", name,
						      from != NULL ? from : "", sym.st_info));
		image->loads =
			image->loads || strcmp(name, "dlopen") == 0 || strcmp(name, "dlmopen") == 0;
	}
	image->imports = pe_vec_copy(arena, &imports);
	image->n_imports = imports.n;
	image->exports = pe_vec_copy(arena, &exports);
	image->n_exports = exports.n;
}

static void read_dynamic(struct pe_image *image, Elf_Scn *scn, struct pe_arena *arena)
{
	pe_auto_free name_list needed = {0};
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr header;
	GElf_Dyn dyn;

	gelf_getshdr(scn, &header);
	for (int i = 0; data != NULL && gelf_getdyn(data, i, &dyn) != NULL && dyn.d_tag != DT_NULL;
	     i++) {
		const char *text = dyn.d_tag == DT_NEEDED || dyn.d_tag == DT_RUNPATH ||
						   dyn.d_tag == DT_RPATH || dyn.d_tag == DT_SONAME
					   ? elf_strptr(image->elf, header.sh_link, dyn.d_un.d_val)
					   : NULL;

		if (dyn.d_tag == DT_NEEDED && text != NULL)
			pe_vec_push(&needed, text);
		else if (dyn.d_tag == DT_RUNPATH)
			image->runpath = text;
		else if (dyn.d_tag == DT_RPATH)
			image->rpath = text;
		else if (dyn.d_tag == DT_SONAME)
			image->soname = text;
		else if (dyn.d_tag == DT_FLAGS)
			image->flags = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_FLAGS_1)
			image->flags_1 = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_INIT)
			image->init = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_FINI)
			image->fini = dyn.d_un.d_ptr;
	}
	image->needed = pe_vec_copy(arena, &needed);
	image->n_needed = needed.n;
}

int pe_image_read_linkage(struct pe_image *image, struct pe_arena *arena, struct pe_err *err)
{
	const char **versions = pe_arena_new(arena, const char *, 0x8000);
	Elf_Scn *scn = NULL, *dynsym = NULL;
	Elf_Data *versyms = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(image->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &header) == NULL)
			return pe_image_damaged(image, "section table", err);
		if (header.sh_type == SHT_DYNSYM)
			dynsym = scn;
		else if (header.sh_type == SHT_GNU_versym)
			versyms = elf_getdata(scn, NULL);
		else if (header.sh_type == SHT_GNU_verneed)
			read_needed_versions(versions, 0x8000, scn, image, arena);
		else if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(image, scn, arena);
	}
	if (dynsym != NULL)
		read_border(image, dynsym, versyms, versions, arena);
	return PE_OK;
}
