/* Catch2's XML from arbitrary bytes. */
#include "suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return read_any(PE_SUITE_CATCH2, data, size);
}
