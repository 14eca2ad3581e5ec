/*
 * Attribution: finds the methods that caused a difference, and how much each one caused. Time, instructions, allocations,
 * bytes and calls have one engine.
 *
 * Only changed code can be the cause, because the same code on the same data does the same. A difference shows in unchanged
 * methods, too, but changed ones cause it. A verdict has one cause for each causing method.
 *
 *  (1) Evidence. Each node of the delta tree has its own difference: exact for counts; for time an estimate with an error.
 *      Samples and instructions are two measurements of a method's time and are combined by their variances; the estimates
 *      are then fitted to the profiled difference, so that they add up to it (analysis/compare/evidence.h).
 *  (2) Assignment. A node's difference is caused by the method itself if it changed; else by the changed method that was
 *      inlined into it; else by the nearest changed method above it; else, by way of data, by the changed methods that ran. A
 *      callee that only one side calls is caused by the changed caller that added or removed the call. Source changes count
 *      before changes of machine code alone. A node that executes exactly the same instructions as before has no cause but
 *      memory.
 *  (3) Sum. Each node is in one bundle. Bundles, the rest and the part outside the trees add up to the difference.
 *
 * Where changes are unknown, as with profiles of other tools, each method may have changed: a node's own cost is caused by
 * its method, more or fewer calls are caused by their caller.
 */
#pragma once

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"
#include "analysis/compare/functions.h"

/** The form in which a difference shows at a method. */
enum pe_cause_kind {
	PE_CAUSE_ITSELF,   /**< the changed method's own work */
	PE_CAUSE_CALLS,    /**< a method is called more or less often */
	PE_CAUSE_WORK,     /**< a method is called as often, and a call costs more or less */
	PE_CAUSE_ADDED,    /**< a method is called that was not called before */
	PE_CAUSE_REMOVED,  /**< a method is no longer called */
	PE_CAUSE_REPLACED, /**< a method is called in place of another */
	PE_CAUSE_DATA, /**< unchanged methods work differently on data of a changed one that is not above them */
	PE_CAUSE_MEMORY, /**< a method executes the same instructions in another time: caches, placement */
	PE_CAUSE_WAITING, /**< waiting time, without a processor */
	PE_CAUSE_UNKNOWN, /**< no changed method is known */
	PE_N_CAUSE_KINDS
};

/** The kind's name in files: "itself", "calls", "work", ... */
const char *pe_cause_kind_name(enum pe_cause_kind kind);

enum {
	PE_CAUSE_PARTS = 3,      /**< most methods that a cause names */
	PE_CAUSE_CANDIDATES = 3, /**< most candidates named for a cause by way of data */
};

/** One method where a cause shows, over its contexts in the bundle. */
struct pe_cause_part {
	enum pe_cause_kind kind;
	uint32_t frame; /**< PE_FRAME_NONE: functions in no call path */
	uint32_t other; /**< PE_CAUSE_REPLACED: the callee that it replaces; else PE_FRAME_NONE */
	uint32_t node;  /**< of the delta tree: its largest context; PE_CCT_NONE: none */
	uint32_t contexts;
	double amount;
	uint64_t calls[2]; /**< both 0: unknown */
	uint64_t instructions[2];
	uint64_t allocations[2];
	double own_ns[2];
	/** PE_CAUSE_ITSELF, of time or instructions: with callees in no profile; NULL: unknown */
	const struct pe_charge *charge;
};

/** A cause: a bundle of nodes whose difference has one causing method. */
struct pe_cause {
	enum pe_cause_kind
		kind; /**< kind of the largest part; from PE_CAUSE_DATA on, kind of the whole bundle */
	uint32_t frame; /**< the causing method; PE_FRAME_NONE: unknown */
	bool probably;  /**< by way of data, or in machine code alone: likely, not proven */
	bool counted;   /**< exact counts of instructions go in the same direction */
	struct pe_frame_change change; /**< of `frame` */
	int64_t amount;                /**< in the unit of the attribution */
	/**
	 * Share of the whole difference, or of its decided part where the undecided rest has the other sign; NAN: that is 0.
	 * More than 1 only where another decided cause has the other sign.
	 */
	double share;
	double noise;         /**< standard error of `amount`; 0: exact, or unknown */
	int64_t instructions; /**< of the bundle, new - old; 0: not counted */
	uint32_t node;     /**< largest context of the largest part; PE_CCT_NONE: in no call path */
	uint32_t contexts; /**< nodes that contribute */
	struct pe_cause_part parts[PE_CAUSE_PARTS]; /**< largest first */
	uint32_t n_parts, more_parts;
	/** PE_CAUSE_DATA: the changed methods whose data may differ, if there are several. */
	uint32_t candidates[PE_CAUSE_CANDIDATES], n_candidates;
};

struct pe_attribution_opts {
	const struct pe_changes *changes; /**< NULL: unknown */
	/** Joined with the frames; NULL: not counted. */
	const struct pe_function_changes *functions;
	/** The explained cost; PE_COST_CALLS: calls. */
	enum pe_cost cost;
	double min_share; /**< share of the old execution: smaller causes go into the rest; 0: the default */
	uint32_t top; /**< most causes; 0: 20 */
};

struct pe_attribution {
	enum pe_cost cost;
	const char *event; /**< event that is counted in place of time: pe_delta_event() */
	int64_t whole;     /**< new - old */
	uint64_t old_whole, new_whole;
	double noise;         /**< standard error of `whole`; 0: exact, or unknown */
	bool changes_unknown; /**< no change of any method is known */
	int64_t least;        /**< threshold: smaller causes go into the rest */
	/** Of time: bundles too noisy to decide a difference of `least`; with `times` as many samples, they are decided. */
	uint32_t open;
	double times;
	int64_t instructions;    /**< of all functions, new - old; 0: not counted */
	struct pe_cause *causes; /**< largest amount first */
	uint32_t n;
	int64_t rest;          /**< the whole less all causes */
	uint32_t small;        /**< bundles in the rest because they are small */
	uint32_t within_noise; /**< bundles in the rest because they are within their error */
	uint32_t more;         /**< bundles in the rest because of opts.top */
	/** By node of the delta tree: 1 + index of its cause; 0: the rest. */
	uint32_t *cause_of;
};

/**
 * Attribute a difference. Linear but for sorting, and for the depth of the tree at nodes that differ. The result does not
 * depend on the order of frames.
 *
 * @return  false: the cost is unknown on a side, and out is empty
 */
bool pe_attribution_make(struct pe_attribution *out, const struct pe_delta *delta,
			 const struct pe_attribution_opts *opts, struct pe_arena *arena);

/** The frame where a cause shows most; PE_FRAME_NONE: functions in no call path. */
static inline uint32_t pe_cause_shows(const struct pe_cause *cause)
{
	return cause->n_parts > 0 ? cause->parts[0].frame : cause->frame;
}
