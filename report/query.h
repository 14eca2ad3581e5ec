/* Query: what more than one writer asks an evolution. */
#pragma once

#include "core/base/arena.h"
#include "report/evolution.h"

struct pe_json;

#define PE_SHORT_ID 8 /**< hexadecimal digits shown to people */

/** Append the start of a revision's id. */
void pe_add_short_id(struct pe_text *out, const struct pe_evolution *evolution, size_t revision);

/**
 * The name of a jump's state for people: "undecided" where the fresh runs of a suspect gave no answer, "not confirmed
 * itself" where those of another benchmark or metric of its event did.
 */
const char *pe_jump_status_name(const struct pe_jump *jump);

/**
 * Append the place of a jump: "b2c3d4e5 subject", or "in a1b2c3d4..b2c3d4e5 (3 commits)" where it may be any of several:
 * without the subject of the last, which need not be the culprit.
 */
void pe_jump_add_place(struct pe_text *out, const struct pe_evolution *evolution,
		       const struct pe_jump *jump);

/** Append " in 3 commits" behind a jump that is shown at the last of several, any of which may have it. */
void pe_jump_add_range(struct pe_text *out, const struct pe_jump *jump);

/** A caveat of a jump: it comes from layout alone, or counts generic code. A sentence; NULL: none. */
const char *pe_jump_caveat(const struct pe_jump *jump);

/** Append a jump's members "layout" (true, false, or null where it is not known) and "generic" to an object of JSON. */
void pe_jump_json_caveats(struct pe_json *json, const struct pe_jump *jump);

/** A jump with the line it is on, and the commit that causes it. */
struct pe_ranked_jump {
	const struct pe_line *line;
	const struct pe_jump *jump;
	size_t commit; /**< index of the revision */
};

/** Every jump, in the order of the commit blocks (report/commit_blocks.h). The arena owns the array. */
struct pe_ranked_jump *pe_evolution_rank(size_t *n, const struct pe_evolution *evolution,
					 struct pe_arena *arena);

/** The point of a line at a revision, or NULL. */
const struct pe_point *pe_line_at(const struct pe_line *line, size_t revision);

/** The jump of a line whose first revision at the new level is that one, or NULL. */
const struct pe_jump *pe_line_jump_at(const struct pe_line *line, size_t revision);

/**
 * The measured point that a revision is compared with: the nearest ancestor along first parents;
 * where they lead out of the evolution, the last one measured before it. NULL: there is none.
 */
const struct pe_point *pe_line_predecessor(const struct pe_evolution *evolution,
					   const struct pe_line *line, size_t revision);

/** (to - from) / from; NaN when from is 0 or either is not finite (Spark Circle section IV:
 * undefined). */
double pe_relative(double from, double to);

/** Whether a point has values, and they are another revision's. */
bool pe_point_is_reused(const struct pe_point *point);

/** The id of the revision that a point is reused from; NULL: it was measured itself. */
const char *pe_point_source_id(const struct pe_evolution *evolution, const struct pe_point *point);

/**
 * Append how much was reused: "12 of 50 results reused"; nothing when every value was measured where it stands. A result is
 * that of one benchmark at one commit.
 */
void pe_evolution_add_reused(struct pe_text *out, const struct pe_evolution *evolution);

/** Tag or branch of a revision, or NULL. */
const char *pe_decoration(const struct pe_evolution *evolution, size_t revision);

/** Seconds that building a revision took; NaN: unknown. */
double pe_build_s(const struct pe_evolution *evolution, size_t revision);

/** The distinct benchmarks, each by its first line, in the order of the lines; the arena owns the
 * array. */
const struct pe_line **pe_evolution_benchmarks(size_t *n, const struct pe_evolution *evolution,
					       struct pe_arena *arena);
