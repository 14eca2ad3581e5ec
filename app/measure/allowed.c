#include "app/measure/allowed.h"

#include "configs/listing.h"
#include "core/base/files.h"
#include "core/exec/sandbox.h"

#include <stdlib.h>
#include <string.h>

/* --- Permissions that a config wants, one a line --- */

static void ask(struct pe_text *out, const char *key, const char *value)
{
	if (value == NULL)
		return;
	pe_text_addf(out, "%s: ", key);
	/* Escape newlines, so that values which differ only in them give different lines. */
	for (const char *c = value; *c != '\0'; c++)
		if (*c == '\n' || *c == '\\')
			pe_text_add(out, *c == '\n' ? "\\n" : "\\\\");
		else
			pe_text_addc(out, *c);
	pe_text_addc(out, '\n');
}

static void ask_each(struct pe_text *out, const char *key, const struct pe_strings *values)
{
	for (size_t i = 0; i < values->n; i++)
		ask(out, key, values->at[i]);
}

/* Add words whose order matters as one value. */
static void ask_words(struct pe_text *out, const char *key, const struct pe_strings *words)
{
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = 0; i < words->n; i++) {
		pe_text_add(&line, i > 0 ? " " : "");
		pe_text_add_word(&line, words->at[i]);
	}
	ask(out, key, words->n > 0 ? pe_text_str(&line) : NULL);
}

/* Add files of the user's tree that are not committed: private settings, keys. */
static void ask_untracked(struct pe_text *out, struct pe_app *app, const struct pe_strings *paths,
			  const char *noun)
{
	const struct pe_config *config = app->config;
	struct pe_strings files;
	struct pe_revision head;
	const char **names;
	struct pe_listing listing;
	char(*ids)[PE_OID_HEX];

	/* Files that cannot be listed are not used either. */
	if (paths->n == 0 || config->root == NULL ||
	    pe_listing_read(&listing, config->root, paths, noun, app->arena, NULL) != PE_OK)
		return;
	names = pe_arena_new(app->arena, const char *, listing.n + 1);
	for (size_t i = 0; i < listing.n; i++)
		names[i] = listing.at[i].path;
	files = (struct pe_strings){names, listing.n};
	ids = pe_arena_alloc(app->arena, listing.n + 1, sizeof(*ids));
	if (pe_repo_resolve(&head, app->repo, "HEAD", app->arena, NULL) != PE_OK ||
	    pe_repo_path_ids(ids, app->repo, head.id, &files, NULL) != PE_OK)
		memset(ids, 0, (listing.n + 1) * sizeof(*ids));
	for (size_t i = 0; i < files.n; i++)
		if (ids[i][0] == '\0')
			ask(out, "untracked file", files.at[i]);
}

/*
 * Whether a revision is given by its id. A user who has the id has the commit; a name may be that of a stash or a local
 * branch.
 */
static bool is_id(const char *revision)
{
	const size_t n = strlen(revision);

	return n >= 7 && strspn(revision, "0123456789abcdef") == n;
}

/* Add bounds that the config sets itself: of memory and processes, and of disk above the default. */
static void ask_bounds(struct pe_text *out, struct pe_app *app)
{
	const struct pe_limits *limits = &app->config->limits;
	const unsigned long long disk_mib = app->config->disk_bytes >> 20;

	if (limits->memory_at != NULL)
		ask(out, "limits memory",
		    pe_arena_printf(app->arena, "%llu MiB",
				    (unsigned long long)limits->memory_bytes >> 20));
	if (limits->processes_at != NULL)
		ask(out, "limits processes", pe_arena_printf(app->arena, "%u", limits->processes));
	if (disk_mib > PE_DISK_BYTES >> 20)
		ask(out, "disk", pe_arena_printf(app->arena, "%llu MiB", disk_mib));
}

static void add_asked(struct pe_text *out, struct pe_app *app)
{
	const struct pe_config *config = app->config;
	const struct pe_sandbox *sandbox = &config->sandbox;
	const char *user = getenv("PERFEVO_SANDBOX");

	/* PERFEVO_SANDBOX overrides the config's mode. */
	if (sandbox->mode != PE_SANDBOX_REQUIRE && (user == NULL || *user == '\0'))
		ask(out, "sandbox", pe_sandbox_mode_name(sandbox->mode));
	if (sandbox->mode == PE_SANDBOX_REQUIRE && pe_sandbox_has_network(sandbox))
		ask(out, "sandbox", "network");
	else if (sandbox->mode != PE_SANDBOX_OFF && !pe_sandbox_has_network(sandbox) &&
		 config->recipe.prepare.n > 0)
		ask(out, "sandbox", "network for build prepare");
	if (sandbox->mode != PE_SANDBOX_OFF) {
		ask_each(out, "sandbox reads", &sandbox->read);
		ask_each(out, "sandbox writes", &sandbox->write);
	}
	ask_bounds(out, app);
	ask_each(out, "pass-env", &config->surroundings.pass_env);
	ask_each(out, "build pass-env", &config->recipe.pass_env);
	if (config->overlay.revision == NULL)
		ask_untracked(out, app, &config->overlay.paths, "overlay");
	else if (!is_id(config->overlay.revision))
		ask(out, "overlay revision", config->overlay.revision);
	for (size_t i = 0; i < config->n_benchmarks; i++)
		ask_untracked(out, app, &config->benchmarks[i].inputs, "input");
	ask_each(out, "trust", &config->trust);
	ask(out, "cache", config->cache_dir);
	ask(out, "farm spool", config->farm.spool);
	ask(out, "farm cache", config->farm.cache);
	ask(out, "farm account", config->farm.account);
	ask_words(out, "farm options", &config->farm.options);
	ask(out, "nightly farm", config->nightly.farm);
	ask(out, "nightly fetch", config->nightly.fetch);
	ask(out, "nightly command", config->nightly.command);
	ask(out, "nightly mail", config->nightly.mail);
	ask(out, "nightly file", config->nightly.file);
	ask(out, "nightly report", config->nightly.report);
}

static bool has_line(const char *lines, const char *line, size_t n)
{
	for (const char *at = lines; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
		if (strcspn(at, "\n") == n && strncmp(at, line, n) == 0)
			return true;
	return false;
}

/* Add the lines that are not allowed, with a separator. */
static size_t add_missing(struct pe_text *out, const char *asked, const char *allowed,
			  const char *between)
{
	size_t missing = 0;

	for (const char *at = asked; *at != '\0'; at += strcspn(at, "\n") + 1) {
		size_t n = strcspn(at, "\n");

		if (has_line(allowed, at, n))
			continue;
		pe_text_addf(out, "%s%.*s", missing++ > 0 ? between : "", (int)n, at);
	}
	return missing;
}

/* --- The file of permissions --- */

static const char *file_of(struct pe_app *app)
{
	return pe_arena_printf(app->arena, "%s/perfevo/allowed", pe_repo_common_dir(app->repo));
}

static int write_allowed(struct pe_app *app, const struct pe_text *lines)
{
	const char *path = file_of(app);

	PE_TRY(pe_files_make_dir(
		pe_arena_printf(app->arena, "%s/perfevo", pe_repo_common_dir(app->repo)),
		app->err));
	return pe_text_write_file_as(lines, path, 0600, app->err);
}

/* The config's path from the top of the tree. */
static const char *name_in_tree(const struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo), *path = app->config->path;
	const char *below = tree != NULL ? pe_path_below(path, tree) : NULL;

	return below != NULL ? below : pe_path_name(path);
}

int pe_allowed_check(struct pe_app *app)
{
	pe_auto_text asked = PE_TEXT_INIT, allowed = PE_TEXT_INIT, missing = PE_TEXT_INIT;
	struct pe_err why = PE_ERR_INIT;
	int rc;

	if (app->any_config || app->config_path != NULL || app->config_revision != NULL ||
	    pe_app_is_pipeline())
		return PE_OK;
	add_asked(&asked, app);
	rc = pe_text_read_file(&allowed, file_of(app), &why);
	if (rc != PE_OK && rc != PE_ENOTFOUND)
		return pe_fail(app->err, rc, "%s", why.message);
	if (rc == PE_ENOTFOUND)
		return write_allowed(app, &asked);
	if (add_missing(&missing, pe_text_str(&asked), pe_text_str(&allowed), "; ") == 0)
		return PE_OK;
	if (!pe_repo_is_own_work(app->repo, name_in_tree(app)))
		return pe_fail(
			app->err, PE_EUNSUPPORTED,
			"%s comes from somebody else and asks for more than was allowed here (%s): look at it, then run 'perfevo allow'",
			app->config->path, missing.data);
	pe_text_clear(&missing);
	add_missing(&missing, pe_text_str(&asked), pe_text_str(&allowed), "\n");
	pe_text_addf(&allowed, "%s\n", missing.data);
	return write_allowed(app, &allowed);
}

int pe_allowed_put(struct pe_app *app, struct pe_text *out, size_t *new)
{
	pe_auto_text allowed = PE_TEXT_INIT, missing = PE_TEXT_INIT;

	pe_text_read_file(&allowed, file_of(app), NULL);
	add_asked(out, app);
	*new = add_missing(&missing, pe_text_str(out), pe_text_str(&allowed), "\n");
	return write_allowed(app, out);
}
