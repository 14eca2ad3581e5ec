/* The crossing: what became of each changed method. */
#include "app/changes/cross.h"

#include "core/base/sort.h"
#include "app/changes/match.h"

#include <string.h>

/* What was seen of a changed method. */
struct pe_change_result {
	bool in[2];                 /* it has a function */
	uint64_t bytes[2];          /* of these */
	bool differs;               /* one of them was recompiled, or is alone */
	enum pe_code_reason reason; /* the strongest: the first of the enum */
	const char *datum;          /* of PE_CODE_DATA */
	bool inlined[2];
	const char *host; /* that took it in; a recompiled one, if there is any */
	bool host_differs;
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

/* --- What became of the changed methods --- */

static void see_host(struct pe_change_result *result, int side, const char *host, bool differs)
{
	result->inlined[side] = true;
	if (result->host != NULL && (!differs || result->host_differs))
		return;
	result->host = host;
	result->host_differs = differs;
}

static void see_functions(struct pe_matching *matching, int side)
{
	const struct pe_matched *matched = &matching->sides[side];

	for (size_t f = 0; f < matched->program->n; f++) {
		const struct pe_code_function *function = &matched->program->functions[f];
		const struct pe_code_change *difference = matched->difference[f];

		if (matched->change[f] != PE_NO_CHANGE) {
			struct pe_change_result *result = &matching->results[matched->change[f]];

			result->in[side] = true;
			result->bytes[side] += function->bytes;
			if (difference != NULL &&
			    (!result->differs || difference->reason < result->reason)) {
				result->reason = difference->reason;
				result->datum = difference->datum;
			}
			result->differs = result->differs || difference != NULL;
		}
		for (size_t i = 0; i < function->n_inlined; i++) {
			size_t change =
				pe_matching_inlined(matching, side, function->inlined[i], function);

			if (change != PE_NO_CHANGE)
				see_host(&matching->results[change], side,
					 pe_source_name(function->name, matching->arena),
					 difference != NULL);
		}
	}
}

/* Whether a renamed or moved method has a function on either side whose code is the same. */
static bool has_same_code(const struct pe_matching *matching, size_t change)
{
	const struct pe_matched *before = &matching->sides[PE_BEFORE],
				*after = &matching->sides[PE_AFTER];

	for (size_t a = 0; a < after->program->n; a++) {
		if (after->change[a] != change)
			continue;
		for (size_t b = 0; b < before->program->n; b++)
			if (before->change[b] == change &&
			    pe_code_same(&before->program->functions[b],
					 &after->program->functions[a]))
				return true;
	}
	return false;
}

static struct pe_method_effect judge(const struct pe_matching *matching, size_t i)
{
	const struct pe_method_change *change = &matching->changes->at[i];
	const struct pe_change_result *result = &matching->results[i];
	bool own = result->in[PE_BEFORE] || result->in[PE_AFTER];
	bool before = result->in[PE_BEFORE] || result->inlined[PE_BEFORE];
	bool after = result->in[PE_AFTER] || result->inlined[PE_AFTER];
	bool differs = own ? result->differs : result->host_differs;
	struct pe_method_effect effect = {
		.effect = PE_EFFECT_ABSENT,
		.bytes = {result->bytes[PE_BEFORE], result->bytes[PE_AFTER]},
	};

	if (!before && !after) {
		/* What was inlined leaves no other trace. */
		if (!matching->debug)
			effect.reason = "or inlined: there is no debug information";
		return effect;
	}
	if (!own)
		effect.reason = pe_arena_printf(matching->arena, "inlined into %s", result->host);
	if (change->before == NULL || change->after == NULL) {
		effect.effect = change->before == NULL ? PE_EFFECT_ADDED : PE_EFFECT_DELETED;
		return effect;
	}
	if (differs && change->kind != PE_METHOD_MODIFIED && has_same_code(matching, i))
		differs = false;
	effect.effect = differs ? PE_EFFECT_RECOMPILED : PE_EFFECT_NONE;
	if (own && differs && result->in[PE_BEFORE] && result->in[PE_AFTER])
		effect.reason = pe_reason_text(result->reason, result->datum, matching->arena);
	else if (own && result->in[PE_AFTER] != result->in[PE_BEFORE])
		effect.reason = result->in[PE_AFTER] ? "compiled by itself now"
						     : "no longer compiled by itself";
	return effect;
}

static void judge_all(struct pe_crossing *out, struct pe_matching *matching)
{
	size_t n = matching->changes->n;

	out->methods = pe_arena_new(matching->arena, struct pe_method_effect, n);
	for (size_t i = 0; i < n; i++) {
		out->methods[i] = judge(matching, i);
		if (matching->changes->at[i].kind != PE_METHOD_MODIFIED)
			continue;
		out->modified += out->methods[i].effect == PE_EFFECT_RECOMPILED;
		out->no_effect += out->methods[i].effect == PE_EFFECT_NONE;
	}
}

/* --- How many --- */

/* A function of the source, whatever copies and parts the compiler made of it. */
struct counted {
	const char *name, *place;
	bool same; /* not recompiled */
};

PE_SORT_BY(compare_counted, struct counted, name, place, same);

/* What the toolchain puts into every program. */
static bool is_startup(const struct pe_code_function *function)
{
	return function->file == NULL &&
	       (strcmp(function->name, "_start") == 0 || strcmp(function->name, "_init") == 0 ||
		strcmp(function->name, "_fini") == 0);
}

static void count(struct pe_crossing *out, const struct pe_matching *matching)
{
	const struct pe_matched *matched = &matching->sides[PE_AFTER];
	struct counted *all = pe_arena_new(matching->arena, struct counted, matched->program->n);
	size_t n = 0;

	for (size_t i = 0; i < matched->program->n; i++) {
		const struct pe_code_function *function = &matched->program->functions[i];
		struct counted *one = &all[n];

		if (is_startup(function))
			continue;
		n++;
		one->name =
			pe_arena_strndup(matching->arena, function->name,
					 function->name[0] == '.' ? strlen(function->name)
								  : strcspn(function->name, "."));
		one->place = function->file != NULL   ? function->file
			     : function->unit != NULL ? function->unit
						      : "";
		one->same = matched->difference[i] == NULL ||
			    matched->difference[i]->kind != PE_CODE_RECOMPILED;
	}
	for (int side = PE_BEFORE; side <= PE_AFTER; side++)
		for (size_t i = 0; i < matching->sides[side].program->n; i++)
			out->bytes[side] += matching->sides[side].program->functions[i].bytes;
	pe_sort(all, n, compare_counted);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(all[i].name, all[i - 1].name) == 0 &&
		    strcmp(all[i].place, all[i - 1].place) == 0)
			continue;
		out->functions++;
		out->recompiled += !all[i].same;
	}
}

int pe_crossing_fill(struct pe_crossing *out, struct pe_app *app,
		     const struct pe_revision_changes *changes, const struct pe_program *before,
		     const struct pe_program *after)
{
	struct pe_matching matching = {
		.arena = app->arena,
		.changes = &changes->methods,
		.results = pe_arena_new(app->arena, struct pe_change_result, changes->methods.n),
	};
	struct pe_code_changes code;

	matching.sources = pe_sources_open(app, changes->after, app->arena);
	pe_matching_name(&matching);
	pe_matching_add(&matching, PE_BEFORE, before);
	pe_matching_add(&matching, PE_AFTER, after);
	pe_code_diff(&code, before, after, app->arena);
	pe_matching_mark(&matching, &code);
	for (int side = PE_BEFORE; side <= PE_AFTER; side++)
		see_functions(&matching, side);
	judge_all(out, &matching);
	pe_indirect_list(out, &matching, &code);
	count(out, &matching);
	pe_vec_release(&matching.named);
	pe_sources_close(matching.sources);
	return PE_OK;
}
