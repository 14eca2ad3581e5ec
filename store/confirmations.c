/* Confirmations: suspected changes, the results of their fresh runs, and the batches that pin them. */
#include "store/sql.h"

static int insert(struct pe_store *store, struct pe_stored_confirmation *c, int64_t metric,
		  struct pe_err *err)
{
	int64_t number = (int64_t)c->number;

	if (number == 0)
		PE_TRY(pe_sql_integer(&number, store,
				      "SELECT coalesce(max(number), 0) + 1 FROM confirmations"
				      " WHERE machine = ?1",
				      ARGS(INT(c->machine)), err));

	PE_TRY(pe_sql_run(store,
			  "INSERT INTO confirmations (machine, benchmark, metric, before, after,"
			  " first, last, batch, number, direction, accept, give_up, suspected,"
			  " min_effect, margin, unit, begun_s, answer, pairs, more, known_after,"
			  " settled) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, 0), ?9, ?10,"
			  " ?11, ?12, ?13, ?14, ?15, ?16, ?17, 0, 0, 0, 0, 0)",
			  ARGS(INT(c->machine), INT(c->benchmark), INT(metric), INT(c->before),
			       INT(c->after), INT(c->first), INT(c->last), INT(c->batch),
			       INT(number), INT(c->direction), REAL(c->opts.accept),
			       REAL(c->opts.give_up), REAL(c->opts.suspected),
			       REAL(c->opts.min_effect), REAL(c->opts.margin), REAL(c->opts.unit),
			       INT(c->begun_s)),
			  err));
	c->key = sqlite3_last_insert_rowid(store->db);
	c->number = (size_t)number;
	return PE_OK;
}

static int update(struct pe_store *store, const struct pe_stored_confirmation *c,
		  struct pe_err *err)
{
	const struct pe_confirm_result *result = &c->result;

	/* NaN and the infinities of what was not told become NULL. */
	return pe_sql_run(
		store,
		"UPDATE confirmations SET answer = ?2, pairs = ?3, relative = ?4, low = ?5, high = "
		"?6,"
		" confidence = ?7, p = ?8, least = ?9, more = ?10, known_after = ?11,"
		" pinned_before = nullif(?12, 0), pinned_after = nullif(?13, 0),"
		" pinned_first = nullif(?14, 0), pinned_last = nullif(?15, 0), sure = ?16,"
		" settled = ?17, batch = nullif(?18, 0), accept = ?19, layout = ?20 WHERE key = "
		"?1",
		ARGS(INT(c->key), INT(c->answer), INT((int64_t)result->pairs),
		     REAL(result->relative), REAL(result->low), REAL(result->high),
		     REAL(result->confidence), REAL(result->p), REAL(result->least),
		     INT((int64_t)result->more), INT((int64_t)c->known_after),
		     INT(c->pinned_before), INT(c->pinned_after), INT(c->pinned_first),
		     INT(c->pinned_last), REAL(c->sure), INT(c->settled), INT(c->batch),
		     REAL(c->opts.accept), INT(c->layout)),
		err);
}

int pe_store_put_confirmation(struct pe_store *store, struct pe_stored_confirmation *confirmation,
			      struct pe_err *err)
{
	const struct pe_series_query series = {confirmation->machine, confirmation->benchmark,
					       confirmation->metric};
	int64_t metric;
	int rc;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	rc = pe_series_metric(&metric, store, &series, err);
	if (rc == PE_ENOTFOUND)
		return pe_fail(err, PE_ESTORE, "%s: benchmark %lld has no values of %s to confirm",
			       store->path, (long long)series.benchmark, series.metric);
	PE_TRY(rc);
	PE_TRY(confirmation->key == 0 ? insert(store, confirmation, metric, err)
				      : update(store, confirmation, err));
	return pe_savepoint_keep(&savepoint);
}

#define CONFIRMATIONS                                                                              \
	"SELECT c.key, c.machine, c.benchmark, m.name, c.before, c.after, c.first, c.last,"        \
	" c.batch, c.number, c.direction, c.accept, c.give_up, c.suspected, c.min_effect,"         \
	" c.margin, c.unit, c.begun_s, c.answer, c.pairs, c.relative, c.low, c.high,"              \
	" c.confidence, c.p, c.least, c.more, c.known_after, c.pinned_before, c.pinned_after,"     \
	" c.pinned_first, c.pinned_last, c.sure, c.settled, c.layout"                              \
	" FROM confirmations c JOIN metrics m ON m.key = c.metric"                                 \
	" WHERE c.machine = ?1 ORDER BY c.number, c.key"

int pe_store_confirmations(struct pe_stored_confirmation **out, size_t *n, struct pe_store *store,
			   int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	typedef struct pe_stored_confirmation row;

	return pe_sql_rows(
		out, n, store, CONFIRMATIONS, ARGS(INT(machine)),
		PE_ROW_OF(row,
			  PE_MEMBERS(row, key, machine, benchmark, metric, before, after, first,
				     last, batch, number, direction),
			  PE_MEMBERS(row, opts.accept, opts.give_up, opts.suspected,
				     opts.min_effect, opts.margin, opts.unit, begun_s, answer),
			  PE_MEMBERS(row, result.pairs, result.relative, result.low, result.high,
				     result.confidence, result.p, result.least, result.more),
			  PE_MEMBERS(row, known_after, pinned_before, pinned_after, pinned_first,
				     pinned_last, sure, settled, layout)),
		arena, err);
}

/* The median of each side: the mean of the one or two values in its middle. */
#define MEDIANS                                                                                    \
	"WITH side AS (SELECT c.role AS role, s.value AS value,"                                   \
	" row_number() OVER (PARTITION BY c.role ORDER BY s.value) AS i,"                          \
	" count(*) OVER (PARTITION BY c.role) AS n"                                                \
	" FROM batch_cells c JOIN runs r ON r.benchmark = c.benchmark"                             \
	" AND r.revision = c.revision AND r.batch = c.batch AND r.kind = 0"                        \
	" JOIN samples s ON s.run = r.key JOIN metrics m ON m.key = s.metric"                      \
	" WHERE c.batch = ?1 AND c.benchmark = ?2 AND m.name = ?3)"                                \
	" SELECT avg(value) FILTER (WHERE role = ?4), avg(value) FILTER (WHERE role = ?5)"         \
	" FROM side WHERE i IN ((n + 1) / 2, n / 2 + 1)"

int pe_store_pair_medians(double medians[2], struct pe_store *store, int64_t batch,
			  int64_t benchmark, const char *metric, struct pe_err *err)
{
	struct sides {
		double left, right; /* NaN: there is no value */
	} sides;

	PE_TRY(pe_sql_one(&sides, store, MEDIANS,
			  ARGS(INT(batch), INT(benchmark), TEXT(metric), INT(PE_ROLE_LEFT),
			       INT(PE_ROLE_RIGHT)),
			  PE_ROW(struct sides, left, right), NULL, err));
	medians[0] = sides.left;
	medians[1] = sides.right;
	return PE_OK;
}

int pe_store_put_pin(struct pe_store *store, int64_t confirmed_by, int64_t batch,
		     struct pe_err *err)
{
	return pe_sql_run(store, "INSERT INTO pins (batch, confirmed_by) VALUES (?1, ?2)",
			  ARGS(INT(batch), INT(confirmed_by)), err);
}

int pe_store_pins(int64_t **out, size_t *n, struct pe_store *store, int64_t confirmed_by,
		  struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_integers(out, n, store,
			       "SELECT batch FROM pins WHERE confirmed_by = ?1 ORDER BY batch",
			       ARGS(INT(confirmed_by)), arena, err);
}
