#include "core/base/place.h"

#include "core/base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory of the running program, without a trailing slash; "." without /proc. */
static void program_dir(char *dir, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (slash == NULL)
		memcpy(dir, ".", sizeof("."));
	else
		*slash = '\0';
}

const char *pe_place_find(const char *name, const char *env, const char *const *dirs,
			  struct pe_arena *arena, struct pe_err *err)
{
	const char *given = getenv(env);
	pe_auto_text tried = PE_TEXT_INIT;
	char base[PATH_MAX];

	if (given != NULL && *given != '\0') {
		if (access(given, R_OK) == 0)
			return pe_arena_strdup(arena, given);
		pe_fail(err, PE_ENOTFOUND, "%s is not there: %s says %s", name, env, given);
		return NULL;
	}
	program_dir(base, sizeof(base));
	for (size_t i = 0; dirs[i] != NULL; i++) {
		const char *path = pe_arena_printf(arena, "%s/%s/%s", base, dirs[i], name);

		if (access(path, R_OK) == 0)
			return path;
		pe_text_addf(&tried, "%s%s", i > 0 ? ", " : "", path);
	}
	pe_fail(err, PE_ENOTFOUND, "%s is not there; looked at %s (set %s to its place)", name,
		pe_text_str(&tried), env);
	return NULL;
}

const char *pe_place_on_path(const char *name, struct pe_arena *arena)
{
	const char *at = getenv("PATH");

	while (at != NULL && *at != '\0') {
		size_t n = strcspn(at, ":");
		const char *path = pe_arena_printf(arena, "%.*s/%s", (int)n, at, name);

		if (n > 0 && at[0] == '/' && access(path, X_OK) == 0)
			return path;
		at += n + (at[n] == ':');
	}
	return NULL;
}
