/*
 * Charges: the methods for which functions execute more or fewer instructions. Counts of functions do not name a method that
 * was inlined, or that makes memcpy() copy more. Where functions differ by enough for a cause, one run of each side below
 * callgrind finds the methods, with counts as exact.
 */
#include "app/explain/compare.h"

#include <inttypes.h>
#include <string.h>

/* A pair whose functions are charged to methods. */
struct charging_pair {
	struct pe_comparing *comparing;
	const struct pe_comparing_couple *couple;
	const struct pe_function_changes *functions;
	size_t n_functions;
	const uint32_t *
		frames; /* by function: the frame of its method, if some tree has it; PE_FRAME_NONE: none */
	const uint32_t *renamed; /* by frame; NULL: none was */
	const bool *placed;      /* by frame: some tree has it */
	const uint64_t *spreads; /* by frame of a tree, as struct pe_charges_opts has them */
	bool bare; /* no function with a frame has a file: the timed builds have no debug information */
};

/* Find the frames that are in some tree, and those of functions. */
static void find_placed(struct charging_pair *pair)
{
	const struct pe_frames *frames = &pair->comparing->frames;
	const struct pe_collected *sides = pair->couple->sides;
	struct pe_arena *arena = pair->comparing->app->arena;
	bool *placed = pe_arena_new(arena, bool, frames->n);
	uint32_t *of = pe_arena_new(arena, uint32_t, pair->n_functions);
	uint64_t *spreads = pe_arena_new(arena, uint64_t, frames->n + 1);

	for (int side = 0; side < 2; side++)
		for (size_t t = 0; t < sides[side].n_trees; t++)
			for (uint32_t i = 0; i < sides[side].trees[t]->n; i++)
				placed[sides[side].trees[t]->nodes[i].frame] = true;
	pair->bare = true;
	for (size_t i = 0; i < pair->n_functions; i++) {
		const struct pe_function_change *one = &pair->functions->at[i];

		of[i] = pe_functions_find_frame(frames, one->name, one->signature, one->component);
		if (of[i] != PE_FRAME_NONE && !placed[of[i]])
			of[i] = PE_FRAME_NONE;
		spreads[of[i] != PE_FRAME_NONE ? of[i] : frames->n] += one->spread;
		pair->bare &= of[i] == PE_FRAME_NONE || one->component[0] == '\0';
	}
	pair->placed = placed;
	pair->spreads = spreads;
	pair->frames = of;
}

/*
 * Whether functions that are no modified method differ by enough for a cause (analysis/compare/functions.h). The instructions
 * of a modified function are its own, unless some modified method is no function of its own, because it was inlined.
 */
static bool is_asked(const struct charging_pair *pair)
{
	const struct pe_function_changes *functions = pair->functions;
	const struct pe_comparing *comparing = pair->comparing;
	const struct pe_changes *changes = &comparing->changes;
	const double share =
		comparing->opts->min_change > 0 ? comparing->opts->min_change : PE_FUNCTIONS_LEAST;
	pe_auto_free bool *own = pe_realloc(NULL, comparing->frames.n + 1, sizeof(*own));
	uint64_t all = 0, others = 0;
	bool inlined = false;

	memset(own, 0, comparing->frames.n * sizeof(*own));
	for (size_t i = 0; i < pair->n_functions; i++) {
		const struct pe_function_change *one = &functions->at[i];
		const uint32_t frame = pair->frames[i];
		const uint64_t size = (uint64_t)imaxabs(one->amount);

		all += size;
		others += frame != PE_FRAME_NONE && pe_changes_source_differs(changes, frame)
				  ? 0
				  : size;
		if (frame != PE_FRAME_NONE)
			own[frame] = one->old_most > 0 && one->new_most > 0;
	}
	for (uint32_t f = 0; f < comparing->frames.n; f++)
		inlined = inlined ||
			  (pair->placed[f] && pe_changes_source_differs(changes, f) && !own[f]);
	all = inlined ? all : others;
	return all > 0 && (double)all >= share * (double)functions->old_whole;
}

/*
 * Whether charges cover the counted functions of the trees' methods. If not, the names of both do not agree, and a method
 * that one side lacks would look changed; or the charges were stored for other trees, and these methods were charged to their
 * callers. A method whose instructions are all of methods inlined into it is in no charge of either side, and only its
 * difference counts. A small rest is allowed.
 */
static bool is_of_these(const struct pe_charges *charges, const struct charging_pair *pair)
{
	const struct pe_frames *frames = &pair->comparing->frames;
	const struct pe_function_changes *functions = pair->functions;
	pe_auto_arena work = PE_ARENA_INIT;
	uint64_t *by_frame[2] = {pe_arena_new(&work, uint64_t, frames->n),
				 pe_arena_new(&work, uint64_t, frames->n)};
	uint64_t lacking = 0;

	for (size_t i = 0; i < charges->n; i++) {
		const struct pe_charge *one = &charges->at[i];
		uint32_t frame =
			pe_functions_find_frame(frames, one->name, one->signature, one->component);

		if (frame == PE_FRAME_NONE)
			continue;
		by_frame[0][frame] += one->old_instructions;
		by_frame[1][frame] += one->new_instructions;
	}
	for (size_t i = 0; i < pair->n_functions; i++) {
		const struct pe_function_change *one = &functions->at[i];
		const uint32_t frame = pair->frames[i];
		bool lacks[2];

		if (frame == PE_FRAME_NONE)
			continue;
		lacks[0] = by_frame[0][pe_changes_new_frame(pair->renamed, frame)] == 0;
		lacks[1] = by_frame[1][frame] == 0;
		if (lacks[0] && lacks[1])
			lacking += (uint64_t)imaxabs(one->amount);
		else
			lacking += lacks[0] ? one->old_least : lacks[1] ? one->new_least : 0;
	}
	return (double)lacking < PE_FUNCTIONS_LEAST * (double)functions->old_whole;
}

static int count(struct pe_charges *out, const struct charging_pair *pair)
{
	struct pe_comparing *comparing = pair->comparing;
	const struct pe_charges_opts opts = {
		.frames = &comparing->frames,
		.placed = pair->placed,
		.spreads = pair->spreads,
		.renamed = pair->renamed,
		.bare = pair->bare,
	};

	PE_TRY(pe_collect_charges(out, &comparing->session, comparing->chosen,
				  pair->couple->benchmarks[1], &opts, comparing->app->arena));
	if (!is_of_these(out, pair))
		out->n = 0;
	return PE_OK;
}

/*
 * Load charges from the store. An empty list means that they cannot be found.
 *
 * @return  PE_ENOTFOUND: none are stored, or none for these trees
 */
static int load(struct pe_charges *out, const struct charging_pair *pair,
		const struct pe_charges_query *query)
{
	struct pe_app *app = pair->comparing->app;

	if (pair->comparing->opts->again)
		return PE_ENOTFOUND;
	PE_TRY(pe_store_get_charges(out, app->store, query, app->arena, app->err));
	return out->n == 0 || is_of_these(out, pair) ? PE_OK : PE_ENOTFOUND;
}

int pe_comparing_charges(struct pe_comparing *comparing, size_t p)
{
	struct pe_app *app = comparing->app;
	struct pe_compare_pair *pair = &comparing->pairs.data[p];
	const struct pe_function_changes *functions = pair->functions;
	struct pe_charges *charges = pe_arena_new(app->arena, struct pe_charges, 1);
	const struct pe_charges_query query = {
		.machine = comparing->session.machine_key,
		.benchmark = comparing->couples[p].benchmarks[1]->key,
		.before = comparing->revisions[0].id,
		.after = comparing->revisions[1].id,
	};
	struct charging_pair charging = {
		.comparing = comparing, .couple = &comparing->couples[p], .functions = functions};
	int rc;

	if (functions == NULL || functions->n == 0)
		return PE_OK;
	PE_TRY(pe_comparing_changes(comparing, false));
	charging.n_functions = functions->n + functions->n_varying + functions->n_same;
	charging.renamed = comparing->renamed;
	find_placed(&charging);
	if (!is_asked(&charging))
		return PE_OK;
	rc = load(charges, &charging, &query);
	if (rc == PE_ENOTFOUND && !comparing->opts->kept &&
	    comparing->session.runner.valgrind != NULL) {
		pe_app_note(app,
			    "%s: functions outside the profiles execute more or fewer "
			    "instructions: counting them for each caller",
			    pair->name);
		PE_TRY(count(charges, &charging));
		PE_TRY(pe_store_put_charges(app->store, &query, charges, app->err));
		rc = PE_OK;
		if (charges->n == 0)
			pe_app_note(
				app,
				"%s: no count for each caller could be taken: samples decide who made the difference",
				pair->name);
	}
	if (rc == PE_OK && charges->n > 0)
		pair->charges = charges;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}
