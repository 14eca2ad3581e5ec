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
	*out = (struct surroundings){.ctx = ctx, .options = options};
	PE_TRY(pe_repo_hooks_place(&out->place, ctx->app.repo, ctx->app.arena, ctx->app.err));
	out->tree = pe_repo_workdir(ctx->app.repo);
	out->manager = pe_manager_detect(&out->config, out->tree);
	return PE_OK;
}

/* --- The answer --- */

/*
 * For people, or as JSON: { "format": 1, "folder": where git looks, "origin": "own", "configured" or "shared", "manager":
 * null or { "name", "config" }, "hooks": [{ "name", then "state", "executable", "chained" of status, "done",
 * "edited_aside" of the others }] }
 */
struct answer {
	const struct surroundings *around;
	struct pe_text text, document;
	struct pe_json json;
};

static void begin_answer(struct answer *out, const struct surroundings *around)
{
	static const char *const origins[] = {[PE_HOOKS_OWN] = "own",
					      [PE_HOOKS_CONFIGURED] = "configured",
					      [PE_HOOKS_SHARED] = "shared"};
	struct pe_json *json = &out->json;

	*out = (struct answer){.around = around};
	*json = (struct pe_json)PE_JSON_INIT(&out->document);
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

/* @param nothing  what PE_HOOK_NOTHING means */
static void add_done(struct answer *answer, enum pe_hook hook, enum pe_hook_done done, bool aside,
		     const char *nothing)
{
	static const struct {
		const char *name, *text;
	} kinds[] = {
		[PE_HOOK_NOTHING] = {"nothing", NULL},
		[PE_HOOK_INSTALLED] = {"installed", "installed"},
		[PE_HOOK_CHAINED] = {"chained",
				     "installed; the hook that was there runs first, from "},
		[PE_HOOK_RENEWED] = {"renewed", "renewed"},
		[PE_HOOK_REMOVED] = {"removed", "removed"},
		[PE_HOOK_RESTORED] = {"restored",
				      "removed; the hook that was there before is back"},
		[PE_HOOK_RESTORED_EDITED] =
			{"restored-edited",
			 "removed; the hook that was there before is back, as it was edited since"},
		[PE_HOOK_LEFT] = {"left", "left as it is: perfevo's hook was overwritten"},
	};
	const char *name = pe_hook_name(hook);
	struct pe_text *text = &answer->text;

	pe_text_addf(text, "%s: %s", name, done == PE_HOOK_NOTHING ? nothing : kinds[done].text);
	if (done == PE_HOOK_CHAINED)
		pe_text_addf(text, "%s" PE_HOOK_KEPT, name);
	if (done == PE_HOOK_LEFT)
		pe_text_addf(text, "\n  the hook from before is in %s" PE_HOOK_KEPT, name);
	if (aside)
		pe_text_addf(text, "\n  perfevo's had been edited: that is in %s" PE_HOOK_EDITED,
			     name);
	pe_text_addc(text, '\n');
	pe_json_begin_object(&answer->json, NULL);
	pe_json_put(&answer->json, "name", name);
	pe_json_put(&answer->json, "done", kinds[done].name);
	pe_json_put(&answer->json, "edited_aside", aside);
	pe_json_end(&answer->json);
}

static void add_state(struct answer *answer, enum pe_hook hook, const struct pe_hook_found *found)
{
	static const struct {
		const char *name, *text;
	} states[] = {
		[PE_HOOK_ABSENT] = {"absent", "not installed"},
		[PE_HOOK_FOREIGN] = {"foreign", "not installed; there is another hook"},
		[PE_HOOK_OURS] = {"installed", "installed"},
		[PE_HOOK_OUTDATED] =
			{"outdated",
			 "installed by another version ('perfevo hooks install' renews it)"},
		[PE_HOOK_CHANGED] = {"edited", "installed, and edited since"},
	};
	bool ours = found->state != PE_HOOK_ABSENT && found->state != PE_HOOK_FOREIGN;

	pe_text_addf(&answer->text, "%-12s %s%s%s\n", pe_hook_name(hook), states[found->state].text,
		     ours && !found->runs ? "; not executable, so git passes over it" : "",
		     ours && found->kept ? "; runs another hook first" : "");
	pe_json_begin_object(&answer->json, NULL);
	pe_json_put(&answer->json, "name", pe_hook_name(hook));
	pe_json_put(&answer->json, "state", states[found->state].name);
	pe_json_bool(&answer->json, "executable", found->runs);
	pe_json_bool(&answer->json, "chained", found->kept);
	pe_json_end(&answer->json);
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

static int explain_manager(struct answer *answer, const bool chosen[PE_N_HOOKS])
{
	const struct surroundings *around = answer->around;

	pe_text_addf(&answer->text,
		     "The hooks of this repository belong to %s, so nothing was installed.\n",
		     pe_manager_name(around->manager));
	pe_manager_advise(&answer->text, around->manager, around->config, chosen);
	pe_text_add(&answer->text,
		    "('perfevo hooks install --anyway' writes into git's folder all the same.)\n");
	return PE_EXIT_FAILURE;
}

/* A folder of the tree itself is the team's. */
static bool is_in_tree(const struct surroundings *around, const char *folder)
{
	return around->tree != NULL && pe_path_below(folder, around->tree) != NULL &&
	       pe_path_below(folder, pe_repo_common_dir(around->ctx->app.repo)) == NULL;
}

static int install(struct answer *answer)
{
	const struct surroundings *around = answer->around;
	struct pe_cmd_ctx *ctx = around->ctx;
	struct pe_hooks_place made;
	bool chosen[PE_N_HOOKS];

	PE_TRY(choose(chosen, around));
	if (around->manager != PE_MANAGER_NONE && !around->options->anyway)
		return explain_manager(answer, chosen);
	PE_TRY(permit(around));
	for (int i = 0; i < PE_N_HOOKS; i++) {
		enum pe_hook_done done;
		bool aside;

		if (!chosen[i])
			continue;
		PE_TRY(pe_hook_install(&done, &aside, around->place.folder, (enum pe_hook)i,
				       ctx->app.err));
		add_done(answer, (enum pe_hook)i, done, aside, "installed already");
	}
	/* Asked again, now that the folder is there and its path can be resolved. */
	if (pe_repo_hooks_place(&made, ctx->app.repo, ctx->app.arena, ctx->app.err) == PE_OK &&
	    is_in_tree(around, made.folder))
		pe_app_note(
			&ctx->app,
			"%s is part of the tree (core.hooksPath): commit the hooks and everybody who uses that setting has them",
			made.folder);
	return PE_OK;
}

/* --- Removing --- */

static int take_away(struct answer *answer)
{
	const struct surroundings *around = answer->around;
	struct pe_cmd_ctx *ctx = around->ctx;
	bool all = !any(around->options->chosen);

	if (around->place.origin == PE_HOOKS_SHARED && !around->options->global)
		return pe_fail(
			ctx->app.err, PE_EUNSUPPORTED,
			"core.hooksPath of your user or system is %s: 'perfevo hooks remove --global' removes the hooks of all your repositories",
			around->place.setting);
	for (int i = 0; i < PE_N_HOOKS; i++) {
		enum pe_hook_done done;
		bool aside;

		if (!all && !around->options->chosen[i])
			continue;
		PE_TRY(pe_hook_remove(&done, &aside, around->place.folder, (enum pe_hook)i,
				      ctx->app.err));
		if (!all || done != PE_HOOK_NOTHING)
			add_done(answer, (enum pe_hook)i, done, aside,
				 "none of perfevo's is there");
	}
	if (answer->text.len == 0)
		pe_text_addf(&answer->text, "none of perfevo's hooks is in %s\n",
			     around->place.folder);
	return PE_OK;
}

/* --- Looking --- */

static int status(struct answer *answer)
{
	const struct surroundings *around = answer->around;

	pe_text_addf(&answer->text, "git looks for hooks in %s", around->place.folder);
	if (around->place.origin != PE_HOOKS_OWN)
		pe_text_addf(&answer->text, " (core.hooksPath%s)",
			     around->place.origin == PE_HOOKS_SHARED ? " of every repository" : "");
	pe_text_addc(&answer->text, '\n');
	if (around->manager != PE_MANAGER_NONE)
		pe_text_addf(&answer->text, "they belong to %s (%s)\n",
			     pe_manager_name(around->manager), around->config);
	for (int i = 0; i < PE_N_HOOKS; i++) {
		struct pe_hook_found found;

		PE_TRY(pe_hook_look(&found, around->place.folder, (enum pe_hook)i,
				    around->ctx->app.err));
		add_state(answer, (enum pe_hook)i, &found);
	}
	return PE_OK;
}

/* Print what there is, also where a hook failed. */
static int answer_with(int (*act)(struct answer *answer), const struct surroundings *around)
{
	bool as_json = around->options->format == PE_FORMAT_JSON;
	struct answer answer;
	int rc;

	begin_answer(&answer, around);
	rc = act(&answer);
	pe_json_finish(&answer.json);
	if (pe_cmd_print(around->ctx, as_json ? &answer.document : &answer.text, false) != PE_OK)
		rc = PE_ESYS;
	pe_text_release(&answer.text);
	pe_text_release(&answer.document);
	return rc;
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

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (argc != 1)
		return pe_cmd_misused(ctx, "say what to do: install, remove or status");
	PE_TRY(survey(&around, ctx, &options));
	if (strcmp(argv[0], "install") == 0)
		return answer_with(install, &around);
	if (strcmp(argv[0], "remove") == 0)
		return answer_with(take_away, &around);
	if (strcmp(argv[0], "status") == 0)
		return answer_with(status, &around);
	return pe_cmd_misused(ctx, "there is no 'hooks %s': install, remove or status", argv[0]);
}
