/*
 * Exact calls and allocations: the counting build is run twice, because what a program counts differently from
 * one run to the next is no fact about its code. A build without hooks would count nothing, and is told apart
 * from a program that does nothing by its files.
 */
#include "cmd/collecting.h"

#include "profile/exclude.h"
#include "profile/merge.h"
#include "profile/trace.h"
#include "profile/trace_format.h"
#include "symbols/hooks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A counting run takes three to five times as long as a timed one, with stamps many times. */
enum { COUNTING_PATIENCE = 20, TIMED_PATIENCE = 100 };

/* --- What has no node --- */

static bool holds_any(const char *text, const struct pe_strings *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		if (strstr(text, parts->at[i]) != NULL)
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/*
 * A method of a module with debug information whose component is the module itself: its source lies outside of
 * the tree, in the system's headers. gcc leaves those without hooks, clang does not.
 */
static bool is_systems(const struct pe_frame *frame, const struct pe_symbols_module *modules,
		       size_t n)
{
	if (frame->module[0] == '\0' || strcmp(frame->component, frame->module) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (modules[i].state == PE_SYMBOLS_DEBUG &&
		    strcmp(base_name(modules[i].path), frame->module) == 0)
			return true;
	return false;
}

/* The functions of one module that are smaller than the config says. */
static int exclude_small(bool *excluded, const struct pe_collecting *collecting,
			 struct pe_symbols_db *db, const char *path)
{
	const struct pe_symbolizer symbolizer = pe_symbols_symbolizer(db);
	const struct pe_module module = {.path = path, .build_id = "", .end = UINT64_MAX};
	struct pe_err *err = collecting->session->ctx->err;
	struct pe_symbols symbols;
	uint64_t *small;
	size_t n;
	int rc = pe_hooks_small(&small, &n, path, collecting->plan->exclude.size_bytes,
				collecting->arena, err);

	/* A module that is gone or broken has no small functions that anybody could know. */
	if (rc != PE_OK)
		return PE_OK;
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		uint32_t frame;

		rc = symbolizer.resolve(&symbols, &module, small[i], symbolizer.payload, err);
		if (rc != PE_OK || symbols.n == 0)
			continue;
		frame = pe_frames_find(collecting->frames, &symbols.at[symbols.n - 1].frame);
		if (frame != PE_FRAME_NONE)
			excluded[frame] = true;
	}
	return rc;
}

static void exclude_all_small(bool *excluded, const struct pe_collecting *collecting,
			      struct pe_symbols_db *db)
{
	size_t n;
	const struct pe_symbols_module *modules = pe_symbols_modules(db, &n);
	const char **paths = pe_arena_new(collecting->arena, const char *, n);

	/* Asking for an address may move the table. */
	for (size_t i = 0; i < n; i++)
		paths[i] = pe_arena_strdup(collecting->arena, modules[i].path);
	for (size_t i = 0; i < n; i++)
		if (exclude_small(excluded, collecting, db, paths[i]) != PE_OK)
			return;
}

const struct pe_cct *pe_collecting_exclude(const struct pe_cct *cct,
					   struct pe_collecting *collecting,
					   struct pe_symbols_db *db, bool system)
{
	const struct pe_profile_exclude *exclude = &collecting->plan->exclude;
	const struct pe_frames *frames = cct->frames;
	bool *excluded = pe_arena_new(collecting->arena, bool, frames->n);
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
		exclude_all_small(excluded, collecting, db);
	return pe_cct_exclude(cct, excluded, frames->n, collecting->arena);
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
	if (notes->timed)
		pe_collecting_advise(collecting,
				     "times were taken at every call, which distorts them: small "
				     "functions seem more expensive than they are");
}

static void advise_unstable(struct pe_collecting *collecting, const struct pe_cct *cct)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		n += (cct->flags[i] & PE_CCT_UNSTABLE) != 0;
	if (n > 0)
		pe_collecting_advise(
			collecting,
			"%" PRIu32 " of %" PRIu32
			" contexts were counted differently in two runs of "
			"this build (marked): threads, time, random numbers or addresses decide "
			"what the program does",
			n, cct->n);
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
	struct pe_err *err = collecting->session->ctx->err;
	const char *library = pe_flavour_library(PE_LIBRARY_CALLS, arena, err);
	const char **settings = pe_arena_new(arena, const char *, 3);

	if (library == NULL)
		return err->code;
	settings[0] = pe_arena_printf(arena, "LD_PRELOAD=%s", library);
	settings[1] = pe_arena_printf(arena, "%s=%s", PE_TRACE_DIR_ENV, folder);
	settings[2] = PE_TRACE_TIMED_ENV "=1";
	*out = (struct pe_strings){settings, collecting->mode == PE_PROFILE_TIMED ? 3 : 2};
	return PE_OK;
}

/* One run and its tree; NULL when the run failed, or nothing was counted in it. */
static int count_once(const struct pe_cct **out, struct pe_trace_notes *notes,
		      struct pe_collecting *collecting, const struct pe_collecting_place *place,
		      struct pe_symbols_db *db)
{
	const struct pe_symbolizer symbolizer = pe_symbols_symbolizer(db);
	struct pe_err *err = collecting->session->ctx->err;
	struct pe_strings extra;
	struct pe_run run;
	struct pe_cct *cct = NULL;
	const char *folder;
	int rc = pe_collecting_folder(&folder, collecting, "calls");

	*out = NULL;
	if (rc == PE_OK)
		rc = preload(&extra, collecting, folder);
	if (rc == PE_OK)
		rc = pe_collecting_run(&run, collecting, place, &extra);
	if (rc != PE_OK || !pe_collecting_goes_on(collecting))
		return rc;
	rc = pe_trace_read_dir(&cct, notes, folder, &symbolizer, collecting->frames,
			       collecting->arena, err);
	if (rc == PE_ENOTFOUND) {
		*err = (struct pe_err)PE_ERR_INIT;
		return PE_OK;
	}
	if (rc == PE_OK && has_methods(cct))
		*out = pe_collecting_exclude(cct, collecting, db, true);
	else if (rc == PE_OK)
		pe_collecting_nameless(collecting, place, db);
	return rc;
}

static int count_in(struct pe_cct **out, struct pe_collecting *collecting,
		    const struct pe_collecting_place *place, struct pe_symbols_db *db)
{
	const struct pe_cct *runs[2] = {NULL, NULL};
	struct pe_trace_notes notes;
	int n = collecting->mode == PE_PROFILE_TIMED ? 1 : 2;
	int rc = pe_collecting_stage(collecting, PE_STAGE_SETUP, place);

	for (int i = 0; rc == PE_OK && i < n && pe_collecting_goes_on(collecting); i++) {
		rc = count_once(&runs[i], &notes, collecting, place, db);
		if (rc == PE_OK && pe_collecting_goes_on(collecting) && runs[i] == NULL)
			return pe_collecting_explain(collecting, place->tree, place->stage, true);
	}
	if (rc == PE_OK)
		rc = pe_collecting_stage(collecting, PE_STAGE_CLEANUP, place);
	if (rc != PE_OK || !pe_collecting_goes_on(collecting))
		return rc;
	advise_run(collecting, &notes);
	pe_collecting_advise_names(collecting, place->tree, db);
	*out = n == 2 ? pe_merge_runs(runs[0], runs[1], collecting->arena)
		      : (struct pe_cct *)runs[0];
	advise_unstable(collecting, *out);
	return PE_OK;
}

int pe_collecting_calls(struct pe_cct **out, struct pe_collecting *collecting)
{
	struct pe_err *err = collecting->session->ctx->err;
	struct pe_collecting_place place = {
		.patience =
			collecting->mode == PE_PROFILE_TIMED ? TIMED_PATIENCE : COUNTING_PATIENCE,
		.stage = "counting run",
	};
	struct pe_symbols_db *db = NULL;
	struct pe_slot *slot;
	int rc = pe_collecting_build(&slot, collecting, PE_FLAVOUR_COUNTING);

	*out = NULL;
	if (rc != PE_OK || slot == NULL)
		return rc;
	place.tree = slot->tree;
	collecting->total = collecting->done + 2;
	rc = pe_symbols_open(&db, slot->tree, NULL, err);
	if (rc == PE_OK)
		rc = count_in(out, collecting, &place, db);
	pe_symbols_close(db);
	return rc;
}
