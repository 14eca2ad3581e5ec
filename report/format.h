/* Format: how values and foreign text enter a document. */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** "1.24 ms", "3.1 MiB", "12,345", "17 ops/s": three significant digits and a fitting prefix. NaN:
 * "–". */
void pe_format_value(struct pe_text *out, double value, const char *unit);

/** "+12.3 %", "−4 %", "×3.4" from a factor of 3 on; "−100 %" only when nothing is left; NaN: "new". */
void pe_format_change(struct pe_text *out, double relative);

/** "[+31 %, +36 %]"; nothing where it has no ends, or one that is both. */
void pe_format_interval(struct pe_text *out, double low, double high);

/** "+33.6 % [+31 %, +36 %]": a change with its interval, where it has one. */
void pe_format_size(struct pe_text *out, double relative, double low, double high);

/** Append an interval in percent, "[+4.2, +16.1]", where neither end is a factor. */
void pe_format_interval_short(struct pe_text *out, double low, double high);

/** "+3.1 M", "−12 k", "+420": a number of instructions or calls more or fewer. */
void pe_format_amount(struct pe_text *out, double amount);

/** "18.9 → 31.0 ms", "2.451 → 2.446 G": one prefix, and as many digits as show the difference. */
void pe_format_step(struct pe_text *out, double from, double to, const char *unit);

/** "1 commit", "3 commits". */
void pe_format_plural(struct pe_text *out, size_t n, const char *noun);

/** A part of a whole that others add to: "+240 %", "−4 %", "0 %"; never a factor. */
void pe_format_part(struct pe_text *out, double part);

/** "3 h 12 min", "4 min 5 s", "12 s", "850 ms". */
void pe_format_duration(struct pe_text *out, uint64_t ns);

/** "2024-05-01", UTC. */
void pe_format_date(struct pe_text *out, int64_t time_s);

/** Text as XML or HTML content or attribute. */
void pe_escape_xml(struct pe_text *out, const char *string);

/** Text as a quoted string of Graphviz (DOT); control characters dropped, line breaks kept as such. */
void pe_escape_dot(struct pe_text *out, const char *string);

/**
 * Text as a CSV field (RFC 4180); a leading = + - @ of foreign text is kept harmless with a quote. Control characters but
 * tabs become escapes (\u001b, \u000a): a row is a line, and is looked at in terminals, too.
 */
void pe_escape_csv(struct pe_text *out, const char *string);

/** Append CSV fields, each with a comma before it; NULL is an empty one. */
void pe_csv_add_texts(struct pe_text *out, const char *const *texts, size_t n);

/** Append numbers in the same way, with at most twelve digits; empty ones where they are undefined, or not known. */
void pe_csv_add_numbers(struct pe_text *out, const double *values, size_t n, bool known);

/** Columns a UTF-8 string takes on a terminal (wide and combining characters counted rightly). */
size_t pe_text_columns(const char *string);

/** Append at most columns columns of a string, with an ellipsis when cut; control characters
 * dropped. */
void pe_text_add_columns(struct pe_text *out, const char *string, size_t columns);
