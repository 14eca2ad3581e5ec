/* Results of other stores from arbitrary bytes. */
#include "store/exchange/results.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_results results;

	pe_results_read(&results, (const char *)data, size, &arena, &err);
	return 0;
}
