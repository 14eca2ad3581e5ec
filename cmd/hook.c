/* Hook: what the installed scripts call, and hook managers. */
#include "app/jobs/hook.h"
#include "cmd/commands.h"
#include "hooks/script.h"
#include "vcs/hooked.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int push(struct pe_cmd_ctx *ctx, const char *remote)
{
	bool blocked;

	if (isatty(STDIN_FILENO) == 1)
		return pe_cmd_misused(ctx, "git gives this hook its lines on standard input");
	/* Only the user's Ctrl-C is a failure: it stops the push as git expects. */
	if (pe_hook_push(&blocked, &ctx->app, remote) != PE_OK)
		return PE_EXIT_FAILURE;
	return blocked ? PE_EXIT_REGRESSED : PE_EXIT_GOOD;
}

static int run(struct pe_cmd_ctx *ctx, const char *name, const char *remote)
{
	struct pe_app *app = &ctx->app;
	enum pe_hook hook = PE_N_HOOKS;
	bool works = strcmp(name, "work") == 0;

	if (!works && pe_hook_find(&hook, name, app->err) != PE_OK)
		return pe_cmd_misused(ctx, "%s", app->err->message);
	if (pe_repo_open_as_git(&app->repo, app->err) != PE_OK) {
		/* Not a repository that perfevo can read: not one that it measures. */
		pe_app_note(app, "%s", app->err->message);
		return works ? PE_EXIT_FAILURE : PE_EXIT_GOOD;
	}
	if (works)
		return pe_hook_work(app);
	if (hook == PE_HOOK_PRE_PUSH)
		return push(ctx, remote);
	if (hook == PE_HOOK_PRE_COMMIT)
		return pe_hook_config_is_broken(app) ? PE_EXIT_REGRESSED : PE_EXIT_GOOD;
	pe_hook_commit(app);
	return PE_EXIT_GOOD;
}

int cmd_hook(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const struct pe_opt opts[] = {OPT_END};
	const char *skip = getenv("PERFEVO_SKIP");

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (argc == 0)
		return pe_cmd_misused(ctx, "which hook? post-commit, pre-push or pre-commit");
	if (skip != NULL && skip[0] != '\0' && strcmp(skip, "0") != 0)
		return PE_EXIT_GOOD;
	return run(ctx, argv[0], argc > 1 ? argv[1] : NULL);
}
