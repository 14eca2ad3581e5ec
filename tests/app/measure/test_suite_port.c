/* Suite port: what a suite's file becomes for whoever measures. */
#include "app/measure/suite_port.h"

#include "configs/read.h"
#include "suites/library.h"
#include "tests/support/test.h"

static struct pe_app app;
static struct pe_suite suite = {.name = "micro", .format = "auto"};
static struct pe_session_suite at = {.suite = &suite};
static struct pe_session session = {.app = &app, .suites = &at, .n_suites = 1};
static struct pe_arena arena;

TestSuiteWith(suite_port, session.arena = &arena, pe_vec_release(&session.suite_metrics);
	      pe_arena_release(&arena));

static struct pe_suite_readings read_text(const char *text)
{
	const struct pe_suite_port port = pe_suite_port_of(&session);
	struct pe_suite_readings out;
	struct pe_err err = PE_ERR_INIT;

	cr_assert(
		eq(int, port.read(&out, &suite, text, strlen(text), &arena, port.payload, &err), 0),
		"%s", err.message);
	cr_assert(eq(sz, out.n, 1));
	return out;
}

/* Over all values it would be 100, that of the one fork that had more of them. */
Test(suite_port, value_is_the_median_over_processes)
{
	const struct pe_suite_readings out = read_text(
		"[{\"jmhVersion\": \"1.37\", \"benchmark\": \"org.Parse.run\", \"mode\": \"avgt\","
		" \"threads\": 1, \"forks\": 3, \"primaryMetric\": {\"score\": 3.0, \"scoreUnit\": "
		"\"ns/op\", \"rawData\": [[100, 100, 100, 100, 100, 104], [10, 30], [20]]},"
		" \"secondaryMetrics\": {}}]");
	const struct pe_sample *value = &out.entries[0].values[0];

	cr_expect_str_eq(value->metric->name, "wall");
	cr_expect(eq(dbl, value->value, 20));
	cr_assert(eq(sz, value->n_inner, 9));
	cr_expect(eq(dbl, value->inner[5], 104));
	cr_expect(eq(dbl, value->inner[6], 10));
}

Test(suite_port, value_of_one_process_is_its_median)
{
	const struct pe_suite_readings out =
		read_text("{\"name\": \"parse\", \"unit\": \"ns\", \"values\": [7, 1, 3, 5]}\n");

	cr_expect(eq(dbl, out.entries[0].values[0].value, 4));
}

static void keep_note(void *payload, const char *sentence)
{
	pe_text_addf(payload, "%s\n", sentence);
}

/* What is not stored is told, once: not with each process. */
Test(suite_port, tells_of_more_metrics_than_are_stored)
{
	pe_auto_text lines = PE_TEXT_INIT, notes = PE_TEXT_INIT;

	app.note = keep_note;
	app.note_payload = &notes;
	for (int i = 0; i <= PE_RUN_MAX_SAMPLES; i++)
		pe_text_addf(
			&lines,
			"{\"name\": \"parse\", \"metric\": \"m%d\", \"unit\": \"ns\", \"value\": 7}\n",
			i);
	read_text(pe_text_str(&lines));
	read_text(pe_text_str(&lines));
	cr_expect_str_eq(pe_text_str(&notes),
			 "suite 'micro': parse has 49 metrics: the first 48 are stored\n");
}

/* Where names and iterations can be told, a brief run is one iteration of each. */
Test(suite_port, a_brief_run_is_asked_for_as_its_library_can)
{
	const struct pe_suite_port port = pe_suite_port_of(&session);
	const struct pe_suite_task all = {.what = PE_ASK_BRIEFLY};
	struct pe_suite_command command;
	struct pe_err err = PE_ERR_INIT;

	suite.command = pe_command_of_shell("./bench", &arena);
	at.format = PE_SUITE_CATCH2;
	cr_assert(eq(int, port.command(&command, &suite, &all, NULL, &arena, port.payload, &err),
		     PE_OK));
	cr_expect_str_eq(command.command.text, "./bench");
	at.format = PE_SUITE_GOOGLE_BENCHMARK;
	at.fixed = true;
	cr_assert(eq(int, port.command(&command, &suite, &all, NULL, &arena, port.payload, &err),
		     PE_OK));
	cr_expect_str_eq(command.command.text,
			 "./bench --benchmark_format=json --benchmark_repetitions=1 "
			 "--benchmark_min_time=1x");
	at.format = PE_SUITE_AUTO;
	at.fixed = false;
}
