/*
 * Agree: calls of one method from one caller are collected apart by the modified method above. Those that changed by one
 * ratio follow from something that all of these have in common.
 */
#include "compare/causes.h"

#include <math.h>
#include <stdlib.h>

/* Calls changed alike when the ratios of both differ by less. */
static const double SAME_RATIO = 0.02;

static void absorb(struct group *to, struct group *from)
{
	struct pe_cause *sum = &to->cause;
	const struct pe_cause *part = &from->cause;

	sum->amount = (int64_t)((uint64_t)sum->amount + (uint64_t)part->amount);
	to->variance += from->variance;
	to->floor += from->floor;
	sum->contexts += part->contexts;
	sum->nodes += part->nodes;
	sum->old_calls += part->old_calls;
	sum->new_calls += part->new_calls;
	sum->old_caller_calls += part->old_caller_calls;
	sum->new_caller_calls += part->new_caller_calls;
	sum->old_allocations += part->old_allocations;
	sum->new_allocations += part->new_allocations;
	to->old_cost += from->old_cost;
	to->new_cost += from->new_cost;
	if (from->greatest > to->greatest) {
		sum->node = part->node;
		to->greatest = from->greatest;
	}
	if (sum->caller != part->caller)
		sum->caller = PE_FRAME_NONE;
	if (sum->origin != part->origin)
		sum->origin = PE_FRAME_NONE;
	from->gone = true;
}

static bool same_ratio(const struct pe_cause *a, const struct pe_cause *b)
{
	double cross = (double)a->new_calls * (double)b->old_calls;

	return fabs((double)b->new_calls * (double)a->old_calls - cross) <= SAME_RATIO * cross;
}

static int by_calls(const void *x, const void *y)
{
	const struct group *const *a = x, *const *b = y;
	const struct pe_cause *one = &(*a)->cause, *other = &(*b)->cause;

	if (one->frame != other->frame)
		return one->frame < other->frame ? -1 : 1;
	if (one->caller != other->caller)
		return one->caller < other->caller ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

/* The groups of more or fewer calls, those of one method and caller beside each other. */
static struct group **list_calls(struct causes *causes, size_t *n)
{
	struct group **list = pe_realloc(NULL, causes->groups.n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < causes->groups.n; i++)
		if (causes->groups.data[i].class == CLASS_CALLS)
			list[(*n)++] = &causes->groups.data[i];
	if (*n > 1)
		qsort(list, *n, sizeof(struct group *), by_calls);
	return list;
}

/* Calls of one method from one caller; `steady` contexts have as many as they had. */
static void agree_on_calls(struct group **family, size_t n, uint32_t steady)
{
	bool alike = true;

	for (size_t i = 1; i < n; i++)
		alike = alike && same_ratio(&family[0]->cause, &family[i]->cause);
	for (size_t i = 1; alike && i < n; i++)
		absorb(family[0], family[i]);
	for (size_t i = 0; i < n; i++) {
		family[i]->cause.elsewhere = steady;
		family[i]->cause.probably = steady == 0;
	}
}

/* What names the method that changed itself needs no other one. */
static void drop_needless_origins(struct causes *causes)
{
	const struct pe_changes *changes = causes->opts->changes;

	for (size_t i = 0; i < causes->groups.n; i++) {
		struct group *group = &causes->groups.data[i];
		struct pe_cause *cause = &group->cause;

		if ((cause->origin == cause->caller && group->class != CLASS_PER_CALL &&
		     group->class != CLASS_UNSPLIT) ||
		    pe_changes_touched(changes, cause->frame))
			cause->origin = PE_FRAME_NONE;
		if (cause->origin == PE_FRAME_NONE)
			cause->probably = false;
	}
}

void pe_causes_agree(struct causes *causes)
{
	size_t n, end;
	pe_auto_free struct group **calls = list_calls(causes, &n);

	for (size_t from = 0; from < n; from = end) {
		const struct pe_cause *cause = &calls[from]->cause;

		for (end = from + 1; end < n && calls[end]->cause.frame == cause->frame &&
				     calls[end]->cause.caller == cause->caller;)
			end++;
		agree_on_calls(calls + from, end - from,
			       pe_map_get(&causes->steady_calls, cause->frame, cause->caller, 0));
	}
	drop_needless_origins(causes);
}
