/*
 * The time that measuring will take, from the trial's: the store keeps it, so that even the first plan has durations, and
 * a slow config is reported before the night is spent.
 */
#include "cmd/check.h"

#include "report/format.h"

#include <string.h>

/* Commits that `track` measures without a range, and the duration from which that is reported. */
enum { COMMITS = 20 };
static const double LONG_S = 600;

/* --- Keeping --- */

static const struct pe_tried *tried_of(const struct pe_check *check,
				       const struct pe_benchmark *benchmark)
{
	for (size_t i = 0; i < check->n_tried; i++)
		if (check->tried[i].benchmark == benchmark)
			return &check->tried[i];
	return NULL;
}

static const struct pe_checked_suite *suite_of(const struct pe_check *check,
					       const struct pe_benchmark *benchmark)
{
	for (size_t i = 0; i < check->suites.n; i++)
		if (check->suites.at[i].suite == benchmark->suite)
			return &check->suites.at[i];
	return NULL;
}

/* A process of a suite serves all its benchmarks: each bears its part. */
static double seconds_of_member(const struct pe_checked_suite *suite)
{
	return suite != NULL && suite->process.run.outcome == PE_MEASURED && suite->n_chosen > 0
		       ? (double)suite->process.run.suite_ns / 1e9 / (double)suite->n_chosen
		       : 0;
}

static struct pe_spending spent_on(const struct pe_check *check,
				   const struct pe_benchmark *benchmark)
{
	const struct pe_tried *tried = tried_of(check, benchmark);
	struct pe_spending spent = {0};

	if (tried != NULL)
		return tried->run.outcome == PE_MEASURED ? tried->spent : spent;
	if (benchmark->suite != NULL)
		spent.of[PE_SPENT_TIMED].seconds = seconds_of_member(suite_of(check, benchmark));
	spent.of[PE_SPENT_TIMED].n = spent.of[PE_SPENT_TIMED].seconds > 0;
	return spent;
}

int pe_check_keep_costs(const struct pe_check *check)
{
	const struct pe_session *session = &check->session;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];
		const struct pe_spending spent = spent_on(check, one);

		PE_TRY(pe_store_add_costs(session->app->store, session->machine_key, one->key,
					  &spent, session->app->err));
	}
	return PE_OK;
}

/* --- Advice --- */

static double seconds_of_commit(const struct pe_check *check, const struct pe_benchmark *benchmark)
{
	const struct pe_spending spent = spent_on(check, benchmark);
	const struct pe_spent counts = pe_spending_of_counts(&spent);

	return benchmark->repeats * pe_spent_mean(&spent.of[PE_SPENT_TIMED], 0) +
	       benchmark->warmup * pe_spent_mean(&spent.of[PE_SPENT_WARMUP], 0) +
	       PE_COUNTED_ROUNDS * pe_spent_mean(&counts, 0);
}

void pe_check_advise_on_cost(struct pe_check *check)
{
	const struct pe_session *session = &check->session;
	const char *slowest = NULL;
	const double build = (double)check->build.duration_ns / 1e9;
	double all = build, most = 0;
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *benchmark = session->benchmarks.data[w];
		double one = seconds_of_commit(check, benchmark);

		all += one;
		slowest = one > most ? benchmark->name : slowest;
		most = one > most ? one : most;
	}
	if (COMMITS * all < LONG_S || slowest == NULL)
		return;
	pe_text_addf(&text, "%d commits take up to ", COMMITS);
	pe_format_duration(&text, (uint64_t)(COMMITS * all) * 1000000000);
	pe_text_add(&text, " (builds ");
	pe_format_duration(&text, (uint64_t)(COMMITS * build) * 1000000000);
	pe_text_addf(&text, ", %s ", slowest);
	pe_format_duration(&text, (uint64_t)(COMMITS * most) * 1000000000);
	pe_text_addc(&text, ')');
	pe_text_add(&text,
		    ": 'perfevo track' measures the most informative commits for 10 minutes, and "
		    "continues when it is run again; fewer benchmarks ('-b') or lower 'repeats' "
		    "shorten it, and 'track --all' measures every commit at once");
	pe_vec_push(&check->advice, pe_arena_strdup(session->arena, pe_text_str(&text)));
}
