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

static struct bed bed;

static void set_up(void)
{
	struct pe_command *setup = pe_arena_new(&bed.arena, struct pe_command, 1);

	*setup = command_of(&bed, "setup");
	bed.has = "ABCD";
	bed.suite.name = "s";
	for (size_t w = 0; w < MEMBERS; w++) {
		bed.members[w] = (struct pe_benchmark){
			.name = pe_arena_printf(&bed.arena, "s/%s", ids[w]),
			.cwd = ".",
			.setup = {setup, 1},
			.suite = &bed.suite,
			.member = ids[w],
			.own = ids[w],
		};
		bed.pointers[w] = &bed.members[w];
		bed.order[MEMBERS - 1 - w] = &bed.cells[w];
	}
	strcpy(bed.scratch, "/tmp/pe-suite-XXXXXX");
	cr_assert(mkdtemp(bed.scratch) != NULL);
	bed.runner = (struct pe_runner){.executor = {.run = execute, .payload = &bed},
					.suites = {command, list, read_results, NULL, &bed},
					.scratch = bed.scratch,
					.cpu = -1};
	bed.sink = (struct pe_sink){.run = keep, .begin = begin, .end = end, .payload = &bed};
}

static void tear_down(void)
{
	pe_files_remove(bed.scratch, NULL);
	pe_arena_release(&bed.arena);
}

TestSuite(batch_suite, .init = set_up, .fini = tear_down);

static void measure(unsigned rounds, size_t n)
{
	static const struct pe_grid_revision tree = {"t", "s", "/t", 1};
	struct pe_batch_pass pass = {.revisions = &tree,
				     .n_places = 1,
				     .benchmarks = bed.pointers,
				     .runner = &bed.runner,
				     .sink = &bed.sink,
				     .count = &bed.count,
				     .scratch = PE_ARENA_INIT,
				     .arena = &bed.arena};
	struct pe_err err = PE_ERR_INIT;

	for (size_t w = 0; w < MEMBERS; w++)
		bed.cells[w] = (struct pe_grid_cell){
			.benchmark = w,
			.rounds = rounds,
			.timed = pe_arena_new(&bed.arena, bool, rounds),
			.suite = &bed.at,
		};
	for (unsigned round = 0; round < rounds; round++)
		cr_assert_ok(pe_batch_round(&pass, PE_RUN_TIMED, round, bed.order, n, &err),
			     err.message);
	cr_expect(not(bed.open));
	pe_arena_release(&pass.scratch);
}

/* The last outcome of each member, a letter each. */
static const char *outcomes(void)
{
	static const char letters[PE_N_OUTCOMES] = {[PE_MEASURED] = 'M',
						    [PE_ABSENT] = 'A',
						    [PE_CRASHED] = 'C',
						    [PE_SETUP_FAILED] = 'S'};
	static char found[MEMBERS + 1];

	memset(found, '.', MEMBERS);
	for (size_t i = 0; i < bed.n_kept; i++)
		found[bed.kept[i].member] = letters[bed.kept[i].run.outcome];
	return found;
}

static const struct pe_rename x_is_b = {"X", "B"};

/* Members are wanted from the last on, and asked for in the order in which the program has them. */
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

TestOver(struct scenario *s, scenarios, batch_suite, members)
{
	pe_auto_text found = PE_TEXT_INIT;

	bed.has = s->has;
	bed.crashes = s->crashes;
	bed.always_fails = s->always_fails;
	bed.cannot_list = s->cannot_list;
	bed.cannot_filter = s->cannot_filter;
	bed.setup_fails = s->setup_fails;
	bed.suite.renamed = s->renamed;
	bed.suite.n_renamed = s->renamed != NULL;
	measure(s->rounds, s->wanted);
	for (size_t i = 0; i < bed.n_starts; i++)
		pe_text_addf(&found, *bed.starts[i] == '\0' ? "*" : "[%s]", bed.starts[i]);
	pe_text_addf(&found, " %s %zu %zu", outcomes(), bed.n_kept, bed.n_setups);
	cr_expect_str_eq(pe_text_str(&found), s->expected, "%s", s->fact);
	/* Each process is kept in one transaction. */
	cr_expect(ge(sz, bed.n_groups, bed.n_starts), "%s", s->fact);
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
