/*
 * The readers behind pe_importers[], and helpers for text formats. Private to analysis/profile/.
 *
 * To add a format: a line here, its row in analysis/profile/import.c, its file in analysis/profile/CMakeLists.txt.
 */
#pragma once

#include "analysis/profile/importer.h"
#include "core/json/fields.h"

/** Declare a format's two functions, as of struct pe_importer. */
#define PE_IMPORTER(format)                                                                        \
	bool pe_##format##_recognises(const char *head, size_t n);                                 \
	int pe_##format##_read(struct pe_import *import)

PE_IMPORTER(cpuprofile);
PE_IMPORTER(chrome);
PE_IMPORTER(pprof);
PE_IMPORTER(speedscope);
PE_IMPORTER(callgrind);
PE_IMPORTER(perf_script);
PE_IMPORTER(folded);

/** Refuse a place: "NAME:LINE: offset N: <found>; expected <expected>". @param line  0: none @return PE_EINVALID */
int pe_import_refuse_in(const struct pe_import *import, uint64_t line, uint64_t offset,
			const char *expected, const char *format, ...) PE_PRINTF(5, 6);

/** Refuse the last line, at the offset of the error in the line: pe_import_refuse(import, column, expected, format, ...). */
#define pe_import_refuse(import, column, ...)                                                      \
	pe_import_refuse_in((import), pe_input_at((import)->input)->line_number,                   \
			    pe_input_at((import)->input)->line_offset + (column), __VA_ARGS__)

/** Refuse a file at an offset. */
#define pe_import_refuse_at(import, offset, ...)                                                   \
	pe_import_refuse_in((import), 0, (offset), __VA_ARGS__)

/** Take a line, n bytes without its end, and writable. */
typedef int pe_import_line_fn(void *self, char *line, size_t n);

/** Hand all lines of an import to a function, until it fails. */
int pe_import_lines(struct pe_import *import, pe_import_line_fn *take, void *self);

/** Whether bytes contain no control characters but those of text. */
bool pe_import_is_text(const char *head, size_t n);

/** An input as a stream, which is freed by pe_json_stream_free(). */
struct pe_json_source {
	struct pe_input *input;
	size_t given; /**< bytes that the stream has, and that are not taken yet */
};

/** Open an input as a stream. @param source  input filled; must outlive the stream */
struct pe_json_stream *pe_import_json(struct pe_json_source *source, unsigned flags);

/** Whether the first n bytes of a file are JSON that begins with a given character. */
bool pe_import_begins(const char *head, size_t n, char first);

/** Whether the first n bytes of a file contain a text, such as a JSON string with its quotes. */
bool pe_import_holds(const char *head, size_t n, const char *text);

/** Skip spaces and tabs. */
static inline const char *pe_import_skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/** Read at most 18 digits; returns the rest, NULL when there are no digits. */
static inline const char *pe_import_number(const char *at, uint64_t *number)
{
	const char *start = at;

	for (*number = 0; *at >= '0' && *at <= '9'; at++)
		*number = *number * 10 + (uint64_t)(*at - '0');
	return at > start && at - start <= 18 ? at : NULL;
}
