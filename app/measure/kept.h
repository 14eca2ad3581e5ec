/*
 * Kept: whether a slot still holds the build that was made in it, in an earlier session or before other builds ran.
 *
 * Unconfined, builds and benchmarks can write into the builds of other commits: `for tree in ../../[0-9]*; do ...` in the
 * build of a change makes its base as slow as itself, and no change is reported. So, when a build is over and none of its
 * processes runs any more, the files in its slot are listed: path, mode, size, inode, time of the last change (st_ctime)
 * and content (vcs/digest.h). The list is compared before the build is used, and again before the first run that follows
 * another build. A slot that differs is built anew, from an empty folder.
 *
 * Cost: the content is read once, while it still is in memory (0.5 GB a second). Comparing looks at the stat of each file
 * alone. The kernel sets st_ctime at each change of content, mode or name, and no call sets it back. Content is read
 * again where the stat differs, and where the file was changed so shortly before the list was made that the file system's
 * clock could not tell (as git does). It is never read for files above 256 MiB or mostly of holes: they are unchanged if
 * their stat is.
 *
 * Changes by a build's own runs are allowed: outputs, caches, compiled scripts, a database that grows. One command runs
 * at a time, so a changed file is attributed to the command that ran at the time, by the turns of app/measure/outside.h;
 * counting runs that several builds made at one time are turns of each of them. Allowed changes enter the list. After a session that was killed they are not in it, and the build is made again.
 *
 * The list is a file beside the tree, and its digest is in the slot's state. An attacker who runs unconfined could write
 * both, as well as rows of the store; so a session relies on the digests that it read when it began, and writes the
 * states of all slots back when it ends. An attacker who also kills perfevo before that is out of scope here: `sandbox:`
 * is the defence.
 *
 * Clocks of network file systems are not this machine's: there, a build that its runs changed is made again.
 */
#pragma once

#include "app/measure/outside.h"
#include "core/exec/slots.h"

/** List the files of a build's slot, and set slot->list. No process of the build may run any more. */
int pe_kept_record(struct pe_slot *slot, struct pe_err *err);

/**
 * Compare a slot with its list, and enter the changes by the slot's own runs into it.
 *
 * @param difference  NULL: it still is the build that was made; else "bin/tool differs". In the arena
 * @param outside     knows which tree's commands ran when; NULL: none did
 */
int pe_kept_compare(const char **difference, const struct pe_outside *outside, struct pe_slot *slot,
		    struct pe_arena *arena, struct pe_err *err);
