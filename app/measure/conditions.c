#include "app/measure/conditions.h"

#include <string.h>

size_t pe_conditions_advise(const char *out[PE_CONDITIONS_ADVICE],
			    const struct pe_conditions *conditions,
			    const struct pe_machine *machine, bool counts, struct pe_arena *arena)
{
	const char *governor = conditions->governor;
	size_t n = 0;

	if (strcmp(governor, "unknown") != 0 && strcmp(governor, "performance") != 0)
		out[n++] = pe_arena_printf(
			arena,
			"the scaling governor is '%s': 'cpupower frequency-set -g performance' keeps the clock steady",
			governor);
	if (strcmp(conditions->turbo, "on") == 0)
		out[n++] =
			"turbo is on: the clock follows heat and load; switch it off for less noise";
	if (conditions->load / machine->cores > 0.5)
		out[n++] = pe_arena_printf(
			arena,
			"load by others: %.1f processes were running on %u cores in the last minute",
			conditions->load, machine->cores);
	if (!counts)
		out[n++] =
			"this machine does not count instructions (no hardware counters, or kernel.perf_event_paranoid above 2): changes are detected in times and allocations alone; with valgrind installed, it counts them";
	return n;
}
