#include "configs/survey.h"
#include "configs/read.h"
#include "core/base/files.h"
#include "core/base/regex.h"
#include "core/base/walk.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_FILE = 1 << 20, /* most bytes of a build description that are read */
	MAX_BENCHES = 20,
	MAX_PROGRAMS = 200,
	MAX_FOUND = 500,
};

/* --- Files --- */

bool pe_survey_has(const struct pe_survey *survey, const char *path)
{
	return access(pe_arena_printf(survey->arena, "%s/%s", survey->root, path), F_OK) == 0;
}

static bool read_file(struct pe_text *out, const struct pe_survey *survey, const char *path)
{
	pe_auto_fd fd = pe_files_open_placed_in(survey->root, path, MAX_FILE);

	return fd >= 0 && pe_text_read_fd(out, fd) == 0;
}

const char *pe_survey_read(const struct pe_survey *survey, const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;

	return read_file(&text, survey, path) ? pe_arena_strdup(survey->arena, pe_text_str(&text))
					      : NULL;
}

/* Search a text in pieces of whole lines, each as long as an expression can be matched against at once. */
static bool has_match(const struct pe_regex *regex, const char *text)
{
	while (*text != '\0') {
		size_t n = strnlen(text, PE_REGEX_LINE_BYTES), lines = n;

		if (pe_regex_matches(regex, text))
			return true;
		while (text[n] != '\0' && lines > 0 && text[lines - 1] != '\n')
			lines--;
		text += lines > 0 ? lines : n;
	}
	return false;
}

bool pe_survey_matches(const struct pe_survey *survey, const char *path, const char *sign)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_regex regex;
	bool found = false;

	if (read_file(&text, survey, path) && pe_regex_init(&regex, sign, NULL) == PE_OK) {
		found = has_match(&regex, pe_text_str(&text));
		pe_regex_release(&regex);
	}
	return found;
}

const char *pe_survey_join(const struct pe_survey *survey, const char *dir, const char *name)
{
	return strcmp(dir, ".") == 0 ? name : pe_arena_printf(survey->arena, "%s/%s", dir, name);
}

/* Folders whose build descriptions are not the project's own. */
static bool is_foreign(const char *name)
{
	return pe_read_matches(name,
			       "^(\\.|build|cmake-build)|^(node_modules|third[_-]?party|3rdparty|"
			       "vendor|external|extern|deps|_deps|subprojects|target)$");
}

/* List the files of a folder with a name, or its ending, and its folders that may be part of the project, both sorted. */
static void list(pe_string_vec *files, pe_string_vec *folders, const struct pe_survey *survey,
		 const char *dir, const char *name)
{
	const char *folder = pe_arena_printf(survey->arena, "%s/%s", survey->root, dir);
	const char *const *names = pe_walk_names_of(folder, survey->arena);
	const size_t n = strlen(name + 1);

	for (; names != NULL && *names != NULL; names++) {
		const size_t length = strlen(*names);
		const char *path = pe_survey_join(survey, dir, *names);
		struct stat st;

		if (name[0] == '*' ? length > n && strcmp(*names + length - n, name + 1) == 0
				   : strcmp(*names, name) == 0)
			pe_vec_push(files, path);
		else if (lstat(pe_arena_printf(survey->arena, "%s/%s", folder, *names), &st) == 0 &&
			 S_ISDIR(st.st_mode) && !is_foreign(*names))
			pe_vec_push(folders, path);
	}
}

void pe_survey_find(pe_found_vec *out, const struct pe_survey *survey, const char *name,
		    unsigned depth, const char *sign)
{
	pe_string_vec level = {0};
	size_t looked = 0;

	pe_vec_push(&level, ".");
	for (unsigned deep = 0; deep <= depth && level.n > 0; deep++) {
		pe_string_vec next = {0};

		for (size_t i = 0; i < level.n && next.n < MAX_FOUND; i++) {
			pe_auto_free pe_string_vec files = {0};

			list(&files, &next, survey, level.data[i], name);
			for (size_t j = 0; j < files.n && looked++ < MAX_FOUND; j++)
				if (sign == NULL || pe_survey_matches(survey, files.data[j], sign))
					pe_vec_push(out, (struct pe_found){files.data[j],
									   level.data[i]});
		}
		pe_vec_release(&level);
		level = next;
	}
	pe_vec_release(&level);
}

/* --- Queries --- */

/* A format with its arguments, in the arena. */
#define FORMAT(out, survey, format)                                                                \
	do {                                                                                       \
		pe_auto_text formatted = PE_TEXT_INIT;                                             \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, format);                                                            \
		pe_text_addv(&formatted, format, args);                                            \
		va_end(args);                                                                      \
		out = pe_arena_strdup((survey)->arena, pe_text_str(&formatted));                   \
	} while (0)

const char *pe_survey_ask(struct pe_survey *survey, const char *command, ...)
{
	const struct pe_progress_event asking = {.phase = PE_PROGRESS_ASK, .text = survey->system};
	pe_auto_text answer = PE_TEXT_INIT;
	struct pe_command whole;
	const char *text;

	if (survey->ask == NULL)
		return NULL;
	if (survey->progress != NULL && survey->progress->report != NULL)
		survey->progress->report(&asking, survey->progress->payload);
	FORMAT(text, survey, command);
	whole = pe_command_of_shell(text, survey->arena);
	if (pe_discovery_run(&answer, survey->ask, &whole, ".") == PE_OK)
		return pe_arena_strndup(survey->arena, pe_text_str(&answer), answer.len);
	survey->unasked = pe_arena_strdup(survey->arena, survey->ask->err->message);
	return NULL;
}

/* --- Found programs and sentences --- */

/* Names for the config: short, printable ASCII, without special characters of a shell. */
bool pe_survey_is_fit(const char *name)
{
	return strlen(name) <= 100 && pe_read_matches(name, "^[A-Za-z0-9_+./][A-Za-z0-9_+./-]*$");
}

bool pe_survey_has_name(const pe_candidate_vec *vec, const char *name)
{
	for (size_t i = 0; i < vec->n; i++)
		if (strcmp(vec->data[i].name, name) == 0)
			return true;
	return false;
}

static void push(const struct pe_survey *survey, pe_candidate_vec *vec, size_t max,
		 const char *name, const char *command)
{
	if (!pe_survey_has_name(vec, name) && vec->n < max && pe_survey_is_fit(name))
		pe_vec_push(vec, (struct pe_candidate){.name = pe_arena_strdup(survey->arena, name),
						       .command = command});
}

void pe_survey_add_bench(struct pe_survey *survey, const char *name, const char *command, ...)
{
	const char *whole;

	FORMAT(whole, survey, command);
	push(survey, &survey->benches, MAX_BENCHES, name, whole);
}

void pe_survey_add_program(struct pe_survey *survey, const char *name, const char *path)
{
	const char *lower = pe_discovery_lower(name, survey->arena);
	const char *command =
		pe_arena_printf(survey->arena, "%s%s", strchr(path, '/') != NULL ? "" : "./", path);

	if (!pe_survey_is_fit(path) ||
	    pe_read_matches(lower, "fuzz|(^|[^a-z])(dll|debug)([^a-z]|$)"))
		return;
	if (pe_read_matches(lower, "bench|speed|(^|[^a-z])(perf|perftest)([^a-z]|$)"))
		push(survey, &survey->benches, MAX_BENCHES, name, command);
	else if (strstr(lower, "test") != NULL)
		survey->test_program =
			survey->test_program != NULL ? survey->test_program : command;
	else if (strstr(lower, "check") == NULL && strstr(lower, "example") == NULL)
		push(survey, &survey->programs, MAX_PROGRAMS, name, command);
}

void pe_survey_add_suite(struct pe_survey *survey, const char *name, const char *format,
			 const char *output, const char *command, ...)
{
	char *own = pe_arena_strdup(survey->arena, *name != '\0' ? name : "bench");
	struct pe_candidate suite = {.name = own, .format = format, .output = output};

	FORMAT(suite.command, survey, command);
	for (size_t i = 0; i < survey->suites.n; i++)
		if (strcmp(survey->suites.data[i].command, suite.command) == 0)
			return;
	for (char *at = own; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && strchr("_-.", *at) == NULL)
			*at = '-';
	for (unsigned i = 2; pe_survey_has_name(&survey->suites, suite.name); i++)
		suite.name = pe_arena_printf(survey->arena, "%s-%u", own, i);
	if (survey->suites.n < MAX_BENCHES)
		pe_vec_push(&survey->suites, suite);
}

void pe_survey_add_step(struct pe_survey *survey, const char *step, ...)
{
	const char *whole;

	FORMAT(whole, survey, step);
	pe_discovery_push(&survey->steps, whole);
}

void pe_survey_add_unknown(struct pe_survey *survey, const char *sentence, ...)
{
	const char *whole;

	FORMAT(whole, survey, sentence);
	pe_vec_push(&survey->unknown, whole);
}
