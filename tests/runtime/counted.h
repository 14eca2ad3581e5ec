/*
 * Counted: a program of tests/programs/calls, compiled with hooks, run under libperfevo_calls.so, and its
 * whole tree compared with the one that is drawn in the program's opening comment.
 *
 *	name @site x6 +6:96 -6     calls; allocations and their bytes; frees
 *
 * A site is the tag of a line, marked there as <site>, or the line's number; "@*" and none are not compared.
 * "~" instead of allocations: the C library's own are among them, and not compared.
 * A line that ends in [tag] is there only when the test says so. "folded" is said where calls are folded.
 */
#pragma once

#include "analysis/profile/trace.h"

#include <stdbool.h>

/** How to build and run one. */
struct counted {
	const char *source;   /**< "recursion.c" */
	const char *compiler; /**< "gcc -O2" */
	const char *args;     /**< after the program's name, in shell syntax; NULL: none */
	const char *env;      /**< before it: "NAME=value"; NULL: none */
	const char *tag;      /**< of lines of the tree; NULL: without those */
	int status;           /**< that the shell gives */
	bool no_allocations;  /**< the tree is compared without them */
};

void counted_set_up(void);
void counted_tear_down(void);

/** The folder that the programs are in, and the traces' folder below it. */
const char *counted_dir(void);

/** Compile one; `counted_program` names it from then on. */
void counted_build(const struct counted *how);

/** Run it anew, and read what it left. The tree is valid until the next run. */
const struct pe_cct *counted_run(const struct counted *how);

/** What was said beside the tree. */
const struct pe_trace_notes *counted_notes(void);

/** What the program printed. */
const char *counted_output(void);

/** Build, run and compare. */
void counted_check(const struct counted *how);

/** A line of shell in the folder, which has to exit 0. */
void counted_shell(const char *format, ...) PE_PRINTF(1, 2);

/** A child by its name; PE_CCT_NONE. */
uint32_t counted_child(const struct pe_cct *cct, uint32_t node, const char *name);
