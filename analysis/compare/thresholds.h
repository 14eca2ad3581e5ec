/* Thresholds of the attribution: each with its unit, and the data that it was fitted on. */
#pragma once

/** Share of the whole difference. Smaller bundles go into the rest, because they are too small to act on. */
#define PE_LEAST_OF_DIFFERENCE 0.02
/** Default least share of the old execution for a difference of time: the noise floor of docs/experiments.md. */
#define PE_LEAST_OF_TIME 0.005

/** Standard errors required of a time: of a changed method; of one whose exact counts agree; of an unchanged one. */
#define PE_SURE_OF_CHANGED   3.0
#define PE_SURE_OF_COUNTED   1.0
#define PE_SURE_OF_UNCHANGED 6.0
/** Standard errors in addition, for a change of the size that matters to be found nine times of ten. */
#define PE_SURE_POWER 1.2816
/** Standard errors of a 95 % interval. */
#define PE_SURE_INTERVAL 1.96
/** Standard errors required of one context where changes are unknown: a tree has many contexts. */
#define PE_SURE_OF_CONTEXT 5.0

/**
 * Relative uncertainty of the time per instruction: of a method whose own speed is known from samples, and of one with the
 * speed of the whole program. The second is the spread of speeds between functions of bench/faults.py's programs.
 */
#define PE_SPEED_ERROR_OWN   0.35
#define PE_SPEED_ERROR_WHOLE 1.0
/** Samples from which a method's own speed is known: its error is then below 22 %. */
#define PE_SPEED_SAMPLES 20
/** Share of its own time by which an unchanged method may vary: caches and placement (analysis/compare/evidence.h). */
#define PE_STEADY_ERROR 0.03

/** Steady methods that measure the spread of the machine's times: their least number, and each one's least share. */
#define PE_SPREAD_LEAST_METHODS 4
#define PE_SPREAD_LEAST_SHARE   0.005
/** The median of chi-squared with one degree of freedom. */
#define PE_SPREAD_MEDIAN 0.454936
/** Trusted part of the spread, which is uncertain itself: standard errors are multiplied by two thirds of its root. */
#define PE_SPREAD_TRUSTED (4.0 / 9)

/** Share of all modified methods' difference from which one of them is likely to be the source of changed data, too. */
#define PE_LIKELY 0.8

/** Share by which two costs per call may differ and still count as the same. */
#define PE_SAME_PER_CALL 0.01
