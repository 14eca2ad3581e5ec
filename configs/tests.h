/* Tests: the `tests:` mapping of the config. */
#ifndef PE_CONFIGS_TESTS_H
#define PE_CONFIGS_TESTS_H

#include "configs/config.h"
#include "configs/read.h"

/** Read `tests:` over its defaults; the field is a struct pe_tests. */
int pe_tests_read(struct pe_reader *reader, const struct pe_yaml *node, void *field);

#endif
