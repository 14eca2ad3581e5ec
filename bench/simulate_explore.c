/*
 * How few runs does adaptive measuring need? 100 commits with steps of 2, 5 and 10 % at least ten commits apart are
 * explored as `track --adaptive` does it (core/stats/explore.h): batch after batch, until the budget is spent; what
 * is found is confirmed and pinned. All batches are one batch, as in one session; with `days` 1 each is a batch
 * and a day of its own, on a machine that is by chance 2 % faster or slower.
 *
 *	simulate_explore [--histories N] [--seed S] [--model NAME] [--slots N] [--repeats R] [--share PERCENT]
 *	                 [--suspicion W] [--pairs 0|1] [--days 0|1] [--least R] [--grid N] [--whole R]
 *	                 [--gap PART] [--build SECONDS] [--blind 0|1]
 *
 * `share` is the budget, a part of which is kept for confirming (pe_explore_reserve()): percent of the runs that
 * measuring every commit `whole` times takes; a revision is run
 * from `least` to `repeats` times in a batch. With `suspicion`,
 * the commits of the steps weigh W times the others' mean, and so do five innocent ones. With `pairs` 1 the steps are
 * one that goes up by 10 % and one that takes it back five commits later.
 *
 * A run takes a second, a build `build`, but for those that are kept from before and those that take ten times as long;
 * exploring knows what each takes, unless it is `blind`, and looks into gaps of more than `gap` of all places: 0 is what
 * it does with a budget, 0.05 without.
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

struct request {
	size_t histories, n_commits, slots, repeats, least, whole, share, grid;
	uint64_t seed;
	const char *model;
	double candidate, gap, build;
	bool pairs, days, blind;
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
	size_t order[N_STEPS] = {0, 1, 2}, room = asked->n_commits - 20 - 10 * N_STEPS;
	size_t from = 10;

	if (asked->pairs) {
		from += pe_random_below(random, asked->n_commits - 30);
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
static double *draw_builds(const struct request *asked, struct pe_random *random,
			   struct pe_arena *arena)
{
	double *build = pe_arena_new(arena, double, asked->n_commits);

	for (size_t i = 0; i < asked->n_commits; i++) {
		size_t draw = pe_random_below(random, 20);

		build[i] = draw < 4 ? 0 : draw == 4 ? 10 * asked->build : asked->build;
	}
	return build;
}

static struct pe_explore_revision *describe(const struct request *asked, const struct truth *truth,
					    struct pe_random *random, struct pe_arena *arena)
{
	enum { INNOCENT = 5 };
	size_t n = asked->n_commits;
	struct pe_explore_revision *revisions = pe_arena_new(arena, struct pe_explore_revision, n);

	for (size_t i = 0; i < n; i++)
		revisions[i] = (struct pe_explore_revision){1, i, false, false, 0};
	for (size_t i = 0; asked->candidate > 0 && i < truth->n; i++)
		revisions[truth->at[i]].weight = asked->candidate;
	for (size_t i = 0; asked->candidate > 0 && i < INNOCENT; i++)
		revisions[pe_random_below(random, n)].weight = asked->candidate;
	return revisions;
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

	opts.most = asked->repeats;
	opts.least = asked->least;
	for (size_t i = 0; i < batch->n; i++)
		want[batch->at[i].revision] = batch->at[i].want;
	if (c->runs == 0 || asked->days) {
		campaign_new_day(c, c->n_commits * asked->whole * asked->share / 100);
		c->batch++;
	}
	first = from > 0 && !asked->days ? c->readings.data[from - 1].round + 1 : 0;
	for (size_t round = 0; round < asked->repeats; round++) {
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

static void explore(struct score *score, struct campaign *c, struct pe_explore_revision *revisions,
		    const double *build, const struct request *asked, struct pe_arena *arena)
{
	size_t budget = asked->n_commits * asked->whole * asked->share / 100;

	for (size_t i = 0; i < c->n_commits && !asked->blind; i++)
		revisions[i].cost = build[i] + 3. * (double)asked->repeats;
	for (;;) {
		struct pe_changepoints found = search(c, PE_EXPLORE_ALPHA, arena);
		const struct pe_changepoints *const series[] = {&found};
		struct pe_explore_opts opts = PE_EXPLORE_DEFAULTS;
		struct pe_explore_batch batch;

		opts.slots = asked->slots;
		opts.repeats = asked->repeats;
		opts.grid = asked->grid;
		opts.least_gap = asked->gap;
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
	build = draw_builds(asked, &apart, &arena);
	truth = draw_truth(asked, &random);
	c = campaign_begin(model, asked->n_commits, 1, &random, &arena);
	for (size_t s = 0; s < truth.n && !asked->pairs; s++)
		campaign_step(&c, truth.at[s], truth.size[s]);
	for (size_t i = truth.at[0]; asked->pairs && i < truth.at[1]; i++)
		c.level[i] += log1p(truth.size[0]);
	explore(score, &c, describe(asked, &truth, &random, &arena), build, asked, &arena);
	judge(score, &c, &truth, &arena);
	campaign_release(&c);
	pe_arena_release(&arena);
}

static void print_row(const struct noise_model *model, const struct request *asked)
{
	struct score score = {.all = 0};
	double n = (double)asked->histories;
	double all = (double)(asked->n_commits * asked->whole) * n / 100;

	for (size_t h = 0; h < asked->histories; h++)
		simulate(&score, model, asked, asked->seed + 1000003 * h);
	printf("%-8s ", model->name);
	for (size_t s = 0; s < N_STEPS; s++)
		printf(" %5.3f", (double)score.exact[s] / n);
	printf("  %5.3f %6.2f   %5.1f %5.1f %5.1f %5.1f  %5.1f %5.1f %7.0f\n",
	       (double)score.all / n,
	       1000. * (double)score.alarms / (n * (double)(asked->n_commits - 1)),
	       (double)score.explored / all, (double)score.confirmed / all,
	       (double)score.pinned / all,
	       (double)(score.explored + score.confirmed + score.pinned) / all,
	       (double)score.batches / n, (double)score.builds / n, score.seconds / n);
	fflush(stdout);
}

static bool read_request(struct request *r, int argc, char **argv)
{
	const struct option options[] = {
		{"histories", OPTION_COUNT, &r->histories},
		{"commits", OPTION_COUNT, &r->n_commits},
		{"slots", OPTION_COUNT, &r->slots},
		{"repeats", OPTION_COUNT, &r->repeats},
		{"least", OPTION_COUNT, &r->least},
		{"grid", OPTION_COUNT, &r->grid},
		{"whole", OPTION_COUNT, &r->whole},
		{"share", OPTION_COUNT, &r->share},
		{"seed", OPTION_SEED, &r->seed},
		{"model", OPTION_TEXT, &r->model},
		{"suspicion", OPTION_REAL, &r->candidate},
		{"gap", OPTION_REAL, &r->gap},
		{"build", OPTION_REAL, &r->build},
		{"blind", OPTION_FLAG, &r->blind},
		{"pairs", OPTION_FLAG, &r->pairs},
		{"days", OPTION_FLAG, &r->days},
	};

	return OPTIONS_READ(options, argc, argv) && r->histories > 0 && r->n_commits >= 60 &&
	       r->slots >= 4 && r->repeats > 0;
}

int main(int argc, char **argv)
{
	struct request asked = {200, 100,  16, 3,    2,  10,    25,    0,
				1,   NULL, 0,  0.05, 20, false, false, false};

	if (!read_request(&asked, argc, argv))
		return 129;
	printf("%zu histories of %zu commits, windows of %zu, %zu repeats at most, %zu %% of all "
	       "runs. "
	       "Found at exactly the right commit; false alarms per 1000 commits; runs in percent "
	       "of all.\n%-8s  %5s %5s %5s  %5s %6s   %5s %5s %5s %5s  %5s %5s %7s\n",
	       asked.histories, asked.n_commits, asked.slots, asked.repeats, asked.share, "noise",
	       asked.pairs ? "up" : "2 %", asked.pairs ? "down" : "5 %", asked.pairs ? "" : "10 %",
	       "all", "FA", "expl.", "conf.", "pin", "sum", "windows", "built", "seconds");
	for (size_t m = 0; m < N_NOISE_MODELS; m++)
		if (asked.model == NULL || strcmp(asked.model, noise_models[m].name) == 0)
			print_row(&noise_models[m], &asked);
	return 0;
}
