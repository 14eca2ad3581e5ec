/* Parting the benchmarks of an event by the functions that they execute. */
#include "core/stats/events.h"

#include "core/base/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t root_of(size_t *parent, size_t at)
{
	while (parent[at] != at)
		at = parent[at] = parent[parent[at]];
	return at;
}

struct executed {
	size_t function, benchmark;
};

PE_SORT_BY(by_function, struct executed, function, benchmark);

/* Benchmarks that share a function get one root. */
static void unite(size_t *parent, const struct pe_event_functions *benchmarks, size_t n)
{
	pe_auto_free struct executed *all = NULL;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		total += benchmarks[i].known ? benchmarks[i].n : 0;
	all = pe_realloc(NULL, total + 1, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		for (size_t f = 0; benchmarks[i].known && f < benchmarks[i].n; f++)
			all[at++] = (struct executed){benchmarks[i].at[f], i};
	pe_sort(all, total, by_function);
	for (size_t i = 1; i < total; i++)
		if (all[i].function == all[i - 1].function)
			parent[root_of(parent, all[i].benchmark)] =
				root_of(parent, all[i - 1].benchmark);
}

size_t pe_events_part(size_t *part, const struct pe_event_functions *benchmarks, size_t n)
{
	pe_auto_free size_t *parent = pe_realloc(NULL, n + 1, sizeof(*parent));
	pe_auto_free size_t *count = pe_realloc(NULL, n + 1, sizeof(*count));
	size_t n_parts = 0, largest = SIZE_MAX;

	memset(count, 0, (n + 1) * sizeof(*count));
	for (size_t i = 0; i < n; i++)
		parent[i] = i;
	unite(parent, benchmarks, n);
	for (size_t i = 0; i < n; i++)
		if (benchmarks[i].known && benchmarks[i].n > 0) {
			const size_t root = root_of(parent, i);

			count[root]++;
			if (largest == SIZE_MAX || count[root] > count[largest])
				largest = root;
		}
	/* From roots to numbers: count is free for them. */
	for (size_t i = 0; i < n; i++)
		count[i] = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		const bool has = benchmarks[i].known && benchmarks[i].n > 0;
		const size_t root = has ? root_of(parent, i) : largest != SIZE_MAX ? largest : 0;

		if (count[root] == SIZE_MAX)
			count[root] = n_parts++;
		part[i] = count[root];
	}
	return n_parts;
}
