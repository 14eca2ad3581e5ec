/* Import: results of a suite that another tool measured, as runs of its members at one revision. */
#pragma once

#include "app/app.h"
#include "core/model/revision.h"

/** A file of results. */
struct pe_import_file {
	const char *name; /**< for messages */
	const char *bytes;
	size_t n;
};

struct pe_suite_import {
	const char *suite;   /**< prefix of the members' names */
	const char *machine; /**< that they were measured on: results of one name form one series */
	const char *format;  /**< of the files; "auto": by their content */
	const struct pe_import_file *files; /**< each holds one run */
	size_t n;
};

/** The result of an import. */
struct pe_imported {
	size_t members, runs, failed; /**< failed: readings that have an error in place of values */
	const struct pe_member_reading *first_failed; /**< NULL: none */
	const char *format;                           /**< detected or given format of the files */
	size_t known; /**< number of files that were imported before, and are skipped */
};

/**
 * Store the values of files. They belong to a machine of their own, apart from measurements made here. The version of a
 * member is made of the suite's name, its own and the format, since no config defines it.
 *
 * @param app  with the store; notes about the files' contents go to its note
 * @return     PE_EINVALID: a file cannot be read, or its results are truncated; its name is in the message, and nothing
 *             is stored
 */
int pe_import_results(struct pe_imported *out, struct pe_app *app,
		      const struct pe_suite_import *import, const struct pe_revision *revision);
