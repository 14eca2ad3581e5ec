/* Hooks: git's hooks of this repository, installed, looked at and taken away. */
#include "hooks/folder.h"
#include "hooks/managers.h"

#include "cmd/commands.h"
#include "core/json/writer.h"
#include "vcs/hooked.h"

#include <string.h>
#include <sys/stat.h>

struct options {
	bool chosen[PE_N_HOOKS];
	bool global, anyway;
	int format;
};

struct surroundings {
	struct pe_cmd_ctx *ctx;
	const struct options *options;
	struct pe_hooks_place place;
	enum pe_hook_manager manager;
	const char *config; /* the manager's */
	const char *tree;   /* NULL: a bare repository */
};

static int survey(struct surroundings *out, struct pe_cmd_ctx *ctx, const struct options *options)
{
	int rc;

	*out = (struct surroundings){.ctx = ctx, .options = options};
	rc = pe_repo_hooks_place(&out->place, ctx->app.repo, ctx->app.arena, ctx->app.err);
	if (rc != PE_OK)
		return rc;
	out->tree = pe_repo_workdir(ctx->app.repo);
	out->manager = pe_manager_detect(&out->config, out->tree, out->place.folder);
	return PE_OK;
}

/* --- JSON --- */

/*
 * { "format": 1, "folder": where git looks, "origin": "own", "configured" or "shared", "manager": null or { "name",
 * "config" }, "hooks": [{ "name", then "state", "executable", "chained" of status, "done", "edited_aside" of the others }] }
 */
static void begin_json(struct pe_json *json, const struct surroundings *around)
{
	static const char *const origins[] = {[PE_HOOKS_OWN] = "own",
					      [PE_HOOKS_CONFIGURED] = "configured",
					      [PE_HOOKS_SHARED] = "shared"};

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "format", 1);
	pe_json_put(json, "folder", around->place.folder);
	pe_json_put(json, "origin", origins[around->place.origin]);
	if (pe_json_begin_maybe(json, "manager", around->manager != PE_MANAGER_NONE)) {
		pe_json_put(json, "name", pe_manager_name(around->manager));
		pe_json_put(json, "config", around->config);
		pe_json_end(json);
	}
	pe_json_begin_array(json, "hooks");
}

static void add_done(struct pe_json *json, const char *name, enum pe_hook_done done, bool aside)
{
	static const char *const names[] = {
		[PE_HOOK_NOTHING] = "nothing",
		[PE_HOOK_INSTALLED] = "installed",
		[PE_HOOK_CHAINED] = "chained",
		[PE_HOOK_RENEWED] = "renewed",
		[PE_HOOK_REMOVED] = "removed",
		[PE_HOOK_RESTORED] = "restored",
		[PE_HOOK_RESTORED_EDITED] = "restored-edited",
		[PE_HOOK_LEFT] = "left",
	};

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", name);
	pe_json_put(json, "done", names[done]);
	pe_json_put(json, "edited_aside", aside);
	pe_json_end(json);
}

static void add_state(struct pe_json *json, const char *name, const struct pe_hook_found *found)
{
	static const char *const names[] = {
		[PE_HOOK_ABSENT] = "absent",  [PE_HOOK_FOREIGN] = "foreign",
		[PE_HOOK_OURS] = "installed", [PE_HOOK_OUTDATED] = "outdated",
		[PE_HOOK_CHANGED] = "edited",
	};

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", name);
	pe_json_put(json, "state", names[found->state]);
	pe_json_bool(json, "executable", found->runs);
	pe_json_bool(json, "chained", found->kept);
	pe_json_end(json);
}

/* What was made so far, in either form. */
static int print_answer(const struct surroundings *around, const struct pe_text *text,
			struct pe_json *json)
{
	if (around->options->format == PE_FORMAT_JSON)
		pe_json_finish(json);
	return pe_cmd_print(around->ctx,
			    around->options->format == PE_FORMAT_JSON ? json->out : text, false);
}

static bool any(const bool chosen[PE_N_HOOKS])
{
	for (int i = 0; i < PE_N_HOOKS; i++)
		if (chosen[i])
			return true;
	return false;
}

/* --- Installing --- */

/* What a repository without a tree can have: only pushes start there. */
static int choose(bool chosen[PE_N_HOOKS], const struct surroundings *around)
{
	bool all = !any(around->options->chosen);

	for (int i = 0; i < PE_N_HOOKS; i++) {
		chosen[i] = all || around->options->chosen[i];
		if (around->tree != NULL || i == PE_HOOK_PRE_PUSH || !chosen[i])
			continue;
		if (!all)
			return pe_fail(
				around->ctx->app.err, PE_EUNSUPPORTED,
				"this repository is bare: nobody commits in it, so git never runs its %s hook (pre-push runs when you push from here)",
				pe_hook_name((enum pe_hook)i));
		chosen[i] = false;
	}
	if (all && around->tree == NULL)
		pe_app_note(
			&around->ctx->app,
			"this repository is bare: nobody commits in it, so only pre-push applies, which runs when you push from here");
	return PE_OK;
}

/* PE_OK when the folder may be written to. */
static int permit(const struct surroundings *around)
{
	const struct pe_hooks_place *place = &around->place;
	struct stat info;

	if (stat(place->folder, &info) == 0 && !S_ISDIR(info.st_mode))
		return pe_fail(
			around->ctx->app.err, PE_EINVALID,
			"core.hooksPath is %s, which is no folder: hooks are switched off here ('git config --unset core.hooksPath' switches them on)",
			place->setting != NULL ? place->setting : place->folder);
	if (place->origin == PE_HOOKS_SHARED && !around->options->global)
		return pe_fail(
			around->ctx->app.err, PE_EUNSUPPORTED,
			"core.hooksPath of your user or system is %s: git runs the hooks there in "
			"every repository. 'perfevo hooks install --global' installs there (they "
			"do nothing in a repository without perfevo.yml); 'git config "
			"core.hooksPath %s/hooks' gives this repository its own",
			place->setting, pe_repo_common_dir(around->ctx->app.repo));
	return PE_OK;
}

static int explain_manager(const struct surroundings *around, const bool chosen[PE_N_HOOKS])
{
	pe_auto_text text = PE_TEXT_INIT, document = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&document);

	begin_json(&json, around);
	pe_text_addf(&text,
		     "The hooks of this repository belong to %s, so nothing was installed.\n",
		     pe_manager_name(around->manager));
	pe_manager_advise(&text, around->manager, around->config, chosen);
	pe_text_add(&text,
		    "('perfevo hooks install --anyway' writes into git's folder all the same.)\n");
	return print_answer(around, &text, &json);
}

/* A folder of the tree itself is the team's. */
static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static bool is_in_tree(const struct surroundings *around, const char *folder)
{
	return around->tree != NULL && is_below(folder, around->tree) &&
	       !is_below(folder, pe_repo_common_dir(around->ctx->app.repo));
}

static void report_installed(struct pe_text *out, const char *name, enum pe_hook_done done,
			     bool aside)
{
	if (done == PE_HOOK_NOTHING)
		pe_text_addf(out, "%s: installed already\n", name);
	else if (done == PE_HOOK_CHAINED)
		pe_text_addf(
			out,
			"%s: installed; the hook that was there runs first, from %s" PE_HOOK_KEPT
			"\n",
			name, name);
	else
		pe_text_addf(out, "%s: %s\n", name,
			     done == PE_HOOK_RENEWED ? "renewed" : "installed");
	if (aside)
		pe_text_addf(out, "  it had been edited: that is in %s" PE_HOOK_EDITED "\n", name);
}

static int install(const struct surroundings *around)
{
	struct pe_cmd_ctx *ctx = around->ctx;
	struct pe_hooks_place made;
	pe_auto_text text = PE_TEXT_INIT, document = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&document);
	bool chosen[PE_N_HOOKS];
	int rc = choose(chosen, around);

	if (rc == PE_OK && around->manager != PE_MANAGER_NONE && !around->options->anyway) {
		rc = explain_manager(around, chosen);
		return rc == PE_OK ? PE_EXIT_FAILURE : pe_cmd_fail(ctx);
	}
	if (rc == PE_OK)
		rc = permit(around);
	begin_json(&json, around);
	for (int i = 0; rc == PE_OK && i < PE_N_HOOKS; i++) {
		enum pe_hook_done done;
		bool aside;

		if (!chosen[i])
			continue;
		rc = pe_hook_install(&done, &aside, around->place.folder, (enum pe_hook)i,
				     ctx->app.err);
		if (rc != PE_OK)
			break;
		report_installed(&text, pe_hook_name((enum pe_hook)i), done, aside);
		add_done(&json, pe_hook_name((enum pe_hook)i), done, aside);
	}
	if (print_answer(around, &text, &json) != PE_OK)
		rc = PE_ESYS;
	if (rc != PE_OK)
		return pe_cmd_fail(ctx);
	/* Asked again, now that the folder is there and its path can be resolved. */
	if (pe_repo_hooks_place(&made, ctx->app.repo, ctx->app.arena, ctx->app.err) == PE_OK &&
	    is_in_tree(around, made.folder))
		pe_app_note(
			&ctx->app,
			"%s is part of the tree (core.hooksPath): commit the hooks and everybody who uses that setting has them",
			made.folder);
	return PE_EXIT_GOOD;
}

/* --- Removing --- */

static void report_removed(struct pe_text *out, const char *name, enum pe_hook_done done,
			   bool aside)
{
	static const char *const what[] = {
		[PE_HOOK_NOTHING] = "none of perfevo's is there",
		[PE_HOOK_REMOVED] = "removed",
		[PE_HOOK_RESTORED] = "removed; the hook that was there before is back",
		[PE_HOOK_RESTORED_EDITED] =
			"removed; the hook that was there before is back, as it was edited since",
		[PE_HOOK_LEFT] = "left as it is: perfevo's hook was overwritten",
	};

	pe_text_addf(out, "%s: %s\n", name, what[done]);
	if (done == PE_HOOK_LEFT)
		pe_text_addf(out, "  the hook from before is in %s" PE_HOOK_KEPT "\n", name);
	if (aside)
		pe_text_addf(out, "  perfevo's had been edited: that is in %s" PE_HOOK_EDITED "\n",
			     name);
}

static int take_away(const struct surroundings *around)
{
	struct pe_cmd_ctx *ctx = around->ctx;
	pe_auto_text text = PE_TEXT_INIT, document = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&document);
	bool all = !any(around->options->chosen);
	int rc = PE_OK;

	if (around->place.origin == PE_HOOKS_SHARED && !around->options->global) {
		pe_fail(ctx->app.err, PE_EUNSUPPORTED,
			"core.hooksPath of your user or system is %s: 'perfevo hooks remove --global' removes the hooks of all your repositories",
			around->place.setting);
		return pe_cmd_fail(ctx);
	}
	begin_json(&json, around);
	for (int i = 0; rc == PE_OK && i < PE_N_HOOKS; i++) {
		enum pe_hook_done done;
		bool aside;

		if (!all && !around->options->chosen[i])
			continue;
		rc = pe_hook_remove(&done, &aside, around->place.folder, (enum pe_hook)i,
				    ctx->app.err);
		if (rc != PE_OK || (all && done == PE_HOOK_NOTHING))
			continue;
		report_removed(&text, pe_hook_name((enum pe_hook)i), done, aside);
		add_done(&json, pe_hook_name((enum pe_hook)i), done, aside);
	}
	if (rc == PE_OK && text.len == 0)
		pe_text_addf(&text, "none of perfevo's hooks is in %s\n", around->place.folder);
	if (print_answer(around, &text, &json) != PE_OK)
		rc = PE_ESYS;
	return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}

/* --- Looking --- */

static void report_state(struct pe_text *out, const char *name, const struct pe_hook_found *found)
{
	static const char *const states[] = {
		[PE_HOOK_ABSENT] = "not installed",
		[PE_HOOK_FOREIGN] = "not installed; there is another hook",
		[PE_HOOK_OURS] = "installed",
		[PE_HOOK_OUTDATED] =
			"installed by another version ('perfevo hooks install' renews it)",
		[PE_HOOK_CHANGED] = "installed, and edited since",
	};

	pe_text_addf(out, "%-12s %s", name, states[found->state]);
	if (found->state != PE_HOOK_ABSENT && found->state != PE_HOOK_FOREIGN) {
		if (!found->runs)
			pe_text_add(out, "; not executable, so git passes over it");
		if (found->kept)
			pe_text_add(out, "; runs another hook first");
	}
	pe_text_addc(out, '\n');
}

static int status(const struct surroundings *around)
{
	struct pe_cmd_ctx *ctx = around->ctx;
	pe_auto_text text = PE_TEXT_INIT, document = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&document);
	int rc = PE_OK;

	begin_json(&json, around);
	pe_text_addf(&text, "git looks for hooks in %s", around->place.folder);
	if (around->place.origin != PE_HOOKS_OWN)
		pe_text_addf(&text, " (core.hooksPath%s)",
			     around->place.origin == PE_HOOKS_SHARED ? " of every repository" : "");
	pe_text_addc(&text, '\n');
	if (around->manager != PE_MANAGER_NONE)
		pe_text_addf(&text, "they belong to %s (%s)\n", pe_manager_name(around->manager),
			     around->config);
	for (int i = 0; rc == PE_OK && i < PE_N_HOOKS; i++) {
		struct pe_hook_found found;

		rc = pe_hook_look(&found, around->place.folder, (enum pe_hook)i, ctx->app.err);
		if (rc != PE_OK)
			break;
		report_state(&text, pe_hook_name((enum pe_hook)i), &found);
		add_state(&json, pe_hook_name((enum pe_hook)i), &found);
	}
	if (rc == PE_OK)
		rc = print_answer(around, &text, &json);
	return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}

int cmd_hooks(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {0};
	const struct pe_opt opts[] = {
		OPT_FLAG(0, "post-commit", &options.chosen[PE_HOOK_POST_COMMIT],
			 "the hook that measures each commit"),
		OPT_FLAG(0, "pre-push", &options.chosen[PE_HOOK_PRE_PUSH],
			 "the hook that tests a push"),
		OPT_FLAG(0, "pre-commit", &options.chosen[PE_HOOK_PRE_COMMIT],
			 "the hook that reads a staged perfevo.yml"),
		OPT_FLAG(0, "global", &options.global,
			 "also where core.hooksPath makes them the hooks of every repository"),
		OPT_FLAG(0, "anyway", &options.anyway,
			 "also where a hook manager owns the hooks: its hook then runs first"),
		OPT_JSON(&options.format),
		OPT_END,
	};
	struct surroundings around;
	int code = pe_cmd_begin(ctx, opts, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc != 1)
		return pe_cmd_misused(ctx, "say what to do: install, remove or status");
	if (survey(&around, ctx, &options) != PE_OK)
		return pe_cmd_fail(ctx);
	if (strcmp(argv[0], "install") == 0)
		return install(&around);
	if (strcmp(argv[0], "remove") == 0)
		return take_away(&around);
	if (strcmp(argv[0], "status") == 0)
		return status(&around);
	return pe_cmd_misused(ctx, "there is no 'hooks %s': install, remove or status", argv[0]);
}
