/* speedscope's format from arbitrary bytes. */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return import_any("speedscope", data, size);
}
