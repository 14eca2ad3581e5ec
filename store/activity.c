/* Activity: what a track that is at work has reached, for those who look on. */
#include "store/sql.h"

int pe_store_put_activity(struct pe_store *store, int64_t machine,
			  const struct pe_activity *activity, struct pe_err *err)
{
	return pe_sql_run(store,
			  "INSERT INTO activity (machine, since_s, known, revisions)"
			  " VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET"
			  " since_s = excluded.since_s, known = excluded.known,"
			  " revisions = excluded.revisions",
			  ARGS(INT(machine), INT(activity->since_s), INT((int64_t)activity->known),
			       INT((int64_t)activity->revisions)),
			  err);
}

int pe_store_drop_activity(struct pe_store *store, int64_t machine, struct pe_err *err)
{
	return pe_sql_run(store, "DELETE FROM activity WHERE machine = ?1", ARGS(INT(machine)),
			  err);
}

int pe_store_get_activity(struct pe_activity *out, struct pe_store *store, struct pe_err *err)
{
	const int rc =
		pe_sql_one(out, store,
			   "SELECT since_s, known, revisions FROM activity"
			   " ORDER BY since_s DESC LIMIT 1",
			   NULL, PE_ROW(struct pe_activity, since_s, known, revisions), NULL, err);

	return rc == PE_ENOTFOUND ? PE_OK : rc;
}
