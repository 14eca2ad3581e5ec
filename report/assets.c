/*
 * The assembler reads the files (.incbin), so that neither the compiler nor git sees them as arrays
 * of numbers. Their paths come from report/CMakeLists.txt.
 */
#include "report/assets.h"

#define EMBED(symbol, path)                                                                        \
	__asm__(".section .rodata\n"                                                               \
		".global " #symbol "\n"                                                            \
		".hidden " #symbol "\n" #symbol ":\n"                                              \
		".incbin \"" path "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".previous\n")

EMBED(pe_asset_uplot_js, PE_UPLOT_JS);
EMBED(pe_asset_uplot_css, PE_UPLOT_CSS);
EMBED(pe_asset_uplot_licence, PE_UPLOT_LICENCE);
EMBED(pe_asset_body, PE_WEB_DIR "/evolution.html");
EMBED(pe_asset_css, PE_WEB_DIR "/evolution.css");
EMBED(pe_asset_model_js, PE_WEB_DIR "/model.js");
EMBED(pe_asset_chart_js, PE_WEB_DIR "/chart.js");
EMBED(pe_asset_page_js, PE_WEB_DIR "/page.js");
