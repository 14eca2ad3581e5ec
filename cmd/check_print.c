/* What was seen, for people and programs. */
#include "cmd/check.h"

#include "core/base/utf8.h"
#include "core/exec/sandbox.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

/* Of several failures, the ends of the first logs are printed: what fails together mostly has one reason. */
enum { LOGS = 3, LOG_LINES = 12 };

/* Columns of a benchmark's name. */
enum { LEAST_NAME = 28, MOST_NAME = 60 };

static size_t failures_before(const struct pe_check *check, size_t end)
{
	size_t n = 0;

	for (size_t i = 0; i < end; i++)
		n += check->tried[i].run.outcome != PE_MEASURED;
	return n;
}

/* As wide as the longest name, within bounds: one that is longer is printed whole all the same. */
static size_t name_columns(const struct pe_check *check)
{
	size_t columns = LEAST_NAME;

	for (size_t i = 0; i < check->n_tried; i++) {
		size_t own = pe_text_columns(check->tried[i].benchmark->name);

		if (own > columns && own <= MOST_NAME)
			columns = own;
	}
	return columns;
}

static void print_name(struct pe_text *out, const struct pe_check *check,
		       const struct pe_tried *tried)
{
	size_t columns = name_columns(check), own = pe_text_columns(tried->benchmark->name);

	pe_text_addf(out, "  %s%*s ", tried->benchmark->name,
		     own < columns ? (int)(columns - own) : 0, "");
}

static void print_failed(struct pe_text *out, const struct pe_check *check,
			 const struct pe_tried *tried)
{
	const char *from;

	print_name(out, check, tried);
	pe_text_addf(out, "%s\n", pe_outcome_say(tried->run.outcome));
	if (tried->run.outcome == PE_TIMED_OUT)
		pe_text_add(
			out,
			"    give it less to do, or in the config more time, as 'timeout: 5m'\n");
	if (tried->run.log == NULL ||
	    failures_before(check, (size_t)(tried - check->tried)) >= LOGS)
		return;
	from = failures_before(check, check->n_tried) == 1
		       ? tried->run.log
		       : pe_utf8_last_lines(tried->run.log, LOG_LINES);
	if (from > tried->run.log)
		pe_text_add(out, "    ...\n");
	pe_utf8_add_log(out, from);
}

/* "    rate: 1,234 op/s, noise 0.4 %, detects changes from about 0.8 %", a line a metric of the benchmark's own. */
static void print_customs(struct pe_text *out, const struct pe_tried *tried)
{
	for (size_t i = 0; i < tried->benchmark->n_customs; i++) {
		const struct pe_summary *values = &tried->customs[i].values;
		const struct pe_metric *metric = tried->customs[i].metric;

		pe_check_add_text(out, "    ", metric->label != NULL ? metric->label : metric->name,
				  ": ");
		if (values->n == 0) {
			pe_text_add(out, "no value was read\n");
			continue;
		}
		pe_format_value(out, values->median, metric->unit);
		if (isfinite(pe_check_noise(values))) {
			pe_text_add(out, ", ");
			pe_check_add_noise(
				out, pe_check_noise(values),
				pe_check_visible_step(values, tried->benchmark->repeats));
		}
		pe_text_addc(out, '\n');
	}
}

static void print_tried(struct pe_text *out, const struct pe_check *check,
			const struct pe_tried *tried)
{
	if (tried->run.outcome != PE_MEASURED) {
		print_failed(out, check, tried);
		return;
	}
	print_name(out, check, tried);
	pe_format_value(out, tried->wall.median, "ns");
	pe_text_add(out, ", ");
	pe_check_add_noise(out, pe_check_noise(&tried->wall),
			   pe_check_visible_step(&tried->wall, tried->benchmark->repeats));
	pe_text_addc(out, '\n');
	print_customs(out, tried);
}

/* What the machine gives, which may be less than the config asks for. */
static struct pe_sandbox sandbox_of(const struct pe_session *session)
{
	return session->confined ? session->sandbox : (struct pe_sandbox){.mode = PE_SANDBOX_OFF};
}

/* The commands that follow from the result, ready to copy. */
static void print_next(struct pe_text *out, const struct pe_check *check)
{
	if (check->build.outcome != PE_MEASURED && check->build.outcome != PE_TREE_REFUSED)
		pe_text_addf(
			out,
			"next      correct 'build:' in the config; 'perfevo shell %.10s' starts a shell in the tree in which it failed\n",
			check->revision->id);
	else if (pe_check_all_ran(check))
		pe_text_add(
			out,
			"next      'perfevo track --dry-run' prints what measuring the last 20 commits takes, 'perfevo track' measures them\n");
}

/* The number of benchmarks; those of a suite are only listed by the built program. */
static void print_number(struct pe_text *out, const struct pe_check *check)
{
	const struct pe_session *session = &check->session;
	bool unknown = check->build.outcome != PE_MEASURED && session->n_suites > 0;

	if (!unknown || session->benchmarks.n > 0)
		pe_format_plural(out, session->benchmarks.n, "benchmark");
	if (!unknown)
		return;
	if (session->benchmarks.n > 0)
		pe_text_add(out, " and ");
	pe_format_plural(out, session->n_suites, "suite");
	pe_text_add(out, ", whose benchmarks the build would tell");
}

void pe_check_print(struct pe_text *out, const struct pe_check *check)
{
	const struct pe_session *session = &check->session;
	const struct pe_sandbox sandbox = sandbox_of(session);
	const char *inside = session->executor.tree;

	pe_check_add_text(out, "config    ", session->app->config->path, ": ");
	print_number(out, check);
	pe_text_addc(out, '\n');
	pe_text_addf(out, "machine   %s, %u cores, %s\n", session->machine.cpu,
		     session->machine.cores, session->machine.kernel);
	pe_text_addf(out, "sandbox   %s\n", pe_sandbox_describe(&sandbox, session->arena));
	pe_text_addf(out, "build     %s",
		     check->build.outcome == PE_MEASURED ? "built"
							 : pe_outcome_say(check->build.outcome));
	if (check->build.duration_ns > 0) {
		pe_text_add(out, " in ");
		pe_format_duration(out, check->build.duration_ns);
	}
	pe_text_addf(out, ": %.10s %s\n", check->revision->id, check->revision->subject);
	if (check->build.outcome != PE_MEASURED)
		pe_utf8_add_log(out, check->build.log);
	for (size_t i = 0; i < check->n_tried; i++)
		print_tried(out, check, &check->tried[i]);
	if (failures_before(check, check->n_tried) > 1)
		pe_text_addf(
			out,
			"  %zu of %zu fail; 'perfevo check -b NAME' prints the whole log of one\n",
			failures_before(check, check->n_tried), check->n_tried);
	if (failures_before(check, check->n_tried) > 0)
		pe_text_addf(out, "tree      %s (%s%s)\n", check->tree,
			     inside != NULL ? "commands see it as "
					    : "what fails can be tried there",
			     inside != NULL ? inside : "");
	pe_check_suites_print(out, &check->suites);
	for (size_t i = 0; i < session->left_out.n; i++)
		pe_text_addf(out, "left out  %s%s%s\n", session->left_out.data[i].name,
			     session->left_out.data[i].name[0] != '\0' ? ": " : "",
			     session->left_out.data[i].reason);
	for (size_t i = 0; i < check->advice.n; i++)
		pe_text_addf(out, "advice    %s\n", check->advice.data[i]);
	print_next(out, check);
}

static void print_json_custom(struct pe_json *json, const struct pe_tried_metric *custom,
			      unsigned repeats)
{
	const struct pe_summary *values = &custom->values;

	pe_json_begin_object(json, NULL);
	pe_json_members(json, custom->metric, name, unit);
	pe_json_put(json, "runs", values->n);
	if (values->n > 0)
		pe_json_put(json, "median", values->median);
	if (values->n > 0 && isfinite(pe_check_noise(values)))
		pe_check_noise_json(json, values, repeats);
	pe_json_end(json);
}

static void print_json_tried(struct pe_json *json, const struct pe_tried *tried)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", tried->benchmark->name);
	pe_json_put(json, "outcome", pe_outcome_name(tried->run.outcome));
	if (tried->run.outcome == PE_MEASURED) {
		pe_json_put(json, "runs", tried->wall.n);
		pe_json_put(json, "median_ns", round(tried->wall.median));
		pe_check_noise_json(json, &tried->wall, tried->benchmark->repeats);
		pe_json_put(json, "suite",
			    tried->format != PE_SUITE_AUTO
				    ? pe_suite_format_name((enum pe_suite_format)tried->format)
				    : NULL);
		pe_json_each(
			json, "metrics", i, tried->benchmark->n_customs,
			print_json_custom(json, &tried->customs[i], tried->benchmark->repeats));
	} else if (tried->run.log != NULL) {
		pe_json_put(json, "log", tried->run.log);
	}
	pe_json_end(json);
}

void pe_check_print_json(struct pe_text *out, const struct pe_check *check)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "revision", check->revision->id);
	pe_json_put(&json, "sandbox", pe_sandbox_mode_name(sandbox_of(&check->session).mode));
	pe_json_put(&json, "build", pe_outcome_name(check->build.outcome));
	if (check->build.outcome != PE_MEASURED)
		pe_json_put(&json, "log", check->build.log);
	pe_json_each(&json, "benchmarks", i, check->n_tried,
		     print_json_tried(&json, &check->tried[i]));
	pe_check_suites_json(&json, &check->suites);
	pe_json_each(&json, "left_out", i, check->session.left_out.n,
		     pe_json_struct(&json, NULL, &check->session.left_out.data[i], name, reason));
	pe_json_texts(&json, "advice", check->advice.data, check->advice.n);
	pe_json_finish(&json);
}
