/*
 * How good is the judge of change? Histories with known steps are simulated under five models of noise
 * (noise.h), in three ways of measuring, and judged by the very code that judges real ones.
 *
 *	simulate_judge [--histories N] [--commits N] [--seed S] [--model NAME] [--repeats R] [--design NAME]
 *	               [--stage search|confirmed]
 *
 * Designs: `rounds` visits all commits once a round in random order; `sequence` makes all runs of a commit,
 * then those of the next; `arriving` measures each new commit in rounds with its two predecessors and two
 * reference revisions, in a session of its own, on a machine that is by chance a few percent slower or faster
 * that day, and judges the whole in the end.
 *
 * Stages: `search` is what the readings alone say. `confirmed` searches with a smaller penalty, confirms each
 * suspect by fresh pairs in a session of its own, and measures the commits around a change again, up to
 * four times in eight rounds, until 95 % of the probability lie on one commit.
 *
 * A history has 100 commits and, but for the first column, one step up or down at a commit from 10 to 89.
 * Printed are false alarms per 1000 commits (changes further than three commits from the step), the share of
 * steps found at exactly the right commit / within one of it, and how many runs the second stage took in a
 * history without a step and in one with a step of 5 %.
 */
#include "bench/noise.h"
#include "core/base/vec.h"
#include "core/stats/changepoint.h"
#include "core/stats/confirm.h"
#include "core/stats/pin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum design { ROUNDS, SEQUENCE, ARRIVING, N_DESIGNS };
enum stage { SEARCH, CONFIRMED, N_STAGES };
static const char *const designs[N_DESIGNS] = {"rounds", "sequence", "arriving"};
static const char *const stages[N_STAGES] = {"search", "confirmed"};
static const double sizes[] = {0, .01, .02, .05, .10};
#define N_SIZES (sizeof(sizes) / sizeof(*sizes))

/* A history and all that was measured of it. */
struct campaign {
	PE_VEC(struct pe_reading) readings;
	size_t n_commits, fresh_runs;
	double *level;
	struct noise_machine machine; /* of this session */
	double day;                   /* what this session adds */
	int64_t window;               /* the next free one */
};

static double one_run(struct campaign *c, size_t commit)
{
	return exp(c->level[commit] + c->day + noise_run(&c->machine));
}

static void take(struct campaign *c, size_t commit, int64_t window, size_t round)
{
	double value = one_run(c, commit);

	pe_vec_push(&c->readings, (struct pe_reading){commit, window, (unsigned)round, value});
}

static void take_rounds(struct campaign *c, size_t *commits, size_t n, int64_t window,
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
			take(c, i, (int64_t)i, r);
	for (size_t i = 4; design == ARRIVING && i < c->n_commits; i++) {
		size_t together[] = {0, 1, i - 2, i - 1, i};

		c->day = .02 * pe_random_normal(c->machine.random);
		take_rounds(c, together, 5, (int64_t)i, repeats);
	}
	c->window = (int64_t)c->n_commits;
}

struct cell {
	const struct noise_model *model;
	enum design design;
	enum stage stage;
	size_t repeats, n_commits;
	double size;
};

struct score {
	size_t histories, exact, near, alarms, fresh_runs;
};

static struct pe_changepoints find(const struct campaign *c, const struct cell *cell,
				   struct pe_arena *arena)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_readings readings = {c->readings.data, c->readings.n, c->n_commits};

	opts.unlinked = cell->design == SEQUENCE ? PE_UNLINKED_ALONG : PE_UNLINKED_APART;
	if (cell->stage == CONFIRMED)
		opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	return pe_changepoints_find(&readings, &opts, arena);
}

/* A session of its own, on a machine that is a little faster or slower that day. */
static void begin_session(struct campaign *c, size_t slots)
{
	c->machine = noise_machine_begin(c->machine.model, slots, c->machine.random);
	c->day = .02 * pe_random_normal(c->machine.random);
}

static bool confirm(struct campaign *c, const struct pe_changepoints *found, size_t change)
{
	struct pe_confirm_sides sides = pe_confirm_sides(found, change);
	uint64_t seed = pe_random_next(c->machine.random);
	struct pe_confirm_opts opts = pe_confirm_opts_of(found, change, 0.005);
	struct pe_confirm state;

	begin_session(c, 2 * PE_CONFIRM_PAIRS);
	pe_confirm_begin(&state, found->at[change].strength > 0 ? 1 : -1, &opts);
	for (size_t k = 0; pe_confirm_needed(&state) > 0; k++) {
		struct pe_confirm_pair pair = pe_confirm_pair(&sides, k, seed);
		double first = one_run(c, pair.right_first ? pair.right : pair.left);
		double second = one_run(c, pair.right_first ? pair.left : pair.right);

		pe_confirm_feed(&state, pair.right_first ? second : first,
				pair.right_first ? first : second);
		c->fresh_runs += 2;
	}
	return state.answer == PE_CONFIRMED;
}

/* Where a change is after its neighbourhood was measured again, or where it was. */
static size_t pin(struct campaign *c, const struct pe_changepoints *found, size_t change,
		  struct pe_arena *arena)
{
	enum { TIMES = 4, ROUNDS_EACH = 8 };
	struct pe_pin_opts opts = {found->at[change].strength > 0 ? 1 : -1, found->jitter, 0.95};
	struct pe_pin_commits around = pe_pin_remeasure(found, change, opts.sure, arena);
	size_t index = found->at[change].index;

	for (int time = 0; time < TIMES && around.n > 0; time++) {
		struct pe_pin_refined refined;

		begin_session(c, around.n * ROUNDS_EACH);
		take_rounds(c, around.commit, around.n, c->window++, ROUNDS_EACH);
		c->fresh_runs += around.n * ROUNDS_EACH;
		refined = pe_pin_refine(
			&(struct pe_readings){c->readings.data, c->readings.n, c->n_commits},
			&around, &opts, arena);
		if (refined.index == PE_NO_COMPONENT)
			break;
		index = refined.index;
		around = refined.again;
	}
	return index;
}

static void judge(struct score *score, struct campaign *c, const struct cell *cell, size_t step,
		  struct pe_arena *arena)
{
	struct pe_changepoints found = find(c, cell, arena);
	bool exact = false, near = false;

	for (size_t i = 0; i < found.n; i++) {
		size_t at = found.at[i].index, off;

		if (cell->stage == CONFIRMED) {
			if (!confirm(c, &found, i))
				continue;
			at = pin(c, &found, i, arena);
		}
		off = at > step ? at - step : step - at;
		exact |= cell->size > 0 && off == 0;
		near |= cell->size > 0 && off <= 1;
		score->alarms += cell->size <= 0 || off > 3;
	}
	score->histories++;
	score->exact += exact;
	score->near += near;
	score->fresh_runs += c->fresh_runs;
}

static void simulate(struct score *score, const struct cell *cell, struct pe_random *random)
{
	struct pe_arena arena = PE_ARENA_INIT;
	size_t n = cell->n_commits, edge = n >= 10 ? n / 10 : 1;
	size_t step = edge + pe_random_below(random, n - 2 * edge + (n < 10)),
	       slots = n * cell->repeats;
	double jump = pe_random_below(random, 2) != 0 ? log1p(cell->size) : -log1p(cell->size);
	struct campaign c = {.n_commits = n, .level = pe_arena_new(&arena, double, n)};

	for (size_t i = 0; i < n; i++)
		c.level[i] =
			cell->model->layout_sd * pe_random_normal(random) + (i >= step ? jump : 0);
	c.machine = noise_machine_begin(cell->model, cell->design == ARRIVING ? 5 * slots : slots,
					random);
	measure(&c, cell->design, cell->repeats, &arena);
	judge(score, &c, cell, step, &arena);
	pe_vec_release(&c.readings);
	pe_arena_release(&arena);
}

struct request {
	size_t histories, repeats, n_commits;
	uint64_t seed;
	const char *model, *design, *stage;
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
	printf("%-9s %-8s %3zu  %-9s %6.2f %6.2f ", designs[cell.design], cell.model->name,
	       cell.repeats, stages[cell.stage], 1000. * (double)scores[0].alarms / gaps,
	       1000. * (double)alarms / (N_SIZES * gaps));
	for (size_t s = 1; s < N_SIZES; s++)
		printf("  %5.3f/%5.3f", share(scores[s].exact, asked->histories),
		       share(scores[s].near, asked->histories));
	printf("  %6.1f %6.1f\n", share(scores[0].fresh_runs, asked->histories),
	       share(scores[3].fresh_runs, asked->histories));
	fflush(stdout);
}

static bool wanted(const char *asked, const char *name)
{
	return asked == NULL || strcmp(asked, name) == 0;
}

static void print_rows(const struct request *asked)
{
	static const size_t repeats[] = {25, 10, 5};

	for (size_t i = 0; i < (size_t)N_DESIGNS * N_NOISE_MODELS * 3 * N_STAGES; i++) {
		struct cell cell = {&noise_models[i / (3 * N_STAGES) % N_NOISE_MODELS],
				    (enum design)(i / (3 * N_STAGES * N_NOISE_MODELS)),
				    (enum stage)(i % N_STAGES),
				    repeats[i / N_STAGES % 3],
				    asked->n_commits,
				    0};

		if (wanted(asked->design, designs[cell.design]) &&
		    wanted(asked->model, cell.model->name) &&
		    wanted(asked->stage, stages[cell.stage]) &&
		    (asked->repeats == 0 || asked->repeats == cell.repeats))
			print_row(cell, asked);
	}
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
		else if (strcmp(argv[i], "--stage") == 0)
			r->stage = value;
		else
			return false;
	}
	return r->histories > 0 && r->n_commits > 1;
}

int main(int argc, char **argv)
{
	struct request asked = {200, 0, 100, 1, NULL, NULL, NULL};

	if (!read_request(&asked, argc, argv)) {
		fprintf(stderr,
			"usage: %s [--histories N] [--commits N] [--seed S] [--model NAME] "
			"[--repeats 25|10|5] [--design rounds|sequence|arriving] "
			"[--stage search|confirmed]\n",
			argv[0]);
		return 129;
	}
	printf("%zu histories of %zu commits a cell. False alarms per 1000 commits: without any "
	       "step / over all cells.\nFound: exactly / within one commit. Runs of the second "
	       "stage: without a step / with one of 5 %%.\n"
	       "%-9s %-8s %3s  %-9s %6s %6s   %11s  %11s  %11s  %11s  %6s %6s\n",
	       asked.histories, asked.n_commits, "design", "noise", "R", "stage", "FA", "FA all",
	       "1 %", "2 %", "5 %", "10 %", "none", "5 %");
	print_rows(&asked);
	return 0;
}
