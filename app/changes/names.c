/* Names: what a linkage name is called in the source (Itanium C++ ABI, 5.1.3; those of Rust as analysis/symbols/names.h has them). */
#include "app/changes/cross.h"

#include "analysis/symbols/names.h"

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

/* --- Rust --- */

static bool is_legacy_rust(const char *linkage)
{
	const char *hash = strstr(linkage, "17h");

	while (hash != NULL && !is_rust_hash(hash + 2, 17))
		hash = strstr(hash + 1, "17h");
	return strncmp(linkage, "_ZN", 3) == 0 && hash != NULL;
}

const char *pe_source_rust(const char *linkage, struct pe_arena *arena)
{
	pe_auto_text name = PE_TEXT_INIT, signature = PE_TEXT_INIT;

	if (strncmp(linkage, "_R", 2) != 0 && !is_legacy_rust(linkage))
		return NULL;
	pe_names_split(&name, &signature, linkage);
	if (name.len == 0 || strcmp(name.data, linkage) == 0)
		return NULL;
	return pe_arena_strdup(arena, name.data);
}

/* The last name of a path, without closures in it: "weigh" of "tool::parse::<T as Weigh>::weigh::{closure#0}". */
static const char *last_of_path(const char *path, struct pe_arena *arena)
{
	const char *end = path + strlen(path);

	for (const char *part = end; part > path; part--) {
		if (part - path < 2 || memcmp(part - 2, "::", 2) != 0)
			continue;
		if (*part != '{')
			return pe_arena_strndup(arena, part, (size_t)(end - part));
		end = part - 2;
	}
	return pe_arena_strndup(arena, path, (size_t)(end - path));
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word, size_t n)
{
	for (const char *at = text; *at != '\0'; at++)
		if ((at == text || !is_word(at[-1])) && strncmp(at, word, n) == 0 &&
		    !is_word(at[n]))
			return true;
	return false;
}

/* Each word of one among those of the other. */
static bool has_words(const char *text, const char *words)
{
	while (*words != '\0') {
		size_t n = 0;

		while (is_word(words[n]))
			n++;
		if (n > 0 && !has_word(text, words, n))
			return false;
		words += n > 0 ? n : 1;
	}
	return true;
}

bool pe_source_rust_is_standard(const char *path)
{
	/* What comes with the compiler, and is compiled with each program. */
	static const char *const crates[] = {"std", "core", "alloc", "hashbrown"};
	const char *at = path + strspn(path, "<&*");
	size_t n = 0;

	while (is_word(at[n]))
		n++;
	for (size_t i = 0; i < sizeof(crates) / sizeof(*crates); i++)
		if (n == strlen(crates[i]) && memcmp(at, crates[i], n) == 0)
			return true;
	return false;
}

bool pe_source_rust_is(const char *path, const struct pe_method *method)
{
	const char *stem = pe_path_name(method->component);
	const size_t n = strcspn(stem, ".");

	/* Modules are named by their files, but for these. */
	return (n == 0 || strncmp(stem, "main.", 5) == 0 || strncmp(stem, "lib.", 4) == 0 ||
		strncmp(stem, "mod.", 4) == 0 || has_word(path, stem, n)) &&
	       has_words(path, method->name);
}

const char *pe_source_name(const char *linkage, struct pe_arena *arena)
{
	size_t n = strcspn(linkage, ".");
	const char *rust = strncmp(linkage, "_R", 2) == 0 ? pe_source_rust(linkage, arena) : NULL;

	if (rust != NULL)
		return last_of_path(rust, arena);
	if (strncmp(linkage, "_Z", 2) == 0)
		return last_identifier(linkage + 2, arena);
	return n > 0 ? pe_arena_strndup(arena, linkage, n) : linkage;
}
