#include "cmd/check.h"

#include "core/exec/runner.h"
#include "core/stats/order.h"
#include "suites/library.h"

#include <math.h>
#include <string.h>

enum { MAX_PROCESSES = 5 };

/* No further process begins when those before took so long. */
static const uint64_t PROCESSES_NS = 10ull * 1000 * 1000 * 1000;

/* Another number of values is recommended from this factor of saved seconds. */
static const double MIN_GAIN = 1.25;

/* --- Running --- */

/* Nanoseconds of one value of each benchmark. Where a file has values of several processes they are not nested in one. */
static double iterations_ns(const struct pe_suite_output *output)
{
	double sum = 0;

	for (size_t i = 0; i < output->n_entries; i++) {
		const struct pe_suite_entry *entry = &output->entries[i];

		if (entry->n_metrics == 0)
			continue;
		if (entry->metrics[0].n_processes > 1 || entry->metrics[0].n_values == 0 ||
		    strcmp(entry->metrics[0].unit, "ns") != 0 || !(entry->iterations > 0))
			return NAN;
		sum += entry->iterations * entry->metrics[0].values[0];
	}
	return sum;
}

static void find_alone(struct pe_checked_suite *checked, struct pe_session *session,
		       const struct pe_benchmark *member)
{
	const struct pe_suite_task request = {.what = PE_ASK_RUN, .names = &member->own, .n = 1};
	struct pe_suite_command alone;
	struct pe_err why = PE_ERR_INIT;

	if (member->own != NULL &&
	    session->runner.suites.command(&alone, checked->suite, &request, NULL, session->arena,
					   session->runner.suites.payload, &why) == PE_OK)
		checked->alone = alone.command.text;
}

bool pe_checked_is_measured(const struct pe_member_reading *reading)
{
	return reading->error == NULL && reading->n_values > 0;
}

/* The first value that a process gave a benchmark of the first process; NULL: none. */
static const struct pe_sample *value_in(const struct pe_suite_readings *said,
					const struct pe_suite_readings *first, size_t which)
{
	const char *id = first->entries[which].name.id;
	/* The order is the same in most programs. */
	size_t at = which < said->n && strcmp(said->entries[which].name.id, id) == 0 ? which : 0;

	while (at < said->n && strcmp(said->entries[at].name.id, id) != 0)
		at++;
	return at < said->n && pe_checked_is_measured(&said->entries[at])
		       ? &said->entries[at].values[0]
		       : NULL;
}

/* Compare the processes, and the values in each, which nested[] receives. */
static void summarize(struct pe_checked_suite *checked, struct pe_nested *nested,
		      const struct pe_suite_readings *said, struct pe_arena *arena)
{
	const struct pe_suite_readings *first = &said[0];

	checked->between = pe_arena_new(arena, struct pe_summary, first->n + 1);
	for (size_t i = 0; i < first->n; i++) {
		struct pe_nested_process *inner =
			pe_arena_new(arena, struct pe_nested_process, checked->n_processes);
		double given[MAX_PROCESSES];
		size_t n_given = 0;

		for (unsigned k = 0; k < checked->n_processes; k++) {
			const struct pe_sample *value = value_in(&said[k], first, i);

			if (value == NULL)
				continue;
			given[n_given++] = value->value;
			inner[k] = (struct pe_nested_process){value->inner, value->n_inner};
		}
		if (n_given > 0)
			checked->between[i] = pe_summarize(given, n_given);
		nested[i] = (struct pe_nested){inner, checked->n_processes};
	}
}

/* How many values a process would best give, and the options for that. */
static void weigh_values(struct pe_checked_suite *checked, const struct pe_nested *nested,
			 struct pe_arena *arena)
{
	const struct pe_suite_output *output = checked->process.said.output;
	const size_t n = checked->process.said.n;
	double *counts = pe_arena_new(arena, double, n + 1), value_s;
	size_t n_counts = 0;

	for (size_t i = 0; i < n; i++)
		if (pe_checked_is_measured(&checked->process.said.entries[i]))
			counts[n_counts++] =
				(double)checked->process.said.entries[i].values[0].n_inner;
	if (n_counts == 0 || checked->n_processes < 3)
		return;
	checked->values = pe_order_median(counts, n_counts);
	value_s = iterations_ns(output) / 1e9;
	checked->choice = pe_nested_choose(
		nested, n, checked->values,
		(double)checked->process.run.suite_ns / 1e9 - checked->values * value_s, value_s);
	if (checked->choice.n > 0 && checked->choice.gain >= MIN_GAIN)
		checked->options =
			pe_suite_repetitions(output->format, (unsigned)checked->choice.best, arena);
}

static int announce(const struct pe_checked_suite *checked, const struct pe_session *session)
{
	return pe_session_report_run(session, NULL, checked->suite->name, checked->n_processes,
				     MAX_PROCESSES);
}

/* Further processes, after the first one: what is uncertain is seen between processes alone. */
static int run_again(struct pe_checked_suite *checked, struct pe_session *session,
		     const struct pe_benchmark *member, const char *tree)
{
	struct pe_suite_readings said[MAX_PROCESSES] = {checked->process.said};
	struct pe_nested *nested = pe_arena_new(session->arena, struct pe_nested, said[0].n + 1);
	uint64_t spent_ns = checked->process.run.suite_ns;
	bool ran = checked->process.run.outcome == PE_MEASURED && !said[0].cut_short;

	checked->n_processes = 1;
	while (ran && checked->n_processes < MAX_PROCESSES &&
	       spent_ns + spent_ns / checked->n_processes <= PROCESSES_NS) {
		struct pe_suite_process next;

		PE_TRY(announce(checked, session));
		PE_TRY(pe_suite_run(&next, &session->runner, member, NULL, 0, tree, session->arena,
				    session->app->err));
		ran = next.run.outcome == PE_MEASURED && !next.said.cut_short;
		spent_ns += next.run.suite_ns;
		if (ran)
			said[checked->n_processes++] = next.said;
		else
			checked->process.run = next.run;
		checked->process.said.cut_short = next.said.cut_short;
	}
	summarize(checked, nested, said, session->arena);
	weigh_values(checked, nested, session->arena);
	return PE_OK;
}

static int run_suite(struct pe_checked_suite *checked, struct pe_session *session,
		     const struct pe_benchmark *member, const char *tree)
{
	struct pe_run set_up = {.kind = PE_RUN_TIMED};
	int rc;

	checked->suite = member->suite;
	find_alone(checked, session, member);
	PE_TRY(announce(checked, session));
	rc = pe_runner_set_up(&set_up, &session->runner, member, tree, session->arena,
			      session->app->err);
	checked->process.run = set_up;
	if (rc == PE_OK && set_up.outcome == PE_MEASURED) {
		rc = pe_suite_run(&checked->process, &session->runner, member, NULL, 0, tree,
				  session->arena, session->app->err);
		if (rc == PE_OK)
			rc = run_again(checked, session, member, tree);
	}
	rc = pe_runner_clean_up(rc, &session->runner, member, tree, session->arena,
				session->app->err);
	if (rc == PE_EUNSUPPORTED || rc == PE_EINVALID) {
		checked->error = pe_arena_strdup(session->arena, session->app->err->message);
		rc = PE_OK;
	}
	return rc;
}

static struct pe_checked_suite *find(struct pe_checked_suites *suites, const struct pe_suite *suite)
{
	for (size_t i = 0; i < suites->n; i++)
		if (suites->at[i].suite == suite)
			return &suites->at[i];
	return NULL;
}

/* A process of a suite serves all its benchmarks: each bears its part. */
static int keep_cost(const struct pe_checked_suite *checked, const struct pe_session *session,
		     const struct pe_benchmark *member)
{
	const double seconds =
		(double)checked->process.run.suite_ns / 1e9 / (double)checked->n_chosen;
	const struct pe_spending spent = {.of[PE_SPENT_TIMED] = {1, seconds}};

	return seconds > 0 && checked->process.run.outcome == PE_MEASURED
		       ? pe_store_add_costs(session->app->store, session->machine_key, member->key,
					    &spent, session->app->err)
		       : PE_OK;
}

int pe_check_suites(struct pe_checked_suites *out, struct pe_session *session, const char *tree)
{
	*out = (struct pe_checked_suites){
		.at = pe_arena_new(session->arena, struct pe_checked_suite, session->n_suites + 1)};
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *member = session->benchmarks.data[w];

		if (member->suite == NULL)
			continue;
		if (find(out, member->suite) == NULL)
			PE_TRY(run_suite(&out->at[out->n++], session, member, tree));
		find(out, member->suite)->n_chosen++;
	}
	for (size_t w = 0; w < session->benchmarks.n; w++)
		if (session->benchmarks.data[w]->suite != NULL)
			PE_TRY(keep_cost(find(out, session->benchmarks.data[w]->suite), session,
					 session->benchmarks.data[w]));
	/* Nothing to choose from, where nothing was left to choice. */
	for (size_t i = 0; session->bench == NULL && i < session->n_suites; i++)
		if (find(out, session->suites[i].suite) == NULL)
			out->at[out->n++] = (struct pe_checked_suite){
				.suite = session->suites[i].suite,
				.error = "no benchmark is found in it",
			};
	return PE_OK;
}
