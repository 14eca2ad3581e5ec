#include "report/svg.h"

#include "report/format.h"
#include "core/base/number.h"

#include <math.h>
#include <stdint.h>

#define PIXELS_A_COLUMN 6.7 /* of a plain font of 12 pixels, rather too many than too few */

static const char style[] =
	"text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1d2330}"
	".head{font-weight:600;font-size:15px}.small{font-size:10.5px}.bold{font-weight:600}"
	".dim{fill:#687180}.bad{fill:#b3261e}.good{fill:#0b6e99}.end{text-anchor:end}"
	".mid{text-anchor:middle}.ground{fill:#fff}.rule{stroke:#d8dce3;fill:none}"
	".card{fill:#fff;stroke:#d8dce3}"
	"@media(prefers-color-scheme:dark){text{fill:#e4e8ef}.dim{fill:#98a2b3}.bad{fill:#ff8a80}"
	".good{fill:#6cc6ee}.ground{fill:#14171d}.rule{stroke:#363c48}"
	".card{fill:#14171d;stroke:#363c48}}";

void pe_svg_coordinate(struct pe_text *out, double value)
{
	double rounded = round(value * 100) / 100;

	/* Negative zero would be another way to write the same. */
	pe_number_significant(out, rounded == 0 ? 0 : rounded, 12);
}

void pe_svg_number(struct pe_text *out, const char *name, double value)
{
	pe_text_addf(out, " %s=\"", name);
	pe_svg_coordinate(out, value);
	pe_text_addc(out, '"');
}

void pe_svg_rect(struct pe_text *out, double x, double y, double width, double height)
{
	pe_svg_number(out, "x", x);
	pe_svg_number(out, "y", y);
	pe_svg_number(out, "width", width);
	pe_svg_number(out, "height", height);
}

void pe_svg_point(struct pe_text *out, char command, double x, double y)
{
	pe_text_addc(out, command);
	pe_svg_coordinate(out, x);
	pe_text_addc(out, ' ');
	pe_svg_coordinate(out, y);
}

void pe_svg_title(struct pe_text *out, const char *string)
{
	pe_auto_text shown = PE_TEXT_INIT;

	pe_text_add_columns(&shown, string, SIZE_MAX);
	pe_text_add(out, "<title>");
	pe_escape_xml(out, pe_text_str(&shown));
	pe_text_add(out, "</title>");
}

void pe_svg_begin(struct pe_text *out, double width, double height, const char *title)
{
	pe_text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
	pe_svg_number(out, "width", width);
	pe_svg_number(out, "height", height);
	pe_text_add(out, " viewBox=\"0 0 ");
	pe_svg_coordinate(out, width);
	pe_text_addc(out, ' ');
	pe_svg_coordinate(out, height);
	pe_text_add(out, "\">\n");
	pe_svg_title(out, title);
	pe_text_addf(
		out,
		"\n<style>%s</style>\n<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n",
		style);
}

void pe_svg_end(struct pe_text *out)
{
	pe_text_add(out, "</svg>\n");
}

size_t pe_svg_columns(double width)
{
	return (size_t)(width / PIXELS_A_COLUMN);
}

double pe_svg_text_width(const char *string)
{
	return (double)pe_text_columns(string) * PIXELS_A_COLUMN;
}

void pe_svg_text(struct pe_text *out, double x, double y, const char *class, const char *string,
		 double width)
{
	pe_auto_text shown = PE_TEXT_INIT;

	pe_text_add_columns(&shown, string, width > 0 ? pe_svg_columns(width) : SIZE_MAX);
	pe_text_add(out, "<text");
	pe_svg_number(out, "x", x);
	pe_svg_number(out, "y", y);
	if (class != NULL)
		pe_text_addf(out, " class=\"%s\"", class);
	pe_text_addc(out, '>');
	pe_escape_xml(out, pe_text_str(&shown));
	pe_text_add(out, "</text>\n");
}
