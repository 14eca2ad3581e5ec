/*
 * Touch: writes down which paths below PERFEVO_TOUCH_ROOT this process opened or looked for. All of it is
 * safe in any thread, in signal handlers and between vfork(2) and execve(2); nothing allocates, takes a
 * lock, or changes errno.
 */
#pragma once

#include "probe/formats/paths.h"
#include "probe/runtime/next.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/** Whether anybody asked. */
bool pe_touch_wanted(void);

/** The time for an entry, to be taken before the call that it is about. */
uint64_t pe_touch_now(void);

/**
 * Write down a path if it is below the root.
 *
 * @param dir   base of a relative path: a descriptor, or AT_FDCWD
 * @param path  as the program gave it; NULL and "" are ignored
 * @return      false: it is new, or not below the root as it is spelt; pe_touch_fd() then finds where an opened
 *              file really is
 */
bool pe_touch_path(enum pe_path_kind kind, uint64_t time_ns, int dir, const char *path);

/** Write down where a descriptor leads to, when that is below the root. */
void pe_touch_fd(enum pe_path_kind kind, uint64_t time_ns, int fd);

/** Write down the program of this process, wherever it is. */
void pe_touch_program(const char *path);

/** What a call was given, found or not; unless the kernel found the pointer to lead nowhere. */
void pe_touch_look(int dir, const char *path, bool failed);

/** A path that leads nowhere, and whether this thread looked for it: do the program's calls get here? */
extern const char pe_touch_nothing[];
extern _Thread_local bool pe_touch_reached;

/** From here on, the program may reach files unseen. */
void pe_touch_unseen(void);

/** Record that the program communicates with a process whose answers are in no file. */
void pe_touch_connected(void);

/** Something exists under a path; links are not followed. */
bool pe_touch_exists(int dir, const char *path);

/** open(2) for this library itself: not recorded, and safe while a record is made. */
int pe_touch_open(const char *path, int flags, mode_t mode);

/** readlink(2) for this library itself: not recorded. @return  bytes written, without a 0 at the end; -1: errno */
ssize_t pe_touch_readlink(const char *path, char *out, size_t size);

/** Before this process ends or becomes another program: libraries that it loaded and were not noted yet. */
void pe_touch_libraries(void);

/** A program is about to be started: its path, or all the places on PATH where it is looked for. */
void pe_touch_start(const char *file, bool search);
