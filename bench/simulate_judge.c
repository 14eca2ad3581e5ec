/*
 * How good is the judge of change? Histories with known steps are simulated under five models of
 *noise, in three ways of measuring, and judged by the very code that judges real ones.
 *
 *	simulate_judge [--histories N] [--commits N] [--seed S] [--model NAME] [--repeats R] [--design NAME]
 *
 * Everything is in logarithms of time. A campaign has slots, one run each;
 *
 *	value = level(commit) + layout(commit) + machine(slot) + run()
 *
 * layout is drawn once a commit; machine is an autoregressive process, bursts of other load, a
 *random walk and perhaps one step; run is skewed (a shifted lognormal), with outliers and in one
 *model a second mode.
 *
 * Designs: `rounds` visits all commits once a round in random order; `sequence` makes all runs of a
 *commit, then those of the next; `arriving` measures each new commit in rounds with its two
 *predecessors and two reference revisions, in a session of its own, on a machine that is by chance
 *a few percent slower or faster that day, and judges the whole in the end.
 *
 * A history has 100 commits and, but for the first column, one step up or down at a commit from 10
 *to 89. Printed are false alarms per 1000 commits (changes further than three commits from the
 *step, over all histories of the row) and the share of steps found at exactly the right commit /
 *within one of it.
 */
#include "core/base/random.h"
#include "core/stats/changepoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model {
	const char *name;
	double run_sd, run_skew; /* of the lognormal part */
	double outlier_chance, outlier_mean;
	double machine_sd, machine_memory; /* slots */
	double burst_chance, burst_length, burst_mean;
	double mode_chance, mode_size;
	double layout_sd;
	double step_chance, step_size, walk_sd; /* walk: per root of 1000 slots */
};

static const struct model models[] = {
	{"quiet", .005, .6, .02, .10, .001, 200, 0, 1, 0, 0, 0, .001, 0, 0, 0},
	{"laptop", .016, .8, .04, .20, .007, 300, 1. / 300, 12, .08, 0, 0, .003, 0, 0, 0},
	{"loaded", .025, .8, .08, .40, .010, 150, 1. / 150, 12, .20, 0, 0, .003, 0, 0, 0},
	{"drift", .008, .6, .03, .15, .006, 800, 0, 1, 0, 0, 0, .002, .7, .02, .006},
	{"bimodal", .007, .6, .03, .15, .004, 300, 1. / 500, 12, .08, .35, .04, .003, 0, 0, 0},
};

enum design { ROUNDS, SEQUENCE, ARRIVING, N_DESIGNS };
static const char *const designs[N_DESIGNS] = {"rounds", "sequence", "arriving"};
static const double sizes[] = {0, .01, .02, .05, .10};
#define N_SIZES (sizeof(sizes) / sizeof(*sizes))

static double exponential(struct pe_random *random, double mean)
{
	return -mean * log1p(-pe_random_unit(random));
}

/* The machine as it goes from slot to slot. */
struct machine {
	const struct model *model;
	struct pe_random *random;
	double memory, state, walk, burst, step;
	double burst_left;
	size_t slot, step_at;
};

static struct machine machine_begin(const struct model *model, size_t slots,
				    struct pe_random *random)
{
	struct machine m = {.model = model, .random = random, .step_at = SIZE_MAX};

	m.memory = exp(-1 / model->machine_memory);
	m.state = model->machine_sd * pe_random_normal(random);
	if (pe_random_unit(random) < model->step_chance) {
		m.step_at = pe_random_below(random, slots);
		m.step = pe_random_below(random, 2) != 0 ? model->step_size : -model->step_size;
	}
	return m;
}

static double machine_next(struct machine *m)
{
	const struct model *p = m->model;

	m->state = m->memory * m->state +
		   sqrt(1 - m->memory * m->memory) * p->machine_sd * pe_random_normal(m->random);
	m->walk += p->walk_sd / sqrt(1000) * pe_random_normal(m->random);
	m->burst_left -= 1;
	if (pe_random_unit(m->random) < p->burst_chance) {
		m->burst_left = exponential(m->random, p->burst_length);
		m->burst = exponential(m->random, p->burst_mean);
	}
	return m->state + m->walk + (m->burst_left > 0 ? m->burst : 0) +
	       (m->slot++ >= m->step_at ? m->step : 0);
}

static double one_run(const struct model *p, struct pe_random *random)
{
	double k2 = p->run_skew * p->run_skew;
	double body = exp(p->run_skew * pe_random_normal(random)) - exp(k2 / 2);
	double value = p->run_sd * body / sqrt((exp(k2) - 1) * exp(k2));

	if (pe_random_unit(random) < p->outlier_chance)
		value += exponential(random, p->outlier_mean);
	if (pe_random_unit(random) < p->mode_chance)
		value += p->mode_size;
	return value;
}

struct campaign {
	struct pe_reading *at;
	size_t n, n_commits;
	const double *level;
	struct machine machine;
	double day; /* what this session adds */
};

static void take(struct campaign *c, size_t commit, size_t window, size_t round)
{
	double value = c->level[commit] + c->day + machine_next(&c->machine) +
		       one_run(c->machine.model, c->machine.random);

	c->at[c->n++] = (struct pe_reading){commit, (int64_t)window, (unsigned)round, exp(value)};
}

static void take_rounds(struct campaign *c, size_t *commits, size_t n, size_t window,
			size_t repeats)
{
	for (size_t r = 0; r < repeats; r++) {
		pe_random_shuffle(c->machine.random, commits, n);
		for (size_t i = 0; i < n; i++)
			take(c, commits[i], window, r);
	}
}

static void measure(struct campaign *c, enum design design, size_t repeats, struct pe_arena *arena)
{
	size_t *commits = pe_arena_new(arena, size_t, c->n_commits);

	for (size_t i = 0; i < c->n_commits; i++)
		commits[i] = i;
	if (design == ROUNDS)
		take_rounds(c, commits, c->n_commits, 0, repeats);
	for (size_t i = 0; design == SEQUENCE && i < c->n_commits; i++)
		for (size_t r = 0; r < repeats; r++)
			take(c, i, i, r);
	for (size_t i = 4; design == ARRIVING && i < c->n_commits; i++) {
		size_t together[] = {0, 1, i - 2, i - 1, i};

		c->day = .02 * pe_random_normal(c->machine.random);
		take_rounds(c, together, 5, i, repeats);
	}
}

struct cell {
	const struct model *model;
	enum design design;
	size_t repeats, n_commits;
	double size;
};

struct score {
	size_t histories, exact, near, alarms;
};

static void judge(struct score *score, const struct cell *cell, struct pe_random *random)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_changepoints found;
	size_t n = cell->n_commits, edge = n >= 10 ? n / 10 : 1;
	size_t step = edge + pe_random_below(random, n - 2 * edge + (n < 10)),
	       slots = n * cell->repeats;
	double size = cell->size;
	double jump = pe_random_below(random, 2) != 0 ? log1p(size) : -log1p(size);
	double *level = pe_arena_new(&arena, double, n);
	struct campaign c = {.at = pe_arena_new(&arena, struct pe_reading, 5 * slots),
			     .n_commits = n,
			     .level = level};
	bool exact = false, near = false;

	for (size_t i = 0; i < n; i++)
		level[i] =
			cell->model->layout_sd * pe_random_normal(random) + (i >= step ? jump : 0);
	c.machine =
		machine_begin(cell->model, cell->design == ARRIVING ? 5 * slots : slots, random);
	measure(&c, cell->design, cell->repeats, &arena);
	opts.unlinked = cell->design == SEQUENCE ? PE_UNLINKED_ALONG : PE_UNLINKED_APART;
	found = pe_changepoints_find(&(struct pe_readings){c.at, c.n, n}, &opts, &arena);
	for (size_t i = 0; i < found.n; i++) {
		size_t at = found.at[i].index, off = at > step ? at - step : step - at;

		exact |= size > 0 && off == 0;
		near |= size > 0 && off <= 1;
		score->alarms += size <= 0 || off > 3;
	}
	score->histories++;
	score->exact += exact;
	score->near += near;
	pe_arena_release(&arena);
}

struct request {
	size_t histories, repeats, n_commits;
	uint64_t seed;
	const char *model, *design;
};

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
			judge(&scores[s], &cell, &random);
		}
		alarms += scores[s].alarms;
	}
	printf("%-9s %-8s %3zu  %6.2f %6.2f ", designs[cell.design], cell.model->name, cell.repeats,
	       1000. * (double)scores[0].alarms / gaps, 1000. * (double)alarms / (N_SIZES * gaps));
	for (size_t s = 1; s < N_SIZES; s++)
		printf("  %5.3f/%5.3f", (double)scores[s].exact / (double)asked->histories,
		       (double)scores[s].near / (double)asked->histories);
	printf("\n");
	fflush(stdout);
}

static bool read_request(struct request *r, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (value == NULL)
			return false;
		if (strcmp(argv[i], "--histories") == 0)
			r->histories = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--commits") == 0)
			r->n_commits = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--repeats") == 0)
			r->repeats = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--seed") == 0)
			r->seed = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--model") == 0)
			r->model = value;
		else if (strcmp(argv[i], "--design") == 0)
			r->design = value;
		else
			return false;
	}
	return r->histories > 0 && r->n_commits > 1;
}

int main(int argc, char **argv)
{
	static const size_t repeats[] = {25, 10, 5};
	struct request asked = {200, 0, 100, 1, NULL, NULL};

	if (!read_request(&asked, argc, argv)) {
		fprintf(stderr,
			"usage: %s [--histories N] [--seed S] [--model NAME] [--repeats R] "
			"[--design rounds|sequence|arriving]\n",
			argv[0]);
		return 129;
	}
	printf("%zu histories of %zu commits a cell. False alarms per 1000 commits: without any "
	       "step / over "
	       "all cells.\nFound: exactly / within one commit.\n"
	       "%-9s %-8s %3s  %6s %6s   %11s  %11s  %11s  %11s\n",
	       asked.histories, asked.n_commits, "design", "noise", "R", "FA", "FA all", "1 %",
	       "2 %", "5 %", "10 %");
	for (int d = 0; d < N_DESIGNS; d++)
		for (size_t m = 0; m < sizeof(models) / sizeof(*models); m++)
			for (size_t r = 0; r < sizeof(repeats) / sizeof(*repeats); r++)
				if ((asked.design == NULL ||
				     strcmp(asked.design, designs[d]) == 0) &&
				    (asked.model == NULL ||
				     strcmp(asked.model, models[m].name) == 0) &&
				    (asked.repeats == 0 || asked.repeats == repeats[r]))
					print_row((struct cell){&models[m], d, repeats[r],
								asked.n_commits, 0},
						  &asked);
	return 0;
}
