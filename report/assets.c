/*
 * The assembler reads the files (.incbin), so that neither the compiler nor git sees them as arrays
 * of numbers. A file of web/ is a row here and a name in the list of report/CMakeLists.txt; what comes from
 * npm has its path from there.
 */
#include "report/assets.h"

#include <stddef.h>

/* Without .global: a name of this file alone. */
#define EMBED(symbol, path)                                                                        \
	__asm__(".section .rodata\n" #symbol ":\n"                                                 \
		".incbin \"" path "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".previous\n");                                                                    \
	extern const char symbol[]

EMBED(uplot_js, PE_UPLOT_JS);
EMBED(uplot_css, PE_UPLOT_CSS);
EMBED(uplot_licence, PE_UPLOT_LICENCE);
EMBED(highlight_js, PE_HIGHLIGHT_JS);
EMBED(highlight_licence, PE_HIGHLIGHT_LICENCE);
EMBED(shell_html, PE_WEB_DIR "/shell.html");
EMBED(shell_css, PE_WEB_DIR "/shell.css");
EMBED(model_js, PE_MIN_DIR "/model.js");
EMBED(dom_js, PE_MIN_DIR "/dom.js");
EMBED(chart_paint_js, PE_MIN_DIR "/chart_paint.js");
EMBED(chart_strips_js, PE_MIN_DIR "/chart_strips.js");
EMBED(chart_input_js, PE_MIN_DIR "/chart_input.js");
EMBED(chart_js, PE_MIN_DIR "/chart.js");
EMBED(chart_svg_js, PE_MIN_DIR "/chart_svg.js");
EMBED(graph_js, PE_MIN_DIR "/graph.js");
EMBED(details_js, PE_MIN_DIR "/details.js");
EMBED(jumps_js, PE_MIN_DIR "/jumps.js");
EMBED(evolution_js, PE_MIN_DIR "/evolution.js");
EMBED(commits_js, PE_MIN_DIR "/commits.js");
EMBED(compare_js, PE_MIN_DIR "/compare.js");
EMBED(shell_js, PE_MIN_DIR "/shell.js");
EMBED(view_common_js, PE_MIN_DIR "/view_common.js");
EMBED(blueprint_css, PE_WEB_DIR "/blueprint.css");
EMBED(blueprint_model_js, PE_MIN_DIR "/blueprint_model.js");
EMBED(blueprint_layout_js, PE_MIN_DIR "/blueprint_layout.js");
EMBED(tree_chart_js, PE_MIN_DIR "/tree_chart.js");
EMBED(node_figures_js, PE_MIN_DIR "/node_figures.js");
EMBED(source_pane_js, PE_MIN_DIR "/source_pane.js");
EMBED(node_panel_js, PE_MIN_DIR "/node_panel.js");
EMBED(box_menu_js, PE_MIN_DIR "/box_menu.js");
EMBED(verdict_js, PE_MIN_DIR "/verdict.js");
EMBED(blueprint_boxes_js, PE_MIN_DIR "/blueprint_boxes.js");
EMBED(blueprint_js, PE_MIN_DIR "/blueprint.js");
EMBED(critical_js, PE_MIN_DIR "/critical.js");
EMBED(stages_js, PE_MIN_DIR "/stages.js");
EMBED(flame_js, PE_MIN_DIR "/flame.js");

const char *const pe_asset_body = shell_html;

const struct pe_asset pe_asset_styles[] = {
	{"uPlot.min.css", uplot_css},
	{"shell.css", shell_css},
	{"blueprint.css", blueprint_css},
	{NULL, NULL},
};

const struct pe_asset pe_asset_scripts[] = {
	{"uPlot.iife.min.js", uplot_js},
	{"model.js", model_js},             /* data and figures */
	{"dom.js", dom_js},                 /* elements, pictures, files */
	{"chart_paint.js", chart_paint_js}, /* colours, marks, small charts */
	{"chart_strips.js", chart_strips_js},
	{"chart_input.js", chart_input_js},
	{"chart.js", chart_js},
	{"chart_svg.js", chart_svg_js},
	{"graph.js", graph_js}, /* lanes, spark circles, marks of jumps */
	{"details.js", details_js},
	{"jumps.js", jumps_js},
	{"evolution.js", evolution_js}, /* the view of them */
	{"commits.js", commits_js},     /* the commit graph */
	{"compare.js", compare_js},     /* around the views of a comparison */
	/* the views of a comparison */
	{"highlight.js", highlight_js},
	{"view_common.js", view_common_js},
	{"blueprint_model.js", blueprint_model_js},
	{"blueprint_layout.js", blueprint_layout_js},
	{"tree_chart.js", tree_chart_js},
	{"node_figures.js", node_figures_js},
	{"source_pane.js", source_pane_js},
	{"node_panel.js", node_panel_js},
	{"box_menu.js", box_menu_js},
	{"verdict.js", verdict_js},
	{"blueprint_boxes.js", blueprint_boxes_js},
	{"blueprint.js", blueprint_js},
	{"critical.js", critical_js},
	{"stages.js", stages_js},
	{"flame.js", flame_js},
	{"shell.js", shell_js}, /* addresses, themes, the start: comes last */
	{NULL, NULL},
};

const struct pe_asset pe_asset_licences[] = {
	{"uPlot", uplot_licence},
	{"highlight.js", highlight_licence},
	{NULL, NULL},
};
