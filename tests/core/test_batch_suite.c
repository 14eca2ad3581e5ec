/*
 * Members of a suite in a batch, with a scripted program: one process serves all that want a run, what the program lacks
 * is absent, a crash takes one with it, and a filter leaves out what is not wanted.
 */
#include "core/exec/batch.h"

#include "core/base/files.h"
#include "core/model/suite.h"
#include "tests/support/test.h"

enum { MEMBERS = 4, MOST = 100 };

static const char *const ids[MEMBERS] = {"A", "B", "C", "D"};

struct bed {
	struct pe_arena arena;
	struct pe_suite suite;
	struct pe_benchmark members[MEMBERS];
	const struct pe_benchmark *pointers[MEMBERS];
	struct pe_grid_suite at;
	struct pe_grid_cell cells[MEMBERS];
	struct pe_grid_cell *order[MEMBERS];
	struct pe_runner runner;
	struct pe_sink sink;
	struct pe_session_count count;
	char scratch[64];

	const char *has;   /**< names that the program has, a letter each */
	char crashes;      /**< it ends when it comes to this one */
	bool always_fails; /**< and says nothing */
	bool cannot_list, cannot_filter, setup_fails;

	char asked[MEMBERS + 1];  /**< of the process in flight; "" all */
	const char *starts[MOST]; /**< what measuring processes were asked for */
	size_t n_starts, n_setups, n_groups;
	bool open;
	struct {
		size_t member;
		struct pe_run run;
	} kept[MOST];
	size_t n_kept;
};

/* --- The program --- */

static bool runs(const struct bed *bed, char name)
{
	return strchr(bed->has, name) != NULL &&
	       (bed->asked[0] == '\0' || strchr(bed->asked, name) != NULL);
}

static int execute(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
		   struct pe_err *err)
{
	struct bed *bed = payload;

	(void)err;
	*out = (struct pe_proc_result){.end = PE_PROC_EXITED, .cost = {.wall_ns = 1000}};
	if (strcmp(spec->argv[0], "setup") == 0) {
		bed->n_setups++;
		out->status = bed->setup_fails;
	}
	if (strcmp(spec->argv[0], "measure") != 0)
		return PE_OK;
	bed->starts[bed->n_starts++] = pe_arena_strdup(&bed->arena, bed->asked);
	if (bed->always_fails || (bed->crashes != '\0' && runs(bed, bed->crashes)))
		*out = (struct pe_proc_result){.end = PE_PROC_SIGNALED, .status = 11};
	return PE_OK;
}

static struct pe_command command_of(struct bed *bed, const char *word)
{
	const char **argv = pe_arena_new(&bed->arena, const char *, 2);

	argv[0] = word;
	return (struct pe_command){argv, word};
}

static int command(struct pe_suite_command *out, const struct pe_suite *suite,
		   const struct pe_suite_task *request, const char *tree, struct pe_arena *arena,
		   void *payload, struct pe_err *err)
{
	struct bed *bed = payload;

	(void)suite;
	(void)tree;
	(void)arena;
	*out = (struct pe_suite_command){
		.command = command_of(bed, request->what == PE_ASK_LIST ? "list" : "measure")};
	if ((request->what == PE_ASK_LIST && bed->cannot_list) ||
	    (request->names != NULL && bed->cannot_filter))
		return pe_fail(err, PE_EUNSUPPORTED, "no such option");
	memset(bed->asked, 0, sizeof(bed->asked));
	for (size_t i = 0; request->names != NULL && i < request->n; i++)
		bed->asked[i] = request->names[i][0];
	return PE_OK;
}

static int list(struct pe_member_name **out, size_t *n, const struct pe_suite *suite,
		const char *text, size_t size, struct pe_arena *arena, void *payload,
		struct pe_err *err)
{
	const struct bed *bed = payload;

	(void)suite;
	(void)text;
	(void)size;
	(void)err;
	*n = strlen(bed->has);
	*out = pe_arena_new(arena, struct pe_member_name, *n);
	for (size_t i = 0; i < *n; i++) {
		const char *name = pe_arena_strndup(arena, &bed->has[i], 1);

		(*out)[i] = (struct pe_member_name){name, name};
	}
	return PE_OK;
}

static int read_results(struct pe_suite_readings *out, const struct pe_suite *suite,
			const char *text, size_t size, struct pe_arena *arena, void *payload,
			struct pe_err *err)
{
	const struct bed *bed = payload;
	struct pe_member_reading *entries = pe_arena_new(arena, struct pe_member_reading, MEMBERS);
	struct pe_member_value *value = pe_arena_new(arena, struct pe_member_value, 1);

	(void)suite;
	(void)text;
	(void)size;
	if (bed->always_fails)
		return pe_fail(err, PE_EINVALID, "nothing");
	*out = (struct pe_suite_readings){.entries = entries};
	*value = (struct pe_member_value){&pe_metrics[PE_WALL], 5, NULL, 0};
	for (const char *at = bed->has; *at != '\0'; at++) {
		const char *name = pe_arena_strndup(arena, at, 1);

		if (!runs(bed, *at))
			continue;
		if (*at == bed->crashes) {
			out->cut_short = true;
			return PE_OK;
		}
		entries[out->n++] = (struct pe_member_reading){{name, name}, NULL, value, 1};
	}
	return PE_OK;
}

/* --- The sink --- */

static int begin(void *payload, struct pe_err *err)
{
	struct bed *bed = payload;

	(void)err;
	cr_expect(not(bed->open));
	bed->open = true;
	bed->n_groups++;
	return PE_OK;
}

static int end(int rc, void *payload, struct pe_err *err)
{
	struct bed *bed = payload;

	(void)err;
	bed->open = false;
	return rc;
}

static int keep(struct pe_cell cell, const struct pe_run *run, void *payload, struct pe_err *err)
{
	struct bed *bed = payload;

	(void)err;
	bed->kept[bed->n_kept].member = cell.benchmark;
	bed->kept[bed->n_kept++].run = *run;
	return PE_OK;
}

/* --- The bed --- */

static struct bed *new_bed(unsigned rounds)
{
	struct bed *bed = calloc(1, sizeof(*bed));
	struct pe_command *setup = pe_arena_new(&bed->arena, struct pe_command, 1);

	*setup = command_of(bed, "setup");
	bed->has = "ABCD";
	bed->suite.name = "s";
	for (size_t w = 0; w < MEMBERS; w++) {
		bed->members[w] = (struct pe_benchmark){
			.name = pe_arena_printf(&bed->arena, "s/%s", ids[w]),
			.cwd = ".",
			.setup = {setup, 1},
			.suite = &bed->suite,
			.member = ids[w],
			.own = ids[w],
		};
		bed->pointers[w] = &bed->members[w];
		bed->cells[w] = (struct pe_grid_cell){
			.benchmark = w,
			.rounds = rounds,
			.timed = pe_arena_new(&bed->arena, bool, rounds),
			.suite = &bed->at,
		};
		bed->order[MEMBERS - 1 - w] = &bed->cells[w];
	}
	strcpy(bed->scratch, "/tmp/pe-suite-XXXXXX");
	cr_assert(mkdtemp(bed->scratch) != NULL);
	bed->runner = (struct pe_runner){.executor = {.run = execute, .payload = bed},
					 .suites = {command, list, read_results, NULL, bed},
					 .scratch = bed->scratch,
					 .cpu = -1};
	bed->sink = (struct pe_sink){.run = keep, .begin = begin, .end = end, .payload = bed};
	return bed;
}

static void measure(struct bed *bed, unsigned rounds, size_t n)
{
	static const struct pe_grid_revision tree = {"t", "s", "/t", 1};
	struct pe_batch_pass pass = {.revisions = &tree,
				     .n_places = 1,
				     .benchmarks = bed->pointers,
				     .runner = &bed->runner,
				     .sink = &bed->sink,
				     .count = &bed->count,
				     .scratch = PE_ARENA_INIT,
				     .arena = &bed->arena};
	struct pe_err err = PE_ERR_INIT;

	for (unsigned round = 0; round < rounds; round++)
		cr_assert(eq(int, pe_batch_round(&pass, PE_RUN_TIMED, round, bed->order, n, &err),
			     PE_OK),
			  "%s", err.message);
	cr_expect(not(bed->open));
	pe_arena_release(&pass.scratch);
}

static enum pe_outcome outcome_of(const struct bed *bed, size_t member)
{
	for (size_t i = bed->n_kept; i-- > 0;)
		if (bed->kept[i].member == member)
			return bed->kept[i].run.outcome;
	return PE_N_OUTCOMES;
}

static void expect_start(const struct bed *bed, size_t i, const char *asked)
{
	cr_assert(lt(sz, i, bed->n_starts));
	cr_expect(eq(str, (char *)bed->starts[i], (char *)asked));
}

static void free_bed(struct bed *bed)
{
	pe_files_remove(bed->scratch, NULL);
	pe_arena_release(&bed->arena);
	free(bed);
}

Test(batch_suite, one_process_a_round_serves_all_members)
{
	struct bed *bed = new_bed(3);

	measure(bed, 3, MEMBERS);
	cr_expect(eq(sz, bed->n_starts, 3));
	cr_expect(eq(sz, bed->n_setups, 1));
	cr_expect(eq(sz, bed->n_kept, 3 * MEMBERS));
	cr_expect(eq(sz, bed->n_groups, 3), "each process is kept in one transaction");
	expect_start(bed, 0, "");
	for (size_t w = 0; w < MEMBERS; w++)
		cr_expect(eq(int, outcome_of(bed, w), PE_MEASURED));
	free_bed(bed);
}

Test(batch_suite, what_is_not_wanted_is_filtered_out)
{
	struct bed *bed = new_bed(1);

	/* D and C alone, asked for in the order in which the program has them. */
	measure(bed, 1, 2);
	cr_expect(eq(sz, bed->n_starts, 1));
	expect_start(bed, 0, "CD");
	cr_expect(eq(sz, bed->n_kept, 2));
	free_bed(bed);
}

Test(batch_suite, without_a_filter_the_whole_runs_and_only_the_wanted_is_kept)
{
	struct bed *bed = new_bed(1);

	bed->cannot_filter = true;
	measure(bed, 1, 2);
	expect_start(bed, 0, "");
	cr_expect(eq(sz, bed->n_kept, 2));
	free_bed(bed);
}

Test(batch_suite, what_the_program_lacks_is_absent_once)
{
	struct bed *bed = new_bed(2);

	bed->has = "ACD";
	measure(bed, 2, MEMBERS);
	cr_expect(eq(int, outcome_of(bed, 1), PE_ABSENT));
	cr_expect(eq(sz, bed->n_starts, 2));
	expect_start(bed, 0, "");
	cr_expect(eq(sz, bed->n_kept, 2 * 3 + 1));
	free_bed(bed);
}

Test(batch_suite, a_program_that_cannot_be_listed_tells_by_running)
{
	struct bed *bed = new_bed(1);

	bed->has = "ACD";
	bed->cannot_list = true;
	measure(bed, 1, MEMBERS);
	cr_expect(eq(int, outcome_of(bed, 1), PE_ABSENT));
	cr_expect(eq(int, outcome_of(bed, 3), PE_MEASURED));
	free_bed(bed);
}

Test(batch_suite, a_crash_takes_one_member_with_it)
{
	struct bed *bed = new_bed(2);

	bed->crashes = 'B';
	measure(bed, 2, MEMBERS);
	expect_start(bed, 0, "");
	expect_start(bed, 1, "CD");
	expect_start(bed, 2, "ACD");
	cr_expect(eq(sz, bed->n_starts, 3));
	cr_expect(eq(int, outcome_of(bed, 1), PE_CRASHED));
	cr_expect(eq(sz, bed->n_kept, 2 * 3 + 1));
	free_bed(bed);
}

Test(batch_suite, a_crash_where_nothing_can_be_filtered_ends)
{
	struct bed *bed = new_bed(1);

	bed->crashes = 'B';
	bed->cannot_filter = bed->cannot_list = true;
	measure(bed, 1, MEMBERS);
	cr_expect(eq(int, outcome_of(bed, 0), PE_MEASURED));
	for (size_t w = 1; w < MEMBERS; w++)
		cr_expect(eq(int, outcome_of(bed, w), PE_CRASHED));
	cr_expect(le(sz, bed->n_starts, 2));
	free_bed(bed);
}

Test(batch_suite, a_program_that_always_fails_is_not_started_for_each_member)
{
	struct bed *bed = new_bed(1);

	bed->always_fails = true;
	measure(bed, 1, MEMBERS);
	cr_expect(eq(sz, bed->n_starts, 2));
	for (size_t w = 0; w < MEMBERS; w++)
		cr_expect(eq(int, outcome_of(bed, w), PE_CRASHED));
	free_bed(bed);
}

Test(batch_suite, a_setup_that_fails_is_a_failure_of_all)
{
	struct bed *bed = new_bed(2);

	bed->setup_fails = true;
	measure(bed, 2, MEMBERS);
	cr_expect(eq(sz, bed->n_starts, 0));
	cr_expect(eq(sz, bed->n_setups, 1));
	for (size_t w = 0; w < MEMBERS; w++)
		cr_expect(eq(int, outcome_of(bed, w), PE_SETUP_FAILED));
	cr_expect(eq(sz, bed->n_kept, MEMBERS));
	free_bed(bed);
}

Test(batch_suite, an_old_name_gives_the_run_of_the_new_one)
{
	static const struct pe_rename renamed = {"X", "B"};
	struct bed *bed = new_bed(1);

	bed->suite.renamed = &renamed;
	bed->suite.n_renamed = 1;
	bed->has = "AXCD";
	measure(bed, 1, 3); /* D, C and B */
	expect_start(bed, 0, "XCD");
	cr_expect(eq(int, outcome_of(bed, 1), PE_MEASURED));
	free_bed(bed);
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
