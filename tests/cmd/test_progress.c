/* Progress: what is drawn, when, and what it promises; on a clock that the test turns. */
#include "cmd/ui/progress.h"

#include "core/base/text.h"
#include "tests/support/test.h"

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

static void run(size_t done, size_t total)
{
	const struct pe_progress_event event = {
		.phase = PE_PROGRESS_RUN,
		.done = done,
		.total = total,
		.revision = "3f2a91c5d0000000000000000000000000000000",
		.commit = 12,
		.commits = 50,
		.benchmark = "parse[n=10]",
	};

	pe_display_report(&event, display);
}

static void build(size_t done, size_t total)
{
	const struct pe_progress_event event = {
		.phase = PE_PROGRESS_BUILD,
		.done = done,
		.total = total,
		.revision = "3f2a91c5d0000000000000000000000000000000",
		.subject = "parser: take the short way",
	};

	pe_display_report(&event, display);
}

static void run_after(double seconds, size_t done, size_t total)
{
	now_ns += SECONDS(seconds);
	run(done, total);
}

static void build_after(double seconds, size_t done, size_t total)
{
	now_ns += SECONDS(seconds);
	build(done, total);
}

static void report_after(double seconds, const struct pe_progress_event *event)
{
	now_ns += SECONDS(seconds);
	pe_display_report(event, display);
}

static void expect(const char *text)
{
	cr_assert_str_eq(pe_text_str(&seen), text);
	pe_text_clear(&seen);
}

Test(progress, draws_one_line_after_a_second_of_silence)
{
	start(PE_DISPLAY_LINE, 200);
	run(0, 1250);
	run_after(0.9, 170, 1250);
	expect("");
	run_after(0.1, 340, 1250);
	expect("\r3f2a91c  parse[n=10]  run 340/1250  elapsed 1 s  about 2 s left\033[K");
}

Test(progress, of_builds_has_the_number_that_failed)
{
	struct pe_progress_event event = {
		.phase = PE_PROGRESS_BUILD,
		.done = 46,
		.revision = "3f2a91c5d0000000000000000000000000000000",
	};

	start(PE_DISPLAY_LINE, 200);
	pe_display_report(&event, display);
	report_after(1, &event);
	expect("\rbuild 47 3f2a91c  elapsed 1 s\033[K");
	event.total = 50;
	event.failed = 3;
	report_after(1, &event);
	expect("\rbuild 47/50 3f2a91c  3 commits failed  elapsed 2 s\033[K");
}

Test(progress, of_builds_side_by_side_names_all_that_are_at_work)
{
	static const char *const ids[] = {"3f2a91c5d0000000000000000000000000000000",
					  "81bb0e77aa000000000000000000000000000000"};
	const struct pe_strings two = {ids, 2}, one = {ids, 1};
	struct pe_progress_event event = {.phase = PE_PROGRESS_BUILD,
					  .done = 11,
					  .total = 47,
					  .revision = ids[1],
					  .subject = "parser: take the short way",
					  .at_work = &two};

	start(PE_DISPLAY_LINE, 200);
	pe_display_report(&event, display);
	report_after(1, &event);
	expect("\rbuild 12/47  2 at work: 3f2a91c 81bb0e7  elapsed 1 s\033[K");
	event.at_work = &one;
	report_after(1, &event);
	expect("\rbuild 12/47 81bb0e7  parser: take the short way  elapsed 2 s\033[K");
}

Test(progress, of_builds_side_by_side_counts_each_once)
{
	static const char *const ids[] = {"3f2a91c5d0000000000000000000000000000000",
					  "81bb0e77aa000000000000000000000000000000"};
	const struct pe_strings two = {ids, 2}, one = {ids, 1};
	struct pe_progress_event event = {
		.phase = PE_PROGRESS_BUILD, .total = 3, .revision = ids[0], .at_work = &one};

	start(PE_DISPLAY_PLAIN, 200);
	pe_display_report(&event, display);
	event.at_work = &two;
	pe_display_report(&event, display);
	event.done = 1;
	pe_display_report(&event, display);
	run_after(9, 0, 10);
	expect("perfevo: 3 builds done in 9 s\n");
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

Test(progress, keeps_to_the_width_of_the_terminal)
{
	start(PE_DISPLAY_LINE, 30);
	run(0, 1250);
	run_after(5, 340, 1250);
	/* "\r", 29 columns at most, "\033[K" */
	cr_assert(le(sz, seen.len, 1 + 29 + 3));
	cr_assert(ge(sz, seen.len, 1 + 20 + 3));
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
	expect("");
	now_ns += SECONDS(1);
	columns = 21;
	run(20, 1250);
	cr_assert(le(sz, seen.len, 1 + 20 + 3));
	cr_assert(ge(sz, seen.len, 1 + 10 + 3));
}

Test(progress, promises_nothing_before_three_runs)
{
	start(PE_DISPLAY_LINE, 200);
	cr_assert(isnan(pe_display_remaining(display)));
	run(10, 100);
	run_after(2, 12, 100);
	cr_assert(isnan(pe_display_remaining(display)));
	run_after(1, 13, 100);
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 87, 1e-9));
}

Test(progress, leaves_builds_and_warm_ups_out_of_the_pace)
{
	struct pe_progress_event warmup = {.phase = PE_PROGRESS_WARMUP, .total = 100};

	start(PE_DISPLAY_LINE, 200);
	build(0, 2);
	build_after(100, 1, 2);
	report_after(100, &warmup);
	run_after(50, 0, 100);
	run_after(10, 5, 100);
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 190, 1e-9));
	build_after(20, 0, 1);
	run_after(300, 15, 100);
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 170, 1e-9));
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
		report_after(60, &timed);
		now_ns += SECONDS(1);
		timed.done++;
	}
	timed.round = 1;
	warmup.done = timed.done;
	pe_display_report(&warmup, display);
	/* 46 runs of a second, and the warm-ups of six cells: the fifth has begun its own. */
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 46 + 6 * 56, 1e-9));
	pe_display_report(&timed, display);
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 46, 1e-9));
}

Test(progress, leaves_counting_out_of_the_pace_and_names_it)
{
	struct pe_progress_event counting = {.phase = PE_PROGRESS_COUNT,
					     .done = 11,
					     .total = 40,
					     .revision = "3f2a91c5d0000000000000000000000000000000",
					     .benchmark = "prog"};

	start(PE_DISPLAY_LINE, 200);
	run(0, 100);
	run_after(20, 10, 100);
	report_after(1, &counting);
	cr_expect_has(pe_text_str(&seen), "3f2a91c  prog  counting 12/40");
	run_after(500, 40, 100);
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 126, 1e-9));
}

Test(progress, leaves_changed_methods_out_of_the_pace_too)
{
	struct pe_progress_event methods = {
		.phase = PE_PROGRESS_METHODS,
		.done = 3,
		.total = 40,
		.revision = "3f2a91c5d0000000000000000000000000000000",
		.subject = "parser: take the short way",
	};

	start(PE_DISPLAY_LINE, 200);
	run(0, 100);
	run_after(10, 5, 100);
	pe_text_clear(&seen);
	report_after(2, &methods);
	expect("\rchanged methods 4/40 3f2a91c  parser: take the short way  elapsed 12 s\033[K");
	report_after(1000, &methods);
	cr_assert(epsilon_eq(dbl, pe_display_remaining(display), 228, 1e-9));
}

Test(progress, prints_notes_above_the_line)
{
	start(PE_DISPLAY_LINE, 200);
	run(0, 10);
	run_after(2, 1, 10);
	pe_text_clear(&seen);
	pe_display_note(display, "a \033[31mred\a note");
	expect("\r\033[Kperfevo: a \\u001b[31mred\\u0007 note\n");
	pe_display_hide(display);
	expect("");
}

Test(progress, takes_its_line_away)
{
	start(PE_DISPLAY_LINE, 200);
	run(0, 10);
	run_after(2, 1, 10);
	pe_text_clear(&seen);
	pe_display_hide(display);
	expect("\r\033[K");
	pe_display_hide(display);
	expect("");
}

Test(progress, logs_a_plain_line_in_ten_seconds_and_when_builds_are_done)
{
	start(PE_DISPLAY_PLAIN, 0);
	build(0, 2);
	build_after(4, 1, 2);
	run_after(4, 0, 100);
	expect("perfevo: 2 builds done in 8 s\n");
	run_after(2, 4, 100);
	expect("perfevo: 3f2a91c, parse[n=10], run 4/100, elapsed 10 s, about 48 s left\n");
	run_after(9.9, 24, 100);
	expect("");
	run_after(0.1, 25, 100);
	cr_assert_has(pe_text_str(&seen), "run 25/100");
	cr_assert(eq(ptr, strchr(pe_text_str(&seen), '\r'), NULL));
	cr_assert(eq(ptr, strchr(pe_text_str(&seen), '\033'), NULL));
}

/* Of a clock that stands still nobody knows whether it is the program that does. */
Test(progress, counts_the_seconds_of_a_long_run_and_estimates_minutes)
{
	start(PE_DISPLAY_PLAIN, 0);
	run(0, 100);
	run_after(125, 25, 100);
	expect("perfevo: 3f2a91c, parse[n=10], run 25/100, elapsed 2 min 5 s, about 6 min left\n");
}

Test(progress, prints_no_total_that_nobody_knows)
{
	start(PE_DISPLAY_LINE, 200);
	build(45, 0);
	build_after(2, 46, 0);
	expect("\rbuild 47 3f2a91c  parser: take the short way  elapsed 2 s\033[K");
	build_after(1, 20, 20); /* one more than was planned: fresh pairs of a suspect */
	expect("\rbuild 21 3f2a91c  parser: take the short way  elapsed 3 s\033[K");
	for (size_t done = 0; done < 5; done++) {
		pe_text_clear(&seen);
		run_after(1, done, 0);
	}
	expect("\r3f2a91c  parse[n=10]  run 4  elapsed 8 s\033[K");
	cr_assert(isnan(pe_display_remaining(display)));
}

Test(progress, gives_programs_no_total_that_nobody_knows)
{
	start(PE_DISPLAY_JSON, 0);
	build(46, 0);
	expect("{\"event\":\"build\",\"done\":46,"
	       "\"revision\":\"3f2a91c5d0000000000000000000000000000000\","
	       "\"subject\":\"parser: take the short way\",\"elapsed_s\":0}\n");
}

Test(progress, gives_programs_an_object_a_line)
{
	start(PE_DISPLAY_JSON, 0);
	build(0, 2);
	expect("{\"event\":\"build\",\"done\":0,\"total\":2,"
	       "\"revision\":\"3f2a91c5d0000000000000000000000000000000\","
	       "\"subject\":\"parser: take the short way\",\"elapsed_s\":0}\n");
	build_after(0.01, 1, 2);
	expect("");
	run(0, 10);
	expect("{\"event\":\"run\",\"done\":0,\"total\":10,\"commit\":12,\"commits\":50,"
	       "\"revision\":\"3f2a91c5d0000000000000000000000000000000\","
	       "\"benchmark\":\"parse[n=10]\",\"elapsed_s\":0}\n");
	pe_display_note(display, "say \"x\"");
	expect("{\"event\":\"note\",\"text\":\"say \\\"x\\\"\",\"elapsed_s\":0}\n");
}

static void interim(const char *text)
{
	const struct pe_progress_event event = {.phase = PE_PROGRESS_INTERIM, .text = text};

	pe_display_report(&event, display);
}

Test(progress, says_what_is_known_above_the_line)
{
	start(PE_DISPLAY_LINE, 40);
	run(0, 100);
	run_after(2, 1, 100);
	pe_text_clear(&seen);
	interim("so far 2 of 100 commits are known\nthe ends differ by +3 %\n");
	expect("\r\033[Kperfevo: so far 2 of 100 commits are known\n"
	       "perfevo: the ends differ by +3 %\n");
	/* It is news each time; names in it cannot draw. */
	interim("so far\033[2J 3 of 100\n");
	cr_expect(strchr(pe_text_str(&seen), '\033') == NULL, "%s", pe_text_str(&seen));
}

Test(progress, says_it_in_one_line_of_a_log_now_and_then)
{
	start(PE_DISPLAY_PLAIN, 0);
	interim("so far 2 of 100\nthe ends differ\n");
	expect("perfevo: so far 2 of 100; the ends differ\n");
	now_ns += SECONDS(100);
	interim("so far 9 of 100\nlargest change\n");
	expect("");
	now_ns += SECONDS(100);
	interim("so far 20 of 100\nlargest change\n");
	expect("perfevo: so far 20 of 100; largest change\n");
}

Test(progress, says_it_to_programs_as_an_object)
{
	start(PE_DISPLAY_JSON, 0);
	interim("so far 2 of 100\n");
	cr_expect_has(pe_text_str(&seen), "\"event\":\"interim\"");
	cr_expect(strstr(pe_text_str(&seen), "\"done\"") == NULL);
}

Test(progress, estimates_the_builds_after_the_first)
{
	start(PE_DISPLAY_LINE, 200);
	build(0, 11);
	build_after(9, 1, 11);
	cr_expect_has(pe_text_str(&seen), "builds about 1 min 30 s more");
}

static void ask(const char *system)
{
	const struct pe_progress_event event = {.phase = PE_PROGRESS_ASK, .text = system};

	pe_display_report(&event, display);
}

Test(progress, of_a_question_is_drawn_at_once)
{
	start(PE_DISPLAY_LINE, 80);
	ask("CMake");
	expect("\rasking CMake ...\033[K");
}

Test(progress, of_a_question_is_for_terminals)
{
	start(PE_DISPLAY_PLAIN, 0);
	ask("CMake");
	now_ns += SECONDS(100);
	ask("CMake");
	expect("");
}
