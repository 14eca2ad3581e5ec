/* Importers: cases of each format (cases/), what nests deeply, what ends early, and what real tools recorded. */
#include "import_expect.h"

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
	static const char *const formats[] = {"folded",  "callgrind",  "perf",
					      "uftrace", "speedscope", "cpuprofile",
					      "chrome",  "turns",      "pprof"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		cases_check("profile/cases", formats[i], read_case);
}

Test(import, of_a_named_format)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	cr_expect(eq(int,
		     pe_import_bytes(&cct, "a 1", 3, "x", "folded", &frames, &arena, NULL, &err),
		     PE_OK));
	cr_expect(eq(u32, cct->n, 2));
	cr_expect(eq(int,
		     pe_import_bytes(&cct, "a 1", 3, "x", "foldet", &frames, &arena, NULL, &err),
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
	expect_broken(imported, "x:4001: offset 24002: ", "");
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

static void deep_uftrace(struct pe_text *text, int depth)
{
	pe_text_add(text, "reading 7.dat\n");
	for (int i = 0; i < depth; i++)
		pe_text_addf(text, "1.%09d 7: [entry] f(1) depth: %d\n", i, i);
	for (int i = depth; i > 0; i--)
		pe_text_addf(text, "1.%09d 7: [exit ] f(1) depth: %d\n", 2 * depth - i, i - 1);
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
	pe_text_add(text, "{\"head\":");
	for (int i = 1; i <= depth; i++)
		pe_text_addf(text, "{\"functionName\":\"f%d\",\"id\":%d,\"children\":[", i % 50, i);
	add_times(text, depth, "]}");
	pe_text_addf(text, ",\"samples\":[%d],\"timestamps\":[5]}", depth);
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
		{deep_folded, 3, 0, 50000},
		{deep_callgrind, 50000, 0, 50000},
		{deep_perf, 1, 0, 20000},
		{deep_uftrace, 0, 59999, 30000},
		{deep_speedscope, 3, 0, 100000},
		{deep_cpuprofile, 1, 0, 100000},
		{deep_chrome, 0, 199999000, 100000},
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
	expect_cuts_refused("highlight-old.cpuprofile", 200, 2);
}

/* --- What real tools recorded --- */

/*
 * Calls of a function by the lines of the file itself. (Not by the program: with --toggle-collect callgrind
 * counts some calls of threads that it does not collect from.)
 */
static uint64_t calls_in(const char *text, const char *name)
{
	char defined[64], id[32] = "none";
	const char *at, *end;
	uint64_t sum = 0;
	bool is_called = false;

	snprintf(defined, sizeof(defined), ") %s\n", name);
	at = strstr(text, defined);
	if (at == NULL)
		return 0;
	for (end = at; *at != '('; at--)
		;
	snprintf(id, sizeof(id), "cfn=%.*s)", (int)(end - at), at);
	for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
		if (strncmp(text, "cfn=", 4) == 0)
			is_called = strncmp(text, id, strlen(id)) == 0;
		if (is_called && strncmp(text, "calls=", 6) == 0)
			sum += strtoull(text + 6, NULL, 10);
	}
	return sum;
}

static void expect_calls_of_file(const struct imported *imported, const char *text)
{
	static const char *const names[] = {"main",   "fib",    "even", "odd",
					    "shared", "middle", "leaf"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char again[32];
		uint64_t calls;

		/* What it calls itself is told apart by depth, up to 2. */
		snprintf(again, sizeof(again), "%s'2", names[i]);
		calls = calls_in(text, names[i]) + calls_in(text, again);

		cr_expect(calls > 0);
		cr_expect(eq(u64, calls_of(imported, names[i]), calls), "%s", names[i]);
	}
	cr_expect(eq(u64, calls_of(imported, "fib"), 41 + 9));
	cr_expect(eq(u64, calls_of(imported, "even") + calls_of(imported, "odd"), 10));
}

/* "totals: 14261", of all parts. */
static uint64_t totals_of(const char *name)
{
	uint64_t sum = 0;

	for (const char *at = fixture(name, NULL); (at = strstr(at, "\ntotals: ")) != NULL; at++)
		sum += strtoull(at + 9, NULL, 10);
	return sum;
}

Test(import, the_calls_and_costs_of_a_real_program_are_exact)
{
	static const char *const names[] = {"busy.callgrind", "busy-jumps.callgrind",
					    "busy-parts.callgrind"};

	for (size_t i = 0; i < 3; i++) {
		struct imported *imported = import_fixture(names[i]);
		uint64_t sum = 0;

		expect_calls_of_file(imported, fixture(names[i], NULL));
		for (uint32_t k = 0; k < imported->cct->n; k++)
			sum += imported->cct->samples[k];
		cr_expect(sum > 0);
		cr_expect(eq(u64, sum, totals_of(names[i])));
	}
}

Test(import, separated_callers_give_an_exact_tree)
{
	struct imported *imported = import_fixture("busy-callers.callgrind");
	const char *tree = drawn(imported);

	for (uint32_t i = 0; i < imported->cct->n; i++)
		cr_expect(eq(int, imported->cct->flags[i] & PE_CCT_SPLIT, 0));
	cr_expect_has(tree, "shared @/src/busy.c c2 ");
	cr_expect_lacks(tree, "'");
	cr_expect(eq(u64, calls_of(imported, "fib"), 41 + 9));
	cr_expect_text("5 5 2 2 5", calls_of(imported, "even"), calls_of(imported, "odd"),
		       calls_of(imported, "shared"), calls_of(imported, "middle"),
		       calls_of(imported, "leaf"));
	cr_expect(eq(u64, totals_of("busy-callers.callgrind"), imported->cct->facts.samples));
}

static uint64_t count(const char *text, const char *what)
{
	uint64_t n = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
		n++;
	return n;
}

static void expect_samples(const char *name, const char *mark)
{
	struct imported *imported = import_fixture(name);
	uint64_t n = count(fixture(name, NULL), mark);

	cr_expect(n > 0);
	cr_expect(eq(u64, imported->cct->facts.samples, n), "%s", name);
	cr_expect(eq(u32, imported->cct->facts.threads, 2), "%s", name);
	cr_expect(eq(u64, samples_of(imported, "busy"), 0));
}

Test(import, every_sample_of_real_files_is_counted)
{
	expect_samples("busy.perf", " cpu-clock: ");
	expect_samples("busy-inlined.perf", " cpu-clock: ");
	expect_samples("busy-flat.perf", " cpu-clock: ");
	expect_samples("busy-lines.perf", "busy 1");
}

Test(import, the_same_recording_gives_the_same_tree_with_and_without_source_lines)
{
	struct imported *lines = import_fixture("busy-lines.perf");
	struct imported *plain = import_fixture("busy-inlined.perf");

	cr_assert(eq(u32, lines->cct->n, plain->cct->n));
	for (uint32_t i = 1; i < lines->cct->n; i++) {
		cr_expect_str_eq(pe_cct_frame(lines->cct, i)->name,
				 pe_cct_frame(plain->cct, i)->name);
		cr_expect_str_eq(pe_cct_frame(lines->cct, i)->component,
				 pe_cct_frame(plain->cct, i)->component);
		cr_expect(eq(u64, lines->cct->samples[i], plain->cct->samples[i]));
	}
	cr_expect(samples_of(plain, "spin") > 0);
}

/* highlight.js, a minor release before and with a regular expression that backtracks: self time 0 to 1876 ms. */
Test(import, a_real_regression_shows_at_its_node)
{
	struct imported *old = import_fixture("highlight-old.cpuprofile");
	struct imported *new = import_fixture("highlight-new.cpuprofile");
	uint32_t node = 0;

	for (uint32_t i = 0; i < new->cct->n; i++)
		if (new->cct->self_ns[i] > new->cct->self_ns[node])
			node = i;
	cr_expect(strncmp(pe_cct_frame(new->cct, node)->name, "RegExp: \\/\\*\\*|", 15) == 0);
	cr_expect(eq(u64, new->cct->self_ns[node], 1876301000));
	cr_expect(frame_named(old, pe_cct_frame(new->cct, node)->name) == NULL);
	node = new->cct->nodes[node].parent;
	expect_string(pe_cct_frame(new->cct, node)->name, "highlight");
	expect_string(pe_cct_frame(new->cct, node)->component,
		      "/case/node_modules/highlight.js/lib/highlight.js");
	node = new->cct->nodes[node].parent;
	expect_string(pe_cct_frame(new->cct, node)->name, "highlightAll");
}

/* node --cpu-prof, of a program whose work() calls fib() by way of map(). */
Test(import, a_real_profile_of_node_adds_up)
{
	struct imported *imported = import_fixture("node.cpuprofile");
	const struct pe_frame *fib = frame_named(imported, "fib");
	uint32_t node = 0;

	cr_assert(fib != NULL);
	expect_string(fib->component, "/case/n.js");
	cr_expect_text("1 24 73594000", fib->line, imported->cct->facts.samples,
		       imported->cct->total_ns[0]);
	while (pe_cct_frame(imported->cct, node) != fib)
		node++;
	expect_string(pe_cct_frame(imported->cct, imported->cct->nodes[node].parent)->name, "work");
}

/* A page that calls fib() in headless Chromium, with the sampling of V8. */
Test(import, a_real_trace_shows_the_page_s_script)
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

/* Recorded by turns/record.mjs: a library that puts off each step by a timer. */
Test(import, real_timelines_name_who_set_the_timer)
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
