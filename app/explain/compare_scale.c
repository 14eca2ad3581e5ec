/*
 * What trees of samples lack is how long the whole took: each was given what the timed runs of its revision took
 * when it was collected, and the machine may have been another one by then. Here both sides of a pair get what
 * the rounds that they share say, and how sure that is.
 */
#include "app/explain/compare.h"

#include <math.h>

/* Of a run's wall time: less of it without a processor is start-up and the scheduler's doing. */
static const double LEAST_WAITING = 0.05;

/*
 * The longest that a program waits for its next turn on a processor that it had to leave: a slice of each of ten others on a
 * machine with a load of ten a processor.
 */
static const double LONGEST_TURN_NS = 30e6;

static bool is_known(const struct pe_compare_value *value)
{
	return value->old_n > 0 && value->old_value > 0 && value->new_value > 0;
}

/* What both intervals leave open. */
static double find_open(const struct pe_compare_value *wall, const struct pe_compare_value *cpu)
{
	return (wall->high - wall->low + cpu->high - cpu->low) / 2;
}

/* Whether wall time changed otherwise than processor time. */
static bool waits_otherwise(const struct pe_compare_value *wall, const struct pe_compare_value *cpu)
{
	return fabs(wall->relative - cpu->relative) > 2 * find_open(wall, cpu);
}

/* Whether wall time changed otherwise than by processor time alone: who computes less waits less for a processor. */
static bool waits_for_processor(const struct pe_compare_value *wall,
				const struct pe_compare_value *cpu)
{
	double alone = (cpu->new_value - cpu->old_value) / wall->old_value;

	return fabs(wall->relative - alone) > 2 * find_open(wall, cpu);
}

static bool waits_in_a_method(const struct pe_comparing_trees *trees)
{
	const struct pe_cct *cct = trees->at[0];

	for (uint32_t i = 1; i < cct->n; i++)
		if (cct->self_ns[i] > 0 && pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING &&
		    pe_cct_frame(cct, cct->nodes[i].parent)->kind == PE_FRAME_METHOD)
			return true;
	return false;
}

/*
 * Whether others took the processor: no method waits, and the side that waits longer had to leave the processor more often, so
 * that a turn later each time is all of that. Who computes nothing but start-up is hardly ever made to.
 */
static bool is_preempted(const struct pe_compare_pair *pair, const struct pe_comparing_sides *sides)
{
	const struct pe_compare_value *wall = &pair->wall, *cpu = &pair->cpu;
	const struct pe_compare_value *switches = &pair->switches;
	const double longer = wall->new_value - cpu->new_value - (wall->old_value - cpu->old_value);
	const double more = switches->new_value - switches->old_value;

	return switches->old_n > 0 && longer * more > 0 &&
	       fabs(longer) <= fabs(more) * LONGEST_TURN_NS && !waits_in_a_method(&sides->at[0]) &&
	       !waits_in_a_method(&sides->at[1]);
}

static double at_least(double waiting_ns, double wall_ns, double share)
{
	return waiting_ns >= share * wall_ns ? waiting_ns : 0;
}

/*
 * The time that nothing ran, by side: the same unless the runs are sure of more. What waits for a processor waits
 * too, and on a busy machine that is as noise has it.
 *
 * @param least  less than this share of the wall time is none
 */
static void find_waiting(double waiting_ns[2], const struct pe_compare_value *wall,
			 const struct pe_compare_value *cpu, double least)
{
	waiting_ns[0] = wall->old_value - cpu->old_value;
	waiting_ns[1] = wall->new_value - cpu->new_value;
	if (waits_otherwise(wall, cpu)) {
		waiting_ns[0] = at_least(waiting_ns[0], wall->old_value, least);
		waiting_ns[1] = at_least(waiting_ns[1], wall->new_value, least);
	} else if (waits_for_processor(wall, cpu)) {
		waiting_ns[0] = waiting_ns[1] = 0;
	} else {
		waiting_ns[0] = waiting_ns[1] =
			at_least(fmin(waiting_ns[0], waiting_ns[1]),
				 fmax(wall->old_value, wall->new_value), least);
	}
}

static void scale_tree(struct pe_cct *cct, double cpu_ns, double waiting_ns)
{
	uint64_t idle = pe_cct_waiting_ns(cct);
	double computing = (double)(cct->total_ns[0] - idle), sum = 0;
	uint64_t given = 0;

	if (computing <= 0)
		return;
	waiting_ns = idle > 0 ? waiting_ns / (double)idle
			      : 0; /* what each of its nodes is multiplied by */
	for (uint32_t i = 0; i < cct->n; i++) {
		/* Rounded by their running sum, so that the whole is exact. */
		if (pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING) {
			cct->self_ns[i] = (uint64_t)((double)cct->self_ns[i] * waiting_ns);
			continue;
		}
		sum += (double)cct->self_ns[i];
		cct->self_ns[i] = (uint64_t)(sum / computing * cpu_ns) - given;
		given += cct->self_ns[i];
	}
	pe_cct_sum(cct);
	cct->facts.duration_ns = cct->total_ns[0];
}

/* Whether waits stand where they happen. */
static bool is_path(const struct pe_comparing_trees *trees)
{
	const struct pe_cct *cct = trees->at[0];

	for (uint32_t i = 1; i < cct->n; i++)
		if (cct->nodes[i].parent != 0 && cct->self_ns[i] > 0 &&
		    pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			return true;
	return false;
}

/*
 * Whether more was computed than time passed. The path then has only a part of that: the whole tree is the wall time. Of other
 * programs, what a path waits for a child beyond what the child computed is the child's wait for a processor.
 */
static bool is_parallel(const struct pe_compare_value *wall, const struct pe_compare_value *cpu)
{
	return cpu->old_value > wall->old_value || cpu->new_value > wall->new_value;
}

static void scale_path(const struct pe_comparing_trees *trees, double wall_ns)
{
	for (size_t t = 0; t < trees->n; t++) {
		struct pe_cct *cct = trees->at[t];
		const double whole = (double)cct->total_ns[0];
		uint64_t given = 0;
		double sum = 0;

		for (uint32_t i = 0; whole > 0 && i < cct->n; i++) {
			sum += (double)cct->self_ns[i];
			cct->self_ns[i] = (uint64_t)(sum / whole * wall_ns) - given;
			given += cct->self_ns[i];
		}
		pe_cct_sum(cct);
		cct->facts.duration_ns = cct->total_ns[0];
	}
}

static double error_of(const struct pe_compare_value *value)
{
	if (!isfinite(value->low) || !isfinite(value->high))
		return 0;
	return (value->high - value->low) / 2 / 1.96 / (1 + value->relative);
}

static bool is_sampled(const struct pe_comparing_trees *trees)
{
	for (size_t i = 0; i < trees->n; i++)
		if (trees->at[i]->total_ns == NULL || trees->at[i]->facts.samples == 0)
			return false;
	return trees->n > 0;
}

static bool waits(const struct pe_comparing_trees *trees)
{
	return pe_cct_waiting_ns(trees->at[0]) > 0;
}

void pe_comparing_scale(struct pe_compare_pair *pair, const struct pe_comparing_sides *sides)
{
	const struct pe_compare_value *wall = &pair->wall, *cpu = &pair->cpu;
	const struct pe_comparing_trees *olds = &sides->at[0], *news = &sides->at[1];
	double waiting_ns[2];
	bool path;

	pair->scale_error = 0;
	if (!is_known(wall) || !is_known(cpu) || !is_sampled(olds) || !is_sampled(news))
		return;
	path = is_path(olds) || is_path(news);
	if (path && is_parallel(wall, cpu)) {
		scale_path(olds, wall->old_value);
		scale_path(news, wall->new_value);
		pair->scale_error = error_of(wall);
		return;
	}
	find_waiting(waiting_ns, wall, cpu, path ? 0 : LEAST_WAITING);
	if (is_preempted(pair, sides))
		waiting_ns[0] = waiting_ns[1] = 0;
	if (!waits(olds) || !waits(news)) {
		/* A side without the node has nowhere to put it: what both have in common is left out. */
		double common = fmin(waiting_ns[0], waiting_ns[1]);

		waiting_ns[0] = waits(olds) ? waiting_ns[0] - common : 0;
		waiting_ns[1] = waits(news) ? waiting_ns[1] - common : 0;
	}
	for (size_t i = 0; i < olds->n; i++)
		scale_tree(olds->at[i], cpu->old_value, waiting_ns[0]);
	for (size_t i = 0; i < news->n; i++)
		scale_tree(news->at[i], cpu->new_value, waiting_ns[1]);
	pair->scale_error = error_of(cpu);
}
