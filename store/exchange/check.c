/* Plausibility of received results: a git server checks nothing of what is pushed to it. */
#include "store/exchange/results.h"

#include <math.h>
#include <string.h>

/* Clocks differ, and commits are dated by other machines than measure them. */
enum { DAY_S = 24 * 60 * 60 };

#define VALUE_LEAST 1e-12
#define VALUE_MOST  1e18

struct checking {
	const struct pe_results *results;
	const int64_t *times_s;
	int64_t now_s;
	struct pe_err *err;
};

static bool is_here(const struct checking *checking, size_t revision)
{
	return checking->times_s[revision] != INT64_MIN;
}

/* Neither later than tomorrow, nor earlier than the day before the commit. A commit dated in the future is no lower bound. */
static bool is_possible(const struct checking *checking, size_t revision, int64_t time_s)
{
	int64_t least = checking->times_s[revision];

	if (least > checking->now_s)
		least = checking->now_s;
	return time_s <= checking->now_s + DAY_S && time_s >= least - DAY_S;
}

static int no_time(const struct checking *checking, const char *what, size_t revision)
{
	return pe_fail(checking->err, PE_EINVALID, "the time of a %s of %.10s cannot be", what,
		       checking->results->revisions[revision].id);
}

static bool is_size(double value)
{
	return value == 0 || (fabs(value) >= VALUE_LEAST && fabs(value) <= VALUE_MOST);
}

/* Times and counts are not negative, and a run takes a while. */
static bool is_value(const struct pe_metric *metric, double value)
{
	if (pe_metric_find(metric->name) != NULL &&
	    (value < 0 || (value == 0 && strcmp(metric->name, "wall") == 0)))
		return false;
	return is_size(value);
}

static int check_run(const struct checking *checking, const struct pe_results_run *run)
{
	const struct pe_results *results = checking->results;

	if (!is_here(checking, run->revision))
		return PE_OK;
	if (!is_possible(checking, run->revision, run->started_s))
		return no_time(checking, "run", run->revision);
	if (run->has_modules && run->since_s > run->started_s)
		return no_time(checking, "run's modules", run->revision);
	for (size_t i = 0; i < run->n_samples; i++) {
		const struct pe_results_sample *sample = &run->samples[i];

		if (!is_value(&results->metrics[sample->metric], sample->value))
			return pe_fail(checking->err, PE_EINVALID, "%s cannot be %g",
				       results->metrics[sample->metric].name, sample->value);
	}
	return PE_OK;
}

/* A confirmation is decided by these: none may be laxer than what perfevo itself asks for. */
static int check_confirmation(const struct checking *checking,
			      const struct pe_results_confirmation *row)
{
	const struct pe_confirm_opts *opts = &row->opts, defaults = PE_CONFIRM_DEFAULTS;

	if (!is_here(checking, row->after))
		return PE_OK;
	if (!is_possible(checking, row->after, row->begun_s))
		return no_time(checking, "confirmation", row->after);
	if (row->direction == 0 || !(opts->accept > 0 && opts->accept <= defaults.accept) ||
	    !(opts->give_up >= defaults.give_up && opts->give_up <= 1) ||
	    !(opts->min_effect >= 0 && opts->min_effect <= 1) ||
	    !(opts->margin >= 0 && opts->margin <= 0.1) || !is_size(opts->suspected) ||
	    !(opts->unit >= 0 && is_size(opts->unit)))
		return pe_fail(checking->err, PE_EINVALID,
			       "a confirmation of %.10s asks for less than perfevo does",
			       checking->results->revisions[row->after].id);
	return PE_OK;
}

static int check_metric(const struct checking *checking, const struct pe_metric *metric)
{
	if (metric->min_relative >= 0 && is_size(metric->min_relative) &&
	    metric->min_absolute >= 0 && is_size(metric->min_absolute))
		return PE_OK;
	return pe_fail(checking->err, PE_EINVALID, "the thresholds of %s cannot be", metric->name);
}

int pe_results_check(const struct pe_results *results, const int64_t *times_s, int64_t now_s,
		     struct pe_err *err)
{
	const struct checking checking = {results, times_s, now_s, err};
	int rc = PE_OK;

	if (results->has_batch && (results->created_s < 0 || results->created_s > now_s + DAY_S))
		return pe_fail(err, PE_EINVALID, "the time of its batch cannot be");
	for (size_t i = 0; rc == PE_OK && i < results->n_metrics; i++)
		rc = check_metric(&checking, &results->metrics[i]);
	for (size_t i = 0; rc == PE_OK && i < results->n_runs; i++)
		rc = check_run(&checking, &results->runs[i]);
	for (size_t i = 0; rc == PE_OK && i < results->n_builds; i++) {
		const struct pe_results_build *build = &results->builds[i];

		if (is_here(&checking, build->revision) &&
		    !is_possible(&checking, build->revision, build->build.started_s))
			rc = no_time(&checking, "build", build->revision);
	}
	for (size_t i = 0; rc == PE_OK && i < results->n_profiles; i++) {
		const struct pe_results_profile *profile = &results->profiles[i];

		if (is_here(&checking, profile->revision) &&
		    !is_possible(&checking, profile->revision, profile->taken_s))
			rc = no_time(&checking, "profile", profile->revision);
	}
	for (size_t i = 0; rc == PE_OK && i < results->n_confirmations; i++)
		rc = check_confirmation(&checking, &results->confirmations[i]);
	return rc;
}
