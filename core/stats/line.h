/*
 * Line: the commits that are judged together, oldest first, each reduced to one value, its variance, and the limit of its
 * influence. The input of the search in changepoint.h, whose steps 1 to 3 are here.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/changepoint.h"
#include "core/stats/location.h"
#include "core/stats/staircase.h"

/** Logarithms, or values divided by a typical size, so that thresholds mean the same on both. */
struct pe_scale {
	bool linear;
	double unit;
};

/** Back to the metric's unit. */
double pe_scale_out(const struct pe_scale *scale, double value);

/** A difference on the scale as a change relative to the level where it begins; NAN from 0. */
double pe_scale_relative(const struct pe_scale *scale, double from, double difference);

/** Lines of more commits than this tell by themselves how far builds of equal speed stray, but for short levels. */
#define PE_LINE_FEW 40

/** Arrays have one entry a commit of the line. */
struct pe_commit_line {
	size_t n;                  /**< measured commits */
	const size_t *commit;      /**< their indices, ascending */
	const size_t *start;       /**< n + 1: of each commit's values */
	struct pe_samples samples; /**< round-corrected readings, each commit's sorted */
	size_t component;          /**< of all of them */
	double *block_variance;
	struct pe_located located;
	bool *step; /**< begins a level by readings; none does where not all were measured in rounds */
	const struct pe_staircase_model *model; /**< by which; NULL: they were not */
	double *variance; /**< of each location about its level: error and jitter */
	double *limit;    /**< the most that each can cost in the search (see pe_segment_value) */
	double jitter;    /**< deviation between commits beyond their errors */
};

struct pe_lines {
	struct pe_commit_line *at;
	size_t n;
	struct pe_scale scale;
	size_t n_components;
};

/**
 * Prepare the lines of a history, one a component.
 *
 * @param arena  owns everything
 */
struct pe_lines pe_lines_of(const struct pe_readings *readings,
			    const struct pe_changepoint_opts *opts, struct pe_arena *arena);

/** The penalty of a change in a line: alpha * ln(commits), as for 100 commits in shorter ones. */
double pe_line_penalty(const struct pe_commit_line *line, const struct pe_changepoint_opts *opts);
