/*
 * Importers: profiles that other tools took, read into the same tree. Each format is a row; which one a file
 * has is recognised by its content. Files are streamed: memory follows the tree, not the file.
 */
#ifndef PE_PROFILE_IMPORTER_H
#define PE_PROFILE_IMPORTER_H

#include "analysis/profile/cct.h"
#include "analysis/profile/input.h"

#include <stdbool.h>
#include <stddef.h>

/** What a reader reads, and fills. */
struct pe_import {
	struct pe_input *input;
	struct pe_err *err; /**< receives what is refused */
	struct pe_cct_builder *builder;
	struct pe_frames *frames;
	struct pe_cct_facts facts;
	struct pe_arena *arena; /**< for what lives while the file is read */
	/** what the format could not say, or lines that were passed over; one sentence, or NULL; in arena */
	const char *note;
};

struct pe_importer {
	const char *name;    /**< "cpuprofile"; what --input-format and `profile: format:` say */
	const char *summary; /**< "Chrome DevTools and Node CPU profiles" */
	/** Whether the first n bytes look like it. Rows are asked in turn; the first that says so reads. */
	bool (*recognises)(const char *head, size_t n);
	/** PE_EINVALID names the offset in the file (and line, for text), what was found, what was expected. */
	int (*read)(struct pe_import *import);
};

extern const struct pe_importer pe_importers[];
extern const size_t pe_n_importers;

/** The importer of a name; NULL with the names that there are. */
const struct pe_importer *pe_importer_find(const char *name, struct pe_err *err);

/**
 * Read a profile.
 *
 * @param path    a file, also compressed by gzip; "-" is standard input
 * @param format  an importer's name; NULL: by content
 * @param frames  the table that the tree's frames go to
 * @param note    receives a sentence for the user, or NULL; in the arena
 * @return        PE_EINVALID: not a profile, or a broken one; PE_ENOTFOUND; PE_ESYS
 */
int pe_import_file(struct pe_cct **out, const char *path, const char *format,
		   struct pe_frames *frames, struct pe_arena *arena, const char **note,
		   struct pe_err *err);

/** pe_import_file() of what a command left in a folder: a regular file, by way of no link. */
int pe_import_placed(struct pe_cct **out, const char *folder, const char *name, const char *format,
		     struct pe_frames *frames, struct pe_arena *arena, const char **note,
		     struct pe_err *err);

/** Likewise from memory; name stands in messages. */
int pe_import_bytes(struct pe_cct **out, const void *bytes, size_t n, const char *name,
		    const char *format, struct pe_frames *frames, struct pe_arena *arena,
		    const char **note, struct pe_err *err);

#endif
