/* Trees: compares two sets of trees up to a verdict: match, delta, causes, and the stages on request. */
#include "app/explain/compare.h"

#include "analysis/compare/method_counts.h"
#include "analysis/compare/steady.h"
#include "analysis/compare/zam.h"
#include "analysis/profile/tree.h"

#include <math.h>
#include <string.h>

/* Nodes whose difference is less than this share of the old execution are left out of trees. */
#define LEAST_CHANGE 0.005
/* Default number of causes of one metric: longer lists are not read. */
#define MOST_CAUSES 5

/*
 * The runs of both sides: the repetitions of their executions. A profile from samples has the tree of all samples first, then one
 * for each half; the trees of other sources are repetitions themselves.
 */
static void make_runs(struct pe_runs out[2], const struct pe_collected sides[2],
		      const struct pe_sites *sites, bool call_sites, struct pe_arena *arena)
{
	const struct pe_cct **at[2];
	uint32_t n[2];

	for (int side = 0; side < 2; side++) {
		const char *source = sides[side].trees[0]->facts.source;
		const bool sampled = source != NULL && strstr(source, "samples") != NULL;
		const size_t from = sides[side].n_trees > 1 && sampled ? 1 : 0;

		n[side] = (uint32_t)(sides[side].n_trees - from);
		at[side] = pe_arena_new(arena, const struct pe_cct *, n[side]);
		for (uint32_t i = 0; i < n[side]; i++)
			at[side][i] =
				call_sites
					? sides[side].trees[from + i]
					: pe_tree_without_sites(sides[side].trees[from + i], arena);
	}
	if (call_sites)
		pe_tree_align_sites(at, n, sites, arena);
	for (int side = 0; side < 2; side++)
		pe_runs_make(&out[side], at[side], n[side], arena);
}

struct pe_match_opts pe_comparing_match_opts(struct pe_comparing *comparing)
{
	return (struct pe_match_opts){
		.rule = (enum pe_match_rule)comparing->opts->rule,
		.no_call_sites = comparing->opts->no_call_sites,
		.sites = {.renamed = comparing->renamed,
			  .map_site = comparing->files != NULL ? pe_comparing_site : NULL,
			  .payload = comparing},
	};
}

/* --- Judged costs --- */

static bool differs(const struct pe_compare_pair *pair, enum pe_metric_id metric)
{
	for (size_t i = 0; i < pair->n_values; i++)
		if (strcmp(pair->values[i].metric->name, pe_metrics[metric].name) == 0)
			return pe_compare_value_changed(&pair->values[i]);
	return false;
}

static bool executes_otherwise(const struct pe_compare_pair *pair, double least)
{
	const struct pe_function_changes *functions = pair->functions;

	return functions != NULL && functions->n > 0 &&
	       fabs((double)functions->at[0].amount) >= least * (double)functions->old_whole;
}

/*
 * Whether a cost changed and needs an explanation. Timed runs decide about times, because their noise is known, and counts
 * about counted costs; without any, each cost that the trees have and that differs. Instructions are explained where time has
 * no sure cause: then they decide alone, however short the runs.
 */
static bool is_judged(const struct pe_compare_pair *pair, enum pe_cost cost, double least)
{
	bool known = pe_delta_knows(pair->delta, cost);

	if (cost == PE_COST_INSTRUCTIONS)
		return (pair->n_reports == 0 || pair->reports[0].n == 0) &&
		       executes_otherwise(pair, least);
	if (pair->n_values == 0)
		return known && pe_delta_difference(
					pe_delta_values(pair->delta, 0, pe_cost_total(cost))) != 0;
	switch (cost) {
	case PE_COST_TIME:
		return known && (differs(pair, PE_WALL) || differs(pair, PE_CPU) ||
				 (pair->functions == NULL && differs(pair, PE_INSTRUCTIONS)));
	case PE_COST_ALLOCATIONS:
		return known && differs(pair, PE_ALLOCATIONS);
	default:
		/* Bytes follow their allocations; without a change of these, they are judged. */
		return known && !differs(pair, PE_ALLOCATIONS) && differs(pair, PE_ALLOCATED_BYTES);
	}
}

/* Whether some context has other counts, beyond variation between runs. */
static bool counts_differ(const struct pe_delta *delta)
{
	for (uint32_t i = 0; i < delta->n; i++)
		if (pe_steady_counts_differ(delta, i))
			return true;
	return false;
}

/*
 * Whether to explain calls: of trees with neither times nor allocations; or where runs are too short for times, and calls
 * differ.
 */
static bool judges_calls(const struct pe_compare_pair *pair, bool any)
{
	return !any || (pair->untimed != NULL && pair->n_reports == 0 &&
			!pe_delta_knows(pair->delta, PE_COST_TIME) && counts_differ(pair->delta));
}

static bool attribute(struct pe_attribution *out, const struct pe_compare_pair *pair,
		      const struct pe_comparing *comparing, enum pe_cost cost,
		      struct pe_arena *arena)
{
	const struct pe_attribution_opts opts = {
		/* Two benchmarks of one revision do different work with the same methods. */
		.changes = pair->with_name != NULL ? NULL : pair->changes,
		.functions = pair->functions != NULL && pair->functions->by_frame != NULL
				     ? pair->functions
				     : NULL,
		.cost = cost,
		.min_share = comparing->opts->min_change,
		.top = comparing->opts->top > 0 ? (uint32_t)comparing->opts->top : MOST_CAUSES,
	};

	return pe_attribution_make(out, pair->delta, &opts, arena);
}

static void explain(struct pe_compare_pair *pair, const struct pe_comparing *comparing,
		    enum pe_cost cost)
{
	if (attribute(&pair->reports[pair->n_reports], pair, comparing, cost,
		      comparing->app->arena))
		pair->n_reports++;
}

/*
 * Explain the judged costs: time first, then counted ones. The first is shown first.
 *
 * @param time  attributed; NULL: times are unknown
 */
static void judge(struct pe_compare_pair *pair, const struct pe_comparing *comparing,
		  const struct pe_attribution *time)
{
	static const enum pe_cost order[] = {PE_COST_TIME, PE_COST_INSTRUCTIONS,
					     PE_COST_ALLOCATIONS, PE_COST_BYTES};
	const double least =
		comparing->opts->min_change > 0 ? comparing->opts->min_change : PE_FUNCTIONS_LEAST;
	bool any = false;

	pair->reports = pe_arena_new(comparing->app->arena, struct pe_attribution, PE_N_COSTS + 1);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		any = any || pe_delta_knows(pair->delta, order[i]);
		if (!is_judged(pair, order[i], least))
			continue;
		if (order[i] == PE_COST_TIME)
			pair->reports[pair->n_reports++] = *time;
		else
			explain(pair, comparing, order[i]);
	}
	if (judges_calls(pair, any))
		explain(pair, comparing, PE_COST_CALLS);
}

/* --- One pair --- */

static const struct pe_parcs *run_stages(struct pe_comparing *comparing, const bool *shows,
					 const struct pe_runs *old_runs,
					 const struct pe_runs *new_runs)
{
	struct pe_arena *arena = comparing->app->arena;
	const struct pe_parcs_opts opts = {
		.match = pe_comparing_match_opts(comparing),
		.changes = comparing->changes.at != NULL ? &comparing->changes : NULL,
		.threshold = comparing->opts->threshold,
		.top = (uint32_t)comparing->opts->top,
		.shows = shows,
	};
	struct pe_parcs *parcs = pe_arena_new(arena, struct pe_parcs, 1);

	pe_parcs_make(parcs, old_runs, new_runs, &opts, arena);
	return parcs;
}

/* Find the frames where a cause shows. */
static const bool *shown_at(const struct pe_delta *delta, const struct pe_attribution *time,
			    struct pe_arena *arena)
{
	bool *shows = time != NULL ? pe_arena_new(arena, bool, delta->frames->n) : NULL;

	for (uint32_t i = 0; time != NULL && i < delta->n; i++)
		if (time->cause_of[i] != 0)
			shows[delta->nodes[i].frame] = true;
	return shows;
}

static void run_all_stages(struct pe_compare_pair *pair, struct pe_comparing *comparing,
			   const struct pe_attribution *time, const struct pe_collected sides[2])
{
	struct pe_arena *arena = comparing->app->arena;
	const bool *shows = shown_at(pair->delta, time, arena);
	const unsigned known = sides[0].trees[0]->known & sides[1].trees[0]->known;
	struct pe_runs *plain;

	pair->parcs = run_stages(comparing, shows, pair->old_runs, pair->new_runs);
	if ((known & PE_CCT_SITES) == 0 || comparing->opts->no_call_sites)
		return;
	plain = pe_arena_new(arena, struct pe_runs, 2);
	make_runs(plain, sides, NULL, false, arena);
	pair->parcs_without_sites = run_stages(comparing, shows, &plain[0], &plain[1]);
	pair->nodes_without_sites[0] = plain[0].cct->n;
	pair->nodes_without_sites[1] = plain[1].cct->n;
}

/* The causes of the verdict: of time or, where it has none, of instructions. */
static const struct pe_attribution *causes_of(const struct pe_compare_pair *pair,
					      const struct pe_attribution *time)
{
	for (size_t r = 0; time->n == 0 && r < pair->n_reports; r++)
		if (pair->reports[r].cost == PE_COST_INSTRUCTIONS)
			return &pair->reports[r];
	return time;
}

/*
 * Make ZAM's graph, which needs times. It is of all repetitions together: with few samples, each half has other
 * leaves by chance, and those of only one would be lost.
 */
static void make_critical(struct pe_compare_pair *pair, struct pe_comparing *comparing,
			  const struct pe_attribution *time)
{
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	const struct pe_runs *olds = pair->old_runs, *news = pair->new_runs;
	struct pe_zam *zam = pe_arena_new(comparing->app->arena, struct pe_zam, 1);

	opts.match = pe_comparing_match_opts(comparing);
	opts.match.rule = PE_MATCH_HYBRID;
	if (time != NULL)
		pe_zam_of_causes(zam, pair->delta, causes_of(pair, time), time->least,
				 comparing->app->arena);
	if (time != NULL || pe_zam_make(zam, &olds->cct, &news->cct, 1, &opts,
					comparing->app->arena, NULL) == PE_OK)
		pair->critical = zam;
}

/*
 * Join the counts of functions with the changes of frames: pair->changes becomes a list of the pair's own. The attribution
 * requires more evidence for a method with exactly as many instructions as before, and less for one that executes more.
 */
static void join_functions(struct pe_compare_pair *pair, struct pe_comparing *comparing)
{
	const struct pe_frames *frames = &comparing->frames;
	struct pe_function_changes *functions = pair->functions;
	struct pe_arena *arena = comparing->app->arena;
	struct pe_changes *changes;
	struct pe_frame_change *at;

	if (functions == NULL || pair->changes == NULL)
		return;
	pe_functions_join(functions, frames, pair->charges, comparing->renamed, arena);
	changes = pe_arena_new(arena, struct pe_changes, 1);
	at = pe_arena_new(arena, struct pe_frame_change, frames->n);
	memcpy(at, pair->changes->at, pair->changes->n * sizeof(*at));
	for (uint32_t f = 0; f < frames->n; f++)
		at[f].executed = (uint8_t)functions->by_frame[f].executed;
	for (size_t i = 0; i < functions->n + functions->n_varying + functions->n_same; i++)
		if (functions->at[i].frame != PE_FRAME_NONE)
			functions->at[i].change = at[functions->at[i].frame];
	*changes = (struct pe_changes){at, frames->n};
	pair->changes = changes;
}

/* Match both sides and make their delta tree, with the changes and counts known so far. */
static void lay_over(struct pe_compare_pair *pair, struct pe_comparing *comparing,
		     const struct pe_collected sides[2], struct pe_arena *arena)
{
	struct pe_runs *runs = pe_arena_new(arena, struct pe_runs, 2);
	struct pe_match *match = pe_arena_new(arena, struct pe_match, 1);
	struct pe_delta *delta = pe_arena_new(arena, struct pe_delta, 1);
	const struct pe_match_opts opts = pe_comparing_match_opts(comparing);

	make_runs(runs, sides, &opts.sites, !opts.no_call_sites, arena);
	for (int side = 0; side < 2; side++)
		pair->timelines[side] = sides[side].trees[0]->facts.timeline;
	runs[1].scale_error = pair->scale_error;
	pair->changes = comparing->changes.at != NULL ? &comparing->changes : NULL;
	join_functions(pair, comparing);
	if (pair->functions != NULL && pair->functions->by_frame != NULL)
		pe_method_counts_lay(runs, pair->functions, comparing->renamed, arena);
	pe_match_make(match, runs[0].cct, runs[1].cct, &opts, arena);
	pe_delta_make(delta, &runs[0], &runs[1], match, arena);
	pair->old_runs = &runs[0];
	pair->new_runs = &runs[1];
	pair->delta = delta;
}

bool pe_comparing_attribute_early(struct pe_attribution *out, const struct pe_compare_pair *pair,
				  struct pe_comparing *comparing,
				  const struct pe_collected sides[2], struct pe_arena *arena)
{
	struct pe_compare_pair early = *pair;

	lay_over(&early, comparing, sides, arena);
	return attribute(out, &early, comparing, PE_COST_TIME, arena);
}

static void compare_pair(struct pe_compare_pair *pair, struct pe_comparing *comparing,
			 const struct pe_collected sides[2])
{
	const struct pe_comparing_opts *opts = comparing->opts;
	struct pe_arena *arena = comparing->app->arena;
	struct pe_delta_methods *methods = pe_arena_new(arena, struct pe_delta_methods, 1);
	struct pe_blueprint *blueprint = pe_arena_new(arena, struct pe_blueprint, 1);
	struct pe_attribution *time = pe_arena_new(arena, struct pe_attribution, 1);
	struct pe_blueprint_opts drawn = {.basis = (enum pe_basis)opts->basis};

	pe_comparing_scale(pair, sides);
	lay_over(pair, comparing, sides, arena);
	pe_delta_methods_sum(methods, pair->delta, arena);
	pair->methods = methods;
	/* Attribute time always, whether or not it is judged to differ. */
	if (!attribute(time, pair, comparing, PE_COST_TIME, arena))
		time = NULL;
	pair->time = time;
	judge(pair, comparing, time);
	drawn.changes = pair->changes;
	drawn.cause_of = time != NULL ? time->cause_of : NULL;
	pe_blueprint_make(blueprint, pair->delta, &drawn, arena);
	pair->blueprint = blueprint;
	/* Without known changes, the papers' own rules decide. */
	if (time != NULL && time->changes_unknown)
		time = NULL;
	if (opts->stages || opts->page)
		run_all_stages(pair, comparing, time, sides);
	if (opts->critical || opts->page)
		make_critical(pair, comparing, time);
}

void pe_comparing_decide_trees(struct pe_comparing *comparing)
{
	struct pe_compare *out = &comparing->out;
	const struct pe_comparing_opts *opts = comparing->opts;

	for (size_t p = 0; p < comparing->pairs.n; p++)
		if (pe_comparing_has_trees(comparing, p))
			compare_pair(&comparing->pairs.data[p], comparing,
				     comparing->couples[p].sides);
	out->pairs = comparing->pairs.data;
	out->n_pairs = comparing->pairs.n;
	out->match = pe_match_rule_name((enum pe_match_rule)opts->rule);
	out->call_sites = !opts->no_call_sites;
	out->basis = (enum pe_basis)opts->basis;
	out->min_change = opts->min_change > 0 ? opts->min_change : LEAST_CHANGE;
	pe_compare_rank(out, comparing->app->arena);
}

void pe_comparing_release(struct pe_comparing *comparing)
{
	pe_vec_release(&comparing->pairs);
	pe_frames_release(&comparing->frames);
}
