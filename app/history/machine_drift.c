#include "app/history/machine_drift.h"
#include "app/measure/thresholds.h"

#include "core/base/vec.h"
#include "core/stats/moved.h"
#include "store/farm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct looking {
	struct pe_app *app;
	const struct pe_machine_drift_query *asked;
	int64_t machine;
	int64_t *batches; /* of the node, ascending */
	size_t n_batches;
	PE_VEC(struct pe_moved_cell) cells;
	PE_VEC(int64_t) commits; /* of the cells */
	size_t benchmarks;       /* that have cells */
	const char *metric;      /* of the last of these */
	bool same_metric;        /* of all */
	int64_t from, since;     /* the oldest and the latest earlier batch */
	struct pe_arena arena;
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

/* Commits one after the other, each with its runs in the order in which they were made. */
static int compare_observations(const void *a, const void *b)
{
	const struct pe_observation *x = a, *y = b;

	if (x->revision != y->revision)
		return x->revision < y->revision ? -1 : 1;
	if (x->batch != y->batch)
		return x->batch < y->batch ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static int compare_keys(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Whether a reading is one of the node that is asked about, and a time. */
static bool is_asked(const struct looking *looking, const struct pe_observation *at)
{
	return isfinite(at->value) && at->value > 0 &&
	       (looking->asked->node == NULL ||
		(looking->n_batches > 0 && bsearch(&at->batch, looking->batches, looking->n_batches,
						   sizeof(at->batch), compare_keys) != NULL));
}

/* The runs of one commit: those of the newest batches are at its end, those of the latest earlier one before them. */
static void add_cell(struct looking *looking, int64_t benchmark, const struct pe_observation *at,
		     size_t n)
{
	size_t now = n, then;
	double *values;

	while (now > 0 && at[now - 1].batch >= looking->asked->newest)
		now--;
	if (now == n || now == 0)
		return;
	for (then = now - 1; then > 0 && at[then - 1].batch == at[now - 1].batch;)
		then--;
	values = pe_arena_new(&looking->arena, double, n - then);
	for (size_t i = then; i < n; i++)
		values[i - then] = at[i].value;
	pe_vec_push(&looking->cells, ((struct pe_moved_cell){.benchmark = (size_t)benchmark,
							     .before = values,
							     .now = values + (now - then),
							     .n_before = now - then,
							     .n_now = n - now}));
	pe_vec_push(&looking->commits, at[0].revision);
	if (looking->cells.n == 1 || at[then].batch < looking->from)
		looking->from = at[then].batch;
	if (looking->cells.n == 1 || at[then].batch > looking->since)
		looking->since = at[then].batch;
}

static int read_benchmark(struct looking *looking, int64_t benchmark)
{
	struct pe_app *app = looking->app;
	struct pe_series_query query = {looking->machine, benchmark, NULL};
	const size_t cells = looking->cells.n;
	struct pe_observation *at;
	size_t n, kept = 0;

	PE_TRY(choose_metric(&query.metric, looking, benchmark));
	if (query.metric == NULL)
		return PE_OK;
	PE_TRY(pe_store_get_series(&at, &n, app->store, &query, &looking->scratch, app->err));
	for (size_t i = 0; i < n; i++)
		if (is_asked(looking, &at[i]))
			at[kept++] = at[i];
	if (kept > 0)
		qsort(at, kept, sizeof(*at), compare_observations);
	for (size_t first = 0, end; first < kept; first = end) {
		for (end = first; end < kept && at[end].revision == at[first].revision;)
			end++;
		add_cell(looking, benchmark, at + first, end - first);
	}
	pe_arena_release(&looking->scratch);
	if (looking->cells.n == cells)
		return PE_OK;
	looking->same_metric = looking->benchmarks++ == 0 ||
			       (looking->same_metric && strcmp(looking->metric, query.metric) == 0);
	looking->metric = query.metric;
	return PE_OK;
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
	const struct pe_machine_drift_query *asked = looking->asked;
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

static size_t count_commits(const struct looking *looking)
{
	int64_t *keys = looking->commits.data;
	size_t n = 0;

	qsort(keys, looking->commits.n, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < looking->commits.n; i++)
		n += i == 0 || keys[i] != keys[i - 1];
	return n;
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

static int answer(const struct pe_machine_drift **out, struct looking *looking)
{
	const struct pe_moved found = pe_moved_find(looking->cells.data, looking->cells.n);
	struct pe_arena *arena = looking->app->arena;
	struct pe_machine_drift *drift;

	if (!found.moved)
		return PE_OK;
	drift = pe_arena_new(arena, struct pe_machine_drift, 1);
	*drift = (struct pe_machine_drift){
		.metric = looking->same_metric ? pe_arena_strdup(arena, looking->metric) : NULL,
		.relative = found.relative,
		.low = found.low,
		.high = found.high,
		.cells = looking->cells.n,
		.commits = count_commits(looking),
		.benchmarks = looking->benchmarks};
	PE_TRY(begun_s(&drift->from_s, looking, looking->from));
	PE_TRY(begun_s(&drift->since_s, looking, looking->since));
	*out = drift;
	return PE_OK;
}

int pe_machine_drift_find(const struct pe_machine_drift **out, struct pe_app *app,
			  const struct pe_machine_drift_query *asked)
{
	struct looking looking = {
		.app = app, .asked = asked, .arena = PE_ARENA_INIT, .scratch = PE_ARENA_INIT};
	int rc = read_all(&looking);

	*out = NULL;
	if (rc == PE_OK)
		rc = answer(out, &looking);
	pe_vec_release(&looking.cells);
	pe_vec_release(&looking.commits);
	pe_arena_release(&looking.scratch);
	pe_arena_release(&looking.arena);
	return rc;
}
