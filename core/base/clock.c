#define _GNU_SOURCE /* CLOCK_REALTIME_COARSE */
#include "core/base/clock.h"

#include "core/base/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t pe_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t pe_clock_file_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t pe_clock_stamp_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t pe_clock_now_s(void)
{
	const char *fixed = getenv("PERFEVO_NOW");

	return fixed != NULL && *fixed != '\0' ? strtoll(fixed, NULL, 10) : (int64_t)time(NULL);
}

void pe_clock_boot(char out[PE_BOOT_ID])
{
	pe_auto_fd fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, PE_BOOT_ID - 1) : -1;

	out[n > 0 ? n : 0] = '\0';
	if (n != PE_BOOT_ID - 1 || strspn(out, "0123456789abcdef-") != PE_BOOT_ID - 1)
		memcpy(out, "-", 2);
}
