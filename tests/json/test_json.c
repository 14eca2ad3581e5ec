#include "core/json/json.h"

#include "tests/support/test.h"

static struct pe_arena arena;
static struct pe_err err;

TestSuiteWith(json, (void)0, pe_arena_release(&arena), .timeout = 600);

static int number(double *out, const char *document, const char *pointer)
{
	struct pe_json_reader reader = pe_json_number_reader();

	*out = NAN;
	err = (struct pe_err)PE_ERR_INIT;
	return reader.number(out, document, strlen(document), pointer, reader.payload, &err);
}

/* The document and pointers of RFC 6901, section 5. */
Test(json, follows_the_pointers_of_the_rfc)
{
	const char *document = "{\"foo\":[5,6],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
			       "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}\n";
	static const struct {
		const char *pointer;
		double value;
	} cases[] = {
		{"/foo/0", 5}, {"/foo/1", 6}, {"/", 0},     {"/a~1b", 1}, {"/c%d", 2},  {"/e^f", 3},
		{"/g|h", 4},   {"/i\\j", 5},  {"/k\"l", 6}, {"/ ", 7},    {"/m~0n", 8},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double value;

		cr_expect(eq(int, number(&value, document, cases[i].pointer), PE_OK), "%s: %s",
			  cases[i].pointer, err.message);
		cr_expect(eq(dbl, value, cases[i].value));
	}
}

Test(json, reads_numbers_of_every_form)
{
	double value;

	cr_expect(eq(int, number(&value, "12", ""), PE_OK));
	cr_expect(eq(dbl, value, 12));
	cr_expect(eq(int, number(&value, " [ -1.5e3 ] \n", "/0"), PE_OK));
	cr_expect(eq(dbl, value, -1500));
	cr_expect(eq(int, number(&value, "[18446744073709551615]", "/0"), PE_OK));
	cr_expect(eq(dbl, value, 18446744073709551615.0));
}

Test(json, says_when_nothing_or_no_number_is_there)
{
	static const struct {
		const char *pointer, *message;
	} cases[] = {
		{"/b", "nothing at '/b' in the JSON output"},
		{"/a/2", "nothing at '/a/2' in the JSON output"},
		{"/a/01", "nothing at '/a/01' in the JSON output"},
		{"/a/-", "nothing at '/a/-' in the JSON output"},
		{"/a/x", "nothing at '/a/x' in the JSON output"},
		{"/a", "no number at '/a' in the JSON output but array"},
		{"/s", "no number at '/s' in the JSON output but string"},
		{"", "no number at '' in the JSON output but object"},
		{"a", "nothing at 'a' in the JSON output"},
		{"/n", "nothing at '/n' in the JSON output"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double value;

		cr_expect(
			eq(int,
			   number(&value, "{\"a\":[1,2],\"s\":\"3\",\"n\":null}", cases[i].pointer),
			   PE_ENOTFOUND));
		cr_expect_str_eq(err.message, cases[i].message);
	}
}

Test(json, refuses_what_is_not_one_document)
{
	static const char *const documents[] = {"",        "{",    "[1,2", "{} {}",
						"time: 5", "[1,]", "nul",  "1 2"};

	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
		double value;

		cr_expect(eq(int, number(&value, documents[i], "/0"), PE_EINVALID), "accepted: %s",
			  documents[i]);
		cr_expect(eq(int, strncmp(err.message, "not JSON: ", 10), 0));
	}
}

Test(json, infinite_numbers_are_none)
{
	double value;

	cr_expect(ne(int, number(&value, "[Infinity]", "/0"), PE_OK));
	cr_expect(ne(int, number(&value, "[NaN]", "/0"), PE_OK));
	cr_expect(ne(int, number(&value, "[1e999]", "/0"), PE_OK));
}

static const char ctest_list[] =
	"{\"kind\":\"ctestInfo\",\"backtraceGraph\":{\"commands\":[\"add_test\"],"
	"\"files\":[\"/src/CMakeLists.txt\"],\"nodes\":[{\"file\":0},"
	"{\"command\":0,\"file\":0,\"line\":9,\"parent\":0}]},\"tests\":["
	"{\"name\":\"fast\",\"command\":[\"/b/t\",\"fast one\"],\"backtrace\":1,\"properties\":["
	"{\"name\":\"ENVIRONMENT\",\"value\":[\"A=1\",\"B=2\"]},"
	"{\"name\":\"TIMEOUT\",\"value\":2.5},{\"name\":\"WORKING_DIRECTORY\",\"value\":\"/b\"}]},"
	"{\"name\":\"off\",\"command\":[\"x\"],\"backtrace\":77,\"properties\":["
	"{\"name\":\"DISABLED\",\"value\":true},{\"name\":\"WILL_FAIL\",\"value\":true}]},"
	"{\"name\":\"unbuilt\"}]}";

Test(json, reads_the_tests_of_ctest)
{
	struct pe_built_test *tests;
	size_t n;

	cr_assert(eq(int,
		     pe_json_ctest_list(&tests, &n, ctest_list, strlen(ctest_list), &arena, &err),
		     PE_OK));
	cr_assert(eq(sz, n, 3));
	cr_expect_text("fast /b/t fast one - /b", tests[0].name, tests[0].command[0],
		       tests[0].command[1], (void *)tests[0].command[2],
		       tests[0].working_directory);
	cr_assert(eq(sz, tests[0].environment.n, 2));
	cr_expect_text("B=2 2.5 /src/CMakeLists.txt", tests[0].environment.at[1],
		       tests[0].timeout_s, tests[0].defined_in);
	cr_expect(not(tests[0].disabled));
	cr_expect_text("1 1 - -", tests[1].disabled, tests[1].will_fail,
		       (void *)tests[1].defined_in, (void *)tests[2].command);
}

Test(json, refuses_a_list_that_is_none)
{
	struct pe_built_test *tests;
	size_t n;

	cr_expect(eq(int, pe_json_ctest_list(&tests, &n, "{}", 2, &arena, &err), PE_EINVALID));
	cr_expect(
		eq(int, pe_json_ctest_list(&tests, &n, "No tests", 8, &arena, &err), PE_EINVALID));
	cr_expect(eq(int, pe_json_ctest_list(&tests, &n, "{\"tests\":[{}]}", 14, &arena, &err),
		     PE_EINVALID));
}

Test(json, without_a_reply_there_are_no_targets)
{
	struct pe_built_target *targets;
	size_t n;

	cr_expect(eq(int, pe_json_cmake_targets(&targets, &n, "/nonexistent", &arena, &err),
		     PE_ENOTFOUND));
	cr_expect(eq(sz, n, 0));
}
