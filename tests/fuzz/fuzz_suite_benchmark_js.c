/* Text of benchmark.js from arbitrary bytes. */
#include "suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return read_any(PE_SUITE_BENCHMARK_JS, data, size);
}
