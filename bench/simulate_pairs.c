/*
 * How often are equal builds told apart, and real changes found, by pairs of runs? The tests of `compare` and `ci` themselves,
 * over models of noise (noise.h) or values that were recorded.
 *
 *	pe_bench_simulate_pairs [--comparisons N] [--seed S] [--model NAME] [--change SHARE] [--series FILE]
 *
 * FILE is a table of comma-separated values with a head line; its last column is what the runs one after the other take, from a
 * random one on, and round again. In each pair one run is the new build's by chance, and takes SHARE longer (0: equal builds).
 *
 * `compare` judges one metric by 25 pairs, then by 50, 100 and 200 in all, as long as it is undecided
 * (app/explain/compare_decide.c); `ci` one of four metrics by its sequential test (core/stats/confirm.h). Printed are
 * comparisons that end with "worse", "better" and undecided, and pairs in the mean.
 */
#include "bench/noise.h"
#include "bench/options.h"
#include "core/base/vec.h"
#include "core/stats/compare.h"
#include "core/stats/confirm.h"
#include "report/min_effect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 25, MOST = 8 * FIRST, CI_TESTS = 4, SLOTS = 2 * MOST };

struct request {
	size_t comparisons;
	uint64_t seed;
	double change;
	const char *model, *series;
};

/* Where runs come from: a model's machine, or recorded values. */
struct source {
	const struct noise_model *model;
	struct noise_machine machine;
	PE_VEC(double) values;
	size_t next;
	double change;
	struct pe_random random;
};

struct score {
	size_t worse, better, undecided, pairs;
};

static void begin(struct source *source)
{
	if (source->model != NULL)
		source->machine = noise_machine_begin(source->model, SLOTS, &source->random);
	else
		source->next = pe_random_below(&source->random, source->values.n);
}

static double run(struct source *source)
{
	if (source->model != NULL)
		return exp(noise_run(&source->machine));
	return source->values.data[source->next++ % source->values.n];
}

static void run_pair(double *old, double *new, struct source *source)
{
	const double first = run(source), second = run(source);
	const bool turned = pe_random_below(&source->random, 2) != 0;

	*old = turned ? second : first;
	*new = (turned ? first : second) * (1 + source->change);
}

static void compare(struct score *score, struct source *source)
{
	double old[MOST], new[MOST];
	size_t n = 0;

	begin(source);
	for (size_t most = FIRST; most <= MOST; most *= 2) {
		struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;
		enum pe_verdict verdict;

		opts.confidence = most > FIRST ? 1 - 0.05 / 4 : opts.confidence;
		for (; n < most; n++)
			run_pair(&old[n], &new[n], source);
		verdict = pe_compare_paired(old, new, n, &opts).verdict;
		score->worse += verdict == PE_REGRESSED;
		score->better += verdict == PE_IMPROVED;
		score->undecided += verdict == PE_UNDECIDED && most == MOST;
		if (verdict != PE_UNDECIDED)
			break;
	}
	score->pairs += n;
}

static void gate(struct score *score, struct source *source)
{
	const struct pe_confirm_opts opts = pe_confirm_gate_opts(CI_TESTS, PE_COARSE_TIMES);
	struct pe_confirm confirm;
	bool more;

	begin(source);
	pe_confirm_begin(&confirm, 1, &opts);
	while (pe_confirm_needed(&confirm) > 0) {
		double old, new;

		run_pair(&old, &new, source);
		pe_confirm_feed(&confirm, old, new);
	}
	more = pe_confirm_result(&confirm).relative > 0;
	score->worse += confirm.answer == PE_CONFIRMED && more;
	score->better += confirm.answer == PE_CONFIRMED && !more;
	score->undecided += confirm.answer == PE_CONFIRM_UNDECIDED;
	score->pairs += confirm.n;
}

static void print_row(const char *name, struct source *source, const struct request *asked)
{
	struct score scores[2] = {{0}};

	for (size_t i = 0; i < asked->comparisons; i++) {
		compare(&scores[0], source);
		gate(&scores[1], source);
	}
	printf("%-24s", name);
	for (size_t i = 0; i < 2; i++)
		printf("  %5zu %6zu %9zu %6.1f", scores[i].worse, scores[i].better,
		       scores[i].undecided, (double)scores[i].pairs / (double)asked->comparisons);
	printf("\n");
	fflush(stdout);
}

/* The last column of a table with a head line. */
static bool read_values(struct source *source, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	for (size_t i = 0; file != NULL && fgets(line, sizeof(line), file) != NULL; i++) {
		const char *comma = strrchr(line, ',');
		const double value = strtod(comma != NULL ? comma + 1 : line, NULL);

		if (i > 0 && value > 0)
			pe_vec_push(&source->values, value);
	}
	if (file != NULL)
		fclose(file);
	return source->values.n > 0;
}

int main(int argc, char **argv)
{
	struct request asked = {1000, 1, 0, NULL, NULL};
	struct source source = {.model = NULL};
	const struct option options[] = {
		{"comparisons", OPTION_COUNT, &asked.comparisons},
		{"seed", OPTION_SEED, &asked.seed},
		{"model", OPTION_TEXT, &asked.model},
		{"change", OPTION_REAL, &asked.change},
		{"series", OPTION_TEXT, &asked.series},
	};

	if (!OPTIONS_READ(options, argc, argv))
		return 129;
	source.change = asked.change;
	printf("%-24s  compare                          ci\n%-24s", "", "noise");
	for (size_t i = 0; i < 2; i++)
		printf("  %5s %6s %9s %6s", "worse", "better", "undecided", "pairs");
	printf("\n");
	pe_random_seed(&source.random, asked.seed);
	if (asked.series != NULL && !read_values(&source, asked.series))
		return 128;
	if (asked.series != NULL)
		print_row(strrchr(asked.series, '/') != NULL ? strrchr(asked.series, '/') + 1
							     : asked.series,
			  &source, &asked);
	for (size_t m = 0; m < N_NOISE_MODELS && asked.series == NULL; m++) {
		source.model = &noise_models[m];
		if (asked.model == NULL || strcmp(asked.model, source.model->name) == 0)
			print_row(source.model->name, &source, &asked);
	}
	pe_vec_release(&source.values);
	return 0;
}
