/* Series: real measurements that others recorded, and where they changed. */
#ifndef PE_BENCH_SERIES_H
#define PE_BENCH_SERIES_H

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct series {
	char *name; /**< of its file, without folder and ending */
	double *value;
	size_t n;
};

struct series_marks {
	char *name;
	size_t *at;
	size_t n;
};

struct series_book {
	struct series_marks *at;
	size_t n;
};

/** Read the last column of a table with a head line. Prints why and returns false where it cannot. */
bool series_read(struct series *out, const char *path, struct pe_arena *arena);

/** Read all marks. Likewise. */
bool series_read_marks(struct series_book *out, const char *path, struct pe_arena *arena);

/** A series' marks, or NULL. */
const struct series_marks *series_marks_of(const struct series_book *book, const char *name);

#endif
