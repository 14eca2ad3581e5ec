#include "report/ink.h"

/* Spark Circle section III: pink, orange, blue. */
const struct pe_ink pe_ink_sparks[3] = {{0xe377c2, 95}, {0xff9f40, 33}, {0x4c9be8, 94}};

const struct pe_ink pe_ink_noise = {0x8a93a2, 90};

/* After Okabe and Ito, "Color Universal Design" (2008), made readable on dark and light alike. */
const struct pe_ink pe_ink_branches[] = {
	{0x2f9fd8, 34}, {0xe69f00, 33}, {0x12a37a, 32},
	{0xcc79a7, 35}, {0xd9662b, 31}, {0x8a8f98, 37},
};
const size_t pe_n_ink_branches = sizeof(pe_ink_branches) / sizeof(pe_ink_branches[0]);

/* The nearest of the 6 by 6 by 6 colours that begin at 16: their steps are 0, 95, 135, 175, 215, 255. */
static unsigned cube_of(uint32_t rgb)
{
	unsigned code = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		unsigned part = (rgb >> shift) & 0xff;

		code = 6 * code + (part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40);
	}
	return 16 + code;
}

void pe_ink_begin(struct pe_text *out, const struct pe_term *term, const struct pe_ink *ink)
{
	if (!term->colour)
		return;
	if (term->colours > 256)
		pe_text_addf(out, "\033[38;2;%u;%u;%um", (unsigned)(ink->rgb >> 16) & 0xff,
			     (unsigned)(ink->rgb >> 8) & 0xff, (unsigned)ink->rgb & 0xff);
	else if (term->colours == 256)
		pe_text_addf(out, "\033[38;5;%um", cube_of(ink->rgb));
	else
		pe_text_addf(out, "\033[%um", ink->sgr);
}

void pe_ink_end(struct pe_text *out, const struct pe_term *term)
{
	if (term->colour)
		pe_text_add(out, "\033[0m");
}
