/*
 * Scale: sets the whole time of trees of samples, which lack it. Each tree was scaled to its revision's timed runs when it
 * was collected, and the machine may have changed since. Here both sides of a pair are scaled to the rounds that they share,
 * with the error of their ratio.
 */
#include "app/explain/compare.h"

#include <math.h>
#include <string.h>

/* Share of a run's wall time: less waiting than this is start-up and scheduling. */
static const double LEAST_WAITING = 0.05;

/*
 * Longest wait of a program for its next turn after it had to leave a processor: a time slice of each of ten others, on a
 * machine with a load of ten per processor.
 */
static const double LONGEST_TURN_NS = 30e6;

static bool is_known(const struct pe_compare_value *value)
{
	return value->old_n > 0 && value->old_value > 0 && value->new_value > 0;
}

/* The half width of both intervals together. */
static double find_open(const struct pe_compare_value *wall, const struct pe_compare_value *cpu)
{
	return (wall->high - wall->low + cpu->high - cpu->low) / 2;
}

static bool is_decided(const struct pe_compare_value *value)
{
	return value->low > 0 || value->high < 0;
}

static double half_width_ns(const struct pe_compare_value *value)
{
	return (value->high - value->low) / 2 * value->old_value;
}

/*
 * Whether the runs prove that waiting changed. Waits for a processor grow with processor time, so that wall time has to
 * change in another proportion. Waits inside methods are for something else, and are compared by their length.
 */
static bool waits_otherwise(const struct pe_compare_value *wall, const struct pe_compare_value *cpu,
			    bool in_methods)
{
	const double longer_ns =
		wall->new_value - cpu->new_value - (wall->old_value - cpu->old_value);

	if (in_methods && is_decided(wall) &&
	    fabs(longer_ns) > half_width_ns(wall) + half_width_ns(cpu))
		return true;
	return fabs(wall->relative - cpu->relative) > 2 * find_open(wall, cpu);
}

/* Whether wall time changed by more than processor time alone: a program that computes less waits less for a processor. */
static bool waits_for_processor(const struct pe_compare_value *wall,
				const struct pe_compare_value *cpu)
{
	double alone = (cpu->new_value - cpu->old_value) / wall->old_value;

	return fabs(wall->relative - alone) > 2 * find_open(wall, cpu);
}

/* Whether a method waits at a node. Waiting for a child does not count: the child may have waited for a processor. */
static bool is_in_method(const struct pe_cct *cct, uint32_t node)
{
	return pe_cct_frame(cct, cct->nodes[node].parent)->kind == PE_FRAME_METHOD &&
	       strncmp(pe_cct_frame(cct, node)->name, PE_FRAME_WAITING_CHILD,
		       strlen(PE_FRAME_WAITING_CHILD)) != 0;
}

/* Whether waits are in the tree where they happen. @param in_method  most of the waiting time is directly below methods */
static bool waits_inside(const struct pe_collected *trees, bool in_method)
{
	const struct pe_cct *cct = trees->trees[0];
	uint64_t inside_ns = 0;

	for (uint32_t i = 1; i < cct->n; i++)
		if (cct->self_ns[i] > 0 && pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING &&
		    (in_method ? is_in_method(cct, i) : cct->nodes[i].parent != 0))
			inside_ns += cct->self_ns[i];
	return inside_ns > (in_method ? cct->waiting_ns / 2 : 0);
}

/*
 * Whether other programs took the processor: methods wait little, and the side that waits longer also had to leave the processor
 * more often, so that a turn each time explains the wait. A program that only starts up rarely has to.
 */
static bool is_preempted(const struct pe_compare_pair *pair, const struct pe_collected sides[2])
{
	const struct pe_compare_value *wall = &pair->wall, *cpu = &pair->cpu;
	const struct pe_compare_value *switches = &pair->switches;
	const double longer = wall->new_value - cpu->new_value - (wall->old_value - cpu->old_value);
	const double more = switches->new_value - switches->old_value;

	return switches->old_n > 0 && longer * more > 0 &&
	       fabs(longer) <= fabs(more) * LONGEST_TURN_NS && !waits_inside(&sides[0], true) &&
	       !waits_inside(&sides[1], true);
}

static double at_least(double waiting_ns, double wall_ns, double share)
{
	return waiting_ns >= share * wall_ns ? waiting_ns : 0;
}

/*
 * Find the waiting time of each side: the same for both unless the runs prove a difference, and none where they do not even
 * prove that wall time differs: on a busy machine, waits for a processor fall on other places in each run, so that equal
 * sums of both sides would still differ at each place.
 *
 * @param least       share of the wall time below which it is 0
 * @param in_methods  most waiting of either side is inside methods
 */
static void find_waiting(double waiting_ns[2], const struct pe_compare_value *wall,
			 const struct pe_compare_value *cpu, double least, bool in_methods)
{
	waiting_ns[0] = wall->old_value - cpu->old_value;
	waiting_ns[1] = wall->new_value - cpu->new_value;
	if (waits_otherwise(wall, cpu, in_methods)) {
		waiting_ns[0] = at_least(waiting_ns[0], wall->old_value, least);
		waiting_ns[1] = at_least(waiting_ns[1], wall->new_value, least);
	} else if (!is_decided(wall) || waits_for_processor(wall, cpu)) {
		waiting_ns[0] = waiting_ns[1] = 0;
	} else {
		waiting_ns[0] = waiting_ns[1] =
			at_least(fmin(waiting_ns[0], waiting_ns[1]),
				 fmax(wall->old_value, wall->new_value), least);
	}
}

/* @param path  waits are part of the path, as long as all of it */
static void scale_tree(struct pe_cct *cct, double cpu_ns, double waiting_ns, bool path)
{
	uint64_t idle = path ? 0 : cct->waiting_ns;
	double computing = (double)(cct->total_ns[0] - idle), sum = 0;
	uint64_t given = 0;

	if (computing <= 0)
		return;
	waiting_ns = idle > 0 ? waiting_ns / (double)idle : 0; /* the factor for its nodes */
	for (uint32_t i = 0; i < cct->n; i++) {
		/* Rounded by their running sum, so that the whole is exact. */
		if (!path && pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING) {
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

/*
 * Whether more processor time than wall time passed. The path then has only a part of it, and the whole tree is the wall
 * time. In other programs, a path that waits longer for a child than the child computes waits for the child's processor.
 */
static bool is_parallel(const struct pe_compare_value *wall, const struct pe_compare_value *cpu)
{
	return cpu->old_value > wall->old_value || cpu->new_value > wall->new_value;
}

static void scale_trees(const struct pe_collected *trees, double cpu_ns, double waiting_ns,
			bool path)
{
	for (size_t t = 0; t < trees->n_trees; t++)
		scale_tree(trees->trees[t], cpu_ns, waiting_ns, path);
}

static double error_of(const struct pe_compare_value *value)
{
	if (!isfinite(value->low) || !isfinite(value->high))
		return 0;
	return (value->high - value->low) / 2 / 1.96 / (1 + value->relative);
}

bool pe_comparing_is_sampled(const struct pe_collected *trees)
{
	for (size_t i = 0; i < trees->n_trees; i++)
		if (trees->trees[i]->total_ns == NULL || trees->trees[i]->facts.samples == 0)
			return false;
	return trees->n_trees > 0;
}

static bool waits(const struct pe_collected *trees)
{
	return trees->trees[0]->waiting_ns > 0;
}

void pe_comparing_leave_waits(const struct pe_collected *trees)
{
	for (size_t t = 0; t < trees->n_trees; t++)
		scale_tree(trees->trees[t], (double)trees->trees[t]->total_ns[0], 0, false);
}

void pe_comparing_scale(struct pe_compare_pair *pair, const struct pe_collected sides[2])
{
	const struct pe_compare_value *wall = &pair->wall, *cpu = &pair->cpu;
	const struct pe_collected *olds = &sides[0], *news = &sides[1];
	double waiting_ns[2];
	bool path;

	pair->scale_error = 0;
	if (!is_known(wall) || !is_known(cpu) || !pe_comparing_is_sampled(olds) ||
	    !pe_comparing_is_sampled(news))
		return;
	path = waits_inside(olds, false) || waits_inside(news, false);
	if (path && is_parallel(wall, cpu)) {
		scale_trees(olds, wall->old_value, 0, true);
		scale_trees(news, wall->new_value, 0, true);
		pair->scale_error = error_of(wall);
		return;
	}
	find_waiting(waiting_ns, wall, cpu, path ? 0 : LEAST_WAITING,
		     waits_inside(olds, true) || waits_inside(news, true));
	if (is_preempted(pair, sides))
		waiting_ns[0] = waiting_ns[1] = 0;
	if (!waits(olds) || !waits(news)) {
		/* A side without waiting nodes has no place for waiting time, so the common part is left out. */
		double common = fmin(waiting_ns[0], waiting_ns[1]);

		waiting_ns[0] = waits(olds) ? waiting_ns[0] - common : 0;
		waiting_ns[1] = waits(news) ? waiting_ns[1] - common : 0;
	}
	scale_trees(olds, cpu->old_value, waiting_ns[0], false);
	scale_trees(news, cpu->new_value, waiting_ns[1], false);
	pair->scale_error = error_of(cpu);
}
