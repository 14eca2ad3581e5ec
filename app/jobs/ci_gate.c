/*
 * Gate: two revisions measured in turns (ab_test.h), reported in full, and explained by their comparison.
 */
#include "app/jobs/ci_gate.h"

#include "app/explain/compare.h"
#include "app/pages/compare_page.h"
#include "app/search/ab_test.h"
#include "app/history/jump_status.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/utf8.h"
#include "core/exec/machine.h"
#include "core/model/layout.h"
#include "report/min_effect.h"
#include "report/system_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct measuring {
	struct pe_gate *gate;
	struct pe_app *app;
	struct pe_session session;
	size_t base, tip; /* indices into its revisions */
	struct pe_ab_test_answer answer;
	const struct pe_gate_opts *opts;
	bool late;                          /* the budget is spent */
	struct pe_stored_failure *failures; /* of the machine; NULL: not read yet */
	size_t n_failures;
};

/* --- Measuring --- */

static int choose(struct measuring *measuring)
{
	const char *bench = measuring->opts->bench;
	struct pe_revision *at = pe_arena_new(measuring->app->arena, struct pe_revision, 2);
	const struct pe_revisions revisions = {at, 2, false, 0};

	at[0] = measuring->gate->base;
	at[1] = measuring->gate->tip;
	PE_TRY(pe_session_choose(&measuring->session, &revisions, bench));
	PE_TRY(pe_session_discover(&measuring->session, bench));
	measuring->base = pe_revision_find(measuring->session.revisions,
					   measuring->session.n_revisions, at[0].id);
	measuring->tip = pe_revision_find(measuring->session.revisions,
					  measuring->session.n_revisions, at[1].id);
	return PE_OK;
}

/* However long the builds took, there is time for something, unless the user said when the answer is due. */
static const uint64_t LEAST_COUNTING_NS = UINT64_C(60000000000);

static int ask(struct measuring *measuring)
{
	const struct pe_gate_opts *opts = measuring->opts;
	struct pe_session *session = &measuring->session;
	const struct pe_ab_test_question question = {
		.base = measuring->base,
		.tip = measuring->tip,
		.once = opts->once,
		.deadline_ns = opts->ends_ns != 0 ? opts->ends_ns : pe_clock_ns() + opts->budget_ns,
		.least_ns = opts->ends_ns == 0 ? LEAST_COUNTING_NS : 0,
		.first_ns = opts->first_ns,
	};
	const int rc = pe_ab_test_ask(&measuring->answer, session, &question);

	measuring->late = pe_clock_ns() >= question.deadline_ns;
	/* Stopped after the budget was spent, it answers with the results so far. */
	return rc == PE_ESTOPPED && measuring->late ? PE_OK : rc;
}

/* --- Results of the builds --- */

/* The failure of a benchmark at a revision, or with 0 that of its build; NULL: there is none. All are read with the first. */
static int find_failure(const struct pe_stored_failure **out, struct measuring *measuring,
			size_t revision, int64_t benchmark)
{
	struct pe_app *app = measuring->app;
	const int64_t key = measuring->session.revisions[revision].key;

	*out = NULL;
	if (measuring->failures == NULL)
		PE_TRY(pe_store_failures(&measuring->failures, &measuring->n_failures, app->store,
					 measuring->session.machine_key, app->arena, app->err));
	for (size_t i = 0; i < measuring->n_failures && *out == NULL; i++)
		if (measuring->failures[i].benchmark == benchmark &&
		    measuring->failures[i].revision == key)
			*out = &measuring->failures[i];
	return PE_OK;
}

/* Neither side's benchmarks were run: which one is to blame. */
static int report_builds(struct measuring *measuring)
{
	struct pe_app *app = measuring->app;
	const struct pe_stored_failure *tip, *base;

	PE_TRY(find_failure(&tip, measuring, measuring->tip, 0));
	PE_TRY(find_failure(&base, measuring, measuring->base, 0));
	if (tip != NULL)
		measuring->gate->build_log = tip->log != NULL ? tip->log : "no output\n";
	measuring->gate->base_unbuilt = base != NULL;
	if (base != NULL && tip == NULL)
		pe_app_note(app, "%.10s, where this began, does not build: nothing to compare with",
			    measuring->gate->base.id);
	return PE_OK;
}

/* No benchmark is there: a suite could not be listed in what does not build, or the names do not match. */
static int report_none(struct measuring *measuring)
{
	const struct pe_gate *gate = measuring->gate;

	PE_TRY(report_builds(measuring));
	return gate->build_log != NULL || gate->base_unbuilt
		       ? PE_OK
		       : pe_session_fail_without(&measuring->session, measuring->opts->bench);
}

/* --- Checks --- */

/*
 * The entry of a commit of the change in the file of accepted changes, where reviewers of the change see it. The
 * commits between base and tip are looked up one by one, because the entry names one of them.
 */
static const struct pe_accepted *accepted(const struct pe_accepted_list *list,
					  const struct pe_revisions *commits,
					  const struct pe_ab_test_check *check)
{
	for (size_t i = 0; i < commits->n; i++) {
		const struct pe_accepted *entry = pe_accepted_find(
			list, check->benchmark->name, check->metric->name, commits->at[i].id);

		if (entry != NULL)
			return entry;
	}
	return NULL;
}

/* The change of a check; of one that ended before its test had an estimate, that of the values. */
static double change_of(const struct pe_ab_test_check *from)
{
	return !isfinite(from->result.relative) && from->base_value > 0
		       ? from->tip_value / from->base_value - 1
		       : from->result.relative;
}

static struct pe_gate_check blank(const struct pe_ab_test_check *from)
{
	return (struct pe_gate_check){
		.benchmark = from->benchmark->name,
		.metric = from->metric,
		.old_value = from->base_value,
		.new_value = from->tip_value,
		.relative = change_of(from),
		.low = from->result.low,
		.high = from->result.high,
		.least = NAN,
		.pairs = from->result.pairs,
		.p = from->result.p,
	};
}

/* What is worse: known and wanted, by placement alone, or a regression. */
static void translate_worse(struct pe_gate_check *check, const struct measuring *measuring,
			    const struct pe_accepted *entry, const struct pe_ab_test_check *from)
{
	check->layout = from->layout && entry == NULL;
	check->why = entry != NULL ? entry->why : from->layout ? PE_LAYOUT_WHY : NULL;
	if (entry != NULL)
		check->answer = PE_GATE_ACCEPTED;
	else if (from->layout && !measuring->app->config->gate.layout_fails)
		check->answer = PE_GATE_LAYOUT;
	else
		check->answer = PE_GATE_REGRESSED;
}

/* Why pairs did not decide; NULL: there are too few for an estimate. */
static const char *why_open(const struct pe_ab_test_check *from, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (!isfinite(from->result.least))
		return NULL;
	pe_text_add(&text, "not measured well enough to tell");
	pe_min_effect_add_bound(&text, from->result.least, 1, 1);
	return pe_arena_strdup(arena, pe_text_str(&text));
}

/* Mark counts whose code this processor would not execute. */
static void add_generic(struct pe_gate_check *check, const struct pe_ab_test_check *from,
			struct pe_arena *arena)
{
	check->generic = true;
	check->why = pe_arena_printf(arena, "%s%s" PE_COUNTS_GENERIC,
				     check->why != NULL ? check->why : "",
				     check->why != NULL ? "; " : "", from->generic);
}

/* What a state of the test is to the gate, and why: where the test counts alone, other words may be right. */
static const struct {
	enum pe_gate_answer answer;
	const char *why, *counts_why;
} answers[] = {
	[PE_AB_TEST_SAME] = {PE_GATE_SKIPPED, "all that it executes is the same", NULL},
	[PE_AB_TEST_UNKNOWN] = {PE_GATE_SKIPPED, "it does not run at the base",
				"no run of the base could be counted"},
	[PE_AB_TEST_GONE] = {PE_GATE_SKIPPED, "it is not there any more", NULL},
	[PE_AB_TEST_FAILS] = {PE_GATE_FAILED, "it runs at the base and not here",
			      "it is counted at the base and not here"},
	[PE_AB_TEST_WORSE] = {PE_GATE_REGRESSED, NULL, NULL},
	[PE_AB_TEST_OPEN] = {PE_GATE_INCONCLUSIVE, NULL, NULL},
	[PE_AB_TEST_LATE] = {PE_GATE_INCONCLUSIVE,
			     "the time budget was spent before it was counted", NULL},
	[PE_AB_TEST_BETTER] = {PE_GATE_IMPROVED, NULL, NULL},
	[PE_AB_TEST_NOT_WORSE] = {PE_GATE_PASSED, NULL, NULL},
};

static struct pe_gate_check translate(const struct measuring *measuring,
				      const struct pe_accepted_list *list,
				      const struct pe_revisions *commits,
				      const struct pe_ab_test_check *from)
{
	const bool counts = measuring->gate->counts_only && answers[from->state].counts_why != NULL;
	struct pe_gate_check check = blank(from);

	check.answer = answers[from->state].answer;
	check.why = counts ? answers[from->state].counts_why : answers[from->state].why;
	check.same = from->state == PE_AB_TEST_SAME;
	if (from->state == PE_AB_TEST_OPEN || from->state == PE_AB_TEST_NOT_WORSE)
		check.least = from->result.least;
	if (from->state == PE_AB_TEST_WORSE)
		translate_worse(&check, measuring, accepted(list, commits, from), from);
	else if (from->state == PE_AB_TEST_OPEN)
		check.why = from->contradicted ? "processor time or instructions say the reverse: "
						 "the machine's load changed"
					       : why_open(from, measuring->app->arena);
	if (from->generic != NULL)
		add_generic(&check, from, measuring->app->arena);
	return check;
}

/* Add the log of a benchmark that fails: at the tip, or at the base already. */
static int add_log(struct pe_gate_check *check, struct measuring *measuring, int64_t benchmark)
{
	enum { LINES = 8 }; /* what was printed, and how it ended */
	const struct pe_stored_failure *failure;

	if (check->answer != PE_GATE_FAILED && check->answer != PE_GATE_SKIPPED)
		return PE_OK;
	PE_TRY(find_failure(&failure, measuring,
			    check->answer == PE_GATE_FAILED ? measuring->tip : measuring->base,
			    benchmark));
	if (failure != NULL && failure->log != NULL)
		check->log = pe_utf8_last_lines(failure->log, LINES);
	return PE_OK;
}

/* Print a note of what was not done within the budget. */
static void note_late(const struct measuring *measuring)
{
	const size_t n_answers = measuring->answer.n_checks;
	struct pe_gate *gate = measuring->gate;

	gate->out_of_budget = measuring->late && (n_answers == 0 || gate->n_checks < n_answers ||
						  pe_gate_count(gate, PE_GATE_INCONCLUSIVE) > 0);
	if (measuring->late && n_answers == 0)
		pe_app_note(
			measuring->app,
			"the time was over (--budget) before %.8s and %.8s were built and a benchmark was counted",
			gate->base.id, gate->tip.id);
	else if (gate->n_checks < n_answers &&
		 (measuring->opts->first_ns == 0 ||
		  pe_gate_count(gate, PE_GATE_INCONCLUSIVE) < gate->n_checks))
		pe_app_note(
			measuring->app,
			"%zu of %zu benchmarks not counted: the time was over (--budget; a shorter command ends within it)",
			n_answers - gate->n_checks, measuring->session.benchmarks.n);
}

static int report_checks(struct measuring *measuring)
{
	struct pe_app *app = measuring->app;
	const struct pe_ab_test_answer *answer = &measuring->answer;
	struct pe_gate *gate = measuring->gate;
	const struct pe_range range = {
		.spec = pe_arena_printf(app->arena, "%s..%s", gate->base.id, gate->tip.id),
		.all_parents = true};
	struct pe_accepted_list list;
	struct pe_revisions commits;

	PE_TRY(pe_jump_status_load_accepted(&list, app));
	PE_TRY(pe_repo_walk(&commits, app->repo, &range, app->arena, app->err));
	gate->checks = pe_arena_new(app->arena, struct pe_gate_check, answer->n_checks);
	for (size_t i = 0; i < answer->n_checks; i++) {
		const struct pe_ab_test_check *from = &answer->checks[i];
		struct pe_gate_check *check = &gate->checks[gate->n_checks];

		if (measuring->opts->once && from->state == PE_AB_TEST_LATE)
			continue;
		*check = translate(measuring, &list, &commits, from);
		PE_TRY(add_log(check, measuring, from->benchmark->key));
		gate->n_checks++;
	}
	pe_gate_apply_limits(gate, app->arena);
	note_late(measuring);
	return PE_OK;
}

/* The config's path, from the top of the user's tree if it is there. */
static const char *config_place(struct pe_app *app)
{
	const char *workdir = pe_repo_workdir(app->repo), *path = app->config->path;
	size_t n = workdir != NULL ? strlen(workdir) : 0;

	if (n > 0 && strncmp(path, workdir, n) == 0) {
		path += n;
		return path[0] == '/' ? path + 1 : path;
	}
	return path[0] == '/' ? NULL : path;
}

/* --- Config --- */

/* Which of the files that decide about a change it edits itself: "perfevo.yml and perfevo-accepted.yml". */
static int edited_names(struct pe_text *out, const struct pe_gate *gate, struct pe_app *app)
{
	const char *names[3] = {NULL, NULL, PE_ACCEPTED_FILE}, *edited[3];
	char old[3][PE_OID_HEX], new[3][PE_OID_HEX];
	size_t n = 0;

	PE_TRY(pe_app_config_name(&names[0], app, gate->base.id));
	PE_TRY(pe_app_config_name(&names[1], app, gate->tip.id));
	for (size_t i = 0; i < 3; i++) {
		const struct pe_strings one = {&names[i], 1};

		if (names[i] == NULL ||
		    (i == 1 && names[0] != NULL && strcmp(names[0], names[1]) == 0))
			continue;
		PE_TRY(pe_repo_path_ids(&old[i], app->repo, gate->base.id, &one, app->err));
		PE_TRY(pe_repo_path_ids(&new[i], app->repo, gate->tip.id, &one, app->err));
		if (strcmp(old[i], new[i]) != 0)
			edited[n++] = names[i];
	}
	for (size_t i = 0; i < n; i++)
		pe_text_addf(out, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", edited[i]);
	return PE_OK;
}

int pe_gate_open_config(struct pe_gate *gate, struct pe_app *app, const char *from)
{
	bool base = from != NULL && strcmp(from, "base") == 0;
	pe_auto_text edited = PE_TEXT_INIT;

	/* The target's as it is now: a change could leave it at an older commit with a laxer one. */
	app->config_revision = base ? gate->target.id : from;
	PE_TRY(pe_app_open_config(app));
	PE_TRY(edited_names(&edited, gate, app));
	if (edited.len > 0)
		gate->config_note = pe_arena_printf(
			app->arena, "the change edits %s; %s used here", pe_text_str(&edited),
			base           ? "the base's content was"
			: from != NULL ? "another revision's content was"
				       : "the content that is checked out was");
	return PE_OK;
}

static int measure(struct measuring *measuring)
{
	PE_TRY(choose(measuring));
	return measuring->session.benchmarks.n > 0 ? ask(measuring) : report_none(measuring);
}

static int report(struct measuring *measuring)
{
	const bool unbuilt = measuring->answer.base_unbuilt || measuring->answer.tip_unbuilt;

	PE_TRY(unbuilt ? report_builds(measuring) : report_checks(measuring));
	return pe_session_note_gone(&measuring->session, measuring->base, measuring->tip);
}

int pe_gate_measure(struct pe_gate *gate, struct pe_app *app, const struct pe_gate_opts *opts)
{
	struct measuring measuring = {.gate = gate, .app = app, .opts = opts};
	int rc;

	gate->limits = app->config->gate;
	/* A pipeline builds what others propose, whoever commits there. */
	if (pe_app_is_pipeline() ||
	    !pe_repo_are_own_commits(app->repo, gate->base.id, gate->tip.id))
		pe_session_require_sandbox(app, opts->once);
	gate->counts_only = app->counts_only;
	rc = pe_session_open(&measuring.session, app, true);
	/* Unconfined, the change could write into its base while that is built, and no list would show it. */
	measuring.session.apart = true;
	if (rc == PE_OK)
		rc = measure(&measuring);
	if (rc == PE_ESTOPPED && opts->ends_ns != 0 && pe_clock_ns() >= opts->ends_ns) {
		measuring.late = true;
		rc = PE_OK;
	}
	if (rc == PE_OK)
		rc = report(&measuring);
	gate->machine = pe_machine_describe(&measuring.session.machine, app->arena);
	gate->config = config_place(app);
	pe_session_close(&measuring.session);
	return rc;
}

/* --- Explaining --- */

/* The benchmarks that regressed most: profiles of each take seconds, and the worst are those that are listed. */
static struct pe_strings regressed(const struct pe_gate *gate, struct pe_arena *arena)
{
	const char **names = pe_arena_new(arena, const char *, PE_COMPARING_MOST);
	size_t n = 0;

	for (size_t i = 0; i < gate->n_checks && n < PE_COMPARING_MOST; i++)
		if (gate->checks[i].answer == PE_GATE_REGRESSED &&
		    !pe_has_string(names, n, gate->checks[i].benchmark))
			names[n++] = gate->checks[i].benchmark;
	return (struct pe_strings){names, n};
}

/* Causes that are found for a check, those to read first. Their texts are in the application's arena: they outlive the comparison. */
typedef PE_VEC(struct pe_gate_cause) cause_vec;

/* With the place where the method that a cause is put to is defined in the new revision. */
static void add_line(cause_vec *out, const struct pe_comparing *comparing,
		     const struct pe_compare_line *line)
{
	struct pe_arena *arena = comparing->app->arena;
	const struct pe_compare_pair *pair = &comparing->out.pairs[line->pair];
	const uint32_t frame = pair->reports[line->report].causes[line->cause].frame;
	const struct pe_frame *at =
		frame < comparing->frames.n ? &comparing->frames.at[frame] : NULL;
	struct pe_gate_cause cause = {.text = pe_arena_strdup(arena, line->text)};

	if (at != NULL && at->line > 0 && at->component[0] != '/' && at->component[0] != '\0') {
		cause.path = pe_arena_strdup(arena, at->component);
		cause.line = at->line;
	}
	pe_vec_push(out, cause);
}

/* Add the functions that execute more, or the system calls that are made more often, where these are what the check judges. */
static void add_counted(cause_vec *out, const struct pe_gate_check *check,
			const struct pe_function_changes *counted, enum pe_metric_id metric,
			struct pe_arena *arena)
{
	size_t n;

	if (counted == NULL || check->metric == NULL ||
	    strcmp(check->metric->name, pe_metrics[metric].name) != 0)
		return;
	n = metric == PE_SYSTEM_CALLS ? counted->n : pe_compare_count_functions(counted);
	for (size_t i = 0; i < n; i++) {
		pe_auto_text text = PE_TEXT_INIT;

		if (counted->at[i].amount <= 0)
			continue;
		if (metric == PE_SYSTEM_CALLS) {
			pe_text_add(&text, "system calls: ");
			pe_system_call_say(&text, &counted->at[i]);
		} else {
			pe_compare_say_function(&text, &counted->at[i]);
		}
		pe_vec_push(out, ((struct pe_gate_cause){
					 .text = pe_arena_strdup(arena, pe_text_str(&text))}));
	}
}

static bool is_of(const struct pe_compare_pair *pair, const struct pe_gate_check *check)
{
	return pair->name != NULL && strcmp(pair->name, check->benchmark) == 0;
}

/* Whether a line of the verdict is about a check's metric: memory has causes of its own. */
static bool is_about(const struct pe_compare_line *line, const struct pe_gate_check *check,
		     const struct pe_comparing *comparing)
{
	const struct pe_compare_pair *pair = &comparing->out.pairs[line->pair];
	const enum pe_cost cost = pair->reports[line->report].cost;
	enum pe_measures measures;

	if (!is_of(pair, check) || check->metric == NULL)
		return false;
	measures = pe_metric_measures(check->metric);
	return (cost == PE_COST_ALLOCATIONS || cost == PE_COST_BYTES) ==
	       (measures == PE_MEASURES_ALLOCATIONS || measures == PE_MEASURES_MEMORY);
}

/* Three causes are read, below what is said of the whole; more are in the report. */
static void give_causes(struct pe_gate_check *check, const struct pe_comparing *comparing)
{
	struct pe_arena *arena = comparing->app->arena;
	const struct pe_compare *out = &comparing->out;
	pe_auto_free cause_vec causes = {NULL, 0, 0};
	size_t most = 3;
	bool any = false;

	for (size_t l = 0; l < out->n_lines; l++)
		any = any || is_about(&out->lines[l], check, comparing);
	for (size_t p = 0; p < out->n_pairs; p++)
		if (out->pairs[p].whole != NULL && is_of(&out->pairs[p], check)) {
			const char *whole = pe_arena_strdup(arena, out->pairs[p].whole);

			pe_vec_push(&causes, ((struct pe_gate_cause){.text = whole}));
			most++;
		}
	for (size_t l = 0; l < out->n_lines; l++)
		if (any ? is_about(&out->lines[l], check, comparing)
			: is_of(&out->pairs[out->lines[l].pair], check))
			add_line(&causes, comparing, &out->lines[l]);
	/* Who did it comes first, then where it shows. */
	for (size_t p = 0; p < out->n_pairs; p++) {
		const struct pe_compare_pair *pair = &out->pairs[p];

		if (!is_of(pair, check))
			continue;
		add_counted(&causes, check, pair->functions, PE_SIMULATED_INSTRUCTIONS, arena);
		add_counted(&causes, check, pair->calls, PE_SYSTEM_CALLS, arena);
	}
	check->n_causes = causes.n < most ? causes.n : most;
	check->more_causes = causes.n - check->n_causes;
	check->causes = pe_vec_copy(arena, &causes);
}

int pe_gate_explain(struct pe_gate *gate, struct pe_app *app, const char *html)
{
	const struct pe_strings names = regressed(gate, app->arena);
	struct pe_comparing_opts opts = {
		.names = &names, .page = html != NULL, .kept = app->counts_only};
	pe_auto_comparing comparing = {.app = app, .opts = &opts};
	const char *page;

	if (names.n == 0)
		return PE_OK;
	PE_TRY(pe_comparing_revisions(&comparing, gate->base.id, gate->tip.id));
	pe_comparing_decide_trees(&comparing);
	for (size_t i = 0; i < gate->n_checks; i++)
		if (gate->checks[i].answer == PE_GATE_REGRESSED)
			give_causes(&gate->checks[i], &comparing);
	return html != NULL ? pe_comparing_write(&page, &comparing, html, "ci.html") : PE_OK;
}
