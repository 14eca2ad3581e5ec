/*
 * News: confirmed regressions that were not reported yet. What was reported stands in a file, a line a regression: the
 * benchmark, the metric and the commit, so that a night which is run again does not repeat itself.
 */
#include "app/jobs/nightly.h"

#include "app/history/values.h"
#include "app/history/machine_drift.h"
#include "core/base/clock.h"
#include "core/base/outfile.h"
#include "core/base/spawn.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/query.h"
#include "json/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- What was reported --- */

static const char *told_path(struct pe_app *app)
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

static bool is_told(const struct pe_text *told, const struct pe_line *line, const char *revision)
{
	pe_auto_text wanted = PE_TEXT_INIT;
	const char *found;

	add_line(&wanted, line->benchmark, line->metric->name, revision);
	found = strstr(pe_text_str(told), pe_text_str(&wanted));
	while (found != NULL && found != pe_text_str(told) && found[-1] != '\n')
		found = strstr(found + 1, pe_text_str(&wanted));
	return found != NULL;
}

static void note_told(struct pe_app *app, const struct pe_newsletter *news)
{
	const char *path = told_path(app);
	pe_auto_text told = PE_TEXT_INIT;

	if (pe_text_read_file(&told, path, NULL) != PE_OK)
		pe_text_clear(&told);
	for (size_t i = 0; i < news->n; i++)
		add_line(&told, news->at[i].benchmark, news->at[i].metric->name,
			 news->at[i].after->id);
	if (pe_text_write_file(&told, path, app->err) != PE_OK)
		pe_app_note(app, "%s: these regressions will be reported again", app->err->message);
}

/* --- Finding --- */

struct finding {
	struct pe_newsletter *out;
	struct pe_app *app;
	const struct pe_evolution *evolution;
	size_t first; /* revision from which on regressions are news */
	struct pe_text told;
	PE_VEC(struct pe_news) news;
};

static void take_jump(struct finding *finding, const struct pe_line *line,
		      const struct pe_jump *jump)
{
	const struct pe_evolution *evolution = finding->evolution;
	const struct pe_news one = {
		.benchmark = line->benchmark,
		.metric = line->metric,
		.before = &evolution->revisions[jump->before],
		.after = &evolution->revisions[jump->after],
		.jump = jump,
	};

	if (!jump->regression || jump->state == PE_JUMP_ACCEPTED || jump->after < finding->first)
		return;
	if (jump->state == PE_JUMP_SUSPECT)
		finding->out->suspects += !jump->told;
	else if (!is_told(&finding->told, line, one.after->id))
		pe_vec_push(&finding->news, one);
}

static double size_of(const struct pe_news *news)
{
	double size = fabs(log1p(news->jump->relative));

	return isnan(size) ? INFINITY : size;
}

static int worst_first(const void *a, const void *b)
{
	double left = size_of(a), right = size_of(b);

	return (left < right) - (left > right);
}

int pe_newsletter_make(struct pe_newsletter *out, struct pe_app *app, const char *spec, size_t last,
		       int64_t newest)
{
	struct pe_evolution *evolution = pe_arena_new(app->arena, struct pe_evolution, 1);
	struct finding finding = {.out = out, .app = app, .evolution = evolution};
	/* All that is stored: a longer series is judged better than a short one. */
	const struct pe_values_asked asked = {.range = spec, .decides = true};
	const struct pe_machine_drift_asked moved = {.newest = newest};
	int rc = pe_values_load(evolution, app, &asked);

	*out = (struct pe_newsletter){.project = pe_repo_name(app->repo),
				      .made_s = pe_clock_now_s()};
	finding.first = evolution->n_revisions > last ? evolution->n_revisions - last : 0;
	/* Nothing measured is nothing new. */
	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	if (pe_text_read_file(&finding.told, told_path(app), NULL) != PE_OK)
		pe_text_clear(&finding.told);
	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t j = 0; evolution->lines[l].judged && j < evolution->lines[l].n_jumps;
		     j++)
			take_jump(&finding, &evolution->lines[l], &evolution->lines[l].jumps[j]);
	out->n = finding.news.n;
	out->at = pe_arena_new(app->arena, struct pe_news, out->n);
	if (out->n > 0) {
		memcpy(out->at, finding.news.data, out->n * sizeof(*out->at));
		qsort(out->at, out->n, sizeof(*out->at), worst_first);
	}
	pe_vec_release(&finding.news);
	pe_text_release(&finding.told);
	return pe_machine_drift_find(&out->machine_drift, app, &moved);
}

/* --- Writing --- */

static void add_news(struct pe_text *out, const struct pe_news *news)
{
	const struct pe_jump *jump = news->jump;

	pe_utf8_add_visible(out, news->benchmark, "");
	pe_text_add(out, ": ");
	pe_utf8_add_visible(out, news->metric->label, "");
	pe_text_addc(out, ' ');
	pe_jump_add_change(out, jump);
	pe_text_add(out, ", ");
	pe_format_step(out, jump->old_level, jump->new_level, news->metric->unit);
	pe_text_addf(out, "\n  %.10s ", news->after->id);
	pe_utf8_add_visible(out, news->after->subject, "");
	pe_text_add(out, " (");
	pe_utf8_add_visible(out, news->after->author, "");
	pe_text_add(out, ")\n");
	if (pe_jump_layout(jump) != NULL)
		pe_text_addf(out, "  %s\n", pe_jump_layout(jump));
	if (jump->commits > 1)
		pe_text_addf(out, "  or one of the %zu commits since %.10s\n", jump->commits,
			     news->before->id);
	pe_text_addf(out, "  perfevo compare %.10s %.10s\n", news->before->id, news->after->id);
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
		add_news(out, &news->at[i]);
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

static void put_news(struct pe_json *json, const struct pe_news *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", one->benchmark);
	pe_json_put(json, "metric", one->metric->name);
	pe_json_put(json, "unit", one->metric->unit);
	pe_json_computed(json, "old", one->jump->old_level);
	pe_json_computed(json, "new", one->jump->new_level);
	pe_json_computed_members(json, one->jump, relative, low, high);
	pe_jump_json_layout(json, one->jump);
	pe_json_put(json, "before", one->before->id);
	pe_json_put(json, "commit", one->after->id);
	pe_json_put(json, "commits", one->jump->commits);
	pe_json_members(json, one->after, author, subject);
	pe_json_end(json);
}

void pe_newsletter_json(struct pe_text *out, const struct pe_newsletter *news)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_members(&json, news, project, report, cut_short, suspects);
	pe_json_each_row(&json, "regressions", i, news->n, put_news(&json, &news->at[i]));
	pe_machine_drift_json(&json, news->machine_drift);
	pe_json_finish(&json);
}

/* --- Telling --- */

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

static void complain(struct pe_app *app, int rc, bool *told)
{
	if (rc != PE_OK)
		pe_app_note(app, "notification failed: %s", app->err->message);
	*told = *told || rc == PE_OK;
}

void pe_newsletter_printed(struct pe_app *app, const struct pe_newsletter *news)
{
	const struct pe_nightly_plan *plan = &app->config->nightly;

	if (news->n > 0 && plan->mail == NULL && plan->command == NULL && plan->file == NULL)
		note_told(app, news);
}

void pe_newsletter_send(struct pe_app *app, const struct pe_newsletter *news)
{
	const struct pe_nightly_plan *plan = &app->config->nightly;
	pe_auto_text json = PE_TEXT_INIT;
	bool told = false;

	if (news->n == 0)
		return;
	pe_newsletter_json(&json, news);
	if (plan->mail != NULL)
		complain(app, mail(plan->mail, news, app->err), &told);
	if (plan->command != NULL)
		complain(app, pipe_to(at_root(app, plan->command), &json, app->err), &told);
	if (plan->file != NULL)
		complain(app, pe_outfile_write_file(&json, plan->file, app->err), &told);
	/* Where every way failed, the next night tries again. */
	if (told)
		note_told(app, news);
}
