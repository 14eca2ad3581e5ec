/*
 * Progress: what is drawn, when, and what it promises; on a clock that the test turns. Scripts of events and what is
 * written of them are in progress.cases.
 */
#include "cmd/ui/progress.h"

#include "core/base/text.h"
#include "tests/support/cases.h"

#define SECONDS(n) ((uint64_t)((n)*1e9))

static uint64_t now_ns;
static struct pe_text seen;
static struct pe_display *display;

static void take(const char *bytes, size_t n, void *payload)
{
	cr_assert(eq(ptr, payload, &seen));
	pe_text_addn(&seen, bytes, n);
}

static uint64_t clock_hand(void *payload)
{
	(void)payload;
	return now_ns;
}

static void start(enum pe_display_mode mode, unsigned width)
{
	const struct pe_display_opts opts = {
		.mode = mode,
		.term = {.width = width},
		.write = take,
		.now_ns = clock_hand,
		.payload = &seen,
	};

	now_ns = SECONDS(1000);
	display = pe_display_open(&opts);
}

TestSuiteWith(progress, (void)0, (pe_display_close(display), pe_text_release(&seen)),
	      .timeout = 600);

#define ID "3f2a91c5d0000000000000000000000000000000"

/* What a script may report; the numbers are its own. */
static const struct {
	const char *word;
	struct pe_progress_event event;
} events[] = {
	{"run",
	 {.phase = PE_PROGRESS_RUN,
	  .revision = ID,
	  .commit = 12,
	  .commits = 50,
	  .benchmark = "parse[n=10]"}},
	{"warmup", {.phase = PE_PROGRESS_WARMUP}},
	{"count", {.phase = PE_PROGRESS_COUNT, .revision = ID, .benchmark = "prog"}},
	{"build",
	 {.phase = PE_PROGRESS_BUILD, .revision = ID, .subject = "parser: take the short way"}},
	{"unnamed", {.phase = PE_PROGRESS_BUILD, .revision = ID}},
	{"failed", {.phase = PE_PROGRESS_BUILD, .revision = ID, .failed = 3}},
	{"methods",
	 {.phase = PE_PROGRESS_METHODS, .revision = ID, .subject = "parser: take the short way"}},
	{"ask", {.phase = PE_PROGRESS_ASK}},
};

static void report(const char *word, const char *rest)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct pe_progress_event event = events[i].event;

		if (strcmp(events[i].word, word) != 0)
			continue;
		if (sscanf(rest, "%zu/%zu", &event.done, &event.total) != 2)
			event.text = rest;
		pe_display_report(&event, display);
		return;
	}
	cr_assert(false, "what is '%s'?", word);
}

static void run(size_t done, size_t total)
{
	char numbers[64];

	snprintf(numbers, sizeof(numbers), "%zu/%zu", done, total);
	report("run", numbers);
}

/*
 * A line of a script: "+SECONDS" turns the clock, "only" forgets what was written before, "left" writes the seconds that
 * remain, "note" and "hide" are the display's, other words are events, with DONE/TOTAL or a text.
 */
static void play(char *line)
{
	char *rest = strchr(line, ' ');

	rest = rest != NULL ? (*rest = '\0', rest + 1) : line + strlen(line);
	if (*line == '+')
		now_ns += SECONDS(atof(line));
	else if (strcmp(line, "only") == 0)
		pe_text_clear(&seen);
	else if (strcmp(line, "left") == 0)
		pe_text_addf(&seen, "<%g s>", pe_display_remaining(display));
	else if (strcmp(line, "note") == 0)
		pe_display_note(display, rest);
	else if (strcmp(line, "hide") == 0)
		pe_display_hide(display);
	else
		report(line, rest);
}

static void play_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	const enum pe_display_mode mode = strncmp(word, "line", 4) == 0 ? PE_DISPLAY_LINE
					  : strcmp(word, "json") == 0   ? PE_DISPLAY_JSON
									: PE_DISPLAY_PLAIN;
	char *script = strdup(input);

	pe_text_clear(&seen);
	start(mode, mode == PE_DISPLAY_LINE ? (unsigned)atoi(word + 4) : 0);
	for (char *line = strtok(script, ";"); line != NULL; line = strtok(NULL, ";")) {
		pe_text_clear(result);
		play(line + strspn(line, " "));
	}
	pe_text_addn(result, pe_text_str(&seen), seen.len);
	pe_display_close(display);
	display = NULL;
	free(script);
	(void)n;
}

Test(progress, is_written_as_the_cases_say)
{
	cases_check("cmd", "progress.cases", play_case);
}

Test(progress, draws_at_most_ten_times_a_second)
{
	size_t lines = 0;

	start(PE_DISPLAY_LINE, 80);
	for (size_t i = 0; i < 3000; i++) {
		run(i, 3000);
		now_ns += SECONDS(0.001);
	}
	for (const char *at = seen.data; (at = strchr(at, '\r')) != NULL; at++)
		lines++;
	cr_assert(ge(sz, lines, 19));
	cr_assert(le(sz, lines, 21));
}

static unsigned columns;

static unsigned columns_now(void *payload)
{
	(void)payload;
	return columns;
}

Test(progress, follows_the_window_and_keeps_off_it_in_the_background)
{
	const struct pe_display_opts opts = {
		.mode = PE_DISPLAY_LINE,
		.width = columns_now,
		.write = take,
		.now_ns = clock_hand,
		.payload = &seen,
	};

	display = pe_display_open(&opts);
	run(0, 1250);
	now_ns += SECONDS(5);
	columns = 0;
	run(10, 1250);
	cr_expect(eq(sz, seen.len, 0));
	now_ns += SECONDS(1);
	columns = 21;
	run(20, 1250);
	cr_assert(le(sz, seen.len, 1 + 20 + 3));
	cr_assert(ge(sz, seen.len, 1 + 10 + 3));
}

/* Of 20 cells with 5 runs each the first 10 time out in 60 s of warming up; the others take a second a run. */
Test(progress, takes_no_run_that_a_failed_warm_up_spares_for_a_fast_one)
{
	struct pe_progress_event warmup = {.phase = PE_PROGRESS_WARMUP, .total = 100, .rounds = 1};
	struct pe_progress_event timed = {.phase = PE_PROGRESS_RUN, .total = 100, .rounds = 5};

	start(PE_DISPLAY_LINE, 200);
	for (size_t i = 0; i < 10; i++) {
		pe_display_report(&warmup, display);
		now_ns += SECONDS(60);
		warmup.done += 5;
	}
	timed.done = warmup.done;
	for (size_t i = 0; i < 4; i++) {
		warmup.done = timed.done;
		pe_display_report(&warmup, display);
		now_ns += SECONDS(60);
		pe_display_report(&timed, display);
		now_ns += SECONDS(1);
		timed.done++;
	}
	warmup.done = timed.done;
	pe_display_report(&warmup, display);
	/* Runs of a second. */
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 46, 1e-9));
}
