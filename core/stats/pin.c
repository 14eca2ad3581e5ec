#include "core/stats/pin.h"

#include "core/stats/line.h"

#include <math.h>
#include <stdlib.h>

#define ENOUGH 0.95
/* Commits of known level that are measured along on either side of those whose level is not. */
#define COMPANY 3
#define HUBER_K 3
/*
 * The part of a log-likelihood that counts: variances and rounds are estimates themselves, and noise has longer tails than
 * the loss. With all of it, simulated places were right less often than their probability.
 */
#define TRUST 0.75
/*
 * The limit of a single commit's influence on a place, in squared deviations: at least five of them. The search allows less
 * to a commit that may be an outlier; but an outlier that is exactly on the level is unlikely.
 */
#define OUTLIER 25
#define REACH   50 /* commits on either side of a change whose runs are used */
/* Where the runs give a step another size, by this factor, their law does not fit it. */
#define MOST_APART 2.0

static double loss(const struct pe_segment_value *value, double level, double k)
{
	double u = fabs(value->value - level) / value->sd;

	return fmin(u <= k ? u * u : 2 * k * u - k * k, fmax(value->limit, OUTLIER));
}

/*
 * Make probabilities of logarithms of them, those of the places from 1 to n - 1; place 0 has none. All are 0 where no place
 * is possible.
 *
 * @return  the likeliest
 */
static size_t weigh_places(double *chance, size_t n)
{
	double sum = 0, most = -INFINITY;
	size_t best = 0;

	chance[0] = 0;
	for (size_t place = 1; place < n; place++) {
		if (!(chance[place] > most))
			continue;
		most = chance[place];
		best = place;
	}
	for (size_t place = 1; place < n; place++)
		sum += chance[place] = best > 0 ? exp(TRUST * (chance[place] - most)) : 0;
	for (size_t place = 1; best > 0 && place < n; place++)
		chance[place] /= sum;
	return best;
}

/* The fewest neighbouring places around one that hold enough. */
static struct pe_pin spread(const double *chance, size_t n, size_t change)
{
	double held = chance[change];
	struct pe_pin pin = {chance[change], change, change};

	while (held < ENOUGH && (pin.first > 1 || pin.last + 1 < n)) {
		double left = pin.first > 1 ? chance[pin.first - 1] : -1;
		double right = pin.last + 1 < n ? chance[pin.last + 1] : -1;

		held += fmax(left, right);
		if (left > right)
			pin.first--;
		else
			pin.last++;
	}
	return pin;
}

struct pe_pin pe_pin_change(const struct pe_segment_value *values, size_t n, size_t change,
			    double before, double after, double k)
{
	pe_auto_free double *chance = pe_realloc(NULL, n, sizeof(*chance));
	double cost = 0;

	for (size_t place = 1; place < n; place++) {
		const struct pe_segment_value *value = &values[place - 1];

		/* One value more that is held to the old level, and no longer to the new one. */
		cost += loss(value, before, k) - loss(value, after, k);
		chance[place] = -cost / 2;
	}
	weigh_places(chance, n);
	return spread(chance, n, change);
}

bool pe_pin_runs(struct pe_pin *pin, size_t *likeliest, const struct pe_run_likelihood *likelihood,
		 const struct pe_pin_step *step)
{
	const size_t near = step->change - step->from, far = step->to - step->change;
	const size_t from = near > REACH ? step->change - REACH : step->from;
	const size_t to = far > REACH ? step->change + REACH : step->to;
	const double before = pe_run_likelihood_level(likelihood, from, step->change);
	const double after = pe_run_likelihood_level(likelihood, step->change, to);
	const double share = (after - before) / step->size;
	const size_t n = to - from;
	pe_auto_free double *chance = NULL;

	if (!(share >= 1 / MOST_APART && share <= MOST_APART))
		return false;
	chance = pe_realloc(NULL, n, sizeof(*chance));
	for (size_t place = 1; place < n; place++)
		chance[place] = (place > 1 ? chance[place - 1] : 0) +
				pe_run_likelihood_at(likelihood, from + place - 1, before) -
				pe_run_likelihood_at(likelihood, from + place - 1, after);
	*likeliest = from + weigh_places(chance, n);
	*pin = spread(chance, n, step->change - from);
	pin->first += from;
	pin->last += from;
	return true;
}

struct pe_pin_commits pe_pin_remeasure(const struct pe_changepoints *found, size_t change,
				       double sure, struct pe_arena *arena)
{
	const struct pe_changepoint *at = &found->at[change];
	struct pe_changepoint_reach reach = pe_changepoint_reach(found, change);
	struct pe_pin_commits out = {pe_arena_new(arena, size_t, reach.to - reach.from), 0};
	size_t from = at->first, to = at->last, n = 0;

	if (at->sure >= sure)
		return out;
	/* Commits before `first` are old, and `last` itself is new. */
	for (; from > reach.from && n < COMPANY; n += pe_changepoint_holds(found, change, from))
		from--;
	for (n = 0; to < reach.to && n < COMPANY; to++)
		n += pe_changepoint_holds(found, change, to);
	for (size_t i = from; i < to; i++)
		if (pe_changepoint_holds(found, change, i))
			out.commit[out.n++] = i;
	return out;
}

/* Positions to keep: from some before the first place to as many from the last on. */
static void keep_company(size_t n, const struct pe_pin *pin, size_t *from, size_t *to)
{
	*from = pin->first > COMPANY ? pin->first - COMPANY : 0;
	*to = pin->last + COMPANY < n ? pin->last + COMPANY : n;
}

/* Cost of one level with its own best value: its loss, and the penalty for estimating the level. */
static double level_cost(const struct pe_segment_value *values, size_t n, double *level)
{
	double cost = 0, weights = 0;

	*level = pe_segment_level(values, n, HUBER_K);
	for (size_t i = 0; i < n; i++) {
		cost += loss(&values[i], *level, HUBER_K);
		weights += 1 / (values[i].sd * values[i].sd);
	}
	return cost + log(weights);
}

/* The chance of each place with the levels integrated out. @return  the likeliest; 0: none goes in the direction */
static size_t weigh_unknown(double *chance, const struct pe_segment_value *values, size_t n,
			    int direction)
{
	for (size_t place = 1; place < n; place++) {
		double before, after;

		chance[place] = -(level_cost(values, place, &before) +
				  level_cost(values + place, n - place, &after)) /
				2;
		if (!((after - before) * direction > 0))
			chance[place] = -INFINITY;
	}
	return weigh_places(chance, n);
}

static bool is_among(const struct pe_pin_commits *commits, size_t commit)
{
	for (size_t i = 0; i < commits->n; i++)
		if (commits->commit[i] == commit)
			return true;
	return false;
}

static struct pe_readings only(const struct pe_readings *readings,
			       const struct pe_pin_commits *commits, struct pe_arena *work)
{
	struct pe_reading *at = pe_arena_new(work, struct pe_reading, readings->n);
	struct pe_readings out = {at, 0, readings->n_commits};

	for (size_t i = 0; i < readings->n; i++)
		if (is_among(commits, readings->at[i].commit))
			at[out.n++] = readings->at[i];
	return out;
}

/* The line of most commits, as the search would see them. */
static struct pe_segment_value *see(const struct pe_readings *readings, double jitter,
				    const struct pe_commit_line **line, struct pe_arena *work)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_segment_value *seen;
	struct pe_lines lines;

	if (jitter > 0)
		opts.prior_jitter = jitter;
	lines = pe_lines_of(readings, &opts, work);
	*line = NULL;
	for (size_t i = 0; i < lines.n; i++)
		if (*line == NULL || lines.at[i].n > (*line)->n)
			*line = &lines.at[i];
	if (*line == NULL)
		return NULL;
	seen = pe_arena_new(work, struct pe_segment_value, (*line)->n);
	for (size_t i = 0; i < (*line)->n; i++)
		seen[i] = (struct pe_segment_value){(*line)->located.at[i],
						    sqrt((*line)->variance[i]), 0};
	return seen;
}

struct pe_pin_refined pe_pin_refine(const struct pe_readings *readings,
				    const struct pe_pin_commits *commits,
				    const struct pe_pin_opts *opts, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_readings mine = only(readings, commits, &work);
	const struct pe_commit_line *line;
	struct pe_segment_value *seen = see(&mine, opts->jitter, &line, &work);
	struct pe_pin_refined out = {.index = PE_NO_COMPONENT};
	size_t best = 0, from, to;
	struct pe_pin pin;
	double *chance;

	if (line != NULL && line->n > 1) {
		chance = pe_arena_new(&work, double, line->n);
		best = weigh_unknown(chance, seen, line->n, opts->direction);
		pin = spread(chance, line->n, best);
	}
	if (best > 0) {
		out = (struct pe_pin_refined){
			line->commit[best],      line->commit[best - 1], pin.sure,
			line->commit[pin.first], line->commit[pin.last], {NULL, 0}};
		keep_company(line->n, &pin, &from, &to);
		out.again.commit = pe_arena_new(arena, size_t, line->n);
		for (size_t i = from; pin.sure < opts->sure && i < to; i++)
			out.again.commit[out.again.n++] = line->commit[i];
	}
	return out;
}
