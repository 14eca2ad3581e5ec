/* Suite: `suites:`, programs that run many benchmarks each. */
#ifndef PE_CONFIGS_SUITE_H
#define PE_CONFIGS_SUITE_H

#include "configs/read.h"
#include "core/model/suite.h"

/** Read `suites:`, after `profile:`: a mapping of names to bodies; a text is short for a body with that command. */
int pe_suites_read(struct pe_reader *reader, const struct pe_yaml *node, void *config);

/** Whether a word of a suite's command line only sets the duration or repetitions of measuring. */
bool pe_suite_only_precise(const char *word);

#endif
