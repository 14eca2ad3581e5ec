/*
 * Samples: unwound stacks of a native build, from libperfevo_sample.so (probe/formats/samples.h), read into
 * a tree of frames. Inlined calls are frames like others; nothing is folded, so that the tree is exactly that
 * of the stacks. merge.h joins it with exact counts, or folds it where there are none.
 */
#pragma once

#include "analysis/profile/cct.h"
#include "analysis/profile/symbolizer.h"

/** Name of the frame above stacks whose beginning is unknown; the node is PE_CCT_CUT. */
#define PE_SAMPLES_CUT_NAME "(cut stacks)"

/** Facts about samples that their tree does not hold. */
struct pe_samples_info {
	uint32_t files, processes, threads;
	uint64_t samples;     /**< in the tree */
	uint64_t cut;         /**< of these: the stack lacks its beginning */
	uint64_t lost;        /**< not in the tree: the program's buffer was full */
	uint64_t interval_ns; /**< 0: the files differ in it */
	bool incomplete;      /**< some threads or modules are missing */
};

/**
 * Read all sample files of some directories, as of several runs of one command, into one tree: the root, a
 * node for each program (PE_FRAME_PROCESS, joined by file name), and below it the stacks from their
 * beginning. Values are PE_CCT_SAMPLES and PE_CCT_SITES. Frames of perfevo's own libraries are left out.
 * In facts: source "samples", samples, interval, processes and threads of all files, the first run's timeline; duration_ns
 * is 0.
 *
 * @param directories  each may have any number of files; other files are skipped
 * @param symbolizer   called once for each address of each module
 * @param info         NULL is allowed
 * @return             PE_ENOTFOUND: no sample file at all; PE_EINVALID: a broken one, with the offset;
 *                     PE_ESYS; errors of the symbolizer
 */
int pe_samples_read(struct pe_cct **out, struct pe_samples_info *info,
		    const char *const *directories, size_t n_directories,
		    const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		    struct pe_arena *arena, struct pe_err *err);
