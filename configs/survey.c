#include "configs/survey.h"
#include "core/base/files.h"
#include "core/base/array.h"
#include "core/base/regex.h"
#include "core/base/sort.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
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
	const char *name = pe_path_name(path);
	const char *folder =
		pe_arena_printf(survey->arena, "%s/%.*s", survey->root, (int)(name - path), path);
	int dir = pe_files_open_below(survey->root, folder, false);
	struct stat st;
	bool done = dir >= 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_size <= MAX_FILE && pe_files_read_at(out, dir, name) == 0;

	if (dir >= 0)
		close(dir);
	return done;
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
	static const char *const foreign[] = {
		"node_modules", "third_party", "3rdparty", "thirdparty",  "third-party", "vendor",
		"external",     "extern",      "deps",     "subprojects", "target",      "_deps",
	};

	if (name[0] == '.' || strncmp(name, "build", 5) == 0 ||
	    strncmp(name, "cmake-build", 11) == 0)
		return true;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		if (strcmp(name, foreign[i]) == 0)
			return true;
	return false;
}

static bool has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);

	return n > m && strcmp(name + n - m, ending) == 0;
}

/* List the files of a folder with a name, or its ending, and its folders that may be part of the project, both sorted. */
static void list(pe_string_vec *files, pe_string_vec *folders, const struct pe_survey *survey,
		 const char *dir, const char *name)
{
	DIR *stream = opendir(pe_arena_printf(survey->arena, "%s/%s", survey->root, dir));

	if (stream == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
		const char *path =
			pe_arena_strdup(survey->arena, pe_survey_join(survey, dir, entry->d_name));
		struct stat st;

		if (name[0] == '*' ? has_ending(entry->d_name, name + 1)
				   : strcmp(entry->d_name, name) == 0)
			pe_vec_push(files, path);
		else if (!is_foreign(entry->d_name) &&
			 fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			 S_ISDIR(st.st_mode))
			pe_vec_push(folders, path);
	}
	closedir(stream);
	pe_sort(files->data, files->n, pe_string_order);
	pe_sort(folders->data, folders->n, pe_string_order);
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

/* The error message of a command: from the first line with "error" up to a blank one, on one line; else its last line. */
static const char *complaint(const struct pe_text *text, struct pe_arena *arena)
{
	enum { MOST = 240 };
	const char *all = pe_text_str(text), *from = strstr(all, "rror"), *end;
	const char *loud = strstr(all, "ERROR");
	pe_auto_text out = PE_TEXT_INIT;

	if (from == NULL || (loud != NULL && loud < from))
		from = loud;
	if (from == NULL)
		for (from = all + text->len; from > all && (from[-1] != '\n' || *from <= ' ');)
			from--;
	while (from > all && from[-1] != '\n')
		from--;
	end = strstr(from, "\n\n");
	for (; *from != '\0' && from != end && out.len < MOST; from++) {
		bool blank = (unsigned char)*from <= ' ';

		if (!blank || (out.len > 0 && out.data[out.len - 1] != ' '))
			pe_text_addc(&out, blank ? ' ' : *from);
	}
	while (out.len > 0 && out.data[out.len - 1] == ' ')
		out.data[--out.len] = '\0';
	return pe_arena_strdup(arena, pe_text_str(&out));
}

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
	const char *argv[] = {"/bin/sh", "-c", NULL, NULL}, *answer = NULL;
	struct pe_command_output output = {.out = PE_TEXT_INIT, .err = PE_TEXT_INIT};
	struct pe_command whole = {.argv = argv};
	const struct pe_progress_event asking = {.phase = PE_PROGRESS_ASK, .text = survey->system};
	char how[128];

	if (survey->ask == NULL)
		return NULL;
	if (survey->progress != NULL && survey->progress->report != NULL)
		survey->progress->report(&asking, survey->progress->payload);
	FORMAT(whole.text, survey, command);
	argv[2] = whole.text;
	if (pe_discovery_start(&output, survey->ask, &whole, ".") != PE_OK)
		survey->unasked = pe_arena_strdup(survey->arena, survey->ask->err->message);
	else if (output.result.end == PE_PROC_EXITED && output.result.status == 0)
		answer = pe_arena_strndup(survey->arena, pe_text_str(&output.out), output.out.len);
	else
		survey->unasked = pe_arena_printf(
			survey->arena, "'%s' %s: %s", whole.text,
			pe_proc_describe(&output.result, how, sizeof(how)),
			complaint(output.err.len > 0 ? &output.err : &output.out, survey->arena));
	pe_command_output_release(&output);
	return answer;
}

/* --- Found programs and sentences --- */

/* Names for the config: short, printable ASCII, without special characters of a shell. */
bool pe_survey_is_fit(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= 100 && name[0] != '-' &&
	       name[strspn(
		       name,
		       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./")] ==
		       '\0';
}

static void push(const struct pe_survey *survey, pe_candidate_vec *vec, size_t max,
		 const char *name, const char *command)
{
	for (size_t i = 0; i < vec->n; i++)
		if (strcmp(vec->data[i].name, name) == 0)
			return;
	if (vec->n < max && pe_survey_is_fit(name))
		pe_vec_push(vec, (struct pe_candidate){.name = pe_arena_strdup(survey->arena, name),
						       .command = command});
}

void pe_survey_add_bench(struct pe_survey *survey, const char *name, const char *command, ...)
{
	const char *whole;

	FORMAT(whole, survey, command);
	push(survey, &survey->benches, MAX_BENCHES, name, whole);
}

/* Whether a name has a part between characters that are no letters. */
static bool has_part(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (const char *at = name; (at = strstr(at, part)) != NULL; at++)
		if ((at == name || !isalpha((unsigned char)at[-1])) &&
		    !isalpha((unsigned char)at[n]))
			return true;
	return false;
}

void pe_survey_add_program(struct pe_survey *survey, const char *name, const char *path)
{
	char *lower = pe_arena_strdup(survey->arena, name);
	const char *command =
		pe_arena_printf(survey->arena, "%s%s", strchr(path, '/') != NULL ? "" : "./", path);

	for (char *at = lower; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	if (!pe_survey_is_fit(path) || strstr(lower, "fuzz") != NULL || has_part(lower, "dll") ||
	    has_part(lower, "debug"))
		return;
	if (strstr(lower, "bench") != NULL || strstr(lower, "speed") != NULL ||
	    has_part(lower, "perf") || has_part(lower, "perftest"))
		push(survey, &survey->benches, MAX_BENCHES, name, command);
	else if (strstr(lower, "test") != NULL)
		survey->test_program =
			survey->test_program != NULL ? survey->test_program : command;
	else if (strstr(lower, "check") == NULL && strstr(lower, "example") == NULL)
		push(survey, &survey->programs, MAX_PROGRAMS, name, command);
}

static bool is_suite(const struct pe_survey *survey, const char *name)
{
	for (size_t i = 0; i < survey->suites.n; i++)
		if (strcmp(survey->suites.data[i].name, name) == 0)
			return true;
	return false;
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
	for (unsigned i = 2; is_suite(survey, suite.name); i++)
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
