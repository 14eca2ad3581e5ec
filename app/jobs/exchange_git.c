/*
 * Sharing by way of git: the program, not the library, carries the bundles, because it knows how the user gets
 * to the server: ssh and its agent, credential helpers, proxies.
 */
#include "app/jobs/exchange.h"

#include "core/base/vec.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REFSPEC PE_EXCHANGE_REFS "*:" PE_EXCHANGE_REFS "*"

extern char **environ;

typedef PE_VEC(char *) string_vec;

/*
 * The user's environment without what ties git to another repository (a hook has GIT_DIR, GIT_INDEX_FILE and
 * more), with the settings of the user's repository on how servers are reached.
 */
static char **environment(const struct pe_share *share)
{
	static const char *const kept[] = {
		"GIT_SSH",           "GIT_ASKPASS",       "GIT_PROXY",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
		"GIT_TRACE",         "GIT_HTTP",          "GIT_TERMINAL_PROMPT",
		"GIT_EXEC_PATH",     "GIT_CURL",          "GIT_ALLOW_PROTOCOL"};
	struct pe_arena *arena = share->app->arena;
	string_vec env = {NULL, 0, 0};
	char **copy;

	for (char **at = environ; *at != NULL; at++) {
		bool keep = strncmp(*at, "GIT_", 4) != 0;

		for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
			keep = keep || strncmp(*at, kept[i], strlen(kept[i])) == 0;
		if (keep)
			pe_vec_push(&env, *at);
	}
	pe_vec_push(&env, pe_arena_printf(arena, "GIT_DIR=%s", pe_exchange_dir(share->exchange)));
	pe_vec_push(&env, pe_arena_printf(arena, "GIT_CONFIG_COUNT=%zu", share->remote.n_settings));
	for (size_t i = 0; i < share->remote.n_settings; i++) {
		pe_vec_push(&env, pe_arena_printf(arena, "GIT_CONFIG_KEY_%zu=%s", i,
						  share->remote.settings[i].key));
		pe_vec_push(&env, pe_arena_printf(arena, "GIT_CONFIG_VALUE_%zu=%s", i,
						  share->remote.settings[i].value));
	}
	/* Nobody is there to answer. */
	if (!isatty(STDIN_FILENO))
		pe_vec_push(&env, pe_arena_printf(arena, "GIT_TERMINAL_PROMPT=0"));
	pe_vec_push(&env, NULL);
	copy = pe_arena_new(arena, char *, env.n);
	memcpy(copy, env.data, env.n * sizeof(*copy));
	pe_vec_release(&env);
	return copy;
}

static int wait_for(pid_t pid, struct pe_err *err, const char *what)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return pe_fail_errno(err, "cannot wait for git");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return PE_OK;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		return pe_fail(err, PE_ESTOPPED, "%s was interrupted", what);
	return pe_fail(err, PE_EVCS, "%s failed: see git's message above", what);
}

/* Addresses may be relative: to where the user's tree begins, as for git. */
static const char *base_dir(const struct pe_share *share)
{
	const char *workdir = pe_repo_workdir(share->app->repo);

	return workdir != NULL ? workdir : pe_repo_common_dir(share->app->repo);
}

/*
 * Read what git prints for programs: a line a ref, which begins with what became of it; '*' is a new one.
 */
static void count_new(size_t *n, int descriptor)
{
	FILE *lines = fdopen(descriptor, "r");
	char *line = NULL;
	size_t room = 0;

	if (lines == NULL) {
		close(descriptor);
		return;
	}
	while (getline(&line, &room, lines) > 0)
		*n += line[0] == '*';
	free(line);
	fclose(lines);
}

/* Run git to its end. @param created  set to the number of refs that its output says are new */
static int run_git(size_t *created, struct pe_share *share, const char *const *argv,
		   const char *what)
{
	struct pe_app *app = share->app;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int ends[2], rc;
	pid_t pid;

	if (pipe(ends) != 0)
		return pe_fail_errno(app->err, "cannot run git, which transfers the results");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	posix_spawnattr_init(&attributes);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawnp(&pid, "git", &actions, &attributes, (char *const *)argv,
			  environment(share));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (rc != 0) {
		close(ends[0]);
		errno = rc;
		return pe_fail_errno(app->err, "cannot run git, which transfers the results");
	}
	*created = 0;
	count_new(created, ends[0]);
	return wait_for(pid, app->err, what);
}

int pe_share_send(size_t *bundles, struct pe_share *share)
{
	bool watched = !share->app->quiet && isatty(STDERR_FILENO);
	const char *const argv[] = {
		"git",         "-C",          base_dir(share),
		"push",        "--porcelain", watched ? "--progress" : "--no-progress",
		"--no-verify", "--",          share->remote.push_url,
		REFSPEC,       NULL};

	return run_git(bundles, share, argv,
		       pe_arena_printf(share->app->arena, "pushing to '%s'", share->remote.name));
}

int pe_share_receive(struct pe_share *share)
{
	const char *const argv[] = {"git",
				    "-C",
				    base_dir(share),
				    "fetch",
				    "--quiet",
				    "--no-tags",
				    "--no-write-fetch-head",
				    "--",
				    share->remote.fetch_url,
				    REFSPEC,
				    NULL};
	size_t ignored;

	return run_git(
		&ignored, share, argv,
		pe_arena_printf(share->app->arena, "fetching from '%s'", share->remote.name));
}
