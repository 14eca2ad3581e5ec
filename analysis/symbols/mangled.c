/* Mangled names: libiberty demangles them; here its text is split. */
#include "analysis/symbols/names.h"

#include "analysis/profile/merge_names.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are kept as they are: their text can grow with the square of their length. */
enum { MOST_MANGLED = 65536 };

/* The name is what libiberty prints without parameters; the signature is the rest of what it prints with them. */
static bool split_cxx(struct pe_text *name, struct pe_text *signature, const char *mangled)
{
	pe_auto_free char *bare = cplus_demangle_v3(mangled, DMGL_NO_OPTS);
	pe_auto_free char *full =
		cplus_demangle_v3(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP);
	const char *rest;

	if (bare == NULL || full == NULL || bare[0] == '\0')
		return false;
	if (strncmp(full, bare, strlen(bare)) != 0) {
		pe_text_addn(name, full, pe_merge_name_length(full));
		return true;
	}
	rest = full + strlen(bare);
	pe_text_add(name, bare);
	pe_text_addn(signature, rest, pe_merge_name_length(rest));
	return true;
}

/* Instances of a generic function are the function: "weigh::<u32>" is "weigh". */
static size_t without_arguments(const char *rust)
{
	size_t n = strlen(rust), depth = 0, at = n;

	if (n == 0 || rust[n - 1] != '>')
		return n;
	while (at > 0) {
		at--;
		depth += rust[at] == '>' && (at == 0 || rust[at - 1] != '-');
		depth -= rust[at] == '<';
		if (depth == 0)
			break;
	}
	return at > 2 && memcmp(rust + at - 2, "::", 2) == 0 ? at - 2 : n;
}

void pe_names_split(struct pe_text *name, struct pe_text *signature, const char *mangled)
{
	char *rust;

	if (mangled[0] == '_' && strnlen(mangled, MOST_MANGLED) < MOST_MANGLED) {
		rust = rust_demangle(mangled, DMGL_NO_OPTS);
		if (rust != NULL && rust[0] != '\0') {
			pe_text_addn(name, rust, without_arguments(rust));
			free(rust);
			return;
		}
		free(rust);
		if (mangled[1] == 'Z' && split_cxx(name, signature, mangled))
			return;
	}
	pe_text_addn(name, mangled, pe_merge_name_length(mangled));
}
