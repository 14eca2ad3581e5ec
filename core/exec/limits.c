#include "core/exec/limits.h"

#include <errno.h>
#include <stdlib.h>

int pe_limits_enter(struct pe_launcher *launcher, const struct pe_limits *limits, bool confined,
		    const char **lacks, struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_wire_limit wanted = {
		.memory_bytes = limits->memory_bytes,
		.disk_bytes = limits->disk_bytes,
		.processes = limits->processes,
		.flags = limits->memory_at == NULL ? PE_LIMIT_MEMORY_BY_GROUP : 0,
	};
	struct pe_wire_limited kept;

	*lacks = NULL;
	if (limits->memory_bytes == 0 && limits->processes == 0 && limits->disk_bytes == 0)
		return PE_OK;
	PE_TRY(pe_launcher_limit(&kept, launcher, &wanted, getenv("PERFEVO_CGROUP"), err));
	if (limits->memory_at != NULL && kept.memory_by_group == 0)
		*lacks = pe_arena_printf(
			arena,
			"%s: 'memory' bounds each process by itself here, not all of a run together: %s",
			limits->memory_at, kept.what);
	else if (limits->processes_at != NULL && kept.processes_by_group == 0 && !confined)
		*lacks = pe_arena_printf(arena,
					 "%s: 'processes' is not kept here without a sandbox: %s",
					 limits->processes_at, kept.what);
	return PE_OK;
}

bool pe_limits_ended(const struct pe_proc_result *result)
{
	return result->end == PE_PROC_MEMORY_FULL || result->processes_full ||
	       (result->end == PE_PROC_DISK_FULL && result->status != ENOSPC);
}

const char *pe_limits_explain(const struct pe_limits *limits, const struct pe_proc_result *result,
			      struct pe_arena *arena)
{
	unsigned long long mib;

	if (limits == NULL)
		return "";
	if (result->end == PE_PROC_DISK_FULL && result->status != ENOSPC)
		return pe_arena_printf(
			arena,
			"its tree holds more than %llu MiB or more files than any: 'disk:' in the config sets another bound\n",
			(unsigned long long)(limits->disk_bytes >> 20));
	mib = (limits->memory_bytes + (UINT64_C(1) << 20) - 1) >> 20;
	if (result->end == PE_PROC_MEMORY_FULL && limits->memory_at != NULL)
		return pe_arena_printf(
			arena,
			"its processes took more than the %llu MiB of 'limits: memory' (%s)\n", mib,
			limits->memory_at);
	if (result->end == PE_PROC_MEMORY_FULL)
		return pe_arena_printf(
			arena,
			"its processes took more than %llu MiB, seven eighths of this machine's memory: 'limits: {memory: ...}' in the config sets another bound\n",
			mib);
	if (result->processes_full)
		return pe_arena_printf(
			arena,
			"it was refused more than the %u processes and threads of 'limits: processes' (%s)\n",
			limits->processes,
			limits->processes_at != NULL ? limits->processes_at
						     : "the default of 'sandbox: require'");
	return "";
}
