/*
 * A function's name comes from its linkage name, which compilers write for all that other files can see. What
 * they leave out (gcc: static functions and all inside unnamed namespaces and functions) is put together from
 * the entries around its declaration, spelled as a demangler would.
 */
#include "analysis/symbols/names.h"

#include "analysis/symbols/declared.h"
#include "analysis/symbols/paths.h"

#include <dwarf.h>
#include <string.h>

/* Of origins and specifications; compilers need three. */
enum { MOST_HOPS = 16 };

void *pe_names_subject(Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attribute;

	for (int i = 0; i < MOST_HOPS; i++) {
		if (dwarf_attr(&at, DW_AT_abstract_origin, &attribute) == NULL ||
		    dwarf_formref_die(&attribute, &next) == NULL)
			break;
		at = next;
	}
	return at.addr;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute) != NULL)
		return dwarf_formstring(&attribute);
	return NULL;
}

static bool is_cxx(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (dwarf_diecu(die, &unit, NULL, NULL) == NULL)
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC_plus_plus:
	case 0x2b: /* C++17 and C++20, which this libdw has no names for */
	case 0x2c:
		return true;
	default:
		return false;
	}
}

void pe_names_spell(struct pe_text *name, struct pe_text *signature, struct pe_names *names,
		    Dwarf_Die *die, unsigned depth)
{
	const char *linkage = linkage_name(die);
	const char *plain = dwarf_diename(die);
	Dwarf_Die declaration;

	if (linkage != NULL && linkage[0] != '\0') {
		pe_names_split(name, signature, linkage);
		return;
	}
	declaration = pe_declared_origin(die);
	if (is_cxx(&declaration) && !pe_declared_is_plain(names, &declaration)) {
		pe_declared_scopes(name, names, &declaration, depth);
		pe_declared_parameters(signature, names, &declaration, depth);
	}
	pe_text_add(name, plain != NULL && plain[0] != '\0' ? plain : "{unnamed}");
}

void pe_names_describe(struct pe_frame *out, struct pe_names *names, Dwarf_Die *die,
		       const char *module)
{
	pe_auto_text name = PE_TEXT_INIT, signature = PE_TEXT_INIT;
	const char *file = NULL;
	Dwarf_Die place;
	int line = 0;

	if (pe_declared_place(&place, names, die)) {
		file = pe_paths_component(names, &place);
		if (dwarf_decl_line(&place, &line) != 0 || line < 0)
			line = 0;
	} else {
		file = pe_paths_unit(names, die->cu);
	}
	pe_names_spell(&name, &signature, names, die, 0);
	*out = (struct pe_frame){
		.name = pe_arena_strndup(names->arena, pe_text_str(&name), name.len),
		.signature = pe_arena_strndup(names->arena, pe_text_str(&signature), signature.len),
		.component = file != NULL ? file : module,
		.module = module,
		.line = (uint32_t)line,
		.kind = PE_FRAME_METHOD,
	};
}
