/*
 * How good is the judge of change? Histories with known steps are simulated under five models of noise
 * (noise.h), and judged by the very code that judges real ones.
 *
 *	pe_bench_simulate_judge [--histories N] [--seed S] [--model NAME] [--repeats R]
 *	                        [--stage search|confirmed|asv|otava]
 *
 * All commits are visited once a round in random order.
 *
 * Stages: `search` is what the readings alone say. `confirmed` searches with a smaller penalty, confirms each
 * suspect by fresh pairs in a session of its own, and measures the commits around a change again, up to
 * four times in eight rounds, until 95 % of the probability lie on one commit.
 *
 * A history has 100 commits and, but for the first column, one step up or down at a commit from 10 to 89.
 * Printed are false alarms per 1000 commits (changes further than three commits from the step), the share of
 * steps found at exactly the right commit / within one of it, and how many runs the second stage took in a
 * history without a step and in one with a step of 5 %, and how many a commit had before.
 */
#include "bench/baselines.h"
#include "bench/campaign.h"
#include "bench/options.h"
#include "core/stats/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum stage { SEARCH, CONFIRMED, OTHERS, N_STAGES = OTHERS + N_BASELINES };
static const double sizes[] = {0, .01, .02, .05, .10};
#define N_SIZES (sizeof(sizes) / sizeof(*sizes))

static void measure(struct campaign *c, size_t repeats, struct pe_arena *arena)
{
	size_t *commits = pe_arena_new(arena, size_t, c->n_commits);

	for (size_t i = 0; i < c->n_commits; i++)
		commits[i] = i;
	campaign_take_rounds(c, commits, c->n_commits, 0, repeats);
}

static const char *stage_name(enum stage stage)
{
	if (stage >= OTHERS)
		return baselines[stage - OTHERS].name;
	return stage == SEARCH ? "search" : "confirmed";
}

struct cell {
	const struct noise_model *model;
	enum stage stage;
	size_t repeats, n_commits;
	double size;
};

struct score {
	size_t histories, exact, near, alarms, runs, fresh_runs;
};

static struct pe_changepoints find(const struct campaign *c, const struct cell *cell,
				   struct pe_arena *arena)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_readings readings = {c->readings.data, c->readings.n, c->n_commits};

	if (cell->stage == CONFIRMED)
		opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	return pe_changepoints_find(&readings, &opts, arena);
}

static int ascending(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

/*
 * What others work with: each commit's median, and for asv its relative weight: one by the width of the interval
 * between the order statistics that hold the median with 99 %, where there are such.
 */
static size_t find_as(size_t *at, const struct campaign *c, const struct baseline *baseline,
		      struct pe_arena *arena)
{
	size_t n = c->n_commits, each = c->readings.n / n, *count = pe_arena_new(arena, size_t, n);
	double *all = pe_arena_new(arena, double, c->readings.n);
	double *value = pe_arena_new(arena, double, n), *weight = pe_arena_new(arena, double, n);
	/* A normal approximation of the binomial distribution of how many lie below the median. */
	double reach = pe_normal_quantile(0.005) * sqrt((double)each) / 2;
	size_t low = (size_t)fmax(0, floor((double)each / 2 - reach));

	for (size_t i = 0; i < c->readings.n; i++) {
		size_t commit = c->readings.data[i].commit;

		all[commit * each + count[commit]++] = c->readings.data[i].value;
	}
	for (size_t i = 0; i < n; i++) {
		double *own = all + i * each;

		qsort(own, each, sizeof(*own), ascending);
		value[i] = pe_order_quantile(own, each, 0.5);
		weight[i] = 1 / (own[each - 1 - low] - own[low]);
	}
	return baseline->find(at, value, each >= 8 ? weight : NULL, n);
}

static size_t find_perfevo(size_t *at, struct campaign *c, const struct cell *cell,
			   struct pe_arena *arena)
{
	struct pe_changepoints found = find(c, cell, arena);
	size_t n = 0;

	for (size_t i = 0; i < found.n; i++) {
		if (cell->stage == SEARCH)
			at[n++] = found.at[i].index;
		else if (campaign_confirm(c, &found, i))
			at[n++] = campaign_pin(c, &found, i);
	}
	return n;
}

static void judge(struct score *score, struct campaign *c, const struct cell *cell, size_t step,
		  struct pe_arena *arena)
{
	size_t *at = pe_arena_new(arena, size_t, c->n_commits), runs = c->runs, n;
	bool exact = false, near = false;

	if (cell->stage < OTHERS)
		n = find_perfevo(at, c, cell, arena);
	else
		n = find_as(at, c, &baselines[cell->stage - OTHERS], arena);
	for (size_t i = 0; i < n; i++) {
		size_t off = at[i] > step ? at[i] - step : step - at[i];

		exact |= cell->size > 0 && off == 0;
		near |= cell->size > 0 && off <= 1;
		score->alarms += cell->size <= 0 || off > 3;
	}
	score->histories++;
	score->exact += exact;
	score->near += near;
	score->runs += runs;
	score->fresh_runs += c->runs - runs;
}

static void simulate(struct score *score, const struct cell *cell, struct pe_random *random)
{
	struct pe_arena arena = PE_ARENA_INIT;
	size_t n = cell->n_commits, step = n / 10 + pe_random_below(random, n - n / 10 * 2);
	struct campaign c = campaign_begin(cell->model, n, n * cell->repeats, random, &arena);

	campaign_step(&c, step, cell->size);
	measure(&c, cell->repeats, &arena);
	judge(score, &c, cell, step, &arena);
	campaign_release(&c);
	pe_arena_release(&arena);
}

struct request {
	size_t histories, repeats, n_commits;
	uint64_t seed;
	const char *model, *stage;
};

static double share(size_t part, size_t whole)
{
	return (double)part / (double)whole;
}

static void print_row(struct cell cell, const struct request *asked)
{
	struct score scores[N_SIZES] = {{0}};
	double gaps = (double)(asked->histories * (asked->n_commits - 1));
	size_t alarms = 0;

	for (size_t s = 0; s < N_SIZES; s++) {
		cell.size = sizes[s];
		for (size_t h = 0; h < asked->histories; h++) {
			struct pe_random random;

			/* The same histories whatever rows are asked for. */
			pe_random_seed(&random, asked->seed + 1000003 * h + 97 * s);
			simulate(&scores[s], &cell, &random);
		}
		alarms += scores[s].alarms;
	}
	printf("%-8s %3zu  %-10s %6.2f %6.2f ", cell.model->name, cell.repeats,
	       stage_name(cell.stage), 1000. * (double)scores[0].alarms / gaps,
	       1000. * (double)alarms / (N_SIZES * gaps));
	for (size_t s = 1; s < N_SIZES; s++)
		printf("  %5.3f/%5.3f", share(scores[s].exact, asked->histories),
		       share(scores[s].near, asked->histories));
	printf("  %6.1f %6.1f  %5.1f\n", share(scores[0].fresh_runs, asked->histories),
	       share(scores[3].fresh_runs, asked->histories),
	       share(scores[0].runs, asked->histories * asked->n_commits));
	fflush(stdout);
}

static bool wanted(const char *asked, const char *name)
{
	return asked == NULL || strcmp(asked, name) == 0;
}

static void print_rows(const struct request *asked)
{
	static const size_t repeats[] = {25, 10, 5};

	for (size_t i = 0; i < (size_t)N_NOISE_MODELS * 3 * N_STAGES; i++) {
		struct cell cell = {&noise_models[i / (3 * N_STAGES)], (enum stage)(i % N_STAGES),
				    repeats[i / N_STAGES % 3], asked->n_commits, 0};

		if (wanted(asked->model, cell.model->name) &&
		    wanted(asked->stage, stage_name(cell.stage)) &&
		    (asked->repeats == 0 || asked->repeats == cell.repeats))
			print_row(cell, asked);
	}
}

static bool read_request(struct request *r, int argc, char **argv)
{
	const struct option options[] = {
		{"histories", OPTION_COUNT, &r->histories},
		{"repeats", OPTION_COUNT, &r->repeats},
		{"seed", OPTION_SEED, &r->seed},
		{"model", OPTION_TEXT, &r->model},
		{"stage", OPTION_TEXT, &r->stage},
	};

	return OPTIONS_READ(options, argc, argv) && r->histories > 0 && r->n_commits > 1;
}

int main(int argc, char **argv)
{
	struct request asked = {200, 0, 100, 1, NULL, NULL};

	if (!read_request(&asked, argc, argv))
		return 129;
	printf("%zu histories of %zu commits a cell. False alarms per 1000 commits: without any "
	       "step / over all cells.\nFound: exactly / within one commit. Runs of the second "
	       "stage: without a step / with one of 5 %%.\n"
	       "%-8s %3s  %-10s %6s %6s   %11s  %11s  %11s  %11s  %6s %6s  %5s\n",
	       asked.histories, asked.n_commits, "noise", "R", "stage", "FA", "FA all", "1 %",
	       "2 %", "5 %", "10 %", "none", "5 %", "runs");
	print_rows(&asked);
	return 0;
}
