/*
 * Script: the hooks themselves. Each is a few lines of POSIX shell that run the former hook, with the same arguments, input
 * and environment, and then `perfevo hook NAME`. A machine without perfevo runs the former hook alone: a hook in a
 * repository must outlive the program that it calls.
 */
#pragma once

#include "core/base/hash.h"
#include "core/base/text.h"

#include <stdbool.h>

enum pe_hook {
	PE_HOOK_POST_COMMIT,
	PE_HOOK_PRE_PUSH,
	PE_HOOK_PRE_COMMIT,
	PE_N_HOOKS,
};

/** As git calls it: "post-commit". */
const char *pe_hook_name(enum pe_hook hook);

/** @return  PE_ENOTFOUND: "there is no hook 'x' (post-commit, pre-push, pre-commit)" */
int pe_hook_find(enum pe_hook *out, const char *name, struct pe_err *err);

/** What a hook took the place of. */
struct pe_hook_before {
	char hash[PE_HASH_HEX]; /**< of its bytes; "": there was none */
	unsigned mode;          /**< its permission bits */
};

/** Behind the name of a hook: the one that was there before perfevo's. */
#define PE_HOOK_KEPT ".before-perfevo"

/** Behind the name of perfevo's hook when it is taken away although somebody edited it. */
#define PE_HOOK_EDITED ".perfevo-edited"

/** Append the script of a hook. */
void pe_hook_script(struct pe_text *out, enum pe_hook hook, const struct pe_hook_before *before);

enum pe_hook_author {
	PE_HOOK_BY_OTHERS,
	PE_HOOK_BY_US,            /**< as some version of perfevo wrote it */
	PE_HOOK_BY_US_AND_OTHERS, /**< and edited since */
};

/** Who wrote a hook. @param before  receives its line about the former hook; empty without one */
enum pe_hook_author pe_hook_author(const char *text, struct pe_hook_before *before);
