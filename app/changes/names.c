/* Names: what a linkage name is called in the source, of which pe_names_split() has the whole. */
#include "app/changes/cross.h"

#include "app/changes/frame_finder.h"
#include "app/changes/sources.h"
#include "analysis/symbols/names.h"

#include <ctype.h>
#include <string.h>

/* Rust's older mangling is that of C++ with a hash as the last name: "h" and 16 hexadecimal digits. */
bool pe_source_is_rust(const char *linkage)
{
	const char *hash = strncmp(linkage, "_ZN", 3) == 0 ? strstr(linkage, "17h") : NULL;

	while (hash != NULL && (strspn(hash + 3, "0123456789abcdef") < 16 || hash[19] != 'E'))
		hash = strstr(hash + 1, "17h");
	return hash != NULL || strncmp(linkage, "_R", 2) == 0;
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

const char *pe_source_name(const char *linkage, struct pe_arena *arena)
{
	pe_auto_text name = PE_TEXT_INIT, signature = PE_TEXT_INIT;
	const char *last;

	pe_names_split(&name, &signature, linkage);
	if (pe_source_is_rust(linkage) && strcmp(pe_text_str(&name), linkage) != 0)
		return last_of_path(pe_text_str(&name), arena);
	if (strncmp(linkage, "_Z", 2) != 0)
		return linkage[0] != '.' ? pe_arena_strndup(arena, linkage, strcspn(linkage, "."))
					 : linkage;
	last = pe_unqualified(pe_plain_name(pe_text_str(&name), arena));
	/* What cannot be read, and what too many classes have: lambdas and operators. */
	return strncmp(last, "_Z", 2) == 0 || strchr(pe_text_str(&name), '{') != NULL ||
			       (strncmp(last, "operator", 8) == 0 && !is_word(last[8]))
		       ? ""
		       : last;
}
