/* The session's sandbox: collects its inputs from the config, the repository and perfevo itself. */
#include "app/measure/session.h"

#include "configs/config.h"
#include "core/base/array.h"
#include "core/base/files.h"
#include "core/exec/build_variant.h"
#include "core/exec/limits.h"
#include "core/exec/sandbox.h"

#include <stdlib.h>
#include <unistd.h>

typedef PE_VEC(const char *) texts;

static void add_command(texts *out, const struct pe_command *command)
{
	if (command->text != NULL)
		pe_vec_push(out, command->text);
}

static void add_commands(texts *out, const struct pe_commands *commands)
{
	for (size_t i = 0; i < commands->n; i++)
		add_command(out, &commands->at[i]);
}

static void add_strings(texts *out, const struct pe_strings *strings)
{
	for (size_t i = 0; i < strings->n; i++)
		pe_vec_push(out, strings->at[i]);
}

static struct pe_strings keep(texts *list, struct pe_arena *arena)
{
	const struct pe_strings strings = {pe_vec_copy(arena, list), list->n};

	pe_vec_release(list);
	return strings;
}

/* Collect the texts of the config that may contain a path. */
static struct pe_strings texts_of(const struct pe_config *config, struct pe_arena *arena)
{
	texts list = {NULL, 0, 0};

	add_commands(&list, &config->recipe.prepare);
	add_commands(&list, &config->recipe.steps);
	add_strings(&list, &config->recipe.env);
	add_command(&list, &config->tests.list);
	add_command(&list, &config->tests.run);
	add_strings(&list, &config->tests.model.env);
	for (size_t i = 0; i < config->n_benchmarks; i++) {
		const struct pe_benchmark *benchmark = &config->benchmarks[i];

		add_command(&list, &benchmark->command);
		add_commands(&list, &benchmark->setup);
		add_commands(&list, &benchmark->prepare);
		add_commands(&list, &benchmark->cleanup);
		add_strings(&list, &benchmark->env);
	}
	for (size_t i = 0; i < config->n_suites; i++) {
		const struct pe_suite *suite = &config->suites[i];

		add_command(&list, &suite->command);
		add_strings(&list, &suite->options);
		add_commands(&list, &suite->model.setup);
		add_commands(&list, &suite->model.prepare);
		add_commands(&list, &suite->model.cleanup);
		add_strings(&list, &suite->model.env);
	}
	for (size_t i = 0; i < config->surroundings.pass_env.n; i++) {
		const char *value = getenv(config->surroundings.pass_env.at[i]);

		if (value != NULL)
			pe_vec_push(&list, value);
	}
	return keep(&list, arena);
}

/* Collect perfevo's own programs and libraries that are loaded or started beside the benchmarks. */
static struct pe_strings programs_of(struct pe_arena *arena)
{
	const char *const found[] = {
		pe_build_variant_library(PE_LIBRARY_COUNTING, arena, NULL),
		pe_build_variant_compilers(arena, NULL),
		pe_build_variant_library(PE_LIBRARY_CALLS, arena, NULL),
		pe_build_variant_library(PE_LIBRARY_SAMPLES, arena, NULL),
	};
	texts list = {NULL, 0, 0};

	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++) {
		if (found[i] == NULL)
			continue;
		pe_vec_push(&list, found[i]);
		/* The compiler wrappers are links to a program beside their folder. */
		if (i == 1)
			pe_vec_push(&list, pe_arena_printf(arena, "%s/../perfevo-cc1", found[i]));
	}
	return keep(&list, arena);
}

/* The folder of ccache's results (ccache(1), cache_dir); it is created here, as ccache itself would. */
static const char *ccache_dir(const struct pe_config *config, struct pe_arena *arena)
{
	const char *set = getenv("CCACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME"), *dir;

	if (config->sandbox.mode == PE_SANDBOX_REQUIRE || access("/usr/bin/ccache", X_OK) != 0)
		return NULL;
	if (set != NULL && set[0] == '/')
		dir = set;
	else if (xdg != NULL && xdg[0] == '/')
		dir = pe_arena_printf(arena, "%s/ccache", xdg);
	else if (home == NULL)
		return NULL;
	else if (access(pe_arena_printf(arena, "%s/.ccache", home), F_OK) == 0)
		dir = pe_arena_printf(arena, "%s/.ccache", home);
	else
		dir = pe_arena_printf(arena, "%s/.cache/ccache", home);
	return pe_files_make_dir(dir, NULL) == PE_OK ? dir : NULL;
}

static int enter(struct pe_session *session, struct pe_launcher *launcher, struct pe_err *why)
{
	struct pe_app *app = session->app;
	const struct pe_config *config = app->config;
	const struct pe_sandbox_site site = {
		.sandbox = &session->sandbox,
		.cache_dir = session->cache_dir,
		.root = config->root,
		.git_dir = pe_repo_common_dir(app->repo),
		.store = pe_app_store_path(app),
		.ccache_dir = ccache_dir(config, session->arena),
		.texts = texts_of(config, session->arena),
		.programs = programs_of(session->arena),
		.file_bytes = config->disk_bytes,
		.processes = config->limits.processes,
	};

	PE_TRY(pe_files_make_dir(session->cache_dir, why));
	return pe_sandbox_enter(launcher, &site, session->arena, why);
}

int pe_session_confine(struct pe_session *session)
{
	struct pe_app *app = session->app;
	const struct pe_config *config = app->config;
	struct pe_err why = PE_ERR_INIT;
	const char *lacks;
	int rc;

	PE_TRY(pe_limits_enter(session->launcher, &config->limits,
			       config->sandbox.mode != PE_SANDBOX_OFF, &lacks, session->arena,
			       app->err));
	if (lacks != NULL)
		pe_app_note(app, "%s", lacks);
	if (config->sandbox.mode == PE_SANDBOX_OFF)
		return PE_OK;
	session->sandbox = config->sandbox;
	session->sandbox.by_landlock = config->sandbox.mode == PE_SANDBOX_AUTO &&
				       config->recipe.sandbox_means == PE_BY_LANDLOCK;
	rc = enter(session, session->launcher, &why);
	session->confined = rc == PE_OK;
	if (rc == PE_OK && session->sandbox.by_landlock && !app->confinement_noted)
		pe_app_note(
			app,
			"builds and benchmarks are confined by landlock, for lack of user namespaces: they can see names of files and other processes, change modes and owners of your files, and have no /tmp but $TMPDIR");
	if (rc == PE_EUNSUPPORTED && config->sandbox.mode == PE_SANDBOX_AUTO) {
		if (!app->confinement_noted)
			pe_app_note(app, "builds and benchmarks are not confined: %s", why.message);
		app->confinement_noted = true;
		return PE_OK;
	}
	app->confinement_noted = app->confinement_noted || session->sandbox.by_landlock;
	if (rc == PE_EUNSUPPORTED)
		return pe_fail(
			app->err, rc, "'sandbox: require' cannot be had here: %s%s", why.message,
			config->sandbox_is_said
				? ""
				: "; with PERFEVO_SANDBOX=off or auto, or 'sandbox:' in the config, commits of others are built all the same");
	return rc == PE_OK ? rc : pe_fail(app->err, rc, "%s", why.message);
}

int pe_session_open_launcher(struct pe_launcher **out, struct pe_session *session,
			     struct pe_err *err)
{
	const char *lacks;
	int rc = pe_launcher_open(out, NULL, err);

	if (rc == PE_OK)
		rc = pe_limits_enter(*out, &session->app->config->limits, session->confined, &lacks,
				     session->arena, err);
	if (rc == PE_OK && session->confined)
		rc = enter(session, *out, err);
	if (rc == PE_OK)
		return PE_OK;
	pe_launcher_close(*out);
	*out = NULL;
	return rc;
}

void pe_session_require_sandbox(struct pe_app *app, bool by_hand)
{
	if (app->config->sandbox_is_said)
		return;
	pe_sandbox_require(app->config, by_hand && !pe_app_is_pipeline(), app->arena);
	if (app->config->sandbox.mode != PE_SANDBOX_REQUIRE || app->confinement_noted)
		return;
	app->confinement_noted = true;
	pe_app_note(
		app,
		"commits of others are built with 'sandbox: require'; to change that, set 'sandbox: auto' or 'sandbox: off' in the config");
}
