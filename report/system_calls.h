/* System calls by name: what differs between two builds, and what a commit makes; as a line and as JSON. */
#pragma once

#include "core/base/text.h"
#include "analysis/compare/functions.h"
#include "report/evolution.h"
#include "report/terminal.h"

struct pe_json;

/** The calls of a benchmark at a revision. Strings are borrowed. */
struct pe_revision_calls {
	const char *benchmark;
	struct pe_function_ranges calls;
	const char *before; /**< id of the revision that it is compared with; NULL: none */
	struct pe_function_changes *changes; /**< NULL: there is none, or it has no calls */
};

/** "write 12 → 4,012", "futex 3 to 5 → 9". */
void pe_system_call_say(struct pe_text *out, const struct pe_function_change *change);

/** "system calls: write 12 → 4,012, lseek 5 → 0; 14 others as often as before". */
void pe_system_calls_say(struct pe_text *out, const struct pe_function_changes *changes);

/**
 * A member, null for NULL: {"same": 14, "changed": [{"name": "write", "old": [12, 12], "new": [4012, 4012]}, ...],
 * "varying": [...]}, the least and the most of all runs.
 */
void pe_system_calls_json(struct pe_json *json, const char *key,
			  const struct pe_function_changes *changes);

/** For each benchmark a line with the calls that it makes most, and what differs from the predecessor. */
void pe_revision_calls_show(struct pe_text *out, const struct pe_revision_calls *at, size_t n,
			    const struct pe_term *term);

/**
 * The member "system_calls": [{"benchmark": "parse", "calls": [{"name": "write", "least": 12, "most": 12}, ...],
 * "before": id or null, "against_before": as pe_system_calls_json()}, ...].
 */
void pe_revision_calls_json(struct pe_json *json, const struct pe_revision_calls *at, size_t n);
