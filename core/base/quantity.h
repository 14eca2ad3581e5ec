/* Quantity: the number that a text as a whole stands for, with its separators and its unit. */
#pragma once

#include <stddef.h>

/** Nanoseconds of a unit of time, by its name of n bytes; 0: it is none. */
double pe_unit_ns(const char *unit, size_t n);
/** Bytes of a unit of sizes; 0: it is none. */
double pe_unit_bytes(const char *unit, size_t n);

/** How a quantity is written. */
struct pe_quantity_form {
	/** the unit of the result; "" or "1": the text has none. A time or size in another unit is converted */
	const char *unit;
	/** '.' or ',': the other one, blanks, "'" and "_" group digits by three; '\0': a point, without groups */
	char decimal;
};

/**
 * Read a text that is one number from its first to its last character, but for blanks around it: "1.5", "1e-3";
 * with a unit also "1.5 ms", "3m25s" and "1.5k/s".
 *
 * @return  NULL, or what is wrong with the text: "is not finite", "is not a number"; then out stays as it is
 */
const char *pe_quantity_read(double *out, const char *text, size_t n,
			     const struct pe_quantity_form *form);
