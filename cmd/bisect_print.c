/* What came of a bisection, for people and for programs. */
#include "cmd/bisecting.h"

#include "report/format.h"
#include "core/json/writer.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

enum { SHORT_ID = 10, RUNNERS_UP = 5 };

static bool is_found(const struct pe_bisecting *b)
{
	return b->end == PE_BISECTING_ANSWERED && b->result.answer == PE_BISECT_FOUND;
}

static void add_percent(struct pe_text *out, double share)
{
	/* Rounded down: 99.97 % is not certainty. */
	pe_text_addf(out, "%.1f%%", floor(1000 * share + 1e-9) / 10);
}

/* "+8.1% (95% interval +6.9% to +9.3%)"; the interval is left out where nothing was estimated. */
static void add_change(struct pe_text *out, const struct pe_bisect_result *result)
{
	if (isnan(result->relative)) {
		pe_text_add(out, "changed");
		return;
	}
	pe_format_change(out, result->relative);
	if (!(result->noise > 0))
		return;
	pe_text_add(out, " (95% interval ");
	pe_format_change(out, result->low);
	pe_text_add(out, " to ");
	pe_format_change(out, result->high);
	pe_text_add(out, ")");
}

static void print_headline(struct pe_text *out, const struct pe_bisecting *b,
			   const struct pe_term *term)
{
	pe_term_add(out, term, b->bench, SIZE_MAX);
	pe_text_addf(out, ", %s: ", b->metric->label);
	if (b->result.answer == PE_BISECT_SAME) {
		pe_text_add(out, "no difference");
	} else {
		add_change(out, &b->result);
		if (!isnan(b->result.old_level)) {
			pe_text_add(out, ", ");
			pe_format_value(out, b->result.old_level, b->metric->unit);
			pe_text_add(out, " to ");
			pe_format_value(out, b->result.new_level, b->metric->unit);
		}
	}
	pe_text_addf(out, " between %.*s and %.*s", SHORT_ID, b->line[0].id, SHORT_ID,
		     b->line[b->n - 1].id);
	/* A jump that track has confirmed has its size from its own fresh pairs. */
	if (b->result.answer != PE_BISECT_SAME && b->result.noise > 0)
		pe_text_add(out, ", by the runs of this bisection");
	pe_text_addc(out, '\n');
}

static void print_commit(struct pe_text *out, const struct pe_revision *revision,
			 const struct pe_term *term, const char *end)
{
	pe_text_addf(out, "%.*s  ", SHORT_ID, revision->id);
	pe_format_date(out, revision->time_s);
	pe_text_add(out, "  ");
	pe_term_add(out, term, revision->author, SIZE_MAX);
	pe_text_add(out, "  ");
	pe_term_add(out, term, revision->subject, SIZE_MAX);
	pe_text_add(out, end);
}

static const char *direction(const struct pe_bisecting *b)
{
	return pe_bisecting_is_regression(b) ? "regression" : "improvement";
}

/* One commit, or those that nothing measurable lies between. */
static void print_culprit(struct pe_text *out, const struct pe_bisecting *b,
			  const struct pe_term *term)
{
	const struct pe_bisect_group *group = &b->result.group;
	pe_auto_text line = PE_TEXT_INIT;

	if (group->first == group->last) {
		print_commit(&line, &b->line[group->first], term, "");
		pe_term_paint(out, term, pe_bisecting_is_regression(b) ? PE_BAD : PE_GOOD,
			      pe_text_str(&line));
		pe_text_addf(out, "\n  is where the %s began: ", direction(b));
	} else {
		for (size_t i = group->first; i <= group->last; i++)
			print_commit(out, &b->line[i], term, "\n");
		pe_text_addf(
			out,
			"  the %s began at one of these %zu; those before the last cannot be measured: ",
			direction(b), group->last - group->first + 1);
	}
	if (b->result.noise > 0)
		add_percent(out, group->probability);
	else
		pe_text_add(out, "certain (the metric is deterministic)");
	pe_text_add(out, b->result.noise > 0 ? " sure\n" : "\n");
}

static void print_others(struct pe_text *out, const struct pe_bisecting *b,
			 const struct pe_term *term, size_t from)
{
	size_t n = 0;

	for (size_t g = from; g < b->n_groups && n < RUNNERS_UP; g++, n++) {
		const struct pe_bisect_group *group = &b->groups[g];

		if (n == 0)
			pe_text_add(out, from > 0 ? "runners-up:\n" : "most likely so far:\n");
		pe_text_addf(out, "  %5.1f%%  ", 100 * group->probability);
		print_commit(out, &b->line[group->first], term, "\n");
		if (group->last > group->first)
			pe_text_addf(out, "          or one of the next %zu\n",
				     group->last - group->first);
	}
}

static void print_unanswered(struct pe_text *out, const struct pe_bisecting *b,
			     const struct pe_term *term)
{
	struct pe_confirm_result ends = pe_confirm_result(&b->result.ends);

	if (b->end == PE_BISECTING_BUDGET) {
		pe_text_add(out, "  time budget exhausted; run the same command to resume\n");
	} else if (b->result.answer == PE_BISECT_STUCK) {
		pe_text_add(
			out,
			"  an end cannot be measured: choose another commit that builds and runs\n");
		return;
	} else if (b->result.answer == PE_BISECT_SPENT) {
		pe_text_addf(out, "  %zu %s made; run the same command to resume\n", b->result.runs,
			     b->result.runs == 1 ? "run is" : "runs are");
	} else if (ends.pairs > 0) {
		pe_text_addf(out, "  %zu pairs of fresh runs of both ends differ by ", ends.pairs);
		pe_format_change(out, ends.relative);
		pe_text_add(out, " (");
		pe_format_change(out, ends.low);
		pe_text_add(out, " to ");
		pe_format_change(out, ends.high);
		pe_text_addf(out, "); a change of %.1f %% would have been detected\n",
			     100 * ends.least);
		return;
	} else {
		pe_text_add(out, b->metric->kind == PE_METRIC_DETERMINISTIC
					 ? "  both ends give the same value\n"
					 : "  both ends execute the same machine code\n");
		return;
	}
	if (b->result.none > 0.05)
		pe_text_addf(out, "  %.0f%% that both ends are alike\n", 100 * b->result.none);
	print_others(out, b, term, 0);
}

/* What was asked first, and why. */
static void print_prior(struct pe_text *out, const struct pe_bisecting *b,
			const struct pe_term *term)
{
	const struct pe_bisecting_count *count = &b->count;

	if (count->group.first > 0) {
		bool held = pe_bisecting_count_held(b);

		pe_text_addf(out, "  %s: ", count->metric->label);
		pe_format_value(out, count->old_value, count->metric->unit);
		pe_text_add(out, " to ");
		pe_format_value(out, count->new_value, count->metric->unit);
		if (held) {
			pe_text_add(out, " at the same commit");
		} else {
			pe_text_addf(out, " at another commit, %.*s ", SHORT_ID,
				     b->line[count->group.first].id);
			pe_term_add(out, term, b->line[count->group.first].subject, SIZE_MAX);
		}
		if (count->runs > 0)
			pe_text_addf(out, ", by %zu counting run%s", count->runs,
				     count->runs == 1 ? "" : "s");
		pe_text_add(out, "; that commit was tried first\n");
	} else if (b->prior.methods) {
		pe_text_addf(out, "  tried first: commits that changed methods%s\n",
			     b->prior.executed ? " that the benchmark executes" : "");
	}
}

static void add_count(struct pe_text *out, const char *before, size_t n, const char *one,
		      const char *many)
{
	pe_text_addf(out, "%s%zu %s", before, n, n == 1 ? one : many);
}

static void print_cost(struct pe_text *out, const struct pe_bisecting *b)
{
	add_count(out, "", b->result.runs, "run", "runs");
	add_count(out, ", ", b->builds, "build", "builds");
	pe_text_add(out, ", ");
	pe_format_duration(out, b->spent_ns);
	if (b->stored > 0)
		add_count(out, "; ", b->stored, "stored reading was used",
			  "stored readings were used");
	if (b->unbuildable > 0)
		add_count(out, "; ", b->unbuildable, "commit does not build",
			  "commits do not build");
	if (b->failing > 0)
		pe_text_addf(out, "; the benchmark fails at %zu", b->failing);
	if (b->reused > 0)
		pe_text_addf(out, "; %zu skipped: identical builds", b->reused);
	pe_text_add(out, "\n");
}

void pe_bisecting_term(struct pe_text *out, const struct pe_bisecting *b,
		       const struct pe_term *term)
{
	print_headline(out, b, term);
	if (is_found(b)) {
		print_culprit(out, b, term);
		print_others(out, b, term, 1);
	} else {
		print_unanswered(out, b, term);
	}
	print_prior(out, b, term);
	if (b->inexact)
		pe_text_add(
			out,
			"  not exact: runs of one build differ, so it was bisected as a noisy metric\n");
	print_cost(out, b);
}

/* --- JSON --- */

static void put_commit(struct pe_json *json, const struct pe_revision *commit)
{
	pe_json_begin_object(json, NULL);
	pe_json_members(json, commit, id, author);
	pe_json_time(json, "time", commit->time_s);
	pe_json_put(json, "subject", commit->subject);
	pe_json_end(json);
}

static void put_commits(struct pe_json *json, const struct pe_bisecting *b,
			const struct pe_bisect_group *group)
{
	pe_json_each(json, "commits", i, group->last - group->first + 1,
		     put_commit(json, &b->line[group->first + i]));
}

static const char *answer_name(const struct pe_bisecting *b)
{
	return b->end == PE_BISECTING_BUDGET ? "time spent"
					     : pe_bisect_answer_name(b->result.answer);
}

static void put_change(struct pe_json *json, const struct pe_bisecting *b)
{
	struct pe_confirm_result ends = pe_confirm_result(&b->result.ends);

	pe_json_computed_members(json, &b->result, old_level, new_level, relative, low, high);
	pe_json_bool(json, "regression", pe_bisecting_is_regression(b));
	pe_json_computed(json, "no_difference", b->result.none);
	pe_json_computed(json, "min_detectable_effect", ends.least);
	pe_json_bool(json, "inexact", b->inexact);
}

/* "prior": {"methods", "executed"}; "count": where a count moved, and whether the metric did there; or null. */
static void put_prior(struct pe_json *json, const struct pe_bisecting *b)
{
	const struct pe_bisecting_count *count = &b->count;

	pe_json_begin_object(json, "prior");
	pe_json_members(json, &b->prior, methods, executed);
	pe_json_end(json);
	if (pe_json_begin_maybe(json, "count", count->group.first > 0)) {
		pe_json_put(json, "metric", count->metric->name);
		pe_json_computed_members(json, count, old_value, new_value);
		put_commits(json, b, &count->group);
		pe_json_bool(json, "held", pe_bisecting_count_held(b));
		pe_json_end(json);
	}
	pe_json_put(json, "counting_runs", count->runs);
}

static void put_candidate(struct pe_json *json, const struct pe_bisecting *b, size_t g)
{
	pe_json_begin_object(json, NULL);
	pe_json_computed(json, "probability", b->groups[g].probability);
	put_commits(json, b, &b->groups[g]);
	pe_json_end(json);
}

void pe_bisecting_json(struct pe_text *out, const struct pe_bisecting *b, const char *comparison)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "benchmark", b->bench);
	pe_json_put(&json, "metric", b->metric->name);
	pe_json_put(&json, "good", b->line[0].id);
	pe_json_put(&json, "bad", b->line[b->n - 1].id);
	pe_json_put(&json, "answer", answer_name(b));
	put_change(&json, b);
	pe_json_each(&json, "candidates", g,
		     b->n_groups <= RUNNERS_UP ? b->n_groups : RUNNERS_UP + 1,
		     put_candidate(&json, b, g));
	put_prior(&json, b);
	pe_json_put(&json, "runs", b->result.runs);
	pe_json_put(&json, "stored_readings", b->stored);
	pe_json_members(&json, b, builds, unbuildable, failing);
	pe_json_computed(&json, "seconds", (double)b->spent_ns / 1e9);
	if (comparison != NULL)
		pe_json_raw(&json, "comparison", comparison);
	pe_json_finish(&json);
}
