#include "core/base/quantity.h"

#include "tests/support/test.h"

struct quantity {
	const char *text, *unit;
	char decimal;
	double value; /* NaN: none; infinite: not finite */
};

static const struct quantity quantities[] = {
	/* The whole text is a number, or there is none. */
	{"1.5", "1", 0, 1.5},
	{" -2e-3\n", "1", 0, -0.002},
	{".5", "1", 0, 0.5},
	{"+7.", "1", 0, 7},
	{"12,5", "1", 0, NAN},
	{"1,234.5", "1", 0, NAN},
	{"1.234.567", "1", 0, NAN},
	{"1 234", "1", 0, NAN},
	{"1'234", "1", 0, NAN},
	{"3:25", "1", 0, NAN},
	{"3m25s", "1", 0, NAN},
	{"1.5k", "1", 0, NAN},
	{"5e", "1", 0, NAN},
	{"0x10", "1", 0, NAN},
	{"12ms", "1", 0, NAN},
	{"--1", "1", 0, NAN},
	{"", "1", 0, NAN},
	{".", "1", 0, NAN},
	{"fast", "1", 0, NAN},
	{"nan", "1", 0, INFINITY},
	{"-NaN(0x1)", "s", 0, INFINITY},
	{"+Inf", "1", ',', INFINITY},
	{"infinity", "1", 0, INFINITY},
	{"1e999", "1", 0, INFINITY},
	/* A separator that is given has the other one for groups of three digits. */
	{"12,5", "1", ',', 12.5},
	{"1.234.567,25", "1", ',', 1234567.25},
	{"1.5", "1", ',', NAN},
	{"1,234.5", "1", '.', 1234.5},
	{"12 345", "1", '.', 12345},
	{"1'234'567", "1", '.', 1234567},
	{"12,34", "1", '.', NAN},
	{"1234,567", "1", '.', NAN},
	{"1,234 567", "1", '.', NAN},
	/* The unit of the config, or one that is converted into it. */
	{"12.5 ms", "ms", 0, 12.5},
	{"1.5s", "ms", 0, 1500},
	{"3m25s", "s", 0, 205},
	{"1h 2 min 3.5 s", "s", 0, 3723.5},
	{"3m25", "s", 0, NAN},
	{"3m25s", "bytes", 0, NAN},
	{"12 MiB", "bytes", 0, 12582912},
	{"1.5k/s", "/s", 0, 1500},
	{"2 M items/s", "items/s", 0, 2e6},
	{"1,5 k", "items/s", ',', 1500},
	{"7 widgets", "items/s", 0, NAN},
};

Test(quantity, a_text_is_a_number_as_a_whole_or_none)
{
	for (size_t i = 0; i < sizeof(quantities) / sizeof(*quantities); i++) {
		const struct quantity *want = &quantities[i];
		const struct pe_quantity_form form = {want->unit, want->decimal};
		double value = -1;
		const char *wrong = pe_quantity_read(&value, want->text, strlen(want->text), &form);

		if (isfinite(want->value)) {
			cr_expect(wrong == NULL, "'%s' %s", want->text, wrong);
			cr_expect(fabs(value - want->value) <= 1e-12 * fabs(want->value),
				  "'%s' of %s is %.17g", want->text, want->unit, value);
			continue;
		}
		cr_assert(wrong != NULL, "'%s' is %g", want->text, value);
		cr_expect(strcmp(wrong, isnan(want->value) ? "is not a number" : "is not finite") ==
				  0,
			  "'%s' %s", want->text, wrong);
		cr_expect(value == -1);
	}
}
