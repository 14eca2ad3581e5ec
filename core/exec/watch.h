/*
 * Watch: the files of its tree that a build reads, finds missing and lists, recorded by the counting library in every
 * process of it (probe/runtime/touch.h). The library slows compilers by a few thousandths.
 */
#ifndef PE_CORE_EXEC_WATCH_H
#define PE_CORE_EXEC_WATCH_H

#include "core/base/vec.h"
#include "core/exec/dependencies.h"
#include "core/exec/slots.h"

/** A build that is watched. Zero-initialised: one that is not. */
struct pe_watch {
	const char *preload; /**< the counting library; NULL: it is not watched */
	const char *dir;     /**< of the records; the steps may write to it */
	PE_VEC(struct pe_watched) steps;
};

/** Make the folder of the records beside a slot's tree, empty. PE_ESYS. */
int pe_watch_begin(struct pe_watch *out, const char *library, const struct pe_slot *slot,
		   struct pe_arena *arena, struct pe_err *err);

/** The environment of a step with what the library needs; the same one where the build is not watched. */
const char *const *pe_watch_env(const struct pe_watch *watch, const char *const *env,
				const char *tree, struct pe_arena *arena);

/**
 * Read what was seen, remove the records, and release the watch.
 *
 * @return  NULL: it was not watched; what could not be read is not complete. In the arena
 */
const struct pe_dependencies *pe_watch_end(struct pe_watch *watch, const struct pe_slot *slot,
					   struct pe_arena *arena);

#endif
