/* Profiles of any format, told by content, compressed or not, from arbitrary bytes. */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return import_any(NULL, data, size);
}
