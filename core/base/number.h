/* Number: values with a decimal point in every locale. */
#pragma once

#include "core/base/text.h"

/** Fixed decimals, as "%.*f". */
void pe_number_fixed(struct pe_text *out, double value, int decimals);

/** Significant digits without trailing zeros, as "%.*g". */
void pe_number_significant(struct pe_text *out, double value, int digits);

/** The shortest decimal form that reads back as the same double; not for NaN and infinities. */
void pe_number_exact(struct pe_text *out, double value);

/** A whole number exactly, any other with `digits` significant digits; not for NaN and infinities. */
void pe_number_rounded(struct pe_text *out, double value, int digits);
