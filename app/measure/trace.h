/*
 * Trace: the files that a task (a build, a run of a benchmark) executed, read, looked for, listed and made. At a revision
 * where all of them are the same, the task does the same, and its results are taken over: verifying traces (Mokhov,
 * Mitchell and Peyton Jones, "Build systems à la carte", Proc. ACM Program. Lang. 2, ICFP 79, 2018, section 4.2.2). Three
 * resolvers decide whether they are:
 *
 *   git   names that differ between two commits (pe_trace_differs()): nothing is built
 *   tree  one hash over the files and the normalised programs of a built tree (pe_trace_hash())
 *   code  the same, but of programs only the functions that a run entered, with the data that these read
 *         (analysis/methods/code_executed.h)
 *
 *   struct pe_trace           a trace, packed and as lists
 *   struct pe_executed_watch  programs whose functions are about to be watched
 *   struct pe_executed_trees  programs of a tree, opened once for many hashes
 */
#pragma once

#include "analysis/methods/code_executed.h"
#include "core/base/xxh.h"
#include "core/exec/dependencies.h"
#include "core/exec/runner.h"
#include "vcs/repo.h"

#include <signal.h>

/** A program whose functions were watched. */
struct pe_executed_program {
	const char *program; /**< relative to the tree */
	struct pe_code_used *modules;
	bool *opened; /**< by module: the run also read it as a file, and it is hashed as one */
	size_t n;
};

/** The functions that a run entered, by program. */
struct pe_executed {
	struct pe_executed_program *programs;
	size_t n; /**< 0: none was watched */
};

struct pe_session;

struct pe_trace {
	const char *items;              /**< packed; NULL: they are incomplete */
	const char *functions;          /**< packed; NULL: they were not watched */
	struct pe_dependencies touched; /**< the items */
	struct pe_executed executed;    /**< the functions */
};

/* --- As text --- */

/**
 * Pack the items of a trace as text for the store, one on each line: a kind (P program, F file, D folder, M made, O
 * outside of the tree; N: all names of the tree count), the number of bytes that the path shares with that of the line
 * before, a space, and the rest of the path. In the arena.
 *
 * @return  NULL: a path contains a newline
 */
const char *pe_trace_pack(const struct pe_dependencies *touched, struct pe_arena *arena);

/**
 * Unpack a trace. The result is in the arena and borrows the texts.
 *
 * @param items      of pe_trace_pack(); a line without a number shares no bytes
 * @param functions  of pe_executed_pack(); NULL: they were not watched
 */
void pe_trace_unpack(struct pe_trace *out, const char *items, const char *functions,
		     struct pe_arena *arena);

/* --- Resolvers --- */

/**
 * Whether a name that differs between two revisions matters to a task with these items.
 *
 * A changed file matters where it was opened or looked for. A name that was added or removed also matters where its
 * folder was listed, or where the task looked for it and it was absent. A name at or below one that the task made
 * matters, too. Attributes of git and submodules decide the contents of a tree: they always matter.
 */
bool pe_trace_differs(const struct pe_dependencies *touched, const struct pe_changed_name *name);

enum pe_resolver {
	PE_BY_TREE,
	PE_BY_CODE,
	PE_N_RESOLVERS, /**< number of resolvers that hash: git is not among them */
};

struct pe_executed_trees;

/**
 * Hash the items of a trace in a built tree: programs normalised (analysis/methods/code.h) with the libraries of the
 * tree, other files by content, folders by the names in them, absent ones as such. With equal hashes the task does the
 * same.
 *
 * @param opened      with PE_BY_CODE: programs of this tree; NULL: they are opened for this call alone
 * @param interrupts  see struct pe_proc_spec; NULL: none
 * @return            PE_ESYS, PE_EINVALID, PE_ENOTFOUND, PE_EUNSUPPORTED: this tree has no hash; PE_EUNSUPPORTED also for
 *                    more than 4 GiB of files; PE_ESTOPPED
 */
int pe_trace_hash(char text[PE_XXH_TEXT], const struct pe_trace *trace, enum pe_resolver resolver,
		  struct pe_executed_trees *opened, const char *tree,
		  const volatile sig_atomic_t *interrupts, struct pe_err *err);

/* --- Functions --- */

struct pe_executed_watch;

/**
 * Prepare to watch programs. Those that cannot be watched are left out. In the arena; pe_executed_release() when done.
 *
 * @param programs  relative to the tree
 * @param tree      absolute
 * @return          NULL: none can be watched
 */
struct pe_executed_watch *pe_executed_prepare(const struct pe_strings *programs, const char *tree,
					      struct pe_arena *arena);

/** The functions that the runner is to watch. */
struct pe_entries *pe_executed_entries(struct pe_executed_watch *watch);

/**
 * Pack the entered functions as text for the store, one on each line: P program, M module with functions, W module of
 * which all may be executed, R: the module before was read as a file, f function of the module before.
 *
 * @param touched  by the same run
 * @return         NULL: no program was watched
 */
const char *pe_executed_pack(const struct pe_executed_watch *watch,
			     const struct pe_dependencies *touched, struct pe_arena *arena);

/** Close the watched programs. NULL is allowed. */
void pe_executed_release(struct pe_executed_watch *watch);

/** A run that is traced. */
struct pe_traced {
	struct pe_session *session;
	const struct pe_benchmark *benchmark;
	const char *tree;
	/* Of the latest run: */
	struct pe_run run;
	struct pe_dependencies touched;
	const char *functions; /**< packed; NULL: they were not watched */
	bool watched;          /**< at least one of the programs could be watched */
};

/** Make one run under the counting library. @param programs  whose functions are watched; NULL: none */
int pe_traced_run(struct pe_traced *traced, const struct pe_strings *programs);

/** Whether the latest run succeeded and all that it touched was seen. */
bool pe_traced_is_seen(const struct pe_traced *traced);

/** Make an empty set of opened programs, of one tree at a time; release with pe_executed_trees_close(). */
struct pe_executed_trees *pe_executed_trees_new(struct pe_arena *arena);

/** Close the opened programs, so that they are opened anew: the tree may have changed. */
void pe_executed_trees_forget(struct pe_executed_trees *trees);

/** Close the programs. Memory in the arena stays. */
void pe_executed_trees_close(struct pe_executed_trees *trees);

/** The watched program of that name; NULL: there is none. */
const struct pe_executed_program *pe_executed_find(const struct pe_executed *executed,
						   const char *program);

/** Add the executed code of a program to a hash. @return  PE_EUNSUPPORTED, PE_ENOTFOUND, PE_EINVALID: it is unknown */
int pe_executed_hash(struct pe_xxh *hash, struct pe_executed_trees *trees,
		     const struct pe_executed_program *program, const char *tree,
		     struct pe_err *err);

/** Whether a file of the tree is a module of a watched program that was not read as a file, too. */
bool pe_executed_covers(const struct pe_executed *executed, const char *tree, const char *path);
