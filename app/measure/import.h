/* Import: results of a suite that another tool measured, as runs of its members at one revision. */
#ifndef PE_APP_MEASURE_IMPORT_H
#define PE_APP_MEASURE_IMPORT_H

#include "app/app.h"
#include "core/model/revision.h"

/** One file. */
struct pe_import_file {
	const char *name; /**< for messages */
	const char *bytes;
	size_t n;
};

struct pe_suite_import {
	const char *suite;   /**< name before those of the members */
	const char *machine; /**< that they were measured on: results of one name are one series */
	const char *format;  /**< of the files, "auto": by their content */
	const struct pe_import_file *files; /**< each is a run */
	size_t n;
};

/** What came of it. */
struct pe_imported {
	size_t members, runs, failed; /**< failed: readings that have an error in place of values */
	const struct pe_member_reading *first_failed; /**< NULL: none */
	const char *format;                           /**< that the files had */
	size_t known; /**< files that were imported before, and are not again */
};

/**
 * Store the values of files. They stand on a machine of their own, never beside what was measured here, and the version
 * of a member is the suite's name, its own and the format: no config defines it.
 *
 * @param app  with the store; notes about what the files say go to its note
 * @return     PE_EINVALID: a file that cannot be read, or whose results end in its middle, is named; nothing is stored then
 */
int pe_import_results(struct pe_imported *out, struct pe_app *app,
		      const struct pe_suite_import *import, const struct pe_revision *revision);

#endif
