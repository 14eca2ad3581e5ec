#include "core/base/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Append what printf made, with its decimal separator (one character, rarely more) turned into a
 * point. */
static void add_neutral(struct pe_text *out, const char *printed)
{
	const char *separator = localeconv()->decimal_point;
	const char *found = separator[0] != '\0' ? strstr(printed, separator) : NULL;

	if (found == NULL) {
		pe_text_add(out, printed);
		return;
	}
	pe_text_addn(out, printed, (size_t)(found - printed));
	pe_text_addc(out, '.');
	pe_text_add(out, found + strlen(separator));
}

void pe_number_fixed(struct pe_text *out, double value, int decimals)
{
	char buffer[400]; /* 309 digits of DBL_MAX, decimals, sign */

	snprintf(buffer, sizeof(buffer), "%.*f", decimals, value);
	add_neutral(out, buffer);
}

void pe_number_significant(struct pe_text *out, double value, int digits)
{
	char buffer[64];

	snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
	add_neutral(out, buffer);
}

/** A whole number below 2^53, above which not every one has a double. */
static bool is_whole(double value)
{
	return fabs(value) < 9007199254740992.0 && value == floor(value);
}

void pe_number_rounded(struct pe_text *out, double value, int digits)
{
	if (is_whole(value))
		pe_number_exact(out, value);
	else
		pe_number_significant(out, value, digits);
}

void pe_number_exact(struct pe_text *out, double value)
{
	char buffer[64];

	if (is_whole(value)) {
		pe_number_fixed(out, value == 0 ? 0.0 : value, 0);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	add_neutral(out, buffer);
}
