/* What the tests of importers share: importing a text, and a tree drawn as text so that all of it is compared. */
#pragma once

#include "analysis/profile/importer.h"

#include <stddef.h>

struct imported {
	struct pe_frames frames;
	struct pe_arena arena;
	struct pe_cct *cct; /* NULL after a failure */
	const char *note;
	int rc;
	struct pe_err err;
};

/* pe_import() of bytes. */
static inline int import_of(struct pe_cct **out, const void *bytes, size_t n, const char *name,
			    const char *format, struct pe_frames *frames, struct pe_arena *arena,
			    const char **note, struct pe_err *err)
{
	struct pe_input *input;
	int rc = pe_input_open_bytes(&input, bytes, n, name, err);

	return rc == PE_OK ? pe_import(out, input, format, frames, arena, note, err) : rc;
}

/* Import bytes under the name "x", the format told by content. What it holds lives until imported_release(). */
struct imported *import_bytes(const void *bytes, size_t n);

/*
 * A line a node, two blanks a level: name, "|signature", "@component", "Lline", ":site", then what is known: c (calls),
 * s (samples), t (self time), a (allocations), and the flags: F folded, U uncounted, X cut, P split.
 */
const char *drawn(const struct imported *imported);

void imported_release(void);
