#include "core/base/clock.h"

#include <stdlib.h>
#include <time.h>

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

int64_t pe_clock_now_s(void)
{
	const char *fixed = getenv("PERFEVO_NOW");

	return fixed != NULL && *fixed != '\0' ? strtoll(fixed, NULL, 10) : (int64_t)time(NULL);
}
