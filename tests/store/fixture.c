#include "fixture.h"

#include "core/base/text.h"
#include "tests/support/test.h"

#include <dirent.h>

void fixture_open(struct fixture *fixture)
{
	const char *tmp = getenv("TMPDIR");

	memset(fixture, 0, sizeof(*fixture));
	if (tmp == NULL || strlen(tmp) > 32)
		tmp = "/tmp";
	snprintf(fixture->dir, sizeof(fixture->dir), "%s/perfevo-store-XXXXXX", tmp);
	cr_assert_not_null(mkdtemp(fixture->dir));
	snprintf(fixture->path, sizeof(fixture->path), "%s/perfevo.db", fixture->dir);
	fixture_reopen(fixture, 0);
}

void fixture_reopen(struct fixture *fixture, unsigned flags)
{
	int rc;

	pe_store_close(fixture->store);
	rc = pe_store_open(&fixture->store, fixture->path, flags, &fixture->err);
	cr_assert_ok(rc, fixture->err.message);
}

void fixture_open_filled(struct fixture *fixture)
{
	fixture_open(fixture);
	fixture->machine = fixture_machine(fixture, "alpha");
	for (unsigned i = 0; i < N_REVISIONS; i++)
		fixture->revisions[i] = fixture_revision(fixture, i);
	fixture->benchmarks[0] = fixture_benchmark(fixture, "parse", "v1");
	fixture->benchmarks[1] = fixture_benchmark(fixture, "sort", "v1");
	fixture->batch = fixture_batch(fixture, fixture->machine);
}

void fixture_close(struct fixture *fixture)
{
	DIR *dir;
	struct dirent *entry;

	pe_store_close(fixture->store);
	fixture->store = NULL;
	pe_arena_release(&fixture->arena);
	chmod(fixture->dir, 0700);
	dir = opendir(fixture->dir);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	rmdir(fixture->dir);
}

int64_t fixture_machine(struct fixture *fixture, const char *hostname)
{
	struct pe_machine machine = {.hostname = hostname,
				     .cpu = "a processor",
				     .cores = 2,
				     .memory_bytes = 1u << 30,
				     .kernel = "Linux 6.1",
				     .compilers = "cc 12\ngcc 12"};
	int64_t key = 0;

	snprintf(machine.fingerprint, sizeof(machine.fingerprint), "%s", hostname);
	cr_assert_ok(pe_store_put_machine(&key, fixture->store, &machine, &fixture->err),
		     fixture->err.message);
	return key;
}

int64_t fixture_revision(struct fixture *fixture, unsigned number)
{
	char parents[1][PE_OID_HEX];
	struct pe_revision revision = {.time_s = 1600000000 + 60 * (int64_t)number,
				       .author = "A. Author",
				       .subject = "change something"};
	int64_t key = 0;

	snprintf(revision.id, sizeof(revision.id), "%040x", number);
	if (number > 0) {
		snprintf(parents[0], sizeof(parents[0]), "%040x", number - 1);
		revision.parents = (const char(*)[PE_OID_HEX])parents;
		revision.n_parents = 1;
	}
	cr_assert_ok(pe_store_put_revision(&key, fixture->store, &revision, &fixture->err),
		     fixture->err.message);
	return key;
}

int64_t fixture_benchmark(struct fixture *fixture, const char *name, const char *version)
{
	const char *const argv[] = {"./program", NULL};
	struct pe_benchmark benchmark = {.name = name,
					 .command = {argv, "./program"},
					 .cwd = ".",
					 .warmup = 2,
					 .repeats = 25};
	int64_t key = 0;

	snprintf(benchmark.version, sizeof(benchmark.version), "%s", version);
	cr_assert_ok(pe_store_put_benchmark(&key, fixture->store, &benchmark, &fixture->err),
		     fixture->err.message);
	return key;
}

int64_t fixture_batch(struct fixture *fixture, int64_t machine)
{
	struct pe_coverage cells[N_REVISIONS * N_BENCHMARKS];
	struct pe_batch batch = {.machine = machine,
				 .created_s = 1700000000,
				 .seed = UINT64_MAX - 5,
				 .open = true,
				 .conditions = {"performance", "off", 0.25, 1024, 1, -5, true},
				 .cells = cells,
				 .n_cells = N_REVISIONS * N_BENCHMARKS};

	for (unsigned i = 0; i < N_REVISIONS * N_BENCHMARKS; i++)
		/* Neither in the order of revisions nor of benchmarks: the plan's own order counts. */
		cells[i] = (struct pe_coverage){
			.revision = fixture->revisions[N_REVISIONS - 1 - i / N_BENCHMARKS],
			.benchmark = fixture->benchmarks[i % N_BENCHMARKS],
			.role = i == 0 ? PE_ROLE_ANCHOR : PE_ROLE_NEW,
			.timed = 25};
	cr_assert_ok(pe_store_put_batch(fixture->store, &batch, &fixture->err),
		     fixture->err.message);
	return batch.key;
}

void fixture_identify(struct fixture *fixture)
{
	cr_assert_ok(pe_sql_script(fixture->store,
				   "UPDATE machines SET fingerprint = printf('%032d', key);"
				   "UPDATE benchmarks SET version = printf('%032d', key)",
				   &fixture->err),
		     fixture->err.message);
}

struct pe_run fixture_run(unsigned round, unsigned n, double base)
{
	struct pe_run run = {.kind = PE_RUN_TIMED,
			     .round = round,
			     .sequence = round,
			     .started_s = 1700000000 + (int64_t)round,
			     .outcome = PE_MEASURED,
			     .n_samples = n};

	for (unsigned i = 0; i < n; i++)
		run.samples[i] = (struct pe_sample){.metric = &pe_metrics[i], .value = base + i};
	return run;
}

struct pe_run fixture_failure(unsigned round, enum pe_outcome outcome, const char *log)
{
	struct pe_run run = fixture_run(round, 0, 0);

	run.outcome = outcome;
	run.status = 11;
	run.log = log;
	return run;
}

int fixture_try(struct fixture *fixture, unsigned r, unsigned w, const struct pe_run *run)
{
	return pe_store_put_run(fixture->store, fixture->batch, fixture->revisions[r],
				fixture->benchmarks[w], run, &fixture->err);
}

void fixture_put(struct fixture *fixture, unsigned r, unsigned w, const struct pe_run *run)
{
	cr_assert_ok(fixture_try(fixture, r, w, run), fixture->err.message);
}

static int first_text(void *payload, int n, char **values, char **names)
{
	char *out = payload;

	(void)n;
	(void)names;
	if (out[0] == '\0' && values[0] != NULL)
		snprintf(out, 4096, "%s", values[0]);
	return 0;
}

static void ask(char answer[4096], const struct fixture *fixture, const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	answer[0] = '\0';
	cr_assert_eq(sqlite3_open_v2(fixture->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	sqlite3_busy_timeout(db, 10000);
	cr_assert_eq(sqlite3_exec(db, sql, first_text, answer, &message), SQLITE_OK, "%s: %s", sql,
		     message);
	sqlite3_close(db);
}

int64_t fixture_ask(const struct fixture *fixture, const char *sql)
{
	char answer[4096];

	ask(answer, fixture, sql);
	return strtoll(answer, NULL, 10);
}

int64_t fixture_rows(const struct fixture *fixture, const char *from)
{
	pe_auto_text sql = PE_TEXT_INIT;

	pe_text_addf(&sql, "SELECT count(*) FROM %s", from);
	return fixture_ask(fixture, sql.data);
}

const char *fixture_ask_text(struct fixture *fixture, const char *sql)
{
	char answer[4096];

	ask(answer, fixture, sql);
	return pe_arena_strdup(&fixture->arena, answer);
}

void fixture_expect_whole(const struct fixture *fixture)
{
	char answer[4096];

	ask(answer, fixture, "PRAGMA integrity_check");
	cr_expect_str_eq(answer, "ok");
	ask(answer, fixture, "PRAGMA foreign_key_check");
	cr_expect_str_empty(answer);
}

int fixture_replace_jumps(struct fixture *fixture, unsigned benchmark, const char *metric,
			  const struct pe_jump *jumps, size_t n)
{
	struct pe_revision revisions[N_REVISIONS + 1] = {[N_REVISIONS] = {.key = 12345}};
	const struct pe_evolution evolution = {.revisions = revisions,
					       .n_revisions = N_REVISIONS + 1};
	const struct pe_metric of = {.name = metric};
	const struct pe_line line = {.benchmark_key = fixture->benchmarks[benchmark],
				     .metric = &of,
				     .jumps = (struct pe_jump *)jumps,
				     .n_jumps = n};

	for (size_t i = 0; i < N_REVISIONS; i++)
		revisions[i].key = fixture->revisions[i];
	return pe_store_replace_jumps(fixture->store, fixture->machine, &evolution, &line,
				      &fixture->err);
}
