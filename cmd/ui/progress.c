/*
 * Progress. An event announces the next step, so the time up to the next event is that step's: each phase has a pace of its
 * own.
 */
#include "cmd/ui/progress.h"

#include "core/json/writer.h"
#include "cmd/ui/term.h"
#include "core/base/arena.h"
#include "core/base/clock.h"
#include "report/format.h"
#include "report/terminal.h"
#include "core/base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t SECOND = 1000000000;

enum {
	SHORT_ID = 7,
	LEAST_MADE = 3, /* before a pace means anything */
	NAME_COLUMNS = 32,
};

/* Of the builds, runs or others of this session. */
struct pace {
	uint64_t spent_ns;
	size_t made;       /* since it began */
	size_t done, left; /* as the last event had it; SIZE_MAX: their number is unknown */
	bool counts;       /* what is done until the next event was made */
};

struct pe_display {
	struct pe_display_opts opts;
	bool started; /* an event came */
	bool drawn;   /* the line is on the terminal */
	uint64_t start_ns, shown_ns,
		last_ns;              /* of the first event, what was shown last, the last event */
	bool shown;                   /* shown_ns holds */
	enum pe_progress_phase phase; /* of the last event */
	struct pace pace[PE_PROGRESS_NOTE];
};

static void to_stderr(const char *bytes, size_t n, void *payload)
{
	(void)payload;
	pe_term_write(STDERR_FILENO, bytes, n, NULL); /* a failure to show progress is ignored */
}

static uint64_t steady_ns(void *payload)
{
	(void)payload;
	return pe_clock_ns();
}

struct pe_display *pe_display_open(const struct pe_display_opts *opts)
{
	struct pe_display *display = pe_realloc(NULL, 1, sizeof(*display));

	*display = (struct pe_display){.opts = *opts};
	if (display->opts.write == NULL)
		display->opts.write = to_stderr;
	if (display->opts.now_ns == NULL)
		display->opts.now_ns = steady_ns;
	return display;
}

static void put(struct pe_display *display, const struct pe_text *text)
{
	display->opts.write(pe_text_str(text), text->len, display->opts.payload);
}

void pe_display_hide(struct pe_display *display)
{
	static const char clear[] = "\r\033[K";

	if (display == NULL || !display->drawn)
		return;
	display->opts.write(clear, sizeof(clear) - 1, display->opts.payload);
	display->drawn = false;
}

void pe_display_close(struct pe_display *display)
{
	pe_display_hide(display);
	free(display);
}

/* Seconds that the rest of a phase takes; NaN: unknown. */
static double seconds_left(const struct pace *pace)
{
	if (pace->left == SIZE_MAX || pace->made < LEAST_MADE)
		return NAN;
	return (double)pace->spent_ns / 1e9 / (double)pace->made * (double)pace->left;
}

double pe_display_remaining(const struct pe_display *display)
{
	return seconds_left(&display->pace[PE_PROGRESS_RUN]);
}

/* --- What an event looks like --- */

/* Whole seconds, after hours too: a digit that changes ten times a second tells nothing, one that stands still less. */
static void add_elapsed(struct pe_text *out, double seconds)
{
	pe_format_duration(out, (uint64_t)floor(seconds) * SECOND);
}

/* An estimate: beyond two minutes its seconds are noise, and are not printed. */
static void add_estimate(struct pe_text *out, double seconds)
{
	double whole = fmax(1, floor(seconds));

	if (whole >= 120 && whole < 3600)
		pe_text_addf(out, "%.0f min", floor(whole / 60));
	else
		pe_format_duration(out, (uint64_t)whole * SECOND);
}

static bool is_of_runs(const struct pe_progress_event *event)
{
	return event->phase == PE_PROGRESS_RUN || event->phase == PE_PROGRESS_WARMUP;
}

/* A sentence, and nothing that is being done. */
static bool is_said(const struct pe_progress_event *event)
{
	return event->phase == PE_PROGRESS_NOTE;
}

static const char *separator(const struct pe_display *display)
{
	return display->opts.mode == PE_DISPLAY_LINE ? "  " : ", ";
}

/* Adaptive measuring and fresh pairs find out on the way how much there is to do. */
static bool knows_total(const struct pe_progress_event *event)
{
	return is_of_runs(event) ? event->total > 0 && event->done <= event->total
				 : event->done < event->total;
}

/* " 3/20", or " 3". */
static void add_place(struct pe_text *out, const struct pe_progress_event *event)
{
	pe_text_addf(out, " %zu", is_of_runs(event) ? event->done : event->done + 1);
	if (knows_total(event))
		pe_text_addf(out, "/%zu", event->total);
}

/* A revision is built, or compared with its predecessor. */
static void describe_revision(struct pe_text *out, const struct pe_display *display,
			      const struct pe_progress_event *event)
{
	pe_text_add(out, event->phase == PE_PROGRESS_BUILD ? "build" : "changed methods");
	add_place(out, event);
	if (event->revision != NULL)
		pe_text_addf(out, " %.*s", SHORT_ID, event->revision);
	if (event->subject != NULL && event->subject[0] != '\0') {
		pe_text_add(out, separator(display));
		pe_term_add(out, &display->opts.term, event->subject, NAME_COLUMNS);
	}
	if (event->failed > 0)
		pe_text_addf(out, "%s%zu commit%s failed", separator(display), event->failed,
			     event->failed == 1 ? "" : "s");
}

/* Not which commit of how many it is: rounds are shuffled, and that number goes up and down. */
static void describe_run(struct pe_text *out, const struct pe_display *display,
			 const struct pe_progress_event *event)
{
	if (event->revision != NULL)
		pe_text_addf(out, "%.*s%s", SHORT_ID, event->revision, separator(display));
	if (event->benchmark != NULL) {
		pe_term_add(out, &display->opts.term, event->benchmark, NAME_COLUMNS);
		pe_text_add(out, separator(display));
	}
	if (event->phase == PE_PROGRESS_WARMUP)
		pe_text_add(out, "warming up, ");
	pe_text_add(out, event->phase == PE_PROGRESS_COUNT ? "counting" : "run");
	add_place(out, event);
}

static void describe(struct pe_text *out, const struct pe_display *display,
		     const struct pe_progress_event *event, uint64_t now)
{
	const bool builds = event->phase == PE_PROGRESS_BUILD;
	double left_s = is_of_runs(event) ? pe_display_remaining(display)
			: builds          ? seconds_left(&display->pace[PE_PROGRESS_BUILD])
					  : NAN;

	if (!is_of_runs(event) && event->phase != PE_PROGRESS_COUNT)
		describe_revision(out, display, event);
	else
		describe_run(out, display, event);
	pe_text_addf(out, "%selapsed ", separator(display));
	add_elapsed(out, (double)(now - display->start_ns) / 1e9);
	if (isnan(left_s))
		return;
	pe_text_addf(out, "%s%sabout ", separator(display), builds ? "builds " : "");
	add_estimate(out, left_s);
	pe_text_add(out, builds ? " more" : " left");
}

static void put_text(struct pe_json *json, const char *key, const char *value)
{
	if (value != NULL)
		pe_json_put(json, key, value);
}

/* Rounded to tenths of a second, which is its precision. */
static double tenths(double seconds)
{
	return round(10 * seconds) / 10;
}

static void describe_json(struct pe_text *out, const struct pe_display *display,
			  const struct pe_progress_event *event, uint64_t now)
{
	static const char *const names[] = {
		[PE_PROGRESS_BUILD] = "build", [PE_PROGRESS_WARMUP] = "warmup",
		[PE_PROGRESS_RUN] = "run",     [PE_PROGRESS_METHODS] = "methods",
		[PE_PROGRESS_COUNT] = "count", [PE_PROGRESS_ASK] = "ask",
		[PE_PROGRESS_NOTE] = "note",
	};
	struct pe_json json = PE_JSON_INIT(out);
	double remaining = pe_display_remaining(display);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "event", names[event->phase]);
	put_text(&json, "text", event->text);
	if (!is_said(event))
		pe_json_put(&json, "done", event->done);
	if (!is_said(event) && knows_total(event))
		pe_json_put(&json, "total", event->total);
	if (event->commits > 0)
		pe_json_members(&json, event, commit, commits);
	put_text(&json, "revision", event->revision);
	put_text(&json, "subject", event->subject);
	put_text(&json, "benchmark", event->benchmark);
	if (event->rounds > 0)
		pe_json_members(&json, event, round, rounds);
	if (display->started)
		pe_json_put(&json, "elapsed_s", tenths((double)(now - display->start_ns) / 1e9));
	if (!is_said(event) && event->phase != PE_PROGRESS_METHODS && !isnan(remaining))
		pe_json_put(&json, "remaining_s", tenths(remaining));
	pe_json_finish(&json);
}

/* --- When it is shown --- */

static void draw_line(struct pe_display *display, const struct pe_text *line)
{
	size_t width = display->opts.width != NULL ? display->opts.width(display->opts.payload)
						   : display->opts.term.width;
	pe_auto_text text = PE_TEXT_INIT;

	if (width == 0)
		return;
	/* The last column stays free: a terminal may wrap when it is written. */
	pe_text_add(&text, "\r");
	pe_term_add(&text, &display->opts.term, pe_text_str(line), width - 1);
	pe_text_add(&text, "\033[K");
	put(display, &text);
	display->drawn = true;
}

static uint64_t pause_of(enum pe_display_mode mode)
{
	return mode == PE_DISPLAY_PLAIN ? 10 * SECOND : SECOND / 10;
}

static bool is_due(const struct pe_display *display, uint64_t now, bool phase_changed)
{
	if (display->opts.mode == PE_DISPLAY_JSON && phase_changed)
		return true;
	if (!display->shown)
		return display->opts.mode == PE_DISPLAY_JSON ||
		       now - display->start_ns >=
			       (display->opts.mode == PE_DISPLAY_LINE ? SECOND : 10 * SECOND);
	return now - display->shown_ns >= pause_of(display->opts.mode);
}

/* The time since the last event was spent on what that event announced. */
static void account(struct pe_display *display, const struct pe_progress_event *event, uint64_t now)
{
	struct pace *runs = &display->pace[PE_PROGRESS_RUN];
	struct pace *pace = is_of_runs(event) ? runs : &display->pace[event->phase];

	if (display->started)
		display->pace[display->phase].spent_ns += now - display->last_ns;
	else
		display->start_ns = now;
	if (pace->counts && event->done > pace->done)
		pace->made += event->done - pace->done;
	/* Runs that a failed warm-up takes off are done, too, as those that were counted: none of them was made. */
	if (event->phase == PE_PROGRESS_COUNT)
		runs->counts = false;
	pace->counts = event->phase != PE_PROGRESS_WARMUP;
	pace->done = event->done;
	pace->left = knows_total(event) ? event->total - event->done : SIZE_MAX;
	display->started = true;
	display->last_ns = now;
}

/* A note is one line, so that a line break in a name cannot forge a message of perfevo's. */
static void add_note(struct pe_text *out, const char *note)
{
	pe_text_add(out, "perfevo: ");
	pe_utf8_add_visible(out, note, "");
	pe_text_addc(out, '\n');
}

void pe_display_report(const struct pe_progress_event *event, void *payload)
{
	struct pe_display *display = payload;
	uint64_t now = display->opts.now_ns(display->opts.payload);
	pe_auto_text text = PE_TEXT_INIT;
	bool changed;

	if (event->phase == PE_PROGRESS_NOTE) {
		pe_display_note(display, event->text);
		return;
	}
	/* How long the answer takes is unknown, and nothing happens until then: the line does not wait for a second. */
	if (event->phase == PE_PROGRESS_ASK) {
		pe_text_addf(&text, "asking %s ...", event->text);
		if (display->opts.mode == PE_DISPLAY_LINE)
			draw_line(display, &text);
		return;
	}
	changed = !display->started || display->phase != event->phase;
	account(display, event, now);
	display->phase = event->phase;
	if (!is_due(display, now, changed))
		return;
	if (display->opts.mode == PE_DISPLAY_JSON) {
		describe_json(&text, display, event, now);
		put(display, &text);
	} else if (display->opts.mode == PE_DISPLAY_PLAIN) {
		describe(&text, display, event, now);
		pe_display_note(display, pe_text_str(&text));
	} else {
		describe(&text, display, event, now);
		draw_line(display, &text);
	}
	display->shown = true;
	display->shown_ns = now;
}

void pe_display_note(struct pe_display *display, const char *text)
{
	const struct pe_progress_event note = {.phase = PE_PROGRESS_NOTE, .text = text};
	pe_auto_text out = PE_TEXT_INIT;

	if (display->opts.mode == PE_DISPLAY_JSON) {
		describe_json(&out, display, &note, display->opts.now_ns(display->opts.payload));
	} else {
		pe_display_hide(display);
		add_note(&out, text);
	}
	put(display, &out);
}
