/*
 * Accepted: intended changes of performance, in a file that is tracked with the source, so that
 * reviewers see it. `perfevo accept` writes it; people may edit it:
 *
 *	- benchmark: parse
 *	  revision: 8f0c2d6b1a4e5f60718293a4b5c6d7e8f9012345 # check the input
 *	  metric: wall
 *	  why: the check costs 3 %, and is worth it
 *	  by: Ada Example
 *	  when: 2024-05-01
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>

/** The name of the file, at the top of the tree. */
#define PE_ACCEPTED_FILE "perfevo-accepted.yml"

/** The benchmark of an entry that accepts all changes of a commit. */
#define PE_ACCEPTED_ALL "*"

struct pe_accepted {
	const char *benchmark; /**< PE_ACCEPTED_ALL: every one */
	const char *revision;  /**< id: 7 to 40 hexadecimal digits, in small letters */
	const char *metric;    /**< name; NULL: all of them */
	const char *why;
	const char *by, *when; /**< NULL: not in the file */
	size_t line;           /**< of the file, from 1 */
};

struct pe_accepted_list {
	struct pe_accepted *at;
	size_t n;
};

/**
 * Read the list.
 *
 * @param path  for messages
 * @return      PE_EINVALID: "path:line:column: ", the error, and the correct form
 */
int pe_accepted_parse(struct pe_accepted_list *out, const char *path, const char *text, size_t len,
		      struct pe_arena *arena, struct pe_err *err);

/** Read the list of a file; a missing file is an empty list. */
int pe_accepted_load(struct pe_accepted_list *out, const char *path, struct pe_arena *arena,
		     struct pe_err *err);

/**
 * Find the first entry for these; NULL: none.
 *
 * @param metric    NULL: one for all metrics only
 * @param revision  a whole id
 */
const struct pe_accepted *pe_accepted_find(const struct pe_accepted_list *list,
					   const char *benchmark, const char *metric,
					   const char *revision);

/** Append an entry to the text of a file, which may be empty. @param subject  of the commit, for people */
void pe_accepted_append(struct pe_text *text, const struct pe_accepted *entry, const char *subject);

/** Remove the entry at list->at[i] from the text that the list was read from; the rest stays as it is. */
int pe_accepted_cut(struct pe_text *text, const char *path, const struct pe_accepted_list *list,
		    size_t i, struct pe_err *err);
