#include "report/format.h"

#include "core/base/number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define MINUS "\xe2\x88\x92"   /* U+2212 */
#define TIMES "\xc3\x97"       /* U+00D7 */
#define ARROW " \xe2\x86\x92 " /* U+2192 */

/** A prefix of a unit: from this many base units on. */
struct prefix {
	double factor;
	const char *name;
};

static const struct prefix time_prefixes[] = {
	{1, "ns"}, {1e3, "\xc2\xb5s"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}, {3600e9, "h"},
};

static const struct prefix byte_prefixes[] = {
	{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}, {1099511627776, "TiB"},
};

static const struct prefix count_prefixes[] = {
	{1e9, "G"},
	{1e12, "T"},
	{1e15, "P"},
};

/** Decimals that leave three significant digits of a value from 1 on. */
static int decimals_of(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/** "1,234,567" of a value that is rounded to an integer. */
static void add_grouped(struct pe_text *out, double value)
{
	pe_auto_text digits = PE_TEXT_INIT;

	pe_number_fixed(&digits, value, 0);
	for (size_t i = 0; i < digits.len; i++) {
		if (i > 0 && (digits.len - i) % 3 == 0)
			pe_text_addc(out, ',');
		pe_text_addc(out, digits.data[i]);
	}
}

/** Three significant digits; no exponent between 0.001 and a million. */
static void add_plain(struct pe_text *out, double value)
{
	if (value >= 999.5)
		add_grouped(out, value);
	else
		pe_number_significant(out, value, 3);
}

/** The largest prefix whose rounded value still reaches 1. */
static size_t choose_prefix(const struct prefix *prefixes, size_t n, double value)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		double scaled = value / prefixes[i].factor;
		/* the smaller prefix may take two and a half units: 130 s, 100 min */
		double least = prefixes[i].factor / prefixes[i - 1].factor == 60 ? 2.5 : 0.9995;

		if (scaled >= least)
			best = i;
	}
	return best;
}

static void add_prefixed(struct pe_text *out, double value, const struct prefix *prefixes, size_t n)
{
	const struct prefix *prefix = &prefixes[choose_prefix(prefixes, n, value)];
	double scaled = value / prefix->factor;

	if (prefix->factor == 1 && scaled == floor(scaled))
		pe_number_fixed(out, scaled, 0);
	else if (scaled < 0.9995)
		pe_number_significant(out, scaled, 3);
	else
		pe_number_fixed(out, scaled, decimals_of(scaled));
	pe_text_addf(out, " %s", prefix->name);
}

/** Nanoseconds in a unit of time, or 0 when it is none. */
static double time_factor(const char *unit)
{
	static const struct prefix known[] = {
		{1, "ns"}, {1e3, "us"}, {1e3, "\xc2\xb5s"}, {1e6, "ms"}, {1e9, "s"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(unit, known[i].name) == 0)
			return known[i].factor;
	return 0;
}

#define SIZE(table) (sizeof(table) / sizeof(*(table)))

/* The prefixes of a unit, their number, and what a value is multiplied by before; NULL: it has none. */
static const struct prefix *prefixes_of(size_t *n, double *factor, const char *unit, double value)
{
	*factor = 1;
	if (time_factor(unit) > 0) {
		*factor = time_factor(unit);
		*n = SIZE(time_prefixes);
		return time_prefixes;
	}
	if (strcmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0) {
		*n = SIZE(byte_prefixes);
		return byte_prefixes;
	}
	*n = SIZE(count_prefixes);
	return value < 999.5e6 ? NULL : count_prefixes;
}

/* The unit behind a value, whose prefix does not say it. */
static void add_unit(struct pe_text *out, const struct prefix *prefixes, const char *unit)
{
	if ((prefixes == NULL || prefixes == count_prefixes) && strcmp(unit, "1") != 0 &&
	    unit[0] != '\0')
		pe_text_addf(out, " %s", unit);
}

void pe_format_value(struct pe_text *out, double value, const char *unit)
{
	const struct prefix *prefixes;
	double factor;
	size_t n;

	unit = unit != NULL ? unit : "1";
	if (!isfinite(value)) {
		pe_text_add(out, "\xe2\x80\x93");
		return;
	}
	pe_text_add(out, value < 0 ? MINUS : "");
	value = fabs(value);
	prefixes = prefixes_of(&n, &factor, unit, value);
	if (prefixes != NULL)
		add_prefixed(out, value * factor, prefixes, n);
	else
		add_plain(out, value);
	add_unit(out, prefixes, unit);
}

/** Percent with one decimal, two below a tenth, none from a hundred on; no decimal that is zero. */
static void add_percent(struct pe_text *out, double percent)
{
	int decimals = percent < 0.0995 ? 2 : percent < 99.95 ? 1 : 0;
	size_t start = out->len;

	pe_number_fixed(out, percent, decimals);
	if (decimals == 0 || out->data[out->len - 1] != '0')
		return;
	while (out->len > start && out->data[out->len - 1] == '0')
		out->len--;
	if (out->len > start && out->data[out->len - 1] == '.')
		out->len--;
	out->data[out->len] = '\0';
}

/* From here on a change is a factor: the one that is printed as "×3.0". */
#define TIMES_FROM 1.995

void pe_format_change(struct pe_text *out, double relative)
{
	if (!isfinite(relative)) {
		pe_text_add(out, "new");
		return;
	}
	if (relative >= TIMES_FROM) {
		pe_text_add(out, TIMES);
		if (relative + 1 < 9.95)
			pe_number_fixed(out, relative + 1, 1);
		else
			add_grouped(out, relative + 1);
		return;
	}
	if (fabs(relative) >= 0.00005)
		pe_text_add(out, relative < 0 ? MINUS : "+");
	if (relative < -0.9995 && relative > -1) /* what is left of it is not nothing */
		pe_number_fixed(out, fmin(-relative * 100, 99.99), 2);
	else
		add_percent(out, fabs(relative) * 100);
	pe_text_add(out, " %");
}

void pe_format_interval(struct pe_text *out, double low, double high)
{
	pe_auto_text from = PE_TEXT_INIT, to = PE_TEXT_INIT;

	if (!isfinite(low) || !isfinite(high))
		return;
	pe_format_change(&from, low);
	pe_format_change(&to, high);
	if (strcmp(pe_text_str(&from), pe_text_str(&to)) != 0)
		pe_text_addf(out, "[%s, %s]", pe_text_str(&from), pe_text_str(&to));
}

void pe_format_size(struct pe_text *out, double relative, double low, double high)
{
	pe_auto_text interval = PE_TEXT_INIT;

	pe_format_change(out, relative);
	pe_format_interval(&interval, low, high);
	if (interval.len > 0)
		pe_text_addf(out, " %s", pe_text_str(&interval));
}

void pe_format_interval_short(struct pe_text *out, double low, double high)
{
	const double ends[] = {low, high};

	if (low >= TIMES_FROM || high >= TIMES_FROM) {
		pe_format_interval(out, low, high);
		return;
	}
	if (!isfinite(low) || !isfinite(high) || low == high)
		return;
	for (size_t i = 0; i < 2; i++) {
		pe_text_add(out, i == 0 ? "[" : ", ");
		if (fabs(ends[i]) >= 0.00005)
			pe_text_add(out, ends[i] < 0 ? MINUS : "+");
		add_percent(out, fabs(ends[i]) * 100);
	}
	pe_text_addc(out, ']');
}

void pe_format_amount(struct pe_text *out, double amount)
{
	static const struct prefix prefixes[] = {
		{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"},
	};
	const double size = fabs(amount);
	const struct prefix *prefix = &prefixes[0];

	for (size_t i = 1; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (size / prefixes[i].factor >= 9.95 ||
		    (i > 1 && size / prefixes[i].factor >= 0.995))
			prefix = &prefixes[i];
	pe_text_add(out, amount < 0 ? MINUS : "+");
	if (prefix->factor == 1)
		add_grouped(out, size);
	else
		pe_number_fixed(out, size / prefix->factor, size / prefix->factor < 9.95 ? 1 : 0);
	if (prefix->factor > 1)
		pe_text_addf(out, " %s", prefix->name);
}

/* Decimals that show a difference with two digits, three significant digits of the larger value at least, nine at most. */
static int decimals_of_step(double larger, double difference)
{
	int decimals = decimals_of(larger), most = 9;

	for (double left = larger; left >= 10; left /= 10)
		most--;
	while (decimals < most && difference > 0 && difference * pow(10, decimals) < 9.95)
		decimals++;
	return decimals;
}

/* Values that differ by much, or one of which is nothing, have prefixes of their own. */
static bool shares_prefix(double from, double to)
{
	const double low = fmin(from, to), high = fmax(from, to);

	return isfinite(from) && isfinite(to) && low > 0 && high / low < 100;
}

void pe_format_step(struct pe_text *out, double from, double to, const char *unit)
{
	static const struct prefix none = {1, ""};
	const struct prefix *prefixes, *prefix = NULL;
	double factor, larger;
	int decimals;
	size_t n;

	unit = unit != NULL ? unit : "1";
	prefixes = prefixes_of(&n, &factor, unit, fmax(from, to));
	if (prefixes == NULL &&
	    fmax(from, to) < 999.5) { /* no prefix, as many digits as it takes */
		prefixes = count_prefixes;
		prefix = &none;
	} else if (prefixes != NULL) {
		prefix = &prefixes[choose_prefix(prefixes, n, fmax(from, to) * factor)];
	}
	if (prefix == NULL || !shares_prefix(from, to)) {
		if (prefix == NULL && prefixes == NULL && from >= 999.5) /* grouped, as is `to` */
			add_grouped(out, from);
		else
			pe_format_value(out, from, unit);
		pe_text_add(out, ARROW);
		pe_format_value(out, to, unit);
		return;
	}
	larger = fmax(from, to) * factor;
	decimals = decimals_of_step(larger / prefix->factor,
				    fabs(to - from) * factor / prefix->factor);
	if (prefix->factor == 1 && from == floor(from) && to == floor(to))
		decimals = 0;
	pe_number_fixed(out, from * factor / prefix->factor, decimals);
	pe_text_add(out, ARROW);
	pe_number_fixed(out, to * factor / prefix->factor, decimals);
	if (prefix != &none)
		pe_text_addf(out, " %s", prefix->name);
	add_unit(out, prefixes, unit);
}

void pe_format_plural(struct pe_text *out, size_t n, const char *noun)
{
	pe_text_addf(out, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

void pe_format_part(struct pe_text *out, double part)
{
	if (fabs(part) >= 0.00005)
		pe_text_add(out, part < 0 ? MINUS : "+");
	if (fabs(part) >= 2)
		add_grouped(out, fabs(part) * 100);
	else
		add_percent(out, fabs(part) * 100);
	pe_text_add(out, " %");
}

/* "10 min 5 s", "10 min" */
static void add_two_units(struct pe_text *out, unsigned long long large, const char *large_unit,
			  unsigned long long small, const char *small_unit)
{
	pe_text_addf(out, "%llu %s", large, large_unit);
	if (small > 0)
		pe_text_addf(out, " %llu %s", small, small_unit);
}

void pe_format_duration(struct pe_text *out, uint64_t ns)
{
	uint64_t seconds = ns / 1000000000u + (ns % 1000000000u >= 500000000u);
	unsigned long long s = seconds;

	if (ns < 1000000000u && ns / 1000000u > 0)
		pe_text_addf(out, "%u ms", (unsigned)(ns / 1000000u));
	else if (ns < 1000000u)
		pe_text_add(out, ns == 0 ? "0 s" : "under 1 ms");
	else if (s < 60)
		pe_text_addf(out, "%llu s", s);
	else if (s < 3600)
		add_two_units(out, s / 60, "min", s % 60, "s");
	else
		add_two_units(out, s / 3600, "h", s % 3600 / 60, "min");
}

void pe_format_date(struct pe_text *out, int64_t time_s)
{
	time_t time = (time_t)time_s;
	struct tm tm;

	if (gmtime_r(&time, &tm) == NULL)
		pe_text_add(out, "\xe2\x80\x93");
	else
		pe_text_addf(out, "%04ld-%02d-%02d", 1900L + tm.tm_year, tm.tm_mon + 1, tm.tm_mday);
}
