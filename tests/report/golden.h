/* Golden: a writer's output beside the one that was reviewed; PERFEVO_UPDATE_GOLDEN=1 rewrites it. Pictures are kept by gzip. */
#ifndef PE_TESTS_REPORT_GOLDEN_H
#define PE_TESTS_REPORT_GOLDEN_H

#include "core/base/text.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/** Fail the test unless text is what tests/golden/report/<name> holds, or <name>.gz of a picture. */
static inline void golden_check(const struct pe_text *text, const char *name)
{
	struct pe_text path = PE_TEXT_INIT, golden = PE_TEXT_INIT;
	const bool picture = strstr(name, ".svg") != NULL;
	char part[4096];
	gzFile file;
	int n;

	pe_text_addf(&path, "%s/tests/golden/report/%s%s", PE_SOURCE_DIR, name, picture ? ".gz" : "");
	if (getenv("PERFEVO_UPDATE_GOLDEN") != NULL) {
		file = gzopen(path.data, picture ? "wb9" : "wbT");
		cr_assert(file != NULL && gzwrite(file, pe_text_str(text), (unsigned)text->len) == (int)text->len);
		cr_assert_eq(gzclose(file), Z_OK);
	}
	cr_assert((file = gzopen(path.data, "rb")) != NULL, "%s", path.data);
	while ((n = gzread(file, part, sizeof(part))) > 0)
		pe_text_addn(&golden, part, (size_t)n);
	cr_assert_eq(gzclose(file), Z_OK);
	cr_expect(strcmp(pe_text_str(text), pe_text_str(&golden)) == 0,
		  "%s differs from line %zu on; it is now:\n%s", name,
		  golden_line(pe_text_str(text), pe_text_str(&golden)), pe_text_str(text));
	pe_text_release(&path);
	pe_text_release(&golden);
}

#endif
