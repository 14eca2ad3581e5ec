/*
 * Reads: what a build was seen to read of its tree, as a set that the trees of two revisions are compared by. Where
 * nothing in it differs, a build meets the same answers one after the other, and makes the same.
 */
#ifndef PE_APP_MEASURE_READS_H
#define PE_APP_MEASURE_READS_H

#include "core/exec/dependencies.h"
#include "store/store.h"
#include "vcs/repo.h"

/** Paths relative to the tree, sorted. */
struct pe_reads {
	struct pe_strings
		files; /**< opened, executed, or looked for, found or not; folders that were looked at too */
	struct pe_strings folders; /**< listed; "." is the tree itself */
	struct pe_strings made;    /**< made by the build, the topmost of each */
	bool names;                /**< all names of the tree count: a compiler cache answered */
};

/**
 * What a build read, for the store. In the arena.
 *
 * @param seen  NULL: it was not watched
 */
void pe_reads_pack(struct pe_stored_reads *out, const struct pe_dependencies *seen,
		   struct pe_arena *arena);

/** Paths of pe_reads_pack() read back. In the arena. */
void pe_reads_unpack(struct pe_reads *out, const char *paths, struct pe_arena *arena);

/** What a run read. Borrows; in the arena. */
void pe_reads_of_run(struct pe_reads *out, const struct pe_dependencies *touched,
		     struct pe_arena *arena);

/**
 * Whether the two sides of a name that differs between two revisions differ for who reads this.
 *
 * A file that differs counts where it was opened or looked for; a name that came or went, where its folder was listed or
 * it was looked for in vain as well. Attributes of git and submodules decide what is written into a tree: they always
 * count.
 */
bool pe_reads_differ(const struct pe_reads *reads, const struct pe_changed_name *name);

#endif
