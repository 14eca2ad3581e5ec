/*
 * What the store costs: putting a run with its samples as `track` does it (each its own transaction,
 * benchmarks and revisions interleaved), bytes a run takes, and reading one series out of all of them.
 *
 *   pe_bench_store FILE [REVISIONS [BENCHMARKS [ROUNDS [IDS]]]]     (10000 1 25 by default)
 *
 * FILE must not exist; it is left for looking into. IDS has the ids of commits, oldest first, a line each: the store is
 * then one that perfevo can show beside that history (bench/scale.sh), with five causes among the benchmarks, and is
 * written in large transactions.
 */
#include "core/base/clock.h"
#include "core/base/random.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_METRICS 9

struct plan {
	unsigned revisions, benchmarks, rounds;
	struct pe_store *store;
	struct pe_arena arena;
	struct pe_err err;
	int64_t machine;
	struct pe_batch batch;
	FILE *ids; /* NULL: made up */
};

static void check(const struct plan *plan, int rc)
{
	if (rc == PE_OK)
		return;
	fprintf(stderr, "pe_bench_store: %s\n", plan->err.message);
	exit(EXIT_FAILURE);
}

static void put_subjects(struct plan *plan)
{
	struct pe_machine machine = {.hostname = "bench", .fingerprint = "bench"};
	struct pe_batch *batch = &plan->batch;

	batch->n_cells = (size_t)plan->revisions * plan->benchmarks;
	batch->cells = pe_arena_new(&plan->arena, struct pe_batch_cell, batch->n_cells);
	check(plan, pe_store_begin(plan->store, &plan->err));
	check(plan, pe_store_put_machine(&plan->machine, plan->store, &machine, &plan->err));
	for (unsigned i = 0; i < plan->revisions; i++) {
		struct pe_revision revision = {
			.time_s = i, .author = "a", .subject = "a subject line"};
		int64_t key;

		if (plan->ids == NULL)
			snprintf(revision.id, sizeof(revision.id), "%040x", i);
		else if (fscanf(plan->ids, "%40s", revision.id) != 1)
			exit(EXIT_FAILURE);
		check(plan, pe_store_put_revision(&key, plan->store, &revision, &plan->err));
		for (unsigned k = 0; k < plan->benchmarks; k++)
			batch->cells[(size_t)i * plan->benchmarks + k].revision = key;
	}
	for (unsigned k = 0; k < plan->benchmarks; k++) {
		char name[32];
		struct pe_benchmark benchmark = {.name = name, .version = "1"};
		int64_t key;

		snprintf(name, sizeof(name), "bench-%u", k);
		check(plan, pe_store_put_benchmark(&key, plan->store, &benchmark, &plan->err));
		for (unsigned i = 0; i < plan->revisions; i++)
			batch->cells[(size_t)i * plan->benchmarks + k].benchmark = key;
	}
	batch->machine = plan->machine;
	batch->open = true;
	check(plan, pe_store_put_batch(plan->store, batch, &plan->err));
	check(plan, pe_store_commit(plan->store, &plan->err));
}

/* Five causes: at every sixth of the history one moves every benchmark whose number it divides. */
static double level_of(const struct plan *plan, size_t cell)
{
	static const size_t every[] = {100, 50, 20, 10, 3};
	const size_t revision = cell / plan->benchmarks, benchmark = cell % plan->benchmarks;
	double level = 1;

	for (size_t i = 0; plan->ids != NULL && i < 5; i++)
		if (revision >= (i + 1) * plan->revisions / 6 && benchmark % every[i] == i)
			level *= 1.2;
	return level;
}

static void fill_run(struct pe_run *run, struct pe_random *random, unsigned round,
		     uint64_t sequence, double level)
{
	run->round = round;
	run->sequence = sequence;
	run->started_s = 1700000000 + (int64_t)sequence;
	run->n_samples = N_METRICS;
	for (unsigned i = 0; i < N_METRICS; i++) {
		/* Times in nanoseconds of some tens of milliseconds, memory and faults, all whole numbers. */
		uint64_t value =
			i < 4    ? (uint64_t)(level *
                                           (double)(30000000 + pe_random_below(random, 3000000)))
			: i == 4 ? 4096 * (2000 + pe_random_below(random, 40))
				 : pe_random_below(random, 900);

		run->samples[i] =
			(struct pe_sample){.metric = &pe_metrics[i], .value = (double)value};
	}
}

static uint64_t put_runs(struct plan *plan)
{
	const struct pe_batch *batch = &plan->batch;
	size_t *order = pe_arena_new(&plan->arena, size_t, batch->n_cells);
	struct pe_run run = {0};
	struct pe_random random;
	uint64_t sequence = 0;
	uint64_t start;

	pe_random_seed(&random, 1);
	for (size_t i = 0; i < batch->n_cells; i++)
		order[i] = i;
	start = pe_clock_ns();
	for (unsigned round = 0; round < plan->rounds; round++) {
		pe_random_shuffle(&random, order, batch->n_cells);
		for (size_t i = 0; i < batch->n_cells; i++) {
			const struct pe_batch_cell *cell = &batch->cells[order[i]];

			fill_run(&run, &random, round, sequence++, level_of(plan, order[i]));
			if (plan->ids != NULL && sequence % 10000 == 1) {
				if (sequence > 1)
					check(plan, pe_store_commit(plan->store, &plan->err));
				check(plan, pe_store_begin(plan->store, &plan->err));
			}
			check(plan, pe_store_put_run(plan->store, batch->key, cell->revision,
						     cell->benchmark, &run, &plan->err));
		}
	}
	if (plan->ids != NULL)
		check(plan, pe_store_commit(plan->store, &plan->err));
	return pe_clock_ns() - start;
}

/* Reads with a handle of its own, so that nothing is cached in the process. */
static void read_back(struct plan *plan, const char *path)
{
	const struct pe_series_query query = {plan->machine, plan->batch.cells[0].benchmark,
					      "wall"};
	struct pe_observation *series;
	struct pe_coverage *coverage;
	struct pe_stored_machine *machines;
	uint64_t start, read_ns, coverage_ns, machines_ns;
	size_t n, n_cells, n_machines;

	check(plan, pe_store_open(&plan->store, path, PE_OPEN_READONLY, &plan->err));
	start = pe_clock_ns();
	check(plan,
	      pe_store_get_series(&series, &n, plan->store, &query, &plan->arena, &plan->err));
	read_ns = pe_clock_ns() - start;
	start = pe_clock_ns();
	check(plan, pe_store_coverage(&coverage, &n_cells, plan->store, plan->machine, &plan->arena,
				      &plan->err));
	coverage_ns = pe_clock_ns() - start;
	start = pe_clock_ns();
	check(plan,
	      pe_store_machines(&machines, &n_machines, plan->store, &plan->arena, &plan->err));
	machines_ns = pe_clock_ns() - start;
	printf("series of %zu values   %8.1f ms\n", n, (double)read_ns / 1e6);
	printf("coverage of %zu cells  %8.1f ms\n", n_cells, (double)coverage_ns / 1e6);
	printf("list of machines          %8.1f ms\n", (double)machines_ns / 1e6);
}

int main(int argc, char **argv)
{
	struct plan plan = {.revisions = 10000, .benchmarks = 1, .rounds = 25};
	struct stat status;
	uint64_t spent;
	double runs;

	if (argc < 2 || access(argv[1], F_OK) == 0) {
		fprintf(stderr,
			"usage: pe_bench_store NEW-FILE [REVISIONS [BENCHMARKS [ROUNDS [IDS]]]]\n");
		return EXIT_FAILURE;
	}
	if (argc > 2)
		plan.revisions = (unsigned)strtoul(argv[2], NULL, 10);
	if (argc > 3)
		plan.benchmarks = (unsigned)strtoul(argv[3], NULL, 10);
	if (argc > 4)
		plan.rounds = (unsigned)strtoul(argv[4], NULL, 10);
	if (argc > 5 && (plan.ids = fopen(argv[5], "r")) == NULL)
		return EXIT_FAILURE;
	check(&plan, pe_store_open(&plan.store, argv[1], 0, &plan.err));
	put_subjects(&plan);
	spent = put_runs(&plan);
	pe_store_close(plan.store);
	runs = (double)plan.batch.n_cells * plan.rounds;
	printf("%.0f runs x %d metrics: put_run %.1f us each\n", runs, N_METRICS,
	       (double)spent / 1e3 / runs);
	if (stat(argv[1], &status) == 0 && runs > 0)
		printf("%.1f MB on disk, %.0f bytes a run\n", (double)status.st_size / 1e6,
		       (double)status.st_size / runs);
	read_back(&plan, argv[1]);
	pe_store_close(plan.store);
	pe_arena_release(&plan.arena);
	return EXIT_SUCCESS;
}
