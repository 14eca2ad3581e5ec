/* speedscope's format: sampled and evented profiles, threads, units, and what our own exporter writes. */
#include "import_expect.h"

#include "core/base/text.h"
#include "analysis/profile/export.h"

#include <stdlib.h>

TestSuite(import_speedscope, .fini = imported_release, .timeout = 600);

#define FRAMES                                                                                     \
	"\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"a.py\",\"line\":3},"                \
	"{\"name\":\"f(int)\",\"col\":1},{\"name\":\"\",\"file\":null}]}"
#define SCHEMA "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\""
#define SAMPLED(name, unit, samples, weights)                                                      \
	"{\"type\":\"sampled\",\"name\":\"" name "\",\"unit\":\"" unit                             \
	"\",\"startValue\":0,\"endValue\":9,\"samples\":[" samples "],\"weights\":[" weights "]}"
#define EVENTED(name, unit, events)                                                                \
	"{\"type\":\"evented\",\"name\":\"" name "\",\"unit\":\"" unit                             \
	"\",\"startValue\":0,\"endValue\":9,\"events\":[" events "]}"
#define FILE_OF(profiles) "{" SCHEMA "," FRAMES ",\"profiles\":[" profiles "]}"
#define O(frame, at)      "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define C(frame, at)      "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"

Test(import_speedscope, samples_weigh_times)
{
	struct imported *imported = import_text(
		FILE_OF(SAMPLED("x", "milliseconds", "[0,1],[0],[0,1],[0,2]", "1,2,0.5,4")));

	expect_drawn(imported, "main @a.py s1 t2000000\n  f(int) s2 t1500000\n"
			       "  (anonymous) s1 t4000000\n");
	cr_expect(eq(uint, imported->cct->known, PE_CCT_SAMPLES | PE_CCT_TIME));
	cr_expect(eq(u64, imported->cct->facts.samples, 4));
	cr_expect(eq(u32, frame_named(imported, "main")->line, 3));
	expect_string(frame_named(imported, "f")->signature, "(int)");
}

Test(import_speedscope, frames_and_weights_may_stand_anywhere)
{
	expect_drawn(import_text("{" SCHEMA ",\"profiles\":[{\"weights\":[7,9],\"unit\":\"none\","
				 "\"samples\":[[0],[0,1]]}]," FRAMES "}"),
		     "main @a.py s7\n  f(int) s9\n");
}

Test(import_speedscope, events_open_and_close)
{
	struct imported *imported =
		import_text(FILE_OF(EVENTED("x", "seconds",
					    O(0, 1) "," O(1, 2.5) "," C(1, 3) "," O(1, 3) "," C(
						    1, 4) "," C(0, 4) "," O(2, 6) "," C(2, 7))));

	expect_drawn(imported, "main @a.py t1500000000\n  f(int) t1500000000\n"
			       "(anonymous) t1000000000\n");
	cr_expect(eq(uint, imported->cct->known, PE_CCT_TIME));
	cr_expect(imported->cct->calls == NULL && imported->cct->samples == NULL);
}

Test(import_speedscope, several_profiles_are_threads_by_the_name_that_stays)
{
	expect_drawn(import_text(FILE_OF(SAMPLED("Thread 0x7f01 \\\"MainThread\\\"", "none", "[0]",
						 "1") "," SAMPLED("worker", "none", "[0,1]",
								  "2") "," SAMPLED("worker", "none",
										   "[0]", "3"))),
		     "thread MainThread s0\n  main @a.py s1\nthread worker s0\n  main @a.py s3\n"
		     "    f(int) s2\n");
}

Test(import_speedscope, profiles_of_another_unit_are_passed_over)
{
	struct imported *imported =
		import_text(FILE_OF(SAMPLED("calls", "none", "[1]", "5") "," SAMPLED(
			"time", "nanoseconds", "[0]", "8") "," SAMPLED("bytes", "bytes", "[0]",
								       "64")));

	expect_drawn(imported, "main @a.py s1 t8\n");
	cr_expect(strstr(imported->note, "of 3 profiles 1") != NULL, "%s", imported->note);
}

Test(import_speedscope, bytes_alone_are_costs_and_values_of_zero_are_refused)
{
	struct imported *imported = import_text(FILE_OF(SAMPLED("x", "bytes", "[0]", "64")));

	expect_drawn(imported, "main @a.py s64\n");
	cr_expect(strstr(imported->note, "bytes") != NULL);
	expect_refusal(FILE_OF(EVENTED("x", "none", O(0, 0))), "x: ", "all values are 0");
}

Test(import_speedscope, what_is_exported_comes_back)
{
	struct imported *imported =
		import_text(FILE_OF(SAMPLED("x", "nanoseconds", "[0,1],[0],[0,1,0]", "10,20,5")));
	struct pe_text text = PE_TEXT_INIT;
	struct imported *again;
	char *first = strdup(drawn(imported));

	imported->cct->known &= ~(unsigned)PE_CCT_SAMPLES;
	imported->cct->samples = NULL;
	free(first);
	first = strdup(drawn(imported));
	cr_assert(pe_export_find("speedscope", &imported->err)
			  ->write(&text, imported->cct, &(struct pe_export_options){0},
				  &imported->err) == PE_OK);
	again = import_bytes(text.data, text.len);
	expect_drawn(again, first);
	pe_text_release(&text);
	free(first);
}

Test(import_speedscope, stacks_a_hundred_thousand_deep_are_read)
{
	enum { DEPTH = 100000 };
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	pe_text_add(&text, "{" FRAMES ",\"profiles\":[{\"unit\":\"none\",\"samples\":[[0");
	for (int i = 1; i < DEPTH; i++)
		pe_text_add(&text, i % 2 != 0 ? ",1" : ",0");
	pe_text_add(&text, "]],\"weights\":[3]}]}");
	imported = import_bytes(text.data, text.len);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, DEPTH + 1));
	cr_expect(eq(u64, imported->cct->samples[DEPTH], 3));
	pe_text_release(&text);
}

Test(import_speedscope, broken_files_name_offset_and_expectation)
{
	expect_refusal(FILE_OF(SAMPLED("x", "none", "[0],[1]", "3")), "x: offset 187: 1 samples",
		       "a weight for each");
	expect_refusal(FILE_OF(SAMPLED("x", "none", "[7]", "3")), "x: offset 187: frame 7",
		       "it among the shared frames");
	expect_refusal(FILE_OF(SAMPLED("x", "parsecs", "", "")), "x: offset 223: the string",
		       "nanoseconds to seconds");
	expect_refusal(FILE_OF(SAMPLED("x", "none", "[0]", "-3")), "x: offset ", "a weight of 0");
	expect_refusal(FILE_OF(SAMPLED("x", "none", "[[0]]", "3")), "x: offset ",
		       "the number of a frame");
	expect_refusal(FILE_OF(EVENTED("x", "none", O(0, 5) "," O(1, 4))), "x: offset ",
		       "events in order");
	expect_refusal(FILE_OF(EVENTED("x", "none", O(0, 5) "," C(1, 6))), "x: offset ",
		       "the one to close that opened last");
	expect_refusal(FILE_OF(EVENTED("x", "none", "{\"type\":\"O\",\"at\":3}")), "x: offset ",
		       "\"type\", \"frame\" and \"at\"");
	expect_refusal(FILE_OF(EVENTED("x", "none", "{\"type\":\"X\",\"frame\":0,\"at\":3}")),
		       "x: offset ", "\"O\" or \"C\"");
	expect_refusal("{" SCHEMA ",\"shared\":{\"frames\":[{\"name\":3}]}}", "x: offset ",
		       "a string");
	expect_refusal("{" SCHEMA ",\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":[]}]}}",
		       "x: offset ", "a string");
	expect_refusal("{" SCHEMA ",\"shared\":{\"frames\":[{\"name\":\"a\",\"line\":\"3\"}]}}",
		       "x: offset ", "a line");
	expect_refusal(FILE_OF("{\"name\":3}"), "x: offset ", "a name");
	expect_refusal("{" FRAMES ",\"profiles\":[{}]}", "x: offset 124: a profile without a unit",
		       "\"unit\"");
}
