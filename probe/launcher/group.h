/*
 * Group: a cgroup (v2) for each command, with its bounds of memory and processes.
 *
 * A session has a folder of its own below a cgroup that this user may write to: one that passes controllers to its
 * children, or may do so (cgroups(7): not where processes are). Each command gets a folder within, made before its
 * time begins and removed after it ended. The folders of a killed launcher are removed by the next one.
 */
#pragma once

#include "probe/formats/launch.h"

#include <stdbool.h>
#include <stdint.h>

/** A session's cgroup. None: all zero, but for the descriptors, which are -1. */
struct pe_group {
	int parent;  /**< the folder that it is in */
	int session; /**< folder of the session */
	char name[32];
	int run;    /**< folder of the current command */
	unsigned n; /**< commands so far */
	uint64_t memory_bytes;
	uint32_t processes;
	bool bounds_memory, bounds_processes; /**< the folder has the controller */
};

/** Events of a command's cgroup. */
struct pe_group_events {
	bool memory_full; /**< it was ended for its own bound, not because the machine was short of memory */
	bool processes_full;
};

#define PE_GROUP_NONE ((struct pe_group){.parent = -1, .session = -1, .run = -1})

/**
 * Make a session's folder.
 *
 * @param out     marks the bounds that it can keep, which may be none also when there is a folder
 * @param folder  cgroup to make it in; "": the launcher's own, or the one above it
 * @param why     receives the reason why a bound cannot be kept, or ""
 */
void pe_group_open(struct pe_group *out, const char *folder, const struct pe_wire_limit *limit,
		   struct pe_wire_limited *why);

/** Write bounds into an open folder of a command: memory.max, memory.swap.max, memory.oom.group, pids.max. */
bool pe_group_bound(int folder, const struct pe_group *group);

/** Give children of an open folder the controllers that bounds need, as far as the folder has them. */
void pe_group_give_controllers(int folder, struct pe_group *group);

/** The folder of the next command; -1 with errno. It stays group->run until pe_group_end(). */
int pe_group_begin(struct pe_group *group);

/** Read the events of a command whose processes have all ended, and remove its folder. */
struct pe_group_events pe_group_end(struct pe_group *group);

/** Remove the session's folder. */
void pe_group_close(struct pe_group *group);

/** Read a command's events from the files of an open folder. */
struct pe_group_events pe_group_read(int folder);
