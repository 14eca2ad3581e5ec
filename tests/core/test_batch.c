/*
 * Batches with a scripted executor: what is run before what, what reaches the sink, and what a resumed batch makes up
 * for.
 */
#include "core/exec/batch.h"

#include "core/base/files.h"
#include "tests/support/test.h"

enum { REVISIONS = 4, BENCHMARKS = 2, ROUNDS = 5, MOST = 1000 };

/* Four revisions and two benchmarks, and all that their runs did. */
struct bed {
	struct pe_arena arena;
	struct pe_benchmark benchmarks[BENCHMARKS];
	const struct pe_benchmark *pointers[BENCHMARKS];
	struct pe_grid_cell cells[REVISIONS * BENCHMARKS];
	struct pe_runner runner;
	struct pe_sink sink;
	struct pe_session_count count;
	volatile sig_atomic_t interrupts;
	char scratch[64];

	const char *commands[MOST]; /**< "tree|argv[0]", as executed */
	size_t n_commands;
	struct {
		struct pe_cell cell;
		struct pe_run run;
	} kept[MOST];
	size_t n_kept;

	const char *fail_tree; /**< runs in this tree end with this */
	struct pe_proc_result failure;
	size_t fail_after; /**< executions before the failure begins */
	size_t stop_after; /**< executions after which Ctrl-C comes */
};

static int execute(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
		   struct pe_err *err)
{
	struct bed *bed = payload;

	(void)err;
	bed->commands[bed->n_commands++] =
		pe_arena_printf(&bed->arena, "%s|%s", spec->cwd, spec->argv[0]);
	*out = (struct pe_proc_result){.end = PE_PROC_EXITED, .cost = {.wall_ns = 1000000}};
	if (bed->fail_tree != NULL && strcmp(spec->cwd, bed->fail_tree) == 0 &&
	    bed->n_commands > bed->fail_after)
		*out = bed->failure;
	if (bed->stop_after > 0 && bed->n_commands >= bed->stop_after)
		bed->interrupts = 1;
	return PE_OK;
}

static int keep(struct pe_cell cell, const struct pe_run *run, void *payload, struct pe_err *err)
{
	struct bed *bed = payload;

	(void)err;
	bed->kept[bed->n_kept].cell = cell;
	bed->kept[bed->n_kept].run = *run;
	bed->n_kept++;
	return PE_OK;
}

static struct pe_command command(struct bed *bed, const char *name)
{
	const char **argv = pe_arena_new(&bed->arena, const char *, 2);

	argv[0] = name;
	return (struct pe_command){argv, name};
}

static struct pe_commands commands(struct bed *bed, const char *name)
{
	struct pe_command *one = pe_arena_new(&bed->arena, struct pe_command, 1);

	*one = command(bed, name);
	return (struct pe_commands){one, 1};
}

static const struct pe_grid_revision revisions[REVISIONS] = {
	{"t0", "s", "/t0", 1}, {"t1", "s", "/t1", 2}, {"t2", "s", "/t2", 3}, {"t3", "s", "/t3", 4}};

static void fill_cells(struct bed *bed)
{
	for (size_t w = 0; w < BENCHMARKS; w++)
		bed->pointers[w] = &bed->benchmarks[w];
	for (size_t i = 0; i < REVISIONS * BENCHMARKS; i++)
		bed->cells[i] = (struct pe_grid_cell){
			.revision = i / BENCHMARKS,
			.benchmark = i % BENCHMARKS,
			.rounds = ROUNDS,
			.timed = pe_arena_new(&bed->arena, bool, ROUNDS),
		};
}

static struct bed *new_bed(void)
{
	struct bed *bed = calloc(1, sizeof(*bed));

	for (size_t w = 0; w < BENCHMARKS; w++)
		bed->benchmarks[w] = (struct pe_benchmark){
			.name = w == 0 ? "alpha" : "beta",
			.command = command(bed, w == 0 ? "./alpha" : "./beta"),
			.cwd = ".",
			.warmup = 2,
			.repeats = ROUNDS,
		};
	fill_cells(bed);
	strcpy(bed->scratch, "/tmp/pe-window-XXXXXX");
	cr_assert(mkdtemp(bed->scratch) != NULL);
	bed->runner = (struct pe_runner){.executor = {.run = execute, .payload = bed},
					 .scratch = bed->scratch,
					 .cpu = -1,
					 .interrupts = &bed->interrupts};
	bed->sink = (struct pe_sink){.run = keep, .payload = bed};
	return bed;
}

static void free_bed(struct bed *bed)
{
	pe_files_remove(bed->scratch, NULL);
	pe_arena_release(&bed->arena);
	free(bed);
}

/* All rounds, and cleanup. */
static int measure(struct bed *bed)
{
	struct pe_batch_pass pass = {.revisions = revisions,
				     .n_places = REVISIONS,
				     .benchmarks = bed->pointers,
				     .runner = &bed->runner,
				     .sink = &bed->sink,
				     .count = &bed->count,
				     .scratch = PE_ARENA_INIT};
	struct pe_grid_cell *cells[REVISIONS * BENCHMARKS];
	struct pe_err err = PE_ERR_INIT;
	int rc = PE_OK;

	bed->count.total = bed->count.done;
	for (size_t i = 0; i < REVISIONS * BENCHMARKS; i++) {
		cells[i] = &bed->cells[i];
		bed->count.total += pe_grid_cell_missing(cells[i]);
	}
	for (unsigned round = 0; rc == PE_OK && round < ROUNDS; round++)
		rc = pe_batch_round(&pass, PE_RUN_TIMED, round, cells, REVISIONS * BENCHMARKS,
				    &err);
	for (size_t i = 0; i < REVISIONS * BENCHMARKS; i++)
		rc = pe_batch_clean_up(rc, &pass, cells[i], &err);
	return rc;
}

static struct bed *bed;

TestSuiteWith(batch, bed = new_bed(), free_bed(bed));

/* The runs that are kept of a cell; of them all have this outcome, unless that is PE_N_OUTCOMES. */
static size_t runs_of(size_t revision, size_t benchmark, enum pe_outcome outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < bed->n_kept; i++) {
		if (bed->kept[i].cell.revision != revision ||
		    bed->kept[i].cell.benchmark != benchmark)
			continue;
		cr_expect(outcome == PE_N_OUTCOMES || bed->kept[i].run.outcome == outcome);
		n++;
	}
	return n;
}

/* Of the two, alpha is in a later commit. */
static bool is_younger(struct pe_cell cell, const char *missing, void *payload)
{
	(void)payload;
	cr_expect(eq(sz, cell.revision, 1));
	return strcmp(missing, "alpha") == 0;
}

Test(batch, a_program_that_a_later_commit_has_is_not_there_and_no_failure)
{
	bed->fail_tree = "/t1";
	bed->failure = (struct pe_proc_result){.end = PE_PROC_NOT_STARTED};
	bed->sink.is_younger = is_younger;
	cr_assert(eq(int, measure(bed), PE_OK));
	cr_expect(eq(sz, runs_of(1, 0, PE_ABSENT), 1), "never tried again");
	cr_expect(gt(sz, runs_of(1, 1, PE_NOT_STARTED), 0));
	cr_expect_text("1 0", bed->cells[BENCHMARKS].absent, bed->cells[BENCHMARKS + 1].absent);
}

Test(batch, ctrl_c_ends_after_the_run_in_flight_and_the_rest_follows_later)
{
	struct bed *whole = new_bed();

	bed->stop_after = REVISIONS * BENCHMARKS * 4 + 3;
	cr_assert(eq(int, measure(bed), PE_ESTOPPED));
	cr_expect(eq(sz, bed->n_kept, bed->stop_after - REVISIONS * BENCHMARKS * 2));
	bed->stop_after = 0;
	bed->interrupts = 0;
	cr_assert(eq(int, measure(bed), PE_OK));
	cr_assert(eq(int, measure(whole), PE_OK));
	cr_assert(eq(sz, bed->n_kept, whole->n_kept));
	/* The resumed batch has the runs it would have had. */
	for (size_t i = 0; i < bed->n_kept; i++) {
		cr_expect(eq(u32, bed->kept[i].run.round, whole->kept[i].run.round));
		cr_expect(eq(sz, bed->kept[i].cell.revision, whole->kept[i].cell.revision));
		cr_expect(eq(sz, bed->kept[i].cell.benchmark, whole->kept[i].cell.benchmark));
	}
	free_bed(whole);
}

Test(batch, setup_and_cleanup_run_once_a_cell_and_prepare_before_every_run)
{
	size_t setups = 0, prepares = 0, cleanups = 0;

	bed->benchmarks[0].setup = commands(bed, "setup");
	bed->benchmarks[0].prepare = commands(bed, "prepare");
	bed->benchmarks[0].cleanup = commands(bed, "cleanup");
	cr_assert(eq(int, measure(bed), PE_OK));
	for (size_t i = 0; i < bed->n_commands; i++) {
		setups += strstr(bed->commands[i], "|setup") != NULL;
		prepares += strstr(bed->commands[i], "|prepare") != NULL;
		cleanups += strstr(bed->commands[i], "|cleanup") != NULL;
		if (strstr(bed->commands[i], "|prepare") != NULL)
			cr_expect_has(bed->commands[i + 1], "|./alpha");
	}
	cr_expect_text("4 4 28", setups, cleanups, prepares);
}

Test(batch, a_failing_setup_is_an_outcome)
{
	bed->benchmarks[1].setup = commands(bed, "setup");
	bed->fail_tree = "/t3";
	bed->failure = (struct pe_proc_result){.end = PE_PROC_EXITED, .status = 1};
	cr_assert(eq(int, measure(bed), PE_OK));
	cr_expect(eq(sz, runs_of(3, 1, PE_SETUP_FAILED), 1));
}

Test(batch, a_metric_that_is_not_in_the_output_is_an_outcome)
{
	const struct pe_custom_metric custom = {
		.metric = {.name = "rate", .unit = "1/s"},
		.how = PE_EXTRACT_REGEX,
		.expression = "rate: ([0-9.]+)",
	};

	bed->benchmarks[0].customs = &custom;
	bed->benchmarks[0].n_customs = 1;
	cr_assert(eq(int, measure(bed), PE_OK));
	for (size_t r = 0; r < REVISIONS; r++)
		cr_expect(gt(sz, runs_of(r, 0, PE_METRIC_MISSING), 0));
}
