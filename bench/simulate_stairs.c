/*
 * How good is the judge on staircases? Histories of 2 to 8 levels of 1 to 5 commits, where a level is often a single
 * measured build because commits that execute the same are reused from it (app/measure/reuse.h).
 *
 *	pe_bench_simulate_stairs [--histories N] [--seed S] [--model NAME] [--repeats R] [--stage search|confirmed]
 *
 * Steps are drawn log-uniformly from 5 to 50 %, each of at least 4 deviations of a run without outliers; all
 * up, all down, or each at random, one third each. In half of the histories a level is one build, in the others
 * each of its commits is. Outlier runs are 0, 3, 6 and 10 % with the model's mean size, and a fourth of the
 * histories has them on the fast side as well.
 *
 * Builds are run once a round. Stages: `search` is what the readings say; `confirmed` takes each suspect through fresh
 * pairs and pins it.
 *
 * Printed by share of outliers: histories with all steps at exactly their commits and nothing else; and changes
 * per 1000 gaps between builds in as many histories without any step. In the end, in all of them: runs of the second
 * stage, of a history with steps and of one without.
 */
#include "bench/campaign.h"
#include "bench/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double outliers[] = {0, .03, .06, .10};
#define N_OUTLIERS  (sizeof(outliers) / sizeof(*outliers))
#define MOST_LEVELS 8
#define LEAST       4. /* deviations of a run */
#define MOST_BUILDS (5 * MOST_LEVELS)

struct request {
	size_t histories, repeats;
	uint64_t seed;
	const char *model, *stage;
};

/* One kind of history. */
struct cell {
	struct noise_model model;
	size_t repeats;
	bool flat;
};

/* Levels as builds: the first build of each, and how many builds there are. */
struct stairs {
	size_t first[MOST_LEVELS], n_levels, n_builds;
	bool is_step[MOST_BUILDS];
};

struct score {
	size_t whole, alarms, gaps, fresh_runs;
};

/* Deviation of a run of a build as the judge meets it: whatever is neither outlier nor burst nor drift. */
static double deviation(const struct noise_model *m)
{
	double mode = m->mode_chance * (1 - m->mode_chance) * m->mode_size * m->mode_size;

	return sqrt(m->run_sd * m->run_sd + m->machine_sd * m->machine_sd +
		    m->layout_sd * m->layout_sd + mode);
}

static struct stairs draw_stairs(struct pe_random *random)
{
	struct stairs out = {.n_levels = 2 + pe_random_below(random, 7)};
	bool reused = pe_random_below(random, 2) != 0;

	for (size_t l = 0; l < out.n_levels; l++) {
		size_t commits = 1 + pe_random_below(random, 5);

		out.is_step[out.n_builds] = l > 0;
		out.first[l] = out.n_builds;
		out.n_builds += reused ? 1 : commits;
	}
	return out;
}

static void draw_steps(struct campaign *c, const struct stairs *stairs, double least)
{
	struct pe_random *random = c->machine.random;
	size_t way = pe_random_below(random, 3);
	double low = fmax(log(1.05), least), high = log(1.5);

	for (size_t l = 1; l < stairs->n_levels; l++) {
		double jump = exp(log(low) + pe_random_unit(random) * (log(high) - log(low)));
		bool down = way == 0 || (way == 1 && pe_random_below(random, 2) != 0);

		for (size_t i = stairs->first[l]; i < c->n_commits; i++)
			c->level[i] += down ? -jump : jump;
	}
}

static void judge(struct score *score, struct campaign *c, const struct stairs *stairs,
		  bool confirmed, struct pe_arena *arena)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_readings readings = campaign_readings(c);
	struct pe_changepoints found;
	size_t right = 0, wrong = 0, runs = c->runs;

	opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	found = pe_changepoints_find(&readings, &opts, arena);
	for (size_t i = 0; i < found.n; i++) {
		size_t at = found.at[i].index;

		if (confirmed && !campaign_confirm(c, &found, i))
			continue;
		if (confirmed)
			at = campaign_pin(c, &found, i);
		if (stairs->is_step[at])
			right++;
		else
			wrong++;
	}
	score->whole += wrong == 0 && right == stairs->n_levels - 1;
	score->alarms += right + wrong;
	score->fresh_runs += c->runs - runs;
	score->gaps += c->n_commits - 1;
}

static void simulate(struct score *score, const struct cell *cell, const struct request *asked,
		     struct pe_random *random)
{
	/* The machine has bursts of more slots than these too, and a pair of batches must not repeat it. */
	struct pe_arena arena = PE_ARENA_INIT;
	struct stairs stairs = draw_stairs(random);
	struct campaign c = campaign_begin(&cell->model, stairs.n_builds,
					   stairs.n_builds * cell->repeats, random, &arena);
	size_t commits[MOST_BUILDS];

	if (!cell->flat)
		draw_steps(&c, &stairs, LEAST * deviation(&cell->model));
	for (size_t i = 0; i < c.n_commits; i++)
		commits[i] = i;
	campaign_take_rounds(&c, commits, c.n_commits, 0, cell->repeats);
	judge(score, &c, &stairs, strcmp(asked->stage, "confirmed") == 0, &arena);
	campaign_release(&c);
	pe_arena_release(&arena);
}

static struct score try(struct cell cell, double share, bool flat, const struct request *asked)
{
	struct score score = {0, 0, 0, 0};

	cell.flat = flat;
	cell.model.outlier_chance = share;
	for (size_t h = 0; h < asked->histories; h++) {
		struct pe_random random;

		pe_random_seed(&random, asked->seed + 1000003 * h + flat);
		/* A disturbed clock, a run that was cut short: outliers are not always slow. */
		cell.model.fast_outliers = h % 4 == 0 ? .5 : 0;
		simulate(&score, &cell, asked, &random);
	}
	return score;
}

static void print_row(const struct cell *cell, const struct request *asked)
{
	struct score total = {0, 0, 0, 0};
	size_t fresh_runs = 0;
	double n = (double)(N_OUTLIERS * asked->histories);

	printf("%-8s %3zu ", cell->model.name, cell->repeats);
	for (size_t o = 0; o < N_OUTLIERS; o++) {
		struct score steps = try(*cell, outliers[o], false, asked);
		struct score flat = try(*cell, outliers[o], true, asked);

		printf("  %5.3f / %5.2f", (double)steps.whole / (double)asked->histories,
		       1000. * (double)flat.alarms / (double)flat.gaps);
		total.whole += steps.whole;
		total.alarms += flat.alarms;
		total.gaps += flat.gaps;
		total.fresh_runs += flat.fresh_runs;
		fresh_runs += steps.fresh_runs;
	}
	printf("  %5.3f / %5.2f  %6.1f %5.1f\n", (double)total.whole / n,
	       1000. * (double)total.alarms / (double)total.gaps, (double)fresh_runs / n,
	       (double)total.fresh_runs / n);
	fflush(stdout);
}

static void print_rows(const struct request *asked)
{
	static const size_t repeats[] = {5, 8, 10, 25};

	for (size_t i = 0; i < (size_t)N_NOISE_MODELS * 4; i++) {
		struct cell cell = {noise_models[i / 4], repeats[i % 4], false};

		if ((asked->model == NULL || strcmp(asked->model, cell.model.name) == 0) &&
		    (asked->repeats == 0 || asked->repeats == cell.repeats))
			print_row(&cell, asked);
	}
}

int main(int argc, char **argv)
{
	struct request asked = {200, 0, 1, NULL, "search"};
	const struct option options[] = {
		{"histories", OPTION_COUNT, &asked.histories},
		{"repeats", OPTION_COUNT, &asked.repeats},
		{"seed", OPTION_SEED, &asked.seed},
		{"model", OPTION_TEXT, &asked.model},
		{"stage", OPTION_TEXT, &asked.stage},
	};

	if (!OPTIONS_READ(options, argc, argv) || asked.histories == 0)
		return 129;
	printf("%zu histories a cell. Share with all steps at their commits and nothing else / "
	       "changes per 1000 gaps without any step, by share of outlier runs.\n"
	       "%-8s %3s  %13s  %13s  %13s  %13s  %13s  %12s\n",
	       asked.histories, "noise", "R", "0 %", "3 %", "6 %", "10 %", "all", "runs");
	print_rows(&asked);
	return 0;
}
