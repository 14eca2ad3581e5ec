/* Place: the file system that the store lies on, and whether the store is still there. */
#ifndef PE_STORE_PLACE_H
#define PE_STORE_PLACE_H

#include "store/sql.h"

/**
 * The name of a network file system by its number (statfs(2), linux/magic.h); NULL: a local one. Those in user
 * space count as such: most are, and what is asked of the others only costs time.
 */
const char *pe_network_name(long type);

/** That of the file system of a path, or of its folder while the path does not exist. */
const char *pe_network_of(const char *path);

/** PE_ESTORE where the file was deleted, moved or replaced since it was opened: what is written then is lost. */
int pe_place_check(struct pe_store *store, struct pe_err *err);

#endif
