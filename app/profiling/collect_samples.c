/*
 * True times: samples of the native build, joined with the counts by path. A short benchmark is sampled again
 * and again until there are enough of them, in two halves, whose difference shows how steady the times are.
 */
#include "app/profiling/collect_internal.h"

#include "core/base/clock.h"
#include "analysis/profile/merge.h"
#include "analysis/profile/samples.h"
#include "probe/formats/samples.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SAMPLED_PATIENCE = 5,
	WANTED_SAMPLES = 2000,
	FEW_SAMPLES = 500,
	MOST_RUNS = 400,
	MOST_MORE_RUNS = 100000,
	HALVES = 2,
	FIRST_PART = 2, /* half of the runs gives the first answer */
	SAMPLES_OF_RUN = 20,
	LEAST_INTERVAL_NS =
		50000, /* a sample takes some 5 µs, which do not count but cool caches */
};

/* All sampled runs together; at least two where one is this short. */
static const uint64_t MOST_NS = UINT64_C(30000000000);
static const double SHORT_NS = 1e10;

struct sampling {
	struct pe_collecting *collecting;
	struct pe_symbols_db *db;
	const char *tree;
	const char *name; /* of the folders */
	const char *folders[HALVES];
	struct pe_strings extra[HALVES]; /* what makes a run leave its samples there */
	uint64_t interval_ns;
	size_t runs;
	double cpu_ns; /* of all runs */
	bool reported; /* some program recorded that it was sampled, if only with nothing */
};

static const char TOO_SHORT[] =
	"no sample was taken: the run is too short; give the benchmark more work, or more 'profile: {runs: ...}' in perfevo.yml";
/* Where counts stand by themselves. */
static const char UNTIMED[] =
	"no sample was taken: the run is too short, so times are not known; a longer benchmark, or more 'profile: {runs: ...}' in perfevo.yml with --again, gives them";

/* How many runs, after what the first one cost. */
static size_t runs_wanted(const struct sampling *sampling, const struct pe_run *first)
{
	const struct pe_profile_plan *plan;
	const struct pe_collect_more *more;
	double cpu_ns = pe_collecting_cost(first, PE_CPU);
	double samples = cpu_ns / (double)sampling->interval_ns, most, runs;
	size_t least = pe_collecting_cost(first, PE_WALL) < SHORT_NS ? HALVES : 1;

	assert(sampling->collecting != NULL);
	plan = sampling->collecting->plan;
	more = sampling->collecting->more;
	if (plan->runs > 0 && more == NULL)
		return plan->runs;
	most = more != NULL ? MOST_MORE_RUNS : MOST_RUNS;
	runs = (more != NULL ? (double)more->samples : WANTED_SAMPLES) / samples + 1;
	if (!(runs < most))
		runs = most;
	return runs < (double)least ? least : (size_t)runs;
}

static int preload(struct pe_strings *out, struct sampling *sampling, const char *folder)
{
	struct pe_arena *arena = sampling->collecting->arena;
	struct pe_err *err = sampling->collecting->session->app->err;
	const char *library = pe_build_variant_library(PE_LIBRARY_SAMPLES, arena, err);
	const char **settings = pe_arena_new(arena, const char *, 4);
	const char *clock = getenv(PE_SAMPLES_CLOCK_ENV);
	size_t n = 3;

	if (library == NULL)
		return err->code;
	settings[0] = pe_arena_printf(arena, "LD_PRELOAD=%s", library);
	settings[1] = pe_arena_printf(arena, "%s=%s", PE_SAMPLES_DIR_ENV, folder);
	settings[2] = pe_arena_printf(arena, "%s=%" PRIu64, PE_SAMPLES_INTERVAL_ENV,
				      sampling->interval_ns);
	if (clock != NULL && *clock != '\0') /* as a test asks */
		settings[n++] = pe_arena_printf(arena, "%s=%s", PE_SAMPLES_CLOCK_ENV, clock);
	*out = (struct pe_strings){settings, n};
	return PE_OK;
}

/* The folders for samples, empty. */
static int make_folders(struct sampling *sampling)
{
	struct pe_collecting *collecting = sampling->collecting;

	for (int half = 0; half < HALVES; half++) {
		PE_TRY(pe_collecting_folder(
			&sampling->folders[half], collecting,
			pe_arena_printf(collecting->arena, "%s-%d", sampling->name, half)));
		PE_TRY(preload(&sampling->extra[half], sampling, sampling->folders[half]));
	}
	return PE_OK;
}

/*
 * After the first run of a short benchmark, unless the config has a rate: start again, so that each run has some
 * samples. *again: the run does not count.
 */
static int adapt_interval(bool *again, struct sampling *sampling, const struct pe_run *first)
{
	double interval_ns = pe_collecting_cost(first, PE_CPU) / SAMPLES_OF_RUN;

	*again = sampling->collecting->plan->rate == 0 &&
		 sampling->interval_ns == PE_SAMPLES_INTERVAL_NS && interval_ns > 0 &&
		 interval_ns < PE_SAMPLES_INTERVAL_NS;
	if (!*again)
		return PE_OK;
	sampling->interval_ns =
		interval_ns > LEAST_INTERVAL_NS ? (uint64_t)interval_ns : LEAST_INTERVAL_NS;
	return make_folders(sampling);
}

/* --- From samples to trees --- */

static void advise(struct pe_collecting *collecting, const struct pe_samples_info *info,
		   const struct pe_merge_stats *stats)
{
	double lost = stats->samples > 0 ? 100.0 * (double)stats->lost / (double)stats->samples : 0;

	if (stats->samples < FEW_SAMPLES)
		pe_collecting_advise(collecting,
				     "only %" PRIu64 " samples: shares of time are rough; a longer "
				     "benchmark, or more 'profile: runs:', makes them better",
				     stats->samples);
	if (lost > 3)
		pe_collecting_advise(
			collecting,
			"%.1f %% of the samples found no counted path: their time stands on call paths marked as uncounted",
			lost);
	if (info->lost > 0)
		pe_collecting_advise(collecting, "%" PRIu64 " samples were due and not stored",
				     info->lost);
	if (info->incomplete)
		pe_collecting_advise(collecting, "some threads or libraries could not be sampled");
}

/* The samples of some folders; *out is NULL where there are none. */
static int read_samples(struct pe_cct **out, struct pe_samples_info *info,
			const struct sampling *sampling, const char *const *folders, size_t n)
{
	const struct pe_symbolizer symbolizer = pe_symbols_symbolizer(sampling->db);
	const struct pe_collecting *collecting = sampling->collecting;
	struct pe_err *err = collecting->session->app->err;
	int rc;

	*out = NULL;
	*info = (struct pe_samples_info){.files = 0};
	rc = pe_samples_read(out, info, folders, n, &symbolizer, collecting->frames,
			     collecting->arena, err);
	if (rc != PE_ENOTFOUND)
		return rc;
	*err = (struct pe_err)PE_ERR_INIT;
	*out = NULL;
	return PE_OK;
}

static struct pe_cct *join(const struct sampling *sampling, const struct pe_cct *calls,
			   const struct pe_cct *samples,
			   const struct pe_collecting_duration *duration, size_t runs,
			   struct pe_merge_stats *stats)
{
	struct pe_collecting *collecting = sampling->collecting;
	const struct pe_merge_opts opts = {.duration_ns = duration->total_ns,
					   .waiting_ns = duration->waiting_ns,
					   .runs = (uint32_t)runs};
	const struct pe_cct *own = samples;
	struct pe_cct *joined;

	*stats = (struct pe_merge_stats){.samples = samples->facts.samples};
	if (calls == NULL)
		own = pe_collecting_exclude(samples, collecting, sampling->db, false,
					    collecting->arena);
	joined = calls != NULL ? pe_merge_samples(calls, samples, &opts, stats, collecting->arena)
			       : pe_merge_samples_alone(own, &opts, collecting->arena);
	/* Once is enough: halves have none. */
	joined->facts.timeline = runs == sampling->runs ? samples->facts.timeline : NULL;
	return joined;
}

static int join_all(struct sampling *sampling, const struct pe_cct *calls,
		    const struct pe_collecting_duration *duration)
{
	struct pe_collecting *collecting = sampling->collecting;
	struct pe_merge_stats stats = {.samples = 0};
	struct pe_samples_info info, part;
	struct pe_cct *samples;

	PE_TRY(read_samples(&samples, &info, sampling, sampling->folders, HALVES));
	sampling->reported = samples != NULL;
	if (samples == NULL || info.samples == 0) {
		pe_collecting_advise(collecting, "%s",
				     samples != NULL ? UNTIMED : "no program could be sampled");
		return PE_OK;
	}
	pe_vec_push(&collecting->trees,
		    join(sampling, calls, samples, duration, sampling->runs, &stats));
	advise(collecting, &info, &stats);
	pe_collecting_advise_names(collecting, sampling->tree, sampling->db);
	for (int half = 0; sampling->runs >= HALVES && half < HALVES; half++) {
		PE_TRY(read_samples(&samples, &part, sampling, &sampling->folders[half], 1));
		if (samples != NULL && part.samples > 0)
			pe_vec_push(&collecting->trees,
				    join(sampling, calls, samples, duration,
					 (sampling->runs + (half == 0)) / HALVES, &stats));
	}
	return PE_OK;
}

/* Whether so few samples were due that it may be chance that none came; else they went by what was computed. */
static bool is_short(const struct sampling *sampling)
{
	enum { SAMPLES_BY_CHANCE = 20 };

	return sampling->cpu_ns < SAMPLES_BY_CHANCE * (double)sampling->interval_ns;
}

/* Folders for samples, and symbols of the tree. @param name  of the folders */
static int prepare(struct sampling *sampling, const char *name, const struct pe_slot *slot)
{
	struct pe_collecting *collecting = sampling->collecting;
	const struct pe_profile_plan *plan = collecting->plan;

	sampling->tree = slot->tree;
	sampling->interval_ns =
		plan->rate > 0 ? UINT64_C(1000000000) / plan->rate : PE_SAMPLES_INTERVAL_NS;
	sampling->name = name;
	PE_TRY(make_folders(sampling));
	return pe_symbols_open(&sampling->db, slot->tree, NULL, collecting->session->app->err);
}

/* --- Revisions in turns --- */

/* One revision, or two whose runs alternate. */
struct turns {
	struct pe_collecting *collecting;
	struct pe_collecting_turn *turns;
	int n;
	struct sampling samplings[2];
	struct pe_collecting_place places[2];
};

static void turn_to(struct pe_collecting *collecting, const struct pe_collecting_turn *turn)
{
	collecting->revision = turn->revision;
	collecting->benchmark = turn->benchmark;
}

static int prepare_turn(struct turns *all, int side)
{
	static const char *const names[] = {"samples-0", "samples-1"};
	struct pe_collecting *collecting = all->collecting;
	struct pe_slot *slot;

	turn_to(collecting, &all->turns[side]);
	PE_TRY(pe_collecting_build(&slot, collecting, PE_BUILD_VARIANT_SAMPLED));
	if (slot == NULL)
		return PE_OK;
	all->samplings[side].collecting = collecting;
	PE_TRY(prepare(&all->samplings[side], names[side], slot));
	all->places[side] = (struct pe_collecting_place){.tree = slot->tree,
							 .patience = SAMPLED_PATIENCE,
							 .stage = "sampled run",
							 .samples = true};
	return pe_collecting_set_up(collecting, &all->places[side]);
}

/* @param timed  scale to the timed runs; false: to the processor time of the sampled ones */
static int finish_turn(struct turns *all, int side, bool timed)
{
	struct pe_collecting *collecting = all->collecting;
	struct pe_collecting_turn *turn = &all->turns[side];
	const struct sampling *sampling = &all->samplings[side];
	struct pe_collecting_duration duration = {
		(uint64_t)(sampling->cpu_ns / fmax(1, (double)sampling->runs)), 0};
	size_t before = collecting->trees.n, n;

	turn_to(collecting, turn);
	if (timed)
		PE_TRY(pe_collecting_take_duration(&duration, collecting));
	if (pe_collecting_goes_on(collecting))
		PE_TRY(join_all(&all->samplings[side], turn->calls, &duration));
	n = collecting->trees.n - before;
	if (n == 0)
		return PE_OK;
	turn->trees = pe_arena_new(collecting->arena, struct pe_cct *, n);
	memcpy(turn->trees, collecting->trees.data + before, n * sizeof(*turn->trees));
	turn->n_trees = n;
	return PE_OK;
}

static int finish_turns(struct turns *all, bool timed)
{
	for (int side = 0; side < all->n && pe_collecting_goes_on(all->collecting); side++)
		PE_TRY(finish_turn(all, side, timed));
	return PE_OK;
}

/* Show the trees of the samples so far, and forget them with their advice. */
static int show_turns(struct turns *all)
{
	struct pe_collecting *collecting = all->collecting;
	const size_t n_trees = collecting->trees.n, n_advice = collecting->advice.n;

	PE_TRY(finish_turns(all, false));
	if (all->turns[0].n_trees > 0 && all->turns[1].n_trees > 0)
		PE_TRY(collecting->look(all->turns, collecting->look_payload));
	collecting->trees.n = n_trees;
	collecting->advice.n = n_advice;
	all->turns[0].n_trees = all->turns[1].n_trees = 0;
	return PE_OK;
}

static int run_turns(struct turns *all)
{
	struct pe_collecting *collecting = all->collecting;
	uint64_t began = pe_clock_ns();
	uint64_t limit_ns = collecting->more != NULL      ? collecting->more->budget_ns
			    : collecting->plan->runs == 0 ? (uint64_t)all->n * MOST_NS
							  : UINT64_MAX;
	size_t wanted = all->n > 1 ? HALVES : 1, first;

	collecting->total = collecting->done + (size_t)all->n * HALVES;
	for (size_t i = 0; i < wanted; i++) {
		for (int side = 0; side < all->n; side++) {
			struct sampling *sampling = &all->samplings[side];
			struct pe_run run;

			turn_to(collecting, &all->turns[side]);
			PE_TRY(pe_collecting_run(&run, collecting, &all->places[side],
						 &sampling->extra[i % HALVES]));
			if (!pe_collecting_goes_on(collecting))
				return PE_OK;
			if (sampling->runs == 0) {
				bool again;

				PE_TRY(adapt_interval(&again, sampling, &run));
				if (again) {
					side--; /* this side's turn again */
					continue;
				}
			}
			sampling->cpu_ns += pe_collecting_cost(&run, PE_CPU);
			if (sampling->runs++ == 0 && runs_wanted(sampling, &run) > wanted)
				wanted = runs_wanted(sampling, &run);
		}
		collecting->total = collecting->done + (size_t)all->n * (wanted - i - 1);
		first = wanted / FIRST_PART > HALVES ? wanted / FIRST_PART : HALVES;
		if (collecting->look != NULL && i + 1 == first) {
			const uint64_t shown_ns = pe_clock_ns();

			PE_TRY(show_turns(all));
			began += pe_clock_ns() - shown_ns;
		}
		if (i + 1 >= HALVES && pe_clock_ns() - began > limit_ns)
			break;
	}
	return PE_OK;
}

static int prepare_and_run_turns(struct turns *all)
{
	for (int side = 0; side < all->n && pe_collecting_goes_on(all->collecting); side++)
		PE_TRY(prepare_turn(all, side));
	return pe_collecting_goes_on(all->collecting) ? run_turns(all) : PE_OK;
}

static int sample_turns(struct turns *all)
{
	struct pe_collecting *collecting = all->collecting;
	int rc = prepare_and_run_turns(all);

	for (int side = 0; side < all->n; side++) {
		if (all->places[side].tree == NULL)
			continue;
		turn_to(collecting, &all->turns[side]);
		rc = pe_collecting_clean_up(rc, collecting, &all->places[side]);
	}
	if (rc == PE_OK)
		rc = finish_turns(all, true);
	for (int side = 0; side < all->n; side++)
		pe_symbols_close(all->samplings[side].db);
	return rc;
}

int pe_collecting_samples(struct pe_collecting *collecting, const struct pe_cct *calls)
{
	struct pe_collecting_turn turn = {collecting->revision, collecting->benchmark, calls, NULL,
					  0};
	struct turns all = {.collecting = collecting, .turns = &turn, .n = 1};
	const struct pe_collecting_place *place = &all.places[0];

	PE_TRY(sample_turns(&all));
	if (!pe_collecting_goes_on(collecting) || collecting->trees.n > 0)
		return PE_OK;
	if (calls == NULL && all.samplings[0].reported && is_short(&all.samplings[0])) {
		pe_collecting_fail(collecting, place->stage, PE_NOT_COUNTABLE, 0, TOO_SHORT);
		return PE_OK;
	}
	if (calls == NULL)
		return pe_collecting_explain(collecting, place->tree, place->stage, false);
	/* The counts stand by themselves. */
	pe_vec_push(&collecting->trees, (struct pe_cct *)calls);
	return PE_OK;
}

int pe_collecting_turns(struct pe_collecting *collecting, struct pe_collecting_turn turns[2])
{
	struct turns all = {.collecting = collecting, .turns = turns, .n = 2};

	return sample_turns(&all);
}
