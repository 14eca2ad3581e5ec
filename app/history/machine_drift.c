#include "app/history/machine_drift.h"
#include "app/measure/thresholds.h"

#include "core/base/vec.h"
#include "core/stats/moved.h"
#include "store/farm.h"

#include <stdlib.h>
#include <string.h>

/* One benchmark's readings; commits are keys of the store. */
struct benchmark {
	const char *metric;
	struct pe_observation *at;
	size_t n;
};

struct looking {
	struct pe_app *app;
	const struct pe_machine_drift_asked *asked;
	int64_t machine;
	int64_t *batches; /* of the node, ascending */
	size_t n_batches;
	PE_VEC(struct benchmark) benchmarks;
	struct pe_arena arena;   /* what is compared */
	struct pe_arena scratch; /* of the benchmark at hand */
};

int pe_machine_drift_begin(int64_t *newest, struct pe_app *app)
{
	int rc = pe_store_newest_batch(newest, app->store, app->err);

	++*newest;
	return rc;
}

/* --- Which metric --- */

/* Units of times: what the machine's speed is read from. */
static bool is_time(const struct pe_metric *metric)
{
	static const char *const units[] = {"ns", "us", "\xc2\xb5s", "ms", "s"};

	if (metric->kind != PE_METRIC_NOISY || metric->better != PE_LOWER_IS_BETTER)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(metric->unit, units[i]) == 0)
			return true;
	return false;
}

/* As pe_stop_rule_metric() has it: the benchmark's own first, then the built-in ones in their order. NULL: none. */
static int choose_metric(const char **out, struct looking *looking, int64_t benchmark)
{
	struct pe_app *app = looking->app;
	struct pe_metric *metrics;
	size_t n;

	*out = NULL;
	PE_TRY(pe_store_benchmark_metrics(&metrics, &n, app->store, looking->machine, benchmark,
					  &looking->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		bool own = pe_metric_find(metrics[i].name) == NULL;

		if (!is_time(&metrics[i]) ||
		    !pe_thresholds_wants(app, &metrics[i], looking->asked->metrics) ||
		    (*out != NULL && !own))
			continue;
		*out = metrics[i].name;
		if (own)
			break;
	}
	return PE_OK;
}

/* --- What was measured both times --- */

static int compare_keys(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sort and leave each once. */
static size_t sort_keys(int64_t *keys, size_t n)
{
	size_t kept = 0;

	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || keys[kept - 1] != keys[i])
			keys[kept++] = keys[i];
	return kept;
}

static const int64_t *find_key(const int64_t *keys, size_t n, int64_t key)
{
	return n > 0 ? bsearch(&key, keys, n, sizeof(key), compare_keys) : NULL;
}

/* Keep the values of revisions that the session measured: the others cannot be compared. */
static void keep_measured(struct looking *looking, const char *metric,
			  const struct pe_observation *at, size_t n)
{
	int64_t *revisions = pe_arena_new(&looking->scratch, int64_t, n);
	struct benchmark benchmark = {metric, NULL, 0};
	size_t n_revisions = 0;

	for (size_t i = 0; i < n; i++)
		if (at[i].batch >= looking->asked->newest)
			revisions[n_revisions++] = at[i].revision;
	n_revisions = sort_keys(revisions, n_revisions);
	for (size_t i = 0; i < n; i++)
		benchmark.n += find_key(revisions, n_revisions, at[i].revision) != NULL;
	if (benchmark.n == 0)
		return;
	benchmark.at = pe_arena_new(&looking->arena, struct pe_observation, benchmark.n);
	benchmark.n = 0;
	for (size_t i = 0; i < n; i++)
		if (find_key(revisions, n_revisions, at[i].revision) != NULL)
			benchmark.at[benchmark.n++] = at[i];
	pe_vec_push(&looking->benchmarks, benchmark);
}

/* Leave what other nodes measured out. */
static void keep_own(struct looking *looking, struct pe_observation *at, size_t *n)
{
	size_t kept = 0;

	if (looking->asked->node == NULL)
		return;
	for (size_t i = 0; i < *n; i++)
		if (find_key(looking->batches, looking->n_batches, at[i].batch) != NULL)
			at[kept++] = at[i];
	*n = kept;
}

static int read_benchmark(struct looking *looking, int64_t benchmark)
{
	struct pe_app *app = looking->app;
	struct pe_series_query query = {looking->machine, benchmark, NULL};
	struct pe_observation *at;
	size_t n;
	int rc = choose_metric(&query.metric, looking, benchmark);

	if (rc != PE_OK || query.metric == NULL)
		return rc;
	rc = pe_store_get_series(&at, &n, app->store, &query, &looking->scratch, app->err);
	if (rc == PE_OK)
		keep_own(looking, at, &n);
	if (rc == PE_OK)
		keep_measured(looking, query.metric, at, n);
	pe_arena_release(&looking->scratch);
	return rc;
}

/* The key of the machine; 0: it has measured nothing. */
static int find_machine(struct looking *looking)
{
	struct pe_app *app = looking->app;
	struct pe_stored_machine *machines;
	const struct pe_machine *here;
	size_t n;

	looking->machine = looking->asked->machine;
	if (looking->machine != 0)
		return PE_OK;
	PE_TRY(pe_store_machines(&machines, &n, app->store, &looking->arena, app->err));
	here = pe_app_machine(app);
	for (size_t i = 0; i < n; i++)
		if (strcmp(machines[i].machine.fingerprint, here->fingerprint) == 0)
			looking->machine = machines[i].key;
	return PE_OK;
}

static int read_all(struct looking *looking)
{
	struct pe_app *app = looking->app;
	const struct pe_machine_drift_asked *asked = looking->asked;
	struct pe_stored_benchmark *stored;
	size_t n;

	PE_TRY(find_machine(looking));
	if (looking->machine == 0)
		return PE_OK;
	if (asked->node != NULL)
		PE_TRY(pe_store_node_batches(&looking->batches, &looking->n_batches, app->store,
					     looking->machine, asked->node, &looking->arena,
					     app->err));
	for (size_t i = 0; asked->benchmarks != NULL && i < asked->n_benchmarks; i++)
		PE_TRY(read_benchmark(looking, asked->benchmarks[i]));
	if (asked->benchmarks != NULL)
		return PE_OK;
	PE_TRY(pe_store_benchmarks(&stored, &n, app->store, looking->machine, &looking->arena,
				   app->err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(read_benchmark(looking, stored[i].key));
	return PE_OK;
}

/* --- The answer --- */

/* The revisions of all benchmarks, numbered alike: keys ascending. */
static struct pe_readings *number_commits(struct looking *looking)
{
	struct pe_arena *arena = &looking->arena;
	size_t n_benchmarks = looking->benchmarks.n, n = 0;
	struct pe_readings *out = pe_arena_new(arena, struct pe_readings, n_benchmarks);
	int64_t *keys;

	for (size_t b = 0; b < n_benchmarks; b++)
		n += looking->benchmarks.data[b].n;
	keys = pe_arena_new(arena, int64_t, n);
	n = 0;
	for (size_t b = 0; b < n_benchmarks; b++)
		for (size_t i = 0; i < looking->benchmarks.data[b].n; i++)
			keys[n++] = looking->benchmarks.data[b].at[i].revision;
	n = sort_keys(keys, n);
	for (size_t b = 0; b < n_benchmarks; b++) {
		const struct benchmark *one = &looking->benchmarks.data[b];
		struct pe_reading *at = pe_arena_new(arena, struct pe_reading, one->n);

		for (size_t i = 0; i < one->n; i++)
			at[i] = (struct pe_reading){
				(size_t)(find_key(keys, n, one->at[i].revision) - keys),
				one->at[i].batch, one->at[i].round, one->at[i].value};
		out[b] = (struct pe_readings){at, one->n, n};
	}
	return out;
}

static int begun_s(int64_t *out, struct looking *looking, int64_t batch)
{
	struct pe_app *app = looking->app;
	struct pe_batch read;
	int rc = pe_store_get_batch(&read, app->store, batch, &looking->arena, app->err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(app->err, PE_ESTORE,
			       "the store has runs of batch %lld, but not the batch",
			       (long long)batch);
	*out = read.created_s;
	return rc;
}

/* The name that all benchmarks' metrics share; NULL: they have several. */
static const char *common_metric(const struct looking *looking)
{
	const char *name = looking->benchmarks.data[0].metric;

	for (size_t b = 1; b < looking->benchmarks.n; b++)
		if (strcmp(looking->benchmarks.data[b].metric, name) != 0)
			return NULL;
	return pe_arena_strdup(looking->app->arena, name);
}

static int answer(const struct pe_machine_drift **out, struct looking *looking)
{
	struct pe_machine_drift *drift;
	struct pe_moved found;
	int rc;

	if (looking->benchmarks.n == 0)
		return PE_OK;
	found = pe_moved_find(number_commits(looking), looking->benchmarks.n,
			      looking->asked->newest, NULL);
	if (!found.moved)
		return PE_OK;
	drift = pe_arena_new(looking->app->arena, struct pe_machine_drift, 1);
	*drift = (struct pe_machine_drift){.metric = common_metric(looking),
					   .relative = found.relative,
					   .low = found.low,
					   .high = found.high,
					   .cells = found.cells,
					   .commits = found.commits,
					   .benchmarks = found.benchmarks};
	rc = begun_s(&drift->from_s, looking, found.from);
	if (rc == PE_OK)
		rc = begun_s(&drift->since_s, looking, found.since);
	*out = rc == PE_OK ? drift : NULL;
	return rc;
}

int pe_machine_drift_find(const struct pe_machine_drift **out, struct pe_app *app,
			  const struct pe_machine_drift_asked *asked)
{
	struct looking looking = {
		.app = app, .asked = asked, .arena = PE_ARENA_INIT, .scratch = PE_ARENA_INIT};
	int rc = read_all(&looking);

	*out = NULL;
	if (rc == PE_OK)
		rc = answer(out, &looking);
	pe_vec_release(&looking.benchmarks);
	pe_arena_release(&looking.scratch);
	pe_arena_release(&looking.arena);
	return rc;
}
