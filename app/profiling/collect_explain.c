/*
 * Why a run left nothing to show, told from the files of the programs: what cannot be preloaded into, what has no
 * hooks, and what has no names, because it was stripped.
 */
#include "app/profiling/collect_internal.h"

#include "core/base/utf8.h"
#include "core/exec/alloc.h"
#include "core/exec/dependencies.h"
#include "analysis/symbols/hooks.h"

#include <string.h>

/* --- Without names --- */

static const char *why_nameless(const struct pe_symbols_module *module)
{
	switch (module->state) {
	case PE_SYMBOLS_GONE:
		return "its file was gone after the run";
	case PE_SYMBOLS_CHANGED:
		return "its file was replaced during the run";
	default:
		return "its symbols were stripped";
	}
}

/* Stubs and start-up code have no names in whole programs either: more than a few addresses. */
static bool is_nameless(const struct pe_symbols_module *module)
{
	return module->unnamed > 0 && 20 * module->unnamed > module->asked;
}

static const char STRIP_REMEDY[] =
	"perfevo keeps symbols where gcc and clang would remove them (-s), but not where strip or "
	"objcopy do.\n"
	"A build that strips nothing can be named in perfevo.yml: 'profile: {build: ...}'.\n";

void pe_collecting_nameless(struct pe_collecting *collecting,
			    const struct pe_collecting_place *place, struct pe_symbols_db *db)
{
	pe_auto_text text = PE_TEXT_INIT;
	size_t n;
	const struct pe_symbols_module *modules = pe_symbols_modules(db, &n);
	bool any = false;

	pe_text_addf(&text,
		     "the calls of '%s' were counted, but none of the functions has a name:\n",
		     collecting->benchmark->name);
	for (size_t i = 0; i < n; i++) {
		const char *path = pe_path_below(modules[i].path, place->tree);

		if (modules[i].unnamed == 0)
			continue;
		any = true;
		pe_text_addf(&text, "  %s: %s\n", path != NULL ? path : modules[i].path,
			     why_nameless(&modules[i]));
	}
	if (any) {
		pe_text_add(&text, STRIP_REMEDY);
		pe_collecting_fail(collecting, place->stage, PE_NOT_COUNTABLE, 0,
				   pe_arena_strdup(collecting->arena, pe_text_str(&text)));
	}
}

void pe_collecting_advise_names(struct pe_collecting *collecting, const char *tree,
				struct pe_symbols_db *db)
{
	size_t n;
	const struct pe_symbols_module *modules = pe_symbols_modules(db, &n);

	for (size_t i = 0; i < n; i++) {
		const char *path = pe_path_below(modules[i].path, tree);

		if (path != NULL && is_nameless(&modules[i]))
			pe_collecting_advise(
				collecting,
				"functions of %s have no names (%s): 'profile: {build: ...}' in perfevo.yml can name a build that keeps them",
				path, why_nameless(&modules[i]));
	}
}

/* --- Without results --- */

/*
 * Whether it is a program that lacks hooks, which a flag would cure.
 *
 * @param loaded  a library of perfevo was seen to be preloaded into it
 */
static bool describe_program(struct pe_text *out, const char *tree, const char *program, bool hooks,
			     bool loaded)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *path =
		program[0] == '/' ? program : pe_arena_printf(&arena, "%s/%s", tree, program);
	struct pe_hooks found;
	bool lacks = false;
	char reason[256] = "";

	if (pe_hooks_look(&found, path, NULL) != PE_OK || !found.is_elf)
		return false;
	if (!pe_alloc_countable(path, reason, sizeof(reason))) {
		pe_text_addf(out, "  %s: %s\n", program, reason);
	} else if (hooks && found.own) {
		pe_text_addf(out, "  %s: it brings hooks of its own\n", program);
	} else if (hooks && !found.imported) {
		lacks = true;
		pe_text_addf(out, "  %s: ", program);
		if (found.functions > 0)
			pe_text_addf(out, "none of its %zu functions has a hook\n",
				     found.functions);
		else
			pe_text_add(out, "it has no hooks\n");
	} else {
		pe_text_addf(
			out, "  %s: %s\n", program,
			!loaded ? "perfevo's library was not loaded into it: does its command clear the environment, or start it elsewhere?"
			: hooks ? "it has hooks, but no function that calls one was run"
				: "perfevo's library was loaded into it, but could not take samples");
	}
	return lacks;
}

/* Describe the programs of the tree that the benchmark starts. @return  whether there are any */
static bool describe_programs(struct pe_text *out, const struct pe_dependencies *touched,
			      const struct pe_collecting *collecting, const char *tree, bool hooks)
{
	const struct pe_benchmark *benchmark = collecting->benchmark;
	size_t before = out->len;
	struct pe_strings words;
	bool lacks = false;

	for (size_t i = 0; i < touched->programs.n; i++)
		if (touched->programs.at[i][0] != '/')
			lacks |= describe_program(out, tree, touched->programs.at[i], hooks, true);
	/* A static program leaves no record of its start: the words of the command are used. */
	words = pe_benchmark_words(benchmark, collecting->arena);
	for (size_t i = 0; out->len == before && i < words.n; i++)
		lacks |= describe_program(out, tree, words.at[i], hooks, false);
	if (out->len == before)
		pe_text_add(out,
			    "  it starts no program (ELF) of the tree that perfevo could trace\n");
	return lacks;
}

const char *pe_collecting_ignores_flags(const struct pe_recipe *recipe)
{
	static const char *const tools[] = {"cargo", "rustc", "go", "zig"};

	for (size_t i = 0; i < recipe->steps.n; i++)
		for (size_t k = 0; k < sizeof(tools) / sizeof(*tools); k++) {
			const char *text = recipe->steps.at[i].text;
			const size_t n = strlen(tools[k]);

			for (const char *at = strstr(text, tools[k]); at != NULL;
			     at = strstr(at + n, tools[k]))
				if ((at == text || strchr(" /;&|", at[-1]) != NULL) &&
				    (at[n] == '\0' || at[n] == ' '))
					return tools[k];
		}
	return NULL;
}

static void add_remedy(struct pe_text *out, const struct pe_collecting *collecting, bool lacks)
{
	const struct pe_recipe *recipe = &collecting->session->app->config->recipe;

	if (!lacks) {
		pe_text_add(
			out,
			"Profiles of other tools can be imported: 'perfevo import', or 'profile: {command: ...}' in perfevo.yml.\n");
		return;
	}
	if (pe_collecting_ignores_flags(recipe) != NULL) {
		pe_text_addf(out, "%s does not read CFLAGS: take samples alone, --mode samples.\n",
			     pe_collecting_ignores_flags(recipe));
		return;
	}
	pe_text_addf(out,
		     "The project's build has to pass the flags on itself. In perfevo.yml, for "
		     "example:\n"
		     "  profile:\n"
		     "    build: make CFLAGS='-O2 -g -finstrument-functions'\n"
		     "in place of '%s'; or take samples alone: --mode samples.\n",
		     recipe->steps.n > 0 ? recipe->steps.at[recipe->steps.n - 1].text : "build:");
}

const char *pe_collected_why(const struct pe_collected *collected)
{
	return collected->outcome == PE_NOT_COUNTABLE ? "no profile"
						      : pe_outcome_say(collected->outcome);
}

const char *pe_collected_say_failure(const struct pe_collected *collected, const char *who,
				     const char *revision, struct pe_arena *arena)
{
	const char *error = pe_utf8_error_line(collected->log);
	const char *log = error != NULL ? error : collected->log;
	size_t n = strcspn(log, "\n");

	while (n > 0 && strchr(": ", log[n - 1]) != NULL)
		n--;
	return pe_arena_printf(
		arena,
		"%s could not be profiled: %s: %s%s%.*s; 'perfevo profile %.10s' shows the whole message",
		who, collected->stage, pe_collected_why(collected), n > 0 ? ": " : "",
		(int)(n < 200 ? n : 200), log, revision);
}

const char *pe_collected_why_untimed(const struct pe_collected sides[2],
				     const struct pe_benchmark *benchmark)
{
	const struct pe_profile_plan *plan = benchmark->profile;
	bool timed = true, counted = true;

	for (int side = 0; side < 2; side++) {
		const struct pe_cct *cct = sides[side].cct;

		if (cct == NULL)
			return NULL;
		timed = timed && (cct->known & PE_CCT_TIME) != 0;
		counted = counted && (cct->known & PE_CCT_CALLS) != 0;
	}
	/* With counts alone requested, it needs no explanation. */
	if (timed || !counted || (plan != NULL && plan->mode == PE_PROFILE_COUNTING))
		return NULL;
	return "times of calls are unknown, because the runs are too short to be sampled: the explanation "
	       "uses counts of calls and allocations. For times, use a longer benchmark, or more "
	       "'profile: {runs: ...}' in perfevo.yml, with --again";
}

const char *pe_collected_why_whole(const struct pe_benchmark *benchmark, struct pe_arena *arena)
{
	if (!benchmark->is_whole_suite)
		return NULL;
	return pe_arena_printf(
		arena,
		"the profiles are of the whole suite '%s', so that what is named below may have changed in "
		"another of its benchmarks: perfevo has no way to run one of them alone ('filter' of "
		"the suite in perfevo.yml gives it one)",
		benchmark->suite->name);
}

int pe_collecting_explain(struct pe_collecting *collecting, const char *tree, const char *what,
			  bool hooks)
{
	struct pe_session *session = collecting->session;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_dependencies touched = {.complete = false};
	struct pe_run run = {.kind = PE_RUN_COUNTED};

	if (session->runner.alloc_library != NULL)
		PE_TRY(pe_runner_probe(&touched, &run, &session->runner, collecting->benchmark,
				       tree, NULL, collecting->arena, session->app->err));
	pe_text_addf(&text, "nothing was recorded of '%s' in its %s:\n",
		     collecting->benchmark->name, what);
	collecting->hookless = describe_programs(&text, &touched, collecting, tree, hooks);
	add_remedy(&text, collecting, collecting->hookless);
	pe_collecting_fail(collecting, what, PE_NOT_COUNTABLE, 0,
			   pe_arena_strdup(collecting->arena, pe_text_str(&text)));
	return PE_OK;
}
