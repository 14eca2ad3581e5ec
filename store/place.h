/* Place: the file system of the store's file, and whether the file is still there. */
#pragma once

#include "store/sql.h"

/**
 * The name of a network file system by its number (statfs(2), linux/magic.h); NULL: a local one. File systems in user
 * space count as network ones: most are, and for the others the cost is only time.
 */
const char *pe_network_name(long type);

/** That of the file system of a path, or of its folder while the path does not exist. */
const char *pe_network_of(const char *path);

/** PE_ESTORE where the file was deleted, moved or replaced since it was opened: what is written then is lost. */
int pe_place_check(struct pe_store *store, struct pe_err *err);
