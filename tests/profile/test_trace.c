/* Traces made by hand, whole and damaged. */
#define _GNU_SOURCE
#include "analysis/profile/trace.h"
#include "probe/formats/trace.h"
#include "tests/support/test.h"

enum { CODE = 0x10000, MODULE_SLOT = 64, FIRST_NODE = 128 + 1, MOST_SLOTS = 1 << 18 };

static struct pe_arena arena;
static struct pe_frames frames;
static struct pe_err err;
static struct pe_trace_notes notes;
static struct pe_cct *cct;
static uint64_t *bytes; /* MOST_SLOTS slots */
static unsigned asked;

static struct pe_trace_header *header(void)
{
	return (struct pe_trace_header *)(void *)bytes;
}

static struct pe_trace_node *slot(uint32_t number)
{
	return (struct pe_trace_node *)(void *)bytes + number;
}

static struct pe_trace_module *module_in(uint32_t chunk)
{
	return (struct pe_trace_module *)(void *)slot(chunk + 1);
}

static void add_chunk(uint32_t at, enum pe_trace_chunk_kind kind, uint32_t pages)
{
	struct pe_trace_chunk *chunk = (struct pe_trace_chunk *)(void *)slot(at);

	chunk->magic = PE_TRACE_CHUNK_MAGIC;
	chunk->kind = kind;
	chunk->pages = pages;
	if (header()->end < (at / 64 + pages) * (uint64_t)PE_TRACE_PAGE)
		header()->end = (at / 64 + pages) * (uint64_t)PE_TRACE_PAGE;
}

static void add_module(uint32_t at, const char *path)
{
	struct pe_trace_module *module = module_in(at);

	add_chunk(at, PE_TRACE_MODULE, 1);
	*module = (struct pe_trace_module){
		.start = CODE,
		.end = CODE + 0x10000,
		.bias = CODE,
		.complete = 1,
		.path_bytes = (uint32_t)strlen(path) + 1,
	};
	memcpy(module + 1, path, strlen(path) + 1);
}

/* Functions are at CODE + 100 * their number: f1, f2, ...; call sites name their own line. */
static struct pe_trace_node *add_node(uint32_t at, uint32_t parent, unsigned function,
				      unsigned line, uint64_t calls)
{
	*slot(at) = (struct pe_trace_node){
		.function = function != 0 ? CODE + 100 * function + 1 : 0,
		.site = function != 0 ? CODE + line + 1 : 0,
		.parent = parent,
		.state = PE_TRACE_NODE_USED | (function == 0 ? PE_TRACE_NODE_ROOT : 0),
		.calls = calls,
	};
	return slot(at);
}

static void begin(void)
{
	memset(bytes, 0, (size_t)MOST_SLOTS * PE_TRACE_SLOT);
	memcpy(header()->magic, PE_TRACE_MAGIC, sizeof(header()->magic));
	header()->version = PE_TRACE_VERSION;
	header()->size = sizeof(struct pe_trace_header);
	header()->end = PE_TRACE_PAGE;
	header()->threads = 1;
	strcpy(header()->program, "/somewhere/program");
	add_module(MODULE_SLOT, "/somewhere/program");
	add_chunk(FIRST_NODE - 1, PE_TRACE_NODES, 1);
	add_node(FIRST_NODE, 0, 0, 0, 0);
}

TestSuiteWith(trace, (bytes = calloc(MOST_SLOTS, PE_TRACE_SLOT), begin()),
	      (free(bytes), pe_frames_release(&frames), pe_arena_release(&arena)), .timeout = 600);

/* f<n> in the file's own addresses n * 100; from 9000 on, inlined into f1 at line address - 9000. */
static int name(struct pe_symbols *out, const struct pe_module *module, uint64_t address,
		void *payload, struct pe_err *failure)
{
	static struct pe_symbol chain[2];
	static char names[2][64];
	const char *base = strrchr(module->path, '/') + 1;

	(void)payload;
	(void)failure;
	asked++;
	snprintf(names[0], sizeof(names[0]), "f%llu%s", (unsigned long long)(address / 100),
		 strcmp(base, "program") == 0 ? "" : base);
	snprintf(names[1], sizeof(names[1]), "f1");
	chain[0] = (struct pe_symbol){.frame = {.name = names[0]}, .line = (uint32_t)address};
	chain[1] =
		(struct pe_symbol){.frame = {.name = names[1]}, .line = (uint32_t)address - 9000};
	*out = (struct pe_symbols){chain, address >= 9000 ? 2 : 1};
	return PE_OK;
}

static const struct pe_symbolizer symbolizer = {name, NULL};

static int read_bytes(size_t n)
{
	return pe_trace_read_bytes(&cct, &notes, bytes, n, "a.calls", &symbolizer, &frames, &arena,
				   &err);
}

static void read_whole(void)
{
	cr_assert_ok(read_bytes(header()->end), err.message);
	cr_assert_ok(pe_cct_check(cct, &err), err.message);
}

static void expect_refusal(const char *place, const char *what)
{
	cr_expect_fails(read_bytes(header()->end), PE_EINVALID, err.message, place);
	cr_expect_has(err.message, what);
}

static void expect_node(uint32_t node, const char *method, uint32_t parent, uint32_t site,
			uint64_t calls)
{
	cr_assert(lt(uint, node, cct->n));
	cr_expect(eq(int, strcmp(pe_cct_frame(cct, node)->name, method), 0), "%s instead of %s",
		  pe_cct_frame(cct, node)->name, method);
	cr_expect(eq(uint, cct->nodes[node].parent, parent));
	cr_expect(eq(uint, cct->nodes[node].site, site));
	cr_expect(eq(u64, cct->calls[node], calls));
}

Test(trace, nodes_of_equal_frame_and_site_are_one)
{
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 5, 2);
	add_node(FIRST_NODE + 2, FIRST_NODE + 1, 2, 6, 3)->allocations = 4;
	add_node(FIRST_NODE + 3, FIRST_NODE, 1, 5, 10);
	slot(FIRST_NODE + 3)->function += 7; /* elsewhere in the same function */
	add_node(FIRST_NODE + 4, FIRST_NODE + 3, 2, 6, 20)->allocations = 5;
	add_node(FIRST_NODE + 5, FIRST_NODE + 3, 2, 7, 1);
	read_whole();
	cr_assert(eq(uint, cct->n, 5));
	expect_node(1, "program", 0, 0, 1);
	expect_node(2, "f1", 1, 0, 12);
	expect_node(3, "f2", 2, 6, 23);
	expect_node(4, "f2", 2, 7, 1);
	cr_expect(eq(u64, cct->allocations[3], 9));
}

Test(trace, an_inlined_copy_is_called_from_the_line_that_it_was_inlined_at)
{
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 5, 1);
	add_node(FIRST_NODE + 2, FIRST_NODE + 1, 95, 5, 1);
	read_whole();
	expect_node(3, "f95", 2, 500, 1);
}

Test(trace, what_no_method_calls_has_no_call_site)
{
	add_module(192, "/somewhere/libc.so");
	module_in(192)->start += 0x10000;
	module_in(192)->end += 0x10000;
	module_in(192)->bias += 0x10000;
	/* From two places in a library with lines, and inlined into what was not counted. */
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 0x10000 + 5, 1);
	add_node(FIRST_NODE + 2, FIRST_NODE, 1, 0x10000 + 6, 1);
	add_node(FIRST_NODE + 3, FIRST_NODE, 95, 7, 1);
	read_whole();
	cr_expect(eq(uint, asked, 2));
	cr_assert(eq(uint, cct->n, 4));
	expect_node(2, "f1", 1, 0, 2);
	expect_node(3, "f95", 1, 0, 1);
}

Test(trace, each_address_is_asked_for_once)
{
	for (unsigned i = 1; i < 60; i++)
		add_node(FIRST_NODE + i, FIRST_NODE + i - 1, 1 + i % 3, 1 + i % 3, 1);
	read_whole();
	cr_expect(eq(uint, asked, 6));
}

Test(trace, code_in_no_file_has_a_node)
{
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 5, 3)->function = 0x7fff0000;
	read_whole();
	cr_assert(eq(uint, cct->n, 3));
	cr_expect(eq(int, pe_cct_frame(cct, 2)->kind, PE_FRAME_UNKNOWN));
}

Test(trace, a_handler_may_lie_before_what_it_interrupted)
{
	add_node(FIRST_NODE + 1, FIRST_NODE + 2, 2, 6, 1);
	add_node(FIRST_NODE + 2, FIRST_NODE, 1, 5, 1);
	read_whole();
	expect_node(2, "f1", 1, 0, 1);
	expect_node(3, "f2", 2, 6, 1);
}

Test(trace, a_recursive_call_says_that_its_node_is_folded)
{
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 5, 9);
	add_node(FIRST_NODE + 2, FIRST_NODE + 1, 1, 5, 0)->state |= PE_TRACE_NODE_ALIAS;
	slot(FIRST_NODE + 2)->target = FIRST_NODE + 1;
	read_whole();
	cr_assert(eq(uint, cct->n, 3));
	cr_expect(eq(int, cct->flags[2], PE_CCT_FOLDED));
}

Test(trace, a_path_may_be_as_deep_as_it_likes)
{
	enum { DEEP = 100000 };

	add_chunk(FIRST_NODE - 1, PE_TRACE_NODES, DEEP / 64 + 2);
	/* Backwards: the way up is as long as the tree. */
	for (uint32_t i = 1; i <= DEEP; i++) {
		add_node(FIRST_NODE + i, i == DEEP ? FIRST_NODE : FIRST_NODE + i + 1, 1, 1, 1);
		slot(FIRST_NODE + i)->function = CODE + 1 + i % 9000;
	}
	cr_assert_ok(read_bytes(header()->end), err.message);
}

Test(trace, an_allocator_of_its_own_hides_allocations)
{
	header()->flags = PE_TRACE_BYPASSED;
	header()->peak_bytes = 5;
	read_whole();
	cr_expect_text("- 0 1 0", cct->allocations, cct->facts.peak_bytes, notes.bypassed,
		       strcmp(notes.bypassed_name, "program"));
}

Test(trace, a_program_without_hooks_is_a_process)
{
	read_whole();
	cr_expect(eq(uint, notes.processes, 1));
}

Test(trace, damage_is_refused_with_its_place)
{
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 5, 1)->parent = 7;
	expect_refusal("offset 8320", "a node whose parent is none");
	slot(FIRST_NODE + 1)->parent = FIRST_NODE + 1;
	expect_refusal("offset 8320", "its own ancestor");
	slot(FIRST_NODE + 1)->parent = UINT32_MAX;
	expect_refusal("offset 8320", "a node whose parent is none");
	begin();
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 5, 1)->state |= PE_TRACE_NODE_ALIAS;
	slot(FIRST_NODE + 1)->target = FIRST_NODE + 1;
	expect_refusal("offset 8320", "leads nowhere");
	begin();
	((struct pe_trace_chunk *)(void *)slot(FIRST_NODE - 1))->pages = 9;
	expect_refusal("offset 8192", "does not fit");
	begin();
	((struct pe_trace_chunk *)(void *)slot(FIRST_NODE - 1))->kind = 9;
	expect_refusal("offset 8192", "unknown part");
	begin();
	slot(FIRST_NODE - 1)->function++;
	expect_refusal("offset 8192", "no part of a trace");
	begin();
	module_in(MODULE_SLOT)->path_bytes = 5000;
	expect_refusal("offset 4160", "does not fit");
	begin();
	header()->end += 1;
	expect_refusal("offset 40", "an end");
	begin();
	header()->version++;
	cr_expect(eq(int, read_bytes(header()->end), PE_EUNSUPPORTED));
}

Test(trace, a_cut_file_says_where)
{
	size_t whole = header()->end;

	cr_expect_fails(read_bytes(whole - 1), PE_EINVALID, err.message, "12287 bytes of 12288");
	cr_expect(eq(int, read_bytes(100), PE_EINVALID));
	cr_expect(eq(int, read_bytes(0), PE_ENOTFOUND));
}

/* Whatever bit is wrong, the answer is a tree that holds together, or a sentence. */
Test(trace, any_bit_may_be_wrong)
{
	uint64_t seed = 42;

	for (int round = 0; round < 1000; round++) {
		int rc;

		begin();
		for (unsigned i = 1; i < 60; i++)
			add_node(FIRST_NODE + i, FIRST_NODE + i / 2, i, i, i);
		for (int bits = 0; bits < 3; bits++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			bytes[(seed >> 33) % (3 * PE_TRACE_PAGE / 8)] ^= UINT64_C(1)
									 << (seed >> 58);
		}
		rc = read_bytes((size_t)3 * PE_TRACE_PAGE);
		if (rc == PE_OK)
			cr_assert_ok(pe_cct_check(cct, &err), err.message);
		else
			cr_assert(ne(int, err.message[0], 0));
	}
}

static void write_trace(const char *dir, const char *file)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	cr_assert(ge(int, fd, 0));
	cr_assert(eq(sz, (size_t)write(fd, bytes, header()->end), (size_t)header()->end));
	close(fd);
}

Test(trace, processes_of_one_command_are_joined_in_order_of_their_start)
{
	const char *tmp = getenv("TMPDIR");
	char dir[256], command[300];

	snprintf(dir, sizeof(dir), "%s/pe-trace-XXXXXX", tmp != NULL ? tmp : P_tmpdir);
	cr_assert_not_null(mkdtemp(dir));
	cr_expect(eq(int, pe_trace_read_dir(&cct, &notes, dir, &symbolizer, &frames, &arena, &err),
		     PE_ENOTFOUND));
	header()->started_ns = 3;
	add_node(FIRST_NODE + 1, FIRST_NODE, 1, 5, 1);
	write_trace(dir, "1-3" PE_TRACE_SUFFIX);
	header()->started_ns = 2;
	header()->peak_bytes = 7;
	add_node(FIRST_NODE + 1, FIRST_NODE, 2, 6, 1);
	write_trace(dir, "2-2" PE_TRACE_SUFFIX);
	header()->started_ns = 1;
	header()->flags = PE_TRACE_FORKED | PE_TRACE_STOPPED;
	header()->lost = 4;
	strcpy(header()->program, "/elsewhere/other");
	write_trace(dir, "3-1" PE_TRACE_SUFFIX);
	cr_assert_ok(pe_trace_read_dir(&cct, &notes, dir, &symbolizer, &frames, &arena, &err),
		     err.message);
	cr_assert(eq(uint, cct->n, 6));
	expect_node(1, "other", 0, 0, 0);
	expect_node(2, "f2", 1, 0, 1);
	expect_node(3, "program", 0, 0, 2);
	expect_node(4, "f2", 3, 0, 1);
	expect_node(5, "f1", 3, 0, 1);
	cr_expect_text("3 3 1 4 14", notes.processes, notes.threads, notes.stopped,
		       notes.lost_calls, cct->facts.peak_bytes);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	cr_expect(eq(int, system(command), 0));
	cr_expect(eq(int, pe_trace_read_dir(&cct, &notes, dir, &symbolizer, &frames, &arena, &err),
		     PE_ENOTFOUND));
}
