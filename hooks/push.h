/*
 * Push: what git tells a pre-push hook on its input, a line a reference (githooks(5)):
 *
 *	<local ref> SP <local oid> SP <remote ref> SP <remote oid> LF
 *
 * A deletion has "(delete)" and zeros on the local side, a new reference zeros on the remote one. The local side
 * need not be a reference at all: git push origin HEAD~3:main, or a bare oid.
 */
#ifndef PE_HOOKS_PUSH_H
#define PE_HOOKS_PUSH_H

#include "core/base/arena.h"
#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct pe_pushed {
	const char *local_ref, *local_oid;
	const char *remote_ref, *remote_oid;
	bool deletes; /**< local_oid is all zeros */
	bool creates; /**< remote_oid is all zeros */
};

struct pe_push {
	struct pe_pushed *at; /**< in git's order */
	size_t n;
};

/**
 * Parse the hook's whole input. Ids of 40 digits, or of 64 (SHA-256), in either case; a last line may lack its
 * end; empty lines are passed over.
 *
 * @param arena  owns all of it
 * @return       PE_EINVALID with the number of the line and what was expected
 */
int pe_push_parse(struct pe_push *out, const char *text, size_t n, struct pe_arena *arena,
		  struct pe_err *err);

#endif
