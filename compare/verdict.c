#include "compare/verdict.h"

#include "compare/causes.h"
#include "compare/counted_causes.h"
#include "compare/spread.h"
#include "profile/samples.h"

#include <math.h>
#include <stdlib.h>

/* Unless the caller says what is small, a cause is at least this part of the whole difference. */
#define MIN_PART 0.005

/* Standard errors of the amount of what was decided: one, so that it is not told with the wrong sign. */
static const double DECIDED = 1;

static const char *const kind_names[PE_N_CAUSE_KINDS] = {
	[PE_CAUSE_MORE_CALLS] = "more-calls",
	[PE_CAUSE_FEWER_CALLS] = "fewer-calls",
	[PE_CAUSE_DEARER] = "dearer",
	[PE_CAUSE_CHEAPER] = "cheaper",
	[PE_CAUSE_CALL_ADDED] = "call-added",
	[PE_CAUSE_CALL_IN_LOOP] = "call-in-loop",
	[PE_CAUSE_CALL_REMOVED] = "call-removed",
	[PE_CAUSE_CALL_MOVED] = "call-moved",
	[PE_CAUSE_INLINED] = "inlined",
	[PE_CAUSE_OUTLINED] = "outlined",
	[PE_CAUSE_SWAPPED] = "swapped",
	[PE_CAUSE_CACHE_MISSES] = "cache-misses",
	[PE_CAUSE_CACHE_HITS] = "cache-hits",
	[PE_CAUSE_ALLOCATES] = "allocates",
	[PE_CAUSE_LAYOUT] = "layout",
	[PE_CAUSE_CHANGED] = "changed",
	[PE_CAUSE_SUSPECT] = "suspect",
	[PE_CAUSE_COUNTED] = "counted",
	[PE_CAUSE_OUTSIDE] = "outside",
};

const char *pe_cause_kind_name(enum pe_cause_kind kind)
{
	return kind_names[kind];
}

static enum pe_verdict_unit unit_of(const struct pe_delta *delta, enum pe_cost cost)
{
	static const enum pe_verdict_unit units[PE_N_JUDGED] = {
		[PE_COST_TIME] = PE_VERDICT_NS,
		[PE_COST_ALLOCATIONS] = PE_VERDICT_ALLOCATIONS,
		[PE_COST_BYTES] = PE_VERDICT_BYTES,
	};

	if (cost < PE_N_JUDGED && pe_delta_knows(delta, cost))
		return units[cost];
	for (int other = 0; cost < PE_N_COSTS && other < PE_N_JUDGED; other++)
		if (pe_delta_knows(delta, (enum pe_cost)other))
			return units[other];
	return pe_delta_values(delta, 0, PE_DELTA_CALLS).known ? PE_VERDICT_CALLS
							       : PE_VERDICT_NOTHING;
}

static uint64_t sum_calls(const struct pe_cct *cct)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		sum += cct->calls[i];
	return sum;
}

/* The whole executions, and what of their difference lies outside of the trees. */
static int64_t find_whole(struct pe_verdict_report *out, const struct pe_delta *delta)
{
	const struct pe_cct *old_cct = delta->old_runs->cct, *new_cct = delta->new_runs->cct;
	static const enum pe_delta_metric totals[] = {
		[PE_VERDICT_NS] = PE_DELTA_TOTAL_NS,
		[PE_VERDICT_ALLOCATIONS] = PE_DELTA_TOTAL_ALLOCATIONS,
		[PE_VERDICT_BYTES] = PE_DELTA_TOTAL_BYTES,
	};
	struct pe_delta_values total = {.known = true};
	int64_t inside;

	if (out->unit == PE_VERDICT_CALLS) {
		total.old_value = sum_calls(old_cct);
		total.new_value = sum_calls(new_cct);
	} else {
		total = pe_delta_values(delta, 0, totals[out->unit]);
	}
	inside = pe_delta_difference(total);
	if (out->unit == PE_VERDICT_NS && old_cct->facts.duration_ns >= total.old_value &&
	    new_cct->facts.duration_ns >= total.new_value) {
		total.old_value = old_cct->facts.duration_ns;
		total.new_value = new_cct->facts.duration_ns;
	}
	out->old_whole = total.old_value;
	out->new_whole = total.new_value;
	out->whole = pe_delta_difference(total);
	if (out->unit == PE_VERDICT_NS)
		out->noise = hypot(
			pe_runs_error(delta->old_runs, pe_runs_variance(delta->old_runs, 0, true)),
			pe_runs_error(delta->new_runs, pe_runs_variance(delta->new_runs, 0, true)));
	return out->whole - inside;
}

static struct pe_frame_change change_of(const struct pe_changes *changes, uint32_t frame)
{
	return (struct pe_frame_change){
		.source = (uint8_t)pe_changes_source(changes, frame),
		.code = (uint8_t)pe_changes_binary(changes, frame),
		.executed = (uint8_t)pe_changes_executed(changes, frame),
	};
}

static void fill_cause(struct pe_cause *cause, const struct group *group,
		       const struct pe_verdict_report *report, const struct pe_changes *changes)
{
	*cause = group->cause;
	cause->noise = sqrt(group->variance);
	cause->share = report->whole != 0 ? (double)cause->amount / (double)report->whole : NAN;
	cause->old_per_call =
		cause->old_calls > 0 ? (double)group->old_cost / (double)cause->old_calls : NAN;
	cause->new_per_call =
		cause->new_calls > 0 ? (double)group->new_cost / (double)cause->new_calls : NAN;
	cause->change = change_of(changes, cause->frame);
	cause->caller_change = change_of(changes, cause->caller);
	cause->other_change = change_of(changes, cause->other);
	cause->origin_change = change_of(changes, cause->origin);
}

static uint64_t size_of(int64_t amount)
{
	return amount < 0 ? -(uint64_t)amount : (uint64_t)amount;
}

static int by_contribution(const void *x, const void *y)
{
	const struct pe_cause *a = x, *b = y;

	if (size_of(a->amount) != size_of(b->amount))
		return size_of(a->amount) > size_of(b->amount) ? -1 : 1;
	if (a->amount != b->amount)
		return a->amount > b->amount ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->other != b->other)
		return a->other < b->other ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* The greatest causes so far: a heap with the least of them on top. */
struct best {
	const struct group **at;
	uint32_t n, room;
};

static bool less(const struct group *a, const struct group *b)
{
	return by_contribution(&a->cause, &b->cause) > 0;
}

static void sink(struct best *best, const struct group *group)
{
	uint32_t i = 0, child;

	for (; (child = 2 * i + 1) < best->n; i = child) {
		if (child + 1 < best->n && less(best->at[child + 1], best->at[child]))
			child++;
		if (!less(best->at[child], group))
			break;
		best->at[i] = best->at[child];
	}
	best->at[i] = group;
}

static void keep(struct best *best, const struct group *group)
{
	uint32_t i;

	if (best->n == best->room) {
		if (less(best->at[0], group))
			sink(best, group);
		return;
	}
	for (i = best->n++; i > 0 && less(group, best->at[(i - 1) / 2]); i = (i - 1) / 2)
		best->at[i] = best->at[(i - 1) / 2];
	best->at[i] = group;
}

double pe_causes_common_variance(const struct causes *causes, double size, double variance,
				 double floor)
{
	double scale = causes->delta->new_runs->scale_error;

	if (causes->unit != PE_VERDICT_NS)
		return variance;
	return fmax(floor, variance * pe_spread_factor(causes->opts->spread) +
				   size * size * scale * scale);
}

double pe_causes_variance(const struct causes *causes, const struct group *group)
{
	bool own = group->class != CLASS_CALLS && group->class != CLASS_ADDED &&
		   group->class != CLASS_REMOVED;
	double size = own ? (double)group->old_cost : (double)size_of(group->cause.amount);

	return pe_causes_common_variance(causes, size, group->variance, group->floor);
}

/* Of one method over all contexts nothing is surer than what was decided by: halves of few samples agree by chance. */
static double variance_of(const struct causes *causes, const struct group *group)
{
	const struct pe_decision *decision =
		pe_decisions_of(causes->opts->decisions, group->cause.frame);
	double variance = pe_causes_variance(causes, group);

	if (group->apart || decision == NULL || causes->unit != PE_VERDICT_NS ||
	    (group->class != CLASS_PER_CALL && group->class != CLASS_UNSPLIT))
		return variance;
	return fmax(variance, decision->error_ns * decision->error_ns);
}

static void add_common_noise(struct causes *causes)
{
	for (size_t i = 0; i < causes->groups.n; i++)
		causes->groups.data[i].variance = variance_of(causes, &causes->groups.data[i]);
}

/* Whether exact counts say that a method executes more where it costs more, fewer where it costs less. */
static bool is_counted(const struct pe_changes *changes, uint32_t frame, int64_t amount)
{
	return pe_changes_executed(changes, frame) ==
	       (amount > 0 ? PE_EXECUTED_MORE : PE_EXECUTED_FEWER);
}

/* Whether they say that it does nothing else than before, or the reverse: what costs more then is no work. */
static bool is_counted_out(const struct pe_changes *changes, uint32_t frame, int64_t amount)
{
	enum pe_executed_change executed = pe_changes_executed(changes, frame);

	return executed != PE_EXECUTED_UNKNOWN && !is_counted(changes, frame, amount);
}

/*
 * What is asked of a cause, in standard errors. Own cost of a method that is what it was, and is called as it was,
 * is asked twice as much: where it lies in memory and what the machine did explain it well. They do not explain
 * contexts that stand apart below a modified method. Where instructions were counted, these decide: what is known to have
 * changed is asked two thirds, for the test is then of how much, not of whether. What was decided of a method is not
 * tested again.
 */
static double asked_of(const struct group *group, const struct pe_verdict_opts *opts)
{
	bool own = group->class == CLASS_PER_CALL || group->class == CLASS_UNSPLIT;
	uint32_t frame = group->cause.frame;
	const struct pe_decision *decision = pe_decisions_of(opts->decisions, frame);

	if (group->class == CLASS_SUSPECT || group->class == CLASS_COUNTED)
		return 0;
	if (group->apart && group->cause.origin != PE_FRAME_NONE)
		return opts->z;
	if (own && !group->apart && decision != NULL)
		return pe_decision_shows(decision, (double)group->cause.amount) ? DECIDED
										: INFINITY;
	if (own && is_counted(opts->changes, frame, group->cause.amount))
		return opts->z * 2 / 3;
	return own && (pe_changes_same(opts->changes, frame) ||
		       is_counted_out(opts->changes, frame, group->cause.amount))
		       ? 2 * opts->z
		       : opts->z;
}

/* What is large beside the old execution may still be a crumb of a difference many times that. */
static double least_of(const struct pe_verdict_report *report, const struct causes *causes)
{
	return fmax(causes->opts->min_share * (double)report->old_whole,
		    causes->min_part * (double)size_of(report->whole));
}

static bool is_noise(const struct group *group, const struct pe_verdict_opts *opts)
{
	return (double)size_of(group->cause.amount) <=
	       asked_of(group, opts) * sqrt(group->variance);
}

/* --- Exact counts that no sample shows --- */

/* The context of a method that takes most of its own time. */
static uint32_t greatest_context(const struct causes *causes, uint32_t frame)
{
	uint32_t best = PE_CCT_NONE;
	uint64_t most = 0;

	for (uint32_t i = 0; i < causes->delta->n; i++) {
		struct pe_delta_values own = pe_causes_cost(causes, i, false);
		uint64_t cost = own.new_value > own.old_value ? own.new_value : own.old_value;

		if (causes->delta->nodes[i].frame != frame || (best != PE_CCT_NONE && cost <= most))
			continue;
		best = i;
		most = cost;
	}
	return best;
}

static bool is_own(const struct group *group, uint32_t frame)
{
	return group->cause.frame == frame && !group->gone &&
	       (group->class == CLASS_PER_CALL || group->class == CLASS_UNSPLIT);
}

/* Whether it is worth a sentence, however sure it is. */
static bool is_large(const struct group *group, double least)
{
	return (double)size_of(group->cause.amount) >= least || group->class == CLASS_SUSPECT ||
	       group->class == CLASS_COUNTED;
}

/* What a method's calls cost themselves, where that is told; else NULL, and nothing of it is told but its counts. */
static struct group *find_told(struct causes *causes, uint32_t frame, double least)
{
	struct group *told = NULL;

	for (size_t i = 0; i < causes->groups.n && told == NULL; i++) {
		struct group *group = &causes->groups.data[i];

		if (is_own(group, frame) && is_large(group, least) &&
		    !is_noise(group, causes->opts))
			told = group;
	}
	for (size_t i = 0; told == NULL && i < causes->groups.n; i++)
		if (is_own(&causes->groups.data[i], frame))
			causes->groups.data[i].gone = true;
	return told;
}

/* Whether something that is told leads to a method. */
static bool is_blamed(const struct causes *causes, uint32_t frame, bool more, double least)
{
	for (size_t i = 0; i < causes->groups.n; i++) {
		const struct group *group = &causes->groups.data[i];
		const struct pe_cause *cause = &group->cause;

		if (!group->gone && is_large(group, least) && !is_noise(group, causes->opts) &&
		    (cause->amount > 0) == more &&
		    (cause->frame == frame || cause->caller == frame || cause->origin == frame))
			return true;
	}
	return false;
}

/* Where samples tell what it costs, counts tell who stands behind it all the same. */
static void add_origin(struct group *told, uint32_t origin, bool probably)
{
	if (origin == PE_FRAME_NONE || told->apart || told->cause.origin != PE_FRAME_NONE)
		return;
	told->cause.origin = origin;
	told->cause.probably = probably;
}

/* Methods that execute more or fewer for sure, by as much as is worth a sentence. */
static void add_counted(struct causes *causes, const struct pe_verdict_report *report)
{
	const struct pe_decisions *decisions = causes->opts->decisions;
	pe_auto_arena work = PE_ARENA_INIT;
	struct counted_causes counted;

	if (decisions == NULL || causes->unit != PE_VERDICT_NS)
		return;
	counted = pe_counted_causes_find(decisions, causes->opts->changes,
					 fmax(fmax(1, decisions->counted_ns),
					      causes->min_part * (double)size_of(report->whole)),
					 &work);
	for (uint32_t i = 0; i < counted.n; i++) {
		const struct counted_cause *found = &counted.at[i];
		const struct pe_decision *one = found->decision;
		const double large = least_of(report, causes);
		struct group *told = NULL;
		struct group group = {.class = CLASS_COUNTED};

		if (found->called ? is_blamed(causes, pe_counted_cause_doer(found),
					      found->worth_ns > 0, large)
				  : (told = find_told(causes, one->frame, large)) != NULL) {
			if (told != NULL)
				add_origin(told, found->by, one->probably);
			continue;
		}
		group.cause = (struct pe_cause){
			.kind = PE_CAUSE_COUNTED,
			.node = greatest_context(causes, one->frame),
			.frame = one->frame,
			.caller = PE_FRAME_NONE,
			.other = PE_FRAME_NONE,
			.origin = found->by,
			.probably = found->by != PE_FRAME_NONE && one->probably,
			.amount = (int64_t)found->worth_ns,
			.instructions = one->instructions,
			.old_instructions = one->old_instructions,
		};
		pe_vec_push(&causes->groups, group);
	}
}

/* Stacks that lack their beginning are cut by chance: what stands below that place is no call that came or went. */
static bool is_cut(const struct causes *causes, const struct group *group)
{
	return group->cause.frame != PE_FRAME_NONE &&
	       pe_samples_is_cut(&causes->delta->frames->at[group->cause.frame]);
}

/* Causes that are worth a sentence. */
static void choose(struct pe_verdict_report *out, const struct causes *causes,
		   struct pe_arena *arena)
{
	const struct pe_verdict_opts *opts = causes->opts;
	size_t room = causes->groups.n < opts->top ? causes->groups.n : opts->top;
	struct best best = {.at = pe_realloc(NULL, room + 1, sizeof(*best.at)),
			    .room = (uint32_t)room};
	double least = least_of(out, causes);

	out->within_noise = out->more = 0;
	for (size_t i = 0; i < causes->groups.n; i++) {
		const struct group *group = &causes->groups.data[i];
		if (group->gone || group->cause.amount == 0)
			continue;
		if (is_noise(group, opts) || is_cut(causes, group)) {
			out->within_noise++;
		} else if (is_large(group, least)) {
			keep(&best, group);
			out->more++;
		}
	}
	out->n = best.n;
	out->more -= best.n;
	out->causes = pe_arena_new(arena, struct pe_cause, out->n);
	out->unsaid = out->whole;
	for (uint32_t i = 0; i < out->n; i++) {
		fill_cause(&out->causes[i], best.at[i], out, opts->changes);
		out->unsaid -= out->causes[i].amount;
	}
	if (out->n > 1)
		qsort(out->causes, out->n, sizeof(*out->causes), by_contribution);
	free(best.at);
}

/* Whether a tested cause explains the direction of the whole. */
static bool has_explanation(const struct pe_verdict_report *report)
{
	for (uint32_t i = 0; i < report->n; i++)
		if ((report->causes[i].amount > 0) == (report->whole > 0))
			return true;
	return report->whole == 0;
}

uint32_t pe_cause_blamed(const struct pe_cause *cause)
{
	bool calls = cause->kind != PE_CAUSE_DEARER && cause->kind != PE_CAUSE_CHEAPER &&
		     cause->kind != PE_CAUSE_ALLOCATES && cause->kind != PE_CAUSE_LAYOUT &&
		     cause->kind != PE_CAUSE_CHANGED && cause->kind != PE_CAUSE_SUSPECT &&
		     cause->kind != PE_CAUSE_COUNTED && cause->kind != PE_CAUSE_INLINED &&
		     cause->kind != PE_CAUSE_OUTLINED;

	if (cause->origin != PE_FRAME_NONE)
		return cause->origin;
	return calls && cause->caller != PE_FRAME_NONE && pe_change_touches(cause->caller_change)
		       ? cause->caller
		       : cause->frame;
}

void pe_verdict_measured(struct pe_verdict_report *report, struct pe_decomposition *decomposition,
			 const double sides_ns[2], double error_ns)
{
	const uint64_t old_ns = (uint64_t)llround(sides_ns[0]),
		       new_ns = (uint64_t)llround(sides_ns[1]);
	const int64_t whole = (int64_t)(new_ns - old_ns);

	const int64_t added = whole - report->whole;

	report->outside += added;
	if (report->profiled_old == 0)
		report->profiled_old = report->old_whole;
	report->old_whole = old_ns;
	report->new_whole = new_ns;
	report->whole = whole;
	report->unsaid += added;
	report->noise = error_ns;
	for (uint32_t i = 0; i < report->n; i++)
		report->causes[i].share =
			whole != 0 ? (double)report->causes[i].amount / (double)whole : NAN;
	decomposition->parts[PE_COST_TIME].part[PE_PART_REST] +=
		whole - decomposition->whole[PE_COST_TIME];
	decomposition->whole[PE_COST_TIME] = whole;
}

void pe_verdict_make(struct pe_verdict_report *out, const struct pe_delta *delta,
		     const struct pe_verdict_opts *opts, struct pe_arena *arena)
{
	struct pe_verdict_opts filled = opts != NULL ? *opts : (struct pe_verdict_opts){0};
	struct causes causes = {.delta = delta, .opts = &filled};
	int64_t outside;

	*out = (struct pe_verdict_report){.unit = unit_of(delta, filled.cost)};
	if (out->unit == PE_VERDICT_NOTHING)
		return;
	filled.z = filled.z > 0 ? filled.z : 3;
	if (!(filled.min_share > 0)) {
		filled.min_share = out->unit == PE_VERDICT_NS ? 0.005 : 0;
		causes.min_part = MIN_PART;
	}
	filled.top = filled.top > 0 ? filled.top : 20;
	causes.unit = out->unit;
	outside = find_whole(out, delta);
	pe_causes_collect(&causes);
	pe_causes_agree(&causes);
	add_common_noise(&causes);
	pe_causes_recognise(&causes);
	if (outside != 0)
		pe_vec_push(&causes.groups, (struct group){
						    .cause =
							    {
								    .kind = PE_CAUSE_OUTSIDE,
								    .node = PE_CCT_NONE,
								    .frame = PE_FRAME_NONE,
								    .caller = PE_FRAME_NONE,
								    .other = PE_FRAME_NONE,
								    .origin = PE_FRAME_NONE,
								    .amount = outside,
							    },
						    .variance = out->noise * out->noise,
					    });
	add_counted(&causes, out);
	choose(out, &causes, arena);
	if (!has_explanation(out)) {
		pe_causes_suspect(&causes, out);
		choose(out, &causes, arena);
	}
	pe_causes_release(&causes);
}
