/*
 * Exact calls and allocations. The counting build is run twice, because a count that varies between runs is no property
 * of the code; where two runs differ, it is run again until all contexts that vary are found. A build without hooks would
 * count nothing; its files tell it apart from a program that does nothing.
 */
#include "app/profiling/collect_internal.h"

#include "analysis/compare/parcs.h"
#include "core/base/text.h"
#include "analysis/profile/tree.h"
#include "analysis/profile/merge.h"
#include "analysis/profile/trace.h"
#include "probe/formats/trace.h"
#include "analysis/symbols/hooks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	COUNTING_PATIENCE = 20 /* a counting run takes three to five times as long as a timed one */
};

/* Two runs that differ are followed by others, until QUIET_RUNS together find no new context that differs. */
enum { FIRST_RUNS = 2, MOST_RUNS = 8, QUIET_RUNS = 2 };

/* --- What has no node --- */

static bool holds_any(const char *text, const struct pe_strings *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		if (strstr(text, parts->at[i]) != NULL)
			return true;
	return false;
}

/*
 * A method of a module with debug information whose component is the module itself: its source is outside of
 * the tree, in the system's headers. gcc leaves those without hooks, clang does not.
 */
static bool is_systems(const struct pe_frame *frame, const struct pe_symbols_module *modules,
		       size_t n)
{
	if (frame->module[0] == '\0' || strcmp(frame->component, frame->module) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (modules[i].state == PE_SYMBOLS_DEBUG &&
		    strcmp(pe_path_name(modules[i].path), frame->module) == 0)
			return true;
	return false;
}

struct excluding {
	const struct pe_frames *frames;
	bool *excluded; /* by frame */
};

static void exclude_frame(const struct pe_frame *frame, void *payload)
{
	const struct excluding *excluding = payload;
	const uint32_t found = pe_frames_find(excluding->frames, frame);

	if (found != PE_FRAME_NONE)
		excluding->excluded[found] = true;
}

const struct pe_cct *pe_collecting_exclude(const struct pe_cct *cct,
					   struct pe_collecting *collecting,
					   struct pe_symbols_db *db, bool system,
					   struct pe_arena *arena)
{
	const struct pe_profile_exclude *exclude = &collecting->plan->exclude;
	const struct pe_frames *frames = cct->frames;
	bool *excluded = pe_arena_new(collecting->arena, bool, frames->n);
	struct excluding excluding = {frames, excluded};
	size_t n;
	const struct pe_symbols_module *modules = pe_symbols_modules(db, &n);

	for (uint32_t i = 0; i < frames->n; i++) {
		const struct pe_frame *frame = &frames->at[i];

		excluded[i] = frame->kind == PE_FRAME_METHOD &&
			      (holds_any(frame->component, &exclude->files) ||
			       holds_any(frame->name, &exclude->functions) ||
			       (system && is_systems(frame, modules, n)));
	}
	if (exclude->size_bytes > 0)
		pe_symbols_small(db, exclude->size_bytes, exclude_frame, &excluding);
	return pe_tree_without_methods(cct, excluded, frames->n, arena);
}

/* --- Advice --- */

static void advise_run(struct pe_collecting *collecting, const struct pe_trace_notes *notes)
{
	if (notes->bypassed > 0)
		pe_collecting_advise(collecting,
				     "'%s' has an allocator of its own: allocations are not known",
				     notes->bypassed_name);
	if (notes->lost_calls > 0)
		pe_collecting_advise(
			collecting,
			"%" PRIu64 " calls were not counted%s%s: leave out what is called most "
			"often ('profile: exclude:'), or make the benchmark smaller",
			notes->lost_calls, notes->stopped > 0 ? ", because of the room in " : "",
			notes->stopped > 0 ? notes->stopped_name : "");
}

/* Share of all calls, or of all allocations, by which runs of one build may differ: less decides no comparison. */
#define LEAST_VARIATION 0.001

static bool varies(const struct pe_cct *cct)
{
	for (int c = PE_CCT_COUNT_CALLS; c <= PE_CCT_COUNT_ALLOCATIONS; c++) {
		double all = 0, apart = 0;

		for (uint32_t i = 0; cct->columns[c] != NULL && i < cct->n; i++)
			all += (double)cct->columns[c][i];
		for (uint32_t i = 0; i < cct->n_ranges; i++)
			apart += (double)cct->ranges[i].less[c] + (double)cct->ranges[i].more[c];
		if (apart > LEAST_VARIATION * all)
			return true;
	}
	return false;
}

static void advise_unstable(struct pe_collecting *collecting, const struct pe_cct *cct)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		n += (cct->flags[i] & PE_CCT_UNSTABLE) != 0;
	if (varies(cct))
		pe_collecting_advise(
			collecting,
			"%" PRIu32 " of %" PRIu32 " call paths were counted differently in %" PRIu32
			" runs of this build (marked): threads, time, random numbers, addresses or "
			"uninitialised memory decide what the program does",
			n, cct->n, cct->facts.counting_runs);
}

/* --- Runs --- */

static bool has_methods(const struct pe_cct *cct)
{
	for (uint32_t i = 0; i < cct->n; i++)
		if (pe_cct_frame(cct, i)->kind == PE_FRAME_METHOD)
			return true;
	return false;
}

static int preload(struct pe_strings *out, struct pe_collecting *collecting, const char *folder)
{
	struct pe_arena *arena = collecting->arena;
	struct pe_err *err = collecting->session->app->err;
	const char *library = pe_build_variant_library(PE_LIBRARY_CALLS, arena, err);
	const char **settings = pe_arena_new(arena, const char *, 2);

	if (library == NULL)
		return err->code;
	settings[0] = pe_arena_printf(arena, "LD_PRELOAD=%s", library);
	settings[1] = pe_arena_printf(arena, "%s=%s", PE_TRACE_DIR_ENV, folder);
	*out = (struct pe_strings){settings, 2};
	return PE_OK;
}

/* One run and its tree, in an arena of its own; NULL when the run failed, or nothing was counted in it. */
static int count_once(const struct pe_cct **out, struct pe_trace_notes *notes,
		      struct pe_collecting *collecting, const struct pe_collecting_place *place,
		      struct pe_symbols_db *db, struct pe_arena *arena)
{
	const struct pe_symbolizer symbolizer = pe_symbols_symbolizer(db);
	struct pe_err *err = collecting->session->app->err;
	struct pe_strings extra;
	struct pe_run run;
	struct pe_cct *cct = NULL;
	const char *folder;
	int rc;

	*out = NULL;
	PE_TRY(pe_collecting_folder(&folder, collecting, "calls"));
	PE_TRY(preload(&extra, collecting, folder));
	PE_TRY(pe_collecting_run(&run, collecting, place, &extra));
	if (!pe_collecting_goes_on(collecting))
		return PE_OK;
	rc = pe_trace_read_dir(&cct, notes, folder, &symbolizer, collecting->frames, arena, err);
	if (rc == PE_ENOTFOUND) {
		*err = (struct pe_err)PE_ERR_INIT;
		return PE_OK;
	}
	PE_TRY(rc);
	if (has_methods(cct))
		*out = pe_collecting_exclude(cct, collecting, db, true, arena);
	else
		pe_collecting_nameless(collecting, place, db);
	return PE_OK;
}

/* Runs on their way into joints: of the counts alone, or of trees that also have times. */
struct counting {
	struct pe_collecting *collecting;
	const struct pe_collecting_place *place;
	struct pe_symbols_db *db;
	struct pe_merge_joint **joints;
	size_t n_joints;
	const struct pe_cct *last; /* the run before, or what stands for it */
	struct pe_arena work[2];   /* of the last run and of this one, by turns */
	struct pe_trace_notes notes;
	uint32_t runs;
	uint32_t differ;   /* contexts that differ in some run */
	double overlap[2]; /* sums over all but the first run */
};

/* The overlap of two executions of one revision (PARCS section 3.4). */
static void add_overlap(struct counting *counting, const struct pe_cct *run)
{
	static const struct pe_match_opts relaxed = {.rule = PE_MATCH_RELAXED};
	static const enum pe_parcs_weight weights[] = {PE_PARCS_CALLS, PE_PARCS_ALLOCATIONS};
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_match match;

	if (counting->differ > 0)
		pe_match_make(&match, counting->last, run, &relaxed, &work);
	for (int i = 0; i < 2; i++) {
		bool known;

		counting->overlap[i] +=
			counting->differ > 0 ? pe_parcs_own_overlap(&match, weights[i], &known) : 1;
	}
}

/* @param fresh  contexts that differ for the first time */
static int count_on(struct counting *counting, uint32_t *fresh)
{
	struct pe_collecting *collecting = counting->collecting;
	struct pe_arena *work = &counting->work[counting->runs % 2];
	const struct pe_cct *run;

	*fresh = 0;
	pe_arena_release(work);
	PE_TRY(count_once(&run, &counting->notes, collecting, counting->place, counting->db, work));
	if (!pe_collecting_goes_on(collecting))
		return PE_OK;
	if (run == NULL)
		return pe_collecting_explain(collecting, counting->place->tree,
					     counting->place->stage, true);
	counting->runs++;
	if (counting->n_joints == 0) {
		counting->joints = pe_arena_new(collecting->arena, struct pe_merge_joint *, 1);
		counting->joints[counting->n_joints++] = pe_merge_joint_new(run);
	} else {
		for (size_t i = counting->n_joints; i-- > 0;)
			*fresh = pe_merge_joint_add(counting->joints[i], run);
		counting->differ += *fresh;
		add_overlap(counting, run);
	}
	counting->last = run;
	return PE_OK;
}

/* Two runs, and where they differ more of them, until all contexts that vary are found. */
static int count_until_known(struct counting *counting, uint32_t least)
{
	struct pe_collecting *collecting = counting->collecting;
	uint32_t quiet = 0, fresh;

	while (pe_collecting_goes_on(collecting) &&
	       (counting->runs < least ||
		(counting->differ > 0 && quiet < QUIET_RUNS && counting->runs < MOST_RUNS))) {
		if (counting->runs >= least)
			collecting->total++;
		PE_TRY(count_on(counting, &fresh));
		quiet = fresh > 0 ? 0 : quiet + 1;
	}
	return PE_OK;
}

static void counting_release(struct counting *counting)
{
	for (size_t i = 0; i < counting->n_joints; i++)
		pe_merge_joint_free(counting->joints[i]);
	for (int i = 0; i < 2; i++)
		pe_arena_release(&counting->work[i]);
	pe_symbols_close(counting->db);
}

#define pe_auto_counting __attribute__((cleanup(counting_release))) struct counting

static struct pe_cct *finish_joint(struct counting *counting, size_t i)
{
	struct pe_cct *cct =
		pe_merge_joint_finish(counting->joints[i], counting->collecting->arena);

	counting->joints[i] = NULL;
	return cct;
}

static int count_in(struct pe_cct **out, struct counting *counting)
{
	struct pe_collecting *collecting = counting->collecting;
	int rc = pe_collecting_set_up(collecting, counting->place);

	if (rc == PE_OK && pe_collecting_goes_on(collecting))
		rc = count_until_known(counting, FIRST_RUNS);
	PE_TRY(pe_collecting_clean_up(rc, collecting, counting->place));
	if (!pe_collecting_goes_on(collecting))
		return PE_OK;
	advise_run(collecting, &counting->notes);
	pe_collecting_advise_names(collecting, counting->place->tree, counting->db);
	*out = finish_joint(counting, 0);
	for (int i = 0; counting->runs > 1 && i < 2; i++)
		(*out)->facts.own_overlap[i] = counting->overlap[i] / (counting->runs - 1);
	advise_unstable(collecting, *out);
	return PE_OK;
}

/* The counting build, and what its runs need. *built is false where it does not build. */
static int prepare(bool *built, struct counting *counting, struct pe_collecting *collecting,
		   struct pe_collecting_place *place)
{
	struct pe_slot *slot;

	PE_TRY(pe_collecting_build(&slot, collecting, PE_BUILD_VARIANT_COUNTING));
	*built = slot != NULL;
	if (!*built)
		return PE_OK;
	*place = (struct pe_collecting_place){
		.tree = slot->tree,
		.patience = COUNTING_PATIENCE,
		.stage = "counting run",
	};
	*counting = (struct counting){.collecting = collecting, .place = place};
	collecting->total = collecting->done + 2;
	return pe_symbols_open(&counting->db, slot->tree, NULL, collecting->session->app->err);
}

int pe_collecting_calls(struct pe_cct **out, struct pe_collecting *collecting)
{
	struct pe_collecting_place place;
	pe_auto_counting counting = {.db = NULL};
	bool built;

	*out = NULL;
	PE_TRY(prepare(&built, &counting, collecting, &place));
	return built ? count_in(out, &counting) : PE_OK;
}

/* Add the counts of more runs to each tree, with the ranges of those that differ. */
static int count_more(struct counting *counting, uint32_t wanted)
{
	struct pe_collecting *collecting = counting->collecting;
	const uint32_t before = counting->runs;
	int rc = pe_collecting_set_up(collecting, counting->place);

	collecting->total = collecting->done + wanted - before;
	if (rc == PE_OK && pe_collecting_goes_on(collecting))
		rc = count_until_known(counting, wanted);
	PE_TRY(pe_collecting_clean_up(rc, collecting, counting->place));
	for (size_t i = 0; pe_collecting_goes_on(collecting) && i < collecting->trees.n; i++) {
		struct pe_cct *cct = finish_joint(counting, i);

		for (int c = 0; c < 2; c++)
			cct->facts.own_overlap[c] =
				(cct->facts.own_overlap[c] * (before - 1) + counting->overlap[c]) /
				(counting->runs - 1);
		collecting->trees.data[i] = cct;
	}
	return PE_OK;
}

int pe_collecting_more_calls(struct pe_collecting *collecting, uint32_t wanted)
{
	struct pe_collecting_place place;
	pe_auto_counting counting = {.db = NULL};
	const size_t n = collecting->trees.n;
	bool built;

	PE_TRY(prepare(&built, &counting, collecting, &place));
	if (!built)
		return PE_OK;
	counting.joints = pe_arena_new(collecting->arena, struct pe_merge_joint *, n);
	for (size_t i = 0; i < n; i++)
		counting.joints[counting.n_joints++] =
			pe_merge_joint_new(collecting->trees.data[i]);
	counting.last = collecting->trees.data[0];
	counting.runs = counting.last->facts.counting_runs;
	counting.differ = counting.last->n_ranges;
	return count_more(&counting, wanted);
}
