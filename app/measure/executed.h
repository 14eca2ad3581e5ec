/*
 * Executed: which functions of its programs a benchmark entered at a revision, seen once in a watched run, so that another
 * revision can be asked whether it has the same ones and what they read (analysis/methods/code_executed.h).
 *
 *   struct pe_executed        what a run entered, by program
 *   struct pe_executed_watch  programs that are about to be watched
 *   struct pe_executed_trees  programs of a tree, opened once for many questions
 */
#ifndef PE_APP_MEASURE_EXECUTED_H
#define PE_APP_MEASURE_EXECUTED_H

#include "core/exec/dependencies.h"
#include "core/exec/entries.h"
#include "analysis/methods/code_executed.h"

/** A program that was watched. */
struct pe_executed_program {
	const char *program; /**< relative to the tree */
	struct pe_code_used *modules;
	bool *opened; /**< by module: it was read as a file, too, and counts as one */
	size_t n;
};

struct pe_executed {
	struct pe_executed_program *programs;
	size_t n; /**< 0: nothing was seen */
};

struct pe_executed_watch;
struct pe_executed_trees;

/**
 * Prepare to watch programs. Those that cannot be are left out. In the arena; pe_executed_release() when done.
 *
 * @param programs  relative to the tree
 * @param tree      absolute
 * @return          NULL: none can be
 */
struct pe_executed_watch *pe_executed_prepare(const struct pe_strings *programs, const char *tree,
					      struct pe_arena *arena);

/** What the runner is to watch. */
struct pe_entries *pe_executed_entries(struct pe_executed_watch *watch);

/** What was entered, as lines for the store; NULL: nothing was seen. @param touched  by the same run */
const char *pe_executed_pack(const struct pe_executed_watch *watch,
			     const struct pe_dependencies *touched, struct pe_arena *arena);

/** Welcomes NULL. */
void pe_executed_release(struct pe_executed_watch *watch);

/** Lines of pe_executed_pack() read back. In the arena, and of the lines. */
void pe_executed_unpack(struct pe_executed *out, const char *lines, struct pe_arena *arena);

/** Programs of one tree after the other; release with pe_executed_trees_close(). */
struct pe_executed_trees *pe_executed_trees_new(struct pe_arena *arena);

/** The tree may have changed: programs are opened anew. */
void pe_executed_trees_forget(struct pe_executed_trees *trees);

/** Close the programs. What is in the arena stays. */
void pe_executed_trees_close(struct pe_executed_trees *trees);

/** The watched program of that name; NULL. */
const struct pe_executed_program *pe_executed_find(const struct pe_executed *executed,
						   const char *program);

/** Add what of a program is executed. @return  PE_EUNSUPPORTED, PE_ENOTFOUND, PE_EINVALID: it cannot be told */
int pe_executed_hash(struct pe_xxh *hash, struct pe_executed_trees *trees,
		     const struct pe_executed_program *program, const char *tree,
		     struct pe_err *err);

/** Whether a file of the tree is a module of a watched program that was not read otherwise. */
bool pe_executed_covers(const struct pe_executed *executed, const char *tree, const char *path);

#endif
