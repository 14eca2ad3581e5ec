/* Units of libraries and programs, and their base units. */
#include "suites/suite_internal.h"

#include <string.h>

static const struct {
	const char *name;
	double factor;
} times[] =
	{
		{"ns", 1},
		{"us", 1e3},
		{"\xc2\xb5s", 1e3},
		{"\xce\xbcs", 1e3},
		{"ms", 1e6},
		{"s", 1e9},
		{"sec", 1e9},
		{"ps", 1e-3},
		{"fs", 1e-6},
		{"min", 60e9},
		{"h", 3600e9},
		{"nanosecond", 1},
		{"microsecond", 1e3},
		{"millisecond", 1e6},
		{"second", 1e9},
		{"nanoseconds", 1},
		{"microseconds", 1e3},
		{"milliseconds", 1e6},
		{"seconds", 1e9},
},
  sizes[] = {
	  {"bytes", 1}, {"byte", 1}, {"B", 1},        {"KB", 1e3},     {"kB", 1e3},
	  {"MB", 1e6},  {"GB", 1e9}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
};

double pe_suite_time_unit(const char *unit)
{
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (strcmp(times[i].name, unit) == 0)
			return times[i].factor;
	return 0;
}

double pe_suite_size_unit(const char *unit)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strcmp(sizes[i].name, unit) == 0)
			return sizes[i].factor;
	return 0;
}

double pe_suite_base_unit(const char **unit)
{
	double time = pe_suite_time_unit(*unit), size = pe_suite_size_unit(*unit);

	if (time != 0)
		*unit = "ns";
	else if (size != 0)
		*unit = "bytes";
	else if (**unit == '\0')
		*unit = "1";
	return time != 0 ? time : size != 0 ? size : 1;
}

/* Match "MB/s", "ops/ms", "items_per_second". */
bool pe_suite_is_rate(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t n = strlen(name), k = strlen("_per_second");

	return (slash != NULL && pe_suite_time_unit(slash + 1) != 0) ||
	       (n > k && strcmp(name + n - k, "_per_second") == 0);
}
