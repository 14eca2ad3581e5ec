/*
 * A large store for bench/scale.sh, that perfevo can show beside a history, with five causes among the benchmarks.
 *
 *   pe_bench_store FILE REVISIONS BENCHMARKS ROUNDS IDS
 *
 * FILE must not exist. IDS has the ids of commits, oldest first, a line each.
 */
#include "core/base/random.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define N_METRICS 9

struct plan {
	unsigned revisions, benchmarks, rounds;
	struct pe_store *store;
	struct pe_arena arena;
	struct pe_err err;
	int64_t machine;
	struct pe_batch batch;
	FILE *ids;
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
	batch->cells = pe_arena_new(&plan->arena, struct pe_coverage, batch->n_cells);
	check(plan, pe_store_begin(plan->store, &plan->err));
	check(plan, pe_store_put_machine(&plan->machine, plan->store, &machine, &plan->err));
	for (unsigned i = 0; i < plan->revisions; i++) {
		struct pe_revision revision = {
			.time_s = i, .author = "a", .subject = "a subject line"};
		int64_t key;

		if (fscanf(plan->ids, "%40s", revision.id) != 1)
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

	for (size_t i = 0; i < 5; i++)
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

static void put_runs(struct plan *plan)
{
	const struct pe_batch *batch = &plan->batch;
	size_t *order = pe_arena_new(&plan->arena, size_t, batch->n_cells);
	struct pe_run run = {0};
	struct pe_random random;
	uint64_t sequence = 0;

	pe_random_seed(&random, 1);
	for (size_t i = 0; i < batch->n_cells; i++)
		order[i] = i;
	for (unsigned round = 0; round < plan->rounds; round++) {
		pe_random_shuffle(&random, order, batch->n_cells);
		for (size_t i = 0; i < batch->n_cells; i++) {
			const struct pe_coverage *cell = &batch->cells[order[i]];

			fill_run(&run, &random, round, sequence++, level_of(plan, order[i]));
			if (sequence % 10000 == 1) {
				if (sequence > 1)
					check(plan, pe_store_commit(plan->store, &plan->err));
				check(plan, pe_store_begin(plan->store, &plan->err));
			}
			check(plan, pe_store_put_run(plan->store, batch->key, cell->revision,
						     cell->benchmark, &run, &plan->err));
		}
	}
	check(plan, pe_store_commit(plan->store, &plan->err));
}

int main(int argc, char **argv)
{
	struct plan plan = {0};

	if (argc != 6 || access(argv[1], F_OK) == 0 || (plan.ids = fopen(argv[5], "r")) == NULL) {
		fputs("usage: pe_bench_store NEW-FILE REVISIONS BENCHMARKS ROUNDS IDS\n", stderr);
		return EXIT_FAILURE;
	}
	plan.revisions = (unsigned)strtoul(argv[2], NULL, 10);
	plan.benchmarks = (unsigned)strtoul(argv[3], NULL, 10);
	plan.rounds = (unsigned)strtoul(argv[4], NULL, 10);
	check(&plan, pe_store_open(&plan.store, argv[1], 0, &plan.err));
	put_subjects(&plan);
	put_runs(&plan);
	pe_store_close(plan.store);
	fclose(plan.ids);
	pe_arena_release(&plan.arena);
	return EXIT_SUCCESS;
}
