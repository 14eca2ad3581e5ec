/* One process of a suite: its options, its end and its results. */
#include "core/exec/suite.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/exec/runner_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the scratch folder: a library that can writes its results here, so that nothing that a program prints is in them. */
static const char RESULTS[] = "suite";
static const char FILE_NAME[] = "results";

/* --- Output --- */

struct process {
	struct pe_run_ctx ctx; /* of one of its members */
	struct pe_suite_command command;
	bool is_stale; /* results of an earlier run could not be removed: none are read */
};

/* The file to which a program that was given none writes its results. */
static const char *results_path(const struct process *process)
{
	const char *cwd =
		pe_runner_below(process->ctx.tree, process->ctx.benchmark->cwd, process->ctx.arena);

	return pe_runner_below(cwd, process->ctx.benchmark->suite->output, process->ctx.arena);
}

/* The folder of a file that the program writes itself; no link below the tree is followed. */
static int open_folder(const char **name, const struct process *process)
{
	const char *path = results_path(process);
	const char *slash = strrchr(path, '/');

	*name = slash + 1;
	return pe_files_open_below(
		process->ctx.tree,
		pe_arena_strndup(process->ctx.arena, path, (size_t)(slash - path)), false);
}

/* Whether it is a folder of results that its library writes; a link to one is none. */
static bool is_folder(const struct process *process, int dir, const char *name)
{
	struct stat st;

	return process->ctx.runner->suites.folder != NULL &&
	       fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Results of an earlier run are none of this one's. */
static void remove_old(struct process *process)
{
	const char *name;
	pe_auto_fd dir = open_folder(&name, process);

	if (dir < 0)
		return;
	if (is_folder(process, dir, name))
		process->is_stale =
			process->ctx.runner->suites.folder(NULL, process->ctx.tree,
							   results_path(process), NULL) != PE_OK;
	else
		process->is_stale = unlinkat(dir, name, 0) != 0 && errno != ENOENT;
}

static void read_file(struct pe_text *out, int dir, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, PE_RUN_OUTPUT_BYTES);

	if (fd >= 0)
		pe_text_read_fd(out, fd);
}

/* What it wrote, wherever; nothing where it wrote nothing. */
static void read_output(struct pe_text *out, const struct process *process)
{
	const bool own = process->ctx.benchmark->suite->output != NULL;
	const char *name = FILE_NAME;
	pe_auto_fd dir = -1;

	if (process->command.output == NULL) {
		if (lseek(process->ctx.places.out, 0, SEEK_SET) == 0)
			pe_text_read_fd(out, process->ctx.places.out);
		return;
	}
	if (own && !process->is_stale)
		dir = open_folder(&name, process);
	else if (!own)
		dir = pe_files_enter(process->ctx.places.dir, RESULTS, false);
	if (dir < 0)
		return;
	if (own && is_folder(process, dir, name))
		process->ctx.runner->suites.folder(out, process->ctx.tree, results_path(process),
						   NULL);
	else
		read_file(out, dir, name);
	/* A program that ignores the option for its file prints its results. */
	if (!own && out->len == 0 && lseek(process->ctx.places.out, 0, SEEK_SET) == 0)
		pe_text_read_fd(out, process->ctx.places.out);
}

/* --- One process --- */

static int ask(struct process *process, struct pe_suite_task *request)
{
	const struct pe_suite *suite = process->ctx.benchmark->suite;
	const struct pe_suite_port *port = &process->ctx.runner->suites;

	request->output = suite->output != NULL ? suite->output
						: pe_arena_printf(process->ctx.arena, "%s/%s/%s",
								  process->ctx.runner->scratch,
								  RESULTS, FILE_NAME);
	PE_TRY(port->command(&process->command, suite, request, process->ctx.tree,
			     process->ctx.arena, port->payload, process->ctx.err));
	if (suite->output != NULL && request->what == PE_ASK_RUN) {
		process->command.output = suite->output;
		remove_old(process);
	}
	return pe_files_make_fresh(process->ctx.places.dir, RESULTS) == 0
		       ? PE_OK
		       : pe_fail_errno(process->ctx.err, "cannot make a folder in %s",
				       process->ctx.runner->scratch);
}

/* Run it and read what it wrote; text is released by the caller. */
static int run_and_read(struct pe_run *out, struct pe_text *text, struct process *process,
			struct pe_suite_task *request)
{
	const struct pe_command *command = &process->command.command;
	struct pe_proc_result result;

	PE_TRY(ask(process, request));
	PE_TRY(pe_runner_command(&result, &process->ctx, command, NULL));
	pe_runner_set_outcome(out, &process->ctx, command, &result);
	out->suite_ns = result.cost.wall_ns;
	read_output(text, process);
	return PE_OK;
}

static int run(struct pe_run *out, struct pe_text *text, struct process *process,
	       struct pe_suite_task *request)
{
	int rc = pe_run_places_open(&process->ctx);

	if (rc == PE_OK)
		rc = run_and_read(out, text, process, request);
	pe_run_places_close(&process->ctx);
	return rc;
}

int pe_suite_run(struct pe_suite_process *out, const struct pe_runner *runner,
		 const struct pe_benchmark *member, const char *const *names, size_t n,
		 const char *tree, struct pe_arena *arena, struct pe_err *err)
{
	struct process process = {.ctx = {runner, member, tree, arena, err, {0}}};
	struct pe_suite_task request = {.what = PE_ASK_RUN, .names = names, .n = n};
	const struct pe_suite_port *port = &runner->suites;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err why = PE_ERR_INIT;

	*out = (struct pe_suite_process){.run = {.kind = PE_RUN_TIMED}};
	pe_runner_start(&out->run);
	PE_TRY(pe_runner_helpers(&out->run, &process.ctx, &member->prepare, NULL));
	if (out->run.outcome != PE_MEASURED || !pe_runner_is_own(&out->run, &process.ctx))
		return PE_OK;
	PE_TRY(run(&out->run, &text, &process, &request));
	if (port->read(&out->said, member->suite, pe_text_str(&text), text.len, arena,
		       port->payload, &why) == PE_OK)
		return PE_OK;
	out->said = (struct pe_suite_readings){.cut_short = true};
	if (out->run.outcome == PE_MEASURED) {
		out->run.outcome = PE_METRIC_MISSING;
		out->run.log = pe_arena_printf(arena, "$ %s\n%s\n", process.command.command.text,
					       why.message);
	}
	return PE_OK;
}

int pe_suite_list(struct pe_member_name **names, size_t *n, const struct pe_runner *runner,
		  const struct pe_benchmark *member, const char *tree, struct pe_arena *arena,
		  struct pe_err *err)
{
	struct process process = {.ctx = {runner, member, tree, arena, err, {0}}};
	struct pe_suite_task request = {.what = PE_ASK_LIST};
	struct pe_run listing = {.kind = PE_RUN_TIMED};
	pe_auto_text text = PE_TEXT_INIT;
	int rc;

	*n = 0;
	pe_runner_start(&listing);
	PE_TRY(run(&listing, &text, &process, &request));
	if (listing.outcome != PE_MEASURED)
		return pe_fail(err, PE_EUNSUPPORTED, "%s",
			       listing.log != NULL ? listing.log : "it cannot be listed");
	rc = runner->suites.list(names, n, member->suite, pe_text_str(&text), text.len, arena,
				 runner->suites.payload, err);
	return rc == PE_EINVALID ? PE_EUNSUPPORTED : rc;
}

int pe_suite_help(struct pe_text *out, const struct pe_runner *runner,
		  const struct pe_benchmark *member, const char *tree, struct pe_arena *arena,
		  struct pe_err *err)
{
	struct process process = {.ctx = {runner, member, tree, arena, err, {0}}};
	struct pe_suite_task request = {.what = PE_ASK_HELP};
	struct pe_run help = {.kind = PE_RUN_TIMED};

	pe_runner_start(&help);
	return run(&help, out, &process, &request);
}

void pe_suite_take(struct pe_run *run, const struct pe_member_reading *reading,
		   const struct pe_suite_process *process, struct pe_arena *arena)
{
	run->started_s = process->run.started_s;
	run->suite_ns = process->run.suite_ns;
	run->status = 0;
	run->log = NULL;
	run->n_samples = 0;
	run->outcome = PE_MEASURED;
	if (reading->error != NULL || reading->n_values == 0) {
		run->outcome = PE_METRIC_MISSING;
		run->log = pe_arena_printf(arena, "%s: %s\n", reading->name.own,
					   reading->error != NULL ? reading->error
								  : "it gives no values");
		return;
	}
	pe_run_take_samples(run, reading->values, reading->n_values);
}
