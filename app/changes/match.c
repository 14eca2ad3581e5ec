/*
 * Matching functions to changed methods: by the lines of debug information, else by the name.
 */
#include "app/changes/match.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* The lines of a changed method on one side. */
struct range {
	const struct pe_method *method;
	size_t change;
};

const struct pe_method *pe_method_of(const struct pe_method_change *change, int side)
{
	return side == PE_BEFORE ? change->before : change->after;
}

/* --- Matching a function --- */

PE_SORT_BY(compare_ranges, struct range, method->component, method->first_line);

PE_SORT_BY(compare_named, struct pe_named_change, name, change);

/* The innermost changed method around a function's line. */
static size_t find_by_line(const struct range *ranges, size_t n,
			   const struct pe_code_function *function)
{
	size_t at = 0, found = PE_NO_CHANGE;
	uint32_t least = UINT32_MAX;

	pe_search(at, n, i, strcmp(ranges[i].method->component, function->file) < 0);
	for (; at < n && strcmp(ranges[at].method->component, function->file) == 0; at++) {
		const uint32_t first = ranges[at].method->first_line;
		const uint32_t last = ranges[at].method->last_line;

		if (first > function->line)
			break;
		if (last >= function->line && last - first <= least) {
			least = last - first;
			found = ranges[at].change;
		}
	}
	return found;
}

/* The first changed method of a name, or the one where it would stand. */
static size_t first_named(const struct pe_matching *matching, const char *name)
{
	size_t at = 0;

	pe_search(at, matching->named.n, i, strcmp(matching->named.data[i].name, name) < 0);
	return at;
}

/* Without debug information: by name, a local function's also by the name of its file. A unit of Rust is a part of a crate. */
static size_t find_by_name(const struct pe_matching *matching, int side,
			   const struct pe_code_function *function)
{
	const char *name = pe_source_name(function->name, matching->arena);
	const bool in_file = function->unit != NULL && !pe_source_is_rust(function->name);
	size_t low = first_named(matching, name);

	for (; low < matching->named.n; low++) {
		const struct pe_named_change *one = &matching->named.data[low];
		const struct pe_method *method;

		if (strcmp(one->name, name) != 0)
			break;
		method = pe_method_of(&matching->changes->at[one->change], side);
		if (method == NULL || strcmp(pe_unqualified(method->name), name) != 0)
			continue;
		if (!in_file || strcmp(pe_path_name(method->component), function->unit) == 0)
			return one->change;
	}
	return PE_NO_CHANGE;
}

void pe_matching_add(struct pe_matching *matching, int side, const struct pe_program *program)
{
	struct pe_matched *out = &matching->sides[side];
	pe_auto_free PE_VEC(struct range) ranges = {NULL, 0, 0};

	for (size_t i = 0; i < matching->changes->n; i++) {
		const struct pe_method *method = pe_method_of(&matching->changes->at[i], side);

		if (method != NULL)
			pe_vec_push(&ranges, (struct range){method, i});
	}
	pe_sort(ranges.data, ranges.n, compare_ranges);
	out->program = program;
	out->change = pe_arena_new(matching->arena, size_t, program->n);
	out->difference = pe_arena_new(matching->arena, const struct pe_code_change *, program->n);
	for (size_t i = 0; i < program->n; i++) {
		const struct pe_code_function *function = &program->functions[i];

		matching->debug = matching->debug || function->file != NULL;
		if (function->file != NULL && function->line > 0)
			out->change[i] = find_by_line(ranges.data, ranges.n, function);
		else
			out->change[i] = find_by_name(matching, side, function);
	}
}

void pe_matching_name(struct pe_matching *matching)
{
	for (size_t i = 0; i < matching->changes->n; i++)
		for (int side = PE_BEFORE; side <= PE_AFTER; side++) {
			const struct pe_method *method =
				pe_method_of(&matching->changes->at[i], side);

			if (method != NULL)
				pe_vec_push(
					&matching->named,
					(struct pe_named_change){pe_unqualified(method->name), i});
		}
	pe_sort(matching->named.data, matching->named.n, compare_named);
}

void pe_matching_mark(struct pe_matching *matching, const struct pe_code_changes *changes)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct pe_code_change *change = &changes->at[i];
		const struct pe_code_function *const functions[2] = {change->before, change->after};

		for (int side = PE_BEFORE; side <= PE_AFTER; side++) {
			const struct pe_matched *matched = &matching->sides[side];

			if (functions[side] != NULL)
				matched->difference[functions[side] - matched->program->functions] =
					change;
		}
	}
}

/*
 * Whether a name that was inlined into a function can mean this method. A static function of another source
 * file may have the same name; where the function's own file has one of that name, that one is meant.
 */
static bool can_mean(struct pe_matching *matching, const struct pe_method *method,
		     const struct pe_code_function *host)
{
	if (host->file == NULL || strcmp(host->file, method->component) == 0)
		return true;
	return pe_sources_named(matching->sources, host->file, pe_unqualified(method->name)) ==
	       NULL;
}

size_t pe_matching_inlined(struct pe_matching *matching, int side, const char *linkage,
			   const struct pe_code_function *host)
{
	const char *name = pe_source_name(linkage, matching->arena);
	size_t low = first_named(matching, name), found = PE_NO_CHANGE;

	for (; low < matching->named.n; low++) {
		const struct pe_named_change *one = &matching->named.data[low];
		const struct pe_method *method;

		if (strcmp(one->name, name) != 0)
			break;
		method = pe_method_of(&matching->changes->at[one->change], side);
		if (method == NULL || strcmp(pe_unqualified(method->name), name) != 0 ||
		    !can_mean(matching, method, host))
			continue;
		found = one->change;
		if (host->file != NULL && strcmp(host->file, method->component) == 0)
			break;
	}
	return found;
}

const char *pe_reason_text(enum pe_code_reason reason, const char *datum, struct pe_arena *arena)
{
	switch (reason) {
	case PE_CODE_DATA:
		return pe_arena_printf(arena, "data %s changed", pe_source_name(datum, arena));
	case PE_CODE_LINES:
		return "line numbers alone";
	case PE_CODE_REFERENCES:
		return "what it refers to, alone";
	default:
		return NULL;
	}
}
