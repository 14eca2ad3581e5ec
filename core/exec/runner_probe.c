/*
 * Probes: a run that is watched, for what it executes and reads, and thrown away.
 */
#include "core/exec/runner_internal.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "probe/formats/entries.h"
#include "probe/formats/paths.h"

#include <string.h>
#include <sys/stat.h>

/* --- Entered functions (probe/formats/entries.h) --- */

/* A file while it is laid out. */
struct layout {
	struct pe_entries_head *head;
	struct pe_entries_module *modules;
	uint64_t *addresses;
	unsigned char *entered;
	size_t bytes;
};

static struct layout lay_out(const struct pe_entries *entries, struct pe_arena *arena)
{
	struct layout out;
	size_t n = 0;

	for (size_t i = 0; i < entries->n; i++)
		n += entries->modules[i].n;
	out.bytes = sizeof(*out.head) + entries->n * sizeof(*out.modules) +
		    n * (sizeof(*out.addresses) + 1);
	/* In words, for their alignment. */
	out.head = (struct pe_entries_head *)(void *)pe_arena_new(arena, uint64_t,
								  out.bytes / sizeof(uint64_t) + 1);
	out.modules = (struct pe_entries_module *)(out.head + 1);
	out.addresses = (uint64_t *)(out.modules + entries->n);
	out.entered = (unsigned char *)(out.addresses + n);
	*out.head = (struct pe_entries_head){PE_ENTRIES_MAGIC, (uint32_t)entries->n, n};
	return out;
}

/* A module that is not there has no file that could be met. */
static void fill_in(struct layout *layout, const struct pe_entries *entries)
{
	size_t first = 0;

	for (size_t i = 0; i < entries->n; i++) {
		const struct pe_entered_module *module = &entries->modules[i];
		struct stat info = {0};

		if (stat(module->path, &info) != 0)
			info.st_ino = 0;
		layout->modules[i] = (struct pe_entries_module){.device = info.st_dev,
								.inode = info.st_ino,
								.first = first,
								.n = module->n};
		if (module->n > 0)
			memcpy(layout->addresses + first, module->addresses,
			       module->n * sizeof(*module->addresses));
		first += module->n;
	}
}

/* Write the file for a run into an open folder. */
static int write_entries(int dir, const struct pe_entries *entries, struct pe_arena *arena,
			 struct pe_err *err)
{
	struct layout layout = lay_out(entries, arena);
	pe_auto_text text = PE_TEXT_INIT;

	fill_in(&layout, entries);
	pe_text_addn(&text, (const char *)layout.head, layout.bytes);
	return pe_files_write_at(&text, dir, PE_ENTRIES_NAME, 0600) == 0
		       ? PE_OK
		       : pe_fail_errno(err, "cannot write the list of functions");
}

/* All of the file, if it has the length that it was written with. */
static bool read_whole(const struct layout *layout, int dir)
{
	pe_auto_fd fd = pe_files_open_placed(dir, PE_ENTRIES_NAME, layout->bytes);
	pe_auto_text text = PE_TEXT_INIT;

	if (fd < 0 || pe_text_read_fd(&text, fd) != 0 || text.len != layout->bytes)
		return false;
	memcpy(layout->head, text.data, layout->bytes);
	return true;
}

/*
 * Read the marks that the run left. The program could write to the file: only marks are read from it, and a file whose
 * length changed is ignored.
 */
static void read_entries(struct pe_entries *entries, int dir, struct pe_arena *arena)
{
	struct layout layout = lay_out(entries, arena);
	const bool whole = read_whole(&layout, dir);
	size_t first = 0;

	for (size_t i = 0; i < entries->n; i++) {
		struct pe_entered_module *module = &entries->modules[i];
		const uint32_t flags = whole ? layout.modules[i].flags : PE_ENTRIES_FAILED;

		module->watched =
			(flags & PE_ENTRIES_WATCHED) != 0 && (flags & PE_ENTRIES_FAILED) == 0;
		module->opened = (flags & PE_ENTRIES_OPENED) != 0;
		for (size_t k = 0; k < module->n; k++)
			module->entered[k] = whole && layout.entered[first + k] != 0;
		first += module->n;
	}
}

/* --- Runs --- */

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
	PE_TRY(write_entries(dir, entries, ctx->arena, ctx->err));
	PE_TRY(pe_runner_command(result, ctx, command, &more));
	read_entries(entries, dir, ctx->arena);
	return PE_OK;
}

/* What was touched between setup and cleanup. */
static int run_probe(struct pe_dependencies *out, struct pe_run *run, const struct pe_run_ctx *ctx,
		     struct pe_entries *entries)
{
	const struct pe_benchmark *benchmark = ctx->benchmark;
	struct pe_strings counting, extra;
	struct pe_watched watched = {.input = benchmark->input};
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
	pe_auto_run ctx = {runner, benchmark, tree, arena, err, PE_RUN_NO_PLACES};
	int rc;

	pe_runner_start(run);
	PE_TRY(pe_run_places_open(&ctx));
	rc = run_probe(out, run, &ctx, entries);
	return pe_runner_clean_up(rc, runner, benchmark, tree, arena, err);
}
