#define _GNU_SOURCE /* strcasestr(3) */
#include "core/exec/failure.h"

#include "core/exec/env.h"
#include "core/exec/limits.h"
#include "core/exec/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* --- Paths that the sandbox does not give --- */

/* The absolute path that begins at a place of a line; NULL: none does. */
static const char *path_at(const char *line, const char *at, struct pe_arena *arena)
{
	size_t n = strcspn(at, " \t'\"`),:]\xe2\n");

	if (*at != '/' || n < 2 || (at > line && strchr(" \t'\"`(=[:\x98", at[-1]) == NULL))
		return NULL;
	return pe_arena_strndup(arena, at, n);
}

/* The path of a message of the system: the last one before its words, else the first one behind them, on their line. */
static const char *path_near(const char *log, const char *words, struct pe_arena *arena)
{
	const char *found = NULL;

	for (const char *at = strcasestr(log, words); at != NULL && found == NULL;
	     at = strcasestr(at + 1, words)) {
		const char *line = at, *end = at + strcspn(at, "\n");

		while (line > log && line[-1] != '\n')
			line--;
		for (const char *before = at; before > line && found == NULL; before--)
			found = path_at(line, before - 1, arena);
		for (const char *behind = at; behind < end && found == NULL; behind++)
			found = path_at(line, behind, arena);
	}
	return found;
}

/* The system's words for a path that a command could not use, and the key of the config that gives it. */
static const struct {
	const char *words, *key;
	bool by_landlock; /* said below landlock, which lets a command see the path; else in namespaces */
} obstacles[] = {
	{"Read-only file system", "write", false},
	{"No such file or directory", "read", false},
	{"not found", "read", false},
	{"Permission denied", "write", true},
};

/* Whether a path that is missing in the sandbox is one that the machine has. */
static bool is_hidden(const struct pe_sandbox *sandbox, const char *path)
{
	return access(path, F_OK) == 0 &&
	       (sandbox->mode == PE_SANDBOX_REQUIRE || pe_sandbox_auto_keeps(path));
}

static const char *of_path(const char *log, const struct pe_sandbox *sandbox,
			   struct pe_arena *arena)
{
	for (size_t i = 0; i < sizeof(obstacles) / sizeof(*obstacles); i++) {
		const char *key = obstacles[i].key, *path;

		if (obstacles[i].by_landlock != sandbox->by_landlock)
			continue;
		path = path_near(log, obstacles[i].words, arena);
		if (path != NULL && (*key == 'w' || is_hidden(sandbox, path)))
			return pe_arena_printf(
				arena,
				"the sandbox does not give %s: 'sandbox: {%s: [%s]}' would\n", path,
				key, path);
	}
	return "";
}

/* --- All else, by words alone --- */

static bool has_no_network(const struct pe_failure_site *site)
{
	return site->sandbox != NULL && !pe_sandbox_has_network(site->sandbox);
}

static bool has_network(const struct pe_failure_site *site)
{
	return !has_no_network(site);
}

static bool has_no_proxy(const struct pe_failure_site *site)
{
	static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "http_proxy",
					    "all_proxy"};

	for (size_t i = 0; site->pass_env != NULL && i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]) != NULL && !pe_env_inherits(names[i], site->pass_env))
			return true;
	return false;
}

static bool is_confined(const struct pe_failure_site *site)
{
	return site->sandbox != NULL && !site->sandbox->by_landlock;
}

static bool is_build(const struct pe_failure_site *site)
{
	return site->pass_env != NULL;
}

static bool is_bounded(const struct pe_failure_site *site)
{
	return site->limits != NULL && site->limits->memory_at != NULL;
}

/* As the C library, curl, Node and Go put it. */
#define NO_NETWORK                                                                                 \
	{                                                                                          \
		"resolve host", "Network is unreachable", "name resolution", "getaddrinfo",        \
			"ENETUNREACH", "no such host"                                              \
	}

static const struct {
	bool (*applies)(const struct pe_failure_site *site);
	const char *advice;
	const char *words[7];
} rows[] = {
	{has_no_network,
	 "the sandbox gives no network: put the step under 'build: {prepare: ...}', or say 'sandbox: {network: true}'\n",
	 NO_NETWORK},
	{has_network,
	 "the network was not reached: a folder that was downloaded into before is given to every commit by 'overlay: [FOLDER]'\n",
	 NO_NETWORK},
	{has_no_proxy,
	 "[your environment names a proxy, and builds do not inherit it: 'pass-env: [https_proxy, http_proxy]' in 'build:' lets them]\n",
	 NO_NETWORK},
	{is_confined,
	 "the sandbox hides keys: 'sandbox: {read: [~/.ssh]}' would give them, to all commands\n",
	 {"Permission denied (publickey"}},
	{is_build,
	 "[the trees of commits have no .git: docs/config.md (Versions from git) says how builds get a version]\n",
	 {"not a git repository", "setuptools-scm was unable"}},
	{is_bounded,
	 "'limits: memory' bounds each of its processes: a larger one in the config gives more\n",
	 {"Cannot allocate memory", "bad_alloc", "MemoryError", "out of memory"}},
};

static bool has_words(const char *log, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcasestr(log, *words) != NULL)
			return true;
	return false;
}

const char *pe_failure_advice(const char *log, const struct pe_failure_site *site,
			      struct pe_arena *arena)
{
	const char *out = site->sandbox != NULL ? of_path(log, site->sandbox, arena) : "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].applies(site) && has_words(log, rows[i].words))
			out = pe_arena_printf(arena, "%s%s", out, rows[i].advice);
	return out;
}

/* --- Limits of the config --- */

/* Whether a command failed for its limits: then it is a fact about the commit, and not the machine's fault. */
static bool is_ended_by_limits(const struct pe_proc_result *result)
{
	return result->end == PE_PROC_MEMORY_FULL || result->processes_full ||
	       (result->end == PE_PROC_DISK_FULL && result->status != ENOSPC);
}

/* Which limit ended a command, and where the config sets it: a line; "": none. */
static const char *explain_limits(const struct pe_limits *limits,
				  const struct pe_proc_result *result, struct pe_arena *arena)
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

/* --- What the machine lacks --- */

enum { PERCENT_FREE = 1 };

static const uint64_t SCARCE_BYTES = 1u << 30;

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

/* What perfevo ended itself is no fault of the machine's. */
static bool may_be_a_fault(enum pe_outcome outcome, const struct pe_proc_result *result)
{
	return outcome != PE_MEASURED && outcome != PE_TIMED_OUT && outcome != PE_OUTPUT_FULL &&
	       outcome != PE_BUILD_TIMED_OUT && !is_ended_by_limits(result);
}

static const char *find_fault(const struct pe_proc_result *result, const char *log,
			      const struct pe_failure_site *site, struct pe_arena *arena)
{
	const char *const places[] = {
		site->tree, getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp", getenv("HOME")};

	if (pe_oom_kills() > site->oom_kills)
		return "the kernel ended a process for want of memory";
	if (result->end == PE_PROC_DISK_FULL)
		return "next to nothing was left of a disk";
	if (is_killed(result))
		return "it was killed, and not by perfevo: by the kernel for want of memory as a rule";
	for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++)
		if (strstr(log, sayings[i].text) != NULL)
			return sayings[i].fault;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (is_scarce(places[i]))
			return pe_arena_printf(arena, "less than %d %% is free in %s", PERCENT_FREE,
					       places[i]);
	return NULL;
}

const char *pe_failure_log(enum pe_outcome *outcome, const char *output, const char *command,
			   const struct pe_proc_result *result, const struct pe_failure_site *site,
			   struct pe_arena *arena)
{
	char words[128];
	const char *log = pe_arena_printf(arena, "%s$ %s\n[%s]\n%s%s", output, command,
					  pe_proc_describe(result, words, sizeof(words)),
					  explain_limits(site->limits, result, arena),
					  pe_failure_advice(output, site, arena));
	const char *fault =
		may_be_a_fault(*outcome, result) ? find_fault(result, log, site, arena) : NULL;

	if (fault == NULL)
		return log;
	*outcome = PE_INCONCLUSIVE;
	return pe_arena_printf(
		arena,
		"%s[inconclusive: %s, which is no fact about the commit; it is tried again twice, by the next 'perfevo track']\n",
		log, fault);
}
