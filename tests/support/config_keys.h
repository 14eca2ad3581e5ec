/* The keys of the config as paths, "benchmarks.NAME.command", from the help that is written from the schema. */
#pragma once

#include "core/base/text.h"
#include "core/base/vec.h"
#include "tests/support/test.h"

#include <string.h>

typedef PE_VEC(const char *) config_keys;

static inline void config_keys_read(config_keys *out, struct pe_arena *arena)
{
	pe_auto_text page = PE_TEXT_INIT;
	char *rest = NULL, *line;

	cr_assert_ok(pe_text_read_file(&page, PE_SOURCE_DIR "/cmd/help/list_keys.txt", NULL), "");
	for (line = strtok_r(page.data, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "$ ", 2) == 0)
			pe_vec_push(out, pe_arena_strdup(arena, line + 2));
}
