/*
 * The job behind the commits: one process a repository, of idle priority. A commit waits in the journal until its result
 * is written there, so a job that is killed leaves it to the next one. It is measured by `perfevo track` as a process of
 * its own: it behaves as the user's own command, and a config that breaks it or a benchmark that eats the memory does not
 * end the job. The result is read from the store afterwards.
 */
#include "app/jobs/hook.h"

#include "app/history/values.h"
#include "app/jobs/job_step.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/utf8.h"
#include "hooks/background.h"
#include "report/commit_blocks.h"
#include "report/format.h"
#include "report/min_effect.h"
#include "vcs/hooked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct work {
	struct pe_app *app;
	const char *folder, *log;
	const struct pe_journal_commit *commit;
	const char *tree; /* in which it is measured */
	size_t journal_n; /* commits in the journal when it was read last */
};

/* The result of a commit. */
struct result {
	enum pe_journal_event verdict;
	const char *text; /* a sentence, in the arena */
};

/* One line of the log, which is our standard error. */
static void note(const struct work *work, const char *what)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_utf8_add_visible(&line, what, "");
	fprintf(stderr, "%lld %s: %s\n", (long long)pe_clock_now_s(), work->commit->id,
		pe_text_str(&line));
}

static int skip(const struct work *work, const char *why)
{
	note(work, why);
	return pe_journal_add(work->folder, PE_JOURNAL_SKIPPED, work->commit->id, NULL,
			      work->app->err);
}

/* --- Notifying --- */

static void notify(const struct work *work, const char *subject, const struct result *result,
		   struct pe_arena *arena)
{
	static const char script[] =
		"command -v notify-send >/dev/null 2>&1 || exit 0\n"
		"exec notify-send -a perfevo -- \"$1\" \"$2\" >/dev/null 2>&1\n";
	const char *path = pe_arena_printf(arena, "%s/perfevo.yml", work->tree);
	const char *argv[] = {"sh", "-c", script, "sh", NULL, result->text, NULL};
	struct pe_config config;

	if ((getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL) ||
	    result->verdict == PE_JOURNAL_PASS ||
	    (pe_config_load(&config, path, work->tree, NULL, arena, NULL) == PE_OK &&
	     !config.hooks.notify))
		return;
	argv[4] = pe_arena_printf(arena, "perfevo: %s", subject);
	pe_background_start("/bin/sh", argv, pe_background_env(NULL, NULL, arena), "/", "/dev/null",
			    NULL);
}

/* Keep a result and notify the desktop. */
static int finish(const struct work *work, const char *subject, const struct result *result,
		  struct pe_arena *arena)
{
	const char *const fields[2] = {subject, result->text};

	note(work, result->text);
	PE_TRY(pe_journal_add(work->folder, result->verdict, work->commit->id, fields,
			      work->app->err));
	notify(work, subject, result, arena);
	return PE_OK;
}

/* --- The result --- */

static enum pe_journal_event verdict_of(const struct pe_commit_block *block, size_t n_benchmarks,
					size_t n_failures)
{
	unsigned direction = block != NULL && block->class.standing != PE_STANDING_ACCEPTED
				     ? pe_commit_class_direction(&block->class)
				     : 0;

	if (n_benchmarks == 0)
		return PE_JOURNAL_FAILED;
	if ((direction & PE_MOVED_WORSE) != 0)
		return block->class.standing == PE_STANDING_CONFIRMED ? PE_JOURNAL_REGRESSED
								      : PE_JOURNAL_SUSPECTED;
	if (n_failures > 0)
		return PE_JOURNAL_FAILED;
	return (direction & PE_MOVED_BETTER) != 0 ? PE_JOURNAL_IMPROVED : PE_JOURNAL_PASS;
}

/*
 * Benchmarks with a value of a revision. Lines of one benchmark stand together.
 *
 * @param[out] least  one a benchmark: the smallest change that each of its judged metrics would have shown; NaN: unknown
 */
static size_t count_benchmarks(double *least, const struct pe_evolution *evolution, size_t revision)
{
	const char *counted = "";
	size_t n = 0;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const struct pe_point *point = pe_line_at(line, revision);

		if (point == NULL || point->outcome != PE_MEASURED)
			continue;
		if (strcmp(line->benchmark, counted) != 0)
			least[n++] = NAN;
		counted = line->benchmark;
		if (line->judged && !point->reused)
			least[n - 1] = fmax(least[n - 1], point->least);
	}
	return n;
}

/* "parse: crashed (and 2 more failures)". @return  how many there are */
static size_t add_failures(struct pe_text *out, const struct pe_evolution *evolution,
			   size_t revision)
{
	const struct pe_failure *first = NULL;
	size_t n = 0;

	for (size_t i = evolution->n_failures; i-- > 0;)
		if (evolution->failures[i].revision == revision) {
			first = &evolution->failures[i];
			n++;
		}
	if (n == 0)
		return 0;
	pe_text_addf(out, "%s%s%s%s", out->len > 0 ? "; " : "",
		     first->benchmark != NULL ? first->benchmark : "",
		     first->benchmark != NULL ? ": " : "", pe_outcome_name(first->outcome));
	if (n > 1)
		pe_text_addf(out, " (and %zu more failures)", n - 1);
	return n;
}

static void judge(struct result *out, const struct pe_evolution *evolution, size_t revision,
		  struct pe_arena *arena)
{
	const struct pe_commit_block *block = NULL;
	double *least = pe_arena_new(arena, double, evolution->n_lines);
	size_t n, n_failures, n_benchmarks = count_benchmarks(least, evolution, revision);
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, arena);
	pe_auto_text text = PE_TEXT_INIT, bound = PE_TEXT_INIT;

	for (size_t i = 0; i < n; i++)
		if (blocks[i].commit == revision)
			block = &blocks[i];
	if (block != NULL)
		pe_commit_block_add_short(&text, block);
	n_failures = add_failures(&text, evolution, revision);
	if (text.len == 0 && n_benchmarks > 0) {
		pe_format_plural(&text, n_benchmarks, "benchmark");
		pe_min_effect_add_unchanged(&text, &bound, least, n_benchmarks);
		pe_text_add(&text, pe_text_str(&bound));
	}
	out->verdict = verdict_of(block, n_benchmarks, n_failures);
	if (text.len > 0)
		out->text = pe_arena_strdup(arena, text.data);
}

/* The commit's result from the stored values, judged by the config of its tree. A failure leaves the result as it is. */
static void load_result(struct result *out, const struct work *work, struct pe_repo *repo,
			struct pe_arena *arena)
{
	const struct pe_values_query asked = {.range = work->commit->id, .own_line = true};
	struct pe_err why = PE_ERR_INIT;
	struct pe_app app = {
		.arena = arena,
		.repo = repo,
		.config_path = work->app->config_path,
		.store_path = work->app->store_path,
		.interrupts = work->app->interrupts,
		.err = &why,
	};
	struct pe_evolution evolution;
	size_t r;

	if (pe_app_open(&app, PE_NEEDS_CONFIG | PE_NEEDS_STORE_READ) == PE_OK &&
	    pe_values_load(&evolution, &app, &asked) == PE_OK) {
		r = pe_revision_find(evolution.revisions, evolution.n_revisions, work->commit->id);
		if (r < evolution.n_revisions)
			judge(out, &evolution, r, arena);
	}
	pe_store_close(app.store);
}

/* The last line that track wrote behind a place of the log: why it failed. */
static const char *last_line(const struct work *work, size_t from, struct pe_arena *arena)
{
	static const char prefix[] = "perfevo: ";
	pe_auto_text text = PE_TEXT_INIT;
	const char *line;

	if (pe_text_read_file(&text, work->log, NULL) != PE_OK || text.len <= from)
		return "it ended early";
	line = pe_utf8_last_lines(text.data + from, 1);
	if (strncmp(line, prefix, sizeof(prefix) - 1) == 0)
		line += sizeof(prefix) - 1;
	return pe_arena_strndup(arena, line, strcspn(line, "\n"));
}

/* --- Measuring --- */

/* Whether anything still leads to a commit; what is unknown counts as yes. */
static bool is_reachable(struct pe_repo *repo, const char *id)
{
	const struct pe_strings ids = {&id, 1};
	bool reachable = true;

	return pe_repo_reachable(&reachable, repo, &ids, NULL) != PE_OK || reachable;
}

/* A commit that came meanwhile may be this one, amended or rebased. */
static bool is_worth_it(void *payload)
{
	struct work *work = payload;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_repo *repo = NULL;
	struct pe_journal journal;
	bool worth = true;

	if (pe_journal_read(&journal, work->folder, &arena, NULL) == PE_OK &&
	    journal.n > work->journal_n) {
		work->journal_n = journal.n;
		/* Opened afresh: references are read once in the life of a handle. */
		if (pe_repo_open(&repo, work->tree, NULL) == PE_OK)
			worth = is_reachable(repo, work->commit->id);
		pe_repo_close(repo);
	}
	return worth;
}

/* Measure the commit and its nearest unmeasured ancestors: a series of two shows little. */
static int track(int *status, bool *stopped, size_t *from, struct work *work,
		 struct pe_arena *arena)
{
	const char *const words[] = {"track", "--no-open", "--last", "4", work->commit->id, NULL};
	pe_auto_fd log = pe_background_open_log(work->log);
	const struct pe_job_step step = {
		.argv = pe_job_step_command(work->app, words),
		.env = pe_background_env(work->commit->git_dir, work->tree, arena),
		.dir = work->tree,
		.out = log,
		.err = log,
		.deadline_ns = UINT64_MAX,
		.patience_ns = UINT64_C(200000000),
		.go_on = is_worth_it,
		.payload = work,
	};
	struct stat info;

	*from = log >= 0 && fstat(log, &info) == 0 ? (size_t)info.st_size : 0;
	return pe_job_step_run(status, stopped, &step, work->app);
}

static int measure(struct work *work, struct pe_repo *repo, const struct pe_revision *revision,
		   struct pe_arena *arena)
{
	struct pe_app *app = work->app;
	struct result result = {.verdict = PE_JOURNAL_FAILED};
	bool stopped = false;
	size_t from;
	int status;

	PE_TRY(pe_journal_add(work->folder, PE_JOURNAL_BEGUN, work->commit->id, NULL, app->err));
	PE_TRY(track(&status, &stopped, &from, work, arena));
	if (stopped && *app->interrupts == 0)
		return skip(work, "rewritten meanwhile, skipped");
	/* By somebody who needs the machine: it goes on waiting. */
	if (stopped)
		return PE_OK;
	if (WIFEXITED(status))
		load_result(&result, work, repo, arena);
	if (result.text == NULL)
		result.text = pe_arena_printf(arena, "could not be measured: %s",
					      last_line(work, from, arena));
	return finish(work, revision->subject, &result, arena);
}

/* One commit, to its end: whatever is wrong with it is its result, unless the disk or we are the reason. */
static int work_on(struct work *work, struct pe_arena *arena)
{
	struct pe_app *app = work->app;
	struct pe_repo *repo = NULL;
	struct pe_revision revision = {0};
	int rc = PE_OK;

	/* Its worktree may be gone; its commit may be on a branch all the same. */
	work->tree = access(work->commit->tree, F_OK) == 0 ? work->commit->tree
							   : pe_repo_workdir(app->repo);
	if (work->tree == NULL || pe_repo_open(&repo, work->tree, NULL) != PE_OK)
		rc = pe_repo_open_as_git(&repo, app->err);
	if (rc == PE_OK)
		rc = pe_repo_resolve(&revision, repo, work->commit->id, arena, app->err);
	if (rc != PE_OK || !is_reachable(repo, work->commit->id))
		rc = skip(work, "no longer reachable, skipped");
	else
		rc = measure(work, repo, &revision, arena);
	pe_repo_close(repo);
	return rc;
}

/* Measure the newest commit that waits. @param more  whether one did */
static int work_on_newest(bool *more, struct work *work)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_journal journal;

	PE_TRY(pe_journal_read(&journal, work->folder, &arena, work->app->err));
	work->commit = pe_journal_waiting(&journal, NULL);
	work->journal_n = journal.n;
	*more = work->commit != NULL && *work->app->interrupts == 0;
	return *more ? work_on(work, &arena) : PE_OK;
}

static bool anything_waits(const struct work *work)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_journal journal;

	return pe_journal_read(&journal, work->folder, &arena, NULL) == PE_OK &&
	       pe_journal_waiting(&journal, NULL) != NULL;
}

int pe_hook_work(struct pe_app *app)
{
	struct work work = {.app = app, .folder = pe_app_hook_dir(app)};
	int lock, rc;

	work.log = pe_arena_printf(app->arena, "%s/worker.log", work.folder);
	/* A commit that arrived after the last check and before the lock was free is still unseen. */
	do {
		bool more = true;

		rc = pe_job_lock(&lock, work.folder, app->err);
		if (rc == PE_EBUSY)
			return PE_OK;
		/* Not before: at idle priority it may take a while until others see the lock. */
		pe_background_yield();
		while (rc == PE_OK && more)
			rc = work_on_newest(&more, &work);
		if (lock >= 0)
			close(lock);
	} while (rc == PE_OK && *app->interrupts == 0 && anything_waits(&work));
	return rc;
}
