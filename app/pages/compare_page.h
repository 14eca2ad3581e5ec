/* The page of a comparison, with the sources of its methods. */
#pragma once

#include "app/explain/compare.h"
#include "report/page.h"

/**
 * Make the page's part of a judged comparison, with the sources of its most important methods. A source that cannot be read
 * is left out. Must not be called while a session is open.
 *
 * @param out        borrows from comparing; the rest is in the context's arena; its revisions are unknown
 * @param comparing  judged, with opts->page
 * @return           PE_ESTOPPED after Ctrl-C; errors of the repository
 */
int pe_comparing_page(struct pe_page_comparison *out, struct pe_comparing *comparing);

/**
 * Read the sources of methods: touched ones first, then those with the largest differences.
 *
 * @param out  in the context's arena
 */
int pe_comparing_sources(const struct pe_page_source **out, size_t *n,
			 struct pe_comparing *comparing);

/**
 * Find the default path of a page: beside the database. Another database than the repository's (--store) has
 * its own pages, `x-report.html` of `x.db`.
 *
 * @param out    in the context's arena; its folder exists
 * @param named  set where it contains a path of the user's
 */
int pe_page_path(const char **out, bool *named, struct pe_app *app, const char *name);

/**
 * Write a page to the requested path, or to a name in perfevo's folder in the repository's common directory.
 *
 * @param path   receives the path
 * @param asked  the requested path; NULL: use the name
 */
int pe_page_write(const char **path, struct pe_app *app, const struct pe_text *page,
		  const char *asked, const char *name);

/**
 * Write a page of one comparison alone.
 *
 * @param path   receives the path
 * @param asked  the requested path; NULL: use the name, in perfevo's folder
 * @return       as pe_comparing_page() and pe_page_write()
 */
int pe_comparing_write(const char **path, struct pe_comparing *comparing, const char *asked,
		       const char *name);
