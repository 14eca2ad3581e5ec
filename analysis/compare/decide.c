#include "analysis/compare/decide.h"

#include "analysis/compare/handed.h"
#include "analysis/compare/spread.h"
#include "core/stats/fdr.h"
#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>

/* Of the methods whose time is called changed, so many are not, in expectation. */
static const double RATE = 0.01;
/* A change that matters is found with this probability, in standard deviations: nine times of ten. */
static const double POWER = 1.2816;
/* "Less than matters" is said at this many standard errors: 97.5 %. */
static const double SURE = 1.96;
/* Own cost of a method that is what it was: where it lies in memory and what the machine did explain it well (verdict.c). */
static const double ASKED_OF_SAME = 2;
/* Of what is known to have changed: where its counts explain the amount, and where they do not. */
static const double ASKED_OF_EXPLAINED = 2, ASKED_OF_COUNTED = 3;
/* A speed is known from so many samples, and plausible within this factor of the whole's. */
static const double KNOWN_SAMPLES = 20, FAR = 8;

struct deciding {
	const struct pe_delta *delta;
	const struct pe_decide_opts *opts;
	struct pe_decisions *out;
	double *p; /* by decision */
	double *sampled,
		*common; /* by decision: what of the error's square more samples make less, and what they do not */
};

/* Who looks again and again finds differences by chance: looks share the rate (Bonferroni). */
static double rate_of(const struct deciding *deciding)
{
	return RATE / fmax(1, deciding->opts->looks);
}

static double asked_of(const struct deciding *deciding, uint32_t frame)
{
	const struct pe_changes *changes = deciding->opts->changes;

	return pe_changes_same(changes, frame) ||
			       pe_changes_executed(changes, frame) == PE_EXECUTED_SAME
		       ? ASKED_OF_SAME
		       : 1;
}

static double square(double x)
{
	return x * x;
}

/* Own time beyond calls, and how sure it is. */
static void measure(struct deciding *deciding, uint32_t i, const struct pe_delta_method *method)
{
	const struct pe_runs *olds = deciding->delta->old_runs, *news = deciding->delta->new_runs;
	const struct pe_parts *parts = &method->parts[PE_COST_TIME];
	struct pe_decision *one = &deciding->out->at[i];
	double variance = method->variance_old_ns2 / olds->n + method->variance_new_ns2 / news->n;
	double floor = pe_runs_sampling_variance(olds, (double)method->self_old_ns) +
		       pe_runs_sampling_variance(news, (double)method->self_new_ns);

	*one = (struct pe_decision){
		.frame = method->frame,
		.old_ns = (double)method->self_old_ns,
		.new_ns = (double)method->self_new_ns,
		.beyond_ns = (double)(pe_parts_sum(parts) - parts->part[PE_PART_CALLS]),
		.steady = method->calls_old == method->calls_new,
		.calls = method->calls_old > 0
				 ? (double)method->calls_new / (double)method->calls_old
				 : NAN,
		.q = NAN,
		.by = PE_FRAME_NONE,
	};
	deciding->sampled[i] = fmax(variance, floor);
	deciding->common[i] =
		deciding->sampled[i] * (pe_spread_factor(deciding->opts->spread) - 1) +
		square(fmax(one->old_ns, one->new_ns) * news->scale_error);
	one->error_ns = sqrt(deciding->sampled[i] + deciding->common[i]);
	if (one->error_ns > 0)
		deciding->p[i] = fmin(1, 2 * pe_normal_tail(fabs(one->beyond_ns) / one->error_ns /
							    asked_of(deciding, one->frame)));
	else
		deciding->p[i] = NAN;
}

static void decide(struct deciding *deciding, uint32_t i)
{
	struct pe_decision *one = &deciding->out->at[i];
	enum pe_executed_change executed = pe_changes_executed(deciding->opts->changes, one->frame);
	bool timed;

	one->q = deciding->p[i];
	timed = one->q <= rate_of(deciding);
	one->counted = executed == PE_EXECUTED_MORE || executed == PE_EXECUTED_FEWER;
	/* What it executes less may still take longer: in a callee that is in neither tree, or by waiting for memory. */
	if (timed && (executed == PE_EXECUTED_MORE) != (one->beyond_ns > 0))
		one->counted = false;
	if (one->counted)
		one->what = executed == PE_EXECUTED_MORE ? PE_DECIDED_MORE : PE_DECIDED_LESS;
	else if (timed)
		one->what = one->beyond_ns > 0 ? PE_DECIDED_MORE : PE_DECIDED_LESS;
	else if (executed == PE_EXECUTED_SAME)
		one->what = PE_DECIDED_SAME;
	else if (fabs(one->beyond_ns) + SURE * one->error_ns < deciding->out->least_ns)
		one->what = PE_DECIDED_SAME;
	else
		one->what = PE_DECIDED_NOT;
	one->counted =
		one->counted || (one->what == PE_DECIDED_SAME && executed == PE_EXECUTED_SAME);
}

/* --- What counts are worth --- */

/*
 * What an instruction takes: in the method itself, where its time is known, and that is not far from the others, which would
 * mean that its instructions are counted elsewhere.
 */
static double speed_of(const struct pe_decision *one, uint64_t instructions, double whole_speed,
		       double each_ns)
{
	double own = instructions > 0 ? one->old_ns / (double)instructions : 0;

	if (one->old_ns < KNOWN_SAMPLES * each_ns || own < whole_speed / FAR ||
	    own > whole_speed * FAR)
		return whole_speed;
	return own;
}

/* Of the instructions that it executes more, those that follow from more calls. */
static double by_calls(const struct pe_decision *one)
{
	return one->steady || isnan(one->calls) ? 0 : one->old_instructions * (one->calls - 1);
}

/* Before they are arranged. */
static void take_counts(struct deciding *deciding, uint32_t n)
{
	const struct pe_function_changes *functions = deciding->opts->functions;
	const struct pe_cct *old_cct = deciding->delta->old_runs->cct;
	struct pe_decisions *out = deciding->out;
	double busy_ns, each_ns, speed;
	int64_t placed = 0;

	if (functions == NULL || functions->by_frame == NULL || functions->old_whole == 0)
		return;
	busy_ns = (double)(old_cct->total_ns[0] - pe_cct_waiting_ns(old_cct));
	speed = busy_ns / (double)functions->old_whole;
	each_ns = busy_ns / fmax(1, (double)old_cct->facts.samples);
	for (uint32_t i = 0; i < n; i++) {
		struct pe_decision *one = &out->at[i];
		const struct pe_frame_count *count = &functions->by_frame[one->frame];
		double own;

		one->instructions = count->amount;
		one->old_instructions = (double)count->old_instructions;
		one->charged = functions->charged;
		own = speed_of(one, count->old_instructions, speed, each_ns);
		one->called_ns = by_calls(one) * own;
		one->worth_ns = (double)one->instructions * own - one->called_ns;
		placed += count->amount;
	}
	out->unplaced_ns = speed * fabs((double)(functions->amount - placed));
}

/* --- What deciding takes --- */

/* How many times as many samples a change that matters takes to be found; infinite: no number does. */
static double times_for(const struct deciding *deciding, uint32_t i, uint32_t n_tested)
{
	const struct pe_decisions *out = deciding->out;
	double asked = asked_of(deciding, out->at[i].frame);
	double z = (out->at[i].counted
			    ? ASKED_OF_COUNTED
			    : pe_normal_quantile(rate_of(deciding) / 2 / n_tested) * asked) +
		   POWER;
	double wanted = square(out->least_ns / z) - deciding->common[i];

	return wanted > 0 ? deciding->sampled[i] / wanted : INFINITY;
}

/*
 * Undecided; or it changed for sure, and its callees that are in neither tree may be what it hands on more work to, so that
 * only samples say how much that is.
 */
static bool is_missing(const struct pe_decisions *out, const struct pe_decision *one)
{
	return one->what == PE_DECIDED_NOT ||
	       (one->counted && one->what != PE_DECIDED_SAME && out->unplaced_ns >= out->least_ns);
}

static void estimate(const struct deciding *deciding, uint32_t n)
{
	const struct pe_cct_facts *olds = &deciding->delta->old_runs->cct->facts;
	const struct pe_cct_facts *news = &deciding->delta->new_runs->cct->facts;
	struct pe_decisions *out = deciding->out;

	out->times = 1;
	for (uint32_t i = 0; i < n; i++) {
		double times;

		if (!is_missing(out, &out->at[i]))
			continue;
		times = times_for(deciding, i, n);
		if (isfinite(times))
			out->times = fmax(out->times, times);
		else
			out->n_never += out->at[i].what == PE_DECIDED_NOT;
	}
	out->more_ns = (out->times - 1) * ((double)olds->samples * (double)olds->interval_ns +
					   (double)news->samples * (double)news->interval_ns);
}

static int rank_of(const struct pe_decision *one)
{
	if (one->what == PE_DECIDED_NOT || one->what == PE_DECIDED_SAME)
		return one->what == PE_DECIDED_NOT ? 2 : 3;
	return one->counted ? 0 : 1;
}

static int by_rank(const void *a, const void *b)
{
	const struct pe_decision *x = a, *y = b;
	double size_x = fabs(x->beyond_ns), size_y = fabs(y->beyond_ns);

	if (rank_of(x) != rank_of(y))
		return rank_of(x) - rank_of(y);
	if (size_x != size_y)
		return size_x < size_y ? 1 : -1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static void arrange(struct pe_decisions *out, uint32_t n)
{
	uint32_t *const counts[] = {&out->n_counted, &out->n_timed, &out->n_open, &out->n_same};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		*counts[i] = 0;
	if (n > 0)
		qsort(out->at, n, sizeof(*out->at), by_rank);
	for (uint32_t i = 0; i < n; i++) {
		++*counts[rank_of(&out->at[i])];
		out->places[out->at[i].frame] = i + 1;
	}
}

void pe_decisions_make(struct pe_decisions *out, const struct pe_delta *delta,
		       const struct pe_decomposition *decomposition,
		       const struct pe_decide_opts *opts, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct deciding deciding = {.delta = delta, .opts = opts, .out = out};
	uint32_t n = 0;

	*out = (struct pe_decisions){.times = 1, .n_frames = delta->frames->n};
	if (!decomposition->known[PE_COST_TIME] || !pe_runs_varies(delta->old_runs) ||
	    !pe_runs_varies(delta->new_runs))
		return;
	out->at = pe_arena_new(arena, struct pe_decision, decomposition->n_methods);
	out->places = pe_arena_new(arena, uint32_t, delta->frames->n);
	deciding.p = pe_arena_new(&work, double, decomposition->n_methods);
	deciding.sampled = pe_arena_new(&work, double, decomposition->n_methods);
	deciding.common = pe_arena_new(&work, double, decomposition->n_methods);
	out->least_ns = (opts->least > 0 ? opts->least : PE_DECIDE_LEAST) *
			(double)pe_delta_values(delta, 0, PE_DELTA_TOTAL_NS).old_value;
	out->counted_ns = (opts->least > 0 ? opts->least : PE_FUNCTIONS_LEAST) *
			  (double)pe_delta_values(delta, 0, PE_DELTA_TOTAL_NS).old_value;
	for (uint32_t i = 0; i < decomposition->n_methods; i++)
		if (delta->frames->at[decomposition->methods[i].frame].kind == PE_FRAME_METHOD)
			measure(&deciding, n++, &decomposition->methods[i]);
	pe_fdr_adjust(deciding.p, deciding.p, n, PE_FDR_POSITIVE);
	for (uint32_t i = 0; i < n; i++) {
		out->places[out->at[i].frame] = i + 1;
		decide(&deciding, i);
	}
	take_counts(&deciding, n);
	pe_handed_find(out, n, delta, opts->changes);
	estimate(&deciding, n);
	arrange(out, n);
}

const struct pe_decision *pe_decisions_of(const struct pe_decisions *decisions, uint32_t frame)
{
	if (decisions == NULL || decisions->at == NULL || frame >= decisions->n_frames ||
	    decisions->places[frame] == 0)
		return NULL;
	return &decisions->at[decisions->places[frame] - 1];
}

bool pe_decision_is_own(const struct pe_decision *decision, const struct pe_changes *changes)
{
	enum pe_source_change source = pe_changes_source(changes, decision->frame);

	return source != PE_SOURCE_SAME && source != PE_SOURCE_RENAMED;
}

/* Of what was not called, or stood nowhere by itself, calls explain all of it. */
static bool is_beyond_calls(const struct pe_decision *decision)
{
	return decision->steady || (!isnan(decision->calls) && decision->old_instructions > 0);
}

bool pe_decision_is_worth(const struct pe_decision *decision, double least_ns)
{
	return decision->counted && is_beyond_calls(decision) &&
	       (double)decision->instructions * decision->worth_ns > 0 &&
	       fabs(decision->worth_ns) >= least_ns;
}

bool pe_decision_is_called(const struct pe_decision *decision, double least_ns)
{
	return decision->counted && decision->by != PE_FRAME_NONE &&
	       (double)decision->instructions * decision->called_ns > 0 &&
	       fabs(decision->called_ns) >= least_ns;
}

bool pe_decision_agrees(const struct pe_decision *decision, double amount)
{
	return decision->what == (amount > 0 ? PE_DECIDED_MORE : PE_DECIDED_LESS);
}

bool pe_decisions_deny(const struct pe_decisions *decisions, uint32_t frame, double amount)
{
	const struct pe_decision *one = pe_decisions_of(decisions, frame);

	return one != NULL && one->steady && one->what != PE_DECIDED_NOT &&
	       !pe_decision_agrees(one, amount);
}

bool pe_decision_shows(const struct pe_decision *decision, double amount)
{
	double gained = decision->beyond_ns;
	bool explained = fabs(decision->worth_ns) >= fabs(gained) / 2;

	if (!pe_decision_agrees(decision, amount))
		return false;
	if (!decision->counted)
		return true;
	return (gained > 0) == (amount > 0) &&
	       fabs(gained) >
		       (explained ? ASKED_OF_EXPLAINED : ASKED_OF_COUNTED) * decision->error_ns;
}

void pe_decisions_settle(struct pe_decisions *decisions, uint32_t frame, double amount)
{
	const struct pe_decision *found = pe_decisions_of(decisions, frame);

	if (found == NULL || found->what != PE_DECIDED_NOT)
		return;
	decisions->at[decisions->places[frame] - 1].what =
		amount > 0 ? PE_DECIDED_MORE : PE_DECIDED_LESS;
	arrange(decisions,
		decisions->n_counted + decisions->n_timed + decisions->n_open + decisions->n_same);
}
