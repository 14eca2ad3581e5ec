/* Certainty: whether two counting runs of each revision can tell a side effect from chance, and more runs where they cannot. */
#include "app/explain/compare.h"
#include "analysis/compare/steady.h"

/*
 * Whether counts differ where no source changed. Two runs of each revision may then agree by chance, and random counts would
 * be reported as a side effect.
 */
static bool is_in_doubt(const struct pe_collected sides[2], struct pe_comparing *comparing)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_match_opts opts = pe_comparing_match_opts(comparing);
	const struct pe_cct *const trees[2] = {sides[0].cct, sides[1].cct};
	struct pe_runs runs[2];
	struct pe_match match;
	struct pe_delta delta;

	for (int side = 0; side < 2; side++)
		pe_runs_make(&runs[side], &trees[side], 1, &work);
	opts.rule = PE_MATCH_RELAXED;
	pe_match_make(&match, trees[0], trees[1], &opts, &work);
	pe_delta_make(&delta, &runs[0], &runs[1], &match, &work);
	return pe_steady_doubtful(&delta, &comparing->changes) > 0;
}

bool pe_comparing_is_unsure(const struct pe_collected sides[2])
{
	return sides[0].cct != NULL && sides[1].cct != NULL &&
	       (pe_collect_is_doubtful(&sides[0]) || pe_collect_is_doubtful(&sides[1]));
}

int pe_comparing_make_sure(struct pe_collected sides[2], struct pe_comparing *comparing,
			   struct pe_session *session,
			   const struct pe_session_revision *const revisions[2],
			   const struct pe_session_benchmark *const benchmarks[2])
{
	if (!pe_comparing_is_unsure(sides) || !is_in_doubt(sides, comparing))
		return PE_OK;
	for (int side = 0; side < 2; side++)
		if (pe_collect_is_doubtful(&sides[side]))
			PE_TRY(pe_collect_more(&sides[side], session, revisions[side],
					       benchmarks[side], &comparing->frames,
					       comparing->app->arena));
	return PE_OK;
}
