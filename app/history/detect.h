/*
 * Detect: the stored values of a history, judged and put into the form that the writers take. It joins the
 * store, the statistics and the report; track, log, show and export share it.
 */
#pragma once

#include "app/app.h"
#include "app/history/jump_status.h"

/**
 * Look at what the search found along one chain of a judged line, before it is reported.
 *
 * @param found  is gone afterwards: see pe_series_keep()
 */
typedef void pe_detect_visit_fn(const struct pe_series_found *found,
				const struct pe_jump_status *status, void *payload);

/** What is judged. Zero-initialise: all that the config judges, on HEAD's line, as this machine measured it. */
struct pe_detect_opts {
	/**
	 * Revisions to show, oldest first; those at the old end without any result are left out. NULL:
	 * every stored one on the first-parent line of HEAD.
	 */
	const struct pe_revisions *revisions;
	/** POSIX extended regular expression over names; NULL: all */
	const char *bench;
	const struct pe_strings *metrics; /**< names; NULL: those that are judged by default */
	/** Keys of the benchmarks to show; NULL: the configured ones, without a config the newest versions. */
	const int64_t *benchmarks;
	size_t n_benchmarks;
	/**
	 * key; 0: this machine, or where it has no runs the latest one that was measured on here or whose results are
	 * signed by a key of `trust:`
	 */
	int64_t machine;
	/** machine 0: where there is no such one, also the latest of anybody's; to show it, with its origin in a note */
	bool anybodys;
	bool keep; /**< write the jumps found into the store */
	bool silent; /**< leave the note about values that cannot be compared to the caller that shows them */
	/** Called for each chain of each judged line, which is silent, too; NULL is allowed. */
	pe_detect_visit_fn *visit;
	void *payload;
};

/** Name a machine in an evolution; one whose results came from others with their origin. */
void pe_detect_describe(struct pe_evolution *out, const struct pe_app *app,
			const struct pe_stored_machine *machine);

/**
 * Load and judge. Each first-parent line among the revisions is a series of its own; jumps name the
 * neighbouring measured revisions on that line.
 *
 * @param app  with repo and store, and config where the command has one; everything lives in app->arena
 * @return     PE_ENOTFOUND when nothing is stored for the options; else as the store
 */
int pe_detect_load(struct pe_evolution *out, struct pe_app *app, const struct pe_detect_opts *opts);

/**
 * Keep the revisions from `asked` up to `end`, exclusive, with their results. Revisions before them stay where a change is
 * against them, as evolution->first shows: the change of the first commit of A..B is against A.
 */
void pe_evolution_keep(struct pe_evolution *evolution, size_t asked, size_t end);

/** The first revision, from one on, with any result; n_revisions: there is none. */
size_t pe_evolution_first_known(const struct pe_evolution *evolution, size_t from);
