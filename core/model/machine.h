/* Machine: where something was measured. Series of different machines are never joined. */
#pragma once

#include "core/base/hash.h"

#include <stdbool.h>
#include <stdint.h>

/** What identifies a machine: everything that moves all of its values at once when it changes. */
struct pe_machine {
	const char *hostname;
	const char *cpu; /**< model name */
	unsigned cores;  /**< processors online */
	uint64_t memory_bytes;
	const char *kernel; /**< system and release */
	/** first version line of cc, c++, gcc, clang, where present, one a line */
	const char *compilers;
	char fingerprint[PE_HASH_HEX]; /**< of all of the above */
};

/** Conditions that may change from session to session; stored with each batch of runs, in words. */
struct pe_conditions {
	const char *governor; /**< scaling governor, or "unknown" */
	const char *turbo;    /**< "on", "off", "unknown" */
	double load;          /**< one-minute load average when the session began */
	unsigned env_bytes;   /**< size of the benchmarks' environment */
	int cpu;              /**< processor the runs are pinned to; -1: none */
	int nice;
	bool fixed_layout; /**< address space layout randomisation switched off */
};
