/*
 * How few runs does adaptive measuring need? 100 commits with steps of 2, 5 and 10 % at least ten commits apart are
 * explored as `track --adaptive` does it (core/stats/explore.h): batch after batch, until the budget is spent; what
 * is found is confirmed and pinned.
 *
 *	pe_bench_simulate_explore [--histories N] [--seed S] [--model NAME] [--whole R] [--pairs 0|1]
 *
 * The budget is a quarter of the runs that measuring every commit `whole` times takes; a part of it is kept for
 * confirming (pe_explore_reserve()). With `pairs` 1 the steps are one that goes up by 10 % and one that takes it back five
 * commits later. A run takes a second, a build 20; two in ten builds are kept from before, one in twenty takes ten times as
 * long.
 *
 * Printed: the share of each step found at exactly its commit, of histories with all of them, false alarms per
 * 1000 commits (further than three from a step), and runs by purpose, in percent of those of all commits;
 * batches, revisions that were measured, and seconds of exploring, builds included.
 */
#include "bench/campaign.h"
#include "bench/options.h"
#include "core/stats/explore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_STEPS 3

enum { COMMITS = 100, SLOTS = 16, REPEATS = 3, LEAST = 2, SHARE = 25, BUILD_SECONDS = 20 };

struct request {
	size_t histories, whole;
	uint64_t seed;
	const char *model;
	bool pairs;
};

struct score {
	size_t exact[N_STEPS], all, alarms;
	size_t explored, confirmed, pinned, batches; /* runs; batches */
	double seconds;                              /* of builds and runs of exploring */
	size_t builds;
};

/* Which commits have steps, and how large. */
struct truth {
	size_t n, at[N_STEPS];
	double size[N_STEPS];
};

static struct truth draw_truth(const struct request *asked, struct pe_random *random)
{
	struct truth truth = {N_STEPS, {0}, {.02, .05, .10}};
	size_t order[N_STEPS] = {0, 1, 2}, room = COMMITS - 20 - 10 * N_STEPS;
	size_t from = 10;

	if (asked->pairs) {
		from += pe_random_below(random, COMMITS - 30);
		return (struct truth){2, {from, from + 5, 0}, {.10, 1 / 1.10 - 1, 0}};
	}
	pe_random_shuffle(random, order, N_STEPS);
	for (size_t i = 0; i < N_STEPS; i++) {
		size_t on = pe_random_below(random, room + 1);

		from += on;
		room -= on;
		truth.at[order[i]] = from;
		from += 10;
	}
	return truth;
}

/*
 * What the builds take, runs being 1: two in ten are kept from before, one in twenty takes ten times as long as the
 * others, as it is of another kind.
 */
static double *draw_builds(struct pe_random *random, struct pe_arena *arena)
{
	double *build = pe_arena_new(arena, double, COMMITS);

	for (size_t i = 0; i < COMMITS; i++) {
		size_t draw = pe_random_below(random, 20);

		build[i] = draw < 4 ? 0 : draw == 4 ? 10 * BUILD_SECONDS : BUILD_SECONDS;
	}
	return build;
}

/* One batch's rounds, each revision until it is enough. */
static void take_batch(struct campaign *c, const struct pe_explore_batch *batch,
		       const struct request *asked, struct pe_arena *arena)
{
	struct pe_explore_enough_opts opts = PE_EXPLORE_ENOUGH_DEFAULTS;
	size_t *commits = pe_arena_new(arena, size_t, batch->n), from = c->readings.n;
	double *want = pe_arena_new(arena, double, c->n_commits);
	bool *enough = pe_arena_new(arena, bool, c->n_commits);
	unsigned first;

	opts.most = REPEATS;
	opts.least = LEAST;
	for (size_t i = 0; i < batch->n; i++)
		want[batch->at[i].revision] = batch->at[i].want;
	if (c->runs == 0) {
		campaign_new_day(c, COMMITS * asked->whole * SHARE / 100);
		c->batch++;
	}
	first = from > 0 ? c->readings.data[from - 1].round + 1 : 0;
	for (size_t round = 0; round < REPEATS; round++) {
		struct pe_readings taken;
		size_t n = 0;

		for (size_t i = 0; i < batch->n; i++)
			if (!enough[batch->at[i].revision])
				commits[n++] = batch->at[i].revision;
		pe_random_shuffle(c->machine.random, commits, n);
		for (size_t i = 0; i < n; i++)
			campaign_take(c, commits[i], c->batch - 1, first + round);
		taken = (struct pe_readings){c->readings.data + from, c->readings.n - from,
					     c->n_commits};
		pe_explore_enough(enough, &taken, want, &opts);
	}
}

static struct pe_changepoints search(const struct campaign *c, double alpha, struct pe_arena *arena)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_readings readings = campaign_readings(c);

	opts.alpha = alpha;
	return pe_changepoints_find(&readings, &opts, arena);
}

static void explore(struct score *score, struct campaign *c, const double *build,
		    const struct request *asked, struct pe_arena *arena)
{
	struct pe_explore_revision *revisions =
		pe_arena_new(arena, struct pe_explore_revision, COMMITS);
	size_t budget = COMMITS * asked->whole * SHARE / 100;

	for (size_t i = 0; i < COMMITS; i++)
		revisions[i] =
			(struct pe_explore_revision){1, i, false, false, build[i] + 3. * REPEATS};
	for (;;) {
		struct pe_changepoints found = search(c, PE_EXPLORE_ALPHA, arena);
		const struct pe_changepoints *const series[] = {&found};
		struct pe_explore_opts opts = PE_EXPLORE_DEFAULTS;
		struct pe_explore_batch batch;

		opts.slots = SLOTS;
		opts.repeats = REPEATS;
		opts.grid = 0;
		opts.least_gap = 0.05;
		opts.ends_first = true;
		opts.runs_left = budget - pe_explore_reserve(budget, c->n_commits, found.n);
		opts.runs_left -= opts.runs_left < c->runs ? opts.runs_left : c->runs;
		batch = pe_explore_next(revisions, c->n_commits, series, 1, &opts, arena);
		if (batch.answer != PE_EXPLORE_GO_ON)
			break;
		take_batch(c, &batch, asked, arena);
		for (size_t i = 0; i < batch.n; i++)
			revisions[batch.at[i].revision].measured = true;
		score->batches++;
	}
	score->explored += c->runs;
	score->seconds += (double)c->runs;
	for (size_t i = 0; i < c->n_commits; i++) {
		score->builds += revisions[i].measured;
		score->seconds += revisions[i].measured ? build[i] : 0;
	}
}

static void judge(struct score *score, struct campaign *c, const struct truth *truth,
		  struct pe_arena *arena)
{
	struct pe_changepoints found = search(c, PE_CHANGEPOINT_SUSPECT_ALPHA, arena);
	bool exact[N_STEPS] = {false};
	size_t all = 0;

	for (size_t i = 0; i < found.n; i++) {
		size_t runs = c->runs, at;
		bool confirmed = campaign_confirm(c, &found, i), near = false;

		score->confirmed += c->runs - runs;
		if (!confirmed)
			continue;
		runs = c->runs;
		at = campaign_pin(c, &found, i);
		score->pinned += c->runs - runs;
		for (size_t s = 0; s < truth->n; s++) {
			exact[s] |= at == truth->at[s];
			near |= at + 3 >= truth->at[s] && at <= truth->at[s] + 3;
		}
		score->alarms += !near;
	}
	for (size_t s = 0; s < truth->n; s++) {
		score->exact[s] += exact[s];
		all += exact[s];
	}
	score->all += all == truth->n;
}

static void simulate(struct score *score, const struct noise_model *model,
		     const struct request *asked, uint64_t seed)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_random random;
	struct pe_random apart;
	const double *build;
	struct campaign c;
	struct truth truth;

	pe_random_seed(&random, seed);
	pe_random_seed(&apart, seed ^ 0x9e3779b9);
	build = draw_builds(&apart, &arena);
	truth = draw_truth(asked, &random);
	c = campaign_begin(model, COMMITS, 1, &random, &arena);
	for (size_t s = 0; s < truth.n && !asked->pairs; s++)
		campaign_step(&c, truth.at[s], truth.size[s]);
	for (size_t i = truth.at[0]; asked->pairs && i < truth.at[1]; i++)
		c.level[i] += log1p(truth.size[0]);
	explore(score, &c, build, asked, &arena);
	judge(score, &c, &truth, &arena);
	campaign_release(&c);
	pe_arena_release(&arena);
}

static void print_row(const struct noise_model *model, const struct request *asked)
{
	struct score score = {.all = 0};
	double n = (double)asked->histories;
	double all = (double)(COMMITS * asked->whole) * n / 100;

	for (size_t h = 0; h < asked->histories; h++)
		simulate(&score, model, asked, asked->seed + 1000003 * h);
	printf("%-8s ", model->name);
	for (size_t s = 0; s < N_STEPS; s++)
		printf(" %5.3f", (double)score.exact[s] / n);
	printf("  %5.3f %6.2f   %5.1f %5.1f %5.1f %5.1f  %5.1f %5.1f %7.0f\n",
	       (double)score.all / n, 1000. * (double)score.alarms / (n * (double)(COMMITS - 1)),
	       (double)score.explored / all, (double)score.confirmed / all,
	       (double)score.pinned / all,
	       (double)(score.explored + score.confirmed + score.pinned) / all,
	       (double)score.batches / n, (double)score.builds / n, score.seconds / n);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct request asked = {200, 10, 1, NULL, false};
	const struct option options[] = {
		{"histories", OPTION_COUNT, &asked.histories},
		{"whole", OPTION_COUNT, &asked.whole},
		{"seed", OPTION_SEED, &asked.seed},
		{"model", OPTION_TEXT, &asked.model},
		{"pairs", OPTION_FLAG, &asked.pairs},
	};

	if (!OPTIONS_READ(options, argc, argv) || asked.histories == 0)
		return 129;
	printf("%zu histories of %d commits, %d %% of all runs. Found at exactly the right commit; "
	       "false alarms per 1000 commits; runs in percent of all.\n"
	       "%-8s  %5s %5s %5s  %5s %6s   %5s %5s %5s %5s  %5s %5s %7s\n",
	       asked.histories, COMMITS, SHARE, "noise", asked.pairs ? "up" : "2 %",
	       asked.pairs ? "down" : "5 %", asked.pairs ? "" : "10 %", "all", "FA", "expl.",
	       "conf.", "pin", "sum", "windows", "built", "seconds");
	for (size_t m = 0; m < N_NOISE_MODELS; m++)
		if (asked.model == NULL || strcmp(asked.model, noise_models[m].name) == 0)
			print_row(&noise_models[m], &asked);
	return 0;
}
