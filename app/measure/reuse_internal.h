/*
 * What the parts of reuse share: reuse.c compares, reuse_see.c looks at what benchmarks execute, reuse_skip.c decides by
 * what of their programs they execute.
 */
#ifndef PE_APP_MEASURE_REUSE_INTERNAL_H
#define PE_APP_MEASURE_REUSE_INTERNAL_H

#include "app/measure/executed.h"
#include "app/measure/identity.h"
#include "app/measure/reuse.h"

/** A revision that was probed: others are reused from it. */
struct pe_representative {
	int64_t revision;  /**< key */
	const char *lines; /**< what it touched, packed: equal ones are hashed once */
	struct pe_dependencies touched;
	const char *identity;
	const char *functions; /**< that were entered, packed; NULL: they were not seen */
	const char *digest;    /**< of them */
	struct pe_executed executed;
	const char *executed_identity; /**< with functions */
	bool planned;                  /**< it is measured in this session */
};

typedef PE_VEC(struct pe_representative) pe_representatives;

/** What a tree is by a list of dependencies: the members of a suite have theirs in common. */
struct pe_tree_identity {
	const char *lines;
	const char *digest; /**< of functions; NULL: programs count whole */
	char identity[PE_XXH_TEXT];
};

/** A suite's program was started to see what it executes. */
struct pe_suite_probe {
	const struct pe_suite *suite;
	struct pe_representative whole; /**< lines: NULL where that could not be seen */
};

/** Programs of a revision whose benchmark may read files that nobody sees: equal ones do not say that it does the same. */
struct pe_unseen_run {
	const char *name; /**< of the benchmark or suite */
	int64_t revision; /**< key */
	char identity[PE_XXH_TEXT];
	bool noted; /**< that an equal build is run all the same was said */
};

/** A cell that is run although it could be skipped; see reuse_skip.c. */
struct pe_skip_audit {
	size_t revision, benchmark; /**< indices into the session */
	int64_t source;
};

struct pe_reuse {
	struct pe_session *session;
	pe_representatives *by_benchmark; /**< by the session's index */
	size_t n;
	int64_t revision; /**< whose tree the identities are of */
	PE_VEC(struct pe_tree_identity) identities;
	PE_VEC(struct pe_suite_probe) probes;
	PE_VEC(struct pe_unseen_run) unseen;
	/* for the store, by the next pe_reuse_keep() */
	PE_VEC(struct pe_execution) executions;
	PE_VEC(struct pe_reused) cells;
	PE_VEC(struct pe_reused) taken; /**< in this session */
	struct pe_carry *carry;
	struct pe_executed_trees *trees; /**< programs of the tree at hand */
	PE_VEC(struct pe_skip_audit) audits;
	bool *misjudged;   /**< by benchmark: none of its cells is skipped */
	bool *unwatchable; /**< by benchmark: it does not bear to be watched */
	bool forgot;       /**< cells that were skipped in this session are to be run after all */
};

/** What was seen at a revision; NULL: nothing. */
struct pe_representative *pe_reuse_probed_at(const pe_representatives *all, int64_t revision);

/** A source must have values, or get them in this session; or it is known not to have the benchmark. */
bool pe_reuse_is_source(const struct pe_representative *one, const struct pe_known *known,
			int64_t benchmark);

/**
 * The identity of a tree by what a representative touched; each list is hashed once a revision.
 *
 * @param executed  by what it executed of its programs; "": that cannot be told of this tree
 */
int pe_reuse_identify(const char **out, struct pe_reuse *reuse, const struct pe_representative *one,
		      bool executed, const char *tree);

/** Nothing is known any more of the tree at hand. */
void pe_reuse_meet_another(struct pe_reuse *reuse);

/** See what a benchmark executes at a revision, unless that is known. Indices. */
int pe_reuse_see(struct pe_reuse *reuse, size_t r, size_t w, const char *tree);

/** Read for which benchmarks nothing is skipped. */
int pe_skip_load(struct pe_reuse *reuse);

/**
 * Skip a cell, or see what it executes so that later ones can be skipped.
 *
 * @param skipped  its results are those of another, with the next pe_reuse_keep()
 */
int pe_skip_try(bool *skipped, struct pe_reuse *reuse, const struct pe_known *known,
		size_t revision, size_t benchmark, const char *tree);

#endif
