/* V8's CPU profiles from arbitrary bytes. */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return import_any("cpuprofile", data, size);
}
