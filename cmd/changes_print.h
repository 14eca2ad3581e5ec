/* Changes, printed: a list of changed methods for people and for programs. */
#pragma once

#include "cmd/ui/cmd.h"
#include "app/changes/code.h"
#include "app/changes/changed_methods.h"

struct pe_json;

struct pe_changes_style {
	const struct pe_term *term;
	bool kinds[PE_N_METHOD_CHANGES]; /**< which are listed; the counts are of all */
	size_t most;                     /**< methods listed at most; 0: all */
	const struct pe_crossing *code;  /**< what became of their machine code; NULL: not asked */
	const char *
		outside; /**< what differs outside of methods: pe_sources_outside(); NULL: nothing, or not asked */
	bool indirect; /**< with code: list also what was recompiled without a change of its own */
};

/** "mc 3: 1 added, 2 modified; 1 renamed; 2 parts could not be parsed", with its newline. */
void pe_changes_summary(struct pe_text *out, const struct pe_revision_changes *changes,
			const struct pe_term *term);

/** "identical build", or "12 of 340 functions recompiled; 3 modified, 1 without effect, 8 indirect". */
void pe_changes_code_summary(struct pe_text *out, const struct pe_crossing *code,
			     const struct pe_term *term);

/** A row a method: kind, name, where it was, where it is. Nothing for an empty list. */
void pe_changes_table(struct pe_text *out, const struct pe_revision_changes *changes,
		      const struct pe_changes_style *style);

/**
 * One JSON object:
 *
 *   before      id, null for an empty tree
 *   after, subject
 *   mc          added + deleted + modified
 *   added, deleted, modified, renamed, moved     how many, whatever is listed
 *   files, unread    source files that differ, parts of them that could not be parsed
 *   unread_files     [{ path, parts }]: where these are
 *   methods     [{ kind, before, after: { component, name, signature, first_line, last_line } or null,
 *                  likeness: 0 to 1, uncertain }]
 *
 * With code each method has the members effect (pe_effect_name()), reason (text or null) and bytes: [before, after], of its
 * own functions, too, and the object:
 *
 *   code        { identical, exact, programs: [path], functions, recompiled, modified, no_effect, bytes: [before, after],
 *                 indirect: [{ name, signature, component or null, before_line, after_line (0: none), reason }] }
 */
void pe_changes_json(struct pe_json *json, const char *key,
		     const struct pe_revision_changes *changes, const char *subject,
		     const struct pe_changes_style *style);
