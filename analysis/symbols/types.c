#include "analysis/symbols/types.h"

#include "analysis/symbols/declared.h"

#include <dwarf.h>
#include <string.h>

/* Of pointers to pointers, typedefs of typedefs and the like in one type. */
enum { MOST_STEPS = 64 };

/* Compilers name the types of C in their own order of words; these are a demangler's. */
static const char *const base_names[][2] = {
	{"long int", "long"},
	{"long unsigned int", "unsigned long"},
	{"long long int", "long long"},
	{"long long unsigned int", "unsigned long long"},
	{"short int", "short"},
	{"short unsigned int", "unsigned short"},
	{"_Bool", "bool"},
	{"__int128 unsigned", "unsigned __int128"},
};

static bool type_of(Dwarf_Die *out, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) != NULL &&
	       dwarf_formref_die(&attribute, out) != NULL;
}

/* What a step from a type to the one that it is made of adds behind that; NULL: the type has its own name. */
static const char *suffix_of(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
	case DW_TAG_array_type: /* of a parameter: a pointer */
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	case DW_TAG_const_type:
		return " const";
	case DW_TAG_volatile_type:
		return " volatile";
	case DW_TAG_restrict_type:
	case DW_TAG_typedef:
	case DW_TAG_atomic_type:
		return "";
	default:
		return NULL;
	}
}

static void add_base(struct pe_text *out, const char *name)
{
	for (size_t i = 0; i < sizeof(base_names) / sizeof(base_names[0]); i++)
		if (strcmp(name, base_names[i][0]) == 0)
			name = base_names[i][1];
	pe_text_add(out, name);
}

/* "void (*)(int)": the pointer, if there is one, is the last of the suffixes. */
static void add_function(struct pe_text *out, struct pe_names *names, Dwarf_Die *type,
			 const char *const *suffixes, size_t n, unsigned depth)
{
	pe_types_spell(out, names, type, depth + 1);
	pe_text_add(out, " (");
	while (n-- > 0)
		pe_text_add(out, suffixes[n]);
	pe_text_addc(out, ')');
	pe_declared_parameters(out, names, type, depth + 1);
}

static void add_named(struct pe_text *out, struct pe_names *names, Dwarf_Die *type, unsigned depth)
{
	const char *name = dwarf_diename(type);
	Dwarf_Attribute attribute;
	Dwarf_Die container;

	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
	case DW_TAG_unspecified_type:
		add_base(out, name != NULL ? name : "?");
		break;
	case DW_TAG_ptr_to_member_type:
		pe_types_spell(out, names, type, depth + 1);
		pe_text_addc(out, ' ');
		if (dwarf_attr_integrate(type, DW_AT_containing_type, &attribute) != NULL &&
		    dwarf_formref_die(&attribute, &container) != NULL)
			pe_declared_type(out, names, &container, depth + 1);
		pe_text_add(out, "::*");
		break;
	default:
		pe_declared_type(out, names, type, depth);
		break;
	}
}

void pe_types_spell(struct pe_text *out, struct pe_names *names, Dwarf_Die *die, unsigned depth)
{
	const char *suffixes[MOST_STEPS];
	Dwarf_Die at = *die, type;
	size_t n = 0;
	bool named = false;

	if (depth >= PE_MOST_SPELLED || out->len > PE_MOST_SPELLING) {
		pe_text_add(out, "...");
		return;
	}
	while (n < MOST_STEPS && type_of(&type, &at)) {
		at = type;
		suffixes[n] = suffix_of(dwarf_tag(&type));
		named = suffixes[n] == NULL;
		if (named)
			break;
		n++;
	}
	/* const and volatile of the parameter itself are not part of a signature */
	while (n > 0 && (suffixes[0][0] == ' ' || suffixes[0][0] == '\0'))
		memmove(suffixes, suffixes + 1, --n * sizeof(suffixes[0]));
	if (named && dwarf_tag(&type) == DW_TAG_subroutine_type) {
		add_function(out, names, &type, suffixes, n, depth);
		return;
	}
	if (named)
		add_named(out, names, &type, depth);
	else
		pe_text_add(out, "void");
	while (n-- > 0)
		pe_text_add(out, suffixes[n]);
}

bool pe_types_points_to_const(Dwarf_Die *die)
{
	Dwarf_Die at = *die;

	if (!type_of(&at, &at))
		return false;
	if (dwarf_tag(&at) == DW_TAG_const_type && !type_of(&at, &at))
		return false;
	return dwarf_tag(&at) == DW_TAG_pointer_type && type_of(&at, &at) &&
	       dwarf_tag(&at) == DW_TAG_const_type;
}
