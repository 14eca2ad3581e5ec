#include "analysis/compare/zam_steady.h"

#include "analysis/compare/steady.h"

#include <math.h>
#include <string.h>

static struct pe_cct *copy_of(const struct pe_cct *cct, struct pe_arena *arena)
{
	struct pe_cct *copy = pe_arena_new(arena, struct pe_cct, 1);

	*copy = *cct;
	copy->self_ns = pe_arena_new(arena, uint64_t, cct->n);
	copy->total_ns = pe_arena_new(arena, uint64_t, cct->n);
	memcpy(copy->self_ns, cct->self_ns, cct->n * sizeof(*copy->self_ns));
	return copy;
}

static void sum_up(struct pe_cct *cct)
{
	memcpy(cct->total_ns, cct->self_ns, cct->n * sizeof(*cct->total_ns));
	for (uint32_t i = cct->n; i-- > 1;)
		cct->total_ns[cct->nodes[i].parent] += cct->total_ns[i];
}

/* By node: it or a method above it changed. */
static uint8_t *below_changes(const struct pe_cct *cct, const struct pe_changes *changes,
			      struct pe_arena *arena)
{
	uint8_t *below = pe_arena_new(arena, uint8_t, cct->n);

	for (uint32_t i = 0; i < cct->n; i++)
		below[i] = (i > 0 && below[cct->nodes[i].parent] != 0) ||
			   pe_changes_touched(changes, cct->nodes[i].frame);
	return below;
}

/* Some run does without it: the flag alone may be of a deeper call of a recursion, whose other calls are always there. */
static bool is_sometimes(const struct pe_cct *cct, uint32_t node)
{
	const struct pe_cct_range *range = pe_cct_range_of(cct, node);

	return range != NULL && (cct->flags[node] & PE_CCT_SOMETIMES) != 0 && cct->calls != NULL &&
	       cct->calls[node] == range->less[PE_CCT_COUNT_CALLS];
}

/* What only this side has, and only in some runs, with what is below it, takes no time. */
static void leave_out(struct pe_cct *cct, const uint32_t *partner, const uint8_t *below_change,
		      struct pe_arena *arena)
{
	uint8_t *out = pe_arena_new(arena, uint8_t, cct->n);

	for (uint32_t i = 1; i < cct->n; i++) {
		out[i] = partner[i] == PE_CCT_NONE && below_change[i] == 0 &&
			 (out[cct->nodes[i].parent] != 0 || is_sometimes(cct, i));
		if (out[i] != 0)
			cct->self_ns[i] = 0;
	}
}

/* The time of so many calls of those that it took, but no less than the other side took. */
static uint64_t at_calls(uint64_t ns, uint64_t calls, uint64_t fewer, uint64_t other_ns)
{
	double scaled = (double)ns * (double)fewer / (double)calls;

	return ns <= other_ns ? ns : (uint64_t)fmax(round(scaled), (double)other_ns);
}

/* Pairs whose numbers of calls differ by no more than the runs do are compared at the smaller number. */
static void level(const struct pe_match *match, struct pe_cct *old_cct, struct pe_cct *new_cct,
		  const uint8_t *below_change)
{
	if (old_cct->calls == NULL || new_cct->calls == NULL)
		return;
	for (uint32_t j = 1; j < new_cct->n; j++) {
		uint32_t i = match->to_old[j];
		uint64_t before, after;

		if (i == PE_CCT_NONE || below_change[j] != 0 ||
		    !pe_steady_own_doing(old_cct, i, new_cct, j, PE_CCT_COUNT_CALLS))
			continue;
		before = old_cct->calls[i];
		after = new_cct->calls[j];
		if (before < after)
			new_cct->self_ns[j] =
				at_calls(new_cct->self_ns[j], after, before, old_cct->self_ns[i]);
		else if (after < before)
			old_cct->self_ns[i] =
				at_calls(old_cct->self_ns[i], before, after, new_cct->self_ns[j]);
	}
}

void pe_zam_steady_match(struct pe_match *match, const struct pe_changes *changes,
			 struct pe_arena *arena)
{
	struct pe_cct *old_cct, *new_cct;
	uint8_t *below_old, *below_new;

	if (match->old_cct->n_ranges == 0 && match->new_cct->n_ranges == 0)
		return;
	old_cct = copy_of(match->old_cct, arena);
	new_cct = copy_of(match->new_cct, arena);
	below_old = below_changes(old_cct, changes, arena);
	below_new = below_changes(new_cct, changes, arena);
	leave_out(old_cct, match->to_new, below_old, arena);
	leave_out(new_cct, match->to_old, below_new, arena);
	level(match, old_cct, new_cct, below_new);
	sum_up(old_cct);
	sum_up(new_cct);
	match->old_cct = old_cct;
	match->new_cct = new_cct;
}
