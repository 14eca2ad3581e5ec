/* What is expected of an import: a refusal, one of its frames. For tests alone. */
#ifndef PE_TESTS_PROFILE_IMPORT_EXPECT_H
#define PE_TESTS_PROFILE_IMPORT_EXPECT_H

#include "imported.h"
#include "tests/support/test.h"

static inline void expect_string(const char *found, const char *expected)
{
	cr_expect(eq(str, (char *)found, (char *)expected));
}

/* The message begins with the place and holds a part. */
static inline void expect_broken(const struct imported *imported, const char *place,
				 const char *part)
{
	cr_expect(eq(int, imported->rc, PE_EINVALID));
	cr_expect(strncmp(imported->err.message, place, strlen(place)) == 0, "%s",
		  imported->err.message);
	cr_expect_has(imported->err.message, part);
}

static inline const struct pe_frame *frame_named(const struct imported *imported, const char *name)
{
	for (uint32_t i = 0; i < imported->cct->n; i++)
		if (strcmp(pe_cct_frame(imported->cct, i)->name, name) == 0)
			return pe_cct_frame(imported->cct, i);
	return NULL;
}

#endif
