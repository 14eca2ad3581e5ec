#include "bench/series.h"

#include "core/base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_text(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file == NULL)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return file;
}

static char *name_of(const char *path, struct pe_arena *arena)
{
	const char *base = strrchr(path, '/');
	const char *dot;

	base = base != NULL ? base + 1 : path;
	dot = strrchr(base, '.');
	return pe_arena_strndup(arena, base, dot != NULL ? (size_t)(dot - base) : strlen(base));
}

bool series_read(struct series *out, const char *path, struct pe_arena *arena)
{
	PE_VEC(double) values = {0};
	char *line = NULL;
	size_t room = 0, number = 0;
	FILE *file = open_text(path);
	bool ok = file != NULL;

	while (ok && getline(&line, &room, file) >= 0) {
		const char *comma = strrchr(line, ','), *text = comma != NULL ? comma + 1 : line;
		char *end;
		double value;

		if (number++ == 0 || *line == '\n')
			continue;
		value = strtod(text, &end);
		ok = end != text;
		if (ok)
			pe_vec_push(&values, value);
		else
			fprintf(stderr, "%s:%zu: no number in the last column\n", path, number);
	}
	out->name = name_of(path, arena);
	out->n = values.n;
	out->value = pe_arena_new(arena, double, values.n);
	if (values.n > 0)
		memcpy(out->value, values.data, values.n * sizeof(*out->value));
	pe_vec_release(&values);
	free(line);
	if (file != NULL)
		fclose(file);
	return ok;
}

static bool read_line(struct series_marks *marks, char *line, struct pe_arena *arena)
{
	char *end = line + strcspn(line, " \t\n"), *next;

	marks->name = pe_arena_strndup(arena, line, (size_t)(end - line));
	marks->at = pe_arena_new(arena, size_t, strlen(end) + 1);
	for (;; end = next) {
		marks->at[marks->n] = strtoul(end, &next, 10);
		if (next == end)
			return end[strspn(end, " \t\n")] == '\0';
		marks->n++;
	}
}

bool series_read_marks(struct series_book *out, const char *path, struct pe_arena *arena)
{
	PE_VEC(struct series_marks) marks = {0};
	char *line = NULL;
	size_t room = 0, number = 0;
	FILE *file = open_text(path);
	bool ok = file != NULL;

	while (ok && getline(&line, &room, file) >= 0) {
		struct series_marks one = {NULL, NULL, 0};

		number++;
		if (*line == '#' || *line == '\n')
			continue;
		ok = read_line(&one, line, arena);
		if (ok)
			pe_vec_push(&marks, one);
		else
			fprintf(stderr, "%s:%zu: a name and indices are expected\n", path, number);
	}
	out->n = marks.n;
	out->at = pe_arena_new(arena, struct series_marks, marks.n);
	if (marks.n > 0)
		memcpy(out->at, marks.data, marks.n * sizeof(*out->at));
	pe_vec_release(&marks);
	free(line);
	if (file != NULL)
		fclose(file);
	return ok;
}

const struct series_marks *series_marks_of(const struct series_book *book, const char *name)
{
	for (size_t i = 0; i < book->n; i++)
		if (strcmp(book->at[i].name, name) == 0)
			return &book->at[i];
	return NULL;
}
