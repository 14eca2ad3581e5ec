/* Results of suites that other tools measured, as `import --suite` takes them. */
#ifndef PE_CMD_IMPORT_SUITE_H
#define PE_CMD_IMPORT_SUITE_H

#include "cmd/ui/cmd.h"

struct pe_import_request {
	const char *suite;    /**< name of the suite that they are of */
	const char *revision; /**< NULL: HEAD */
	const char *format;   /**< NULL: by their content */
	const char *machine;  /**< NULL: "imported" */
};

/** Read the files and store their values as runs of the suite's members at a revision. As a command. */
int pe_import_suite(struct pe_cmd_ctx *ctx, const struct pe_import_request *asked, char **paths,
		    size_t n);

#endif
