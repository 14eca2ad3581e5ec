/* Documents of results: what is read of them, and what is refused. */
#include "fixture.h"

#include "core/model/modules.h"
#include "store/exchange.h"
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

static struct fixture at;
static struct pe_results results;

TestSuiteWith(exchange_read, fixture_open(&at), fixture_close(&at));

static int read_text(const char *text)
{
	return pe_results_read(&results, at.store, text, &at.arena, &at.err);
}

/* Of the document that was read; each a string literal. */
#define ASK(sql) ask("SELECT (" sql ")")

static int64_t ask(const char *sql)
{
	int64_t answer = -1;

	OK(pe_sql_integer(&answer, at.store, sql, NULL, &at.err));
	return answer;
}

static const char *or_good(const char *part, const char *good)
{
	return part != NULL ? part : good;
}

static int read_parts(const struct parts *parts)
{
	pe_auto_text text = PE_TEXT_INIT;

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
	return read_text(pe_text_str(&text));
}

Test(exchange_read, holds_what_was_written)
{
	OK(read_parts(&(struct parts){0}));
	cr_expect_str_eq(results.fingerprint, "00112233445566778899aabbccddeeff");
	cr_expect(results.has_batch);
	cr_assert(eq(sz, results.n_revisions, 2));
	cr_expect_str_eq(results.revisions[1], "2222222222222222222222222222222222222222");
	cr_expect_str_eq(results.benchmarks[0].name, "parse");
	cr_expect(eq(sz, results.n_rows, 16));
	cr_expect(ASK("SELECT cpu IS NULL FROM doc_machine"));
	cr_expect(ASK("SELECT aside AND fixed_layout AND nice = 5 FROM doc_batch"));
	cr_expect(eq(i64, ASK("SELECT seed FROM doc_batch"), INT64_MIN + 255));
	cr_expect(eq(i64, ASK("SELECT sum(10 * role + enough) FROM doc_cells"), 51));
	cr_expect(eq(i64, ASK("SELECT value * 10 FROM doc_samples WHERE run = 0 AND metric = 0"),
		     10005));
	cr_expect(ASK("SELECT outcome = 'crashed' AND log = 'oops' FROM doc_runs WHERE row = 1"));
	cr_expect(ASK("SELECT outcome = 'build failed' AND log IS NULL FROM doc_builds"));
	cr_expect(ASK("SELECT answer = 1 AND layout = 2 AND pinned_last IS NULL"
		      " FROM doc_confirmations"));
}

#define DAY_S INT64_C(86400)

static int take(int64_t time_s)
{
	struct pe_results_sum sum = {0};
	struct pe_revision revision = {.time_s = time_s, .author = "", .subject = ""};
	const struct pe_results_source source = {
		.origin = PE_UNSIGNED, .remote = "hub", .now_s = 1700000000 + 9 * DAY_S};
	int64_t key;

	memset(revision.id, '1', sizeof(revision.id) - 1);
	OK(pe_store_put_revision(&key, at.store, &revision, &at.err));
	return pe_store_take_in(&sum, at.store, &source, &at.err);
}

Test(exchange_read, results_may_be_old)
{
	OK(read_parts(&(struct parts){0}));
	OK(take(1700000000));
}

Test(exchange_read, results_are_not_older_than_their_commits)
{
	OK(read_parts(&(struct parts){0}));
	cr_expect_fails(take(1700000000 + 2 * DAY_S), PE_EINVALID, at.err.message,
			"row 0 of 'runs': its time cannot be");
}

Test(exchange_read, may_have_no_batch)
{
	OK(read_parts(&(struct parts){.batch = "null", .cells = "", .runs = ""}));
	cr_expect_not(results.has_batch);
}

#define MODULES   "[\"c1 /lib/libc.so.6\\np1 /usr/bin/python3.11\\n\"]"
#define LOADED(x) "[0,0,1,0,7,1700000001,\"measured\",0,null,[0,1]," x "]"

Test(exchange_read, tells_what_counting_runs_executed)
{
	OK(read_parts(&(struct parts){.runs = LOADED("[0,1700000000]"), .modules = MODULES}));
	cr_expect(eq(i64, ASK("SELECT since_s FROM doc_runs WHERE modules = 0"), 1700000000));
	OK(read_parts(&(struct parts){.runs = LOADED("null,\"read 3\\nwrite 12\\n\"")}));
	cr_expect(ASK("SELECT modules IS NULL AND length(calls) = 16 FROM doc_runs"));
}

/* Sets of a document are compared with each other: their number is bounded. */
Test(exchange_read, has_not_more_modules_than_can_be_compared)
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

Test(exchange_read, is_refused_for_anything_a_store_could_not_hold)
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
		cr_expect(ne(int, at.err.message[0], 0), "%s has no sentence", bad[i].what);
		at.err = (struct pe_err)PE_ERR_INIT;
	}
}

Test(exchange_read, of_a_newer_version_asks_for_a_newer_perfevo)
{
	cr_expect_fails(read_text("{\"format\":\"perfevo results\",\"version\":3}"),
			PE_EUNSUPPORTED, at.err.message, "update perfevo");
}

Test(exchange_read, is_told_from_other_documents)
{
	const char *const others[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"format\":\"x\",\"version\":2}",
		"{\"format\":\"perfevo results\",\"version\":2}",
		"{\"format\":\"perfevo results\",\"version\":2,\"x\":\"\xff\"}",
		"{\"format\":\"perfevo results\",\"version\":2,\"x\":\"\\ud800\"}",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_expect(eq(int, read_text(others[i]), PE_EINVALID), "%s", others[i]);
}

#define PROFILES(frames, profiles, trees)                                                          \
	"{\"format\":\"perfevo results\",\"version\":2," MACHINE ",\"batch\":null,"                \
	"\"revisions\":[" ONE "],\"benchmarks\":[" BENCHMARK "],\"metrics\":[],\"cells\":[],"      \
	"\"runs\":[],\"builds\":[],\"reused\":[],\"confirmations\":[],\"frames\":[" frames         \
	"],\"profiles\":[" profiles "],\"trees\":[" trees "]}"
#define FRAME   "[\"main\",\"a.c\",\"(int)\",\"prog\",7,0]"
#define PROFILE "[0,0,\"both\",\"s\",\"perfevo\",\"\",\"a note\\nof two lines\",1700000005]"
#define TREE    "[0,\"AAAAAA==\",\"AP8=\"]"

Test(exchange_read, holds_profiles)
{
	OK(read_text(PROFILES(FRAME, PROFILE, TREE)));
	cr_expect(ASK("SELECT signature = '(int)' FROM doc_frames"));
	cr_expect(ASK("SELECT note LIKE 'a note_of two lines' FROM doc_profiles"));
	cr_expect(ASK("SELECT frames = x'00000000' AND data = x'00ff' FROM doc_trees"));
	cr_expect(eq(sz, results.n_rows, 6));
}

Test(exchange_read, profiles_are_refused_for_anything_a_store_could_not_hold)
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
