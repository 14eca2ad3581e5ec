#include "configs/survey.h"
#include "core/base/files.h"
#include "core/base/array.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_FILE = 1 << 20, /* bytes of a build description that are looked at */
	MAX_BENCHES = 20,
	MAX_PROGRAMS = 200,
	MAX_FOUND = 500,
};

bool pe_survey_has(const struct pe_survey *survey, const char *path)
{
	return access(pe_arena_printf(survey->arena, "%s/%s", survey->root, path), F_OK) == 0;
}

const char *pe_survey_read(const struct pe_survey *survey, const char *path)
{
	const char *full = pe_arena_printf(survey->arena, "%s/%s", survey->root, path);
	pe_auto_text text = PE_TEXT_INIT;
	const char *content = NULL;

	if (pe_files_read_found(&text, full, MAX_FILE) == 0)
		content = pe_arena_strdup(survey->arena, pe_text_str(&text));
	return content;
}

const char *pe_survey_read_made(const struct pe_survey *survey, const char *path)
{
	const char *folder = pe_arena_printf(survey->arena, "%s/%.*s", survey->root,
					     (int)(pe_path_name(path) - path), path);
	pe_auto_text text = PE_TEXT_INIT;
	int dir = pe_files_open_below(survey->root, folder, false);
	const char *content = NULL;

	if (dir >= 0 && pe_files_read_at(&text, dir, pe_path_name(path)) == 0)
		content = pe_arena_strdup(survey->arena, pe_text_str(&text));
	if (dir >= 0)
		close(dir);
	return content;
}

/* What a command complained of: from the first line with "error" up to a blank one, on one line; else its last line. */
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

const char *pe_survey_ask(struct pe_survey *survey, const char *command)
{
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	const struct pe_command whole = {.argv = argv, .text = command};
	struct pe_said said = {.out = PE_TEXT_INIT, .err = PE_TEXT_INIT};
	const char *answer = NULL;
	char how[128];

	if (survey->ask == NULL)
		return NULL;
	if (pe_discovery_start(&said, survey->ask, &whole, ".") != PE_OK)
		survey->unasked = pe_arena_strdup(survey->arena, survey->ask->err->message);
	else if (said.result.end == PE_PROC_EXITED && said.result.status == 0)
		answer = pe_arena_strndup(survey->arena, pe_text_str(&said.out), said.out.len);
	else
		survey->unasked = pe_arena_printf(
			survey->arena, "'%s' %s: %s", command,
			pe_proc_describe(&said.result, how, sizeof(how)),
			complaint(said.err.len > 0 ? &said.err : &said.out, survey->arena));
	pe_said_release(&said);
	return answer;
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

/* The folders of a folder that may belong to the project, sorted. */
static void list_folders(pe_line_vec *out, const struct pe_survey *survey, const char *dir)
{
	DIR *stream = opendir(pe_arena_printf(survey->arena, "%s/%s", survey->root, dir));

	if (stream == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
		const char *path = pe_survey_join(survey, dir, entry->d_name);
		struct stat st;

		if (!is_foreign(entry->d_name) &&
		    lstat(pe_arena_printf(survey->arena, "%s/%s", survey->root, path), &st) == 0 &&
		    S_ISDIR(st.st_mode))
			pe_vec_push(out, pe_arena_strdup(survey->arena, path));
	}
	closedir(stream);
	if (out->n > 0)
		qsort(out->data, out->n, sizeof(*out->data), pe_string_order);
}

void pe_survey_list(pe_line_vec *out, const struct pe_survey *survey, const char *dir,
		    const char *suffix)
{
	DIR *stream = opendir(pe_arena_printf(survey->arena, "%s/%s", survey->root, dir));

	if (stream == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
		size_t n = strlen(entry->d_name), m = strlen(suffix);

		if (n > m && strcmp(entry->d_name + n - m, suffix) == 0)
			pe_vec_push(out, pe_arena_strdup(survey->arena, entry->d_name));
	}
	closedir(stream);
	if (out->n > 0)
		qsort(out->data, out->n, sizeof(*out->data), pe_string_order);
}

static void find_ending(pe_found_vec *out, const struct pe_survey *survey, const char *dir,
			const char *ending)
{
	pe_auto_free pe_line_vec files = {0};

	pe_survey_list(&files, survey, dir, ending);
	for (size_t i = 0; i < files.n && out->n < MAX_FOUND; i++)
		pe_vec_push(out,
			    (struct pe_found){pe_survey_join(survey, dir, files.data[i]), dir});
}

void pe_survey_find(pe_found_vec *out, const struct pe_survey *survey, const char *name,
		    unsigned depth)
{
	pe_line_vec level = {0};

	pe_vec_push(&level, ".");
	for (;;) {
		pe_line_vec next = {0};

		for (size_t i = 0; i < level.n && out->n < MAX_FOUND; i++) {
			struct pe_found found = {pe_survey_join(survey, level.data[i], name),
						 level.data[i]};

			if (name[0] == '*')
				find_ending(out, survey, level.data[i], name + 1);
			else if (pe_survey_has(survey, found.path))
				pe_vec_push(out, found);
			if (depth > 0) {
				pe_auto_free pe_line_vec folders = {0};

				list_folders(&folders, survey, level.data[i]);
				for (size_t j = 0; j < folders.n && next.n < MAX_FOUND; j++)
					pe_vec_push(&next, folders.data[j]);
			}
		}
		pe_vec_release(&level);
		level = next;
		if (depth-- == 0 || level.n == 0)
			break;
	}
	pe_vec_release(&level);
}

/* Names that go into the config: short, printable ASCII, nothing that a shell would read otherwise. */
bool pe_survey_is_fit(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= 100 && name[0] != '-' &&
	       name[strspn(
		       name,
		       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./")] ==
		       '\0';
}

static bool has_part(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (const char *at = name; (at = strstr(at, part)) != NULL; at++)
		if ((at == name || !isalpha((unsigned char)at[-1])) &&
		    !isalpha((unsigned char)at[n]))
			return true;
	return false;
}

static char *lowered(const struct pe_survey *survey, const char *name)
{
	char *lower = pe_arena_strdup(survey->arena, name);

	for (char *at = lower; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	return lower;
}

static void push(const struct pe_survey *survey, pe_candidate_vec *vec, size_t max,
		 const char *name, const char *command)
{
	for (size_t i = 0; i < vec->n; i++)
		if (strcmp(vec->data[i].name, name) == 0)
			return;
	if (vec->n < max)
		pe_vec_push(vec, (struct pe_candidate){pe_arena_strdup(survey->arena, name),
						       pe_arena_strdup(survey->arena, command)});
}

void pe_survey_add_bench(struct pe_survey *survey, const char *name, const char *command)
{
	if (pe_survey_is_fit(name))
		push(survey, &survey->benches, MAX_BENCHES, name, command);
}

void pe_survey_add_program(struct pe_survey *survey, const char *name, const char *path)
{
	const char *lower = lowered(survey, name);
	const char *command =
		strchr(path, '/') != NULL ? path : pe_arena_printf(survey->arena, "./%s", path);

	if (!pe_survey_is_fit(name) || !pe_survey_is_fit(path))
		return;
	if (strstr(lower, "fuzz") != NULL || has_part(lower, "dll") || has_part(lower, "debug"))
		return;
	if (strstr(lower, "bench") != NULL || strstr(lower, "speed") != NULL ||
	    has_part(lower, "perf") || has_part(lower, "perftest"))
		pe_survey_add_bench(survey, name, command);
	else if (strstr(lower, "test") != NULL)
		survey->test_program =
			survey->test_program != NULL ? survey->test_program : command;
	else if (strstr(lower, "check") == NULL && strstr(lower, "example") == NULL)
		push(survey, &survey->programs, MAX_PROGRAMS, name, command);
}

static bool is_bench_folder(const struct pe_survey *survey, const char *dir)
{
	const char *name = pe_path_name(lowered(survey, dir));

	return strncmp(name, "bench", 5) == 0 || strcmp(name, "perf") == 0;
}

/* bench.py at the top of the tree */
static bool is_bench_file(const struct pe_survey *survey, const char *path)
{
	return strchr(path, '/') == NULL && strncmp(lowered(survey, path), "bench", 5) == 0;
}

void pe_survey_add_scripts(struct pe_survey *survey, const char *ending, const char *program,
			   bool (*runs)(const char *text))
{
	pe_auto_free pe_found_vec found = {0};
	size_t before = survey->benches.n;
	const char *for_profilers = NULL;

	pe_survey_find(&found, survey, ending, 3);
	for (size_t i = 0; i < found.n; i++) {
		const char *path = found.data[i].path, *base = pe_path_name(path), *text, *name;

		if ((!is_bench_folder(survey, found.data[i].dir) && !is_bench_file(survey, path)) ||
		    !pe_survey_is_fit(path))
			continue;
		text = pe_survey_read(survey, path);
		if (text == NULL || !runs(text))
			continue;
		name = pe_arena_strndup(survey->arena, base, strlen(base) + 1 - strlen(ending));
		if (strcmp(name, "profile") == 0)
			for_profilers = path;
		else
			pe_survey_add_bench(survey, name,
					    pe_arena_printf(survey->arena, "%s %s", program, path));
	}
	/* It does once more what those beside it do, for a profiler to look at. */
	if (for_profilers != NULL && survey->benches.n == before)
		pe_survey_add_bench(
			survey, "profile",
			pe_arena_printf(survey->arena, "%s %s", program, for_profilers));
}

void pe_survey_add_step(struct pe_survey *survey, const char *step)
{
	pe_vec_push(&survey->steps, pe_arena_strdup(survey->arena, step));
}

void pe_survey_add_unknown(struct pe_survey *survey, const char *sentence)
{
	pe_vec_push(&survey->unknown, pe_arena_strdup(survey->arena, sentence));
}
