/* Figures: the stored and judged history as log, show and export ask for it. */
#ifndef PE_CMD_FIGURES_H
#define PE_CMD_FIGURES_H

#include "cmd/cmd.h"
#include "cmd/judge.h"

struct pe_figures_asked {
	const char *range;         /**< "A..B" or "B"; NULL: what is stored on HEAD's line */
	const char *bench;         /**< regular expression; NULL: all */
	struct pe_strings metrics; /**< none: those that are judged by default */
};

/** Load and judge. PE_ENOTFOUND for a range without commits, and as pe_judge_load(). */
int pe_figures_load(struct pe_evolution *out, struct pe_cmd_ctx *ctx,
		    const struct pe_figures_asked *asked);

/**
 * Leave the newest n revisions; with them go the points and failures of the others and the jumps that begin
 * there. n = 0 leaves all.
 */
void pe_figures_keep_newest(struct pe_evolution *evolution, size_t n);

#endif
