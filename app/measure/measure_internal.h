/* Measuring: what the files of pe_session_measure() share; nobody else includes it. */
#ifndef PE_APP_MEASURE_MEASURE_INTERNAL_H
#define PE_APP_MEASURE_MEASURE_INTERNAL_H

#include "app/measure/reuse.h"
#include "app/measure/stop_rule.h"
#include "app/measure/session.h"

/* --- app/measure/batch_run.c --- */

/** A key of the store and where it stands. */
struct pe_place {
	int64_t key;
	size_t index;
};

/** Sorted by key. */
struct pe_places {
	struct pe_place *at;
	size_t n;
};

/** One window on its way through. */
struct pe_sitting {
	struct pe_session *session;
	struct pe_window *window;
	struct pe_grid grid;
	int64_t *revision_keys, *workload_keys; /**< by the grid's indices */
	struct pe_enough *enough;               /**< NULL: every cell is run to the end */
	struct pe_arena arena;
};

enum pe_sitting_built { PE_SITTING_BUILT, PE_SITTING_FAILED, PE_SITTING_NO_ROOM };

/** Keys and their positions in `keys`, for pe_places_find(). */
struct pe_places pe_places_sort(const int64_t *keys, size_t n, struct pe_arena *arena);

/** Where a key stands; SIZE_MAX: nowhere. */
size_t pe_places_find(const struct pe_places *places, int64_t key);

/** Begin with no revision seated and room for the cells that the window has by now. pe_sitting_end() it. */
void pe_sitting_start(struct pe_sitting *sitting, struct pe_session *session,
		      struct pe_window *window);

/**
 * Build the session's revision r, or find its build. That it does not build is a note.
 *
 * @param slot   its build, held; NULL: PE_SITTING_NO_ROOM
 * @param build  what came of it
 * @return       PE_ESTOPPED after Ctrl-C, or as pe_session_build()
 */
int pe_sitting_build(enum pe_sitting_built *out, struct pe_slot **slot, struct pe_build *build,
		     struct pe_session *session, size_t r);

/** Make the session's revision r, built at `tree`, one of the grid's. */
void pe_sitting_seat(struct pe_sitting *sitting, size_t r, const char *tree);

/** Run what the seated revisions' cells still miss, storing every run as it is made. */
int pe_sitting_measure(struct pe_sitting *sitting);

/** Let go of the sitting and of all slots. */
void pe_sitting_end(struct pe_sitting *sitting);

/* --- app/measure/batch_plan.c --- */

/**
 * Form one window out of what is left, measure it, close it.
 *
 * @param carrier  NULL: nothing is carried over
 * @param tried    by revision: had its turn in this session
 * @param more     something may still be left
 */
int pe_measuring_next(struct pe_session *session, struct pe_carrier *carrier, bool *tried,
		      bool *more);

#endif
