/*
 * Meson: programs, tests and benchmarks by calls whose first argument is a name in quotes. A program is measured once: what
 * test() or benchmark() runs is left to these, with the arguments that they give it, but for a suite, whose library gives
 * each of its benchmarks a value of its own.
 */
#include "configs/survey.h"

#include <ctype.h>
#include <string.h>

/* executable(): where it stands tells which one a variable means that is set again and again. */
struct executable {
	const char *dir, *at; /* of its file, and behind its parenthesis there */
	const char *variable; /* that it is assigned to; NULL: none */
	const char *name, *path, *format;
	bool hidden, is_run; /* is_run: by a call that is measured */
};

/* test() or benchmark(), from behind its parenthesis to the one that closes it. */
struct run_call {
	const char *dir, *at, *end;
	const char *name; /* NULL: no name in quotes */
};

typedef PE_VEC(struct run_call) run_call_vec;

/* What the meson.build files of one project say. */
struct builds {
	struct pe_survey *survey;
	const char *dir; /* of the file being read, in the tree */
	PE_VEC(struct executable) executables;
	run_call_vec tests, benchmarks;
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

/* The parenthesis that closes a call, or the end of the text. */
static const char *end_of_call(const char *at, struct pe_arena *arena)
{
	for (unsigned depth = 1; *at != '\0'; at++) {
		while (*at == '\'')
			(void)quoted(&at, arena);
		depth += *at == '(' ? 1u : *at == ')' ? -1u : 0u;
		if (depth == 0 || *at == '\0')
			break;
	}
	return at;
}

static bool is_word(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* The variable of `variable = function(`, where at is behind the parenthesis; NULL: it is assigned to none. */
static const char *variable_of(const char *at, const char *function, struct pe_arena *arena)
{
	const char *end;

	for (at--; at[-1] == ' ' || at[-1] == '\t'; at--)
		;
	for (at -= strlen(function); at[-1] == ' ' || at[-1] == '\t'; at--)
		;
	if (at[-1] != '=')
		return NULL;
	for (at--; at[-1] == ' ' || at[-1] == '\t'; at--)
		;
	for (end = at; is_word(at[-1]); at--)
		;
	return at < end ? pe_arena_strndup(arena, at, (size_t)(end - at)) : NULL;
}

/* executable('name', 'a.cc', files('b.cc'), ...): every text in quotes up to the parenthesis that closes it. */
static void take_executable(struct builds *builds, const char *at)
{
	struct pe_survey *survey = builds->survey;
	struct executable executable = {.dir = builds->dir, .at = at};
	const char *end = end_of_call(at, survey->arena), *dir;

	executable.variable = variable_of(at, "executable", survey->arena);
	at += strspn(at, " \t\r\n");
	executable.name = quoted(&at, survey->arena);
	if (executable.name == NULL)
		return;
	while (at < end) {
		const char *word = quoted(&at, survey->arena), *ending;

		at += word == NULL;
		ending = word != NULL ? strrchr(word, '.') : NULL;
		if (executable.format == NULL && ending != NULL && ending[1] == 'c' &&
		    pe_survey_is_fit(word))
			executable.format = pe_survey_library_of(
				survey, pe_survey_join(survey, builds->dir, word),
				&executable.hidden);
	}
	dir = strcmp(builds->dir, ".") == 0 ? "build"
					    : pe_survey_join(survey, "build", builds->dir);
	executable.path = pe_survey_join(survey, dir, executable.name);
	pe_vec_push(&builds->executables, executable);
}

static void take_run_calls(run_call_vec *out, struct builds *builds, const char *text,
			   const char *function)
{
	struct pe_arena *arena = builds->survey->arena;

	for (const char *at = text; (at = next_call(at, function)) != NULL;) {
		struct run_call call = {builds->dir, at, end_of_call(at, arena), NULL};

		at += strspn(at, " \t\r\n");
		call.name = quoted(&at, arena);
		pe_vec_push(out, call);
	}
}

/* The executable that a variable means in a call: what it was set to last in the same file before, or in another file. */
static struct executable *executable_of(struct builds *builds, const struct run_call *call,
					const char *word, size_t n)
{
	struct executable *found = NULL;

	for (size_t i = 0; i < builds->executables.n; i++) {
		struct executable *one = &builds->executables.data[i];
		const bool here = strcmp(one->dir, call->dir) == 0;

		if (one->variable == NULL || strlen(one->variable) != n ||
		    strncmp(one->variable, word, n) != 0 || (here && one->at > call->at))
			continue;
		if (here || found == NULL || strcmp(found->dir, call->dir) != 0)
			found = one;
	}
	return found;
}

/* The next executable that a call runs: by its variable, anywhere among the arguments (a script may start it), or written there. */
static struct executable *next_run(struct builds *builds, const struct run_call *call,
				   const char **at)
{
	while (*at < call->end) {
		struct executable *found = NULL;
		size_t n = 0;

		if (quoted(at, builds->survey->arena) != NULL)
			continue;
		while (is_word((*at)[n]))
			n++;
		if (n > 0)
			found = executable_of(builds, call, *at, n);
		*at += n > 0 ? n : 1;
		for (size_t i = 0; found == NULL && i < builds->executables.n; i++)
			if (builds->executables.data[i].at == *at)
				found = &builds->executables.data[i];
		if (found != NULL)
			return found;
	}
	return NULL;
}

/* Whether a call runs a suite, which is measured by what its library prints; what else it runs is marked as run. */
static bool runs_suite(struct builds *builds, const struct run_call *call)
{
	const char *at = call->at;
	bool suite = false;

	for (struct executable *one; (one = next_run(builds, call, &at)) != NULL;) {
		suite = suite || one->format != NULL;
		one->is_run = true;
	}
	return suite;
}

/* The name of a call as an extended regular expression. */
static void add_pattern(struct pe_text *out, const char *name)
{
	for (; *name != '\0'; name++)
		pe_text_addf(out, strchr(".+", *name) != NULL ? "[%c]" : "%c", *name);
}

/*
 * Measure what these calls run, but for those of a suite. @return  false: they are all of suites, or there are none
 */
static bool place_runs(struct builds *builds, const run_call_vec *calls, const char *kind)
{
	struct pe_arena *arena = builds->survey->arena;
	pe_auto_text suites = PE_TEXT_INIT;
	size_t n = 0;

	for (size_t i = 0; i < calls->n; i++) {
		const struct run_call *call = &calls->data[i];

		if (!runs_suite(builds, call)) {
			n++;
		} else if (call->name != NULL && pe_survey_is_fit(call->name)) {
			pe_text_add(&suites, suites.len > 0 ? "|" : "");
			add_pattern(&suites, call->name);
		}
	}
	if (n == 0)
		return false;
	builds->survey->tests = suites.len == 0
					? kind
					: pe_arena_printf(arena, "{kind: %s, exclude: '^(%s)$'}",
							  kind, pe_text_str(&suites));
	return true;
}

static void place_executables(struct builds *builds)
{
	struct pe_survey *survey = builds->survey;

	for (size_t i = 0; i < builds->executables.n; i++) {
		const struct executable *one = &builds->executables.data[i];

		if (one->format == NULL) {
			if (!one->is_run)
				pe_survey_add_program(survey, one->name, one->path);
		} else if (pe_survey_is_fit(one->path)) {
			pe_survey_add_suite(survey, one->name,
					    one->hidden ? pe_arena_printf(survey->arena,
									  "%s '[!benchmark]'",
									  one->path)
							: one->path,
					    one->format, NULL);
		}
	}
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
	take_run_calls(&builds->tests, builds, text, "test");
	take_run_calls(&builds->benchmarks, builds, text, "benchmark");
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
	if (!place_runs(&builds, &builds.benchmarks, "meson-benchmarks"))
		place_runs(&builds, &builds.tests, "meson");
	place_executables(&builds);
	pe_text_add(&setup, "meson setup build --buildtype=release");
	if (survey->benches.n + survey->suites.n + builds.benchmarks.n > 0)
		add_options(&setup, survey);
	pe_survey_add_step(survey, setup.data);
	pe_survey_add_step(survey, "meson compile -C build");
	pe_vec_release(&builds.executables);
	pe_vec_release(&builds.tests);
	pe_vec_release(&builds.benchmarks);
	return true;
}
