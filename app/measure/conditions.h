/* Conditions: the state of a machine that makes its values noisy, and advice against it. */
#ifndef PE_APP_MEASURE_CONDITIONS_H
#define PE_APP_MEASURE_CONDITIONS_H

#include "core/base/arena.h"
#include "core/model/machine.h"

#include <stddef.h>

enum { PE_CONDITIONS_ADVICE = 4 };

/**
 * Write sentences of advice, in the arena.
 *
 * @param counts  the machine counts instructions, or valgrind does
 * @return        their number
 */
size_t pe_conditions_advise(const char *out[PE_CONDITIONS_ADVICE],
			    const struct pe_conditions *conditions,
			    const struct pe_machine *machine, bool counts, struct pe_arena *arena);

#endif
