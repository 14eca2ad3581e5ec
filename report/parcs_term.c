#include "report/compare.h"
void pe_parcs_term(struct pe_text *out, const struct pe_compare *compare,
		   const struct pe_term *term)
{
	(void)out;
	(void)compare;
	(void)term;
}
void pe_parcs_json(struct pe_text *out, const struct pe_compare *compare)
{
	(void)out;
	(void)compare;
}
