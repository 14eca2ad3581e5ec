/* Sample files: what was written is read as it was meant, and nothing that is broken is believed. */
#include "analysis/profile/samples.h"
#include "tests/profile/imported.h"
#include "analysis/profile/timeline.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "probe/formats/samples.h"
#include "tests/support/test.h"

static struct pe_frames frames;
static struct pe_arena arena;
static char directory[] = "/tmp/pe_samples_XXXXXX";
static struct pe_samples_info info;
static unsigned asked;

TestSuiteWith(samples, cr_assert_not_null(mkdtemp(directory)),
	      (pe_files_remove(directory, NULL), pe_frames_release(&frames),
	       pe_arena_release(&arena)),
	      .timeout = 600);

/*
 * Methods by address: 0x100 is main, line 10; 0x200 is f, line 20; 0x300 is h inlined in g, line 31 called in
 * line 30. In other modules the name of the module takes their place.
 */
static int resolve(struct pe_symbols *out, const struct pe_module *module, uint64_t address,
		   void *payload, struct pe_err *err)
{
	static struct pe_symbol inlined[] = {{{.name = "h", .component = "a.c"}, 31},
					     {{.name = "g", .component = "a.c"}, 30}};
	static struct pe_symbol one;

	(void)payload, (void)err;
	asked++;
	one.line = address == 0x100 ? 10 : 20;
	one.frame = (struct pe_frame){.component = "a.c"};
	one.frame.name = strcmp(module->path, "/bin/prog") != 0 ? module->path
			 : address == 0x100                     ? "main"
								: "f";
	*out = address == 0x300 ? (struct pe_symbols){inlined, 2} : (struct pe_symbols){&one, 1};
	return PE_OK;
}

static const struct pe_symbolizer symbolizer = {.resolve = resolve};

/* A file in the making: header, modules, and as many chunks as were begun. */
struct made {
	struct pe_samples_header *header;
	char *bytes;
	size_t size;
};

static struct made make(const char *program)
{
	struct made made = {.size = PE_SAMPLES_CHUNKS_AT};

	made.bytes = pe_arena_alloc(&arena, 1, made.size + 6 * PE_SAMPLES_CHUNK_SIZE);
	made.header = (void *)made.bytes;
	memcpy(made.header->magic, PE_SAMPLES_MAGIC, sizeof(made.header->magic));
	made.header->version = PE_SAMPLES_VERSION;
	made.header->size = sizeof(*made.header);
	made.header->interval_ns = 1000;
	made.header->threads = 1;
	snprintf(made.header->program, sizeof(made.header->program), "/bin/%s", program);
	return made;
}

static void add_module(struct made *made, const char *path, uint64_t start, uint32_t generation)
{
	struct pe_samples_module *module =
		(void *)(made->bytes + PE_SAMPLES_MODULES_AT + made->header->modules_used);

	module->magic = PE_SAMPLES_MODULE_MAGIC;
	module->size = (uint32_t)(sizeof(*module) + (strlen(path) + 8) / 8 * 8);
	module->start = module->bias = start;
	module->end = start + 0x1000;
	module->generation = generation;
	strcpy((char *)(module + 1), path);
	made->header->modules_used += module->size;
}

static struct pe_samples_chunk *add_chunk(struct made *made, uint32_t thread, uint32_t sequence)
{
	struct pe_samples_chunk *chunk = (void *)(made->bytes + made->size);

	chunk->magic = PE_SAMPLES_CHUNK_MAGIC;
	chunk->thread = thread;
	chunk->sequence = sequence;
	made->header->chunks++;
	made->size += PE_SAMPLES_CHUNK_SIZE;
	return chunk;
}

static struct pe_samples_node *add_node(struct pe_samples_chunk *chunk, uint32_t parent,
					uint64_t address, uint32_t samples)
{
	struct pe_samples_node *node = (struct pe_samples_node *)(chunk + 1) + chunk->used++;

	*node = (struct pe_samples_node){address, parent, samples};
	return node;
}

static void save(const struct made *made, const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s" PE_SAMPLES_SUFFIX, directory, name);
	file = fopen(path, "wb");
	cr_assert_not_null(file);
	cr_assert(eq(sz, fwrite(made->bytes, 1, made->size, file), made->size));
	fclose(file);
}

static int read_all(struct pe_cct **out, struct pe_err *err)
{
	const char *directories[] = {directory};

	return pe_samples_read(out, &info, directories, 1, &symbolizer, &frames, &arena, err);
}

static struct pe_cct *read_well(void)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	cr_assert_ok(read_all(&cct, &err), err.message);
	cr_assert_ok(pe_cct_check(cct, &err), err.message);
	return cct;
}

/* "main:0=1(f:10=2)": names, sites, samples, of what is below a node. */
static void describe(struct pe_text *text, const struct pe_cct *cct, uint32_t node)
{
	static uint32_t open[64];
	size_t depth = 0;

	for (uint32_t i = node + 1; i < cct->nodes[node].end; i++) {
		while (depth > 0 && cct->nodes[open[depth - 1]].end <= i) {
			pe_text_addc(text, ')');
			depth--;
		}
		pe_text_addf(text, "(%s:%u=%u", pe_cct_frame(cct, i)->name, cct->nodes[i].site,
			     (unsigned)cct->samples[i]);
		open[depth++] = i;
	}
	while (depth-- > 0)
		pe_text_addc(text, ')');
}

static void expect(const struct pe_cct *cct, const char *tree)
{
	pe_auto_text text = PE_TEXT_INIT;

	describe(&text, cct, 0);
	cr_expect_str_eq(pe_text_str(&text), tree);
}

Test(samples, become_frames_with_call_sites_and_inlined_calls)
{
	struct made made = make("prog");
	struct pe_samples_chunk *chunk = add_chunk(&made, 0, 0);
	struct pe_cct *cct;

	add_module(&made, "/bin/prog", 0x10000, 0);
	add_node(chunk, PE_SAMPLES_ROOT, 0, 0);
	add_node(chunk, 0, 0x10100, 1);
	add_node(chunk, 1, 0x10300, 2);
	add_node(chunk, 1, 0x10200, 4);
	add_node(chunk, 2, 0x10200, 3);
	save(&made, "1-1");
	cct = read_well();
	expect(cct, "(prog:0=0(main:0=1(g:10=0(h:30=2(f:31=3)))(f:10=4)))");
	cr_expect(eq(u32, asked, 3), "each address once");
	cr_expect_text("10 1000", cct->facts.samples, cct->facts.interval_ns);
	cr_expect(eq(int, cct->known, PE_CCT_SAMPLES | PE_CCT_SITES));
}

Test(samples, of_all_threads_and_processes_come_together)
{
	struct made made = make("prog"), other = make("other");
	struct pe_samples_chunk *chunk;

	add_module(&made, "/bin/prog", 0x10000, 0);
	for (uint32_t thread = 0; thread < 2; thread++) {
		chunk = add_chunk(&made, 1 - thread, 0);
		add_node(chunk, PE_SAMPLES_ROOT, 0, 0);
		add_node(chunk, 0, 0x10100, 1);
	}
	made.header->threads = 2;
	save(&made, "1-1");
	save(&made, "2-1");
	other.header->interval_ns = 500;
	other.header->lost = 7;
	save(&other, "3-1");
	expect(read_well(), "(prog:0=0(main:0=4))(other:0=0)");
	cr_expect_text("3 5", info.processes, info.threads);
	cr_expect(eq(u64, info.interval_ns, 0), "they differ");
	cr_expect(eq(u64, info.lost, 7));
}

Test(samples, without_their_beginning_stand_apart)
{
	struct made made = make("prog");
	struct pe_samples_chunk *chunk = add_chunk(&made, 0, 0);

	add_module(&made, "/bin/prog", 0x10000, 0);
	add_node(chunk, PE_SAMPLES_CUT, 0, 0);
	add_node(chunk, 0, 0x10200, 5);
	add_node(chunk, 0, 0x99999, 1);
	save(&made, "1-1");
	expect(read_well(), "(prog:0=0(" PE_SAMPLES_CUT_NAME ":0=0(f:0=5)((generated code):0=1)))");
	cr_expect(eq(u64, info.cut, 6));
}

Test(samples, of_our_own_libraries_are_left_out)
{
	struct made made = make("prog");
	struct pe_samples_chunk *chunk = add_chunk(&made, 0, 0);

	add_module(&made, "/bin/prog", 0x10000, 0);
	add_module(&made, "/opt/lib/libperfevo_rt.so", 0x20000, 0);
	add_node(chunk, PE_SAMPLES_ROOT, 0, 0);
	add_node(chunk, 0, 0x10100, 1);
	add_node(chunk, 1, 0x20100, 8);
	add_node(chunk, 2, 0x10200, 2);
	save(&made, "1-1");
	expect(read_well(), "(prog:0=0(main:0=1(f:0=2)))");
	cr_expect(eq(u64, info.samples, 3));
}

Test(samples, know_modules_by_their_generation)
{
	struct made made = make("prog");
	struct pe_samples_chunk *chunk = add_chunk(&made, 0, 0);

	add_module(&made, "one.so", 0x10000, 0);
	add_module(&made, "other.so", 0x10000, 1);
	for (uint32_t generation = 0; generation < 2; generation++) {
		add_node(chunk, PE_SAMPLES_ROOT, generation, 0);
		add_node(chunk, 2 * generation, 0x10100, 1 + generation);
	}
	save(&made, "1-1");
	expect(read_well(), "(prog:0=0(one.so:0=1)(other.so:0=2))");
}

Test(samples, go_on_in_further_chunks)
{
	struct made made = make("prog");
	struct pe_samples_chunk *second = add_chunk(&made, 0, 1), *first = add_chunk(&made, 0, 0);

	add_module(&made, "/bin/prog", 0x10000, 0);
	add_node(first, PE_SAMPLES_ROOT, 0, 0);
	add_node(first, 0, 0x10100, 1);
	while (first->used < PE_SAMPLES_CHUNK_NODES)
		add_node(first, 1, 0x10200, 1);
	add_node(second, PE_SAMPLES_CHUNK_NODES - 1, 0x10300, 9);
	save(&made, "1-1");
	expect(read_well(), "(prog:0=0(main:0=1(f:10=2044(g:20=0(h:30=9)))))");
}

Test(samples, of_processes_killed_at_their_start_are_none)
{
	struct made made = make("prog");

	made.size = 0;
	save(&made, "1-1");
	made.size = PE_SAMPLES_CHUNKS_AT;
	memset(made.header->magic, 0, sizeof(made.header->magic));
	save(&made, "2-1");
	expect(read_well(), "");
	cr_expect_text("2 0", info.files, info.processes);
}

/* --- The path --- */

enum { AT_NS = 1000000, US = 1000 };

static struct pe_samples_chunk *add_log(struct made *made, uint32_t thread)
{
	struct pe_samples_chunk *log = add_chunk(made, thread, 0);

	log->magic = PE_SAMPLES_LOG_MAGIC;
	return log;
}

/* A thread that lives for 10 µs and has one function below `root`; a log comes with it. */
static struct pe_samples_chunk *add_thread(struct made *made, uint32_t thread, uint64_t function,
					   uint64_t mark)
{
	struct pe_samples_thread *life =
		(struct pe_samples_thread *)(made->bytes + PE_SAMPLES_THREADS_AT) + thread;
	struct pe_samples_chunk *chunk = add_chunk(made, thread, 0);

	add_node(chunk, PE_SAMPLES_ROOT, 0, 0);
	add_node(chunk, 0, function, 0);
	if (mark != 0)
		add_node(chunk, 1, mark, 0);
	*life = (struct pe_samples_thread){.begun_ns = AT_NS,
					   .seen_ns = AT_NS + 10 * US,
					   .id = 100 + thread,
					   .tid = 10 + thread};
	return add_log(made, thread);
}

static void add_event(struct pe_samples_chunk *log, uint64_t end_us, uint32_t node, uint32_t value)
{
	((struct pe_samples_event *)(log + 1))[log->used++] =
		(struct pe_samples_event){AT_NS + end_us * US, node, value};
}

/* Samples of a thread's function from one moment to another, a microsecond each. */
static void compute(struct made *made, struct pe_samples_chunk *log, uint64_t from_us,
		    uint64_t until_us)
{
	struct pe_samples_thread *life =
		(struct pe_samples_thread *)(made->bytes + PE_SAMPLES_THREADS_AT) + log->thread;

	life->cpu_ns += (until_us - from_us) * US;
	while (from_us < until_us)
		add_event(log, ++from_us, 1, 1);
}

static uint64_t time_of(const struct pe_cct *cct, const char *name)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		if (strcmp(pe_cct_frame(cct, i)->name, name) == 0)
			sum += cct->self_ns[i];
	return sum;
}

#define BY(kind, id) (PE_SAMPLES_MARK | (uint64_t)(kind) << 32 | (id))

/* The main thread waits from 3 µs to 7 µs; two others compute, but that the second one may wait from 4 µs to 6 µs. */
static const struct wait_case {
	const char *what;
	uint64_t mark, of_second;
	uint32_t waited_us; /* by the main thread */
	uint64_t main_us, f_us, h_us, rest_us;
	const char *rest;
} wait_cases[] = {
	{"who holds a lock", BY(PE_SAMPLES_LOCK, 12), 0, 4, 6, 0, 4, 0, ""},
	{"a lock of nobody known", BY(PE_SAMPLES_LOCK, 0), 0, 4, 6, 2, 2, 0, ""},
	{"who signalled a condition", BY(PE_SAMPLES_CONDITION, 11), 0, 4, 6, 4, 0, 0, ""},
	{"who is joined", BY(PE_SAMPLES_JOIN, 101), 0, 4, 6, 4, 0, 0, ""},
	{"a moment", BY(PE_SAMPLES_SLEEP, 0), 0, 4, 6, 0, 0, 4, "(waiting: sleep)"},
	{"one that waits for the next", BY(PE_SAMPLES_LOCK, 12), BY(PE_SAMPLES_LOCK, 11), 4, 6, 2,
	 2, 0, ""},
	{"one that waits for the waiter", BY(PE_SAMPLES_LOCK, 12), BY(PE_SAMPLES_LOCK, 10), 4, 6, 0,
	 2, 2, "(waiting: lock)"},
	{"one that sleeps", BY(PE_SAMPLES_LOCK, 12), BY(PE_SAMPLES_SLEEP, 0), 4, 6, 0, 2, 2,
	 "(waiting: sleep)"},
	{"those that compute", BY(PE_SAMPLES_LOCK, 0), BY(PE_SAMPLES_CONDITION, 0), 4, 6, 3, 1, 0,
	 ""},
	{"one that gives up", BY(PE_SAMPLES_JOIN, 102),
	 BY(PE_SAMPLES_CONDITION, PE_SAMPLES_TIMED_OUT), 4, 6, 2, 2, 0, ""},
	{"several short ones", BY(PE_SAMPLES_LOCK, 12), 0, 2 | PE_SAMPLES_SEVERAL, 8, 0, 2, 0, ""},
};

Test(samples, the_path_goes_through_who_is_waited_for)
{
	for (size_t i = 0; i < sizeof(wait_cases) / sizeof(*wait_cases); i++) {
		const struct wait_case *at = &wait_cases[i];
		const bool several = (at->waited_us & PE_SAMPLES_SEVERAL) != 0;
		struct made made = make("prog");
		struct pe_samples_chunk *log = add_thread(&made, 0, 0x10100, at->mark);
		struct pe_cct *cct;

		add_module(&made, "/bin/prog", 0x10000, 0);
		compute(&made, log, 0, several ? 5 : 3);
		add_event(log, 7, 2, at->waited_us);
		compute(&made, log, 7, 10);
		log = add_thread(&made, 1, 0x10200, 0);
		compute(&made, log, 0, 10);
		log = add_thread(&made, 2, 0x10300, at->of_second);
		compute(&made, log, 0, at->of_second != 0 ? 4 : 10);
		if (at->of_second != 0) {
			add_event(log, 6, 2, 2);
			compute(&made, log, 6, 10);
		}
		made.header->threads = 3;
		save(&made, "1-1");
		cct = read_well();
		cr_expect(eq(u64, time_of(cct, "main"), at->main_us * US), "%s", at->what);
		cr_expect(eq(u64, time_of(cct, "f"), at->f_us * US), "%s", at->what);
		cr_expect(eq(u64, time_of(cct, "h"), at->h_us * US), "%s", at->what);
		cr_expect(eq(u64, time_of(cct, at->rest), at->rest_us * US), "%s", at->what);
		cr_expect(eq(u64, cct->total_ns[0], 10 * US), "%s", at->what);
	}
}

/* The first image of a process that outlives its parent has a parent with a file, or a mark of its start; the next has not. */
Test(samples, a_process_that_outlives_its_parent_takes_no_time)
{
	const uint32_t parents[] = {0, 1, 77, 77}, flags[] = {0, PE_SAMPLES_FORKED, 0, 0};
	const char *const names[] = {"1-1", "2-1", "2-2", "3-1"};
	struct pe_cct *cct;

	for (uint32_t i = 0; i < 4; i++) {
		struct made made = make("prog");
		struct pe_samples_chunk *log = add_thread(&made, 0, i == 0 ? 0x10100 : 0x10200,
							  i == 0 ? BY(PE_SAMPLES_STARTED, 3) : 0);

		add_module(&made, "/bin/prog", 0x10000, 0);
		made.header->pid = i == 3 ? 3 : i == 0 ? 1 : 2;
		made.header->parent = parents[i];
		made.header->flags = flags[i];
		made.header->started_ns = i;
		compute(&made, log, 0, 10);
		save(&made, names[i]);
	}
	cct = read_well();
	cr_expect(eq(u64, time_of(cct, "main"), 10 * US));
	cr_expect(eq(u64, cct->total_ns[0], 10 * US));
}

/* The path is the main thread's, then the holder's of the lock, then the main thread's again. */
Test(samples, a_timeline_has_calls_waits_and_the_path)
{
	static const char *const has[] = {
		"{\"ph\":\"B\",\"name\":\"prog\",\"pid\":0,\"tid\":0,\"ts\":0}",
		"{\"ph\":\"E\",\"name\":\"prog\",\"pid\":0,\"tid\":0,\"ts\":3}",
		"{\"ph\":\"B\",\"name\":\"prog, thread 2\",\"pid\":0,\"tid\":0,\"ts\":3}",
		"{\"ph\":\"E\",\"name\":\"prog, thread 2\",\"pid\":0,\"tid\":0,\"ts\":7}",
		"{\"ph\":\"B\",\"name\":\"main\",\"pid\":7,\"tid\":10,\"ts\":0}",
		"{\"ph\":\"B\",\"name\":\"(waiting: lock)\",\"pid\":7,\"tid\":10,\"ts\":3}",
		"{\"ph\":\"E\",\"name\":\"main\",\"pid\":7,\"tid\":10,\"ts\":10}",
		"{\"ph\":\"B\",\"name\":\"f\",\"pid\":7,\"tid\":11,\"ts\":0}",
	};
	pe_auto_text text = PE_TEXT_INIT;
	struct made made = make("prog");
	struct pe_samples_chunk *log = add_thread(&made, 0, 0x10100, BY(PE_SAMPLES_LOCK, 11));
	const struct pe_cct *cct;
	struct pe_cct *again = NULL;
	struct pe_err err = PE_ERR_INIT;

	add_module(&made, "/bin/prog", 0x10000, 0);
	made.header->pid = 7;
	made.header->started_ns = AT_NS;
	compute(&made, log, 0, 3);
	add_event(log, 7, 2, 4);
	compute(&made, log, 7, 10);
	compute(&made, add_thread(&made, 1, 0x10200, 0), 0, 10);
	made.header->threads = 2;
	save(&made, "7-1000000");
	cct = read_well();
	pe_timeline_write(&text, cct->facts.timeline, &frames);
	for (size_t i = 0; i < sizeof(has) / sizeof(*has); i++)
		cr_expect_not_null(strstr(pe_text_str(&text), has[i]), "%s in %s", has[i],
				   pe_text_str(&text));
	/* Read again, the path is no third thread. */
	cr_assert_ok(import_of(&again, text.data, text.len, "x", NULL, &frames, &arena, NULL, &err),
		     err.message);
	cr_expect(eq(u32, again->facts.threads, 2));
	cr_expect(eq(u64, again->facts.duration_ns, 20 * US));
}

Test(samples, a_timeline_of_many_short_segments_keeps_what_was_waited)
{
	const struct pe_timeline *timeline;
	struct made made = make("prog");
	struct pe_samples_chunk *log = add_thread(&made, 0, 0x10100, BY(PE_SAMPLES_SLEEP, 0));
	struct pe_samples_thread *life = (void *)(made.bytes + PE_SAMPLES_THREADS_AT);
	uint64_t waited_us = 0, path_us = 0;
	enum { WAITS = 8000 };

	add_module(&made, "/bin/prog", 0x10000, 0);
	made.header->started_ns = AT_NS;
	for (uint32_t i = 1, logs = 1; i <= WAITS; i++) {
		if (log->used == PE_SAMPLES_CHUNK_EVENTS) {
			log = add_log(&made, 0);
			log->sequence = logs++;
		}
		add_event(log, UINT64_C(3) * i, 2, 1);
	}
	life->seen_ns = AT_NS + UINT64_C(3) * WAITS * US;
	life->cpu_ns = UINT64_C(2) * WAITS * US;
	save(&made, "7-1000000");
	timeline = read_well()->facts.timeline;
	cr_assert(le(u32, timeline->n_segments, PE_TIMELINE_SEGMENTS));
	for (uint32_t i = 0; i < timeline->n_segments; i++) {
		waited_us += timeline->segments[i].waited_us;
		path_us += timeline->segments[i].path_us;
	}
	cr_expect(eq(u64, waited_us, WAITS));
	cr_expect(eq(u64, path_us, 3 * WAITS));
}

Test(samples, a_directory_without_any_is_said)
{
	struct pe_err err = PE_ERR_INIT;
	const char *nowhere[] = {"/nonexistent"};
	struct pe_cct *cct;

	cr_expect(eq(int, read_all(&cct, &err), PE_ENOTFOUND));
	cr_expect_fails(pe_samples_read(&cct, NULL, nowhere, 1, &symbolizer, &frames, &arena, &err),
			PE_ENOTFOUND, err.message, "/nonexistent");
}

/* Ways to break a good file, each with what the message must name. */
enum damage { MAGIC, VERSION, MODULE, CHUNK, USED, HOLE, PARENT, EVENT, CUT_SHORT, N_DAMAGES };

static const char *const named[N_DAMAGES] = {
	[MAGIC] = "offset 0:",      [VERSION] = "version 99",  [MODULE] = "offset 4096:",
	[CHUNK] = "offset 32768:",  [USED] = "offset 32768:",  [HOLE] = "offset 32768:",
	[PARENT] = "offset 32816:", [EVENT] = "offset 65568:", [CUT_SHORT] = "offset 999:",
};

Test(samples, broken_files_name_the_place)
{
	for (int damage = 0; damage < N_DAMAGES; damage++) {
		struct made made = make("prog");
		struct pe_samples_chunk *chunk = add_chunk(&made, 0, damage == HOLE);
		struct pe_err err = PE_ERR_INIT;
		struct pe_cct *cct;

		add_module(&made, "/bin/prog", 0x10000, 0);
		add_node(chunk, PE_SAMPLES_ROOT, 0, 0);
		add_node(chunk, damage == PARENT ? 1 : 0, 0x10100, 1);
		if (damage == MAGIC)
			made.bytes[0] = 'X';
		else if (damage == VERSION)
			made.header->version = 99;
		else if (damage == MODULE)
			((struct pe_samples_module *)(made.bytes + PE_SAMPLES_MODULES_AT))->size--;
		else if (damage == CHUNK)
			chunk->magic ^= 1;
		else if (damage == USED)
			chunk->used = PE_SAMPLES_CHUNK_NODES + 1;
		else if (damage == EVENT)
			add_event(add_log(&made, 0), 1, 2, 1);
		else if (damage == CUT_SHORT)
			made.size = 999;
		save(&made, "1-1");
		cr_expect(eq(int, read_all(&cct, &err),
			     damage == VERSION ? PE_EUNSUPPORTED : PE_EINVALID),
			  "damage %d", damage);
		cr_expect_not_null(strstr(err.message, named[damage]), "damage %d: %s", damage,
				   err.message);
		cr_expect_has(err.message, "1-1.samples");
	}
}
