/* The program that made profiles are of: 20,000 contexts of 4,000 functions, up to 60 deep. For bench/import. */
#ifndef PE_BENCH_IMPORT_MADE_H
#define PE_BENCH_IMPORT_MADE_H

#include "core/base/random.h"

#include <stdbool.h>
#include <stdint.h>

enum { FUNCTIONS = 4000, CONTEXTS = 20000, DEEPEST = 60 };

/** A context's parent has a lower number; a depth of 1 has none. */
struct context {
	uint32_t parent, function, depth;
};

extern char names[FUNCTIONS][64];
extern struct context contexts[CONTEXTS];

/** The functions of a context, outermost first; how many. */
uint32_t path_of(uint32_t context, uint32_t path[DEEPEST + 2]);

/** Write so many megabytes of cpuprofile, chrome, speedscope or pprof; false: of no such format. */
bool make_structured(const char *format, uint64_t megabytes, struct pe_random *random);

#endif
