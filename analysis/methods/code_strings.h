/* Strings among the constants of a program; inside this room alone. */
#ifndef PE_METHODS_CODE_STRINGS_H
#define PE_METHODS_CODE_STRINGS_H

#include <stdint.h>

/** Length of the string, UTF-8 without control characters, at the start of n bytes, with its terminator; 0: none. */
uint64_t pe_code_string_length(const unsigned char *bytes, uint64_t n);

#endif
