#include "cmd/check_suites.h"

#include "core/base/utf8.h"
#include "core/exec/runner.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 5, MAX_PROCESSES = 5 };

/* No further process begins when those before took so long. */
static const uint64_t PROCESSES_NS = 10ull * 1000 * 1000 * 1000;

/* Values below this are a few ticks of the clock, or nothing that was not optimised away. */
static const double SHORT_NS = 1;

/* --- Running --- */

/* Reads what the session's own port reads, and keeps what that does not pass on. */
static int read_and_keep(struct pe_suite_readings *out, const struct pe_suite *suite,
			 const char *text, size_t size, struct pe_arena *arena, void *payload,
			 struct pe_err *err)
{
	struct pe_checked_suite *checked = payload;
	struct pe_suite_output output;
	enum pe_suite_format format = strcmp(suite->format, "auto") == 0
					      ? PE_SUITE_AUTO
					      : pe_suite_format_find(suite->format);
	struct pe_err other = PE_ERR_INIT;

	if (pe_suite_read(text, size, format, arena, &output, &other) == PE_OK) {
		checked->format = pe_suite_format_name(output.format);
		checked->library = output.version != NULL ? output.version : "";
		checked->notes = output.notes;
		checked->n_notes = output.n_notes;
	}
	return checked->port->read(out, suite, text, size, arena, checked->port->payload, err);
}

static int command(struct pe_suite_command *out, const struct pe_suite *suite,
		   const struct pe_suite_wish *wish, const char *tree, struct pe_arena *arena,
		   void *payload, struct pe_err *err)
{
	const struct pe_checked_suite *checked = payload;

	return checked->port->command(out, suite, wish, tree, arena, checked->port->payload, err);
}

static void find_alone(struct pe_checked_suite *checked, struct pe_session *session,
		       const struct pe_benchmark *member)
{
	const struct pe_suite_wish wish = {.what = PE_ASK_RUN, .names = &member->own, .n = 1};
	struct pe_suite_command alone;
	struct pe_err why = PE_ERR_INIT;

	if (member->own != NULL &&
	    checked->port->command(&alone, checked->suite, &wish, NULL, session->arena,
				   checked->port->payload, &why) == PE_OK)
		checked->alone = alone.command.text;
}

static bool is_measured(const struct pe_member_reading *reading)
{
	return reading->error == NULL && reading->n_values > 0;
}

/* Values of the first metric, MAX_PROCESSES a benchmark of the first process; NAN where a process gave none. */
static void keep_values(double *values, unsigned which, const struct pe_suite_readings *first,
			const struct pe_suite_readings *said)
{
	for (size_t i = 0; i < first->n; i++) {
		const char *id = first->entries[i].name.id;
		/* The order is the same in most programs. */
		size_t at = i < said->n && strcmp(said->entries[i].name.id, id) == 0 ? i : 0;

		while (at < said->n && strcmp(said->entries[at].name.id, id) != 0)
			at++;
		values[i * MAX_PROCESSES + which] = at < said->n && is_measured(&said->entries[at])
							    ? said->entries[at].values[0].value
							    : NAN;
	}
}

static void summarize(struct pe_checked_suite *checked, const double *values,
		      struct pe_arena *arena)
{
	size_t n = checked->process.said.n;

	checked->between = pe_arena_new(arena, struct pe_summary, n + 1);
	for (size_t i = 0; i < n; i++) {
		double given[MAX_PROCESSES];
		size_t n_given = 0;

		for (unsigned k = 0; k < checked->n_processes; k++)
			if (!isnan(values[i * MAX_PROCESSES + k]))
				given[n_given++] = values[i * MAX_PROCESSES + k];
		if (n_given > 0)
			checked->between[i] = pe_summarize(given, n_given);
	}
}

/* Names the suite that runs: one may take minutes. Fails where the user has asked to stop. */
static int announce(const struct pe_checked_suite *checked, struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_progress_event event = {
		.phase = PE_PROGRESS_RUN,
		.done = checked->n_processes,
		.total = MAX_PROCESSES,
		.benchmark = checked->suite->name,
	};

	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped");
	if (app->progress.report != NULL)
		app->progress.report(&event, app->progress.payload);
	return PE_OK;
}

/* Further processes, after the first one: what is uncertain is seen between processes alone. */
static int run_again(struct pe_checked_suite *checked, struct pe_session *session,
		     const struct pe_benchmark *member, const char *tree)
{
	const struct pe_suite_readings *first = &checked->process.said;
	double *values = pe_arena_new(session->arena, double, (first->n + 1) * MAX_PROCESSES);
	uint64_t spent_ns = checked->process.run.suite_ns;
	bool ran = checked->process.run.outcome == PE_MEASURED && !first->cut_short;
	int rc = PE_OK;

	checked->n_processes = 1;
	keep_values(values, 0, first, first);
	while (ran && checked->n_processes < MAX_PROCESSES &&
	       spent_ns + spent_ns / checked->n_processes <= PROCESSES_NS) {
		struct pe_suite_process next;

		rc = announce(checked, session);
		if (rc == PE_OK)
			rc = pe_suite_run(&next, &session->runner, member, NULL, 0, tree,
					  session->arena, session->app->err);
		if (rc != PE_OK)
			return rc;
		ran = next.run.outcome == PE_MEASURED && !next.said.cut_short;
		spent_ns += next.run.suite_ns;
		if (ran)
			keep_values(values, checked->n_processes++, first, &next.said);
		else
			checked->process.run = next.run;
		checked->process.said.cut_short = next.said.cut_short;
	}
	summarize(checked, values, session->arena);
	return PE_OK;
}

static int run_suite(struct pe_checked_suite *checked, struct pe_session *session,
		     const struct pe_benchmark *member, const char *tree)
{
	const struct pe_suite_port own = session->runner.suites;
	struct pe_run set_up = {.kind = PE_RUN_TIMED};
	int rc;

	checked->suite = member->suite;
	checked->port = &own;
	find_alone(checked, session, member);
	rc = announce(checked, session);
	if (rc != PE_OK)
		return rc;
	rc = pe_runner_set_up(&set_up, &session->runner, member, tree, session->arena,
			      session->app->err);
	checked->process.run = set_up;
	if (rc == PE_OK && set_up.outcome == PE_MEASURED) {
		session->runner.suites = (struct pe_suite_port){.command = command,
								.list = own.list,
								.read = read_and_keep,
								.payload = checked};
		rc = pe_suite_run(&checked->process, &session->runner, member, NULL, 0, tree,
				  session->arena, session->app->err);
		session->runner.suites = own;
		if (rc == PE_OK)
			rc = run_again(checked, session, member, tree);
	}
	rc = pe_runner_clean_up(rc, &session->runner, member, tree, session->arena,
				session->app->err);
	if (rc == PE_EUNSUPPORTED || rc == PE_EINVALID) {
		checked->error = pe_arena_strdup(session->arena, session->app->err->message);
		rc = PE_OK;
	}
	checked->port = NULL;
	return rc;
}

static struct pe_checked_suite *find(struct pe_checked_suites *suites, const struct pe_suite *suite)
{
	for (size_t i = 0; i < suites->n; i++)
		if (suites->at[i].suite == suite)
			return &suites->at[i];
	return NULL;
}

int pe_check_suites(struct pe_checked_suites *out, struct pe_session *session, const char *tree)
{
	int rc = PE_OK;

	*out = (struct pe_checked_suites){
		.at = pe_arena_new(session->arena, struct pe_checked_suite, session->n_suites + 1)};
	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++) {
		const struct pe_benchmark *member = session->benchmarks.data[w].benchmark;

		if (member->suite == NULL)
			continue;
		if (find(out, member->suite) == NULL)
			rc = run_suite(&out->at[out->n++], session, member, tree);
		if (rc == PE_OK)
			find(out, member->suite)->n_chosen++;
	}
	/* Nothing to choose from, where nothing was left to choice. */
	for (size_t i = 0; rc == PE_OK && session->bench == NULL && i < session->n_suites; i++)
		if (find(out, session->suites[i].suite) == NULL)
			out->at[out->n++] = (struct pe_checked_suite){
				.suite = session->suites[i].suite,
				.error = "no benchmark is found in it",
			};
	return rc;
}

/* --- Looking --- */

double pe_check_noise(const struct pe_summary *runs)
{
	return 1.4826 * runs->mad / runs->median;
}

double pe_check_visible_step(const struct pe_summary *runs, unsigned repeats)
{
	double error = runs->error * sqrt((double)runs->n / repeats);
	double step = 3.7 * sqrt(2) * error / runs->median;

	return step > 0.005 ? step : 0.005;
}

/* Whether the processes say how noisy a benchmark is. */
static bool has_noise(const struct pe_checked_suite *checked, size_t which)
{
	return checked->between != NULL && checked->between[which].n >= 3 &&
	       checked->between[which].median > 0;
}

static size_t count_failed(const struct pe_checked_suite *checked)
{
	size_t n = 0;

	for (size_t i = 0; i < checked->process.said.n; i++)
		n += !is_measured(&checked->process.said.entries[i]);
	return n;
}

bool pe_check_suites_ran(const struct pe_checked_suites *suites)
{
	for (size_t i = 0; i < suites->n; i++)
		if (suites->at[i].error != NULL ||
		    suites->at[i].process.run.outcome != PE_MEASURED ||
		    suites->at[i].process.said.cut_short || count_failed(&suites->at[i]) > 0)
			return false;
	return true;
}

/* --- Printing --- */

static void print_head(struct pe_text *out, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;

	pe_text_addf(out, "suite     %s: ", checked->suite->name);
	if (checked->error != NULL) {
		pe_utf8_add_visible(out, checked->error, "");
		pe_text_addc(out, '\n');
		return;
	}
	pe_text_addf(out, "%zu benchmark%s", said->n, said->n == 1 ? "" : "s");
	if (checked->format != NULL)
		pe_text_addf(out, ", %s", checked->format);
	if (checked->library != NULL && checked->library[0] != '\0') {
		pe_text_addc(out, ' ');
		pe_utf8_add_visible(out, checked->library, "");
	}
	if (checked->n_chosen < said->n)
		pe_text_addf(out, ", %zu chosen", checked->n_chosen);
	if (checked->process.run.suite_ns > 0) {
		pe_text_add(out, ", ");
		pe_format_duration(out, checked->process.run.suite_ns);
		pe_text_add(out, " a run");
		if (checked->n_processes > 1)
			pe_text_addf(out, ", %u runs", checked->n_processes);
	}
	pe_text_addc(out, '\n');
	if (checked->process.run.outcome != PE_MEASURED) {
		pe_text_addf(out, "  %s\n", pe_outcome_name(checked->process.run.outcome));
		if (checked->process.run.log != NULL)
			pe_utf8_add_log(out, checked->process.run.log);
	}
}

static void print_reading(struct pe_text *out, const struct pe_checked_suite *checked, size_t which)
{
	const struct pe_member_reading *reading = &checked->process.said.entries[which];
	const struct pe_member_value *value = &reading->values[0];
	bool noise = has_noise(checked, which);

	pe_text_add(out, "  ");
	pe_utf8_add_visible(out, reading->name.id, "");
	pe_text_addf(out, ": %s ",
		     value->metric->label != NULL ? value->metric->label : value->metric->name);
	pe_format_value(out, noise ? checked->between[which].median : value->value,
			value->metric->unit);
	if (value->n_inner > 1)
		pe_text_addf(out, " (median of %zu values)", value->n_inner);
	if (reading->n_values > 1)
		pe_text_addf(out, ", %zu more metric%s", reading->n_values - 1,
			     reading->n_values == 2 ? "" : "s");
	if (noise)
		pe_text_addf(out, "; noise %.1f %%, detects changes from about %.1f %%",
			     100 * pe_check_noise(&checked->between[which]),
			     100 * pe_check_visible_step(&checked->between[which],
							 checked->suite->model.repeats));
	pe_text_addc(out, '\n');
}

static void print_failed(struct pe_text *out, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;
	size_t n = 0;

	for (size_t i = 0; i < said->n; i++) {
		if (is_measured(&said->entries[i]) || n++ >= SHOWN)
			continue;
		pe_text_add(out, "left out  ");
		pe_utf8_add_visible(out, said->entries[i].name.id, "");
		pe_text_add(out, ": ");
		pe_utf8_add_visible(out,
				    said->entries[i].error != NULL ? said->entries[i].error
								   : "it has no values",
				    "");
		pe_text_addc(out, '\n');
	}
	if (n > SHOWN)
		pe_text_addf(out, "left out  %zu more\n", n - SHOWN);
}

/* Times that no clock can tell from nothing. */
static void print_short(struct pe_text *out, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < said->n; i++) {
		const struct pe_member_reading *reading = &said->entries[i];

		if (!is_measured(reading) || strcmp(reading->values[0].metric->unit, "ns") != 0 ||
		    reading->values[0].value >= SHORT_NS)
			continue;
		first = n++ == 0 ? reading->name.id : first;
	}
	if (n == 0)
		return;
	pe_text_add(out, "advice    shorter than 1 ns an iteration: ");
	pe_utf8_add_visible(out, first, "");
	if (n > 1)
		pe_text_addf(out, " and %zu more", n - 1);
	pe_text_add(out, "; the compiler may have removed the work (benchmark::DoNotOptimize)\n");
}

static void print_suite(struct pe_text *out, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;
	size_t shown = 0;

	print_head(out, checked);
	for (size_t i = 0; i < said->n && shown < SHOWN; i++)
		if (is_measured(&said->entries[i])) {
			print_reading(out, checked, i);
			shown++;
		}
	if (said->n - count_failed(checked) > shown)
		pe_text_addf(out, "  and %zu more\n", said->n - count_failed(checked) - shown);
	if (said->cut_short) {
		pe_text_add(out, "  its results end in the middle");
		if (said->running != NULL) {
			pe_text_add(out, ", while it ran ");
			pe_utf8_add_visible(out, said->running, "");
		}
		pe_text_addc(out, '\n');
	}
	print_failed(out, checked);
	if (checked->error == NULL) {
		pe_text_add(out, "  confirming runs ");
		pe_utf8_add_visible(out,
				    checked->alone != NULL
					    ? checked->alone
					    : "all of it: its program cannot choose benchmarks",
				    "");
		pe_text_addc(out, '\n');
	}
	for (size_t i = 0; i < checked->n_notes; i++) {
		pe_text_add(out, "advice    ");
		pe_utf8_add_visible(out, checked->notes[i].text, "");
		pe_text_addc(out, '\n');
	}
	print_short(out, checked);
}

void pe_check_suites_print(struct pe_text *out, const struct pe_checked_suites *suites)
{
	for (size_t i = 0; i < suites->n; i++)
		print_suite(out, &suites->at[i]);
}

static void json_reading(struct pe_json *json, const struct pe_checked_suite *checked, size_t which)
{
	const struct pe_member_reading *reading = &checked->process.said.entries[which];

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", reading->name.id);
	if (is_measured(reading)) {
		pe_json_put(json, "metric", reading->values[0].metric->name);
		pe_json_put(json, "unit", reading->values[0].metric->unit);
		pe_json_put(json, "value", reading->values[0].value);
		pe_json_put(json, "values", reading->values[0].n_inner);
		if (has_noise(checked, which)) {
			pe_json_put(json, "processes", checked->between[which].n);
			pe_json_put(json, "median", checked->between[which].median);
			pe_json_put(json, "noise", pe_check_noise(&checked->between[which]));
			pe_json_put(json, "visible_step",
				    pe_check_visible_step(&checked->between[which],
							  checked->suite->model.repeats));
		}
	} else {
		pe_json_put(json, "error",
			    reading->error != NULL ? reading->error : "it has no values");
	}
	pe_json_end(json);
}

static void json_suite(struct pe_json *json, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", checked->suite->name);
	pe_json_put(json, "outcome",
		    checked->error != NULL ? "unsupported"
					   : pe_outcome_name(checked->process.run.outcome));
	if (checked->error != NULL)
		pe_json_put(json, "error", checked->error);
	if (checked->format != NULL)
		pe_json_put(json, "format", checked->format);
	if (checked->library != NULL)
		pe_json_put(json, "library", checked->library);
	if (checked->alone != NULL)
		pe_json_put(json, "confirming", checked->alone);
	pe_json_put(json, "chosen", checked->n_chosen);
	pe_json_put(json, "cut_short", said->cut_short);
	pe_json_each(json, "benchmarks", i, said->n, json_reading(json, checked, i));
	pe_json_begin_array(json, "notes");
	for (size_t i = 0; i < checked->n_notes; i++)
		pe_json_put(json, NULL, checked->notes[i].text);
	pe_json_end(json);
	pe_json_end(json);
}

void pe_check_suites_json(struct pe_json *json, const struct pe_checked_suites *suites)
{
	pe_json_each(json, "suites", i, suites->n, json_suite(json, &suites->at[i]));
}
