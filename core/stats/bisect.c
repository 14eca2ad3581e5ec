#include "core/stats/bisect.h"

#include "core/stats/bisect_inner.h"

#include <assert.h>
#include <math.h>

const char *pe_bisect_answer_name(enum pe_bisect_answer answer)
{
	static const char *const names[] = {
		[PE_BISECT_GO_ON] = "going on",           [PE_BISECT_FOUND] = "found",
		[PE_BISECT_SAME] = "no difference",       [PE_BISECT_SPENT] = "runs spent",
		[PE_BISECT_STUCK] = "cannot be measured", [PE_BISECT_SMALL] = "small steps",
	};

	return names[answer];
}

/* --- Setting up --- */

struct pe_bisect *pe_bisect_new(const struct pe_bisect_line *line, size_t first, size_t last,
				const struct pe_bisect_opts *opts, struct pe_arena *arena)
{
	struct pe_bisect *b = pe_arena_new(arena, struct pe_bisect, 1);
	const size_t n = last - first + 1;

	assert(first < last && last < line->n);
	b->opts = *opts;
	b->line = line;
	b->first = first;
	b->n = n;
	b->skipped = line->skipped + first;
	b->run_cost = line->run_cost + first;
	b->build_cost = line->build_cost + first;
	b->sum = pe_arena_new(arena, double, n);
	b->build = pe_arena_new(arena, size_t, n);
	b->times = pe_arena_new(arena, size_t, n);
	b->slot = pe_arena_new(arena, size_t, n);
	b->stale = true;
	return b;
}

/* --- Readings to probabilities --- */

static const double least_noise = 2e-4, noise_ratio = 1.5;
/* Before any reading: about 1 %, and mostly within a factor of four. */
static const double usual_noise = 0.01, noise_spread = 1.3;

static double noise_at(size_t j)
{
	return least_noise * pow(noise_ratio, (double)(j % PE_BISECT_NOISES));
}

static enum pe_twolevel_machine machine_of(size_t j)
{
	return (enum pe_twolevel_machine)(j / PE_BISECT_NOISES);
}

static double scaled(const struct pe_bisect *b, double value)
{
	return b->opts.unit > 0 ? value / b->opts.unit : log(value);
}

static struct pe_bisect_hypothesis begin_hypothesis(const struct pe_bisect *b, bool none,
						    double about)
{
	struct pe_bisect_hypothesis hypothesis = {
		.none = none, .before = 0, .after = pe_bisect_new_end(b)};

	for (size_t j = 0; j < PE_BISECT_MODELS; j++) {
		hypothesis.at[j] = pe_realloc(NULL, 1, sizeof(*hypothesis.at[j]));
		pe_twolevel_begin(hypothesis.at[j], machine_of(j), noise_at(j), b->opts.builds,
				  about);
	}
	return hypothesis;
}

static void free_hypotheses(struct pe_bisect *b)
{
	for (size_t g = 0; g < b->hypotheses.n; g++)
		for (size_t j = 0; j < PE_BISECT_MODELS; j++)
			free(b->hypotheses.data[g].at[j]);
	b->hypotheses.n = 0;
}

static void take_into(struct pe_bisect_hypothesis *hypothesis, const struct pe_bisect *b,
		      bool fresh, size_t build, double value)
{
	int side = !hypothesis->none && build >= hypothesis->after;

	for (size_t j = 0; j < PE_BISECT_MODELS; j++)
		if (hypothesis->at[j] != NULL)
			pe_twolevel_take(hypothesis->at[j], fresh, side, b->slot[build], value);
}

void pe_bisect_free(struct pe_bisect *b)
{
	if (b == NULL)
		return;
	free_hypotheses(b);
	pe_vec_release(&b->readings);
	pe_vec_release(&b->gross);
	pe_vec_release(&b->hypotheses);
}

static struct pe_twolevel *copy_of(const struct pe_twolevel *levels)
{
	struct pe_twolevel *copy;

	if (levels == NULL)
		return NULL;
	copy = pe_realloc(NULL, 1, sizeof(*copy));
	*copy = *levels;
	return copy;
}

/* The first reading of a build between the two that a guess is about makes two guesses of it. */
static void split(struct pe_bisect *b, size_t build)
{
	for (size_t g = 0; g < b->hypotheses.n; g++) {
		struct pe_bisect_hypothesis copy = b->hypotheses.data[g];

		if (copy.none || build <= copy.before || build >= copy.after)
			continue;
		b->hypotheses.data[g].after = build;
		copy.before = build;
		for (size_t j = 0; j < PE_BISECT_MODELS; j++)
			copy.at[j] = copy_of(copy.at[j]);
		pe_vec_push(&b->hypotheses, copy);
		return;
	}
}

static void take(struct pe_bisect *b, size_t i)
{
	const struct pe_bisect_reading *reading = &b->readings.data[i];
	size_t build = b->build[reading->revision];
	bool first = b->last == SIZE_MAX;
	double value = b->opts.exact ? reading->value : scaled(b, reading->value);

	if (first && !b->opts.exact) {
		/* Where the first one is gross, the levels are vague enough all the same. */
		pe_vec_push(&b->hypotheses, begin_hypothesis(b, true, value));
		pe_vec_push(&b->hypotheses, begin_hypothesis(b, false, value));
	}
	if (b->times[build] == 0)
		b->slot[build] =
			b->n_slots < PE_TWOLEVEL_BUILDS ? b->n_slots++ : PE_TWOLEVEL_NO_SLOT;
	split(b, build);
	for (size_t g = 0; !b->gross.data[i] && g < b->hypotheses.n; g++)
		take_into(&b->hypotheses.data[g], b, !first && reading->batch != b->batch, build,
			  value);
	b->times[build]++;
	b->last = build;
	b->batch = reading->batch;
}

/*
 * Levels were begun as wide as can be, which would count against any change at all. What is expected of one
 * is a Cauchy distribution about the smallest change that matters; the ratio of the two at the estimate sets
 * it right, for the evidence is narrow against both.
 */
static double expectation(const struct pe_bisect *b, const struct pe_bisect_hypothesis *hypothesis,
			  size_t j)
{
	const double vague = 3;
	const double pi = 3.14159265358979324;
	double width = fmax(b->opts.min_effect, 0.03), variance, step;

	if (hypothesis->none)
		return 0;
	step = pe_twolevel_step(hypothesis->at[j], &variance);
	if (variance > 1)
		return 0;
	return log(width / (pi * (width * width + step * step))) +
	       0.5 * log(4 * pi * vague * vague) + step * step / (4 * vague * vague);
}

static double prior_of_model(const struct pe_bisect *b, size_t j)
{
	static const double often[] = {
		[PE_TWOLEVEL_CALM] = 0.5,
		[PE_TWOLEVEL_MOVING] = 0.33,
		[PE_TWOLEVEL_RESTLESS] = 0.07,
		[PE_TWOLEVEL_MODES] = 0.1, /* all of them */
	};
	const enum pe_twolevel_machine machine = machine_of(j);
	const bool modes = machine >= PE_TWOLEVEL_MODES;
	const double chance =
		modes ? often[PE_TWOLEVEL_MODES] / (PE_TWOLEVEL_MODES_END - PE_TWOLEVEL_MODES)
		      : often[machine];
	double z = log(noise_at(j) / usual_noise) / noise_spread, short_of;

	/* Much less noise than readings of one build show is next to out of the question, however apt its outliers. */
	short_of =
		fmax(0, log(0.8 * b->spread / pe_twolevel_deviation(machine, noise_at(j)))) / 0.1;
	return log(chance) - 0.5 * (z * z + short_of * short_of);
}

/*
 * What the model of noise leaves out adds up with the readings: evidence counts for the less, the more of them
 * it took. By simulation (bench/simulate_bisect.c).
 */
static double trust(const struct pe_bisect *b)
{
	return 1 / (1 + (double)b->readings.n / 5000);
}

static double log_weight(const struct pe_bisect *b, const struct pe_bisect_hypothesis *hypothesis,
			 size_t j)
{
	double places = hypothesis->none ? b->opts.none
					 : (1 - b->opts.none) *
						   pe_bisect_weight(b, hypothesis->before,
								    hypothesis->after) /
						   pe_bisect_weight(b, 0, pe_bisect_new_end(b));

	return places > 0 && hypothesis->at[j] != NULL
		       ? log(places) + prior_of_model(b, j) +
				 trust(b) * hypothesis->at[j]->log_likelihood +
				 expectation(b, hypothesis, j)
		       : -INFINITY;
}

/* Models that hardly count any more are not followed further. */
static void drop_models(struct pe_bisect *b, const double share[PE_BISECT_MODELS])
{
	const size_t enough = 6;

	for (size_t j = 0; j < PE_BISECT_MODELS; j++)
		for (size_t g = 0;
		     b->readings.n >= enough && share[j] < 1e-4 && g < b->hypotheses.n; g++) {
			free(b->hypotheses.data[g].at[j]);
			b->hypotheses.data[g].at[j] = NULL;
		}
}

static void weigh(struct pe_bisect *b)
{
	double most = -INFINITY, sum = 0, share[PE_BISECT_MODELS] = {0};

	for (size_t g = 0; g < b->hypotheses.n; g++)
		for (size_t j = 0; j < PE_BISECT_MODELS; j++) {
			struct pe_bisect_hypothesis *hypothesis = &b->hypotheses.data[g];

			hypothesis->weight[j] = log_weight(b, hypothesis, j);
			most = fmax(most, hypothesis->weight[j]);
		}
	for (size_t g = 0; g < b->hypotheses.n; g++)
		for (size_t j = 0; j < PE_BISECT_MODELS; j++) {
			struct pe_bisect_hypothesis *hypothesis = &b->hypotheses.data[g];

			hypothesis->weight[j] = exp(hypothesis->weight[j] - most);
			sum += hypothesis->weight[j];
		}
	for (size_t g = 0; g < b->hypotheses.n; g++) {
		struct pe_bisect_hypothesis *hypothesis = &b->hypotheses.data[g];

		hypothesis->share = 0;
		for (size_t j = 0; j < PE_BISECT_MODELS; j++) {
			hypothesis->weight[j] /= sum;
			hypothesis->share += hypothesis->weight[j];
			share[j] += hypothesis->weight[j];
		}
		if (hypothesis->none)
			b->none = hypothesis->share;
	}
	b->modes = 0;
	for (size_t j = 0; j < PE_BISECT_MODELS; j++)
		b->modes += machine_of(j) >= PE_TWOLEVEL_MODES ? share[j] : 0;
	b->model = 0;
	for (size_t j = 1; j < PE_BISECT_MODELS; j++)
		if (share[j] > share[b->model])
			b->model = j;
	drop_models(b, share);
}

/* --- A metric that does not vary: which level is nearer is certain after one reading --- */

/* The median of a build's readings would be any of them; the first is as good. NaN: none. */
static double value_of(const struct pe_bisect *b, size_t build)
{
	for (size_t i = 0; i < b->readings.n; i++)
		if (b->build[b->readings.data[i].revision] == build)
			return b->readings.data[i].value;
	return NAN;
}

static bool matters(const struct pe_bisect *b, double old_value, double new_value)
{
	double step = fabs(new_value - old_value);

	return step > 0 && step >= b->opts.min_effect * fabs(old_value);
}

static struct pe_bisect_exact find_exactly(const struct pe_bisect *b)
{
	struct pe_bisect_exact exact = {.before = 0, .after = pe_bisect_new_end(b)};

	exact.old_value = value_of(b, 0);
	exact.new_value = value_of(b, exact.after);
	exact.known = !isnan(exact.old_value) && !isnan(exact.new_value);
	exact.differ = exact.known && matters(b, exact.old_value, exact.new_value);
	if (!exact.differ)
		return exact;
	/* Up to the first build that is new: should there be more than one way to and fro, it is the first. */
	for (size_t i = 0; i < b->n; i++) {
		double value = b->build[i] == i && b->times[i] > 0 ? value_of(b, i) : NAN;

		if (isnan(value))
			continue;
		if (fabs(value - exact.new_value) < fabs(value - exact.old_value)) {
			exact.after = i;
			break;
		}
		exact.before = i;
	}
	return exact;
}

/* --- The ends' readings in pairs --- */

static void begin_pairs(struct pe_bisect *b)
{
	struct pe_confirm_opts opts = PE_CONFIRM_DEFAULTS;

	/* Which way is not known before: each way has half the chance. */
	opts.accept /= 2;
	opts.min_effect = opts.suspected = b->opts.min_effect;
	opts.margin = fmin(opts.margin, b->opts.min_effect / 2);
	opts.unit = b->opts.unit;
	pe_confirm_begin(&b->up, 1, &opts);
	pe_confirm_begin(&b->down, -1, &opts);
}

/* Feed the pairs that there are to `up` and `down`: the k-th reading of one end with the k-th of the other in the same batch. */
static void pair_ends(struct pe_bisect *b)
{
	const size_t room = b->readings.n + 1;
	pe_auto_free double *old_value = pe_realloc(NULL, room, sizeof(*old_value));
	pe_auto_free double *new_value = pe_realloc(NULL, room, sizeof(*new_value));
	size_t n_old = 0, n_new = 0, n = 0;

	if (b->paired == 0)
		begin_pairs(b);
	for (size_t i = 0; i < b->readings.n; i++) {
		const struct pe_bisect_reading *one = &b->readings.data[i];
		size_t build = b->build[one->revision];

		if (i > 0 && one->batch != b->readings.data[i - 1].batch)
			n_old = n_new = n; /* what has no partner there stays without one */
		if (build == 0)
			old_value[n_old++] = one->value;
		else if (build == pe_bisect_new_end(b))
			new_value[n_new++] = one->value;
		n = n_old < n_new ? n_old : n_new;
	}
	for (; b->paired < n; b->paired++) {
		pe_confirm_feed(&b->up, old_value[b->paired], new_value[b->paired]);
		pe_confirm_feed(&b->down, old_value[b->paired], new_value[b->paired]);
	}
}

struct pe_confirm pe_bisect_ends(const struct pe_bisect *b)
{
	/* Both directions agree that there is no difference. */
	if (b->up.answer == PE_CONFIRMED || b->down.answer == PE_REFUTED)
		return b->up;
	return b->down.answer == PE_CONFIRMED || b->up.answer == PE_REFUTED ? b->down : b->up;
}

/* --- Taking them --- */

/* After readings were taken. */
static void update(struct pe_bisect *b)
{
	if (b->opts.exact) {
		b->exact = find_exactly(b);
		return;
	}
	pair_ends(b);
	if (b->hypotheses.n > 0)
		weigh(b);
}

/* Whether readings were taken with other builds than the line has now. */
static bool is_stale(const struct pe_bisect *b)
{
	bool stale = b->stale;

	for (size_t i = 1; i < b->n; i++)
		stale = stale || (b->build[i] != i) != pe_bisect_is_same(b, i);
	return stale;
}

void pe_bisect_refresh(struct pe_bisect *b)
{
	if (!is_stale(b))
		return;
	b->stale = false;
	free_hypotheses(b);
	b->n_slots = 0;
	b->last = SIZE_MAX;
	for (size_t i = 0; i < b->n; i++) {
		bool same = i > 0 && pe_bisect_is_same(b, i);

		b->times[i] = 0;
		b->build[i] = same ? b->build[i - 1] : i;
		b->sum[i] = i == 0 ? 0 : b->sum[i - 1] + (same ? 0 : b->line->weight[b->first + i]);
	}
	if (!b->opts.exact)
		pe_bisect_find_gross(b);
	for (size_t i = 0; i < b->readings.n; i++) {
		take(b, i);
		/* Now and then, so that models that are out of the question are followed no further. */
		if (i % 16 == 15 && !b->opts.exact)
			weigh(b);
	}
	b->paired = 0;
	update(b);
}

void pe_bisect_feed(struct pe_bisect *b, const struct pe_bisect_reading *reading)
{
	bool logs = !(b->opts.unit > 0) && !b->opts.exact;

	if (!isfinite(reading->value) || (logs && !(reading->value > 0)))
		return;
	pe_vec_push(&b->readings, *reading);
	pe_vec_push(&b->gross, false);
	b->runs += !reading->stored;
	if (b->stale)
		return;
	if (!b->opts.exact && pe_bisect_find_gross(b)) {
		b->stale = true;
		pe_bisect_refresh(b);
		return;
	}
	take(b, b->readings.n - 1);
	update(b);
}

/* --- Results so far --- */

static double exactly_new(const struct pe_bisect *b, size_t build)
{
	const struct pe_bisect_exact exact = b->exact;

	if (build <= exact.before)
		return 0;
	return build >= exact.after ? 1
				    : pe_bisect_weight(b, exact.before, build) /
					      pe_bisect_weight(b, exact.before, exact.after);
}

double pe_bisect_is_new(const struct pe_bisect *b, size_t build)
{
	double sum = 0;

	if (b->opts.exact)
		return exactly_new(b, build);
	if (b->hypotheses.n == 0)
		return pe_bisect_weight(b, 0, build) / pe_bisect_weight(b, 0, pe_bisect_new_end(b));
	for (size_t g = 0; g < b->hypotheses.n; g++) {
		const struct pe_bisect_hypothesis *hypothesis = &b->hypotheses.data[g];

		if (hypothesis->none || build <= hypothesis->before)
			continue;
		if (build >= hypothesis->after)
			sum += hypothesis->share;
		else
			sum += hypothesis->share * pe_bisect_weight(b, hypothesis->before, build) /
			       pe_bisect_weight(b, hypothesis->before, hypothesis->after);
	}
	return b->none < 1 ? sum / (1 - b->none) : 0.5;
}
