/* What every target has: its entry, and a promise that ends it when it is broken. */
#ifndef PE_TESTS_FUZZ_REQUIRE_H
#define PE_TESTS_FUZZ_REQUIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken promise: %s\n", what);
	abort();
}

#endif
