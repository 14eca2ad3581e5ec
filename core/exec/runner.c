#include "core/exec/runner_internal.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/exec/builder.h"
#include "core/exec/env.h"
#include "core/exec/failure.h"
#include "core/exec/program_size.h"
#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/base/quantity.h"
#include "core/base/regex.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { RUN_LOG_BYTES = 16 * 1024, SHOWN_BYTES = 40 };

static const uint64_t FULL_DISK_BYTES = 1u << 20;

void pe_run_places_close(const struct pe_run_ctx *ctx)
{
	pe_files_close(&ctx->places.dir);
	pe_files_close(&ctx->places.out);
	pe_files_close(&ctx->places.err);
}

int pe_run_places_open(struct pe_run_ctx *ctx)
{
	const struct pe_runner *runner = ctx->runner;
	struct pe_run_places *out = &ctx->places;

	*out = (struct pe_run_places){
		.dir = pe_files_open_below(runner->trusted, runner->scratch, true),
		.out = -1,
		.err = -1};
	out->allocations =
		pe_arena_printf(ctx->arena, "%s/%s", runner->scratch, PE_RUN_ALLOCATION_RECORDS);
	if (out->dir >= 0)
		out->out = pe_files_open_unnamed(out->dir);
	if (out->out >= 0)
		out->err = pe_files_open_unnamed(out->dir);
	if (out->err >= 0)
		return PE_OK;
	return pe_fail_errno(ctx->err, "cannot write an output in %s", runner->scratch);
}

const char *pe_runner_below(const char *tree, const char *path, struct pe_arena *arena)
{
	if (path == NULL || strcmp(path, ".") == 0)
		return tree;
	return path[0] == '/' ? path : pe_arena_printf(arena, "%s/%s", tree, path);
}

/* How long a run may take: its own timeout, and not beyond the deadline. */
static uint64_t time_for(const struct pe_run_ctx *ctx)
{
	const uint64_t now = pe_clock_ns(), deadline = ctx->runner->deadline_ns,
		       left = deadline > now ? deadline - now : 1;

	return deadline > 0 && left < ctx->benchmark->timeout_ns ? left
								 : ctx->benchmark->timeout_ns;
}

static struct pe_proc_spec spec_for(const struct pe_run_ctx *ctx, const struct pe_command *command,
				    const struct pe_strings *extra)
{
	const struct pe_runner *runner = ctx->runner;
	const char *seen = pe_executor_tree(&runner->executor, ctx->tree);

	return (struct pe_proc_spec){
		.argv = command->argv,
		.cwd = pe_runner_below(seen, ctx->benchmark->cwd, ctx->arena),
		.env = pe_env_for_run(ctx->benchmark, runner->pass_env, seen, runner->root, extra,
				      ctx->arena),
		.timeout_ns = time_for(ctx),
		.output_bytes = PE_RUN_OUTPUT_BYTES,
		.records_bytes = runner->records_bytes,
		.cpu = -1,
		.places = {ctx->tree, runner->scratch},
		.interrupts = runner->interrupts,
		.stop_fd = runner->stop_fd,
	};
}

static enum pe_outcome outcome_of(const struct pe_proc_result *result, int expected_status)
{
	switch (result->end) {
	case PE_PROC_EXITED:
		return result->status == expected_status ? PE_MEASURED : PE_EXIT_WRONG;
	case PE_PROC_SIGNALED:
	case PE_PROC_MEMORY_FULL:
	case PE_PROC_DISK_FULL:
	case PE_PROC_RECORDS_FULL:
		return PE_CRASHED;
	case PE_PROC_TIMED_OUT:
	case PE_PROC_UNANSWERED:
		return PE_TIMED_OUT;
	case PE_PROC_OUTPUT_FULL:
		return PE_OUTPUT_FULL;
	case PE_PROC_NOT_STARTED:
	case PE_PROC_STOPPED:
		break;
	}
	return PE_NOT_STARTED;
}

static const char *tail_of(const struct pe_run_ctx *ctx)
{
	return pe_arena_printf(ctx->arena, "%s%s",
			       pe_log_tail(ctx->places.out, RUN_LOG_BYTES, ctx->arena),
			       pe_log_tail(ctx->places.err, RUN_LOG_BYTES, ctx->arena));
}

static const char *failure_log(enum pe_outcome *outcome, const struct pe_run_ctx *ctx,
			       const char *said, const struct pe_command *command,
			       const struct pe_proc_result *result)
{
	const struct pe_runner *runner = ctx->runner;
	const struct pe_failure_site site = {.sandbox = runner->sandbox,
					     .limits = runner->limits,
					     .tree = ctx->tree,
					     .oom_kills = runner->oom_kills};

	return pe_failure_log(outcome, said, command->text, result, &site, ctx->arena);
}

/* Whether a run took too long for the deadline, and not for its own timeout. */
static bool is_late(const struct pe_proc_result *result, const struct pe_runner *runner)
{
	return (result->end == PE_PROC_TIMED_OUT || result->end == PE_PROC_UNANSWERED) &&
	       runner->deadline_ns > 0 && pe_clock_ns() >= runner->deadline_ns;
}

/*
 * Run one command; a run that fails on a full disk, or is ended at the deadline, is no fact about the revision, and would be
 * skipped for ever if it were stored.
 */
static int execute(struct pe_proc_result *result, const struct pe_run_ctx *ctx,
		   const struct pe_proc_spec *spec, int expected_status)
{
	const struct pe_executor *executor = &ctx->runner->executor;
	const char *scratch = ctx->runner->scratch;

	PE_TRY(executor->run(result, spec, executor->payload, ctx->err));
	if (result->end == PE_PROC_STOPPED || is_late(result, ctx->runner))
		return pe_fail(ctx->err, PE_ESTOPPED, "stopped while running");
	if (outcome_of(result, expected_status) != PE_MEASURED &&
	    pe_files_free(scratch) < FULL_DISK_BYTES)
		return pe_fail(ctx->err, PE_EFULL, "no space left in %s: free some and run again",
			       scratch);
	return PE_OK;
}

/* One of the commands around a run. */
static int run_helper(struct pe_run *out, const struct pe_run_ctx *ctx,
		      const struct pe_command *command, const struct pe_strings *extra)
{
	struct pe_proc_spec spec = spec_for(ctx, command, extra);
	pe_auto_run own = *ctx;
	struct pe_proc_result result;

	own.places = (struct pe_run_places)PE_RUN_NO_PLACES;
	PE_TRY(pe_run_places_open(&own));
	spec.leaves = true;
	spec.stdout_fd = own.places.out;
	spec.stderr_fd = own.places.err;
	PE_TRY(execute(&result, ctx, &spec, 0));
	out->left_behind += result.left_behind;
	if (outcome_of(&result, 0) == PE_MEASURED)
		return PE_OK;
	out->outcome = PE_SETUP_FAILED;
	out->status = result.status;
	out->log = failure_log(&out->outcome, ctx, tail_of(&own), command, &result);
	return PE_OK;
}

int pe_runner_helpers(struct pe_run *out, const struct pe_run_ctx *ctx,
		      const struct pe_commands *commands, const struct pe_strings *extra)
{
	out->outcome = PE_MEASURED;
	for (size_t i = 0; i < commands->n && out->outcome == PE_MEASURED; i++)
		PE_TRY(run_helper(out, ctx, &commands->at[i], extra));
	return PE_OK;
}

int pe_runner_set_up(struct pe_run *out, const struct pe_runner *runner,
		     const struct pe_benchmark *benchmark, const char *tree, struct pe_arena *arena,
		     struct pe_err *err)
{
	const struct pe_run_ctx ctx = {runner, benchmark, tree, arena, err, {0}};
	int rc;

	out->left_behind = 0;
	rc = pe_runner_helpers(out, &ctx, &benchmark->setup, NULL);
	if (benchmark->setup.n > 0 && runner->outside.set_up != NULL)
		runner->outside.set_up(benchmark, tree, runner->outside.payload);
	return rc;
}

int pe_runner_clean_up(int rc, const struct pe_runner *runner, const struct pe_benchmark *benchmark,
		       const char *tree, struct pe_arena *arena, struct pe_err *err)
{
	struct pe_runner own = *runner;
	struct pe_run_ctx ctx = {&own, benchmark, tree, arena, err, {0}};

	/* What setup made is removed also after the deadline. */
	own.deadline_ns = 0;
	for (size_t i = 0; i < benchmark->cleanup.n; i++) {
		struct pe_run run = {.kind = PE_RUN_TIMED};
		int rc_cleanup;

		ctx.err = rc == PE_OK ? err : NULL;
		rc_cleanup = run_helper(&run, &ctx, &benchmark->cleanup.at[i], NULL);
		rc = rc == PE_OK ? rc_cleanup : rc;
	}
	return rc;
}

void pe_runner_add_sample(struct pe_run *run, const struct pe_metric *metric, double value)
{
	if (run->n_samples < PE_RUN_MAX_SAMPLES)
		run->samples[run->n_samples++] =
			(struct pe_sample){.metric = metric, .value = value};
}

static void add_costs(struct pe_run *run, const struct pe_proc_cost *cost)
{
	pe_runner_add_sample(run, &pe_metrics[PE_WALL], (double)cost->wall_ns);
	pe_runner_add_sample(run, &pe_metrics[PE_CPU], (double)(cost->user_ns + cost->sys_ns));
	pe_runner_add_sample(run, &pe_metrics[PE_USER], (double)cost->user_ns);
	pe_runner_add_sample(run, &pe_metrics[PE_SYS], (double)cost->sys_ns);
	pe_runner_add_sample(run, &pe_metrics[PE_MAX_RSS], (double)cost->max_rss_bytes);
	pe_runner_add_sample(run, &pe_metrics[PE_MINOR_FAULTS], (double)cost->minor_faults);
	pe_runner_add_sample(run, &pe_metrics[PE_MAJOR_FAULTS], (double)cost->major_faults);
	pe_runner_add_sample(run, &pe_metrics[PE_VOLUNTARY_SWITCHES],
			     (double)cost->voluntary_switches);
	pe_runner_add_sample(run, &pe_metrics[PE_INVOLUNTARY_SWITCHES],
			     (double)cost->involuntary_switches);
	if (cost->has_instructions)
		pe_runner_add_sample(run, &pe_metrics[PE_INSTRUCTIONS], (double)cost->instructions);
	if (cost->has_bytes) {
		pe_runner_add_sample(run, &pe_metrics[PE_READ_BYTES], (double)cost->read_bytes);
		pe_runner_add_sample(run, &pe_metrics[PE_WRITTEN_BYTES],
				     (double)cost->written_bytes);
	}
}

/* Sizes of the file that the command names, as it was built in the tree, whatever links lead to it. */
static void add_sizes(struct pe_run *run, const struct pe_run_ctx *ctx)
{
	const char *program = ctx->benchmark->command.argv[0], *tree = ctx->tree;
	const char *path, *root = pe_inside_resolve(tree, tree, ctx->arena);
	struct pe_program_size size;

	if (strchr(program, '/') == NULL || root == NULL)
		return;
	path = pe_runner_below(tree, ctx->benchmark->cwd, ctx->arena);
	path = pe_inside_resolve(pe_runner_below(path, program, ctx->arena), tree, ctx->arena);
	if (path == NULL || pe_path_below(path, root) == NULL || !pe_program_size_of(&size, path))
		return;
	pe_runner_add_sample(run, &pe_metrics[PE_TEXT_SIZE], (double)size.text_bytes);
	pe_runner_add_sample(run, &pe_metrics[PE_DATA_SIZE], (double)size.data_bytes);
}

/* The last match that is not empty. */
static void take_number(const char *match, size_t n, void *payload)
{
	struct pe_text *number = payload;

	if (n == 0)
		return;
	pe_text_clear(number);
	pe_text_addn(number, match, n);
}

/*
 * The first group of the last match: programs print a running value, and the last one is the result.
 *
 * @return  NULL, or why there is no value
 */
static const char *find_by_regex(double *out, const char *text,
				 const struct pe_custom_metric *custom, struct pe_arena *arena)
{
	const struct pe_quantity_form form = {custom->metric.unit, custom->decimal};
	pe_auto_text number = PE_TEXT_INIT;
	struct pe_regex regex;
	const char *wrong;

	/* It was compiled when the config was read. */
	if (pe_regex_init(&regex, custom->expression, NULL) == PE_OK)
		pe_regex_find(&regex, text, take_number, &number);
	pe_regex_release(&regex);
	if (number.len == 0)
		return pe_arena_printf(arena, "no number for %s in %s", custom->expression,
				       custom->from_stderr ? "stderr" : "stdout");
	wrong = pe_quantity_read(out, number.data, number.len, &form);
	return wrong != NULL ? pe_arena_printf(arena, "'%.*s' %s", SHOWN_BYTES, number.data, wrong)
			     : NULL;
}

static const char *find_by_pointer(double *out, const struct pe_run_ctx *ctx,
				   const struct pe_text *text,
				   const struct pe_custom_metric *custom)
{
	const struct pe_json_reader *json = &ctx->runner->json;
	struct pe_err why = PE_ERR_INIT;

	if (json->number(out, pe_text_str(text), text->len, custom->expression, json->payload,
			 &why) == PE_OK)
		return isfinite(*out) ? NULL : "its number is not finite";
	return pe_arena_printf(ctx->arena, "no number for %s in stdout: %s", custom->expression,
			       why.message);
}

/* Read one of them; false: it has no value, and the run records why. */
static bool read_custom(struct pe_run *run, const struct pe_run_ctx *ctx,
			const struct pe_custom_metric *custom)
{
	pe_auto_text text = PE_TEXT_INIT;
	int from = custom->from_stderr ? ctx->places.err : ctx->places.out;
	const char *wrong;
	double value = 0;

	if (lseek(from, 0, SEEK_SET) == 0)
		pe_text_read_fd(&text, from);
	wrong = custom->how == PE_EXTRACT_REGEX
			? find_by_regex(&value, pe_text_str(&text), custom, ctx->arena)
			: find_by_pointer(&value, ctx, &text, custom);
	if (wrong == NULL) {
		pe_runner_add_sample(run, &custom->metric, value);
	} else if (run->uncounted == NULL) {
		run->uncounted =
			pe_arena_printf(ctx->arena, "metric '%s': %s", custom->metric.name, wrong);
		run->log = pe_arena_printf(ctx->arena, "%s\n%s", run->uncounted,
					   pe_log_tail(from, RUN_LOG_BYTES, ctx->arena));
	}
	return wrong == NULL;
}

/*
 * A metric that is not in the output is missing, and the others are kept: old revisions print fewer of them. A run that
 * prints none of its metrics did not do its work, whatever its exit status.
 */
static void read_customs(struct pe_run *run, const struct pe_run_ctx *ctx)
{
	const struct pe_benchmark *benchmark = ctx->benchmark;
	size_t found = 0;

	for (size_t i = 0; i < benchmark->n_customs; i++)
		found += read_custom(run, ctx, &benchmark->customs[i]);
	if (benchmark->n_customs == 0 || found > 0)
		return;
	run->outcome = PE_METRIC_MISSING;
	run->n_samples = 0;
}

/* Output that is read, or shown where a test fails. */
static bool keeps_stdout(const struct pe_benchmark *benchmark)
{
	if (benchmark->is_test || benchmark->suite != NULL)
		return true;
	for (size_t i = 0; i < benchmark->n_customs; i++)
		if (!benchmark->customs[i].from_stderr)
			return true;
	return false;
}

/* The command itself, between its preparation and the reading of its values. */
int pe_runner_command(struct pe_proc_result *result, const struct pe_run_ctx *ctx,
		      const struct pe_command *command, const struct pe_strings *extra)
{
	const struct pe_runner *runner = ctx->runner;
	const struct pe_benchmark *benchmark = ctx->benchmark;
	struct pe_proc_spec spec = spec_for(ctx, command, extra);
	const char *seen = pe_executor_tree(&runner->executor, ctx->tree);

	spec.stdin_path = benchmark->input != NULL
				  ? pe_runner_below(seen, benchmark->input, ctx->arena)
				  : NULL;
	spec.stdout_fd = keeps_stdout(benchmark) ? ctx->places.out : 0;
	spec.stderr_fd = ctx->places.err;
	spec.cpu = runner->cpu;
	spec.nice = runner->nice;
	spec.flags = (runner->fixed_layout ? PE_PROC_FIXED_LAYOUT : 0u) |
		     (runner->instructions ? PE_PROC_INSTRUCTIONS : 0u);
	return execute(result, ctx, &spec, benchmark->expected_status);
}

/* Whether the output of a failed command reports a missing file, in the wording of shells, the C library, Node, Python, PHP, Go or Java. */
static bool lacks(const char *said, const char *name)
{
	static const char *const sayings[] = {"No such file",   "no such file", "not found",
					      "cannot open",    "can't open",   "Could not open",
					      "could not open", "Cannot find",  "Unable to access"};
	bool lacking = false;

	for (size_t i = 0; !lacking && i < sizeof(sayings) / sizeof(*sayings); i++)
		lacking = strstr(said, sayings[i]) != NULL;
	return lacking && strstr(said, name) != NULL;
}

/* What has no slash and no dot, and none before it in the command, is a program of the system or no file at all. */
static bool is_file(const struct pe_benchmark *benchmark, const char *word, struct pe_arena *arena)
{
	const char *text = benchmark->command.text;

	return strpbrk(word, "/.") != NULL ||
	       (text != NULL && strstr(text, pe_arena_printf(arena, "./%s", word)) != NULL);
}

/* The program or script of a benchmark that is younger than its commit. */
static const char *find_missing(const struct pe_run_ctx *ctx, enum pe_outcome outcome,
				const char *said)
{
	const struct pe_strings words = pe_benchmark_words(ctx->benchmark, ctx->arena);
	const char *missing = NULL;

	for (size_t i = 0; missing == NULL && i < words.n; i++) {
		const char *word = words.at[i], *name = pe_path_name(word);

		if (is_file(ctx->benchmark, word, ctx->arena) &&
		    (outcome == PE_NOT_STARTED ||
		     (outcome == PE_EXIT_WRONG && lacks(said, name))) &&
		    access(pe_arena_printf(ctx->arena, "%s/%s", ctx->tree, word), F_OK) < 0)
			missing = word;
	}
	return missing;
}

void pe_runner_set_outcome(struct pe_run *out, const struct pe_run_ctx *ctx,
			   const struct pe_command *command, const struct pe_proc_result *result)
{
	const char *said;

	out->status = result->status;
	out->outcome = outcome_of(result, ctx->benchmark->expected_status);
	if (out->outcome == PE_MEASURED)
		return;
	said = tail_of(ctx);
	out->missing = find_missing(ctx, out->outcome, said);
	out->log = failure_log(&out->outcome, ctx, said, command, result);
	if (out->missing != NULL)
		out->log = pe_arena_printf(
			ctx->arena,
			"%sthis commit has no %s: files of today are given to every commit by 'overlay: [...]'\n",
			out->log, out->missing);
}

void pe_runner_explain_left(struct pe_run *run, struct pe_arena *arena)
{
	if (run->left_behind > 0 && run->outcome != PE_MEASURED && run->outcome != PE_ABSENT)
		run->log = pe_arena_printf(
			arena,
			"%s[what setup or prepare left running was ended with it (%u process%s): the benchmark's "
			"own command has to start a server, as in 'server & client; kill $!']\n",
			run->log != NULL ? run->log : "", run->left_behind,
			run->left_behind == 1 ? "" : "es");
}

void pe_runner_start(struct pe_run *out)
{
	out->n_samples = 0;
	out->left_behind = 0;
	out->log = out->uncounted = out->missing = NULL;
	out->foreign = false;
	out->status = 0;
	out->started_s = pe_clock_now_s();
}

bool pe_runner_is_own(struct pe_run *out, const struct pe_run_ctx *ctx)
{
	const struct pe_outside_port *port = &ctx->runner->outside;
	const char *found = port->find != NULL ? port->find(ctx->benchmark, ctx->tree, ctx->arena,
							    port->payload)
					       : NULL;

	if (found == NULL)
		return true;
	out->outcome = PE_SETUP_FAILED;
	out->foreign = true;
	out->log = pe_arena_printf(ctx->arena, "%s\n", found);
	return false;
}

/* What comes before the command of every run; outputs are open when the run is to go on: PE_MEASURED. */
static int prepare_run(struct pe_run *out, struct pe_run_ctx *ctx)
{
	pe_runner_start(out);
	PE_TRY(pe_runner_helpers(out, ctx, &ctx->benchmark->prepare, NULL));
	if (out->outcome != PE_MEASURED || !pe_runner_is_own(out, ctx))
		return PE_OK;
	return pe_run_places_open(ctx);
}

/* As before each run: what the one before left is gone. */
int pe_runner_prepare_again(struct pe_run *out, const struct pe_run_ctx *ctx)
{
	const int files[] = {ctx->places.out, ctx->places.err};

	for (size_t i = 0; i < 2; i++)
		if (ftruncate(files[i], 0) != 0 || lseek(files[i], 0, SEEK_SET) != 0)
			return pe_fail_errno(ctx->err, "cannot empty an output in %s",
					     ctx->runner->scratch);
	return pe_runner_helpers(out, ctx, &ctx->benchmark->prepare, NULL);
}

/* A timed command writes to /dev/null, so its output is lost: a program that fails is run once more for it. */
static int rerun_for_output(struct pe_run *out, const struct pe_run_ctx *ctx)
{
	const struct pe_strings extra = {NULL, 0};
	const struct pe_command *command = &ctx->benchmark->command;
	struct pe_benchmark heard = *ctx->benchmark;
	struct pe_run_ctx hearing = *ctx;
	struct pe_run again = {.kind = PE_RUN_TIMED};
	struct pe_proc_result result;

	if ((out->outcome != PE_EXIT_WRONG && out->outcome != PE_CRASHED) ||
	    keeps_stdout(ctx->benchmark))
		return PE_OK;
	PE_TRY(pe_runner_prepare_again(&again, ctx));
	if (again.outcome != PE_MEASURED)
		return PE_OK;
	heard.is_test = true; /* its output is kept */
	hearing.benchmark = &heard;
	PE_TRY(pe_runner_command(&result, &hearing, command, &extra));
	if (outcome_of(&result, heard.expected_status) == out->outcome)
		pe_runner_set_outcome(out, ctx, command, &result);
	return PE_OK;
}

/* The run between its preparation and the reading of its values, and those. */
static int run_and_read(struct pe_run *out, const struct pe_run_ctx *ctx)
{
	const struct pe_strings extra = {NULL, 0};
	struct pe_proc_result result;

	if (out->kind == PE_RUN_COUNTED)
		return pe_runner_count(out, ctx);
	PE_TRY(pe_runner_command(&result, ctx, &ctx->benchmark->command, &extra));
	pe_runner_set_outcome(out, ctx, &ctx->benchmark->command, &result);
	if (out->outcome != PE_MEASURED)
		return rerun_for_output(out, ctx);
	add_costs(out, &result.cost);
	add_sizes(out, ctx);
	read_customs(out, ctx);
	return PE_OK;
}

int pe_runner_run(struct pe_run *out, const struct pe_runner *runner,
		  const struct pe_benchmark *benchmark, const char *tree, struct pe_arena *arena,
		  struct pe_err *err)
{
	pe_auto_run ctx = {runner, benchmark, tree, arena, err, PE_RUN_NO_PLACES};

	PE_TRY(prepare_run(out, &ctx));
	return out->outcome == PE_MEASURED ? run_and_read(out, &ctx) : PE_OK;
}

int pe_runner_look(struct pe_run *out, const struct pe_runner *runner,
		   const struct pe_benchmark *benchmark, const char *tree,
		   const struct pe_strings *extra, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_run ctx = {runner, benchmark, tree, arena, err, PE_RUN_NO_PLACES};
	struct pe_proc_result result;

	PE_TRY(prepare_run(out, &ctx));
	if (out->outcome != PE_MEASURED)
		return PE_OK;
	PE_TRY(pe_runner_command(&result, &ctx, &benchmark->command, extra));
	pe_runner_set_outcome(out, &ctx, &benchmark->command, &result);
	if (out->outcome != PE_MEASURED)
		return PE_OK;
	add_costs(out, &result.cost);
	out->log = pe_log_tail(ctx.places.err, RUN_LOG_BYTES, arena);
	return PE_OK;
}
