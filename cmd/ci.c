/*
 * Ci: what a change does to performance, for a pull request: the merge base and the change, measured in turns on
 * the machine at hand, and the answer in the forms that people and CI servers read. Try: the same of HEAD and its parent, with a
 * config that is guessed.
 */
#include "cmd/commands.h"
#include "app/measure/guess.h"
#include "app/jobs/ci_gate.h"

#include "cmd/ui/term.h"
#include "configs/read.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/outfile.h"
#include "core/exec/simulate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum format { FORMAT_TERM, FORMAT_JSON, FORMAT_MD };

static const char *const formats[] = {"term", "json", "md", NULL};

struct outputs {
	const char *markdown, *junit, *sarif, *gitlab, *json, *html;
	bool annotate;
};

struct options {
	const char *base, *config_from;
	struct pe_gate_opts gate;
	struct outputs outputs;
	bool no_profile, no_tests;
	bool may_go_on; /* try: without an answer nothing is printed, for something else is run then */
	int format;
};

/* Of `try`: what was run gave no answer. */
enum { NO_ANSWER = PE_EXIT_ANSWERED + 1 };

/* --- The base --- */

/* A variable that is set and not empty; NULL otherwise. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The target branch of a change, from the variables of CI servers. */
static const char *base_of_server(struct pe_cmd_ctx *ctx)
{
	static const char *const branches[] = {"GITHUB_BASE_REF",
					       "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
					       "BITBUCKET_PR_DESTINATION_BRANCH",
					       "SYSTEM_PULLREQUEST_TARGETBRANCH", "CHANGE_TARGET"};

	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
		const char *branch = variable(branches[i]);

		if (branch == NULL)
			continue;
		if (strncmp(branch, "refs/heads/", 11) == 0)
			branch += 11;
		return pe_arena_printf(ctx->app.arena, "origin/%s", branch);
	}
	return variable("CI_MERGE_REQUEST_DIFF_BASE_SHA");
}

static const char *choose_base(struct pe_cmd_ctx *ctx, const char *asked)
{
	const char *base = asked != NULL ? asked : base_of_server(ctx);

	return base != NULL ? base : "origin/HEAD";
}

static int resolve(struct pe_gate *gate, struct pe_cmd_ctx *ctx, const struct options *options,
		   const char *tip)
{
	char base[PE_OID_HEX];
	int rc;

	gate->base_name = choose_base(ctx, options->base);
	rc = pe_app_resolve(&gate->tip, &ctx->app, tip);
	if (rc == PE_OK)
		rc = pe_app_resolve(&gate->target, &ctx->app, gate->base_name);
	if (rc != PE_OK && options->base == NULL)
		pe_err_context(ctx->app.err, "the base can be given with --base");
	PE_TRY(rc);
	PE_TRY(pe_repo_merge_base(base, ctx->app.repo, gate->target.id, gate->tip.id,
				  ctx->app.err));
	return pe_app_resolve(&gate->base, &ctx->app, base);
}

/* --- Output --- */

typedef void (*writer)(struct pe_text *out, const struct pe_gate *gate);

static int write_file(struct pe_cmd_ctx *ctx, const struct pe_gate *gate, writer write,
		      const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (path == NULL)
		return PE_OK;
	write(&text, gate);
	return pe_outfile_write_file(&text, path, ctx->app.err);
}

/* GitHub gives jobs a file whose Markdown it shows; others may have written to it. */
static int append_summary(struct pe_cmd_ctx *ctx, const struct pe_gate *gate)
{
	const char *path = variable("GITHUB_STEP_SUMMARY");
	pe_auto_text text = PE_TEXT_INIT;
	pe_auto_fd fd = -1;

	if (path == NULL)
		return PE_OK;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
	if (fd < 0)
		return pe_fail_errno(ctx->app.err, "cannot write %s", path);
	pe_gate_markdown(&text, gate);
	return pe_term_write(fd, pe_text_str(&text), text.len, ctx->app.err);
}

static int write_files(struct pe_cmd_ctx *ctx, const struct pe_gate *gate,
		       const struct outputs *outputs)
{
	const struct {
		writer write;
		const char *path;
	} files[] = {
		{pe_gate_markdown, outputs->markdown}, {pe_gate_junit, outputs->junit},
		{pe_gate_sarif, outputs->sarif},       {pe_gate_gitlab, outputs->gitlab},
		{pe_gate_json, outputs->json},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		PE_TRY(write_file(ctx, gate, files[i].write, files[i].path));
	if (outputs->annotate)
		PE_TRY(append_summary(ctx, gate));
	return PE_OK;
}

static int print(struct pe_cmd_ctx *ctx, const struct pe_gate *gate, const struct options *options)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (options->format == FORMAT_JSON)
		pe_gate_json(&text, gate);
	else if (options->format == FORMAT_MD)
		pe_gate_markdown(&text, gate);
	else
		pe_gate_term(&text, gate, &ctx->out);
	PE_TRY(pe_cmd_print(ctx, &text, false));
	if (!options->outputs.annotate || options->format != FORMAT_TERM)
		return PE_OK;
	pe_text_clear(&text);
	pe_gate_github(&text, gate);
	return pe_cmd_print_commands(ctx, &text);
}

static int exit_status(struct pe_cmd_ctx *ctx, const struct pe_gate *gate)
{
	if (pe_gate_count(gate, PE_GATE_REGRESSED) > 0)
		return PE_EXIT_REGRESSED;
	if (pe_gate_stops(gate))
		return PE_EXIT_UNMEASURABLE;
	for (size_t i = 0; gate->counts_only && i < gate->n_checks; i++)
		if (gate->checks[i].generic && gate->checks[i].answer == PE_GATE_INCONCLUSIVE) {
			pe_app_note(&ctx->app,
				    "counts alone do not decide (status 125): what this processor "
				    "executes differs in code that they do not count; without "
				    "--counts it is timed");
			return PE_EXIT_UNMEASURABLE;
		}
	if (pe_gate_compared(gate))
		return PE_EXIT_GOOD;
	pe_app_note(
		&ctx->app,
		"nothing was compared: whether the change is a regression is unknown (status 125)");
	return PE_EXIT_UNMEASURABLE;
}

/* --- The command --- */

/* Whether a metric of a benchmark is left open. */
static bool is_open(const struct pe_gate *gate, const char *benchmark)
{
	for (size_t i = 0; i < gate->n_checks; i++)
		if (gate->checks[i].answer == PE_GATE_INCONCLUSIVE &&
		    strcmp(gate->checks[i].benchmark, benchmark) == 0)
			return true;
	return false;
}

/* Whether something changed, or a benchmark is the same in all that is judged. */
static bool is_answered(const struct pe_gate *gate)
{
	bool answered = pe_gate_is_classified(gate) || pe_gate_count(gate, PE_GATE_FAILED) > 0;

	for (size_t i = 0; i < gate->n_checks && !answered; i++)
		answered = (gate->checks[i].answer == PE_GATE_PASSED || gate->checks[i].same) &&
			   !is_open(gate, gate->checks[i].benchmark);
	return answered;
}

/* Whether the next choice is run: this one gave no answer, or lists nothing to run, and there is time. */
static bool goes_on(struct pe_cmd_ctx *ctx, const struct options *options,
		    const struct pe_gate *gate, int rc)
{
	const uint64_t ends_ns = options->gate.ends_ns;
	/* An interval of times is an answer, also where it decides nothing. */
	const bool timed = !ctx->app.counts_only && pe_gate_count(gate, PE_GATE_INCONCLUSIVE) > 0;

	if (!options->may_go_on || (ends_ns != 0 && pe_clock_ns() >= ends_ns))
		return false;
	if (rc == PE_EINVALID || rc == PE_ENOTFOUND)
		pe_app_note(&ctx->app, "%s", ctx->app.err->message);
	else if (rc != PE_OK)
		return false;
	return rc != PE_OK || (!timed && !is_answered(gate));
}

static int check(struct pe_cmd_ctx *ctx, struct options *options, const char *tip)
{
	struct pe_gate gate = {.version = PE_VERSION, .project = pe_repo_name(ctx->app.repo)};
	uint64_t began_ns = pe_clock_ns();
	int rc;

	PE_TRY(resolve(&gate, ctx, options, tip));
	PE_TRY(pe_gate_open_config(&gate, &ctx->app, options->config_from));
	if (options->no_tests)
		ctx->app.config->tests.kind = PE_TESTS_NONE;
	if (strcmp(gate.base.id, gate.tip.id) == 0) {
		pe_app_note(&ctx->app, "nothing to compare: %s has %.10s already", gate.base_name,
			    gate.tip.id);
		PE_TRY(write_files(ctx, &gate, &options->outputs));
		return options->format != FORMAT_TERM ? print(ctx, &gate, options) : PE_OK;
	}
	rc = pe_gate_measure(&gate, &ctx->app, &options->gate);
	pe_gate_rank(&gate);
	if (goes_on(ctx, options, &gate, rc))
		return NO_ANSWER;
	PE_TRY(rc);
	if (!options->no_profile)
		PE_TRY(pe_gate_explain(&gate, &ctx->app, options->outputs.html));
	gate.took_ns = pe_clock_ns() - began_ns;
	PE_TRY(write_files(ctx, &gate, &options->outputs));
	PE_TRY(print(ctx, &gate, options));
	return exit_status(ctx, &gate);
}

int cmd_ci(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.gate = {.budget_ns = UINT64_C(1200) * 1000000000}};
	struct outputs *outputs = &options.outputs;
	const struct pe_opt opts[] = {
		OPT_GROUP("What is compared"),
		OPT_STRING(0, "base", &options.base, "REV", "what the change will be merged into"),
		OPT_STRING(0, "config-from", &options.config_from, "REV",
			   "the config and the accepted changes of this revision; 'base': of what "
			   "the change will be merged into, as it is now"),
		OPT_BENCH(&options.gate.bench),
		OPT_DURATION(0, "budget", &options.gate.budget_ns, "DURATION",
			     "time budget for measuring (20m)"),
		OPT_COUNTS(&ctx->app.counts_only),
		OPT_FLAG(0, "no-tests", &options.no_tests, "leave out unit tests ('tests:')"),
		OPT_FLAG(0, "no-profile", &options.no_profile,
			 "do not profile for the functions that caused it"),
		OPT_GROUP("What is written"),
		OPT_FORMAT(&options.format, formats),
		OPT_STRING(0, "markdown", &outputs->markdown, "FILE",
			   "for the comment of a pull request"),
		OPT_STRING(0, "junit", &outputs->junit, "FILE", "JUnit XML"),
		OPT_STRING(0, "sarif", &outputs->sarif, "FILE", "SARIF 2.1.0, for code scanning"),
		OPT_STRING(0, "gitlab", &outputs->gitlab, "FILE", "GitLab's code quality report"),
		OPT_STRING(0, "json", &outputs->json, "FILE", "everything, as JSON"),
		OPT_STRING(0, "html", &outputs->html, "FILE",
			   "the page with the blueprint of each regression"),
		OPT_FLAG(0, "annotate", &outputs->annotate,
			 "print GitHub's annotations (by default where it runs this)"),
		OPT_END,
	};

	outputs->annotate = variable("GITHUB_ACTIONS") != NULL;
	/* A pipeline cannot answer questions; its protection is --config-from base. */
	ctx->app.any_config = true;
	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (options.config_from != NULL && ctx->app.config_path != NULL)
		return pe_cmd_misused(ctx, "--config and --config-from exclude each other");
	return check(ctx, &options, argc > 0 ? argv[0] : "HEAD");
}

/* --- Without a config --- */

/* Words of a command line as the shell reads them; a single one is a command line itself. NULL: there are none. */
static const char *join_words(int argc, char **argv, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (argc <= 1)
		return argc == 1 ? argv[0] : NULL;
	for (int i = 0; i < argc; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? " " : "", pe_command_quote(argv[i], arena));
	return pe_arena_strdup(arena, pe_text_str(&text));
}

/* Guess what may be run. PE_ENOTFOUND: nothing was found. */
static int guess_choices(struct pe_guess *guess, struct pe_cmd_ctx *ctx, const char *base,
			 const char *command)
{
	struct pe_app *app = &ctx->app;
	const char *root = pe_repo_workdir(app->repo);
	const struct pe_guess_request request = {.one = true, .command = command, .base = base};
	bool noted = false;

	PE_TRY(pe_guess_head(guess, app, &request));
	if (guess->system == NULL)
		return pe_fail(
			app->err, PE_ENOTFOUND,
			"nothing says how %s is built: write a perfevo.yml ('perfevo init' begins one)",
			root);
	if (guess->n_choices > 0)
		return PE_OK;
	for (size_t i = 0; i < guess->unknown.n; i++)
		if (guess->unknown.at[i] != guess->to_do) {
			pe_app_note(app, "%s", guess->unknown.at[i]);
			noted = true;
		}
	return pe_fail(
		app->err, PE_ENOTFOUND, "%s",
		noted ? "so nothing to run was found ('perfevo try -- ./build/prog input' names a command)"
		      : "found no benchmark, test or program to run: name a command, as in 'perfevo try -- ./build/prog input'");
}

/* Write a choice's config. It and the results are in the cache: nothing is written into the repository. */
static int use_choice(struct pe_cmd_ctx *ctx, const struct pe_guess *guess, size_t i)
{
	const struct pe_guess_choice *choice = &guess->choices[i];
	struct pe_app *app = &ctx->app;
	const char *folder = pe_app_cache_dir(app);
	pe_auto_text text = PE_TEXT_INIT;

	if (i > 0)
		pe_app_note(app, "'%s' gave no answer", guess->choices[i - 1].runs);
	pe_app_note(app, "built with %s%s%s, running: %s%s", guess->system,
		    choice->target != NULL ? ", only " : "",
		    choice->target != NULL ? choice->target : "", choice->runs,
		    guess->n_choices > 1 && i == 0 ? " ('perfevo try -- COMMAND' runs another)"
						   : "");
	app->config_path = pe_arena_printf(app->arena, "%s/try.yml", folder);
	if (app->store_path == NULL)
		app->store_path = pe_arena_printf(app->arena, "%s/try.db", folder);
	pe_text_add(&text, choice->yaml);
	PE_TRY(pe_app_make_cache(app, folder));
	return pe_text_write_file(&text, app->config_path, app->err);
}

/* A first answer is due after this share of the budget, counted from the end of the builds, while there is something else to run. */
enum { FIRST_SHARE = 4 };

/* Run one choice after the other until one gives an answer. */
static int try_choices(struct pe_cmd_ctx *ctx, struct options *options,
		       const struct pe_guess *guess)
{
	/* Times of what varies are an answer, in all of the time. */
	const uint64_t first_ns = ctx->app.counts_only ? options->gate.budget_ns / FIRST_SHARE : 0;

	for (size_t i = 0;; i++) {
		int status;

		options->may_go_on = i + 1 < guess->n_choices;
		options->gate.first_ns = options->may_go_on ? first_ns : 0;
		if (guess->n_choices > 0)
			PE_TRY(use_choice(ctx, guess, i));
		if (ctx->app.store == NULL)
			PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_STORE));
		status = check(ctx, options, "HEAD");
		if (status != NO_ANSWER)
			return status;
	}
}

/* Whether instructions can be counted; where not, times have to do. */
static bool can_count(struct pe_app *app)
{
	struct pe_err why = PE_ERR_INIT;

	if (pe_simulate_program(app->arena, &why) != NULL)
		return true;
	pe_app_note(app, "%s: times are measured in place of instructions", why.message);
	return false;
}

/* A budget that the user names is when the answer is due: SIGALRM then ends what runs. Else runs alone have one. */
static void set_budget(struct pe_gate_opts *gate, uint64_t named_ns, uint64_t now_ns)
{
	const struct itimerval timer = {.it_value = {.tv_sec = (time_t)(named_ns / 1000000000),
						     .tv_usec = named_ns / 1000 % 1000000 + 1}};

	gate->budget_ns = UINT64_C(100) * 1000000000;
	if (named_ns == 0)
		return;
	gate->budget_ns = named_ns;
	gate->ends_ns = now_ns + named_ns;
	setitimer(ITIMER_REAL, &timer, NULL);
}

int cmd_try(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.base = "HEAD~1", .gate = {.once = true}};
	uint64_t named_ns = 0;
	bool timed = false;
	const struct pe_opt opts[] = {
		OPT_STRING(0, "base", &options.base, "REV",
			   "the commit that HEAD is compared with (its parent)"),
		OPT_FLAG(0, "timed", &timed, "also measure times, which takes longer"),
		OPT_DURATION(0, "budget", &named_ns, "DURATION",
			     "when the answer is due: builds and runs are ended (default: 100s "
			     "of runs, after the builds)"),
		OPT_FORMAT(&options.format, formats),
		OPT_END,
	};
	struct pe_guess guess = {.n_choices = 0};
	const char *command;
	int rc = PE_OK;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	set_budget(&options.gate, named_ns, pe_clock_ns());
	ctx->app.counts_only = !timed && can_count(&ctx->app);
	command = join_words(argc, argv, ctx->app.arena);
	/* The tree's own config is used if there is one. */
	if (command != NULL ||
	    (ctx->app.config_path == NULL && pe_app_tree_config(&ctx->app) == NULL))
		rc = guess_choices(&guess, ctx, options.base, command);
	if (rc == PE_ESTOPPED && options.gate.ends_ns != 0 &&
	    pe_clock_ns() >= options.gate.ends_ns) {
		pe_app_note(&ctx->app,
			    "the time of --budget was over while the build system was asked what "
			    "it builds");
		return PE_EXIT_UNMEASURABLE;
	}
	PE_TRY(rc);
	return try_choices(ctx, &options, &guess);
}
