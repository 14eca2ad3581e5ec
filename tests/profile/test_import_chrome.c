/* Traces in Chrome's format: spans in any order, threads, tasks, CPU profiles in pieces, both forms of the file. */
#include "import_expect.h"

#include "core/base/text.h"

#include <stdlib.h>

TestSuite(import_chrome, .fini = imported_release, .timeout = 600);

#define X(name, ts, dur)                                                                           \
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur ",\"name\":\"" name "\"}"
#define SPAN(ph, name, tid, ts)                                                                    \
	"{\"ph\":\"" ph "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"name\":\"" name "\"}"
#define TASK(ph, name, id, ts)                                                                     \
	"{\"ph\":\"" ph "\",\"cat\":\"c\",\"id\":\"" id "\",\"pid\":1,\"tid\":1,\"ts\":" #ts       \
	",\"name\":\"" name "\"}"
#define META(what, pid, tid, name)                                                                 \
	"{\"args\":{\"name\":\"" name "\"},\"ph\":\"M\",\"pid\":" #pid ",\"tid\":" #tid            \
	",\"ts\":0,\"name\":\"" what "\"}"

Test(import_chrome, complete_events_nest_by_time)
{
	struct imported *imported = import_text("{\"traceEvents\":[" X("a", 0, 100) "," X(
		"b", 10, 20) "," X("c", 15, 5) "," X("b", 40, 10) "," X("d", 200, 1.5) "]}");

	expect_drawn(imported, "a c1 t70000\n  b c2 t25000\n    c c1 t5000\nd c1 t1500\n");
	cr_expect(eq(u64, imported->cct->facts.duration_ns, 101500));
	cr_expect(eq(uint, imported->cct->known, PE_CCT_CALLS | PE_CCT_TIME));
	expect_string(imported->cct->facts.source, "chrome");
}

Test(import_chrome, events_written_at_their_end_are_put_in_order)
{
	expect_drawn(import_text("[" X("c", 15, 5) "," X("b", 10, 20) "," X("b", 40, 10) "," X(
			     "inner", 0, 50) "," X("a", 0, 100) "]"),
		     "a c1 t50000\n  inner c1 t20000\n    b c2 t25000\n      c c1 t5000\n");
}

Test(import_chrome, what_reaches_beyond_the_span_around_it_is_cut)
{
	struct imported *imported =
		import_text("[" X("a", 0, 100) "," X("b", 90, 50) "," X("c", 110, 10) "]");

	expect_drawn(imported, "a c1 t90000\n  b c1 t10000\nc c1 t10000\n");
	cr_expect(eq(u64, imported->cct->total_ns[0], 110000));
}

Test(import_chrome, begins_and_ends_pair_on_their_thread)
{
	expect_drawn(
		import_text("[" SPAN("B", "a", 1, 0) "," SPAN("B", "x", 2, 5) "," SPAN(
			"B", "b", 1, 10) "," SPAN("E", "b", 1, 30) "," SPAN("E", "x", 2,
									    35) "," SPAN("E", "", 1,
											 40) "]"),
		"thread thread c0 t0\n  a c1 t20000\n    b c1 t20000\n  x c1 t30000\n");
}

Test(import_chrome, names_of_threads_and_processes_may_come_last)
{
	expect_drawn(import_text("[" X("a", 0, 10) "," SPAN("B", "w", 7, 3) "," SPAN(
			     "E", "w", 7,
			     4) "," META("thread_name", 1, 7,
					 "DedicatedWorker thread") "," META("thread_name", 1, 1,
									    "CrRendererMain") "]"),
		     "thread CrRendererMain c0 t0\n  a c1 t10000\n"
		     "thread DedicatedWorker thread c0 t0\n  w c1 t1000\n");
	expect_drawn(
		import_text("[" X(
			"a", 0, 10) ",{\"ph\":\"X\",\"pid\":2,\"tid\":1,\"ts\":1,\"dur\":2,"
				    "\"name\":\"g\"}," META("process_name", 1, 0, "Renderer") "]"),
		"process Renderer c0 t0\n  thread thread c0 t0\n    a c1 t10000\n"
		"process process c0 t0\n  thread thread c0 t0\n    g c1 t2000\n");
}

Test(import_chrome, threads_of_one_name_are_one_node)
{
	expect_drawn(import_text("[" SPAN("B", "w", 1, 0) "," SPAN("E", "w", 1, 4) "," SPAN(
			     "B", "w", 2, 0) "," SPAN("E", "w", 2,
						      6) "," META("thread_name", 1, 1,
								  "pool") "," META("thread_name", 1,
										   2, "pool") "]"),
		     "thread pool c0 t0\n  w c2 t10000\n");
}

Test(import_chrome, asynchronous_events_are_top_level_tasks)
{
	expect_drawn(
		import_text("[" TASK("b", "load", "1", 0) "," TASK("b", "load", "2", 5) "," TASK(
			"b", "parse", "1", 10) "," TASK("e", "parse", "1",
							30) "," TASK("e", "load", "1",
								     40) "," TASK("e", "load", "2",
										  50) "]"),
		"thread load c2 t65000\n  parse c1 t20000\n");
}

Test(import_chrome, an_array_may_lack_its_end)
{
	static const char *const ends[] = {"", ",", ",\n", "\n", " , "};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct pe_text text = PE_TEXT_INIT;
		struct imported *imported;

		pe_text_addf(&text, "[%s,\n%s%s", X("a", 0, 10), X("b", 2, 3), ends[i]);
		imported = import_bytes(text.data, text.len);
		expect_drawn(imported, "a c1 t7000\n  b c1 t3000\n");
		cr_expect(strstr(imported->note, "missing") != NULL);
		pe_text_release(&text);
	}
}

Test(import_chrome, what_is_open_at_the_end_lasted_until_then)
{
	struct imported *imported = import_text(
		"[" SPAN("B", "a", 1, 0) "," SPAN("B", "b", 1, 10) "," SPAN("E", "b", 1, 15) "]");

	expect_drawn(imported, "a c1 t10000\n  b c1 t5000\n");
	cr_expect(strstr(imported->note, "1 had not ended") != NULL, "%s", imported->note);
}

Test(import_chrome, an_end_of_nothing_is_counted)
{
	struct imported *imported = import_text(
		"[" SPAN("E", "x", 1, 0) "," SPAN("B", "a", 1, 1) "," SPAN("E", "a", 1, 4) "]");

	expect_drawn(imported, "a c1 t3000\n");
	cr_expect(strstr(imported->note, "1 begin or end without the other") != NULL, "%s",
		  imported->note);
}

#define CALL(name) "\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"a.js\",\"lineNumber\":1}"
#define PROFILE(id, tid)                                                                           \
	"{\"args\":{\"data\":{\"startTime\":5}},\"cat\":\"v8.cpu_profiler\",\"id\":\"" id          \
	"\",\"name\":\"Profile\",\"ph\":\"P\",\"pid\":1,\"tid\":" #tid ",\"ts\":5}"
#define CHUNK(id, nodes, samples, deltas)                                                          \
	"{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[" nodes "],\"samples\":[" samples         \
	"]},\"lines\":[1],\"timeDeltas\":[" deltas "]}},\"cat\":\"v8.cpu_profiler\",\"id\":\"" id  \
	"\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":99,\"ts\":6}"

Test(import_chrome, profiles_in_pieces_are_put_together_by_thread)
{
	struct imported *imported = import_text(
		"{\"traceEvents\":[" X("RunTask", 0, 1000) "," PROFILE("0x1", 1) "," PROFILE("0x2", 8) "," CHUNK(
			"0x1",
			"{\"id\":1," CALL("(root)") "},{\"id\":2,\"parent\":1," CALL("f") "}",
			"2,2",
			"10,20") "," CHUNK("0x2",
					   "{\"id\":1," CALL(
						   "(root)") "},"
							     "{\"id\":2,\"parent\":1," CALL(
								     "w") "}",
					   "2",
					   "7") "," CHUNK("0x1",
							  "{\"id\":3,\"parent\":2," CALL("g") "}",
							  "3,2",
							  "-5,30") "," META("thread_name", 1, 1,
									    "Main") "," META("threa"
											     "d_"
											     "name",
											     1, 8,
											     "Worke"
											     "r") "]}");

	expect_drawn(imported, "thread Main s0 t0\n  f @a.js s3 t55000\n    g @a.js s1 t0\n"
			       "thread Worker s0 t0\n  w @a.js s1 t7000\n");
	cr_expect(eq(uint, imported->cct->known, PE_CCT_SAMPLES | PE_CCT_TIME));
	cr_expect(eq(u32, imported->cct->facts.threads, 2));
	cr_expect(strstr(imported->note, "of its other events only those count") != NULL);
}

#define ROOT_AND_F "{\"id\":1," CALL("(root)") "},{\"id\":2,\"parent\":1," CALL("f") "}"

Test(import_chrome, remains_of_an_earlier_recording_are_passed_over)
{
	struct imported *imported = import_text("[" CHUNK("0x1", "", "8,8", "5,5") "," PROFILE(
		"0x2", 1) "," CHUNK("0x2", ROOT_AND_F, "2,2", "10,20") "]");

	expect_drawn(imported, "f @a.js s2 t30000\n");
	cr_expect(strstr(imported->note, "1 recordings that began before") != NULL, "%s",
		  imported->note);
	expect_refusal("[" PROFILE("0x1", 1) "," CHUNK("0x1", "", "8", "5") "]", "x: offset ",
		       "node 8 is not there");
}

Test(import_chrome, time_deltas_may_stand_in_both_places)
{
	expect_drawn(
		import_text("[" PROFILE(
			"0x1",
			1) ",{\"args\":{\"data\":{\"timeDeltas\":[10,20],"
			   "\"cpuProfile\":{\"nodes\":[" ROOT_AND_F "],\"samples\":[2,2],"
			   "\"timeDeltas\":[10,20]}}},\"id\":\"0x1\",\"name\":\"ProfileChunk\","
			   "\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":6}]"),
		"f @a.js s2 t30000\n");
}

Test(import_chrome, spans_nested_a_hundred_thousand_deep_are_read)
{
	enum { DEPTH = 100000 };
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_addc(&text, '[');
	for (int i = 0; i < DEPTH; i++)
		pe_text_addf(&text, "{\"ph\":\"B\",\"ts\":%d,\"name\":\"f%d\"},", i, i % 7);
	for (int i = 0; i < DEPTH; i++)
		pe_text_addf(&text, "{\"ph\":\"E\",\"ts\":%d},", DEPTH + i);
	imported = import_bytes(text.data, text.len);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, DEPTH + 1));
	cr_expect(eq(u64, imported->cct->total_ns[0], UINT64_C(1000) * (2 * DEPTH - 1)));
	pe_text_release(&text);
}

Test(import_chrome, broken_files_name_offset_and_expectation)
{
	expect_refusal("[{\"ph\":\"X\",\"ts\":\"a\"}]", "x: offset 16: the string 'a'",
		       "a time in microseconds");
	expect_refusal("[{\"ph\":\"X\",\"dur\":-1}]", "x: offset 17: the number -1",
		       "a duration of 0 or more");
	expect_refusal("[{\"ph\":\"XY\"}]", "x: offset 7: the string 'XY'", "a phase");
	expect_refusal("[{\"ph\":\"X\"},3]", "x: offset 12: the number 3", "an object");
	expect_refusal("[{\"ph\":\"X\",\"na", "x: offset 14: the file ends early",
		       "the rest of an object");
	expect_refusal("[{\"ph\":\"X\",\"name\":\"}", "x: offset 20: the file ends early",
		       "the rest of an object");
	expect_refusal("{\"traceEvents\":[{\"ph\":\"X\"}", "x: offset 26: the file ends early",
		       "the rest of an array");
	expect_refusal("[" CHUNK("1", "{\"id\":1}", "1,1", "3") "]", "x: offset 1: 2 samples",
		       "a time for each");
	expect_refusal("[{\"ph\":\"I\"}]", "x: offset 12: no samples", "some");
	expect_refusal("[{\"ph\":\"X\",\"tid\":[1]}]", "x: offset 17: an array", "a number");
	expect_refusal("[" CHUNK("1", "{\"id\":1}", "\"1\"", "3") "]", "x: offset ",
		       "the number of a node");
	expect_refusal("[" CHUNK("1", "{\"id\":1}", "1", "0.5") "]", "x: offset ",
		       "whole microseconds");
	expect_refusal("[" CHUNK("1", "3", "1", "3") "]", "x: offset ", "a node");
	expect_refusal(
		"[" CHUNK("1", "{\"id\":1,\"callFrame\":{\"functionName\":7}}", "1", "3") "]",
		"x: offset ", "a string");
	expect_refusal("[" CHUNK("1", "{\"id\":1,\"callFrame\":{\"functionName\":\"a\\u0000b\"}}",
				 "1", "3") "]",
		       "x: offset ", "a name without NUL");
}

/* A page that calls fib() in headless Chromium, with the sampling of V8. */
Test(import_chrome, a_real_trace_shows_the_page_s_script)
{
	struct imported *imported = import_fixture("chromium.trace.json.gz");
	const struct pe_frame *fib = frame_named(imported, "fib");
	uint32_t node = 0;

	cr_assert(fib != NULL);
	expect_string(fib->component, "/case/p.html");
	cr_expect(eq(u64, imported->cct->facts.samples, 157), "of 1107, 950 found the thread idle");
	cr_expect(eq(uint, imported->cct->known, PE_CCT_SAMPLES | PE_CCT_TIME));
	while (pe_cct_frame(imported->cct, node) != fib)
		node++;
	expect_string(pe_cct_frame(imported->cct, imported->cct->nodes[node].parent)->name, "work");
	while (pe_cct_frame(imported->cct, node)->kind != PE_FRAME_THREAD)
		node = imported->cct->nodes[node].parent;
	expect_string(pe_cct_frame(imported->cct, node)->name, "CrRendererMain");
}

/* node --trace-event-categories v8,node */
Test(import_chrome, a_real_trace_of_node_has_threads_and_tasks)
{
	expect_drawn(import_fixture("node.trace.json"), "thread JavaScriptMainThread c0 t0\n"
							"  V8.DeserializeIsolate c1 t22152000\n"
							"  V8.DeserializeContext c1 t2911000\n"
							"  fs.sync.lstat c3 t15000\n"
							"  fs.sync.open c1 t35000\n"
							"  fs.sync.read c1 t11000\n"
							"  fs.sync.close c1 t6000\n"
							"  fs.sync.write c1 t36000\n"
							"  BeforeExit c1 t17000\n"
							"  RunCleanup c1 t38000\n"
							"    RunAndClearNativeImmediates c2 t4000\n"
							"    RunCleanup c1 t11000\n"
							"  AtExit c1 t2000\n"
							"thread Environment c1 t122211000\n");
}
