/*
 * Dates: the few forms that --since and --until take. Times without a zone are local, as git reads them; a
 * date without a time is the beginning of that day.
 *
 * They are not read by 'git rev-parse --since': that takes every text for a date ("yesteryear" is now, and
 * "2024-13-45" a day of that November), so that a slip would choose other commits in silence, and it needs the program git,
 * which perfevo does without.
 */
#define _GNU_SOURCE /* strptime(3) with %z, timegm(3) */
#include "vcs/repo.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static int bad_date(struct pe_err *err, const char *text)
{
	return pe_fail(
		err, PE_EINVALID,
		"'%s' is not a date: expected 2024-05-01, 2024-05-01T12:00:00Z, @1700000000, '3 days ago' or 'yesterday'",
		text);
}

/* "2024-05-01", "2024-05-01T12:00", "2024-05-01 12:00:00", each with or without "Z", "+02:00" or "-0530". */
static bool parse_iso(int64_t *out_s, const char *text)
{
	static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
					    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct tm tm = {.tm_isdst = -1}, zone = {.tm_gmtoff = 0};
		const char *rest = strptime(text, forms[i], &tm);
		const bool local = rest != NULL && *rest == '\0';
		const int written = tm.tm_mday;
		struct tm day = tm;

		if (rest != NULL && !local)
			rest = strptime(rest, " %z", &zone);
		if (rest == NULL || *rest != '\0' || labs(zone.tm_gmtoff) >= 15 * 3600)
			continue;
		timegm(&day);
		*out_s = local ? (int64_t)mktime(&tm) : (int64_t)timegm(&tm) - zone.tm_gmtoff;
		return day.tm_mday == written; /* 30 February became 1 March */
	}
	return false;
}

/* The same day and time some months earlier; the 31st becomes the last day of a shorter month. */
static int64_t months_before(int64_t now_s, long months)
{
	const time_t now = (time_t)now_s;
	int64_t then_s;
	struct tm tm;
	int day;

	localtime_r(&now, &tm);
	day = tm.tm_mday;
	tm.tm_mon -= (int)months;
	timegm(&tm);
	if (tm.tm_mday != day)
		tm.tm_mday = 0; /* the last one of the month before */
	tm.tm_isdst = -1;
	then_s = (int64_t)mktime(&tm);
	return then_s < now_s ? then_s
			      : now_s; /* not the second one of an hour that was set back */
}

static const struct unit {
	const char *name;
	int64_t seconds;
	int months;
} units[] = {
	{"second", 1, 0},    {"minute", 60, 0}, {"hour", 3600, 0}, {"day", 86400, 0},
	{"week", 604800, 0}, {"month", 0, 1},   {"year", 0, 12},
};

static const struct unit *find_unit(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i].name);

		if (strncasecmp(word, units[i].name, n) == 0 &&
		    (word[n] == '\0' || strcasecmp(word + n, "s") == 0))
			return &units[i];
	}
	return NULL;
}

/* "3 days ago", "3.days.ago", "a week ago". */
static bool parse_ago(int64_t *out_s, const char *text, int64_t now_s)
{
	char number[8], word[8], ago[4], *end;
	const struct unit *unit;
	long count;
	int n = 0;

	if (sscanf(text, "%7[^ .]%*[ .]%7[^ .]%*[ .]%3s%n", number, word, ago, &n) != 3 ||
	    text[n] != '\0' || strcasecmp(ago, "ago") != 0)
		return false;
	unit = find_unit(word);
	count = strtol(number, &end, 10);
	if (strcasecmp(number, "a") == 0 || strcasecmp(number, "an") == 0)
		count = 1;
	else if (*end != '\0' || !isdigit((unsigned char)number[0]))
		return false;
	if (unit == NULL)
		return false;
	*out_s = unit->months != 0 ? months_before(now_s, count * unit->months)
				   : now_s - count * unit->seconds;
	return true;
}

static bool parse_seconds(int64_t *out_s, const char *text)
{
	char *end;
	long long seconds;

	if (text[0] != '@' || !isdigit((unsigned char)text[1]))
		return false;
	seconds = strtoll(text + 1, &end, 10);
	*out_s = seconds;
	return *end == '\0' && seconds < LLONG_MAX;
}

int pe_repo_parse_date(int64_t *out_s, const char *text, int64_t now_s, struct pe_err *err)
{
	if (strcasecmp(text, "now") == 0) {
		*out_s = now_s;
	} else if (strcasecmp(text, "yesterday") == 0) {
		*out_s = now_s - 86400;
	} else if (strcasecmp(text, "today") == 0) {
		time_t now = (time_t)now_s;
		struct tm tm;

		localtime_r(&now, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_isdst = -1;
		*out_s = (int64_t)mktime(&tm);
	} else if (!parse_seconds(out_s, text) && !parse_iso(out_s, text) &&
		   !parse_ago(out_s, text, now_s)) {
		return bad_date(err, text);
	}
	/* No commit is older than git, and 0 means "no limit" in ranges. */
	if (*out_s < 1)
		*out_s = 1;
	return 0;
}
