/* System calls: how often a run made each, by name. */
#ifndef PE_CORE_MODEL_SYSTEM_CALLS_H
#define PE_CORE_MODEL_SYSTEM_CALLS_H

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

/** Of all runs of a build that tell: how often it makes a call, the same but where runs differ. */
struct pe_system_call_range {
	const char *name;
	uint64_t least, most;
};

/** Ordered by name. */
struct pe_system_call_ranges {
	struct pe_system_call_range *at;
	size_t n;
	size_t runs; /**< different ones; 0: unknown */
};

/** A call of two builds. Those that do not make it have 0. */
struct pe_system_call_change {
	const char *name;
	uint64_t old_least, old_most, new_least, new_most;
};

/** Calls that certainly differ, the largest difference first; then those that vary between runs of one build. */
struct pe_system_call_changes {
	struct pe_system_call_change *at;
	size_t n, n_varying;
	size_t n_same; /**< that are not among them */
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

/** Add a run to the ranges of a build; names are borrowed. */
void pe_system_calls_widen(struct pe_system_call_ranges *ranges,
			   const struct pe_system_calls *calls, struct pe_arena *arena);

/** Keep what varies within a build where it varies more than in those before it; the names are in no order then. */
void pe_system_calls_vary(struct pe_system_call_ranges *varying,
			  const struct pe_system_call_ranges *build, struct pe_arena *arena);

/**
 * Compare two builds: a call differs for sure where all runs of one make it more often than all of the other, and by more than
 * it varied within any one build.
 *
 * @param varying  the widest range of each name within one build; with 0 runs: unknown
 */
void pe_system_calls_compare(struct pe_system_call_changes *out,
			     const struct pe_system_call_ranges *old_ranges,
			     const struct pe_system_call_ranges *new_ranges,
			     const struct pe_system_call_ranges *varying, struct pe_arena *arena);

#endif
