/*
 * What a worker leaves in the spool, taken in: whole, cut short, altered, twice, of somebody else's, and after the worker
 * was stopped. The worker is the real one, with commands that are not started.
 */
#include "app/cluster/pieces.h"
#include "app/cluster/shard.h"
#include "app/cluster/worker.h"

#include "core/base/files.h"
#include "core/exec/machine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static const char config[] = "build: ./build\n"
			     "benchmarks:\n"
			     "  one: {command: ./one, warmup: 0, repeats: 4, allocations: false}\n"
			     "  two: {command: ./two, warmup: 0, repeats: 4, allocations: false}\n";

enum { COMMITS = 5, RUNS = COMMITS * 4 };

static struct app_fixture fixture;
static struct pe_pieces came; /* of the running test */
static const char *handed;    /* of the running test */
static const char *spool;

TestSuiteWith(pieces, (void)0, app_fixture_close(&fixture), .timeout = 600);

/* A shard of one benchmark over the whole history, as a coordinator writes it; its name. */
static const char *hand_out(const char *benchmark)
{
	struct pe_app *app = &fixture.app;
	const char **ids = pe_arena_new(&fixture.arena, const char *, COMMITS), *version = NULL;
	struct pe_session session;
	pe_auto_text text = PE_TEXT_INIT;
	char name[PE_HASH_HEX];
	struct pe_shard shard;

	app_fixture_open_session(&fixture, &session, COMMITS);
	for (size_t w = 0; w < session.benchmarks.n; w++)
		if (strcmp(session.benchmarks.data[w]->name, benchmark) == 0)
			version = session.benchmarks.data[w]->version;
	for (size_t i = 0; i < COMMITS; i++)
		ids[i] = fixture.commits.at[i].id;
	shard = (struct pe_shard){
		.store = "copy.db",
		.machine = session.machine.fingerprint,
		.recipe = session.recipe_hash,
		.names = {&benchmark, 1},
		.versions = {&version, 1},
		.revisions = {ids, COMMITS},
		.request = {.first = ids[0], .no_confirm = true},
	};
	pe_shard_write(&text, &shard);
	OK(pe_spool_put(name, app, spool, "shards", &text));
	pe_session_close(&session);
	return pe_arena_strdup(&fixture.arena, name);
}

static void set_up(void)
{
	static struct pe_machine machine;

	app_fixture_open(&fixture, COMMITS, config);
	machine = *pe_app_here(&fixture.app);
	pe_machine_as_class(&machine);
	fixture.app.machine = &machine;
	/* Batches of one second are told from each other by it. */
	unsetenv("PERFEVO_SEED");
	spool = pe_spool_path(&fixture.app);
	fixture.app.config->farm.cache = pe_arena_printf(&fixture.arena, "%s/cache", spool);
	OK(pe_spool_make(&fixture.app, spool));
}

static void copy_store(void)
{
	OK(pe_store_copy(fixture.app.store,
			 pe_arena_printf(&fixture.arena, "%s/stores/copy.db", spool),
			 &fixture.err));
}

/* As another process would: with a store of its own. */
static int work(const char *shard)
{
	struct pe_app app = fixture.app;

	app.store = NULL;
	return pe_farm_work(&app, spool, shard);
}

static struct pe_pieces take(void)
{
	struct pe_pieces pieces;

	OK(pe_pieces_take(&pieces, &fixture.app, spool, NULL, &fixture.arena));
	return pieces;
}

static int64_t runs(void)
{
	return app_fixture_ask(&fixture, "SELECT count(*) FROM runs");
}

/* The path of the one piece that is there. */
static const char *the_piece(void)
{
	struct pe_strings names;

	OK(pe_spool_list(&names, spool, "pieces", &fixture.arena, &fixture.err));
	cr_assert(eq(sz, names.n, 1));
	return pe_arena_printf(&fixture.arena, "%s/pieces/%s", spool, names.at[0]);
}

static bool is_done(const struct pe_pieces *pieces)
{
	return pieces->n > 0 && pieces->at[pieces->n - 1].piece.state == PE_PIECE_DONE;
}

Test(pieces, are_taken_in_once)
{
	set_up();
	handed = hand_out("one");
	copy_store();
	OK(work(handed));
	cr_expect(eq(i64, runs(), 0));
	came = take();
	cr_expect(eq(i64, runs(), RUNS));
	cr_expect(eq(sz, came.refused, 0));
	cr_expect(is_done(&came));
	EXPECT_ROWS("batches WHERE is_open OR node IS NULL OR shared", 0);
	EXPECT_ROWS("builds", COMMITS);
	came = take();
	cr_expect(eq(sz, came.n, 0));
	cr_expect(eq(i64, runs(), RUNS));
	/* The next worker knows all of it. */
	OK(work(handed));
	take();
	cr_expect(eq(i64, runs(), RUNS));
}

static void damage(const char *path, bool cut)
{
	pe_auto_text text = PE_TEXT_INIT;

	OK(pe_text_read_file(&text, path, &fixture.err));
	if (cut)
		text.len /= 2;
	else
		text.data[text.len / 2] ^= 1;
	OK(pe_text_write_file(&text, path, &fixture.err));
}

static void expect_measured_again(bool cut)
{
	struct pe_pieces pieces;
	const char *shard;

	set_up();
	shard = hand_out("one");
	copy_store();
	OK(work(shard));
	damage(the_piece(), cut);
	pieces = take();
	cr_expect(eq(sz, pieces.refused, 1));
	cr_expect(eq(i64, runs(), 0));
	cr_expect(not(is_done(&pieces)));
	OK(work(shard));
	pieces = take();
	cr_expect(eq(sz, pieces.refused, 0));
	cr_expect(eq(i64, runs(), RUNS));
	cr_expect(is_done(&pieces));
}

Test(pieces, one_that_is_cut_short_is_measured_again)
{
	expect_measured_again(true);
}

Test(pieces, one_that_is_altered_is_measured_again)
{
	expect_measured_again(false);
}

Test(pieces, a_copy_under_another_name_is_refused)
{
	pe_auto_text text = PE_TEXT_INIT;

	set_up();
	const char *shard = hand_out("one");
	copy_store();
	OK(work(shard));
	OK(pe_text_read_file(&text, the_piece(), &fixture.err));
	OK(pe_text_write_file(&text,
			      pe_arena_printf(&fixture.arena,
					      "%s/pieces/0123456789abcdef0123456789abcdef", spool),
			      &fixture.err));
	came = take();
	cr_expect(eq(sz, came.refused, 1));
	cr_expect(eq(i64, runs(), RUNS));
	cr_expect(is_done(&came));
}

/* The right bytes for the wrong work: another benchmark's, or nobody's. */
Test(pieces, what_its_work_does_not_say_is_refused)
{
	const char *one, *two, *path;
	struct pe_piece piece;
	char name[PE_HASH_HEX];

	set_up();
	one = hand_out("one");
	two = hand_out("two");
	copy_store();
	OK(work(one));
	path = the_piece();
	OK(pe_piece_get(&piece, &fixture.app, spool, pe_path_name(path), &fixture.arena));
	OK(pe_files_remove(pe_arena_printf(&fixture.arena, "%s/pieces", spool), &fixture.err));
	OK(pe_spool_make(&fixture.app, spool));
	piece.shard = two;
	OK(pe_piece_put(name, &fixture.app, spool, &piece));
	piece.shard = "0123456789abcdef0123456789abcdef";
	OK(pe_piece_put(name, &fixture.app, spool, &piece));
	came = take();
	cr_expect_text("2 0 0", came.refused, runs(), take().refused);
}

static unsigned stop_after;

static void stop(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	(void)payload;
	result->cost.wall_ns = 1000000;
	if (strcmp(command->text, "./one") != 0 || --stop_after != 0)
		return;
	/* Slurm signals all processes of a job: the program ends with the worker. */
	fixture.interrupts = 1;
	result->status = SIGTERM;
	result->end = PE_PROC_SIGNALED;
}

/* Asked to end, a worker leaves what it has; another one does the rest and nothing twice. */
Test(pieces, a_stopped_worker_is_gone_on_with)
{
	set_up();
	handed = hand_out("one");
	copy_store();
	stop_after = 9;
	fixture.executor.answer = stop;
	cr_expect(eq(int, work(handed), PE_ESTOPPED));
	came = take();
	cr_expect(not(is_done(&came)));
	cr_expect(eq(i64, runs(), 8));
	fixture.interrupts = 0;
	fixture.executor.answer = NULL;
	OK(work(handed));
	came = take();
	cr_expect(is_done(&came));
	EXPECT_ROWS(
		"runs r JOIN batch_cells c ON c.batch = r.batch AND c.revision = r.revision AND c.benchmark = r.benchmark WHERE c.role = 0",
		RUNS);
}

/* A machine of another kind measures nothing, and says so. */
Test(pieces, another_machine_refuses)
{
	struct pe_shard shard;
	pe_auto_text text = PE_TEXT_INIT, changed = PE_TEXT_INIT;
	char name[PE_HASH_HEX];

	set_up();
	OK(pe_spool_get(&text, &fixture.app, spool, "shards", hand_out("one")));
	OK(pe_shard_read(&shard, text.data, text.len, &fixture.arena, &fixture.err));
	shard.machine = "0123456789abcdef0123456789abcdef";
	pe_shard_write(&changed, &shard);
	OK(pe_spool_put(name, &fixture.app, spool, "shards", &changed));
	OK(work(name));
	came = take();
	cr_assert(eq(sz, came.n, 1));
	cr_expect(eq(int, (int)came.at[0].piece.state, PE_PIECE_FAILED));
	cr_expect(eq(sz, RAN("./one", UINT_MAX), 0));
	/* Of one that is ended while it looks, nobody can tell what it is. */
	fixture.interrupts = 1;
	cr_expect(eq(int, work(name), PE_ESTOPPED));
}
