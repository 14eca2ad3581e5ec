/* Nearest: what a person meant who misspelt a word. */
#pragma once

#include <stddef.h>

/** Find the candidate nearest to a word by edit distance, near enough to be meant; NULL: none. */
const char *pe_nearest(const char *word, const char *const *candidates, size_t n);
