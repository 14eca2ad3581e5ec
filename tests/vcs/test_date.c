#define _XOPEN_SOURCE 700 /* tzset(3) */
#include "tests/support/random.h"
#include "tests/support/test.h"
#include "vcs/repo.h"

#include <time.h>

/* 2024-03-31 12:00:00 UTC, a Sunday. */
enum { NOW_S = 1711886400 };

static int64_t parse(const char *text)
{
	struct pe_err err = PE_ERR_INIT;
	int64_t out = 0;

	cr_assert_eq(pe_repo_parse_date(&out, text, NOW_S, &err), 0, "%s", err.message);
	return out;
}

static void use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

Test(date, reads_dates_with_a_zone)
{
	use_zone("America/New_York");
	cr_expect_text("1714564800 1714564800 1714564800 1 1 951782400",
		       parse("2024-05-01T12:00:00Z"), parse("2024-05-01T14:00:00+02:00"),
		       parse("2024-05-01 06:30:00 -0530"), parse("1970-01-01T00:00:00Z"),
		       parse("1969-12-31T23:59:59Z"), parse("2000-02-29T00:00Z"));
}

Test(date, reads_dates_without_a_zone_as_local)
{
	use_zone("UTC");
	cr_expect_eq(parse("2024-05-01"), 1714521600);
	cr_expect_eq(parse("2024-05-01 12:00"), 1714564800);
	use_zone("EST5");
	cr_expect_eq(parse("2024-05-01"), 1714521600 + 5 * 3600);
}

Test(date, reads_relative_dates)
{
	use_zone("UTC");
	cr_expect_eq(parse("now"), NOW_S);
	cr_expect_eq(parse("yesterday"), NOW_S - 86400);
	cr_expect_eq(parse("today"), NOW_S - 12 * 3600);
	cr_expect_eq(parse("3 days ago"), NOW_S - 3 * 86400);
	cr_expect_eq(parse("2.weeks.ago"), NOW_S - 14 * 86400);
	cr_expect_eq(parse("an hour ago"), NOW_S - 3600);
	cr_expect_eq(parse("1 second ago"), NOW_S - 1);
}

Test(date, counts_months_by_the_calendar)
{
	use_zone("UTC");
	/* 2024-02-29 12:00: February has no 31st. */
	cr_expect_eq(parse("1 month ago"), 1709208000);
	cr_expect_eq(parse("a year ago"), 1680264000);
	cr_expect_eq(parse("15 months ago"), parse("2022-12-31T12:00:00Z"));
}

Test(date, reads_seconds)
{
	cr_expect_eq(parse("@1700000000"), 1700000000);
	cr_expect_eq(parse("@0"), 1);
}

Test(date, refuses_what_is_no_date)
{
	static const char *const bad[] = {
		"",
		"soon",
		"2024-13-01",
		"2024-02-30",
		"2023-02-29",
		"2024-05-01T25:00",
		"2024-05-01T12:00:00X",
		"2024-5-1",
		"@",
		"@12x",
		"days ago",
		"-3 days ago",
		"3 days",
		"3 fortnights ago",
		"2024-05-01T12:00:00+99:00",
		"99999999999999999999 days ago",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pe_err err = PE_ERR_INIT;
		int64_t out;

		cr_expect_eq(pe_repo_parse_date(&out, bad[i], NOW_S, &err), PE_EINVALID, "'%s'",
			     bad[i]);
		cr_expect_neq(err.message[0], '\0');
	}
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
