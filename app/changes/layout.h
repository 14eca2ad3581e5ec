/*
 * The machine code of two revisions as one benchmark executes it: does anything differ but the place of things in
 * memory? It does not where
 *
 *   the functions that a run entered and what they read are the same, but for places (app/measure/trace.h), all functions of
 *     a program whose entered ones are not known;
 *   and the files that the benchmark reads are the same.
 *
 * What runs is then the same from its first instruction to its last. Wherever that is not sure the answer is not
 * layout: a word that excuses a change must not stand beside one that is in the code.
 */
#pragma once

#include "app/measure/session.h"
#include "core/model/layout.h"

/**
 * Whether placement alone may move a metric, by name: a time, or what a benchmark prints itself. Memory and faults may
 * well move with the size of code that never runs.
 */
bool pe_layout_may_move(const char *metric);

/**
 * Build both revisions, one after the other, and compare them by a stored trace of either: whatever the benchmark executes at one
 * side, it executes at an equal one.
 *
 * @param out        PE_LAYOUT_WORK, PE_LAYOUT_ONLY, or PE_LAYOUT_UNKNOWN: no trace is stored, one does not build, or the
 *                   benchmark executes no program that can be normalised
 * @param benchmark  the session's index
 * @param at         the session's indices of the older and the newer revision
 * @param sources    keys of the revisions whose results the two have, for their stored traces
 * @return           PE_ESTOPPED after Ctrl-C, and failures of the store
 */
int pe_layout_between(enum pe_layout *out, struct pe_session *session, size_t benchmark,
		      const size_t at[2], const int64_t sources[2]);
