/*
 * Results of others, from arbitrary bytes into a store that has measured itself. Whatever comes in, no row of the machine
 * that was measured on here changes, nor any commit.
 */
#include "measured.h"

#include "store/exchange/results.h"
#include "store/exchange.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OURS                                                                                         \
	"SELECT (SELECT group_concat(key || fingerprint || origin) FROM machines WHERE origin = '')" \
	" || (SELECT group_concat(b.key || b.machine || b.created_s || b.seed || b.aside)"           \
	" FROM batches b JOIN machines m ON m.key = b.machine WHERE m.origin = '')"                  \
	" || (SELECT group_concat(r.key || r.revision || r.outcome || s.metric || s.value)"          \
	" FROM runs r JOIN batches b ON b.key = r.batch JOIN machines m ON m.key = b.machine"        \
	" JOIN samples s ON s.run = r.key WHERE m.origin = '')"                                      \
	" || (SELECT group_concat(c.batch || c.revision || c.role || c.rounds || c.enough)"          \
	" FROM batch_cells c JOIN batches b ON b.key = c.batch"                                      \
	" JOIN machines m ON m.key = b.machine WHERE m.origin = '')"                                 \
	" || (SELECT count(*) FROM builds b JOIN machines m ON m.key = b.machine"                    \
	" WHERE m.origin = '') || (SELECT count(*) FROM confirmations c"                             \
	" JOIN machines m ON m.key = c.machine WHERE m.origin = '')"                                 \
	" || (SELECT count(*) FROM reused c JOIN machines m ON m.key = c.machine"                    \
	" WHERE m.origin = '') || (SELECT group_concat(p.key || p.revision || p.taken_s || t.nodes)" \
	" FROM profiles p JOIN trees t ON t.profile = p.key JOIN machines m ON m.key = p.machine"    \
	" WHERE m.origin = '') || (SELECT group_concat(name || generation || version || definition)" \
	" FROM benchmarks WHERE key = 1) || (SELECT group_concat(name || unit || kind || better)"    \
	" FROM metrics WHERE benchmark = '') || (SELECT group_concat(id || time_s || author"         \
	" || subject) FROM revisions)"

static char *ours;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *ask(struct pe_err *err)
{
	sqlite3_stmt *stmt;
	char *found = NULL;
	int rc = pe_sql_open(&stmt, store, OURS, NULL, err);

	if (pe_sql_next(&rc, stmt, store, err))
		found = strdup((const char *)sqlite3_column_text(stmt, 0));
	pe_sql_close(stmt);
	must(rc, err);
	if (found == NULL)
		abort();
	return found;
}

static void open_store(struct pe_err *err)
{
	char dir[] = "/tmp/perfevo-fuzz.XXXXXX", path[64];

	if (mkdtemp(dir) == NULL)
		abort();
	snprintf(path, sizeof(path), "%s/store.db", dir);
	must(pe_store_open(&store, path, 0, err), err);
	measure(err);
	ours = ask(err);
}

static void take(const struct pe_results *results, struct pe_arena *arena, struct pe_err *err)
{
	int64_t *keys = pe_arena_new(arena, int64_t, results->n_revisions);
	int64_t *times_s = pe_arena_new(arena, int64_t, results->n_revisions);
	const struct pe_results_source source = {
		.origin = PE_UNSIGNED, .remote = "hub", .revisions = keys};
	struct pe_results_sum sum = {0};

	/* The third is not here. */
	for (size_t i = 0; i < results->n_revisions; i++) {
		keys[i] = i % 3 < COMMITS ? commits[i % 3] : 0;
		times_s[i] = keys[i] != 0 ? 1 : INT64_MIN;
	}
	if (pe_results_check(results, times_s, NOW_S, err) == PE_OK)
		pe_store_take_in(&sum, store, results, &source, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_results results;
	char *now;

	if (store == NULL)
		open_store(&err);
	must(pe_store_begin(store, &err), &err);
	if (pe_results_read(&results, (const char *)data, size, &arena, &err) == PE_OK) {
		take(&results, &arena, &err);
		now = ask(&err);
		if (strcmp(now, ours) != 0) {
			fprintf(stderr, "before: %s\nafter: %s\n", ours, now);
			abort();
		}
		free(now);
	}
	pe_store_rollback(store);
	return 0;
}
