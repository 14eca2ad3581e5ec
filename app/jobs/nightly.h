/*
 * Nightly: one command for cron. Its parts: the steps of a night and the line that has it started (nightly.c), what is news and
 * who is notified (nightly_news.c).
 */
#pragma once

#include "app/app.h"
#include "report/commit_blocks.h"

/** A commit with a regression that fails the gate and was not reported yet. Strings live in the context's arena. */
struct pe_news {
	/** With those of its jumps that are confirmed, by themselves or with others, and were not reported yet. */
	struct pe_commit_block block;
	bool again; /**< others of its regressions were reported before */
};

struct pe_newsletter {
	const char *project;
	const struct pe_evolution *evolution; /**< of the commits; NULL: without any */
	const char *report;                   /**< path of the page; NULL: none */
	struct pe_news *at;                   /**< worst first */
	size_t n;
	size_t suspects;            /**< regressions that are not decided yet */
	bool cut_short;             /**< the night ended before everything was measured */
	struct pe_gate_limits gate; /**< that decided what is news */
};

/**
 * One night: fetch, track, bisect, report, notify. The output of all steps goes to a log in its folder.
 *
 * @param unmeasurable  the newest commit could not be measured
 * @return              PE_EBUSY: another night is still at work
 */
int pe_nightly_run(struct pe_newsletter *news, bool *unmeasurable, struct pe_app *app,
		   const struct pe_nightly_plan *plan);

/** The folder of a night's files: lock, log, reported jumps; it may be missing. In the context's arena. */
const char *pe_nightly_folder(struct pe_app *app);

/** The log, which the next nights go on with. In the context's arena. */
const char *pe_nightly_log(struct pe_app *app);

/**
 * Detect changes in the last commits of a history, and find those that were not reported yet.
 *
 * @param spec  tip of the history
 * @param last  commits of it
 */
int pe_newsletter_make(struct pe_newsletter *out, struct pe_app *app, const char *spec,
		       size_t last);

/** Send notifications by every way that the config names. A failure is a note; one success is enough. */
void pe_newsletter_send(struct pe_app *app, const struct pe_newsletter *news);

/** They stand on standard output: where the config names no other way, they are not news the next time. */
void pe_newsletter_printed(struct pe_app *app, const struct pe_newsletter *news);

/** In words: a paragraph an event, with its commit and author; for people and mails. */
void pe_newsletter_text(struct pe_text *out, const struct pe_newsletter *news);

/**
 * As JSON: { project, report, cut_short, suspects, events: [{ commit, ... , author }], regressions: [{ benchmark, metric, ...,
 * event: index into events }] }, the members of events as in report/evolution_json.c. A jump that
 * only its event confirms is among the event's jumps alone.
 */
void pe_newsletter_json(struct pe_text *out, const struct pe_newsletter *news);

/**
 * Append the line of a crontab that starts it every day.
 *
 * @param at  "HH:MM"
 * @return    PE_EINVALID: it is no time; PE_EUNSUPPORTED: cron cannot be given a path
 */
int pe_nightly_add_crontab(struct pe_text *out, struct pe_app *app,
			   const struct pe_nightly_plan *asked, const char *at);
