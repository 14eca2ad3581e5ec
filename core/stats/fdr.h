/*
 * FDR: how many of the changes that are reported may be none. A night's tracking asks about commits x
 * benchmarks x metrics; at 1 % each, hundreds would be reported by chance. What is held down is the rate of
 * false ones among those that are called (Benjamini and Hochberg, JRSS B 57 (1995)).
 *
 * What is counted are events (events.h), not jumps: 200 benchmarks that one commit moves are one discovery, and must
 * neither spend nor earn 200 times. An event is there when one of the benchmarks and metrics that are asked for it says so at
 * the event's level over their number (Bonferroni: whatever they have in common, the same runs or the same moment);
 * so all that is called of one event is right with the probability of its level, too. In a report the p of an event
 * is Simes's of its members (Biometrika 73 (1986)), which holds for members that depend positively on each other, and
 * members are called at the rate times the share of events that are (Benjamini and Bogomolov, "Selective inference on
 * multiple families of hypotheses", JRSS B 76 (2014), section 3). An event of one member is what it was without.
 *
 * Only confirmations are counted, not every place that the search looked at: their pairs are fresh, so a p of
 * theirs is right whatever made the search pick that place, and the family is the suspects alone.
 *
 * Two ways, because questions come in two ways:
 *
 *  - All at once, at the end of one `track` or for a report: pe_fdr_adjust_events(). Metrics that share runs, and
 *    directions that were suspected, depend positively on each other, under which Benjamini and Hochberg's
 *    procedure holds.
 *  - Night after night, without an end: pe_fdr_level() says how strict the next confirmation has to be, from
 *    what was found so far. This is LORD++ (Ramdas et al., "Online control of the false discovery rate with
 *    decaying memory", NIPS 2017) in its asynchronous form (Zrnic, Ramdas and Jordan, "Asynchronous online
 *    testing of multiple hypotheses", JMLR 22 (2021)): a level rests on the answers that are in when its test
 *    begins, so that tests may overlap, stay open over night, and share runs. Finding earns what the next
 *    tests may spend; a long silence makes them stricter, but never mute. Bonferroni's way out, by the
 *    number of all tests ever to come, does not exist here.
 *
 * A confirmation spends its level on eight looks: pe_confirm_opts.accept is the level / PE_CONFIRM_LOOKS, or
 * the default where that is smaller.
 */
#ifndef PE_CORE_STATS_FDR_H
#define PE_CORE_STATS_FDR_H

#include <stddef.h>

/**
 * Adjust p-values that are independent or depend positively on each other: those adjusted to at most q are discoveries
 * with a false rate of at most q (Benjamini and Hochberg).
 *
 * @param adjusted  n values, in the order of p; may be p itself
 * @param p         in [0, 1]; NAN for what was not tested, which stays NAN and does not count
 */
void pe_fdr_adjust(double *adjusted, const double *p, size_t n);

/**
 * Adjust p-values of members of events: those adjusted to at most q are what is called where events are called with a
 * false rate of at most q, and in each of them its members (Benjamini and Bogomolov). Members of one event may depend on
 * each other positively; so may events.
 *
 * @param adjusted  n values, in the order of p; may be p itself
 * @param p         in [0, 1]; NAN for what was not tested, which stays NAN and does not count
 * @param event     n numbers, whichever they are: equal ones are of one event
 */
void pe_fdr_adjust_events(double *adjusted, const double *p, const size_t *event, size_t n);

struct pe_fdr_opts {
	double rate;   /**< of false ones among the discoveries, in expectation */
	double wealth; /**< part of it that may be spent before the first discovery, <= rate */
};

#define PE_FDR_DEFAULTS                                                                            \
	{                                                                                          \
		0.05, 0.025                                                                        \
	}

/**
 * The level of the next test of a stream: it is a discovery when its p is at most this.
 *
 * @param t      its number in the order in which tests were begun, from 1
 * @param known  one a discovery whose answer was in before test t began, ascending: the number of the last
 *               test that had begun when it came in
 * @param opts   NULL: PE_FDR_DEFAULTS; the same for the whole stream
 */
double pe_fdr_level(size_t t, const size_t *known, size_t n_known, const struct pe_fdr_opts *opts);

#endif
