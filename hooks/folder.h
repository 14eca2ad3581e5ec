/*
 * Folder: hooks in a folder of git's, put there and taken away again. Its promises, which the tests cite:
 *  (1) At every moment the folder holds the old hook or the new one, never half of either.
 *  (2) Removal restores what was there: bytes, mode, link; later edits are kept, and reported.
 *  (3) Foreign text is never lost: neither a hook in our place nor lines added to ours.
 */
#pragma once

#include "hooks/script.h"

enum pe_hook_state {
	PE_HOOK_ABSENT,
	PE_HOOK_FOREIGN, /**< somebody else's */
	PE_HOOK_OURS,
	PE_HOOK_OUTDATED, /**< ours, of another version of perfevo */
	PE_HOOK_CHANGED,  /**< ours, and edited since */
};

/** What stands at a hook's place. */
struct pe_hook_found {
	enum pe_hook_state state;
	bool runs;        /**< it may be executed; git passes over one that may not */
	bool kept;        /**< an earlier hook is kept next to it */
	bool kept_edited; /**< and was edited since; unset for PE_HOOK_FOREIGN */
};

/** Look at a hook's place. An absent folder has none. PE_ESYS */
int pe_hook_look(struct pe_hook_found *out, const char *folder, enum pe_hook hook,
		 struct pe_err *err);

/** What installing or removing did, for a sentence. */
enum pe_hook_done {
	PE_HOOK_NOTHING,   /**< it was so already */
	PE_HOOK_INSTALLED, /**< where there was none */
	PE_HOOK_CHAINED,   /**< before it, the one that was there runs */
	PE_HOOK_RENEWED,   /**< in place of an older or edited one of ours */
	PE_HOOK_REMOVED,
	PE_HOOK_RESTORED,        /**< removed, and the one before is back */
	PE_HOOK_RESTORED_EDITED, /**< restored as it was edited since */
	PE_HOOK_LEFT,            /**< a foreign one: not removed */
};

/**
 * Put a hook into a folder, which is made where it is missing.
 *
 * @param aside  set to whether ours had been edited and is NAME.perfevo-edited now
 * @return       PE_EINVALID when both a foreign hook and an earlier kept one are there; PE_ESYS, PE_EFULL
 */
int pe_hook_install(enum pe_hook_done *done, bool *aside, const char *folder, enum pe_hook hook,
		    struct pe_err *err);

/** Take a hook away and put back what was there before it. @param aside  as above */
int pe_hook_remove(enum pe_hook_done *done, bool *aside, const char *folder, enum pe_hook hook,
		   struct pe_err *err);
