/*
 * Tree: the processes below the launcher, which is a subreaper: a process whose parent ends becomes the
 * launcher's child, whatever session or group it moved to. So the descendants are always all there is to
 * end, and the tree is over when wait4(2) finds no child.
 */
#ifndef PE_LAUNCHER_TREE_H
#define PE_LAUNCHER_TREE_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/** What the launcher does with a process that ended: it still has its number, and then it is reaped. */
struct pe_tree_reaper {
	void (*ended)(pid_t pid, void *payload);
	void (*reaped)(pid_t pid, int status, const struct rusage *usage, void *payload);
	void *payload;
};

/** How ending a tree went. */
struct pe_tree_end {
	unsigned ended; /**< processes that had to be ended */
	pid_t unending; /**< 0, or one that neither the launcher nor time could end */
	int error;      /**< why, if the system said so */
};

/** Reap every child that has ended. Returns whether others are left. */
bool pe_tree_reap(const struct pe_tree_reaper *reaper);

/** Reap until nobody is left, at most so long. Returns whether others are. */
bool pe_tree_await(const struct pe_tree_reaper *reaper, int patience_ms);

/**
 * End every descendant and reap it. They are stopped first, level by level until nobody new appears, and
 * killed only then: killing at once would make room for a fork bomb's next children.
 *
 * SIGCHLD must be blocked; it is what is waited for in between.
 *
 * @param spared  process that does not count in `ended` (the command itself), or 0
 */
struct pe_tree_end pe_tree_finish(const struct pe_tree_reaper *reaper, pid_t exempt);

/**
 * End a process that is not ours with all its descendants: they are stopped, level by level, and killed, they first.
 */
void pe_tree_end_family(pid_t root);

#endif
