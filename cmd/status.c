/*
 * Status: one screen about the stored results and the work in progress. The values are those of `log`; running and waiting
 * commits are in the journal of the hooks. It writes nothing and waits for no lock.
 */
#include "cmd/commands.h"
#include "hooks/folder.h"

#include "app/history/values.h"
#include "app/jobs/hook.h"
#include "app/history/detect.h"
#include "core/base/clock.h"
#include "report/format.h"
#include "core/json/writer.h"
#include "report/commit_blocks.h"
#include "report/terminal.h"
#include "vcs/hooked.h"

#include <string.h>
#include <unistd.h>

/* Lines of a list that are printed; the others are counted. */
enum { MOST_ROWS = 5, LAST = 20, NAME_COLUMNS = 12 };

struct status {
	struct pe_cmd_ctx *ctx;
	struct pe_revisions revisions; /* the last ones of HEAD */
	struct pe_evolution evolution; /* n_lines 0: nothing is measured */
	size_t n_benchmarks, measured; /* cells with a value */
	size_t behind; /* commits after the newest measured one; SIZE_MAX: none is */
	size_t newest; /* its index in the evolution */
	pid_t job;     /* 0: none */
	const struct pe_journal_commit *running; /* what it measures; NULL: nothing yet */
	struct pe_activity activity;             /* how far it has come with it */
	struct pe_journal journal;
	struct pe_hook_found hooks[PE_N_HOOKS];
};

/* --- Finding out --- */

/* Whether a benchmark has a value at a revision. What was counted of one whose timed runs failed is none. */
static bool is_measured(const struct pe_evolution *evolution, const struct pe_line *first,
			size_t revision)
{
	const char *benchmark = first->benchmark;

	for (size_t i = 0; i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];

		if (failure->benchmark != NULL && failure->outcome != PE_NOT_COUNTABLE &&
		    failure->revision == revision && strcmp(failure->benchmark, benchmark) == 0)
			return false;
	}
	for (const struct pe_line *line = first; line < evolution->lines + evolution->n_lines;
	     line++) {
		const struct pe_point *point = pe_line_at(line, revision);

		if (point != NULL && point->outcome == PE_MEASURED &&
		    strcmp(line->benchmark, benchmark) == 0)
			return true;
	}
	return false;
}

static void count_cells(struct status *status)
{
	const struct pe_evolution *evolution = &status->evolution;
	const struct pe_line **benchmarks =
		pe_evolution_benchmarks(&status->n_benchmarks, evolution, status->ctx->app.arena);

	status->behind = SIZE_MAX;
	for (size_t r = status->revisions.n; r-- > 0;) {
		const size_t before = status->measured, n = evolution->n_revisions;
		const size_t at =
			pe_revision_find(evolution->revisions, n, status->revisions.at[r].id);

		for (size_t w = 0; at < n && w < status->n_benchmarks; w++)
			status->measured += is_measured(evolution, benchmarks[w], at);
		if (status->measured > before && status->behind == SIZE_MAX) {
			status->behind = status->revisions.n - 1 - r;
			status->newest = r;
		}
	}
}

static int load_values(struct status *status, size_t last)
{
	struct pe_cmd_ctx *ctx = status->ctx;
	struct pe_range range = {.last = last};
	struct pe_detect_opts opts = {0};
	struct pe_err why = PE_ERR_INIT;
	struct pe_evolution whole;
	int rc;

	/* A repository without a commit has a status, too. */
	if (pe_repo_walk(&status->revisions, ctx->app.repo, &range, ctx->app.arena, &why) !=
		    PE_OK ||
	    access(pe_app_store_path(&ctx->app), F_OK) < 0)
		return PE_OK;
	rc = pe_app_open(&ctx->app, PE_NEEDS_STORE_READ);
	if (rc == PE_OK)
		rc = pe_detect_load(&whole, &ctx->app, &opts);
	if (rc == PE_ENOTFOUND) {
		*ctx->app.err = (struct pe_err)PE_ERR_INIT;
		status->evolution = (struct pe_evolution){0};
		return PE_OK;
	}
	PE_TRY(rc);
	status->evolution = pe_values_within(&whole, &status->revisions, ctx->app.arena);
	count_cells(status);
	return PE_OK;
}

/* What waits and has results, and what a job is at. */
static int load_job(struct status *status)
{
	struct pe_app *app = &status->ctx->app;
	const char *folder = pe_app_hook_dir(app);
	const struct pe_journal_commit *begun;

	PE_TRY(pe_journal_read(&status->journal, folder, app->arena, app->err));
	status->job = pe_job_process(folder);
	begun = status->journal.begun;
	if (status->job == 0 || begun == NULL || begun->state != PE_JOURNAL_COMMIT)
		return PE_OK;
	status->running = begun;
	if (app->store == NULL)
		return PE_OK;
	PE_TRY(pe_store_get_activity(&status->activity, app->store, app->err));
	/* One that was killed left its own. */
	if (status->activity.since_s < begun->begun_s)
		status->activity = (struct pe_activity){0};
	return PE_OK;
}

static int load(struct status *status, struct pe_cmd_ctx *ctx, size_t last)
{
	struct pe_hooks_place place;

	*status = (struct status){.ctx = ctx, .behind = SIZE_MAX};
	PE_TRY(load_values(status, last));
	PE_TRY(load_job(status));
	PE_TRY(pe_repo_hooks_place(&place, ctx->app.repo, ctx->app.arena, ctx->app.err));
	for (int i = 0; i < PE_N_HOOKS; i++)
		PE_TRY(pe_hook_look(&status->hooks[i], place.folder, (enum pe_hook)i,
				    ctx->app.err));
	return PE_OK;
}

static bool is_installed(const struct pe_hook_found *found)
{
	return found->runs && found->state != PE_HOOK_ABSENT && found->state != PE_HOOK_FOREIGN;
}

/* --- For people --- */

/* Print a line behind its name, in as many rows as it takes, and clear it. */
static void put_line(struct pe_text *out, const struct status *status, const char *name,
		     enum pe_paint paint, struct pe_text *line)
{
	struct pe_term beside = status->ctx->out;
	pe_auto_text rows = PE_TEXT_INIT, padded = PE_TEXT_INIT;

	if (beside.width > NAME_COLUMNS)
		beside.width -= NAME_COLUMNS;
	pe_term_wrap(&rows, &beside, paint, "", "", pe_text_str(line));
	for (const char *at = pe_text_str(&rows); *at != '\0'; at += strcspn(at, "\n") + 1) {
		pe_text_clear(&padded);
		pe_text_addf(&padded, "%-*s", NAME_COLUMNS, name);
		pe_term_paint(out, &status->ctx->out, PE_BOLD, padded.data);
		pe_text_addn(out, at, strcspn(at, "\n") + 1);
		name = "";
	}
	pe_text_clear(line);
}

/* "3f2a91c8 its subject", as far as the commit is among the last ones. */
static void add_commit(struct pe_text *out, const struct status *status, const char *id)
{
	const size_t at = pe_revision_find(status->revisions.at, status->revisions.n, id);

	pe_text_addf(out, "%.8s", id);
	if (at < status->revisions.n)
		pe_text_addf(out, " %s", status->revisions.at[at].subject);
}

static void print_measured(struct pe_text *out, const struct status *status)
{
	pe_auto_text line = PE_TEXT_INIT;
	size_t cells = status->revisions.n * status->n_benchmarks;

	if (status->n_benchmarks == 0 || status->measured == 0) {
		pe_text_add(&line, "nothing yet: run 'perfevo track'");
	} else {
		pe_text_addf(&line, "%zu of %zu results of the last %zu commits; ",
			     status->measured, cells, status->revisions.n);
		if (status->behind == 0) {
			pe_text_add(&line, "HEAD is measured");
		} else {
			pe_text_addf(&line,
				     "the newest is %zu commit%s behind HEAD: ", status->behind,
				     status->behind == 1 ? "" : "s");
			add_commit(&line, status, status->revisions.at[status->newest].id);
		}
	}
	put_line(out, status, "measured", PE_PLAIN, &line);
}

static void print_job(struct pe_text *out, const struct status *status)
{
	const struct pe_activity *activity = &status->activity;
	pe_auto_text line = PE_TEXT_INIT;
	int64_t for_s;

	if (status->job == 0)
		pe_text_add(&line, "nothing in the background");
	else if (status->running == NULL)
		pe_text_addf(&line, "starting (process %lld)", (long long)status->job);
	if (status->running != NULL) {
		for_s = pe_clock_now_s() - status->running->begun_s;
		add_commit(&line, status, status->running->id);
		pe_text_addf(&line, " (process %lld, for ", (long long)status->job);
		pe_format_duration(&line, (uint64_t)(for_s > 0 ? for_s : 0) * 1000000000);
		if (activity->revisions > 0)
			pe_text_addf(&line, ", %zu of %zu commits known", activity->known,
				     activity->revisions);
		pe_text_addc(&line, ')');
	}
	put_line(out, status, "running", PE_PLAIN, &line);
}

/* Rows under one name, of which the first few are printed. */
struct list {
	const struct status *status;
	struct pe_text *out;
	const char *name;
	size_t n;
};

static void put_row(struct list *list, enum pe_paint paint, struct pe_text *line)
{
	if (list->n < MOST_ROWS)
		put_line(list->out, list->status, list->n == 0 ? list->name : "", paint, line);
	pe_text_clear(line);
	list->n++;
}

static void end_list(const struct list *list)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (list->n <= MOST_ROWS)
		return;
	pe_text_addf(&line, "and %zu more (--format json has them all)", list->n - MOST_ROWS);
	put_line(list->out, list->status, "", PE_DIM, &line);
}

/* Whether a commit waits, and is not being measured. */
static bool is_waiting(const struct status *status, const struct pe_journal_commit *commit)
{
	return commit->state == PE_JOURNAL_COMMIT && commit != status->running;
}

static void print_waiting(struct pe_text *out, const struct status *status)
{
	const struct pe_journal *journal = &status->journal;
	struct list list = {status, out, "waiting", 0};
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = journal->n; i-- > 0;)
		if (is_waiting(status, &journal->at[i])) {
			add_commit(&line, status, journal->at[i].id);
			put_row(&list, PE_PLAIN, &line);
		}
	end_list(&list);
	if (list.n > 0 && status->job == 0) {
		pe_text_add(&line, "(the next commit starts the background measurement)");
		put_line(out, status, "", PE_DIM, &line);
	}
}

/* Commits whose jumps have one standing, the worst first. */
static void print_jumps(struct pe_text *out, const struct status *status, enum pe_standing standing)
{
	static const enum pe_paint paints[PE_N_STANDINGS] = {
		[PE_STANDING_CONFIRMED] = PE_BOLD,
		[PE_STANDING_SUSPECTED] = PE_PLAIN,
		[PE_STANDING_ACCEPTED] = PE_DIM,
	};
	struct list list = {status, out, pe_standing_name(standing), 0};
	pe_auto_text line = PE_TEXT_INIT;
	size_t n;
	const struct pe_commit_block *blocks =
		pe_commit_blocks(&n, &status->evolution, status->ctx->app.arena);

	for (size_t i = 0; i < n; i++)
		if (blocks[i].class.standing == standing) {
			pe_commit_block_add_line(&line, &status->evolution, &blocks[i]);
			put_row(&list, paints[standing], &line);
		}
	end_list(&list);
}

static void print_failures(struct pe_text *out, const struct status *status)
{
	const struct pe_evolution *evolution = &status->evolution;
	struct list list = {status, out, "not built", 0};
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = evolution->n_failures; i-- > 0;)
		if (evolution->failures[i].benchmark == NULL) {
			add_commit(&line, status,
				   evolution->revisions[evolution->failures[i].revision].id);
			put_row(&list, PE_BAD, &line);
		}
	end_list(&list);
}

static void print_results(struct pe_text *out, const struct status *status)
{
	static const enum pe_paint paints[PE_N_JOURNAL_EVENTS] = {
		[PE_JOURNAL_PASS] = PE_PLAIN,    [PE_JOURNAL_REGRESSED] = PE_BAD,
		[PE_JOURNAL_SUSPECTED] = PE_BAD, [PE_JOURNAL_IMPROVED] = PE_GOOD,
		[PE_JOURNAL_FAILED] = PE_BAD,
	};
	const struct pe_journal *journal = &status->journal;
	struct list list = {status, out, "results", 0};
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = journal->n; i-- > 0;) {
		const struct pe_journal_commit *one = &journal->at[i];

		if (!pe_journal_has_result(one))
			continue;
		pe_text_addf(&line, "%.8s %s: %s", one->id, one->subject, one->text);
		put_row(&list, paints[one->state], &line);
	}
	end_list(&list);
}

static void print_hooks(struct pe_text *out, const struct status *status)
{
	pe_auto_text line = PE_TEXT_INIT;

	for (int i = 0; i < PE_N_HOOKS; i++)
		if (is_installed(&status->hooks[i]))
			pe_text_addf(&line, "%s%s", line.len > 0 ? ", " : "",
				     pe_hook_name((enum pe_hook)i));
	if (line.len == 0)
		pe_text_add(&line, "none ('perfevo hooks install')");
	put_line(out, status, "hooks", PE_PLAIN, &line);
}

static void print_term(struct pe_text *out, const struct status *status)
{
	print_measured(out, status);
	print_job(out, status);
	print_waiting(out, status);
	print_jumps(out, status, PE_STANDING_CONFIRMED);
	print_jumps(out, status, PE_STANDING_SUSPECTED);
	print_jumps(out, status, PE_STANDING_ACCEPTED);
	print_failures(out, status);
	print_results(out, status);
	print_hooks(out, status);
}

/* --- For programs --- */

static void json_jump(struct pe_json *json, const struct pe_evolution *evolution,
		      const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "state", pe_jump_state_name(jump->state));
	pe_json_put(json, "benchmark", ranked->line->benchmark);
	pe_json_put(json, "metric", ranked->line->metric->name);
	pe_json_put(json, "before", evolution->revisions[jump->before].id);
	pe_json_put(json, "commit", evolution->revisions[jump->after].id);
	pe_json_put(json, "commits", jump->commits);
	pe_json_computed(json, "relative", jump->relative);
	pe_json_put(json, "source", pe_estimate_name(jump->estimate));
	pe_json_end(json);
}

static void json_job(struct pe_json *json, const struct status *status)
{
	const struct pe_journal_commit *running = status->running;

	if (!pe_json_begin_maybe(json, "running", status->job != 0))
		return;
	pe_json_put(json, "pid", (int64_t)status->job);
	pe_json_put(json, "commit", running != NULL ? running->id : NULL);
	pe_json_put(json, "done", status->activity.known);
	pe_json_put(json, "total", status->activity.revisions);
	pe_json_time(json, "since", running != NULL ? running->begun_s : 0);
	pe_json_end(json);
}

static void json_result(struct pe_json *json, const struct pe_journal_commit *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "commit", one->id);
	pe_json_put(json, "verdict", pe_journal_event_name(one->state));
	pe_json_put(json, "text", one->text);
	pe_json_time(json, "found", one->found_s);
	pe_json_put(json, "shown", one->shown);
	pe_json_end(json);
}

static void print_json(struct pe_text *out, const struct status *status)
{
	const struct pe_evolution *evolution = &status->evolution;
	const struct pe_journal *journal = &status->journal;
	struct pe_json json = PE_JSON_INIT(out);
	size_t n;
	const struct pe_ranked_jump *jumps =
		pe_evolution_rank(&n, evolution, status->ctx->app.arena);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "commits", status->revisions.n);
	pe_json_put(&json, "benchmarks", status->n_benchmarks);
	pe_json_put(&json, "measured", status->measured);
	pe_json_put(&json, "newest",
		    status->behind != SIZE_MAX ? status->revisions.at[status->newest].id : NULL);
	json_job(&json, status);
	pe_json_each(&json, "waiting", i, journal->n,
		     if (journal->at[journal->n - 1 - i].state == PE_JOURNAL_COMMIT)
			     pe_json_put(&json, NULL, journal->at[journal->n - 1 - i].id));
	pe_json_each(&json, "regressions", i, n,
		     if (jumps[i].jump->regression) json_jump(&json, evolution, &jumps[i]));
	pe_commit_blocks_json(&json, evolution);
	pe_json_each(&json, "not_built", i, evolution->n_failures,
		     if (evolution->failures[i].benchmark == NULL)
			     pe_json_put(&json, NULL,
					 evolution->revisions[evolution->failures[i].revision].id));
	pe_json_each(&json, "results", i, journal->n,
		     if (pe_journal_has_result(&journal->at[journal->n - 1 - i]))
			     json_result(&json, &journal->at[journal->n - 1 - i]));
	pe_json_each(&json, "hooks", i, PE_N_HOOKS,
		     if (is_installed(&status->hooks[i]))
			     pe_json_put(&json, NULL, pe_hook_name((enum pe_hook)i)));
	pe_json_finish(&json);
}

int cmd_status(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	size_t last = LAST;
	int format = 0;
	const struct pe_opt opts[] = {
		OPT_NUMBER(0, "last", &last, "N", "of the last N commits (20)"),
		OPT_JSON(&format),
		OPT_END,
	};
	pe_auto_text text = PE_TEXT_INIT;
	struct status status;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	PE_TRY(load(&status, ctx, last > 0 ? last : LAST));
	if (format == PE_FORMAT_JSON)
		print_json(&text, &status);
	else
		print_term(&text, &status);
	return pe_cmd_show(ctx, &text, true);
}
