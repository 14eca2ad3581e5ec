#include "app/measure/guess.h"

#include "app/measure/session.h"
#include "configs/config.h"
#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/exec/ports.h"
#include "core/exec/sandbox.h"

#include <stdlib.h>
#include <unistd.h>

/* Configuring a large project takes a minute. */
static const char asking[] = "build: {steps: [':'], timeout: 5m, env: {LC_ALL: C}}\n"
			     "benchmarks: {none: ':'}\n";

/* Write HEAD's tree into a folder of the cache. NULL, with the reason: it failed. */
static const char *export_head(struct pe_app *app, const struct pe_revision *head)
{
	struct pe_fill done;
	struct pe_fill_spec spec = {.trusted = pe_app_cache_root(app),
				    .id = head->id,
				    .most_bytes = app->config->limits.disk_bytes};
	struct pe_source source = pe_repo_source(app->repo);
	const char *above = pe_arena_printf(app->arena, "%s/init", pe_app_cache_dir(app));
	char *folder = pe_arena_printf(app->arena, "%s/XXXXXX", above);

	if (pe_app_make_cache(app, above) != PE_OK)
		return NULL;
	if (mkdtemp(folder) == NULL) {
		pe_fail_errno(app->err, "cannot make %s", folder);
		return NULL;
	}
	spec.dir = pe_arena_printf(app->arena, "%s/tree", folder);
	if (source.fill(&done, &spec, source.payload, app->err) == PE_OK)
		return folder;
	pe_files_remove(folder, NULL);
	return NULL;
}

/* Choose the sandbox, unless the user did: as for a build; but `auto` only where it takes away nothing that a build needs. */
static void choose_sandbox(struct pe_app *app, const char *base, const struct pe_revision *head)
{
	struct pe_config *config = app->config;
	struct pe_revision from;
	struct pe_err ignored = PE_ERR_INIT;

	if (config->sandbox_is_said)
		return;
	if (base != NULL &&
	    (pe_app_is_pipeline() ||
	     pe_repo_resolve(&from, app->repo, base, app->arena, &ignored) != PE_OK ||
	     !pe_repo_are_own_commits(app->repo, from.id, head->id)))
		pe_sandbox_require(config, !pe_app_is_pipeline(), app->arena);
	else if (pe_sandbox_find_means() == PE_BY_NAMESPACES)
		config->sandbox.mode = PE_SANDBOX_AUTO;
}

/* Guess from HEAD's tree in a folder, with commands confined to it. */
static int guess_in(struct pe_guess *out, struct pe_app *app, const char *folder,
		    struct pe_guess_opts *opts)
{
	struct pe_session session = {
		.app = app, .arena = app->arena, .cache_dir = pe_app_cache_dir(app)};
	struct pe_executor executor;
	int rc = pe_launcher_open(&session.launcher, NULL, app->err);

	if (rc == PE_OK)
		rc = pe_session_confine(&session);
	executor = pe_process_executor(session.launcher);
	if (session.confined && !session.sandbox.by_landlock)
		executor.tree = PE_INSIDE_TREE;
	if (rc == PE_OK)
		opts->executor = &executor;
	else
		opts->unasked = pe_arena_strdup(app->arena, app->err->message);
	rc = pe_config_guess(out, pe_arena_printf(app->arena, "%s/tree", folder), opts, app->arena,
			     app->err);
	pe_launcher_close(session.launcher);
	return rc;
}

int pe_guess_head(struct pe_guess *out, struct pe_app *app, const struct pe_guess_request *request)
{
	const char *root = pe_repo_workdir(app->repo), *folder = NULL;
	struct pe_config *before = app->config, config;
	struct pe_guess_opts opts = {.asking = &config,
				     .interrupts = app->interrupts,
				     .progress = &app->progress,
				     .one = request->one,
				     .command = request->command};
	struct pe_revision head;
	int rc;

	if (root == NULL)
		return pe_fail(app->err, PE_EUNSUPPORTED,
			       "a bare repository has no tree to look at: run this in a clone");
	PE_TRY(pe_config_load(&config, "init", root, asking, app->arena, app->err));
	app->config = &config;
	if (pe_repo_resolve(&head, app->repo, "HEAD", app->arena, app->err) != PE_OK) {
		opts.unasked = "nothing is committed yet";
	} else {
		choose_sandbox(app, request->base, &head);
		folder = export_head(app, &head);
		opts.unasked = pe_arena_strdup(app->arena, app->err->message);
	}
	rc = folder != NULL ? guess_in(out, app, folder, &opts)
			    : pe_config_guess(out, root, &opts, app->arena, app->err);
	if (folder != NULL)
		pe_files_remove(folder, NULL);
	rmdir(pe_arena_printf(app->arena, "%s/init", pe_app_cache_dir(app)));
	app->config = before;
	return rc;
}
