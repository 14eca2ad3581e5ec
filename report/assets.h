/* Assets: the parts of a page that are files, embedded when perfevo is built; report/CMakeLists.txt names the files. */
#pragma once

extern const char pe_asset_body[];   /**< the page's own elements */
extern const char pe_asset_style[];  /**< all style sheets as one */
extern const char pe_asset_script[]; /**< all scripts as one; without what would end its element */

/* Of what others wrote: they travel with it. */
extern const char pe_asset_highlight_licence[];
extern const char pe_asset_hierarchy_licence[];
