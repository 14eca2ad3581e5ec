/* What was seen of suites, for people and programs. */
#include "cmd/check.h"

#include "core/base/utf8.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 5 };

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

void pe_check_add_noise(struct pe_text *out, double noise, double visible_step)
{
	pe_text_addf(out, "noise %.1f %%, ", 100 * noise);
	if (visible_step < 1)
		pe_text_addf(out, "detects changes from about %.1f %%", 100 * visible_step);
	else
		pe_text_add(out, "too much to detect even a doubling");
}

void pe_check_noise_json(struct pe_json *json, const struct pe_summary *runs, unsigned repeats)
{
	pe_json_put(json, "noise", round(pe_check_noise(runs) * 1e5) / 1e5);
	pe_json_put(json, "visible_step", round(pe_check_visible_step(runs, repeats) * 1e5) / 1e5);
}

/* Whether the processes show the noise of a benchmark. */
static bool has_noise(const struct pe_checked_suite *checked, size_t which)
{
	return checked->between != NULL && checked->between[which].n >= 3 &&
	       checked->between[which].median > 0;
}

static size_t count_failed(const struct pe_checked_suite *checked)
{
	size_t n = 0;

	for (size_t i = 0; i < checked->process.said.n; i++)
		n += !pe_checked_is_measured(&checked->process.said.entries[i]);
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

void pe_check_add_text(struct pe_text *out, const char *before, const char *text, const char *after)
{
	pe_text_add(out, before);
	pe_utf8_add_visible(out, text, "");
	pe_text_add(out, after);
}

static void print_head(struct pe_text *out, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;

	pe_text_addf(out, "suite     %s: ", checked->suite->name);
	if (checked->error != NULL) {
		pe_check_add_text(out, "", checked->error, "\n");
		return;
	}
	pe_format_plural(out, said->n, "benchmark");
	if (said->output != NULL)
		pe_text_addf(out, ", %s", pe_suite_format_name(said->output->format));
	if (said->output != NULL && said->output->version != NULL &&
	    said->output->version[0] != '\0')
		pe_check_add_text(out, " ", said->output->version, "");
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
		pe_text_addf(out, "  %s\n", pe_outcome_say(checked->process.run.outcome));
		if (checked->process.run.log != NULL)
			pe_utf8_add_log(out, checked->process.run.log);
	}
}

static void print_reading(struct pe_text *out, const struct pe_checked_suite *checked, size_t which)
{
	const struct pe_member_reading *reading = &checked->process.said.entries[which];
	const struct pe_sample *value = &reading->values[0];
	bool noise = has_noise(checked, which);

	pe_check_add_text(out, "  ", reading->name.id, ": ");
	pe_text_addf(out, "%s ",
		     value->metric->label != NULL ? value->metric->label : value->metric->name);
	pe_format_value(out, noise ? checked->between[which].median : value->value,
			value->metric->unit);
	if (value->n_inner > 1)
		pe_text_addf(out, " (median of %zu values)", value->n_inner);
	if (reading->n_values > 1)
		pe_text_addf(out, ", %zu more metric%s", reading->n_values - 1,
			     reading->n_values == 2 ? "" : "s");
	if (noise) {
		pe_text_add(out, "; ");
		pe_check_add_noise(out, pe_check_noise(&checked->between[which]),
				   pe_check_visible_step(&checked->between[which],
							 checked->suite->model.repeats));
	}
	pe_text_addc(out, '\n');
}

static void print_failed(struct pe_text *out, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;
	size_t n = 0;

	for (size_t i = 0; i < said->n; i++) {
		if (pe_checked_is_measured(&said->entries[i]) || n++ >= SHOWN)
			continue;
		pe_check_add_text(out, "left out  ", said->entries[i].name.id, ": ");
		pe_check_add_text(out, "",
				  said->entries[i].error != NULL ? said->entries[i].error
								 : "it has no values",
				  "\n");
	}
	if (n > SHOWN)
		pe_text_addf(out, "left out  %zu more\n", n - SHOWN);
}

static void print_choice(struct pe_text *out, const struct pe_checked_suite *checked)
{
	if (checked->options != NULL)
		pe_text_addf(
			out,
			"advice    options: [%s] takes %.1f times fewer seconds for the same certainty: %.0f values a process are worth their time, it gives %.0f\n",
			checked->options, checked->choice.gain, checked->choice.best,
			checked->values);
}

static void print_suite(struct pe_text *out, const struct pe_checked_suite *checked)
{
	const struct pe_suite_readings *said = &checked->process.said;
	size_t shown = 0;

	print_head(out, checked);
	for (size_t i = 0; i < said->n && shown < SHOWN; i++)
		if (pe_checked_is_measured(&said->entries[i])) {
			print_reading(out, checked, i);
			shown++;
		}
	if (said->n - count_failed(checked) > shown)
		pe_text_addf(out, "  and %zu more\n", said->n - count_failed(checked) - shown);
	if (said->cut_short) {
		pe_text_add(out, "  its results end in the middle");
		if (said->running != NULL)
			pe_check_add_text(out, ", while it ran ", said->running, "");
		pe_text_addc(out, '\n');
	}
	print_failed(out, checked);
	if (checked->error == NULL)
		pe_check_add_text(out, "  a change is confirmed by running ",
				  checked->alone != NULL
					  ? checked->alone
					  : "all of it: its program cannot choose benchmarks",
				  "\n");
	for (size_t i = 0; said->output != NULL && i < said->output->n_notes; i++)
		pe_check_add_text(out, "advice    ", said->output->notes[i].text, "\n");
	print_choice(out, checked);
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
	if (pe_checked_is_measured(reading)) {
		pe_json_put(json, "metric", reading->values[0].metric->name);
		pe_json_put(json, "unit", reading->values[0].metric->unit);
		pe_json_put(json, "value", reading->values[0].value);
		pe_json_put(json, "values", reading->values[0].n_inner);
		if (has_noise(checked, which)) {
			pe_json_put(json, "processes", checked->between[which].n);
			pe_json_put(json, "median", checked->between[which].median);
			pe_check_noise_json(json, &checked->between[which],
					    checked->suite->model.repeats);
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
	const struct pe_suite_output *output = said->output;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", checked->suite->name);
	pe_json_put(json, "outcome",
		    checked->error != NULL ? "unsupported"
					   : pe_outcome_name(checked->process.run.outcome));
	if (checked->error != NULL)
		pe_json_put(json, "error", checked->error);
	if (output != NULL) {
		pe_json_put(json, "format", pe_suite_format_name(output->format));
		pe_json_put(json, "library", output->version != NULL ? output->version : "");
	}
	if (checked->alone != NULL)
		pe_json_put(json, "confirming", checked->alone);
	pe_json_put(json, "chosen", checked->n_chosen);
	pe_json_put(json, "cut_short", said->cut_short);
	if (checked->choice.n > 0) {
		pe_json_put(json, "values", checked->values);
		pe_json_put(json, "values_worth", checked->choice.best);
		pe_json_put(json, "values_gain", checked->choice.gain);
	}
	if (checked->options != NULL)
		pe_json_put(json, "options", checked->options);
	pe_json_each(json, "benchmarks", i, said->n, json_reading(json, checked, i));
	pe_json_each(json, "notes", i, output != NULL ? output->n_notes : 0,
		     pe_json_put(json, NULL, output->notes[i].text));
	pe_json_end(json);
}

void pe_check_suites_json(struct pe_json *json, const struct pe_checked_suites *suites)
{
	pe_json_each(json, "suites", i, suites->n, json_suite(json, &suites->at[i]));
}
