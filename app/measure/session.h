/*
 * Session: one stretch of measuring. It holds the machine's measuring lock, the launcher, the slots with their builds,
 * and the keys of the measured objects in the store. track, check and all other measuring commands use it.
 *
 * The plan of a session: every cell (revision, benchmark) that wants runs goes into a batch. A batch holds as many
 * revisions as builds fit side by side, and anchors: the two nearest measured predecessors and two reference revisions,
 * which tie the batch to earlier measurements.
 */
#pragma once

#include "app/app.h"
#include "app/measure/ahead.h"
#include "app/measure/outside.h"
#include "app/measure/trouble.h"
#include "core/base/key_index.h"
#include "core/base/vec.h"
#include "core/exec/builder.h"
#include "core/exec/runner.h"
#include "core/exec/slots.h"

/** How far a session is, over all of its batches; the progress counts on. */
struct pe_session_count {
	size_t done, total; /**< measured runs; the total is unknown where it is less */
	uint64_t sequence;  /**< runs made so far, warm-ups included */
};

enum {
	/** Counting runs: two, for what differs between them is not the revision's. */
	PE_COUNTED_ROUNDS = 2,
	/** Of a benchmark whose runs of one build count differently: as many as a test of noise begins with. */
	PE_COUNTED_ROUNDS_NOISY = 8,
};

enum { PE_UNSEEN_BUILDS = 3 };      /**< in a row, after which a session watches no more builds */
enum { PE_SUITE_ITERATIONS = 100 }; /**< of a counting run */

/** A suite of this session. */
struct pe_session_suite {
	const struct pe_suite *suite;
	int64_t key; /**< in the store; 0: not stored yet */
	int format;  /**< enum pe_suite_format; AUTO: not detected yet */
	bool fixed;  /**< its program has an option for the number of iterations */
	bool ignores; /**< its program ignores the library's options: it ran its benchmarks when it was to list them */
	unsigned noted;   /**< 1 << enum pe_suite_note_kind: notes that this session has printed */
	bool news;        /**< a revision has benchmarks that are not in the session */
	int64_t contents; /**< key of the stored list of its names; 0: none */
	struct pe_member_name *names;
	size_t n_names;
};

struct pe_session {
	struct pe_app *app;
	struct pe_arena *arena; /**< the context's */
	struct pe_machine machine;
	struct pe_conditions conditions;
	int64_t machine_key;
	char recipe_hash[PE_HASH_HEX];
	int64_t builds_before; /**< the newest stored build at its first pe_known_load(); -1: not loaded yet */
	int64_t since_s;       /**< when it was opened */
	const char *cache_dir; /**< of this repository */
	int locks[2];          /**< descriptors: the machine's and the store's */
	size_t n_locks;
	bool claimed; /**< this host's name is in the store's lock */
	struct pe_launcher *launcher;
	bool confined;             /**< the launcher confines its commands, by: */
	struct pe_sandbox sandbox; /**< the config's, and whether landlock enforces it */
	struct pe_executor executor;
	struct pe_outside outside;
	struct pe_slots slots;
	struct pe_builder builder;
	struct pe_runner runner;
	struct pe_session_count count;
	uint64_t n_changing;           /**< builds so far that could write into others */
	size_t n_reused;               /**< cells that were reused in this session */
	size_t n_unseen;               /**< builds in a row that could not be watched */
	size_t n_unbuilt;              /**< revisions that needed no build */
	struct pe_revision *revisions; /**< with their keys, oldest first */
	bool *wanted; /**< by revision: requested; false: an ancestor that may serve as an anchor */
	size_t n_revisions;
	PE_VEC(struct pe_benchmark *) benchmarks;            /**< with their keys */
	struct pe_key_index revision_index, benchmark_index; /**< of their keys */
	struct pe_session_suite *suites;                     /**< the config's */
	size_t n_suites;
	PE_VEC(const struct pe_metric *)
	suite_metrics;                       /**< of their programs' results, each once */
	PE_VEC(struct pe_left_out) left_out; /**< tests that are not compared */
	PE_VEC(const char *)
	edited; /**< source files of tests that differ between the revisions, each once */
	size_t builds_done, builds_total; /**< for the progress */
	struct pe_pool *pool;             /**< NULL: not needed so far */
	unsigned workers;                 /**< builds at one time; 0: not computed yet */
	bool failure_is_fact;   /**< a build that failed beside others failed alone, too */
	bool uncounted_is_fact; /**< a counting run that failed beside others failed alone, too */
	bool counts_alone; /**< a counting run failed only beside others: builds are counted one at a time */
	bool apart; /**< set where a change is judged: without a sandbox, its build does not run beside its base's */
	PE_VEC(struct pe_ahead) ahead; /**< finished builds that were not requested yet */
	struct pe_ahead
		doubted; /**< the latest build that others may have made fail; id NULL: none */
	struct pe_troubles troubles;  /**< noted when the session closes, or before */
	struct pe_troubles uncounted; /**< runs that could not be counted, noted at the same time */
	bool measures;                /**< false: it only plans, in a transaction of the caller's */
	bool again;                   /**< measure again although there are results */
	bool timed_only; /**< with `again`: repeat no counting runs, the stored counts suffice */
	bool whole;      /**< make all repeats, also where fewer give a precise value */
	bool compares;   /**< the two wanted revisions are compared: see stop_rule.h */
	bool unskipped;  /**< skip no runs: comparing two commits needs the effect of code layout */
	/** set before pe_session_choose(): the chosen revisions are all; none of their ancestors serves as an anchor */
	bool unanchored;
	const char *bench; /**< the filter given to pe_session_choose() */
	/** set before pe_session_choose(): only benchmarks with these names; NULL: all */
	const struct pe_strings *names;
	/** names of the judged metrics; NULL: by config and default */
	const struct pe_strings *metrics;
	/** called once all of the first batch is built and planned, before its first run; NULL is allowed */
	int (*begin)(void *payload);
	/** called after each round of runs, when all of it is stored; NULL is allowed */
	void (*look)(void *payload);
	void *look_payload; /**< of both */
};

/**
 * Open: take the locks (waiting for another perfevo that measures, with a note), start the launcher, read the slots,
 * identify the machine.
 *
 * @param measure  false: only plan (`--dry-run`): no lock, no launcher
 */
int pe_session_open(struct pe_session *out, struct pe_app *app, bool measure);

/**
 * Confine the session's launcher as the config's `sandbox:` demands. Where the machine cannot, `auto` prints a note once
 * and goes on.
 *
 * @return  PE_EUNSUPPORTED: `require`, and the machine cannot
 */
int pe_session_confine(struct pe_session *session);

/** Open another launcher, confined as the session's. */
int pe_session_open_launcher(struct pe_launcher **out, struct pe_session *session,
			     struct pe_err *err);

/**
 * Choose the counter of instructions by `run: {instructions:}`.
 *
 * @return  PE_EUNSUPPORTED: the configured counter is not available
 */
int pe_session_choose_counts(struct pe_session *session);

/** A benchmark's simulated instructions on this machine, by earlier runs. */
struct pe_simulation {
	bool varies;    /**< runs of one build differ */
	unsigned lacks; /**< builds that are still to be simulated twice */
	bool useless;  /**< they vary as much as times do, and the config does not insist on them */
	unsigned paid; /**< with `varies`: rounds that take no longer than a build's timed runs */
};

/**
 * Load from the store.
 *
 * @param benchmark  its key there
 * @param now        its spending in this session, which the store does not have yet
 */
int pe_session_simulation(struct pe_simulation *out, struct pe_session *session, int64_t benchmark,
			  const struct pe_spending *now);

/**
 * The number of counting runs of a revision's build that simulate instructions. One suffices for a program whose counts
 * are the same in every run; the first builds test that, and some later ones check it.
 *
 * @param revision  its id
 */
unsigned pe_simulation_rounds(const struct pe_simulation *simulation, const char *revision);

/** The sentence that explains why there are no such rounds, and how to get some. */
const char *pe_simulation_refusal(const struct pe_simulation *simulation);

/**
 * The number of builds that this session may count at one time. It is that of parallel builds; but it is 1 where runs of
 * several commits share a folder that the config names and the config sets no number, or where they disturbed each other.
 */
unsigned pe_session_counting_workers(struct pe_session *session);

/**
 * Build commits of others with `sandbox: require`, unless the config or the user set a mode. Call it before a session
 * opens. `by_hand`: somebody started it in a tree of others, and reads the notes; outside of a pipeline, `auto` then serves
 * where there are no namespaces.
 */
void pe_session_require_sandbox(struct pe_app *app, bool by_hand);

/**
 * The version and the limits of the size of trees, in words; in the arena. A tree refused under the same text is not
 * tried again.
 */
const char *pe_session_limits(const struct pe_session *session);

/**
 * Release the machine's lock, so that others can measure. The session keeps the store's, and builds and runs nothing any
 * more.
 */
void pe_session_yield(struct pe_session *session);

/** Release everything. A zeroed session and a closed one are allowed. */
void pe_session_close(struct pe_session *session);

/** A session that is closed where the function returns. */
#define pe_auto_session __attribute__((cleanup(pe_session_close))) struct pe_session

/**
 * Choose the revisions to measure, up to 300 of their first-parent ancestors as possible anchors, and the configured
 * benchmarks whose names match; put them into the store.
 *
 * @param bench  POSIX extended regular expression; NULL: all
 */
int pe_session_choose(struct pe_session *session, const struct pe_revisions *revisions,
		      const char *bench);

/**
 * Turn `tests:` into benchmarks: build the newest revision that builds, list its tests, leave out those whose own source
 * differs between wanted revisions (Rizel §IV). Without `tests:` it does nothing.
 */
int pe_session_add_tests(struct pe_session *session, const char *bench);

/**
 * Add the members of `suites:` that the store has for the wanted revisions. pe_session_choose() calls it; it builds
 * nothing.
 */
int pe_session_take_suites(struct pe_session *session, const char *bench);

/**
 * Find benchmarks that only a built revision can list: tests, and the members of `suites:`. The newest wanted revision is
 * built and its benchmarks are listed, unless the store has the list. What is in the session already stays as it is.
 */
int pe_session_discover(struct pe_session *session, const char *bench);

/**
 * Fail because a session has no benchmark, with the reason why a test is left out.
 *
 * @param bench  the user's filter; NULL: all
 * @return       PE_EINVALID
 */
int pe_session_fail_without(const struct pe_session *session, const char *bench);

/** Add members that were discovered in revisions while they were measured. *more: there were any. */
int pe_session_take_news(bool *more, struct pe_session *session);

/**
 * Whether a revision lacks a benchmark, by the stored list of its suite. Indices. Fails as the store.
 *
 * @param out  false also where there is no list, and for benchmarks of no suite
 */
int pe_session_lacks(bool *out, struct pe_session *session, size_t revision, size_t benchmark);

/** Note which members of suites one revision has and a later one lacks, as far as both have lists. Indices. */
int pe_session_note_gone(struct pe_session *session, size_t before, size_t after);

/** Store the list of benchmarks of a suite at a revision. */
int pe_session_keep_listing(struct pe_session *session, const struct pe_suite *suite,
			    const struct pe_revision *revision, const struct pe_member_name *names,
			    size_t n);

/**
 * Copy the list of a suite's benchmarks to a revision from another that executes the same. Nothing happens where the
 * revision has a list, or the source has none.
 */
int pe_session_copy_listing(struct pe_session *session, const struct pe_suite *suite,
			    const struct pe_revision *revision, int64_t source);

/** Build the newest wanted revision that builds. @param revision  NULL: none of the newest few does */
int pe_session_build_newest(const char **tree, const struct pe_revision **revision,
			    struct pe_session *session);

/** Put benchmarks whose names match into the session and the store. They are borrowed until the session closes. */
int pe_session_take_benchmarks(struct pe_session *session, struct pe_benchmark *benchmarks,
			       size_t n, const char *bench);

/** The work that is left. */
struct pe_plan {
	size_t revisions; /**< wanted revisions with anything left to do */
	size_t builds;    /**< of them, to be built */
	size_t wanted;    /**< requested revisions */
	size_t unbuilt;   /**< wanted revisions that need no build: see app/measure/carry.h */
	size_t perhaps_unbuilt; /**< revisions that may need no build: the reads of their benchmarks were never seen */
	size_t runs; /**< timed and counting runs, anchors of the first batch included, without warm-ups */
	size_t skipped;  /**< wanted cells that failed before and are not tried again */
	size_t complete; /**< wanted cells that are measured already */
	double build_s;  /**< time for the builds, estimated from the store; NaN: no estimate */
	double run_s;    /**< time for these runs and all that goes with them; NaN: no estimate */
	bool at_most; /**< upper bound: the share of cells that need no runs is not known yet, and taken as 0 */
};

/**
 * Count the work left; with steps > 0, want only this number of revisions, evenly spread over those with work left.
 */
int pe_session_plan(struct pe_plan *out, struct pe_session *session, size_t steps);

/** Measure all that is left: batches that were left open first, then new ones. */
int pe_session_measure(struct pe_session *session);

/**
 * Find a revision's build, or build it and store the outcome. The slot is held until pe_slots_release().
 *
 * @param slot   NULL: every slot is held, the batch is full
 * @param build  outcome other than PE_MEASURED: it does not build; a build that was found has no duration
 */
int pe_session_build(struct pe_slot **slot, struct pe_build *build, struct pe_session *session,
		     const struct pe_revision *revision);

/** The same of any request. After a failure that has no row the slot is NULL, too. */
int pe_session_build_by(struct pe_slot **slot, struct pe_build *build, struct pe_session *session,
			const struct pe_build_request *request);

/** Find a build that did not change since it was made, and hold its slot. NULL: there is none. */
int pe_session_find_build(struct pe_slot **slot, struct pe_session *session,
			  const struct pe_build_request *request);

/**
 * Compare a slot with the list of its build, once after each build that the session makes. If it differs, the slot is
 * forgotten, with a note that names the first such file.
 *
 * @param whole  it does not differ
 * @param why    the consequence, for the note: "it is built again"; NULL: no note
 */
int pe_session_compare(bool *whole, struct pe_session *session, struct pe_slot *slot,
		       const char *why);

/** Count a build whose list is made: all slots are to be compared again. */
int pe_session_count_build(struct pe_session *session, struct pe_slot *slot,
			   const struct pe_build *build);

/**
 * Store the outcome of a listed build if the request says so, and only then make its slot findable: such a build always
 * has its row.
 */
int pe_session_keep_build(struct pe_session *session, const struct pe_build_request *request,
			  struct pe_slot *slot, const struct pe_build *build);

/** Report a build in the progress. */
void pe_session_report_build(struct pe_session *session, const struct pe_revision *revision);

/**
 * Report a run that is in no batch in the progress.
 *
 * @param revision   NULL: left out
 * @param benchmark  or what else is run
 * @return           PE_ESTOPPED: the user wants it to end
 */
int pe_session_report_run(const struct pe_session *session, const struct pe_revision *revision,
			  const char *benchmark, size_t done, size_t total);

/** Compare all slots that were used, and write their states as this session has them. */
void pe_session_close_slots(struct pe_session *session, struct pe_slots *slots);

/** The newest wanted revision; NULL: none is wanted. */
const struct pe_revision *pe_session_newest(const struct pe_session *session);

/** Index of a stored revision; SIZE_MAX: it has none. */
size_t pe_session_revision_of(const struct pe_session *session, int64_t key);

/** Index of a stored benchmark; SIZE_MAX: it has none. */
size_t pe_session_benchmark_of(const struct pe_session *session, int64_t key);
