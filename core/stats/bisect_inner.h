/* What bisect.c (readings to probabilities) and bisect_next.c (what to measure) share. */
#pragma once

#include "core/base/vec.h"
#include "core/stats/bisect.h"
#include "core/stats/twolevel.h"

/** Scales of noise that are considered, each half as large again as the one before. */
#define PE_BISECT_NOISES 20
/** Each of them with each behaviour of the machine: noise j % PE_BISECT_NOISES, machine j / PE_BISECT_NOISES. */
#define PE_BISECT_MODELS ((int)PE_TWOLEVEL_MACHINES * PE_BISECT_NOISES)

/** A hypothesis: the change is between two measured builds without a measured one between them, or nowhere. */
struct pe_bisect_hypothesis {
	bool none;
	size_t before, after;
	double share;                             /**< of the probability, over all models */
	struct pe_twolevel *at[PE_BISECT_MODELS]; /**< NULL: out of the question */
	double weight[PE_BISECT_MODELS];          /**< probability, by model */
};

/** Bisection of an exact metric: builds with the change between them, by their readings. */
struct pe_bisect_exact {
	bool known;           /**< both ends have a reading */
	bool differ;          /**< by what matters */
	size_t before, after; /**< builds */
	double old_value, new_value;
};

struct pe_bisect {
	struct pe_bisect_opts opts;
	const struct pe_bisect_line *line;
	size_t first, n;     /**< its revisions: in the line, and how many they are */
	const bool *skipped; /**< the line's, from `first` on */
	const double *run_cost, *build_cost;
	double *sum; /**< sum[k]: weights of places 1 to k, without impossible ones */
	size_t *build; /**< by revision: the first one that executes the same, as readings were taken */
	size_t *times; /**< readings, by build */
	size_t *slot;  /**< in twolevel, by build */
	size_t n_slots;
	PE_VEC(struct pe_bisect_reading) readings;
	PE_VEC(bool) gross; /**< one a reading: far from the others of its build; it is left out */
	PE_VEC(struct pe_bisect_hypothesis) hypotheses;
	double none;
	double modes;  /**< probability that the noise has two modes */
	size_t model;  /**< the most probable one */
	double spread; /**< of readings of one build; 0: not known */
	size_t runs;
	struct pe_bisect_exact exact;
	struct pe_confirm up, down; /**< the ends against each other, of `paired` pairs */
	size_t paired;
	size_t last; /**< build that was read last; SIZE_MAX: none */
	int64_t batch;
	bool stale; /**< all readings are to be taken anew */
	enum pe_bisect_answer answer;
};

/**
 * Find the gross ones among the readings: with the ends hardly known, one of them would be taken for a level.
 *
 * @return  whether there are others than before
 */
bool pe_bisect_find_gross(struct pe_bisect *bisect);

/** Bring the probabilities up to date with what the line has for builds. */
void pe_bisect_refresh(struct pe_bisect *bisect);

/** The build of the last revision. */
static inline size_t pe_bisect_new_end(const struct pe_bisect *bisect)
{
	return bisect->build[bisect->n - 1];
}

/** Whether a revision executes the same as the one before it. i > 0. */
static inline bool pe_bisect_is_same(const struct pe_bisect *bisect, size_t i)
{
	return bisect->line->build[bisect->first + i] != bisect->first + i;
}

/** The cheapest measurable revision of a build; SIZE_MAX: none. */
size_t pe_bisect_member(const struct pe_bisect *bisect, size_t build);

/** Weight of the places between two builds. */
static inline double pe_bisect_weight(const struct pe_bisect *bisect, size_t before, size_t after)
{
	return bisect->sum[after] - bisect->sum[before];
}

/** Probability that a build is at the new level, if there is a change. */
double pe_bisect_is_new(const struct pe_bisect *bisect, size_t build);

/** The ends against each other, either way. */
struct pe_confirm pe_bisect_ends(const struct pe_bisect *bisect);
