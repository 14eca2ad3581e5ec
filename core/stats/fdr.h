/*
 * FDR: bound the share of reported changes that are false. A night's tracking tests commits x benchmarks x metrics; at 1 %
 * each, hundreds would be reported by chance. The bound is on the rate of false ones among the discoveries (Benjamini and
 * Hochberg, JRSS B 57 (1995)).
 *
 * The hypotheses are events (events.h), not jumps: 200 benchmarks that one commit moves are one discovery, and must
 * neither spend nor earn 200 times. An event is discovered when one of its tested benchmarks and metrics is significant at
 * the event's level over their number (Bonferroni, which holds whatever dependence the same runs or the same time cause);
 * so all discoveries of one event are right with the probability of its level, too. In a report the p of an event
 * is Simes's of its members (Biometrika 73 (1986)), which holds for members that depend positively on each other, and
 * members are tested at the rate times the share of discovered events (Benjamini and Bogomolov, "Selective inference on
 * multiple families of hypotheses", JRSS B 76 (2014), section 3). For an event of one member nothing changes.
 *
 * Only confirmations count, not every place of the search: their pairs are fresh, so their p is right whatever made the
 * search pick that place, and the family is the suspects alone.
 *
 * There are two procedures:
 *
 *  - All at once, at the end of one `track` or for a report: pe_fdr_adjust_events(). Metrics that share runs, and
 *    directions that were suspected, depend positively on each other, under which Benjamini and Hochberg's
 *    procedure holds.
 *  - Night after night, without an end: pe_fdr_level() gives the level of the next confirmation, from the results
 *    so far. This is LORD++ (Ramdas et al., "Online control of the false discovery rate with
 *    decaying memory", NIPS 2017) in its asynchronous form (Zrnic, Ramdas and Jordan, "Asynchronous online
 *    testing of multiple hypotheses", JMLR 22 (2021)): a level depends on the answers available when its test
 *    begins, so that tests may overlap, stay open over night, and share runs. Discoveries raise the levels of later
 *    tests; a long time without any lowers them, but never to 0. Bonferroni's correction, by the number of all
 *    tests ever to come, is impossible here.
 *
 * A confirmation spends its level on eight looks: pe_confirm_opts.accept is the level / PE_CONFIRM_LOOKS, or
 * the default where that is smaller.
 */
#pragma once

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

/**
 * The level of the next test of a stream: it is a discovery when its p is at most this. 5 % of the discoveries are false, in
 * expectation; half of that may be spent before the first one.
 *
 * @param t      its number in the order in which tests were begun, from 1
 * @param known  one a discovery whose answer was in before test t began, ascending: the number of the last
 *               test that had begun when it came in
 */
double pe_fdr_level(size_t t, const size_t *known, size_t n_known);
