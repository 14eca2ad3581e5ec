/*
 * Sharing by way of git: the program, not the library, carries the bundles, because it knows how the user gets
 * to the server: ssh and its agent, credential helpers, proxies.
 */
#include "app/jobs/exchange_internal.h"

#include "core/base/spawn.h"
#include "core/base/vec.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFSPEC PE_BUNDLE_REFS "*:" PE_BUNDLE_REFS "*"

extern char **environ;

typedef PE_VEC(char *) string_vec;

/*
 * The user's environment without what ties git to another repository (a hook has GIT_DIR, GIT_INDEX_FILE and
 * more), with the settings of the user's repository on how servers are reached.
 */
static char **environment(const struct pe_exchange *exchange)
{
	static const char *const kept[] = {
		"GIT_SSH",           "GIT_ASKPASS",       "GIT_PROXY",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
		"GIT_TRACE",         "GIT_HTTP",          "GIT_TERMINAL_PROMPT",
		"GIT_EXEC_PATH",     "GIT_CURL",          "GIT_ALLOW_PROTOCOL"};
	struct pe_arena *arena = exchange->app->arena;
	string_vec env = {NULL, 0, 0};
	char **copy;

	for (char **at = environ; *at != NULL; at++) {
		bool keep = strncmp(*at, "GIT_", 4) != 0;

		for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
			keep = keep || strncmp(*at, kept[i], strlen(kept[i])) == 0;
		if (keep)
			pe_vec_push(&env, *at);
	}
	pe_vec_push(&env, pe_arena_printf(arena, "GIT_DIR=%s", pe_bundles_dir(exchange->bundles)));
	pe_vec_push(&env,
		    pe_arena_printf(arena, "GIT_CONFIG_COUNT=%zu", exchange->remote.n_settings));
	for (size_t i = 0; i < exchange->remote.n_settings; i++) {
		pe_vec_push(&env, pe_arena_printf(arena, "GIT_CONFIG_KEY_%zu=%s", i,
						  exchange->remote.settings[i].key));
		pe_vec_push(&env, pe_arena_printf(arena, "GIT_CONFIG_VALUE_%zu=%s", i,
						  exchange->remote.settings[i].value));
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

const char *pe_exchange_base_dir(const struct pe_exchange *exchange)
{
	const char *workdir = pe_repo_workdir(exchange->app->repo);

	return workdir != NULL ? workdir : pe_repo_common_dir(exchange->app->repo);
}

int pe_exchange_git(struct pe_exchange *exchange, const struct pe_exchange_git *call)
{
	struct pe_err *err = exchange->app->err;
	const struct pe_spawn spawn = {.argv = call->argv,
				       .env = (const char *const *)environment(exchange),
				       .in = 0,
				       .out = 1,
				       .err = call->messages != 0 ? call->messages : 2,
				       .hand = -1,
				       .file_bytes = call->file_bytes};
	const struct pe_spawn_io io = {.output = call->output, .output_bytes = call->output_bytes};
	int status = 0;
	int rc = pe_spawn_run(&status, &spawn, &io, err);

	if (rc != PE_OK || pe_spawn_succeeded(status))
		return rc;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		return pe_fail(err, PE_ESTOPPED, "%s was interrupted", call->what);
	return pe_fail(err, PE_EVCS, "%s failed: see git's message above", call->what);
}

int pe_exchange_send(size_t *bundles, struct pe_exchange *exchange)
{
	bool watched = !exchange->app->quiet && isatty(STDERR_FILENO);
	const char *const argv[] = {
		"git",         "-C",          pe_exchange_base_dir(exchange),
		"push",        "--porcelain", watched ? "--progress" : "--no-progress",
		"--no-verify", "--",          exchange->remote.push_url,
		REFSPEC,       NULL};
	pe_auto_text lines = PE_TEXT_INIT;
	const struct pe_exchange_git call = {
		.argv = argv,
		.what = pe_arena_printf(exchange->app->arena, "pushing to '%s'",
					exchange->remote.name),
		.output = &lines,
	};
	int rc = pe_exchange_git(exchange, &call);

	/* A line a ref, which begins with what became of it, '*' for a new one. */
	*bundles = 0;
	for (const char *at = pe_text_str(&lines); at != NULL && *at != '\0';
	     at = strchr(at, '\n')) {
		at += *at == '\n';
		*bundles += *at == '*';
	}
	return rc;
}
