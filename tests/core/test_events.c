#include "core/stats/events.h"

#include "tests/support/cases.h"

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(events, (void)0, pe_arena_release(&arena), .timeout = 600);

/*
 * Jumps of one benchmark after the other, with a blank between them: "N*" repeats one, "FROM-AT" is where it is, "[FIRST-LAST]"
 * what it may be, ":SURE" how sure it is, and "!" is of an exact metric. Without these it is sharp, or half sure.
 */
static size_t jumps_of(struct pe_event *out, const char *input)
{
	size_t n = 0;

	for (const char *at = input; *at != '\0'; at += strspn(at, " ")) {
		struct pe_event jump = {.sure = 0.99};
		size_t times = 1;
		int used = 0;

		if (sscanf(at, "%zu*%n", &times, &used) == 1 && used > 0)
			at += used;
		else
			times = 1;
		jump.from = jump.commit = strtoul(at, (char **)&at, 10);
		if (*at == '-')
			jump.commit = strtoul(at + 1, (char **)&at, 10);
		jump.first = jump.last = jump.commit;
		if (*at == '[') {
			cr_assert(sscanf(at, "[%zu-%zu]%n", &jump.first, &jump.last, &used) == 2);
			at += used;
			jump.sure = 0.5;
		}
		if (*at == ':')
			jump.sure = strtod(at + 1, (char **)&at);
		if (*at == '!') {
			jump.exact = true;
			at++;
		}
		for (; times > 0; times--)
			out[n++] = jump;
	}
	return n;
}

/* "COMMIT[FIRST-LAST] SURE: MEMBERS" of each event; the word is a commit that is likelier, or `even` for all alike. */
static void find(struct pe_text *result, const char *word, const char *input, size_t size)
{
	struct pe_event jumps[256], turned[256];
	size_t benchmarks[256], turned_benchmarks[256];
	double prior[100];
	const struct pe_events_opts opts = {.prior = *word != '\0' ? prior : NULL,
					    .n_commits = 100};
	const size_t n = jumps_of(jumps, input);
	struct pe_events events, other;

	(void)size;
	for (size_t i = 0; i < 100; i++)
		prior[i] = strcmp(word, "even") == 0 ? 1 : i == strtoul(word, NULL, 10) ? 3 : 0.1;
	for (size_t i = 0; i < n; i++)
		benchmarks[i] = i;
	events = pe_events_find(jumps, benchmarks, n, &opts, &arena);
	for (size_t e = 0; e < events.n; e++) {
		pe_text_addf(result, "%s%zu[%zu-%zu] %.2f:", e > 0 ? "; " : "", events.at[e].commit,
			     events.at[e].first, events.at[e].last, events.at[e].sure);
		for (size_t i = 0, last; i < n; i++) {
			if (events.event_of[i] != e)
				continue;
			for (last = i; last + 1 < n && events.event_of[last + 1] == e;)
				last++;
			pe_text_addf(result, last > i ? " %zu-%zu" : " %zu", i, last);
			i = last;
		}
	}
	/* Jumps in reverse order make the same events. */
	for (size_t i = 0; i < n; i++) {
		turned[i] = jumps[n - 1 - i];
		turned_benchmarks[i] = n - 1 - i;
	}
	other = pe_events_find(turned, turned_benchmarks, n, &opts, &arena);
	cr_expect(eq(sz, other.n, events.n), "%s", input);
	for (size_t i = 0; i < n && other.n == events.n; i++)
		cr_expect(eq(sz, other.event_of[n - 1 - i], events.event_of[i]), "%s", input);
}

Test(events, are_those_of_the_cases)
{
	cases_check("core", "events.cases", find);
}

Test(events, benchmarks_part_by_functions_that_they_do_not_share)
{
	const size_t parse[] = {1, 4}, parse_more[] = {4, 7}, print[] = {2};
	const struct pe_event_functions of[] = {
		{print, 1, true}, {parse, 2, true}, {parse_more, 2, true},
		{NULL, 0, false}, {NULL, 0, true},
	};
	size_t part[5];

	cr_assert(eq(sz, pe_events_part(part, of, 5), 2));
	cr_expect(eq(sz, part[0], 0));
	cr_expect(eq(sz, part[1], 1));
	cr_expect(eq(sz, part[2], 1), "by way of function 4");
	cr_expect(eq(sz, part[3], 1), "not known: the larger part");
	cr_expect(eq(sz, part[4], 1), "executes nothing of it: the larger part");
}

Test(events, without_functions_there_is_one_part)
{
	const struct pe_event_functions of[3] = {
		{NULL, 0, false}, {NULL, 0, true}, {NULL, 0, false}};
	size_t part[3];

	cr_assert(eq(sz, pe_events_part(part, of, 3), 1));
	for (size_t i = 0; i < 3; i++)
		cr_expect(eq(sz, part[i], 0));
}
