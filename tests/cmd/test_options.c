/* Options: what a command line means, and what is said about one that means nothing. */
#include "cmd/ui/options.h"

#include "tests/support/test.h"

static struct pe_arena arena;
static struct pe_err err;

/* What the table below fills in. */
static bool quick, no_pager;
static const char *bench;
static size_t last;
static uint64_t timeout_ns, disk_bytes;
static int format;
static struct pe_strings metrics;

static const char *const formats[] = {"term", "json", "csv", NULL};

static const struct pe_opt table[] = {
	OPT_GROUP("Which"),
	OPT_NUMBER('l', "last", &last, "N", "the last N commits"),
	OPT_STRING('b', "bench", &bench, "REGEX", "only these"),
	OPT_FLAG('q', "quick", &quick, "a first look"),
	OPT_FLAG(0, "no-pager", &no_pager, "no pager"),
	OPT_DURATION(0, "timeout", &timeout_ns, "TIME", "at most"),
	OPT_SIZE(0, "disk", &disk_bytes, "SIZE", "at most"),
	OPT_CHOICE(0, "format", &format, formats, "how"),
	OPT_LIST('m', "metric", &metrics, "NAME", "these"),
	OPT_END,
};

static void start(void)
{
	quick = no_pager = false;
	bench = NULL;
	last = 0;
	timeout_ns = disk_bytes = 0;
	format = 0;
	metrics = (struct pe_strings){NULL, 0};
	err = (struct pe_err)PE_ERR_INIT;
}

static void finish(void)
{
	pe_arena_release(&arena);
}

TestSuite(options, .init = start, .fini = finish, .timeout = 600);

/* Words separated by single spaces, parsed; what is left is joined again. */
static int parse(const char *line, const char **left)
{
	char *copy = pe_arena_strdup(&arena, line), *rest = copy;
	char *argv[32];
	int argc = 0, rc;

	while (rest != NULL && *rest != '\0') {
		char *space = strchr(rest, ' ');

		argv[argc++] = rest;
		if (space != NULL)
			*space++ = '\0';
		rest = space;
	}
	rc = pe_opts_parse(table, &argc, argv, &arena, &err);
	*left = "";
	for (int i = 0; i < argc; i++)
		*left = pe_arena_printf(&arena, "%s%s%s", *left, i > 0 ? " " : "", argv[i]);
	return rc;
}

static void expect_good(const char *line, const char *operands)
{
	const char *left;

	cr_assert(eq(int, parse(line, &left), PE_OK), "%s: %s", line, err.message);
	cr_assert_str_eq(left, operands);
}

static void expect_bad(const char *line, const char *sentence)
{
	const char *left;

	cr_assert(eq(int, parse(line, &left), PE_EINVALID), "%s", line);
	cr_assert_str_eq(err.message, sentence);
}

Test(options, reads_every_kind_of_value)
{
	expect_good("--last 20 --bench ^parse --quick --timeout 1500ms --disk 2G --format csv", "");
	cr_assert(eq(sz, last, 20));
	cr_assert_str_eq(bench, "^parse");
	cr_assert(quick);
	cr_assert(eq(u64, timeout_ns, 1500000000));
	cr_assert(eq(u64, disk_bytes, 2147483648));
	cr_assert(eq(int, format, 2));
	cr_assert_str_eq(pe_opts_choice(table, "format"), "csv");
	cr_assert(eq(ptr, (void *)pe_opts_choice(table, "last"), NULL));
}

Test(options, takes_values_after_an_equals_sign)
{
	expect_good("--last=7 --bench=a=b --format=json", "");
	cr_assert(eq(sz, last, 7));
	cr_assert_str_eq(bench, "a=b");
	cr_assert(eq(int, format, 1));
}

Test(options, takes_letters_in_clusters_with_the_value_of_the_last)
{
	expect_good("-ql12", "");
	cr_assert(quick);
	cr_assert(eq(sz, last, 12));
	expect_good("-l 13 -bx", "");
	cr_assert(eq(sz, last, 13));
	cr_assert_str_eq(bench, "x");
}

Test(options, gathers_a_list)
{
	expect_good("-m wall --metric=cpu -mmax_rss", "");
	cr_assert(eq(sz, metrics.n, 3));
	cr_assert_str_eq(metrics.at[0], "wall");
	cr_assert_str_eq(metrics.at[1], "cpu");
	cr_assert_str_eq(metrics.at[2], "max_rss");
	cr_assert(eq(ptr, (void *)metrics.at[3], NULL));
}

Test(options, keeps_operands_in_their_order)
{
	expect_good("A..B -q other --last 3 -", "A..B other -");
	expect_good("one -- -q --lats", "one -q --lats");
}

Test(options, undoes_a_flag)
{
	expect_good("--quick --no-quick", "");
	cr_assert(not(quick));
	expect_good("--no-pager", "");
	cr_assert(no_pager);
	expect_good("--pager", "");
	cr_assert(not(no_pager));
}

Test(options, completes_a_name_as_far_as_it_is_unique)
{
	expect_good("--la 4 --qui", "");
	cr_assert(eq(sz, last, 4));
	cr_assert(quick);
	expect_bad("--no", "option '--no' may be '--no-quick' or '--no-pager'");
}

Test(options, suggests_the_nearest_name)
{
	expect_bad("--lats 3", "unknown option '--lats' (did you mean '--last'?)");
	expect_bad("--zzzzzzzz", "unknown option '--zzzzzzzz'");
	expect_bad("--fromat=json", "unknown option '--fromat' (did you mean '--format'?)");
	expect_bad("-x", "unknown option '-x'");
}

Test(options, refuses_values_that_do_not_fit)
{
	expect_bad("--last many", "--last takes a number, not 'many'");
	expect_bad("--last -3", "--last takes a number, not '-3'");
	expect_bad("--last 3x", "--last takes a number, not '3x'");
	expect_bad("--last 99999999999999999999999", "--last takes a number, not "
						     "'99999999999999999999999'");
	expect_bad("--timeout soon", "--timeout takes a duration such as 90s, 5m or 1500ms, not "
				     "'soon'");
	expect_bad("--disk 0", "--disk takes a size such as 10GiB or 512M, not '0'");
	expect_bad("--format xml", "--format takes term, json or csv, not 'xml'");
	expect_bad("--quick=yes", "--quick takes no value");
}

Test(options, says_which_value_is_missing)
{
	expect_bad("--last", "--last needs a value: N");
	expect_bad("-qb", "--bench needs a value: REGEX");
	expect_bad("--format", "--format needs a value: term, json or csv");
}

Test(options, stops_at_the_first_operand_where_that_is_asked)
{
	char quick_word[] = "-q", track[] = "track", unknown[] = "--all-parents";
	char *argv[] = {quick_word, track, unknown, NULL};
	int argc = 3;

	cr_assert(eq(int, pe_opts_parse_leading(table, &argc, argv, &arena, &err), PE_OK));
	cr_assert(quick);
	cr_assert(eq(int, argc, 2));
	cr_assert_str_eq(argv[0], "track");
	cr_assert_str_eq(argv[1], "--all-parents");
}
