/*
 * The machine code of two revisions as one benchmark executes it: does anything differ but the place of things in
 * memory? It does not where
 *
 *   everything that the programs hold besides functions is the same, but for places (struct pe_program, data);
 *   every function that both sides have is the same, or is known not to be executed. One that only one of them
 *     has is reached from nothing, for whatever reached it would differ;
 *   or, where the functions were seen that a run entered: these and what they read are the same (app/measure/trace.h);
 *   and the files that the benchmark reads are the same.
 *
 * What runs is then the same from its first instruction to its last. Wherever that is not sure the answer is not
 * layout: a word that excuses a change must not stand beside one that is in the code.
 */
#ifndef PE_APP_CHANGES_LAYOUT_H
#define PE_APP_CHANGES_LAYOUT_H

#include "app/measure/session.h"
#include "core/model/layout.h"
#include "app/measure/trace.h"

/**
 * Whether placement alone may move a metric, by name: a time, or what a benchmark prints itself. Memory and faults may
 * well move with the size of code that never runs.
 */
bool pe_layout_may_move(const char *metric);

/**
 * Build both revisions, one after the other, and compare them.
 *
 * @param out       PE_LAYOUT_WORK or PE_LAYOUT_ONLY
 * @param benchmark  the session's index
 * @param at        the session's indices of the older and the newer revision
 * @param trace     of a run of the benchmark at one of them
 * @return          PE_ESTOPPED after Ctrl-C; PE_EUNSUPPORTED: one does not build, or it executes no program that can
 *                  be normalised
 */
int pe_layout_of_code(enum pe_layout *out, struct pe_session *session, size_t benchmark,
		      const size_t at[2], const struct pe_trace *trace);

/**
 * The same with the stored trace of either: whatever the benchmark executes at one side, it executes at an equal one. *out
 * stays as it is where there is none; PE_LAYOUT_UNKNOWN: they cannot be compared.
 *
 * @param sources  keys of the revisions whose results the two have
 * @return  PE_ESTOPPED after Ctrl-C, and failures of the store
 */
int pe_layout_of_stored(enum pe_layout *out, struct pe_session *session, size_t benchmark,
			const size_t at[2], const int64_t sources[2]);

#endif
