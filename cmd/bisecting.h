/* Bisecting: shared by the files of cmd_bisect() alone. */
#pragma once

#include "app/search/bisect.h"
#include "cmd/ui/cmd.h"

/** The answer for people: a few lines. */
void pe_bisecting_term(struct pe_text *out, const struct pe_bisecting *bisecting,
		       const struct pe_term *term);

/**
 * The answer for programs: {"benchmark", "metric", "answer", "steps": [{"probability", "commits", ...}], ...}.
 *
 * @param comparisons  one a step: a JSON document about its commit and the parent; NULL: it is not compared
 */
void pe_bisecting_json(struct pe_text *out, const struct pe_bisecting *bisecting,
		       const char *const *comparisons);
