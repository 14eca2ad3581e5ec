#include "analysis/compare/steady.h"

#include <string.h>

bool pe_steady_comes_and_goes(const struct pe_runs *runs, uint32_t node)
{
	const struct pe_cct *cct = runs->cct;
	const struct pe_cct_range *range = pe_cct_range_of(cct, node);
	const unsigned flags = cct->flags[node];

	if ((runs->unsteady != NULL && runs->unsteady[node]) || (flags & PE_CCT_SHUFFLED) != 0 ||
	    (flags & PE_CCT_UNCOUNTED) != 0)
		return true;
	/* Profiles from before ranges were stored have the context with zero calls where the first run lacked it. */
	if (range == NULL)
		return (flags & PE_CCT_UNSTABLE) != 0 && cct->calls != NULL &&
		       cct->calls[node] == 0;
	/* Merged call sites are present when any of them is. */
	return (flags & PE_CCT_SOMETIMES) != 0 &&
	       (cct->calls == NULL || cct->calls[node] == range->less[PE_CCT_COUNT_CALLS]);
}

struct between {
	uint64_t least, most;
};

static struct between range_of(const struct pe_cct *cct, uint32_t node, enum pe_cct_count count)
{
	const uint64_t *counts = cct->columns[count];
	const struct pe_cct_range *range;
	uint64_t is;

	if (node == PE_CCT_NONE || counts == NULL)
		return (struct between){0, 0};
	is = counts[node];
	range = pe_cct_range_of(cct, node);
	if (range != NULL)
		return (struct between){is - range->less[count], is + range->more[count]};
	/* From before ranges were stored: it varies by an unknown amount. */
	if ((cct->flags[node] & PE_CCT_UNSTABLE) != 0 && cct->facts.counting_runs == 0)
		return (struct between){0, UINT64_MAX};
	return (struct between){is, is};
}

bool pe_steady_own_doing(const struct pe_cct *old_cct, uint32_t old_node,
			 const struct pe_cct *new_cct, uint32_t new_node, enum pe_cct_count count)
{
	const struct between a = range_of(old_cct, old_node, count);
	const struct between b = range_of(new_cct, new_node, count);

	return (a.least < a.most || b.least < b.most) && a.least <= b.most && b.least <= a.most;
}

struct pe_steady_sums pe_steady_sum(const struct pe_cct *cct, enum pe_cct_count count,
				    struct pe_arena *arena)
{
	struct pe_steady_sums sums = {pe_arena_new(arena, uint64_t, cct->n),
				      pe_arena_new(arena, uint64_t, cct->n)};

	for (uint32_t i = 0; i < cct->n_ranges; i++) {
		const struct pe_cct_range *range = &cct->ranges[i];

		sums.less[range->node] = range->less[count];
		sums.more[range->node] = range->more[count];
	}
	pe_cct_sum_column(cct, sums.less, sums.less);
	pe_cct_sum_column(cct, sums.more, sums.more);
	return sums;
}

bool pe_steady_counts_differ(const struct pe_delta *delta, uint32_t node)
{
	static const enum pe_delta_metric metrics[PE_CCT_N_COUNTS] = {
		[PE_CCT_COUNT_CALLS] = PE_DELTA_CALLS,
		[PE_CCT_COUNT_ALLOCATIONS] = PE_DELTA_ALLOCATIONS,
		[PE_CCT_COUNT_BYTES] = PE_DELTA_BYTES,
	};
	const struct pe_delta_node *at = &delta->nodes[node];

	for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
		struct pe_delta_values values = pe_delta_values(delta, node, metrics[c]);

		if (values.known && values.old_value != values.new_value &&
		    !pe_steady_own_doing(delta->old_runs->cct, at->old_node, delta->new_runs->cct,
					 at->new_node, (enum pe_cct_count)c))
			return true;
	}
	return false;
}

uint32_t pe_steady_doubtful(const struct pe_delta *delta, const struct pe_changes *changes)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < delta->n;) {
		/* A changed method explains differences below it. */
		if (pe_changes_touched(changes, delta->nodes[i].frame)) {
			i = delta->nodes[i].end;
			continue;
		}
		found += !pe_delta_uncounted(delta->old_runs->cct, delta->nodes[i].old_node) &&
			 !pe_delta_uncounted(delta->new_runs->cct, delta->nodes[i].new_node) &&
			 pe_steady_counts_differ(delta, i);
		i++;
	}
	return found;
}
