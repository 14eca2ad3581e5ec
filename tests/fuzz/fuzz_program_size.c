/* The beginning of a program that a build left. */
#include "core/exec/program_size.h"
#include "require.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pe_program_size found;
	char *bytes = malloc(size + (size == 0)); /* its own, so that a read past the end is seen */

	if (bytes == NULL)
		return 0;
	if (size != 0)
		memcpy(bytes, data, size);
	if (pe_program_size_parse(&found, bytes, size))
		require(found.text_bytes > 0, "what has a size has code");
	free(bytes);
	return 0;
}
