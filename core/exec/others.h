/* Others: what everybody on the machine may read, by the modes of files. */
#ifndef PE_CORE_EXEC_OTHERS_H
#define PE_CORE_EXEC_OTHERS_H

#include <stdbool.h>

/** Whether others may read a file, or list and enter a folder. True of links; false of sockets, pipes and devices. */
bool pe_others_may_read(const char *path);

/** Whether others may read a path and all folders between it and one above it, which is not asked for itself. */
bool pe_others_may_reach(const char *path, const char *above);

/**
 * Call a function with a folder and each one below it that others may read; no link is followed.
 * The name is borrowed for the call.
 *
 * @return  false: there are more than a million files, or one could not be looked at
 */
bool pe_others_walk(const char *top, void (*meet)(const char *folder, void *payload),
		    void *payload);

#endif
