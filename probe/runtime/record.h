/* Record: where the counts of this process go. */
#ifndef PE_RUNTIME_RECORD_H
#define PE_RUNTIME_RECORD_H

#include "probe/formats/alloc.h"

#include <stddef.h>

/**
 * The record of this process: mapped from its file, or a private one where there is none (not requested,
 * or the directory cannot be written). Never NULL; safe from any thread; calls nothing that allocates.
 */
struct pe_alloc_record *pe_record(void);

/** The directory of the records, as the environment named it at the start; "": not requested. */
const char *pe_record_directory(void);

/** Bytes in use by this process, kept beside the record because a forked child starts with them. */
extern int64_t pe_record_live;

#endif
