#include "store/exchange/results.h"

#include "core/base/text.h"
#include "core/model/batch.h"
#include "core/model/modules.h"
#include "tests/support/test.h"

#define MACHINE                                                                                    \
	"\"machine\":{\"fingerprint\":\"00112233445566778899aabbccddeeff\",\"hostname\":\"vm\","   \
	"\"cpu\":null,\"cores\":2,\"memory_bytes\":1024,\"kernel\":\"Linux\",\"compilers\":\"\"}"
#define BATCH                                                                                      \
	"{\"created\":1700000000,\"seed\":\"80000000000000ff\",\"governor\":\"unknown\","          \
	"\"turbo\":\"off\",\"load\":0.5,\"env_bytes\":4096,\"cpu\":-1,\"nice\":5,"                 \
	"\"fixed_layout\":true,\"aside\":true}"
#define ONE "[\"1111111111111111111111111111111111111111\",1700000000,\"Ada\",\"one\",[]]"
#define TWO                                                                                        \
	"[\"2222222222222222222222222222222222222222\",1700000060,\"Ada\",\"two\","                \
	"[\"1111111111111111111111111111111111111111\"]]"
#define BENCHMARK "[\"parse\",\"0123456789abcdef0123456789abcdef\",\"{}\",false]"
#define METRICS                                                                                    \
	"[\"wall\",\"ns\",\"wall time\",0,0,0.02,20000],[\"score\",\"points\",\"score\",1,1,0.01," \
	"1]"

/* The tables of a document; NULL: one that is good. */
struct parts {
	const char *machine, *batch, *revisions, *benchmarks, *metrics, *cells, *runs, *builds,
		*reused, *confirmations, *modules;
};

static struct pe_arena arena;
static struct pe_err err;
static struct pe_results results;

TestSuiteWith(results, (arena = (struct pe_arena)PE_ARENA_INIT, err = (struct pe_err)PE_ERR_INIT),
	      pe_arena_release(&arena));

static const char *or_good(const char *part, const char *good)
{
	return part != NULL ? part : good;
}

static int read_parts(const struct parts *parts)
{
	pe_auto_text text = PE_TEXT_INIT;
	int rc;

	pe_text_addf(&text, "{\"format\":\"perfevo results\",\"version\":2,%s,\"batch\":%s,",
		     or_good(parts->machine, MACHINE), or_good(parts->batch, BATCH));
	pe_text_addf(&text, "\"revisions\":[%s],", or_good(parts->revisions, ONE "," TWO));
	pe_text_addf(&text, "\"benchmarks\":[%s],", or_good(parts->benchmarks, BENCHMARK));
	pe_text_addf(&text, "\"metrics\":[%s],", or_good(parts->metrics, METRICS));
	if (parts->modules != NULL)
		pe_text_addf(&text, "\"module_sets\":[%s],", parts->modules);
	pe_text_addf(&text, "\"cells\":[%s],", or_good(parts->cells, "[0,0,1,1,0],[1,0,4,2,1]"));
	pe_text_addf(&text, "\"runs\":[%s],",
		     or_good(parts->runs,
			     "[0,0,0,0,7,1700000001,\"measured\",0,null,[0,1000.5,1,3]],"
			     "[1,0,0,1,9,1700000003,\"crashed\",11,\"oops\",[]]"));
	pe_text_addf(&text, "\"builds\":[%s],",
		     or_good(parts->builds, "[1,\"ffffffffffffffffffffffffffffffff\",\"build "
					    "failed\",2,1700000004,5000,\"make\",null]"));
	pe_text_addf(&text, "\"reused\":[%s],", or_good(parts->reused, "[1,0,0]"));
	pe_text_addf(&text, "\"confirmations\":[%s]}",
		     or_good(parts->confirmations,
			     "[0,0,0,1,1,1,[1700000000,\"80000000000000ff\"],1,1700000005,"
			     "\"confirmed\",[0.004,0.3,0.1,0.005,0.0025,0],[12,0.1,0.05,0.15,0.95,"
			     "0.001,null,0],1,null,null,2]"));
	rc = pe_results_read(&results, pe_text_str(&text), text.len, &arena, &err);
	return rc;
}

Test(results, holds_what_was_written)
{
	cr_assert_ok(read_parts(&(struct parts){0}), err.message);
	cr_expect_str_eq(results.machine.fingerprint, "00112233445566778899aabbccddeeff");
	cr_expect(results.machine.cpu == NULL);
	cr_expect(results.has_batch && results.aside && results.conditions.fixed_layout);
	cr_expect(eq(u64, results.seed, UINT64_C(0x80000000000000ff)));
	cr_expect(eq(int, results.conditions.nice, 5));
	cr_assert(eq(sz, results.n_revisions, 2));
	cr_expect_str_eq(results.revisions[1].id, "2222222222222222222222222222222222222222");
	cr_assert(eq(sz, results.n_cells, 2));
	cr_expect(eq(uint, results.cells[1].role, PE_ROLE_EXPLORED));
	cr_expect_not(results.cells[0].enough);
	cr_expect(results.cells[1].enough);
	cr_assert(eq(sz, results.n_runs, 2));
	cr_expect(eq(sz, results.runs[0].n_samples, 2));
	cr_expect(eq(dbl, results.runs[0].samples[0].value, 1000.5));
	cr_expect(eq(int, (int)results.runs[1].outcome, PE_CRASHED));
	cr_expect_str_eq(results.runs[1].log, "oops");
	cr_assert(eq(sz, results.n_builds, 1));
	cr_expect(eq(int, (int)results.builds[0].build.outcome, PE_BUILD_FAILED));
	cr_expect(results.builds[0].build.log == NULL);
	cr_assert(eq(sz, results.n_confirmations, 1));
	cr_expect(eq(int, (int)results.confirmations[0].answer, PE_CONFIRMED));
	cr_expect(isnan(results.confirmations[0].result.least) && !results.confirmations[0].pinned);
	cr_expect(eq(int, (int)results.confirmations[0].layout, PE_LAYOUT_ONLY));
}

Test(results, may_be_old_and_not_older_than_their_commits)
{
	const int64_t day_s = 24 * 60 * 60, now_s = 1700000000 + 9 * day_s;
	int64_t times_s[] = {1700000000, 1700000060};

	cr_assert_ok(read_parts(&(struct parts){0}), err.message);
	cr_expect_ok(pe_results_check(&results, times_s, now_s, &err), err.message);
	times_s[0] += 2 * day_s;
	cr_expect(eq(int, pe_results_check(&results, times_s, now_s, &err), PE_EINVALID));
}

Test(results, are_written_as_they_were_read)
{
	pe_auto_text first = PE_TEXT_INIT, second = PE_TEXT_INIT;

	cr_assert_ok(read_parts(&(struct parts){0}), err.message);
	pe_results_write(&first, &results);
	cr_assert_ok(pe_results_read(&results, pe_text_str(&first), first.len, &arena, &err),
		     err.message);
	pe_results_write(&second, &results);
	cr_expect_str_eq(pe_text_str(&first), pe_text_str(&second));
	cr_expect_has(pe_text_str(&first), "[0,1000.5,1,3]");
	cr_expect_has(pe_text_str(&first), "\"seed\":\"80000000000000ff\"");
}

Test(results, may_have_no_batch)
{
	cr_assert_ok(read_parts(&(struct parts){.batch = "null", .cells = "", .runs = ""}),
		     err.message);
	cr_expect_not(results.has_batch);
}

#define MODULES   "[\"c1 /lib/libc.so.6\\np1 /usr/bin/python3.11\\n\"]"
#define LOADED(x) "[0,0,1,0,7,1700000001,\"measured\",0,null,[0,1]," x "]"

Test(results, tell_what_counting_runs_executed)
{
	const struct parts parts = {.runs = LOADED("[0,1700000000]") "," LOADED("null"),
				    .modules = MODULES "," MODULES};
	pe_auto_text text = PE_TEXT_INIT;

	cr_assert_ok(read_parts(&parts), err.message);
	cr_expect(results.runs[0].has_modules && results.runs[0].since_s == 1700000000);
	cr_expect_not(results.runs[1].has_modules);
	/* One that no run names stays behind. */
	pe_results_keep_modules(&results, &arena);
	cr_expect(eq(sz, results.n_module_sets, 1));
	pe_results_write(&text, &results);
	cr_expect_has(pe_text_str(&text), MODULES);
	cr_expect_has(pe_text_str(&text), LOADED("[0,1700000000],null"));
	/* So does one that nobody would take in. */
	results.module_sets[0].lines = "c1 /lib/\033c\n";
	pe_results_keep_modules(&results, &arena);
	cr_expect(results.n_module_sets == 0 && !results.runs[0].has_modules);
}

/* Sets of a document are compared with each other: their number is bounded. */
Test(results, tell_which_system_calls_runs_made)
{
	const struct parts parts = {
		.runs = LOADED("null,\"read 3\\nwrite 12\\n\"") "," LOADED("null")};
	pe_auto_text text = PE_TEXT_INIT;

	cr_assert_ok(read_parts(&parts), err.message);
	cr_expect_str_eq(results.runs[0].calls, "read 3\nwrite 12\n");
	cr_expect(results.runs[1].calls == NULL);
	pe_results_write(&text, &results);
	cr_expect_has(pe_text_str(&text), LOADED("null,\"read 3\\nwrite 12\\n\""));
}

Test(results, have_not_more_modules_than_can_be_compared)
{
	const size_t most = PE_RESULTS_MODULES / PE_MODULES_MOST;

	for (size_t n = most; n <= most + 1; n++) {
		struct pe_text sets = PE_TEXT_INIT;

		for (size_t i = 0; i < n; i++) {
			pe_text_add(&sets, i == 0 ? "[\"" : ",[\"");
			for (unsigned k = 0; k < PE_MODULES_MOST; k++)
				pe_text_addf(&sets, "%zu /lib/%04u\\n", i, k);
			pe_text_add(&sets, "\"]");
		}
		cr_expect(eq(int, read_parts(&(struct parts){.modules = pe_text_str(&sets)}),
			     n == most ? PE_OK : PE_EINVALID));
		pe_text_release(&sets);
	}
}

#define RUN(samples) "[0,0,0,0,7,1700000001,\"measured\",0,null," samples "]"

Test(results, is_refused_for_anything_a_store_could_not_hold)
{
	const struct {
		const char *what;
		struct parts parts;
	} bad[] = {
		{"a fingerprint that is a path",
		 {.machine = "\"machine\":{\"fingerprint\":\"../x\"}"}},
		{"no machine", {.machine = "\"other\":{}"}},
		{"a seed with too few digits",
		 {.batch = "{\"created\":1,\"seed\":\"ff\",\"env_bytes\":1,\"cpu\":0,\"nice\":0}"}},
		{"a commit id in capitals",
		 {.revisions =
			  "[\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",1,\"\",\"\",[]]," TWO}},
		{"too few columns", {.revisions = "[\"1\"]," TWO}},
		{"a row that is an object", {.cells = "{}"}},
		{"an empty name",
		 {.benchmarks = "[\"\",\"0123456789abcdef0123456789abcdef\",\"{}\",false]"}},
		{"a zero byte",
		 {.benchmarks = "[\"a\\u0000b\",\"0123456789abcdef0123456789abcdef\","
				"\"{}\",false]"}},
		{"a metric of an unknown kind",
		 {.metrics = "[\"wall\",\"ns\",\"x\",0,9,0,0],[\"s\",\"p\",\"s\",0,0,0,0]"}},
		{"a cell of a revision that is not there", {.cells = "[2,0,0,1]"}},
		{"a cell of a negative revision", {.cells = "[-1,0,0,1]"}},
		{"an unknown role", {.cells = "[0,0,5,1]"}},
		{"a broken number of rounds", {.cells = "[0,0,0,1.5]"}},
		{"a million rounds", {.cells = "[0,0,0,1000000]"}},
		{"enough that is no truth value", {.cells = "[0,0,0,1,2]"}},
		{"too few columns of a cell", {.cells = "[0,0,1,1]"}},
		{"a sample of a metric that is not there", {.runs = RUN("[5,1]")}},
		{"a sample without a value", {.runs = RUN("[0]")}},
		{"a sample that is no number", {.runs = RUN("[0,null]")}},
		{"a sample beyond all numbers", {.runs = RUN("[0,1e999]")}},
		{"two samples of one metric", {.runs = RUN("[0,1,0,2]")}},
		{"samples that are no list", {.runs = RUN("{}")}},
		{"samples of a run that crashed",
		 {.runs = "[0,0,0,0,7,1,\"crashed\",11,null,[0,1]]"}},
		{"a set of modules that is not there", {.runs = LOADED("[0,1]")}},
		{"a set of modules that is none", {.modules = "[\"libc.so.6\"]"}},
		{"a path that is not absolute", {.modules = "[\"1 libc.so.6\\n\"]"}},
		{"a path with an escape", {.modules = "[\"1 /\\u001b[2J\\n\"]"}},
		{"modules in disorder", {.modules = "[\"1 /b\\n1 /a\\n\"]"}},
		{"modules without a time", {.runs = LOADED("[0]"), .modules = MODULES}},
		{"modules that are no list", {.runs = LOADED("true"), .modules = MODULES}},
		{"system calls that are none", {.runs = LOADED("null,\"rm -r\\n\"")}},
		{"system calls of nothing", {.runs = LOADED("null,\"\"")}},
		{"system calls in disorder", {.runs = LOADED("null,\"b 1\\na 1\\n\"")}},
		{"an unknown outcome", {.runs = "[0,0,0,0,7,1,\"fine\",0,null,[]]"}},
		{"a recipe that is no hash",
		 {.builds = "[1,\"x\",\"build failed\",2,1,1,null,null]"}},
		{"a source that is not there", {.reused = "[0,0,9]"}},
		{"an answer that is none yet",
		 {.confirmations =
			  "[0,0,0,1,1,1,null,1,1,\"going on\",[1,1,1,1,1,1],[1,1,1,1,1,1,1,"
			  "1],1,null,null]"}},
		{"a layout that is unknown",
		 {.confirmations =
			  "[0,0,0,1,1,1,null,1,1,\"confirmed\",[1,1,1,1,1,1],[1,1,1,1,1,1,1,"
			  "1],1,null,null,4]"}},
		{"a list that is too short",
		 {.confirmations = "[0,0,0,1,1,1,null,1,1,\"confirmed\",[1,1],[1,1,1,1,1,1,1,1],1,"
				   "null,null]"}},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		cr_expect(eq(int, read_parts(&bad[i].parts), PE_EINVALID), "%s", bad[i].what);
		cr_expect(ne(int, err.message[0], 0), "%s has no sentence", bad[i].what);
		err = (struct pe_err)PE_ERR_INIT;
	}
}

Test(results, of_a_newer_version_asks_for_a_newer_perfevo)
{
	const char text[] = "{\"format\":\"perfevo results\",\"version\":3}";

	cr_expect_fails(pe_results_read(&results, text, strlen(text), &arena, &err),
			PE_EUNSUPPORTED, err.message, "update perfevo");
}

Test(results, is_told_from_other_documents)
{
	const char *const others[] = {"", "null", "[]", "{}", "{\"format\":\"x\",\"version\":2}"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_expect(eq(int,
			     pe_results_read(&results, others[i], strlen(others[i]), &arena, &err),
			     PE_EINVALID),
			  "%s", others[i]);
}

#define PROFILES(frames, profiles, trees)                                                          \
	"{\"format\":\"perfevo results\",\"version\":2," MACHINE ",\"batch\":null,"                \
	"\"revisions\":[" ONE "],\"benchmarks\":[" BENCHMARK "],\"metrics\":[],\"cells\":[],"      \
	"\"runs\":[],\"builds\":[],\"reused\":[],\"confirmations\":[],\"frames\":[" frames         \
	"],\"profiles\":[" profiles "],\"trees\":[" trees "]}"
#define FRAME   "[\"main\",\"a.c\",\"(int)\",\"prog\",7,0]"
#define PROFILE "[0,0,\"both\",\"s\",\"perfevo\",\"\",\"a note\\nof two lines\",1700000005]"
#define TREE    "[0,\"AAAAAA==\",\"AP8=\"]"

static int read_text(const char *text)
{
	return pe_results_read(&results, text, strlen(text), &arena, &err);
}

Test(results, hold_profiles_and_are_written_as_they_were_read)
{
	pe_auto_text text = PE_TEXT_INIT;

	cr_assert_ok(read_text(PROFILES(FRAME, PROFILE, TREE)), err.message);
	pe_results_write(&text, &results);
	cr_assert_ok(read_text(pe_text_str(&text)), err.message);
	cr_assert(eq(sz, results.n_frames, 1));
	cr_expect_str_eq(results.frames[0].signature, "(int)");
	cr_assert(eq(sz, results.n_profiles, 1));
	cr_expect_str_eq(results.profiles[0].note, "a note\nof two lines");
	cr_assert(eq(sz, results.n_trees, 1));
	cr_expect(eq(sz, results.trees[0].frames.n, 4));
	cr_assert(eq(sz, results.trees[0].data.n, 2));
	cr_expect(eq(uint, results.trees[0].data.at[1], 0xff));
	cr_expect(eq(sz, pe_results_count(&results), 5));
}

Test(results, profiles_are_refused_for_anything_a_store_could_not_hold)
{
	const char *const bad[] = {
		PROFILES(FRAME, PROFILE, "[1,\"\",\"\"]"),
		PROFILES(FRAME, PROFILE, "[0,\"AAAA=\",\"\"]"),
		PROFILES(FRAME, PROFILE, "[0,null,\"\"]"),
		PROFILES(FRAME, "", TREE),
		PROFILES("[\"main\",\"a.c\",\"(int)\",\"prog\",7,6]", PROFILE, TREE),
		PROFILES("[\"main\",\"a.c\",\"(int)\",\"prog\",-7,0]", PROFILE, TREE),
		PROFILES(FRAME, "[1,0,\"both\",\"s\",\"\",\"\",\"\",1]", ""),
		PROFILES(FRAME, "[0,0,\"\",\"s\",\"\",\"\",\"\",1]", ""),
		PROFILES(FRAME, "[0,0,\"\\u001b[2J\",\"s\",\"\",\"\",\"\",1]", ""),
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect(eq(int, read_text(bad[i]), PE_EINVALID), "%s", bad[i]);
}
