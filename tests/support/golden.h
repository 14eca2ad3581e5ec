/* Golden: a writer's output beside the one that was reviewed; PERFEVO_UPDATE_GOLDEN=1 rewrites it. Pictures and texts of more than 15 lines are kept by gzip. */
#pragma once

#include "core/base/text.h"
#include "tests/support/data_file.h"
#include "tests/support/test.h"

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

/** Fail the test unless text is what tests/GOLDEN_FOLDER/<name> holds, or <name>.gz. The text is empty afterwards. */
static inline void golden_check(struct pe_text *text, const char *name)
{
	pe_auto_text golden = PE_TEXT_INIT;
	char plain[1024];

	snprintf(plain, sizeof(plain), PE_SOURCE_DIR "/tests/" GOLDEN_FOLDER "/%s", name);
	if (getenv("PERFEVO_UPDATE_GOLDEN") != NULL) /* what is new is written as plain text */
		data_write(text, access(data_path(GOLDEN_FOLDER, name), F_OK) == 0
					 ? data_path(GOLDEN_FOLDER, name)
					 : plain);
	data_file(&golden, GOLDEN_FOLDER, name);
	cr_expect(text->len == golden.len && memcmp(text->data, golden.data, golden.len) == 0,
		  "%s differs from line %zu on; it is now:\n%s", name,
		  golden_line(pe_text_str(text), pe_text_str(&golden)), pe_text_str(text));
	pe_text_clear(text);
}
