#include "core/exec/limits.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

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

/* --- What the machine and the cgroup have --- */

/* A file of this cgroup, by the last line of /proc/self/cgroup that has a path of the one hierarchy: "0::/user.slice". */
static bool read_cgroup(struct pe_text *out, const char *file)
{
	pe_auto_text path = PE_TEXT_INIT, groups = PE_TEXT_INIT;
	const char *line;

	if (pe_text_read_file(&groups, "/proc/self/cgroup", NULL) != PE_OK)
		return false;
	line = strncmp(pe_text_str(&groups), "0::", 3) == 0 ? pe_text_str(&groups)
							    : strstr(pe_text_str(&groups), "\n0::");
	if (line == NULL)
		return false;
	line += *line == '\n' ? 4 : 3;
	pe_text_add(&path, "/sys/fs/cgroup");
	pe_text_addn(&path, line, strcspn(line, "\n"));
	pe_text_addf(&path, "/%s", file);
	return pe_text_read_file(out, path.data, NULL) == PE_OK;
}

/* A number behind a word at the begin of a line; 0: there is none. */
static uint64_t number_of(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
		if (at == text || at[-1] == '\n')
			return strtoull(at + n, NULL, 10);
	return 0;
}

uint64_t pe_oom_kills(void)
{
	pe_auto_text events = PE_TEXT_INIT;

	return read_cgroup(&events, "memory.events") ? number_of(events.data, "oom_kill ") : 0;
}

/* What files take that were not used lately is given back before anything ends. */
static uint64_t cgroup_available(void)
{
	pe_auto_text most = PE_TEXT_INIT, now = PE_TEXT_INIT, stat = PE_TEXT_INIT;
	uint64_t limit, used;

	if (!read_cgroup(&most, "memory.max") || !read_cgroup(&now, "memory.current") ||
	    !read_cgroup(&stat, "memory.stat") || most.data[0] == 'm')
		return UINT64_MAX;
	limit = strtoull(most.data, NULL, 10);
	used = strtoull(now.data, NULL, 10);
	used -= number_of(stat.data, "inactive_file ") < used
			? number_of(stat.data, "inactive_file ")
			: used;
	return limit > used ? limit - used : 0;
}

uint64_t pe_memory_available(void)
{
	pe_auto_text info = PE_TEXT_INIT;
	uint64_t machine = UINT64_MAX, group = cgroup_available();

	if (pe_text_read_file(&info, "/proc/meminfo", NULL) == PE_OK)
		machine = number_of(pe_text_str(&info), "MemAvailable:") * 1024;
	return machine < group ? machine : group;
}
