#include "bench/campaign.h"

#include "core/stats/confirm.h"
#include "core/stats/pin.h"

#include <math.h>

struct campaign campaign_begin(const struct noise_model *model, size_t n_commits, size_t slots,
			       struct pe_random *random, struct pe_arena *arena)
{
	struct campaign c = {.n_commits = n_commits,
			     .level = pe_arena_new(arena, double, n_commits)};

	for (size_t i = 0; i < n_commits; i++)
		c.level[i] = model->layout_sd * pe_random_normal(random);
	c.machine = noise_machine_begin(model, slots, random);
	c.batch = (int64_t)n_commits;
	return c;
}

void campaign_release(struct campaign *c)
{
	pe_vec_release(&c->readings);
	pe_vec_release(&c->moments);
}

void campaign_step(struct campaign *c, size_t commit, double size)
{
	double jump = log1p(size);

	if (pe_random_below(c->machine.random, 2) == 0)
		jump = -jump;
	for (size_t i = commit; i < c->n_commits; i++)
		c->level[i] += jump;
}

void campaign_new_day(struct campaign *c, size_t slots)
{
	c->machine = noise_machine_begin(c->machine.model, slots, c->machine.random);
	c->day = .02 * pe_random_normal(c->machine.random);
}

double campaign_run(struct campaign *c, size_t commit)
{
	c->runs++;
	return exp(c->level[commit] + c->day + noise_run(&c->machine));
}

void campaign_take(struct campaign *c, size_t commit, int64_t batch, size_t round)
{
	double value = campaign_run(c, commit);

	pe_vec_push(&c->readings, (struct pe_reading){commit, batch, (unsigned)round, value});
	pe_vec_push(&c->moments, c->day + c->machine.moment);
}

void campaign_take_rounds(struct campaign *c, size_t *commits, size_t n, int64_t batch,
			  size_t rounds)
{
	for (size_t r = 0; r < rounds; r++) {
		pe_random_shuffle(c->machine.random, commits, n);
		for (size_t i = 0; i < n; i++)
			campaign_take(c, commits[i], batch, r);
	}
}

struct pe_readings campaign_readings(const struct campaign *c)
{
	return (struct pe_readings){c->readings.data, c->readings.n, c->n_commits};
}

bool campaign_confirm(struct campaign *c, const struct pe_changepoints *found, size_t change)
{
	struct pe_confirm_sides sides = pe_confirm_sides(found, change);
	uint64_t seed = pe_random_next(c->machine.random);
	struct pe_confirm_opts opts = pe_confirm_opts_of(found, change, &sides, 0.005);
	struct pe_confirm state;

	campaign_new_day(c, 2 * PE_CONFIRM_PAIRS);
	pe_confirm_begin(&state, found->at[change].strength > 0 ? 1 : -1, &opts);
	for (size_t k = 0; pe_confirm_needed(&state) > 0; k++) {
		struct pe_confirm_pair pair = pe_confirm_pair(&sides, k, seed);
		double first = campaign_run(c, pair.right_first ? pair.right : pair.left);
		double second = campaign_run(c, pair.right_first ? pair.left : pair.right);

		pe_confirm_feed(&state, pair.right_first ? second : first,
				pair.right_first ? first : second);
	}
	return state.answer == PE_CONFIRMED;
}

size_t campaign_pin(struct campaign *c, const struct pe_changepoints *found, size_t change)
{
	enum { TIMES = 4, ROUNDS_EACH = 8 };
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_pin_opts opts = {found->at[change].strength > 0 ? 1 : -1, found->jitter, 0.95};
	struct pe_pin_commits around = pe_pin_remeasure(found, change, opts.sure, &arena);
	size_t index = found->at[change].index;

	for (int time = 0; time < TIMES && around.n > 0; time++) {
		struct pe_readings readings;
		struct pe_pin_refined refined;

		campaign_new_day(c, around.n * ROUNDS_EACH);
		campaign_take_rounds(c, around.commit, around.n, c->batch++, ROUNDS_EACH);
		readings = campaign_readings(c);
		refined = pe_pin_refine(&readings, &around, &opts, &arena);
		if (refined.index == PE_NO_COMPONENT)
			break;
		index = refined.index;
		around = refined.again;
	}
	pe_arena_release(&arena);
	return index;
}
