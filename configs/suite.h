/* Suite: `suites:`, programs that run many benchmarks each. */
#ifndef PE_CONFIGS_SUITE_H
#define PE_CONFIGS_SUITE_H

#include "configs/read.h"
#include "core/model/suite.h"

/**
 * Read `suites:`: a mapping of names to bodies; a text is short for a body with that command.
 *
 * @param out       in the arena, *n of them
 * @param defaults  the value of `defaults:`; NULL: none
 * @param profile   initial values of every profile plan
 */
int pe_suites_read(struct pe_suite **out, size_t *n, struct pe_reader *reader,
		   const struct pe_yaml *node, const struct pe_yaml *defaults,
		   const struct pe_profile_plan *profile);

/** Whether a word of a suite's command line only sets the duration or repetitions of measuring. */
bool pe_suite_only_precise(const char *word);

#endif
