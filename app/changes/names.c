/* Names: what a linkage name is called in the source (Itanium C++ ABI, 5.1.3). */
#include "app/changes/cross.h"

#include <ctype.h>
#include <string.h>

/* "3foo": past it, with the identifier's place and length; NULL: damaged. */
static const char *read_identifier(const char *at, const char **name, size_t *n)
{
	*n = 0;
	while (isdigit((unsigned char)*at) && *n < 10000)
		*n = 10 * *n + (size_t)(*at++ - '0');
	if (*n == 0 || strnlen(at, *n) < *n)
		return NULL;
	*name = at;
	return at + *n;
}

/* "S_", "S0_", "St", "T_": past it. */
static const char *skip_substitution(const char *at)
{
	at++;
	if (islower((unsigned char)*at))
		return at + 1;
	while (isdigit((unsigned char)*at) || isupper((unsigned char)*at))
		at++;
	return *at == '_' ? at + 1 : NULL;
}

/* "Ii3barLi5EE", with what it nests: past its E; NULL: something in it is not known here. */
static const char *skip_arguments(const char *at)
{
	size_t depth = 0;

	while (at != NULL && *at != '\0') {
		const char *name;
		size_t n;

		if (isdigit((unsigned char)*at)) {
			at = read_identifier(at, &name, &n);
		} else if (*at == 'S' || *at == 'T') {
			at = skip_substitution(at);
		} else if (*at == 'L') { /* a constant; the address of something has a name in it */
			at = at[1] != '_' ? strchr(at, 'E') : NULL;
			at += at != NULL;
		} else if (*at == 'A') {
			at = strchr(at, '_');
			at += at != NULL;
		} else {
			depth += *at == 'I' || *at == 'N' || *at == 'J' || *at == 'F';
			if (*at == 'X')
				return NULL;
			if (*at++ == 'E' && --depth == 0)
				return at;
		}
	}
	return NULL;
}

/* Rust's older mangling is this ABI's, with a hash as the last name: "h" and 16 hexadecimal digits. */
static bool is_rust_hash(const char *name, size_t n)
{
	return n == 17 && name[0] == 'h' && name[n] == 'E' &&
	       strspn(name + 1, "0123456789abcdef") >= 16;
}

/* The last identifier of a mangled name. */
static const char *last_identifier(const char *at, struct pe_arena *arena)
{
	const char *name = "";
	size_t n = 0;
	bool nested = *at == 'N', destructor = false;

	at += nested;
	at += nested ? strspn(at, "rVKRO") : 0;
	while (at != NULL && *at != '\0' && *at != 'E') {
		if (*at == 'L' && isdigit((unsigned char)at[1])) {
			at++; /* internal linkage */
		} else if (isdigit((unsigned char)*at)) {
			const char *before = name;
			size_t n_before = n;

			at = read_identifier(at, &name, &n);
			if (!nested)
				break;
			if (at != NULL && is_rust_hash(name, n)) {
				name = before;
				n = n_before;
			}
		} else if (*at == 'S' || *at == 'T') {
			at = skip_substitution(at);
		} else if (*at == 'I' && nested) {
			at = skip_arguments(at);
		} else if (*at == 'B') {
			const char *tag;
			size_t length;

			at = read_identifier(at + 1, &tag, &length);
		} else if ((*at == 'C' || *at == 'D') && isdigit((unsigned char)at[1])) {
			destructor = *at == 'D';
			at += 2;
		} else {
			return ""; /* an operator, a lambda, a local name */
		}
	}
	if (at == NULL)
		return "";
	return pe_arena_printf(arena, "%s%.*s", destructor ? "~" : "", (int)n, name);
}

const char *pe_source_name(const char *linkage, struct pe_arena *arena)
{
	size_t n = strcspn(linkage, ".");

	if (strncmp(linkage, "_Z", 2) == 0)
		return last_identifier(linkage + 2, arena);
	return n > 0 ? pe_arena_strndup(arena, linkage, n) : linkage;
}
