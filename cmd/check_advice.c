/* How well can this machine tell versions apart, and what would help? */
#include "cmd/check.h"

#include "app/measure/suite_port.h"
#include "core/exec/simulate.h"
#include "report/min_effect.h"

#include <stdio.h>
#include <string.h>

static void advise(struct pe_check *check, const char *text)
{
	pe_vec_push(&check->advice, text);
}

/* A kind of advice that is given for benchmarks: one line for all of them, however many there are. */
struct hint {
	/** Whether it is for a benchmark, and then what stands beside its name. */
	bool (*fits)(char *out, size_t size, const struct pe_tried *tried);
	const char *advice;
};

static bool is_short(char *out, size_t size, const struct pe_tried *tried)
{
	snprintf(out, size, "%.2f ms", tried->wall.median / 1e6);
	return tried->wall.median < 5e6;
}

static bool is_noisy(char *out, size_t size, const struct pe_tried *tried)
{
	snprintf(out, size, "±%.0f %%", 100 * pe_check_noise(&tried->wall));
	return pe_check_noise(&tried->wall) > 0.05;
}

static bool has_outlier(char *out, size_t size, const struct pe_tried *tried)
{
	snprintf(out, size, "%.1f times the median", tried->wall.max / tried->wall.median);
	return tried->wall.max > 1.5 * tried->wall.median;
}

static bool has_few_repeats(char *out, size_t size, const struct pe_tried *tried)
{
	snprintf(out, size, "%u", tried->benchmark->repeats);
	return tried->benchmark->repeats < 10;
}

static bool is_inexact(char *out, size_t size, const struct pe_tried *tried)
{
	if (tried->inexact != NULL)
		snprintf(out, size, "%s%s%s", tried->inexact->label,
			 tried->varying != NULL ? ", by " : "",
			 tried->varying != NULL ? tried->varying : "");
	return tried->inexact != NULL;
}

static bool is_uncountable(char *out, size_t size, const struct pe_tried *tried)
{
	if (tried->not_countable != NULL)
		snprintf(out, size, "%.*s", (int)strcspn(tried->not_countable, "\n"),
			 tried->not_countable);
	return tried->not_countable != NULL;
}

static bool is_suite(char *out, size_t size, const struct pe_tried *tried)
{
	snprintf(out, size, "format: %s",
		 pe_suite_format_name((enum pe_suite_format)tried->format));
	return tried->format != PE_SUITE_AUTO && tried->benchmark->n_customs == 0;
}

static const struct hint hints[] = {
	{is_suite, PE_SUITE_TIMED_SAYS},
	{is_short, "very short; starting the process takes as long as the work, so give it more"},
	{is_noisy, "noisy; more 'repeats', a quieter machine or more work a run helps"},
	{has_outlier, "outliers; something else ran on this machine"},
	{has_few_repeats, "few repeats; 10 or more find smaller steps with fewer false alarms"},
	{is_uncountable, "allocations cannot be counted; 'allocations: false' leaves them out"},
	{is_inexact,
	 "two runs of one build count differently (threads, random numbers, addresses, time): such counts are treated as noisy metrics, from more runs; a fixed seed (in Python 'env: {PYTHONHASHSEED: 0}'), one thread ('node --single-threaded'), and no time or address in what is computed make them exact"},
};

/* "a (0.6 ms), b (0.7 ms) and 12 more: advice". */
static void add_hint(struct pe_check *check, const struct hint *hint)
{
	enum { NAMED = 3 };
	pe_auto_text text = PE_TEXT_INIT;
	size_t n = 0;

	for (size_t i = 0; i < check->n_tried; i++) {
		const struct pe_tried *tried = &check->tried[i];
		char value[320];

		if (tried->run.outcome != PE_MEASURED || !hint->fits(value, sizeof(value), tried))
			continue;
		if (n++ >= NAMED)
			continue;
		pe_text_addf(&text, "%s%s (%s)", n > 1 ? ", " : "", tried->benchmark->name, value);
	}
	if (n > NAMED)
		pe_text_addf(&text, " and %zu more", n - NAMED);
	if (n > 0)
		advise(check,
		       pe_arena_printf(check->session.arena, "%s: %s", text.data, hint->advice));
}

static void advise_on_outside(struct pe_check *check)
{
	struct pe_session *session = &check->session;

	for (size_t i = 0; i < session->benchmarks.n; i++) {
		const struct pe_benchmark *benchmark = session->benchmarks.data[i];
		const char *path = pe_outside_shared(&session->outside, benchmark);

		if (path != NULL)
			advise(check,
			       pe_arena_printf(
				       session->arena,
				       "%s reads %s, which its commits write outside of their trees and share: each is set up or built again before its runs, as often as another was since; below $PERFEVO_TREE each has its own (make install PREFIX=$PERFEVO_TREE/prefix)",
				       benchmark->name, path));
	}
}

/* Whether track would detect no change of a wall time below 20 %. */
static bool are_times_coarse(const struct pe_check *check)
{
	size_t n = 0;

	for (size_t i = 0; i < check->n_tried; i++) {
		const struct pe_tried *tried = &check->tried[i];

		if (tried->run.outcome != PE_MEASURED)
			continue;
		if (pe_check_visible_step(&tried->wall, tried->benchmark->repeats) <
		    PE_COARSE_TIMES)
			return false;
		n++;
	}
	return n > 0;
}

static void advise_on_counts(struct pe_check *check)
{
	if (are_times_coarse(check) && pe_simulate_program(check->session.arena, NULL) != NULL)
		advise(check, "times on this machine would detect no change below 20 %: 'perfevo "
			      "track --counts' compares exact counts, and times nothing");
}

static void advise_on_machine(struct pe_check *check)
{
	const struct pe_session *session = &check->session;
	const struct pe_conditions *conditions = &session->conditions;
	const char *governor = conditions->governor;

	if (strcmp(governor, "unknown") != 0 && strcmp(governor, "performance") != 0)
		advise(check,
		       pe_arena_printf(
			       session->arena,
			       "the scaling governor is '%s': 'cpupower frequency-set -g performance' keeps the clock steady",
			       governor));
	if (strcmp(conditions->turbo, "on") == 0)
		advise(check,
		       "turbo is on: the clock follows heat and load; switch it off for less noise");
	if (conditions->load / session->machine.cores > 0.5)
		advise(check,
		       pe_arena_printf(
			       session->arena,
			       "load by others: %.1f processes were running on %u cores in the last minute",
			       conditions->load, session->machine.cores));
	if (!session->runner.instructions && session->runner.valgrind == NULL)
		advise(check,
		       "this machine does not count instructions (no hardware counters, or kernel.perf_event_paranoid above 2): changes are detected in times and allocations alone; with valgrind installed, it counts them");
}

void pe_check_advise(struct pe_check *check)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		add_hint(check, &hints[i]);
	advise_on_outside(check);
	advise_on_counts(check);
	advise_on_machine(check);
}
