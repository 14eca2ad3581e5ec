/* Profiles: what the files of the store share about the frames of trees. Nothing outside store/ includes it. */
#pragma once

#include "analysis/profile/archive.h"
#include "store/sql.h"

/**
 * Find or add the rows of all frames that a tree uses.
 *
 * @param keys  by number of the frame in the tree's table; those of others are left alone
 */
int pe_frames_put_keys(uint64_t *keys, struct pe_store *store, const struct pe_cct *cct,
		       struct pe_arena *arena, struct pe_err *err);

/**
 * Add the frames that an archive needs to a table.
 *
 * @param numbers  receives the number of each in the table, in the archive's order
 * @return         PE_EINVALID: one is not in the store
 */
int pe_frames_get_numbers(uint32_t *numbers, struct pe_store *store,
			  const struct pe_archive_frames *needed, struct pe_frames *frames,
			  struct pe_err *err);

/** Find or add the rows of functions. @param keys  one each */
int pe_functions_put_keys(uint64_t *keys, struct pe_store *store,
			  const struct pe_function_counts *functions, struct pe_err *err);

/** Store what the functions of a run executed. */
int pe_functions_put(struct pe_store *store, int64_t run, int64_t benchmark,
		     const struct pe_function_counts *functions, struct pe_err *err);

/** Drop the frames that no tree and no run needs, and the texts that no frame has. Reads the list of every one. */
int pe_frames_sweep(struct pe_store *store, struct pe_err *err);
