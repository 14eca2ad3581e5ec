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
	size_t *revision = pe_arena_new(out->app->arena, size_t, out->n);
	int rc;

	for (size_t i = 0; i < out->n; i++)
		run->weights[i] = 1;
	if (out->n <= STEP)
		return PE_OK;
	for (size_t i = 0; i < out->n; i++)
		revision[i] = run->first + i;
	rc = pe_prior_weigh(run->weights, &out->prior, &run->session, revision, out->n);
	pe_bisect_temper(run->weights, out->n, PE_BISECT_TRUST);
	return rc;
}

int pe_bisect_run_weigh(struct pe_bisect_run *run)
{
	const struct pe_bisecting_count *count = &run->out->count;
	int rc;

	run->weights = pe_arena_new(run->out->app->arena, double, run->out->n);
	rc = weigh_methods(run);
	if (rc == PE_OK)
		rc = pe_bisect_run_counts(run);
	/* Alike, and all of them as much as is believed: each takes its part of those before it. */
	for (size_t k = 0; rc == PE_OK && k < count->n_groups; k++) {
		double each = PE_BISECT_TRUST / (double)count->n_groups;

		pe_bisect_suppose(run->weights, run->out->n, count->groups[k].first,
				  count->groups[k].last,
				  each / (1 - each * (double)(count->n_groups - 1 - k)));
	}
	if (rc == PE_OK)
		pe_bisect_run_feed_all(run);
	return rc;
}
