#include "core/base/quantity.h"

#include "tests/support/cases.h"

/* UNIT, or UNIT~SEPARATOR where the config gives a decimal separator. */
static void read_quantity(struct pe_text *result, const char *word, const char *input, size_t n)
{
	const char *separator = strchr(word, '~');
	char unit[32];
	const struct pe_quantity_form form = {unit, separator != NULL ? separator[1] : 0};
	double value = -1;
	const char *wrong;

	snprintf(unit, sizeof(unit), "%.*s", (int)strcspn(word, "~"), word);
	wrong = pe_quantity_read(&value, input, n, &form);
	if (wrong == NULL)
		pe_text_addf(result, "%.12g", value);
	else
		pe_text_add(result, wrong);
	cr_expect(wrong == NULL || value == -1, "%s", input);
}

Test(quantity, a_text_is_a_number_as_a_whole_or_none)
{
	cases_check("core", "quantity.cases", read_quantity);
}
