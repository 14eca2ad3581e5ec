/* Builder: one revision checked out into a slot and built there. */
#pragma once

#include "core/model/build.h"
#include "core/model/limits.h"
#include "core/exec/ports.h"
#include "core/exec/slots.h"

/** What every build of a session shares. Borrowed. */
struct pe_builder {
	const struct pe_recipe *recipe;
	const char *recipe_hash;
	const char *root; /**< the user's tree, exported as PERFEVO_ROOT; NULL: none */
	struct pe_source source;
	struct pe_executor executor;
	/** Copy the overlay into a tree; NULL: there is none. */
	int (*overlay)(const char *tree, void *payload, struct pe_err *err);
	void *overlay_payload;
	uint64_t tree_bytes; /**< most that a revision's files may have together; 0: any */
	const char *limits;  /**< in words: which version and bounds a tree was refused by */
	const struct pe_sandbox *sandbox; /**< that the steps are confined by; NULL: they are not */
	const struct pe_limits
		*limits_of_steps; /**< that they are bounded by; NULL: they are not */
	/**
	 * libperfevo_rt.so, which sees what the steps of clean builds read; NULL: they are not watched. A build that fails
	 * while it is watched is made once more without.
	 */
	const char *watch;
	const int *jobserver; /**< its two ends; NULL: steps keep to the recipe's jobs */
	const volatile sig_atomic_t *interrupts; /**< see struct pe_proc_spec */
	int stop_fd;                             /**< see struct pe_proc_spec */
};

/**
 * Fill a slot with a revision, lay the overlay over it, run the recipe's steps.
 *
 * A tree that cannot be written, a step that fails or takes too long are outcomes in *out, with the end of
 * the log. The slot is not yet remembered as built: that is the caller's next step, once the outcome is stored
 * (pe_slot_remember()), so that a build that is found again always has its row.
 *
 * @param out    strings live in the arena
 * @return       PE_ESTOPPED, PE_ESYS, PE_EFULL: the session cannot go on, nothing is to be stored
 */
int pe_build_revision(struct pe_build *out, const struct pe_builder *builder, struct pe_slot *slot,
		      const char *id, struct pe_arena *arena, struct pe_err *err);

/** The last bytes of a file as a string, from the start of a line; its first line then gives how much was cut. */
const char *pe_log_tail(int fd, size_t bytes, struct pe_arena *arena);
