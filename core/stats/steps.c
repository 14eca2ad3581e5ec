#include "core/stats/steps.h"

#include "core/stats/order.h"
#include "core/stats/steps_inner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- Readings --- */

/* With this many readings of others between two of a pair, the machine's drift between them is unknown. */
enum { GAP = 6 };

/* A reading as a search takes it: a revision of its own counting, and a batch that ends with a gap. */
static void feed(struct pe_steps_feed *to, const struct pe_steps *s, size_t i, size_t revision,
		 bool old)
{
	struct pe_bisect_reading one = s->readings.data[i];

	if (to->n > 0 && (i - to->n > to->gap || one.batch != s->readings.data[to->n - 1].batch))
		to->batch++;
	to->n = i + 1;
	one.revision = revision;
	one.batch = to->batch;
	one.stored = one.stored || old;
	pe_bisect_feed(to->bisect, &one);
}

/* Probability that two revisions are alike, before their readings, where the search takes them to be. */
static const double alike = 0.8;

/* A search on two revisions: there is no place to find, and its result is their difference. */
static struct pe_bisect *pair_of(const struct pe_steps *s, size_t older, size_t newer, bool apart,
				 struct pe_arena *arena)
{
	struct pe_bisect_opts opts = s->opts.bisect;
	struct pe_steps_feed to = {.gap = apart ? SIZE_MAX : GAP};

	opts.none = alike;
	to.bisect = pe_bisect_new(2, NULL, &opts, arena);
	for (size_t i = 0; i < s->readings.n; i++) {
		size_t build = s->build[s->readings.data[i].revision];

		if (build == s->build[older] || build == s->build[newer])
			feed(&to, s, i, build == s->build[newer], true);
	}
	return to.bisect;
}

struct pe_bisect_result pe_steps_between(const struct pe_steps *s, size_t older, size_t newer,
					 bool apart)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_bisect *pair = pair_of(s, older, newer, apart, &work);
	struct pe_bisect_result result;
	size_t i;

	pe_bisect_next(pair, &i);
	result = pe_bisect_result(pair);
	pe_bisect_free(pair);
	return result;
}

double pe_steps_scaled(const struct pe_steps *s, double relative)
{
	return s->opts.bisect.unit > 0 ? relative : log1p(relative);
}

double pe_steps_relative(const struct pe_steps *s, double scaled)
{
	return s->opts.bisect.unit > 0 ? scaled : expm1(scaled);
}

double pe_steps_least(const struct pe_steps *s)
{
	const struct pe_bisect_opts *opts = &s->opts.bisect;
	struct pe_bisect_result ends;
	double whole;

	if (!opts->exact && !(s->opts.least_share > 0))
		return opts->min_effect;
	ends = pe_steps_between(s, 0, s->n - 1, false);
	whole = fabs(opts->exact ? ends.new_level - ends.old_level : ends.relative);
	return fmax(opts->exact ? opts->min_effect * fabs(ends.old_level) : opts->min_effect,
		    isfinite(whole) ? s->opts.least_share * whole : 0);
}

/* Of an exact metric. NaN: it was not read. */
static double value_of(const struct pe_steps *s, size_t i)
{
	for (size_t k = 0; k < s->readings.n; k++)
		if (s->build[s->readings.data[k].revision] == s->build[i])
			return s->readings.data[k].value;
	return NAN;
}

/* --- Ranges --- */

static struct pe_steps_range begin_range(struct pe_steps *s, size_t first, size_t last,
					 double confidence)
{
	const bool whole = s->ranges.n == 0;
	struct pe_bisect_opts opts = s->opts.bisect;
	struct pe_steps_range range = {
		.first = first, .last = last, .confidence = confidence, .near = 1, .alone = 1};
	size_t next;

	range.least = opts.min_effect;
	range.looked = s->readings.n;
	range.search.gap = GAP;
	if (!whole) {
		opts.none = alike;
		range.least = opts.min_effect = pe_steps_least(s);
		if (opts.exact && fabs(value_of(s, first)) > 0)
			opts.min_effect /= fabs(value_of(s, first));
	}
	opts.once = opts.once || !whole;
	opts.confidence = confidence;
	opts.max_runs = opts.max_runs > s->runs ? opts.max_runs - s->runs : 0;
	range.search.bisect = pe_bisect_new(
		last - first + 1, s->weights != NULL ? s->weights + first : NULL, &opts, s->arena);
	for (size_t i = first; i <= last; i++) {
		if (i > first && s->same[i])
			pe_bisect_same(range.search.bisect, i - first);
		if (s->skipped[i])
			pe_bisect_skip(range.search.bisect, i - first);
		pe_bisect_cost(range.search.bisect, i - first, s->run_cost[i], s->build_cost[i]);
	}
	for (size_t i = 0; i < s->readings.n; i++) {
		size_t revision = s->readings.data[i].revision;

		if (revision >= first && revision <= last)
			feed(&range.search, s, i, revision - first, true);
	}
	/* Feed it with their readings so far. */
	if (s->readings.n > 0)
		pe_bisect_next(range.search.bisect, &next);
	return range;
}

/* --- Setting up --- */

struct pe_steps *pe_steps_new(size_t n, const double *weights, const struct pe_steps_opts *opts,
			      struct pe_arena *arena)
{
	struct pe_steps *s = pe_arena_new(arena, struct pe_steps, 1);
	struct pe_steps_range whole;

	s->opts = *opts;
	s->n = n;
	s->arena = arena;
	s->weights = weights;
	s->build = pe_arena_new(arena, size_t, n);
	s->same = pe_arena_new(arena, bool, n);
	s->skipped = pe_arena_new(arena, bool, n);
	s->run_cost = pe_arena_new(arena, double, n);
	s->build_cost = pe_arena_new(arena, double, n);
	for (size_t i = 0; i < n; i++) {
		s->build[i] = i;
		s->run_cost[i] = 1;
	}
	s->at = SIZE_MAX;
	whole = begin_range(s, 0, n - 1, opts->bisect.confidence);
	pe_vec_push(&s->ranges, whole);
	return s;
}

void pe_steps_free(struct pe_steps *s)
{
	if (s == NULL)
		return;
	for (size_t r = 0; r < s->ranges.n; r++)
		pe_bisect_free(s->ranges.data[r].search.bisect);
	pe_vec_release(&s->ranges);
	pe_vec_release(&s->readings);
}

void pe_steps_same(struct pe_steps *s, size_t i)
{
	s->same[i] = true;
	for (size_t k = i; k < s->n && s->same[k]; k++)
		s->build[k] = s->build[i - 1];
	for (size_t r = 0; r < s->ranges.n; r++) {
		const struct pe_steps_range *range = &s->ranges.data[r];

		if (range->first < i && i <= range->last)
			pe_bisect_same(range->search.bisect, i - range->first);
	}
}

void pe_steps_skip(struct pe_steps *s, size_t i)
{
	s->skipped[i] = true;
	for (size_t r = 0; r < s->ranges.n; r++) {
		const struct pe_steps_range *range = &s->ranges.data[r];

		if (range->first <= i && i <= range->last)
			pe_bisect_skip(range->search.bisect, i - range->first);
	}
}

void pe_steps_cost(struct pe_steps *s, size_t i, double run, double build)
{
	s->run_cost[i] = run;
	s->build_cost[i] = build;
	for (size_t r = 0; r < s->ranges.n; r++) {
		const struct pe_steps_range *range = &s->ranges.data[r];

		if (range->first <= i && i <= range->last)
			pe_bisect_cost(range->search.bisect, i - range->first, run, build);
	}
}

void pe_steps_feed(struct pe_steps *s, const struct pe_bisect_reading *reading)
{
	pe_vec_push(&s->readings, *reading);
	s->runs += !reading->stored;
	for (size_t r = 0; r < s->ranges.n; r++) {
		struct pe_steps_range *range = &s->ranges.data[r];

		if (reading->revision >= range->first && reading->revision <= range->last)
			feed(&range->search, s, s->readings.n - 1, reading->revision - range->first,
			     false);
	}
}

/* --- Beside a place --- */

/* So probably does a revision differ from an end of its range that the range is cut there. */
static const double surely = 0.9;
/* Readings after which the revisions beside a place that is not certain are looked at. */
enum { LOOK_EVERY = 12 };
/* A revision is read so often, and no more, to tell a step that matters from none; then the likelier one is taken. */
enum { TELL_MOST = 24 };

/* The cheapest revision of a build that can be measured; SIZE_MAX: none. */
static size_t member_of(const struct pe_steps *s, size_t i)
{
	size_t best = SIZE_MAX;

	for (size_t k = s->build[i]; k < s->n && s->build[k] == s->build[i]; k++)
		if (!s->skipped[k] &&
		    (best == SIZE_MAX ||
		     s->run_cost[k] + s->build_cost[k] < s->run_cost[best] + s->build_cost[best]))
			best = k;
	return best;
}

/* Readings of a build; of the last one, how many readings of the line there were then. */
static size_t times_of(const struct pe_steps *s, size_t i, size_t *last)
{
	size_t n = 0;

	*last = 0;
	for (size_t k = 0; k < s->readings.n; k++) {
		if (s->build[s->readings.data[k].revision] != s->build[i])
			continue;
		n++;
		*last = k + 1;
	}
	return n;
}

/* A revision beside a place, and the end that it is to be like. */
struct beside {
	size_t revision, end;
	double differs; /* probability that it is not, by what matters */
	double far;     /* that it is not by so much that the place is in doubt */
	size_t times;   /* readings of the one that has less of them */
	size_t ask;     /* the one to read next, to tell them apart: they go in turn */
};

/* Probability that a change, and its error, are at least so large either way. */
static double exceeds(double change, double error, double least)
{
	return pe_normal_tail((least - change) / error) + pe_normal_tail((least + change) / error);
}

/* How probably they differ; steps below a quarter of the range's own are no doubt of its place. */
static void tell(struct beside *beside, const struct pe_steps *s,
		 const struct pe_steps_range *range, double step)
{
	const bool before = beside->revision > beside->end;
	const struct pe_bisect_result result =
		pe_steps_between(s, before ? beside->end : beside->revision,
				 before ? beside->revision : beside->end, false);
	const double by = pe_steps_scaled(s, result.relative);
	const double quarter = fabs(pe_steps_scaled(s, step)) / 4;
	/* The whole line's own was not known when its search began. */
	const double share = s->ranges.n == 1 ? s->opts.least_share * fabs(step) : 0;
	double error;

	beside->differs = beside->far = 1 - alike;
	if (s->opts.bisect.exact) {
		beside->differs = beside->far =
			fabs(result.new_level - result.old_level) >= pe_steps_least(s) &&
			!(result.none > 0);
	} else if (isfinite(by)) {
		error = (pe_steps_scaled(s, result.high) - pe_steps_scaled(s, result.low)) /
			(2 * 1.96);
		error = fmax(1e-9, error);
		beside->far = (1 - result.none) * exceeds(by, error, quarter);
		beside->differs =
			(1 - result.none) *
			exceeds(by, error,
				fmin(quarter, pe_steps_scaled(s, fmax(range->least, share))));
	}
}

static struct beside look_at(const struct pe_steps *s, const struct pe_steps_range *range,
			     size_t revision, size_t end, double step)
{
	struct beside beside = {.revision = member_of(s, revision), .end = member_of(s, end)};
	size_t last[2], times[2];

	/* An end equals itself, and an unmeasurable revision cannot be compared. */
	if (s->build[revision] == s->build[end] || beside.revision == SIZE_MAX ||
	    beside.end == SIZE_MAX)
		return (struct beside){.times = SIZE_MAX, .ask = SIZE_MAX};
	times[0] = times_of(s, revision, &last[0]);
	times[1] = times_of(s, end, &last[1]);
	beside.times = times[0] < times[1] ? times[0] : times[1];
	beside.ask = last[0] <= last[1] ? beside.revision : beside.end;
	tell(&beside, s, range, step);
	return beside;
}

/*
 * Look at the revisions beside the place of a range's step.
 *
 * @param cut  PE_BISECT_SMALL: where the range is to be cut
 * @param ask  PE_BISECT_GO_ON: the one to read next
 * @return     PE_BISECT_FOUND: they are like its ends
 */
static enum pe_bisect_answer look_beside(struct pe_steps *s, struct pe_steps_range *range,
					 size_t *cut, size_t *ask)
{
	const struct pe_bisect_result result = pe_bisect_result(range->search.bisect);
	const struct pe_bisect_group place = pe_steps_place(range);
	const struct beside sides[] = {
		look_at(s, range, place.first - 1, range->first, result.relative),
		look_at(s, range, place.last, range->last, result.relative),
	};
	const size_t least_times = s->opts.bisect.exact ? 1 : 2;
	bool told = true;
	double doubt = -1;

	range->looked = s->readings.n;
	range->near = range->alone = 1;
	*ask = SIZE_MAX;
	for (int side = 0; side < 2; side++) {
		const struct beside *one = &sides[side];
		const bool often = one->times >= TELL_MOST;
		double open = often ? one->far : one->differs;

		if (one->times >= least_times && one->differs > (often ? 0.5 : surely)) {
			*cut = one->revision;
			return PE_BISECT_SMALL;
		}
		range->near *= 1 - one->far;
		range->alone *= 1 - one->differs;
		told = told && often;
		if (one->ask != SIZE_MAX && open > doubt) {
			doubt = open;
			*ask = one->ask;
		}
	}
	told = told || place.probability * range->alone >= range->confidence;
	if (*ask == SIZE_MAX || (sides[0].times >= least_times && sides[1].times >= least_times &&
				 told && place.probability * range->near >= range->confidence))
		return PE_BISECT_FOUND;
	return PE_BISECT_GO_ON;
}

/* --- The search --- */

struct pe_bisect_group pe_steps_place(const struct pe_steps_range *range)
{
	struct pe_bisect_group place = pe_bisect_result(range->search.bisect).group;

	if (place.first > 0) {
		place.first += range->first;
		place.last += range->first;
	}
	return place;
}

/* How far apart the ends of a range are; 0 where that is not known. */
static double size_of(const struct pe_steps *s, const struct pe_steps_range *range)
{
	const struct pe_bisect_result result = pe_bisect_result(range->search.bisect);
	double size = s->opts.bisect.exact ? result.new_level - result.old_level
					   : pe_steps_scaled(s, result.relative);

	return isfinite(size) ? fabs(size) : 0;
}

/* The open range to search now; SIZE_MAX: the search is complete. */
static size_t choose(const struct pe_steps *s)
{
	const bool first = s->opts.want == PE_STEPS_FIRST;
	double most = -1;
	size_t chosen = SIZE_MAX;

	for (size_t r = 0; s->opts.want == PE_STEPS_LARGEST && r < s->ranges.n; r++)
		if (s->ranges.data[r].answer == PE_BISECT_FOUND)
			most = fmax(most, size_of(s, &s->ranges.data[r]));
	for (size_t r = 0; r < s->ranges.n; r++) {
		const struct pe_steps_range *range = &s->ranges.data[r];

		if (first && range->answer == PE_BISECT_FOUND)
			return SIZE_MAX;
		if (range->answer != PE_BISECT_GO_ON)
			continue;
		if (first || r == s->at)
			return r;
		if (size_of(s, range) > most) {
			most = size_of(s, range);
			chosen = r;
		}
	}
	return chosen;
}

/* The ranges on either side of a revision take the place of one. */
static void cut_range(struct pe_steps *s, size_t r, size_t revision)
{
	const struct pe_steps_range whole = s->ranges.data[r];
	const double confidence = 1 - (1 - whole.confidence) / 2;

	assert(revision > whole.first && revision < whole.last);
	pe_bisect_free(whole.search.bisect);
	pe_vec_push(&s->ranges, whole);
	memmove(&s->ranges.data[r + 1], &s->ranges.data[r],
		(s->ranges.n - 1 - r) * sizeof(*s->ranges.data));
	s->ranges.data[r] = begin_range(s, whole.first, revision, confidence);
	s->ranges.data[r + 1] = begin_range(s, revision, whole.last, confidence);
	s->at = SIZE_MAX;
}

/* A place was found, or is not found for long: is its step the only one of the range? */
static enum pe_bisect_answer check(struct pe_steps *s, struct pe_steps_range *range,
				   enum pe_bisect_answer answer, size_t *revision)
{
	const struct pe_bisect_result result = pe_bisect_result(range->search.bisect);
	const bool found = answer == PE_BISECT_FOUND;
	size_t cut, ask;

	if (result.group.first == 0 ||
	    (!found && (answer != PE_BISECT_GO_ON || s->opts.bisect.exact || result.none > 0.5 ||
			s->readings.n < range->looked + LOOK_EVERY)))
		return answer;
	switch (look_beside(s, range, &cut, &ask)) {
	case PE_BISECT_SMALL:
		cut_range(s, s->at, cut);
		return PE_BISECT_SMALL;
	case PE_BISECT_GO_ON:
		*revision = found ? ask : *revision;
		return PE_BISECT_GO_ON;
	default:
		return answer;
	}
}

/* Of an exact metric the step that was found may be less than matters, though the range's ends differ by more. */
static bool is_small(const struct pe_steps *s, const struct pe_steps_range *range)
{
	const struct pe_bisect_group place = pe_steps_place(range);

	return s->opts.bisect.exact &&
	       fabs(value_of(s, place.last) - value_of(s, place.first - 1)) < pe_steps_least(s);
}

/*
 * Readings for another range also tell about the steps that were found before it: a range whose step is no longer as sure
 * as required is open again.
 *
 * @return  whether there is one
 */
static bool reopen(struct pe_steps *s)
{
	if (s->opts.bisect.exact || s->runs >= s->opts.bisect.max_runs)
		return false;
	for (size_t r = 0; r < s->ranges.n; r++) {
		struct pe_steps_range *range = &s->ranges.data[r];

		if (range->answer != PE_BISECT_FOUND || range->looked == s->readings.n ||
		    pe_steps_place(range).probability >= range->confidence)
			continue;
		range->answer = PE_BISECT_GO_ON;
		s->at = r;
		return true;
	}
	return false;
}

/* All ranges are searched that had to be. */
static enum pe_bisect_answer conclude(const struct pe_steps *s)
{
	for (size_t r = 0; r < s->ranges.n; r++)
		if (s->ranges.data[r].answer == PE_BISECT_FOUND)
			return PE_BISECT_FOUND;
	return s->ranges.n > 1 ? PE_BISECT_SMALL : s->ranges.data[0].answer;
}

enum pe_bisect_answer pe_steps_next(struct pe_steps *s, size_t *revision)
{
	*revision = SIZE_MAX;
	while ((s->at = choose(s)) != SIZE_MAX || reopen(s)) {
		const size_t n_ranges = s->ranges.n;
		struct pe_steps_range *range = &s->ranges.data[s->at];
		enum pe_bisect_answer answer = pe_bisect_next(range->search.bisect, revision);

		if (answer == PE_BISECT_GO_ON)
			*revision += range->first;
		answer = check(s, range, answer, revision);
		if (s->ranges.n > n_ranges)
			continue;
		if (answer == PE_BISECT_GO_ON && s->runs >= s->opts.bisect.max_runs)
			answer = PE_BISECT_SPENT;
		if (answer == PE_BISECT_GO_ON || answer == PE_BISECT_SPENT)
			return s->answer = answer;
		range->answer =
			answer == PE_BISECT_FOUND && is_small(s, range) ? PE_BISECT_SMALL : answer;
		range->looked = s->readings.n;
		s->at = SIZE_MAX;
	}
	*revision = SIZE_MAX;
	return s->answer = conclude(s);
}
