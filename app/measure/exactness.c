#include "app/measure/exactness.h"

#include "core/base/sort.h"

#include <math.h>

/* A value and its build, by the key of a revision that represents the build. */
struct entry {
	int64_t build;
	unsigned epoch; /* with another interpreter or library it is another build */
	double value;
};

PE_SORT_BY(compare_entries, struct entry, build, epoch);

static int64_t build_of(int64_t revision, const struct pe_coverage *reused, size_t n,
			int64_t benchmark)
{
	const struct pe_coverage *found = pe_coverage_find(reused, n, revision, benchmark);

	return found != NULL && found->source != 0 ? found->source : revision;
}

struct pe_exactness pe_exactness_of(const struct pe_observation *at, size_t n,
				    const struct pe_coverage *reused, size_t n_reused,
				    int64_t benchmark, const struct pe_metric *metric)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct entry *entries = pe_arena_new(&work, struct entry, n);
	struct pe_reading *readings = pe_arena_new(&work, struct pe_reading, n);
	size_t builds = 0;

	for (size_t i = 0; i < n; i++)
		entries[i] = (struct entry){build_of(at[i].revision, reused, n_reused, benchmark),
					    at[i].epoch, at[i].value};
	pe_sort(entries, n, compare_entries);
	for (size_t i = 0; i < n; i++) {
		builds += i > 0 && compare_entries(&entries[i - 1], &entries[i]) != 0;
		readings[i] = (struct pe_reading){.commit = builds, .value = entries[i].value};
	}
	return pe_deterministic_check(&(struct pe_readings){readings, n, builds + (n > 0)},
				      pe_metric_tolerance(metric), &work);
}

int pe_exactness_load(struct pe_exactness *out, struct pe_store *store, int64_t machine,
		      int64_t benchmark, const struct pe_metric *metric, struct pe_err *err)
{
	const struct pe_series_query query = {machine, benchmark, metric->name};
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_observation *at;
	struct pe_coverage *reused;
	size_t n, n_reused;

	*out = (struct pe_exactness){0, 0, 0};
	if (metric->kind != PE_METRIC_DETERMINISTIC)
		return PE_OK;
	PE_TRY(pe_store_get_series(&at, &n, store, &query, &work, err));
	PE_TRY(pe_store_reused(&reused, &n_reused, store, machine, &work, err));
	*out = pe_exactness_of(at, n, reused, n_reused, benchmark, metric);
	return PE_OK;
}

static unsigned shared_epoch(const struct pe_observation *at, size_t n, const int64_t revisions[2])
{
	unsigned shared = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n && at[i].revision == revisions[0]; k++)
			if (at[k].revision == revisions[1] && at[k].epoch == at[i].epoch &&
			    at[k].epoch > shared)
				shared = at[k].epoch;
	return shared;
}

int pe_exactness_load_two(double values[2], bool *vary, struct pe_store *store,
			  const struct pe_series_query *query, const struct pe_metric *metric,
			  const int64_t revisions[2], struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_exactness kept;
	struct pe_observation *at;
	unsigned shared;
	size_t n;

	PE_TRY(pe_exactness_load(&kept, store, query->machine, query->benchmark, metric, err));
	*vary = kept.broken > 0;
	PE_TRY(pe_store_get_series(&at, &n, store, query, &work, err));
	shared = shared_epoch(at, n, revisions);
	for (int side = 0; side < 2; side++) {
		double sum = 0, found = 0;

		for (size_t i = 0; i < n; i++)
			if (at[i].revision == revisions[side] && at[i].epoch == shared) {
				sum += at[i].value;
				found++;
			}
		values[side] = found > 0 ? sum / found : NAN;
	}
	return PE_OK;
}

int pe_exactness_counts_vary(bool *out, struct pe_store *store, int64_t machine, int64_t benchmark,
			     struct pe_err *err)
{
	struct pe_exactness kept;

	*out = false;
	for (size_t i = 0; !*out && i < PE_N_METRICS; i++) {
		if (!pe_metric_is_counted(&pe_metrics[i]))
			continue;
		PE_TRY(pe_exactness_load(&kept, store, machine, benchmark, &pe_metrics[i], err));
		*out = kept.broken > 0;
	}
	return PE_OK;
}

const struct pe_metric *pe_exactness_metric(const struct pe_metric *metric,
					    const struct pe_exactness *kept, struct pe_arena *arena)
{
	struct pe_metric *noisy;

	if (metric->kind != PE_METRIC_DETERMINISTIC || kept->broken == 0)
		return metric;
	noisy = pe_arena_new(arena, struct pe_metric, 1);
	*noisy = *metric;
	noisy->kind = PE_METRIC_NOISY;
	return noisy;
}
