/*
 * Scopes: functions and calls that were inlined into them, as the debug information nests them, and a sorted
 * table that leads from any address to the innermost one.
 */
#pragma once

#include "analysis/symbols/file.h"

#define PE_SCOPE_NONE UINT32_MAX

/** A function, a call that was inlined, or, around both, a unit. */
struct pe_scope {
	void *die;       /**< its entry, as libdw holds it, */
	Dwarf_CU *unit;  /**< and the unit that it is in */
	uint32_t parent; /**< what it was inlined into; PE_SCOPE_NONE for a function or unit */
	void *subject;   /**< the caller's, NULL at first */
	/** a unit: code that it has lines for, and no function (assembler, -gline-tables-only) */
	bool is_unit;
};

/** An entry in which functions may be: a namespace, a type, a function, a block. */
struct pe_scope_entry {
	void *die;
	void *around; /**< the entry that it is in; NULL at the top of its unit */
};

struct pe_scopes {
	struct pe_scope_entry
		*entries; /**< of all units, by address: in a unit as they stand there */
	size_t n_entries;
	struct pe_scope *at; /**< callers before what was inlined into them */
	uint32_t n;
	/** the innermost scope from start to the next one's start; PE_SCOPE_NONE: no function */
	struct pe_segment {
		uint64_t start;
		uint32_t scope;
	} * segments;
	size_t n_segments;
};

/** Walk all units of a file once. Owned by the caller. Damage costs entries, and is no failure. */
void pe_scopes_read(struct pe_scopes *out, const struct pe_symbols_file *file);

/** Release the scopes' memory. Scopes that are zero are allowed. */
void pe_scopes_release(struct pe_scopes *scopes);

/** The innermost scope of an address; PE_SCOPE_NONE. */
uint32_t pe_scopes_find(const struct pe_scopes *scopes, uint64_t address);

/** The number of an entry; n_entries: it is none that names need. */
size_t pe_scopes_entry(const struct pe_scopes *scopes, const void *die);

/** A scope's entry. */
static inline Dwarf_Die pe_scope_die(const struct pe_scope *scope)
{
	return (Dwarf_Die){.addr = scope->die, .cu = scope->unit};
}
