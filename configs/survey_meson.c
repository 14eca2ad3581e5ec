/* Meson: programs, tests and benchmarks by calls whose first argument is a name in quotes. */
#include "configs/survey.h"

#include <ctype.h>
#include <string.h>

/* What the meson.build files of one project say. */
struct builds {
	struct pe_survey *survey;
	const char *dir; /* of the file being read, in the tree */
	bool has_tests, has_benchmarks;
};

/* The text in quotes at *at, moving it behind; NULL: there is none. */
static const char *quoted(const char **at, struct pe_arena *arena)
{
	const char *from = *at;
	size_t n;

	if (*from != '\'')
		return NULL;
	n = strcspn(from + 1, "'\n");
	*at = from + 1 + n + (from[1 + n] == '\'');
	return pe_arena_strndup(arena, from + 1, n);
}

/* The next call of a function behind *at: where its arguments begin; NULL: none. */
static const char *next_call(const char *at, const char *function)
{
	size_t n = strlen(function);

	for (; (at = strstr(at, function)) != NULL; at += n) {
		const char *open = at + n + strspn(at + n, " \t");
		const char *line = at;

		while (line[-1] != '\n' && line[-1] != '\0' && line[-1] != '#')
			line--;
		if (*open == '(' && !isalnum((unsigned char)at[-1]) && at[-1] != '_' &&
		    at[-1] != '.' && line[-1] != '#')
			return open + 1;
	}
	return NULL;
}

/* executable('name', 'a.cc', files('b.cc'), ...): every text in quotes up to the parenthesis that closes it. */
static void take_executable(struct builds *builds, const char *at)
{
	struct pe_survey *survey = builds->survey;
	const char *format = NULL, *name, *dir, *path;
	bool hidden = false;

	at += strspn(at, " \t\r\n");
	name = quoted(&at, survey->arena);
	if (name == NULL)
		return;
	for (unsigned depth = 1; *at != '\0' && depth > 0;) {
		const char *word = quoted(&at, survey->arena), *ending;

		if (word == NULL) {
			depth += *at == '(' ? 1u : *at == ')' ? -1u : 0u;
			at++;
			continue;
		}
		ending = strrchr(word, '.');
		if (format == NULL && ending != NULL && ending[1] == 'c' && pe_survey_is_fit(word))
			format = pe_survey_library_of(
				survey, pe_survey_join(survey, builds->dir, word), &hidden);
	}
	dir = strcmp(builds->dir, ".") == 0 ? "build"
					    : pe_survey_join(survey, "build", builds->dir);
	path = pe_survey_join(survey, dir, name);
	if (format == NULL)
		pe_survey_add_program(survey, name, path);
	else if (pe_survey_is_fit(path))
		pe_survey_add_suite(
			survey, name,
			hidden ? pe_arena_printf(survey->arena, "%s '[!benchmark]'", path) : path,
			format, NULL);
}

/* Options that are off and speak of benchmarks. */
static void add_options(struct pe_text *setup, const struct pe_survey *survey)
{
	const char *text = pe_survey_read(survey, "meson.options");

	if (text == NULL)
		text = pe_survey_read(survey, "meson_options.txt");
	if (text == NULL)
		return;
	text = pe_arena_printf(survey->arena, "\n%s", text) + 1;
	for (const char *at = text; (at = next_call(at, "option")) != NULL;) {
		const char *call = pe_arena_strndup(survey->arena, at, strcspn(at, ")"));
		const char *name;

		at += strspn(at, " \t\r\n");
		name = quoted(&at, survey->arena);
		if (name == NULL || strstr(name, "bench") == NULL || !pe_survey_is_fit(name))
			continue;
		if (strstr(call, "'feature'") != NULL)
			pe_text_addf(setup, " -D%s=enabled", name);
		else if (strstr(call, "'boolean'") != NULL && strstr(call, "false") != NULL)
			pe_text_addf(setup, " -D%s=true", name);
	}
}

static void read_build(struct builds *builds, const struct pe_found *found)
{
	const char *text = pe_survey_read(builds->survey, found->path);

	if (text == NULL)
		return;
	builds->dir = found->dir;
	text = pe_arena_printf(builds->survey->arena, "\n%s", text) +
	       1; /* a byte to look back at */
	for (const char *at = text; (at = next_call(at, "executable")) != NULL;)
		take_executable(builds, at);
	builds->has_tests = builds->has_tests || next_call(text, "test") != NULL;
	builds->has_benchmarks = builds->has_benchmarks || next_call(text, "benchmark") != NULL;
}

bool pe_survey_meson(struct pe_survey *survey)
{
	struct builds builds = {.survey = survey};
	pe_auto_text setup = PE_TEXT_INIT;
	pe_auto_free pe_found_vec found = {0};

	if (!pe_survey_has(survey, "meson.build"))
		return false;
	survey->system = "Meson";
	pe_survey_find(&found, survey, "meson.build", 4);
	for (size_t i = 0; i < found.n; i++)
		read_build(&builds, &found.data[i]);
	if (builds.has_benchmarks)
		survey->tests = "meson-benchmarks";
	else if (builds.has_tests)
		survey->tests = "meson";
	pe_text_add(&setup, "meson setup build --buildtype=release");
	if (survey->benches.n + survey->suites.n > 0 || builds.has_benchmarks)
		add_options(&setup, survey);
	pe_survey_add_step(survey, setup.data);
	pe_survey_add_step(survey, "meson compile -C build");
	return true;
}
