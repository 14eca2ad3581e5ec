/*
 * The steps of a night: fetch, track (which measures, confirms and pins), bisect, report, notify. Each measuring step
 * is a process of its own and continues an earlier one that was cut short, so a night may end at any time.
 */
#include "app/jobs/nightly.h"

#include "app/pages/compare_page.h"
#include "app/git.h"
#include "app/jobs/job_step.h"
#include "app/measure/allowed.h"
#include "app/measure/session.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "hooks/background.h"
#include "hooks/journal.h"
#include "core/base/utf8.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct night {
	struct pe_app *app;
	const struct pe_nightly_plan *plan;
	uint64_t deadline_ns;
	int log; /* descriptor */
	const char *log_path;
	bool cut_short, unmeasurable;
};

const char *pe_nightly_folder(struct pe_app *app)
{
	return pe_arena_printf(app->arena, "%s/perfevo/nightly", pe_repo_common_dir(app->repo));
}

const char *pe_nightly_log(struct pe_app *app)
{
	return pe_arena_printf(app->arena, "%s/nightly.log", pe_nightly_folder(app));
}

/* --- The log --- */

static void log_line(const struct night *night, const char *who, const char *text)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_add(&line, who);
	pe_utf8_add_visible(&line, text, "");
	pe_text_addc(&line, '\n');
	pe_text_write_fd(&line, night->log);
}

static void begin_log(const struct night *night)
{
	const int64_t now_s = pe_clock_now_s();
	pe_auto_text date = PE_TEXT_INIT;

	pe_format_date(&date, now_s);
	pe_text_addf(&date, " %02d:%02d UTC", (int)(now_s / 3600 % 24), (int)(now_s / 60 % 60));
	log_line(night, "== night of ", pe_text_str(&date));
}

static void say(const struct night *night, const char *text)
{
	log_line(night, "== ", text);
	pe_app_note(night->app, "%s", text);
}

/* --- Steps --- */

/* Announce a step, and run it. @param status  the exit status, 128 where a signal ended it */
static int run_step(int *status, struct night *night, const char *what, const char *const *argv,
		    int messages)
{
	struct pe_app *app = night->app;
	const char *tree = pe_repo_workdir(app->repo);
	const bool is_ours = strchr(argv[0], '/') != NULL;
	const struct pe_job_step step = {
		.argv = argv,
		.env = is_ours ? pe_background_env(NULL, NULL, app->arena) : NULL,
		.dir = tree != NULL ? tree : pe_repo_common_dir(app->repo),
		.out = night->log,
		.err = messages,
		.deadline_ns = night->deadline_ns,
		.patience_ns = UINT64_C(120000000000),
	};
	int ended;

	say(night, what);
	PE_TRY(pe_job_step_run(&ended, &night->cut_short, &step, app));
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : PE_EXIT_FAILURE;
	return PE_OK;
}

/* What is here is measured all the same when the server cannot be reached. */
static int fetch(struct night *night)
{
	struct pe_app *app = night->app;
	const char *const argv[] = {"git", "fetch", "--quiet", "--", night->plan->fetch, NULL};
	pe_auto_fd messages = -1;
	int status, rc;

	if (night->plan->fetch == NULL)
		return PE_OK;
	pe_session_require_sandbox(app, false);
	PE_TRY(pe_git_open_messages(&messages, app->err));
	rc = run_step(&status, night,
		      pe_arena_printf(app->arena, "fetching from %s", night->plan->fetch), argv,
		      messages);
	pe_git_pass_on(messages, night->log);
	if (rc == PE_OK && status != 0)
		say(night, "git fetch failed: measuring the local commits");
	return rc;
}

static const char *tip_of(const struct night *night)
{
	return night->plan->revision != NULL ? night->plan->revision : "HEAD";
}

static int track(struct night *night)
{
	struct pe_app *app = night->app;
	const char *last = pe_arena_printf(app->arena, "%u", night->plan->last);
	const char *words[8] = {"track", "--no-open", "--last", last, tip_of(night)};
	int status;

	if (night->plan->farm != NULL) {
		words[5] = "--farm";
		words[6] = night->plan->farm;
	}
	PE_TRY(run_step(&status, night,
			pe_arena_printf(app->arena, "tracking the last %s commits of %s", last,
					tip_of(night)),
			pe_job_step_command(app, words), night->log));
	night->unmeasurable = status == PE_EXIT_UNMEASURABLE && !night->cut_short;
	if (status == PE_EXIT_GOOD || night->unmeasurable || night->cut_short)
		return PE_OK;
	return pe_fail(app->err, PE_ESYS, "track ended with status %d: %s says why", status,
		       night->log_path);
}

/* Jumps between commits of which some were left out, or could not be distinguished. */
static int bisect(struct night *night)
{
	const char *const words[] = {"bisect", "--no-compare", NULL};
	int status;

	if (night->cut_short || night->unmeasurable)
		return PE_OK;
	PE_TRY(run_step(&status, night, "bisecting jumps that are not pinned to one commit",
			pe_job_step_command(night->app, words), night->log));
	if (status != PE_EXIT_GOOD && status != PE_EXIT_UNMEASURABLE && !night->cut_short)
		say(night,
		    pe_arena_printf(night->app->arena, "bisect ended with status %d", status));
	return PE_OK;
}

/*
 * Never cut short: it is what the night was for. It has all that is stored, and explains what is new, which takes
 * measuring, unless the time is over. @param path  NULL: it was not written
 */
static int report(const char **path, struct night *night)
{
	struct pe_app *app = night->app;
	const char *file = night->plan->report;
	const char *words[] = {"report", "-o",          NULL,           "--newest-jumps",
			       NULL,     tip_of(night), "--no-profile", NULL};
	bool named;
	int status;

	if (file == NULL)
		PE_TRY(pe_page_path(&file, &named, app, "report.html"));
	words[2] = file;
	words[4] = pe_arena_printf(app->arena, "%u", night->plan->last);
	if (night->cut_short)
		night->deadline_ns = UINT64_MAX;
	else
		words[6] = NULL;
	PE_TRY(run_step(&status, night, pe_arena_printf(app->arena, "writing %s", file),
			pe_job_step_command(app, words), night->log));
	*path = status == PE_EXIT_GOOD ? file : NULL;
	return PE_OK;
}

/* --- The night --- */

static int work(struct pe_newsletter *news, struct night *night)
{
	struct pe_app *app = night->app;
	const char *page = NULL;

	/* Its command and mail are outside of any sandbox. */
	PE_TRY(pe_allowed_check(app));
	PE_TRY(fetch(night));
	PE_TRY(track(night));
	PE_TRY(bisect(night));
	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped; the next run continues");
	PE_TRY(report(&page, night));
	PE_TRY(pe_newsletter_make(news, app, tip_of(night), night->plan->last));
	news->report = page;
	news->cut_short = night->cut_short;
	return PE_OK;
}

/* Notify, in the log and by every way that the config names. */
static void finish(const struct night *night, const struct pe_newsletter *news)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_newsletter_text(&text, news);
	pe_text_write_fd(&text, night->log);
	pe_newsletter_send(night->app, news);
}

int pe_nightly_run(struct pe_newsletter *news, bool *unmeasurable, struct pe_app *app,
		   const struct pe_nightly_plan *plan)
{
	const char *folder = pe_nightly_folder(app);
	struct night night = {.app = app,
			      .plan = plan,
			      .deadline_ns = pe_clock_ns() + plan->budget_ns,
			      .log_path = pe_nightly_log(app)};
	pe_auto_fd lock = -1;
	int rc = pe_job_lock(&lock, folder, app->err);

	*news = (struct pe_newsletter){0};
	*unmeasurable = false;
	if (rc == PE_EBUSY)
		return pe_fail(app->err, PE_EBUSY,
			       "another nightly run is in progress: try again when it has ended");
	PE_TRY(rc);
	night.log = pe_background_open_log(night.log_path);
	begin_log(&night);
	rc = work(news, &night);
	if (rc == PE_OK)
		finish(&night, news);
	else
		log_line(&night, "perfevo: ", app->err->message);
	close(night.log);
	*unmeasurable = night.unmeasurable;
	return rc;
}

/* --- The line of a crontab: it names everything, because cron gives next to no environment --- */

/* A crontab is lines: what follows a newline in a path would be one of its own. */
static int add_path(struct pe_text *out, const char *before, const char *path, struct pe_err *err)
{
	for (const char *c = path; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return pe_fail(
				err, PE_EUNSUPPORTED,
				"cron cannot be given the path '%s': rename what has a control character in its name",
				path);
	pe_text_add(out, before);
	pe_text_add_quoted(out, path);
	return PE_OK;
}

/* The command as a shell takes it. */
static int add_command(struct pe_text *out, const struct pe_app *app)
{
	const char *search = getenv("PATH"), *tree = pe_repo_workdir(app->repo);
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n < 0)
		return pe_fail_errno(app->err, "cannot find the path of this program");
	program[n] = '\0';
	PE_TRY(add_path(out, "PATH=", search != NULL ? search : "/usr/local/bin:/usr/bin:/bin",
			app->err));
	PE_TRY(add_path(out, " ", program, app->err));
	PE_TRY(add_path(out, " -C ", tree != NULL ? tree : pe_repo_common_dir(app->repo),
			app->err));
	if (app->config_path != NULL)
		PE_TRY(add_path(out, " --config ", app->config_path, app->err));
	if (app->store_path != NULL)
		PE_TRY(add_path(out, " --store ", app->store_path, app->err));
	pe_text_add(out, " nightly --quiet");
	return PE_OK;
}

/* What the user gave beside --crontab is for every night. */
static int add_plan(struct pe_text *out, const struct pe_nightly_plan *asked, struct pe_err *err)
{
	if (asked->fetch != NULL)
		PE_TRY(add_path(out, " --fetch ", asked->fetch, err));
	if (asked->last > 0)
		pe_text_addf(out, " --last %u", asked->last);
	if (asked->budget_ns > 0)
		pe_text_addf(out, " --budget %" PRIu64 "ms", (asked->budget_ns + 999999) / 1000000);
	if (asked->report != NULL)
		PE_TRY(add_path(out, " --report ", asked->report, err));
	if (asked->revision != NULL)
		PE_TRY(add_path(out, " ", asked->revision, err));
	return PE_OK;
}

int pe_nightly_add_crontab(struct pe_text *out, struct pe_app *app,
			   const struct pe_nightly_plan *asked, const char *at)
{
	pe_auto_text command = PE_TEXT_INIT;
	unsigned hour, minute;
	int end = 0;

	if (sscanf(at, "%2u:%2u%n", &hour, &minute, &end) != 2 || at[end] != '\0' || hour > 23 ||
	    minute > 59)
		return pe_fail(app->err, PE_EINVALID,
			       "--at takes a time of day such as 02:30, not '%s'", at);
	PE_TRY(add_command(&command, app));
	PE_TRY(add_plan(&command, asked, app->err));
	pe_text_addf(out, "%u %u * * * ", minute, hour);
	/* cron takes a % for a line break. */
	for (const char *c = pe_text_str(&command); *c != '\0'; c++) {
		if (*c == '%')
			pe_text_addc(out, '\\');
		pe_text_addc(out, *c);
	}
	pe_text_addc(out, '\n');
	return PE_OK;
}
