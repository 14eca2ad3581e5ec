/* Assets: the parts of a page that are files, embedded when perfevo is built. */
#ifndef PE_REPORT_ASSETS_H
#define PE_REPORT_ASSETS_H

/** A file: its name, which says what it is when something about it is wrong, and its content, terminated. */
struct pe_asset {
	const char *name;
	const char *text;
};

/** In the order in which the page has them; the name of the one past the last is NULL. */
extern const struct pe_asset pe_asset_styles[];
extern const struct pe_asset pe_asset_scripts[];
extern const struct pe_asset pe_asset_licences[]; /**< of what others wrote: they travel with it */

extern const char *const pe_asset_body; /**< the page's own elements */

#endif
