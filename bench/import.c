/*
 * What importing profiles costs.
 *
 *   pe_bench_import make FORMAT MB   write about so many megabytes of a profile: folded, folded-sorted,
 *                                    perf-script, callgrind, uftrace, cpuprofile, chrome, speedscope, pprof;
 *                                    always the same ones
 *   pe_bench_import read FILE...     one core, in its own time: bytes a second of counting the lines alone, and
 *                                    of importing; the most memory
 *
 * The made ones have a program of 20,000 contexts of 4,000 functions, up to 60 deep, names of 8 to 60 bytes.
 */
#include "bench/import_made.h"
#include "analysis/profile/importer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { ROUNDS = 5 };

char names[FUNCTIONS][64];
struct context contexts[CONTEXTS];

static void make_program(struct pe_random *random)
{
	static const char *const words[] = {"parse", "table", "read",  "std::vector<int>", "detail",
					    "hash",  "probe", "write", "node_allocator",   "walk"};

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		size_t n = 0;
		uint64_t parts = 1 + pe_random_below(random, 3);

		for (uint64_t k = 0; k < parts; k++)
			n += (size_t)snprintf(names[i] + n, sizeof(names[i]) - n,
					      "%s::", words[pe_random_below(random, 10)]);
		snprintf(names[i] + n, sizeof(names[i]) - n, "f%" PRIu32, i);
	}
	for (uint32_t i = 0; i < CONTEXTS; i++) {
		/* Mostly below one of the last ones, so that stacks get deep. */
		uint32_t window = i < 40 ? i : 40;
		uint32_t parent = i == 0 ? 0 : i - 1 - (uint32_t)pe_random_below(random, window);

		if (pe_random_below(random, 200) == 0 || contexts[parent].depth >= DEEPEST)
			parent = 0;
		contexts[i].parent = parent;
		contexts[i].function = (uint32_t)pe_random_below(random, FUNCTIONS);
		contexts[i].depth = i == 0 ? 1 : contexts[parent].depth + 1;
	}
}

uint32_t path_of(uint32_t context, uint32_t path[DEEPEST + 2])
{
	uint32_t n = contexts[context].depth;

	for (uint32_t i = n; i > 0; i--) {
		path[i - 1] = contexts[context].function;
		context = contexts[context].parent;
	}
	return n;
}

static size_t put_folded(uint32_t context, uint64_t count)
{
	uint32_t path[DEEPEST + 2], n = path_of(context, path);
	size_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += (size_t)printf("%s%s", i > 0 ? ";" : "", names[path[i]]);
	return bytes + (size_t)printf(" %" PRIu64 "\n", count);
}

static size_t put_perf_sample(uint32_t context, uint64_t count)
{
	uint32_t path[DEEPEST + 2], n = path_of(context, path);
	size_t bytes = (size_t)printf("program  4321/%" PRIu64 " [001] 12512.%06" PRIu64
				      ":    1000000 cpu-clock:u: \n",
				      4321 + count % 4, count);

	for (uint32_t i = n; i > 0; i--)
		bytes += (size_t)printf("\t    55d0c4%06" PRIx32 " %s+0x%" PRIx64
					" (/usr/lib/libprogram.so.1)\n",
					path[i - 1], names[path[i - 1]], count % 512);
	return bytes + (size_t)printf("\n");
}

/* Each function once more, with lines and calls to others, names compressed after the first time. */
static size_t put_callgrind(struct pe_random *random, uint32_t round)
{
	size_t bytes = 0;

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		uint32_t line = 10 * f;

		bytes += (size_t)(round == 0 ? printf("fl=(%" PRIu32 ") src/part%" PRIu32
						      ".cc\nfn=(%" PRIu32 ") %s\n",
						      f / 20 + 1, f / 20, f + 1, names[f])
					     : printf("fl=(%" PRIu32 ")\nfn=(%" PRIu32 ")\n",
						      f / 20 + 1, f + 1));
		for (int i = 0; i < 12; i++)
			bytes += (size_t)printf("+%d %" PRIu64 "\n", i,
						pe_random_below(random, 5000));
		for (uint32_t i = 0; i < 2 && round > 0 && 2 * f + i + 1 < FUNCTIONS; i++)
			bytes += (size_t)printf("cfn=(%" PRIu32 ")\ncalls=%d 7\n%" PRIu32 " %d\n",
						2 * f + i + 2, 3, line + i, 100000);
		bytes += (size_t)printf("\n");
	}
	return bytes;
}

static size_t put_uftrace(uint32_t context, uint64_t *now_ns)
{
	uint32_t path[DEEPEST + 2], n = path_of(context, path);
	size_t bytes = 0;

	for (uint32_t i = 0; i < 2 * n; i++) {
		uint32_t depth = i < n ? i : 2 * n - 1 - i;

		*now_ns += 70;
		bytes += (size_t)printf("%" PRIu64 ".%09" PRIu64 "   4321: [%s] %s(55d0c4%06" PRIx32
					") depth: %" PRIu32 "\n",
					*now_ns / 1000000000, *now_ns % 1000000000,
					i < n ? "entry" : "exit ", names[path[depth]], path[depth],
					depth);
	}
	return bytes;
}

static int make(const char *format, uint64_t megabytes)
{
	struct pe_random random;
	uint64_t now_ns = 0, bytes = 0;
	bool is_sorted = strcmp(format, "folded-sorted") == 0;
	bool is_callgrind = strcmp(format, "callgrind") == 0;

	pe_random_seed(&random, 20130927);
	make_program(&random);
	if (make_structured(format, megabytes, &random))
		return 0;
	if (is_callgrind)
		printf("# callgrind format\npositions: line\nevents: Ir\n");
	if (strcmp(format, "uftrace") == 0)
		printf("uftrace file header: version       = 4\n\nreading 4321.dat\n");
	for (uint32_t round = 0; bytes < megabytes * 1000000; round++) {
		uint64_t drawn = is_sorted ? round % CONTEXTS : pe_random_below(&random, CONTEXTS);

		if (is_callgrind)
			bytes += put_callgrind(&random, round);
		else if (strncmp(format, "folded", 6) == 0)
			bytes += put_folded((uint32_t)drawn, 1 + round % 97);
		else if (strcmp(format, "perf-script") == 0)
			bytes += put_perf_sample((uint32_t)drawn, round % 1000000);
		else if (strcmp(format, "uftrace") == 0)
			bytes += put_uftrace((uint32_t)drawn, &now_ns);
		else
			return fprintf(stderr, "pe_bench_import: no format '%s'\n", format), 129;
	}
	return 0;
}

/* Of this process: others on the machine do not count. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t most_memory_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

/* The least that a reader of lines can do: what the importers are measured against. */
static uint64_t count_lines(const char *path, uint64_t *took_ns)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_input *input;
	uint64_t start = cpu_ns(), lines = 0;
	char *line;
	size_t n;

	if (pe_input_open(&input, path, &err) != PE_OK)
		return 0;
	while (pe_input_line(input, &line, &n, &err) == PE_OK && line != NULL)
		lines++;
	pe_input_close(input);
	*took_ns = cpu_ns() - start;
	return lines;
}

static int import_once(const char *path, uint64_t *took_ns, uint32_t *nodes)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	uint64_t start = cpu_ns();
	struct pe_cct *cct;
	int rc = pe_import_file(&cct, path, NULL, &frames, &arena, NULL, &err);

	*took_ns = cpu_ns() - start;
	if (rc == PE_OK)
		*nodes = cct->n;
	else
		fprintf(stderr, "pe_bench_import: %s\n", err.message);
	pe_frames_release(&frames);
	pe_arena_release(&arena);
	return rc;
}

/* The best of some rounds, lines and imports in turn. */
static int measure(const char *path)
{
	uint64_t best_lines = UINT64_MAX, best_import = UINT64_MAX, took = 0, lines = 0;
	struct stat status;
	uint32_t nodes = 0;
	double size;

	if (stat(path, &status) != 0)
		return fprintf(stderr, "pe_bench_import: no file %s\n", path), 1;
	for (int round = 0; round < ROUNDS; round++) {
		lines = count_lines(path, &took);
		best_lines = took < best_lines ? took : best_lines;
		if (import_once(path, &took, &nodes) != PE_OK)
			return 1;
		best_import = took < best_import ? took : best_import;
	}
	size = (double)status.st_size;
	printf("%-40s %7.1f MB %9" PRIu64 " lines %8" PRIu32
	       " nodes  lines alone %6.0f MB/s  import %6.0f MB/s  %5.1f times  %4.0f MB memory\n",
	       path, size / 1e6, lines, nodes, size * 1e3 / (double)best_lines,
	       size * 1e3 / (double)best_import, (double)best_import / (double)best_lines,
	       (double)most_memory_bytes() / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	int rc = 0;

	if (argc == 4 && strcmp(argv[1], "make") == 0)
		return make(argv[2], strtoull(argv[3], NULL, 10));
	if (argc < 3 || strcmp(argv[1], "read") != 0) {
		fprintf(stderr, "usage: pe_bench_import make FORMAT MB | read FILE...\n");
		return 129;
	}
	for (int i = 2; i < argc && rc == 0; i++)
		rc = measure(argv[i]);
	return rc;
}
