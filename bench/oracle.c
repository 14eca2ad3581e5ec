#include "bench/oracle.h"

#include "core/stats/order.h"

#include <math.h>

/* Readings by build, without what the machine added to each. */
static struct pe_samples without_machine(const struct campaign *c, struct pe_arena *arena)
{
	size_t *start = pe_arena_new(arena, size_t, c->n_commits + 1), n = 0;
	double *value = pe_arena_new(arena, double, c->readings.n);

	for (size_t b = 0; b < c->n_commits; b++) {
		for (size_t i = 0; i < c->readings.n; i++)
			if (c->readings.data[i].commit == b)
				value[n++] = log(c->readings.data[i].value) - c->moments.data[i];
		start[b + 1] = n;
		pe_order_sort(value + start[b], n - start[b]);
	}
	return (struct pe_samples){value, start, c->n_commits};
}

void oracle_find(bool *is_step, const struct campaign *c, const struct noise_model *m,
		 const struct pe_staircase_steps *steps, struct pe_arena *arena)
{
	enum { FINE = 6 };
	struct pe_run_shape shape = {m->run_sd,
				     m->run_skew,
				     m->mode_chance,
				     m->mode_size,
				     m->outlier_chance * (1 - m->fast_outliers),
				     m->outlier_chance * m->fast_outliers,
				     m->outlier_mean,
				     0};
	struct pe_run_law law = pe_run_law_of(&shape, FINE, 1 + 8 * m->outlier_mean, arena);
	struct pe_staircase stairs = {without_machine(c, arena), m->layout_sd, NULL};

	pe_staircase_find(is_step, pe_staircase_model_of(&stairs, &law, steps, arena));
}
