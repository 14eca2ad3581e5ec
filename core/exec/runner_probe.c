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

/* Settings and more of them. */
static struct pe_strings add_settings(const struct pe_strings *settings, const char *one,
				      const char *other, struct pe_arena *arena)
{
	const char **all = pe_arena_new(arena, const char *, settings->n + 2);

	memcpy(all, settings->at, settings->n * sizeof(*all));
	all[settings->n] = one;
	all[settings->n + 1] = other;
	return (struct pe_strings){all, settings->n + (other != NULL ? 2 : 1)};
}

/* The command of a probe, with its functions watched. */
static int run_watched(struct pe_proc_result *result, const struct pe_run_ctx *ctx,
		       struct pe_entries *entries, const struct pe_strings *extra)
{
	const struct pe_command *command = &ctx->benchmark->command;
	struct pe_strings more;
	/* Opened before the program runs, which may put something else in the place of the folder. */
	pe_auto_fd dir = pe_files_enter(ctx->places.dir, PE_RUN_ALLOCATION_RECORDS, false);

	if (entries == NULL)
		return pe_runner_command(result, ctx, command, extra);
	if (dir < 0)
		return pe_fail_errno(ctx->err, "cannot open the folder %s",
				     ctx->places.allocations);
	more = add_settings(extra,
			    pe_arena_printf(ctx->arena, PE_ENTRIES_ENV "=%s/" PE_ENTRIES_NAME,
					    ctx->places.allocations),
			    NULL, ctx->arena);
	PE_TRY(pe_entries_write(dir, entries, ctx->arena, ctx->err));
	PE_TRY(pe_runner_command(result, ctx, command, &more));
	pe_entries_read(entries, dir, ctx->arena);
	return PE_OK;
}

/* What was touched between setup and cleanup. */
static int run_probe(struct pe_dependencies *out, struct pe_run *run, const struct pe_run_ctx *ctx,
		     struct pe_entries *entries)
{
	const struct pe_benchmark *benchmark = ctx->benchmark;
	struct pe_strings counting, extra;
	struct pe_watched watched = {0};
	struct pe_proc_result result;

	PE_TRY(pe_runner_prepare_counting(&counting, ctx));
	extra = add_settings(&counting,
			     pe_arena_printf(ctx->arena, PE_TOUCH_ROOT_ENV "=%s",
					     pe_executor_tree(&ctx->runner->executor, ctx->tree)),
			     PE_TOUCH_OUTSIDE_ENV "=1", ctx->arena);
	PE_TRY(pe_runner_helpers(run, ctx, &benchmark->setup, &extra));
	watched.set_up_ns = pe_clock_ns();
	if (run->outcome == PE_MEASURED)
		PE_TRY(pe_runner_helpers(run, ctx, &benchmark->prepare, &extra));
	if (run->outcome != PE_MEASURED)
		return PE_OK;
	PE_TRY(run_watched(&result, ctx, entries, &extra));
	pe_runner_set_outcome(run, ctx, &benchmark->command, &result);
	watched.pid = result.pid;
	return pe_dependencies_collect(out, ctx->places.allocations, ctx->tree, &watched, 1,
				       ctx->arena, ctx->err);
}

int pe_runner_probe(struct pe_dependencies *out, struct pe_run *run, const struct pe_runner *runner,
		    const struct pe_benchmark *benchmark, const char *tree,
		    struct pe_entries *entries, struct pe_arena *arena, struct pe_err *err)
{
	struct pe_run_ctx ctx = {runner, benchmark, tree, arena, err, {0}};
	int rc;

	pe_runner_start(run);
	PE_TRY(pe_run_places_open(&ctx));
	rc = run_probe(out, run, &ctx, entries);
	pe_run_places_close(&ctx);
	return pe_runner_clean_up(rc, runner, benchmark, tree, arena, err);
}
