/* Machine moved: that it was the machine, in words. */
#include "report/evolution.h"

#include "report/format.h"
#include "core/json/writer.h"

#include <math.h>
#include <string.h>

enum { DAY_S = 24 * 60 * 60 };

/* Percents without their sign: "3.4", "120". */
static void add_percents(struct pe_text *out, double relative)
{
	double percents = 100 * fabs(relative);

	pe_text_addf(out, percents < 99.95 ? "%.1f" : "%.0f", percents);
}

/* " (2.9 to 3.9)", the smaller first; nothing where both are written the same. */
static void add_interval(struct pe_text *out, const struct pe_machine_drift *moved)
{
	bool slower = moved->relative > 0;
	pe_auto_text low = PE_TEXT_INIT, high = PE_TEXT_INIT;

	add_percents(&low, slower ? moved->low : moved->high);
	add_percents(&high, slower ? moved->high : moved->low);
	if (strcmp(pe_text_str(&low), pe_text_str(&high)) != 0)
		pe_text_addf(out, " (%s to %s)", pe_text_str(&low), pe_text_str(&high));
}

/* "on 2026-11-20", today "at 14:05 UTC"; "between 2026-11-03 and 2026-11-20". */
static void add_when(struct pe_text *out, const struct pe_machine_drift *moved, int64_t now_s)
{
	int64_t since_day = moved->since_s / DAY_S;

	if (moved->from_s / DAY_S != since_day) {
		pe_text_add(out, "between ");
		pe_format_date(out, moved->from_s);
		pe_text_add(out, " and ");
		pe_format_date(out, moved->since_s);
	} else if (since_day != now_s / DAY_S) {
		pe_text_add(out, "on ");
		pe_format_date(out, moved->since_s);
	} else {
		int minutes = (int)(moved->since_s % DAY_S / 60);

		pe_text_addf(out, "at %02d:%02d UTC", minutes / 60, minutes % 60);
	}
}

void pe_machine_drift_add(struct pe_text *out, const struct pe_machine_drift *moved, int64_t now_s)
{
	pe_text_add(out, "machine drift: ");
	add_percents(out, moved->relative);
	pe_text_addf(out, " %% %s", moved->relative > 0 ? "slower" : "faster");
	add_interval(out, moved);
	pe_text_add(out, " than ");
	add_when(out, moved, now_s);
	if (moved->commits > 1)
		pe_text_addf(out, ", by %zu builds measured both times", moved->commits);
	else
		pe_text_addf(out, ", by a build in %zu benchmarks measured both times",
			     moved->benchmarks);
	pe_text_add(out, "; corrected");
}

void pe_machine_drift_json(struct pe_json *json, const struct pe_machine_drift *moved)
{
	if (!pe_json_begin_maybe(json, "machine_drift", moved != NULL))
		return;
	pe_json_put(json, "metric", moved->metric);
	pe_json_computed_members(json, moved, relative, low, high);
	pe_json_members(json, moved, cells, commits, benchmarks);
	pe_json_time(json, "from", moved->from_s);
	pe_json_time(json, "since", moved->since_s);
	pe_json_end(json);
}
