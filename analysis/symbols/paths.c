#include "analysis/symbols/paths.h"

#include "core/base/inside.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* The part of a path below one of the trees; NULL: it is outside. */
static const char *below(const struct pe_names *names, const char *path)
{
	const char *inside = pe_inside_below(path, names->trees[0]);

	return inside != NULL ? inside : pe_inside_below(path, names->trees[1]);
}

/*
 * Whether a file outside of the tree is the user's own, such as a driver that the build compiles into a program:
 * not the system's headers, and not the sources of a library that some distribution built elsewhere.
 */
static bool is_users(const char *path)
{
	return strncmp(path, "/usr/", 5) != 0 && access(path, F_OK) == 0;
}

/*
 * The file of a declaration as its unit has it, and the unit: that of the entry with the attribute, which may be in another
 * unit than the current one. Number 0 of DWARF 5 is the unit's own file. dwarf_decl_file() cannot be used: it has an
 * assertion that fails for split units.
 */
static const char *declared_file(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) == NULL ||
	    dwarf_cu_die(attribute.cu, unit, NULL, NULL, NULL, NULL, NULL, NULL) == NULL ||
	    dwarf_formudata(&attribute, &number) != 0)
		return NULL;
	if (number == 0)
		return dwarf_diename(unit);
	if (dwarf_getsrcfiles(unit, &files, &n) != 0 || number >= n)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* The path of a file as its unit has it: relative if it is in the tree; NULL: the unit names no file. */
static const char *path_of(struct pe_names *names, Dwarf_Die *unit, const char *file)
{
	pe_auto_text joined = PE_TEXT_INIT, clean = PE_TEXT_INIT;
	const char *folder = NULL, *path, *inside;
	Dwarf_Attribute attribute;

	if (file == NULL || file[0] == '\0' || file[0] == '<')
		return NULL;
	if (file[0] != '/' && dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute) != NULL)
		folder = dwarf_formstring(&attribute);
	if (folder != NULL)
		pe_text_addf(&joined, "%s/", folder);
	pe_text_add(&joined, file);
	pe_text_add_clean_path(&clean, pe_text_str(&joined));
	path = pe_text_str(&clean);
	inside = path[0] == '/' && names->trees[0] != NULL ? below(names, path) : NULL;
	return pe_arena_strdup(names->arena, inside != NULL ? inside : path);
}

static const char *component_of(struct pe_names *names, Dwarf_Die *unit, const char *file)
{
	const char *path = path_of(names, unit, file);
	const bool outside = path != NULL && path[0] == '/' && names->trees[0] != NULL;

	return path == NULL || path[0] == '\0' || (outside && !is_users(path)) ? NULL : path;
}

const char *pe_paths_source(struct pe_names *names, Dwarf_Die *die)
{
	Dwarf_Die unit;
	const char *file = declared_file(&unit, die);

	return path_of(names, &unit, file);
}

const char *pe_paths_component(struct pe_names *names, Dwarf_Die *die)
{
	Dwarf_Die unit;
	const char *file = declared_file(&unit, die);

	return component_of(names, &unit, file);
}

const char *pe_paths_unit(struct pe_names *names, Dwarf_CU *cu)
{
	Dwarf_Die unit;

	if (dwarf_cu_die(cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) == NULL)
		return NULL;
	return component_of(names, &unit, dwarf_diename(&unit));
}
