/* Profile files: profiles in files, read so that they can be compared by time. */
#pragma once

#include "app/app.h"
#include "analysis/profile/cct.h"
#include "core/base/vec.h"

struct pe_recorded_opts {
	const char *format; /**< an importer's name; NULL: by content */
	/** time of one sample where a profile has none; 0: 1 ms, with a note */
	uint64_t sample_ns;
	bool noted; /**< that note was given: once is enough */
};

/**
 * Read a profile. One that has samples and no times, such as collapsed stacks, gets times: its samples times
 * their distance. Counts of an event (facts.counted), such as instructions, stand in the columns of times as they are.
 *
 * @return  as pe_input_open() and pe_import()
 */
int pe_recorded_read(struct pe_cct **out, struct pe_app *app, const char *path,
		     struct pe_recorded_opts *opts, struct pe_frames *frames);

/** Paths of the profiles of one version. */
struct pe_recorded_paths {
	PE_VEC(const char *) list; /**< in the context's arena; release the vector */
};

/**
 * Add what a path names: a file itself, or the files of a folder that are not hidden, in the order of their names.
 *
 * @return  PE_ENOTFOUND: nothing is there, or the folder has no file
 */
int pe_recorded_add(struct pe_recorded_paths *paths, const char *path, struct pe_app *app);

/** A profile and where it was read from. */
struct pe_recorded {
	const struct pe_cct *cct;
	const char *path;
};

/** Whether both hold times, or both the same count; else their values cannot be compared. */
bool pe_recorded_have_one_unit(const struct pe_recorded *one, const struct pe_recorded *other);

/**
 * Why two profiles cannot be matched: a timeline beside samples, whose contexts are other ones, or other counts.
 *
 * @return  a sentence in the arena; NULL: they can
 */
const char *pe_recorded_apart(const struct pe_recorded *one, const struct pe_recorded *other,
			      struct pe_arena *arena);
