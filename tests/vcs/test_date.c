#define _XOPEN_SOURCE 700 /* tzset(3) */
#include "tests/support/cases.h"
#include "tests/support/random.h"
#include "vcs/repo.h"

#include <time.h>

/* 2024-03-31 12:00:00 UTC, a Sunday. */
enum { NOW_S = 1711886400 };

static void use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void read_date(struct pe_text *result, const char *zone, const char *input, size_t n)
{
	struct pe_err err = PE_ERR_INIT;
	int64_t out = 0;
	int rc;

	(void)n;
	use_zone(zone);
	rc = pe_repo_parse_date(&out, input, NOW_S, &err);
	cr_expect(rc == PE_OK || (rc == PE_EINVALID && err.message[0] != '\0'), "%s", input);
	if (rc == PE_OK)
		pe_text_addf(result, "%lld", (long long)out);
	else
		pe_text_add(result, "refused");
}

Test(date, is_read_as_its_cases_say)
{
	cases_check("vcs", "date.cases", read_date);
}

/* Months before the year 1 were once looked for without end. */
Test(date, any_time_ago_is_a_time_between_1970_and_now, .timeout = 600)
{
	static const char *const units[] = {"second", "minute", "hour", "day",
					    "week",   "month",  "year"};
	struct pe_random random = random_of(1);

	use_zone("Europe/Berlin");
	for (int i = 0; i < 100000; i++) {
		size_t unit = pe_random_below(&random, 7);
		uint64_t most = unit < 5 ? 1000000 : unit == 5 ? 12000 : 1000;
		uint64_t count =
			pe_random_below(&random, UINT64_C(1) << pe_random_below(&random, 21));
		int64_t now_s = 1 + (int64_t)pe_random_below(&random, INT64_C(4000000000)), ago,
			more;
		char text[64];
		int rc;

		count %= most;
		snprintf(text, sizeof(text), "%d %ss ago", (int)count, units[unit]);
		rc = pe_repo_parse_date(&ago, text, now_s, NULL);
		cr_assert(rc == 0 && ago >= 1 && ago <= now_s, "%s at %lld: %lld", text,
			  (long long)now_s, (long long)ago);
		snprintf(text, sizeof(text), "%d %ss ago", (int)count + 1, units[unit]);
		rc = pe_repo_parse_date(&more, text, now_s, NULL);
		cr_assert(rc == 0 && more <= ago, "%s at %lld: %lld", text, (long long)now_s,
			  (long long)more);
	}
}
