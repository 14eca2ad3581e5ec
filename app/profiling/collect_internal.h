/* Collecting: one profile on its way. Shared by the files of collect*.c. */
#pragma once

#include "app/profiling/collect.h"
#include "core/base/vec.h"
#include "analysis/symbols/symbols.h"

/** One of two revisions that are sampled in turns. */
struct pe_collecting_turn {
	const struct pe_revision *revision;
	const struct pe_benchmark *benchmark;
	const struct pe_cct *calls; /**< its counting tree */
	struct pe_cct **trees;      /**< what comes of it: of all samples, then of each half */
	size_t n_trees;
};

/*
 * Steps return PE_OK also where builds and runs fail: then out->outcome is the failure, and the following steps
 * are left out (pe_collecting_goes_on()).
 */
struct pe_collecting {
	struct pe_session *session;
	const struct pe_revision *revision;
	const struct pe_benchmark *benchmark;
	const struct pe_profile_plan *plan;
	enum pe_profile_mode mode; /**< not PE_PROFILE_DEFAULT */
	struct pe_frames *frames;
	struct pe_arena *arena;
	struct pe_collected *out;
	struct pe_collected *again; /**< of which further runs are counted; NULL: none */
	struct pe_slots slots;      /**< of the build variants */
	size_t done, total;         /**< runs, for the progress */
	const struct pe_collect_more
		*more; /**< samples beyond those of the plan; NULL: the plan's */
	/**
	 * called with what was sampled in turns, once there is enough for a first answer; it may replace their counting trees.
	 * NULL: never
	 */
	int (*look)(struct pe_collecting_turn turns[2], void *payload);
	void *look_payload;
	bool hookless; /**< nothing was counted, for the program lacks hooks */
	bool untimed;  /**< as pe_collect_opts has it */
	PE_VEC(const char *) advice;
	PE_VEC(struct pe_cct *) trees; /**< what comes of it, the one to show first */
};

/** Where a benchmark is run in: a built tree, and how long it may take beside a timed run. */
struct pe_collecting_place {
	const char *tree;
	unsigned patience; /**< times the benchmark's timeout */
	const char *stage; /**< for messages: "counting run" */
	bool samples;      /**< the command for what samples is run, where the benchmark has one */
	const struct pe_command *command; /**< run in its place; NULL: none */
	bool profiler;                    /**< which is a program of its own and ends with 0 */
};

/** Nothing failed so far. */
static inline bool pe_collecting_goes_on(const struct pe_collecting *collecting)
{
	return collecting->out->outcome == PE_MEASURED;
}

/* --- app/profiling/collect_shared.c --- */

/** Remember what failed. */
void pe_collecting_fail(struct pe_collecting *collecting, const char *stage,
			enum pe_outcome outcome, int status, const char *log);

/** Add a sentence for the user. */
void pe_collecting_advise(struct pe_collecting *collecting, const char *format, ...)
	PE_PRINTF(2, 3);

/** How the config wants a benchmark profiled; all zero where it is silent. */
const struct pe_profile_plan *pe_collecting_plan(const struct pe_benchmark *benchmark);

/** The timed build of the revision, in a slot; NULL where it does not build. */
int pe_collecting_timed_build(struct pe_slot **slot, struct pe_collecting *collecting);

/** Open the slots of the build variants. */
int pe_collecting_open_slots(struct pe_collecting *collecting);

/** Close the slots and release lists. */
void pe_collecting_close(struct pe_collecting *collecting);

/** One that is closed where its block is left. */
#define pe_auto_collecting __attribute__((cleanup(pe_collecting_close))) struct pe_collecting

/* --- app/profiling/collect.c --- */

/** The mode of collecting: the requested one, else the plan's. */
enum pe_profile_mode pe_collecting_mode(enum pe_profile_mode asked,
					const struct pe_profile_plan *plan);

/** Load the first n trees of a stored profile. PE_ENOTFOUND, without a sentence: one is lost. */
int pe_collecting_load_trees(struct pe_collected *out, struct pe_app *app, int64_t profile,
			     size_t n, struct pe_frames *frames, struct pe_arena *arena);

/** Sample one side that has only counts, and store it. */
int pe_collecting_alone(struct pe_collected *side, struct pe_session *session,
			const struct pe_revision *revision, const struct pe_benchmark *benchmark,
			struct pe_frames *frames, struct pe_arena *arena);

/* --- app/profiling/collect_ahead.c --- */

/** The request for a variant of a revision. In the arena. */
int pe_collecting_request(struct pe_build_request *out, struct pe_collecting *collecting,
			  const struct pe_revision *revision, enum pe_build_variant variant);

/** Build a variant of these side by side, for pe_collecting_build() to find: as pe_session_build_ahead(). */
int pe_collecting_build_ahead(struct pe_collecting *collecting,
			      const struct pe_revision *const *revisions, size_t n,
			      enum pe_build_variant variant);

/* --- app/profiling/collect_run.c --- */

/** The revision built in a build variant; NULL when it does not build. Held until pe_slots_release(). */
int pe_collecting_build(struct pe_slot **slot, struct pe_collecting *collecting,
			enum pe_build_variant variant);

/** The benchmark's setup. */
int pe_collecting_set_up(struct pe_collecting *collecting, const struct pe_collecting_place *place);

/** Its cleanup, whether setup and runs succeeded or not: as pe_runner_clean_up(). */
int pe_collecting_clean_up(int rc, struct pe_collecting *collecting,
			   const struct pe_collecting_place *place);

/** One run with more in its environment; costs are in *run. */
int pe_collecting_run(struct pe_run *run, struct pe_collecting *collecting,
		      const struct pe_collecting_place *place, const struct pe_strings *extra);

/** An empty folder of this name for what a run leaves. */
int pe_collecting_folder(const char **out, struct pe_collecting *collecting, const char *name);

/** A cost of a run that was measured; 0 without it. */
double pe_collecting_cost(const struct pe_run *run, enum pe_metric_id metric);

/** What one timed run takes. */
struct pe_collecting_duration {
	uint64_t total_ns;   /**< 0: unknown */
	uint64_t waiting_ns; /**< of these: beyond all the processor time that it had */
};

/** Medians from the store; zeros without timed runs there. */
int pe_collecting_stored_duration(struct pe_collecting_duration *out,
				  const struct pe_collecting *collecting);

/** The stored duration, else that of a few runs of the timed build. */
int pe_collecting_take_duration(struct pe_collecting_duration *out,
				struct pe_collecting *collecting);

/* --- app/profiling/collect_calls.c --- */

/** The tree of the counting build, from two runs or more, without what is excluded. */
int pe_collecting_calls(struct pe_cct **out, struct pe_collecting *collecting);

/**
 * Count more runs of the builds of collecting->trees, until each tree has `wanted` runs, and where they differ on
 * as pe_collecting_calls() does. Trees stay as they are where a run fails.
 */
int pe_collecting_more_calls(struct pe_collecting *collecting, uint32_t wanted);

/** Leave out the methods that the config excludes. @param system  also those of the system's headers @param arena  owns it */
const struct pe_cct *pe_collecting_exclude(const struct pe_cct *cct,
					   struct pe_collecting *collecting,
					   struct pe_symbols_db *db, bool system,
					   struct pe_arena *arena);

/* --- app/profiling/collect_language.c --- */

/** The tree by what the plan's language brings, from a tree that is built. */
int pe_collecting_language(struct pe_collecting *collecting,
			   const struct pe_collecting_place *place);

/* --- app/profiling/collect_explain.c --- */

/** The first tool of the build's steps that ignores CFLAGS, so that its output has no hooks; NULL: none is known. */
const char *pe_collecting_ignores_flags(const struct pe_recipe *recipe);

/** Explain why a run left no records, and whether only hooks are missing. @param what  "counting build", "sampled build" */
int pe_collecting_explain(struct pe_collecting *collecting, const char *tree, const char *what,
			  bool hooks);

/** Fail where a run was counted and no function has a name: the message has the files without names, and the reason. */
void pe_collecting_nameless(struct pe_collecting *collecting,
			    const struct pe_collecting_place *place, struct pe_symbols_db *db);

/** Advise where functions of the tree's own files have no names. */
void pe_collecting_advise_names(struct pe_collecting *collecting, const char *tree,
				struct pe_symbols_db *db);

/* --- app/profiling/collect_samples.c --- */

/** Join the counting tree (NULL: there is none) with samples of the native build. */
int pe_collecting_samples(struct pe_collecting *collecting, const struct pe_cct *calls);

/** Sample both in turns. Without trees where one of the two was not sampled. */
int pe_collecting_turns(struct pe_collecting *collecting, struct pe_collecting_turn turns[2]);

/* --- app/profiling/collect_command.c --- */

/** Run the project's own profiler and read what it left. */
int pe_collecting_command(struct pe_collecting *collecting);
