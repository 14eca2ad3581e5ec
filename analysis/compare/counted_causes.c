#include "analysis/compare/counted_causes.h"

#include <math.h>

/* Less than this beside the greatest is nobody's doing. */
static const double CRUMB = 0.2;

/* By what was done to it, or by what it is handed. */
static bool take_worth(struct counted_cause *out, const struct pe_decision *one,
		       const struct pe_changes *changes, double least_ns, double most_ns)
{
	if (!pe_decision_is_worth(one, least_ns))
		return false;
	*out = (struct counted_cause){one, PE_FRAME_NONE, false, one->worth_ns};
	if (pe_decision_is_own(one, changes))
		return true;
	out->by = one->by != one->frame ? one->by : PE_FRAME_NONE;
	return one->charged && (one->by != PE_FRAME_NONE || fabs(one->worth_ns) >= CRUMB * most_ns);
}

static double greatest(const struct pe_decisions *decisions, double least_ns)
{
	double most = 0;

	for (uint32_t i = 0; i < decisions->n_counted; i++)
		if (pe_decision_is_worth(&decisions->at[i], least_ns))
			most = fmax(most, fabs(decisions->at[i].worth_ns));
	return most;
}

uint32_t pe_counted_cause_doer(const struct counted_cause *cause)
{
	return cause->by != PE_FRAME_NONE ? cause->by : cause->decision->frame;
}

/*
 * Instead of another one that the same method has called, if that is less; beside what it does otherwise, not at all. What it
 * has called more stands beside what it has called less.
 */
static void put_called(struct counted_causes *out, const struct pe_decision *one)
{
	const uint32_t by = one->by != one->frame ? one->by : PE_FRAME_NONE;
	const struct counted_cause cause = {one, by, true, one->called_ns};

	for (uint32_t i = 0; i < out->n; i++) {
		struct counted_cause *other = &out->at[i];

		if (pe_counted_cause_doer(other) != pe_counted_cause_doer(&cause) ||
		    (other->worth_ns > 0) != (cause.worth_ns > 0))
			continue;
		if (other->called && fabs(other->worth_ns) < fabs(cause.worth_ns))
			*other = cause;
		return;
	}
	out->at[out->n++] = cause;
}

struct counted_causes pe_counted_causes_find(const struct pe_decisions *decisions,
					     const struct pe_changes *changes, double least_ns,
					     struct pe_arena *arena)
{
	const uint32_t n = decisions != NULL ? decisions->n_counted : 0;
	struct counted_causes out = {pe_arena_new(arena, struct counted_cause, n), 0};
	const double most = n > 0 ? greatest(decisions, least_ns) : 0;

	for (uint32_t i = 0; i < n; i++)
		out.n += take_worth(&out.at[out.n], &decisions->at[i], changes, least_ns, most);
	for (uint32_t i = 0; i < n; i++)
		if (!pe_decision_is_worth(&decisions->at[i], least_ns) &&
		    pe_decision_is_called(&decisions->at[i], least_ns))
			put_called(&out, &decisions->at[i]);
	return out;
}
