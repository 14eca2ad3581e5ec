/*
 * What comparing costs: two trees of n nodes, matched, merged, judged and taken apart, over sizes and
 * shapes. Arguments: sizes (default 10^4 to 10^7); with one shape's name in front, only that.
 *
 *   program   a program's tree: 4,000 methods, depth about 25, call sites; one node in 100 is removed, put
 *             in, renamed or called differently, every time differs
 *   one-name  all nodes children of the root, of one method and different call sites
 *   names     likewise, every one a method of its own, in another order
 *   chain     one path as deep as there are nodes, every tenth call new
 */
#include "analysis/compare/blueprint.h"
#include "analysis/compare/parcs.h"
#include "analysis/compare/attribution.h"
#include "core/base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { METHODS = 4000, KNOWN = PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES };

static struct pe_frames frames;

static uint32_t method(const char *prefix, uint32_t number)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%" PRIu32, prefix, number);
	return pe_frames_add_method(&frames, name, "bench.c");
}

/* Nodes stand in preorder with their parents; the ends follow from these. */
static struct pe_cct *finish(struct pe_cct *cct)
{
	for (uint32_t i = 0; i < cct->n; i++)
		cct->nodes[i].end = i + 1;
	for (uint32_t i = cct->n; i-- > 1;) {
		struct pe_cct_node *parent = &cct->nodes[cct->nodes[i].parent];

		if (cct->nodes[i].end > parent->end)
			parent->end = cct->nodes[i].end;
	}
	pe_cct_sum(cct);
	cct->facts.source = "bench";
	cct->facts.duration_ns = cct->total_ns[0];
	return cct;
}

static void fill(struct pe_cct *cct, uint32_t i, struct pe_random *random)
{
	cct->calls[i] = 1 + pe_random_below(random, 1000);
	cct->self_ns[i] = 1000 + pe_random_below(random, 100000);
	cct->allocations[i] = pe_random_below(random, 8) == 0 ? pe_random_below(random, 100) : 0;
	cct->allocated_bytes[i] = 32 * cct->allocations[i];
}

static struct pe_cct *program(uint32_t n, struct pe_random *random, struct pe_arena *arena)
{
	struct pe_cct *cct = pe_cct_new(&frames, n, KNOWN, arena);
	uint32_t path[128], depth = 0;

	for (uint32_t i = 0; i < n; i++) {
		/* Down twice as often as up above the usual depth, and the other way round below it. */
		bool down = pe_random_below(random, 3) < (depth < 25 ? 2 : 1);

		if (i > 0 && (down || depth == 0))
			depth++;
		else if (i > 0)
			depth -= (uint32_t)pe_random_below(random, depth < 4 ? depth : 4);
		cct->nodes[i].parent = i == 0 ? PE_CCT_NONE : path[depth - 1];
		cct->nodes[i].frame = method("method", (uint32_t)pe_random_below(random, METHODS));
		cct->nodes[i].site = i == 0 ? 0 : 1 + (uint32_t)pe_random_below(random, 3000);
		path[depth] = i;
		fill(cct, i, random);
	}
	return finish(cct);
}

static void copy_node(struct pe_cct *to, uint32_t j, const struct pe_cct *from, uint32_t i,
		      struct pe_random *random)
{
	to->nodes[j].frame = from->nodes[i].frame;
	to->nodes[j].site = from->nodes[i].site;
	to->calls[j] = from->calls[i];
	to->self_ns[j] = from->self_ns[i] + pe_random_below(random, 500);
	to->allocations[j] = from->allocations[i];
	to->allocated_bytes[j] = from->allocated_bytes[i];
}

/* The next revision's tree. */
static struct pe_cct *edited(const struct pe_cct *from, struct pe_random *random,
			     struct pe_arena *arena)
{
	struct pe_cct *cct = pe_cct_new(&frames, from->n + from->n / 50 + 16, KNOWN, arena);
	uint32_t *at = pe_realloc(NULL, from->n, sizeof(*at));
	uint32_t n = 0, room = cct->n;

	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t parent = i == 0 ? PE_CCT_NONE : at[from->nodes[i].parent];
		uint64_t edit = i == 0 ? 1000 : pe_random_below(random, 400);

		if (edit == 0) {
			at[i] = parent; /* gone: its children are its caller's */
			continue;
		}
		if (edit == 1 && n + (from->n - i) < room) {
			cct->nodes[n].parent = parent;
			cct->nodes[n].frame = method("wrapper", i % 97);
			fill(cct, n, random);
			parent = n++;
		}
		copy_node(cct, n, from, i, random);
		if (edit == 2)
			cct->nodes[n].frame = method("renamed", i % 97);
		else if (edit == 3)
			cct->calls[n] *= 3;
		cct->nodes[n].parent = parent;
		at[i] = n++;
	}
	free(at);
	cct->n = n;
	return finish(cct);
}

static struct pe_cct *wide(uint32_t n, bool one_name, uint32_t shift, struct pe_random *random,
			   struct pe_arena *arena)
{
	struct pe_cct *cct = pe_cct_new(&frames, n, KNOWN, arena);

	cct->nodes[0] = (struct pe_cct_node){.parent = PE_CCT_NONE, .frame = method("main", 0)};
	for (uint32_t i = 1; i < n; i++) {
		uint32_t number = (uint32_t)(((uint64_t)i * 7919 + shift * 12345) % n);

		cct->nodes[i] = (struct pe_cct_node){
			.frame = one_name ? method("one", 0) : method("name", number),
			.site = one_name ? i + 40 * shift : 1,
		};
		fill(cct, i, random);
	}
	return finish(cct);
}

static struct pe_cct *chain(uint32_t n, const char *odd, struct pe_random *random,
			    struct pe_arena *arena)
{
	struct pe_cct *cct = pe_cct_new(&frames, n, KNOWN, arena);

	for (uint32_t i = 0; i < n; i++) {
		cct->nodes[i] = (struct pe_cct_node){
			.parent = i > 0 ? i - 1 : PE_CCT_NONE,
			.frame = i % 10 == 9 ? method(odd, i % 7) : method("step", i % 10),
			.site = 1,
		};
		fill(cct, i, random);
	}
	return finish(cct);
}

/* One thread that waits for nothing: processor time is what it takes on a machine of its own. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double lap(uint64_t *since)
{
	uint64_t now = cpu_ns();
	double ms = (double)(now - *since) / 1e6;

	*since = now;
	return ms;
}

static void measure(const char *shape, uint32_t n)
{
	struct pe_arena arena = PE_ARENA_INIT, work = PE_ARENA_INIT;
	struct pe_random random;
	const struct pe_cct *trees[2];
	struct pe_runs runs[2];
	struct pe_match match;
	struct pe_delta delta;
	struct pe_attribution report;
	struct pe_decomposition decomposition;
	struct pe_blueprint blueprint;
	struct pe_parcs parcs;
	struct pe_parcs_opts parcs_opts = {.threshold = 0.999};
	struct rusage before, after;
	double ms[5];
	uint64_t since;

	pe_random_seed(&random, n);
	if (strcmp(shape, "program") == 0) {
		trees[0] = program(n, &random, &arena);
		trees[1] = edited(trees[0], &random, &arena);
	} else if (strcmp(shape, "chain") == 0) {
		trees[0] = chain(n, "old", &random, &arena);
		trees[1] = chain(n, "new", &random, &arena);
		for (uint32_t i = 0; i < n; i++) /* calls that are there on both sides */
			if (i % 20 == 9)
				trees[1]->nodes[i].frame = trees[0]->nodes[i].frame;
	} else {
		bool one_name = strcmp(shape, "one-name") == 0;

		trees[0] = wide(n, one_name, 0, &random, &arena);
		trees[1] = wide(n, one_name, 1, &random, &arena);
	}
	getrusage(RUSAGE_SELF, &before);
	since = cpu_ns();
	pe_runs_make(&runs[0], &trees[0], 1, &work);
	pe_runs_make(&runs[1], &trees[1], 1, &work);
	pe_match_make(&match, trees[0], trees[1], NULL, &work);
	ms[0] = lap(&since);
	pe_delta_make(&delta, &runs[0], &runs[1], &match, &work);
	ms[1] = lap(&since);
	pe_attribution_make(&report, &delta, &(struct pe_attribution_opts){.cost = PE_COST_TIME},
			    &work);
	ms[2] = lap(&since);
	getrusage(RUSAGE_SELF, &after);
	since = cpu_ns();
	pe_delta_decompose(&decomposition, &delta, &work);
	pe_blueprint_make(&blueprint, &delta, NULL, &work);
	ms[3] = lap(&since);
	pe_parcs_make(&parcs, &runs[0], &runs[1], &parcs_opts, &work);
	ms[4] = lap(&since);
	printf("%-9s %9" PRIu32 " %9" PRIu32
	       " %8.1f %8.1f %8.1f %8.1f %9.0f %8.1f %8.1f %7ld %7ld\n",
	       shape, n, match.pairs, ms[0], ms[1], ms[2], ms[0] + ms[1] + ms[2],
	       (ms[0] + ms[1] + ms[2]) * 1e6 / n, ms[3], ms[4], before.ru_maxrss / 1024,
	       after.ru_maxrss / 1024);
	pe_arena_release(&work);
	pe_arena_release(&arena);
	pe_frames_release(&frames);
}

/* In a process of its own, so that the peak of memory is its own. */
static int run(const char *shape, uint32_t n)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		measure(shape, n);
		fflush(stdout);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		fprintf(stderr, "%s of %" PRIu32 " nodes did not end well\n", shape, n);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const shapes[] = {"program", "one-name", "names", "chain"};
	static const char *const sizes[] = {"10000", "100000", "1100000", "10000000"};
	const char *only = argc > 1 && strtoul(argv[1], NULL, 10) == 0 ? argv[1] : NULL;
	int first = only != NULL ? 2 : 1, failed = 0;

	printf("%-9s %9s %9s %8s %8s %8s %8s %9s %8s %8s %7s %7s\n", "shape", "nodes", "pairs",
	       "match ms", "delta", "verdict", "sum ms", "ns/node", "parts ms", "parcs ms",
	       "MiB in", "MiB max");
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		if (only != NULL && strcmp(only, shapes[s]) != 0)
			continue;
		for (int i = first; i < argc; i++)
			failed |= run(shapes[s], (uint32_t)strtoul(argv[i], NULL, 10));
		if (first >= argc)
			for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
				failed |= run(shapes[s], (uint32_t)strtoul(sizes[i], NULL, 10));
	}
	return failed;
}
