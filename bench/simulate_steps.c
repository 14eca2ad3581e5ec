/*
 * How good is the bisection where several commits moved the metric? Histories of 100 commits with one to four steps
 * are simulated under models of noise (noise.h), or without any, and searched by the very code that searches real ones.
 *
 *	pe_bench_simulate_steps [--histories N] [--seed S] [--model NAME]
 *
 * Steps are 5 to 20 % of the level, up or down, at any commits; the levels between them differ from each other by 4 %
 * at least, for a step that another one takes back is no part of what the ends differ by. What matters is 3 %.
 *
 * Printed are, by number of steps, the runs in the mean, the share of histories of which exactly the steps that are there
 * were named, among those that ended within 2000 runs; then the share of named steps that are there, the probability
 * that was stated with them in the mean, and the share of histories that ended.
 */
#include "bench/noise.h"
#include "bench/options.h"
#include "core/stats/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMITS = 100, MOST = 4 };
static const double smallest = 0.05, largest = 0.2, apart = 0.04, matters = 0.03;

static const struct noise_model plain = {
	.name = "plain", .run_sd = .01, .run_skew = .01, .machine_memory = 1, .burst_length = 1};

struct history {
	struct pe_random random;
	struct noise_machine machine;
	bool exact;
	double level[COMMITS];
	size_t at[MOST], n;
};

struct cell {
	size_t histories, ended, right, named, there;
	double stated, runs;
};

static int compare_places(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool draw_steps(struct history *h)
{
	double levels[MOST + 1] = {0};

	for (size_t k = 0; k < h->n; k++) {
		double size = smallest * pow(largest / smallest, pe_random_unit(&h->random));

		h->at[k] = 1 + pe_random_below(&h->random, COMMITS - 1);
		levels[k + 1] =
			levels[k] + log1p(pe_random_below(&h->random, 2) != 0 ? size : -size);
		for (size_t j = 0; j <= k; j++)
			if (fabs(levels[k + 1] - levels[j]) < apart ||
			    (j < k && h->at[j] == h->at[k]))
				return false;
	}
	qsort(h->at, h->n, sizeof(*h->at), compare_places);
	for (size_t i = 0, k = 0; i < COMMITS; i++) {
		k += k < h->n && h->at[k] == i;
		h->level[i] = levels[k];
	}
	return true;
}

static void make_history(struct history *h, const struct noise_model *model, size_t n,
			 uint64_t seed)
{
	h->n = n;
	h->exact = model == NULL;
	pe_random_seed(&h->random, seed);
	h->machine = noise_machine_begin(model != NULL ? model : &plain, 200, &h->random);
	while (!draw_steps(h))
		;
	for (size_t i = 0; model != NULL && i < COMMITS; i++)
		h->level[i] += model->layout_sd * pe_random_normal(&h->random);
}

static void search(struct pe_steps *steps, struct history *h)
{
	size_t i;

	while (pe_steps_next(steps, &i) == PE_BISECT_GO_ON) {
		double noise = h->exact ? 0 : noise_run(&h->machine);
		const struct pe_bisect_reading reading = {i, 0, exp(h->level[i] + noise), false};

		pe_steps_feed(steps, &reading);
	}
}

static bool is_there(const struct history *h, const struct pe_bisect_group *group)
{
	for (size_t k = 0; k < h->n; k++)
		if (group->first == group->last && group->first == h->at[k])
			return true;
	return false;
}

static void simulate(struct cell *cell, const struct noise_model *model, size_t n, uint64_t seed)
{
	struct pe_steps_opts opts = {PE_BISECT_DEFAULTS, PE_STEPS_ALL, 0.02};
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_steps_result found;
	struct pe_steps *steps;
	struct history h;
	size_t there = 0;

	make_history(&h, model, n, seed);
	opts.bisect.seed = seed;
	opts.bisect.exact = h.exact;
	opts.bisect.min_effect = matters;
	opts.bisect.max_runs = 2000;
	opts.bisect.builds = model != NULL ? model->layout_sd : 0;
	steps = pe_steps_new(COMMITS, NULL, &opts, &arena);
	search(steps, &h);
	found = pe_steps_result(steps, 0, &arena);
	cell->histories++;
	cell->runs += (double)found.range.runs;
	for (size_t k = 0; k < found.n; k++) {
		cell->named++;
		there += is_there(&h, &found.steps[k].result.group);
		cell->stated += found.steps[k].result.group.probability;
	}
	cell->there += there;
	cell->ended += found.answer != PE_BISECT_SPENT;
	cell->right += found.answer == PE_BISECT_FOUND && found.n == h.n && there == h.n;
	pe_steps_free(steps);
	pe_arena_release(&arena);
}

static void print_row(const struct noise_model *model, size_t histories, uint64_t seed)
{
	printf("%-8s", model != NULL ? model->name : "exact");
	for (size_t n = 1; n <= MOST; n++) {
		struct cell cell = {0};

		for (size_t i = 0; i < histories; i++)
			simulate(&cell, model, n, seed + 1000 * i + n);
		printf(" | %5.1f %.3f %.3f %.3f %.3f", cell.runs / (double)cell.histories,
		       (double)cell.right / (double)cell.ended,
		       (double)cell.there / (double)cell.named, cell.stated / (double)cell.named,
		       (double)cell.ended / (double)cell.histories);
		fflush(stdout);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	size_t histories = 50;
	uint64_t seed = 17;
	const char *name = NULL;
	const struct option options[] = {
		{"histories", OPTION_COUNT, &histories},
		{"seed", OPTION_SEED, &seed},
		{"model", OPTION_TEXT, &name},
	};

	if (!OPTIONS_READ(options, argc, argv))
		return 129;
	printf("runs, all right, there, stated, ended | 2 steps | 3 steps | 4 steps\n");
	for (int m = -2; m < N_NOISE_MODELS; m++) {
		const struct noise_model *model = m == -2   ? NULL
						  : m == -1 ? &plain
							    : &noise_models[m];

		if (name == NULL || strcmp(name, model != NULL ? model->name : "exact") == 0)
			print_row(model, histories, seed);
	}
	return 0;
}
