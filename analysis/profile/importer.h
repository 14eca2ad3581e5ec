/*
 * Importers: read profiles of other tools into the same tree. Each format is a row; a file's format is recognised by its
 * content. Files are streamed: memory follows the tree, and with events of traces their number, not the file. Those of
 * pprof are in memory.
 */
#pragma once

#include "analysis/profile/cct.h"
#include "analysis/profile/input.h"

#include <stdbool.h>
#include <stddef.h>

/** Input and output of a reader. */
struct pe_import {
	struct pe_input *input;
	struct pe_err *err; /**< receives the reason of a failure */
	struct pe_cct_builder *builder;
	struct pe_frames *frames;
	struct pe_cct_facts facts;
	struct pe_arena *arena; /**< for temporary data of the reader */
	/** data that the format lacks, or skipped lines; one sentence, or NULL; in arena */
	const char *note;
};

struct pe_importer {
	/** "cpuprofile"; for --input-format and `profile: format:`. cmd/help/import.txt describes each. */
	const char *name;
	/** Whether the first n bytes look like it. Rows are tried in turn; the first that recognises a file reads it. */
	bool (*recognises)(const char *head, size_t n);
	/** PE_EINVALID names the offset in the file (and line, for text), and the found and expected text. */
	int (*read)(struct pe_import *import);
};

extern const struct pe_importer pe_importers[];
extern const size_t pe_n_importers;

/** Find an importer by its name; NULL with the list of names. */
const struct pe_importer *pe_importer_find(const char *name, struct pe_err *err);

/**
 * Read a profile.
 *
 * @param input   closed
 * @param format  an importer's name; NULL: by content
 * @param frames  receives the tree's frames
 * @param note    receives a sentence for the user, or NULL; in the arena
 * @return        PE_EINVALID: not a profile, or a broken one; PE_ESYS
 */
int pe_import(struct pe_cct **out, struct pe_input *input, const char *format,
	      struct pe_frames *frames, struct pe_arena *arena, const char **note,
	      struct pe_err *err);
