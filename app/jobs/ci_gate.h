/* Gate: may this be merged? Two revisions, measured in turns, and what the answer is made of. */
#pragma once

#include "app/app.h"
#include "configs/accepted.h"
#include "report/gate.h"

struct pe_gate_opts {
	const char *bench;  /**< REGEX over names; NULL: all */
	uint64_t budget_ns; /**< after it no further pairs are begun */
	/** `once`: pe_clock_ns() when the caller's signal ends what runs, builds, too; 0: the budget is that of runs */
	uint64_t ends_ns;
	/** counts, with `once`: what gave no answer so long after the builds is ended; 0: see budget_ns */
	uint64_t first_ns;
	bool once; /**< an interrupted test is not resumed: nothing is kept in the repository */
};

/**
 * Open the config and the accepted changes that judge gate->base against gate->tip, and fill in gate->config_note
 * where the change edits them.
 *
 * @param from  "base": those of gate->base, so that a change cannot choose its own rules; another revision;
 *              NULL: the user's tree
 */
int pe_gate_open_config(struct pe_gate *gate, struct pe_app *app, const char *from);

/**
 * Measure gate->base and gate->tip in turns and fill in the checks, the machine and the rest. What an earlier
 * call for the same two revisions has measured is used, so that an interrupted one goes on.
 *
 * @param app  with repo, config and store; everything lives in its arena
 * @return     PE_ESTOPPED after Ctrl-C
 */
int pe_gate_measure(struct pe_gate *gate, struct pe_app *app, const struct pe_gate_opts *opts);

/**
 * Profile both revisions for the benchmarks that regressed, PE_COMPARING_MOST of them at most, and put the verdict's
 * lines into their checks. The gate is ranked. Where the application takes counts only, functions' counts explain, and
 * nothing is profiled.
 *
 * @param html  where the page with their blueprints goes; NULL: nowhere
 */
int pe_gate_explain(struct pe_gate *gate, struct pe_app *app, const char *html);
