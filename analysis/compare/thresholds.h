/* Thresholds of the attribution: each with its unit, and what it was fitted on. */
#ifndef PE_COMPARE_THRESHOLDS_H
#define PE_COMPARE_THRESHOLDS_H

/** Share of the whole difference. Smaller bundles go into the rest: a reader acts on none of them. */
#define PE_LEAST_OF_DIFFERENCE 0.02
/** Share of the old execution that a time has to differ by, unless the user gives one: the noise floor of docs/experiments.md. */
#define PE_LEAST_OF_TIME 0.005

/** Standard errors asked of a changed method's time; of one that counts exactly agree with; of one that nothing changed. */
#define PE_SURE_OF_CHANGED   3.0
#define PE_SURE_OF_COUNTED   1.0
#define PE_SURE_OF_UNCHANGED 6.0
/** Standard errors beyond those by which a change of the size that matters is found nine times of ten. */
#define PE_SURE_POWER 1.2816
/** Standard errors within which a time is known: 95 %. */
#define PE_SURE_INTERVAL 1.96
/** Standard errors asked of one context of a method where nothing is known of changes: a tree has many. */
#define PE_SURE_OF_CONTEXT 5.0

/**
 * Uncertainty of the time that an instruction takes, as a share: in a method whose own speed is known from samples, and in one
 * that has the speed of the whole program. The second is the spread of speeds between functions of bench/faults.py's programs.
 */
#define PE_SPEED_ERROR_OWN   0.35
#define PE_SPEED_ERROR_WHOLE 1.0
/** Samples from which a method's own speed is taken as known: its error is then below 22 %. */
#define PE_SPEED_SAMPLES 20
/** Share of its own time by which a method that executes the same may move: caches and placement (analysis/compare/evidence.h). */
#define PE_STEADY_ERROR 0.03

/** Steady methods that tell how far the machine moved times: so many at least, each with this share of the execution. */
#define PE_SPREAD_LEAST_METHODS 4
#define PE_SPREAD_LEAST_SHARE   0.005
/** The median of chi-squared with one degree of freedom. */
#define PE_SPREAD_MEDIAN 0.454936
/** Of such a factor: it is not sure itself, so that two thirds of its standard errors are asked. */
#define PE_SPREAD_TRUSTED (4.0 / 9)

/** Share of what all modified methods made by which one of them is likely to have left other data, too. */
#define PE_LIKELY 0.8

/** Share by which the cost of a call may differ and still be called the same. */
#define PE_SAME_PER_CALL 0.01

#endif
