#include "analysis/compare/evidence.h"

#include "analysis/compare/steady.h"
#include "analysis/compare/thresholds.h"
#include "core/stats/order.h"

#include <math.h>
#include <string.h>

/* A method over all its contexts. */
struct method {
	double ns[2];            /* by samples */
	double variance;         /* of their difference */
	double estimate, error2; /* of samples and instructions together */
	uint64_t calls[2];
	bool seen, moved; /* moved: some context is only on one side */
};

struct estimating {
	const struct pe_delta *delta;
	const struct pe_attribution_opts *opts;
	struct evidence *out;
	struct method *methods; /* by frame */
	uint32_t *
		order; /* frames in order of their first node: sums do not depend on frame numbers */
	uint32_t n;
	double speed;   /* ns per instruction of the whole program; 0: not counted */
	double each_ns; /* time that a sample stands for */
	double speed_error2; /* squared error of the logarithm of a method's speed relative to the program's */
};

/* --- Counts --- */

static bool varies_by_itself(const struct pe_delta *delta, uint32_t node, enum pe_cct_count count)
{
	const struct pe_delta_node *at = &delta->nodes[node];

	return pe_steady_own_doing(delta->old_runs->cct, at->old_node, delta->new_runs->cct,
				   at->new_node, count);
}

bool pe_evidence_same_counts(const struct pe_delta *delta, uint32_t node)
{
	return pe_delta_state(delta, node) == PE_DELTA_BOTH &&
	       !pe_steady_counts_differ(delta, node);
}

static void find_counted(struct estimating *estimating)
{
	const struct pe_delta *delta = estimating->delta;
	const enum pe_cost cost = estimating->opts->cost;
	const enum pe_cct_count count = cost == PE_COST_ALLOCATIONS ? PE_CCT_COUNT_ALLOCATIONS
					: cost == PE_COST_BYTES     ? PE_CCT_COUNT_BYTES
								    : PE_CCT_COUNT_CALLS;

	for (uint32_t i = 0; i < delta->n; i++) {
		estimating->out->amount[i] =
			(double)pe_delta_difference(pe_delta_values(delta, i, pe_cost_own(cost)));
		if (cost != PE_COST_INSTRUCTIONS)
			estimating->out->varies[i] = varies_by_itself(delta, i, count);
	}
}

/* --- Samples --- */

/* Variance of one side's own time at a node, by its runs, and at least that of its samples. */
static double variance_of(const struct pe_runs *runs, uint32_t node)
{
	double of_runs, least;

	if (node == PE_CCT_NONE)
		return pe_runs_sampling_variance(runs, 0);
	of_runs = pe_runs_variance(runs, node) / runs->n;
	/* Waits are measured, except those shorter than a sampling period. */
	least = pe_runs_sampling_variance(runs,
					  pe_cct_frame(runs->cct, node)->kind != PE_FRAME_WAITING
						  ? (double)runs->cct->self_ns[node]
						  : 0);
	return fmax(of_runs, least);
}

static void add_samples(struct estimating *estimating, uint32_t node)
{
	const struct pe_delta *delta = estimating->delta;
	const struct pe_delta_node *at = &delta->nodes[node];
	struct pe_delta_values ns = pe_delta_values(delta, node, PE_DELTA_SELF_NS);
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	struct method *method = &estimating->methods[at->frame];
	double variance = 0;

	if (pe_runs_varies(delta->old_runs) && pe_runs_varies(delta->new_runs))
		variance = variance_of(delta->old_runs, at->old_node) +
			   variance_of(delta->new_runs, at->new_node);
	/* The node, or one above it, is called in some runs of one build only. */
	estimating->out->varies[node] =
		pe_delta_state(delta, node) != PE_DELTA_BOTH &&
		(varies_by_itself(delta, node, PE_CCT_COUNT_CALLS) ||
		 (at->parent != PE_CCT_NONE && estimating->out->varies[at->parent]));
	estimating->out->amount[node] = (double)pe_delta_difference(ns);
	estimating->out->variance[node] = variance;
	method->ns[0] += (double)ns.old_value;
	method->ns[1] += (double)ns.new_value;
	method->variance += variance;
	method->calls[0] += calls.old_value;
	method->calls[1] += calls.new_value;
	method->moved = method->moved || pe_delta_state(delta, node) != PE_DELTA_BOTH;
	if (!method->seen)
		estimating->order[estimating->n++] = at->frame;
	method->seen = true;
}

/* --- Spread --- */

/* Whether a method is unchanged and called as often, so that only the machine changed its time. */
static bool is_steady(const struct estimating *estimating, uint32_t frame)
{
	const struct method *method = &estimating->methods[frame];
	const double least =
		PE_SPREAD_LEAST_SHARE * (double)estimating->delta->old_runs->cct->total_ns[0];

	return !method->moved && method->calls[0] > 0 && method->calls[0] == method->calls[1] &&
	       method->ns[0] >= least && method->ns[1] >= least && method->variance > 0 &&
	       pe_changes_same(estimating->opts->changes, frame);
}

/*
 * Find the factor of all variances. Machines change times between two executions by more than repetitions within each show,
 * by a neighbour that fills the cache, or other addresses of code. The squared differences of steady methods, each
 * divided by its variance, would be chi-squared with one degree of freedom. The spread is their median divided by that
 * distribution's, so that a few methods that really became slower have no influence. Variances are multiplied by the
 * trusted part of the spread.
 */
static void find_spread(struct estimating *estimating)
{
	pe_auto_free double *squares = pe_realloc(NULL, estimating->n + 1, sizeof(*squares));
	double factor;
	size_t n = 0;

	for (uint32_t i = 0; i < estimating->n; i++) {
		const struct method *method = &estimating->methods[estimating->order[i]];

		if (is_steady(estimating, estimating->order[i]))
			squares[n++] = square(method->ns[1] - method->ns[0]) / method->variance;
	}
	estimating->out->spread = 1;
	if (n >= PE_SPREAD_LEAST_METHODS)
		estimating->out->spread = fmax(1, pe_order_median(squares, n) / PE_SPREAD_MEDIAN);
	factor = fmax(1, PE_SPREAD_TRUSTED * estimating->out->spread);
	for (uint32_t i = 0; i < estimating->n; i++)
		estimating->methods[estimating->order[i]].variance *= factor;
	for (uint32_t i = 0; i < estimating->delta->n; i++)
		estimating->out->variance[i] *= factor;
}

/* --- Instructions --- */

static const struct pe_frame_count *count_of(const struct estimating *estimating, uint32_t frame)
{
	const struct pe_function_changes *functions = estimating->opts->functions;

	if (functions == NULL || functions->by_frame == NULL || frame >= functions->n_frames ||
	    functions->by_frame[frame].executed == PE_EXECUTED_UNKNOWN)
		return NULL;
	return &functions->by_frame[frame];
}

/* Instructions of both sides together. */
static double executed_by(const struct pe_frame_count *count)
{
	return 2 * (double)count->old_instructions + (double)count->amount;
}

/* Time per instruction of a method, in ns; its relative error is set. */
static double speed_of(const struct estimating *estimating, const struct method *method,
		       const struct pe_frame_count *count, double *error)
{
	double ns = method->ns[0] + method->ns[1], executed = executed_by(count);

	*error = sqrt(estimating->speed_error2);
	if (executed <= 0 || ns < PE_SPEED_SAMPLES * estimating->each_ns)
		return estimating->speed;
	*error = estimating->opts->functions->charged ? PE_SPEED_ERROR_OWN : PE_SPEED_ERROR_WHOLE;
	return ns / executed;
}

/* Find the program's speed, and how far the speeds of methods with enough samples differ from it. */
static void find_speeds(struct estimating *estimating)
{
	const struct pe_function_changes *functions = estimating->opts->functions;
	const struct pe_runs *olds = estimating->delta->old_runs,
			     *news = estimating->delta->new_runs;
	double busy_ns[2], sum = 0, weight = 0;

	if (functions == NULL || functions->by_frame == NULL || functions->old_whole == 0)
		return;
	busy_ns[0] = (double)(olds->cct->total_ns[0] - olds->cct->waiting_ns);
	busy_ns[1] = (double)(news->cct->total_ns[0] - news->cct->waiting_ns);
	estimating->speed =
		(busy_ns[0] + busy_ns[1]) / (double)(functions->old_whole + functions->new_whole);
	estimating->each_ns =
		(busy_ns[0] + busy_ns[1]) /
		fmax(1, (double)(olds->cct->facts.samples + news->cct->facts.samples));
	for (uint32_t i = 0; i < estimating->n; i++) {
		const struct method *method = &estimating->methods[estimating->order[i]];
		const struct pe_frame_count *count = count_of(estimating, estimating->order[i]);
		double ns = method->ns[0] + method->ns[1];

		if (count == NULL || ns < PE_SPEED_SAMPLES * estimating->each_ns ||
		    executed_by(count) <= 0)
			continue;
		sum += ns * square(log(ns / executed_by(count) / estimating->speed));
		weight += ns;
	}
	estimating->speed_error2 =
		fmax(square(PE_SPEED_ERROR_WHOLE), weight > 0 ? sum / weight : 0);
}

/* --- Combination --- */

static void estimate(const struct estimating *estimating, uint32_t frame)
{
	struct method *method = &estimating->methods[frame];
	const struct pe_frame_count *count = count_of(estimating, frame);
	double sampled = method->ns[1] - method->ns[0], speed, error, predicted, variance;

	method->estimate = sampled;
	method->error2 = method->variance;
	if (count == NULL || method->variance <= 0 || estimating->speed <= 0)
		return;
	speed = speed_of(estimating, method, count, &error);
	predicted = (double)count->amount * speed;
	variance = square(error * predicted) +
		   square(PE_STEADY_ERROR * fmax(method->ns[0], method->ns[1]));
	if (variance <= 0)
		variance = square(estimating->each_ns / PE_SPEED_SAMPLES);
	method->error2 = 1 / (1 / method->variance + 1 / variance);
	method->estimate = method->error2 * (sampled / method->variance + predicted / variance);
}

/* Fit the estimates to the profiled difference, which is the sum over the samples of all methods. */
static void fit(struct estimating *estimating)
{
	double residual = 0, variance = 0;

	for (uint32_t i = 0; i < estimating->n; i++) {
		const struct method *method = &estimating->methods[estimating->order[i]];

		residual += method->ns[1] - method->ns[0] - method->estimate;
		variance += method->error2;
	}
	for (uint32_t i = 0; i < estimating->n && variance > 0; i++) {
		struct method *method = &estimating->methods[estimating->order[i]];

		method->estimate += residual * method->error2 / variance;
	}
}

/* Distribute the correction of a method's sampled difference over its contexts, by their variances. */
static void share_out(struct estimating *estimating)
{
	const struct pe_delta *delta = estimating->delta;

	for (uint32_t i = 0; i < delta->n; i++) {
		const struct method *method = &estimating->methods[delta->nodes[i].frame];
		double *amount = &estimating->out->amount[i],
		       *variance = &estimating->out->variance[i];

		if (method->variance <= 0)
			continue;
		*amount += (method->estimate - (method->ns[1] - method->ns[0])) * *variance /
			   method->variance;
		*variance *= method->error2 / method->variance;
	}
}

void pe_evidence_find(struct evidence *out, const struct pe_delta *delta,
		      const struct pe_attribution_opts *opts, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct estimating estimating = {.delta = delta, .opts = opts, .out = out};

	out->amount = pe_arena_new(arena, double, delta->n);
	out->variance = pe_arena_new(arena, double, delta->n);
	out->varies = pe_arena_new(arena, bool, delta->n);
	if (opts->cost != PE_COST_TIME) {
		find_counted(&estimating);
		return;
	}
	estimating.methods = pe_arena_new(&work, struct method, delta->frames->n);
	estimating.order = pe_arena_new(&work, uint32_t, delta->n);
	for (uint32_t i = 0; i < delta->n; i++)
		add_samples(&estimating, i);
	find_spread(&estimating);
	find_speeds(&estimating);
	for (uint32_t i = 0; i < estimating.n; i++)
		estimate(&estimating, estimating.order[i]);
	fit(&estimating);
	share_out(&estimating);
}
