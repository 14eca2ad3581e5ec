/*
 * Hook: what the installed scripts call. After a commit it queues the commit, starts a worker and shows what came of
 * earlier ones: a dozen system calls. Nothing that goes wrong here is the commit's fault, so nothing of it reaches
 * git; it is said in a line.
 */
#include "app/jobs/hook.h"

#include "configs/config.h"
#include "hooks/background.h"
#include "vcs/hooked.h"
#include "core/base/utf8.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const config_names[] = {"perfevo.yml", ".perfevo.yml"};

enum { N_CONFIG_NAMES = sizeof(config_names) / sizeof(*config_names) };

const char *pe_hook_config(struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo);

	for (size_t i = 0; tree != NULL && i < N_CONFIG_NAMES; i++) {
		const char *path = pe_arena_printf(app->arena, "%s/%s", tree, config_names[i]);

		if (access(path, F_OK) == 0)
			return path;
	}
	return NULL;
}

const char *pe_hook_short(const char *id, struct pe_arena *arena)
{
	return pe_arena_strndup(arena, id, strlen(id) < 8 ? strlen(id) : 8);
}

/* --- Workers --- */

void pe_hook_start_worker(struct pe_app *app)
{
	static const char *const argv[] = {"perfevo", "hook", "work", "locked", NULL};
	const char *folder = pe_app_hook_dir(app);
	const char *tree = pe_repo_workdir(app->repo);
	struct pe_hook_env env = {0};
	struct pe_queued *queue;
	size_t n;
	int lock = -1, rc = pe_queue_list(&queue, &n, folder, app->arena, app->err);

	if (rc == PE_OK && n == 0)
		return;
	/*
	 * At idle priority it may take a while until the worker runs: it gets the lock with its start, so that nobody
	 * takes what waits for forgotten meanwhile.
	 */
	if (rc == PE_OK)
		rc = pe_worker_lock(&lock, folder, app->err);
	if (rc == PE_EBUSY)
		return;
	if (tree == NULL || getenv("GIT_DIR") != NULL) {
		env.git_dir = pe_repo_git_dir(app->repo, app->arena);
		env.work_tree = tree;
	}
	if (rc == PE_OK)
		rc = pe_background_start(
			"/proc/self/exe", argv, pe_background_env(&env, app->arena),
			tree != NULL ? tree : pe_repo_common_dir(app->repo),
			pe_arena_printf(app->arena, "%s/worker.log", folder), lock, app->err);
	if (lock >= 0)
		close(lock);
	if (rc != PE_OK)
		pe_app_note(app, "the background measurement did not start: %s", app->err->message);
}

/* What a worker wrote may be a killed one's, whose number is somebody else's by now. */
static bool is_worker(int64_t pid)
{
	static const char command[] = "hook\0work";
	pe_auto_text text = PE_TEXT_INIT;
	char path[64];
	bool is = false;

	snprintf(path, sizeof(path), "/proc/%lld/cmdline", (long long)pid);
	if (pid > 1 && pe_text_read_file(&text, path, NULL) == PE_OK)
		for (size_t i = 0; i + sizeof(command) <= text.len && !is; i++)
			is = memcmp(text.data + i, command, sizeof(command)) == 0;
	return is;
}

void pe_hook_stop_worker(struct pe_app *app)
{
	enum { TENTHS = 100 };
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	const char *folder = pe_app_hook_dir(app);
	struct pe_worker_state state;
	bool asked = false;

	for (int i = 0; i < TENTHS && *app->interrupts == 0 && pe_worker_ask(&state, folder); i++) {
		/* It writes its number as soon as it has the lock. Asked twice, it would be gone at once. */
		if (!asked && is_worker(state.pid))
			asked = kill((pid_t)state.pid, SIGTERM) == 0;
		nanosleep(&pause, NULL);
	}
}

/* --- After a commit --- */

/* Subjects of commits that were just pulled are among them. */
static void say(const struct pe_hook_result *result, struct pe_arena *arena)
{
	pe_auto_text said = PE_TEXT_INIT;

	pe_utf8_add_visible(&said, result->subject, "");
	pe_text_add(&said, ": ");
	pe_utf8_add_visible(&said, result->text, "");
	fprintf(stderr, "perfevo: %s %s\n", pe_hook_short(result->id, arena), said.data);
}

/* Two lines at most: what is worst first. */
static void show_results(struct pe_app *app)
{
	enum { MOST = 2 };
	static const int order[] = {PE_RESULT_REGRESSED, PE_RESULT_SUSPECTED, PE_RESULT_FAILED,
				    PE_RESULT_IMPROVED, PE_RESULT_PASS};
	struct pe_hook_result *results;
	size_t n, shown = 0;
	const char *folder = pe_app_hook_dir(app);

	if (pe_result_list(&results, &n, folder, false, app->arena, NULL) != PE_OK)
		return;
	for (size_t v = 0; v < sizeof(order) / sizeof(order[0]); v++) {
		for (size_t i = 0; i < n; i++) {
			if ((int)results[i].verdict != order[v] ||
			    !pe_result_shown(folder, &results[i], app->arena))
				continue;
			if (shown + 1 < MOST || n <= MOST)
				say(&results[i], app->arena);
			shown++;
		}
	}
	if (n > MOST)
		fprintf(stderr, "perfevo: and %zu more results: 'perfevo status' lists them\n",
			n - MOST + 1);
}

static int queue_head(struct pe_app *app)
{
	struct pe_queued commit = {.tree = pe_repo_workdir(app->repo), .git_dir = ""};
	struct pe_revision head;
	int rc = pe_repo_resolve(&head, app->repo, "HEAD", app->arena, app->err);

	if (rc != PE_OK)
		return rc;
	if (getenv("GIT_DIR") != NULL)
		commit.git_dir = pe_repo_git_dir(app->repo, app->arena);
	snprintf(commit.id, sizeof(commit.id), "%s", head.id);
	return pe_queue_add(pe_app_hook_dir(app), &commit, app->err);
}

void pe_hook_commit(struct pe_app *app)
{
	bool queued;

	if (pe_hook_config(app) == NULL)
		return;
	queued = queue_head(app) == PE_OK;
	if (!queued)
		pe_app_note(app, "this commit is not measured in the background: %s",
			    app->err->message);
	show_results(app);
	/* Last: a worker would want the processor. */
	if (queued)
		pe_hook_start_worker(app);
}

/* --- Before a commit --- */

/* A staged config that nobody could read afterwards would break every later measurement. */
bool pe_hook_config_is_broken(struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo);
	struct pe_config config;
	int rc = PE_OK;

	for (size_t i = 0; tree != NULL && i < N_CONFIG_NAMES; i++) {
		pe_auto_text text = PE_TEXT_INIT;

		rc = pe_repo_staged(&text, app->repo, config_names[i], app->err);
		if (rc == PE_OK)
			rc = pe_config_load(&config, config_names[i], tree, pe_text_str(&text),
					    app->arena, app->err);
		if (rc == PE_EINVALID) {
			pe_auto_text said = PE_TEXT_INIT;

			pe_utf8_add_visible(&said, app->err->message, "");
			fprintf(stderr,
				"perfevo: the staged %s\nperfevo: fix it and 'git add %s', or 'git commit --no-verify'\n",
				said.data, config_names[i]);
			return true;
		}
		if (rc == PE_OK)
			return false;
	}
	/* An index that cannot be read says nothing against the commit. */
	return false;
}
