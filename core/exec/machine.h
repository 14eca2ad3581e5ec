/* Machine: what this one is, asked of the system. */
#pragma once

#include "core/base/arena.h"
#include "core/model/machine.h"

/**
 * Ask the system. The compilers on PATH are each run once with --version, and their answers remembered until one of the
 * files is another; those of wrappers (scripts, ccache) are not.
 *
 * @param memory  the file where they are; NULL: none
 */
void pe_machine_identify(struct pe_machine *out, const char *memory, struct pe_arena *arena);

/**
 * Make a description of this machine one of its class: of all machines of a farm that have the same processors, memory,
 * kernel and compilers. No machine has the fingerprint of a class.
 */
void pe_machine_as_class(struct pe_machine *machine);

/** "AMD EPYC 9355, 16 cores, 128 GiB, Linux 6.8", in the arena. */
const char *pe_machine_describe(const struct pe_machine *machine, struct pe_arena *arena);

/** Fill governor, turbo and load; the rest is the caller's. */
void pe_conditions_observe(struct pe_conditions *out, struct pe_arena *arena);
