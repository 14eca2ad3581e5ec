/*
 * Reuse: shared by its own files alone. reuse.c finds traces that hold, reuse_see.c makes traces, carry.c compares
 * commits by git, reuse_audit.c runs one in twenty of the skipped cells and compares.
 */
#pragma once

#include "app/measure/reuse.h"
#include "app/measure/trace.h"

/** A run of a benchmark that was traced: its results are taken over where the trace holds. */
struct pe_traced_run {
	int64_t revision; /**< key */
	struct pe_trace trace;
	const char *hash
		[PE_N_RESOLVERS]; /**< of the trace in its own tree; NULL: it cannot be computed */
	bool planned;             /**< it is measured in this session */
};

typedef PE_VEC(struct pe_traced_run) pe_traced_runs;

/** The hash of a trace in the tree at hand: the members of a suite share it. */
struct pe_tree_hash {
	const char *items, *functions; /**< of the trace; functions NULL: programs count whole */
	char text[PE_XXH_TEXT];
};

/** The trace of a suite's program at a revision, for all of its members. */
struct pe_suite_probe {
	const struct pe_suite *suite;
	struct pe_traced_run whole; /**< items: NULL where the trace is incomplete */
};

/** A revision that was built, and the trace of its build. */
struct pe_traced_build {
	size_t revision; /**< index into the session */
	int64_t set;     /**< key of the trace's items in the store */
};

/** The items of a build's trace: most builds have theirs in common. */
struct pe_build_items {
	int64_t set;
	struct pe_dependencies touched;
};

/** Traces of builds, for the resolver that compares commits by git; see carry.c. */
struct pe_carry {
	bool valid; /**< false: the audit found that equal traces do not mean equal builds */
	PE_VEC(struct pe_traced_build) built; /**< by revision */
	PE_VEC(struct pe_build_items) items;
	struct pe_build_difference **differences; /**< by revision */
	size_t seen;                              /**< builds of this session that are in `built` */
};

/** A cell that is run although its results could be taken over; see reuse_audit.c. */
struct pe_audit {
	size_t revision, benchmark; /**< indices into the session */
	int64_t source;             /**< key of the revision that it would take its results from */
};

struct pe_reuse {
	struct pe_session *session;
	pe_traced_runs *by_benchmark; /**< by the session's index; oldest first */
	size_t n;
	int64_t revision; /**< key of the revision of the tree at hand */
	PE_VEC(struct pe_tree_hash) hashes;
	struct pe_executed_trees *opened; /**< programs of the tree at hand */
	PE_VEC(struct pe_suite_probe) probes;
	/* to be stored by the next pe_reuse_keep() */
	PE_VEC(struct pe_execution) executions;
	PE_VEC(struct pe_coverage) cells;
	PE_VEC(struct pe_coverage) taken; /**< in this session */
	struct pe_carry carry;
	PE_VEC(struct pe_audit) audits;
	bool *misjudged;   /**< by benchmark: none of its cells is skipped */
	bool *unwatchable; /**< by benchmark: it fails when its functions are watched */
	bool forgot;       /**< cells that this session took over are to be measured after all */
};

/** The traced run at a revision; NULL: none. */
struct pe_traced_run *pe_reuse_traced_at(const pe_traced_runs *all, int64_t revision);

/**
 * Hash a trace in the tree at hand; each is hashed once.
 *
 * @param out  "": the tree has no hash, because a named file cannot be read there
 */
int pe_reuse_hash(const char **out, struct pe_reuse *reuse, const struct pe_trace *trace,
		  enum pe_resolver resolver, const char *tree);

/** Forget the hashes of the tree at hand: it was replaced, or a run has changed it. */
void pe_reuse_forget_tree(struct pe_reuse *reuse);

/** Trace a benchmark at a revision, unless it has a trace. Indices. */
int pe_reuse_see(struct pe_reuse *reuse, size_t r, size_t w, const char *tree);

/* --- Builds --- */

/** Read the traces of builds. */
int pe_carry_load(struct pe_reuse *reuse);

/**
 * Find the source that a cell of a built revision would have had without its build.
 *
 * @param from  source (0: none) and skipped
 */
int pe_carry_expected(struct pe_coverage *from, struct pe_reuse *reuse,
		      const struct pe_known *known, size_t revision, size_t benchmark);

/* --- The audit --- */

/** Read the benchmarks of which nothing is skipped. */
int pe_audit_load(struct pe_reuse *reuse);

/**
 * Whether a revision (with a benchmark's name: a cell) is the one in twenty that is measured although it could be
 * skipped. It is drawn by id and name, so that every session chooses the same.
 */
bool pe_audit_is_due(const struct pe_revision *revision, const char *benchmark);

/** Check that a cell of a built revision executes the same as the source it would have had without its build. */
int pe_audit_build(struct pe_reuse *reuse, const struct pe_known *known, size_t revision,
		   size_t benchmark, const char *tree);

/** Begin the audit of a cell that could be skipped: it is measured, and compared with its source when it has results. */
int pe_audit_begin(struct pe_reuse *reuse, const struct pe_traced_run *source, size_t revision,
		   size_t benchmark);

/** Delete the row of a skipped cell from the store: it has results of its own. */
int pe_audit_drop_skipped(struct pe_reuse *reuse, size_t revision, size_t benchmark);
