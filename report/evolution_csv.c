/*
 * Rizel's CSV (Blueprint section IV.A names it without its columns, so these are ours): a row a
 * (revision, benchmark, metric), oldest revision first, undefined values empty, line ends as Unix
 * has them. change is the share by which the level moved, on the first revision at a new level;
 * reused_from is the revision whose values these are where a build was identical to its own, else empty;
 * mc counts the methods that the revision changed (Spark Circle, section IV), empty where they are not known;
 * state stands where change does: how much is behind it, suspect, confirmed or accepted; and source: what change is
 * estimated from, pairs (fresh runs), levels (of the series) or exact.
 */
#include "report/evolution.h"

#include "report/format.h"
#include "report/query.h"

#include <math.h>

static double mc_of(const struct pe_evolution *evolution, size_t revision)
{
	const bool known = evolution->mc != NULL && evolution->mc[revision] >= 0;

	return known ? (double)evolution->mc[revision] : NAN;
}

static void put_row(struct pe_text *out, const struct pe_evolution *evolution,
		    const struct pe_line *line, const struct pe_point *point)
{
	const struct pe_revision *revision = &evolution->revisions[point->revision];
	const bool measured = point->outcome == PE_MEASURED;
	const struct pe_jump *jump = measured ? pe_line_jump_at(line, point->revision) : NULL;
	const double time_s = (double)revision->time_s, mc = mc_of(evolution, point->revision);
	const char *const subject[] = {revision->author,   revision->subject,
				       line->benchmark,    line->metric->name,
				       line->metric->unit, pe_outcome_name(point->outcome)};
	const double values[] = {(double)point->n, point->median,
				 point->mad,       point->q25,
				 point->q75,       point->min,
				 point->max,       point->value,
				 point->level,     jump != NULL ? jump->relative : NAN};
	const char *const source = pe_point_source_id(evolution, point);
	const char *const state[] = {jump != NULL ? pe_jump_state_name(jump->state) : NULL,
				     jump != NULL ? pe_estimate_name(jump->estimate) : NULL};

	pe_text_add(out, revision->id);
	pe_csv_add_numbers(out, &time_s, 1, true);
	pe_csv_add_texts(out, subject, sizeof(subject) / sizeof(*subject));
	pe_csv_add_numbers(out, values, sizeof(values) / sizeof(*values), measured);
	pe_csv_add_texts(out, &source, 1);
	pe_csv_add_numbers(out, &mc, 1, true);
	pe_csv_add_texts(out, state, 2);
	pe_text_addc(out, '\n');
}

void pe_evolution_csv(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t *next = pe_arena_new(&arena, size_t, evolution->n_lines);

	pe_text_add(
		out,
		"revision,time,author,subject,benchmark,metric,unit,outcome,"
		"n,median,mad,q25,q75,min,max,value,level,change,reused_from,changed_methods,state,source\n");
	for (size_t r = 0; r < evolution->n_revisions; r++)
		for (size_t i = 0; i < evolution->n_lines; i++) {
			const struct pe_line *line = &evolution->lines[i];

			if (next[i] == line->n_points || line->points[next[i]].revision != r)
				continue;
			if (r >= evolution->first)
				put_row(out, evolution, line, &line->points[next[i]]);
			next[i]++;
		}
}
