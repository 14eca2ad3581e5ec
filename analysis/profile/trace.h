/*
 * Trace reader: joins the traces of the processes of one run (probe/formats/trace.h) into one tree.
 *
 * Below the root is one node a command (PE_FRAME_PROCESS, named by the program's file name): processes
 * of equal name are joined, as are their threads. Below it are the methods, merged where frame and call
 * site are equal, in order of their first call. A function called by the C library, main() first of all, has no call site:
 * it would be a line of a source that is not the program's. A forked child continues on the path of its parent.
 */
#pragma once

#include "analysis/profile/cct.h"
#include "analysis/profile/symbolizer.h"

#include <stdbool.h>

/** Facts about a run that its tree does not hold. Names are file names of programs, in the arena. */
struct pe_trace_notes {
	uint32_t processes, threads;
	/** Processes with an allocator of their own. If there are any, the tree's allocations are unknown. */
	uint32_t bypassed;
	const char *bypassed_name; /**< one of them, or NULL */
	/** Processes that could not record everything: the disk was full, or PERFEVO_CALLS_LIMIT reached. */
	uint32_t stopped;
	const char *stopped_name;
	uint64_t lost_calls; /**< not recorded, in all */
};

/**
 * Read all traces of a directory into one tree; other files there are ignored. Components are those of
 * the symbolizer.
 *
 * The tree has calls and sites, and allocations unless a process hides them (facts.source is "counting").
 *
 * @param notes       NULL is allowed
 * @param symbolizer  called once per distinct address
 * @param frames      receives the tree's frames
 * @return            PE_ENOTFOUND: no directory, or no trace in it; PE_EINVALID: a trace is damaged, with its
 *                    name and the offset; PE_EUNSUPPORTED: of another version; PE_ESYS; the symbolizer's
 */
int pe_trace_read_dir(struct pe_cct **out, struct pe_trace_notes *notes, const char *dir,
		      const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		      struct pe_arena *arena, struct pe_err *err);

/** Read a single trace in memory, aligned for 64-bit integers; name is used in messages. */
int pe_trace_read_bytes(struct pe_cct **out, struct pe_trace_notes *notes, const void *bytes,
			size_t n, const char *name, const struct pe_symbolizer *symbolizer,
			struct pe_frames *frames, struct pe_arena *arena, struct pe_err *err);
