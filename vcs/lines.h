/* Lines: where the lines of a file went between two of its contents, as the diff of both tells. */
#pragma once

#include "vcs/repo.h"

/** A stretch of lines that was replaced. Lines count from 1. */
struct pe_line_hunk {
	uint32_t old_first, old_n; /**< old_n 0: inserted before old_first */
	uint32_t new_first, new_n;
};

/** Zero-initialised: every line stays where it is. */
struct pe_line_map {
	const struct pe_line_hunk *at; /**< ascending */
	size_t n;
};

/**
 * Compare two contents line by line.
 *
 * @param old_blob, new_blob  ids
 * @param out                 in the arena; of binary files it is empty
 * @return                    as pe_repo_blob()
 */
int pe_repo_line_map(struct pe_line_map *out, struct pe_repo *repo, const char *old_blob,
		     const char *new_blob, struct pe_arena *arena, struct pe_err *err);

/** Compare two texts in the same way. @return  PE_EINVALID: libgit2 cannot compare them, and the map is empty */
int pe_line_map_of(struct pe_line_map *out, const char *old_text, const char *new_text,
		   struct pe_arena *arena);

/**
 * The line of the new content that an old one became. A line of a stretch that was replaced by as many lines
 * is taken to be the one in its place, because an edited call is still that call; else it is gone.
 *
 * @return  0: gone
 */
uint32_t pe_line_map_find(const struct pe_line_map *map, uint32_t line);
