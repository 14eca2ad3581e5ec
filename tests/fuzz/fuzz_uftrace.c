/* The output of uftrace dump from arbitrary bytes. */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return import_any("uftrace", data, size);
}
