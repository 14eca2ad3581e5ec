/*
 * Tree: the processes below the launcher, which is a subreaper: a process whose parent ends becomes the
 * launcher's child, in any session or group. So the launcher's descendants are all processes of the command, and
 * the tree has ended when wait4(2) finds no child.
 */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/** Callbacks for a process that ended: `ended` while it still has its number, `reaped` afterwards. */
struct pe_tree_reaper {
	void (*ended)(pid_t pid, void *payload);
	void (*reaped)(pid_t pid, int status, const struct rusage *usage, void *payload);
	void *payload;
};

/** Result of ending a tree. */
struct pe_tree_end {
	unsigned ended; /**< processes that had to be ended */
	pid_t unending; /**< 0, or a process that could not be ended */
	int error;      /**< errno of that, if there was one */
};

/** Reap every child that has ended. Returns whether others are left. */
bool pe_tree_reap(const struct pe_tree_reaper *reaper);

/**
 * End every descendant and reap it. They are stopped first, level by level until none is new, and killed
 * only then: killing at once would make room for a fork bomb's next children.
 *
 * SIGCHLD must be blocked: the call waits for it.
 *
 * @param exempt  process that does not count in `ended` (the command itself), or 0
 */
struct pe_tree_end pe_tree_finish(const struct pe_tree_reaper *reaper, pid_t exempt);

/**
 * End a process that is not ours with all its descendants: they are stopped, level by level, and killed, the root last.
 */
void pe_tree_end_family(pid_t root);
