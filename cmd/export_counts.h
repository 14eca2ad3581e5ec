/* Export of counts by name: what each function executes itself, how often each system call is made. Private to the command. */
#ifndef PE_CMD_EXPORT_COUNTS_H
#define PE_CMD_EXPORT_COUNTS_H

#include "app/app.h"
#include "core/base/text.h"

enum cmd_counts { CMD_COUNTS_FUNCTIONS, CMD_COUNTS_CALLS };

/**
 * A row for each machine, benchmark and function or system call that counting runs saw at a commit: its self instructions, or
 * how often it was made, the least and the most of them, which differ where the program counts differently each time. As CSV,
 * or as a JSON array of objects with the columns' names.
 *
 * @param bench  REGEX; NULL: all benchmarks
 * @return       PE_ENOTFOUND for a commit of which nothing is stored; PE_EINVALID, PE_ESTORE
 */
int cmd_export_counts(struct pe_text *out, struct pe_app *app, enum cmd_counts counts,
		      const char *spec, const char *bench, bool as_json);

#endif
