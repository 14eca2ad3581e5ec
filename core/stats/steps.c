#include "core/stats/steps.h"

#include "core/base/vec.h"
#include "core/stats/order.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A search for one step, and which readings of the line it was fed. */
struct search {
	struct pe_bisect *bisect;
	size_t gap; /* readings of others between two of a revision after which a batch begins */
	size_t n;   /* readings of the line up to the last one that was fed */
	int64_t batch;
};

/* A part of the line, and the search for the step in it. */
struct range {
	size_t first, last;
	struct search search;
	double confidence;
	double least; /* smaller steps are not looked for, as least_of() has it */
	/* readings of the line when the revisions beside its place were last looked at, or its answer was given */
	size_t looked;
	double near; /* probability that these are nearer to the levels of its ends than to each other's */
	double alone; /* probability that they are at those levels, but for what does not matter */
	/* PE_BISECT_GO_ON: open; PE_BISECT_SMALL: its step is less than matters */
	enum pe_bisect_answer answer;
};

struct pe_steps {
	struct pe_steps_opts opts;
	const struct pe_bisect_line *line;
	struct pe_arena *arena;
	PE_VEC(struct pe_bisect_reading) readings;
	PE_VEC(struct range) ranges; /* from the old end on; they cover the line */
	size_t runs;
	size_t at; /* the range that the search is in; SIZE_MAX: none */
	enum pe_bisect_answer answer;
};

/* --- Readings --- */

/* With this many readings of others between two of a pair, the machine's drift between them is unknown. */
enum { GAP = 6 };

/* A reading as a search takes it: a revision of its own counting, and a batch that ends with a gap. */
static void feed(struct search *to, const struct pe_steps *s, size_t i, size_t revision, bool old)
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

/*
 * The difference of two revisions, from the readings of both: a search on them has no place to find.
 *
 * @param apart  also from readings far apart in time: the machine's drift between them may be part of it
 */
static struct pe_bisect_result difference(const struct pe_steps *s, size_t older, size_t newer,
					  bool apart)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_bisect_opts opts = s->opts.bisect;
	struct search pair = {.gap = apart ? SIZE_MAX : GAP};
	struct pe_bisect_result result;
	size_t next;

	opts.none = alike;
	pair.bisect = pe_bisect_new(pe_bisect_line_new(2, &work), 0, 1, &opts, &work);
	for (size_t i = 0; i < s->readings.n; i++) {
		size_t build = s->line->build[s->readings.data[i].revision];

		if (build == s->line->build[older] || build == s->line->build[newer])
			feed(&pair, s, i, build == s->line->build[newer], true);
	}
	pe_bisect_next(pair.bisect, &next);
	result = pe_bisect_result(pair.bisect);
	pe_bisect_free(pair.bisect);
	return result;
}

/* A relative change (0.05: +5 %) on the scale on which changes add up; of an exact metric the value itself. */
static double scaled(const struct pe_steps *s, double relative)
{
	return s->opts.bisect.unit > 0 ? relative : log1p(relative);
}

/* The relative change of which scaled() is `by`. */
static double relative_of(const struct pe_steps *s, double by)
{
	return s->opts.bisect.unit > 0 ? by : expm1(by);
}

/* Smaller steps are not looked for: a value of an exact metric, else relative. */
static double least_of(const struct pe_steps *s)
{
	const struct pe_bisect_opts *opts = &s->opts.bisect;
	struct pe_bisect_result ends;
	double whole;

	if (!opts->exact && !(s->opts.least_share > 0))
		return opts->min_effect;
	ends = difference(s, 0, s->line->n - 1, false);
	whole = fabs(opts->exact ? ends.new_level - ends.old_level : ends.relative);
	return fmax(opts->exact ? opts->min_effect * fabs(ends.old_level) : opts->min_effect,
		    isfinite(whole) ? s->opts.least_share * whole : 0);
}

/* Of an exact metric. NaN: it was not read. */
static double value_of(const struct pe_steps *s, size_t i)
{
	for (size_t k = 0; k < s->readings.n; k++)
		if (s->line->build[s->readings.data[k].revision] == s->line->build[i])
			return s->readings.data[k].value;
	return NAN;
}

/* --- Ranges --- */

static struct range begin_range(struct pe_steps *s, size_t first, size_t last, double confidence)
{
	const bool whole = s->ranges.n == 0;
	struct pe_bisect_opts opts = s->opts.bisect;
	struct range range = {
		.first = first, .last = last, .confidence = confidence, .near = 1, .alone = 1};
	size_t next;

	range.least = opts.min_effect;
	range.looked = s->readings.n;
	range.search.gap = GAP;
	if (!whole) {
		opts.none = alike;
		range.least = opts.min_effect = least_of(s);
		if (opts.exact && fabs(value_of(s, first)) > 0)
			opts.min_effect /= fabs(value_of(s, first));
	}
	opts.once = opts.once || !whole;
	opts.confidence = confidence;
	opts.max_runs = opts.max_runs > s->runs ? opts.max_runs - s->runs : 0;
	range.search.bisect = pe_bisect_new(s->line, first, last, &opts, s->arena);
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

struct pe_steps *pe_steps_new(const struct pe_bisect_line *line, const struct pe_steps_opts *opts,
			      struct pe_arena *arena)
{
	struct pe_steps *s = pe_arena_new(arena, struct pe_steps, 1);
	struct range whole;

	s->opts = *opts;
	s->line = line;
	s->arena = arena;
	s->at = SIZE_MAX;
	whole = begin_range(s, 0, line->n - 1, opts->bisect.confidence);
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

void pe_steps_feed(struct pe_steps *s, const struct pe_bisect_reading *reading)
{
	pe_vec_push(&s->readings, *reading);
	s->runs += !reading->stored;
	for (size_t r = 0; r < s->ranges.n; r++) {
		struct range *range = &s->ranges.data[r];

		if (reading->revision >= range->first && reading->revision <= range->last)
			feed(&range->search, s, s->readings.n - 1, reading->revision - range->first,
			     false);
	}
}

/* --- Beside a place --- */

/* Where a range's step most probably is, in revisions of the line; first is 0 where it is unknown. */
static struct pe_bisect_group place_of(const struct range *range)
{
	struct pe_bisect_group place = pe_bisect_result(range->search.bisect).group;

	if (place.first > 0) {
		place.first += range->first;
		place.last += range->first;
	}
	return place;
}

/* So probably does a revision differ from an end of its range that the range is cut there. */
static const double surely = 0.9;
/* Readings after which the revisions beside a place that is not certain are looked at. */
enum { LOOK_EVERY = 12 };
/* A revision is read so often, and no more, to tell a step that matters from none; then the likelier one is taken. */
enum { TELL_MOST = 24 };

/* The cheapest revision of a build that can be measured; SIZE_MAX: none. */
static size_t member_of(const struct pe_steps *s, size_t i)
{
	return pe_bisect_line_cheapest(s->line, s->line->build[i], s->line->n);
}

/* Readings of a build; of the last one, how many readings of the line there were then. */
static size_t times_of(const struct pe_steps *s, size_t i, size_t *last)
{
	size_t n = 0;

	*last = 0;
	for (size_t k = 0; k < s->readings.n; k++) {
		if (s->line->build[s->readings.data[k].revision] != s->line->build[i])
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
static void tell(struct beside *beside, const struct pe_steps *s, const struct range *range,
		 double step)
{
	const bool before = beside->revision > beside->end;
	const struct pe_bisect_result result =
		difference(s, before ? beside->end : beside->revision,
			   before ? beside->revision : beside->end, false);
	const double by = scaled(s, result.relative);
	const double quarter = fabs(scaled(s, step)) / 4;
	/* The whole line's own was not known when its search began. */
	const double share = s->ranges.n == 1 ? s->opts.least_share * fabs(step) : 0;
	double error;

	beside->differs = beside->far = 1 - alike;
	if (s->opts.bisect.exact) {
		beside->differs = beside->far =
			fabs(result.new_level - result.old_level) >= least_of(s) &&
			!(result.none > 0);
	} else if (isfinite(by)) {
		error = (scaled(s, result.high) - scaled(s, result.low)) / (2 * 1.96);
		error = fmax(1e-9, error);
		beside->far = (1 - result.none) * exceeds(by, error, quarter);
		beside->differs =
			(1 - result.none) *
			exceeds(by, error, fmin(quarter, scaled(s, fmax(range->least, share))));
	}
}

static struct beside look_at(const struct pe_steps *s, const struct range *range, size_t revision,
			     size_t end, double step)
{
	struct beside beside = {.revision = member_of(s, revision), .end = member_of(s, end)};
	size_t last[2], times[2];

	/* An end equals itself, and an unmeasurable revision cannot be compared. */
	if (s->line->build[revision] == s->line->build[end] || beside.revision == SIZE_MAX ||
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
static enum pe_bisect_answer look_beside(struct pe_steps *s, struct range *range, size_t *cut,
					 size_t *ask)
{
	const struct pe_bisect_result result = pe_bisect_result(range->search.bisect);
	const struct pe_bisect_group place = place_of(range);
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

/* How far apart the ends of a range are; 0 where that is not known. */
static double size_of(const struct pe_steps *s, const struct range *range)
{
	const struct pe_bisect_result result = pe_bisect_result(range->search.bisect);
	double size = s->opts.bisect.exact ? result.new_level - result.old_level
					   : scaled(s, result.relative);

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
		const struct range *range = &s->ranges.data[r];

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
	const struct range whole = s->ranges.data[r];
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
static enum pe_bisect_answer check(struct pe_steps *s, struct range *range,
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
static bool is_small(const struct pe_steps *s, const struct range *range)
{
	const struct pe_bisect_group place = place_of(range);

	return s->opts.bisect.exact &&
	       fabs(value_of(s, place.last) - value_of(s, place.first - 1)) < least_of(s);
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
		struct range *range = &s->ranges.data[r];

		if (range->answer != PE_BISECT_FOUND || range->looked == s->readings.n ||
		    place_of(range).probability >= range->confidence)
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
		struct range *range = &s->ranges.data[s->at];
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

/* --- The result --- */

struct pe_bisect_result pe_steps_now(const struct pe_steps *s)
{
	const struct range *range = &s->ranges.data[s->at == SIZE_MAX ? 0 : s->at];
	struct pe_bisect_result result = pe_bisect_result(range->search.bisect);

	result.group = place_of(range);
	result.group.probability *= range->near;
	result.runs = s->runs;
	return result;
}

/* Half of the interval of a change. */
static double error_of(const struct pe_steps *s, const struct pe_bisect_result *result)
{
	return (scaled(s, result->high) - scaled(s, result->low)) / 2;
}

/* --- What no step explains --- */

/* Differences below this share of the whole difference are not reported. */
static const double min_share = 1e-3;

static bool is_rest(const struct pe_steps *s, const struct pe_bisect_result *result, double whole,
		    double errors)
{
	if (s->opts.bisect.exact)
		return fabs(result->new_level - result->old_level) > min_share * whole;
	/* Many are tested: each has to be surer than one in twenty. */
	return result->none < 0.05 &&
	       fabs(scaled(s, result->relative)) >= errors * error_of(s, result);
}

static void add_rest(struct pe_steps_result *out, const struct pe_steps *s, size_t first,
		     size_t last)
{
	const double whole = fabs(out->range.new_level - out->range.old_level);
	struct pe_steps_rest rest = {.first = first, .last = last, .searched = true};

	if (s->line->build[first] == s->line->build[last])
		return;
	for (size_t r = 0; r < s->ranges.n; r++)
		if (s->ranges.data[r].answer == PE_BISECT_GO_ON && s->ranges.data[r].first < last &&
		    first < s->ranges.data[r].last)
			rest.searched = false;
	rest.result = difference(s, first, last, false);
	if (is_rest(s, &rest.result, whole, 1.5)) {
		out->rests[out->n_rests++] = rest;
		return;
	}
	/* Those two may never have been read together. */
	rest.result = difference(s, first, last, true);
	if (is_rest(s, &rest.result, whole, 3))
		out->rests[out->n_rests++] = rest;
}

static void add_rests(struct pe_steps_result *out, const struct pe_steps *s, struct pe_arena *arena)
{
	size_t first = 0;

	out->rests = pe_arena_new(arena, struct pe_steps_rest, out->n + 1);
	for (size_t k = 0; k < out->n; k++) {
		add_rest(out, s, first, out->steps[k].result.group.first - 1);
		first = out->steps[k].result.group.last;
	}
	add_rest(out, s, first, s->line->n - 1);
}

/* --- Steps --- */

/* The ends of a range differ by its step, and by the differences next to it. */
static void leave_out(struct pe_bisect_result *step, const struct pe_steps *s, size_t first,
		      size_t last, bool before)
{
	struct pe_bisect_result rest;
	double by;

	if (s->line->build[first] == s->line->build[last])
		return;
	rest = difference(s, first, last, false);
	if (!is_rest(s, &rest, 0, 1.5))
		return;
	by = scaled(s, rest.relative);
	step->relative = relative_of(s, scaled(s, step->relative) - by);
	step->low = relative_of(s, scaled(s, step->low) - by);
	step->high = relative_of(s, scaled(s, step->high) - by);
	if (before)
		step->old_level *= 1 + rest.relative;
	else
		step->new_level /= 1 + rest.relative;
}

static struct pe_step step_of(const struct pe_steps *s, const struct range *range, double least,
			      struct pe_arena *arena)
{
	const struct pe_bisect_group place = place_of(range);
	struct pe_step step = {.result = pe_bisect_result(range->search.bisect)};

	if (s->opts.bisect.exact && range->answer == PE_BISECT_FOUND)
		step.result = difference(s, place.first - 1, place.last, false);
	else if (range->answer == PE_BISECT_FOUND) {
		leave_out(&step.result, s, range->first, place.first - 1, true);
		leave_out(&step.result, s, place.last, range->last, false);
	}
	step.others = 1 - range->alone;
	step.groups = pe_arena_new(arena, struct pe_bisect_group, range->last - range->first + 1);
	step.n_groups = pe_bisect_groups(step.groups, range->search.bisect, least);
	for (size_t g = 0; g < step.n_groups; g++) {
		step.groups[g].first += range->first;
		step.groups[g].last += range->first;
	}
	step.result.group = place;
	step.result.group.probability *= range->near;
	if (step.n_groups > 0)
		step.groups[0].probability *= range->near;
	/* The first is where a step was found; until then others may be likelier than the one that is doubted. */
	for (size_t g = 1; range->answer != PE_BISECT_FOUND && g < step.n_groups &&
			   step.groups[g - 1].probability < step.groups[g].probability;
	     g++) {
		const struct pe_bisect_group likelier = step.groups[g];

		step.groups[g] = step.groups[g - 1];
		step.groups[g - 1] = likelier;
	}
	return step;
}

struct pe_steps_result pe_steps_result(const struct pe_steps *s, double least,
				       struct pe_arena *arena)
{
	struct pe_steps_result out = {.answer = s->answer};

	out.steps = pe_arena_new(arena, struct pe_step, s->ranges.n);
	for (size_t r = 0; r < s->ranges.n; r++) {
		const struct range *range = &s->ranges.data[r];

		if (range->answer == PE_BISECT_FOUND)
			out.steps[out.n++] = step_of(s, range, least, arena);
		else if (r == s->at || s->ranges.n == 1)
			out.at = step_of(s, range, least, arena);
		out.partial = out.partial || range->answer == PE_BISECT_GO_ON;
	}
	if (s->ranges.n > 1 || s->opts.bisect.exact)
		out.range = difference(s, 0, s->line->n - 1, false);
	else
		out.range = pe_bisect_result(s->ranges.data[0].search.bisect);
	out.range.answer = s->answer;
	out.range.runs = s->runs;
	out.range.group = out.n > 0 ? out.steps[0].result.group : out.at.result.group;
	out.least = least_of(s);
	if (s->opts.bisect.exact)
		out.least /= fabs(out.range.old_level);
	if (out.n > 0 || out.answer == PE_BISECT_SMALL)
		add_rests(&out, s, arena);
	return out;
}
