/*
 * What a bisection expects before it measures between the ends: a commit that changed methods that the benchmark
 * executes is likelier than one that changed a text, and one at which a count moved is likelier than all others.
 */
#include "app/search/bisect_internal.h"

/* A step of `git bisect run` has commits in its line that do not follow each other. */
enum { STEP = 3 };

static int weigh_methods(struct pe_bisect_run *run)
{
	struct pe_bisecting *out = run->out;

	for (size_t i = 0; i < out->n; i++)
		run->weights[i] = 1;
	if (out->n <= STEP)
		return PE_OK;
	PE_TRY(pe_prior_weigh(run->weights, &out->prior, &run->session, 0));
	pe_bisect_temper(run->weights, out->n, PE_BISECT_TRUST);
	return PE_OK;
}

int pe_bisect_run_weigh(struct pe_bisect_run *run)
{
	const struct pe_bisecting_count *count = &run->out->count;

	run->weights = pe_arena_new(run->out->app->arena, double, run->out->n);
	PE_TRY(weigh_methods(run));
	PE_TRY(pe_bisect_run_counts(run));
	/* Alike, and all of them as much as is believed: each takes its part of those before it. */
	for (size_t k = 0; k < count->n_groups; k++) {
		double each = PE_BISECT_TRUST / (double)count->n_groups;

		pe_bisect_suppose(run->weights, run->out->n, count->groups[k].first,
				  count->groups[k].last,
				  each / (1 - each * (double)(count->n_groups - 1 - k)));
	}
	pe_bisect_run_feed_all(run);
	return PE_OK;
}
