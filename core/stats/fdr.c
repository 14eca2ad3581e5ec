#include "core/stats/fdr.h"

#include "core/base/arena.h"
#include "core/base/sort.h"

#include <assert.h>
#include <math.h>

struct ranked {
	double p;
	size_t place;
};

PE_SORT_BY(by_p, struct ranked, p);

void pe_fdr_adjust(double *adjusted, const double *p, size_t n)
{
	pe_auto_free struct ranked *ranked = pe_realloc(NULL, n + 1, sizeof(*ranked));
	double least = 1;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			ranked[m++] = (struct ranked){p[i], i};
	pe_sort(ranked, m, by_p);
	for (size_t i = 0; i < n; i++)
		adjusted[i] = NAN;
	for (size_t i = m; i-- > 0;) {
		least = fmin(least, ranked[i].p * (double)m / (double)(i + 1));
		adjusted[ranked[i].place] = least;
	}
}

struct member {
	size_t event, place;
};

PE_SORT_BY(by_event, struct member, event, place);

/*
 * The least q at which a member is discovered: at q its event is among the discovered ones, and within the event the member
 * is tested at q times their share. ranked: the adjusted p of the m events, ascending.
 */
static double least_rate(double own, double within, const struct ranked *ranked, size_t m)
{
	double least = INFINITY;

	for (size_t r = m; r-- > 0 && ranked[r].p >= own;)
		least = fmin(least, fmax(ranked[r].p, within * (double)m / (double)(r + 1)));
	return fmin(least, 1);
}

void pe_fdr_adjust_events(double *adjusted, const double *p, const size_t *event, size_t n)
{
	pe_auto_free struct member *members = pe_realloc(NULL, n + 1, sizeof(*members));
	pe_auto_free struct ranked *ranked = pe_realloc(NULL, n + 1, sizeof(*ranked));
	pe_auto_free double *within = pe_realloc(NULL, n + 1, sizeof(*within));
	pe_auto_free double *events = pe_realloc(NULL, n + 1, sizeof(*events));
	pe_auto_free size_t *event_of = pe_realloc(NULL, n + 1, sizeof(*event_of));
	size_t tested = 0, m = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			members[tested++] = (struct member){event[i], i};
	pe_sort(members, tested, by_event);
	/* Members adjusted within their event; the least of them is Simes's p of the event. */
	for (size_t i = 0, end; i < tested; i = end, m++) {
		events[m] = 1;
		for (end = i; end < tested && members[end].event == members[i].event; end++)
			within[end] = p[members[end].place];
		pe_fdr_adjust(&within[i], &within[i], end - i);
		for (size_t k = i; k < end; k++) {
			events[m] = fmin(events[m], within[k]);
			event_of[k] = m;
		}
	}
	pe_fdr_adjust(events, events, m);
	for (size_t e = 0; e < m; e++)
		ranked[e] = (struct ranked){events[e], e};
	pe_sort(ranked, m, by_p);
	for (size_t i = 0; i < n; i++)
		adjusted[i] = NAN;
	for (size_t i = 0; i < tested; i++)
		adjusted[members[i].place] = least_rate(events[event_of[i]], within[i], ranked, m);
}

/*
 * Shares of the wealth for the j-th test after it was earned, j from 1: the sequence that Javanmard and
 * Montanari, "Online rules for control of false discovery rate and false discovery exceedance", Annals of
 * Statistics 46 (2018), section 3, found to spend best. All of them make 1: the constant is one over their sum,
 * to 10^6 by adding, and from there by the integral 2 exp(-s) (s^3 + 3 s^2 + 6 s + 6), s = sqrt(ln(10^6)).
 */
static double share(size_t j)
{
	double ln = log((double)j);

	return 0.07908 * fmax(ln, log(2)) / ((double)j * exp(sqrt(ln)));
}

double pe_fdr_level(size_t t, const size_t *known, size_t n_known)
{
	const double rate = 0.05, wealth = 0.025;
	double level = wealth * share(t);

	assert(t > 0);
	for (size_t j = 0; j < n_known; j++) {
		assert(known[j] < t);
		level += (rate - (j == 0 ? wealth : 0)) * share(t - known[j]);
	}
	return level;
}
