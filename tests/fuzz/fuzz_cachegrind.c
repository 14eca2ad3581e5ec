/* Records of cachegrind from arbitrary bytes: the functions add up to what was said, or there are none. */
#define _GNU_SOURCE
#include "core/exec/simulate_functions.h"
#include "tests/fuzz/require.h"

#include <sys/mman.h>
#include <unistd.h>

static void read_record(struct pe_simulated_functions *functions, const uint8_t *data, size_t size,
			uint64_t total)
{
	int fd = memfd_create("record", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0,
		"memory");
	pe_simulated_functions_read(functions, fd, total);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pe_simulated_functions functions = {0};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_function_counts taken;
	uint64_t total = size > 0 ? data[0] : 0, sum = 0;

	if (size > 0)
		read_record(&functions, data + 1, size - 1, total);
	taken = pe_simulated_functions_take(&functions, &arena);
	for (size_t i = 0; i < taken.n; i++)
		sum += taken.at[i].instructions;
	require(functions.lost ? taken.n == 0 : sum == total, "functions add up");
	pe_simulated_functions_release(&functions);
	return 0;
}
