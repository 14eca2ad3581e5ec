/*
 * From the symbol table to atoms: one name an address, sizes where the symbol has none, and keys that stay
 * the same when a function or variable moves or when another static local is added to the file.
 */
#include "analysis/methods/code_linkage.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/text.h"

#include <ctype.h>
#include <gelf.h>
#include <string.h>

struct atom_list {
	PE_VEC(struct pe_atom) plain;
	PE_VEC(struct pe_atom) tls;
};

static unsigned rank_of(const GElf_Sym *sym)
{
	const int bind = GELF_ST_BIND(sym->st_info), type = GELF_ST_TYPE(sym->st_info);
	unsigned rank = bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2;

	if (type != STT_NOTYPE)
		rank += 4;
	if (sym->st_size > 0)
		rank += 8;
	return rank;
}

/*
 * No name of C has a dot in it, but gcc gives one to all that was local to files when it links; the scheme of C++ marks
 * what is local to a function with Z.
 */
static bool is_scoped(const char *name, bool local)
{
	const char *dot = strchr(name, '.');

	return strncmp(name, "_ZZ", 3) == 0 ||
	       (local && dot != NULL && dot != name && strstr(dot, ".lto_priv") == NULL);
}

/* Whether a symbol names something of this image, and what. */
static bool to_atom(struct pe_atom *out, const struct pe_image *image, const GElf_Sym *sym,
		    const char *name, const char *unit)
{
	const int type = GELF_ST_TYPE(sym->st_info);
	const struct pe_section *section;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || name == NULL ||
	    *name == '\0' || type == STT_SECTION || type == STT_FILE || type == STT_TLS)
		return false;
	section = pe_image_section(image, sym->st_value);
	if (section == NULL || !section->content)
		return false;
	/* Data without a size is a place, such as the border of a section, unless other modules may look for it by name. */
	if (sym->st_size == 0 && !section->code && GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		return false;
	*out = (struct pe_atom){.name = name, .addr = sym->st_value, .rank = rank_of(sym)};
	out->size = sym->st_size <= section->addr + section->size - sym->st_value
			    ? sym->st_size
			    : section->addr + section->size - sym->st_value;
	out->local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;
	out->unit = out->local && unit != NULL ? pe_path_name(unit) : NULL;
	out->function = section->code;
	out->routine = section->code && (type == STT_FUNC || type == STT_GNU_IFUNC);
	out->unsized = sym->st_size == 0;
	out->object = !image->go && !section->code && type == STT_OBJECT && sym->st_size > 0;
	out->scoped = out->object && is_scoped(name, out->local);
	out->indirect = type == STT_GNU_IFUNC;
	return true;
}

static void collect(struct atom_list *list, const struct pe_image *image, Elf_Data *data,
		    size_t strings)
{
	Elf *elf = image->elf;
	const char *unit = NULL;
	struct pe_atom atom;
	GElf_Sym sym;

	for (int i = 1; gelf_getsym(data, i, &sym) != NULL; i++) {
		const char *name = elf_strptr(elf, strings, sym.st_name);

		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			unit = name != NULL && *name != '\0' ? name : NULL;
		else if (to_atom(&atom, image, &sym, name, unit))
			pe_vec_push(&list->plain, atom);
		else if (GELF_ST_TYPE(sym.st_info) == STT_TLS && sym.st_shndx != SHN_UNDEF &&
			 name != NULL) {
			atom = (struct pe_atom){
				.name = name, .addr = sym.st_value, .size = sym.st_size};
			atom.rank = rank_of(&sym);
			atom.local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
			atom.unit = atom.local && unit != NULL ? pe_path_name(unit) : NULL;
			pe_vec_push(&list->tls, atom);
		}
	}
}

/* By address; outer before inner, the best name first. */
static int by_place(const void *left, const void *right)
{
	const struct pe_atom *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Keep the best of each address, sizes for the sizeless; labels inside a function fall away. */
static size_t settle(struct pe_atom *atoms, size_t n, struct pe_atom *aliases, size_t *n_aliases,
		     const struct pe_image *image)
{
	size_t kept = 0;
	uint64_t reach = 0;

	pe_sort(atoms, n, by_place);
	for (size_t i = 0; i < n; i++) {
		const bool twin = kept > 0 && atoms[kept - 1].addr == atoms[i].addr;

		if (atoms[i].unsized && !twin && atoms[i].addr < reach)
			continue;
		if (twin) {
			aliases[(*n_aliases)++] = atoms[i];
			continue;
		}
		if (atoms[i].addr + atoms[i].size > reach)
			reach = atoms[i].addr + atoms[i].size;
		atoms[kept++] = atoms[i];
	}
	reach = 0;
	for (size_t i = 0; i < kept; i++) {
		const struct pe_section *section =
			image != NULL ? pe_image_section(image, atoms[i].addr) : NULL;

		if (atoms[i].unsized && section != NULL) {
			uint64_t end = section->addr + section->size;

			if (i + 1 < kept && atoms[i + 1].addr < end)
				end = atoms[i + 1].addr;
			atoms[i].size = end - atoms[i].addr;
		}
		if (atoms[i].addr + atoms[i].size > reach)
			reach = atoms[i].addr + atoms[i].size;
		atoms[i].reach = reach;
	}
	return kept;
}

/*
 * gcc numbers the static locals of a file ("count.3"), and constants that it makes itself ("C.0.12"): the numbers move with
 * every other one.
 */
static const char *without_number(const struct pe_atom *atom, struct pe_arena *arena)
{
	const char *name = atom->name;
	size_t n = strlen(name), digits = n;

	if (!atom->local || atom->function)
		return name;
	for (;;) {
		while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
			digits--;
		if (digits == n || digits < 2 || name[digits - 1] != '.')
			break;
		n = --digits;
	}
	return name[n] == '\0' ? name : pe_arena_strndup(arena, name, n);
}

static const char *unit_of(const struct pe_atom *atom)
{
	return atom->unit != NULL ? atom->unit : "";
}

static int by_key(const void *left, const void *right)
{
	const struct pe_atom *a = *(const struct pe_atom *const *)left;
	const struct pe_atom *b = *(const struct pe_atom *const *)right;
	int order = strcmp(a->key, b->key);

	if (order == 0 && a->local != b->local)
		return a->local ? 1 : -1;
	if (order == 0)
		order = strcmp(unit_of(a), unit_of(b));
	if (order == 0)
		order = a->addr < b->addr ? -1 : a->addr > b->addr;
	return order;
}

static void give_keys(struct pe_atom *atoms, size_t n, struct pe_arena *arena)
{
	struct pe_atom **order = pe_arena_new(arena, struct pe_atom *, n);
	size_t ordinal = 0;

	for (size_t i = 0; i < n; i++) {
		atoms[i].key = atoms[i].stem = without_number(&atoms[i], arena);
		order[i] = &atoms[i];
	}
	pe_sort(order, n, by_key);
	for (size_t i = 0, end; i < n; i = end) {
		const char *key = order[i]->key;

		for (end = i + 1; end < n && strcmp(order[end]->key, key) == 0; end++)
			;
		for (size_t k = i; end - i > 1 && k < end; k++) {
			const bool again = k > i &&
					   strcmp(unit_of(order[k]), unit_of(order[k - 1])) == 0 &&
					   order[k]->local == order[k - 1]->local;

			ordinal = again ? ordinal + 1 : 0;
			if (!order[k]->local && ordinal == 0)
				continue;
			order[k]->key = pe_arena_printf(arena, "%s@%s#%zu", key, unit_of(order[k]),
							ordinal);
			if (!order[k]->scoped)
				order[k]->stem = order[k]->key;
		}
	}
}

int pe_image_read_atoms(struct pe_image *image, struct pe_arena *arena, struct pe_err *err)
{
	struct atom_list list = {0};
	Elf_Scn *section = NULL, *best = NULL;
	GElf_Shdr header, found = {0};
	size_t none = 0;

	while ((section = elf_nextscn(image->elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL)
			return pe_fail(err, PE_EINVALID, "%s: damaged section table", image->path);
		if (header.sh_type == SHT_SYMTAB ||
		    (header.sh_type == SHT_DYNSYM && best == NULL)) {
			best = section;
			found = header;
		}
	}
	image->named = best != NULL && found.sh_type == SHT_SYMTAB;
	if (best != NULL && found.sh_entsize > 0) {
		Elf_Data *data = elf_getdata(best, NULL);

		if (data == NULL)
			return pe_fail(err, PE_EINVALID, "%s: damaged symbol table", image->path);
		collect(&list, image, data, found.sh_link);
	}
	image->aliases = pe_arena_new(arena, struct pe_atom, list.plain.n + list.tls.n);
	image->n_atoms =
		settle(list.plain.data, list.plain.n, image->aliases, &image->n_aliases, image);
	image->atoms = pe_vec_copy(arena, &list.plain);
	none = image->n_aliases;
	image->n_tls_atoms = settle(list.tls.data, list.tls.n, image->aliases, &none, NULL);
	image->tls_atoms = pe_vec_copy(arena, &list.tls);
	give_keys(image->atoms, image->n_atoms, arena);
	give_keys(image->tls_atoms, image->n_tls_atoms, arena);
	pe_vec_release(&list.plain);
	pe_vec_release(&list.tls);
	return PE_OK;
}
