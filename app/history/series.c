#include "app/history/series.h"

#include "core/base/array.h"
#include "core/base/search.h"
#include "core/stats/deterministic.h"
#include "core/stats/order.h"
#include "core/stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Values and points --- */

/* A metric that does not depend on when it is measured: of counting runs, or the same in all runs. */
static bool is_counted(const struct pe_metric *metric)
{
	return pe_metric_is_counted(metric) || metric->kind == PE_METRIC_DETERMINISTIC;
}

static size_t count_values(const struct pe_series_values *values, size_t revision)
{
	return values->from[revision + 1] - values->from[revision];
}

void pe_series_group(struct pe_series_values *out, const struct pe_observation *at, size_t n,
		     const size_t *place, const size_t *reused, size_t n_revisions,
		     struct pe_arena *arena)
{
	size_t *next = pe_arena_new(arena, size_t, n_revisions + 1);

	out->at = at;
	out->n = n;
	out->n_revisions = n_revisions;
	out->from = pe_arena_new(arena, size_t, n_revisions + 1);
	out->by_revision = pe_arena_new(arena, size_t, n);
	out->source = pe_arena_new(arena, size_t, n_revisions);
	out->twin = pe_arena_new(arena, size_t, n_revisions);
	for (size_t i = 0; i < n; i++)
		if (place[i] != SIZE_MAX)
			out->from[place[i] + 1]++;
	for (size_t r = 0; r < n_revisions; r++)
		out->from[r + 1] += out->from[r];
	memcpy(next, out->from, (n_revisions + 1) * sizeof(*next));
	for (size_t i = 0; i < n; i++)
		if (place[i] != SIZE_MAX)
			out->by_revision[next[place[i]]++] = i;
	for (size_t r = 0; r < n_revisions; r++) {
		bool carries = reused[r] != SIZE_MAX && count_values(out, reused[r]) > 0;
		bool measured = count_values(out, r) > 0;

		out->source[r] = measured ? r : carries ? reused[r] : SIZE_MAX;
		out->twin[r] = measured && carries ? reused[r] : SIZE_MAX;
	}
}

/* The values of a revision that are compared with those of others: counts, of the latest epoch alone. */
static size_t values_of(double *buffer, unsigned *epoch, const struct pe_series_values *values,
			size_t revision, const struct pe_metric *metric)
{
	const size_t *at = &values->by_revision[values->from[revision]];
	const size_t n = count_values(values, revision);
	const bool counted = is_counted(metric);
	size_t kept = 0;

	*epoch = 0;
	for (size_t i = 0; i < n; i++)
		if (counted && values->at[at[i]].epoch > *epoch)
			*epoch = values->at[at[i]].epoch;
	for (size_t i = 0; i < n; i++)
		if (*epoch == 0 || values->at[at[i]].epoch == *epoch)
			buffer[kept++] = values->at[at[i]].value;
	return kept;
}

static struct pe_point point_of(const struct pe_series_values *values, size_t revision,
				const struct pe_metric *metric, double *buffer)
{
	size_t source = values->source[revision];
	unsigned epoch;
	size_t n = values_of(buffer, &epoch, values, source, metric);
	struct pe_summary summary = pe_summarize(buffer, n);

	return (struct pe_point){
		.revision = revision,
		.outcome = PE_MEASURED,
		.reused = source != revision,
		.source = source,
		.n = n,
		.epoch = epoch,
		.value = summary.median,
		.median = summary.median,
		.q25 = summary.q25,
		.q75 = summary.q75,
		.min = summary.min,
		.max = summary.max,
		.mad = summary.mad,
		.level = NAN,
		.least = NAN,
	};
}

void pe_series_points(struct pe_line *line, const struct pe_series_values *values,
		      struct pe_arena *arena)
{
	pe_auto_free double *buffer = pe_realloc(NULL, values->n, sizeof(*buffer));

	line->points = pe_arena_new(arena, struct pe_point, values->n_revisions);
	for (size_t r = 0; r < values->n_revisions; r++)
		if (values->source[r] != SIZE_MAX)
			line->points[line->n_points++] = point_of(values, r, line->metric, buffer);
}

struct pe_point *pe_line_point(const struct pe_line *line, size_t revision)
{
	size_t at = 0;

	pe_search(at, line->n_points, i, line->points[i].revision < revision);
	return at < line->n_points && line->points[at].revision == revision ? &line->points[at]
									    : NULL;
}

/* --- States --- */

static void find_states(struct pe_series_found *out, const struct pe_series_values *values,
			struct pe_arena *scratch)
{
	out->source = pe_arena_new(scratch, size_t, out->n_chain);
	out->first = pe_arena_new(scratch, size_t, out->n_chain);
	out->last = pe_arena_new(scratch, size_t, out->n_chain);
	for (size_t c = 0; c < out->n_chain; c++) {
		const size_t revision = out->chain[c], source = values->source[revision];

		if (source == SIZE_MAX)
			continue;
		if (out->n_states == 0 || out->source[out->n_states - 1] != source) {
			out->source[out->n_states] = source;
			out->first[out->n_states++] = revision;
		}
		out->last[out->n_states - 1] = revision;
	}
}

static struct pe_reading reading_of(size_t commit, const struct pe_observation *one, bool counted)
{
	if (counted)
		return (struct pe_reading){commit, one->epoch, 0, one->value};
	return (struct pe_reading){commit, one->batch, one->round, one->value};
}

struct pe_reading pe_series_reading(size_t commit, const struct pe_observation *one,
				    const struct pe_metric *metric)
{
	return reading_of(commit, one, is_counted(metric));
}

static struct pe_readings readings_of(const struct pe_series_found *found,
				      const struct pe_series_values *values,
				      struct pe_arena *scratch)
{
	const bool counted = is_counted(found->metric);
	struct pe_reading *at;
	size_t n = 0, room = 0;

	for (size_t s = 0; s < found->n_states; s++)
		room += count_values(values, found->source[s]);
	at = pe_arena_new(scratch, struct pe_reading, room);
	for (size_t s = 0; s < found->n_states; s++) {
		size_t source = found->source[s];

		for (size_t i = values->from[source]; i < values->from[source + 1]; i++) {
			const struct pe_observation *one = &values->at[values->by_revision[i]];

			at[n++] = reading_of(s, one, counted);
		}
	}
	return (struct pe_readings){at, n, found->n_states};
}

/* --- Judging --- */

/* The revision whose execution a state has: one that was run although it executes what another does has that one's. */
static size_t execution_of(const struct pe_series_found *found, size_t state)
{
	const size_t source = found->source[state];

	return found->twin[source] != SIZE_MAX ? found->twin[source] : source;
}

bool pe_series_is_same_code(const struct pe_series_found *found, const struct pe_changepoint *point)
{
	return !found->exact && found->twin != NULL &&
	       execution_of(found, point->before) == execution_of(found, point->index);
}

bool pe_series_reportable(const struct pe_metric *metric, const struct pe_changepoint *point)
{
	double step = fabs(point->level_after - point->level_before);

	if (step < metric->min_absolute)
		return false;
	/* From nothing to something has no relative size. */
	return isnan(point->relative) || fabs(point->relative) >= metric->min_relative;
}

/* From what a chain was searched in to what its line shows: the sessions of two chains have each their own middle. */
struct shift {
	double times, plus;
};

static double shifted(const struct shift *shift, double value)
{
	return shift->times * value + shift->plus;
}

/* A branch is shown as the line that it leaves shows the commit where it does; apart from that, as it was searched. */
static struct shift shift_of(const struct pe_line *line, const struct pe_series_found *series)
{
	const struct shift none = {1, 0};
	const size_t base = series->chain[0];
	const struct pe_point *shown;
	double here;

	if (series->exact || series->base == 0 || series->n_states == 0 ||
	    series->first[0] != base || series->found.n_components != 1)
		return none;
	shown = pe_line_point(line, base);
	here = series->found.commits[0].location;
	if (shown == NULL || isnan(shown->level) || !isfinite(here))
		return none;
	return series->found.linear ? (struct shift){1, shown->value - here}
				    : (struct shift){shown->value / here, 0};
}

static void add_jump(struct pe_line *line, const struct pe_series_found *series,
		     const struct pe_changepoint *point, const struct shift *shift)
{
	bool higher = point->level_after > point->level_before;

	line->jumps[line->n_jumps++] = (struct pe_jump){
		.before = series->last[point->before],
		.after = series->first[point->index],
		.old_level = shifted(shift, point->level_before),
		.new_level = shifted(shift, point->level_after),
		.relative = point->relative,
		.low = point->low,
		.high = point->high,
		.estimate = series->exact ? PE_ESTIMATE_EXACT : PE_ESTIMATE_LEVELS,
		.strength = point->strength,
		.regression = higher == (line->metric->better == PE_LOWER_IS_BETTER),
		.state = series->exact ? PE_JUMP_CONFIRMED : PE_JUMP_SUSPECT,
		.p = NAN,
		.sure = point->sure,
		.first = series->first[point->first],
		.last = series->first[point->last],
		.least = NAN,
		.layout = pe_series_is_same_code(series, point) ? PE_LAYOUT_ONLY
								: PE_LAYOUT_NOT_LOOKED,
	};
}

/* --- Noise, seen between runs of one program --- */

static double median_of(double *values, size_t n)
{
	pe_order_sort(values, n);
	return values[n / 2];
}

/*
 * Relative deviation between revisions that execute the same, beyond the errors of their locations: half the
 * median of their squared differences over the chi-square median of one degree of freedom, less the errors'
 * part. 0 where there are not enough pairs.
 */
static double jitter_of_twins(const struct pe_series_found *series,
			      const struct pe_series_values *values,
			      const struct pe_changepoints *found, struct pe_arena *scratch)
{
	enum { LEAST_PAIRS = 5 };
	const double chi_square_median = 0.4549;
	size_t *state_of = pe_arena_new(scratch, size_t, values->n_revisions);
	double *squares = pe_arena_new(scratch, double, series->n_states);
	double *errors = pe_arena_new(scratch, double, series->n_states);
	size_t n = 0;
	double variance;

	for (size_t s = 0; s < series->n_states; s++)
		state_of[series->source[s]] = s + 1;
	for (size_t s = 0; s < series->n_states; s++) {
		size_t twin = values->twin[series->source[s]];
		const struct pe_commit_level *one = &found->commits[s], *other;
		double level;

		if (twin == SIZE_MAX || state_of[twin] == 0)
			continue;
		other = &found->commits[state_of[twin] - 1];
		level = (one->location + other->location) / 2;
		if (!(level > 0) || one->component != other->component)
			continue;
		squares[n] = pow((one->location - other->location) / level, 2);
		errors[n++] =
			(one->error * one->error + other->error * other->error) / (level * level);
	}
	if (n < LEAST_PAIRS)
		return 0;
	variance = median_of(squares, n) / chi_square_median - median_of(errors, n);
	return variance > 0 ? sqrt(variance / 2) : 0;
}

static struct pe_changepoints find_noisy(const struct pe_series_found *series,
					 const struct pe_series_values *values,
					 struct pe_arena *scratch)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_changepoints found;
	double jitter;

	/* What is found are suspects: fresh runs decide. */
	opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	found = pe_changepoints_find(&series->readings, &opts, scratch);
	jitter = jitter_of_twins(series, values, &found, scratch);
	/* It only ever makes the detection more careful: few pairs may agree by luck. */
	if (jitter <= opts.prior_jitter)
		return found;
	opts.prior_jitter = jitter;
	return pe_changepoints_find(&series->readings, &opts, scratch);
}

void pe_series_read(struct pe_series_found *out, const struct pe_series_values *values,
		    struct pe_arena *scratch)
{
	out->exact = out->metric->kind == PE_METRIC_DETERMINISTIC;
	find_states(out, values, scratch);
	out->readings = readings_of(out, values, scratch);
}

void pe_series_search(struct pe_series_found *series, const struct pe_series_values *values,
		      struct pe_arena *scratch)
{
	const struct pe_deterministic_opts opts = {series->metric->min_relative,
						   series->metric->min_absolute};

	series->found = series->exact ? pe_deterministic_find(&series->readings, &opts, scratch)
				      : find_noisy(series, values, scratch);
}

/* --- Digest --- */

static uint64_t word_of(double number)
{
	uint64_t word;

	memcpy(&word, &number, sizeof(word));
	return word;
}

void pe_series_digest(struct pe_xxh *hash, const struct pe_series_found *series,
		      const struct pe_series_values *values, struct pe_arena *scratch)
{
	/* Revisions by the last state that has their values: numbers that do not move when history grows at its old end. */
	size_t *state_of = pe_arena_new(scratch, size_t, values->n_revisions), n = 0;
	uint64_t *words =
		pe_arena_new(scratch, uint64_t, 4 + 2 * series->n_states + 4 * series->readings.n);

	for (size_t s = 0; s < series->n_states; s++)
		state_of[series->source[s]] = s + 1;
	words[n++] = series->exact;
	words[n++] = word_of(series->metric->min_relative);
	words[n++] = word_of(series->metric->min_absolute);
	words[n++] = series->n_states;
	for (size_t s = 0; s < series->n_states; s++) {
		size_t source = series->source[s], twin = values->twin[source];

		words[n++] = state_of[source];
		words[n++] = twin != SIZE_MAX ? state_of[twin] : 0;
	}
	for (size_t i = 0; i < series->readings.n; i++) {
		const struct pe_reading *one = &series->readings.at[i];

		words[n++] = one->commit;
		words[n++] = (uint64_t)one->batch;
		words[n++] = one->round;
		words[n++] = word_of(one->value);
	}
	pe_xxh_bytes(hash, words, n * sizeof(*words));
}

/* --- Keeping --- */

struct pe_series_found *pe_series_keep(const struct pe_series_found *found, struct pe_arena *arena)
{
	struct pe_series_found *kept = pe_array_copy(arena, found, 1, sizeof(*found));
	const struct pe_changepoints *changes = &found->found;

	kept->source = pe_array_copy(arena, found->source, found->n_states, sizeof(size_t));
	kept->first = pe_array_copy(arena, found->first, found->n_states, sizeof(size_t));
	kept->last = pe_array_copy(arena, found->last, found->n_states, sizeof(size_t));
	kept->readings.at = pe_array_copy(arena, found->readings.at, found->readings.n,
					  sizeof(struct pe_reading));
	kept->found.at = pe_array_copy(arena, changes->at, changes->n, sizeof(*changes->at));
	kept->found.commits = pe_array_copy(arena, changes->commits, changes->n_commits,
					    sizeof(*changes->commits));
	kept->twin = NULL;
	return kept;
}

/* What was judged is what people see: not what a busy session added to some of the runs. */
static void show_judged(struct pe_point *point, const struct pe_commit_level *judged,
			const struct shift *shift)
{
	const struct pe_spread *spread = &judged->spread;

	if (!isfinite(judged->location))
		return;
	point->value = shifted(shift, judged->location);
	point->median = point->value + shift->times * (double)spread->median;
	point->q25 = point->value + shift->times * (double)spread->q25;
	point->q75 = point->value + shift->times * (double)spread->q75;
	point->min = point->value + shift->times * (double)spread->min;
	point->max = point->value + shift->times * (double)spread->max;
	point->mad = shift->times * (double)spread->mad;
}

bool pe_series_apply(struct pe_line *line, const struct pe_series_found *series)
{
	const struct pe_changepoints *found = &series->found;
	const struct shift shift = shift_of(line, series);

	for (size_t c = series->base, s = 0; c < series->n_chain; c++) {
		struct pe_point *point = pe_line_point(line, series->chain[c]);
		const struct pe_commit_level *judged;

		if (point == NULL)
			continue;
		while (series->last[s] < series->chain[c])
			s++;
		judged = &found->commits[s];
		point->level = shifted(&shift, judged->level);
		if (!series->exact)
			show_judged(point, judged, &shift);
		if (!series->exact && series->base == 0 && found->n_components > 1)
			point->epoch = (unsigned)judged->component + 1;
		/* Any difference of an exact metric is seen. */
		point->least = series->exact ? 0 : judged->least;
	}
	for (size_t i = 0; i < found->n; i++)
		if (pe_series_reportable(line->metric, &found->at[i]))
			add_jump(line, series, &found->at[i], &shift);
	return found->n_components > 1;
}
