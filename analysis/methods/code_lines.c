/*
 * One walk over all entries of the debug information, into a sorted table: asking libdw address by address
 * takes a thousand times as long, and finds nothing where the compiler wrote no address ranges.
 */
#include "analysis/methods/code_lines.h"

#include "core/base/inside.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/array.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

enum { MOST_DEPTH = 200 };

struct walk {
	PE_VEC(struct pe_code_line) found;
	PE_VEC(const char *) inlined; /* of the function at hand */
	const char *folder;           /* of the unit's compilation */
	const char *unit;             /* its file: number 0 of DWARF 5, which libdw refuses */
	const char *const *masks;
	struct pe_arena *arena;
	const char *raw, *clean; /* the last file name and what became of it */
};

static const char *below_tree(const char *path, const char *const *masks)
{
	const char *inside = pe_inside_below(path, masks[0]);

	if (inside == NULL && masks[0] != NULL)
		inside = pe_inside_below(path, masks[1]);
	return inside != NULL ? inside : path;
}

static const char *file_of(struct walk *walk, const char *path)
{
	pe_auto_text joined = PE_TEXT_INIT, clean = PE_TEXT_INIT;

	if (path == NULL)
		return NULL;
	if (path == walk->raw) /* libdw gives one string for one file */
		return walk->clean;
	if (path[0] != '/' && walk->folder != NULL)
		pe_text_addf(&joined, "%s/", walk->folder);
	pe_text_add(&joined, path);
	pe_text_add_clean_path(&clean, pe_text_str(&joined));
	walk->raw = path;
	walk->clean = pe_arena_strdup(walk->arena, below_tree(pe_text_str(&clean), walk->masks));
	return walk->clean;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL)
		return dwarf_formstring(&attribute);
	return dwarf_diename(die);
}

static void keep_inlined(struct pe_code_line *line, struct walk *walk)
{
	const size_t n = pe_strings_settle(walk->inlined.data, walk->inlined.n);
	const char **names = pe_arena_new(walk->arena, const char *, n);

	for (size_t i = 0; i < n; i++)
		names[i] = pe_arena_strdup(walk->arena, walk->inlined.data[i]);
	line->inlined = names;
	line->n_inlined = n;
}

/* What was inlined anywhere below a function's entry. */
static void collect_inlined(struct walk *walk, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > MOST_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		const int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine) {
			const char *name = linkage_name(&die);

			if (name != NULL)
				pe_vec_push(&walk->inlined, name);
		}
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			collect_inlined(walk, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static const char *file_of_declaration(const struct walk *walk, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) != NULL &&
	    dwarf_formudata(&attribute, &number) == 0 && number == 0)
		return walk->unit;
	return dwarf_decl_file(die);
}

static void add_function(struct walk *walk, Dwarf_Die *die)
{
	struct pe_code_line line = {0};
	Dwarf_Addr base, start, end;
	int number = 0;

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return;
	line.file = file_of(walk, file_of_declaration(walk, die));
	if (dwarf_decl_line(die, &number) == 0 && number > 0)
		line.line = (uint32_t)number;
	walk->inlined.n = 0;
	collect_inlined(walk, die, 0);
	keep_inlined(&line, walk);
	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
		line.addr = start;
		pe_vec_push(&walk->found, line);
	}
}

static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_module ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_subprogram;
}

static void visit(struct walk *walk, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > MOST_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		const int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			add_function(walk, &die);
		if (holds_functions(tag) && dwarf_haschildren(&die) > 0)
			visit(walk, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

PE_SORT_BY(by_addr, struct pe_code_line, addr, line);

void pe_code_lines_read(struct pe_code_lines *out, const struct pe_image *image,
			struct pe_arena *arena)
{
	struct walk walk = {.masks = image->masks, .arena = arena};
	Dwarf *dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	Dwarf_Attribute attribute;

	*out = (struct pe_code_lines){0};
	while (dwarf != NULL && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		if (dwarf_tag(&die) != DW_TAG_compile_unit)
			continue;
		walk.raw = NULL;
		walk.unit = dwarf_diename(&die);
		walk.folder = dwarf_attr(&die, DW_AT_comp_dir, &attribute) != NULL
				      ? dwarf_formstring(&attribute)
				      : NULL;
		visit(&walk, &die, 0);
	}
	if (walk.found.n > 0) {
		pe_sort(walk.found.data, walk.found.n, by_addr);
		out->at = pe_vec_copy(arena, &walk.found);
		out->n = walk.found.n;
	}
	pe_vec_release(&walk.found);
	pe_vec_release(&walk.inlined);
	if (dwarf != NULL)
		dwarf_end(dwarf);
}

const struct pe_code_line *pe_code_lines_find(const struct pe_code_lines *lines, uint64_t addr)
{
	size_t at = 0;

	pe_search(at, lines->n, i, lines->at[i].addr < addr);
	return at < lines->n && lines->at[at].addr == addr ? &lines->at[at] : NULL;
}
