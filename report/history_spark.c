/* Spark: the sectors of a commit's glyph (Spark Circle sections III and IV). */
#include "report/history.h"

#include "report/estimate.h"
#include "report/query.h"

#include <math.h>
#include <string.h>

const uint32_t pe_spark_steps[PE_N_SPARK_STEPS] = {1, 3, 6, 11, 26};

double pe_spark_methods_height(const struct pe_history *history, uint64_t methods)
{
	const uint32_t *steps = history->steps != NULL ? history->steps : pe_spark_steps;
	size_t step = 0;

	while (step < PE_N_SPARK_STEPS && methods >= steps[step])
		step++;
	return (double)step / PE_N_SPARK_STEPS;
}

static const struct pe_point *values_of(const struct pe_history_commit *commit,
					const struct pe_line *line)
{
	const struct pe_point *point =
		commit->point != SIZE_MAX ? pe_line_at(line, commit->point) : NULL;

	return point != NULL && point->outcome == PE_MEASURED ? point : NULL;
}

const struct pe_point *pe_history_before(const struct pe_history *history,
					 const struct pe_history_commit *commit,
					 const struct pe_line *line)
{
	size_t known = commit->point;

	while (commit->parent != NULL) {
		const struct pe_point *point;

		commit = commit->parent;
		point = values_of(commit, line);
		if (point != NULL)
			return point;
		if (commit->point != SIZE_MAX)
			known = commit->point;
	}
	if (commit->revision.n_parents == 0)
		return NULL;
	return pe_line_predecessor(history->evolution, line, known);
}

struct pe_change pe_history_change(const struct pe_history *history,
				   const struct pe_history_commit *commit,
				   const struct pe_line *line)
{
	const struct pe_point *point = values_of(commit, line);

	return pe_line_change(line, point != NULL ? pe_history_before(history, commit, line) : NULL,
			      point);
}

static const struct pe_line *history_line(const struct pe_history *history, const char *benchmark,
					  const char *metric)
{
	const struct pe_evolution *evolution = history->evolution;

	for (size_t i = 0; evolution != NULL && benchmark != NULL && i < evolution->n_lines; i++)
		if (strcmp(evolution->lines[i].metric->name, metric) == 0 &&
		    strcmp(evolution->lines[i].benchmark, benchmark) == 0)
			return &evolution->lines[i];
	return NULL;
}

const char *pe_history_benchmark(const struct pe_history *history)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *benchmark = NULL;
	struct pe_ranked_jump *jumps;
	size_t n;

	if (history->evolution == NULL || history->evolution->n_lines == 0)
		return NULL;
	jumps = pe_evolution_rank(&n, history->evolution, &arena);
	benchmark = n > 0 ? jumps[0].line->benchmark : history->evolution->lines[0].benchmark;
	return benchmark;
}

static void put_change(struct pe_spark_sector *out, const struct pe_history *history,
		       const struct pe_history_commit *commit, const char *benchmark,
		       const char *metric)
{
	const struct pe_line *line = history_line(history, benchmark, metric);
	struct pe_change change;

	*out = (struct pe_spark_sector){.value = NAN};
	if (line == NULL)
		return;
	change = pe_history_change(history, commit, line);
	if (!change.known || !isfinite(change.relative))
		return;
	*out = (struct pe_spark_sector){.known = true,
					.value = change.relative,
					.height = fmin(fabs(change.relative), 1),
					.dark = change.relative > 0,
					.noise = pe_change_is_noise(&change)};
	if (!out->noise)
		return;
	out->dark = false;
	if (change.judged)
		out->height = 0;
}

void pe_spark_sectors(struct pe_spark_sector out[PE_N_SPARK_METRICS],
		      const struct pe_history *history, const struct pe_history_commit *commit,
		      const char *benchmark)
{
	const int64_t mc = commit->mc;

	out[PE_SPARK_METHODS] = (struct pe_spark_sector){.value = NAN};
	if (mc >= 0)
		out[PE_SPARK_METHODS] = (struct pe_spark_sector){
			.known = true,
			.value = (double)mc,
			.height = pe_spark_methods_height(history, (uint64_t)mc),
			.dark = mc > 0};
	put_change(&out[PE_SPARK_ALLOCATIONS], history, commit, benchmark, "allocations");
	put_change(&out[PE_SPARK_TIME], history, commit, benchmark, "wall");
}
