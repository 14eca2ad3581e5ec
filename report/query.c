#include "report/query.h"

#include "core/base/search.h"
#include "core/json/writer.h"

#include <math.h>
#include <string.h>

const char *pe_jump_status_name(const struct pe_jump *jump)
{
	if (jump->state == PE_JUMP_SUSPECT && jump->event_confirmed)
		return "not confirmed itself";
	return jump->state == PE_JUMP_SUSPECT && jump->undecided ? "undecided"
								 : pe_jump_state_name(jump->state);
}

void pe_jump_add_place(struct pe_text *out, const struct pe_evolution *evolution,
		       const struct pe_jump *jump)
{
	if (jump->commits <= 1) {
		pe_add_short_id(out, evolution, jump->after);
		pe_text_addf(out, " %s", evolution->revisions[jump->after].subject);
		return;
	}
	pe_text_add(out, "in ");
	pe_add_short_id(out, evolution, jump->before);
	pe_text_add(out, "..");
	pe_add_short_id(out, evolution, jump->after);
	pe_text_addf(out, " (%zu commits)", jump->commits);
}

void pe_jump_add_range(struct pe_text *out, const struct pe_jump *jump)
{
	if (jump->commits > 1)
		pe_text_addf(out, " in %zu commits", jump->commits);
}

const char *pe_jump_caveat(const struct pe_jump *jump)
{
	return jump->layout == PE_LAYOUT_ONLY ? "layout: " PE_LAYOUT_WHY : jump->generic;
}

void pe_jump_json_caveats(struct pe_json *json, const struct pe_jump *jump)
{
	if (jump->layout == PE_LAYOUT_ONLY || jump->layout == PE_LAYOUT_WORK)
		pe_json_bool(json, "layout", jump->layout == PE_LAYOUT_ONLY);
	else
		pe_json_null(json, "layout");
	pe_json_bool(json, "generic", jump->generic != NULL);
}

void pe_add_short_id(struct pe_text *out, const struct pe_evolution *evolution, size_t revision)
{
	pe_text_addf(out, "%.*s", PE_SHORT_ID, evolution->revisions[revision].id);
}

/** Index of the first point at or after a revision; n_points when there is none. */
static size_t lower_bound(const struct pe_line *line, size_t revision)
{
	size_t at = 0;

	pe_search(at, line->n_points, i, line->points[i].revision < revision);
	return at;
}

const struct pe_point *pe_line_at(const struct pe_line *line, size_t revision)
{
	size_t i = lower_bound(line, revision);

	return i < line->n_points && line->points[i].revision == revision ? &line->points[i] : NULL;
}

const struct pe_jump *pe_line_jump_at(const struct pe_line *line, size_t revision)
{
	for (size_t i = 0; i < line->n_jumps; i++)
		if (line->jumps[i].after == revision)
			return &line->jumps[i];
	return NULL;
}

/** Index of a revision's first parent; n_revisions when it is not part of the evolution. */
static size_t parent_of(const struct pe_evolution *evolution, size_t revision)
{
	const struct pe_revision *child = &evolution->revisions[revision];

	if (child->n_parents == 0)
		return evolution->n_revisions;
	for (size_t i = revision; i-- > 0;)
		if (strcmp(evolution->revisions[i].id, child->parents[0]) == 0)
			return i;
	return evolution->n_revisions;
}

const struct pe_point *pe_line_predecessor(const struct pe_evolution *evolution,
					   const struct pe_line *line, size_t revision)
{
	size_t at = revision;

	while ((at = parent_of(evolution, at)) < evolution->n_revisions) {
		const struct pe_point *point = pe_line_at(line, at);

		if (point != NULL && point->outcome == PE_MEASURED)
			return point;
		revision = at;
	}
	for (size_t i = lower_bound(line, revision); i-- > 0;)
		if (line->points[i].outcome == PE_MEASURED)
			return &line->points[i];
	return NULL;
}

double pe_relative(double from, double to)
{
	if (!isfinite(from) || !isfinite(to) || from == 0)
		return NAN;
	return (to - from) / from;
}

const char *pe_decoration(const struct pe_evolution *evolution, size_t revision)
{
	return evolution->decorations != NULL ? evolution->decorations[revision] : NULL;
}

double pe_build_s(const struct pe_evolution *evolution, size_t revision)
{
	return evolution->build_s != NULL ? evolution->build_s[revision] : NAN;
}

const struct pe_line **pe_evolution_benchmarks(size_t *n, const struct pe_evolution *evolution,
					       struct pe_arena *arena)
{
	const struct pe_line **found =
		pe_arena_new(arena, const struct pe_line *, evolution->n_lines);

	*n = 0;
	for (size_t i = 0; i < evolution->n_lines; i++) {
		size_t j = *n;

		/* Lines of one benchmark stand together, as a rule. */
		while (j > 0 && strcmp(found[j - 1]->benchmark, evolution->lines[i].benchmark) != 0)
			j--;
		if (j == 0)
			found[(*n)++] = &evolution->lines[i];
	}
	return found;
}

const char *pe_point_source_id(const struct pe_evolution *evolution, const struct pe_point *point)
{
	if (!pe_point_is_reused(point))
		return NULL;
	return point->outside != NULL ? point->outside : evolution->revisions[point->source].id;
}

bool pe_point_is_reused(const struct pe_point *point)
{
	return point->reused && point->outcome == PE_MEASURED;
}

/* What a benchmark has at a revision; of several metrics the last of these. */
enum result { RESULT_NONE, RESULT_MEASURED, RESULT_REUSED, N_RESULTS };

static enum result result_of(const struct pe_point *point)
{
	if (point->outcome != PE_MEASURED)
		return RESULT_NONE;
	return point->reused ? RESULT_REUSED : RESULT_MEASURED;
}

static void count_results(size_t counts[N_RESULTS], const struct pe_evolution *evolution)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	enum result *results = pe_arena_new(&arena, enum result, evolution->n_revisions);
	size_t n;
	const struct pe_line **benchmarks = pe_evolution_benchmarks(&n, evolution, &arena);

	for (size_t b = 0; b < n; b++) {
		memset(results, 0, evolution->n_revisions * sizeof(*results));
		for (size_t i = 0; i < evolution->n_lines; i++) {
			const struct pe_line *line = &evolution->lines[i];

			if (strcmp(line->benchmark, benchmarks[b]->benchmark) != 0)
				continue;
			for (size_t p = 0; p < line->n_points; p++)
				if (result_of(&line->points[p]) > results[line->points[p].revision])
					results[line->points[p].revision] =
						result_of(&line->points[p]);
		}
		for (size_t r = evolution->first; r < evolution->n_revisions; r++)
			counts[results[r]]++;
	}
}

void pe_evolution_add_reused(struct pe_text *out, const struct pe_evolution *evolution)
{
	size_t counts[N_RESULTS] = {0};

	count_results(counts, evolution);
	if (counts[RESULT_REUSED] > 0)
		pe_text_addf(out, "%zu of %zu results reused", counts[RESULT_REUSED],
			     counts[RESULT_REUSED] + counts[RESULT_MEASURED]);
}
