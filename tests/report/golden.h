/* Golden: a writer's output beside the one that was reviewed; PERFEVO_UPDATE_GOLDEN=1 rewrites it. */
#ifndef PE_TESTS_REPORT_GOLDEN_H
#define PE_TESTS_REPORT_GOLDEN_H

#include "core/base/text.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/** Number of the first line that differs, from 1. */
static inline size_t golden_line(const char *left, const char *right)
{
	size_t line = 1;

	while (*left != '\0' && *left == *right) {
		line += *left == '\n';
		left++;
		right++;
	}
	return line;
}

/** Fail the test unless text is what tests/golden/report/<name> holds. */
static inline void golden_check(const struct pe_text *text, const char *name)
{
	struct pe_text path = PE_TEXT_INIT, golden = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;

	pe_text_addf(&path, "%s/tests/golden/report/%s", PE_SOURCE_DIR, name);
	if (getenv("PERFEVO_UPDATE_GOLDEN") != NULL)
		cr_assert(pe_text_write_file(text, path.data, &err) == PE_OK, "%s", err.message);
	cr_assert(pe_text_read_file(&golden, path.data, &err) == PE_OK, "%s", err.message);
	cr_expect(strcmp(pe_text_str(text), pe_text_str(&golden)) == 0,
		  "%s differs from line %zu on; it is now:\n%s", name,
		  golden_line(pe_text_str(text), pe_text_str(&golden)), pe_text_str(text));
	pe_text_release(&path);
	pe_text_release(&golden);
}

#endif
