/*
 * The steps of a night: fetch, track (which measures, confirms and pins), bisect, report, notify. Each measuring step
 * is a process of its own and goes on where the last one was cut short, so a night may end at any moment.
 */
#include "app/jobs/nightly.h"

#include "app/explain/compare_page.h"
#include "app/git.h"
#include "app/measure/allowed.h"
#include "app/measure/session.h"
#include "app/history/machine_drift.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/spawn.h"
#include "hooks/background.h"
#include "core/base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LOGS_KEPT = 14,
	PATIENCE_S = 120, /* that a step has to finish its run when the night is over */
};

struct night {
	struct pe_app *app;
	const struct pe_nightly_plan *plan;
	const char *folder;
	uint64_t deadline_ns;
	int lock, log; /* descriptors */
	const char *log_path;
	bool cut_short, unmeasurable;
};

const char *pe_nightly_folder_path(struct pe_app *app)
{
	return pe_arena_printf(app->arena, "%s/perfevo/nightly", pe_repo_common_dir(app->repo));
}

const char *pe_nightly_folder(struct pe_app *app)
{
	const char *folder = pe_nightly_folder_path(app);

	pe_files_make_dir(folder, NULL);
	return folder;
}

/* --- The lock and the logs --- */

/* PE_EBUSY: another night is still at work. */
static int take_lock(struct night *night)
{
	struct pe_app *app = night->app;
	const char *path = pe_arena_printf(app->arena, "%s/lock", night->folder);

	night->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (night->lock < 0)
		return pe_fail_errno(app->err, "cannot open %s", path);
	if (flock(night->lock, LOCK_EX | LOCK_NB) == 0)
		return PE_OK;
	if (errno == EWOULDBLOCK)
		return pe_fail(app->err, PE_EBUSY,
			       "another nightly run is in progress: try again when it has ended");
	return pe_fail_errno(app->err, "cannot lock %s", path);
}

static int is_log(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && strcmp(entry->d_name + n - 4, ".log") == 0;
}

/* Names are dates, so their order is that of time. */
static void drop_old_logs(const struct night *night)
{
	struct dirent **names;
	int n = scandir(night->folder, &names, is_log, alphasort);

	for (int i = 0; i < n; i++) {
		if (i < n - LOGS_KEPT)
			unlink(pe_arena_printf(night->app->arena, "%s/%s", night->folder,
					       names[i]->d_name));
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static int open_log(struct night *night)
{
	struct pe_app *app = night->app;
	time_t now = (time_t)pe_clock_now_s();
	struct tm day;
	char name[32];

	gmtime_r(&now, &day);
	strftime(name, sizeof(name), "%Y-%m-%d.log", &day);
	night->log_path = pe_arena_printf(app->arena, "%s/%s", night->folder, name);
	night->log = open(night->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (night->log < 0)
		return pe_fail_errno(app->err, "cannot open %s", night->log_path);
	drop_old_logs(night);
	return PE_OK;
}

static void log_line(const struct night *night, const char *who, const char *text)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_add(&line, who);
	pe_utf8_add_visible(&line, text, "");
	pe_text_addc(&line, '\n');
	pe_text_write_fd(&line, night->log);
}

static void say(const struct night *night, const char *text)
{
	log_line(night, "== ", text);
	pe_app_note(night->app, "%s", text);
}

/* --- Steps --- */

/* Asked once, a step finishes the run in flight; asked twice, it ends at once. */
static void hurry(pid_t pid, int times)
{
	kill(pid, times < 3 ? SIGTERM : SIGKILL);
}

static int wait_for(struct night *night, pid_t pid)
{
	uint64_t asked_ns = 0;
	sig_atomic_t asked = 0;
	int status = 0;

	for (;;) {
		pid_t gone = waitpid(pid, &status, WNOHANG);
		uint64_t now_ns = pe_clock_ns();
		bool over = now_ns >= night->deadline_ns || *night->app->interrupts > asked;

		if (gone == pid || (gone < 0 && errno != EINTR))
			return status;
		if (over && (asked == 0 || *night->app->interrupts > asked ||
			     now_ns - asked_ns > PATIENCE_S * UINT64_C(1000000000))) {
			hurry(pid, asked++);
			asked_ns = now_ns;
			night->cut_short = true;
		}
		poll(NULL, 0, 20);
	}
}

/* Run a step; *status is its exit status, 128 where a signal ended it. */
static int step(int *status, struct night *night, const char *const *argv, int messages)
{
	struct pe_app *app = night->app;
	const bool is_ours = strchr(argv[0], '/') != NULL;
	const struct pe_spawn spawn = {
		.argv = argv,
		.env = is_ours ? pe_background_env(NULL, NULL, app->arena) : NULL,
		.dir = pe_repo_workdir(app->repo) != NULL ? pe_repo_workdir(app->repo)
							  : pe_repo_common_dir(app->repo),
		.in = -1,
		.out = night->log,
		.err = messages,
		.hand = -1,
		.flags = PE_SPAWN_FOLLOW,
	};
	pid_t pid;
	int ended, rc = pe_spawn_start(&pid, &spawn, app->err);

	if (rc != PE_OK) {
		pe_err_context(app->err, "cannot start a step of the nightly run");
		return rc;
	}
	ended = wait_for(night, pid);
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : PE_EXIT_FAILURE;
	return PE_OK;
}

/* What is here is measured all the same when the server cannot be reached. */
static int fetch(struct night *night)
{
	const char *const argv[] = {"git", "fetch", "--quiet", "--", night->plan->fetch, NULL};
	int status, messages, rc;

	if (night->plan->fetch == NULL)
		return PE_OK;
	rc = pe_git_open_messages(&messages, night->app->err);
	if (rc != PE_OK)
		return rc;
	say(night, pe_arena_printf(night->app->arena, "fetching from %s", night->plan->fetch));
	rc = step(&status, night, argv, messages);
	pe_git_pass_on(messages, night->log);
	close(messages);
	if (rc == PE_OK && status != 0)
		say(night, "git fetch failed: measuring the local commits");
	return rc;
}

static const char *tip_of(const struct night *night)
{
	return night->plan->revision != NULL ? night->plan->revision : "HEAD";
}

/* perfevo's own commands, with the options that say where things lie. */
static const char *const *command(const struct night *night, const char *const *words)
{
	struct pe_app *app = night->app;
	const char **argv = pe_arena_new(app->arena, const char *, 24);
	size_t n = 0;

	argv[n++] = "/proc/self/exe";
	argv[n++] = "--no-pager";
	if (app->config_path != NULL) {
		argv[n++] = "--config";
		argv[n++] = app->config_path;
	}
	if (app->store_path != NULL) {
		argv[n++] = "--store";
		argv[n++] = app->store_path;
	}
	for (size_t i = 0; words[i] != NULL; i++)
		argv[n++] = words[i];
	argv[n] = NULL;
	return argv;
}

static int track(struct night *night)
{
	const char *last = pe_arena_printf(night->app->arena, "%u", night->plan->last);
	const char *words[8] = {"track", "--no-open", "--last", last, tip_of(night)};
	int status, rc;

	if (night->plan->farm != NULL) {
		words[5] = "--farm";
		words[6] = night->plan->farm;
	}
	say(night, pe_arena_printf(night->app->arena, "tracking the last %s commits of %s", last,
				   tip_of(night)));
	rc = step(&status, night, command(night, words), night->log);
	if (rc == PE_OK && status != PE_EXIT_GOOD && !night->cut_short) {
		night->unmeasurable = status == PE_EXIT_UNMEASURABLE;
		if (!night->unmeasurable)
			return pe_fail(night->app->err, PE_ESYS,
				       "track ended with status %d: %s says why", status,
				       night->log_path);
	}
	return rc;
}

/* Jumps that lie between commits which were left out, or could not be told from each other. */
static int bisect(struct night *night)
{
	const char *const words[] = {"bisect", "--no-compare", NULL};
	int status, rc;

	if (night->cut_short || night->unmeasurable)
		return PE_OK;
	say(night, "bisecting jumps that are not pinned to one commit");
	rc = step(&status, night, command(night, words), night->log);
	if (rc == PE_OK && status != PE_EXIT_GOOD && status != PE_EXIT_UNMEASURABLE &&
	    !night->cut_short)
		say(night,
		    pe_arena_printf(night->app->arena, "bisect ended with status %d", status));
	return rc;
}

/* Never cut short: it is what the night was for. It has all that is stored, and explains what is new. */
static int report(const char **path, struct night *night)
{
	struct pe_app *app = night->app;
	const char *file = night->plan->report;
	const char *last = pe_arena_printf(app->arena, "%u", night->plan->last);
	uint64_t deadline_ns = night->deadline_ns;
	bool named;
	int status, rc = file == NULL ? pe_page_path(&file, &named, app, "report.html") : PE_OK;
	/* Blueprints take measuring, and there may be no time for that. */
	const char *const words[] = {"report",
				     "-o",
				     file,
				     "--newest-jumps",
				     last,
				     tip_of(night),
				     night->cut_short ? "--no-profile" : NULL,
				     NULL};

	if (rc != PE_OK)
		return rc;
	if (night->cut_short)
		night->deadline_ns = UINT64_MAX;
	say(night, pe_arena_printf(app->arena, "writing %s", file));
	rc = step(&status, night, command(night, words), night->log);
	night->deadline_ns = deadline_ns;
	*path = rc == PE_OK && status == PE_EXIT_GOOD ? file : NULL;
	return rc;
}

/* --- The night --- */

static int work(struct pe_newsletter *news, struct night *night)
{
	struct pe_app *app = night->app;
	const char *page = NULL;
	int64_t newest;
	int rc = fetch(night);

	if (night->plan->fetch != NULL)
		pe_session_distrust(app);
	if (rc == PE_OK)
		rc = pe_machine_drift_begin(&newest, app);
	if (rc == PE_OK)
		rc = track(night);
	if (rc == PE_OK)
		rc = bisect(night);
	if (rc == PE_OK && *app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped; the next run continues");
	if (rc == PE_OK)
		rc = report(&page, night);
	if (rc == PE_OK)
		rc = pe_newsletter_make(news, app, tip_of(night), night->plan->last, newest);
	news->report = page;
	news->cut_short = night->cut_short;
	return rc;
}

/* Notify, in the log and by every way that the config names. */
static void finish(const struct night *night, const struct pe_newsletter *news)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_newsletter_text(&text, news);
	dprintf(night->log, "%s", pe_text_str(&text));
	pe_newsletter_send(night->app, news);
}

int pe_nightly_run(struct pe_newsletter *news, bool *unmeasurable, struct pe_app *app,
		   const struct pe_nightly_plan *plan)
{
	struct night night = {.app = app,
			      .plan = plan,
			      .folder = pe_nightly_folder(app),
			      .deadline_ns = pe_clock_ns() + plan->budget_ns,
			      .lock = -1,
			      .log = -1};
	int rc = take_lock(&night);

	*news = (struct pe_newsletter){0};
	if (rc == PE_OK)
		rc = open_log(&night);
	/* Its command and mail are outside of any sandbox. */
	if (rc == PE_OK)
		rc = pe_allowed_check(app);
	if (rc == PE_OK)
		rc = work(news, &night);
	if (rc == PE_OK)
		finish(&night, news);
	else if (night.log >= 0)
		log_line(&night, "perfevo: ", app->err->message);
	if (night.log >= 0)
		close(night.log);
	if (night.lock >= 0)
		close(night.lock);
	*unmeasurable = night.unmeasurable;
	return rc;
}
