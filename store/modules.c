/*
 * Modules: what counting runs executed from outside of the tree, each different set once, and the epochs of a benchmark. An
 * epoch ends where something was replaced (core/model/modules.h). Sets that stand in one batch of one session are of one
 * epoch, whatever the difference: the commits are at the cause of it, which install what they run. Unless runs of one
 * revision show both: then it was replaced in the middle of the batch.
 */
#include "store/sql.h"

#include <string.h>

/* A run that gets its epoch. */
struct run {
	int64_t key, machine, benchmark, batch, revision;
	int64_t set;
	const struct pe_module_set *modules;
	struct pe_store *store;
	struct pe_arena *arena;
};

static int put_set(struct run *run, struct pe_err *err)
{
	return pe_sql_once(&run->set, run->store,
			   "INSERT INTO module_sets (digest, modules) VALUES (digest(?1), ?1)"
			   " ON CONFLICT DO NOTHING",
			   "SELECT key FROM module_sets WHERE digest = digest(?1)",
			   ARGS(TEXT(pe_modules_pack(run->modules, run->arena))), err);
}

/* Whether one of the sets that a query gives conflicts with the run's. */
static int conflicts(bool *out, struct run *run, const char *query, const struct pe_sql_arg *args,
		     struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, run->store, query, args, err);

	*out = false;
	while (!*out && pe_sql_next(&rc, stmt, run->store, err)) {
		const struct pe_module_set old =
			pe_modules_unpack(pe_sql_string(stmt, 0), run->arena);

		*out = pe_modules_replaced(&old, run->modules);
	}
	pe_sql_close(stmt);
	return rc;
}

/* No real program has more sets of modules; received ones may be made up, and each costs time. */
#define SETS_OF_EPOCH                                                                              \
	"SELECT s.modules FROM module_epochs e JOIN module_sets s ON s.key = e.modules"            \
	" WHERE e.machine = ?1 AND e.benchmark = ?2 AND e.epoch = ?3 AND e.modules <> ?4"          \
	" ORDER BY s.key DESC LIMIT 256"

#define SETS_OF_REVISION                                                                           \
	"SELECT s.modules FROM runs r JOIN module_sets s ON s.key = r.modules"                     \
	" WHERE r.benchmark = ?1 AND r.revision = ?2 AND r.batch = ?3 AND r.modules <> ?4"         \
	" LIMIT 64"

#define MATES                                                                                      \
	"SELECT 1 FROM module_epochs e JOIN runs r ON r.modules = e.modules"                       \
	" AND r.batch = ?4 AND r.epoch = e.epoch AND r.benchmark = e.benchmark"                    \
	" AND r.started_s >= ?5 WHERE e.machine = ?1 AND e.benchmark = ?2 AND e.epoch = ?3"

/* Where it was replaced since the run before: the epoch that has the very same, or a new one. */
static int other_epoch(int64_t *epoch, struct run *run, int64_t than, struct pe_err *err)
{
	return pe_sql_integer(
		epoch, run->store,
		"SELECT coalesce(max(epoch) FILTER (WHERE modules = ?3 AND epoch <> ?4),"
		" max(epoch) + 1, 1) FROM module_epochs WHERE machine = ?1 AND benchmark = ?2",
		ARGS(INT(run->machine), INT(run->benchmark), INT(run->set), INT(than)), err);
}

/* It was replaced in the middle of a batch: what other revisions showed of it since is not of the epoch before. */
static int part(struct run *run, int64_t from, int64_t to, struct pe_err *err)
{
	return pe_sql_run(
		run->store,
		"UPDATE runs SET epoch = ?5 WHERE benchmark = ?1 AND batch = ?2"
		" AND modules = ?3 AND epoch = ?4",
		ARGS(INT(run->benchmark), INT(run->batch), INT(run->set), INT(from), INT(to)), err);
}

static int choose_epoch(int64_t *epoch, struct run *run, struct pe_err *err)
{
	const int64_t since_s = run->modules->since_s;
	int64_t now;
	bool mixed, known, replaced, mates;

	/* That of the run before. */
	PE_TRY(pe_sql_integer(
		&now, run->store,
		"SELECT coalesce((SELECT r.epoch FROM runs r JOIN batches w ON w.key = r.batch"
		" WHERE r.key BETWEEN ?2 << 32 AND ?3 - 1 AND r.epoch IS NOT NULL"
		" AND w.machine = ?1 ORDER BY r.key DESC LIMIT 1), 0)",
		ARGS(INT(run->machine), INT(run->benchmark), INT(run->key)), err));
	*epoch = now > 0 ? now : 1;
	if (now == 0)
		return PE_OK;
	PE_TRY(conflicts(
		&mixed, run, SETS_OF_REVISION,
		ARGS(INT(run->benchmark), INT(run->revision), INT(run->batch), INT(run->set)),
		err));
	if (mixed) {
		PE_TRY(other_epoch(epoch, run, now, err));
		return part(run, now, *epoch, err);
	}
	PE_TRY(pe_sql_exists(&known, run->store,
			     "SELECT 1 FROM module_epochs WHERE machine = ?1"
			     " AND benchmark = ?2 AND epoch = ?3 AND modules = ?4",
			     ARGS(INT(run->machine), INT(run->benchmark), INT(now), INT(run->set)),
			     err));
	if (known)
		return PE_OK;
	PE_TRY(conflicts(&replaced, run, SETS_OF_EPOCH,
			 ARGS(INT(run->machine), INT(run->benchmark), INT(now), INT(run->set)),
			 err));
	if (!replaced)
		return PE_OK;
	PE_TRY(pe_sql_exists(&mates, run->store, MATES,
			     ARGS(INT(run->machine), INT(run->benchmark), INT(now), INT(run->batch),
				  INT(since_s)),
			     err));
	return mates ? PE_OK : other_epoch(epoch, run, now, err);
}

int pe_modules_put(struct pe_store *store, int64_t machine, int64_t run,
		   const struct pe_module_set *modules, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct run one = {.key = run,
			  .machine = machine,
			  .benchmark = run >> 32,
			  .modules = modules,
			  .store = store,
			  .arena = &arena};
	int64_t epoch = 1;

	PE_TRY(pe_sql_integer(&one.batch, store, "SELECT batch FROM runs WHERE key = ?1",
			      ARGS(INT(run)), err));
	PE_TRY(pe_sql_integer(&one.revision, store, "SELECT revision FROM runs WHERE key = ?1",
			      ARGS(INT(run)), err));
	PE_TRY(put_set(&one, err));
	PE_TRY(choose_epoch(&epoch, &one, err));
	PE_TRY(pe_sql_run(store, "UPDATE runs SET modules = ?2, epoch = ?3 WHERE key = ?1",
			  ARGS(INT(run), INT(one.set), INT(epoch)), err));
	return pe_sql_run(store,
			  "INSERT INTO module_epochs (machine, benchmark, epoch, modules)"
			  " VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
			  ARGS(INT(machine), INT(one.benchmark), INT(epoch), INT(one.set)), err);
}

/* Keys of its runs that show an epoch. */
#define SHOWN                                                                                      \
	" FROM runs r JOIN batches w ON w.key = r.batch AND w.machine = ?1"                        \
	" WHERE r.key BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295 AND r.epoch IS NOT NULL"

/* Below zero as long as two numbers may meet. */
#define RENUMBER                                                                                   \
	"WITH begun AS MATERIALIZED (SELECT r.epoch AS epoch, min(r.started_s) AS s" SHOWN         \
	" GROUP BY r.epoch), numbered AS MATERIALIZED (SELECT epoch,"                              \
	" row_number() OVER (ORDER BY s, epoch) AS n FROM begun)"

int pe_modules_number(struct pe_store *store, int64_t machine, int64_t benchmark,
		      struct pe_err *err)
{
	static const char *const steps[] = {
		RENUMBER " UPDATE runs SET epoch = -(SELECT n FROM numbered"
			 " WHERE numbered.epoch = runs.epoch) WHERE key IN (SELECT r.key" SHOWN ")",
		"DELETE FROM module_epochs WHERE machine = ?1 AND benchmark = ?2",
		"INSERT INTO module_epochs (machine, benchmark, epoch, modules)"
		" SELECT DISTINCT ?1, ?2, -r.epoch, r.modules" SHOWN,
		"UPDATE runs SET epoch = -epoch WHERE key IN (SELECT r.key" SHOWN ")",
	};
	const struct pe_sql_arg *const args = ARGS(INT(machine), INT(benchmark));
	int64_t disorder;

	PE_TRY(pe_sql_integer(&disorder, store,
			      RENUMBER " SELECT count(*) FROM numbered a JOIN numbered b"
				       " ON b.n = a.n + 1 WHERE a.epoch > b.epoch",
			      args, err));
	for (size_t i = 0; disorder > 0 && i < sizeof(steps) / sizeof(*steps); i++)
		PE_TRY(pe_sql_run(store, steps[i], args, err));
	return PE_OK;
}

int pe_store_latest_epoch(unsigned *out, struct pe_store *store, int64_t machine, int64_t benchmark,
			  struct pe_err *err)
{
	int64_t epoch = 0;
	int rc = pe_sql_integer(&epoch, store,
				"SELECT coalesce(r.epoch, 1) FROM runs r"
				" WHERE r.key BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295"
				" AND r.kind = 1 AND r.outcome = 0 AND r.batch IN (SELECT key"
				" FROM batches WHERE machine = ?1 AND NOT aside)"
				" ORDER BY r.key DESC LIMIT 1",
				ARGS(INT(machine), INT(benchmark)), err);

	*out = (unsigned)epoch;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}
