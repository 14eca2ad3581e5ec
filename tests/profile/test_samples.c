/* Sample files: what was written is read as it was meant, and nothing that is broken is believed. */
#include "analysis/profile/samples.h"

#include "core/base/text.h"
#include "probe/formats/samples.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pe_frames frames;
static struct pe_arena arena;
static char directory[] = "/tmp/pe_samples_XXXXXX";
static struct pe_samples_info info;
static unsigned asked;

static void make_directory(void)
{
	cr_assert(ne(ptr, mkdtemp(directory), NULL));
}

static void release(void)
{
	DIR *open = opendir(directory);

	for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
		unlinkat(dirfd(open), entry->d_name, 0);
	if (open != NULL)
		closedir(open);
	rmdir(directory);
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

TestSuite(samples, .init = make_directory, .fini = release, .timeout = 600);

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

	made.bytes = pe_arena_alloc(&arena, 1, made.size + 3 * PE_SAMPLES_CHUNK_SIZE);
	made.header = (void *)made.bytes;
	memcpy(made.header->magic, PE_SAMPLES_MAGIC, sizeof(made.header->magic));
	made.header->version = PE_SAMPLES_VERSION;
	made.header->size = sizeof(*made.header);
	made.header->interval_ns = 1000;
	made.header->clock = PE_SAMPLES_PERF;
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
	cr_assert(ne(ptr, file, NULL));
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

	cr_assert(eq(int, read_all(&cct, &err), PE_OK), "%s", err.message);
	cr_assert(eq(int, pe_cct_check(cct, &err), PE_OK), "%s", err.message);
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
	struct pe_text text = PE_TEXT_INIT;

	describe(&text, cct, 0);
	cr_expect(eq(str, (char *)(size_t)pe_text_str(&text), (char *)(size_t)tree));
	pe_text_release(&text);
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
	cr_expect(eq(u64, cct->facts.samples, 10));
	cr_expect(eq(u64, cct->facts.interval_ns, 1000));
	cr_expect(eq(int, cct->known, PE_CCT_SAMPLES | PE_CCT_SITES));
	cr_expect(eq(str, (char *)(size_t)info.clock, (char *)(size_t) "perf"));
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
	other.header->clock = PE_SAMPLES_TIMER;
	other.header->interval_ns = 500;
	other.header->lost = 7;
	save(&other, "3-1");
	expect(read_well(), "(prog:0=0(main:0=4))(other:0=0)");
	cr_expect(eq(u32, info.processes, 3));
	cr_expect(eq(u32, info.threads, 5));
	cr_expect(eq(u64, info.interval_ns, 0), "they differ");
	cr_expect(eq(u64, info.lost, 7));
	cr_expect(eq(str, (char *)(size_t)info.clock, (char *)(size_t) "mixed"));
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
	cr_expect(eq(u64, info.hooks, 8));
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
	expect(read_well(), "(prog:0=0(main:0=1(f:10=4092(g:20=0(h:30=9)))))");
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
	cr_expect(eq(u32, info.files, 2));
	cr_expect(eq(u32, info.processes, 0));
}

Test(samples, a_directory_without_any_is_said)
{
	struct pe_err err = PE_ERR_INIT;
	const char *nowhere[] = {"/nonexistent"};
	struct pe_cct *cct;

	cr_expect(eq(int, read_all(&cct, &err), PE_ENOTFOUND));
	cr_expect(eq(int,
		     pe_samples_read(&cct, NULL, nowhere, 1, &symbolizer, &frames, &arena, &err),
		     PE_ENOTFOUND));
	cr_expect(ne(ptr, strstr(err.message, "/nonexistent"), NULL));
}

/* Ways to break a good file, each with what the message must name. */
enum damage { MAGIC, VERSION, MODULE, CHUNK, USED, HOLE, PARENT, CUT_SHORT, N_DAMAGES };

static const char *const named[N_DAMAGES] = {
	[MAGIC] = "offset 0:",      [VERSION] = "version 99",    [MODULE] = "offset 4096:",
	[CHUNK] = "offset 32768:",  [USED] = "offset 32768:",    [HOLE] = "offset 32768:",
	[PARENT] = "offset 32816:", [CUT_SHORT] = "offset 999:",
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
		else if (damage == CUT_SHORT)
			made.size = 999;
		save(&made, "1-1");
		cr_expect(eq(int, read_all(&cct, &err),
			     damage == VERSION ? PE_EUNSUPPORTED : PE_EINVALID),
			  "damage %d", damage);
		cr_expect(ne(ptr, strstr(err.message, named[damage]), NULL), "damage %d: %s",
			  damage, err.message);
		cr_expect(ne(ptr, strstr(err.message, "1-1.samples"), NULL), "%s", err.message);
	}
}
