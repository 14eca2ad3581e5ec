/*
 * Matching: the functions of two programs with their changed methods. Shared by app/changes/match.c,
 * app/changes/cross.c and app/changes/indirect.c.
 */
#pragma once

#include "app/changes/cross.h"
#include "app/changes/sources.h"
#include "core/base/vec.h"

#define PE_NO_CHANGE SIZE_MAX

enum { PE_BEFORE, PE_AFTER };

/** A program with the changed method of each function. */
struct pe_matched {
	const struct pe_program *program;
	size_t *change; /* by function: its changed method, or PE_NO_CHANGE */
	const struct pe_code_change **difference; /* by function; NULL: its code is the same */
};

/* An unqualified name of a changed method. */
struct pe_named_change {
	const char *name;
	size_t change;
};

struct pe_change_result;

struct pe_matching {
	struct pe_arena *arena;
	const struct pe_method_changes *changes;
	struct pe_sources *sources;
	struct pe_matched sides[2];
	struct pe_change_result *results;     /* by change */
	PE_VEC(struct pe_named_change) named; /* by name, then change */
	bool debug;                           /* either program has debug information */
};

/** The method on one side of a change; NULL: it is not there. */
const struct pe_method *pe_method_of(const struct pe_method_change *change, int side);

/** Arrange the changed methods by their unqualified names. Comes first; the caller releases `named`. */
void pe_matching_name(struct pe_matching *matching);

/** Find the changed method of each function of a program. */
void pe_matching_add(struct pe_matching *matching, int side, const struct pe_program *program);

/** Note which functions differ, once both programs are there. */
void pe_matching_mark(struct pe_matching *matching, const struct pe_code_changes *changes);

/** The changed method that an inlined name means; PE_NO_CHANGE: none. */
size_t pe_matching_inlined(struct pe_matching *matching, int side, const char *linkage,
			   const struct pe_code_function *host);

/**
 * How a function differs, where that alone is a reason ("line numbers alone"); NULL: it is none.
 *
 * @param datum  as of struct pe_code_change
 */
const char *pe_reason_text(enum pe_code_reason reason, const char *datum, struct pe_arena *arena);

/** List the functions that were recompiled without a change of their own, each with its reason. */
void pe_indirect_list(struct pe_crossing *out, struct pe_matching *matching,
		      const struct pe_code_changes *changes);
