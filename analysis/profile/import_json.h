/* Helpers for importers of JSON: a stream over an input. */
#ifndef PE_PROFILE_IMPORT_JSON_H
#define PE_PROFILE_IMPORT_JSON_H

#include "core/json/fields.h"
#include "analysis/profile/importer.h"

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

/** Refuse a file at its end: "NAME: offset N: <found>; expected <expected>". @return PE_EINVALID */
int pe_import_refuse_at(const struct pe_import *import, uint64_t offset, const char *expected,
			const char *format, ...) PE_PRINTF(4, 5);

#endif
