/* A comparison on its way to a page, with the sources that a reader would want. */
#ifndef PE_APP_PAGES_COMPARE_PAGE_H
#define PE_APP_PAGES_COMPARE_PAGE_H

#include "app/explain/compare.h"
#include "report/page.h"

/**
 * Make what a page shows of a comparison that was judged, with the sources of the methods that a reader would want. A source that cannot be read is left out. Must not be called while a session
 * is open.
 *
 * @param out        borrows from comparing; the rest lives in the context's arena; its revisions are unknown
 * @param comparing  judged, with opts->page
 * @return           PE_ESTOPPED after Ctrl-C; as the repository
 */
int pe_comparing_page(struct pe_page_comparison *out, struct pe_comparing *comparing);

/**
 * The sources of methods: those first that were touched, then those that differ most.
 *
 * @param out  in the context's arena
 */
int pe_comparing_sources(const struct pe_page_source **out, size_t *n,
			 struct pe_comparing *comparing);

/**
 * Where a page lies that nobody asked for elsewhere: beside the database. Another one than the repository's (--store) has
 * pages of its own, `x-report.html` of `x.db`.
 *
 * @param out    in the context's arena; its folder is there
 * @param named  set where the user's path is in it
 */
int pe_page_path(const char **out, bool *named, struct pe_app *app, const char *name);

/**
 * Write a page where it was asked for, or to a name in perfevo's folder in the repository's common directory.
 *
 * @param path   receives where it is
 * @param asked  NULL: the name
 */
int pe_page_write(const char **path, struct pe_app *app, const struct pe_text *page,
		  const char *asked, const char *name);

/**
 * Write a page of one comparison and nothing else.
 *
 * @param path   receives where it is
 * @param asked  where it was asked for; NULL: the name, in perfevo's folder
 * @return       as pe_comparing_page() and pe_page_write()
 */
int pe_comparing_write(const char **path, struct pe_comparing *comparing, const char *asked,
		       const char *name);

#endif
