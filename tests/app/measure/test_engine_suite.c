/*
 * Members of a suite in an engine, with a scripted program: one process serves all that want a run, what the program lacks
 * is absent, a crash takes one with it, and a filter leaves out what is not wanted.
 */
#include "app/measure/engine.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

enum { MEMBERS = 4, MOST = 100 };

static const char *const ids[MEMBERS] = {"A", "B", "C", "D"};

struct bed {
	struct app_fixture fixture;
	struct pe_session session;
	struct pe_suite *suite;
	struct pe_engine *engine;

	const char *has;   /**< names that the program has, a letter each */
	char crashes;      /**< it ends when it comes to this one */
	bool always_fails; /**< and says nothing */
	bool cannot_list, cannot_filter, setup_fails;

	char asked[MEMBERS + 1];  /**< of the process in flight; "" all */
	const char *starts[MOST]; /**< what measuring processes were asked for */
	size_t n_starts;
};

static struct bed bed;

/* --- The program --- */

static bool runs(char name)
{
	return strchr(bed.has, name) != NULL &&
	       (bed.asked[0] == '\0' || strchr(bed.asked, name) != NULL);
}

static void answer(struct pe_proc_result *out, const struct fake_command *command, void *payload)
{
	(void)payload;
	if (strcmp(command->text, "./up") == 0)
		out->status = bed.setup_fails;
	if (strcmp(command->text, "measure") != 0)
		return;
	bed.starts[bed.n_starts++] = pe_arena_strdup(&bed.fixture.arena, bed.asked);
	if (bed.always_fails || (bed.crashes != '\0' && runs(bed.crashes)))
		*out = (struct pe_proc_result){.end = PE_PROC_SIGNALED, .status = 11};
}

static int command(struct pe_suite_command *out, const struct pe_suite *suite,
		   const struct pe_suite_task *request, const char *tree, struct pe_arena *arena,
		   void *payload, struct pe_err *err)
{
	const char **argv = pe_arena_new(arena, const char *, 2);

	(void)suite;
	(void)tree;
	(void)payload;
	argv[0] = request->what == PE_ASK_LIST ? "list" : "measure";
	*out = (struct pe_suite_command){.command = {argv, argv[0]}};
	if ((request->what == PE_ASK_LIST && bed.cannot_list) ||
	    (request->names != NULL && bed.cannot_filter))
		return pe_fail(err, PE_EUNSUPPORTED, "no such option");
	memset(bed.asked, 0, sizeof(bed.asked));
	for (size_t i = 0; request->names != NULL && i < request->n; i++)
		bed.asked[i] = request->names[i][0];
	return PE_OK;
}

static int list(struct pe_member_name **out, size_t *n, const struct pe_suite *suite,
		const char *text, size_t size, struct pe_arena *arena, void *payload,
		struct pe_err *err)
{
	(void)payload;
	(void)suite;
	(void)text;
	(void)size;
	(void)err;
	*n = strlen(bed.has);
	*out = pe_arena_new(arena, struct pe_member_name, *n);
	for (size_t i = 0; i < *n; i++) {
		const char *name = pe_arena_strndup(arena, &bed.has[i], 1);

		(*out)[i] = (struct pe_member_name){name, name};
	}
	return PE_OK;
}

static int read_results(struct pe_suite_readings *out, const struct pe_suite *suite,
			const char *text, size_t size, struct pe_arena *arena, void *payload,
			struct pe_err *err)
{
	struct pe_member_reading *entries = pe_arena_new(arena, struct pe_member_reading, MEMBERS);
	struct pe_sample *value = pe_arena_new(arena, struct pe_sample, 1);

	(void)payload;
	(void)suite;
	(void)text;
	(void)size;
	if (bed.always_fails)
		return pe_fail(err, PE_EINVALID, "nothing");
	*out = (struct pe_suite_readings){.entries = entries};
	*value = (struct pe_sample){&pe_metrics[PE_WALL], 5, NULL, 0};
	for (const char *at = bed.has; *at != '\0'; at++) {
		const char *name = pe_arena_strndup(arena, at, 1);

		if (!runs(*at))
			continue;
		if (*at == bed.crashes) {
			out->cut_short = true;
			return PE_OK;
		}
		entries[out->n++] = (struct pe_member_reading){{name, name}, NULL, value, 1};
	}
	return PE_OK;
}

/* --- The bed --- */

static void set_up(void)
{
	static struct pe_benchmark members[MEMBERS];

	app_fixture_open(&bed.fixture, 1,
			 "build: ./build\nsuites:\n  s: {command: ./bench, setup: ./up}\n");
	bed.has = "ABCD";
	bed.fixture.executor.answer = answer;
	bed.suite = &bed.fixture.app.config->suites[0];
	app_fixture_open_session(&bed.fixture, &bed.session, 1);
	bed.session.runner.suites = (struct pe_suite_port){command, list, read_results, NULL, NULL};
	for (size_t w = 0; w < MEMBERS; w++) {
		members[w] = bed.suite->model;
		members[w].suite = bed.suite;
		members[w].name = pe_arena_printf(&bed.fixture.arena, "s/%s", ids[w]);
		members[w].member = members[w].own = ids[w];
		pe_suite_member_version(members[w].version, bed.suite, ids[w]);
	}
	cr_assert_ok(pe_session_take_benchmarks(&bed.session, members, MEMBERS, NULL),
		     bed.fixture.err.message);
}

static void tear_down(void)
{
	pe_session_close(&bed.session);
	app_fixture_close(&bed.fixture);
}

TestSuite(engine_suite, .init = set_up, .fini = tear_down, .timeout = 600);

/* Members are wanted from the last on. @return  the first failure */
static int measure(unsigned rounds, size_t n)
{
	const struct pe_engine_opts opts = {.rounds = rounds, .aside = true};
	struct pe_cell *order[MEMBERS];
	int rc = pe_engine_open(&bed.engine, &bed.session, NULL, 0, NULL, 0, &opts);

	cr_assert_ok(rc, bed.fixture.err.message);
	for (size_t w = 0; w < MEMBERS; w++)
		order[MEMBERS - 1 - w] = pe_engine_cell(bed.engine, 0, w);
	for (unsigned round = 0; rc == PE_OK && round < rounds; round++)
		rc = pe_engine_round(bed.engine, PE_RUN_TIMED, round, order, n);
	return pe_engine_close(rc, bed.engine, true);
}

/* The last outcome of each member, a letter each. */
static const char *outcomes(void)
{
	static const char letters[PE_N_OUTCOMES] = {[PE_MEASURED] = 'M',
						    [PE_ABSENT] = 'A',
						    [PE_CRASHED] = 'C',
						    [PE_SETUP_FAILED] = 'S'};
	static char found[MEMBERS + 1];

	for (size_t w = 0; w < MEMBERS; w++) {
		const char *sql = pe_arena_printf(
			&bed.fixture.arena,
			"SELECT outcome FROM runs r JOIN benchmarks b ON b.key = r.benchmark"
			" WHERE b.name = 's/%s' ORDER BY round DESC LIMIT 1",
			ids[w]);
		const int64_t outcome = app_fixture_ask(&bed.fixture, sql);

		found[w] = outcome < 0 ? '.' : letters[outcome];
	}
	return found;
}

static const struct pe_rename x_is_b = {"X", "B"};

/* Members are asked for in the order in which the program has them. */
static struct scenario {
	const char *fact;
	unsigned rounds;
	size_t wanted;
	const char *has;
	char crashes;
	bool always_fails, cannot_list, cannot_filter, setup_fails;
	const struct pe_rename *renamed;
	const char
		*expected; /* what each process is asked for, * all; outcomes; runs kept; setups */
} scenarios[] = {
	{"one process a round serves all", 3, 4, "ABCD", .expected = "*** MMMM 12 1"},
	{"what is not wanted is filtered out", 1, 2, "ABCD", .expected = "[CD] ..MM 2 1"},
	{"without a filter the whole runs, and only the wanted is kept", 1, 2, "ABCD",
	 .cannot_filter = true, .expected = "* ..MM 2 1"},
	{"what the program lacks is absent, once", 2, 4, "ACD", .expected = "** MAMM 7 1"},
	{"what cannot be listed tells by running", 1, 4, "ACD", .cannot_list = true,
	 .expected = "[DCBA] MAMM 4 1"},
	{"a crash takes one member with it", 2, 4, "ABCD", 'B', .expected = "*[CD][ACD] MCMM 7 1"},
	{"a crash where nothing can be filtered ends", 1, 4, "ABCD", 'B', .cannot_list = true,
	 .cannot_filter = true, .expected = "** MCCC 4 1"},
	{"what always fails is not started for each member", 1, 4, "ABCD", .always_fails = true,
	 .expected = "*[BCD] CCCC 4 1"},
	{"a setup that fails is a failure of all", 2, 4, "ABCD", .setup_fails = true,
	 .expected = " SSSS 4 1"},
	{"an old name gives the run of the new one", 1, 3, "AXCD", .renamed = &x_is_b,
	 .expected = "[XCD] .MMM 3 1"},
};

TestOver(struct scenario *s, scenarios, engine_suite, members)
{
	pe_auto_text found = PE_TEXT_INIT;

	bed.has = s->has;
	bed.crashes = s->crashes;
	bed.always_fails = s->always_fails;
	bed.cannot_list = s->cannot_list;
	bed.cannot_filter = s->cannot_filter;
	bed.setup_fails = s->setup_fails;
	bed.suite->renamed = s->renamed;
	bed.suite->n_renamed = s->renamed != NULL;
	cr_assert_ok(measure(s->rounds, s->wanted), bed.fixture.err.message);
	for (size_t i = 0; i < bed.n_starts; i++)
		pe_text_addf(&found, *bed.starts[i] == '\0' ? "*" : "[%s]", bed.starts[i]);
	pe_text_addf(&found, " %s %d %zu", outcomes(),
		     (int)app_fixture_ask(&bed.fixture, "SELECT count(*) FROM runs"),
		     fake_executor_ran(&bed.fixture.executor, 0, "./up", 0));
	cr_expect_str_eq(pe_text_str(&found), s->expected, "%s", s->fact);
}

Test(engine_suite, runs_of_one_process_are_stored_together_or_not_at_all)
{
	app_fixture_ask(
		&bed.fixture,
		"CREATE TRIGGER third BEFORE INSERT ON runs WHEN (SELECT count(*) FROM runs) = 2"
		" BEGIN SELECT RAISE(ABORT, 'no third'); END");
	cr_expect(lt(int, measure(1, MEMBERS), 0));
	cr_expect_has(bed.fixture.err.message, "no third");
	cr_expect(eq(i64, app_fixture_ask(&bed.fixture, "SELECT count(*) FROM runs"), 0));
}

Test(suite, versions_know_nothing_of_siblings)
{
	static const struct pe_rename renamed[] = {{"X", "Y"}, {"Y", "B"}};
	struct pe_suite suite = {.name = "s", .format = "auto", .version = "v"};
	char a[PE_HASH_HEX], b[PE_HASH_HEX], x[PE_HASH_HEX];

	pe_suite_member_version(a, &suite, "A");
	pe_suite_member_version(b, &suite, "B");
	pe_suite_member_version(x, &suite, "X");
	cr_expect(ne(str, a, b));
	suite.renamed = renamed;
	suite.n_renamed = 2;
	pe_suite_member_version(b, &suite, "B");
	cr_expect(eq(str, b, x), "the version is that of the first name");
	cr_expect(eq(str, (char *)pe_suite_renamed(&suite, "X"), (char *)"B"));
	cr_expect(eq(str, (char *)pe_suite_renamed(&suite, "A"), (char *)"A"));
}
