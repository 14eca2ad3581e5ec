/* Export of functions: what each executes itself at a commit, by exact counts. Private to the command. */
#ifndef PE_CMD_EXPORT_FUNCTIONS_H
#define PE_CMD_EXPORT_FUNCTIONS_H

#include "app/app.h"
#include "core/base/text.h"

/**
 * A row for each machine, benchmark and function that counting runs saw at a commit: its self instructions, the least and the
 * most of them, which differ where the program counts differently each time. As CSV, or as a JSON array of objects with the
 * columns' names.
 *
 * @param bench  REGEX; NULL: all benchmarks
 * @return       PE_ENOTFOUND for a commit of which nothing is stored; PE_EINVALID, PE_ESTORE
 */
int cmd_export_functions(struct pe_text *out, struct pe_app *app, const char *spec,
			 const char *bench, bool as_json);

#endif
