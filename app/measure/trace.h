/*
 * Trace: what a task (a build, a run of a benchmark) was seen to execute, to read, to look for, to list and to make of its
 * tree. Elsewhere, where all of that is the same, the task does the same, and its results are taken over: verifying traces
 * (Mokhov, Mitchell and Peyton Jones, "Build systems à la carte", Proc. ACM Program. Lang. 2, ICFP 79, 2018, section
 * 4.2.2). Three resolvers tell whether it is:
 *
 *   git   names that differ between two commits (pe_trace_differs()): nothing is built
 *   tree  one hash over the files and the normalised programs of a built tree (pe_trace_hash())
 *   code  the same, but of programs only the functions that a run entered, with what these read
 *         (analysis/methods/code_executed.h)
 *
 *   struct pe_trace           what was seen, packed and as lists
 *   struct pe_executed_watch  programs whose functions are about to be watched
 *   struct pe_executed_trees  programs of a tree, opened once for many questions
 */
#ifndef PE_APP_MEASURE_TRACE_H
#define PE_APP_MEASURE_TRACE_H

#include "analysis/methods/code_executed.h"
#include "core/base/xxh.h"
#include "core/exec/dependencies.h"
#include "core/exec/entries.h"
#include "vcs/repo.h"

#include <signal.h>

/** A program whose functions were watched. */
struct pe_executed_program {
	const char *program; /**< relative to the tree */
	struct pe_code_used *modules;
	bool *opened; /**< by module: it was read as a file, too, and counts as one */
	size_t n;
};

/** Which functions of its programs a run entered. */
struct pe_executed {
	struct pe_executed_program *programs;
	size_t n; /**< 0: nothing was seen */
};

struct pe_trace {
	const char *items;              /**< packed; NULL: they were not seen whole */
	const char *functions;          /**< packed; NULL: they were not seen */
	struct pe_dependencies touched; /**< the items */
	struct pe_executed executed;    /**< the functions */
};

/* --- As text --- */

/**
 * Pack the items of a trace as text for the store, a line each: a kind (P program, F file, D folder, M made, O outside of
 * the tree; N: all names of the tree count), how many bytes the path has in common with that of the line
 * before, a space, and the rest of the path. In the arena.
 *
 * @return  NULL: a path cannot stand in a line
 */
const char *pe_trace_pack(const struct pe_dependencies *touched, struct pe_arena *arena);

/**
 * Unpack a trace. In the arena, and of the texts.
 *
 * @param items      of pe_trace_pack(); no number: nothing in common
 * @param functions  of pe_executed_pack(); NULL: they were not seen
 */
void pe_trace_unpack(struct pe_trace *out, const char *items, const char *functions,
		     struct pe_arena *arena);

/** Unpack the functions of a trace alone. */
void pe_executed_unpack(struct pe_executed *out, const char *lines, struct pe_arena *arena);

/* --- Resolvers --- */

/**
 * Whether the two sides of a name that differs between two revisions differ for a task with these items.
 *
 * A file that differs counts where it was opened or looked for; a name that came or went, where its folder was listed or
 * it was looked for in vain as well. Attributes of git and submodules decide what is written into a tree: they always
 * count.
 */
bool pe_trace_differs(const struct pe_dependencies *touched, const struct pe_changed_name *name);

enum pe_resolver {
	PE_BY_TREE,
	PE_BY_CODE,
	PE_N_RESOLVERS, /**< that hash: git is not among them */
};

struct pe_executed_trees;

/**
 * Hash what a trace names in a built tree: programs normalised (analysis/methods/code.h) with the libraries of the tree,
 * other files by content, folders by the names in them, absent ones as such. Equal hashes do the same.
 *
 * @param opened      with PE_BY_CODE: programs of this tree; NULL: they are opened for this question alone
 * @param interrupts  see struct pe_proc_spec; NULL: none
 * @return            PE_ESYS, PE_EINVALID, PE_ENOTFOUND, PE_EUNSUPPORTED: this tree has no hash; PE_EUNSUPPORTED also
 *                    for more than 4 GiB of files; PE_ESTOPPED
 */
int pe_trace_hash(char text[PE_XXH_TEXT], const struct pe_trace *trace, enum pe_resolver resolver,
		  struct pe_executed_trees *opened, const char *tree,
		  const volatile sig_atomic_t *interrupts, struct pe_err *err);

/* --- Functions --- */

struct pe_executed_watch;

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

/**
 * Pack what was entered as text for the store, a line each: P program, M module with functions, W module of which all may
 * be executed, R: the module before was read as a file, f function of the module before.
 *
 * @param touched  by the same run
 * @return         NULL: nothing was seen
 */
const char *pe_executed_pack(const struct pe_executed_watch *watch,
			     const struct pe_dependencies *touched, struct pe_arena *arena);

/** Close the watched programs. NULL is allowed. */
void pe_executed_release(struct pe_executed_watch *watch);

/** Programs of one tree after the other; release with pe_executed_trees_close(). */
struct pe_executed_trees *pe_executed_trees_new(struct pe_arena *arena);

/** Open programs anew: the tree may have changed. */
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
