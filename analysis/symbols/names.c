/*
 * A function's name comes from its linkage name, which compilers write for all that other files can see. What
 * they leave out (gcc: static functions and all inside unnamed namespaces and functions) is put together from
 * the entries around its declaration, spelled as a demangler would.
 */
#include "analysis/symbols/names.h"

#include "analysis/symbols/paths.h"

#include <dwarf.h>
#include <string.h>

enum {
	MOST_HOPS = 16,        /* of origins and specifications; compilers need three */
	MOST_SCOPES = 64,      /* in one name */
	MOST_SPELLED = 6,      /* functions and types inside each other in one name */
	MOST_SPELLING = 16384, /* bytes, before the rest becomes "..." */
};

/* --- Types, as a demangler spells them --- */

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

/* Append the type of an entry (DW_AT_type): "char const*", "ns::table<int>&", "void (*)(int)". */
static void spell_type(struct pe_text *out, struct pe_names *names, Dwarf_Die *die, unsigned depth);

/* Append the qualified name of a type that has one. */
static void declared_type(struct pe_text *out, struct pe_names *names, Dwarf_Die *type,
			  unsigned depth);

/* Append the types of a function's parameters: "(int, char const*) const". */
static void declared_parameters(struct pe_text *out, struct pe_names *names, Dwarf_Die *declaration,
				unsigned depth);

/*
 * Append the name and signature of any function's entry. The depth counts functions and types that are spelled on the way;
 * beyond a few, "..." stands for them.
 */
static void spell_function(struct pe_text *name, struct pe_text *signature, struct pe_names *names,
			   Dwarf_Die *die, unsigned depth);

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
	spell_type(out, names, type, depth + 1);
	pe_text_add(out, " (");
	while (n-- > 0)
		pe_text_add(out, suffixes[n]);
	pe_text_addc(out, ')');
	declared_parameters(out, names, type, depth + 1);
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
		spell_type(out, names, type, depth + 1);
		pe_text_addc(out, ' ');
		if (dwarf_attr_integrate(type, DW_AT_containing_type, &attribute) != NULL &&
		    dwarf_formref_die(&attribute, &container) != NULL)
			declared_type(out, names, &container, depth + 1);
		pe_text_add(out, "::*");
		break;
	default:
		declared_type(out, names, type, depth);
		break;
	}
}

static void spell_type(struct pe_text *out, struct pe_names *names, Dwarf_Die *die, unsigned depth)
{
	const char *suffixes[MOST_STEPS];
	Dwarf_Die at = *die, type;
	size_t n = 0;
	bool named = false;

	if (depth >= MOST_SPELLED || out->len > MOST_SPELLING) {
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

/* Whether the type of an entry is a pointer to something const: `this` of a const method. */
static bool points_to_const(Dwarf_Die *die)
{
	Dwarf_Die at = *die;

	if (!type_of(&at, &at))
		return false;
	if (dwarf_tag(&at) == DW_TAG_const_type && !type_of(&at, &at))
		return false;
	return dwarf_tag(&at) == DW_TAG_pointer_type && type_of(&at, &at) &&
	       dwarf_tag(&at) == DW_TAG_const_type;
}

/* --- Declarations --- */

/* Follow an entry to what it is a copy of and, with specifications, to its declaration among what is around it. */
static Dwarf_Die origin_of(const Dwarf_Die *die, bool specifications)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attribute;

	for (int i = 0; i < MOST_HOPS; i++) {
		if ((dwarf_attr(&at, DW_AT_abstract_origin, &attribute) == NULL &&
		     (!specifications ||
		      dwarf_attr(&at, DW_AT_specification, &attribute) == NULL)) ||
		    dwarf_formref_die(&attribute, &next) == NULL)
			break;
		at = next;
	}
	return at;
}

static bool is_type(int tag)
{
	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type ||
	       tag == DW_TAG_interface_type;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
	       is_type(tag);
}

/* The entry around one that is part of names; false: the unit itself. */
static bool around(Dwarf_Die *out, const struct pe_names *names, const Dwarf_Die *die)
{
	const struct pe_scopes *scopes = names->scopes;
	size_t number = pe_scopes_entry(scopes, die->addr);

	while (number < scopes->n_entries && scopes->entries[number].around != NULL) {
		*out = (Dwarf_Die){.addr = scopes->entries[number].around, .cu = die->cu};
		if (is_scope(dwarf_tag(out)))
			return true;
		number = pe_scopes_entry(scopes, out->addr);
	}
	return false;
}

/* Whether a function is one of C that C++ calls: seen by other files, and named without its scopes. */
static bool declared_is_plain(struct pe_names *names, Dwarf_Die *declaration)
{
	Dwarf_Die outer;
	Dwarf_Attribute attribute;
	bool external;

	if (dwarf_attr_integrate(declaration, DW_AT_external, &attribute) == NULL ||
	    dwarf_formflag(&attribute, &external) != 0 || !external)
		return false;
	return !around(&outer, names, declaration) || dwarf_tag(&outer) == DW_TAG_namespace;
}

static bool is_artificial(Dwarf_Die *parameter)
{
	Dwarf_Attribute attribute;
	bool flag;

	return dwarf_attr_integrate(parameter, DW_AT_artificial, &attribute) != NULL &&
	       dwarf_formflag(&attribute, &flag) == 0 && flag;
}

/* Append "(int, char const*)"; true: of a const method. */
static bool spell_parameters(struct pe_text *out, struct pe_names *names, Dwarf_Die *declaration,
			     unsigned depth)
{
	Dwarf_Die child;
	bool first = true, is_const = false;
	int rc = dwarf_child(declaration, &child);

	pe_text_addc(out, '(');
	if (depth >= MOST_SPELLED) {
		pe_text_add(out, "...)");
		return false;
	}
	for (; rc == 0 && out->len < MOST_SPELLING; rc = dwarf_siblingof(&child, &child)) {
		const int tag = dwarf_tag(&child);

		if (tag == DW_TAG_formal_parameter && is_artificial(&child)) {
			is_const |= points_to_const(&child);
			continue;
		}
		if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
			continue;
		if (!first)
			pe_text_add(out, ", ");
		first = false;
		if (tag == DW_TAG_unspecified_parameters)
			pe_text_add(out, "...");
		else
			spell_type(out, names, &child, depth);
	}
	pe_text_addc(out, ')');
	return is_const;
}

/* Whether a type is a lambda's: unnamed, with an operator of its own. The types of its parameters are appended. */
static bool is_lambda(struct pe_text *parameters, struct pe_names *names, Dwarf_Die *type,
		      unsigned depth)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die child;
	int rc;

	if (name != NULL && strncmp(name, "<lambda", 7) != 0)
		return false;
	for (rc = dwarf_child(type, &child); rc == 0; rc = dwarf_siblingof(&child, &child)) {
		name = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
		if (name == NULL || strcmp(name, "operator()") != 0)
			continue;
		spell_parameters(parameters, names, &child, depth + 1);
		return true;
	}
	return false;
}

/*
 * The how manieth of its kind an unnamed type is within its function, from 1: a lambda among those with the
 * same parameters, as demanglers count them.
 */
static size_t ordinal_of(struct pe_names *names, Dwarf_Die *type, const struct pe_text *parameters,
			 unsigned depth)
{
	const struct pe_scopes *scopes = names->scopes;
	const size_t own = pe_scopes_entry(scopes, type->addr);
	pe_auto_text other = PE_TEXT_INIT;
	Dwarf_Die function, at, outer;
	size_t first, found = 1;

	if (own == scopes->n_entries || !around(&function, names, type))
		return 1;
	first = pe_scopes_entry(scopes, function.addr);
	for (size_t i = first + 1; first < own && i < own; i++) {
		at = (Dwarf_Die){.addr = scopes->entries[i].die, .cu = type->cu};
		if (!is_type(dwarf_tag(&at)) || !around(&outer, names, &at) ||
		    outer.addr != function.addr)
			continue;
		pe_text_clear(&other);
		if (is_lambda(&other, names, &at, depth)
			    ? strcmp(pe_text_str(&other), pe_text_str(parameters)) == 0
			    : parameters->len == 0 && dwarf_diename(&at) == NULL)
			found++;
	}
	return found;
}

static void add_type_name(struct pe_text *out, struct pe_names *names, Dwarf_Die *type,
			  unsigned depth)
{
	const char *name = dwarf_diename(type);
	pe_auto_text parameters = PE_TEXT_INIT;

	if (depth >= MOST_SPELLED)
		pe_text_add(out, "...");
	else if (is_lambda(&parameters, names, type, depth))
		pe_text_addf(out, "{lambda%s#%zu}", pe_text_str(&parameters),
			     ordinal_of(names, type, &parameters, depth));
	else if (name != NULL && name[0] != '\0')
		pe_text_add(out, name);
	else
		pe_text_addf(out, "{unnamed type#%zu}",
			     ordinal_of(names, type, &parameters, depth));
}

static void add_scope(struct pe_text *out, struct pe_names *names, Dwarf_Die *scope, unsigned depth)
{
	const int tag = dwarf_tag(scope);
	const char *name = dwarf_diename(scope);
	pe_auto_text signature = PE_TEXT_INIT;

	if (tag == DW_TAG_subprogram) {
		spell_function(out, &signature, names, scope, depth + 1);
		pe_text_add(out, pe_text_str(&signature));
	} else if (is_type(tag)) {
		add_type_name(out, names, scope, depth);
	} else {
		pe_text_add(out, name != NULL ? name : "(anonymous namespace)");
	}
	pe_text_add(out, "::");
}

/* Append the scopes around a declaration: "ns::(anonymous namespace)::table<int>::". */
static void declared_scopes(struct pe_text *out, struct pe_names *names, Dwarf_Die *declaration,
			    unsigned depth)
{
	Dwarf_Die scopes[MOST_SCOPES], at = *declaration;
	size_t n = 0;

	if (depth >= MOST_SPELLED) {
		pe_text_add(out, "...::");
		return;
	}
	while (n < MOST_SCOPES && around(&scopes[n], names, &at)) {
		if (is_type(dwarf_tag(&scopes[n])))
			scopes[n] = origin_of(&scopes[n], true);
		at = scopes[n++];
		if (dwarf_tag(&at) == DW_TAG_subprogram)
			break; /* its own scopes are spelled with it */
	}
	while (n-- > 0)
		add_scope(out, names, &scopes[n], depth);
}

static void declared_type(struct pe_text *out, struct pe_names *names, Dwarf_Die *type,
			  unsigned depth)
{
	Dwarf_Die declaration = origin_of(type, true);

	declared_scopes(out, names, &declaration, depth + 1);
	add_type_name(out, names, &declaration, depth);
}

static void declared_parameters(struct pe_text *out, struct pe_names *names, Dwarf_Die *declaration,
				unsigned depth)
{
	if (spell_parameters(out, names, declaration, depth))
		pe_text_add(out, " const");
}

/*
 * Find the entry of a function's declaration: itself, or, for functions that compilers add to classes and for the operators of
 * lambdas, the class or function around it.
 */
static bool declared_place(Dwarf_Die *out, struct pe_names *names, Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(&at, DW_AT_decl_file, &attribute) == NULL)
		at = origin_of(die, true);
	for (int i = 0; i < MOST_HOPS; i++) {
		if (dwarf_attr_integrate(&at, DW_AT_decl_file, &attribute) != NULL) {
			*out = at;
			return true;
		}
		if (!around(&at, names, &at))
			break;
	}
	return false;
}

/* --- Functions --- */

void *pe_names_subject(Dwarf_Die *die)
{
	return origin_of(die, false).addr;
}

const char *pe_names_linkage(Dwarf_Die *die)
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

static void spell_function(struct pe_text *name, struct pe_text *signature, struct pe_names *names,
			   Dwarf_Die *die, unsigned depth)
{
	const char *linkage = pe_names_linkage(die);
	const char *plain = dwarf_diename(die);
	Dwarf_Die declaration;

	if (linkage != NULL && linkage[0] != '\0') {
		pe_names_split(name, signature, linkage);
		return;
	}
	declaration = origin_of(die, true);
	if (is_cxx(&declaration) && !declared_is_plain(names, &declaration)) {
		declared_scopes(name, names, &declaration, depth);
		declared_parameters(signature, names, &declaration, depth);
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

	if (declared_place(&place, names, die)) {
		file = pe_paths_component(names, &place);
		if (dwarf_decl_line(&place, &line) != 0 || line < 0)
			line = 0;
	} else {
		file = pe_paths_unit(names, die->cu);
	}
	spell_function(&name, &signature, names, die, 0);
	*out = (struct pe_frame){
		.name = pe_arena_strndup(names->arena, pe_text_str(&name), name.len),
		.signature = pe_arena_strndup(names->arena, pe_text_str(&signature), signature.len),
		.component = file != NULL ? file : module,
		.module = module,
		.line = (uint32_t)line,
		.kind = PE_FRAME_METHOD,
	};
}
