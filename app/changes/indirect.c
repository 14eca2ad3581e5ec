/* Indirect: what was recompiled without a change of its own, and why. */
#include "app/changes/match.h"

#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

/* A row in the making; the lowest rank among the copies of a function tells its reason. */
struct candidate {
	struct pe_indirect row;
	int rank;
	bool outside; /* of the tree */
};

typedef PE_VEC(struct candidate) candidates;

/* Renamed or moved with the same body, a method is no reason for anything. */
static bool is_reason(const struct pe_method_change *change)
{
	return change->likeness < 1 ||
	       (change->kind != PE_METHOD_RENAMED && change->kind != PE_METHOD_MOVED);
}

/* A changed method among what is inlined. */
static const char *changed_inlined(struct pe_matching *matching,
				   const struct pe_code_function *const functions[2])
{
	for (int side = PE_AFTER; side >= PE_BEFORE; side--)
		for (size_t i = 0; i < functions[side]->n_inlined; i++) {
			const struct pe_code_function *host = functions[side];
			size_t change = pe_matching_inlined(matching, side, host->inlined[i], host);

			if (change != PE_NO_CHANGE && is_reason(&matching->changes->at[change]))
				return pe_arena_printf(
					matching->arena, "inlined %s changed",
					pe_method_of(&matching->changes->at[change], side)->name);
		}
	return NULL;
}

/* Find why a function of both sides was compiled otherwise, from the surest reason to the vaguest. */
static void explain(struct candidate *out, struct pe_matching *matching,
		    const struct pe_code_change *change)
{
	const struct pe_code_function *const functions[2] = {change->before, change->after};
	const char *own = pe_reason_text(change->reason, change->datum, matching->arena);
	const char *reasons[] = {
		changed_inlined(matching, functions),
		change->reason == PE_CODE_LINES ? own : NULL,
		change->reason == PE_CODE_DATA ? own : NULL,
		own,
		"flags, macro or header",
	};

	while (reasons[out->rank] == NULL)
		out->rank++;
	out->row.reason = reasons[out->rank];
}

static void locate(struct candidate *out, struct pe_matching *matching,
		   const struct pe_code_function *before, const struct pe_code_function *after)
{
	const struct pe_code_function *either = after != NULL ? after : before;
	const struct pe_method *method;

	/* A header of the system, a package: no commit changed it, and its name is no help to a reader. */
	out->outside = either->file != NULL && either->file[0] == '/';
	out->row.name = pe_source_name(either->name, matching->arena);
	if (*out->row.name == '\0')
		out->row.name = either->name;
	out->row.signature = "";
	out->row.component = either->file;
	out->row.before_line = before != NULL ? before->line : 0;
	out->row.after_line = after != NULL ? after->line : 0;
	if (after == NULL || after->file == NULL || after->line == 0)
		return;
	method = pe_sources_method(matching->sources, after->file, after->line);
	if (method == NULL)
		return;
	out->row.name = method->name;
	out->row.signature = method->signature;
	/* The source is the same on both sides, and so are the lines between its head and the name. */
	out->row.after_line = method->first_line;
	if (before != NULL && before->line > after->line - method->first_line)
		out->row.before_line = before->line - (after->line - method->first_line);
}

/* The function of a program that is the same in the source, in whole, as a part or a copy: the next one from *at on; or NULL. */
static const struct pe_code_function *next_kin(size_t *at, struct pe_matching *matching, int side,
					       const struct pe_code_function *function)
{
	const struct pe_program *program = matching->sides[side].program;
	const char *name = pe_source_name(function->name, matching->arena);

	while (*at < program->n) {
		const struct pe_code_function *one = &program->functions[(*at)++];

		if (one->file != NULL && strcmp(one->file, function->file) == 0 &&
		    strcmp(pe_source_name(one->name, matching->arena), name) == 0)
			return one;
	}
	return NULL;
}

/* Whether both programs have one of its forms: which was compared. */
static bool is_compared(struct pe_matching *matching, const struct pe_code_function *function)
{
	const struct pe_code_function *before, *after;
	size_t i = 0, k;

	while ((after = next_kin(&i, matching, PE_AFTER, function)) != NULL)
		for (k = 0; (before = next_kin(&k, matching, PE_BEFORE, function)) != NULL;)
			if (strcmp(before->name, after->name) == 0)
				return true;
	return false;
}

static size_t change_of(const struct pe_matching *matching, int side,
			const struct pe_code_function *function)
{
	const struct pe_matched *matched = &matching->sides[side];

	return function != NULL ? matched->change[function - matched->program->functions]
				: PE_NO_CHANGE;
}

/*
 * One that only one program has, where the source has it on both sides: it was inlined everywhere else; or the other program has
 * it in other forms alone, as when an argument is compiled into it.
 */
static bool explain_alone(struct candidate *out, struct pe_matching *matching,
			  const struct pe_code_change *change)
{
	int side = change->after != NULL ? PE_AFTER : PE_BEFORE;
	const struct pe_code_function *function = side == PE_AFTER ? change->after : change->before;
	const struct pe_code_function *kin;
	struct pe_code_change *both;
	size_t at = 0;

	if (function->file == NULL)
		return false;
	kin = next_kin(&at, matching, 1 - side, function);
	if (kin == NULL) {
		locate(out, matching, change->before, change->after);
		out->row.reason = side == PE_AFTER ? "compiled by itself now"
						   : "no longer compiled by itself";
		return true;
	}
	if (side == PE_BEFORE || is_compared(matching, function))
		return false;
	both = pe_arena_new(matching->arena, struct pe_code_change, 1);
	*both = (struct pe_code_change){
		.kind = PE_CODE_RECOMPILED, .before = kin, .after = function};
	locate(out, matching, kin, function);
	explain(out, matching, both);
	matching->sides[PE_AFTER]
		.difference[function - matching->sides[PE_AFTER].program->functions] = both;
	return true;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	const char *left = x->row.component, *right = y->row.component;
	int order = (left == NULL) - (right == NULL);

	if (order == 0 && left != NULL)
		order = strcmp(left, right);
	if (order == 0)
		order = (x->row.after_line > y->row.after_line) -
			(x->row.after_line < y->row.after_line);
	if (order == 0)
		order = strcmp(x->row.name, y->row.name);
	if (order == 0)
		order = strcmp(x->row.signature, y->row.signature);
	return order != 0 ? order : x->rank - y->rank;
}

static bool is_same_row(const struct pe_indirect *a, const struct pe_indirect *b)
{
	if (a->component == NULL || b->component == NULL)
		return a->component == b->component && strcmp(a->name, b->name) == 0;
	return strcmp(a->component, b->component) == 0 && a->after_line == b->after_line &&
	       strcmp(a->name, b->name) == 0 && strcmp(a->signature, b->signature) == 0;
}

void pe_indirect_list(struct pe_crossing *out, struct pe_matching *matching,
		      const struct pe_code_changes *changes)
{
	pe_auto_free candidates all = {NULL, 0, 0};

	for (size_t i = 0; i < changes->n; i++) {
		const struct pe_code_change *change = &changes->at[i];
		struct candidate one = {.rank = 0};

		if (change_of(matching, PE_BEFORE, change->before) != PE_NO_CHANGE ||
		    change_of(matching, PE_AFTER, change->after) != PE_NO_CHANGE)
			continue;
		if (change->kind == PE_CODE_RECOMPILED) {
			locate(&one, matching, change->before, change->after);
			explain(&one, matching, change);
		} else if (!explain_alone(&one, matching, change)) {
			continue;
		}
		pe_vec_push(&all, one);
	}
	pe_sort(all.data, all.n, compare_candidates);
	out->indirect = pe_arena_new(matching->arena, struct pe_indirect, all.n);
	for (size_t i = 0; i < all.n; i++) {
		if (i > 0 && is_same_row(&all.data[i].row, &all.data[i - 1].row))
			continue;
		if (all.data[i].outside)
			out->outside++;
		else
			out->indirect[out->n_indirect++] = all.data[i].row;
	}
}
