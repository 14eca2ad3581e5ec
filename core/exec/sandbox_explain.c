/* The sandbox's obstacles in a command's output, and the line of the config that would remove them. */
#define _GNU_SOURCE /* strcasestr(3) */

#include "core/exec/sandbox.h"

#include <string.h>
#include <unistd.h>

/* The absolute path that ends before a colon or quote in front of the system's words. */
static const char *path_before(const char *line, const char *words, struct pe_arena *arena)
{
	const char *end = words, *at;

	while (end > line && strchr(": '\"`\xe2\x80\x98\x99([)]", end[-1]) != NULL)
		end--;
	for (at = end; at > line && strchr(" \t'\"`(=\x98[", at[-1]) == NULL;)
		at--;
	return end > at && *at == '/' ? pe_arena_strndup(arena, at, (size_t)(end - at)) : NULL;
}

/* The first absolute path of a line, from a place in it on; `quoted`: only if it is. */
static const char *path_after(const char *at, bool quoted, struct pe_arena *arena)
{
	static const char quotes[] = "'\"`";

	for (; *at != '\0' && *at != '\n'; at++)
		if (at[1] == '/' && at[2] != '/' &&
		    strchr(quoted ? quotes : " '\"`(=/", *at) != NULL)
			return pe_arena_strndup(arena, at + 1, strcspn(at + 1, " '\"`),:\n"));
	return NULL;
}

static const char *line_of(const char *log, const char *at)
{
	while (at > log && at[-1] != '\n')
		at--;
	return at;
}

/* Layered tools print the reason some lines below the failed path. */
static const char *path_above(const char *log, const char *line, struct pe_arena *arena)
{
	enum { MOST_LINES = 3 };
	const char *path = NULL;

	for (unsigned i = 0; i < MOST_LINES && path == NULL && line > log; i++) {
		line = line_of(log, line - 1);
		path = path_after(line, true, arena);
	}
	return path;
}

/* The path that is meant by the system's words: "sh: PATH: WORDS", "WORDS: 'PATH'", "WORDS, open 'PATH'". */
static const char *find_path(const char *log, const char *words, struct pe_arena *arena)
{
	for (const char *at = strcasestr(log, words); at != NULL; at = strcasestr(at + 1, words)) {
		const char *line = line_of(log, at);
		const char *path = path_before(line, at, arena);

		if (path == NULL)
			path = path_after(at + strlen(words), false, arena);
		if (path == NULL)
			path = path_above(log, line, arena);
		if (path != NULL)
			return path;
	}
	return NULL;
}

/* A path that the machine has and commands do not. */
static const char *find_missing(const struct pe_sandbox *sandbox, const char *log,
				struct pe_arena *arena)
{
	static const char *const sayings[] = {"No such file or directory", "not found",
					      "Cannot connect to the Docker daemon at unix"};

	for (size_t i = 0; i < sizeof(sayings) / sizeof(*sayings); i++) {
		const char *path = find_path(log, sayings[i], arena);

		if (path == NULL)
			continue;
		path = pe_arena_strndup(arena, path,
					strlen(path) - (path[strlen(path) - 1] == '.'));
		if (access(path, F_OK) == 0 &&
		    (sandbox->mode == PE_SANDBOX_REQUIRE || pe_sandbox_auto_keeps(path)))
			return path;
	}
	return NULL;
}

/* Landlock denies what the user himself may do. */
static const char *explain_denied(const struct pe_sandbox *sandbox, const char *log,
				  struct pe_arena *arena)
{
	const char *path = find_path(log, "Permission denied", arena);

	if (path != NULL && access(path, F_OK) == 0)
		return pe_arena_printf(
			arena,
			"the sandbox does not give %s: 'sandbox: {read: [%s]}' would, or 'write:' to write to it\n",
			path, path);
	if (path != NULL)
		return pe_arena_printf(
			arena, "the sandbox does not give %s: 'sandbox: {write: [%s]}' would\n",
			path, path);
	return !pe_sandbox_has_network(sandbox) && strstr(log, "Permission denied") != NULL
		       ? "the sandbox gives no network: put the step under 'build: {prepare: ...}', or say 'sandbox: {network: true}'\n"
		       : "";
}

/* As the C library, curl, Node and Go put it. */
bool pe_sandbox_missed_network(const char *log)
{
	static const char *const sayings[] = {"Could not resolve host",
					      "Network is unreachable",
					      "Temporary failure in name resolution",
					      "getaddrinfo EAI_AGAIN",
					      "getaddrinfo ENOTFOUND",
					      "connect ENETUNREACH",
					      "no such host"};
	bool wants = false;

	for (size_t i = 0; !wants && i < sizeof(sayings) / sizeof(*sayings); i++)
		wants = strcasestr(log, sayings[i]) != NULL;
	return wants;
}

static const char *explain_network(const struct pe_sandbox *sandbox, const char *log)
{
	if (!pe_sandbox_missed_network(log))
		return "";
	return sandbox != NULL && !pe_sandbox_has_network(sandbox)
		       ? "the sandbox gives no network: put the step under 'build: {prepare: ...}', or say 'sandbox: {network: true}'\n"
		       : "the network was not reached: a folder that was downloaded into before is given to every commit by 'overlay: [FOLDER]'\n";
}

const char *pe_sandbox_explain(const struct pe_sandbox *sandbox, const char *log,
			       struct pe_arena *arena)
{
	const char *path, *key = "write";

	if (sandbox == NULL)
		return explain_network(NULL, log);
	if (sandbox->by_landlock)
		return explain_denied(sandbox, log, arena);
	path = find_path(log, "Read-only file system", arena);
	if (path == NULL) {
		key = "read";
		path = find_missing(sandbox, log, arena);
	}
	if (path != NULL)
		return pe_arena_printf(
			arena, "the sandbox does not give %s: 'sandbox: {%s: [%s]}' would\n", path,
			key, path);
	if (strstr(log, "Permission denied (publickey") != NULL)
		return "the sandbox hides keys: 'sandbox: {read: [~/.ssh]}' would give them, to all commands\n";
	return explain_network(sandbox, log);
}
