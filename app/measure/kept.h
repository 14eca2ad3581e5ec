/*
 * Kept: whether a build that lies in a slot since an earlier session, or since other builds ran, is still what was built.
 *
 * Unconfined, builds and benchmarks can write into the builds of other commits: `for tree in ../../[0-9]*; do ...` in the
 * build of a change makes its base as slow as itself, and nothing is said to have changed. So, when a build is over and
 * nothing of it runs any more, all that lies in its slot is listed: path, mode, size, inode, time of the last change
 * (st_ctime) and content (vcs/digest.h). The list is compared before the build is used, and again before the first run
 * that follows another build. What differs is built anew, from an empty folder.
 *
 * What it costs: the content is read once, while it still is in memory (0.5 GB a second). Comparing looks at the stat of
 * each file alone. st_ctime is set by the kernel at each change of content, mode or name, and no call sets it back;
 * content is read again where the stat differs, where the file was changed so shortly before the list was made that the
 * file system's clock could not tell (as git does), and never for files above 256 MiB or mostly of holes: those are as
 * they were if their stat is.
 *
 * What a build's own runs change is that build's matter: outputs, caches, compiled scripts, a database that grows. One
 * command runs at a time, so a file belongs to the command during which it changed; the session remembers whose turn it
 * was when, and of counting runs that several builds made at one time, that it was the turn of each. What is found so is
 * taken into the list. A session that was killed takes nothing in, and what its runs changed
 * is built again.
 *
 * The list lies beside the tree, and its digest in the slot's state. Somebody who runs unconfined could write both, as
 * he could write a row of the store; so a session goes by what it read when it began, and puts the states of all slots
 * back when it ends. Who also kills perfevo before it does is beyond this: `sandbox:` is against him.
 *
 * Clocks of network file systems are not this machine's: there, what runs change is built again.
 */
#ifndef PE_APP_MEASURE_KEPT_H
#define PE_APP_MEASURE_KEPT_H

#include "core/base/vec.h"
#include "core/exec/ports.h"
#include "core/exec/slots.h"

/** When commands ran in which tree. */
struct pe_kept {
	struct pe_executor inner; /**< what runs them */
	struct pe_arena *arena;
	PE_VEC(const char *) trees;
	/** in order of their ends; no two overlap but those that begin and end together */
	PE_VEC(struct pe_kept_turn) turns;
	uint64_t builds; /**< that were made so far */
};

struct pe_kept_turn {
	size_t tree;
	int64_t from_ns, to_ns; /**< by the clock of files */
};

/** An executor that runs commands by another one and remembers whose turn it was. Both are borrowed. */
struct pe_executor pe_kept_executor(struct pe_kept *kept, struct pe_executor inner,
				    struct pe_arena *arena);

/** What runs from here on, and is not run by the executor, is the turn of several trees: when it begins, for the call below. */
int64_t pe_kept_begin_together(void);

/** It is over. */
void pe_kept_end_together(struct pe_kept *kept, int64_t since_ns, const char *const *trees,
			  size_t n);

/** What runs from here on, and is not run by the executor, was nobody's turn. */
void pe_kept_break(struct pe_kept *kept);

/** Free what it remembers; the arena and the inner executor are the caller's. Welcomes a zeroed one. */
void pe_kept_release(struct pe_kept *kept);

/** List what a build left in its slot, and set slot->list. Nothing of the build may run any more. */
int pe_kept_record(struct pe_slot *slot, struct pe_err *err);

/**
 * Compare a slot with its list, and take into it what the slot's own runs changed since.
 *
 * @param difference  NULL: it is what was built; else "bin/tool differs". In the arena
 */
int pe_kept_compare(const char **difference, struct pe_kept *kept, struct pe_slot *slot,
		    struct pe_arena *arena, struct pe_err *err);

#endif
