/*
 * Parcel: a part of a store that another store can take in: one batch with all its runs, or failed builds,
 * reused-over cells and confirmations, of one machine. What it speaks of stands in tables of its own; the rest refers to
 * them by index. A parcel never changes: what is measured later travels in another one.
 */
#ifndef PE_CORE_MODEL_PARCEL_H
#define PE_CORE_MODEL_PARCEL_H

#include "core/model/build.h"
#include "core/model/layout.h"
#include "core/model/machine.h"
#include "core/model/run.h"
#include "core/stats/confirm.h"

/** A benchmark of one version, as a store knows it. */
struct pe_parcel_benchmark {
	const char *name, *version;
	const char *definition; /**< JSON, for people */
	bool is_test;
};

/** Part of a batch's plan. */
struct pe_parcel_cell {
	size_t revision, benchmark;
	unsigned role; /**< 0: new, 1: anchor, 2 and 3: left and right of a confirmation */
	unsigned rounds;
	bool enough; /**< its value was known well enough by them: it wants no more */
};

/** A run without its samples; those are `n_samples` of the parcel's, from `first` on. */
struct pe_parcel_run {
	size_t revision, benchmark;
	enum pe_run_kind kind;
	unsigned round;
	uint64_t sequence;
	int64_t started_s;
	enum pe_outcome outcome;
	int status;
	const char *log; /**< NULL: none */
	size_t first, n_samples;
};

/** The latest attempt to build a revision by one recipe. */
struct pe_parcel_build {
	size_t revision;
	const char *recipe; /**< hash */
	struct pe_build build;
};

/** A cell that takes its results from another revision's. */
struct pe_parcel_reused {
	size_t revision, benchmark, source;
};

/** What fresh runs said of a change that was suspected; nothing more is to be measured for it. */
struct pe_parcel_confirmation {
	size_t benchmark, metric;
	size_t before, after, first,
		last;   /**< revisions: as suspected, and what held it with 95 % */
	bool has_batch; /**< its batch is known: by time and seed */
	int64_t created_s;
	uint64_t seed;
	int direction;
	struct pe_confirm_opts opts;
	int64_t begun_s;
	enum pe_confirm_answer answer;
	struct pe_confirm_told told; /**< NaN: not told */
	size_t known_after;
	bool pinned; /**< the four revisions below mean something */
	size_t pinned_before, pinned_after, pinned_first, pinned_last;
	double sure;           /**< NaN: not pinned */
	enum pe_layout layout; /**< of confirmed ones */
};

/** Strings and arrays live where it was made. */
struct pe_parcel {
	struct pe_machine machine;
	bool has_batch; /**< the batch's fields, cells and runs mean something */
	int64_t created_s;
	uint64_t seed; /**< with the machine and created_s what identifies the batch everywhere */
	struct pe_conditions conditions;
	bool aside; /**< its runs are pairs of a confirmation: not part of series */
	struct pe_revision *revisions;
	size_t n_revisions;
	struct pe_parcel_benchmark *benchmarks;
	size_t n_benchmarks;
	/** Custom metrics belong to the benchmark whose samples refer to them. */
	struct pe_metric *metrics;
	size_t n_metrics;
	struct pe_parcel_cell *cells;
	size_t n_cells;
	struct pe_parcel_run *runs;
	size_t n_runs;
	struct pe_parcel_sample {
		size_t metric;
		double value; /**< in the metric's unit */
	} * samples;
	size_t n_samples;
	struct pe_parcel_build *builds;
	size_t n_builds;
	struct pe_parcel_reused *reused;
	size_t n_reused;
	struct pe_parcel_confirmation *confirmations;
	size_t n_confirmations;
};

#endif
