/* Importers: cases of each format (cases/), what nests deeply, what ends early, and what real tools recorded. */
#include "imported.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "tests/support/cases.h"

#include <inttypes.h>

TestSuite(import, .fini = imported_release, .timeout = 600);

/* The facts of a tree and the tree, or the refusal. */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	const struct imported *imported = import_bytes(input, n);

	(void)word;
	if (imported->rc == PE_OK) {
		const struct pe_cct_facts *facts = &imported->cct->facts;

		pe_text_addf(result,
			     "%s knows %x, %" PRIu64 " samples each %" PRIu64 " ns of %" PRIu64
			     " ns, %" PRIu32 " threads",
			     facts->source, imported->cct->known, facts->samples,
			     facts->interval_ns, facts->duration_ns, facts->threads);
		if (imported->cct->self_ns != NULL && imported->cct->self_ns[0] != 0)
			pe_text_addf(result, ", root t%" PRIu64, imported->cct->self_ns[0]);
		if (imported->cct->samples != NULL && imported->cct->samples[0] != 0)
			pe_text_addf(result, ", root s%" PRIu64, imported->cct->samples[0]);
		if (imported->cct->waiting_ns != 0)
			pe_text_addf(result, ", waits %" PRIu64 " ns", imported->cct->waiting_ns);
		pe_text_addf(result, ": %s\n%s", imported->note != NULL ? imported->note : "",
			     drawn(imported));
	} else {
		cr_expect(eq(int, imported->rc, PE_EINVALID));
		pe_text_addf(result, "refused: %s", imported->err.message);
	}
	imported_release();
}

Test(import, of_each_format_reads_its_cases)
{
	static const char *const formats[] = {"folded",     "callgrind", "perf",  "speedscope",
					      "cpuprofile", "chrome",    "turns", "pprof"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		cases_check("profile/cases", formats[i], read_case);
}

Test(import, of_a_named_format)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	cr_expect(eq(int, import_of(&cct, "a 1", 3, "x", "folded", &frames, &arena, NULL, &err),
		     PE_OK));
	cr_expect(eq(u32, cct->n, 2));
	cr_expect(eq(int, import_of(&cct, "a 1", 3, "x", "foldet", &frames, &arena, NULL, &err),
		     PE_EINVALID));
	cr_expect(strstr(err.message, "folded") != NULL && strstr(err.message, "callgrind") != NULL,
		  "%s", err.message);
	pe_frames_release(&frames);
}

Test(import, names_the_line_of_a_nul_byte)
{
	struct imported *imported;
	pe_auto_text text = PE_TEXT_INIT;

	for (int i = 0; i < 4000; i++)
		pe_text_add(&text, "a;b 1\n");
	pe_text_addn(&text, "a;\0b 1\n", 7);
	imported = import_bytes(text.data, text.len);
	cr_expect_fails(imported->rc, PE_EINVALID, imported->err.message, "x:4001: offset 24002: ");
}

/* --- Stacks of any depth --- */

static void add_times(struct pe_text *text, int n, const char *format)
{
	for (int i = 0; i < n; i++)
		pe_text_add(text, format);
}

static void deep_folded(struct pe_text *text, int depth)
{
	for (int i = 1; i < depth; i++)
		pe_text_addf(text, "f%d;", i);
	pe_text_add(text, "leaf 3\n");
}

/* A chain whose end calls its middle: a circle. */
static void deep_callgrind(struct pe_text *text, int depth)
{
	pe_text_add(text, "events: Ir\nfl=a.c\n");
	for (int i = 0; i < depth; i++)
		pe_text_addf(text, "fn=f%d\n1 1\ncfn=f%d\ncalls=1 0\n2 %d\n", i,
			     i + 1 < depth ? i + 1 : depth / 2, depth - i);
}

static void deep_perf(struct pe_text *text, int depth)
{
	pe_text_add(text, "app 12 1.5: cycles: \n");
	for (int i = depth; i > 1; i--)
		pe_text_addf(text, "\t %x f%d+0x1 (/opt/app)\n", i, i);
}

static void deep_speedscope(struct pe_text *text, int depth)
{
	pe_text_add(text, "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"unit\":"
			  "\"none\",\"samples\":[[0");
	add_times(text, depth - 1, ",0");
	pe_text_add(text, "]],\"weights\":[3]}]}");
}

static void deep_cpuprofile(struct pe_text *text, int depth)
{
	pe_text_add(text, "{\"nodes\":[");
	for (int i = 1; i <= depth; i++)
		pe_text_addf(text,
			     "%s{\"callFrame\":{\"functionName\":\"f%d\"},\"id\":%d,"
			     "\"children\":[%d]}",
			     i > 1 ? "," : "", i % 50, i, i + 1);
	pe_text_addf(text, "],\"samples\":[%d],\"timeDeltas\":[5]}", depth);
}

static void deep_chrome(struct pe_text *text, int depth)
{
	pe_text_addc(text, '[');
	for (int i = 0; i < depth; i++)
		pe_text_addf(text, "{\"ph\":\"B\",\"ts\":%d,\"name\":\"f%d\"},", i, i % 7);
	for (int i = 0; i < depth; i++)
		pe_text_addf(text, "{\"ph\":\"E\",\"ts\":%d},", depth + i);
}

Test(import, of_stacks_a_hundred_thousand_deep_needs_no_stack)
{
	static const struct {
		void (*write)(struct pe_text *text, int depth);
		uint64_t samples, total_ns;
		int depth;
	} cases[] = {
		{deep_folded, 3, 0, 50000},         {deep_callgrind, 50000, 0, 50000},
		{deep_perf, 1, 0, 20000},           {deep_speedscope, 3, 0, 100000},
		{deep_cpuprofile, 1, 5000, 100000}, {deep_chrome, 0, 199999000, 100000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		pe_auto_text text = PE_TEXT_INIT;
		const struct imported *imported;

		cases[i].write(&text, cases[i].depth);
		imported = import_bytes(text.data, text.len);
		cr_assert_ok(imported->rc, imported->err.message);
		cr_expect(eq(u32, imported->cct->n, (uint32_t)cases[i].depth + 1), "%zu", i);
		cr_expect(eq(u64, imported->cct->facts.samples, cases[i].samples), "%zu", i);
		cr_expect(eq(u64, imported->cct->facts.duration_ns, cases[i].total_ns), "%zu", i);
		imported_release();
	}
}

Test(import, of_a_program_in_one_long_line_is_no_stack)
{
	pe_auto_text text = PE_TEXT_INIT;
	const struct imported *imported;

	pe_text_add(&text, "!function(){");
	add_times(&text, 5000, "f();g(1);");
	pe_text_add(&text, "}();\n");
	imported = import_bytes(text.data, text.len);
	cr_expect(eq(int, imported->rc, PE_EINVALID));
	cr_expect(strstr(imported->err.message, "no known profile format") != NULL, "%s",
		  imported->err.message);
	imported_release();
}

/* Functions that all differ and schedule each other: paths are cut, in bounded time. */
Test(import, of_twenty_thousand_turns_is_bounded)
{
	enum { STEPS = 20000 };
	pe_auto_text text = PE_TEXT_INIT;
	const struct imported *imported;

	pe_text_add(&text,
		    "[{\"args\":{\"data\":{\"startTime\":1000}},\"id\":\"1\",\"name\":\"Profile\","
		    "\"ph\":\"P\",\"pid\":1,\"tid\":1,\"ts\":1000},{\"args\":{\"data\":{"
		    "\"cpuProfile\":{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":"
		    "\"(root)\"}},{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":"
		    "\"(idle)\"}}],\"samples\":[2");
	add_times(&text, STEPS, ",2");
	pe_text_add(&text, "]},\"timeDeltas\":[100");
	add_times(&text, STEPS, ",100");
	pe_text_add(&text, "]}},\"id\":\"1\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,"
			   "\"tid\":9,\"ts\":9000}");
	for (int i = 0; i < STEPS; i++)
		pe_text_addf(
			&text,
			",{\"args\":{\"data\":{\"timerId\":%d,\"stackTrace\":[{\"functionName\":"
			"\"f%d\",\"url\":\"b.js\"}]}},\"name\":\"TimerInstall\",\"ph\":\"I\","
			"\"pid\":1,\"tid\":1,\"ts\":%d},{\"args\":{\"data\":{\"timerId\":%d}},"
			"\"name\":\"TimerFire\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,"
			"\"dur\":10}",
			i, i, 1105 + 100 * i, i, 1200 + 100 * i);
	imported = import_bytes(text.data, text.len);
	cr_assert_ok(imported->rc, imported->err.message);
	cr_expect(eq(u64, imported->cct->total_ns[0], UINT64_C(100000) * (STEPS + 1)));
	cr_expect(imported->cct->n < 3000, "%" PRIu32, imported->cct->n);
}

/* --- Files that end early --- */

/* All cuts but those within the last number, which make it another one. */
static void expect_cuts_refused(const char *name, size_t from, size_t less)
{
	pe_auto_text whole = PE_TEXT_INIT;

	data_file(&whole, "profile/imports", name);
	for (size_t cut = from; cut + less < whole.len; cut += 1 + cut % 61) {
		const struct imported *imported = import_bytes(whole.data, cut);

		cr_assert(eq(int, imported->rc, PE_EINVALID), "cut at %zu", cut);
		cr_expect(strncmp(imported->err.message, "x:", 2) == 0 &&
				  strstr(imported->err.message, "offset ") != NULL &&
				  strstr(imported->err.message, "expected ") != NULL,
			  "%s", imported->err.message);
		imported_release();
	}
}

Test(import, of_what_ends_early_names_its_place)
{
	expect_cuts_refused("busy.callgrind", 20, 7);
	expect_cuts_refused("small.pprof", 10, 1);
	expect_cuts_refused("highlight-old.cpuprofile", 200, 2);
}

/* --- Recordings --- */

static uint64_t sum_of(const uint64_t *column, const struct pe_cct *cct)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; column != NULL && i < cct->n; i++)
		sum += column[i];
	return sum;
}

/* What a recording adds up to, where most of it is spent, and a hash of the whole tree. */
static void read_recording(struct pe_text *result, const char *word, const char *input, size_t n)
{
	const struct imported *imported = import_bytes(input, n);
	const struct pe_cct *cct = imported->cct;
	const uint64_t *own;
	char digest[PE_HASH_HEX];
	struct pe_hash hash;
	uint32_t most = 0;

	if (imported->rc != PE_OK) {
		pe_text_addf(result, "refused: %s", imported->err.message);
		return;
	}
	own = cct->self_ns != NULL ? cct->self_ns : cct->samples;
	for (uint32_t i = 1; i < cct->n; i++)
		if (own[i] > own[most])
			most = i;
	pe_text_addf(result,
		     "%" PRIu32 " nodes, %" PRIu64 " calls, %" PRIu64 " samples, %" PRIu64
		     " ns, %" PRIu32 " threads; %" PRIu64 " at",
		     cct->n, sum_of(cct->calls, cct), cct->facts.samples, sum_of(cct->self_ns, cct),
		     cct->facts.threads, own[most]);
	for (int i = 0; i < 4 && most != 0; i++, most = cct->nodes[most].parent)
		pe_text_addf(result, "%s%s", i > 0 ? " < " : " ", pe_cct_frame(cct, most)->name);
	if (strcmp(word, "deep") != 0) { /* whose drawing is of the square of its depth */
		pe_hash_init(&hash);
		pe_hash_string(&hash, drawn(imported));
		pe_hash_hex(&hash, digest);
		pe_text_addf(result, "; tree %.12s", digest);
	}
	imported_release();
}

Test(import, of_recordings_adds_up)
{
	cases_check("profile/imports", "recordings", read_recording);
}
