/*
 * Results: a part of a store that another store can import, as one JSON document: one batch with all its runs, or failed
 * builds, reused cells and confirmations, or profiles, of one machine. Revisions, benchmarks and metrics stand in tables
 * of the document; the other rows refer to them by index. A document never changes: later results travel in another one.
 */
#ifndef PE_EXCHANGE_RESULTS_H
#define PE_EXCHANGE_RESULTS_H

#include "core/base/text.h"
#include "core/model/build.h"
#include "core/model/layout.h"
#include "core/model/machine.h"
#include "core/model/run.h"
#include "core/stats/confirm.h"

/** What a document, and what a bundle of them may have at most; those that are sent stay well below. */
enum pe_results_limit {
	PE_RESULTS_BYTES = 16 << 20, /**< of text */
	PE_RESULTS_ROWS = 1 << 18,   /**< of all tables */
	PE_RESULTS_VALUES =
		1 << 20, /**< of JSON in one document: they bound the memory that reading takes */
	PE_RESULTS_TEXT = 1 << 20, /**< bytes of a log, of a definition, of a set of modules */
	PE_RESULTS_MODULES =
		1 << 15, /**< of all sets of a document: they are compared with each other */
	PE_RESULTS_NODES = 1 << 20, /**< of all trees of a document, while they are unpacked */
};

/** A commit, by its id alone: what it is, each store learns from its own repository. */
struct pe_results_revision {
	char id[PE_OID_HEX];
};

/** A benchmark of one version, as a store has it. */
struct pe_results_benchmark {
	const char *name, *version;
	const char *definition; /**< JSON, for people */
	bool is_test;
};

/** Part of a batch's plan. */
struct pe_results_cell {
	size_t revision, benchmark;
	unsigned role; /**< enum pe_role */
	unsigned rounds;
	bool enough; /**< these rounds decided its value: it needs no more */
};

struct pe_results_sample {
	size_t metric;
	double value; /**< in the metric's unit */
};

/** What counting runs executed from outside of the tree (core/model/modules.h). */
struct pe_results_module_set {
	const char *lines;
};

struct pe_results_run {
	size_t revision, benchmark;
	enum pe_run_kind kind;
	unsigned round;
	uint64_t sequence;
	int64_t started_s;
	enum pe_outcome outcome;
	int status;
	const char *log; /**< NULL: none */
	struct pe_results_sample *samples;
	size_t n_samples;
	bool has_modules;  /**< its modules were recorded */
	size_t modules;    /**< which set */
	const char *calls; /**< its system calls (pe_system_calls_pack()); NULL: not known */
	int64_t since_s; /**< nothing was replaced in its batch since then, as far as its benchmark shows */
};

/** The latest attempt to build a revision by one recipe. */
struct pe_results_build {
	size_t revision;
	const char *recipe; /**< hash */
	struct pe_build build;
};

/** A cell that takes its results from another revision's. */
struct pe_results_reused {
	size_t revision, benchmark, source;
};

/** The result of fresh runs for a suspected change; it needs no more runs. */
struct pe_results_confirmation {
	size_t benchmark, metric;
	/** revisions: as suspected, and what held it with 95 % */
	size_t before, after, first, last;
	bool has_batch; /**< its batch is in the document's table, by time and seed */
	int64_t created_s;
	uint64_t seed;
	int direction;
	struct pe_confirm_opts opts;
	int64_t begun_s;
	enum pe_confirm_answer answer;
	struct pe_confirm_result result; /**< NaN: unknown */
	size_t known_after;
	bool pinned; /**< the four revisions below mean something */
	size_t pinned_before, pinned_after, pinned_first, pinned_last;
	double sure;           /**< NaN: not pinned */
	enum pe_layout layout; /**< of confirmed ones */
};

/** Bytes as they are; in the document in base64. */
struct pe_results_bytes {
	const uint8_t *at;
	size_t n;
};

/** A method of the document's trees, as struct pe_frame has it. */
struct pe_results_frame {
	const char *name, *component, *signature, *module;
	unsigned line;
	unsigned kind; /**< enum pe_frame_kind */
};

/** Calling context trees of a revision and benchmark that were taken together, as struct pe_stored_profile has them. */
struct pe_results_profile {
	size_t revision, benchmark;
	const char *kind, *settings, *tool, *file, *note;
	int64_t taken_s;
};

/** A tree of a profile; they stand in the order of its repetitions. */
struct pe_results_tree {
	size_t profile;
	/** indices into the frames of the document, 32 bits each, lowest byte first, in the tree's own order */
	struct pe_results_bytes frames;
	struct pe_results_bytes data; /**< the tree, packed (analysis/profile/archive.h) */
};

/** Strings and arrays live where it was made. */
struct pe_results {
	struct pe_machine machine;
	bool has_batch; /**< the batch's fields, cells and runs mean something */
	int64_t created_s;
	uint64_t seed; /**< with the machine and created_s what identifies the batch everywhere */
	struct pe_conditions conditions;
	bool aside; /**< its runs are pairs of a confirmation: not part of series */
	struct pe_results_revision *revisions;
	size_t n_revisions;
	struct pe_results_benchmark *benchmarks;
	size_t n_benchmarks;
	/** Custom metrics belong to the benchmark whose samples refer to them. */
	struct pe_metric *metrics;
	size_t n_metrics;
	struct pe_results_module_set *module_sets;
	size_t n_module_sets;
	struct pe_results_cell *cells;
	size_t n_cells;
	struct pe_results_run *runs;
	size_t n_runs;
	struct pe_results_build *builds;
	size_t n_builds;
	struct pe_results_reused *reused;
	size_t n_reused;
	struct pe_results_confirmation *confirmations;
	size_t n_confirmations;
	struct pe_results_frame *frames;
	size_t n_frames;
	struct pe_results_profile *profiles;
	size_t n_profiles;
	struct pe_results_tree *trees;
	size_t n_trees;
};

/** Write a document (schema in store/exchange/columns.c). Equal results give equal bytes. */
void pe_results_write(struct pe_text *out, const struct pe_results *results);

/**
 * Read a document. Nothing in it is trusted: identifiers have their form, references their target, numbers are
 * finite and within the bounds that a store has, only measured runs have samples.
 *
 * @param document  n bytes
 * @param arena     owns everything in *out
 * @return          PE_EINVALID with the row that is wrong; PE_EUNSUPPORTED for a newer version
 */
int pe_results_read(struct pe_results *out, const char *document, size_t n, struct pe_arena *arena,
		    struct pe_err *err);

/**
 * Leave out sets of modules that no run names, and those that a reader would refuse: with names that cannot be shown, or
 * with too many. The modules of their runs are unknown then.
 *
 * @param results  its runs are changed in place
 */
void pe_results_keep_modules(struct pe_results *results, struct pe_arena *arena);

/** Number of rows of all tables, samples among them. */
size_t pe_results_count(const struct pe_results *results);

/**
 * Check that results can be true: nothing was measured in the future, or before its commit was made; times and counts
 * are not negative, and values have a possible size.
 *
 * @param times_s  commit times, one a revision; INT64_MIN: the repository lacks the commit, and its times are not checked
 * @param now_s    a day more is allowed, for clocks that differ
 * @return         PE_EINVALID with the row that cannot be true
 */
int pe_results_check(const struct pe_results *results, const int64_t *times_s, int64_t now_s,
		     struct pe_err *err);

#endif
