/*
 * Deciding: measures a benchmark with an undecided metric further, in batches of both sides, until each judged metric has
 * an answer or the budget is spent. Repeated looks find differences by chance, so looks after the first share the
 * probability of an error (Bonferroni), which their intervals use, too.
 */
#include "app/explain/compare.h"

#include "core/base/clock.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

/* Batches before each further look; the config has the runs of a batch. */
static const size_t batches[] = {1, 2, 4};

enum { LOOKS = sizeof(batches) / sizeof(batches[0]) };

/* Whether further runs can decide a value. Simulated instructions that vary have no more runs (session_counts.c). */
static bool is_decidable(const struct pe_compare_value *value)
{
	return isfinite(value->low) ||
	       strcmp(value->metric->name, pe_metrics[PE_SIMULATED_INSTRUCTIONS].name) != 0;
}

/*
 * Whether a value is undecided before a further look. Counts that vary are counted once more at most: a counting run takes as
 * long as ten others, and the counts of functions are decided by then.
 */
static bool is_open_value(const struct pe_compare_value *value, size_t look)
{
	return value->judged && value->verdict == PE_UNDECIDED && is_decidable(value) &&
	       (look == 0 || !pe_metric_is_counted(value->metric));
}

/*
 * Whether a time varies so much that, after all further runs, a change as large as that of the counted instructions would
 * still be undecided. @param look  further looks so far
 */
static bool is_useless(const struct pe_compare_pair *pair, const struct pe_compare_value *value,
		       size_t look)
{
	const struct pe_function_changes *functions = pair->functions;
	const bool time = strcmp(value->metric->unit, "ns") == 0;
	double now = 1, all = 1, expected;

	if (functions == NULL || functions->old_whole == 0 || !time || !isfinite(value->low))
		return false;
	for (size_t i = 0; i < LOOKS; i++) {
		all += (double)batches[i];
		now += i < look ? (double)batches[i] : 0;
	}
	expected = fabs((double)functions->new_whole / (double)functions->old_whole - 1);
	return (value->high - value->low) / 2 * sqrt(now / all) >
	       fmax(expected, value->metric->min_relative);
}

/* @param counted  of counted metrics alone */
static bool is_open(const struct pe_compare_pair *pair, size_t look, bool counted)
{
	for (size_t i = 0; i < pair->n_values; i++)
		if (is_open_value(&pair->values[i], look) &&
		    !is_useless(pair, &pair->values[i], look) &&
		    (!counted || pe_metric_is_counted(pair->values[i].metric)))
			return true;
	return false;
}

static size_t count_open(const struct pe_comparing *comparing, size_t look)
{
	size_t n = 0;

	for (size_t p = 0; p < comparing->pairs.n; p++)
		n += is_open(&comparing->pairs.data[p], look, false);
	return n;
}

/* Measure one batch of the open benchmarks alone, with counting runs where counts are open. */
static int measure_open(struct pe_comparing *comparing, size_t look)
{
	const struct pe_comparing_couple *couples = comparing->couples;
	struct pe_session *session = &comparing->session;
	struct pe_benchmark **all = session->benchmarks.data, **some;
	size_t n_all = session->benchmarks.n, n = 0;
	struct pe_plan plan;
	bool counts = false;
	int rc;

	some = pe_arena_new(comparing->app->arena, struct pe_benchmark *, 2 * comparing->pairs.n);
	for (size_t p = 0; p < comparing->pairs.n; p++) {
		if (!is_open(&comparing->pairs.data[p], look, false))
			continue;
		counts = counts || is_open(&comparing->pairs.data[p], look, true);
		some[n++] = couples[p].benchmarks[0];
		if (couples[p].benchmarks[1] != couples[p].benchmarks[0])
			some[n++] = couples[p].benchmarks[1];
	}
	session->benchmarks.data = some;
	session->benchmarks.n = n;
	session->again = true;
	session->timed_only = !counts;
	rc = pe_session_plan(&plan, session, 0);
	/* The end of a batch is not the end: its runs decide whether another one follows. */
	session->count.total = 0;
	if (rc == PE_OK)
		rc = pe_session_measure(session);
	session->benchmarks.data = all;
	session->benchmarks.n = n_all;
	session->timed_only = false;
	return rc;
}

static void say_open(const struct pe_comparing *comparing, bool ended, bool spent)
{
	const struct pe_app *app = comparing->app;
	pe_auto_text budget = PE_TEXT_INIT;
	size_t n = count_open(comparing, 0);

	pe_format_duration(&budget, comparing->opts->decide_ns);
	if (!ended)
		pe_app_note(app,
			    "%zu benchmark%s undecided: measuring more, for %s at most (--budget)",
			    n, n == 1 ? " is" : "s are", pe_text_str(&budget));
	else if (n > 0)
		pe_app_note(app,
			    "%zu benchmark%s still undecided%s: the same command measures more", n,
			    n == 1 ? " is" : "s are", spent ? " and the budget is spent" : "");
}

static void report_useless(const struct pe_comparing *comparing)
{
	for (size_t p = 0; p < comparing->pairs.n; p++) {
		const struct pe_compare_pair *pair = &comparing->pairs.data[p];
		bool useless = false;

		for (size_t i = 0; i < pair->n_values; i++)
			useless = useless || is_open_value(&pair->values[i], 0);
		if (useless && !is_open(pair, 0, false))
			pe_app_note(comparing->app,
				    "%s: its time varies on this machine by more than its "
				    "instructions differ: more runs would not decide it",
				    pair->name);
	}
}

int pe_comparing_decide(struct pe_comparing *comparing)
{
	const uint64_t began_ns = pe_clock_ns();
	uint64_t deadline_ns = began_ns + comparing->opts->decide_ns;

	if (comparing->opts->decide_ns > 0)
		report_useless(comparing);
	if (comparing->opts->decide_ns == 0 || count_open(comparing, 0) == 0)
		return PE_OK;
	say_open(comparing, false, false);
	comparing->confidence = 1 - 0.05 / (1 + LOOKS);
	for (size_t look = 0;
	     look < LOOKS && count_open(comparing, look) > 0 && pe_clock_ns() < deadline_ns;
	     look++) {
		for (size_t i = 0; i < batches[look] && pe_clock_ns() < deadline_ns; i++)
			PE_TRY(measure_open(comparing, look));
		PE_TRY(pe_comparing_fill(comparing));
	}
	comparing->spent_ns = pe_clock_ns() - began_ns;
	say_open(comparing, true, pe_clock_ns() >= deadline_ns);
	return PE_OK;
}
