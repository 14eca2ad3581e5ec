#define _GNU_SOURCE /* strcasestr(3) */
#include "core/exec/advice.h"

#include "core/exec/env.h"
#include "core/exec/sandbox.h"

#include <stdlib.h>
#include <string.h>
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

static bool has_no_network(const struct pe_advice_about *about)
{
	return about->sandbox != NULL && !pe_sandbox_has_network(about->sandbox);
}

static bool has_network(const struct pe_advice_about *about)
{
	return !has_no_network(about);
}

static bool has_no_proxy(const struct pe_advice_about *about)
{
	static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "http_proxy",
					    "all_proxy"};

	for (size_t i = 0; about->pass_env != NULL && i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]) != NULL && !pe_env_inherits(names[i], about->pass_env))
			return true;
	return false;
}

static bool is_confined(const struct pe_advice_about *about)
{
	return about->sandbox != NULL && !about->sandbox->by_landlock;
}

static bool is_build(const struct pe_advice_about *about)
{
	return about->pass_env != NULL;
}

static bool is_bounded(const struct pe_advice_about *about)
{
	return about->limits != NULL && about->limits->memory_at != NULL;
}

/* As the C library, curl, Node and Go put it. */
#define NO_NETWORK                                                                                 \
	{                                                                                          \
		"resolve host", "Network is unreachable", "name resolution", "getaddrinfo",        \
			"ENETUNREACH", "no such host"                                              \
	}

static const struct {
	bool (*applies)(const struct pe_advice_about *about);
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

const char *pe_advice_of(const char *log, const struct pe_advice_about *about,
			 struct pe_arena *arena)
{
	const char *out = about->sandbox != NULL ? of_path(log, about->sandbox, arena) : "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].applies(about) && has_words(log, rows[i].words))
			out = pe_arena_printf(arena, "%s%s", out, rows[i].advice);
	return out;
}
