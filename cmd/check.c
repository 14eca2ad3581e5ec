/*
 * Check: is the config right, does the current commit build, does every benchmark run, and how well can this
 * machine tell versions apart? Nothing of it is stored as a measurement.
 */
#include "cmd/check_suites.h"
#include "cmd/commands.h"
#include "app/measure/conditions.h"
#include "app/measure/functions.h"
#include "app/measure/session.h"
#include "app/measure/suite_port.h"

#include "json/writer.h"
#include "compare/functions.h"
#include "core/exec/sandbox.h"
#include "core/stats/summary.h"
#include "report/format.h"
#include "suites/suite.h"
#include "core/base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of several failures, the ends of the first logs are printed: what fails together mostly has one reason. */
enum { NOISE_RUNS = 10, LOGS = 3, LOG_LINES = 12 };

/* Runs of one benchmark stop after this, however few they were. */
static const uint64_t NOISE_BUDGET_NS = 5ull * 1000 * 1000 * 1000;

/* What was seen of one benchmark. */
struct tried {
	const struct pe_benchmark *benchmark;
	struct pe_run run; /**< the last one: outcome and log */
	struct pe_summary wall;
	int format; /**< of the library that it runs, an enum pe_suite_format; PE_SUITE_AUTO: none */
	const char *not_countable; /**< why its allocations cannot be counted; NULL: they can */
	const struct pe_metric *inexact; /**< a count that two runs differ by; NULL: none */
	const char *
		varying; /**< the functions that execute another number of instructions in each; NULL: unknown */
};

struct check {
	struct pe_session session;
	const struct pe_revision *revision;
	struct pe_build build;
	const char *tree; /**< where it was built; NULL: it was not */
	struct tried *tried;
	size_t n_tried;
	struct pe_checked_suites suites;
	PE_VEC(const char *) advice;
};

/* --- Trying --- */

/* The first count that two runs differ by; NULL: none, and where a run failed. */
static const struct pe_metric *find_inexact(const struct pe_run runs[2])
{
	for (size_t i = 0; i < runs[0].n_samples && i < runs[1].n_samples; i++)
		if (fabs(runs[0].samples[i].value - runs[1].samples[i].value) >
		    pe_metric_tolerance(runs[0].samples[i].metric) * fabs(runs[0].samples[i].value))
			return runs[0].samples[i].metric;
	return NULL;
}

static void add_code(struct pe_text *text, const char *name)
{
	pe_text_add(text, text->len > 0 ? ", `" : "`");
	pe_text_add_columns(text, name, 40);
	pe_text_add(text, "`");
}

/* Which functions two runs differ by, those that differ most: "`f` in a.c, `g` and 3 more". */
static const char *find_varying(const struct pe_run runs[2], const char *tree,
				struct pe_arena *arena)
{
	enum { NAMED = 3 };
	struct pe_function_ranges ranges[2], none = {NULL, 0, 0};
	struct pe_function_changes changes;
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t r = 0; r < 2; r++) {
		struct pe_function_counts named =
			pe_functions_name(&runs[r].functions, tree, arena);

		if (named.n == 0)
			return NULL;
		ranges[r].at = pe_arena_new(arena, struct pe_function_range, named.n);
		ranges[r].n = named.n;
		for (size_t i = 0; i < named.n; i++)
			ranges[r].at[i] = (struct pe_function_range){
				named.at[i].name, named.at[i].signature, named.at[i].component,
				named.at[i].instructions, named.at[i].instructions};
	}
	pe_functions_compare(&changes, &ranges[0], &ranges[1], &none, arena);
	for (size_t i = 0; i < changes.n && i < NAMED; i++)
		add_code(&text, changes.at[i].name);
	if (changes.n > NAMED)
		pe_text_addf(&text, " and %zu more", changes.n - NAMED);
	return changes.n > 0 ? pe_arena_strdup(arena, pe_text_str(&text)) : NULL;
}

static int try_allocations(struct tried *tried, struct check *check, const char *tree)
{
	struct pe_run runs[PE_ALLOCATION_ROUNDS];
	struct pe_session *session = &check->session;
	int rc = PE_OK;

	if (!pe_runner_counts(&session->runner, tried->benchmark))
		return PE_OK;
	for (int i = 0; rc == PE_OK && i < PE_ALLOCATION_ROUNDS; i++) {
		runs[i] = (struct pe_run){.kind = PE_RUN_ALLOCATIONS, .simulate = true};
		rc = pe_runner_run(&runs[i], &session->runner, tried->benchmark, tree,
				   session->arena, session->app->err);
		if (rc == PE_OK && runs[i].outcome != PE_MEASURED) {
			tried->not_countable = runs[i].log;
			return PE_OK;
		}
	}
	if (rc == PE_OK)
		tried->inexact = find_inexact(runs);
	if (tried->inexact != NULL)
		tried->varying = find_varying(runs, tree, session->arena);
	return rc;
}

static int try_runs(struct tried *tried, struct check *check, const char *tree)
{
	struct pe_session *session = &check->session;
	double values[NOISE_RUNS];
	double spent_ns = 0;
	size_t n = 0;
	int rc = PE_OK;

	/* The first run warms up; the others are taken while the budget lasts. */
	for (int i = 0; i <= NOISE_RUNS && (n < 3 || spent_ns < (double)NOISE_BUDGET_NS); i++) {
		if (*session->app->interrupts > 0)
			return pe_fail(session->app->err, PE_ESTOPPED, "stopped");
		tried->run = (struct pe_run){.kind = PE_RUN_TIMED};
		rc = pe_runner_run(&tried->run, &session->runner, tried->benchmark, tree,
				   session->arena, session->app->err);
		/* Old commits may lack a metric; where the config is written, all of them are expected. */
		if (rc == PE_OK && tried->run.uncounted != NULL)
			tried->run.outcome = PE_METRIC_MISSING;
		if (rc != PE_OK || tried->run.outcome != PE_MEASURED)
			return rc;
		spent_ns += tried->run.samples[0].value;
		if (i > 0)
			values[n++] = tried->run.samples[0].value;
	}
	tried->wall = pe_summarize(values, n);
	return rc;
}

static int try_one(struct tried *tried, struct check *check, const char *tree)
{
	struct pe_session *session = &check->session;
	int rc = pe_runner_set_up(&tried->run, &session->runner, tried->benchmark, tree,
				  session->arena, session->app->err);

	tried->format = pe_suite_port_format_of(tried->benchmark, tree, session->arena);
	if (rc == PE_OK && tried->run.outcome == PE_MEASURED)
		rc = try_runs(tried, check, tree);
	if (rc == PE_OK && tried->run.outcome == PE_MEASURED)
		rc = try_allocations(tried, check, tree);
	return pe_runner_clean_up(rc, &session->runner, tried->benchmark, tree, session->arena,
				  session->app->err);
}

static int try_all(struct check *check, const char *tree)
{
	struct pe_session *session = &check->session;
	int rc = PE_OK;

	check->tried = pe_arena_new(session->arena, struct tried, session->benchmarks.n);
	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++) {
		struct tried *tried = &check->tried[check->n_tried];
		struct pe_progress_event event = {
			.phase = PE_PROGRESS_RUN,
			.done = w,
			.total = session->benchmarks.n,
			.revision = check->revision->id,
			.subject = check->revision->subject,
			.benchmark = session->benchmarks.data[w].benchmark->name,
		};

		/* A process of a suite is measured by what it says of its benchmarks, not by how long it takes. */
		if (session->benchmarks.data[w].benchmark->suite != NULL)
			continue;
		check->n_tried++;
		tried->benchmark = session->benchmarks.data[w].benchmark;
		if (session->app->progress.report != NULL)
			session->app->progress.report(&event, session->app->progress.payload);
		rc = try_one(tried, check, tree);
	}
	return rc;
}

/* --- Judging the machine --- */

static double noise_of(const struct tried *tried)
{
	return pe_check_noise(&tried->wall);
}

static double visible_step(const struct tried *tried)
{
	return pe_check_visible_step(&tried->wall, tried->benchmark->repeats);
}

static void advise(struct check *check, const char *text)
{
	pe_vec_push(&check->advice, text);
}

/* A kind of advice that is given for benchmarks: one line for all of them, however many there are. */
struct hint {
	bool (*fits)(const struct tried *tried, const struct check *check);
	void (*value)(char *out, size_t size, const struct tried *tried); /**< beside the name */
	const char *advice;
};

static bool is_short(const struct tried *tried, const struct check *check)
{
	(void)check;
	return tried->wall.median < 5e6;
}

static void milliseconds(char *out, size_t size, const struct tried *tried)
{
	snprintf(out, size, "%.2f ms", tried->wall.median / 1e6);
}

static bool is_noisy(const struct tried *tried, const struct check *check)
{
	(void)check;
	return noise_of(tried) > 0.05;
}

static void noise_percent(char *out, size_t size, const struct tried *tried)
{
	snprintf(out, size, "±%.0f %%", 100 * noise_of(tried));
}

static bool has_outlier(const struct tried *tried, const struct check *check)
{
	(void)check;
	return tried->wall.max > 1.5 * tried->wall.median;
}

static void worst_factor(char *out, size_t size, const struct tried *tried)
{
	snprintf(out, size, "%.1f times the median", tried->wall.max / tried->wall.median);
}

static bool has_few_repeats(const struct tried *tried, const struct check *check)
{
	(void)check;
	return tried->benchmark->repeats < 10;
}

static void repeats(char *out, size_t size, const struct tried *tried)
{
	snprintf(out, size, "%u", tried->benchmark->repeats);
}

static bool is_inexact(const struct tried *tried, const struct check *check)
{
	(void)check;
	return tried->inexact != NULL;
}

static void inexact_count(char *out, size_t size, const struct tried *tried)
{
	if (tried->varying != NULL)
		snprintf(out, size, "%s, by %s", tried->inexact->label, tried->varying);
	else
		snprintf(out, size, "%s", tried->inexact->label);
}

static bool is_suite(const struct tried *tried, const struct check *check)
{
	(void)check;
	return tried->format != PE_SUITE_AUTO && tried->benchmark->n_customs == 0;
}

static void suite_format(char *out, size_t size, const struct tried *tried)
{
	snprintf(out, size, "format: %s",
		 pe_suite_format_name((enum pe_suite_format)tried->format));
}

static const struct hint hints[] = {
	{is_suite, suite_format,
	 "runs many benchmarks, each for as long as its library likes, however fast the program is: its wall time shows no change; name it under 'suites:' in place of 'benchmarks:'"},
	{is_short, milliseconds,
	 "very short: starting the process takes as long as the work; give it more work"},
	{is_noisy, noise_percent,
	 "noisy: raise 'repeats', quiet the machine, or give it more work"},
	{has_outlier, worst_factor, "outliers: something else ran on this machine"},
	{has_few_repeats, repeats,
	 "few repeats: 10 or more find smaller steps with fewer false alarms"},
	{is_inexact, inexact_count,
	 "two runs of one build count differently (threads, random numbers, addresses, time): such counts are treated as noisy metrics, from more runs; a fixed seed, one thread, and no time or address in what is computed make them exact"},
};

/* "advice: a (0.6 ms), b (0.7 ms) and 12 more". */
static void add_hint(struct check *check, const struct hint *hint)
{
	enum { NAMED = 3 };
	pe_auto_text text = PE_TEXT_INIT;
	size_t n = 0;

	for (size_t i = 0; i < check->n_tried; i++) {
		const struct tried *tried = &check->tried[i];
		char value[320];

		if (tried->run.outcome != PE_MEASURED || !hint->fits(tried, check))
			continue;
		if (n++ >= NAMED)
			continue;
		hint->value(value, sizeof(value), tried);
		pe_text_addf(&text, "%s%s (%s)", n > 1 ? ", " : ": ", tried->benchmark->name,
			     value);
	}
	if (n > NAMED)
		pe_text_addf(&text, " and %zu more", n - NAMED);
	if (n > 0)
		advise(check,
		       pe_arena_printf(check->session.arena, "%s%s", hint->advice, text.data));
}

static void advise_on_counting(struct check *check)
{
	for (size_t i = 0; i < check->n_tried; i++) {
		const struct tried *tried = &check->tried[i];

		if (tried->not_countable == NULL)
			continue;
		advise(check,
		       pe_arena_printf(
			       check->session.arena,
			       "%s: allocations cannot be counted (%.*s); 'allocations: false' leaves them out",
			       tried->benchmark->name, (int)strcspn(tried->not_countable, "\n"),
			       tried->not_countable));
	}
}

static void advise_on_machine(struct check *check)
{
	const struct pe_session *session = &check->session;
	const char *advice[PE_CONDITIONS_ADVICE];
	size_t n = pe_conditions_advise(
		advice, &session->conditions, &session->machine,
		session->runner.instructions || session->runner.valgrind != NULL, session->arena);

	for (size_t i = 0; i < n; i++)
		advise(check, advice[i]);
}

/* --- Printing --- */

static size_t failures_before(const struct check *check, size_t end)
{
	size_t n = 0;

	for (size_t i = 0; i < end; i++)
		n += check->tried[i].run.outcome != PE_MEASURED;
	return n;
}

static void print_log_end(struct pe_text *out, const char *log)
{
	size_t n = strlen(log), lines = 0;
	const char *from = log + n - (n > 0 && log[n - 1] == '\n');

	while (from > log && (from[-1] != '\n' || ++lines < LOG_LINES))
		from--;
	if (from > log)
		pe_text_add(out, "    ...\n");
	pe_utf8_add_log(out, from);
}

static void print_failed(struct pe_text *out, const struct check *check, const struct tried *tried)
{
	pe_text_addf(out, "  %-28s %s\n", tried->benchmark->name,
		     pe_outcome_name(tried->run.outcome));
	if (tried->run.log == NULL ||
	    failures_before(check, (size_t)(tried - check->tried)) >= LOGS)
		return;
	if (failures_before(check, check->n_tried) == 1)
		pe_utf8_add_log(out, tried->run.log);
	else
		print_log_end(out, tried->run.log);
}

static void print_tried(struct pe_text *out, const struct check *check, const struct tried *tried)
{
	if (tried->run.outcome != PE_MEASURED) {
		print_failed(out, check, tried);
		return;
	}
	pe_text_addf(out, "  %-28s ", tried->benchmark->name);
	pe_format_value(out, tried->wall.median, "ns");
	pe_text_addf(out, ", noise %.1f %%, detects changes from about %.1f %%\n",
		     100 * noise_of(tried), 100 * visible_step(tried));
}

/* What the machine gives, which may be less than the config asks for. */
static struct pe_sandbox sandbox_of(const struct pe_session *session)
{
	return session->confined ? session->sandbox : (struct pe_sandbox){.mode = PE_SANDBOX_OFF};
}

static void print_term(struct pe_text *out, const struct check *check)
{
	const struct pe_session *session = &check->session;
	const struct pe_sandbox sandbox = sandbox_of(session);
	const char *inside = session->executor.tree;

	pe_text_add(out, "config    ");
	pe_utf8_add_visible(out, session->app->config->path, "");
	pe_text_add(out, ": ");
	pe_format_plural(out, session->benchmarks.n, "benchmark");
	pe_text_addc(out, '\n');
	pe_text_addf(out, "machine   %s, %u cores, %s\n", session->machine.cpu,
		     session->machine.cores, session->machine.kernel);
	pe_text_addf(out, "sandbox   %s\n", pe_sandbox_describe(&sandbox, session->arena));
	pe_text_addf(out, "build     %.10s %s: %s", check->revision->id, check->revision->subject,
		     check->build.outcome == PE_MEASURED ? "built"
							 : pe_outcome_name(check->build.outcome));
	if (check->build.duration_ns > 0) {
		pe_text_add(out, " in ");
		pe_format_duration(out, check->build.duration_ns);
	}
	pe_text_add(out, "\n");
	if (check->build.outcome != PE_MEASURED)
		pe_utf8_add_log(out, check->build.log);
	for (size_t i = 0; i < check->n_tried; i++)
		print_tried(out, check, &check->tried[i]);
	if (failures_before(check, check->n_tried) > 1)
		pe_text_addf(
			out,
			"  %zu of %zu fail; 'perfevo check -b NAME' prints the whole log of one\n",
			failures_before(check, check->n_tried), check->n_tried);
	if (failures_before(check, check->n_tried) > 0)
		pe_text_addf(out, "tree      %s (%s%s)\n", check->tree,
			     inside != NULL ? "commands see it as "
					    : "what fails can be tried there",
			     inside != NULL ? inside : "");
	pe_check_suites_print(out, &check->suites);
	for (size_t i = 0; i < session->left_out.n; i++)
		pe_text_addf(out, "left out  %s%s%s\n", session->left_out.data[i].name,
			     session->left_out.data[i].name[0] != '\0' ? ": " : "",
			     session->left_out.data[i].reason);
	for (size_t i = 0; i < check->advice.n; i++)
		pe_text_addf(out, "advice    %s\n", check->advice.data[i]);
}

static double five_decimals(double value)
{
	return round(value * 1e5) / 1e5;
}

static void print_json_tried(struct pe_json *json, const struct tried *tried)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", tried->benchmark->name);
	pe_json_put(json, "outcome", pe_outcome_name(tried->run.outcome));
	if (tried->run.outcome == PE_MEASURED) {
		pe_json_put(json, "runs", tried->wall.n);
		pe_json_put(json, "median_ns", round(tried->wall.median));
		pe_json_put(json, "noise", five_decimals(noise_of(tried)));
		pe_json_put(json, "visible_step", five_decimals(visible_step(tried)));
		pe_json_put(json, "suite",
			    tried->format != PE_SUITE_AUTO
				    ? pe_suite_format_name((enum pe_suite_format)tried->format)
				    : NULL);
	} else if (tried->run.log != NULL) {
		pe_json_put(json, "log", tried->run.log);
	}
	pe_json_end(json);
}

static void print_json_left_out(struct pe_json *json, const struct pe_left_out *left_out)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", left_out->name);
	pe_json_put(json, "reason", left_out->reason);
	pe_json_end(json);
}

static void print_json(struct pe_text *out, const struct check *check)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "revision", check->revision->id);
	pe_json_put(&json, "sandbox", pe_sandbox_mode_name(sandbox_of(&check->session).mode));
	pe_json_put(&json, "build", pe_outcome_name(check->build.outcome));
	if (check->build.outcome != PE_MEASURED)
		pe_json_put(&json, "log", check->build.log);
	pe_json_each(&json, "benchmarks", i, check->n_tried,
		     print_json_tried(&json, &check->tried[i]));
	pe_check_suites_json(&json, &check->suites);
	pe_json_each(&json, "left_out", i, check->session.left_out.n,
		     print_json_left_out(&json, &check->session.left_out.data[i]));
	pe_json_texts(&json, "advice", check->advice.data, check->advice.n);
	pe_json_finish(&json);
}

/* --- The command --- */

static bool all_ran(const struct check *check)
{
	if (check->build.outcome != PE_MEASURED)
		return false;
	for (size_t i = 0; i < check->n_tried; i++)
		if (check->tried[i].run.outcome != PE_MEASURED)
			return false;
	return pe_check_suites_ran(&check->suites);
}

static int run(struct check *check, struct pe_cmd_ctx *ctx, const char *spec, const char *bench)
{
	struct pe_range range = {.spec = spec, .last = 1};
	struct pe_revisions revisions;
	struct pe_slot *slot;
	int rc = pe_repo_walk(&revisions, ctx->app.repo, &range, ctx->app.arena, ctx->app.err);

	if (rc == PE_OK && revisions.n == 0)
		rc = pe_fail(ctx->app.err, PE_ENOTFOUND, "there is no commit to check yet");
	if (rc == PE_OK)
		rc = pe_session_open(&check->session, &ctx->app, true);
	if (rc == PE_OK)
		rc = pe_session_choose(&check->session, &revisions, bench);
	if (rc != PE_OK)
		return rc;
	check->revision = &revisions.at[0];
	check->session.builds_total = 1;
	rc = pe_session_build(&slot, &check->build, &check->session,
			      &check->session.revisions[check->session.n_revisions - 1]);
	if (rc != PE_OK || check->build.outcome != PE_MEASURED)
		return rc;
	check->tree = pe_arena_strdup(ctx->app.arena, slot->tree);
	rc = pe_session_discover(&check->session, bench);
	if (rc == PE_OK)
		rc = try_all(check, slot->tree);
	if (rc == PE_OK)
		rc = pe_check_suites(&check->suites, &check->session, slot->tree);
	if (rc != PE_OK)
		return rc;
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		add_hint(check, &hints[i]);
	advise_on_counting(check);
	advise_on_machine(check);
	return PE_OK;
}

static int print(const struct check *check, struct pe_cmd_ctx *ctx, int format)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (format == PE_FORMAT_JSON)
		print_json(&text, check);
	else
		print_term(&text, check);
	return format == PE_FORMAT_JSON ? pe_cmd_print(ctx, &text, false)
					: pe_cmd_show(ctx, &text, false);
}

int cmd_check_revision(struct pe_cmd_ctx *ctx, const char *spec, const char *bench, int format)
{
	struct check check = {0};
	int rc = run(&check, ctx, spec, bench), code;

	if (rc == PE_OK)
		rc = print(&check, ctx, format);
	if (rc == PE_OK)
		code = all_ran(&check) ? PE_EXIT_GOOD : PE_EXIT_UNMEASURABLE;
	else
		code = pe_cmd_fail(ctx);
	pe_session_close(&check.session);
	pe_vec_release(&check.advice);
	return code;
}

int cmd_check(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const char *bench = NULL;
	int format = 0;
	const struct pe_opt opts[] = {
		OPT_BENCH(&bench),
		OPT_JSON(&format),
		OPT_END,
	};
	int code = pe_cmd_begin(ctx, opts, &argc, &argv);

	return code >= 0 ? code : cmd_check_revision(ctx, argc > 0 ? argv[0] : NULL, bench, format);
}
