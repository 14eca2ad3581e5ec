/*
 * Turns of the event loop in Chrome's traces: what is scheduled, and the waiting for it, stand below who scheduled it;
 * what is unknown stays where it was, whatever the numbers in the file are.
 */
#include "import_expect.h"

#include "core/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

TestSuite(import_turns, .fini = imported_release, .timeout = 600);

/*
 * A thread that is sampled each 100 us from 1000 on: `samples` are its nodes, of which 1 is the root, 2 is idle, 3 is
 * V8's own, 4 is main, 5 is main calling ask, 6 is main calling late, and 7 is late outermost, 8 late calling ask.
 */
#define NODE(id, parent, name)                                                                     \
	"{\"id\":" #id ",\"parent\":" #parent ",\"callFrame\":{\"functionName\":\"" name           \
	"\",\"url\":\"a.js\",\"lineNumber\":1}}"
#define BARE(id, rest, name)                                                                       \
	"{\"id\":" #id rest ",\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"\"}}"
#define PROFILE                                                                                    \
	"{\"args\":{\"data\":{\"startTime\":1000}},\"id\":\"1\",\"name\":\"Profile\",\"ph\":"      \
	"\"P\","                                                                                   \
	"\"pid\":1,\"tid\":1,\"ts\":1000}"
#define NODES                                                                                      \
	BARE(1, "", "(root)")                                                                      \
	"," BARE(2, ",\"parent\":1", "(idle)") "," BARE(3, ",\"parent\":1", "(program)") "," NODE( \
		4, 1, "main") "," NODE(5, 4,                                                       \
				       "ask") "," NODE(6, 4,                                       \
						       "late") "," NODE(7, 1,                      \
									"late") "," NODE(8, 7,     \
											 "ask")

static void add_chunk(struct pe_text *out, const char *samples)
{
	pe_text_addf(out,
		     "{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[" NODES "],\"samples\":[%s]},"
		     "\"timeDeltas\":[",
		     samples);
	for (const char *at = samples; *at != '\0'; at++)
		if (*at != ',')
			pe_text_addf(out, "%s100", at > samples ? "," : "");
	pe_text_add(out,
		    "]}},\"id\":\"1\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,"
		    "\"ts\":9000}");
}

static struct imported *import_turns(const char *samples, const char *events)
{
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_addf(&text, "{\"traceEvents\":[%s,", PROFILE);
	add_chunk(&text, samples);
	pe_text_addf(&text, "%s%s]}", events[0] != '\0' ? "," : "", events);
	imported = import_bytes(text.data, text.len);
	pe_text_release(&text);
	return imported;
}

#define STACK(...) "\"stackTrace\":[" __VA_ARGS__ "]"
#define CALL(name) "{\"functionName\":\"" name "\",\"url\":\"a.js\",\"lineNumber\":7}"
#define AT(name, ts, data)                                                                         \
	"{\"args\":{\"data\":{" data "}},\"name\":\"" name "\",\"ph\":\"I\",\"pid\":1,\"tid\":1,"  \
	"\"ts\":" #ts "}"
#define LASTS(name, ts, dur, data)                                                                 \
	"{\"args\":{\"data\":{" data "}},\"name\":\"" name "\",\"ph\":\"X\",\"pid\":1,\"tid\":1,"  \
	"\"ts\":" #ts ",\"dur\":" #dur "}"
#define MAIN_ASKS STACK(CALL("ask") "," CALL("main"))

Test(import_turns, a_timer_and_the_waiting_for_it_stand_below_who_set_it)
{
	expect_drawn(import_turns("4,5,2,2,2,7,7,2",
				  AT("TimerInstall", 1150, "\"timerId\":7," MAIN_ASKS) "," LASTS(
					  "TimerFire", 1500, 200, "\"timerId\":7")),
		     "main @a.js s1 t100000\n"
		     "  ask @a.js s1 t100000\n"
		     "    waiting (waiting: timer) s0 t300000\n"
		     "    late @a.js s2 t200000\n"
		     "waiting (waiting) s0 t100000\n");
}

Test(import_turns, time_before_it_was_asked_for_is_not_waited_for)
{
	struct imported *imported = import_turns(
		"4,2,2,2,7", AT("TimerInstall", 1250, "\"timerId\":7," MAIN_ASKS) "," LASTS(
				     "TimerFire", 1400, 190, "\"timerId\":7"));

	cr_expect(eq(u64, self_of(imported, "(waiting: timer)"), 150000));
	cr_expect(eq(u64, self_of(imported, "(waiting)"), 150000));
}

Test(import_turns, frames_and_idle_periods_and_messages_are_told_likewise)
{
	static const char *const asks[] = {"RequestAnimationFrame", "RequestIdleCallback",
					   "SchedulePostMessage", "SchedulePostTaskCallback"};
	static const char *const runs[] = {"FireAnimationFrame", "FireIdleCallback",
					   "HandlePostMessage", "RunPostTaskCallback"};
	static const char *const ids[] = {"id", "id", "traceId", "taskId"};
	static const char *const names[] = {"(waiting: frame)", "(waiting: idle period)",
					    "(waiting: message)", "(waiting: task)"};

	for (int i = 0; i < 4; i++) {
		struct pe_text events = PE_TEXT_INIT;
		struct imported *imported;

		pe_text_addf(
			&events,
			"{\"args\":{\"data\":{\"%s\":1," MAIN_ASKS "}},\"name\":\"%s\",\"ph\":"
			"\"I\",\"pid\":1,\"tid\":1,\"ts\":1100},"
			"{\"args\":{\"data\":{\"%s\":1}},\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,"
			"\"tid\":1,\"ts\":1200,\"dur\":99}",
			ids[i], asks[i], ids[i], runs[i]);
		imported = import_turns("5,2,7", pe_text_str(&events));
		cr_expect(eq(u64, self_of(imported, names[i]), 100000), "%s", names[i]);
		pe_text_release(&events);
	}
}

/* The event is a moment: what runs from then on is due to it, until the thread is idle. */
Test(import_turns, a_response_is_waited_for_by_who_sent_the_request)
{
	expect_drawn(
		import_turns(
			"5,2,2,3,7,2,7",
			AT("ResourceSendRequest", 1100,
			   "\"requestId\":\"9.1\",\"url\":\"/d\"," MAIN_ASKS) "," AT("ResourceRecei"
										     "veResponse",
										     1300,
										     "\"requestId\""
										     ":\"9.1\"")),
		"main @a.js s0 t0\n"
		"  ask @a.js s1 t100000\n"
		"    waiting (waiting: response) s0 t200000\n"
		"    late @a.js s1 t100000\n"
		"waiting (waiting) s0 t100000\n"
		"(program) s1 t100000\n"
		"late @a.js s1 t100000\n");
}

Test(import_turns, a_request_may_be_known_by_its_address_alone)
{
	struct imported *imported = import_turns(
		"5,2,2,7",
		AT("ResourceSendRequest", 1100,
		   "\"requestId\":\"9.1\",\"url\":\"/d\"," MAIN_ASKS) "," LASTS("XHRLoad", 1300, 99,
										"\"url\":\"/d\""));

	cr_expect(eq(u64, self_of(imported, "(waiting: response)"), 200000));
}

/* Ten steps, each of which sets the timer of the next one: the tree is as deep as one. */
Test(import_turns, what_schedules_itself_again_leads_back)
{
	struct pe_text events = PE_TEXT_INIT, samples = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_add(&samples, "5");
	pe_text_add(&events, AT("TimerInstall", 1090, "\"timerId\":0," MAIN_ASKS));
	for (int i = 0; i < 10; i++) {
		pe_text_add(&samples, ",2,8");
		pe_text_addf(&events,
			     ",{\"args\":{\"data\":{\"timerId\":%d}},\"name\":\"TimerFire\",\"ph\":"
			     "\"X\","
			     "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":99},"
			     "{\"args\":{\"data\":{\"timerId\":%d," STACK(CALL("ask") "," CALL(
				     "late")) "}},\"name\":\"TimerInstall\",\"ph\":\"I\","
					      "\"pid\":1,\"tid\":1,\"ts\":%d}",
			     i, 1200 + 200 * i, i + 1, 1290 + 200 * i);
	}
	imported = import_turns(pe_text_str(&samples), pe_text_str(&events));
	cr_expect(eq(u32, imported->cct->n, 5), "%s", drawn(imported));
	cr_expect(eq(u64, self_of(imported, "(waiting: timer)"), 1000000));
	cr_expect(eq(u64, self_of(imported, "ask"), 1100000));
	pe_text_release(&samples);
	pe_text_release(&events);
}

Test(import_turns, without_a_stack_the_outermost_function_is_who_asked)
{
	expect_drawn(import_turns("4,5,2,7", AT("TimerInstall", 1190, "\"timerId\":7") "," LASTS(
						     "TimerFire", 1300, 99, "\"timerId\":7")),
		     "main @a.js s1 t100000\n"
		     "  waiting (waiting: timer) s0 t100000\n"
		     "  late @a.js s1 t100000\n"
		     "  ask @a.js s1 t100000\n");
}

Test(import_turns, functions_without_a_name_do_not_lead_back_to_another_one)
{
	struct imported *imported = import_turns(
		"5,2,7", AT("TimerInstall", 1100,
			    "\"timerId\":7," STACK(CALL("") "," CALL("ask") "," CALL("") "," CALL(
				    "main"))) "," LASTS("TimerFire", 1200, 99, "\"timerId\":7"));

	expect_drawn(imported, "main @a.js s0 t0\n"
			       "  (anonymous) @a.js s0 t0\n"
			       "    ask @a.js s0 t0\n"
			       "      (anonymous) @a.js s0 t0\n"
			       "        waiting (waiting: timer) s0 t100000\n"
			       "        late @a.js s1 t100000\n"
			       "  ask @a.js s1 t100000\n");
}

/* What tells nothing leaves the tree as it is without events. */
Test(import_turns, what_was_not_asked_for_stays_where_it_was)
{
	static const char *const events[] = {
		"",
		LASTS("TimerFire", 1300, 99, "\"timerId\":7"),
		AT("TimerInstall", 1100, "\"timerId\":7," MAIN_ASKS),
		/* of another document, another thread, another process, of no number, at no time */
		AT("TimerInstall", 1100, "\"timerId\":7,\"frame\":\"B\"," MAIN_ASKS) "," LASTS(
			"TimerFire", 1300, 99, "\"timerId\":7,\"frame\":\"A\""),
		"{\"args\":{\"data\":{\"timerId\":7," MAIN_ASKS
		"}},\"name\":\"TimerInstall\",\"ph\":\"I\",\"pid\":1,\"tid\":2,\"ts\":1100}," LASTS(
			"TimerFire", 1300, 99, "\"timerId\":7"),
		"{\"args\":{\"data\":{\"timerId\":7," MAIN_ASKS
		"}},\"name\":\"TimerInstall\",\"ph\":\"I\",\"pid\":2,\"tid\":1,\"ts\":1100}," LASTS(
			"TimerFire", 1300, 99, "\"timerId\":7"),
		AT("TimerInstall", 1100,
		   "\"timerId\":[7]," MAIN_ASKS) "," LASTS("TimerFire", 1300, 99, "\"timerId\":7"),
		AT("TimerInstall", 9e15,
		   "\"timerId\":7," MAIN_ASKS) "," LASTS("TimerFire", -9e15, 9e15, "\"timerId\":7"),
		AT("TimerInstall", 1350, "\"timerId\":7," MAIN_ASKS) "," LASTS("TimerFire", 1300,
									       99, "\"timerId\":7"),
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct imported *imported = import_turns("4,5,2,7,3", events[i]);

		cr_expect(eq(u64, self_of(imported, "(waiting)"), 100000), "%zu: %s", i,
			  drawn(imported));
		cr_expect(eq(u64, self_of(imported, "late"), 100000), "%zu", i);
		cr_expect(eq(u64, imported->cct->total_ns[0], 500000), "%zu", i);
		cr_expect(frame_named(imported, "(waiting: timer)") == NULL, "%zu", i);
	}
}

/* Odd stacks and numbers: whatever is kept of them, no time and no sample gets lost or comes twice. */
Test(import_turns, sums_hold_whatever_the_events_say)
{
	static const char *const events[] = {
		AT("TimerInstall", 1100, "\"timerId\":7,\"stackTrace\":7"),
		AT("TimerInstall", 1100, "\"timerId\":7,\"stackTrace\":[7,{},{\"url\":3}]"),
		AT("TimerInstall", 1100,
		   "\"timerId\":7,\"stackTrace\":[{\"functionName\":\"(idle)\"},"
		   "{\"functionName\":\"(root)\"},{\"functionName\":\"a\\u0000b\"}]"),
		AT("TimerInstall", 1100, "\"timerId\":{\"a\":1},\"frame\":[]," MAIN_ASKS),
		AT("TimerInstall", -9223372036854774, "\"timerId\":7," MAIN_ASKS),
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct pe_text text = PE_TEXT_INIT;
		struct imported *imported;

		pe_text_addf(&text, "%s,%s,%s", events[i],
			     LASTS("TimerFire", 1250, 9223372036854774, "\"timerId\":7"),
			     LASTS("TimerFire", 1250, 0, "\"timerId\":7"));
		imported = import_turns("4,5,2,7,3,2,7", pe_text_str(&text));
		cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
		cr_expect(eq(u64, imported->cct->total_ns[0], 700000), "%zu: %s", i,
			  drawn(imported));
		cr_expect(eq(u64, imported->cct->facts.samples, 5));
		pe_text_release(&text);
	}
}

/* Deep and all different: paths are cut, in bounded time. */
Test(import_turns, twenty_thousand_functions_that_schedule_each_other_are_read)
{
	enum { STEPS = 20000 };
	struct pe_text events = PE_TEXT_INIT, samples = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_add(&samples, "4");
	pe_text_add(&events, AT("TimerInstall", 1090, "\"timerId\":0," MAIN_ASKS));
	for (int i = 0; i < STEPS; i++) {
		pe_text_add(&samples, ",2");
		pe_text_addf(
			&events,
			",{\"args\":{\"data\":{\"timerId\":%d}},\"name\":\"TimerFire\",\"ph\":"
			"\"X\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":10},"
			"{\"args\":{\"data\":{\"timerId\":%d,\"stackTrace\":[{\"functionName\":"
			"\"f%d\",\"url\":\"b.js\"}]}},\"name\":\"TimerInstall\",\"ph\":\"I\","
			"\"pid\":1,\"tid\":1,\"ts\":%d}",
			i, 1200 + 100 * i, i + 1, i, 1205 + 100 * i);
	}
	imported = import_turns(pe_text_str(&samples), pe_text_str(&events));
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u64, imported->cct->total_ns[0], UINT64_C(100000) * (STEPS + 1)));
	cr_expect(imported->cct->n < 3000, "%" PRIu32, imported->cct->n);
	pe_text_release(&samples);
	pe_text_release(&events);
}

/* Recorded by turns/record.mjs: a library that puts off each step by a timer. */
Test(import_turns, real_timelines_name_who_set_the_timer)
{
	static const char *const files[] = {"turns/node/timer/1.json.gz",
					    "turns/chromium/timer/1.json.gz"};

	for (int i = 0; i < 2; i++) {
		struct imported *imported = import_fixture(files[i]);
		uint32_t node = 0;

		while (strcmp(pe_cct_frame(imported->cct, node)->name, "(waiting: timer)") != 0)
			node++;
		node = imported->cct->nodes[node].parent;
		expect_string(pe_cct_frame(imported->cct, node)->name, "defer");
		/* 40 steps of 4 ms */
		cr_expect(gt(u64, self_of(imported, "(waiting: timer)"), 100000000));
	}
}
