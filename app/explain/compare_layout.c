/*
 * Layout, for pairs without a stored answer: a time differs, and no executed method changed. Then the machine code of both
 * sides and all other contents of the programs are compared, as for a confirmed jump; only equal ones excuse a
 * regression.
 */
#include "app/explain/compare.h"

#include "app/changes/layout.h"

#include <string.h>

static bool may_be_layout(const struct pe_compare_value *value)
{
	return pe_compare_value_changed(value) && !value->layout && !value->exact &&
	       pe_layout_may_move(value->metric->name) &&
	       (value->jump == NULL || value->jump->layout != PE_LAYOUT_WORK);
}

/* Whether exact counts differ, which means that the work does. */
static bool counts_differ(const struct pe_compare_pair *pair)
{
	for (size_t i = 0; i < pair->n_values; i++) {
		const struct pe_compare_value *value = &pair->values[i];

		if (value->exact
			    ? !pe_metric_agrees(value->metric, value->old_value, value->new_value)
			    : value->metric->kind == PE_METRIC_DETERMINISTIC)
			return true;
	}
	return false;
}

static bool executes_changed(const struct pe_comparing *comparing, size_t p)
{
	for (int side = 0; side < 2; side++) {
		const struct pe_collected *trees = &comparing->couples[p].sides[side];

		for (size_t t = 0; t < trees->n_trees; t++)
			for (uint32_t i = 0; i < trees->trees[t]->n; i++)
				if (pe_changes_touched(&comparing->changes,
						       trees->trees[t]->nodes[i].frame))
					return true;
	}
	return false;
}

/* Whether to look for layout in a pair. Cheap checks come first, because the answer may take two builds. */
static bool is_asked(const struct pe_comparing *comparing, size_t p)
{
	const struct pe_compare_pair *pair = &comparing->pairs.data[p];
	bool any = false;

	for (size_t i = 0; i < pair->n_values; i++)
		any = any || may_be_layout(&pair->values[i]);
	return any && pair->with_name == NULL && !counts_differ(pair) &&
	       !executes_changed(comparing, p);
}

bool pe_comparing_asks_layout(const struct pe_comparing *comparing)
{
	for (size_t p = 0; p < comparing->pairs.n; p++)
		if (is_asked(comparing, p))
			return true;
	return false;
}

static int look(struct pe_compare_pair *pair, struct pe_comparing *comparing, size_t benchmark)
{
	struct pe_session *session = &comparing->session;
	const struct pe_revision *const *chosen = comparing->chosen;
	const size_t at[] = {(size_t)(chosen[0] - session->revisions),
			     (size_t)(chosen[1] - session->revisions)};
	const int64_t sources[] = {chosen[0]->key, chosen[1]->key};

	PE_TRY(pe_layout_between(&pair->layout, session, benchmark, at, sources));
	for (size_t i = 0; i < pair->n_values; i++)
		if (may_be_layout(&pair->values[i]))
			pair->values[i].layout = pair->layout == PE_LAYOUT_ONLY;
	return PE_OK;
}

int pe_comparing_layout(struct pe_comparing *comparing)
{
	const struct pe_session *session = &comparing->session;

	for (size_t p = 0; p < comparing->pairs.n; p++) {
		struct pe_compare_pair *pair = &comparing->pairs.data[p];

		for (size_t w = 0; w < session->benchmarks.n; w++) {
			const struct pe_benchmark *benchmark = session->benchmarks.data[w];

			/* Without the counting library, a benchmark may have used unknown programs. */
			if (strcmp(benchmark->name, pair->name) == 0 && is_asked(comparing, p) &&
			    benchmark->count_allocations && session->runner.alloc_library != NULL)
				PE_TRY(look(pair, comparing, w));
		}
	}
	return PE_OK;
}
