/* Commit graph: the commit graph of the user's repository, annotated from an evolution and the store. */
#pragma once

#include "app/app.h"
#include "app/history/detect.h"
#include "report/history.h"
#include "vcs/history.h"

/** Which commits the graph shows. Zero-initialise: all that HEAD and the evolution's revisions lead to. */
struct pe_history_opts {
	struct pe_repo_history_query query; /**< its `also` is filled in */
	/** Ignore the evolution's revisions: only the query decides what is shown. */
	bool apart;
	/** Stop at the oldest requested revision of the evolution; without one, no limit. */
	bool back_to_evolution;
};

/**
 * Read the commits and lay them out.
 *
 * A history is not short: give `query.last` or `back_to_evolution`, unless the user asked for all of it.
 *
 * @param app        with repo, and store where the command has one (for the changed methods); everything lives
 *                   in app->arena
 * @param evolution  borrowed by the result; NULL: nothing was measured
 * @return           as pe_repo_history(), pe_changes_counts()
 */
int pe_history_load(struct pe_history *out, struct pe_app *app,
		    const struct pe_evolution *evolution, const struct pe_history_opts *opts);

/**
 * Judge the commits of the graph that are stored but no revisions of its evolution, together with those that are:
 * what was measured on branches beside HEAD's first-parent line.
 *
 * @param out    may be the graph's own evolution; untouched where nothing is beside it
 * @param any    whether there is something
 * @param judge  what is judged; its revisions are chosen here
 */
int pe_history_detect_beside(struct pe_evolution *out, bool *any, struct pe_app *app,
			     const struct pe_history *history, const struct pe_detect_opts *detect);

/** Give the commits of a graph their places in another evolution, which the graph borrows from now on. */
void pe_history_place(struct pe_history *history, const struct pe_evolution *evolution);
