/*
 * What keeping a calling context tree costs: bytes a node, and the time to store it and to load it again through
 * another handle. The trees are made by a seeded generator, as programs make them.
 *
 *   pe_bench_profiles FILE [NODES]     (1000000)
 *
 * FILE must not exist; it is left for looking into. The bars: a million nodes of a program's tree in at most 16
 * bytes each, stored in under 2 s, loaded in under 0.5 s.
 */
#include "core/base/clock.h"
#include "tests/support/random.h"
#include "analysis/profile/archive.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	COUNTED = PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_ALLOCATIONS,
	JOINED = COUNTED | PE_CCT_TIME | PE_CCT_SAMPLES,
	TIMED = COUNTED | PE_CCT_TIME,
	SAMPLE_NS = 1000000,
};

struct bench {
	struct pe_store *store;
	const char *path;
	struct pe_err err;
	int64_t machine, benchmark;
	uint32_t nodes;
	struct pe_random random;
};

static void check(const struct bench *bench, int rc)
{
	if (rc == PE_OK)
		return;
	fprintf(stderr, "pe_bench_profiles: %s\n", bench->err.message);
	exit(EXIT_FAILURE);
}

/* --- Programs --- */

/* Most are small, some are very large: P(X > x) = x^-exponent. */
static uint64_t power_law(struct pe_random *random, double exponent, double most)
{
	return (uint64_t)fmin(pow(1 - pe_random_unit(random), -1 / exponent), most);
}

/* A program's calls: each method makes some, at sites of its own, to methods that are called often or rarely. */
struct program {
	uint32_t n_methods;
	uint32_t *begin;
	uint32_t *callees, *sites;
};

static struct program make_program(struct bench *bench, uint32_t n_methods, struct pe_arena *arena)
{
	struct program program = {.n_methods = n_methods,
				  .begin = pe_arena_new(arena, uint32_t, n_methods + 1)};
	uint32_t n = 0;

	for (uint32_t m = 0; m < n_methods; m++) {
		program.begin[m] = n;
		n += (uint32_t)power_law(&bench->random, 1.1, 200);
	}
	program.begin[n_methods] = n;
	program.callees = pe_arena_new(arena, uint32_t, n);
	program.sites = pe_arena_new(arena, uint32_t, n);
	for (uint32_t m = 0; m < n_methods; m++) {
		uint32_t line = (uint32_t)pe_random_below(&bench->random, 5000);

		for (uint32_t c = program.begin[m]; c < program.begin[m + 1]; c++) {
			uint64_t callee = power_law(&bench->random, 0.6, 4.0 * n_methods);

			program.callees[c] = (uint32_t)((callee + m) % n_methods);
			program.sites[c] = line += (uint32_t)power_law(&bench->random, 0.9, 100);
		}
	}
	return program;
}

static void put_methods(struct pe_frames *frames, uint32_t n)
{
	for (uint32_t m = 0; m < n; m++) {
		char name[128], component[64];
		struct pe_frame frame = {
			.name = name,
			.component = component,
			.signature = m % 3 == 0 ? "(std::string const&, int)" : "",
			.module = m % 17 == 0 ? "libother.so.1" : "program",
			.line = m * 37 % 4000,
		};

		snprintf(name, sizeof(name), "space_%u::class_%u::method_%u", m % 7, m / 40, m);
		snprintf(component, sizeof(component), "src/part_%u/file_%u.cc", m / 2000, m / 50);
		pe_frames_add(frames, &frame);
	}
}

/* Calls follow those of the caller; one in eight was sampled; one in six allocates, mostly blocks of one size. */
static void run_node(struct bench *bench, struct pe_cct_values *values, uint64_t calls,
		     uint32_t method)
{
	struct pe_random *random = &bench->random;
	uint64_t samples = pe_random_below(random, 8) == 0 ? power_law(random, 0.8, 1e5) : 0;
	uint64_t blocks = method % 6 == 0 ? calls : 0;

	values->calls = calls;
	values->samples = samples;
	values->self_ns = samples * SAMPLE_NS;
	values->allocations = blocks;
	values->allocated_bytes = blocks * (16 + method % 48) + (method % 12 == 0 ? calls * 3 : 0);
	values->frees = method % 5 == 0 ? blocks / 2 + calls : 0;
}

static void run_timed(struct bench *bench, struct pe_cct_values *values)
{
	double mean_ns = 20 * exp(2 * fabs(pe_random_normal(&bench->random)));

	values->self_ns = (uint64_t)((double)values->calls * mean_ns);
}

/* In the order in which a program meets its nodes, breadth bounded by what is called, depth by 60. */
static struct pe_cct *run_program(struct bench *bench, struct pe_frames *frames,
				  const struct program *program, unsigned known,
				  struct pe_arena *arena)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(frames, known);
	struct pe_cct_facts facts = {.source = "bench", .interval_ns = SAMPLE_NS};
	uint64_t calls[64] = {1};
	uint32_t path[64] = {0};
	unsigned depth = 0;

	while (pe_cct_builder_count(builder) < bench->nodes) {
		uint32_t method =
			depth == 0 ? 0 : pe_cct_builder_node(builder, path[depth])->frame - 1;
		uint32_t degree = program->begin[method + 1] - program->begin[method];
		uint64_t which = pe_random_below(&bench->random, degree + 2);
		uint32_t count = pe_cct_builder_count(builder), call, node;

		if (depth > 0 && (which >= degree || depth == 60)) {
			depth--;
			continue;
		}
		call = program->begin[method] + (uint32_t)(which % degree);
		node = pe_cct_builder_child(builder, path[depth], program->callees[call] + 1,
					    program->sites[call]);
		calls[depth + 1] = power_law(&bench->random, 0.9, 50) *
				   (1 + calls[depth] / (1 + pe_random_below(&bench->random, 8)));
		calls[depth + 1] %= UINT64_C(1) << 40;
		path[++depth] = node;
		if (node < count)
			continue;
		run_node(bench, pe_cct_builder_at(builder, node), calls[depth],
			 program->callees[call]);
		if ((known & PE_CCT_SAMPLES) == 0)
			run_timed(bench, pe_cct_builder_at(builder, node));
	}
	return pe_cct_builder_finish(builder, &facts, arena);
}

/* What is recorded of a program's contexts. */
static const struct {
	const char *name;
	unsigned known;
} cases[] = {
	{"counted-and-sampled", JOINED},
	{"timed", TIMED},
};

static struct pe_cct *program_tree(struct bench *bench, struct pe_frames *frames, unsigned known,
				   struct pe_arena *arena)
{
	enum { METHODS = 20000 };
	struct program program = make_program(bench, METHODS, arena);

	pe_frames_add(frames, &(struct pe_frame){.name = "root", .kind = PE_FRAME_ROOT});
	put_methods(frames, METHODS);
	return run_program(bench, frames, &program, known, arena);
}

/* --- Measuring --- */

static void put_subjects(struct bench *bench)
{
	struct pe_machine machine = {.hostname = "bench", .fingerprint = "bench"};
	struct pe_benchmark benchmark = {.name = "bench", .version = "1"};

	check(bench, pe_store_open(&bench->store, bench->path, 0, &bench->err));
	check(bench, pe_store_put_machine(&bench->machine, bench->store, &machine, &bench->err));
	check(bench,
	      pe_store_put_benchmark(&bench->benchmark, bench->store, &benchmark, &bench->err));
	pe_store_close(bench->store);
}

static uint64_t put(struct bench *bench, int64_t *key, const char *kind, const struct pe_cct *cct)
{
	const struct pe_stored_profile profile = {.machine = bench->machine,
						  .benchmark = bench->benchmark,
						  .revision = "0000",
						  .kind = kind};
	uint64_t start = pe_clock_ns();

	check(bench, pe_store_open(&bench->store, bench->path, 0, &bench->err));
	check(bench, pe_store_put_profile(key, bench->store, &profile, &cct, 1, &bench->err));
	pe_store_close(bench->store); /* the log is written back into the file here */
	return pe_clock_ns() - start;
}

static uint64_t get(struct bench *bench, int64_t key, const struct pe_cct *expected)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_cct *cct;
	uint64_t start = pe_clock_ns(), spent;

	check(bench, pe_store_open(&bench->store, bench->path, PE_OPEN_READONLY, &bench->err));
	check(bench, pe_store_get_tree(&cct, bench->store, key, 0, &frames, &arena, &bench->err));
	pe_store_close(bench->store);
	spent = pe_clock_ns() - start;
	if (cct->n != expected->n ||
	    memcmp(cct->calls, expected->calls, cct->n * sizeof(*cct->calls)) != 0) {
		fprintf(stderr, "pe_bench_profiles: another tree came back\n");
		exit(EXIT_FAILURE);
	}
	pe_frames_release(&frames);
	pe_arena_release(&arena);
	return spent;
}

static void measure(struct bench *bench, size_t which)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_stored_profile found;
	struct pe_profile_query query = {.machine = bench->machine,
					 .benchmark = bench->benchmark,
					 .revision = "0000",
					 .kind = cases[which].name};
	uint64_t put_ns, get_ns = UINT64_MAX;
	struct pe_cct *cct;
	int64_t key = 0;
	uint32_t *used;
	size_t n_used;

	pe_random_seed(&bench->random, 1);
	cct = program_tree(bench, &frames, cases[which].known, &arena);
	pe_archive_used(&used, &n_used, cct, &arena);
	put_ns = put(bench, &key, cases[which].name, cct);
	for (int i = 0; i < 3; i++) {
		uint64_t ns = get(bench, key, cct);

		get_ns = ns < get_ns ? ns : get_ns;
	}
	check(bench, pe_store_open(&bench->store, bench->path, PE_OPEN_READONLY, &bench->err));
	check(bench, pe_store_find_profile(&found, bench->store, &query, &arena, &bench->err));
	pe_store_close(bench->store);
	printf("%-20s %8" PRIu32 " nodes %7zu"
	       " methods: %5.2f bytes a node, stored in %.2f s, loaded in %.2f s\n",
	       cases[which].name, cct->n, n_used, (double)found.bytes / cct->n,
	       (double)put_ns / 1e9, (double)get_ns / 1e9);
	fflush(stdout);
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

int main(int argc, char **argv)
{
	struct bench bench = {.nodes = 1000000};

	if (argc < 2 || access(argv[1], F_OK) == 0) {
		fprintf(stderr, "usage: pe_bench_profiles NEW-FILE [NODES]\n");
		return EXIT_FAILURE;
	}
	bench.path = argv[1];
	if (argc > 2)
		bench.nodes = (uint32_t)strtoul(argv[2], NULL, 10);
	put_subjects(&bench);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		measure(&bench, i);
	return EXIT_SUCCESS;
}
