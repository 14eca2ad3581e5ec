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

/* Whether there is such a day and time: 30 February would become 1 March. */
static bool exists(const struct tm *tm)
{
	struct tm same = *tm;

	timegm(&same);
	return same.tm_mon == tm->tm_mon && same.tm_mday == tm->tm_mday &&
	       same.tm_hour == tm->tm_hour && same.tm_min == tm->tm_min &&
	       same.tm_sec == tm->tm_sec;
}

/* Characters of a date, of one with hours and minutes, and of one with seconds; 0: it is none. */
static size_t iso_length(const char *text)
{
	static const char form[] = "0000-00-00 00:00:00";
	size_t n = 0;

	while (form[n] != '\0' &&
	       (form[n] == '0'   ? isdigit((unsigned char)text[n])
		: form[n] == ' ' ? strchr(" Tt", text[n]) != NULL && text[n] != '\0'
				 : text[n] == form[n]))
		n++;
	return n == 10 || n == 16 || n == 19 ? n : 0;
}

/* "Z", "+02:00", "-0530": seconds east of Greenwich. */
static bool parse_zone(long *out_s, const char *text)
{
	struct tm tm = {.tm_gmtoff = 0};
	const char *end = strcasecmp(text, "z") == 0 ? "" : strptime(text, "%z", &tm);

	*out_s = tm.tm_gmtoff;
	return end != NULL && *end == '\0' && labs(tm.tm_gmtoff) < 15 * 3600;
}

static bool parse_iso(int64_t *out_s, const char *text)
{
	size_t n = iso_length(text);
	struct tm tm = {.tm_isdst = -1};
	const char *zone = text + n + strspn(text + n, " ");
	long offset_s;

	if (n == 0 || sscanf(text, "%4d-%2d-%2d%*c%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon,
			     &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) < 3)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (!exists(&tm))
		return false;
	if (*zone == '\0') {
		*out_s = (int64_t)mktime(&tm);
		return true;
	}
	if (!parse_zone(&offset_s, zone))
		return false;
	*out_s = (int64_t)timegm(&tm) - offset_s;
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
	while (!exists(&tm))
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
	/* No commit is older than git, and 0 means "no limit" in ranges. */
	if (*out_s < 1)
		*out_s = 1;
	return 0;
}
