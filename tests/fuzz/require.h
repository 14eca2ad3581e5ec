/* What every target has: its entry, and a promise that ends it when it is broken. */
#pragma once

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
