/* Options: what a command line means, and what is said about one that means nothing. */
#include "cmd/ui/options.h"

#include "tests/support/cases.h"

static struct pe_arena arena;
static struct pe_err err;

/* What the table below fills in. */
static bool quick, no_pager;
static const char *bench;
static size_t last;
static uint64_t timeout_ns;
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
	OPT_CHOICE(0, "format", &format, formats, "how"),
	OPT_LIST('m', "metric", &metrics, "NAME", "these"),
	OPT_END,
};

static void start(void)
{
	quick = no_pager = false;
	bench = NULL;
	last = 0;
	timeout_ns = 0;
	format = 0;
	metrics = (struct pe_strings){NULL, 0};
	err = (struct pe_err)PE_ERR_INIT;
}

static void finish(void)
{
	pe_arena_release(&arena);
}

TestSuite(options, .init = start, .fini = finish, .timeout = 600);

/* Words separated by single spaces, parsed, of which leading options alone where that is asked: what they say, or what is wrong. */
static void parse(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char *argv[32], *rest = NULL;
	int argc = 0, rc;

	(void)n;
	start();
	for (char *at = strtok_r(pe_arena_strdup(&arena, input), " ", &rest); at != NULL;
	     at = strtok_r(NULL, " ", &rest))
		argv[argc++] = at;
	argv[argc] = NULL;
	rc = strcmp(word, "leading") == 0 ? pe_opts_parse_leading(table, &argc, argv, &arena, &err)
					  : pe_opts_parse(table, &argc, argv, &arena, &err);
	if (rc != PE_OK) {
		cr_expect(eq(int, rc, PE_EINVALID));
		pe_text_add(result, err.message);
		return;
	}
	pe_text_addf(result, "last %zu bench %s%s%s timeout %g s format %s metrics", last,
		     bench != NULL ? bench : "-", quick ? " quick" : "",
		     no_pager ? " no-pager" : "", (double)timeout_ns / 1e9,
		     pe_opts_choice(table, "format"));
	for (size_t i = 0; i < metrics.n; i++)
		pe_text_addf(result, " %s", metrics.at[i]);
	cr_expect(metrics.at == NULL || metrics.at[metrics.n] == NULL);
	for (int i = 0; i < argc; i++)
		pe_text_addf(result, "%s %s", i == 0 ? " |" : "", argv[i]);
}

Test(options, mean_what_the_cases_say)
{
	cases_check("cmd", "options.cases", parse);
	cr_expect_null(pe_opts_choice(table, "last"));
}
