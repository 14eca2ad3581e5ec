/* The result of a bisection, as text and as JSON. */
#include "cmd/bisecting.h"

#include "report/format.h"
#include "core/json/writer.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

enum { SHORT_ID = 10, RUNNERS_UP = 5 };

/* "+8.1%"; of what began at 0, the value that it came to. */
static void add_size(struct pe_text *out, const struct pe_bisecting *b,
		     const struct pe_bisect_result *result)
{
	/* A change that rounds to 0 %, or of what was 0, is a value. */
	if (isnan(result->relative) || fabs(result->relative) < 5e-5)
		pe_format_value(out, result->new_level - result->old_level, b->metric->unit);
	else
		pe_format_change(out, result->relative);
}

/* "+8.1 % (95 % interval +6.9 % to +9.3 %)"; the interval is left out where nothing was estimated. */
static void add_change(struct pe_text *out, const struct pe_bisect_result *result)
{
	if (isnan(result->relative)) {
		pe_text_add(out, "changed");
		return;
	}
	pe_format_change(out, result->relative);
	if (!(result->noise > 0))
		return;
	pe_text_add(out, " (95 % interval ");
	pe_format_change(out, result->low);
	pe_text_add(out, " to ");
	pe_format_change(out, result->high);
	pe_text_add(out, ")");
}

static void add_levels(struct pe_text *out, const struct pe_bisecting *b,
		       const struct pe_bisect_result *result)
{
	if (isnan(result->old_level))
		return;
	pe_text_add(out, ", ");
	pe_format_value(out, result->old_level, b->metric->unit);
	pe_text_add(out, " to ");
	pe_format_value(out, result->new_level, b->metric->unit);
}

static void print_headline(struct pe_text *out, const struct pe_bisecting *b,
			   const struct pe_term *term)
{
	const bool same = b->found.answer == PE_BISECT_SAME;
	const bool stuck = b->found.answer == PE_BISECT_STUCK;

	pe_term_add(out, term, b->bench, SIZE_MAX);
	pe_text_addf(out, ", %s: ", b->metric->label);
	if (same || stuck) {
		pe_text_add(out, same ? "no difference" : "not bisected");
	} else {
		add_change(out, &b->found.range);
		add_levels(out, b, &b->found.range);
	}
	pe_text_addf(out, " between %.*s and %.*s", SHORT_ID, b->line[0].id, SHORT_ID,
		     b->line[b->n - 1].id);
	/* A jump that track has confirmed has its size from its own fresh pairs. */
	if (!same && b->found.range.noise > 0)
		pe_text_add(out, ", by the runs of this bisection");
	pe_text_addc(out, '\n');
}

/* "2 steps: 02147f5a10 +11 %, 91abee5622 +6.6 %" */
static void print_steps(struct pe_text *out, const struct pe_bisecting *b)
{
	if (b->found.n < 2)
		return;
	pe_text_addf(out, "%zu steps:", b->found.n);
	for (size_t k = 0; k < b->found.n; k++) {
		const struct pe_bisect_result *step = &b->found.steps[k].result;

		pe_text_addf(out, "%s %.*s ", k > 0 ? "," : "", SHORT_ID,
			     b->line[step->group.last].id);
		add_size(out, b, step);
	}
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

/* One commit, or several without a measurable one between them. */
static void print_culprit(struct pe_text *out, const struct pe_bisecting *b,
			  const struct pe_bisect_result *step, const struct pe_term *term)
{
	const struct pe_bisect_group *group = &step->group;
	const bool worse = pe_bisecting_is_regression(b, step);
	const char *direction = worse ? "regression" : "improvement";
	pe_auto_text line = PE_TEXT_INIT;

	if (group->first == group->last) {
		print_commit(&line, &b->line[group->first], term, "");
		pe_term_paint(out, term, worse ? PE_BAD : PE_GOOD, pe_text_str(&line));
		pe_text_add(out, "\n");
	} else {
		for (size_t i = group->first; i <= group->last; i++)
			print_commit(out, &b->line[i], term, "\n");
	}
	if (pe_bisecting_is_whole(b)) {
		pe_text_addf(out, "  the %s", direction);
	} else {
		pe_text_addf(out, "  %s %s of ", worse ? "a" : "an", direction);
		add_change(out, step);
		add_levels(out, b, step);
	}
	if (group->first == group->last)
		pe_text_add(out, " began here: ");
	else
		pe_text_addf(
			out,
			" began at one of these %zu (those before the last cannot be measured): ",
			group->last - group->first + 1);
	/* Rounded down: 99.97 % is not certainty. */
	if (step->noise > 0)
		pe_text_addf(out, "%.1f %% sure\n", floor(1000 * group->probability + 1e-9) / 10);
	else
		pe_text_add(out, "certain (the metric is deterministic)\n");
}

static void print_others(struct pe_text *out, const struct pe_bisecting *b,
			 const struct pe_step *step, const struct pe_term *term, size_t from)
{
	size_t n = 0;

	for (size_t g = from; g < step->n_groups && n < RUNNERS_UP; g++, n++) {
		const struct pe_bisect_group *group = &step->groups[g];

		if (n == 0)
			pe_text_add(out, from > 0 ? "runners-up:\n" : "most likely so far:\n");
		pe_text_addf(out, "  %5.1f %%  ", 100 * group->probability);
		print_commit(out, &b->line[group->first], term, "\n");
		if (group->last > group->first)
			pe_text_addf(out, "          or one of the next %zu\n",
				     group->last - group->first);
	}
}

/* Report the size below which a further step would be hidden by the variation of runs. */
static void print_doubt(struct pe_text *out, const struct pe_bisecting *b,
			const struct pe_step *step)
{
	if (step->others > 1 - b->opts->confidence)
		pe_text_addf(
			out,
			"  %.0f %% that a step of %.2g %% or more lies beside it: the runs vary too much to tell\n",
			100 * step->others, 100 * b->found.least);
}

static void print_unanswered(struct pe_text *out, const struct pe_bisecting *b,
			     const struct pe_term *term)
{
	const struct pe_steps_result *found = &b->found;
	struct pe_confirm_result ends = pe_confirm_result(&found->range.ends);

	if (b->end == PE_BISECTING_BUDGET) {
		pe_text_add(out, "  time budget exhausted; run the same command to resume\n");
	} else if (found->answer == PE_BISECT_STUCK) {
		pe_text_add(
			out,
			"  an end cannot be measured: choose another commit that builds and runs\n");
		return;
	} else if (found->answer == PE_BISECT_SPENT) {
		pe_text_addf(out, "  %zu %s made; run the same command to resume\n",
			     found->range.runs, found->range.runs == 1 ? "run is" : "runs are");
	} else if (found->answer == PE_BISECT_SMALL) {
		pe_text_addf(
			out,
			"  the difference is in steps of less than %.2g %% each: --min-change finds smaller ones\n",
			100 * found->least);
		return;
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
	if (found->range.none > 0.05)
		pe_text_addf(out, "  %.0f %% that both ends are alike\n", 100 * found->range.none);
	if (found->at.n_groups > 0)
		print_others(out, b, &found->at, term, 0);
}

/* A merge brought other commits: the command that searches among them. */
static void print_merge(struct pe_text *out, const struct pe_bisecting *b,
			const struct pe_bisect_group *group, const struct pe_term *term)
{
	pe_auto_text command = PE_TEXT_INIT;
	size_t n;

	if (!b->opts->all_parents && group->first == group->last &&
	    pe_bisecting_look_inside(&command, &n, b, group->first)) {
		pe_text_addf(out, "  a merge of %zu commit%s; which of them: ", n,
			     n == 1 ? "" : "s");
		pe_term_add(out, term, pe_text_str(&command), SIZE_MAX);
		pe_text_addc(out, '\n');
	}
}

/* The differences that no step explains: "another +0.7 % lies between 02147f5a10 and 91abee5622" */
static void print_rests(struct pe_text *out, const struct pe_bisecting *b)
{
	const struct pe_steps_result *found = &b->found;

	for (size_t k = 0; found->n > 0 && k < found->n_rests; k++) {
		const struct pe_steps_rest *rest = &found->rests[k];

		pe_text_add(out, "  another ");
		add_size(out, b, &rest->result);
		pe_text_addf(out, " lies between %.*s and %.*s", SHORT_ID, b->line[rest->first].id,
			     SHORT_ID, b->line[rest->last].id);
		if (rest->searched)
			pe_text_addf(out, ", in steps of less than %.2g %% each\n",
				     100 * found->least);
		else
			pe_text_add(out, ", which was not searched to its end\n");
	}
}

/* Commits at which the count moved; where it moved at each step, the others. */
static void print_other_counts(struct pe_text *out, const struct pe_bisecting *b,
			       const struct pe_term *term, bool held)
{
	const struct pe_bisecting_count *count = &b->count;
	const char *before = held ? " and at " : " at ";

	for (size_t c = 0; c < count->n_groups; c++) {
		const struct pe_revision *at = &b->line[count->groups[c].first];
		const bool has_step = pe_bisecting_has_step(b, &count->groups[c]);

		if (held && has_step)
			continue;
		pe_text_addf(out, "%s%.*s", before, SHORT_ID, at->id);
		if (!has_step) {
			pe_text_addc(out, ' ');
			pe_term_add(out, term, at->subject, SIZE_MAX);
		}
		before = ", ";
	}
}

/* The commits that were tried first, and why. */
static void print_prior(struct pe_text *out, const struct pe_bisecting *b,
			const struct pe_term *term)
{
	const struct pe_bisecting_count *count = &b->count;

	if (count->n_groups > 0) {
		bool held = pe_bisecting_count_held(b);

		pe_text_addf(out, "  %s: ", count->metric->label);
		pe_format_value(out, count->old_value, count->metric->unit);
		pe_text_add(out, " to ");
		pe_format_value(out, count->new_value, count->metric->unit);
		if (held)
			pe_text_addf(out, " at the same commit%s", b->found.n > 1 ? "s" : "");
		print_other_counts(out, b, term, held);
		if (count->runs > 0)
			pe_text_addf(out, ", by %zu counting run%s", count->runs,
				     count->runs == 1 ? "" : "s");
		pe_text_addf(out, "; %s tried first\n",
			     count->n_groups == 1 ? "that commit was" : "these commits were");
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
	add_count(out, "", b->found.range.runs, "run", "runs");
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
		add_count(out, "; ", b->reused, "commit skipped (identical build)",
			  "commits skipped (identical builds)");
	pe_text_add(out, "\n");
}

void pe_bisecting_term(struct pe_text *out, const struct pe_bisecting *b,
		       const struct pe_term *term)
{
	print_headline(out, b, term);
	print_steps(out, b);
	for (size_t k = 0; k < b->found.n; k++) {
		print_culprit(out, b, &b->found.steps[k].result, term);
		print_merge(out, b, &b->found.steps[k].result.group, term);
		print_doubt(out, b, &b->found.steps[k]);
		print_others(out, b, &b->found.steps[k], term, 1);
	}
	if (!pe_bisecting_is_found(b))
		print_unanswered(out, b, term);
	print_rests(out, b);
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
					     : pe_bisect_answer_name(b->found.answer);
}

static void put_levels(struct pe_json *json, const struct pe_bisecting *b,
		       const struct pe_bisect_result *result)
{
	pe_json_computed_members(json, result, old_level, new_level, relative, low, high);
	pe_json_bool(json, "regression", pe_bisecting_is_regression(b, result));
}

static void put_change(struct pe_json *json, const struct pe_bisecting *b)
{
	const struct pe_bisect_result *range = &b->found.range;
	struct pe_confirm_result ends = pe_confirm_result(&range->ends);

	put_levels(json, b, range);
	pe_json_computed(json, "no_difference", range->none);
	pe_json_computed(json, "min_detectable_effect", ends.least);
	pe_json_bool(json, "inexact", b->inexact);
}

/* "prior": {"methods", "executed"}; "count": where a count moved, and whether the metric did there; or null. */
static void put_prior(struct pe_json *json, const struct pe_bisecting *b)
{
	const struct pe_bisecting_count *count = &b->count;

	pe_json_struct(json, "prior", &b->prior, methods, executed);
	if (pe_json_begin_maybe(json, "count", count->n_groups > 0)) {
		pe_json_put(json, "metric", count->metric->name);
		pe_json_computed_members(json, count, old_value, new_value);
		pe_json_begin_array(json, "commits");
		for (size_t k = 0; k < count->n_groups; k++)
			for (size_t i = count->groups[k].first; i <= count->groups[k].last; i++)
				put_commit(json, &b->line[i]);
		pe_json_end(json);
		pe_json_bool(json, "held", pe_bisecting_count_held(b));
		pe_json_end(json);
	}
	pe_json_put(json, "counting_runs", count->runs);
}

static void put_candidate(struct pe_json *json, const struct pe_bisecting *b,
			  const struct pe_bisect_group *group)
{
	pe_json_begin_object(json, NULL);
	pe_json_computed(json, "probability", group->probability);
	put_commits(json, b, group);
	pe_json_end(json);
}

static void put_candidates(struct pe_json *json, const struct pe_bisecting *b,
			   const struct pe_step *step)
{
	pe_json_each(json, "candidates", g,
		     step->n_groups <= RUNNERS_UP ? step->n_groups : RUNNERS_UP + 1,
		     put_candidate(json, b, &step->groups[g]));
}

/* A step: "probability", its commits and levels, "look_inside" of a merge: a command, or null. */
static void put_step(struct pe_json *json, const struct pe_bisecting *b, size_t k,
		     const char *comparison)
{
	const struct pe_step *step = &b->found.steps[k];
	const struct pe_bisect_group *group = &step->result.group;
	pe_auto_text inside = PE_TEXT_INIT;
	size_t n;

	pe_json_begin_object(json, NULL);
	pe_json_computed(json, "probability", group->probability);
	put_commits(json, b, group);
	put_levels(json, b, &step->result);
	pe_json_computed(json, "others", step->others);
	pe_json_put(json, "look_inside",
		    group->first == group->last &&
				    pe_bisecting_look_inside(&inside, &n, b, group->first)
			    ? pe_text_str(&inside)
			    : NULL);
	put_candidates(json, b, step);
	if (comparison != NULL)
		pe_json_raw(json, "comparison", comparison);
	pe_json_end(json);
}

/* "after" and "up_to" are the revisions around it. */
static void put_rest(struct pe_json *json, const struct pe_bisecting *b,
		     const struct pe_steps_rest *rest)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "after", b->line[rest->first].id);
	pe_json_put(json, "up_to", b->line[rest->last].id);
	put_levels(json, b, &rest->result);
	pe_json_bool(json, "searched", rest->searched);
	pe_json_end(json);
}

void pe_bisecting_json(struct pe_text *out, const struct pe_bisecting *b,
		       const char *const *comparisons)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "benchmark", b->bench);
	pe_json_put(&json, "metric", b->metric->name);
	pe_json_put(&json, "good", b->line[0].id);
	pe_json_put(&json, "bad", b->line[b->n - 1].id);
	pe_json_put(&json, "answer", answer_name(b));
	put_change(&json, b);
	pe_json_each(&json, "steps", k, b->found.n, put_step(&json, b, k, comparisons[k]));
	pe_json_each(&json, "rests", k, b->found.n_rests, put_rest(&json, b, &b->found.rests[k]));
	pe_json_bool(&json, "partial", b->found.partial);
	put_candidates(&json, b, &b->found.at);
	put_prior(&json, b);
	pe_json_put(&json, "runs", b->found.range.runs);
	pe_json_put(&json, "stored_readings", b->stored);
	pe_json_members(&json, b, builds, unbuildable, failing);
	pe_json_computed(&json, "seconds", (double)b->spent_ns / 1e9);
	pe_json_finish(&json);
}
