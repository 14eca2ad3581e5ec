/* npm: what package.json says of building and measuring. */
#include "configs/survey.h"
#include "core/json/json.h"

#include <string.h>

enum { MAX_PARTS = 8 };

/* Whether every word of a text may go into a command as it is. */
static bool is_plain(const struct pe_survey *survey, const char *text)
{
	char *rest = NULL;
	const char *word = strtok_r(pe_arena_strdup(survey->arena, text), " ", &rest);

	for (; word != NULL; word = strtok_r(NULL, " ", &rest))
		if (!pe_survey_is_fit(word + strspn(word, "-")))
			return false;
	return true;
}

/* "a && b" in its parts; 0 when there are too many, or words that a shell reads otherwise. */
static size_t split_script(const char *parts[MAX_PARTS], const struct pe_survey *survey,
			   const char *script)
{
	size_t n = 0;

	for (const char *at = script;; at += 2) {
		const char *end = strstr(at, "&&");
		size_t len = end != NULL ? (size_t)(end - at) : strlen(at);

		while (len > 0 && *at == ' ') {
			at++;
			len--;
		}
		while (len > 0 && at[len - 1] == ' ')
			len--;
		if (n == MAX_PARTS || len == 0)
			return 0;
		parts[n] = pe_arena_strndup(survey->arena, at, len);
		/* "A=1 node x" is not fit, and "cd x" would end with its step. */
		if (!is_plain(survey, parts[n]) || strncmp(parts[n], "cd ", 3) == 0)
			return 0;
		n++;
		if (end == NULL)
			return n;
		at = end;
	}
}

static bool has_step(const struct pe_survey *survey, const char *step)
{
	for (size_t i = 0; i < survey->steps.n; i++)
		if (strcmp(survey->steps.data[i], step) == 0)
			return true;
	return false;
}

/* "npm run build && node bench.js": what comes before the last part builds. npm's scripts find programs of packages. */
static void add_script(struct pe_survey *survey, const char *name, const char *script)
{
	struct pe_arena *arena = survey->arena;
	const char *parts[MAX_PARTS];
	size_t n = split_script(parts, survey, script);

	for (size_t i = 0; i + 1 < n; i++) {
		bool whole =
			strncmp(parts[i], "npm ", 4) == 0 || strncmp(parts[i], "node ", 5) == 0;
		const char *step = whole ? parts[i] : pe_arena_printf(arena, "npx %s", parts[i]);

		if (!has_step(survey, step))
			pe_survey_add_step(survey, step);
	}
	/* npm itself takes longer to start than many benchmarks run: name node where that is all. */
	if (n > 0 && strncmp(parts[n - 1], "node ", 5) == 0) {
		pe_survey_add_bench(survey, name, parts[n - 1]);
		return;
	}
	pe_survey_add_bench(survey, name,
			    n > 1 ? pe_arena_printf(arena, "npx %s", parts[n - 1])
				  : pe_arena_printf(arena, "npm run --silent %s", name));
	if (n == 0 && strstr(script, "&&") != NULL)
		pe_survey_add_unknown(
			survey,
			pe_arena_printf(
				arena,
				"which part of the script '%s' is the benchmark: all of it runs each time ('%.100s'); name the last command alone, and let 'build' do the others",
				name, script));
}

/* A file that others load is no program. */
static bool is_program(const char *text)
{
	return strstr(text, "module.exports") == NULL && strstr(text, "\nexport ") == NULL &&
	       strncmp(text, "export ", 7) != 0;
}

bool pe_survey_npm(struct pe_survey *survey)
{
	struct pe_arena *arena = survey->arena;
	struct pe_npm_package package = {0};
	const char *text = pe_survey_read(survey, "package.json");
	const char *program;

	if (!pe_survey_has(survey, "package.json"))
		return false;
	survey->system = "npm";
	survey->profile = "node";
	if (text == NULL || pe_json_npm_package(&package, text, strlen(text), arena, NULL) != PE_OK)
		pe_survey_add_unknown(survey, "what package.json says: it cannot be read as JSON");
	/* What one commit fetched serves the next: it is sooner there, and of the same version. */
	pe_vec_push(&survey->prepares,
		    pe_survey_has(survey, "package-lock.json")
			    ? "npm ci --prefer-offline --no-audit --no-fund"
			    : "npm install --prefer-offline --no-audit --no-fund");
	if (package.build != NULL)
		pe_survey_add_step(survey, "npm run build");
	if (package.bench != NULL) {
		add_script(survey, package.bench_name, package.bench);
	} else {
		pe_survey_add_scripts(survey, "*.js", "node", is_program);
		pe_survey_add_scripts(survey, "*.mjs", "node", is_program);
		pe_survey_add_scripts(survey, "*.cjs", "node", is_program);
	}
	if (package.suite != NULL)
		pe_survey_add_unknown(
			survey,
			pe_arena_printf(
				arena,
				"single benchmarks of '%s', whose results perfevo does not read: let the script print them as JSON lines (docs/suites.md)",
				package.suite));
	program = package.bin != NULL ? package.bin : package.main;
	if (program != NULL)
		pe_vec_push(
			&survey->programs,
			(struct pe_candidate){"start", pe_arena_printf(arena, "node %s", program)});
	return true;
}
