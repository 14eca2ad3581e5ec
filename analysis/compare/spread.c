/* Spread: what the machine alone did to the times of methods, told by those that are what they were. */
#include "analysis/compare/spread.h"

#include "core/base/arena.h"
#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>

/* Fewer methods say nothing of others; smaller ones, as a share of the execution, are all noise. */
enum { LEAST_METHODS = 4 };
static const double LEAST_SHARE = 0.005;
/* The median of chi-squared with one degree of freedom. */
static const double MEDIAN = 0.454936;

/* How far a spread from few methods is trusted: two thirds, squared. */
static const double TRUSTED = 4.0 / 9;

/* One method over all its contexts. */
struct method {
	double old_ns, new_ns, old_variance, new_variance;
	uint64_t old_calls, new_calls;
	bool moved; /**< some context is only on one side */
};

static void add(struct method *method, const struct pe_delta *delta, uint32_t i)
{
	const struct pe_delta_node *node = &delta->nodes[i];
	struct pe_delta_values ns = pe_delta_values(delta, i, PE_DELTA_SELF_NS);
	struct pe_delta_values calls = pe_delta_values(delta, i, PE_DELTA_CALLS);

	method->old_ns += (double)ns.old_value;
	method->new_ns += (double)ns.new_value;
	method->old_calls += calls.old_value;
	method->new_calls += calls.new_value;
	method->moved = method->moved || pe_delta_state(delta, i) != PE_DELTA_BOTH;
	if (node->old_node != PE_CCT_NONE)
		method->old_variance += pe_runs_variance(delta->old_runs, node->old_node, false) /
					delta->old_runs->n;
	if (node->new_node != PE_CCT_NONE)
		method->new_variance += pe_runs_variance(delta->new_runs, node->new_node, false) /
					delta->new_runs->n;
}

static bool is_witness(const struct method *method, const struct pe_delta *delta,
		       const struct pe_changes *changes, uint32_t frame)
{
	double whole = (double)pe_delta_values(delta, 0, PE_DELTA_TOTAL_NS).old_value;

	return !method->moved && method->old_calls > 0 && method->old_calls == method->new_calls &&
	       method->old_ns >= LEAST_SHARE * whole && method->new_ns >= LEAST_SHARE * whole &&
	       pe_changes_same(changes, frame);
}

double pe_spread_factor(double spread)
{
	return fmax(1, TRUSTED * spread);
}

double pe_spread_find(const struct pe_delta *delta, const struct pe_changes *changes)
{
	uint32_t n_frames = delta->frames->n;
	pe_auto_arena work = PE_ARENA_INIT;
	struct method *methods;
	double *squares, spread = 1;
	size_t n = 0;

	if (changes == NULL || !pe_delta_values(delta, 0, PE_DELTA_TOTAL_NS).known ||
	    !pe_delta_values(delta, 0, PE_DELTA_CALLS).known)
		return 1;
	methods = pe_arena_new(&work, struct method, n_frames);
	squares = pe_arena_new(&work, double, n_frames);
	for (uint32_t i = 0; i < delta->n; i++)
		add(&methods[delta->nodes[i].frame], delta, i);
	for (uint32_t f = 0; f < n_frames; f++) {
		const struct method *method = &methods[f];
		double difference = method->new_ns - method->old_ns;
		double variance = method->old_variance + method->new_variance;

		if (variance > 0 && is_witness(method, delta, changes, f))
			squares[n++] = difference * difference / variance;
	}
	if (n >= LEAST_METHODS)
		spread = fmax(1, pe_order_median(squares, n) / MEDIAN);
	return spread;
}
