#include "core/base/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 400, GROUP = 3 };

/* Units that are converted into others of their kind; those of time also follow each other: "3m25s". */
static const struct unit {
	const char *name;
	enum {
		TIME,
		DURATION,
		SIZE,
		PREFIX
	} kind;        /* DURATION: a letter that alone may be another unit */
	double factor; /* in ns, or bytes */
} units[] = {
	{"ns", TIME, 1},
	{"us", TIME, 1e3},
	{"\xc2\xb5s", TIME, 1e3},
	{"\xce\xbcs", TIME, 1e3},
	{"ms", TIME, 1e6},
	{"s", TIME, 1e9},
	{"sec", TIME, 1e9},
	{"min", TIME, 60e9},
	{"h", TIME, 3600e9},
	{"ps", TIME, 1e-3},
	{"fs", TIME, 1e-6},
	{"nanosecond", TIME, 1},
	{"microsecond", TIME, 1e3},
	{"millisecond", TIME, 1e6},
	{"second", TIME, 1e9},
	{"nanoseconds", TIME, 1},
	{"microseconds", TIME, 1e3},
	{"milliseconds", TIME, 1e6},
	{"seconds", TIME, 1e9},
	{"m", DURATION, 60e9},
	{"d", DURATION, 86400e9},
	{"B", SIZE, 1},
	{"byte", SIZE, 1},
	{"bytes", SIZE, 1},
	{"kB", SIZE, 1e3},
	{"KB", SIZE, 1e3},
	{"MB", SIZE, 1e6},
	{"GB", SIZE, 1e9},
	{"TB", SIZE, 1e12},
	{"KiB", SIZE, 0x1p10},
	{"MiB", SIZE, 0x1p20},
	{"GiB", SIZE, 0x1p30},
	{"TiB", SIZE, 0x1p40},
	{"k", PREFIX, 1e3},
	{"K", PREFIX, 1e3},
	{"M", PREFIX, 1e6},
	{"G", PREFIX, 1e9},
	{"T", PREFIX, 1e12},
};

/* A part of the text that is still to be read. */
struct rest {
	const char *at, *end;
};

static const struct unit *unit_find(const char *name, size_t n, bool is_prefix)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == n && memcmp(units[i].name, name, n) == 0 &&
		    (units[i].kind == PREFIX) == is_prefix)
			return &units[i];
	return NULL;
}

double pe_unit_ns(const char *unit, size_t n)
{
	const struct unit *found = unit_find(unit, n, false);

	return found != NULL && found->kind == TIME ? found->factor : 0;
}

double pe_unit_bytes(const char *unit, size_t n)
{
	const struct unit *found = unit_find(unit, n, false);

	return found != NULL && found->kind == SIZE ? found->factor : 0;
}

static bool is_time(const struct unit *unit)
{
	return unit != NULL && (unit->kind == TIME || unit->kind == DURATION);
}

static void skip_blanks(struct rest *rest)
{
	while (rest->at < rest->end && isspace((unsigned char)*rest->at))
		rest->at++;
	while (rest->at < rest->end && isspace((unsigned char)rest->end[-1]))
		rest->end--;
}

static size_t count_digits(const struct rest *rest, const char *from)
{
	size_t n = 0;

	while (from + n < rest->end && isdigit((unsigned char)from[n]))
		n++;
	return n;
}

/* Digits before the decimal separator, without what groups them. */
static size_t read_whole(char *out, struct rest *rest, char decimal)
{
	size_t n = count_digits(rest, rest->at), first = n;
	char group = '\0';

	memcpy(out, rest->at, n < LONGEST ? n : 0);
	rest->at += n;
	while (decimal != '\0' && first > 0 && first <= GROUP && rest->at < rest->end) {
		char mark = *rest->at;

		if (mark == '\0' || mark == decimal || strchr(".,'_ ", mark) == NULL ||
		    (group != '\0' && mark != group) || n + GROUP >= LONGEST ||
		    count_digits(rest, rest->at + 1) != GROUP)
			break;
		group = mark;
		memcpy(out + n, rest->at + 1, GROUP);
		n += GROUP;
		rest->at += 1 + GROUP;
	}
	return n;
}

/* One number without what follows it; false: there is none, or one that is too long. */
static bool read_number(double *out, struct rest *rest, char decimal)
{
	char digits[2 * LONGEST + 32], point = decimal == '\0' ? '.' : decimal;
	size_t n, whole, fraction = 0;

	if ((size_t)(rest->end - rest->at) >= LONGEST)
		return false;
	n = whole = read_whole(digits, rest, decimal);
	if (rest->at < rest->end && *rest->at == point) {
		fraction = count_digits(rest, rest->at + 1);
		digits[n++] = '.';
		memcpy(digits + n, rest->at + 1, fraction);
		n += fraction;
		rest->at += 1 + fraction;
	}
	if (rest->at < rest->end && (*rest->at == 'e' || *rest->at == 'E')) {
		const char *at = rest->at + 1;
		bool is_signed = at < rest->end && (*at == '-' || *at == '+');
		size_t length = count_digits(rest, at + is_signed);

		if (length > 0) {
			memcpy(digits + n, rest->at, 1 + is_signed + length);
			n += 1 + is_signed + length;
			rest->at += 1 + is_signed + length;
		}
	}
	digits[n] = '\0';
	*out = strtod(digits, NULL);
	return whole + fraction > 0;
}

static bool begins_with_letters_of(const struct rest *rest, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(rest->end - rest->at) >= n && strncasecmp(rest->at, word, n) == 0;
}

/* One of the text's unit, in the requested unit; 0: it is no unit of that kind. */
static double factor_of(const char *name, size_t n, const char *unit)
{
	size_t length = strlen(unit);
	const struct unit *ours = unit_find(unit, length, false);
	const struct unit *theirs = unit_find(name, n, false);
	size_t before = n >= length ? n - length : 0;

	if (n == length && memcmp(name, unit, n) == 0)
		return 1;
	if (ours != NULL)
		return theirs != NULL && is_time(theirs) == is_time(ours)
			       ? theirs->factor / ours->factor
			       : 0;
	/* "1.5k" and "1.5 k items/s" of items/s */
	if (n > length && memcmp(name + before, unit, length) == 0) {
		n = before;
		while (n > 0 && name[n - 1] == ' ')
			n--;
	}
	theirs = unit_find(name, n, true);
	return theirs != NULL ? theirs->factor : 0;
}

static size_t count_letters(const struct rest *rest)
{
	const char *at = rest->at;

	while (at < rest->end && !isdigit((unsigned char)*at) && !isspace((unsigned char)*at))
		at++;
	return (size_t)(at - rest->at);
}

/* What follows "3m": "25s", "25.5s 10ms". */
static bool add_times(double *value, struct rest *rest, const struct pe_quantity_form *form)
{
	while (rest->at < rest->end) {
		double more;
		size_t n;

		skip_blanks(rest);
		if (!isdigit((unsigned char)*rest->at) || !read_number(&more, rest, form->decimal))
			return false;
		skip_blanks(rest);
		n = count_letters(rest);
		if (!is_time(unit_find(rest->at, n, false)))
			return false;
		*value += more * factor_of(rest->at, n, form->unit);
		rest->at += n;
	}
	return true;
}

/* The unit behind a number, and what it makes of its value. */
static bool apply_unit(double *value, struct rest *rest, const struct pe_quantity_form *form)
{
	const bool times = is_time(unit_find(form->unit, strlen(form->unit), false));
	size_t n;
	double factor;

	skip_blanks(rest);
	if (rest->at == rest->end)
		return true;
	if (form->unit[0] == '\0' || strcmp(form->unit, "1") == 0)
		return false;
	n = times ? count_letters(rest) : (size_t)(rest->end - rest->at);
	factor = factor_of(rest->at, n, form->unit);
	*value *= factor;
	rest->at += n;
	return factor > 0 && (!times || add_times(value, rest, form));
}

const char *pe_quantity_read(double *out, const char *text, size_t n,
			     const struct pe_quantity_form *form)
{
	static const char wrong[] = "is not a number", infinite[] = "is not finite";
	struct rest rest = {text, text + n};
	double value = 0;
	bool is_negative;

	skip_blanks(&rest);
	is_negative = rest.at < rest.end && *rest.at == '-';
	if (rest.at < rest.end && (*rest.at == '-' || *rest.at == '+'))
		rest.at++;
	if (begins_with_letters_of(&rest, "nan") || begins_with_letters_of(&rest, "inf"))
		return infinite;
	if (!read_number(&value, &rest, form->decimal) || !apply_unit(&value, &rest, form))
		return wrong;
	if (!isfinite(value))
		return infinite;
	*out = is_negative ? -value : value;
	return NULL;
}
