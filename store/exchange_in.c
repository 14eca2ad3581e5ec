/*
 * Import of the document that was read last (exchange_read.c). All rows hang off a machine, and each origin has machines of
 * its own here, found by the fingerprint that it claims: results of one origin reach no row of another's, least of all of
 * this store's own. Revisions are those of this store's own repository. Rows that exist stay as they are.
 */
#include "store/exchange_sql.h"

#include "core/model/batch.h"

#include <math.h>
#include <string.h>

/* Confirmations of a bundle that their runs refute: those after them are left out untested. */
enum { MOST_MISSES = 64 };

extern const char pe_schema_take_in[];

struct taking {
	struct pe_store *store;
	const struct pe_results_source *source;
	struct pe_results_sum *sum;
	struct pe_err *err;
	int64_t machine;
	struct pe_arena arena;
};

/* PE_ESTOPPED once the user asked for it. */
static int listen(const struct taking *taking)
{
	const volatile sig_atomic_t *interrupts = taking->source->interrupts;

	return interrupts != NULL && *interrupts > 0
		       ? pe_fail(taking->err, PE_ESTOPPED,
				 "interrupted: run 'perfevo pull' again for the rest")
		       : PE_OK;
}

/* --- Machines and benchmarks --- */

int pe_store_is_own(bool *out, struct pe_store *store, const char *fingerprint, struct pe_err *err)
{
	return pe_sql_exists(out, store,
			     "SELECT 1 FROM machines WHERE origin = '' AND fingerprint = ?1",
			     ARGS(TEXT(fingerprint)), err);
}

static int check_machine(const struct taking *taking)
{
	const struct pe_results_source *source = taking->source;
	bool own;

	PE_TRY(pe_sql_exists(&own, taking->store,
			     "SELECT 1 FROM machines JOIN doc_machine USING (fingerprint)"
			     " WHERE origin = ''",
			     NULL, taking->err));
	if (source->node != NULL && !own)
		return pe_fail(taking->err, PE_EINVALID,
			       "the results are of a machine that is not of this farm");
	if (source->node == NULL && (own || source->origin[0] == '\0'))
		return pe_fail(taking->err, PE_EINVALID,
			       "the results are of a machine that was measured here");
	return PE_OK;
}

/* --- Rows --- */

static int take_rows(struct taking *taking)
{
	typedef struct pe_results_sum row;
	struct pe_results_sum taken;

	PE_TRY(pe_sql_script(taking->store, pe_schema_take_in, taking->err));
	PE_TRY(pe_sql_one(&taken, taking->store,
			  "SELECT batches, runs, builds, reused FROM doc_source", NULL,
			  PE_ROW(row, batches, runs, builds, reused), NULL, taking->err));
	pe_results_sum_add(taking->sum, &taken);
	PE_TRY(pe_sql_integer(&taking->machine, taking->store, "SELECT machine FROM doc_source",
			      NULL, taking->err));
	return listen(taking);
}

/* A custom metric belongs to the benchmark whose samples refer to it. */
struct metric_of {
	int64_t benchmark, metric, run;
	struct pe_metric is;
	double least;
};

/* Times and counts are not negative, and a run takes a while. */
static int take_metric(const struct taking *taking, const struct metric_of *of)
{
	int64_t key;

	if (pe_metric_find(of->is.name) != NULL &&
	    (of->least < 0 || (of->least == 0 && strcmp(of->is.name, "wall") == 0)))
		return pe_fail(taking->err, PE_EINVALID, "row %lld of 'runs': %s cannot be %g",
			       (long long)of->run, of->is.name, of->least);
	PE_TRY(pe_metric_key(&key, taking->store, of->benchmark, &of->is, taking->err));
	return pe_sql_run(
		taking->store,
		"INSERT INTO doc_metric_keys (benchmark, metric, key) VALUES (?1, ?2, ?3)",
		ARGS(INT(of->benchmark), INT(of->metric), INT(key)), taking->err);
}

static int take_metrics(struct taking *taking)
{
	typedef struct metric_of row;
	struct metric_of *metrics;
	size_t n;

	PE_TRY(pe_sql_rows(&metrics, &n, taking->store,
			   "SELECT k.benchmark, m.row, k.row, m.name, m.unit, m.label, m.better,"
			   " m.kind, m.min_relative, m.min_absolute, min(s.value) FROM doc_keys k"
			   " JOIN doc_samples s ON s.run = k.row JOIN doc_metrics m"
			   " ON m.row = s.metric GROUP BY k.benchmark, m.row",
			   NULL,
			   PE_ROW(row, benchmark, metric, run, is.name, is.unit, is.label,
				  is.better, is.kind, is.min_relative, is.min_absolute, least),
			   &taking->arena, taking->err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(take_metric(taking, &metrics[i]));
	return PE_OK;
}

/* The modules that counting runs executed, in the order in which these were made: one was replaced from one of them on. */
struct modules_of {
	int64_t run, since_s;
	const char *lines;
};

/* Each is compared with others of its revision: no batch counts as often as 256 times. */
static int take_modules(struct taking *taking)
{
	struct modules_of *runs;
	int64_t *benchmarks;
	size_t n, n_benchmarks;

	PE_TRY(pe_sql_rows(&runs, &n, taking->store,
			   "SELECT k.key, r.since_s, m.lines FROM doc_keys k JOIN doc_runs r"
			   " ON r.row = k.row JOIN doc_module_sets m ON m.row = r.modules"
			   " WHERE r.kind = 1 AND r.round < 256 ORDER BY r.sequence, r.row",
			   NULL, PE_ROW(struct modules_of, run, since_s, lines), &taking->arena,
			   taking->err));
	for (size_t i = 0; i < n; i++) {
		struct pe_module_set set = pe_modules_unpack(runs[i].lines, &taking->arena);

		set.since_s = runs[i].since_s;
		PE_TRY(listen(taking));
		PE_TRY(pe_modules_put(taking->store, taking->machine, runs[i].run, &set,
				      taking->err));
	}
	PE_TRY(pe_sql_integers(&benchmarks, &n_benchmarks, taking->store,
			       "SELECT DISTINCT key FROM doc_known"
			       " WHERE EXISTS (SELECT 1 FROM doc_module_sets)",
			       NULL, &taking->arena, taking->err));
	for (size_t i = 0; i < n_benchmarks; i++)
		PE_TRY(pe_modules_number(taking->store, taking->machine, benchmarks[i],
					 taking->err));
	return PE_OK;
}

static int take_samples(struct taking *taking)
{
	PE_TRY(take_metrics(taking));
	PE_TRY(pe_sql_run(taking->store,
			  "INSERT INTO samples (run, metric, value) SELECT k.key, m.key, s.value"
			  " FROM doc_keys k JOIN doc_samples s ON s.run = k.row JOIN"
			  " doc_metric_keys m ON m.benchmark = k.benchmark AND m.metric = s.metric"
			  " WHERE true ON CONFLICT DO NOTHING",
			  NULL, taking->err));
	return pe_sql_run(taking->store,
			  "INSERT INTO series (machine, benchmark, metric) SELECT ?1, benchmark,"
			  " key FROM doc_metric_keys WHERE true ON CONFLICT DO NOTHING",
			  ARGS(INT(taking->machine)), taking->err);
}

/* --- Confirmations: tested again on their runs, never believed --- */

/* One of the document whose commits are here; those that its runs decide it by. */
struct claim {
	struct pe_stored_confirmation is;
	uint64_t seed;
	int64_t metric_key; /* 0: the series has none */
	int64_t revisions[6];
	struct pe_confirm_sides sides; /* positions in revisions */
};

static int read_sides(struct claim *claim, const struct taking *taking)
{
	struct pe_confirm_sides *sides = &claim->sides;
	size_t n = 0;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, taking->store,
			     "SELECT revision, role FROM batch_cells WHERE batch = ?1"
			     " AND benchmark = ?2 AND role IN (2, 3) ORDER BY position LIMIT 6",
			     ARGS(INT(claim->is.batch), INT(claim->is.benchmark)), taking->err);

	while (pe_sql_next(&rc, stmt, taking->store, taking->err)) {
		const bool left = sqlite3_column_int(stmt, 1) == PE_ROLE_LEFT;
		size_t *const count = left ? &sides->n_left : &sides->n_right;

		claim->revisions[n] = sqlite3_column_int64(stmt, 0);
		if (*count < 3)
			(left ? sides->left : sides->right)[(*count)++] = n++;
	}
	pe_sql_close(stmt);
	return rc;
}

/* Of all rounds and sides at once; NaN: there is none. */
static int read_values(double (*out)[6], const struct claim *claim, const struct taking *taking)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, taking->store,
		"SELECT r.revision, r.round, s.value FROM batch_cells c JOIN runs r ON"
		" r.benchmark = c.benchmark AND r.revision = c.revision AND r.batch = c.batch"
		" AND r.kind IN (0, 1) AND r.round < ?3 JOIN samples s ON s.run = r.key"
		" AND s.metric = ?4 WHERE c.benchmark = ?1 AND c.batch = ?2 AND c.role IN (2, 3)"
		" ORDER BY r.kind DESC",
		ARGS(INT(claim->is.benchmark), INT(claim->is.batch), INT(PE_CONFIRM_ROUNDS),
		     INT(claim->metric_key)),
		taking->err);

	for (size_t i = 0; i < PE_CONFIRM_ROUNDS * (size_t)6; i++)
		out[i / 6][i % 6] = NAN;
	while (pe_sql_next(&rc, stmt, taking->store, taking->err)) {
		const int64_t round = sqlite3_column_int64(stmt, 1);

		for (size_t side = 0; round >= 0 && side < 6; side++)
			if (claim->revisions[side] == sqlite3_column_int64(stmt, 0))
				out[round][side] = sqlite3_column_double(stmt, 2);
	}
	pe_sql_close(stmt);
	return rc;
}

/* Feed the pairs in the order in which they were planned, as the session did that measured them. */
static int confirm_again(struct pe_confirm *out, struct claim *claim, const struct taking *taking)
{
	double values[PE_CONFIRM_ROUNDS][6];
	int rc = read_sides(claim, taking);

	pe_confirm_begin(out, claim->is.direction, &claim->is.opts);
	if (rc != PE_OK || claim->sides.n_left == 0 || claim->sides.n_right == 0)
		return rc;
	rc = read_values(values, claim, taking);
	for (unsigned k = 0; rc == PE_OK && k < PE_CONFIRM_ROUNDS && pe_confirm_needed(out) > 0;
	     k++) {
		const struct pe_confirm_pair pair = pe_confirm_pair(&claim->sides, k, claim->seed);

		pe_confirm_feed(out, values[k][pair.left], values[k][pair.right]);
	}
	if (out->answer == PE_CONFIRM_GO_ON && out->n > 0)
		out->answer = PE_CONFIRM_UNDECIDED;
	return rc;
}

static int put_claim(struct taking *taking, struct claim *claim, const struct pe_confirm *found)
{
	PE_TRY(pe_store_put_confirmation(taking->store, &claim->is, taking->err));
	claim->is.result = pe_confirm_result(found);
	claim->is.settled = true;
	taking->sum->confirmations++;
	return pe_store_put_confirmation(taking->store, &claim->is, taking->err);
}

/* One confirmation a metric and batch, since the same runs give one result. */
static int take_claim(struct taking *taking, struct claim *claim)
{
	struct pe_confirm found = {.answer = PE_CONFIRM_GO_ON};
	bool known;

	PE_TRY(listen(taking));
	PE_TRY(pe_sql_exists(
		&known, taking->store,
		"SELECT 1 FROM confirmations WHERE batch = ?1 AND benchmark = ?2 AND metric = ?3",
		ARGS(INT(claim->is.batch), INT(claim->is.benchmark), INT(claim->metric_key)),
		taking->err));
	if (known)
		return PE_OK;
	if (claim->is.batch != 0 && claim->metric_key != 0 && taking->sum->misses < MOST_MISSES) {
		PE_TRY(confirm_again(&found, claim, taking));
		if (found.answer == claim->is.answer)
			return put_claim(taking, claim, &found);
		taking->sum->misses++;
	}
	taking->sum->unproved++;
	return PE_OK;
}

#define CLAIMS                                                                                     \
	"SELECT ?1, b.key, m.name, v.key, w.key, x.key, y.key, (SELECT key FROM batches"           \
	" WHERE machine = ?1 AND created_s = c.created_s AND seed = c.seed), c.direction,"         \
	" c.begun_s, c.answer, c.known_after, c.accept, c.give_up, c.suspected, c.min_effect,"     \
	" c.margin, c.unit, v_.key, w_.key, x_.key, y_.key,"                                       \
	" iif(c.pinned_before IS NULL, NULL, c.sure), c.layout, c.seed, (SELECT k.key FROM"        \
	" series s JOIN metrics k ON k.key = s.metric WHERE s.machine = ?1"                        \
	" AND s.benchmark = b.key AND k.name = m.name) FROM doc_confirmations c"                   \
	" JOIN doc_known b ON b.row = c.benchmark JOIN doc_metrics m ON m.row = c.metric"          \
	" JOIN doc_here v ON v.row = c.before JOIN doc_here w ON w.row = c.after"                  \
	" JOIN doc_here x ON x.row = c.first JOIN doc_here y ON y.row = c.last"                    \
	" LEFT JOIN doc_here v_ ON v_.row = c.pinned_before"                                       \
	" LEFT JOIN doc_here w_ ON w_.row = c.pinned_after"                                        \
	" LEFT JOIN doc_here x_ ON x_.row = c.pinned_first"                                        \
	" LEFT JOIN doc_here y_ ON y_.row = c.pinned_last WHERE c.created_s IS NOT NULL"           \
	" AND (c.pinned_before IS NULL OR v_.key + w_.key + x_.key + y_.key IS NOT NULL)"          \
	" ORDER BY c.row"

static int take_claims(struct taking *taking)
{
	typedef struct claim row;
	struct claim *claims;
	size_t n;

	PE_TRY(pe_sql_rows(
		&claims, &n, taking->store, CLAIMS, ARGS(INT(taking->machine)),
		PE_ROW_OF(row,
			  PE_MEMBERS(row, is.machine, is.benchmark, is.metric, is.before, is.after,
				     is.first, is.last, is.batch, is.direction, is.begun_s,
				     is.answer, is.known_after),
			  PE_MEMBERS(row, is.opts.accept, is.opts.give_up, is.opts.suspected,
				     is.opts.min_effect, is.opts.margin, is.opts.unit,
				     is.pinned_before, is.pinned_after, is.pinned_first,
				     is.pinned_last, is.sure, is.layout),
			  PE_MEMBERS(row, seed, metric_key)),
		&taking->arena, taking->err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(take_claim(taking, &claims[i]));
	return PE_OK;
}

/* --- A document --- */

static int take_in(struct taking *taking)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, taking->store, taking->err));
	PE_TRY(take_rows(taking));
	PE_TRY(take_samples(taking));
	PE_TRY(take_modules(taking));
	PE_TRY(take_claims(taking));
	PE_TRY(pe_take_profiles(taking->sum, taking->store, taking->machine, taking->err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_take_in(struct pe_results_sum *sum, struct pe_store *store,
		     const struct pe_results_source *source, struct pe_err *err)
{
	struct taking taking = {
		.store = store, .source = source, .sum = sum, .err = err, .arena = PE_ARENA_INIT};
	const bool alone = !store->in_transaction;
	int rc;

	PE_TRY(check_machine(&taking));
	PE_TRY(pe_sql_run(
		store,
		"INSERT OR REPLACE INTO doc_source (row, origin, remote, public_key, node,"
		" now_s) VALUES (0, ?1, ?2, ?3, ?4, ?5)",
		ARGS(TEXT(source->node != NULL ? "" : source->origin), TEXT(source->remote),
		     TEXT(source->public_key), TEXT(source->node), INT(source->now_s)),
		err));
	PE_TRY(pe_results_rule(store, "SELECT name, row, rule FROM doc_untrue LIMIT 1", err));
	/* The calls that it is made of are scopes themselves, which stand inside a transaction only. */
	if (alone)
		PE_TRY(pe_store_begin(store, err));
	rc = take_in(&taking);
	pe_arena_release(&taking.arena);
	if (alone && rc == PE_OK)
		rc = pe_store_commit(store, err);
	else if (alone)
		pe_store_rollback(store);
	return rc;
}
