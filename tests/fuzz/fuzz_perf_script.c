/* The output of perf script from arbitrary bytes. */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return import_any("perf-script", data, size);
}
