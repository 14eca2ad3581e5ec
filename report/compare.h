/*
 * Compare: two executions on paper: `perfevo compare`. Values in, text out. Old is always first, and every
 * output says which is which.
 */
#pragma once

#include "analysis/compare/attribution.h"
#include "analysis/compare/blueprint.h"
#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"
#include "analysis/compare/functions.h"
#include "analysis/compare/parcs.h"
#include "analysis/compare/zam.h"
#include "core/base/text.h"
#include "core/model/metric.h"
#include "core/stats/compare.h"
#include "report/evolution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One side of a comparison. Strings are borrowed. */
struct pe_compare_side {
	const char *name;    /**< short id of a revision, or the path of a file */
	const char *id;      /**< of the revision; NULL: a file, or the uncommitted tree */
	const char *subject; /**< of the commit; NULL: none */
};

/** One metric of one benchmark on both sides. */
struct pe_compare_value {
	const struct pe_metric *metric;
	/** medians, in the metric's unit; with a jump, its levels */
	double old_value, new_value;
	size_t old_n, new_n; /**< runs */
	double relative;     /**< 0.05 is +5 %; NAN where old is 0 */
	double low, high;    /**< its interval; infinite where so few runs give none */
	int way; /**< of the interval: 1 above no change, -1 below it, 0 neither, and of exact values */
	/**
	 * The jump of the history whose size these three are, and the commit that it is at; NULL: they are of the
	 * runs of the two sides.
	 */
	const struct pe_jump *jump;
	const char *jump_id;
	double measured; /**< the change by the runs of the two sides alone */
	/** Placement in memory alone differs: the code that runs is the same, and so is what it reads. */
	bool layout;
	/** A wall time that was decided, and the other metrics of the same runs deny (core/stats/compare.h): undecided. */
	bool contradicted;
	/** of instructions: a sentence about functions that this processor executes and counting does not; NULL: none known */
	const char *generic;
	bool exact;  /**< the metric is the same in every run */
	bool judged; /**< the metric is among those that are judged */
	enum pe_verdict verdict;
};

/** Whether a judged metric is better or worse. */
static inline bool pe_compare_value_changed(const struct pe_compare_value *value)
{
	return value->judged && (value->verdict == PE_REGRESSED || value->verdict == PE_IMPROVED);
}

/** One benchmark, or two that are held against each other. */
struct pe_compare_pair {
	const char *name;      /**< of the benchmark; NULL: files were compared */
	const char *with_name; /**< of the benchmark that is new; NULL: the same */
	struct pe_compare_value *values;
	size_t n_values;
	/** Wall time, processor time and involuntary context switches, judged or not; old_n is 0: unknown. */
	struct pe_compare_value wall, cpu, switches;
	/** For a change of time: whether the machine code differs, if it was compared. */
	enum pe_layout layout;
	bool same;       /**< both sides execute the same */
	bool unprofiled; /**< among many others it did not change, or less than they did */
	/** Instructions by function, by exact counts of both sides; NULL: not counted. */
	struct pe_function_changes *functions;
	/** Their system calls; NULL: not counted. */
	struct pe_function_changes *calls;
	/** Instructions by method of the source; NULL: not counted, or not needed. */
	const struct pe_charges *charges;
	const char *problem; /**< why trees were not compared; NULL: they were */
	/** Why the trees have no times, so that counts alone are explained; NULL: they have, or it is unknown. */
	const char *untimed;
	/** Whose trees they are, where they are not those of the benchmark alone; NULL: of it alone. */
	const char *whole;
	/** Standard error of how the times of new's tree relate to old's, as a share; 0: unknown. */
	double scale_error;
	/** Statistics of the trees; NULL where there are none. */
	const struct pe_runs *old_runs, *new_runs;
	const struct pe_timeline *timelines[2]; /**< one run of old and of new; NULL: unknown */
	const struct pe_delta *delta;
	const struct pe_delta_methods *methods;
	const struct pe_blueprint *blueprint;
	const struct pe_changes *changes; /**< NULL: unknown */
	const struct pe_parcs *parcs;     /**< NULL: the stages were not asked for */
	/** The stages once more over trees without call sites (PARCS table 4); NULL: no tree has call sites. */
	const struct pe_parcs *parcs_without_sites;
	uint32_t nodes_without_sites[2]; /**< of old and new (PARCS table 5) */
	const struct pe_zam *critical;   /**< NULL: not asked for, or times are not known */
	const struct pe_attribution
		*time; /**< what makes times differ, judged or not; NULL: they are not known */
	struct pe_attribution *reports; /**< one a judged cost, the one that decides first */
	size_t n_reports;
};

/** A line of the verdict: a cause as a sentence, and where it stands. */
struct pe_compare_line {
	const char *text;    /**< all of it as one sentence */
	const char *head;    /**< who and how much */
	const char *detail;  /**< what it does now; "": unknown */
	size_t pair, report; /**< indices */
	uint32_t cause;      /**< of the report */
	double weight;       /**< part of the execution that it makes up */
};

/** The source of both sides, whole (PARCS table 2). */
struct pe_compare_source {
	bool known;
	size_t files[2], methods[2]; /**< of old and new, in languages that are read */
	size_t added, deleted, modified, renamed, moved;
};

/**
 * How much the terminal shows beside metrics and causes; and which contexts its tree and the picture have. Zero: those that the
 * blueprint shows at first, and the ways to the causes.
 */
struct pe_compare_view {
	bool tree; /**< the tree of calls, on the terminal */
	bool all;  /**< functions and system calls, on the terminal; every context */
	uint32_t
		depth; /**< of these, only the first levels, as far as they differ by min_change; 0: none */
};

struct pe_compare {
	struct pe_compare_side old_side, new_side;
	const char *origin; /**< the machine, and whose results they are; NULL: this one's */
	struct pe_compare_source source;
	const char *match; /**< name of the rule */
	bool call_sites;
	enum pe_basis basis;
	bool counts_only;  /**< nothing was timed or profiled */
	double min_change; /**< share of the old execution under which nodes are left out */
	struct pe_compare_pair *pairs;
	size_t n_pairs;
	struct pe_compare_line *lines; /**< of all pairs, ranked; pe_compare_rank() fills them */
	size_t n_lines;
	struct pe_compare_view view;
};

/** The time by whose runs a pair got better or worse, wall before processor time; NULL: neither did. */
const struct pe_compare_value *pe_compare_time(const struct pe_compare_pair *pair);

/** How many functions are worth a line, the most changed first: what else differs is startup and bookkeeping. */
size_t pe_compare_count_functions(const struct pe_function_changes *functions);

/** "`print_number` (cJSON.c, modified here) executes +76,000 instructions, +9.5 %". */
void pe_compare_say_function(struct pe_text *out, const struct pe_function_change *change);

/** "parse: +4.8 % instructions; most of it in `hash`, +28,504,713", of a pair whose functions are counted. */
void pe_compare_say_counted(struct pe_text *out, const struct pe_compare_pair *pair);

/** The largest cause of a report as a sentence, before all is measured. */
void pe_compare_say_first(struct pe_text *out, const struct pe_attribution *report,
			  const struct pe_frames *frames);

/** Make a line for every cause of every pair, and rank them by their share of the execution. */
void pe_compare_rank(struct pe_compare *compare, struct pe_arena *arena);

/** "better", "worse", "same", "undecided"; of a metric that does not decide, "same" or "different". */
const char *pe_compare_verdict_word(const struct pe_compare_value *value);

/**
 * Metrics and verdict, and what compare->view asks for, for a terminal. With &pe_md_term (report/markdown.h) it is Markdown for a
 * comment on a pull request, with the tree folded below.
 */
void pe_compare_term(struct pe_text *out, const struct pe_compare *compare,
		     const struct pe_term *term);

/**
 * The blueprint of a pair as an indented tree, for a terminal: bars as high as its boxes, the paper's colours
 * where there are any, signs for what was modified, added, removed and renamed. pe_compare_term() has it below
 * each verdict where compare->view asks for it.
 */
void pe_compare_tree(struct pe_text *out, const struct pe_compare *compare, size_t pair,
		     const struct pe_term *term);

/** The blueprint of every pair with a tree as a picture, folded by compare->view (Blueprint section III). */
void pe_compare_svg(struct pe_text *out, const struct pe_compare *compare);

/** Everything as one JSON document (report/schema/compare.schema.json). */
void pe_compare_json(struct pe_text *out, const struct pe_compare *compare);

/** The three stages of PARCS with the columns of its tables 2 to 5, and the weights (sections 3.3 to 3.5). */
void pe_parcs_term(struct pe_text *out, const struct pe_compare *compare,
		   const struct pe_term *term);

/** The stages as one JSON document (report/schema/stages.schema.json). */
void pe_parcs_json(struct pe_text *out, const struct pe_compare *compare);
