/*
 * Status: one screen of what perfevo knows and does here. The values are those of `log`; what runs and waits is the
 * queue's behind the commits. Nothing is written, and nothing is waited for.
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
enum { MOST_ROWS = 5, LAST = 20 };

struct status {
	struct pe_cmd_ctx *ctx;
	struct pe_revisions revisions; /* the last ones of HEAD */
	struct pe_evolution evolution; /* n_lines 0: nothing is measured */
	size_t n_benchmarks, measured; /* cells with a value */
	size_t behind; /* commits after the newest measured one; SIZE_MAX: none is */
	size_t newest; /* its index in the evolution */
	bool works;
	struct pe_worker_state worker;
	struct pe_queued *queue;
	size_t n_queue;
	struct pe_hook_result *results;
	size_t n_results;
	struct pe_hook_found hooks[PE_N_HOOKS];
};

/* --- Finding out --- */

static bool has_failed(const struct pe_evolution *evolution, const char *benchmark, const char *id)
{
	for (size_t i = 0; i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];

		if (failure->benchmark != NULL && failure->outcome != PE_NOT_COUNTABLE &&
		    strcmp(failure->benchmark, benchmark) == 0 &&
		    strcmp(evolution->revisions[failure->revision].id, id) == 0)
			return true;
	}
	return false;
}

/* What was counted of a benchmark whose timed runs failed is no result. */
static bool is_measured(const struct pe_evolution *evolution, const char *benchmark, const char *id)
{
	if (has_failed(evolution, benchmark, id))
		return false;
	for (size_t l = 0; l < evolution->n_lines; l++) {
		const struct pe_line *line = &evolution->lines[l];

		if (strcmp(line->benchmark, benchmark) != 0)
			continue;
		for (size_t i = line->n_points; i-- > 0;)
			if (line->points[i].outcome == PE_MEASURED &&
			    strcmp(evolution->revisions[line->points[i].revision].id, id) == 0)
				return true;
	}
	return false;
}

static void count_cells(struct status *status)
{
	const struct pe_line **benchmarks = pe_evolution_benchmarks(
		&status->n_benchmarks, &status->evolution, status->ctx->app.arena);

	status->behind = SIZE_MAX;
	for (size_t r = status->revisions.n; r-- > 0;) {
		size_t before = status->measured;

		for (size_t w = 0; w < status->n_benchmarks; w++)
			status->measured +=
				is_measured(&status->evolution, benchmarks[w]->benchmark,
					    status->revisions.at[r].id);
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
	struct pe_detect_opts opts = PE_DETECT_DEFAULTS;
	struct pe_err why = PE_ERR_INIT;
	struct pe_evolution whole;
	int rc = pe_repo_walk(&status->revisions, ctx->app.repo, &range, ctx->app.arena, &why);

	/* A repository without a commit has a status, too. */
	if (rc != PE_OK)
		return PE_OK;
	if (access(pe_app_store_path(&ctx->app), F_OK) < 0)
		return PE_OK;
	rc = pe_app_open(&ctx->app, PE_NEEDS_STORE_READ);
	if (rc == PE_OK)
		rc = pe_detect_load(&whole, &ctx->app, &opts);
	if (rc == PE_ENOTFOUND) {
		*ctx->app.err = (struct pe_err)PE_ERR_INIT;
		status->evolution = (struct pe_evolution){0};
		return PE_OK;
	}
	if (rc == PE_OK) {
		status->evolution = pe_values_within(&whole, &status->revisions, ctx->app.arena);
		count_cells(status);
	}
	return rc;
}

static int load(struct status *status, struct pe_cmd_ctx *ctx, size_t last)
{
	const char *folder = pe_app_hook_dir(&ctx->app);
	struct pe_hooks_place place;

	*status = (struct status){.ctx = ctx, .behind = SIZE_MAX};
	PE_TRY(load_values(status, last));
	PE_TRY(pe_queue_list(&status->queue, &status->n_queue, folder, ctx->app.arena,
			     ctx->app.err));
	PE_TRY(pe_result_list(&status->results, &status->n_results, folder, true, ctx->app.arena,
			      ctx->app.err));
	PE_TRY(pe_repo_hooks_place(&place, ctx->app.repo, ctx->app.arena, ctx->app.err));
	for (int i = 0; i < PE_N_HOOKS; i++)
		PE_TRY(pe_hook_look(&status->hooks[i], place.folder, (enum pe_hook)i,
				    ctx->app.err));
	status->works = pe_worker_ask(&status->worker, folder);
	return PE_OK;
}

static bool is_installed(const struct pe_hook_found *found)
{
	return found->runs && found->state != PE_HOOK_ABSENT && found->state != PE_HOOK_FOREIGN;
}

/* --- For people --- */

static void heading(struct pe_text *out, const struct status *status, const char *name)
{
	pe_auto_text padded = PE_TEXT_INIT;

	pe_text_addf(&padded, "%-11s ", name);
	pe_term_paint(out, &status->ctx->out, PE_BOLD, padded.data);
}

static void end_line(struct pe_text *out, const struct status *status, enum pe_paint paint,
		     struct pe_text *line)
{
	const struct pe_term *term = &status->ctx->out;
	pe_auto_text cut = PE_TEXT_INIT;

	pe_term_add(&cut, term, pe_text_str(line), term->width > 12 ? term->width - 12 : SIZE_MAX);
	pe_term_paint(out, term, paint, pe_text_str(&cut));
	pe_text_addc(out, '\n');
	pe_text_clear(line);
}

/* "3f2a91c8 its subject", as far as the commit is among the last ones. */
static void add_commit(struct pe_text *out, const struct status *status, const char *id)
{
	pe_text_add(out, pe_hook_short(id, status->ctx->app.arena));
	for (size_t i = 0; i < status->revisions.n; i++)
		if (strcmp(status->revisions.at[i].id, id) == 0)
			pe_text_addf(out, " %s", status->revisions.at[i].subject);
}

static void print_measured(struct pe_text *out, const struct status *status)
{
	pe_auto_text line = PE_TEXT_INIT;
	size_t cells = status->revisions.n * status->n_benchmarks;

	heading(out, status, "measured");
	if (status->n_benchmarks == 0 || status->measured == 0) {
		pe_text_add(&line, "nothing yet: run 'perfevo track'");
	} else {
		pe_text_addf(&line, "%zu of %zu results of the last %zu commits; ",
			     status->measured, cells, status->revisions.n);
		if (status->behind == 0)
			pe_text_add(&line, "HEAD is");
		else
			pe_text_addf(&line,
				     "the newest is %zu commit%s behind HEAD: ", status->behind,
				     status->behind == 1 ? "" : "s");
		if (status->behind > 0)
			add_commit(&line, status, status->revisions.at[status->newest].id);
		else
			pe_text_add(&line, " measured");
	}
	end_line(out, status, PE_PLAIN, &line);
}

static void print_worker(struct pe_text *out, const struct status *status)
{
	const struct pe_worker_state *worker = &status->worker;
	pe_auto_text line = PE_TEXT_INIT;
	int64_t since_s = pe_clock_now_s() - worker->since_s;

	heading(out, status, "running");
	if (!status->works) {
		pe_text_add(&line, "nothing in the background");
	} else {
		if (worker->id[0] != '\0')
			add_commit(&line, status, worker->id);
		else
			pe_text_add(&line, "starting");
		pe_text_addf(&line, " (process %lld", (long long)worker->pid);
		if (worker->id[0] != '\0') {
			pe_text_add(&line, ", for ");
			pe_format_duration(&line,
					   (uint64_t)(since_s > 0 ? since_s : 0) * 1000000000);
		}
		if (worker->total > 0)
			pe_text_addf(&line, ", %s %llu of %llu", worker->phase,
				     (unsigned long long)worker->done,
				     (unsigned long long)worker->total);
		pe_text_addc(&line, ')');
	}
	end_line(out, status, PE_PLAIN, &line);
}

/* What of n rows is not shown. */
static void add_more(struct pe_text *out, const struct status *status, size_t n,
		     struct pe_text *line)
{
	if (n <= MOST_ROWS)
		return;
	heading(out, status, "");
	pe_text_addf(line, "and %zu more (--format json has them all)", n - MOST_ROWS);
	end_line(out, status, PE_DIM, line);
}

static void print_queue(struct pe_text *out, const struct status *status)
{
	pe_auto_text line = PE_TEXT_INIT;
	size_t n = 0;

	for (size_t i = 0; i < status->n_queue; i++) {
		/* What is being measured does not wait. */
		if (status->works && strcmp(status->queue[i].id, status->worker.id) == 0)
			continue;
		if (n++ >= MOST_ROWS)
			continue;
		heading(out, status, n == 1 ? "waiting" : "");
		add_commit(&line, status, status->queue[i].id);
		end_line(out, status, PE_PLAIN, &line);
	}
	add_more(out, status, n, &line);
	if (n > 0 && !status->works) {
		heading(out, status, "");
		pe_text_add(&line, "(the next commit starts the background measurement)");
		end_line(out, status, PE_DIM, &line);
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
	pe_auto_text line = PE_TEXT_INIT;
	size_t n, shown = 0;
	const struct pe_commit_block *blocks =
		pe_commit_blocks(&n, &status->evolution, status->ctx->app.arena);

	for (size_t i = 0; i < n; i++) {
		if (blocks[i].class.standing != standing || shown++ >= MOST_ROWS)
			continue;
		heading(out, status, shown == 1 ? pe_standing_name(standing) : "");
		pe_commit_block_add_line(&line, &status->evolution, &blocks[i]);
		end_line(out, status, paints[standing], &line);
	}
	add_more(out, status, shown, &line);
}

static void print_failures(struct pe_text *out, const struct status *status)
{
	pe_auto_text line = PE_TEXT_INIT;
	size_t shown = 0;

	for (size_t i = status->evolution.n_failures; i-- > 0;) {
		const struct pe_failure *failure = &status->evolution.failures[i];

		if (failure->benchmark != NULL || shown++ >= MOST_ROWS)
			continue;
		heading(out, status, shown == 1 ? "not built" : "");
		add_commit(&line, status, status->evolution.revisions[failure->revision].id);
		end_line(out, status, PE_BAD, &line);
	}
	add_more(out, status, shown, &line);
}

static void print_results(struct pe_text *out, const struct status *status)
{
	static const enum pe_paint paints[PE_N_VERDICTS] = {
		[PE_RESULT_PASS] = PE_PLAIN,    [PE_RESULT_REGRESSED] = PE_BAD,
		[PE_RESULT_SUSPECTED] = PE_BAD, [PE_RESULT_IMPROVED] = PE_GOOD,
		[PE_RESULT_FAILED] = PE_BAD,
	};
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = 0; i < status->n_results && i < MOST_ROWS; i++) {
		const struct pe_hook_result *one = &status->results[i];

		heading(out, status, i == 0 ? "results" : "");
		pe_text_addf(&line, "%s %s: %s", pe_hook_short(one->id, status->ctx->app.arena),
			     one->subject, one->text);
		end_line(out, status, paints[one->verdict], &line);
	}
	add_more(out, status, status->n_results, &line);
}

static void print_hooks(struct pe_text *out, const struct status *status)
{
	pe_auto_text line = PE_TEXT_INIT;

	heading(out, status, "hooks");
	for (int i = 0; i < PE_N_HOOKS; i++)
		if (is_installed(&status->hooks[i]))
			pe_text_addf(&line, "%s%s", line.len > 0 ? ", " : "",
				     pe_hook_name((enum pe_hook)i));
	if (line.len == 0)
		pe_text_add(&line, "none ('perfevo hooks install')");
	end_line(out, status, PE_PLAIN, &line);
}

static void print_term(struct pe_text *out, const struct status *status)
{
	print_measured(out, status);
	print_worker(out, status);
	print_queue(out, status);
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

static void json_worker(struct pe_json *json, const struct status *status)
{
	const struct pe_worker_state *worker = &status->worker;

	if (!pe_json_begin_maybe(json, "running", status->works))
		return;
	pe_json_put(json, "pid", worker->pid);
	pe_json_put(json, "commit", worker->id[0] != '\0' ? worker->id : NULL);
	pe_json_put(json, "phase", worker->phase[0] != '\0' ? worker->phase : NULL);
	pe_json_members(json, worker, done, total);
	pe_json_time(json, "since", worker->since_s);
	pe_json_end(json);
}

static void json_result(struct pe_json *json, const struct pe_hook_result *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "commit", one->id);
	pe_json_put(json, "verdict", pe_result_verdict_name(one->verdict));
	pe_json_put(json, "text", one->text);
	pe_json_time(json, "found", one->found_s);
	pe_json_put(json, "shown", one->shown);
	pe_json_end(json);
}

static void print_json(struct pe_text *out, const struct status *status)
{
	const struct pe_evolution *evolution = &status->evolution;
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
	json_worker(&json, status);
	pe_json_each(&json, "waiting", i, status->n_queue,
		     pe_json_put(&json, NULL, status->queue[i].id));
	pe_json_each(&json, "regressions", i, n,
		     if (jumps[i].jump->regression) json_jump(&json, evolution, &jumps[i]));
	pe_commit_blocks_json(&json, evolution);
	pe_json_each(&json, "not_built", i, evolution->n_failures,
		     if (evolution->failures[i].benchmark == NULL)
			     pe_json_put(&json, NULL,
					 evolution->revisions[evolution->failures[i].revision].id));
	pe_json_each(&json, "results", i, status->n_results,
		     json_result(&json, &status->results[i]));
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
	int code = pe_cmd_begin(ctx, opts, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc > 0)
		return pe_cmd_misused(ctx, "status takes no arguments");
	if (load(&status, ctx, last > 0 ? last : LAST) != PE_OK)
		return pe_cmd_fail(ctx);
	if (format == PE_FORMAT_JSON)
		print_json(&text, &status);
	else
		print_term(&text, &status);
	return (format == PE_FORMAT_JSON ? pe_cmd_print : pe_cmd_show)(ctx, &text, true) == PE_OK
		       ? PE_EXIT_GOOD
		       : pe_cmd_fail(ctx);
}
