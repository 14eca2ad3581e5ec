/*
 * Hook: what the installed scripts call. After a commit it queues the commit, starts a worker and shows what came of
 * earlier ones: a dozen system calls. Nothing that goes wrong here is the commit's fault, so nothing of it reaches
 * git; it is said in a line.
 */
#include "cmd/hooked.h"

#include "configs/config.h"
#include "hooks/background.h"
#include "hooks/script.h"
#include "vcs/hooked.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const config_names[] = {"perfevo.yml", ".perfevo.yml"};

enum { N_CONFIG_NAMES = sizeof(config_names) / sizeof(*config_names) };

static const char *const lines[] = {
	"perfevo hook post-commit",
	"perfevo hook pre-push REMOTE URL",
	"perfevo hook pre-commit",
	"perfevo hook work",
	NULL,
};

static const struct pe_usage usage = {
	.lines = lines,
	.description = "What the hooks that 'perfevo hooks install' writes call; for the config of "
		       "a hook manager, "
		       "too.\n\n"
		       "'post-commit' queues HEAD, starts a worker in the background and shows "
		       "finished results; it "
		       "never fails. 'pre-push' reads git's lines from standard input and exits "
		       "with 1 when a "
		       "confirmed regression would be pushed. 'pre-commit' exits with 1 when a "
		       "staged perfevo.yml "
		       "cannot be read. 'work' is the worker: it measures what is queued, newest "
		       "first, and ends.\n\n"
		       "PERFEVO_SKIP=1 makes all of them end at once.",
	.examples = NULL,
};

const char *pe_hooked_folder(struct pe_cmd_ctx *ctx)
{
	return pe_arena_printf(ctx->arena, "%s/perfevo/hooks", pe_repo_common_dir(ctx->repo));
}

const char *pe_hooked_config(struct pe_cmd_ctx *ctx)
{
	const char *tree = pe_repo_workdir(ctx->repo);

	for (size_t i = 0; tree != NULL && i < N_CONFIG_NAMES; i++) {
		const char *path = pe_arena_printf(ctx->arena, "%s/%s", tree, config_names[i]);

		if (access(path, F_OK) == 0)
			return path;
	}
	return NULL;
}

const char *pe_hooked_short(const char *id, struct pe_arena *arena)
{
	return pe_arena_strndup(arena, id, strlen(id) < 8 ? strlen(id) : 8);
}

/* --- Workers --- */

void pe_hooked_start_worker(struct pe_cmd_ctx *ctx)
{
	static const char *const argv[] = {"perfevo", "hook", "work", "locked", NULL};
	const char *folder = pe_hooked_folder(ctx);
	const char *tree = pe_repo_workdir(ctx->repo);
	struct pe_hook_env env = {0};
	struct pe_queued *queue;
	size_t n;
	int lock = -1, rc = pe_queue_list(&queue, &n, folder, ctx->arena, ctx->err);

	if (rc == PE_OK && n == 0)
		return;
	/*
	 * At idle priority it may take a while until the worker runs: it gets the lock with its start, so that nobody
	 * takes what waits for forgotten meanwhile.
	 */
	if (rc == PE_OK)
		rc = pe_worker_lock(&lock, folder, ctx->err);
	if (rc == PE_EBUSY)
		return;
	if (tree == NULL || getenv("GIT_DIR") != NULL) {
		env.git_dir = pe_repo_git_dir(ctx->repo, ctx->arena);
		env.work_tree = tree;
	}
	if (rc == PE_OK)
		rc = pe_background_start(
			"/proc/self/exe", argv, pe_background_env(&env, ctx->arena),
			tree != NULL ? tree : pe_repo_common_dir(ctx->repo),
			pe_arena_printf(ctx->arena, "%s/worker.log", folder), lock, ctx->err);
	if (lock >= 0)
		close(lock);
	if (rc != PE_OK)
		pe_cmd_note(ctx, "the background measurement did not start: %s", ctx->err->message);
}

/* What a worker told may be a killed one's, whose number is somebody else's by now. */
static bool is_worker(int64_t pid)
{
	static const char command[] = "hook\0work";
	struct pe_text text = PE_TEXT_INIT;
	char path[64];
	bool is = false;

	snprintf(path, sizeof(path), "/proc/%lld/cmdline", (long long)pid);
	if (pid > 1 && pe_text_read_file(&text, path, NULL) == PE_OK)
		for (size_t i = 0; i + sizeof(command) <= text.len && !is; i++)
			is = memcmp(text.data + i, command, sizeof(command)) == 0;
	pe_text_release(&text);
	return is;
}

void pe_hooked_stop_worker(struct pe_cmd_ctx *ctx)
{
	enum { TENTHS = 100 };
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	const char *folder = pe_hooked_folder(ctx);
	struct pe_worker_state state;
	bool asked = false;

	for (int i = 0; i < TENTHS && *ctx->interrupts == 0 && pe_worker_ask(&state, folder); i++) {
		/* It tells its number as soon as it has the lock. Asked twice, it would be gone at once. */
		if (!asked && is_worker(state.pid))
			asked = kill((pid_t)state.pid, SIGTERM) == 0;
		nanosleep(&pause, NULL);
	}
}

/* --- After a commit --- */

/* Two lines at most: what is worst first. */
static void show_results(struct pe_cmd_ctx *ctx)
{
	enum { MOST = 2 };
	static const int order[] = {PE_RESULT_REGRESSED, PE_RESULT_SUSPECTED, PE_RESULT_FAILED,
				    PE_RESULT_IMPROVED, PE_RESULT_PASS};
	struct pe_hook_result *results;
	size_t n, shown = 0;
	const char *folder = pe_hooked_folder(ctx);

	if (pe_result_list(&results, &n, folder, false, ctx->arena, NULL) != PE_OK)
		return;
	for (size_t v = 0; v < sizeof(order) / sizeof(order[0]); v++) {
		for (size_t i = 0; i < n; i++) {
			if ((int)results[i].verdict != order[v] ||
			    !pe_result_shown(folder, &results[i], ctx->arena))
				continue;
			if (shown + 1 < MOST || n <= MOST)
				fprintf(stderr, "perfevo: %s %s: %s\n",
					pe_hooked_short(results[i].id, ctx->arena),
					results[i].subject, results[i].text);
			shown++;
		}
	}
	if (n > MOST)
		fprintf(stderr, "perfevo: and %zu more results: 'perfevo status' lists them\n",
			n - MOST + 1);
}

static int queue_head(struct pe_cmd_ctx *ctx)
{
	struct pe_queued commit = {.tree = pe_repo_workdir(ctx->repo), .git_dir = ""};
	struct pe_revision head;
	int rc = pe_repo_resolve(&head, ctx->repo, "HEAD", ctx->arena, ctx->err);

	if (rc != PE_OK)
		return rc;
	if (getenv("GIT_DIR") != NULL)
		commit.git_dir = pe_repo_git_dir(ctx->repo, ctx->arena);
	snprintf(commit.id, sizeof(commit.id), "%s", head.id);
	return pe_queue_add(pe_hooked_folder(ctx), &commit, ctx->err);
}

static int post_commit(struct pe_cmd_ctx *ctx)
{
	bool queued;

	if (pe_hooked_config(ctx) == NULL)
		return PE_EXIT_GOOD;
	queued = queue_head(ctx) == PE_OK;
	if (!queued)
		pe_cmd_note(ctx, "this commit will not be measured by itself: %s",
			    ctx->err->message);
	show_results(ctx);
	/* Last: a worker would want the processor. */
	if (queued)
		pe_hooked_start_worker(ctx);
	return PE_EXIT_GOOD;
}

/* --- Before a commit --- */

/* A staged config that nobody could read afterwards would break every later measurement. */
static int pre_commit(struct pe_cmd_ctx *ctx)
{
	const char *tree = pe_repo_workdir(ctx->repo);
	struct pe_config config;
	int rc = PE_OK;

	for (size_t i = 0; tree != NULL && i < N_CONFIG_NAMES; i++) {
		struct pe_text text = PE_TEXT_INIT;

		rc = pe_repo_staged(&text, ctx->repo, config_names[i], ctx->err);
		if (rc == PE_OK)
			rc = pe_config_load(&config, config_names[i], tree, pe_text_str(&text),
					    ctx->arena, ctx->err);
		pe_text_release(&text);
		if (rc == PE_EINVALID) {
			fprintf(stderr,
				"perfevo: the staged %s\n"
				"perfevo: mend it and 'git add %s', or 'git commit --no-verify'\n",
				ctx->err->message, config_names[i]);
			return PE_EXIT_REGRESSED;
		}
		if (rc == PE_OK)
			return PE_EXIT_GOOD;
	}
	/* An index that cannot be read says nothing against the commit. */
	return PE_EXIT_GOOD;
}

/* --- The command --- */

static int run(struct pe_cmd_ctx *ctx, const char *name, const char *remote)
{
	enum pe_hook hook = PE_N_HOOKS;
	bool works = strcmp(name, "work") == 0;

	if (!works && pe_hook_find(&hook, name, ctx->err) != PE_OK)
		return pe_cmd_misused(ctx, "%s", ctx->err->message);
	if (pe_repo_open_as_git(&ctx->repo, ctx->err) != PE_OK) {
		/* Not a repository that perfevo can read: not one that it measures. */
		pe_cmd_note(ctx, "%s", ctx->err->message);
		return works ? PE_EXIT_FAILURE : PE_EXIT_GOOD;
	}
	if (works)
		return pe_hooked_work(ctx, remote != NULL && strcmp(remote, "locked") == 0);
	if (hook == PE_HOOK_POST_COMMIT)
		return post_commit(ctx);
	if (hook == PE_HOOK_PRE_COMMIT)
		return pre_commit(ctx);
	return pe_hooked_push(ctx, remote);
}

int cmd_hook(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const struct pe_opt opts[] = {OPT_END};
	const char *skip = getenv("PERFEVO_SKIP");
	int code = pe_cmd_begin(ctx, opts, &usage, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc == 0)
		return pe_cmd_misused(ctx, "which hook? post-commit, pre-push or pre-commit");
	if (skip != NULL && skip[0] != '\0' && strcmp(skip, "0") != 0)
		return PE_EXIT_GOOD;
	return run(ctx, argv[0], argc > 1 ? argv[1] : NULL);
}
