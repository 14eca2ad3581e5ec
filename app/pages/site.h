/*
 * Site: a folder of files for a web server, made of the stored results of some branches (report/site.h): their reports, an
 * index, a feed and badges. Nothing is measured.
 *
 * Only files that differ are written, each as a whole. index.json lists the site's files: no other file is replaced or
 * removed, and no link below the folder is followed.
 */
#pragma once

#include "app/app.h"

struct pe_site_opts {
	const char *folder;
	struct pe_strings branches; /**< local ones, or "origin/main"; none: the current one */
	const char *title;          /**< NULL: the project's name and a description */
	const char *url;            /**< where the site will be, for the feed; NULL: unknown */
};

/** The results of a written site. */
struct pe_site_sum {
	size_t branches;
	size_t written, unchanged, removed; /**< files */
};

/**
 * Write the site. A branch without stored results is left out with a note.
 *
 * @param app  with repo and store; without a config jumps are not explained
 * @return     PE_ENOTFOUND: no branch is checked out, there is no such branch, or no branch has stored results; PE_EINVALID:
 *             a file of that name exists that is none of the site's; PE_ESYS: the folder cannot be written
 */
int pe_site_write(struct pe_site_sum *out, struct pe_app *app, const struct pe_site_opts *opts);
