/*
 * Probes: a run that is watched, for what it executes and reads, and thrown away.
 */
#include "core/exec/runner_internal.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "probe/formats/entries.h"
#include "probe/formats/paths.h"

#include <string.h>
#include <unistd.h>

/* The folder of the records, which the program that runs may have put something else in the place of. */
static int open_records(const struct pe_run_places *places, struct pe_err *err)
{
	int dir = pe_files_enter(places->dir, PE_RUN_ALLOCATION_RECORDS, false);

	return dir >= 0 ? dir
			: pe_fail_errno(err, "cannot open the folder %s", places->allocations);
}

static int write_entries(const struct pe_entries *entries, const struct pe_run_places *places,
			 struct pe_arena *arena, struct pe_err *err)
{
	int dir = open_records(places, err);
	int rc = dir;

	if (dir >= 0) {
		rc = pe_entries_write(dir, entries, arena, err);
		close(dir);
	}
	return rc;
}

static int read_entries(struct pe_entries *entries, const struct pe_run_places *places,
			struct pe_arena *arena, struct pe_err *err)
{
	int dir = open_records(places, err);

	if (dir < 0)
		return dir;
	pe_entries_read(entries, dir, arena);
	close(dir);
	return PE_OK;
}

/* The command of a probe, with its functions watched. */
static int run_watched(struct pe_proc_result *result, const struct pe_runner *runner,
		       const struct pe_benchmark *benchmark, const char *tree,
		       struct pe_entries *entries, const struct pe_strings *extra,
		       const struct pe_run_places *places, struct pe_arena *arena,
		       struct pe_err *err)
{
	const char **settings = pe_arena_new(arena, const char *, extra->n + 1);
	struct pe_strings more = *extra;
	int rc = PE_OK;

	if (entries != NULL) {
		memcpy(settings, extra->at, extra->n * sizeof(*settings));
		settings[extra->n] = pe_arena_printf(arena, PE_ENTRIES_ENV "=%s/" PE_ENTRIES_NAME,
						     places->allocations);
		more = (struct pe_strings){settings, extra->n + 1};
		rc = write_entries(entries, places, arena, err);
	}
	if (rc == PE_OK)
		rc = pe_runner_command(result, runner, benchmark, &benchmark->command, tree, &more,
				       places, arena, err);
	if (rc == PE_OK && entries != NULL)
		rc = read_entries(entries, places, arena, err);
	return rc;
}

/* What was touched between setup and cleanup. */
static int run_probe(struct pe_dependencies *out, struct pe_run *run,
		     const struct pe_runner *runner, const struct pe_benchmark *benchmark,
		     const char *tree, struct pe_entries *entries,
		     const struct pe_run_places *places, struct pe_arena *arena, struct pe_err *err)
{
	struct pe_strings counting, extra;
	struct pe_watched watched = {0};
	struct pe_proc_result result;
	const char **settings;
	int rc = pe_runner_prepare_counting(&counting, runner, places, arena, err);

	if (rc != PE_OK)
		return rc;
	settings = pe_arena_new(arena, const char *, counting.n + 2);
	memcpy(settings, counting.at, counting.n * sizeof(*settings));
	settings[counting.n] = pe_arena_printf(arena, PE_TOUCH_ROOT_ENV "=%s",
					       pe_executor_tree(&runner->executor, tree));
	settings[counting.n + 1] = PE_TOUCH_OUTSIDE_ENV "=1";
	extra = (struct pe_strings){settings, counting.n + 2};
	rc = pe_runner_helpers(run, runner, benchmark, &benchmark->setup, tree, &extra, arena, err);
	watched.set_up_ns = pe_clock_ns();
	if (rc == PE_OK && run->outcome == PE_MEASURED)
		rc = pe_runner_helpers(run, runner, benchmark, &benchmark->prepare, tree, &extra,
				       arena, err);
	if (rc != PE_OK || run->outcome != PE_MEASURED)
		return rc;
	rc = run_watched(&result, runner, benchmark, tree, entries, &extra, places, arena, err);
	if (rc != PE_OK)
		return rc;
	pe_runner_set_outcome(run, runner, benchmark, &benchmark->command, &result, tree, places,
			      arena);
	watched.pid = result.pid;
	return pe_dependencies_collect(out, places->allocations, tree, &watched, 1, arena, err);
}

int pe_runner_probe(struct pe_dependencies *out, struct pe_run *run, const struct pe_runner *runner,
		    const struct pe_benchmark *benchmark, const char *tree,
		    struct pe_entries *entries, struct pe_arena *arena, struct pe_err *err)
{
	struct pe_run_places places;
	int rc;

	pe_runner_start(run);
	rc = pe_run_places_open(&places, runner, arena, err);
	if (rc != PE_OK)
		return rc;
	rc = run_probe(out, run, runner, benchmark, tree, entries, &places, arena, err);
	pe_run_places_close(&places);
	return pe_runner_clean_up(rc, runner, benchmark, tree, arena, err);
}
