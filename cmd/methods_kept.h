/* Kept: what the store has of changed methods. Shared by cmd/methods.c and cmd/methods_kept.c. */
#ifndef PE_CMD_METHODS_KEPT_H
#define PE_CMD_METHODS_KEPT_H

#include "cmd/methods.h"

/** What decides the answer besides the two trees: hash of the extraction's version and of `paths:`. */
void pe_changes_rules(char hex[PE_HASH_HEX], const struct pe_cmd_ctx *ctx);

/** Id of the first parent; "" at a root, which is compared with an empty tree. */
const char *pe_changes_predecessor(const struct pe_revision *revision);

/**
 * Fill in what the store knows of out->before and out->after. PE_ENOTFOUND, without a sentence: nothing by
 * these rules, or there is no store.
 */
int pe_changes_load(struct pe_revision_changes *out, struct pe_cmd_ctx *ctx, const char *rules,
		    struct pe_arena *arena);

/** The rows for the store; strings are borrowed from the changes. */
struct pe_stored_changes pe_changes_rows(const struct pe_revision_changes *changes,
					 const char *rules, struct pe_arena *arena);

/** Whether what is found out is still written into the store. */
bool pe_comparer_keeps(const struct pe_comparer *comparer);

#endif
