/*
 * Session: one stretch of measuring. It holds the machine's measuring lock, the launcher, the slots with their
 * builds, and the keys under which the store knows what is measured. track, check and whatever measures later
 * share it.
 *
 * The plan of a session: every cell (revision, benchmark) that wants runs goes into a batch; batches hold as
 * many revisions as builds fit side by side, and anchors beside them: the two nearest measured predecessors
 * and two reference revisions, which tie the batch to what was measured before.
 */
#ifndef PE_APP_MEASURE_SESSION_H
#define PE_APP_MEASURE_SESSION_H

#include "app/app.h"
#include "app/measure/ahead.h"
#include "app/measure/kept.h"
#include "app/measure/outside.h"
#include "app/measure/trouble.h"
#include "core/base/key_index.h"
#include "core/base/vec.h"
#include "core/exec/builder.h"
#include "core/exec/runner.h"
#include "core/exec/slots.h"
#include "core/exec/batch.h"

/** A benchmark of this session and its key in the store. */
struct pe_session_benchmark {
	struct pe_benchmark *benchmark;
	int64_t key;
};

/** A revision of this session. */
struct pe_session_revision {
	const struct pe_revision *revision;
	int64_t key;
	bool wanted; /**< asked for; otherwise an ancestor that may serve as an anchor */
};

enum { PE_UNSEEN_BUILDS = 3 };      /**< in a row, after which no more are watched in a session */
enum { PE_SUITE_ITERATIONS = 100 }; /**< of a run that counts */

/** A suite of this session. */
struct pe_session_suite {
	const struct pe_suite *suite;
	int64_t key;  /**< in the store; 0: not put yet */
	int format;   /**< enum pe_suite_format; its AUTO: not known yet */
	bool fixed;   /**< its program can be told to run so many iterations */
	bool ignores; /**< its program ignores the library's options: it ran when it was to list */
	unsigned noted;   /**< 1 << enum pe_suite_note_kind of what was said in this session */
	bool news;        /**< a revision has benchmarks that are not in the session */
	int64_t contents; /**< of the store, whose names these are; 0: none */
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
	int64_t builds_before; /**< the newest stored build at its first pe_known_load(); -1: none yet */
	const char *cache_dir; /**< of this repository */
	int locks[2];          /**< descriptors: the machine's and the store's */
	size_t n_locks;
	bool timed_suites_noted; /**< which benchmarks are suites that are timed as one was said */
	bool claimed;            /**< this host's name stands in the store's lock */
	struct pe_launcher *launcher;
	bool confined;             /**< what the launcher runs, by: */
	struct pe_sandbox sandbox; /**< the config's, and whether landlock keeps it */
	struct pe_executor executor;
	struct pe_kept kept;
	struct pe_outside outside;
	struct pe_slots slots;
	struct pe_builder builder;
	struct pe_runner runner;
	struct pe_module_files module_files;
	struct pe_session_count count;
	size_t n_reused;                       /**< cells that were reused in this session */
	size_t n_unseen;                       /**< builds in a row that could not be watched */
	size_t n_unbuilt;                      /**< revisions that needed no build */
	struct pe_session_revision *revisions; /**< oldest first */
	size_t n_revisions;
	PE_VEC(struct pe_session_benchmark) benchmarks;
	struct pe_key_index revision_index, benchmark_index; /**< of their keys */
	struct pe_session_suite *suites;                     /**< the config's */
	size_t n_suites;
	PE_VEC(const struct pe_metric *) suite_metrics; /**< that their programs told, each once */
	PE_VEC(struct pe_left_out) left_out;            /**< tests that are not compared */
	PE_VEC(const char *)
	edited; /**< sources of these that differ between the revisions, each once */
	/** names of benchmarks and suites whose programs are equal at two revisions, and may read what differs between these */
	PE_VEC(const char *) alike;
	size_t builds_done, builds_total; /**< for the progress */
	struct pe_pool *pool;             /**< NULL: not needed so far */
	unsigned workers;                 /**< builds at one time; 0: not asked yet */
	bool failure_is_fact;             /**< one that failed beside others failed alone, too */
	bool uncounted_is_fact;           /**< likewise, a counting run */
	bool counts_alone;                /**< one disturbed the other */
	bool apart; /**< set where a change is judged: without a sandbox no build beside another */
	PE_VEC(struct pe_ahead) ahead; /**< built, and not asked for yet */
	struct pe_troubles troubles;   /**< noted when the session closes, or before */
	struct pe_troubles uncounted;  /**< what could not be counted, likewise: no failure */
	bool measures; /**< false: it only plans, in a transaction of the caller's */
	bool again;    /**< measure what is measured already */
	bool timed_only; /**< with `again`: the counts that there are tell enough, no run is made for more */
	bool whole; /**< make all repeats, also of what is known well enough before */
	bool unskipped; /**< skip no runs: where code lies counts when two commits are held against each other */
	const char *bench; /**< as it was given to pe_session_choose() */
	/** set before pe_session_choose(): no benchmarks but those with these names; NULL: all */
	const struct pe_strings *names;
	/** names of metrics that are judged; NULL: by config and default */
	const struct pe_strings *metrics;
	/** called after each round of runs, when all of it is stored; NULL: nobody looks on */
	void (*look)(void *payload);
	void *look_payload;
	uint64_t look_due_ns; /**< of pe_clock_ns(): when whoever looks on wants to see something */
};

/**
 * Open: take the locks (waiting for another perfevo that measures, with a note), start the launcher, read the
 * slots, identify the machine.
 *
 * @param measure  false: only plan (`--dry-run`): no lock, no launcher
 */
int pe_session_open(struct pe_session *out, struct pe_app *app, bool measure);

/**
 * Confine what the session's launcher runs, as the config's `sandbox:` says. Where the machine cannot, `auto` says so
 * once and goes on.
 *
 * @return  PE_EUNSUPPORTED: `require`, and the machine cannot
 */
int pe_session_confine(struct pe_session *session);

/** One more launcher, confined as the session's is. */
int pe_session_open_launcher(struct pe_launcher **out, struct pe_session *session,
			     struct pe_err *err);

/**
 * Choose what counts instructions, as `run: {instructions:}` says.
 *
 * @return  PE_EUNSUPPORTED: what it names is not here
 */
int pe_session_choose_counts(struct pe_session *session);

/** What is known of a benchmark's simulated instructions on this machine. */
struct pe_simulation {
	bool varies;    /**< runs of one build differ */
	unsigned lacks; /**< builds that are still to be simulated twice */
	bool useless; /**< they differ by so much that their times say as much, and nobody insists */
	unsigned
		paid; /**< where they differ: rounds that take no longer than a build's timed runs */
};

/**
 * Look into the store.
 *
 * @param benchmark  its key there
 * @param now        what it took in this session, which the store does not have yet
 */
int pe_session_simulation(struct pe_simulation *out, struct pe_session *session, int64_t benchmark,
			  const struct pe_spending *now);

/**
 * In how many counting runs of a revision's build instructions are simulated: one says it all where a program counts the
 * same in each, and that it does is found out at the first builds, and checked at some later ones.
 *
 * @param revision  its id
 */
unsigned pe_simulation_rounds(const struct pe_simulation *simulation, const char *revision);

/** Why there are no such rounds, and what would make some: a sentence. */
const char *pe_simulation_refusal(const struct pe_simulation *simulation);

/**
 * How many builds this session may count at one time: as many as it may build, and one where runs of several commits share a
 * folder that the config names and it does not say how many, or where that disturbed them.
 */
unsigned pe_session_counting_workers(struct pe_session *session);

/** Commits of others are built: with `sandbox: require`, unless somebody decided on another mode. Before a session opens. */
void pe_session_require_sandbox(const struct pe_app *app);

/** The version and limits that trees are refused by, in words; in the arena. */
const char *pe_session_limits(const struct pe_session *session);

/** Let others measure on this machine: from here on the session keeps the store to itself, and builds and runs nothing. */
void pe_session_yield(struct pe_session *session);

/** Release everything. A zeroed session is allowed, and one that is closed. */
void pe_session_close(struct pe_session *session);

/** A session that is closed where the function returns. */
#define pe_auto_session __attribute__((cleanup(pe_session_close))) struct pe_session

/**
 * Take the revisions to measure, and up to 300 of their first-parent ancestors as possible anchors, and the
 * configured benchmarks whose names match; put them into the store.
 *
 * @param bench  POSIX extended regular expression; NULL: all
 */
int pe_session_choose(struct pe_session *session, const struct pe_revisions *revisions,
		      const char *bench);

/**
 * Turn `tests:` into benchmarks: build the newest revision that builds, ask it for its tests, leave out those
 * whose own source is not the same in every wanted revision (Rizel §IV). Without `tests:` it does nothing.
 */
int pe_session_add_tests(struct pe_session *session, const char *bench);

/**
 * Find which tests of the session would be left out, had it these commits: their sources go to session->edited.
 *
 * @param n        number of such tests
 * @param commits  ids, from the oldest to the newest
 */
int pe_session_find_edited(size_t *n, struct pe_session *session, const struct pe_strings *commits);

/**
 * Take the members of `suites:` that are known to be in the wanted revisions. pe_session_choose() does so; it builds
 * nothing.
 */
int pe_session_take_suites(struct pe_session *session, const char *bench);

/**
 * Find the members of `suites:`: where the newest wanted revision was not asked yet, it is built and asked for its
 * benchmarks. Those that are in the session already stay as they are.
 */
int pe_session_add_suites(struct pe_session *session, const char *bench);

/** pe_session_add_tests() and pe_session_add_suites(): benchmarks that only a built revision knows. */
int pe_session_discover(struct pe_session *session, const char *bench);

/**
 * Fail because a session has no benchmark, with the reason why a test is left out.
 *
 * @param bench  what was asked for; NULL: all
 * @return       PE_EINVALID
 */
int pe_session_fail_without(const struct pe_session *session, const char *bench);

/** Take members that revisions turned out to have while they were measured. *more: there were any. */
int pe_session_take_news(bool *more, struct pe_session *session);

/**
 * Whether a revision's program is known not to have a benchmark, by what it said that it has. Indices. As the store.
 *
 * @param out  false also where it was not asked, and for what is no member of a suite
 */
int pe_session_lacks(bool *out, struct pe_session *session, size_t revision, size_t benchmark);

/** Note which members of suites one revision has and a later one not, as far as both are known. Indices. */
int pe_session_note_gone(struct pe_session *session, size_t before, size_t after);

/** What a revision's program has was found out: keep it. */
int pe_session_keep_listing(struct pe_session *session, const struct pe_suite *suite,
			    const struct pe_session_revision *revision,
			    const struct pe_member_name *names, size_t n);

/**
 * What a suite's program has at a revision is what it has at another that executes the same; nothing happens where that
 * is known already, or not known of the source either.
 */
int pe_session_copy_listing(struct pe_session *session, const struct pe_suite *suite,
			    const struct pe_session_revision *revision, int64_t source);

/** Build the newest wanted revision that builds. @param revision  NULL: none of the newest few does */
int pe_session_build_newest(const char **tree, const struct pe_session_revision **revision,
			    struct pe_session *session);

/** Put benchmarks whose names match into the session and the store; they live as long as the session. */
int pe_session_take_benchmarks(struct pe_session *session, struct pe_benchmark *benchmarks,
			       size_t n, const char *bench);

/** What is left to do. */
struct pe_plan {
	size_t revisions;       /**< wanted revisions with anything left to do */
	size_t builds;          /**< of them, to be built */
	size_t wanted;          /**< revisions that were asked for */
	size_t unbuilt;         /**< wanted revisions that need no build: see app/measure/carry.h */
	size_t perhaps_unbuilt; /**< may need none either: nobody saw what their benchmarks read */
	size_t runs; /**< timed and counting runs, anchors of the first batch included, without warm-ups */
	size_t skipped; /**< wanted cells that failed before and are not tried again */
	size_t saved; /**< of the runs, most likely: nothing that they execute differs; see reuse.h */
	size_t complete; /**< wanted cells that are measured already */
	double build_s;  /**< that the builds take, as far as the store can tell; NaN: it cannot */
	double run_s;    /**< that all else takes which goes into these runs; NaN likewise */
	bool at_most; /**< it is not known yet how many cells turn out to need no runs, so none is taken for one */
};

/**
 * Count what is left; with steps > 0, want only so many revisions, evenly spread over those that have
 * something left.
 */
int pe_session_plan(struct pe_plan *out, struct pe_session *session, size_t steps);

/** Measure what is left: batches that were left open first, then new ones. */
int pe_session_measure(struct pe_session *session);

/**
 * Find a revision's build, or build it and store what came of it. The slot is held until pe_slots_release().
 *
 * @param slot   NULL: every slot is held, the batch is full
 * @param build  outcome other than PE_MEASURED: it does not build; a build that was found has no duration
 */
int pe_session_build(struct pe_slot **slot, struct pe_build *build, struct pe_session *session,
		     const struct pe_session_revision *revision);

/**
 * Whether a slot still is what was built in it, compared once after each build that the session makes. If not, its
 * slot is forgotten, with a sentence that names the first file that differs.
 *
 * @param why  what comes of it, for the sentence: "it is built again"; NULL: say nothing
 */
int pe_session_compare(bool *whole, struct pe_session *session, struct pe_slot *slot,
		       const char *why);

/** List what a build of this moment left in its slot, whatever came of it, and count it. */
int pe_session_record(struct pe_session *session, struct pe_slot *slot,
		      const struct pe_build *build);

/** Count a build whose list is made: what was compared before is to be compared again. */
int pe_session_count_build(struct pe_session *session, struct pe_slot *slot,
			   const struct pe_build *build);

/** Store what came of a listed build, and only then let it be found again: a found build always has its row. */
int pe_session_keep_build(struct pe_session *session, const struct pe_session_revision *revision,
			  struct pe_slot *slot, const struct pe_build *build);

/** What is at work is shown. @param at_work  ids; none: `revision` alone */
void pe_session_report_build(struct pe_session *session, const struct pe_revision *revision,
			     const struct pe_strings *at_work);

/** Compare all slots that were used, and leave their states as they are known here. */
void pe_session_close_slots(struct pe_session *session, struct pe_slots *slots);

/** Index of a stored revision; SIZE_MAX: it has none. */
size_t pe_session_revision_of(const struct pe_session *session, int64_t key);

/** Index of a stored benchmark; SIZE_MAX: it has none. */
size_t pe_session_benchmark_of(const struct pe_session *session, int64_t key);

#endif
