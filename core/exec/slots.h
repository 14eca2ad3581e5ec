/*
 * Slots: folders in perfevo's cache, each of which holds one revision's tree and its build, so that many builds exist
 * side by side and can be run in turn. Paths of all slots have one length (0000, 0001, ...), so that no revision's values
 * move with the length of its path. A slot is reused for another revision when the disk budget is spent.
 *
 * A slot's state file describes its contents; it is removed before the slot changes and written when it is whole, so that
 * a killed process leaves a slot without a description rather than with a wrong one. It holds for the folder that it was
 * written in: builds name their own files by path (debug information, run paths, what configure wrote), so that those of a
 * cache that was moved or copied are made again.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/model/revision.h"

#include <stdbool.h>
#include <stdint.h>

struct pe_slot {
	const char *dir;          /**< of the slot; absolute */
	const char *tree;         /**< dir/tree: the revision's tree */
	const char *trusted;      /**< the folder of all slots; below it no link is followed */
	char id[PE_OID_HEX];      /**< revision that tree holds whole; "": none */
	char recipe[PE_HASH_HEX]; /**< hash of the recipe it was built with; "": not built */
	char list
		[PE_OID_HEX]; /**< digest of the list of its files (app/measure/kept.h); "": none */
	char boot[PE_BOOT_ID]; /**< of the kernel that its files were written under */
	uint64_t compared; /**< the caller's: when it was last compared with that list; 0: never */
	uint64_t bytes;    /**< on disk, when it was built; 0: unknown */
	uint64_t build_ns; /**< what its build took; 0: unknown */
	uint64_t used;     /**< larger is later; for eviction */
	/** the commands that made its files saw the tree at one path (core/base/inside.h), not at this */
	bool one_path;
	bool held;     /**< wanted by the batch at hand: not to be reused */
	bool building; /**< held, and its size is not known yet: it counts as much as the largest */
};

struct pe_slots {
	const char *root;
	uint64_t budget_bytes;
	struct pe_slot *at;
	size_t n, capacity;
	uint64_t uses;
	struct pe_arena *arena;
};

/** Let a slot be reused. NULL is allowed. */
static inline void pe_slot_drop(struct pe_slot *const *slot)
{
	if (*slot != NULL)
		(*slot)->held = false;
}

/** A held slot that may be reused once its block is left, whichever way: `pe_auto_slot slot = NULL;` */
#define pe_auto_slot __attribute__((cleanup(pe_slot_drop))) struct pe_slot *

/** At most this many slots: four digits. */
enum { PE_SLOTS_MAX = 10000 };

/**
 * Open the slots below a folder (made when it is not there) and read their states.
 *
 * The caller holds perfevo's measuring lock: slots have one user at a time.
 *
 * @param budget_bytes  disk that all slots together may take
 */
int pe_slots_open(struct pe_slots *out, const char *root, uint64_t budget_bytes,
		  struct pe_arena *arena, struct pe_err *err);

/** The slot that holds a revision built by a recipe; NULL: none. */
struct pe_slot *pe_slots_find(struct pe_slots *slots, const char *id, const char *recipe);

/**
 * A slot to put a revision in: a new one while the budget and the disk have room, else the one that was not
 * used for longest and is not held.
 *
 * @return  NULL when every slot is held and no further one fits: the batch is full. The first slot is given
 *          whatever the budget.
 */
struct pe_slot *pe_slots_take(struct pe_slots *slots);

/** Mark a slot as just used. */
void pe_slots_touch(struct pe_slots *slots, struct pe_slot *slot);

/** Release all slots: none is held any more. */
void pe_slots_release(struct pe_slots *slots);

/** Before a slot's tree changes: forget on disk what it holds, and that it is built. */
int pe_slot_forget(struct pe_slot *slot, struct pe_err *err);

/** The tree is whole, and built if recipe is not NULL: remember it on disk, with its size, slot->list and slot->build_ns. */
int pe_slot_remember(struct pe_slot *slot, const char *id, const char *recipe, struct pe_err *err);

/**
 * Whether what builds left in a slot can be relied on. It is not synced: that costs more than to build once more after the
 * machine went down, which can leave a file of the right size and time without its bytes.
 */
bool pe_slot_is_of_this_boot(const struct pe_slot *slot);

/** Write a slot's state file. */
int pe_slot_write_state(const struct pe_slot *slot, struct pe_err *err);

/**
 * Rewrite the state files on disk from these slots, and remove those of other slots: a build of a stranger's commit may
 * have written them.
 */
int pe_slots_restore(const struct pe_slots *slots, struct pe_err *err);

/** Bytes that all slots take, by their states. */
uint64_t pe_slots_bytes(const struct pe_slots *slots);
