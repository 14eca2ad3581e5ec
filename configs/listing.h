/* Listing: the files under some paths of a tree, in one order everywhere, and a hash of them. */
#pragma once

#include "core/base/arena.h"
#include "core/base/hash.h"
#include "core/model/benchmark.h"

#include <sys/types.h>

/** A file or a symbolic link. */
struct pe_listed {
	const char *path; /**< relative to the tree's root */
	mode_t mode;      /**< from lstat(2) */
};

struct pe_listing {
	struct pe_listed *at; /**< sorted by path, none twice */
	size_t n;
};

/**
 * List files, and folders with all of their contents but git's own.
 *
 * @param root   folder that the paths are relative to
 * @param noun   for messages: "overlay", "input"
 * @return       PE_EINVALID naming a path that is missing, or is no file, folder or link; PE_ESYS
 */
int pe_listing_read(struct pe_listing *out, const char *root, const struct pe_strings *paths,
		    const char *noun, struct pe_arena *arena, struct pe_err *err);

/** Hash names, kinds (file, executable, link) and contents. */
int pe_listing_hash(char hex[PE_HASH_HEX], const struct pe_listing *listing, const char *root,
		    struct pe_err *err);
