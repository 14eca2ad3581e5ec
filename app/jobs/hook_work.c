/*
 * The worker: one process a repository, of idle priority, that measures what waits, newest first. It holds the
 * queue's lock as long as it lives. A commit leaves the queue when its result is kept, so a worker that is killed
 * leaves it to the next one; a commit over which three workers died is given up.
 */
#include "app/jobs/hook.h"

#include "core/base/clock.h"
#include "hooks/background.h"
#include "vcs/hooked.h"
#include "core/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ATTEMPTS = 3 };

struct work {
	struct pe_app *app;
	const char *folder;
	struct pe_queued commit;
	size_t n_waiting;
	int lock;
};

/* One line of the log, which is our standard error. */
static void note(const struct work *work, const char *what)
{
	pe_auto_text said = PE_TEXT_INIT;

	pe_utf8_add_visible(&said, what, "");
	fprintf(stderr, "%lld %s: %s\n", (long long)pe_clock_now_s(), work->commit.id,
		pe_text_str(&said));
}

/* Whether anything still leads to a commit; what is unknown counts as yes. */
static bool is_reachable(struct pe_repo *repo, const char *id)
{
	const struct pe_strings ids = {&id, 1};
	bool reachable = true;

	if (pe_repo_reachable(&reachable, repo, &ids, NULL) != PE_OK)
		return true;
	return reachable;
}

/* A commit that came meanwhile may be this one, amended or rebased. */
static bool is_worth_it(void *payload)
{
	struct work *work = payload;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_repo *repo = NULL;
	struct pe_queued *queue;
	bool worth = true;
	size_t n;

	if (pe_queue_list(&queue, &n, work->folder, &arena, NULL) == PE_OK && n > work->n_waiting) {
		work->n_waiting = n;
		/* Opened afresh: references are read once in the life of a handle. */
		if (pe_repo_open(&repo, work->commit.tree, NULL) == PE_OK)
			worth = is_reachable(repo, work->commit.id);
		pe_repo_close(repo);
	}
	return worth;
}

static void notify(const struct pe_hook_result *result, const struct pe_config *config)
{
	static const char script[] =
		"command -v notify-send >/dev/null 2>&1 || exit 0\n"
		"exec notify-send -a perfevo -- \"$1\" \"$2\" >/dev/null 2>&1\n";
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	const char *argv[] = {"sh", "-c", script, "sh", NULL, result->text, NULL};

	if ((getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL) &&
	    result->verdict != PE_RESULT_PASS && (config == NULL || config->hooks.notify)) {
		argv[4] = pe_arena_printf(&arena, "perfevo: %s", result->subject);
		pe_background_start("/bin/sh", argv, pe_background_env(NULL, &arena), "/",
				    "/dev/null", -1, &err);
	}
}

/* Only what decides about notifying; measuring reads the config by itself. */
static const struct pe_config *config_of(const struct pe_queued *commit, struct pe_arena *arena)
{
	struct pe_config *config = pe_arena_new(arena, struct pe_config, 1);
	const char *path = pe_arena_printf(arena, "%s/perfevo.yml", commit->tree);

	return pe_config_load(config, path, commit->tree, NULL, arena, NULL) == PE_OK ? config
										      : NULL;
}

/* Keep a result, take the commit off, notify the desktop. */
static int finish(struct work *work, const char *subject, enum pe_result_verdict verdict,
		  const char *text, struct pe_arena *arena)
{
	struct pe_hook_result result = {
		.verdict = verdict,
		.found_s = pe_clock_now_s(),
		.text = text,
		.subject = subject,
	};
	int rc;

	memcpy(result.id, work->commit.id, sizeof(result.id));
	rc = pe_result_add(work->folder, &result, arena, work->app->err);
	if (rc == PE_OK)
		rc = pe_queue_drop(work->folder, work->commit.id, arena, work->app->err);
	if (rc == PE_OK)
		notify(&result, config_of(&work->commit, arena));
	note(work, text);
	return rc;
}

/* The commit and its nearest ancestors: a series of two says little. */
static const char *ids_to_measure(struct pe_repo *repo, const struct pe_queued *commit,
				  struct pe_arena *arena)
{
	enum { TOGETHER = 4 };
	const struct pe_range range = {.spec = commit->id, .last = TOGETHER};
	struct pe_revisions revisions = {NULL, 0, false};
	const char *ids = "";

	/* A walk that fails leaves the commit alone. */
	if (pe_repo_walk(&revisions, repo, &range, arena, NULL) != PE_OK || revisions.n == 0)
		return pe_arena_printf(arena, "%s\n", commit->id);
	for (size_t i = 0; i < revisions.n; i++)
		ids = pe_arena_printf(arena, "%s%s\n", ids, revisions.at[i].id);
	return ids;
}

static int measure(struct work *work, struct pe_repo *repo, const struct pe_revision *revision,
		   struct pe_arena *arena)
{
	struct pe_app *app = work->app;
	struct pe_tracked tracked;
	unsigned attempts = work->commit.attempts;
	int rc = pe_queue_note(work->folder, &work->commit, attempts + 1, app->err);

	if (rc == PE_OK)
		rc = pe_hook_track(&tracked, app, &work->commit,
				   ids_to_measure(repo, &work->commit, arena), is_worth_it, work,
				   arena);
	if (rc != PE_OK)
		return rc;
	if (tracked.stopped && *app->interrupts == 0) {
		note(work, "rewritten meanwhile, skipped");
		return pe_queue_drop(work->folder, work->commit.id, arena, app->err);
	}
	/* Stopped by somebody who needs the machine: that was no attempt. */
	if (tracked.stopped)
		return pe_queue_note(work->folder, &work->commit, attempts, app->err);
	if (tracked.died && work->commit.attempts < MOST_ATTEMPTS)
		return PE_OK;
	return finish(work, revision->subject, tracked.verdict, tracked.text, arena);
}

/* One commit, to its end: whatever is wrong with it is its result, unless the disk or we are the reason. */
static int work_on(struct work *work, struct pe_arena *arena)
{
	struct pe_app *app = work->app;
	struct pe_repo *repo = NULL;
	struct pe_revision revision = {0};
	int rc;

	if (work->commit.attempts >= MOST_ATTEMPTS)
		return finish(work, "", PE_RESULT_FAILED,
			      "given up after three attempts that did not end", arena);
	/* Its worktree may be gone; its commit may be on a branch all the same. */
	if (access(work->commit.tree, F_OK) < 0)
		work->commit.tree = pe_repo_workdir(app->repo);
	if (work->commit.tree == NULL || pe_repo_open(&repo, work->commit.tree, NULL) != PE_OK)
		rc = pe_repo_open_as_git(&repo, app->err);
	else
		rc = PE_OK;
	if (rc == PE_OK)
		rc = pe_repo_resolve(&revision, repo, work->commit.id, arena, app->err);
	if (rc != PE_OK || !is_reachable(repo, work->commit.id)) {
		note(work, "no longer reachable, skipped");
		rc = pe_queue_drop(work->folder, work->commit.id, arena, app->err);
	} else {
		rc = measure(work, repo, &revision, arena);
	}
	pe_repo_close(repo);
	return rc;
}

/* Until nothing waits. */
static int work_through(struct work *work)
{
	struct pe_app *app = work->app;
	int rc = PE_OK;

	while (rc == PE_OK && *app->interrupts == 0) {
		pe_auto_arena arena = PE_ARENA_INIT;
		struct pe_worker_state state = {.pid = getpid(), .since_s = pe_clock_now_s()};
		struct pe_queued *queue;

		rc = pe_queue_list(&queue, &work->n_waiting, work->folder, &arena, app->err);
		if (rc == PE_OK && work->n_waiting > 0) {
			work->commit = queue[0];
			memcpy(state.id, queue[0].id, sizeof(state.id));
			pe_worker_report(work->folder, &state);
			rc = work_on(work, &arena);
		}
		if (work->n_waiting == 0)
			break;
	}
	return rc;
}

static bool anything_waits(const struct work *work)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_queued *queue;
	size_t n = 0;
	bool waits = pe_queue_list(&queue, &n, work->folder, &arena, NULL) == PE_OK && n > 0;

	return waits;
}

int pe_hook_work(struct pe_app *app, bool locked)
{
	struct work work = {.app = app, .folder = pe_app_hook_dir(app), .lock = -1};
	struct pe_worker_state state = {.pid = getpid()};
	int rc;

	pe_background_yield();
	/* What is queued after the last look and before the lock is free was seen by nobody else. */
	do {
		if (locked && pe_worker_take_over(PE_BACKGROUND_HAND, work.folder)) {
			work.lock = PE_BACKGROUND_HAND;
			rc = PE_OK;
		} else {
			rc = pe_worker_lock(&work.lock, work.folder, app->err);
		}
		locked = false;
		if (rc == PE_EBUSY)
			return PE_OK;
		if (rc == PE_OK) {
			pe_worker_report(work.folder, &state);
			rc = work_through(&work);
			pe_worker_leave(work.lock, work.folder);
		}
	} while (rc == PE_OK && *app->interrupts == 0 && anything_waits(&work));
	return rc;
}
