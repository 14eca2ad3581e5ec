/*
 * How good is the judge night by night? Each new commit is measured in rounds with its two predecessors and the two
 * oldest commits as references, in a session of its own, on a machine that is by chance a few percent slower or faster
 * that day. After each night the whole is searched, and suspects that were not judged before are confirmed by
 * fresh pairs and pinned; one that was refuted is asked about again when it has become half as strong again.
 *
 *	simulate_newest [--histories N] [--commits N] [--seed S] [--model NAME] [--repeats R] [--steps 0|1]
 *
 * A history has, but for the first column, one step up or down at a commit of its middle. Printed are false alarms
 * per 1000 nights (changes further than three commits from the step), without any step and over all sizes; the
 * share of steps that were reported in the end at exactly the right commit, and of those reported in the night of
 * their commit; suspects and runs of confirming and pinning a night without any step.
 */
#include "bench/campaign.h"
#include "bench/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double sizes[] = {0, .02, .05, .10};
#define N_SIZES    (sizeof(sizes) / sizeof(*sizes))
#define FIRST      4 /* the first commit with two references and two predecessors */
#define TO_MEASURE 5

struct request {
	size_t histories, n_commits, repeats;
	uint64_t seed;
	const char *model;
	bool steps; /* false: only histories without one */
};

struct score {
	size_t alarms, exact, at_once, suspects, fresh_runs;
};

/* A suspect that was judged. */
struct verdict {
	size_t index;
	bool up, confirmed;
	double strength;
};

struct night {
	struct campaign *c;
	PE_VEC(struct verdict) verdicts;
	size_t step; /* SIZE_MAX: none */
	struct score *score;
};

/* Was it judged before, and needs no other answer? */
static bool is_settled(const struct night *night, const struct pe_changepoint *at)
{
	for (size_t i = 0; i < night->verdicts.n; i++) {
		const struct verdict *v = &night->verdicts.data[i];
		bool same = v->index + 1 >= at->first && v->index <= at->last + 1 &&
			    v->up == (at->strength > 0);

		if (same && (v->confirmed || fabs(at->strength) < 1.5 * v->strength))
			return true;
	}
	return false;
}

static void judge(struct night *night, const struct pe_changepoints *found, size_t change,
		  size_t newest)
{
	const struct pe_changepoint *at = &found->at[change];
	struct verdict verdict = {at->index, at->strength > 0,
				  campaign_confirm(night->c, found, change), fabs(at->strength)};

	night->score->suspects++;
	if (verdict.confirmed) {
		verdict.index = campaign_pin(night->c, found, change);
		if (night->step == SIZE_MAX || verdict.index + 3 < night->step ||
		    verdict.index > night->step + 3)
			night->score->alarms++;
		night->score->exact += verdict.index == night->step;
		night->score->at_once += verdict.index == night->step && newest == night->step;
	}
	pe_vec_push(&night->verdicts, verdict);
}

static void pass(struct night *night, size_t newest, size_t repeats)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	size_t together[TO_MEASURE] = {0, 1, newest - 2, newest - 1, newest};
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_readings readings;
	struct pe_changepoints found;

	campaign_new_day(night->c, TO_MEASURE * repeats);
	campaign_take_rounds(night->c, together, TO_MEASURE, night->c->batch++, repeats);
	readings = campaign_readings(night->c);
	readings.n_commits = newest + 1;
	opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	found = pe_changepoints_find(&readings, &opts, &arena);
	for (size_t i = 0; i < found.n; i++)
		if (!is_settled(night, &found.at[i]))
			judge(night, &found, i, newest);
	pe_arena_release(&arena);
}

static void simulate(struct score *score, const struct noise_model *model, double size,
		     const struct request *asked, uint64_t seed)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct night night = {.step = SIZE_MAX, .score = score};
	struct pe_random random;
	struct campaign c;
	size_t nights = asked->n_commits - FIRST;

	pe_random_seed(&random, seed);
	c = campaign_begin(model, asked->n_commits, 1, &random, &arena);
	night.c = &c;
	if (size > 0) {
		night.step = FIRST + nights / 4 + pe_random_below(&random, nights / 2);
		campaign_step(&c, night.step, size);
	}
	for (size_t newest = FIRST; newest < asked->n_commits; newest++)
		pass(&night, newest, asked->repeats);
	score->fresh_runs += c.runs - nights * TO_MEASURE * asked->repeats;
	pe_vec_release(&night.verdicts);
	campaign_release(&c);
	pe_arena_release(&arena);
}

static void print_row(const struct noise_model *model, const struct request *asked)
{
	struct score scores[N_SIZES] = {{0, 0, 0, 0, 0}};
	double n = (double)asked->histories, nights = n * (double)(asked->n_commits - FIRST);
	size_t alarms = 0;

	for (size_t s = 0; s < (asked->steps ? N_SIZES : 1); s++) {
		for (size_t h = 0; h < asked->histories; h++)
			simulate(&scores[s], model, sizes[s], asked,
				 asked->seed + 1000003 * h + 97 * s);
		alarms += scores[s].alarms;
	}
	printf("%-8s %3zu  %5.2f %5.2f ", model->name, asked->repeats,
	       1000. * (double)scores[0].alarms / nights,
	       1000. * (double)alarms / ((asked->steps ? N_SIZES : 1) * nights));
	for (size_t s = 1; s < N_SIZES; s++)
		printf("  %5.3f/%5.3f", (double)scores[s].exact / n, (double)scores[s].at_once / n);
	printf("  %6.3f %6.2f\n", (double)scores[0].suspects / nights,
	       (double)scores[0].fresh_runs / nights);
	fflush(stdout);
}

static bool read_request(struct request *r, int argc, char **argv)
{
	const struct option options[] = {
		{"histories", OPTION_COUNT, &r->histories},
		{"commits", OPTION_COUNT, &r->n_commits},
		{"repeats", OPTION_COUNT, &r->repeats},
		{"seed", OPTION_SEED, &r->seed},
		{"model", OPTION_TEXT, &r->model},
		{"steps", OPTION_FLAG, &r->steps},
	};

	return OPTIONS_READ(options, argc, argv) && r->histories > 0 && r->n_commits >= 12 &&
	       r->repeats > 0;
}

int main(int argc, char **argv)
{
	struct request asked = {200, 40, 10, 1, NULL, true};

	if (!read_request(&asked, argc, argv))
		return 129;
	printf("%zu histories of %zu commits, one more a night. False alarms per 1000 nights: "
	       "without any "
	       "step / over all. Found in the end / in the night of the commit.\n"
	       "%-8s %3s  %5s %5s   %11s  %11s  %11s  %6s %6s\n",
	       asked.histories, asked.n_commits, "noise", "R", "FA", "all", "2 %", "5 %", "10 %",
	       "susp.", "runs");
	for (size_t m = 0; m < N_NOISE_MODELS; m++)
		if (asked.model == NULL || strcmp(asked.model, noise_models[m].name) == 0)
			print_row(&noise_models[m], &asked);
	return 0;
}
