/*
 * Progress: what long work looks like while it lasts. On a terminal it is one line that is drawn again and
 * again; elsewhere it is a plain line now and then; for programs it is one JSON object a line. Notes are
 * printed above the line.
 */
#pragma once

#include "core/exec/ports.h"
#include "report/evolution.h"

#include <stdbool.h>
#include <stdint.h>

enum pe_display_mode {
	PE_DISPLAY_LINE,  /**< after a second of silence, at most 10 a second */
	PE_DISPLAY_PLAIN, /**< at most one line in 10 s */
	PE_DISPLAY_JSON,  /**< at most 10 a second, and whenever the phase changes */
};

struct pe_display_opts {
	enum pe_display_mode mode;
	struct pe_term term;
	/**
	 * Columns of the terminal just now, 0 while nothing may be drawn on it (another program has the
	 * foreground); NULL: always term.width.
	 */
	unsigned (*width)(void *payload);
	/** Takes what is to be shown; NULL: stderr. */
	void (*write)(const char *bytes, size_t n, void *payload);
	/** Nanoseconds of a steady clock; NULL: pe_clock_ns(). */
	uint64_t (*now_ns)(void *payload);
	void *payload;
};

struct pe_display;

/** A display that shows nothing yet; pe_display_close() it. */
struct pe_display *pe_display_open(const struct pe_display_opts *opts);

/** Show an event: the report of a struct pe_progress, whose payload is the display. */
void pe_display_report(const struct pe_progress_event *event, void *display);

/** Print a line of its own; the progress line comes back below it with the next event. */
void pe_display_note(struct pe_display *display, const char *text);

/** Take the line off the terminal, because something else is about to be written. NULL is allowed. */
void pe_display_hide(struct pe_display *display);

/** Hide and free. NULL is allowed. */
void pe_display_close(struct pe_display *display);

/**
 * Seconds that the rest of the runs will take: what is left, at the pace of the runs of this session so far.
 * Builds and warm-ups are neither in the pace nor in the rest. NaN: fewer than three runs were made, or their number is unknown.
 */
double pe_display_remaining(const struct pe_display *display);
