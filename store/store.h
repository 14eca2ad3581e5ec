/*
 * Store: everything that was measured, kept exactly as measured, in one SQLite file.
 *
 * Its promises, which the tests cite by number:
 *  (1) A run appears with all its samples or stays out.
 *  (2) Samples are immutable: measuring again adds runs.
 *  (3) A series stays on one machine and one benchmark version.
 *  (4) A process killed, or a machine without power, at any moment loses at most the run in flight; the file opens again.
 *  (5) Two processes may use one file: writers wait for each other.
 *  (6) A file of a newer schema is refused, an older one is migrated forward in one transaction.
 *  (7) A full disk is PE_EFULL and leaves what was stored whole.
 *
 * Keys are row ids: stable within a file, meaningless outside it.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/model/build.h"
#include "core/model/spending.h"
#include "core/model/layout.h"
#include "core/model/machine.h"
#include "core/model/batch.h"
#include "core/model/benchmark.h"
#include "core/model/evolution.h"
#include "core/model/revision.h"
#include "core/model/run.h"
#include "core/model/suite.h"
#include "core/stats/confirm.h"
#include "analysis/methods/method.h"
#include "analysis/profile/cct.h"

#include <stdbool.h>

struct pe_store;

enum pe_open_flags {
	/** The file must be there: PE_ENOTFOUND. Without this flag it is created. */
	PE_OPEN_READONLY = 1 << 0,
	/** Keep the journal that also works on network file systems; set by itself there. */
	PE_OPEN_NETWORK = 1 << 1,
};

/**
 * Open, create or migrate. The folder must exist. PE_ESTORE names the file and the remedy.
 *
 * To read, no right to write is needed: neither to the file nor (while nobody else has it open for writing)
 * to its folder; writers and readers never wait for each other. Writers wait up to 30 s for each other, then
 * any writing call is PE_EBUSY. A handle stays in its process: it is not used after fork().
 */
int pe_store_open(struct pe_store **out, const char *path, unsigned flags, struct pe_err *err);
/** Close it; an open transaction is rolled back. NULL is allowed. */
void pe_store_close(struct pe_store *store);

/** Path of the file. Borrowed. */
const char *pe_store_path(const struct pe_store *store);
/** The network file system of the file ("NFS"); NULL: a local one. */
const char *pe_store_network(const struct pe_store *store);

/** One transaction around several calls. Without it each call is its own. They do not nest. */
int pe_store_begin(struct pe_store *store, struct pe_err *err);
/** End the transaction and keep what was written; on any error (as any write: a full disk) nothing of it is kept. */
int pe_store_commit(struct pe_store *store, struct pe_err *err);
/** End the transaction and forget what was written in it. */
void pe_store_rollback(struct pe_store *store);

/** A store whose transaction, where it is still open, is rolled back when the block is left; NULL: none. */
#define pe_auto_transaction __attribute__((cleanup(pe_transaction_drop))) struct pe_store *
static inline void pe_transaction_drop(struct pe_store **store)
{
	if (*store != NULL)
		pe_store_rollback(*store);
}

/** Whether pe_store_begin() was called and nothing has ended it. */
bool pe_store_in_transaction(const struct pe_store *store);

/* --- Writing: each finds or adds the thing and gives its key --- */

/** A machine by its fingerprint, a revision by its id. */
int pe_store_put_machine(int64_t *key, struct pe_store *store, const struct pe_machine *machine,
			 struct pe_err *err);
int pe_store_put_revision(int64_t *key, struct pe_store *store, const struct pe_revision *revision,
			  struct pe_err *err);
/** By (name, version). The definition is kept as JSON for people; custom metrics are put too. */
int pe_store_put_benchmark(int64_t *key, struct pe_store *store,
			   const struct pe_benchmark *benchmark, struct pe_err *err);

/** A build attempt. Every attempt is kept; the latest counts. */
int pe_store_put_build(int64_t *key, struct pe_store *store, int64_t revision, int64_t machine,
		       const char *recipe_hash, const struct pe_build *build, struct pe_err *err);

/* --- Batches: sets of cells that are measured together, in rounds --- */

/** Put a batch with its cells, in one transaction; batch->key is set. */
int pe_store_put_batch(struct pe_store *store, struct pe_batch *batch, struct pe_err *err);

/**
 * Add cells to a batch that grows while it is measured (PE_ROLE_EXPLORED); those that it has stay as they are.
 * One transaction.
 */
int pe_store_extend_batch(struct pe_store *store, int64_t batch, const struct pe_coverage *cells,
			  size_t n, struct pe_err *err);

/** Keys of the revisions that were explored on a machine: chosen for adaptive measuring. Ascending. */
int pe_store_explored(int64_t **out, size_t *n, struct pe_store *store, int64_t machine,
		      struct pe_arena *arena, struct pe_err *err);

/** One batch. PE_ENOTFOUND, without a sentence, when there is none of that key. */
int pe_store_get_batch(struct pe_batch *out, struct pe_store *store, int64_t batch,
		       struct pe_arena *arena, struct pe_err *err);

/** The open batches of a machine that are not aside, oldest first, in the arena. */
int pe_store_open_batches(struct pe_batch **out, size_t *n, struct pe_store *store, int64_t machine,
			  struct pe_arena *arena, struct pe_err *err);

/** Mark a cell of a batch as decided by its rounds so far: no batch runs it again. */
int pe_store_settle_cell(struct pe_store *store, int64_t batch, int64_t revision, int64_t benchmark,
			 unsigned rounds, struct pe_err *err);

/** Nothing more is to be run in it. */
int pe_store_close_batch(struct pe_store *store, int64_t batch, struct pe_err *err);

/**
 * A run of a cell with its samples, as one transaction. The same (cell, kind, round) twice is PE_ESTORE, and
 * so is a cell that the batch does not have; a value that is not finite is PE_EINVALID; PE_EFULL.
 */
int pe_store_put_run(struct pe_store *store, int64_t batch, int64_t revision, int64_t benchmark,
		     const struct pe_run *run, struct pe_err *err);

/** What counting runs count: instructions that functions execute themselves, or system calls. */
enum pe_counts { PE_COUNTS_OF_FUNCTIONS, PE_COUNTS_OF_CALLS };

struct pe_counts_query {
	enum pe_counts of;
	int64_t machine, benchmark;
	int64_t revision; /**< pe_store_counts_varying() does not ask for it */
};

/** The counts of a benchmark at a revision, by its runs or those that it was found to repeat (`reused`), in the arena. */
int pe_store_counts(struct pe_function_ranges *out, struct pe_store *store,
		    const struct pe_counts_query *query, struct pe_arena *arena,
		    struct pe_err *err);

/**
 * What differs between runs of one build of a benchmark, as the newest builds show that were counted more than once. Of each
 * the widest range; `runs` is 0.
 */
int pe_store_counts_varying(struct pe_function_ranges *out, struct pe_store *store,
			    const struct pe_counts_query *query, struct pe_arena *arena,
			    struct pe_err *err);

/** One stored value. */
struct pe_observation {
	int64_t revision, batch;
	unsigned round;
	/**
	 * from 1: something that the benchmark executes from outside of the tree was replaced between two of them, and what
	 * counting runs counted is not compared (store/modules.c)
	 */
	unsigned epoch;
	uint64_t sequence;
	double value;
	/* In a batch; in a series, which has one benchmark, kind and metric, they are 0. */
	int64_t benchmark;
	enum pe_run_kind kind;
	enum pe_outcome outcome;
	const char *metric; /**< name; NULL: the run has no values */
};

/**
 * Every run of a batch with its values, timed and counting, ordered by (benchmark, revision, round); a run without values
 * is there once. Without epoch and sequence.
 */
int pe_store_batch_values(struct pe_observation **out, size_t *n, struct pe_store *store,
			  int64_t batch, struct pe_arena *arena, struct pe_err *err);

/* --- Reading --- */

/** The runs of every cell of a machine that has any, ordered by (benchmark, revision); without the cells' sources. */
int pe_store_coverage(struct pe_coverage **out, size_t *n, struct pe_store *store, int64_t machine,
		      struct pe_arena *arena, struct pe_err *err);

/** How often what fails because of the machine is tried: once, and again twice. */
#define PE_INCONCLUSIVE_TRIES 3

/** The key of the newest build; 0: there is none. */
int pe_store_newest_build(int64_t *key, struct pe_store *store, struct pe_err *err);

/**
 * The revisions, ascending, whose latest build failed for a reason that another try does not change. A refused tree may
 * lack a submodule that is fetched before the next session: it is among them where a build after `since` was refused, or
 * one by these limits.
 *
 * @param limits  see struct pe_builder; NULL: unknown
 * @param since   key of a build
 */
int pe_store_unbuildable(int64_t **out, size_t *n, struct pe_store *store, int64_t machine,
			 const char *recipe_hash, const char *limits, int64_t since,
			 struct pe_arena *arena, struct pe_err *err);

/** How long the latest good build of a revision took, from nothing or upon another. */
struct pe_stored_build_time {
	int64_t revision;
	uint64_t duration_ns;
};

/** Of every revision that a machine built well, whatever the recipe; unordered. */
int pe_store_build_times(struct pe_stored_build_time **out, size_t *n, struct pe_store *store,
			 int64_t machine, struct pe_arena *arena, struct pe_err *err);

/** Add a session's costs of measuring a benchmark to the stored ones. */
int pe_store_add_costs(struct pe_store *store, int64_t machine, int64_t benchmark,
		       const struct pe_spending *costs, struct pe_err *err);

/** The costs of measuring a benchmark; n is 0 for a kind that was never measured. */
int pe_store_get_costs(struct pe_spending *out, struct pe_store *store, int64_t machine,
		       int64_t benchmark, struct pe_err *err);

/** How far a track has come. */
struct pe_activity {
	int64_t since_s;         /**< when it began */
	size_t known, revisions; /**< with results; of the whole request */
};

/** Put the progress of a track on a machine; it is dropped when the track ends. A killed one leaves its row. */
int pe_store_put_activity(struct pe_store *store, int64_t machine,
			  const struct pe_activity *activity, struct pe_err *err);
/** Drop it. Nothing is wrong where there is none. */
int pe_store_drop_activity(struct pe_store *store, int64_t machine, struct pe_err *err);

/** The latest of any machine; revisions is 0 where there is none. Whether it is alive, pe_app_is_measured() tells. */
int pe_store_get_activity(struct pe_activity *out, struct pe_store *store, struct pe_err *err);

struct pe_series_query {
	int64_t machine, benchmark;
	const char *metric; /**< name */
};

/**
 * Every value of one metric of one benchmark on one machine, ordered by (batch, round, sequence). Those of
 * batches that are aside are left out.
 */
int pe_store_get_series(struct pe_observation **out, size_t *n, struct pe_store *store,
			const struct pe_series_query *query, struct pe_arena *arena,
			struct pe_err *err);

/** A series that is to be read, and where to. */
struct pe_series {
	const char *metric;        /**< name */
	struct pe_arena *arena;    /**< that the values go to */
	struct pe_observation *at; /**< read: n of them */
	size_t n;
};

/** Series of one benchmark, as pe_store_get_series() reads one, in few passes over its runs. */
int pe_store_read_series(struct pe_series *series, size_t n, struct pe_store *store,
			 int64_t machine, int64_t benchmark, struct pe_err *err);

/** The epoch of the latest counting run of a benchmark on a machine; 0: there is none. */
int pe_store_latest_epoch(unsigned *out, struct pe_store *store, int64_t machine, int64_t benchmark,
			  struct pe_err *err);

/** A failed run or cell, for showing. */
struct pe_stored_failure {
	int64_t revision, benchmark; /**< benchmark 0: the build failed */
	enum pe_outcome outcome;
	int status;
	const char *log;
};

/** The latest failure of each cell and build of a machine which have one and no measured run since. */
int pe_store_failures(struct pe_stored_failure **out, size_t *n, struct pe_store *store,
		      int64_t machine, struct pe_arena *arena, struct pe_err *err);

/** A stored benchmark, newest version first within a name. */
struct pe_stored_benchmark {
	int64_t key;
	const char *name, *version, *definition; /**< definition: JSON */
	int64_t last_run_s;                      /**< 0: never run */
	bool is_test;
	const char *suite; /**< that it is a member of; NULL: on its own */
};

/** All benchmarks with what this machine ran of them, in the arena. */
int pe_store_benchmarks(struct pe_stored_benchmark **out, size_t *n, struct pe_store *store,
			int64_t machine, struct pe_arena *arena, struct pe_err *err);

/** Names of the benchmarks that no config names: members of suites, and tests; sorted, each once. In the arena. */
int pe_store_member_names(struct pe_strings *out, struct pe_store *store, struct pe_arena *arena,
			  struct pe_err *err);

/** Names of all benchmarks, and of all metrics that have values or had; sorted, each once. In the arena. */
int pe_store_benchmark_names(struct pe_strings *out, struct pe_store *store, struct pe_arena *arena,
			     struct pe_err *err);
int pe_store_metric_names(struct pe_strings *out, struct pe_store *store, struct pe_arena *arena,
			  struct pe_err *err);

/** What stands as the origin of machines whose results were read from files. */
#define PE_IMPORTED "imported"

/** Find or add the machine that imported results of that name belong to. */
int pe_store_put_imported_machine(int64_t *key, struct pe_store *store, const char *name,
				  struct pe_err *err);

/** As pe_store_put_benchmark(); it never becomes the newest version of its name. */
int pe_store_put_imported_benchmark(int64_t *key, struct pe_store *store,
				    const struct pe_benchmark *benchmark, struct pe_err *err);

/** Find or add the batch that all imported results of a machine are in; it is closed. */
int pe_store_import_batch(int64_t *key, struct pe_store *store, int64_t machine, int64_t created_s,
			  struct pe_err *err);

/** The round behind all that a revision has in a batch. */
int pe_store_import_round(unsigned *out, struct pe_store *store, int64_t batch, int64_t revision,
			  struct pe_err *err);

/** Note that a file was imported, by a hash of it, or set `known` if it was noted before. */
int pe_store_mark_import(bool *known, struct pe_store *store, int64_t machine, uint64_t mark,
			 int64_t created_s, struct pe_err *err);

/** Find or add a suite by its name and version; its format is kept in place of an earlier one. */
int pe_store_put_suite(int64_t *key, struct pe_store *store, const struct pe_suite *suite,
		       const char *format, bool fixed, struct pe_err *err);

/** What a suite's program was found to be. PE_ENOTFOUND: it is not known. */
int pe_store_get_suite(int64_t *key, const char **format, bool *fixed, struct pe_store *store,
		       const struct pe_suite *suite, struct pe_arena *arena, struct pe_err *err);

/**
 * Rename a member of a suite: its history continues under the new name, and listings that lack it are made anew. Does
 * nothing where no benchmark has the old name and that version.
 */
int pe_store_rename_benchmark(struct pe_store *store, const char *from, const char *to,
			      const char *version, struct pe_err *err);

/** Put the listing of a suite's program at a revision, in place of an earlier one. */
int pe_store_put_listing(struct pe_store *store, int64_t suite, int64_t revision,
			 const struct pe_member_name *names, size_t n, struct pe_err *err);

/** Key of a revision's listing: revisions with the same contents have the same key. 0: never listed. */
int pe_store_get_listing(int64_t *contents, struct pe_store *store, int64_t suite, int64_t revision,
			 struct pe_err *err);

/** The names of contents, each once, in the order of the listing; 0: none. */
int pe_store_suite_names(struct pe_member_name **out, size_t *n, struct pe_store *store,
			 int64_t contents, struct pe_arena *arena, struct pe_err *err);

/** Metrics that a benchmark has values of on a machine, built-in ones first; custom ones as stored. */
int pe_store_benchmark_metrics(struct pe_metric **out, size_t *n, struct pe_store *store,
			       int64_t machine, int64_t benchmark, struct pe_arena *arena,
			       struct pe_err *err);

/** Every stored revision with its parents, ordered by key. */
int pe_store_revisions(struct pe_revision **out, size_t *n, struct pe_store *store,
		       struct pe_arena *arena, struct pe_err *err);

/** Every machine. */
struct pe_stored_machine {
	int64_t key;
	struct pe_machine
		machine; /**< of others' results: with a fingerprint that no machine has */
	const char
		*origin; /**< "": measured here; else whose results they are (store/exchange.h) */
	const char *remote;     /**< where these came from first */
	const char *public_key; /**< that signed them, in base64; NULL: none did */
	int64_t last_run_s;     /**< 0: none */
	bool has_runs;
	bool farm; /**< the class of machines of this store's farm */
};

/** All machines, in the arena. */
int pe_store_machines(struct pe_stored_machine **out, size_t *n, struct pe_store *store,
		      struct pe_arena *arena, struct pe_err *err);

/* --- Identical builds: what need not be run --- */

/** What a benchmark executed at a revision that was measured. */
struct pe_execution {
	int64_t revision, benchmark;
	const char *touched;  /**< a line each: kind and path, see app/measure/trace.h */
	const char *identity; /**< of all of it, in hexadecimal */
	const char *
		functions; /**< that were entered, see app/measure/trace.h; NULL: they were not seen */
	const char
		*executed; /**< identity of them, what they read, and the files; NULL with them */
};

/** The first function that a benchmark's run enters at a revision and counting does not execute; "" none. */
struct pe_chosen {
	int64_t revision;
	const char *function;
};

/** Keep what a benchmark executed at a revision; a later call replaces an earlier one. */
int pe_store_put_execution(struct pe_store *store, int64_t machine,
			   const struct pe_execution *execution, struct pe_err *err);

/** Every execution known on a machine, ordered by (benchmark, revision). */
int pe_store_executions(struct pe_execution **out, size_t *n, struct pe_store *store,
			int64_t machine, struct pe_arena *arena, struct pe_err *err);

/** Those of a benchmark at either of two revisions. */
int pe_store_executions_of(struct pe_execution **out, size_t *n, struct pe_store *store,
			   int64_t machine, int64_t benchmark, const int64_t revisions[2],
			   struct pe_arena *arena, struct pe_err *err);

/** Executions of a revision whose functions were seen and not yet compared with what was counted. As above. */
int pe_store_unmarked_executions(struct pe_execution **out, size_t *n, struct pe_store *store,
				 int64_t machine, int64_t revision, struct pe_arena *arena,
				 struct pe_err *err);

/** Keep which function a run chose that is not counted; see struct pe_chosen. */
int pe_store_put_chosen(struct pe_store *store, int64_t machine, int64_t benchmark,
			const struct pe_chosen *chosen, struct pe_err *err);

/** Chosen functions of a benchmark on a machine, ordered by revision. */
int pe_store_chosen(struct pe_chosen **out, size_t *n, struct pe_store *store, int64_t machine,
		    int64_t benchmark, struct pe_arena *arena, struct pe_err *err);

/** Store or replace where a cell takes its results from: its source, unbuilt and skipped. */
int pe_store_put_reused(struct pe_store *store, int64_t machine, const struct pe_coverage *reused,
			struct pe_err *err);

/** Every cell of a machine with a source, ordered by (benchmark, revision); without the cells' runs. */
int pe_store_reused(struct pe_coverage **out, size_t *n, struct pe_store *store, int64_t machine,
		    struct pe_arena *arena, struct pe_err *err);

/** A cell among those in the order of pe_store_reused(); NULL: it is not. */
const struct pe_coverage *pe_coverage_find(const struct pe_coverage *cells, size_t n,
					   int64_t revision, int64_t benchmark);

/** Forget where a skipped cell takes its results from: it has its own now. */
int pe_store_drop_skipped(struct pe_store *store, int64_t machine, int64_t benchmark,
			  int64_t revision, struct pe_err *err);

/**
 * Note that a cell is not what its source is although it executes the same: all skipped cells of the benchmark are
 * forgotten. @param forgotten  how many
 */
int pe_store_put_misjudged(size_t *forgotten, struct pe_store *store, int64_t machine,
			   int64_t benchmark, int64_t revision, int64_t source, struct pe_err *err);

/** Benchmarks of a machine with a cell that was misjudged, each once, ascending. */
int pe_store_misjudged(int64_t **benchmarks, size_t *n, struct pe_store *store, int64_t machine,
		       struct pe_arena *arena, struct pe_err *err);

/* --- What builds read: what need not be built --- */

/** What a good build was seen to read of its tree. */
struct pe_stored_reads {
	const char *digest; /**< of paths; NULL: not all of it could be seen */
	const char *paths;  /**< see app/measure/trace.h */
	const char *reason; /**< why not; NULL: it could */
};

/** Keep what a build read; equal paths are stored once. @param build  key of pe_store_put_build() */
int pe_store_put_reads(struct pe_store *store, int64_t build, const struct pe_stored_reads *reads,
		       struct pe_err *err);

/** A revision whose latest build with a recipe was good and was seen whole. */
struct pe_build_reads {
	int64_t revision;
	int64_t set; /**< for pe_store_read_set() */
};

/** All of a machine and a recipe, ordered by revision. */
int pe_store_build_reads(struct pe_build_reads **out, size_t *n, struct pe_store *store,
			 int64_t machine, const char *recipe_hash, struct pe_arena *arena,
			 struct pe_err *err);

/** The paths of a set. PE_ENOTFOUND. */
int pe_store_read_set(const char **paths, struct pe_store *store, int64_t set,
		      struct pe_arena *arena, struct pe_err *err);

/**
 * A build differed from that of another revision although it should have read the same: from now on
 * pe_store_is_misread(), and no reused cell of the machine stands without a build.
 *
 * @param forgotten  receives how many of them there were
 */
int pe_store_put_misread(size_t *forgotten, struct pe_store *store, int64_t machine,
			 const char *recipe_hash, int64_t revision, int64_t source,
			 struct pe_err *err);

/** Whether what builds with a recipe read was once found not to tell what they are. */
int pe_store_is_misread(bool *out, struct pe_store *store, int64_t machine, const char *recipe_hash,
			struct pe_err *err);

/* --- Jumps --- */

/**
 * Replace all jumps of a line's benchmark and metric on a machine by those of the line. One transaction. PE_ESTORE for jumps
 * of a series without values.
 *
 * @param evolution  that the line is of: its revisions have their keys
 */
int pe_store_replace_jumps(struct pe_store *store, int64_t machine,
			   const struct pe_evolution *evolution, const struct pe_line *line,
			   struct pe_err *err);

/* --- Confirmations --- */

/** A suspected change of one metric, with the result of fresh runs (core/stats/confirm.h). Keys are the store's. */
struct pe_stored_confirmation {
	int64_t key; /**< 0: not put yet */
	int64_t machine, benchmark;
	const char *metric;
	int64_t before, after; /**< revisions: the change as it was suspected */
	/** revisions that held its beginning with 95 %, oldest and newest; `after` among them */
	int64_t first, last;
	/**
	 * The batch of its pairs, whose plan holds the sides (PE_ROLE_LEFT, PE_ROLE_RIGHT, nearest to the
	 * change first) and the seed. Metrics share it. 0: its runs were dropped by `gc`.
	 */
	int64_t batch;
	/** of its event, in the order in which this machine's were begun, from 1; 0: a new one, set by the store */
	size_t number;
	int direction; /**< 1: up, -1: down */
	struct pe_confirm_opts opts;
	int64_t begun_s;
	enum pe_confirm_answer answer; /**< PE_CONFIRM_GO_ON: the rest is not known yet */
	struct pe_confirm_result result;
	size_t known_after; /**< number of the last event that had begun when the answer came in */
	/** Where the change was pinned by measuring again; all 0: it was not. */
	int64_t pinned_before, pinned_after, pinned_first, pinned_last;
	double sure;           /**< probability of that place; NaN: not pinned */
	bool settled;          /**< nothing more is to be measured for it */
	enum pe_layout layout; /**< whether placement in memory alone makes the difference */
};

/** Put a new one (key 0; key and number are set), or update one. */
int pe_store_put_confirmation(struct pe_store *store, struct pe_stored_confirmation *confirmation,
			      struct pe_err *err);

/** All of a machine, in the order in which they were begun. */
int pe_store_confirmations(struct pe_stored_confirmation **out, size_t *n, struct pe_store *store,
			   int64_t machine, struct pe_arena *arena, struct pe_err *err);

/** The medians of a metric over the timed runs of a batch: of the old side, of the new one. NaN: the side has no runs. */
int pe_store_pair_medians(double medians[2], struct pe_store *store, int64_t batch,
			  int64_t benchmark, const char *metric, struct pe_err *err);

/** Note a batch that was measured to pin the change which another batch confirmed. */
int pe_store_put_pin(struct pe_store *store, int64_t confirmed_by, int64_t batch,
		     struct pe_err *err);

/** Keys of the batches that pin what a batch confirmed, in order. */
int pe_store_pins(int64_t **out, size_t *n, struct pe_store *store, int64_t confirmed_by,
		  struct pe_arena *arena, struct pe_err *err);

/* --- Changed methods --- */

/** A commit whose methods were compared with those of its first parent. */
struct pe_compared {
	const char *revision; /**< id of the commit, which need not be stored itself */
	const char *before;   /**< id of what it was compared with; "" for an empty tree */
	const char *rules; /**< what decides the answer besides: knowledge by other rules is void */
	size_t files;      /**< read, on either side */
	size_t unread;     /**< parts of them that could not be parsed */
};

/** Replace the changed methods of a commit; there may be none. One transaction. PE_ESTORE for an unknown kind. */
int pe_store_put_changes(struct pe_store *store, const struct pe_compared *compared,
			 const struct pe_method_changes *changes, struct pe_err *err);

/**
 * The changed methods of a commit, in the order of putting: names, lines, and whether either side is uncertain.
 *
 * @param compared  revision, before and rules are set by the caller; the rest is filled in
 * @return          PE_ENOTFOUND, without a sentence: none are stored, or for another parent, or by other rules
 */
int pe_store_get_changes(struct pe_method_changes *out, struct pe_compared *compared,
			 struct pe_store *store, struct pe_arena *arena, struct pe_err *err);

/** The machine code of a method in two builds. */
struct pe_stored_code {
	bool in_new;             /**< of the newer revision, else of the older one */
	struct pe_method method; /**< its names and lines */
	int recompiled;     /**< 1: its instructions differ, 0: they are the same, -1: unknown */
	const char *reason; /**< why, where its source is the same; "": not known */
};

/** The machine code of a pair of revisions; methods that are not listed are the same on both sides. */
struct pe_stored_crossing {
	int64_t machine;
	const char *before, *after; /**< ids */
	const char *recipe;         /**< hash of what decides their builds */
	const char *
		benchmarks; /**< whose programs were looked at: names, sorted, each with a line feed */
	struct pe_stored_code *at;
	size_t n;
};

/** Replace the machine code of a pair, its recipe and its benchmarks. One transaction. */
int pe_store_put_crossing(struct pe_store *store, const struct pe_stored_crossing *crossing,
			  struct pe_err *err);

/**
 * The machine code of a pair: by the programs of the same benchmarks, else the latest by those of these and more.
 *
 * @param out  all but the list is set by the caller; the list is filled in, in the arena, in the order of putting
 * @return     PE_ENOTFOUND, without a sentence
 */
int pe_store_get_crossing(struct pe_stored_crossing *out, struct pe_store *store,
			  struct pe_arena *arena, struct pe_err *err);

/** A pair of revisions whose methods were charged (struct pe_charge). */
struct pe_charges_query {
	int64_t machine, benchmark;
	const char *before, *after; /**< ids */
};

/** Replace the charges of a pair. One transaction. */
int pe_store_put_charges(struct pe_store *store, const struct pe_charges_query *query,
			 const struct pe_charges *charges, struct pe_err *err);

/** The charges of a pair, in the arena. PE_ENOTFOUND, without a sentence: never counted. */
int pe_store_get_charges(struct pe_charges *out, struct pe_store *store,
			 const struct pe_charges_query *query, struct pe_arena *arena,
			 struct pe_err *err);

/** How many methods a commit changed. */
struct pe_changes_count {
	char revision[PE_OID_HEX], before[PE_OID_HEX];
	uint64_t mc;    /**< methods added, deleted and modified (Spark Circle §IV) */
	uint64_t files; /**< that were read for it */
};

/** The stored count of every commit, by its id. @param rules  only by these; NULL: by any */
int pe_store_count_changes(struct pe_changes_count **out, size_t *n, struct pe_store *store,
			   const char *rules, struct pe_arena *arena, struct pe_err *err);

/**
 * The cached methods of a file's content: bytes of analysis/methods/, which the store does not look into.
 *
 * @param out      appended to
 * @param version  of the extraction: what another one put is not found
 * @return         PE_ENOTFOUND, without a sentence
 */
int pe_store_get_extraction(struct pe_text *out, struct pe_store *store, const char *blob,
			    const char *language, uint32_t version, struct pe_err *err);

/** Keep the methods of a file's content, in the place of those of another version. */
int pe_store_put_extraction(struct pe_store *store, const char *blob, const char *language,
			    uint32_t version, const struct pe_text *data, struct pe_err *err);

/* --- Profiles: calling context trees --- */

/**
 * One profile: trees of one revision and benchmark that were taken together, by one way of taking them. The
 * first tree is the one to show; what differs between them is the noise of the program's own execution.
 */
struct pe_stored_profile {
	int64_t key; /**< set by the store */
	int64_t machine, benchmark;
	/** id of the commit, which need not be stored itself */
	const char *revision;
	const char *kind;     /**< how it was collected: facts.source of its trees */
	const char *settings; /**< hash of what else decides the trees; "" where nothing does */
	const char *tool;     /**< that took it, with its version; "": unknown */
	const char *file; /**< name of the file it was imported from; "": perfevo collected it */
	const char *note; /**< a sentence for the user; "" */
	int64_t taken_s;
	/* Set by the store. */
	size_t n_trees;
	uint64_t nodes, bytes; /**< of all its trees; bytes as stored */
	/** found by pe_store_find_profile(): of an identical build at another revision, which is `revision` */
	bool reused;
};

/**
 * Keep a profile with all its trees, or nothing. It takes the place of one that has the same machine, benchmark,
 * revision, kind, settings and file. Strings that are NULL are taken as "".
 *
 * @param trees  n of them, at least one; they may have different tables of frames
 * @return       PE_EINVALID: a tree that pe_cct_check() refuses; PE_EFULL, PE_EBUSY, PE_ESTORE
 */
int pe_store_put_profile(int64_t *key, struct pe_store *store,
			 const struct pe_stored_profile *profile, const struct pe_cct *const *trees,
			 size_t n, struct pe_err *err);

struct pe_profile_query {
	int64_t machine, benchmark;
	const char *revision;
	const char *kind;     /**< NULL: any */
	const char *settings; /**< NULL: any */
};

/**
 * The latest profile of a revision and benchmark on a machine; where it has none, that of a revision which
 * executes the same (pe_store_put_reused()), with `reused` set.
 *
 * @return  PE_ENOTFOUND, without a sentence
 */
int pe_store_find_profile(struct pe_stored_profile *out, struct pe_store *store,
			  const struct pe_profile_query *query, struct pe_arena *arena,
			  struct pe_err *err);

/** Every profile of a machine, by benchmark, then in the order of storing. */
int pe_store_profiles(struct pe_stored_profile **out, size_t *n, struct pe_store *store,
		      int64_t machine, struct pe_arena *arena, struct pe_err *err);

/** The ids of all commits that have a profile on any machine, each once, ascending, in the arena. */
int pe_store_profiled(const char ***out, size_t *n, struct pe_store *store, struct pe_arena *arena,
		      struct pe_err *err);

/**
 * One tree of a profile.
 *
 * @param out         in the arena
 * @param repetition  0 to n_trees - 1
 * @param frames      the table that its frames are added to
 * @return            PE_ENOTFOUND, without a sentence; PE_ESTORE: the file is damaged
 */
int pe_store_get_tree(struct pe_cct **out, struct pe_store *store, int64_t profile,
		      size_t repetition, struct pe_frames *frames, struct pe_arena *arena,
		      struct pe_err *err);

/* --- Upkeep --- */

struct pe_store_gc {
	bool dry_run;
	/** drop benchmark versions that are not the newest of their name, with their runs */
	bool old_versions;
	int64_t before_s; /**< drop runs older than this; 0: none */
	/** Ids of revisions that are never dropped, with their runs of current versions. */
	struct pe_strings keep;
	/** Drop revisions not in keep, with their runs, profiles and changed methods. */
	bool unreachable;
	bool extractions; /**< drop the cached methods of files: they are read again when needed */
	/** Drop the profiles of revisions that are not in keep_profiles; runs and samples stay. */
	bool profiles;
	struct pe_strings keep_profiles;
};

struct pe_store_gc_result {
	uint64_t runs, benchmarks, revisions;
	uint64_t extractions;
	uint64_t profiles; /**< those of dropped revisions and benchmark versions among them */
	uint64_t bytes_before, bytes_after;
};

/**
 * Drop the rows that the options name, then give the space back to the file system. Logs of failures that a later attempt
 * has overtaken shrink to their last 4 KiB. Rows without runs go too (closed batches, jumps, metrics of a series), and so
 * do methods of profiles that no tree needs. An open batch that loses runs to before_s is closed, or they would be made
 * again.
 *
 * A dry run changes nothing, also works on a handle opened to read, and leaves bytes_after at bytes_before.
 * Not inside a transaction.
 *
 * @return  PE_EFULL when there is no room to rewrite the file: everything was dropped all the same
 */
int pe_store_collect(struct pe_store_gc_result *out, struct pe_store *store,
		     const struct pe_store_gc *what, struct pe_err *err);

/** A row for each sample: for `export`. Strings live until fn returns. */
struct pe_export_row {
	const char *revision, *subject, *benchmark, *version, *metric, *unit, *machine;
	int64_t time_s;
	int64_t batch;
	unsigned round;
	const char *kind;
	double value;
};
typedef int (*pe_export_fn)(const struct pe_export_row *row, void *payload);

/**
 * Every sample of a series on a machine, by benchmark key, then in the order of storing; those of batches that are
 * aside are left out. Nothing is sorted or kept, so
 * any size will do. Stops when fn returns non-zero, and returns that; fn does not write to the store.
 */
int pe_store_export(struct pe_store *store, int64_t machine, pe_export_fn fn, void *payload,
		    struct pe_err *err);
