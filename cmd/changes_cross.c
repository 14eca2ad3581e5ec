/*
 * The crossing. Inner structs: matched (a program with the changed method that each function belongs to), fate
 * (what was seen of one changed method), ranges and names (the changed methods arranged for look-ups).
 */
#include "cmd/changes_cross.h"

#include "cmd/changes_reason.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

#define NO_CHANGE SIZE_MAX

enum { BEFORE, AFTER };

/* What the comparison says of a function. */
enum state { SAME, RECOMPILED, ALONE /* the other program has none */ };

struct matched {
	const struct pe_program *program;
	size_t *change;    /* by function: the changed method it belongs to, or NO_CHANGE */
	enum state *state; /* by function */
	enum pe_code_reason *reason; /* by function, of recompiled ones */
};

/* The lines of a changed method on one side. */
struct range {
	const char *component;
	uint32_t first, last;
	size_t change;
};

/* An unqualified name of a changed method. */
struct named {
	const char *name;
	size_t change;
};

/* What was seen of a changed method. */
struct fate {
	bool in[2];                 /* it has a function */
	bool differs;               /* one of them was recompiled, or is alone */
	enum pe_code_reason reason; /* the strongest: instructions before references before lines */
	bool inlined[2];
	const char *host; /* that took it in; a recompiled one, if there is any */
	size_t n_hosts;   /* of the kind of `host` */
	bool host_differs;
};

struct crossing {
	struct pe_cmd_ctx *ctx;
	struct pe_arena *arena;
	const struct pe_method_changes *changes;
	struct pe_sources *sources;
	struct matched sides[2];
	struct fate *fates;          /* by change */
	PE_VEC(struct named) named;  /* by name, then change */
	struct pe_strings all_names; /* the same names, for a look through a text */
	bool debug;                  /* either program has debug information */
};

const char *pe_effect_name(enum pe_effect effect)
{
	static const char *const names[] = {
		[PE_EFFECT_ABSENT] = "not in the program",
		[PE_EFFECT_RECOMPILED] = "recompiled",
		[PE_EFFECT_NONE] = "no effect",
		[PE_EFFECT_ADDED] = "added",
		[PE_EFFECT_DELETED] = "deleted",
		[PE_EFFECT_INDIRECT] = "indirect",
	};

	return names[effect];
}

static const struct pe_method *method_of(const struct pe_method_change *change, int side)
{
	return side == BEFORE ? change->before : change->after;
}

/* --- Which function belongs to which changed method --- */

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	int order = strcmp(x->component, y->component);

	return order != 0 ? order : (x->first > y->first) - (x->first < y->first);
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->change > y->change) - (x->change < y->change);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The innermost changed method around a function's line. */
static size_t find_by_line(const struct range *ranges, size_t n,
			   const struct pe_code_function *function)
{
	size_t low = 0, high = n, found = NO_CHANGE;
	uint32_t least = UINT32_MAX;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(ranges[middle].component, function->file) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && strcmp(ranges[low].component, function->file) == 0; low++) {
		const struct range *one = &ranges[low];

		if (one->first > function->line)
			break;
		if (one->last >= function->line && one->last - one->first <= least) {
			least = one->last - one->first;
			found = one->change;
		}
	}
	return found;
}

/* The first changed method of a name, or the one where it would stand. */
static size_t first_named(const struct crossing *crossing, const char *name)
{
	size_t low = 0, high = crossing->named.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(crossing->named.data[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Without debug information: by name, a local function's also by the name of its file. */
static size_t find_by_name(const struct crossing *crossing, int side,
			   const struct pe_code_function *function)
{
	const char *name = pe_source_name(function->name, crossing->arena);
	size_t low = first_named(crossing, name);

	for (; low < crossing->named.n; low++) {
		const struct named *one = &crossing->named.data[low];
		const struct pe_method *method;

		if (strcmp(one->name, name) != 0)
			break;
		method = method_of(&crossing->changes->at[one->change], side);
		if (method == NULL || strcmp(pe_unqualified(method->name), name) != 0)
			continue;
		if (function->unit == NULL ||
		    strcmp(base_of(method->component), function->unit) == 0)
			return one->change;
	}
	return NO_CHANGE;
}

static void match(struct crossing *crossing, int side, const struct pe_program *program)
{
	struct matched *out = &crossing->sides[side];
	PE_VEC(struct range) ranges = {NULL, 0, 0};

	for (size_t i = 0; i < crossing->changes->n; i++) {
		const struct pe_method *method = method_of(&crossing->changes->at[i], side);
		struct range range = {.change = i};

		if (method == NULL)
			continue;
		range.component = method->component;
		range.first = method->first_line;
		range.last = method->last_line;
		pe_vec_push(&ranges, range);
	}
	if (ranges.n > 0)
		qsort(ranges.data, ranges.n, sizeof(*ranges.data), compare_ranges);
	out->program = program;
	out->change = pe_arena_new(crossing->arena, size_t, program->n);
	out->state = pe_arena_new(crossing->arena, enum state, program->n);
	out->reason = pe_arena_new(crossing->arena, enum pe_code_reason, program->n);
	for (size_t i = 0; i < program->n; i++) {
		const struct pe_code_function *function = &program->functions[i];

		crossing->debug = crossing->debug || function->file != NULL;
		if (function->file != NULL && function->line > 0)
			out->change[i] = find_by_line(ranges.data, ranges.n, function);
		else
			out->change[i] = find_by_name(crossing, side, function);
	}
	pe_vec_release(&ranges);
}

static void name_changes(struct crossing *crossing)
{
	const char **names;

	for (size_t i = 0; i < crossing->changes->n; i++)
		for (int side = BEFORE; side <= AFTER; side++) {
			const struct pe_method *method = method_of(&crossing->changes->at[i], side);
			struct named one = {NULL, i};

			if (method == NULL)
				continue;
			one.name = pe_unqualified(method->name);
			pe_vec_push(&crossing->named, one);
		}
	if (crossing->named.n > 0)
		qsort(crossing->named.data, crossing->named.n, sizeof(*crossing->named.data),
		      compare_named);
	names = pe_arena_new(crossing->arena, const char *, crossing->named.n);
	for (size_t i = 0; i < crossing->named.n; i++)
		names[i] = crossing->named.data[i].name;
	crossing->all_names = (struct pe_strings){names, crossing->named.n};
}

static void mark(struct crossing *crossing, const struct pe_code_changes *changes)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct pe_code_change *change = &changes->at[i];
		const struct pe_code_function *const functions[2] = {change->before, change->after};

		for (int side = BEFORE; side <= AFTER; side++) {
			struct matched *matched = &crossing->sides[side];
			size_t f;

			if (functions[side] == NULL)
				continue;
			f = (size_t)(functions[side] - matched->program->functions);
			matched->state[f] = change->kind == PE_CODE_RECOMPILED ? RECOMPILED : ALONE;
			matched->reason[f] = change->reason;
		}
	}
}

/* --- What became of the changed methods --- */

/*
 * Whether a name that was inlined into a function can mean this method. A static function of another source
 * file may have the same name; where the function's own file has one of that name, that one is meant.
 */
static bool can_mean(struct crossing *crossing, const struct pe_method *method,
		     const struct pe_code_function *host)
{
	if (host->file == NULL || strcmp(host->file, method->component) == 0)
		return true;
	return pe_sources_named(crossing->sources, host->file, pe_unqualified(method->name)) ==
	       NULL;
}

/* The changed method that an inlined name means; NO_CHANGE: none. */
static size_t find_inlined(struct crossing *crossing, int side, const char *linkage,
			   const struct pe_code_function *host)
{
	const char *name = pe_source_name(linkage, crossing->arena);
	size_t low = first_named(crossing, name), found = NO_CHANGE;

	for (; low < crossing->named.n; low++) {
		const struct named *one = &crossing->named.data[low];
		const struct pe_method *method;

		if (strcmp(one->name, name) != 0)
			break;
		method = method_of(&crossing->changes->at[one->change], side);
		if (method == NULL || strcmp(pe_unqualified(method->name), name) != 0 ||
		    !can_mean(crossing, method, host))
			continue;
		found = one->change;
		if (host->file != NULL && strcmp(host->file, method->component) == 0)
			break;
	}
	return found;
}

static void see_host(struct fate *fate, int side, const char *host, bool differs)
{
	fate->inlined[side] = true;
	if (differs && !fate->host_differs) {
		fate->host_differs = true;
		fate->n_hosts = 0;
	}
	if (differs != fate->host_differs)
		return;
	/* The copies of a host stand together; both sides have it, the newer is seen last. */
	if (fate->n_hosts == 0)
		fate->host = host;
	fate->n_hosts++;
}

static void see_functions(struct crossing *crossing, int side)
{
	const struct matched *matched = &crossing->sides[side];

	for (size_t f = 0; f < matched->program->n; f++) {
		const struct pe_code_function *function = &matched->program->functions[f];
		bool differs = matched->state[f] != SAME;

		if (matched->change[f] != NO_CHANGE) {
			struct fate *fate = &crossing->fates[matched->change[f]];

			fate->in[side] = true;
			if (differs && (!fate->differs || matched->reason[f] < fate->reason))
				fate->reason = matched->reason[f];
			fate->differs = fate->differs || differs;
		}
		for (size_t i = 0; i < function->n_inlined; i++) {
			size_t change =
				find_inlined(crossing, side, function->inlined[i], function);

			if (change != NO_CHANGE)
				see_host(&crossing->fates[change], side,
					 pe_source_name(function->name, crossing->arena), differs);
		}
	}
}

/* Whether a renamed or moved method has a function on either side whose code is the same. */
static bool has_same_code(const struct crossing *crossing, size_t change)
{
	const struct matched *before = &crossing->sides[BEFORE], *after = &crossing->sides[AFTER];

	for (size_t a = 0; a < after->program->n; a++) {
		const struct pe_hash *hash = &after->program->functions[a].hash;

		if (after->change[a] != change)
			continue;
		for (size_t b = 0; b < before->program->n; b++)
			if (before->change[b] == change &&
			    before->program->functions[b].hash.high == hash->high &&
			    before->program->functions[b].hash.low == hash->low)
				return true;
	}
	return false;
}

static const char *host_text(const struct crossing *crossing, const struct fate *fate)
{
	return pe_arena_printf(crossing->arena, "inlined into %s", fate->host);
}

static const char *reason_text(enum pe_code_reason reason)
{
	switch (reason) {
	case PE_CODE_LINES:
		return "line numbers alone";
	case PE_CODE_REFERENCES:
		return "what it refers to, alone";
	default:
		return NULL;
	}
}

static struct pe_method_effect judge(const struct crossing *crossing, size_t i)
{
	const struct pe_method_change *change = &crossing->changes->at[i];
	const struct fate *fate = &crossing->fates[i];
	bool own = fate->in[BEFORE] || fate->in[AFTER];
	bool before = fate->in[BEFORE] || fate->inlined[BEFORE];
	bool after = fate->in[AFTER] || fate->inlined[AFTER];
	bool differs = own ? fate->differs : fate->host_differs;
	struct pe_method_effect effect = {PE_EFFECT_ABSENT, NULL};

	if (!before && !after) {
		/* What was inlined leaves no other trace. */
		if (!crossing->debug)
			effect.reason = "or inlined: there is no debug information";
		return effect;
	}
	if (!own)
		effect.reason = host_text(crossing, fate);
	if (change->before == NULL || change->after == NULL) {
		effect.effect = change->before == NULL ? PE_EFFECT_ADDED : PE_EFFECT_DELETED;
		return effect;
	}
	if (differs && change->before != NULL && change->kind != PE_METHOD_MODIFIED &&
	    has_same_code(crossing, i))
		differs = false;
	effect.effect = differs ? PE_EFFECT_RECOMPILED : PE_EFFECT_NONE;
	if (own && differs && fate->in[BEFORE] && fate->in[AFTER])
		effect.reason = reason_text(fate->reason);
	else if (own && fate->in[AFTER] != fate->in[BEFORE])
		effect.reason =
			fate->in[AFTER] ? "compiled by itself now" : "no longer compiled by itself";
	return effect;
}

static void judge_all(struct pe_crossing *out, struct crossing *crossing)
{
	size_t n = crossing->changes->n;

	out->methods = pe_arena_new(crossing->arena, struct pe_method_effect, n);
	for (size_t i = 0; i < n; i++) {
		out->methods[i] = judge(crossing, i);
		if (crossing->changes->at[i].kind != PE_METHOD_MODIFIED)
			continue;
		out->modified += out->methods[i].effect == PE_EFFECT_RECOMPILED;
		out->no_effect += out->methods[i].effect == PE_EFFECT_NONE;
	}
}

/* --- Recompiled without a change of its own --- */

/* A row in the making; the lowest rank among the copies of a function tells its reason. */
struct candidate {
	struct pe_indirect row;
	int rank;
};

typedef PE_VEC(struct candidate) candidates;

static bool is_among(const char *name, const struct pe_code_function *function)
{
	for (size_t i = 0; i < function->n_inlined; i++)
		if (strcmp(function->inlined[i], name) == 0)
			return true;
	return false;
}

/* Renamed or moved with the same body, a method is no reason for anything. */
static bool is_reason(const struct pe_method_change *change)
{
	return change->likeness < 1 ||
	       (change->kind != PE_METHOD_RENAMED && change->kind != PE_METHOD_MOVED);
}

/* A changed method among what is inlined. */
static const char *changed_inlined(struct crossing *crossing,
				   const struct pe_code_function *const functions[2])
{
	for (int side = AFTER; side >= BEFORE; side--)
		for (size_t i = 0; i < functions[side]->n_inlined; i++) {
			const struct pe_code_function *host = functions[side];
			size_t change = find_inlined(crossing, side, host->inlined[i], host);

			if (change != NO_CHANGE && is_reason(&crossing->changes->at[change]))
				return pe_arena_printf(
					crossing->arena, "inlined %s changed",
					method_of(&crossing->changes->at[change], side)->name);
		}
	return NULL;
}

static const char *macro_of_inlined(struct crossing *crossing,
				    const struct pe_code_function *function)
{
	for (size_t i = 0; function->file != NULL && i < function->n_inlined; i++) {
		const struct pe_method *method =
			pe_sources_named(crossing->sources, function->file,
					 pe_source_name(function->inlined[i], crossing->arena));
		const char *macro =
			method != NULL ? pe_sources_macro(crossing->sources, method) : NULL;

		if (macro != NULL)
			return pe_arena_printf(crossing->arena, "%s, in inlined %s", macro,
					       method->name);
	}
	return NULL;
}

static const char *other_inlining(struct crossing *crossing,
				  const struct pe_code_function *const functions[2])
{
	for (int side = AFTER; side >= BEFORE; side--)
		for (size_t i = 0; i < functions[side]->n_inlined; i++) {
			const char *name = functions[side]->inlined[i];
			const char *source = pe_source_name(name, crossing->arena);

			if (*source != '\0' && !is_among(name, functions[1 - side]))
				return pe_arena_printf(
					crossing->arena, "%s %s",
					side == AFTER ? "takes in" : "no longer takes in", source);
		}
	return NULL;
}

/* What the sources around a function say of it: declarations, and what it calls. */
static const char *from_surroundings(struct crossing *crossing, const struct pe_method *method,
				     const struct pe_code_function *function)
{
	const char *reason = NULL, *called;

	if (function->file != NULL)
		reason = pe_sources_declarations(crossing->sources, function->file);
	if (reason != NULL || method == NULL)
		return reason;
	called = pe_sources_mentioned(crossing->sources, method, &crossing->all_names);
	return called != NULL ? pe_arena_printf(crossing->arena, "uses %s, which changed", called)
			      : NULL;
}

/* Where nothing in the function itself tells: its surroundings, or other flags, of which nobody can say which. */
static const char *vaguely(struct crossing *crossing, const struct pe_method *method,
			   const struct pe_code_change *change)
{
	const char *reason = from_surroundings(crossing, method, change->after);
	const char *build = pe_sources_build(crossing->sources);

	if (reason == NULL)
		reason = reason_text(change->reason);
	if (build == NULL)
		return reason != NULL ? reason : "flags, macro or header";
	if (reason == NULL)
		return pe_arena_printf(crossing->arena, "%s changed", build);
	return pe_arena_printf(crossing->arena, "%s; %s changed", reason, build);
}

/* From the surest to the vaguest. */
static void explain(struct candidate *out, struct crossing *crossing,
		    const struct pe_code_change *change, const struct pe_method *method)
{
	const struct pe_code_function *const functions[2] = {change->before, change->after};
	const char *reason = changed_inlined(crossing, functions);
	int rank = 0;

	if (reason == NULL && ++rank > 0 && change->reason == PE_CODE_LINES)
		reason = reason_text(change->reason);
	if (reason == NULL && ++rank > 0 && method != NULL)
		reason = pe_sources_macro(crossing->sources, method);
	if (reason == NULL && ++rank > 0)
		reason = macro_of_inlined(crossing, change->after);
	if (reason == NULL && ++rank > 0)
		reason = other_inlining(crossing, functions);
	if (reason == NULL && ++rank > 0)
		reason = vaguely(crossing, method, change);
	out->row.reason = reason;
	out->rank = rank;
}

static void locate(struct candidate *out, struct crossing *crossing,
		   const struct pe_code_function *before, const struct pe_code_function *after,
		   const struct pe_method **method)
{
	const struct pe_code_function *either = after != NULL ? after : before;

	out->row.name = pe_source_name(either->name, crossing->arena);
	if (*out->row.name == '\0')
		out->row.name = either->name;
	out->row.signature = "";
	out->row.component = either->file;
	out->row.before_line = before != NULL ? before->line : 0;
	out->row.after_line = after != NULL ? after->line : 0;
	*method = NULL;
	if (after == NULL || after->file == NULL || after->line == 0)
		return;
	*method = pe_sources_method(crossing->sources, after->file, after->line);
	if (*method == NULL)
		return;
	out->row.name = (*method)->name;
	out->row.signature = (*method)->signature;
	/* The source is the same on both sides: what lies between its head and the name is, too. */
	out->row.after_line = (*method)->first_line;
	if (before != NULL && before->line > after->line - (*method)->first_line)
		out->row.before_line = before->line - (after->line - (*method)->first_line);
}

/* Whether a program has a function that is the same in the source: a part or a copy. */
static bool has_kin(struct crossing *crossing, int side, const struct pe_code_function *function)
{
	const struct pe_program *program = crossing->sides[side].program;
	const char *name = pe_source_name(function->name, crossing->arena);

	for (size_t i = 0; i < program->n; i++) {
		const struct pe_code_function *one = &program->functions[i];

		if (one->file != NULL && strcmp(one->file, function->file) == 0 &&
		    strcmp(pe_source_name(one->name, crossing->arena), name) == 0)
			return true;
	}
	return false;
}

static size_t change_of(const struct crossing *crossing, int side,
			const struct pe_code_function *function)
{
	const struct matched *matched = &crossing->sides[side];

	return function != NULL ? matched->change[function - matched->program->functions]
				: NO_CHANGE;
}

/* One that only one program has, where the source has it on both sides: it was inlined everywhere else. */
static bool explain_alone(struct candidate *out, struct crossing *crossing,
			  const struct pe_code_change *change)
{
	const struct pe_method *method;
	int side = change->after != NULL ? AFTER : BEFORE;
	const struct pe_code_function *function = side == AFTER ? change->after : change->before;

	if (function->file == NULL || has_kin(crossing, 1 - side, function))
		return false;
	locate(out, crossing, change->before, change->after, &method);
	out->row.reason = side == AFTER ? "compiled by itself now" : "no longer compiled by itself";
	out->rank = 0;
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

static void list_indirect(struct pe_crossing *out, struct crossing *crossing,
			  const struct pe_code_changes *changes)
{
	candidates all = {NULL, 0, 0};

	for (size_t i = 0; i < changes->n; i++) {
		const struct pe_code_change *change = &changes->at[i];
		const struct pe_method *method;
		struct candidate one = {.rank = 0};

		if (change_of(crossing, BEFORE, change->before) != NO_CHANGE ||
		    change_of(crossing, AFTER, change->after) != NO_CHANGE)
			continue;
		if (change->kind == PE_CODE_RECOMPILED) {
			locate(&one, crossing, change->before, change->after, &method);
			explain(&one, crossing, change, method);
		} else if (!explain_alone(&one, crossing, change)) {
			continue;
		}
		pe_vec_push(&all, one);
	}
	if (all.n > 0)
		qsort(all.data, all.n, sizeof(*all.data), compare_candidates);
	out->indirect = pe_arena_new(crossing->arena, struct pe_indirect, all.n);
	for (size_t i = 0; i < all.n; i++)
		if (i == 0 || !is_same_row(&all.data[i].row, &all.data[i - 1].row))
			out->indirect[out->n_indirect++] = all.data[i].row;
	pe_vec_release(&all);
}

/* --- How many --- */

/* A function of the source, whatever copies and parts the compiler made of it. */
struct counted {
	const char *name, *place;
	bool recompiled;
};

static int compare_counted(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order == 0)
		order = strcmp(x->place, y->place);
	return order != 0 ? order : y->recompiled - x->recompiled;
}

/* What the toolchain puts into every program. */
static bool is_startup(const struct pe_code_function *function)
{
	return function->file == NULL &&
	       (strcmp(function->name, "_start") == 0 || strcmp(function->name, "_init") == 0 ||
		strcmp(function->name, "_fini") == 0);
}

static void count(struct pe_crossing *out, const struct crossing *crossing)
{
	const struct matched *matched = &crossing->sides[AFTER];
	struct counted *all = pe_arena_new(crossing->arena, struct counted, matched->program->n);
	size_t n = 0;

	for (size_t i = 0; i < matched->program->n; i++) {
		const struct pe_code_function *function = &matched->program->functions[i];
		struct counted *one = &all[n];

		if (is_startup(function))
			continue;
		n++;
		one->name =
			pe_arena_strndup(crossing->arena, function->name,
					 function->name[0] == '.' ? strlen(function->name)
								  : strcspn(function->name, "."));
		one->place = function->file != NULL   ? function->file
			     : function->unit != NULL ? function->unit
						      : "";
		one->recompiled = matched->state[i] == RECOMPILED;
	}
	qsort(all, n, sizeof(*all), compare_counted);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(all[i].name, all[i - 1].name) == 0 &&
		    strcmp(all[i].place, all[i - 1].place) == 0)
			continue;
		out->functions++;
		out->recompiled += all[i].recompiled;
	}
}

int pe_crossing_fill(struct pe_crossing *out, struct pe_cmd_ctx *ctx,
		     const struct pe_revision_changes *changes, const struct pe_program *before,
		     const struct pe_program *after)
{
	struct crossing crossing = {
		.ctx = ctx,
		.arena = ctx->arena,
		.changes = &changes->methods,
		.fates = pe_arena_new(ctx->arena, struct fate, changes->methods.n),
	};
	struct pe_code_changes code;
	int rc = pe_sources_open(&crossing.sources, ctx, changes->before, changes->after,
				 ctx->arena);

	if (rc != PE_OK)
		return rc;
	name_changes(&crossing);
	match(&crossing, BEFORE, before);
	match(&crossing, AFTER, after);
	pe_code_diff(&code, before, after, ctx->arena);
	mark(&crossing, &code);
	for (int side = BEFORE; side <= AFTER; side++)
		see_functions(&crossing, side);
	judge_all(out, &crossing);
	list_indirect(out, &crossing, &code);
	count(out, &crossing);
	pe_vec_release(&crossing.named);
	pe_sources_close(crossing.sources);
	return PE_OK;
}
