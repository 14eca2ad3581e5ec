/* Units of libraries and programs, and their base units. */
#include "suites/suite_internal.h"

#include "core/base/quantity.h"

#include <string.h>

double pe_suite_time_unit(const char *unit)
{
	return pe_unit_ns(unit, strlen(unit));
}

double pe_suite_base_unit(const char **unit)
{
	double time = pe_suite_time_unit(*unit), size = pe_unit_bytes(*unit, strlen(*unit));

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
