/*
 * Results of others, from arbitrary bytes into a store that has measured itself. Whatever comes in, no row of the machine
 * that was measured on here changes, nor any commit.
 */
#include "exchange/results.h"
#include "profile/cct.h"
#include "store/exchange.h"
#include "store/sql.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW_S INT64_C(1700100000)
#define OWN   "ffeeddccbbaa99887766554433221100" /* the seeds have another */

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

enum { COMMITS = 2 };

static struct pe_store *store;
static int64_t commits[COMMITS];
static char *ours;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int rc, const struct pe_err *err)
{
	if (rc == PE_OK)
		return;
	fprintf(stderr, "%s\n", err->message);
	abort();
}

static char *ask(struct pe_err *err)
{
	sqlite3_stmt *stmt;
	char *found = NULL;

	must(pe_sql_open(&stmt, store, OURS, NULL, err), err);
	if (pe_sql_row(stmt, store, err) > 0)
		found = strdup((const char *)sqlite3_column_text(stmt, 0));
	pe_sql_close(stmt);
	if (found == NULL)
		abort();
	return found;
}

/* What the seeds have of another machine. */
static void put_profile(int64_t machine, int64_t benchmark, struct pe_err *err)
{
	const struct pe_stored_profile profile = {
		.machine = machine,
		.benchmark = benchmark,
		.revision = "1111111111111111111111111111111111111111",
		.kind = "counting",
		.taken_s = NOW_S - 1,
	};
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	const struct pe_cct *tree;
	int64_t key;

	pe_cct_builder_child(builder, 0, pe_frames_add_method(&frames, "probe", "a.c"), 0);
	tree = pe_cct_builder_finish(builder, &(struct pe_cct_facts){.source = "counting"}, &arena);
	must(pe_store_put_profile(&key, store, &profile, &tree, 1, err), err);
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

/* A machine, two commits, a profile, and a run of each with every built-in metric. */
static void measure(struct pe_err *err)
{
	const struct pe_machine machine = {.hostname = "here", .fingerprint = OWN};
	struct pe_batch_cell cells[COMMITS];
	struct pe_batch batch = {.created_s = NOW_S, .cells = cells, .n_cells = COMMITS};
	struct pe_run run = {.started_s = NOW_S, .n_samples = PE_N_METRICS};
	int64_t benchmark;

	must(pe_store_put_machine(&batch.machine, store, &machine, err), err);
	must(pe_sql_run(store,
			"INSERT INTO benchmarks (name, version, generation, definition, is_test)"
			" VALUES ('parse', '0123456789abcdef0123456789abcdef', 1, '{}', 0)",
			NULL, err),
	     err);
	benchmark = 1;
	for (size_t i = 0; i < COMMITS; i++) {
		struct pe_revision revision = {.time_s = 1, .author = "a", .subject = "s"};

		memset(revision.id, (int)('1' + i), PE_OID_HEX - 1);
		must(pe_store_put_revision(&commits[i], store, &revision, err), err);
		cells[i] = (struct pe_batch_cell){commits[i], benchmark, PE_ROLE_NEW, 1};
	}
	must(pe_store_put_batch(store, &batch, err), err);
	put_profile(batch.machine, benchmark, err);
	for (size_t m = 0; m < PE_N_METRICS; m++)
		run.samples[m] =
			(struct pe_sample){.metric = &pe_metrics[m], .value = 1 + (double)m};
	for (size_t i = 0; i < COMMITS; i++)
		must(pe_store_put_run(store, batch.key, commits[i], benchmark, &run, err), err);
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
	struct pe_arena arena = PE_ARENA_INIT;
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
	pe_arena_release(&arena);
	return 0;
}
