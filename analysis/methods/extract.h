/* Extract: the methods of a source file, by the table of languages (tree-sitter). */
#pragma once

#include "core/base/text.h"
#include "analysis/methods/method.h"

struct pe_language;

/** Larger files are not read. */
#define PE_EXTRACT_MAX_BYTES ((size_t)8 << 20)

/**
 * The language of a file by its name's ending; NULL: none that perfevo reads. ".h" is C here: pe_extract() reads
 * such a file as C++ when a line outside comments opens with what only C++ has
 * (class, namespace, template, using, public: and the like).
 */
const struct pe_language *pe_language_of(const char *path);

/** "c", "cpp", "python", ... */
const char *pe_language_name(const struct pe_language *language);

/** All languages, for --help and the documentation; NULL after the last. */
const struct pe_language *pe_language_at(size_t index);

/** Changes whenever the extraction would answer otherwise: cached answers of another version are void. */
uint32_t pe_extract_version(void);

/** A file to be read. */
struct pe_source_file {
	const struct pe_language *language;
	const char *path; /**< becomes the component */
	const char *text; /**< n bytes, any bytes at all */
	size_t n;
	uint64_t limit_us; /**< a worker's time for it; 0: 2 s and 2 ms a KiB */
};

/**
 * Extract the methods of one file. Never fails: what cannot be parsed is counted in out->unread. Linear in the
 * file's size; no recursion on the C stack. A file over 8 MiB and one with 10,000 brackets open at once are not
 * read and count as unread (files stays 0). There are texts that take the parser minutes, and texts on which it
 * corrupts memory: what strangers wrote is given to a worker (worker.h).
 *
 * Several methods of one identity (alternatives under #if, accessors) are all there, in the file's order. A
 * method inside another is one of its own: the outer one's fingerprint holds a mark in its place.
 *
 * @param out  in the arena
 */
void pe_extract(struct pe_methods *out, const struct pe_source_file *file, struct pe_arena *arena);

/** The methods of one file as bytes for the store's cache (without the component), and back. */
void pe_methods_pack(struct pe_text *out, const struct pe_methods *methods);

/** PE_EINVALID for bytes that pe_methods_pack() did not write: damaged, or of another version. */
int pe_methods_unpack(struct pe_methods *out, const char *path, const char *bytes, size_t n,
		      struct pe_arena *arena, struct pe_err *err);
