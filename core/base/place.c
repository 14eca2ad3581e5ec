#include "core/base/place.h"

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

int pe_place_find(struct pe_text *out, const char *name, const char *env, const char *const *dirs,
		  struct pe_err *err)
{
	const char *given = getenv(env);
	struct pe_text tried = PE_TEXT_INIT;
	char base[PATH_MAX];
	int rc;

	pe_text_clear(out);
	if (given != NULL && *given != '\0') {
		pe_text_add(out, given);
		if (access(given, R_OK) == 0)
			return PE_OK;
		return pe_fail(err, PE_ENOTFOUND, "%s is not there: %s says %s", name, env, given);
	}
	program_dir(base, sizeof(base));
	for (size_t i = 0; dirs[i] != NULL; i++) {
		pe_text_clear(out);
		pe_text_addf(out, "%s/%s/%s", base, dirs[i], name);
		if (access(pe_text_str(out), R_OK) == 0) {
			pe_text_release(&tried);
			return PE_OK;
		}
		pe_text_addf(&tried, "%s%s", i > 0 ? ", " : "", pe_text_str(out));
	}
	rc = pe_fail(err, PE_ENOTFOUND, "%s is not there; looked at %s (set %s to its place)", name,
		     pe_text_str(&tried), env);
	pe_text_release(&tried);
	return rc;
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
