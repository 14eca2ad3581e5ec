#include "bench/noise.h"

#include <math.h>
#include <stdint.h>

const struct noise_model noise_models[N_NOISE_MODELS] = {
	{"quiet", .005, .6, .02, .10, .001, 200, 0, 1, 0, 0, 0, .001, 0, 0, 0, 0},
	{"laptop", .016, .8, .04, .20, .007, 300, 1. / 300, 12, .08, 0, 0, .003, 0, 0, 0, 0},
	{"loaded", .025, .8, .08, .40, .010, 150, 1. / 150, 12, .20, 0, 0, .003, 0, 0, 0, 0},
	{"drift", .008, .6, .03, .15, .006, 800, 0, 1, 0, 0, 0, .002, .7, .02, .006, 0},
	{"bimodal", .007, .6, .03, .15, .004, 300, 1. / 500, 12, .08, .35, .04, .003, 0, 0, 0, 0},
};

static double exponential(struct pe_random *random, double mean)
{
	return -mean * log1p(-pe_random_unit(random));
}

struct noise_machine noise_machine_begin(const struct noise_model *model, size_t slots,
					 struct pe_random *random)
{
	struct noise_machine m = {.model = model, .random = random, .step_at = SIZE_MAX};

	m.memory = exp(-1 / model->machine_memory);
	m.state = model->machine_sd * pe_random_normal(random);
	if (pe_random_unit(random) < model->step_chance) {
		m.step_at = pe_random_below(random, slots);
		m.step = pe_random_below(random, 2) != 0 ? model->step_size : -model->step_size;
	}
	return m;
}

static double machine_next(struct noise_machine *m)
{
	const struct noise_model *p = m->model;

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

static double one_run(const struct noise_model *p, struct pe_random *random)
{
	double k2 = p->run_skew * p->run_skew;
	double body = exp(p->run_skew * pe_random_normal(random)) - exp(k2 / 2);
	double value = p->run_sd * body / sqrt((exp(k2) - 1) * exp(k2));

	if (pe_random_unit(random) < p->outlier_chance) {
		double size = exponential(random, p->outlier_mean);

		value += p->fast_outliers > 0 && pe_random_unit(random) < p->fast_outliers ? -size
											   : size;
	}
	if (pe_random_unit(random) < p->mode_chance)
		value += p->mode_size;
	return value;
}

double noise_run(struct noise_machine *machine)
{
	machine->moment = machine_next(machine);
	return machine->moment + one_run(machine->model, machine->random);
}
