#include "report/json_out.h"

#include "json/writer.h"
#include "report/format.h"
#include "core/base/number.h"

#include <math.h>
#include <string.h>
#include <time.h>

void pe_json_put_comma(struct pe_text *out)
{
	char last = out->len > 0 ? out->data[out->len - 1] : '[';

	if (strchr("[{:,", last) == NULL)
		pe_text_addc(out, ',');
}

void pe_json_key(struct pe_text *out, const char *key)
{
	pe_json_put_comma(out);
	pe_text_addf(out, "\"%s\":", key);
}

void pe_json_number(struct pe_text *out, double value)
{
	pe_json_put_comma(out);
	if (isfinite(value))
		pe_number_exact(out, value);
	else
		pe_text_add(out, "null");
}

void pe_json_put_text(struct pe_text *out, const char *key, const char *value)
{
	pe_json_key(out, key);
	pe_escape_json(out, value);
}

void pe_json_put_number(struct pe_text *out, const char *key, double value)
{
	pe_json_key(out, key);
	pe_json_number(out, value);
}

void pe_json_put_computed(struct pe_text *out, const char *key, double value)
{
	pe_json_key(out, key);
	if (isfinite(value))
		pe_number_rounded(out, value, 12);
	else
		pe_text_add(out, "null");
}

void pe_json_put_bool(struct pe_text *out, const char *key, bool value)
{
	pe_json_key(out, key);
	pe_text_add(out, value ? "true" : "false");
}

void pe_json_put_time(struct pe_text *out, const char *key, int64_t time_s)
{
	time_t time = (time_t)time_s;
	struct tm tm;

	pe_json_key(out, key);
	if (gmtime_r(&time, &tm) == NULL)
		pe_text_add(out, "null");
	else
		pe_text_addf(out, "\"%04ld-%02d-%02dT%02d:%02d:%02dZ\"", 1900L + tm.tm_year,
			     tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void pe_json_open(struct pe_text *out, const char *key, char bracket)
{
	pe_json_key(out, key);
	pe_text_addc(out, bracket);
}

void pe_escape_json(struct pe_text *out, const char *string)
{
	pe_json_quote(out, string);
}
