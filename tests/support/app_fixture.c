#define _XOPEN_SOURCE 700
#include "tests/support/app_fixture.h"

#include "tests/support/test.h"

#include <sqlite3.h>

static void note(void *payload, const char *sentence)
{
	struct app_fixture *fixture = payload;

	pe_text_addf(&fixture->notes, "%s\n", sentence);
}

static void make_commits(struct app_fixture *fixture, size_t n)
{
	pe_auto_text stream = PE_TEXT_INIT;
	char *path = tmp_repo_path(&fixture->repo, "stream");

	for (size_t i = 0; i < n; i++) {
		char number[32], subject[32];
		int n_number = snprintf(number, sizeof(number), "%zu\n", i);
		int n_subject = snprintf(subject, sizeof(subject), "change %zu", i);

		pe_text_addf(&stream,
			     "commit refs/heads/main\n"
			     "committer Ada Author <ada@example.org> %lld +0000\n"
			     "data %d\n%s\nM 100644 inline number\ndata %d\n%s\n",
			     (long long)fixture->repo.clock_s, n_subject, subject, n_number,
			     number);
		fixture->repo.clock_s += 60;
	}
	cr_assert_eq(pe_text_write_file(&stream, path, NULL), PE_OK);
	tmp_repo_git(&fixture->repo, "fast-import --quiet <stream");
	tmp_repo_git(&fixture->repo, "reset -q --hard");
}

/* Counting libraries that are found and never loaded. */
static void make_libraries(const struct app_fixture *fixture)
{
	static const char *const places[] = {"PERFEVO_RUNTIME", "PERFEVO_CALLS_LIBRARY",
					     "PERFEVO_COMPILERS"};
	struct pe_text nothing = PE_TEXT_INIT;
	char *path = tmp_repo_path(&fixture->repo, "library");

	cr_assert_eq(pe_text_write_file(&nothing, path, NULL), PE_OK);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		setenv(places[i], path, 1);
}

/* Sessions ask for the versions of compilers: a clang that says one at once. */
static void put_clang_first(void)
{
	pe_auto_text path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/tests/support/bin:%s", PE_SOURCE_DIR, getenv("PATH"));
	setenv("PATH", pe_text_str(&path), 1);
}

void app_fixture_walk(struct app_fixture *fixture)
{
	struct pe_app *app = &fixture->app;
	int rc = pe_repo_walk(&fixture->commits, app->repo, &(struct pe_range){.last = 1 << 20},
			      app->arena, app->err);

	cr_assert_ok(rc, app->err->message);
}

/* The config lies outside the work tree, so that it is part of no commit. */
static void open_app(struct app_fixture *fixture)
{
	struct pe_app *app = &fixture->app;
	int rc;

	*app = (struct pe_app){
		.arena = &fixture->arena,
		.err = &fixture->err,
		.interrupts = &fixture->interrupts,
		.note = note,
		.note_payload = fixture,
		.executor = fake_executor_port(&fixture->executor),
		.config_path =
			pe_arena_printf(&fixture->arena, "%s/perfevo.yml", fixture->repo.root),
		.store_path = pe_arena_printf(&fixture->arena, "%s/perfevo.db", fixture->repo.root),
	};
	rc = pe_repo_open(&app->repo, fixture->repo.dir, app->err);
	if (rc == PE_OK)
		rc = pe_app_open(app, PE_NEEDS_CONFIG | PE_NEEDS_STORE);
	cr_assert_ok(rc, app->err->message);
	/* Not by the processors of the machine: commands are run in an order. */
	if (app->config->recipe.parallel == 0)
		app->config->recipe.parallel = 1;
	app_fixture_walk(fixture);
}

void app_fixture_open(struct app_fixture *fixture, size_t n, const char *config)
{
	struct pe_text text = PE_TEXT_INIT;
	char *path;

	memset(fixture, 0, sizeof(*fixture));
	tmp_repo_init(&fixture->repo);
	unsetenv("XDG_CACHE_HOME");
	setenv("PERFEVO_SEED", "7", 1);
	setenv("PERFEVO_VALGRIND", "", 1);
	fixture->executor.interrupts = &fixture->interrupts;
	make_commits(fixture, n);
	make_libraries(fixture);
	put_clang_first();
	path = tmp_repo_path(&fixture->repo, "perfevo.yml");
	pe_text_add(&text, config);
	cr_assert_eq(pe_text_write_file(&text, path, NULL), PE_OK);
	pe_text_release(&text);
	open_app(fixture);
}

static void close_app(struct app_fixture *fixture)
{
	pe_app_close(&fixture->app);
	pe_text_clear(&fixture->notes);
	fixture->err = (struct pe_err)PE_ERR_INIT;
	fixture->interrupts = 0;
}

void app_fixture_reopen(struct app_fixture *fixture)
{
	close_app(fixture);
	fake_executor_release(&fixture->executor);
	fixture->executor.answer = NULL;
	fixture->executor.count = NULL;
	fixture->executor.leave = NULL;
	fixture->executor.stop_after = 0;
	open_app(fixture);
}

void app_fixture_close(struct app_fixture *fixture)
{
	close_app(fixture);
	pe_text_release(&fixture->notes);
	fake_executor_release(&fixture->executor);
	tmp_repo_release(&fixture->repo);
}

void app_fixture_open_session(struct app_fixture *fixture, struct pe_session *session, size_t n)
{
	struct pe_revisions last = fixture->commits;
	int rc = pe_session_open(session, &fixture->app, true);

	cr_assert(n <= last.n);
	last.at += last.n - n;
	last.n = n;
	if (rc == PE_OK)
		rc = pe_session_choose(session, &last, NULL);
	cr_assert_ok(rc, fixture->err.message);
}

static int take_integer(void *payload, int n, char **values, char **names)
{
	(void)n;
	(void)names;
	*(int64_t *)payload = values[0] != NULL ? strtoll(values[0], NULL, 10) : 0;
	return 0;
}

int64_t app_fixture_ask(const struct app_fixture *fixture, const char *sql)
{
	int64_t answer = INT64_MIN;
	char *message = NULL;
	sqlite3 *db;

	cr_assert_eq(sqlite3_open_v2(fixture->app.store_path, &db, SQLITE_OPEN_READWRITE, NULL),
		     SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, sql, take_integer, &answer, &message), SQLITE_OK, "%s: %s",
		     sql, message);
	sqlite3_close(db);
	return answer;
}

int64_t app_fixture_rows(const struct app_fixture *fixture, const char *from)
{
	pe_auto_text sql = PE_TEXT_INIT;

	pe_text_addf(&sql, "SELECT count(*) FROM %s", from);
	return app_fixture_ask(fixture, sql.data);
}
