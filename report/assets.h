/* Assets: the parts of a page that are files, embedded when perfevo is built. */
#ifndef PE_REPORT_ASSETS_H
#define PE_REPORT_ASSETS_H

/** Terminated text each. */
extern const char pe_asset_uplot_js[]; /**< uPlot, minified */
extern const char pe_asset_uplot_css[];
extern const char pe_asset_uplot_licence[]; /**< its licence, which travels with it */
extern const char pe_asset_body[];          /**< the page's own elements */
extern const char pe_asset_css[];
extern const char pe_asset_model_js[]; /**< data and figures: no document needed */
extern const char pe_asset_chart_js[]; /**< the chart, its rail, the small multiples */
extern const char pe_asset_page_js[];  /**< controls, tables, details */

#endif
