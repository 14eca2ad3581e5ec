#include "analysis/compare/steady.h"

#include <string.h>

/* Whether a node was counted; for a node seen by samples alone, no count proves its absence. */
static bool is_counted(const struct pe_cct *cct, uint32_t node)
{
	return (cct->flags[node] & PE_CCT_UNCOUNTED) == 0;
}

bool pe_steady_comes_and_goes(const struct pe_runs *runs, uint32_t node)
{
	const struct pe_cct *cct = runs->cct;
	const struct pe_cct_range *range = pe_cct_range_of(cct, node);
	const unsigned flags = cct->flags[node];

	if ((runs->unsteady != NULL && runs->unsteady[node]) || (flags & PE_CCT_SHUFFLED) != 0 ||
	    !is_counted(cct, node))
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
	const uint64_t *counts = pe_cct_counts(cct, count);
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

static bool may_vary(const struct pe_cct *cct, uint32_t node)
{
	return cct->n_ranges > 0 ||
	       (node != PE_CCT_NONE && (cct->flags[node] & PE_CCT_UNSTABLE) != 0);
}

bool pe_steady_own_doing(const struct pe_cct *old_cct, uint32_t old_node,
			 const struct pe_cct *new_cct, uint32_t new_node, enum pe_cct_count count)
{
	struct between a, b;

	/* Most programs count the same in every run. */
	if (!may_vary(old_cct, old_node) && !may_vary(new_cct, new_node))
		return false;
	a = range_of(old_cct, old_node, count);
	b = range_of(new_cct, new_node, count);
	return (a.least < a.most || b.least < b.most) && a.least <= b.most && b.least <= a.most;
}

static void add(uint64_t *to, uint64_t by)
{
	*to = *to > UINT64_MAX - by ? UINT64_MAX : *to + by;
}

struct pe_steady_sums pe_steady_sum(const struct pe_cct *cct, enum pe_cct_count count,
				    struct pe_arena *arena)
{
	struct pe_steady_sums sums = {NULL, NULL};

	if (cct->n_ranges == 0)
		return sums;
	sums.less = pe_arena_new(arena, uint64_t, cct->n);
	sums.more = pe_arena_new(arena, uint64_t, cct->n);
	for (uint32_t i = 0; i < cct->n_ranges; i++) {
		const struct pe_cct_range *range = &cct->ranges[i];

		sums.less[range->node] = range->less[count];
		sums.more[range->node] = range->more[count];
	}
	for (uint32_t i = cct->n; i-- > 1;) {
		add(&sums.less[cct->nodes[i].parent], sums.less[i]);
		add(&sums.more[cct->nodes[i].parent], sums.more[i]);
	}
	return sums;
}

static bool counts_differ(const struct pe_delta *delta, uint32_t node)
{
	const struct pe_delta_node *at = &delta->nodes[node];
	const struct pe_cct *old_cct = delta->old_runs->cct, *new_cct = delta->new_runs->cct;

	for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
		const enum pe_cct_count count = (enum pe_cct_count)c;
		const uint64_t *olds = pe_cct_counts(old_cct, count);
		const uint64_t *news = pe_cct_counts(new_cct, count);

		if (olds == NULL || news == NULL)
			continue;
		if ((at->old_node != PE_CCT_NONE ? olds[at->old_node] : 0) !=
			    (at->new_node != PE_CCT_NONE ? news[at->new_node] : 0) &&
		    !pe_steady_own_doing(old_cct, at->old_node, new_cct, at->new_node, count))
			return true;
	}
	return false;
}

static bool is_known(const struct pe_delta *delta, uint32_t node)
{
	const struct pe_delta_node *at = &delta->nodes[node];

	return (at->old_node == PE_CCT_NONE || is_counted(delta->old_runs->cct, at->old_node)) &&
	       (at->new_node == PE_CCT_NONE || is_counted(delta->new_runs->cct, at->new_node));
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
		found += is_known(delta, i) && counts_differ(delta, i);
		i++;
	}
	return found;
}
