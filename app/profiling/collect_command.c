/* Profiles by a command of the project's own: other languages have profilers of theirs. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "app/profiling/collect_internal.h"

#include "configs/read.h"
#include "analysis/profile/importer.h"
#include "analysis/profile/merge.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_PATIENCE = 20 };

/* The command runs where the benchmark does, with its environment and its preparation. */
static int run_command(const char **log, struct pe_collecting *collecting,
		       const struct pe_collecting_place *place, const char *path)
{
	const char *setting = pe_arena_printf(collecting->arena, "PERFEVO_PROFILE=%s", path);
	const struct pe_strings extra = {&setting, 1};
	const struct pe_command command =
		pe_command_fill(&collecting->plan->command, "{profile}", path, collecting->arena);
	struct pe_collecting_place profiling = *place;
	struct pe_run run = {.log = NULL};

	profiling.command = &command;
	profiling.profiler = true;
	PE_TRY(pe_collecting_run(&run, collecting, &profiling, &extra));
	*log = run.log != NULL ? run.log : "";
	return PE_OK;
}

/* Stacks without times are shares of the timed runs: they are compared as other samples are. */
static int give_times(struct pe_cct **cct, struct pe_collecting *collecting)
{
	struct pe_collecting_duration duration;
	struct pe_merge_opts opts = {.source = (*cct)->facts.source};

	if (((*cct)->known & (PE_CCT_SAMPLES | PE_CCT_TIME)) != PE_CCT_SAMPLES)
		return PE_OK;
	PE_TRY(pe_collecting_stored_duration(&duration, collecting));
	opts.duration_ns = duration.total_ns;
	opts.waiting_ns = duration.waiting_ns;
	if (duration.total_ns > 0)
		*cct = pe_merge_samples_alone(*cct, &opts, collecting->arena);
	return PE_OK;
}

static int read_profile(struct pe_collecting *collecting, const char *path, const char *log)
{
	struct pe_err *err = collecting->session->app->err;
	const char *name = pe_path_name(path), *note;
	struct pe_input *input;
	struct pe_cct *cct;
	int rc;

	if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
		pe_collecting_fail(
			collecting, "profiling command", PE_NOT_COUNTABLE, 0,
			pe_arena_printf(
				collecting->arena,
				"it left no profile: let it write to {profile}, which is also in PERFEVO_PROFILE\n%s",
				log));
		return PE_OK;
	}
	rc = pe_input_open_placed(&input,
				  pe_arena_strndup(collecting->arena, path, (size_t)(name - path)),
				  name, err);
	if (rc == PE_OK)
		rc = pe_import(&cct, input, collecting->plan->format, collecting->frames,
			       collecting->arena, &note, err);
	if (rc == PE_EINVALID) {
		pe_collecting_fail(collecting, "profiling command", PE_NOT_COUNTABLE, 0,
				   pe_arena_strdup(collecting->arena, err->message));
		*err = (struct pe_err)PE_ERR_INIT;
		return PE_OK;
	}
	PE_TRY(rc);
	if (note != NULL)
		pe_collecting_advise(collecting, "%s", note);
	PE_TRY(give_times(&cct, collecting));
	pe_vec_push(&collecting->trees, cct);
	return PE_OK;
}

/* Run in a built tree whose path is left out of the frames: the next commit has another one. */
static int collect_in(struct pe_collecting *collecting, const struct pe_collecting_place *place)
{
	const char *folder, *path, *log = "";
	int rc;

	if (collecting->plan->language != PE_PROFILE_NO_LANGUAGE)
		return pe_collecting_language(collecting, place);
	collecting->total = collecting->done + 1;
	PE_TRY(pe_collecting_folder(&folder, collecting, "profile"));
	path = pe_arena_printf(collecting->arena, "%s/profile", folder);
	rc = pe_collecting_set_up(collecting, place);
	if (rc == PE_OK && pe_collecting_goes_on(collecting))
		rc = run_command(&log, collecting, place, path);
	PE_TRY(pe_collecting_clean_up(rc, collecting, place));
	return pe_collecting_goes_on(collecting) ? read_profile(collecting, path, log) : PE_OK;
}

int pe_collecting_command(struct pe_collecting *collecting)
{
	struct pe_session *session = collecting->session;
	struct pe_collecting_place place = {.patience = COMMAND_PATIENCE,
					    .stage = "profiling command"};
	pe_auto_free char *real = NULL;
	struct pe_slot *slot;
	int rc;

	if (collecting->plan->format != NULL &&
	    pe_importer_find(collecting->plan->format, session->app->err) == NULL) {
		pe_err_context(session->app->err, "%s: 'format'", session->app->config->path);
		return PE_EINVALID;
	}
	PE_TRY(pe_collecting_timed_build(&slot, collecting));
	if (slot == NULL)
		return PE_OK;
	place.tree = slot->tree;
	real = realpath(slot->tree, NULL);
	collecting->frames->roots[0] = slot->tree;
	collecting->frames->roots[1] = real;
	collecting->frames->roots[2] = session->executor.tree;
	rc = collect_in(collecting, &place);
	for (size_t i = 0; i < PE_FRAMES_ROOTS; i++)
		collecting->frames->roots[i] = NULL;
	return rc;
}
