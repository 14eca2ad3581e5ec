/* Helpers for importers of JSON: a stream over an input, and pairing of two arrays. */
#ifndef PE_PROFILE_IMPORT_JSON_H
#define PE_PROFILE_IMPORT_JSON_H

#include "core/base/vec.h"
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

/**
 * Zip: pairs the elements of two arrays of numbers that follow one another in a document, such as
 * samples and their weights. Elements of the first array wait for those of the second.
 */
struct pe_zip {
	PE_VEC(int64_t) waiting;
	size_t at; /**< in waiting: the next to be taken */
	int side;  /**< of the numbers that wait */
};

/** The number of waiting elements. */
static inline size_t pe_zip_left(const struct pe_zip *zip)
{
	return zip->waiting.n - zip->at;
}

/**
 * Add a number of one side (0 or 1).
 *
 * @param other  receives its partner of the other side
 * @return       whether the partner was there already; else this number waits
 */
bool pe_zip_pair(struct pe_zip *zip, int side, int64_t value, int64_t *other);

/** Take a waiting number without a partner; false when none is left. */
bool pe_zip_take(struct pe_zip *zip, int64_t *value);

/** Free the waiting numbers. */
void pe_zip_release(struct pe_zip *zip);

#endif
