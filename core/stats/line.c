/*
 * Inner structs: gathered (the corrected readings of all commits, line by line), member (a commit's component), differences
 * (between neighbouring commits).
 */
#include "core/stats/line.h"

#include "core/base/sort.h"
#include "core/stats/order.h"
#include "core/stats/rounds.h"

#include <math.h>
#include <string.h>

static double scale_in(const struct pe_scale *scale, double value)
{
	return scale->linear ? value / scale->unit : log(value);
}

double pe_scale_out(const struct pe_scale *scale, double value)
{
	return scale->linear ? value * scale->unit : exp(value);
}

double pe_scale_relative(const struct pe_scale *scale, double from, double difference)
{
	if (!scale->linear)
		return expm1(difference);
	return fabs(from) > 0 ? difference / fabs(from) : NAN;
}

double pe_line_penalty(const struct pe_commit_line *line, const struct pe_changepoint_opts *opts)
{
	return opts->alpha * log(fmax(100, (double)line->n));
}

static struct pe_scale choose_scale(const struct pe_readings *readings, struct pe_arena *work)
{
	struct pe_scale scale = {false, 1};
	double *size = pe_arena_new(work, double, readings->n);
	size_t n = 0;

	for (size_t i = 0; i < readings->n; i++) {
		double value = readings->at[i].value;

		if (!isfinite(value))
			continue;
		scale.linear |= value <= 0;
		if (fabs(value) > 0)
			size[n++] = fabs(value);
	}
	if (scale.linear && n > 0)
		scale.unit = pe_order_median(size, n);
	return scale;
}

static struct pe_readings transform(const struct pe_readings *readings,
				    const struct pe_scale *scale, struct pe_arena *work)
{
	struct pe_reading *at = pe_arena_new(work, struct pe_reading, readings->n);

	for (size_t i = 0; i < readings->n; i++) {
		at[i] = readings->at[i];
		at[i].value = isfinite(at[i].value) ? scale_in(scale, at[i].value) : NAN;
	}
	return (struct pe_readings){at, readings->n, readings->n_commits};
}

/* All measured commits, those that are judged together side by side and oldest first. */
struct gathered {
	size_t n;
	size_t *commit, *component;
	size_t *start; /* n + 1 */
	double *value; /* each commit's sorted */
};

struct member {
	size_t component, commit;
};

PE_SORT_BY(by_component, struct member, component, commit);

static struct gathered gather(const struct pe_readings *readings, const struct pe_rounds *rounds,
			      struct pe_arena *work)
{
	size_t n_commits = readings->n_commits, *place = pe_arena_new(work, size_t, n_commits);
	struct member *members = pe_arena_new(work, struct member, n_commits);
	struct gathered all = {
		0, pe_arena_new(work, size_t, n_commits), pe_arena_new(work, size_t, n_commits),
		pe_arena_new(work, size_t, n_commits + 1), pe_arena_new(work, double, readings->n)};

	for (size_t i = 0; i < n_commits; i++)
		if (rounds->component[i] != PE_NO_COMPONENT)
			members[all.n++] = (struct member){rounds->component[i], i};
	pe_sort(members, all.n, by_component);
	for (size_t i = 0; i < readings->n; i++)
		place[readings->at[i].commit] += rounds->used[i];
	for (size_t i = 0; i < all.n; i++) {
		size_t commit = members[i].commit, count = place[commit];

		all.commit[i] = commit;
		all.component[i] = members[i].component;
		place[commit] = all.start[i];
		all.start[i + 1] = all.start[i] + count;
	}
	for (size_t i = 0; i < readings->n; i++)
		if (rounds->used[i])
			all.value[place[readings->at[i].commit]++] = rounds->value[i];
	for (size_t i = 0; i < all.n; i++)
		pe_order_sort(all.value + all.start[i], all.start[i + 1] - all.start[i]);
	return all;
}

/* The line that begins at `from`. */
static struct pe_commit_line take_line(const struct gathered *all, size_t from,
				       const struct pe_rounds *rounds, struct pe_arena *work)
{
	struct pe_commit_line line = {.commit = all->commit + from,
				      .start = all->start + from,
				      .component = all->component[from]};

	while (from + line.n < all->n && all->component[from + line.n] == line.component)
		line.n++;
	line.samples = (struct pe_samples){all->value, line.start, line.n};
	line.block_variance = pe_arena_new(work, double, line.n);
	for (size_t i = 0; i < line.n; i++)
		line.block_variance[i] = rounds->block_variance[line.commit[i]];
	return line;
}

/*
 * Deviation of one location as successive differences show it: steps between levels are few and
 * leave the median alone. The lower of two medians: with two differences one may be a step.
 *
 * @param sizes  are reordered
 */
static double scale_of_differences(double *sizes, size_t n)
{
	double median = n > 0 ? pe_order_select(sizes, n, (n - 1) / 2) : 0;

	if (median > 0)
		return PE_MAD_TO_SD * median / sqrt(2);
	return n > 0 ? pe_order_scale(sizes, n) / sqrt(2) : 0;
}

/*
 * The likeliest path over several assumptions about the deviation between builds of equal speed. Few builds do not show it:
 * where several gaps would have to be steps, a larger deviation is the simpler explanation.
 */
static void weigh_paths(struct pe_commit_line *line, const struct pe_staircase *assumed,
			const struct pe_staircase_steps *steps, struct pe_arena *work)
{
	/* In assumed deviations, with their probability; at more than 2 % even 4 % could not be told from a step. */
	static const struct {
		double deviations, weight;
	} jitters[] = {{1, 1}, {2, .03}, {4, .003}};
	const struct pe_run_law law = pe_staircase_law(assumed, work);
	bool *path = pe_arena_new(work, bool, line->n);
	double best = -INFINITY;

	for (size_t i = 0; i < sizeof(jitters) / sizeof(*jitters); i++) {
		const struct pe_staircase_model *model;
		struct pe_staircase stairs = *assumed;
		double fit;

		stairs.builds = jitters[i].deviations * assumed->builds;
		model = pe_staircase_model_of(&stairs, &law, steps, work);
		fit = log(jitters[i].weight) + pe_staircase_find(path, model);
		if (i == 0)
			line->model = model;
		if (fit > best) {
			best = fit;
			line->model = model;
			memcpy(line->step, path, line->n * sizeof(*path));
		}
		if (line->n > PE_LINE_FEW)
			break;
	}
}

/* Which commits begin a level by their readings? */
static void find_steps(struct pe_commit_line *line, const struct pe_changepoint_opts *opts,
		       struct pe_arena *work)
{
	/* The penalty is twice the logarithm of odds; with that of suspects among 100 commits, one in ten. */
	double usual = PE_CHANGEPOINT_SUSPECT_ALPHA * log(100);
	struct pe_staircase stairs = {line->samples, opts->prior_jitter, line->block_variance};
	struct pe_staircase_steps steps = {
		2 * opts->prior_jitter, 3,
		0.1 * exp(fmin(0, (usual - pe_line_penalty(line, opts)) / 2))};

	line->step = pe_arena_new(work, bool, line->n);
	if (line->n > 1 && line->located.freedom >= 1)
		weigh_paths(line, &stairs, &steps, work);
}

/*
 * The limit of a commit's influence: none when all its readings make it one of the few of a new level; otherwise that of
 * an outlier, so that it takes several to make a level.
 */
static void find_limits(struct pe_commit_line *line, double k, struct pe_arena *work)
{
	/* Levels of more commits than this are found whatever the limits are. */
	const size_t few = 3;

	line->limit = pe_arena_new(work, double, line->n);
	for (size_t from = 0, to; from < line->n; from = to) {
		bool heard;

		for (to = from + 1; to < line->n && !line->step[to]; to++)
			;
		heard = to - from < line->n && to - from <= few;
		for (size_t i = from; i < to; i++)
			line->limit[i] = heard ? INFINITY : k * k;
	}
}

/* Successive differences of one line but for its steps: in a history of few builds every difference can be one. */
struct differences {
	double *at;
	size_t n;
};

static struct differences differences_of(const struct pe_commit_line *line, struct pe_arena *work)
{
	struct differences out = {pe_arena_new(work, double, line->n), 0};

	for (size_t i = 1; i < line->n; i++)
		if (!line->step[i])
			out.at[out.n++] = fabs(line->located.at[i] - line->located.at[i - 1]);
	return out;
}

/*
 * Variance of each location about its level: its own error and the jitter between commits. The
 * series' jitter counts about 0.37 degrees of freedom a difference (the efficiency of a median
 * deviation), the assumed one `prior`; the geometric mean weighs them, because a step among few
 * differences makes the series' value many times too large. A difference or two may agree by chance: up to three do
 * not lower the assumption, and one does not raise it.
 */
static void estimate_variance(struct pe_commit_line *line, const struct pe_changepoint_opts *opts,
			      struct pe_arena *work)
{
	const double prior = 2;
	double *scratch = pe_arena_new(work, double, line->n);
	double floor = opts->min_effect * opts->min_effect / 400;
	/* Of single runs, jitter has to stand for their noise, too. */
	const bool alone = line->located.freedom < 1 || line->n == 1;
	const double assumed = alone ? opts->prior_drift : opts->prior_jitter;
	double seen, apart, error, own, jitter;
	struct differences differences;
	size_t needless;

	line->variance = pe_arena_new(work, double, line->n);
	for (size_t i = 0; i < line->n; i++) {
		line->variance[i] = line->located.variance[i] + line->block_variance[i];
		scratch[i] = line->variance[i];
	}
	error = pe_order_median(scratch, line->n);
	differences = differences_of(line, work);
	apart = scale_of_differences(differences.at, differences.n);
	seen = fmax(apart * apart - error, 0.05 * apart * apart);
	/* Levels closer than a twentieth of the smallest effect of interest are not told apart. */
	seen = fmax(seen, floor);
	needless = seen > assumed * assumed ? 1 : 3;
	own = differences.n > needless ? 0.37 * (double)(differences.n - needless) : 0;
	jitter = exp((own * log(seen) + prior * log(fmax(assumed * assumed, floor))) /
		     (own + prior));
	for (size_t i = 0; i < line->n; i++)
		line->variance[i] += jitter;
	line->jitter = sqrt(jitter);
}

struct pe_lines pe_lines_of(const struct pe_readings *readings,
			    const struct pe_changepoint_opts *opts, struct pe_arena *arena)
{
	struct pe_lines out = {.scale = choose_scale(readings, arena)};
	struct pe_readings scaled = transform(readings, &out.scale, arena);
	struct pe_rounds rounds = pe_rounds_remove(&scaled, arena);
	struct gathered all = gather(&scaled, &rounds, arena);

	out.n_components = rounds.n_components;
	out.at = pe_arena_new(arena, struct pe_commit_line, rounds.n_components);
	for (size_t from = 0; from < all.n;) {
		struct pe_commit_line *line = &out.at[out.n++];

		*line = take_line(&all, from, &rounds, arena);
		from += line->n;
		line->located = pe_locate_all(&line->samples, arena);
		find_steps(line, opts, arena);
		estimate_variance(line, opts, arena);
		find_limits(line, opts->huber_k, arena);
	}
	return out;
}
