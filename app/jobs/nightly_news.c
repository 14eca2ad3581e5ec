/*
 * News: commits with regressions that fail the gate and were not reported yet. What was reported stands in a file, a line a
 * regression: the benchmark, the metric and the commit, so that a night which is run again does not repeat itself.
 */
#include "app/jobs/nightly.h"

#include "app/history/values.h"
#include "core/base/files.h"
#include "core/base/outfile.h"
#include "core/base/spawn.h"
#include "core/base/utf8.h"
#include "report/document.h"
#include "report/query.h"
#include "core/json/writer.h"

#include <stdio.h>
#include <string.h>

/* --- What was reported --- */

static const char *reported_path(struct pe_app *app)
{
	return pe_arena_printf(app->arena, "%s/told", pe_nightly_folder(app));
}

/* Names may hold anything: a tab or a line break in one is written as a space, in the file and when looking. */
static void add_line(struct pe_text *out, const char *benchmark, const char *metric,
		     const char *revision)
{
	for (const char *c = benchmark; *c != '\0'; c++)
		pe_text_addc(out, *c == '\t' || *c == '\n' ? ' ' : *c);
	pe_text_addf(out, "\t%s\t%s\n", metric, revision);
}

/* @param reported  the file, behind a line end */
static bool is_reported(const struct pe_text *reported, const struct pe_line *line,
			const char *revision)
{
	pe_auto_text wanted = PE_TEXT_INIT;

	pe_text_addc(&wanted, '\n');
	add_line(&wanted, line->benchmark, line->metric->name, revision);
	return strstr(pe_text_str(reported), wanted.data) != NULL;
}

static const char *new_id(const struct pe_newsletter *news, const struct pe_jump *jump)
{
	return news->evolution->revisions[jump->after].id;
}

static void note_reported(struct pe_app *app, const struct pe_newsletter *news)
{
	const char *path = reported_path(app);
	pe_auto_text reported = PE_TEXT_INIT;

	pe_text_read_file(&reported, path, NULL);
	for (size_t i = 0; i < news->n; i++) {
		const struct pe_commit_block *block = &news->at[i].block;

		for (size_t k = 0; k < block->n; k++)
			if (block->jumps[k].jump->regression)
				add_line(&reported, block->jumps[k].line->benchmark,
					 block->jumps[k].line->metric->name,
					 new_id(news, block->jumps[k].jump));
	}
	if (pe_files_make_dir(pe_nightly_folder(app), app->err) != PE_OK ||
	    pe_text_write_file(&reported, path, app->err) != PE_OK)
		pe_app_note(app, "%s: these regressions will be reported again", app->err->message);
}

/* --- Finding --- */

struct finding {
	struct pe_newsletter *out;
	struct pe_arena *arena;
	size_t first; /* revision from which on regressions are news */
	struct pe_text reported;
};

/* Whether a jump is a regression that is confirmed on its own. */
static bool is_row(const struct pe_ranked_jump *ranked)
{
	return ranked->jump->regression && ranked->jump->state == PE_JUMP_CONFIRMED;
}

/* Whether a jump is news on its own, or with others of its commit. */
static bool is_new(struct finding *finding, const struct pe_ranked_jump *ranked, bool *again)
{
	const struct pe_jump *jump = ranked->jump;

	if (jump->after < finding->first)
		return false;
	if (jump->state == PE_JUMP_SUSPECT && jump->regression && !jump->event_confirmed)
		finding->out->suspects++;
	if (jump->state != PE_JUMP_CONFIRMED && !jump->event_confirmed)
		return false;
	if (!jump->regression ||
	    !is_reported(&finding->reported, ranked->line, new_id(finding->out, jump)))
		return true;
	*again = true;
	return false;
}

static bool fails(const struct pe_commit_block *block, const struct pe_gate_limits *gate,
		  struct pe_arena *arena)
{
	for (size_t i = 0; i < block->n; i++)
		if (pe_commit_block_rule(block, i, gate, arena) == PE_GATE_FAILS)
			return true;
	return false;
}

/* What of a commit is news: nothing unless one of its new regressions fails the gate. */
static void take_block(struct finding *finding, const struct pe_commit_block *block)
{
	struct pe_ranked_jump *jumps =
		pe_arena_new(finding->arena, struct pe_ranked_jump, block->n);
	struct pe_news one = {.block = {.commit = block->commit, .jumps = jumps}};
	size_t n = 0;

	for (size_t i = 0; i < block->n; i++)
		if (is_new(finding, &block->jumps[i], &one.again))
			jumps[n++] = block->jumps[i];
	/* What it made better was reported with the others. */
	for (size_t i = 0; i < n; i++)
		if (!one.again || jumps[i].jump->regression)
			jumps[one.block.n++] = jumps[i];
	if (one.block.n == 0 || !fails(&one.block, &finding->out->gate, finding->arena))
		return;
	pe_commit_block_classify(&one.block, finding->arena);
	finding->out->at[finding->out->n++] = one;
}

static void find_news(struct finding *finding, struct pe_app *app)
{
	size_t n;
	const struct pe_commit_block *blocks =
		pe_commit_blocks(&n, finding->out->evolution, app->arena);

	pe_text_addc(&finding->reported, '\n');
	pe_text_read_file(&finding->reported, reported_path(app), NULL);
	finding->out->at = pe_arena_new(app->arena, struct pe_news, n);
	for (size_t i = 0; i < n; i++)
		take_block(finding, &blocks[i]);
	pe_text_release(&finding->reported);
}

int pe_newsletter_make(struct pe_newsletter *out, struct pe_app *app, const char *spec, size_t last)
{
	struct pe_evolution *evolution = pe_arena_new(app->arena, struct pe_evolution, 1);
	struct finding finding = {.out = out, .arena = app->arena};
	/* All that is stored: a longer series is judged better than a short one. */
	const struct pe_values_query asked = {.range = spec, .decides = true};
	int rc = pe_values_load(evolution, app, &asked);

	*out = (struct pe_newsletter){.project = pe_repo_name(app->repo),
				      .gate = app->config->gate};
	/* Nothing measured is nothing new. */
	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	out->evolution = evolution;
	finding.first = evolution->n_revisions > last ? evolution->n_revisions - last : 0;
	find_news(&finding, app);
	return PE_OK;
}

/* --- Writing --- */

static void add_news(struct pe_text *out, const struct pe_newsletter *news,
		     const struct pe_news *one)
{
	static const struct pe_term term = {.unicode = true};
	struct pe_doc doc = {.out = out, .term = &term};
	const struct pe_jump *leading = one->block.jumps[0].jump;
	const char *before = news->evolution->revisions[leading->before].id;

	pe_commit_blocks_put(&doc, news->evolution, &one->block, 1, false);
	pe_text_add(out, "   by ");
	pe_utf8_add_visible(out, news->evolution->revisions[one->block.commit].author, "");
	pe_text_addf(out, "; perfevo compare %.10s %.10s\n", before, new_id(news, leading));
	if (one->again)
		pe_text_add(out, "   others of its regressions were reported before\n");
}

/* "2 slower in 50 commits of parser (fails from wall 3 %, ... on)". */
static void add_headline(struct pe_text *out, const struct pe_newsletter *news)
{
	struct pe_class_counts counts = {0};
	pe_auto_text where = PE_TEXT_INIT;

	for (size_t i = 0; i < news->n; i++)
		pe_class_counts_take(&counts, &news->at[i].block.class);
	pe_text_add(&where, "in ");
	pe_utf8_add_visible(&where, news->project, "");
	pe_class_counts_add(out, &counts, pe_text_str(&where));
	pe_text_add(out, "\nnews from a change of ");
	pe_gate_limits_add(out, &news->gate);
	pe_text_add(out, " on\n\n");
}

void pe_newsletter_text(struct pe_text *out, const struct pe_newsletter *news)
{
	if (news->n == 0)
		pe_text_add(out, "no new regression\n");
	else
		add_headline(out, news);
	for (size_t i = 0; i < news->n; i++)
		add_news(out, news, &news->at[i]);
	if (news->suspects > 0)
		pe_text_addf(out, "%s%zu %s not decided yet\n", news->n > 0 ? "\n" : "",
			     news->suspects,
			     news->suspects == 1 ? "suspected regression is"
						 : "suspected regressions are");
	if (news->cut_short)
		pe_text_add(out, "time budget exhausted; the next run continues\n");
	if (news->report != NULL && news->n > 0) {
		pe_text_add(out, "\nreport: ");
		pe_utf8_add_visible(out, news->report, "");
		pe_text_addc(out, '\n');
	}
}

static void put_event(struct pe_json *json, const struct pe_newsletter *news, size_t event)
{
	const struct pe_commit_block *block = &news->at[event].block;

	pe_json_begin_object(json, NULL);
	pe_commit_block_json(json, news->evolution, block);
	pe_json_put(json, "author", news->evolution->revisions[block->commit].author);
	pe_json_end(json);
}

static void put_regression(struct pe_json *json, const struct pe_newsletter *news, size_t event,
			   const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;
	const struct pe_revision *after = &news->evolution->revisions[jump->after];

	if (!is_row(ranked))
		return;
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", ranked->line->benchmark);
	pe_json_put(json, "metric", ranked->line->metric->name);
	pe_json_put(json, "unit", ranked->line->metric->unit);
	pe_json_computed(json, "old", jump->old_level);
	pe_json_computed(json, "new", jump->new_level);
	pe_json_computed_members(json, jump, relative, low, high);
	pe_jump_json_caveats(json, jump);
	pe_json_put(json, "before", news->evolution->revisions[jump->before].id);
	pe_json_put(json, "commit", after->id);
	pe_json_put(json, "commits", jump->commits);
	pe_json_members(json, after, author, subject);
	pe_json_put(json, "event", event);
	pe_json_end(json);
}

static void put_regressions(struct pe_json *json, const struct pe_newsletter *news)
{
	pe_json_begin_rows(json, "regressions");
	for (size_t i = 0; i < news->n; i++)
		for (size_t k = 0; k < news->at[i].block.n; k++)
			put_regression(json, news, i, &news->at[i].block.jumps[k]);
	pe_json_end(json);
}

void pe_newsletter_json(struct pe_text *out, const struct pe_newsletter *news)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_members(&json, news, project, report, cut_short, suspects);
	pe_json_each_row(&json, "events", i, news->n, put_event(&json, news, i));
	put_regressions(&json, news);
	pe_json_finish(&json);
}

/* --- Notifying --- */

/* Give a program a text on its input and wait for it. PE_ESYS when it cannot be started or fails. */
static int pipe_to(const char *command, const char *dir, const struct pe_text *text,
		   struct pe_err *err)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	const struct pe_spawn spawn = {PE_SPAWN_INIT, .argv = argv, .dir = dir};
	/* One that does not read what it is given may still have done its work. */
	const struct pe_spawn_io io = {.input = pe_text_str(text), .n_input = text->len};
	int status;

	PE_TRY(pe_spawn_run(&status, &spawn, &io, err));
	if (!pe_spawn_succeeded(status))
		return pe_fail(err, PE_ESYS, "'%s' ended with status %d", command,
			       WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return PE_OK;
}

/* A header's text, kept to what needs no encoding. */
static void add_header(struct pe_text *out, const char *text)
{
	for (const char *c = text; *c != '\0'; c++)
		pe_text_addc(out, (unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f ? *c : '?');
}

static int mail(const char *address, const struct pe_newsletter *news, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	/* cron's PATH has no sbin. */
	const char *command = "PATH=\"$PATH:/usr/sbin:/usr/lib\" sendmail -t -oi";

	pe_text_add(&text, "To: ");
	add_header(&text, address);
	pe_text_addf(&text, "\nSubject: [perfevo] %zu %s in ", news->n,
		     news->n == 1 ? "regression" : "regressions");
	add_header(&text, news->project);
	pe_text_add(&text, "\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
			   "Content-Transfer-Encoding: 8bit\nAuto-Submitted: auto-generated\n\n");
	pe_newsletter_text(&text, news);
	return pipe_to(command, NULL, &text, err);
}

static void complain(struct pe_app *app, int rc, bool *delivered)
{
	if (rc != PE_OK)
		pe_app_note(app, "notification failed: %s", app->err->message);
	*delivered = *delivered || rc == PE_OK;
}

void pe_newsletter_printed(struct pe_app *app, const struct pe_newsletter *news)
{
	const struct pe_nightly_plan *plan = &app->config->nightly;

	if (news->n > 0 && plan->mail == NULL && plan->command == NULL && plan->file == NULL)
		note_reported(app, news);
}

void pe_newsletter_send(struct pe_app *app, const struct pe_newsletter *news)
{
	const struct pe_nightly_plan *plan = &app->config->nightly;
	pe_auto_text json = PE_TEXT_INIT;
	bool delivered = false;

	if (news->n == 0)
		return;
	pe_newsletter_json(&json, news);
	if (plan->mail != NULL)
		complain(app, mail(plan->mail, news, app->err), &delivered);
	if (plan->command != NULL)
		complain(app, pipe_to(plan->command, app->config->root, &json, app->err),
			 &delivered);
	if (plan->file != NULL)
		complain(app, pe_outfile_write_file(&json, plan->file, app->err), &delivered);
	/* Where every way failed, the next night tries again. */
	if (delivered)
		note_reported(app, news);
}
