/*
 * Site: a folder of files for a web server, made of what is stored of some branches (report/site.h): their reports, and an
 * index, a feed and badges. Nothing is measured.
 *
 * Written is what differs from what is there, each file as a whole. A branch whose digest in index.json is that of what its
 * page would be made of is not rendered again. index.json lists the site's files: no other file is replaced or removed, and no
 * link below the folder is followed.
 */
#ifndef PE_APP_PAGES_SITE_H
#define PE_APP_PAGES_SITE_H

#include "app/app.h"

struct pe_site_opts {
	const char *folder;
	struct pe_strings
		branches;  /**< local ones, or "origin/main"; none: the one that is checked out */
	const char *title; /**< NULL: the project's name and what this is */
	const char *url;   /**< where the site will be, for the feed; NULL: unknown */
};

/** What came of it. */
struct pe_site_sum {
	size_t branches;
	size_t written, unchanged, removed; /**< files */
};

/**
 * Write the site. A branch of which nothing is stored is left out with a note.
 *
 * @param app  with repo and store; without a config jumps are not explained
 * @return     PE_ENOTFOUND: no branch is checked out, there is no such branch, or nothing is stored of any; PE_EINVALID: a file of
 *             that name is there that is none of the site's; PE_ESYS: the folder cannot be written
 */
int pe_site_write(struct pe_site_sum *out, struct pe_app *app, const struct pe_site_opts *opts);

#endif
