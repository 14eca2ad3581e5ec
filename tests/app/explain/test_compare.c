#define _GNU_SOURCE /* memmem(3) */
/* Comparing two revisions: what is measured and profiled for it, when that ends, and what is taken from the store. */
#include "app/explain/compare.h"
#include "app/pages/compare_page.h"

#include "app/pages/report_page.h"
#include "app/history/values.h"
#include "app/search/track.h"
#include "tests/support/app_fixture.h"
#include "tests/support/fake_calls.h"
#include "tests/support/test.h"

enum { REPEATS = 10, HOUR_S = 3600, LOOKS_BATCHES = 1 + 2 + 4 };

static const char config[] = "build: ./build\n"
			     "profile: {mode: counting}\n"
			     "metrics:\n"
			     "  cpu: {judge: false}\n"
			     "  max-rss: {judge: false}\n"
			     "defaults: {warmup: 0, repeats: 10, allocations: false}\n"
			     "benchmarks:\n"
			     "  parse: {command: ./parse}\n"
			     "  print: {command: ./print}\n";

static struct app_fixture fixture;
static struct pe_comparing comparing;
static struct pe_comparing_opts opts;
static uint32_t state;

static void tear_down(void)
{
	pe_comparing_release(&comparing);
	app_fixture_close(&fixture);
}

TestSuite(compare, .fini = tear_down, .timeout = 600);

/* What the runs of parse are like. */
static struct {
	unsigned from;    /* the revision from which on it is slower */
	uint64_t step_ns; /* by so much, of a millisecond */
	uint32_t noise_ns;
} parse;

static uint32_t toss(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(state >> 8) * below) >> 24);
}

static void answer(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	bool parses = strcmp(command->text, "./parse") == 0;

	(void)payload;
	result->cost.wall_ns = 1000000 + toss(parses ? parse.noise_ns : 1000);
	if (parses && command->revision >= parse.from)
		result->cost.wall_ns += parse.step_ns;
}

/* Revision 1 scans more. */
static void scan_more(const char *path, const struct fake_command *command, void *payload)
{
	const struct fake_calls calls = {
		.parse = 3, .scan = 30 + 10 * command->revision, .emit = 1};

	(void)payload;
	fake_calls_leave(path, &calls);
}

static void scan_alike(const char *path, const struct fake_command *command, void *payload)
{
	const struct fake_calls calls = {.parse = 3, .scan = 30, .emit = 1};

	(void)command;
	(void)payload;
	fake_calls_leave(path, &calls);
}

static void open_two(void)
{
	app_fixture_open(&fixture, 2, config);
	fixture.executor.answer = answer;
	fixture.executor.leave = scan_alike;
	parse.from = 1;
	parse.noise_ns = 10000;
}

static void compare(size_t old, size_t new)
{
	pe_comparing_release(&comparing);
	comparing = (struct pe_comparing){.app = &fixture.app, .opts = &opts};
	OK(pe_comparing_revisions(&comparing, fixture.commits.at[old].id,
				  fixture.commits.at[new].id));
	pe_comparing_decide_trees(&comparing);
}

static const struct pe_compare_pair *pair_of(const char *benchmark)
{
	for (size_t i = 0; i < comparing.pairs.n; i++)
		if (strcmp(comparing.pairs.data[i].name, benchmark) == 0)
			return &comparing.pairs.data[i];
	cr_assert(0 == 1, "no pair %s", benchmark);
	return NULL;
}

static const struct pe_compare_value *wall_of(const char *benchmark)
{
	const struct pe_compare_pair *pair = pair_of(benchmark);

	for (size_t i = 0; i < pair->n_values; i++)
		if (strcmp(pair->values[i].metric->name, "wall") == 0)
			return &pair->values[i];
	cr_assert(0 == 1, "no wall time of %s", benchmark);
	return NULL;
}

static size_t ran(const char *text, unsigned revision, enum fake_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < fixture.executor.commands.n; i++) {
		const struct fake_command *one = &fixture.executor.commands.data[i];

		n += strcmp(one->text, text) == 0 && one->kind == kind &&
		     (revision == UINT_MAX || one->revision == revision);
	}
	return n;
}

static bool is_noted(const char *part)
{
	return strstr(pe_text_str(&fixture.notes), part) != NULL;
}

#define NOTES pe_text_str(&fixture.notes)

/* --- From end to end --- */

Test(compare, measures_and_profiles_what_is_missing_and_nothing_the_next_time)
{
	const struct pe_compare_value *wall;

	open_two();
	parse.step_ns = 300000;
	compare(0, 1);
	wall = wall_of("parse");
	cr_expect(eq(int, wall->verdict, PE_REGRESSED));
	cr_expect(wall->low > 0.2 && wall->high < 0.4, "[%g, %g]", wall->low, wall->high);
	cr_expect(le(sz, wall->old_n, REPEATS));
	cr_expect(eq(int, wall_of("print")->verdict, PE_UNCHANGED));
	cr_expect(eq(sz, ran("./parse", UINT_MAX, FAKE_CALLS), 4), "two counting runs a side");
	cr_expect(pair_of("parse")->delta != NULL);
	cr_expect(eq(sz, pair_of("parse")->n_values, pair_of("print")->n_values));

	app_fixture_reopen(&fixture);
	compare(0, 1);
	cr_expect(eq(int, wall_of("parse")->verdict, PE_REGRESSED));
	cr_expect(pair_of("parse")->delta != NULL);
	cr_expect(eq(sz, ran("./parse", UINT_MAX, FAKE_PLAIN), 0));
	cr_expect(eq(sz, ran("./parse", UINT_MAX, FAKE_CALLS), 0));
}

Test(compare, counts_on_where_calls_differ_and_no_source_does)
{
	open_two();
	fixture.executor.leave = scan_more;
	compare(0, 1);
	for (unsigned revision = 0; revision < 2; revision++)
		cr_expect(eq(sz, ran("./parse", revision, FAKE_CALLS), PE_COLLECT_SURE_RUNS));
}

static void break_one(struct pe_proc_result *result, const struct fake_command *command,
		      void *payload)
{
	answer(result, command, payload);
	if (strcmp(command->text, "./parse") == 0 && command->revision == 1)
		result->status = 1;
}

Test(compare, says_which_side_could_not_be_measured)
{
	open_two();
	fixture.executor.answer = break_one;
	compare(0, 1);
	cr_assert(pair_of("parse")->problem != NULL);
	cr_expect(strstr(pair_of("parse")->problem,
			 "new could not be measured: wrong exit status; 'perfevo show ") ==
			  pair_of("parse")->problem,
		  "%s", pair_of("parse")->problem);
	cr_expect(comparing.unmeasurable);
	cr_expect(pair_of("print")->delta != NULL, "the other benchmark is compared");
}

/* --- Until it is decided --- */

Test(compare, gives_up_after_three_looks_and_says_so)
{
	open_two();
	parse.noise_ns = 3000000;
	opts.decide_ns = HOUR_S * UINT64_C(1000000000);
	compare(0, 1);
	cr_expect(eq(int, wall_of("parse")->verdict, PE_UNDECIDED));
	cr_expect(is_noted("1 benchmark is still undecided: the same command measures more"), "%s",
		  NOTES);
	cr_expect(eq(sz, ran("./parse", UINT_MAX, FAKE_PLAIN), 2 * REPEATS * (1 + LOOKS_BATCHES)));
}

/* --- What the history knows --- */

enum { COMMITS = 16, CULPRIT = 9 };

static void track(void)
{
	struct pe_track_request request = {.all = true};
	struct pe_session session;

	app_fixture_open(&fixture, COMMITS, config);
	fixture.executor.answer = answer;
	fixture.executor.leave = scan_alike;
	parse.from = CULPRIT;
	parse.step_ns = 200000;
	parse.noise_ns = 20000;
	request.first = fixture.commits.at[0].id;
	app_fixture_open_session(&fixture, &session, COMMITS);
	OK(pe_track_measure(&session, &request));
	pe_session_close(&session);
	app_fixture_reopen(&fixture);
	fixture.executor.answer = answer;
	fixture.executor.leave = scan_alike;
}

Test(compare, takes_the_size_of_the_confirmed_jump_between_the_two)
{
	const struct pe_compare_value *wall;

	track();
	compare(CULPRIT - 1, CULPRIT);
	wall = wall_of("parse");
	cr_assert(wall->jump != NULL);
	cr_expect_str_eq(wall->jump_id, fixture.commits.at[CULPRIT].id);
	cr_expect(eq(int, wall->jump->state, PE_JUMP_CONFIRMED));
	cr_expect(epsilon_eq(dbl, wall->relative, wall->jump->relative, 0));
	cr_expect(eq(int, wall->verdict, PE_REGRESSED));
	/* What was paired are its neighbours, and not commits further off: their own runs say how they differ. */
	compare(CULPRIT - 3, CULPRIT + 3);
	wall = wall_of("parse");
	cr_expect(wall->jump == NULL);
	cr_expect(wall->low > 0.05, "%g", wall->low);
	cr_expect(eq(int, wall->verdict, PE_UNDECIDED), "track ends after five runs");
	cr_expect(eq(sz, ran("./parse", UINT_MAX, FAKE_PLAIN), 0), "all is stored");
	/* Backwards it is the way back, and no jump of the history. */
	compare(CULPRIT + 3, CULPRIT - 3);
	cr_expect(wall_of("parse")->jump == NULL);
	cr_expect(wall_of("parse")->high < -0.05);
}

Test(compare, takes_no_jump_that_lies_outside)
{
	track();
	compare(CULPRIT, COMMITS - 1);
	cr_expect(wall_of("parse")->jump == NULL);
	compare(0, CULPRIT - 1);
	cr_expect(wall_of("parse")->jump == NULL);
	cr_expect(ne(int, wall_of("parse")->verdict, PE_REGRESSED));
}

/* --- Pages --- */

static bool page_holds(const char *path, const char *part)
{
	pe_auto_text text = PE_TEXT_INIT;
	bool holds;

	OK(pe_text_read_file(&text, path, NULL));
	holds = memmem(text.data, text.len, part, strlen(part)) != NULL;
	return holds;
}

Test(compare, report_of_a_history_measures_only_where_it_may)
{
	const struct pe_values_query asked = {.range = NULL};
	struct pe_reporting_opts report = {.jumps = PE_REPORT_JUMPS};
	struct pe_evolution evolution;
	const char *path;

	track();
	OK(pe_values_load(&evolution, &fixture.app, &asked));
	OK(pe_report_write(&path, &fixture.app, &evolution, &report));
	cr_expect(eq(sz, fixture.executor.commands.n, 0));
	cr_expect(page_holds(path, "</html>"));
	report.measure = true;
	OK(pe_report_write(&path, &fixture.app, &evolution, &report));
	cr_expect(eq(sz, ran("./parse", CULPRIT, FAKE_CALLS), 2), "the jump is explained");
	cr_expect(eq(sz, ran("./parse", CULPRIT - 1, FAKE_CALLS), 2));
	cr_expect(eq(sz, ran("./parse", 0, FAKE_CALLS), 0));
}
