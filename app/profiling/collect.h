/*
 * Collect: the calling context tree of one benchmark at one revision, loaded from the store or taken now. Taking
 * one joins two sources, because one alone is wrong: exact
 * counts from a build with hooks and true times from samples of the native build. Both are builds of their own,
 * in slots of their own, and runs of their own: the timed runs are never touched.
 *
 * What comes of it is data, as with timed runs: a build that fails, a run that crashes, a project that escapes
 * the flags. Then there is an outcome with its log and no tree.
 */
#pragma once

#include "app/measure/session.h"
#include "core/exec/build_variant.h"
#include "analysis/profile/cct.h"

/** What is wanted. Zero is the config's way, from the store where it is there. */
struct pe_collect_opts {
	/** what is collected; PE_PROFILE_DEFAULT: by the config */
	enum pe_profile_mode mode;
	bool again; /**< collect although the store has it */
	/** Leave the samples to pe_collect_beside(), and the storing: counts alone are taken where there are any. */
	bool untimed;
};

/** A collected profile. Strings and trees live in the arena, frames in the caller's table. */
struct pe_collected {
	enum pe_outcome outcome; /**< PE_MEASURED: there is a tree */
	/** what failed: "counting build", "counting run", "sampled run", ...; NULL when nothing did */
	const char *stage;
	int status;         /**< exit status or signal of what failed */
	const char *log;    /**< of a failed step, or the reason why there is no tree; never NULL */
	struct pe_cct *cct; /**< the tree to show; NULL without one */
	/** All trees: cct first, then one for each repetition, whose differences are the program's own noise. */
	struct pe_cct **trees;
	size_t n_trees;
	struct pe_stored_profile profile; /**< its row */
	bool loaded;                      /**< it was in the store */
	bool untimed;                     /**< as requested: it lacks samples, and is not stored */
	struct pe_strings advice;         /**< sentences for the user */
};

/** Why there is no tree, in two words: "no profile" where all went well and nothing was seen, else how it ended. */
const char *pe_collected_why(const struct pe_collected *collected);

/** The sentence on a side without a tree. @param who  "old", "new" */
const char *pe_collected_say_failure(const struct pe_collected *collected, const char *who,
				     const char *revision, struct pe_arena *arena);

/** Why trees of two sides have counts and no times; NULL: they have times, or only counts were requested. */
const char *pe_collected_why_untimed(const struct pe_collected sides[2],
				     const struct pe_benchmark *benchmark);

/** A remark that profiles are of a whole suite; NULL: the benchmark runs alone. */
const char *pe_collected_why_whole(const struct pe_benchmark *benchmark, struct pe_arena *arena);

/**
 * The tree of a revision and benchmark, collected now if the store does not have it, and then stored.
 *
 * @param session   open for measuring, with revision and benchmark among the chosen ones
 * @param frames    the table that the trees' frames are added to: one table makes trees comparable
 * @param arena     owns the result
 * @return          PE_OK whether builds and runs succeed or fail; PE_ESTOPPED after Ctrl-C (nothing is stored),
 *                  PE_ESYS, PE_EFULL, PE_ESTORE
 */
int pe_collect(struct pe_collected *out, struct pe_session *session,
	       const struct pe_revision *revision, const struct pe_benchmark *benchmark,
	       const struct pe_collect_opts *opts, struct pe_frames *frames,
	       struct pe_arena *arena);

/** One side of a later call of pe_collect(). */
struct pe_collect_side {
	const struct pe_revision *revision;
	const struct pe_benchmark *benchmark;
};

/**
 * Build side by side what collecting these will need: as pe_session_build_ahead().
 *
 * @param kept  NULL; else nothing is built, and it is set to whether native programs are counted and sampled, of builds
 *              that are all kept
 */
int pe_collect_ahead(bool *kept, struct pe_session *session, const struct pe_collect_side *sides,
		     size_t n, const struct pe_collect_opts *opts);

/** As many counting runs tell a side effect from a coin that fell alike in all runs of a revision. */
enum { PE_COLLECT_SURE_RUNS = 5 };

/** Whether a profile has counts, of fewer runs than that. */
bool pe_collect_is_doubtful(const struct pe_collected *side);

/**
 * Count the runs of a profile that it lacks to be sure, and store it again. Where that fails it stays as it is.
 *
 * @param side  as pe_collect() made it; its trees are replaced
 */
int pe_collect_more(struct pe_collected *side, struct pe_session *session,
		    const struct pe_revision *revision, const struct pe_benchmark *benchmark,
		    struct pe_frames *frames, struct pe_arena *arena);

/** Called with the trees of both sides from their first samples, each as long as the processor time of a run. */
typedef int (*pe_collect_look_fn)(const struct pe_collected sides[2], void *payload);

/** Two revisions that are sampled in turns. */
struct pe_collect_pair {
	struct pe_collected *sides; /**< as pe_collect() made them; their trees are replaced */
	struct pe_session *session;
	const struct pe_revision *const
		*revisions; /**< of the sides, among those that were chosen */
	struct pe_benchmark *const *benchmarks;
	struct pe_frames *frames;
	struct pe_arena *arena;
	/** called once half of the samples are taken; it may call pe_collect_more(). NULL is allowed */
	pe_collect_look_fn look;
	void *payload;
};

/**
 * Sample two revisions in turns and give their trees the times of these runs: what differs then are the revisions
 * and not the moments at which each was profiled. Kept in the store for this pair, and loaded from there. Trees of
 * which one has no counts, or none is made from samples, stay as they are; so they do where a run fails. A side that is untimed
 * is sampled alone then; in any case it is stored.
 *
 * @param again  sample although the store has their times
 */
int pe_collect_beside(const struct pe_collect_pair *pair, bool again);

/** How much further two revisions are sampled. */
struct pe_collect_more {
	uint64_t samples;   /**< wanted of each side, beyond those that it has */
	uint64_t budget_ns; /**< no run begins after so long */
};

/**
 * Sample two revisions further that pe_collect_beside() has sampled, and pool all samples, in the store as well. Where a run
 * fails the trees stay as they are.
 */
int pe_collect_beside_more(const struct pe_collect_pair *pair, const struct pe_collect_more *more);

/** As pe_collect_beside(), but only from the store. PE_ENOTFOUND, without a sentence; then nothing is changed. */
int pe_collect_load_beside(struct pe_collected sides[2], struct pe_app *app,
			   struct pe_frames *frames, struct pe_arena *arena);

struct pe_charges_opts {
	const struct pe_frames *frames; /**< of all trees, and perhaps more */
	const bool *
		placed; /**< by frame: a tree has it; one that no tree has is charged to its caller */
	/**
	 * By frame of a tree: by how many instructions its functions vary between runs of a build; one more: all functions
	 * that no tree has.
	 */
	const uint64_t *spreads;
	const uint32_t *renamed; /**< by frame, as in struct pe_match_opts; NULL: none was */
	bool bare; /**< counts of the timed builds show that these have no debug information */
};

/**
 * Count the instructions of methods by source (struct pe_charge), in one run of each side below callgrind, at one time
 * where the machine has room: of the timed build, or of one that only adds debug information where that has none.
 * A function in no tree that calls methods itself (a sort, its comparison) is charged to no method.
 *
 * @param out  by the methods' names in new, in the arena; empty: a run failed or its records are damaged
 */
int pe_collect_charges(struct pe_charges *out, struct pe_session *session,
		       const struct pe_revision *const revisions[2],
		       const struct pe_benchmark *benchmark, const struct pe_charges_opts *opts,
		       struct pe_arena *arena);

/** Whether pe_collect_load() would find one, taken in the config's way or imported. */
bool pe_collect_is_stored(struct pe_app *app, int64_t machine, const struct pe_benchmark *benchmark,
			  const char *revision);

/**
 * The tree of a revision and benchmark, if the store has it: no lock is needed. Where none was collected with the
 * requested mode, or with the default one, the latest imported tree.
 *
 * @param machine   key in the store
 * @param benchmark  with its key
 * @param revision  id
 * @param all       every tree of the profile, else the one to show
 * @return          PE_ENOTFOUND, without a sentence
 */
int pe_collect_load(struct pe_collected *out, struct pe_app *app, int64_t machine,
		    const struct pe_benchmark *benchmark, const char *revision,
		    enum pe_profile_mode mode, bool all, struct pe_frames *frames,
		    struct pe_arena *arena);
