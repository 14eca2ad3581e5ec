/*
 * Samples: counts and samples a pair further until methods are decided. Where counts differ by chance as well as by a side
 * effect, more counting runs tell. The first samples tell how many more are needed; these are taken at once, with a few looks,
 * because the first estimate is rough.
 */
#include "app/explain/compare.h"

#include "analysis/compare/steady.h"
#include "core/base/clock.h"
#include "report/format.h"

#include <math.h>

/*
 * Whether counts differ where no source changed. Two runs of each revision may then agree by chance, and random counts would
 * be reported as a side effect.
 */
static bool is_in_doubt(struct pe_comparing *comparing, const struct pe_collected sides[2])
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

int pe_comparing_make_sure(struct pe_comparing *comparing, size_t pair)
{
	struct pe_comparing_couple *couple = &comparing->couples[pair];
	struct pe_collected *sides = couple->sides;

	if (couple->sure ||
	    (!pe_collect_is_doubtful(&sides[0]) && !pe_collect_is_doubtful(&sides[1])))
		return PE_OK;
	couple->sure = true;
	PE_TRY(pe_comparing_changes(comparing, false));
	if (!is_in_doubt(comparing, sides))
		return PE_OK;
	for (int side = 0; side < 2; side++)
		if (pe_collect_is_doubtful(&sides[side]))
			PE_TRY(pe_collect_more(&sides[side], &comparing->session,
					       comparing->chosen[side], couple->benchmarks[side],
					       &comparing->frames, comparing->app->arena));
	return PE_OK;
}

/* Most looks at the samples, with more samples in between. */
enum { MOST_LOOKS = 3 };

/* Least factor of samples for another run. */
static const double LEAST_TIMES = 1.05;

static uint64_t left_ns(const struct pe_comparing *comparing)
{
	const uint64_t budget_ns = comparing->opts->decide_ns;

	return comparing->spent_ns < budget_ns ? budget_ns - comparing->spent_ns : 0;
}

static void say(const struct pe_comparing *comparing, const struct pe_compare_pair *pair,
		uint32_t open, double more_ns)
{
	pe_auto_text needed = PE_TEXT_INIT, left = PE_TEXT_INIT;

	pe_format_duration(&needed, (uint64_t)more_ns);
	pe_format_duration(&left, left_ns(comparing));
	pe_app_note(comparing->app,
		    "%s: %u method%s undecided: sampling %s more, for %s at most (--budget)",
		    pair->name, open, open == 1 ? " is" : "s are", pe_text_str(&needed),
		    pe_text_str(&left));
}

/* Whether more samples can decide open methods; set their number. */
static bool find_missing(struct pe_collect_more *more, struct pe_comparing *comparing, size_t pair)
{
	pe_auto_arena work = PE_ARENA_INIT;
	const struct pe_collected *sides = comparing->couples[pair].sides;
	struct pe_attribution time;
	double most = 0, sampled_ns = 0;

	if (!pe_comparing_attribute_early(&time, &comparing->pairs.data[pair], comparing, sides,
					  &work) ||
	    time.times < LEAST_TIMES)
		return false;
	for (int side = 0; side < 2; side++) {
		const struct pe_cct_facts *facts = &sides[side].cct->facts;

		most = fmax(most, (double)facts->samples);
		sampled_ns += (double)facts->samples * (double)facts->interval_ns;
	}
	say(comparing, &comparing->pairs.data[pair], time.open, (time.times - 1) * sampled_ns);
	*more = (struct pe_collect_more){.samples = (uint64_t)(most * (time.times - 1)),
					 .budget_ns = left_ns(comparing)};
	return true;
}

struct pe_collect_pair pe_comparing_collected(struct pe_comparing *comparing, size_t pair)
{
	return (struct pe_collect_pair){
		.sides = comparing->couples[pair].sides,
		.session = &comparing->session,
		.revisions = comparing->chosen,
		.benchmarks = comparing->couples[pair].benchmarks,
		.frames = &comparing->frames,
		.arena = comparing->app->arena,
	};
}

int pe_comparing_sample_more(struct pe_comparing *comparing, size_t pair)
{
	struct pe_comparing_couple *couple = &comparing->couples[pair];
	const struct pe_collect_pair collected = pe_comparing_collected(comparing, pair);

	if (!(comparing->opts->min_change > 0) || couple->sides[0].n_trees < 2 ||
	    couple->sides[1].n_trees < 2 || !pe_comparing_is_sampled(&couple->sides[0]) ||
	    !pe_comparing_is_sampled(&couple->sides[1]))
		return PE_OK;
	for (int look = 1; look < MOST_LOOKS && left_ns(comparing) > 0; look++) {
		uint64_t began = pe_clock_ns();
		struct pe_collect_more more;
		int rc;

		PE_TRY(pe_comparing_changes(comparing, false));
		if (!find_missing(&more, comparing, pair))
			break;
		rc = pe_collect_beside_more(&collected, &more);
		comparing->spent_ns += pe_clock_ns() - began;
		PE_TRY(rc);
	}
	return PE_OK;
}
