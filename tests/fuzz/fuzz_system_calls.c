/* Logs of valgrind from arbitrary bytes: the calls are a list as it is stored, or there are none. */
#define _GNU_SOURCE
#include "core/exec/simulate_calls.h"
#include "tests/fuzz/require.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pe_simulated_calls calls;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_system_calls taken, again;
	const char *lines, *problem;
	int fd = memfd_create("log", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0,
		"memory");
	memset(&calls, 0, sizeof(calls));
	problem = pe_simulated_calls_read(&calls, fd, &arena);
	close(fd);
	require(problem == NULL || strlen(problem) <= 200, "a line is short");
	taken = pe_simulated_calls_take(&calls, &arena);
	require(pe_system_calls_total(&taken) <= size, "each call has a line");
	lines = pe_system_calls_pack(&taken, &arena);
	require(pe_system_calls_unpack(&again, lines, &arena) && again.n == taken.n,
		"what is packed is unpacked");
	return 0;
}
