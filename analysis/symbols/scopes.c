/*
 * One walk over the entries of all units collects the address ranges of functions and of what was inlined
 * into them; one sweep over the sorted ranges cuts them into segments that do not overlap.
 */
#include "analysis/symbols/scopes.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_DEPTH = 256,   /* of entries inside each other; compilers stay below 60 */
	MOST_OVERLAP = 256, /* of functions at one address; linkers fold equal code into one */
	MOST_RANGES = 65536 /* of one entry */
};

struct range {
	uint64_t start, end;
	uint32_t scope;
	uint32_t depth; /* 0: a unit; 1: a function; more: calls that were inlined around it */
};

struct level {
	Dwarf_Die die; /* the entry at hand */
	void *around;
	uint32_t scope, depth;
};

struct walk {
	const struct pe_symbols_file *file;
	PE_VEC(struct pe_scope_entry) entries;
	PE_VEC(struct pe_scope) scopes;
	PE_VEC(struct range) ranges;
	struct level levels[MOST_DEPTH];
	size_t n_levels;
};

/* What code, or the class of a method with code, can be found in. */
static bool holds_code(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* Rust's have methods */
	case DW_TAG_variant_part:
	case DW_TAG_variant:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_entry_point:
		return true;
	default:
		return false;
	}
}

/* Add the ranges of an entry that contain code; none: it is a declaration, or the linker dropped it. */
static bool add_ranges(struct walk *walk, Dwarf_Die *die, uint32_t scope, uint32_t depth)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	bool any = false;

	for (size_t i = 0; i < MOST_RANGES; i++) {
		at = dwarf_ranges(die, at, &base, &start, &end);
		if (at <= 0)
			break;
		if (start >= end || !pe_symbols_file_is_code(walk->file, start) ||
		    !pe_symbols_file_is_code(walk->file, end - 1))
			continue;
		pe_vec_push(&walk->ranges, (struct range){start, end, scope, depth});
		any = true;
	}
	return any;
}

/* What stands for the entries below: the scope around it, or this one when it is a function with code. */
static void visit(struct walk *walk, struct level *below, const struct level *at, int tag)
{
	Dwarf_Die die = at->die;
	const bool inlined = tag == DW_TAG_inlined_subroutine;
	const uint32_t number = (uint32_t)walk->scopes.n;
	bool any;

	below->scope = at->scope;
	below->depth = at->depth;
	if ((!inlined && tag != DW_TAG_subprogram) || number == PE_SCOPE_NONE - 1)
		return;
	if (inlined && at->scope == PE_SCOPE_NONE)
		return; /* in an abstract instance: no code of its own */
	if (!inlined)
		below->scope = PE_SCOPE_NONE;
	any = add_ranges(walk, &die, number, inlined ? at->depth + 1 : 1);
	if (!any && !inlined)
		return;
	pe_vec_push(&walk->scopes,
		    (struct pe_scope){.die = die.addr,
				      .unit = die.cu,
				      .parent = inlined ? at->scope : PE_SCOPE_NONE});
	if (!any)
		return; /* inlined, and nothing of it is left */
	below->scope = number;
	below->depth = inlined ? at->depth + 1 : 1;
}

/* Go on behind the entry at hand, up through the levels where it was the last one. Damage ends the unit. */
static void advance(struct walk *walk)
{
	int rc = 1;

	while (walk->n_levels > 0 && rc > 0) {
		struct level *level = &walk->levels[walk->n_levels - 1];

		rc = dwarf_siblingof(&level->die, &level->die);
		if (rc != 0)
			walk->n_levels = rc > 0 ? walk->n_levels - 1 : 0;
	}
}

/* The outline is what the program itself holds of a unit: the same entry, or that of a split unit's skeleton. */
static void walk_unit(struct walk *walk, Dwarf_Die *outline, Dwarf_Die *unit)
{
	if (walk->scopes.n < PE_SCOPE_NONE - 1 &&
	    add_ranges(walk, outline, (uint32_t)walk->scopes.n, 0))
		pe_vec_push(&walk->scopes, (struct pe_scope){.die = unit->addr,
							     .unit = unit->cu,
							     .parent = PE_SCOPE_NONE,
							     .is_unit = true});
	walk->n_levels = 0;
	if (dwarf_child(unit, &walk->levels[0].die) != 0)
		return;
	walk->levels[0].around = NULL;
	walk->levels[0].scope = PE_SCOPE_NONE;
	walk->levels[0].depth = 0;
	walk->n_levels = 1;
	while (walk->n_levels > 0) {
		const struct level *at = &walk->levels[walk->n_levels - 1];
		Dwarf_Die die = at->die;
		const int tag = dwarf_tag(&die);
		struct level below;

		if (holds_code(tag) && walk->n_levels < MOST_DEPTH) {
			pe_vec_push(&walk->entries, (struct pe_scope_entry){die.addr, at->around});
			below.around = die.addr;
			visit(walk, &below, at, tag);
			if (dwarf_child(&die, &below.die) == 0) {
				walk->levels[walk->n_levels++] = below;
				continue;
			}
		}
		advance(walk);
	}
}

/* Outer ranges first: by start, then what is less deep, then what is longer; the first of equals. */
static int by_place(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->scope < b->scope ? -1 : a->scope > b->scope;
}

typedef PE_VEC(struct pe_segment) segment_list;

struct sweep {
	segment_list segments;
	struct range open[MOST_OVERLAP]; /* innermost last; none ends before one that is after it */
	size_t n_open;
};

static void put_segment(struct sweep *sweep, uint64_t start, uint32_t scope)
{
	segment_list *list = &sweep->segments;

	if (list->n > 0 && list->data[list->n - 1].start == start)
		list->n--;
	if (list->n > 0 && list->data[list->n - 1].scope == scope)
		return;
	pe_vec_push(list, (struct pe_segment){start, scope});
}

/* End what ends at or before an address. */
static void close_until(struct sweep *sweep, uint64_t address)
{
	while (sweep->n_open > 0 && sweep->open[sweep->n_open - 1].end <= address) {
		const uint64_t end = sweep->open[--sweep->n_open].end;

		while (sweep->n_open > 0 && sweep->open[sweep->n_open - 1].end <= end)
			sweep->n_open--;
		put_segment(sweep, end,
			    sweep->n_open > 0 ? sweep->open[sweep->n_open - 1].scope
					      : PE_SCOPE_NONE);
	}
}

/*
 * Properly nested ranges go on top. Of two functions that overlap (one folded into the other by the linker,
 * or damage) the first keeps what it has; an inlined call never reaches past what is around it.
 */
static void open_range(struct sweep *sweep, struct range range)
{
	size_t place = sweep->n_open;

	if (place == MOST_OVERLAP)
		return;
	while (place > 0 && range.depth <= sweep->open[place - 1].depth &&
	       sweep->open[place - 1].end < range.end)
		place--;
	if (place > 0 && range.end > sweep->open[place - 1].end)
		range.end = sweep->open[place - 1].end;
	if (place == sweep->n_open && place > 0 && range.depth <= sweep->open[place - 1].depth)
		return;
	memmove(&sweep->open[place + 1], &sweep->open[place],
		(sweep->n_open - place) * sizeof(sweep->open[0]));
	sweep->open[place] = range;
	if (place == sweep->n_open++)
		put_segment(sweep, range.start, range.scope);
}

static void sweep_ranges(struct pe_scopes *out, struct range *ranges, size_t n)
{
	struct sweep sweep = {0};

	pe_sort(ranges, n, by_place);
	for (size_t i = 0; i < n; i++) {
		close_until(&sweep, ranges[i].start);
		open_range(&sweep, ranges[i]);
	}
	close_until(&sweep, UINT64_MAX);
	out->segments = sweep.segments.data;
	out->n_segments = sweep.segments.n;
}

static int by_address(const void *left, const void *right)
{
	const struct pe_scope_entry *a = left, *b = right;

	return ((uintptr_t)a->die > (uintptr_t)b->die) - ((uintptr_t)a->die < (uintptr_t)b->die);
}

void pe_scopes_read(struct pe_scopes *out, const struct pe_symbols_file *file)
{
	struct walk walk = {.file = file};
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;

	*out = (struct pe_scopes){0};
	while (file->dwarf != NULL &&
	       dwarf_get_units(file->dwarf, unit, &unit, NULL, NULL, &die, &split) == 0)
		walk_unit(&walk, &die, split.addr != NULL ? &split : &die);
	pe_sort(walk.entries.data, walk.entries.n, by_address);
	out->entries = walk.entries.data;
	out->n_entries = walk.entries.n;
	sweep_ranges(out, walk.ranges.data, walk.ranges.n);
	pe_vec_release(&walk.ranges);
	out->at = walk.scopes.data;
	out->n = (uint32_t)walk.scopes.n;
}

void pe_scopes_release(struct pe_scopes *scopes)
{
	free(scopes->entries);
	free(scopes->at);
	free(scopes->segments);
	*scopes = (struct pe_scopes){0};
}

uint32_t pe_scopes_find(const struct pe_scopes *scopes, uint64_t address)
{
	size_t at = 0;

	pe_search(at, scopes->n_segments, i, scopes->segments[i].start <= address);
	return at > 0 ? scopes->segments[at - 1].scope : PE_SCOPE_NONE;
}

size_t pe_scopes_entry(const struct pe_scopes *scopes, const void *die)
{
	size_t at = 0;

	pe_search(at, scopes->n_entries, i, (uintptr_t)scopes->entries[i].die < (uintptr_t)die);
	return at < scopes->n_entries && scopes->entries[at].die == die ? at : scopes->n_entries;
}
