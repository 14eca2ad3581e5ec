/* One process of a suite: what it is asked, how it ends and what it says. */
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
	const struct pe_runner *runner;
	const struct pe_benchmark *member;
	const char *tree;
	struct pe_run_places places;
	struct pe_suite_command command;
	bool is_stale; /* results of an earlier run could not be removed: none are read */
	struct pe_arena *arena;
	struct pe_err *err;
};

/* Where a program that was told no file writes its results. */
static const char *results_path(const struct process *process)
{
	const char *cwd = pe_runner_below(process->tree, process->member->cwd, process->arena);

	return pe_runner_below(cwd, process->member->suite->output, process->arena);
}

/* The folder of a file that the program writes itself; no link below the tree is followed. */
static int open_folder(const char **name, const struct process *process)
{
	const char *path = results_path(process);
	const char *slash = strrchr(path, '/');

	*name = slash + 1;
	return pe_files_open_below(process->tree,
				   pe_arena_strndup(process->arena, path, (size_t)(slash - path)),
				   false);
}

/* Whether it is a folder of results that its library knows; a link to one is none. */
static bool is_folder(const struct process *process, int dir, const char *name)
{
	struct stat st;

	return process->runner->suites.folder != NULL &&
	       fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Results of an earlier run are none of this one's. */
static void remove_old(struct process *process)
{
	const char *name;
	int dir = open_folder(&name, process);

	if (dir < 0)
		return;
	if (is_folder(process, dir, name))
		process->is_stale =
			process->runner->suites.folder(NULL, process->tree, results_path(process),
						       NULL) != PE_OK;
	else
		process->is_stale = unlinkat(dir, name, 0) != 0 && errno != ENOENT;
	close(dir);
}

static void read_file(struct pe_text *out, int dir, const char *name)
{
	int fd = pe_files_open_placed(dir, name, 0);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size <= PE_RUN_OUTPUT_BYTES)
		pe_text_read_fd(out, fd);
	close(fd);
}

/* What it wrote, wherever; nothing where it wrote nothing. */
static void read_output(struct pe_text *out, const struct process *process)
{
	const bool own = process->member->suite->output != NULL;
	const char *name = FILE_NAME;
	int dir = -1;

	if (process->command.output == NULL) {
		if (lseek(process->places.out, 0, SEEK_SET) == 0)
			pe_text_read_fd(out, process->places.out);
		return;
	}
	if (own && !process->is_stale)
		dir = open_folder(&name, process);
	else if (!own)
		dir = pe_files_enter(process->places.dir, RESULTS, false);
	if (dir < 0)
		return;
	if (own && is_folder(process, dir, name))
		process->runner->suites.folder(out, process->tree, results_path(process), NULL);
	else
		read_file(out, dir, name);
	close(dir);
	/* A program that ignores the option for its file prints its results. */
	if (!own && out->len == 0 && lseek(process->places.out, 0, SEEK_SET) == 0)
		pe_text_read_fd(out, process->places.out);
}

/* --- One process --- */

static int ask(struct process *process, struct pe_suite_wish *wish)
{
	const struct pe_suite *suite = process->member->suite;
	const struct pe_suite_port *port = &process->runner->suites;

	wish->output = suite->output != NULL
			       ? suite->output
			       : pe_arena_printf(process->arena, "%s/%s/%s",
						 process->runner->scratch, RESULTS, FILE_NAME);
	PE_TRY(port->command(&process->command, suite, wish, process->tree, process->arena,
			     port->payload, process->err));
	if (suite->output != NULL && wish->what == PE_ASK_RUN) {
		process->command.output = suite->output;
		remove_old(process);
	}
	return pe_files_make_fresh(process->places.dir, RESULTS) == 0
		       ? PE_OK
		       : pe_fail_errno(process->err, "cannot make a folder in %s",
				       process->runner->scratch);
}

/* Run it and read what it wrote; text is released by the caller. */
static int run(struct pe_run *out, struct pe_text *text, struct process *process,
	       struct pe_suite_wish *wish)
{
	struct pe_proc_result result;
	int rc =
		pe_run_places_open(&process->places, process->runner, process->arena, process->err);

	if (rc != PE_OK)
		return rc;
	rc = ask(process, wish);
	if (rc == PE_OK)
		rc = pe_runner_command(&result, process->runner, process->member,
				       &process->command.command, process->tree, NULL,
				       &process->places, process->arena, process->err);
	if (rc == PE_OK) {
		pe_runner_set_outcome(out, process->runner, process->member,
				      &process->command.command, &result, process->tree,
				      &process->places, process->arena);
		out->suite_ns = result.cost.wall_ns;
		read_output(text, process);
	}
	pe_run_places_close(&process->places);
	return rc;
}

int pe_suite_run(struct pe_suite_process *out, const struct pe_runner *runner,
		 const struct pe_benchmark *member, const char *const *names, size_t n,
		 const char *tree, struct pe_arena *arena, struct pe_err *err)
{
	struct process process = {
		.runner = runner, .member = member, .tree = tree, .arena = arena, .err = err};
	struct pe_suite_wish wish = {.what = PE_ASK_RUN, .names = names, .n = n};
	const struct pe_suite_port *port = &runner->suites;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err why = PE_ERR_INIT;
	int rc;

	*out = (struct pe_suite_process){.run = {.kind = PE_RUN_TIMED}};
	pe_runner_start(&out->run);
	rc = pe_runner_helpers(&out->run, runner, member, &member->prepare, tree, NULL, arena, err);
	if (rc != PE_OK || out->run.outcome != PE_MEASURED ||
	    !pe_runner_is_own(&out->run, runner, member, tree, arena))
		return rc;
	rc = run(&out->run, &text, &process, &wish);
	if (rc != PE_OK)
		return rc;
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
	struct process process = {
		.runner = runner, .member = member, .tree = tree, .arena = arena, .err = err};
	struct pe_suite_wish wish = {.what = PE_ASK_LIST};
	struct pe_run listing = {.kind = PE_RUN_TIMED};
	pe_auto_text text = PE_TEXT_INIT;
	int rc;

	*n = 0;
	pe_runner_start(&listing);
	rc = run(&listing, &text, &process, &wish);
	if (rc != PE_OK)
		return rc;
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
	struct process process = {
		.runner = runner, .member = member, .tree = tree, .arena = arena, .err = err};
	struct pe_suite_wish wish = {.what = PE_ASK_HELP};
	struct pe_run help = {.kind = PE_RUN_TIMED};

	pe_runner_start(&help);
	return run(&help, out, &process, &wish);
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
	for (size_t i = 0; i < reading->n_values && run->n_samples < PE_RUN_MAX_SAMPLES; i++)
		run->samples[run->n_samples++] = (struct pe_sample){
			.metric = reading->values[i].metric,
			.value = reading->values[i].value,
			.inner = reading->values[i].inner,
			.n_inner = reading->values[i].n_inner,
		};
}
