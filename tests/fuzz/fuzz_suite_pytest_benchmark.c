/* Pytest-benchmark's JSON from arbitrary bytes. */
#include "suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return read_any(PE_SUITE_PYTEST_BENCHMARK, data, size);
}
