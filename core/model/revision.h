/* Revision: a commit as the rest of perfevo sees it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PE_OID_HEX 41 /**< 40 hexadecimal digits and the terminator */

/** A git commit. Strings live as long as the arena it was read into. */
struct pe_revision {
	int64_t key; /**< in the store; 0: it is of none, or was not asked for there */
	char id[PE_OID_HEX];
	/** first parent first; the predecessor in comparisons */
	const char (*parents)[PE_OID_HEX];
	size_t n_parents;
	int64_t time_s;      /**< commit time, seconds since 1970 */
	const char *author;  /**< name, UTF-8 */
	const char *subject; /**< first line of the message, UTF-8 */
};

/** The index of a commit among n, by its id; n: it is not among them. */
static inline size_t pe_revision_find(const struct pe_revision *at, size_t n, const char *id)
{
	size_t i = 0;

	while (i < n && strcmp(at[i].id, id) != 0)
		i++;
	return i;
}
