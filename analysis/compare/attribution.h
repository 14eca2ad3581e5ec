/*
 * Attribution: who made a difference, by how much, and what it does now. One engine for time, instructions, allocations, bytes
 * and calls.
 *
 * Only what changed can be the cause. The same code on the same data does the same; so unchanged methods are where a difference
 * shows, and changed ones are who made it. A verdict has one cause for each who.
 *
 *  (1) Evidence. Each node of the delta tree has its own difference: exact for what is counted; for time an estimate with an
 *      error. Samples and instructions are two witnesses of a method's time and are combined by their variances; the estimates
 *      are then fitted to the profiled difference, so that they add up to it (analysis/compare/evidence.h).
 *  (2) Assignment. A node's difference belongs to the method itself if it changed; else to the changed method that was inlined
 *      into it; else to the nearest changed method above it; else, by way of data, to the changed methods that ran. A callee that
 *      only one side calls belongs to the changed caller that took or dropped it. Source changes count before changes of machine
 *      code alone. A node that executes exactly what it did has no cause but memory.
 *  (3) Sum. Each node is in one bundle. Bundles, the rest and what is in no method of the trees add up to the difference.
 *
 * Where nothing is known of changes, as with profiles of other tools, each method may have changed: what a node costs itself is its
 * own, calls belong to the caller that makes more or fewer of them.
 */
#ifndef PE_COMPARE_ATTRIBUTION_H
#define PE_COMPARE_ATTRIBUTION_H

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"
#include "analysis/compare/functions.h"

/** How a difference shows at a method. */
enum pe_cause_kind {
	PE_CAUSE_ITSELF,   /**< the changed method's own work */
	PE_CAUSE_CALLS,    /**< a method is called more or less often */
	PE_CAUSE_WORK,     /**< a method is called as often and does more or less in a call */
	PE_CAUSE_ADDED,    /**< a method is called that was not */
	PE_CAUSE_REMOVED,  /**< a method is no longer called */
	PE_CAUSE_REPLACED, /**< a method is called in place of another */
	PE_CAUSE_DATA, /**< unchanged methods do other work on data of a changed one that is not above them */
	PE_CAUSE_MEMORY, /**< a method executes exactly what it did and takes another time: caches, placement */
	PE_CAUSE_WAITING, /**< no processor: waiting */
	PE_CAUSE_UNKNOWN, /**< nothing that changed is known */
	PE_N_CAUSE_KINDS
};

/** A word for files: "itself", "calls", "work", ... */
const char *pe_cause_kind_name(enum pe_cause_kind kind);

enum {
	PE_CAUSE_PARTS = 3,      /**< most methods that a cause names */
	PE_CAUSE_CANDIDATES = 3, /**< most methods that data may come from */
};

/** One method where a cause shows, over the contexts that belong to it. */
struct pe_cause_part {
	enum pe_cause_kind kind;
	uint32_t frame; /**< PE_FRAME_NONE: functions in no call path */
	uint32_t other; /**< PE_CAUSE_REPLACED: in place of this one; else PE_FRAME_NONE */
	uint32_t node;  /**< of the delta tree: its greatest context; PE_CCT_NONE: none */
	uint32_t contexts;
	double amount;
	uint64_t calls[2]; /**< both 0: unknown */
	uint64_t instructions[2];
	uint64_t allocations[2];
	double own_ns[2];
};

/** One bundle of nodes. */
struct pe_cause {
	enum pe_cause_kind
		kind; /**< that of its greatest part; PE_CAUSE_DATA and later ones stand for the whole bundle */
	uint32_t frame; /**< who made the difference; PE_FRAME_NONE: nobody that is known */
	bool probably;  /**< by way of data, or in machine code alone: likely, not proven */
	bool counted;   /**< exact counts of instructions go in the same direction */
	struct pe_frame_change change; /**< of `frame` */
	int64_t amount;                /**< in the unit of the attribution */
	/**
	 * Of the whole difference, or of what is decided of it where the rest of it has the other sign and is not; NAN when that is 0.
	 * More than 1 only where another cause that is decided has the other sign.
	 */
	double share;
	double noise;         /**< standard error of `amount`; 0: exact, or unknown */
	int64_t instructions; /**< of the bundle, new - old; 0 where nobody counted */
	uint32_t node;        /**< where it shows most; PE_CCT_NONE: in no call path */
	uint32_t contexts;    /**< nodes that contribute */
	struct pe_cause_part parts[PE_CAUSE_PARTS]; /**< greatest first */
	uint32_t n_parts, more_parts;
	/** PE_CAUSE_DATA: the changed methods that may have left other data, where that is not one. */
	uint32_t candidates[PE_CAUSE_CANDIDATES], n_candidates;
};

struct pe_attribution_opts {
	const struct pe_changes *changes; /**< NULL: unknown */
	/** Joined with the frames; NULL: nobody counted. */
	const struct pe_function_changes *functions;
	/** What is explained; PE_COST_CALLS: calls. */
	enum pe_cost cost;
	double min_share; /**< of the old execution: smaller causes go into the rest; 0: the default */
	uint32_t top;     /**< most causes; 0: 20 */
};

struct pe_attribution {
	enum pe_cost cost;
	const char *event; /**< that a time is counts of: pe_delta_event() */
	int64_t whole;     /**< new - old */
	uint64_t old_whole, new_whole;
	double noise;         /**< standard error of `whole`; 0: exact, or unknown */
	bool changes_unknown; /**< nothing is known of changes */
	int64_t least;        /**< smaller causes go into the rest */
	/** Of time: bundles whose samples do not say whether they differ by `least`; so many times as many samples do; 1: none does. */
	uint32_t open;
	double times;
	int64_t instructions;    /**< of all functions, new - old; 0 where nobody counted */
	struct pe_cause *causes; /**< greatest amount first */
	uint32_t n;
	int64_t rest;          /**< the whole less all causes */
	uint32_t small;        /**< bundles in the rest because they are small */
	uint32_t within_noise; /**< bundles in the rest because they are within their error */
	uint32_t more;         /**< bundles in the rest because they are beyond opts.top */
	/** By node of the delta tree: 1 + the cause that it belongs to; 0: the rest. */
	uint32_t *cause_of;
};

/**
 * Attribute a difference. Linear but for sorting, and for the depth of the tree at nodes that differ. The answer does not depend on
 * the order of frames.
 *
 * @return  false: the cost is not known on both sides, and out is empty
 */
bool pe_attribution_make(struct pe_attribution *out, const struct pe_delta *delta,
			 const struct pe_attribution_opts *opts, struct pe_arena *arena);

/** The frame where a cause shows most; PE_FRAME_NONE: functions in no call path. */
static inline uint32_t pe_cause_shows(const struct pe_cause *cause)
{
	return cause->n_parts > 0 ? cause->parts[0].frame : cause->frame;
}

#endif
