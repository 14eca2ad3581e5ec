/*
 * Dates: the few forms that --since and --until take. Times without a zone are local, as git reads them; a
 * date without a time is the beginning of that day.
 *
 * They are not read by 'git rev-parse --since': that takes every text for a date ("yesteryear" is now, and
 * "2024-13-45" a day of that November), so that a slip would choose other commits in silence, and it needs the program git,
 * which perfevo does without.
 */
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

/* Days from 1970-01-01 in the Gregorian calendar; years are counted from March, so that leap days come last. */
static int64_t days_from_civil(int year, int month, int day)
{
	int64_t y = year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	       day_of_year - 719468;
}

static bool days_in_range(int year, int month, int day)
{
	static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] &&
	       (month != 2 || day < 29 || leap);
}

/* Exactly n digits. */
static bool digits(int *out, const char **at, int n)
{
	*out = 0;
	for (int i = 0; i < n; i++, ++*at) {
		if (!isdigit((unsigned char)**at))
			return false;
		*out = *out * 10 + (**at - '0');
	}
	return true;
}

/* "Z", "+02:00", "-0530"; nothing: local. */
static bool zone(bool *local, int *offset_s, const char **at)
{
	int sign = **at == '-' ? -1 : 1;
	int hours, minutes;

	*local = false;
	*offset_s = 0;
	if (**at == '\0') {
		*local = true;
		return true;
	}
	if (**at == 'Z' || **at == 'z') {
		++*at;
		return **at == '\0';
	}
	if (**at != '+' && **at != '-')
		return false;
	++*at;
	if (!digits(&hours, at, 2))
		return false;
	if (**at == ':')
		++*at;
	if (!digits(&minutes, at, 2) || hours > 14 || minutes > 59)
		return false;
	*offset_s = sign * (hours * 3600 + minutes * 60);
	return **at == '\0';
}

static bool clock_time(int *hour, int *minute, int *second, const char **at)
{
	*hour = *minute = *second = 0;
	if (**at != 'T' && **at != 't' && **at != ' ')
		return true;
	++*at;
	if (!digits(hour, at, 2) || **at != ':')
		return false;
	++*at;
	if (!digits(minute, at, 2))
		return false;
	if (**at == ':') {
		++*at;
		if (!digits(second, at, 2))
			return false;
	}
	while (**at == ' ')
		++*at;
	return *hour < 24 && *minute < 60 && *second <= 60;
}

static bool parse_iso(int64_t *out_s, const char *text)
{
	int year, month, day, hour, minute, second, offset_s;
	bool local;

	if (!digits(&year, &text, 4) || *text++ != '-' || !digits(&month, &text, 2) ||
	    *text++ != '-' || !digits(&day, &text, 2) || !days_in_range(year, month, day) ||
	    !clock_time(&hour, &minute, &second, &text) || !zone(&local, &offset_s, &text))
		return false;
	if (local) {
		struct tm tm = {.tm_year = year - 1900,
				.tm_mon = month - 1,
				.tm_mday = day,
				.tm_hour = hour,
				.tm_min = minute,
				.tm_sec = second,
				.tm_isdst = -1};

		*out_s = (int64_t)mktime(&tm);
	} else {
		*out_s = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 +
			 second - offset_s;
	}
	return true;
}

/* The same day and time some months earlier; the 31st becomes the last day of a shorter month. */
static int64_t months_before(int64_t now_s, int64_t months)
{
	time_t now = (time_t)now_s;
	struct tm tm;
	int64_t month;

	localtime_r(&now, &tm);
	month = ((int64_t)tm.tm_year + 1900) * 12 + tm.tm_mon - months;
	if (month < INT64_C(1970) * 12)
		return 0;
	tm.tm_year = (int)(month / 12) - 1900;
	tm.tm_mon = (int)(month % 12);
	while (!days_in_range(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday))
		tm.tm_mday--;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm);
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
	char copy[64], *words[4], *rest = copy, *end;
	const struct unit *unit;
	size_t length = strlen(text), n = 0;
	long count;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length + 1);
	for (char *word; n < 4 && (word = strtok_r(rest, " .\t", &rest)) != NULL;)
		words[n++] = word;
	if (n != 3 || strcasecmp(words[2], "ago") != 0)
		return false;
	unit = find_unit(words[1]);
	count = strtol(words[0], &end, 10);
	if (strcasecmp(words[0], "a") == 0 || strcasecmp(words[0], "an") == 0)
		count = 1;
	else if (end == words[0] || *end != '\0' || !isdigit((unsigned char)words[0][0]))
		return false;
	/* A million years are enough for anybody, and keep the sums below from overflowing. */
	if (unit == NULL || count < 0 || count > 1000000)
		return false;
	if (unit->months != 0 && count * unit->months > 12 * 1000)
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
	/* No commit is older than git, and 0 is how ranges say that there is no limit. */
	if (*out_s < 1)
		*out_s = 1;
	return 0;
}
