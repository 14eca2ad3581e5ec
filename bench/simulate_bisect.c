/*
 * How good is the bisection? Histories of 100 commits with one step are simulated under models of noise
 * (noise.h) and bisected by the very code that bisects real ones.
 *
 *	pe_bench_simulate_bisect [--histories N] [--seed S] [--model NAME] [--levels unknown|known]
 *		[--prior none|methods|methods-wrong|count|count-wrong]
 *
 * A step is 1, 2, 3 or 5 times the deviation of a single run (of the model's run noise without its outliers),
 * up or down, at any commit; the machine moves, and builds differ, as the model says. `plain` is independent
 * normal noise and nothing else: what information theory speaks of. Levels that are `known` were learnt from
 * fifty readings of either end earlier in the same session, which are not counted. How much builds of equal code
 * differ is known to the bisection.
 *
 * With a prior, half of the commits change no method, a third change methods that are not executed, the others up
 * to four that are, and they are weighed as app/search/prior.c does. The culprit is one of the last (`methods`), or of those
 * that change none (`methods-wrong`). `count`: an exact count moved at the culprit; `count-wrong`: at another commit.
 *
 * Printed are, by size of the step, the runs in the mean, the share of answers that name the right commit, the
 * probability that was stated with them in the mean, and the share of histories that ended with an answer
 * within 400 runs. The last column has no step at all: the runs until "no difference", and the share of
 * histories in which a commit was named all the same.
 */
#include "bench/noise.h"
#include "bench/options.h"
#include "core/stats/bisect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMITS = 100, STORED = 100 };
static const double sizes[] = {1, 2, 3, 5, 0};
#define N_SIZES (sizeof(sizes) / sizeof(*sizes))

static const struct noise_model plain = {
	.name = "plain", .run_sd = .01, .run_skew = .01, .machine_memory = 1, .burst_length = 1};

struct cell {
	size_t histories, found, right, runs;
	double stated;
};

static double deviation_of(const struct noise_model *model)
{
	double modes =
		model->mode_chance * (1 - model->mode_chance) * model->mode_size * model->mode_size;

	return sqrt(model->run_sd * model->run_sd + modes);
}

struct history {
	struct pe_random random;
	struct noise_machine machine;
	double level[COMMITS];
	size_t culprit; /* 0: none */
	size_t runs;
};

static void make_history(struct history *h, const struct noise_model *model, double step,
			 uint64_t seed)
{
	pe_random_seed(&h->random, seed);
	h->machine = noise_machine_begin(model, 200, &h->random);
	h->runs = 0;
	h->culprit = fabs(step) > 0 ? 1 + pe_random_below(&h->random, COMMITS - 1) : 0;
	if (pe_random_below(&h->random, 2) != 0)
		step = -step;
	for (size_t i = 0; i < COMMITS; i++)
		h->level[i] = model->layout_sd * pe_random_normal(&h->random) +
			      (h->culprit > 0 && i >= h->culprit ? step : 0);
}

static void measure(struct pe_bisect *bisect, struct history *h, size_t revision, bool stored)
{
	const struct pe_bisect_reading reading = {
		revision, 0, exp(h->level[revision] + noise_run(&h->machine)), stored};

	pe_bisect_feed(bisect, &reading);
}

static void learn_levels(struct pe_bisect *bisect, struct history *h)
{
	for (size_t i = 0; i < STORED; i++) {
		bool turned = pe_random_below(&h->random, 2) != 0;

		measure(bisect, h, turned == (i % 2 != 0) ? COMMITS - 1 : 0, true);
	}
}

/* --- Priors --- */

enum prior { PRIOR_NONE, PRIOR_METHODS, PRIOR_METHODS_WRONG, PRIOR_COUNT, PRIOR_COUNT_WRONG };

static const char *const prior_names[] = {"none", "methods", "methods-wrong", "count",
					  "count-wrong"};

/* One place that changes methods that are executed, or none. */
static void weigh_one(double *weight, bool executed, struct pe_random *random)
{
	*weight = executed ? 3 * log2(2 + (double)pe_random_below(random, 4)) : 0.1;
}

static void weigh(double *weights, const struct history *h, enum prior prior, uint64_t seed)
{
	struct pe_random random;
	size_t place;

	pe_random_seed(&random, seed ^ 0x5bd1e995);
	for (size_t k = 1; k < COMMITS; k++) {
		size_t draw = pe_random_below(&random, 6);

		weights[k] = 0.3;
		if (draw < 4)
			weigh_one(&weights[k], draw == 3, &random);
	}
	/* Where there is no culprit, there is no right place either. */
	place = h->culprit > 0 ? h->culprit : 1 + pe_random_below(&random, COMMITS - 1);
	if (prior == PRIOR_METHODS || prior == PRIOR_METHODS_WRONG)
		weigh_one(&weights[place], prior == PRIOR_METHODS, &random);
	pe_bisect_temper(weights, COMMITS, PE_BISECT_TRUST);
	while (prior == PRIOR_COUNT_WRONG && place == h->culprit)
		place = 1 + pe_random_below(&random, COMMITS - 1);
	if (prior == PRIOR_COUNT || prior == PRIOR_COUNT_WRONG)
		pe_bisect_suppose(weights, COMMITS, place, place, PE_BISECT_TRUST);
}

struct options {
	size_t histories;
	uint64_t seed;
	const char *model, *levels;
	enum prior prior;
};

static void search(struct pe_bisect *bisect, struct history *h)
{
	size_t revision;

	while (pe_bisect_next(bisect, &revision) == PE_BISECT_GO_ON) {
		h->runs++;
		measure(bisect, h, revision, false);
	}
}

static void simulate(struct cell *cell, const struct noise_model *model, double size, bool known,
		     const struct options *asked, uint64_t seed)
{
	enum prior prior = asked->prior;
	double deviation = deviation_of(model);
	struct pe_bisect_opts opts = PE_BISECT_DEFAULTS;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_bisect_result result;
	struct pe_bisect_line *line = pe_bisect_line_new(COMMITS, &arena);
	struct pe_bisect *bisect;
	struct history h;

	make_history(&h, model, size * deviation, seed);
	opts.seed = seed;
	opts.builds = model->layout_sd;
	opts.min_effect = (size > 0 ? size / 2 : 1) * deviation;
	if (prior != PRIOR_NONE)
		weigh(line->weight, &h, prior, seed);
	bisect = pe_bisect_new(line, 0, COMMITS - 1, &opts, &arena);
	if (known)
		learn_levels(bisect, &h);
	search(bisect, &h);
	result = pe_bisect_result(bisect);
	cell->histories++;
	cell->runs += h.runs;
	if (result.answer == PE_BISECT_FOUND) {
		cell->found++;
		cell->right += result.group.first == h.culprit;
		cell->stated += result.group.probability;
	}
	pe_bisect_free(bisect);
	pe_arena_release(&arena);
}

static void print_cell(const struct cell *cell, bool step)
{
	double n = (double)cell->histories, found = (double)cell->found;

	if (!step)
		printf(" | %5.1f %.3f", (double)cell->runs / n, found / n);
	else if (cell->found == 0)
		printf(" | %5.1f  -    -   0.00", (double)cell->runs / n);
	else
		printf(" | %5.1f %.3f %.3f %.2f", (double)cell->runs / n,
		       (double)cell->right / found, cell->stated / found, found / n);
	fflush(stdout);
}

static void simulate_row(const struct noise_model *model, bool known, const struct options *options)
{
	printf("%-8s %-7s", model->name, known ? "known" : "unknown");
	for (size_t s = 0; s < N_SIZES; s++) {
		struct cell cell = {0};

		for (size_t i = 0; i < options->histories; i++)
			simulate(&cell, model, sizes[s], known, options, options->seed + 1000 * i);
		print_cell(&cell, sizes[s] > 0);
	}
	printf("\n");
}

static bool read_prior(enum prior *out, const char *name)
{
	for (size_t i = 0; i < sizeof(prior_names) / sizeof(*prior_names); i++)
		if (strcmp(prior_names[i], name) == 0) {
			*out = (enum prior)i;
			return true;
		}
	fprintf(stderr, "there is no prior '%s'\n", name);
	return false;
}

static bool read_options(struct options *asked, int argc, char **argv)
{
	const char *prior = prior_names[PRIOR_NONE];
	const struct option options[] = {
		{"histories", OPTION_COUNT, &asked->histories},
		{"seed", OPTION_SEED, &asked->seed},
		{"model", OPTION_TEXT, &asked->model},
		{"levels", OPTION_TEXT, &asked->levels},
		{"prior", OPTION_TEXT, &prior},
	};

	return OPTIONS_READ(options, argc, argv) && read_prior(&asked->prior, prior);
}

int main(int argc, char **argv)
{
	struct options options = {2000, 17, NULL, NULL, PRIOR_NONE};

	if (!read_options(&options, argc, argv))
		return 129;
	printf("runs, right, stated, ended    | 1 deviation            | 2                      "
	       "| 3                      | 5                      | none: runs, named\n");
	for (int known = 0; known < 2; known++)
		for (int m = -1; m < N_NOISE_MODELS; m++) {
			const struct noise_model *model = m < 0 ? &plain : &noise_models[m];

			if (options.levels != NULL &&
			    (strcmp(options.levels, "known") == 0) != (known != 0))
				continue;
			if (options.model == NULL || strcmp(options.model, model->name) == 0)
				simulate_row(model, known != 0, &options);
		}
	return 0;
}
