#include "app/search/pairs.h"

#include "core/stats/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pe_pair pe_pairs_at(const struct pe_pairs *pairs, unsigned k)
{
	const struct pe_confirm_pair pair =
		pe_confirm_pair(&pairs->sides, k, pe_engine_seed(pairs->engine));

	return (struct pe_pair){pe_engine_cell(pairs->engine, pair.left, pairs->which),
				pe_engine_cell(pairs->engine, pair.right, pairs->which),
				pair.right_first};
}

bool pe_pair_test_is_open(const struct pe_pair_test *test)
{
	return !test->absent && test->confirm.answer == PE_CONFIRM_GO_ON;
}

size_t pe_pairs_needed(const struct pe_pairs *pairs, bool counted)
{
	size_t most = 0;

	for (size_t i = 0; i < pairs->n_tests; i++) {
		const struct pe_pair_test *test = &pairs->tests[i];
		const size_t n = pe_confirm_needed(&test->confirm);

		if (!test->absent && n > most &&
		    pe_benchmark_counts(pairs->benchmark, test->metric) == counted)
			most = n;
	}
	return most;
}

static void feed(struct pe_pair_test *test, const struct pe_pair *pair, unsigned k)
{
	const double left = pe_cell_value(pair->left, k, test->metric->name);
	const double right = pe_cell_value(pair->right, k, test->metric->name);

	if (isfinite(left) && isfinite(right)) {
		test->sums[0] += left;
		test->sums[1] += right;
	}
	test->answered = pe_confirm_feed(&test->confirm, left, right) != PE_CONFIRM_GO_ON;
}

int pe_pairs_run(const struct pe_pairs *pairs, unsigned k)
{
	const struct pe_pair pair = pe_pairs_at(pairs, k);
	struct pe_cell *const order[] = {pair.right_first ? pair.right : pair.left,
					 pair.right_first ? pair.left : pair.right};
	bool can_run = true;

	for (size_t i = 0; i < pairs->n_tests; i++)
		pairs->tests[i].answered = false;
	for (size_t side = 0; side < 2; side++)
		can_run = can_run && !order[side]->failed &&
			  pe_engine_is_loaded(pairs->engine, order[side]->revision);
	if (!can_run)
		return PE_OK;
	if (pe_pairs_needed(pairs, false) > 0)
		PE_TRY(pe_engine_round(pairs->engine, PE_RUN_TIMED, k, order, 2));
	if (pe_pairs_needed(pairs, true) > 0)
		PE_TRY(pe_engine_round(pairs->engine, PE_RUN_COUNTED, k, order, 2));
	for (size_t i = 0; i < pairs->n_tests; i++)
		if (pe_pair_test_is_open(&pairs->tests[i]))
			feed(&pairs->tests[i], &pair, k);
	return PE_OK;
}

/* --- Evidence against a change of wall time --- */

/* The way of a metric in the first n pairs. *any: a pair has values of it. */
static int way_of(bool *any, const struct pe_pairs *pairs, unsigned n, enum pe_metric_id metric)
{
	pe_auto_free double *left = pe_realloc(NULL, n + 1, sizeof(*left));
	pe_auto_free double *right = pe_realloc(NULL, n + 1, sizeof(*right));

	*any = false;
	for (unsigned k = 0; k < n; k++) {
		const struct pe_pair pair = pe_pairs_at(pairs, k);

		left[k] = pe_cell_value(pair.left, k, pe_metrics[metric].name);
		right[k] = pe_cell_value(pair.right, k, pe_metrics[metric].name);
		*any = *any || (isfinite(left[k]) && isfinite(right[k]));
	}
	return pe_compare_way_of_pairs(left, right, n);
}

bool pe_pairs_deny(const struct pe_pairs *pairs, const struct pe_pair_test *test, unsigned n,
		   double instructions)
{
	struct pe_compare_evidence evidence = {.instructions = instructions};
	bool any;

	if (strcmp(test->metric->name, pe_metrics[PE_WALL].name) != 0)
		return false;
	evidence.cpu = way_of(&any, pairs, n, PE_CPU);
	evidence.switches = way_of(&evidence.counts_switches, pairs, n, PE_INVOLUNTARY_SWITCHES);
	return pe_compare_is_denied(pe_confirm_result(&test->confirm).relative, &evidence);
}
