/*
 * Archive: a calling context tree as bytes, for the store. The tree is written as a walk over the call graph that
 * it unfolds: the graph holds the calls of each method once, and a node names one of them by its distance from the
 * call of its elder sibling, most often the next. Values are columns.
 *
 * Each of its two parts is one frame of zstd with a checksum: reading gives the tree that was written, or
 * PE_EINVALID. The totals are not stored; they are summed again.
 *
 * Methods are named by the caller's own identifiers, such as row ids, and stored apart from the tree: to list the
 * methods that a tree needs, a thousandth of it is read.
 */
#pragma once

#include "core/base/text.h"
#include "analysis/profile/cct.h"

#include <stddef.h>
#include <stdint.h>

/** A tree in two parts. Zero-initialise with PE_ARCHIVE_INIT. */
struct pe_archive {
	struct pe_text frames; /**< identifiers, lines and modules of the methods that it needs */
	struct pe_text tree;
};

#define PE_ARCHIVE_INIT                                                                            \
	{                                                                                          \
		PE_TEXT_INIT, PE_TEXT_INIT                                                         \
	}

/** Free the texts of an archive. */
void pe_archive_release(struct pe_archive *archive);

/** An archive that is released where its block is left. */
#define pe_auto_archive __attribute__((cleanup(pe_archive_release))) struct pe_archive

/** The methods that an archived tree needs. */
struct pe_archive_frames {
	size_t n;
	uint64_t *ids;        /**< ascending, each once */
	uint32_t *lines;      /**< where their definitions begin; 0: unknown */
	const char **modules; /**< as in struct pe_frame */
};

/**
 * Collect the numbers of the frames of a tree's nodes, each once, ascending. pe_archive_pack() needs their identifiers.
 *
 * @param out  in the arena
 */
void pe_archive_used(uint32_t **out, size_t *n, const struct pe_cct *cct, struct pe_arena *arena);

/**
 * Write a tree for which pe_cct_check() succeeds.
 *
 * Takes some 30 bytes for each node and 40 for each different call, in addition to the output.
 *
 * @param out  appended to; empty or released
 * @param ids  by number of the frame in cct->frames, different for different frames; only those of
 *             pe_archive_used() are read
 */
void pe_archive_pack(struct pe_archive *out, const struct pe_cct *cct, const uint64_t *ids);

/**
 * Read the list of methods that a tree needs.
 *
 * @param out    in the arena
 * @param bytes  of struct pe_archive's frames
 * @return       PE_EINVALID; PE_EUNSUPPORTED: of another version
 */
int pe_archive_frames(struct pe_archive_frames *out, const void *bytes, size_t n,
		      struct pe_arena *arena, struct pe_err *err);

/** Read the number of nodes of a tree, without the tree. Errors are those of pe_archive_frames(). */
int pe_archive_nodes(uint32_t *out, const void *bytes, size_t n, struct pe_err *err);

/**
 * Read a tree.
 *
 * @param out        in the arena, as is facts.source
 * @param bytes      of struct pe_archive's tree
 * @param frames     the table that the tree's frames are in
 * @param numbers    in that table, for each of pe_archive_frames(), in its order
 * @param n_numbers  their number
 * @return           PE_EINVALID; PE_EUNSUPPORTED: of another version
 */
int pe_archive_unpack(struct pe_cct **out, const void *bytes, size_t n, struct pe_frames *frames,
		      const uint32_t *numbers, size_t n_numbers, struct pe_arena *arena,
		      struct pe_err *err);
