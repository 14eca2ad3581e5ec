/* Reading: sources as text, their methods as one looks for them. */
#pragma once

#include "analysis/methods/extract.h"
#include "tests/support/test.h"

/** The methods of a text, read as the file of that path. */
static inline struct pe_methods read_text(const char *path, const char *text,
					  struct pe_arena *arena)
{
	const struct pe_source_file file = {
		.language = pe_language_of(path), .path = path, .text = text, .n = strlen(text)};
	struct pe_methods methods;

	cr_assert(file.language != NULL, "%s has no language", path);
	pe_extract(&methods, &file, arena);
	return methods;
}

/** The only method of a name. */
static inline const struct pe_method *find_method(const struct pe_methods *methods,
						  const char *name)
{
	const struct pe_method *found = NULL;

	for (size_t i = 0; i < methods->n; i++) {
		if (strcmp(methods->at[i].name, name) != 0)
			continue;
		cr_assert(found == NULL, "%s is there twice", name);
		found = &methods->at[i];
	}
	cr_assert(found != NULL, "%s is not there", name);
	return found;
}

static inline bool same_body(const struct pe_method *a, const struct pe_method *b)
{
	return a->body.high == b->body.high && a->body.low == b->body.low;
}
