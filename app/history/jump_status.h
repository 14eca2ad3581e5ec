/*
 * Jump status: the evidence behind the jumps of a line: fresh runs that confirmed, refuted or could not decide them, and
 * the user's acceptance. It joins the store's confirmations and the file of accepted changes with the results of
 * today's search.
 */
#pragma once

#include "app/app.h"
#include "app/history/series.h"
#include "configs/accepted.h"

/** All confirmations and acceptances of a machine. In the context's arena. */
struct pe_jump_status {
	struct pe_stored_confirmation *confirmations; /**< in the order in which they were begun */
	size_t n;
	/**
	 * One a confirmation: its p after control of the false-discovery rate over events, and over the tests within each;
	 * NaN: no answer.
	 */
	double *adjusted;
	struct pe_accepted_list accepted;
	struct pe_app *app; /**< its store has the sides of the confirmations */
};

/** Load both. A bad file of accepted changes is PE_EINVALID, with its line. */
int pe_jump_status_load(struct pe_jump_status *out, struct pe_app *app, int64_t machine);

/** The accepted changes alone: of the user's tree, in a bare repository of HEAD's. */
int pe_jump_status_load_accepted(struct pe_accepted_list *out, struct pe_app *app);

/**
 * The path of the file of accepted changes in the user's tree; NULL in a bare repository. In the context's
 * arena.
 */
const char *pe_jump_status_accepted_path(struct pe_app *app);

/** A change that the search found. Positions in the evolution's revisions. */
struct pe_jump_change {
	size_t before, after;
	int direction; /**< 1: up, -1: down */
};

/**
 * Find the confirmation of each change: that of the same two revisions and direction, or else one whose change
 * is in a stretch that overlaps; the latest, where there are several. One confirmation belongs to one change.
 *
 * @param match  n indices into status->confirmations; SIZE_MAX: none
 */
void pe_jump_status_match(size_t *match, const struct pe_jump_status *status,
			  const struct pe_series_found *series,
			  const struct pe_jump_change *changes, size_t n);

/**
 * Give the jumps of a chain their status: state, pairs, p, place, and the size that the pairs estimate.
 * Refuted ones become line->refuted, and the levels on both sides of them one; so do confirmed ones that the line no longer
 * has, which are withdrawn.
 *
 * @param first  index of the chain's first jump in line->jumps; the later ones are the chain's
 * @param arena  of what the line keeps
 */
void pe_jump_status_apply(struct pe_line *line, size_t first, const struct pe_jump_status *status,
			  const struct pe_series_found *series, struct pe_arena *arena);
