/*
 * Power cuts: what a disk may hold of files whose last writes were not synced. Of each file that SQLite changes, the
 * model keeps what the last sync made durable and what was asked since. In an image, each sector of each later write is
 * there or not, in any subset (the cache of a disk writes in its own order); a file that grew may have grown without
 * its bytes; a name that was made or removed counts once its folder was synced. What is assumed of the disk is what
 * SQLite assumes: a sector of 512 bytes is written whole or not, and its neighbours stay (SQLITE_IOCAP_POWERSAFE_OVERWRITE).
 */
#pragma once

#include "core/base/random.h"

#include <stdbool.h>

/** Follow the files of this process from now on, none of which is there yet; `cut` is called before every n-th change. */
void power_begin(long n, void (*cut)(void));
/** Follow them no more. */
void power_end(void);

/** Changes that were asked for since power_begin(). */
long power_calls(void);

/** Put what one power cut leaves now into a folder that is there and empty. */
void power_image(const char *folder, struct pe_random *random);
