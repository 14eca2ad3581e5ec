/* What the launcher is asked: a payload that says it holds strings, and may not. */
#include "probe/launcher/request.h"
#include "require.h"

#include <stdlib.h>
#include <string.h>

static size_t strings(char *const *at, uint32_t n)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		require(at[i] != NULL, "as many strings as it says");
		bytes += strlen(at[i]);
	}
	require(at[n] == NULL, "the list ends");
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pe_request request;
	char *bytes = malloc(size + (size == 0)); /* its own, so that a read past the end is seen */

	if (bytes == NULL)
		return 0;
	if (size != 0)
		memcpy(bytes, data, size);
	if (pe_request_parse(&request, bytes, (uint32_t)size)) {
		size_t all = strlen(request.cwd) + strlen(request.input) +
			     strings(request.argv, request.run.argc) +
			     strings(request.env, request.run.envc);

		for (int i = 0; i < PE_WIRE_PLACES; i++)
			all += strlen(request.places[i]);
		require(all < size, "strings lie in the payload");
	}
	pe_request_release(&request);
	return 0;
}
