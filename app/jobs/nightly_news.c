/*
 * News: events with confirmed regressions that were not reported yet. What was reported stands in a file, a line a
 * regression: the benchmark, the metric and the commit, so that a night which is run again does not repeat itself.
 */
#include "app/jobs/nightly.h"

#include "app/history/values.h"
#include "app/history/machine_drift.h"
#include "core/base/clock.h"
#include "core/base/outfile.h"
#include "core/base/spawn.h"
#include "core/base/utf8.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/query.h"
#include "json/writer.h"

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

static bool is_reported(const struct pe_text *reported, const struct pe_line *line,
			const char *revision)
{
	pe_auto_text wanted = PE_TEXT_INIT;
	const char *found;

	add_line(&wanted, line->benchmark, line->metric->name, revision);
	found = strstr(pe_text_str(reported), pe_text_str(&wanted));
	while (found != NULL && found != pe_text_str(reported) && found[-1] != '\n')
		found = strstr(found + 1, pe_text_str(&wanted));
	return found != NULL;
}

static const char *new_id(const struct pe_newsletter *news, const struct pe_jump *jump)
{
	return news->evolution->revisions[jump->after].id;
}

static void note_reported(struct pe_app *app, const struct pe_newsletter *news)
{
	const char *path = reported_path(app);
	pe_auto_text reported = PE_TEXT_INIT;

	if (pe_text_read_file(&reported, path, NULL) != PE_OK)
		pe_text_clear(&reported);
	for (size_t i = 0; i < news->n; i++) {
		const struct pe_ranked_event *event = &news->at[i].event;

		for (size_t k = 0; k < event->n && event->jumps[k].jump->regression; k++)
			add_line(&reported, event->jumps[k].line->benchmark,
				 event->jumps[k].line->metric->name,
				 new_id(news, event->jumps[k].jump));
	}
	if (pe_text_write_file(&reported, path, app->err) != PE_OK)
		pe_app_note(app, "%s: these regressions will be reported again", app->err->message);
}

/* --- Finding --- */

struct finding {
	struct pe_newsletter *out;
	struct pe_arena *arena;
	size_t first; /* revision from which on regressions are news */
	struct pe_text reported;
};

/* Whether a jump is a regression that is confirmed by itself. */
static bool is_row(const struct pe_ranked_jump *ranked)
{
	return ranked->jump->regression && ranked->jump->state == PE_JUMP_CONFIRMED;
}

/* Whether a jump is news by itself, or with others of its event. */
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

/* What of an event is news: nothing unless a regression that is confirmed by itself is. */
static void take_event(struct finding *finding, const struct pe_ranked_event *event)
{
	struct pe_ranked_jump *jumps =
		pe_arena_new(finding->arena, struct pe_ranked_jump, event->n);
	struct pe_news one = {.event = {.event = event->event, .jumps = jumps}};

	for (size_t i = 0; i < event->n; i++)
		if (is_new(finding, &event->jumps[i], &one.again))
			jumps[one.event.n++] = event->jumps[i];
	/* What it made better was reported with the others. */
	while (one.again && one.event.n > 0 && !jumps[one.event.n - 1].jump->regression)
		one.event.n--;
	if (one.event.n == 0 || !is_row(&jumps[0]))
		return;
	pe_event_count(&one.event);
	finding->out->at[finding->out->n++] = one;
}

static void find_news(struct finding *finding, struct pe_app *app)
{
	size_t n;
	const struct pe_ranked_event *events =
		pe_evolution_events(&n, finding->out->evolution, app->arena);

	if (pe_text_read_file(&finding->reported, reported_path(app), NULL) != PE_OK)
		pe_text_clear(&finding->reported);
	finding->out->at = pe_arena_new(app->arena, struct pe_news, n);
	for (size_t i = 0; i < n; i++)
		take_event(finding, &events[i]);
	pe_text_release(&finding->reported);
}

int pe_newsletter_make(struct pe_newsletter *out, struct pe_app *app, const char *spec, size_t last,
		       int64_t newest)
{
	struct pe_evolution *evolution = pe_arena_new(app->arena, struct pe_evolution, 1);
	struct finding finding = {.out = out, .arena = app->arena};
	/* All that is stored: a longer series is judged better than a short one. */
	const struct pe_values_asked asked = {.range = spec, .decides = true};
	const struct pe_machine_drift_asked moved = {.newest = newest};
	int rc = pe_values_load(evolution, app, &asked);

	*out = (struct pe_newsletter){.project = pe_repo_name(app->repo),
				      .made_s = pe_clock_now_s()};
	/* Nothing measured is nothing new. */
	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	out->evolution = evolution;
	finding.first = evolution->n_revisions > last ? evolution->n_revisions - last : 0;
	find_news(&finding, app);
	return pe_machine_drift_find(&out->machine_drift, app, &moved);
}

/* --- Writing --- */

static void add_commit(struct pe_text *out, const struct pe_revision *commit)
{
	pe_text_addf(out, "  %.10s ", commit->id);
	pe_utf8_add_visible(out, commit->subject, "");
	pe_text_add(out, " (");
	pe_utf8_add_visible(out, commit->author, "");
	pe_text_add(out, ")\n");
}

/* The commits that it may be, where they are more than one, and how to look at what changed. */
static void add_sides(struct pe_text *out, const struct pe_newsletter *news,
		      const struct pe_jump *jump)
{
	const char *before = news->evolution->revisions[jump->before].id;

	if (jump->commits > 1)
		pe_text_addf(out, "  or one of the %zu commits since %.10s\n", jump->commits,
			     before);
	pe_text_addf(out, "  perfevo compare %.10s %.10s\n", before, new_id(news, jump));
}

static void add_jump(struct pe_text *out, const struct pe_newsletter *news,
		     const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;

	pe_utf8_add_visible(out, ranked->line->benchmark, "");
	pe_text_add(out, ": ");
	pe_utf8_add_visible(out, ranked->line->metric->label, "");
	pe_text_addc(out, ' ');
	pe_jump_add_change(out, jump);
	pe_text_add(out, ", ");
	pe_format_step(out, jump->old_level, jump->new_level, ranked->line->metric->unit);
	pe_text_addc(out, '\n');
	add_commit(out, &news->evolution->revisions[jump->after]);
	if (pe_jump_layout(jump) != NULL)
		pe_text_addf(out, "  %s\n", pe_jump_layout(jump));
	add_sides(out, news, jump);
}

/* The worst of its jumps that begin where the event does; else its worst. */
static const struct pe_jump *jump_at(const struct pe_ranked_event *event)
{
	for (size_t i = 0; i < event->n; i++)
		if (event->jumps[i].jump->after == event->event->commit)
			return event->jumps[i].jump;
	return event->jumps[0].jump;
}

/* Layout alone, where it is that for every benchmark of which it is known. */
static const char *layout_of(const struct pe_ranked_event *event)
{
	for (size_t i = 0; i < event->n; i++)
		if (is_row(&event->jumps[i]) && pe_jump_layout(event->jumps[i].jump) == NULL)
			return NULL;
	return pe_jump_layout(event->jumps[0].jump);
}

/* An event of many benchmarks: how many, the worst, and the changed functions that they share. */
static void add_wide(struct pe_text *out, const struct pe_newsletter *news,
		     const struct pe_ranked_event *event)
{
	const struct pe_jump *jump = jump_at(event);
	pe_auto_text text = PE_TEXT_INIT;

	pe_event_add_counts(&text, event);
	pe_utf8_add_visible(out, pe_text_str(&text), "");
	pe_text_addc(out, '\n');
	add_commit(out, &news->evolution->revisions[jump->after]);
	if (event->event->n_functions > 0) {
		pe_text_clear(&text);
		pe_event_add_functions(&text, event);
		pe_text_add(out, "  changed: ");
		pe_utf8_add_visible(out, pe_text_str(&text), "");
		pe_text_addc(out, '\n');
	}
	if (layout_of(event) != NULL)
		pe_text_addf(out, "  %s\n", layout_of(event));
	add_sides(out, news, jump);
}

static void add_news(struct pe_text *out, const struct pe_newsletter *news,
		     const struct pe_news *one)
{
	const struct pe_ranked_event *event = &one->event;

	if (pe_event_is_wide(event))
		add_wide(out, news, event);
	for (size_t i = 0; i < event->n && !pe_event_is_wide(event); i++)
		if (is_row(&event->jumps[i]))
			add_jump(out, news, &event->jumps[i]);
	if (one->again)
		pe_text_add(out, "  others of its regressions were reported before\n");
}

void pe_newsletter_text(struct pe_text *out, const struct pe_newsletter *news)
{
	if (news->n == 0)
		pe_text_add(out, "no new regression\n");
	else
		pe_text_addf(out, "%zu new %s in ", news->n,
			     news->n == 1 ? "regression" : "regressions");
	if (news->n > 0) {
		pe_utf8_add_visible(out, news->project, "");
		pe_text_add(out, "\n\n");
	}
	for (size_t i = 0; i < news->n; i++)
		add_news(out, news, &news->at[i]);
	if (news->suspects > 0)
		pe_text_addf(out, "%s%zu %s not decided yet\n", news->n > 0 ? "\n" : "",
			     news->suspects,
			     news->suspects == 1 ? "suspected regression is"
						 : "suspected regressions are");
	if (news->machine_drift != NULL) {
		pe_text_add(out, news->n > 0 && news->suspects == 0 ? "\n" : "");
		pe_machine_drift_add(out, news->machine_drift, news->made_s);
		pe_text_addc(out, '\n');
	}
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
	const struct pe_ranked_event *ranked = &news->at[event].event;

	pe_json_begin_object(json, NULL);
	pe_event_json(json, news->evolution, ranked);
	pe_json_put(json, "author", news->evolution->revisions[ranked->event->commit].author);
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
	pe_jump_json_layout(json, jump);
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
		for (size_t k = 0; k < news->at[i].event.n; k++)
			put_regression(json, news, i, &news->at[i].event.jumps[k]);
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
	pe_machine_drift_json(&json, news->machine_drift);
	pe_json_finish(&json);
}

/* --- Notifying --- */

/* Give a program a text on its input and wait for it. PE_ESYS when it cannot be started or says no. */
static int pipe_to(const char *command, const struct pe_text *text, struct pe_err *err)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	const struct pe_spawn spawn = {PE_SPAWN_INIT, .argv = argv};
	/* One that does not read what it is given may still have done its work. */
	const struct pe_spawn_io io = {.input = pe_text_str(text), .n_input = text->len};
	int status, rc = pe_spawn_run(&status, &spawn, &io, err);

	if (rc == PE_OK && !pe_spawn_succeeded(status))
		rc = pe_fail(err, PE_ESYS, "'%s' ended with status %d", command,
			     WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return rc;
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
	return pipe_to(command, &text, err);
}

/* The command as if it were given at the top of the tree. */
static const char *at_root(struct pe_app *app, const char *command)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(&text, "cd ");
	pe_text_add_quoted(&text, app->config->root != NULL ? app->config->root : ".");
	pe_text_addf(&text, " && %s", command);
	return pe_arena_strdup(app->arena, pe_text_str(&text));
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
		complain(app, pipe_to(at_root(app, plan->command), &json, app->err), &delivered);
	if (plan->file != NULL)
		complain(app, pe_outfile_write_file(&json, plan->file, app->err), &delivered);
	/* Where every way failed, the next night tries again. */
	if (delivered)
		note_reported(app, news);
}
