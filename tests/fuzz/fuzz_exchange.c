/*
 * Results of others, from arbitrary bytes into a store that has measured itself. Whatever comes in, no row of the machine
 * that was measured on here changes, nor any commit.
 */
#include "measured.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	const struct pe_results_source source = {
		.origin = PE_UNSIGNED, .remote = "hub", .now_s = NOW_S};
	struct pe_results_sum sum = {0};
	struct pe_results results;
	const char *text = pe_arena_strndup(&arena, (const char *)data, size);
	char *now;

	if (store == NULL)
		open_store(&err);
	must(pe_store_begin(store, &err), &err);
	if (pe_results_read(&results, store, text, &arena, &err) == PE_OK) {
		pe_store_take_in(&sum, store, &source, &err);
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
