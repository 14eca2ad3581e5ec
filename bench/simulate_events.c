/*
 * How many events is one cause? Suites of benchmarks over a history in which a few commits each move some of them:
 * by steps of 3 to 30 %, one size a cause and a factor of 0.5 to 1.5 a benchmark, one benchmark in ten the other way.
 * All runs of a round of one commit share the machine: one process after the other, in a batch. Every series is
 * searched as `track` searches it, and the jumps that are found are shared out among causes (core/stats/events.h).
 *
 *	simulate_events [--suites N] [--benchmarks N] [--commits N] [--causes N] [--most N] [--repeats R] [--seed S]
 *			[--model NAME] [--gap N] [--places 0|1]
 *
 * --gap N puts causes in pairs, N commits apart. --places 1: how many jumps the search is how sure of, and how many of
 * those are where it put them.
 *
 * Printed are events a cause, of causes with a jump that was found; the share of suites with more than 1.2 a cause;
 * causes that nothing was found of; and causes that are *hidden*: jumps of theirs were found, but no event of their own
 * has one of these and the cause's commit among its 95 %. An event is one cause's own at most, so that two causes in one
 * event leave one hidden. *Mixed*: causes that are not hidden, but the most of no such event. *Named*: those with an event
 * of their own at their very commit. *False* are events of nothing but jumps without a cause.
 */
#include "bench/noise.h"
#include "bench/options.h"
#include "core/base/vec.h"
#include "core/stats/changepoint.h"
#include "core/stats/events.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	size_t suites, benchmarks, commits, causes, most, repeats, gap;
	uint64_t seed;
	const char *model;
	bool places;
};

struct cause {
	size_t commit;
	bool *moves; /* one a benchmark */
};

/* One suite and its history. */
struct suite {
	const struct request *asked;
	const struct noise_model *model;
	struct pe_random random;
	struct pe_arena arena;
	struct cause *causes;
	double *level;  /* by benchmark and commit, in logarithms */
	double *common; /* by round and commit: what the machine adds to all */
	PE_VEC(struct pe_event) jumps;
	PE_VEC(size_t) benchmarks; /* one a jump */
	PE_VEC(int) of_cause;      /* one a jump; -1: none */
};

/* What the search is sure of to as much and more, up to the next. */
static const double sureness[] = {0, .5, .6, .7, .8, .95, .99};

enum { N_SURENESS = sizeof(sureness) / sizeof(*sureness) };

struct score {
	size_t placed[N_SURENESS], right[N_SURENESS];
	size_t causes, unseen, hidden, mixed, events, false_events, over, found, jumps, named;
};

/* --- The truth --- */

static bool is_taken(const struct suite *suite, size_t n, size_t commit)
{
	for (size_t i = 0; i < n; i++)
		if (suite->causes[i].commit == commit)
			return true;
	return false;
}

static void choose_commits(struct suite *suite)
{
	const struct request *asked = suite->asked;

	for (size_t i = 0; i < asked->causes; i++) {
		struct cause *cause = &suite->causes[i];

		do {
			cause->commit = 5 + pe_random_below(&suite->random, asked->commits - 10);
			if (asked->gap > 0 && i % 2 == 1)
				cause->commit = suite->causes[i - 1].commit + asked->gap;
		} while (is_taken(suite, i, cause->commit) && (asked->gap == 0 || i % 2 == 0));
	}
}

/* The numbers of benchmarks that a cause moves are even in their logarithm: 1 is as likely as 50 to 100. */
static void move(struct suite *suite, struct cause *cause)
{
	const struct request *asked = suite->asked;
	size_t n = (size_t)exp(pe_random_unit(&suite->random) * log((double)asked->most + 1));
	const double size = .03 * pow(10, pe_random_unit(&suite->random));
	const bool up = pe_random_below(&suite->random, 2) != 0;

	cause->moves = pe_arena_new(&suite->arena, bool, asked->benchmarks);
	for (n = n < 1 ? 1 : n; n > 0; n--) {
		const size_t b = pe_random_below(&suite->random, asked->benchmarks);
		double step = log1p(size * (.5 + pe_random_unit(&suite->random)));

		if (cause->moves[b])
			continue;
		cause->moves[b] = true;
		if (up == (pe_random_below(&suite->random, 10) == 0))
			step = -step;
		for (size_t c = cause->commit; c < asked->commits; c++)
			suite->level[b * asked->commits + c] += step;
	}
}

static void make(struct suite *suite)
{
	const struct request *asked = suite->asked;

	suite->causes = pe_arena_new(&suite->arena, struct cause, asked->causes);
	suite->level = pe_arena_new(&suite->arena, double, asked->benchmarks * asked->commits);
	for (size_t i = 0; i < asked->benchmarks * asked->commits; i++)
		suite->level[i] = suite->model->layout_sd * pe_random_normal(&suite->random);
	choose_commits(suite);
	for (size_t i = 0; i < asked->causes; i++)
		move(suite, &suite->causes[i]);
}

/* --- Measuring --- */

/* The machine at each (round, commit): a process runs all benchmarks of the suite there. */
static void run_machine(struct suite *suite)
{
	const struct request *asked = suite->asked;
	const size_t slots = asked->commits * asked->repeats;
	struct noise_machine machine = noise_machine_begin(suite->model, slots, &suite->random);
	size_t *order = pe_arena_new(&suite->arena, size_t, asked->commits);

	suite->common = pe_arena_new(&suite->arena, double, slots);
	for (size_t c = 0; c < asked->commits; c++)
		order[c] = c;
	for (size_t r = 0; r < asked->repeats; r++) {
		pe_random_shuffle(&suite->random, order, asked->commits);
		for (size_t i = 0; i < asked->commits; i++) {
			noise_run(&machine);
			suite->common[r * asked->commits + order[i]] = machine.moment;
		}
	}
}

static struct pe_readings measure(struct suite *suite, size_t b, struct pe_arena *arena)
{
	const struct request *asked = suite->asked;
	const size_t slots = asked->commits * asked->repeats;
	struct pe_reading *at = pe_arena_new(arena, struct pe_reading, slots);
	struct noise_model still = *suite->model;
	struct noise_machine own;

	still.machine_sd = still.walk_sd = still.step_chance = still.burst_chance = 0;
	own = noise_machine_begin(&still, slots, &suite->random);
	for (size_t i = 0; i < slots; i++) {
		const size_t commit = i % asked->commits;
		const double value = suite->level[b * asked->commits + commit] + suite->common[i] +
				     noise_run(&own);

		at[i] = (struct pe_reading){commit, 1, (unsigned)(i / asked->commits),
					    1e6 * exp(value)};
	}
	return (struct pe_readings){at, slots, asked->commits};
}

/* The cause that a jump comes from: the nearest that moves its benchmark, at most ten commits off. */
static int cause_of(const struct suite *suite, size_t benchmark, size_t commit)
{
	size_t nearest = 11;
	int of = -1;

	for (size_t i = 0; i < suite->asked->causes; i++) {
		const size_t its = suite->causes[i].commit;
		const size_t apart = its > commit ? its - commit : commit - its;

		if (!suite->causes[i].moves[benchmark] || apart >= nearest)
			continue;
		nearest = apart;
		of = (int)i;
	}
	return of;
}

static void search(struct suite *suite, size_t b)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct pe_readings readings = measure(suite, b, &arena);
	struct pe_changepoints found;

	opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	found = pe_changepoints_find(&readings, &opts, &arena);
	for (size_t i = 0; i < found.n; i++) {
		const struct pe_changepoint *at = &found.at[i];

		pe_vec_push(&suite->jumps, (struct pe_event){.commit = at->index,
							     .from = at->index,
							     .first = at->first,
							     .last = at->last,
							     .sure = at->sure});
		pe_vec_push(&suite->benchmarks, b);
		pe_vec_push(&suite->of_cause, cause_of(suite, b, at->index));
	}
}

/* What came of a suite: which events may stand for which causes, and jumps of each in them. */
struct outcome {
	const struct suite *suite;
	struct pe_events events;
	size_t *count;      /* by event: of no cause, and of each */
	size_t *stands_for; /* by event; SIZE_MAX: for none */
};

static struct outcome look(struct suite *suite)
{
	const struct request *asked = suite->asked;
	const struct pe_events_opts opts = {NULL, asked->commits, NULL, NULL};
	struct outcome out = {.suite = suite};

	out.events = pe_events_find(suite->jumps.data, suite->benchmarks.data, suite->jumps.n,
				    &opts, &suite->arena);
	out.count = pe_arena_new(&suite->arena, size_t, out.events.n * (asked->causes + 1));
	out.stands_for = pe_arena_new(&suite->arena, size_t, out.events.n);
	for (size_t i = 0; i < suite->jumps.n; i++)
		out.count[out.events.event_of[i] * (asked->causes + 1) +
			  (size_t)(suite->of_cause.data[i] + 1)]++;
	return out;
}

static size_t jumps_of(const struct outcome *outcome, size_t event, size_t cause)
{
	return outcome->count[event * (outcome->suite->asked->causes + 1) + cause + 1];
}

/* Whether an event has a jump of a cause, and its commit: the likeliest one, or any of the 95 %. */
static bool tells(const struct outcome *outcome, size_t event, size_t cause, bool exactly)
{
	const struct pe_event *at = &outcome->events.at[event];
	const size_t commit = outcome->suite->causes[cause].commit;

	return jumps_of(outcome, event, cause) > 0 &&
	       (exactly ? commit == at->commit : commit >= at->first && commit <= at->last);
}

/* Find an event for a cause, if need be by finding another for the one that has it (Kuhn's augmenting paths). */
static bool find_event(struct outcome *outcome, size_t cause, bool exactly, bool *tried)
{
	for (size_t e = 0; e < outcome->events.n; e++) {
		if (tried[e] || !tells(outcome, e, cause, exactly))
			continue;
		tried[e] = true;
		if (outcome->stands_for[e] != SIZE_MAX &&
		    !find_event(outcome, outcome->stands_for[e], exactly, tried))
			continue;
		outcome->stands_for[e] = cause;
		return true;
	}
	return false;
}

/* Give as many causes as can be an event of their own. */
static void give_events(bool *has, struct outcome *outcome, bool exactly)
{
	const size_t n = outcome->events.n;
	pe_auto_free bool *tried = pe_realloc(NULL, n + 1, sizeof(*tried));

	for (size_t e = 0; e < n; e++)
		outcome->stands_for[e] = SIZE_MAX;
	for (size_t k = 0; k < outcome->suite->asked->causes; k++) {
		memset(tried, 0, (n + 1) * sizeof(*tried));
		has[k] = find_event(outcome, k, exactly, tried);
	}
}

/* Whether a cause has more jumps than any other in an event that tells of it. */
static bool is_most(const struct outcome *outcome, size_t cause)
{
	for (size_t e = 0; e < outcome->events.n; e++) {
		bool most = tells(outcome, e, cause, false);

		for (size_t k = 0; most && k < outcome->suite->asked->causes; k++)
			most = jumps_of(outcome, e, k) <= jumps_of(outcome, e, cause);
		if (most)
			return true;
	}
	return false;
}

static void count_places(struct score *score, const struct suite *suite)
{
	for (size_t i = 0; i < suite->jumps.n; i++) {
		const struct pe_event *jump = &suite->jumps.data[i];
		const int k = suite->of_cause.data[i];
		size_t bin = 0;

		while (bin + 1 < N_SURENESS && jump->sure >= sureness[bin + 1])
			bin++;
		score->placed[bin] += k >= 0;
		score->right[bin] += k >= 0 && suite->causes[k].commit == jump->commit;
	}
}

static void judge(struct score *score, struct suite *suite)
{
	const size_t n_causes = suite->asked->causes;
	struct outcome outcome = look(suite);
	bool *shown = pe_arena_new(&suite->arena, bool, n_causes);
	bool *named = pe_arena_new(&suite->arena, bool, n_causes);
	size_t seen = 0, real = 0;

	give_events(named, &outcome, true);
	give_events(shown, &outcome, false);
	for (size_t k = 0; k < n_causes; k++) {
		bool any = false;

		for (size_t e = 0; e < outcome.events.n; e++)
			any = any || jumps_of(&outcome, e, k) > 0;
		seen += any;
		score->named += named[k];
		score->hidden += any && !shown[k];
		score->mixed += shown[k] && !is_most(&outcome, k);
	}
	for (size_t e = 0; e < outcome.events.n; e++) {
		bool any = false;

		for (size_t k = 0; k < n_causes; k++)
			any = any || jumps_of(&outcome, e, k) > 0;
		real += any;
	}
	count_places(score, suite);
	score->jumps += suite->jumps.n;
	score->causes += n_causes;
	score->unseen += n_causes - seen;
	score->found += seen;
	score->events += real;
	score->false_events += outcome.events.n - real;
	score->over += (double)real > 1.2 * (double)seen;
}

static void simulate(struct score *score, const struct noise_model *model,
		     const struct request *asked, uint64_t seed)
{
	struct suite suite = {.asked = asked, .model = model, .arena = PE_ARENA_INIT};

	pe_random_seed(&suite.random, seed);
	make(&suite);
	run_machine(&suite);
	for (size_t b = 0; b < asked->benchmarks; b++)
		search(&suite, b);
	judge(score, &suite);
	pe_vec_release(&suite.jumps);
	pe_vec_release(&suite.benchmarks);
	pe_vec_release(&suite.of_cause);
	pe_arena_release(&suite.arena);
}

static void print_row(const struct noise_model *model, const struct request *asked)
{
	struct score s = {0};

	for (size_t i = 0; i < asked->suites; i++)
		simulate(&s, model, asked, asked->seed + 1000003 * i);
	printf("%-8s %8zu %8zu %6zu %7zu %10.3f %6zu %7zu %6zu %6zu %9.3f\n", model->name, s.causes,
	       s.jumps, s.unseen, s.events, (double)s.events / (double)s.found, s.over, s.hidden,
	       s.mixed, s.false_events, (double)s.named / (double)s.found);
	for (size_t i = 0; asked->places && i < N_SURENESS; i++)
		printf("  sure to %.2f: %zu of %zu\n", sureness[i], s.right[i], s.placed[i]);
	fflush(stdout);
}

static bool read_request(struct request *r, int argc, char **argv)
{
	const struct option options[] = {
		{"suites", OPTION_COUNT, &r->suites},
		{"benchmarks", OPTION_COUNT, &r->benchmarks},
		{"commits", OPTION_COUNT, &r->commits},
		{"causes", OPTION_COUNT, &r->causes},
		{"most", OPTION_COUNT, &r->most},
		{"repeats", OPTION_COUNT, &r->repeats},
		{"gap", OPTION_COUNT, &r->gap},
		{"seed", OPTION_SEED, &r->seed},
		{"places", OPTION_FLAG, &r->places},
		{"model", OPTION_TEXT, &r->model},
	};

	return OPTIONS_READ(options, argc, argv) && r->suites > 0 && r->commits >= 40 &&
	       r->repeats > 0 && r->causes > 0 && r->most <= r->benchmarks && r->gap <= 10;
}

int main(int argc, char **argv)
{
	struct request asked = {.suites = 20,
				.benchmarks = 300,
				.commits = 100,
				.causes = 5,
				.most = 100,
				.repeats = 10,
				.seed = 1};

	if (!read_request(&asked, argc, argv))
		return 129;
	printf("%zu suites of %zu benchmarks, %zu commits, %zu causes of 1 to %zu benchmarks\n"
	       "%-8s %8s %8s %6s %7s %10s %6s %7s %6s %6s %9s\n",
	       asked.suites, asked.benchmarks, asked.commits, asked.causes, asked.most, "noise",
	       "causes", "jumps", "unseen", "events", "a cause", "> 1.2", "hidden", "mixed",
	       "false", "named");
	for (size_t m = 0; m < N_NOISE_MODELS; m++)
		if (asked.model == NULL || strcmp(asked.model, noise_models[m].name) == 0)
			print_row(&noise_models[m], &asked);
	return 0;
}
