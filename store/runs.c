/* Runs: put whole, one at a time, and what of a batch's plan is done. */
#include "store/profiles.h"
#include "store/sql.h"

#include "core/base/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int put_run_row(int64_t *key, struct pe_store *store, int64_t batch, int64_t revision,
		       int64_t benchmark, const struct pe_run *run, struct pe_err *err)
{
	PE_TRY(pe_sql_integer(key, store,
			      "SELECT coalesce(max(key), ?1 << 32) + 1 FROM runs"
			      " WHERE key BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295",
			      ARGS(INT(benchmark)), err));
	return pe_sql_run(
		store,
		"INSERT INTO runs (key, batch, revision, benchmark, kind, round, sequence, "
		"started_s,"
		" outcome, status, log) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
		ARGS(INT(*key), INT(batch), INT(revision), INT(benchmark), INT(run->kind),
		     INT(run->round), INT((int64_t)run->sequence), INT(run->started_s),
		     INT(run->outcome), INT(run->status),
		     TEXT(run->outcome == PE_MEASURED ? NULL : run->log)),
		err);
}

/* What the sample is the median of. */
static int put_inner(struct pe_store *store, int64_t run, int64_t metric,
		     const struct pe_sample *sample, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < sample->n_inner; i++) {
		pe_text_add(&text, i == 0 ? "[" : ",");
		pe_number_exact(&text, sample->inner[i]);
	}
	pe_text_add(&text, "]");
	return pe_sql_run(store,
			  "INSERT INTO inner_samples (run, metric, samples) VALUES (?1, ?2, ?3)",
			  ARGS(INT(run), INT(metric), TEXT(pe_text_str(&text))), err);
}

static int put_sample(struct pe_store *store, int64_t run, int64_t machine, int64_t benchmark,
		      const struct pe_sample *sample, struct pe_err *err)
{
	int64_t metric;

	if (!isfinite(sample->value))
		return pe_fail(err, PE_EINVALID, "metric %s: %g cannot be stored",
			       sample->metric->name, sample->value);
	PE_TRY(pe_metric_key(&metric, store, benchmark, sample->metric, err));
	PE_TRY(pe_sql_run(store, "INSERT INTO samples (run, metric, value) VALUES (?1, ?2, ?3)",
			  ARGS(INT(run), INT(metric), REAL(sample->value)), err));
	if (sample->inner != NULL)
		PE_TRY(put_inner(store, run, metric, sample, err));
	return pe_sql_run(store,
			  "INSERT INTO series (machine, benchmark, metric) VALUES (?1, ?2, ?3)"
			  " ON CONFLICT DO NOTHING",
			  ARGS(INT(machine), INT(benchmark), INT(metric)), err);
}

int pe_store_put_run(struct pe_store *store, int64_t batch, int64_t revision, int64_t benchmark,
		     const struct pe_run *run, struct pe_err *err)
{
	int64_t key;
	int64_t machine = 0;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	assert(run->n_samples <= PE_RUN_MAX_SAMPLES);
	assert(run->outcome == PE_MEASURED || run->n_samples == 0);
	PE_TRY(put_run_row(&key, store, batch, revision, benchmark, run, err));
	PE_TRY(pe_sql_integer(&machine, store, "SELECT machine FROM batches WHERE key = ?1",
			      ARGS(INT(batch)), err));
	for (size_t i = 0; i < run->n_samples; i++)
		PE_TRY(put_sample(store, key, machine, benchmark, &run->samples[i], err));
	if (run->modules != NULL)
		PE_TRY(pe_modules_put(store, machine, key, run->modules, err));
	if (run->calls.n > 0)
		PE_TRY(pe_calls_put(store, key, &run->calls, err));
	if (run->functions.n > 0)
		PE_TRY(pe_functions_put(store, key, benchmark, &run->functions, err));
	return pe_savepoint_keep(&savepoint);
}

/* By the cells of the batch, each of whose runs are found by the unique index. */
#define BATCH_VALUES                                                                               \
	"SELECT r.revision, r.benchmark, r.batch, r.kind, r.round, r.outcome, m.name, s.value"     \
	" FROM batch_cells c"                                                                      \
	" CROSS JOIN runs r ON r.benchmark = c.benchmark AND r.revision = c.revision"              \
	" AND r.batch = c.batch"                                                                   \
	" LEFT JOIN samples s ON s.run = r.key LEFT JOIN metrics m ON m.key = s.metric"            \
	" WHERE c.batch = ?1 ORDER BY r.benchmark, r.revision, r.round, s.metric"

int pe_store_batch_values(struct pe_observation **out, size_t *n, struct pe_store *store,
			  int64_t batch, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store, BATCH_VALUES, ARGS(INT(batch)),
			   PE_ROW_OF(struct pe_observation,
				     PE_MEMBERS(struct pe_observation, revision, benchmark, batch,
						kind, round, outcome),
				     PE_MAYBE(struct pe_observation, metric),
				     PE_MEMBERS(struct pe_observation, value)),
			   arena, err);
}
