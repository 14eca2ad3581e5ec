/*
 * The assembler reads the files (.incbin), so that neither the compiler nor git sees them as arrays
 * of numbers. A file of web/ is a row here and a name in the list of report/CMakeLists.txt; what comes from
 * npm has its path from there.
 */
#include "report/assets.h"

#include <stddef.h>

#define EMBED(symbol, path)                                                                        \
	__asm__(".section .rodata\n"                                                               \
		".global " #symbol "\n"                                                            \
		".hidden " #symbol "\n" #symbol ":\n"                                              \
		".incbin \"" path "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".previous\n");                                                                    \
	extern const char symbol[]

EMBED(uplot_js, PE_UPLOT_JS);
EMBED(uplot_css, PE_UPLOT_CSS);
EMBED(uplot_licence, PE_UPLOT_LICENCE);
EMBED(pe_asset_body, PE_WEB_DIR "/evolution.html");
EMBED(evolution_css, PE_WEB_DIR "/evolution.css");
EMBED(model_js, PE_WEB_DIR "/model.js");
EMBED(chart_js, PE_WEB_DIR "/chart.js");
EMBED(page_js, PE_WEB_DIR "/page.js");

const struct pe_asset pe_asset_styles[] = {
	{"uPlot.min.css", uplot_css},
	{"evolution.css", evolution_css},
	{NULL, NULL},
};

const struct pe_asset pe_asset_scripts[] = {
	{"uPlot.iife.min.js", uplot_js},
	{"model.js", model_js}, /* data and figures: no document needed */
	{"chart.js", chart_js}, /* the chart, its rail, the small multiples */
	{"page.js", page_js},   /* controls, tables, details */
	{NULL, NULL},
};

const struct pe_asset pe_asset_licences[] = {
	{"uPlot", uplot_licence},
	{NULL, NULL},
};
