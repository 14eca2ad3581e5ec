#include "core/exec/fault.h"

#include "core/base/text.h"
#include "core/exec/limits.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { PERCENT_FREE = 1 };

static const uint64_t SCARCE_BYTES = 1u << 30;

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

static bool is_scarce(const char *path)
{
	struct statvfs info;
	uint64_t free_bytes;

	if (path == NULL || statvfs(path, &info) < 0 || info.f_blocks == 0)
		return false;
	free_bytes = (uint64_t)info.f_bavail * info.f_frsize;
	return free_bytes < SCARCE_BYTES && info.f_bavail < info.f_blocks / (100 / PERCENT_FREE);
}

/* What compilers, linkers and shells print of it. */
static const struct {
	const char *text, *fault;
} sayings[] = {
	{"No space left on device", "its output says that a disk is full"},
	{"Disk quota exceeded", "its output says that a disk quota is used up"},
	{"Killed signal terminated program",
	 "its compiler was killed, for want of memory as a rule"},
	{"virtual memory exhausted", "its output says that memory is used up"},
	{"out of memory allocating", "its output says that memory is used up"},
	{"Cannot allocate memory", "its output says that memory is used up"},
	{"Resource temporarily unavailable", "its output says that no more processes can be had"},
};

/* A shell reports the signal of its last command by its status. */
static bool is_killed(const struct pe_proc_result *result)
{
	return (result->end == PE_PROC_SIGNALED && result->status == SIGKILL) ||
	       (result->end == PE_PROC_EXITED && result->status == 128 + SIGKILL);
}

static const char *find_fault(const struct pe_proc_result *result, const char *log,
			      const char *tree, uint64_t oom_kills, struct pe_arena *arena)
{
	const char *const places[] = {tree, getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp",
				      getenv("HOME")};

	if (pe_oom_kills() > oom_kills)
		return "the kernel ended a process for want of memory";
	if (result->end == PE_PROC_DISK_FULL)
		return "next to nothing was left of a disk";
	if (is_killed(result))
		return "it was killed, and not by perfevo: by the kernel for want of memory as a rule";
	for (size_t i = 0; log != NULL && i < sizeof(sayings) / sizeof(sayings[0]); i++)
		if (strstr(log, sayings[i].text) != NULL)
			return sayings[i].fault;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (is_scarce(places[i]))
			return pe_arena_printf(arena, "less than %d %% is free in %s", PERCENT_FREE,
					       places[i]);
	return NULL;
}

void pe_fault_mark(enum pe_outcome *outcome, const char **log, const struct pe_proc_result *result,
		   const char *tree, uint64_t oom_kills, struct pe_arena *arena)
{
	const char *fault;

	if (*outcome == PE_MEASURED || *outcome == PE_TIMED_OUT || *outcome == PE_OUTPUT_FULL ||
	    *outcome == PE_BUILD_TIMED_OUT || pe_limits_ended(result))
		return;
	fault = find_fault(result, *log, tree, oom_kills, arena);
	if (fault == NULL)
		return;
	*outcome = PE_INCONCLUSIVE;
	*log = pe_arena_printf(
		arena,
		"%s[inconclusive: %s, which is no fact about the commit; it is tried again twice, by the next 'perfevo track']\n",
		*log != NULL ? *log : "", fault);
}
