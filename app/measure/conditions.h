/* Conditions: what of a machine's state makes its values noisy, and what to do about it. */
#ifndef PE_APP_MEASURE_CONDITIONS_H
#define PE_APP_MEASURE_CONDITIONS_H

#include "core/base/arena.h"
#include "core/model/machine.h"

#include <stddef.h>

enum { PE_CONDITIONS_ADVICE = 4 };

/**
 * Sentences of advice, in the arena.
 *
 * @param counts  the machine counts instructions, or valgrind does
 * @return        how many
 */
size_t pe_conditions_advise(const char *out[PE_CONDITIONS_ADVICE],
			    const struct pe_conditions *conditions,
			    const struct pe_machine *machine, bool counts, struct pe_arena *arena);

#endif
