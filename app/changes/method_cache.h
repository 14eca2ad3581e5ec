/* Method cache: what the store has of changed methods. Shared by app/changes/changed_methods.c and app/changes/method_cache.c. */
#pragma once

#include "app/changes/changed_methods.h"

/** What decides the answer besides the two trees: hash of the extraction's version and of `paths:`. */
void pe_changes_rules(char hex[PE_HASH_HEX], const struct pe_app *app);

/** Id of the first parent; "" at a root, which is compared with an empty tree. */
const char *pe_changes_predecessor(const struct pe_revision *revision);

/**
 * Load the stored changes between out->before and out->after. PE_ENOTFOUND, without a sentence: none by these rules, or
 * there is no store.
 */
int pe_changes_load(struct pe_revision_changes *out, struct pe_app *app, const char *rules,
		    struct pe_arena *arena);

/** Whether what is found out is still written into the store. */
bool pe_comparer_keeps(const struct pe_comparer *comparer);
