#define _GNU_SOURCE /* memfd_create(2) */
#include "app/git.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/spawn.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

typedef PE_VEC(char *) string_vec;

/*
 * The user's environment without what ties git to another repository (a hook has GIT_DIR, GIT_INDEX_FILE and
 * more), with the settings of the user's repository, but for its hooks.
 */
static char **environment(struct pe_app *app, const struct pe_git_call *call)
{
	static const char *const kept[] = {
		"GIT_SSH",           "GIT_ASKPASS",       "GIT_PROXY",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
		"GIT_TRACE",         "GIT_HTTP",          "GIT_TERMINAL_PROMPT",
		"GIT_EXEC_PATH",     "GIT_CURL",          "GIT_ALLOW_PROTOCOL"};
	struct pe_arena *arena = app->arena;
	pe_auto_free string_vec env = {NULL, 0, 0};

	for (char **at = environ; *at != NULL; at++) {
		bool keep = strncmp(*at, "GIT_", 4) != 0;

		for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
			keep = keep || strncmp(*at, kept[i], strlen(kept[i])) == 0;
		if (keep)
			pe_vec_push(&env, *at);
	}
	pe_vec_push(&env, pe_arena_printf(arena, "GIT_DIR=%s", call->git_dir));
	pe_vec_push(&env, pe_arena_strdup(arena, "GIT_CONFIG_COUNT=2"));
	pe_vec_push(&env, pe_arena_strdup(arena, "GIT_CONFIG_KEY_0=include.path"));
	pe_vec_push(&env, pe_arena_printf(arena, "GIT_CONFIG_VALUE_0=%s", call->remote->config));
	pe_vec_push(&env, pe_arena_strdup(arena, "GIT_CONFIG_KEY_1=core.hooksPath"));
	pe_vec_push(&env, pe_arena_strdup(arena, "GIT_CONFIG_VALUE_1=/dev/null"));
	/* No user is there to answer. */
	if (!isatty(STDIN_FILENO))
		pe_vec_push(&env, pe_arena_printf(arena, "GIT_TERMINAL_PROMPT=0"));
	pe_vec_push(&env, NULL);
	return pe_vec_copy(arena, &env);
}

const char *pe_git_base_dir(const struct pe_app *app)
{
	const char *workdir = pe_repo_workdir(app->repo);

	return workdir != NULL ? workdir : pe_repo_common_dir(app->repo);
}

int pe_git_open_messages(int *fd, struct pe_err *err)
{
	enum { MOST_BYTES = 1 << 16 };

	*fd = memfd_create("messages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0 || ftruncate(*fd, MOST_BYTES) != 0 || fcntl(*fd, F_ADD_SEALS, F_SEAL_GROW) != 0)
		return pe_fail_errno(err, "cannot make a file in memory");
	return PE_OK;
}

void pe_git_pass_on(int messages, int to)
{
	pe_auto_text said = PE_TEXT_INIT, visible = PE_TEXT_INIT;

	if (lseek(messages, 0, SEEK_SET) == 0 && pe_text_read_fd(&said, messages) == 0)
		pe_utf8_add_visible(&visible, pe_text_str(&said), "\n\t");
	pe_text_write_fd(&visible, to);
}

int pe_git_call(struct pe_app *app, const struct pe_git_call *call)
{
	pe_auto_fd messages = -1;
	int status = 0, rc = pe_git_open_messages(&messages, app->err);
	const struct pe_spawn spawn = {.argv = call->argv,
				       .env = (const char *const *)environment(app, call),
				       .in = 0,
				       .out = 1,
				       .err = messages,
				       .hand = -1,
				       .file_bytes = call->file_bytes};
	const struct pe_spawn_io io = {.output = call->output, .output_bytes = call->output_bytes};

	PE_TRY(rc);
	rc = pe_spawn_run(&status, &spawn, &io, app->err);
	pe_git_pass_on(messages, call->messages != 0 ? call->messages : STDERR_FILENO);
	if (rc != PE_OK || pe_spawn_succeeded(status))
		return rc;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		return pe_fail(app->err, PE_ESTOPPED, "%s was interrupted", call->what);
	return pe_fail(app->err, PE_EVCS, "%s failed: see git's message above", call->what);
}
