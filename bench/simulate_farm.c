/*
 * How good is the judge on a farm, where each benchmark stays on a node, or moves from node to node? Nodes differ by a
 * few percent for good, drift by a thousandth from night to night, and one becomes 3 % slower in the middle. Each new commit
 * is measured in a batch with its two predecessors and the two oldest commits; suspects are confirmed by fresh pairs.
 *
 *	simulate_farm [--histories N] [--commits N] [--nodes N] [--seed S] [--model NAME]
 *	simulate_farm --plan 1       the time that dividing 200 benchmarks over 1,000 commits among 100 nodes takes
 *
 * Two benchmarks a node, one of them with a step of 2 % somewhere. Printed for one machine that stays, for `pin: node` and
 * for `pin: class`: false alarms per 1000 commits of a benchmark (changes further than three commits from the step), the
 * share of steps found within three commits, the share of histories in which the slow node was named in its first night
 * (core/stats/moved.h over its benchmarks), and how often, a night, a node was named that did not run as much as half a
 * percent slower or faster than the night before: in most models of noise a machine does so, now and then.
 */
#include "app/cluster/shard.h"
#include "bench/campaign.h"
#include "bench/options.h"
#include "core/base/text.h"
#include "core/stats/moved.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIRST = 4, TOGETHER = 5, PER_NODE = 2, MOST_NODES = 16, REPEATS = 10 };

static const double SPREAD = .05, DRIFT = .001, SLOWER = .03, STEP = .02, LEAST_MOVE = .005;

enum pin { ONE_MACHINE, PIN_NODE, PIN_CLASS, N_PINS };

struct request {
	size_t histories, n_commits, nodes;
	uint64_t seed;
	const char *model;
	bool plan;
};

struct score {
	size_t alarms, found, steps, named, misnamed, nights, commits;
};

/* One benchmark of a history. */
struct line {
	struct campaign c;
	size_t step; /* SIZE_MAX: none */
	int64_t first_of_night;
	double moved; /* what the machine did from the last night to this one */
	double night; /* how it was in this one */
};

static void measure(struct line *line, size_t newest, double shift)
{
	size_t together[TOGETHER] = {0, 1, newest - 2, newest - 1, newest};
	const double before = line->night;
	const size_t from = line->c.moments.n;

	campaign_new_day(&line->c, TOGETHER * REPEATS);
	line->c.day = shift;
	line->first_of_night = line->c.batch;
	campaign_take_rounds(&line->c, together, TOGETHER, line->c.batch++, REPEATS);
	line->night = 0;
	for (size_t i = from; i < line->c.moments.n; i++)
		line->night += line->c.moments.data[i] / (double)(line->c.moments.n - from);
	line->moved = line->night - before;
}

/* Whether a node is said to have moved, by its benchmarks of this night against the nights before; wrongly: it did not. */
static bool is_named(const struct line *lines, bool *wrongly)
{
	struct pe_readings readings[PER_NODE];
	struct pe_moved found;
	double moved = 0;

	for (size_t b = 0; b < PER_NODE; b++) {
		readings[b] = campaign_readings(&lines[b].c);
		moved += lines[b].moved / PER_NODE;
	}
	found = pe_moved_find(readings, PER_NODE, lines[0].first_of_night, NULL);
	*wrongly = found.moved && moved * (found.relative > 0 ? 1 : -1) < LEAST_MOVE;
	return found.moved;
}

static void judge(struct score *score, struct line *line)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_readings readings = campaign_readings(&line->c);
	struct pe_changepoints found;
	bool hit = false;

	opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	found = pe_changepoints_find(&readings, &opts, &arena);
	for (size_t i = 0; i < found.n; i++) {
		const size_t at = found.at[i].index;
		const bool near =
			line->step != SIZE_MAX && at + 3 >= line->step && at <= line->step + 3;

		if (!campaign_confirm(&line->c, &found, i))
			continue;
		hit |= near;
		score->alarms += !near;
	}
	score->steps += line->step != SIZE_MAX;
	score->found += hit;
	score->commits += line->c.n_commits;
}

static void simulate(struct score *score, const struct noise_model *model,
		     const struct request *asked, enum pin pin, uint64_t seed)
{
	struct line lines[MOST_NODES * PER_NODE];
	double speed[MOST_NODES];
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_random random;
	const size_t n = asked->nodes * PER_NODE, middle = asked->n_commits / 2;

	pe_random_seed(&random, seed);
	for (size_t k = 0; k < asked->nodes; k++)
		speed[k] = pin == ONE_MACHINE ? 0 : SPREAD * pe_random_normal(&random);
	for (size_t i = 0; i < n; i++) {
		lines[i] = (struct line){0};
		lines[i].c = campaign_begin(model, asked->n_commits, 1, &random, &arena);
		lines[i].step =
			i % PER_NODE == 0
				? FIRST + pe_random_below(&random, asked->n_commits - 2 * FIRST)
				: SIZE_MAX;
		if (lines[i].step != SIZE_MAX)
			campaign_step(&lines[i].c, lines[i].step, STEP);
	}
	for (size_t newest = FIRST; newest < asked->n_commits; newest++) {
		for (size_t k = 0; k < asked->nodes; k++)
			speed[k] += DRIFT * pe_random_normal(&random);
		if (newest == middle && pin != ONE_MACHINE)
			speed[0] += log1p(SLOWER);
		for (size_t i = 0; i < n; i++)
			measure(&lines[i], newest,
				speed[pin == ONE_MACHINE ? 0
				      : pin == PIN_NODE  ? i / PER_NODE
							 : pe_random_below(&random, asked->nodes)]);
		for (size_t k = 0; pin == PIN_NODE && k < asked->nodes; k++) {
			bool wrongly;
			const bool named = is_named(&lines[k * PER_NODE], &wrongly);

			score->named += named && k == 0 && newest == middle;
			score->misnamed += wrongly;
			score->nights++;
		}
	}
	for (size_t i = 0; i < n; i++) {
		judge(score, &lines[i]);
		campaign_release(&lines[i].c);
	}
}

static void print_rows(const struct noise_model *model, const struct request *asked)
{
	static const char *const names[N_PINS] = {"one machine", "pin: node", "pin: class"};

	for (enum pin pin = ONE_MACHINE; pin < N_PINS; pin++) {
		struct score score = {0};

		for (size_t h = 0; h < asked->histories; h++)
			simulate(&score, model, asked, pin, asked->seed + 1000003 * h);
		printf("%-8s %-12s %7.3f %7.3f", model->name, names[pin],
		       1000. * (double)score.alarms / (double)score.commits,
		       (double)score.found / (double)score.steps);
		if (pin == PIN_NODE)
			printf(" %7.3f %9.4f", (double)score.named / (double)asked->histories,
			       (double)score.misnamed / (double)score.nights);
		printf("\n");
		fflush(stdout);
	}
}

/* As the coordinator does: divide, and write a shard a worker. */
static void plan(void)
{
	enum { NODES = 100, COMMITS = 1000, BENCHMARKS = 200 };
	struct pe_shard_part parts[BENCHMARKS];
	pe_auto_arena arena = PE_ARENA_INIT;
	const char **ids = pe_arena_new(&arena, const char *, COMMITS);
	const char **names = pe_arena_new(&arena, const char *, BENCHMARKS);
	const clock_t since = clock();
	size_t bytes = 0, n;

	for (size_t i = 0; i < COMMITS; i++)
		ids[i] = pe_arena_printf(&arena, "%040zx", i * 2654435761u);
	for (size_t i = 0; i < BENCHMARKS; i++) {
		names[i] = pe_arena_printf(&arena, "benchmark-%zu", i);
		parts[i] = (struct pe_shard_part){.seconds = (double)(1 + i % 17)};
	}
	n = pe_shards_divide(parts, BENCHMARKS, NODES);
	for (size_t k = 0; k < n; k++) {
		pe_auto_text text = PE_TEXT_INIT;
		const char *own[BENCHMARKS];
		struct pe_shard shard = {.store = "1.db",
					 .machine = "0",
					 .recipe = "0",
					 .revisions = {ids, COMMITS},
					 .request = {.first = ids[0]}};

		for (size_t i = 0; i < BENCHMARKS; i++)
			if (parts[i].shard == k)
				own[shard.names.n++] = names[i];
		shard.names.at = shard.versions.at = own;
		shard.versions.n = shard.names.n;
		pe_shard_write(&text, &shard);
		bytes += text.len;
	}
	printf("%zu shards, %zu bytes, %.3f s of the processor\n", n, bytes,
	       (double)(clock() - since) / CLOCKS_PER_SEC);
}

int main(int argc, char **argv)
{
	struct request asked = {.histories = 100, .n_commits = 40, .nodes = 4, .seed = 1};
	const struct option options[] = {
		{"histories", OPTION_COUNT, &asked.histories},
		{"commits", OPTION_COUNT, &asked.n_commits},
		{"nodes", OPTION_COUNT, &asked.nodes},
		{"seed", OPTION_SEED, &asked.seed},
		{"model", OPTION_TEXT, &asked.model},
		{"plan", OPTION_FLAG, &asked.plan},
	};

	if (!OPTIONS_READ(options, argc, argv) || asked.histories == 0 || asked.n_commits < 12 ||
	    asked.nodes == 0 || asked.nodes > MOST_NODES)
		return 129;
	if (asked.plan) {
		plan();
		return 0;
	}
	printf("%zu histories of %zu commits, %zu nodes\n%-8s %-12s %7s %7s %7s %9s\n",
	       asked.histories, asked.n_commits, asked.nodes, "noise", "", "FA/1000", "found",
	       "named", "misnamed");
	for (size_t m = 0; m < N_NOISE_MODELS; m++)
		if (asked.model == NULL || strcmp(asked.model, noise_models[m].name) == 0)
			print_rows(&noise_models[m], &asked);
	return 0;
}
