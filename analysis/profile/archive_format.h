/*
 * Contents of an archive's two streams, in order. Private to archive_pack.c and archive_unpack.c.
 *
 *	frames	of each frame its identifier, less the one before and 1; of each its line; of each its module: the number
 *		of an earlier one, or the next number and the text. Other streams refer to a frame by its place in this list.
 *
 *	tree	the known columns; number of frames; the root's frame and site; the facts.
 *		The calls: for each frame the number of its different calls; then each call's callee and site,
 *		less those of the call before.
 *		Of each node but the root the number of levels between the node before it and its parent; then
 *		the index of its call among its parent's, less the one that follows its elder sibling's.
 *		Of each node its flags. A column for each known value, in the order of the table below.
 *		Deviations are split into planes of bytes, a plane for each of the 8 bytes of a double.
 *		The number of counting runs, and their overlap, as the bits of two doubles; the number of ranges; for each its
 *		node, less the one before, its runs, and by how much less and more was counted.
 *		Where the tree has a timeline: its numbers of lanes, stacks and segments, and of omitted threads;
 *		then the members of each. A stack's parent is its distance back, or 0; a segment's lane is less the
 *		one before, its begin less the end before in its lane, its end less its begin; its stack is one more.
 */
#ifndef PE_PROFILE_ARCHIVE_FORMAT_H
#define PE_PROFILE_ARCHIVE_FORMAT_H

#include "analysis/profile/cct.h"

#define PE_ARCHIVE_FRAMES "pevf"
#define PE_ARCHIVE_TREE   "pevt"

enum {
	PE_ARCHIVE_VERSION = 3,
	PE_ARCHIVE_SOURCE =
		1 << 20, /**< bytes of the facts at most: the text among them is a command line */
};

#define PE_CCT_ALL                                                                                 \
	(PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_DEVIATION | PE_CCT_ALLOCATIONS |       \
	 PE_CCT_SAMPLES)

/** One call in the graph that a tree unfolds. */
struct pe_archive_call {
	uint32_t callee, site;
};

/** The order in which columns are written. */
static const unsigned char pe_archive_columns[PE_CCT_N_COLUMNS] = {
	PE_CCT_COUNT_CALLS, PE_CCT_COLUMN_TIME,  PE_CCT_COUNT_ALLOCATIONS,
	PE_CCT_COUNT_BYTES, PE_CCT_COLUMN_FREES, PE_CCT_COLUMN_SAMPLES,
};

#endif
