/*
 * Document: a stream over one document of JSON that begins somewhere in a file, made readable where libraries write what
 * is none: NaN and infinities as bare words (Google Benchmark, Python), control characters that stand in strings as they
 * are (Google Benchmark escapes six of them).
 */
#ifndef PE_SUITES_DOCUMENT_H
#define PE_SUITES_DOCUMENT_H

#include "core/base/vec.h"
#include "core/json/stream.h"

/** Bytes that were put in so far, at a place of what the stream sees. */
struct pe_suite_shift {
	uint64_t at, by;
};

struct pe_suite_source {
	const char *bytes; /**< the file */
	size_t n, at;      /**< at: what is supplied next */
	bool in_string, after_backslash;
	uint64_t supplied; /**< bytes that the stream got */
	size_t piece;      /**< bytes supplied at once; doubles */
	size_t begin;      /**< of the document in the file */
	PE_VEC(struct pe_suite_shift) shifts;
	char put_in[16];
	struct pe_json_stream *json;
};

/**
 * Begin to read at a byte, to another at most.
 *
 * @param piece  bytes that are supplied at first: little where little is looked at
 */
void pe_suite_source_open(struct pe_suite_source *source, const char *bytes, size_t begin,
			  size_t end, size_t piece);

void pe_suite_source_close(struct pe_suite_source *source);

/** Where in the file a byte stands that the stream has at an offset. */
size_t pe_suite_source_place(const struct pe_suite_source *source, uint64_t offset);

#endif
