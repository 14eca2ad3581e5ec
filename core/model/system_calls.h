/* System calls: how often a run made each, by name. */
#pragma once

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PE_SYSTEM_CALLS_MOST = 1024, /**< names of a run */
	PE_SYSTEM_CALL_NAME = 32,    /**< bytes of a name, with its end */
};

struct pe_system_call {
	const char *name; /**< "write"; lower-case letters, digits, '_' and '-' */
	uint64_t count;   /**< by all processes and threads */
};

/** Of a run, ordered by name. */
struct pe_system_calls {
	struct pe_system_call *at;
	size_t n; /**< 0: not known */
};

/** As lines, "write 12"; "" for unknown calls. In the arena. */
const char *pe_system_calls_pack(const struct pe_system_calls *calls, struct pe_arena *arena);

/**
 * The lines read back.
 *
 * @return  false, with nothing in *out: they are not as pe_system_calls_pack() writes them
 */
bool pe_system_calls_unpack(struct pe_system_calls *out, const char *lines, struct pe_arena *arena);

/** All of them; what is more than 64 bits hold is UINT64_MAX. */
uint64_t pe_system_calls_total(const struct pe_system_calls *calls);
