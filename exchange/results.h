/*
 * Results: a part of a store that another store can take in, as one JSON document: one batch with all its runs, or
 * failed builds, reused cells and confirmations, of one machine. What it speaks of stands in tables of its own; the rest
 * refers to them by index. A document never changes: what is measured later travels in another one.
 */
#ifndef PE_EXCHANGE_RESULTS_H
#define PE_EXCHANGE_RESULTS_H

#include "core/base/text.h"
#include "core/model/build.h"
#include "core/model/layout.h"
#include "core/model/machine.h"
#include "core/model/run.h"
#include "core/stats/confirm.h"

/** A benchmark of one version, as a store knows it. */
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
	bool enough; /**< its value was known well enough by them: it wants no more */
};

struct pe_results_sample {
	size_t metric;
	double value; /**< in the metric's unit */
};

/** A run without its samples; those are `n_samples` of the document's, from `first` on. */
struct pe_results_run {
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
struct pe_results_build {
	size_t revision;
	const char *recipe; /**< hash */
	struct pe_build build;
};

/** A cell that takes its results from another revision's. */
struct pe_results_reused {
	size_t revision, benchmark, source;
};

/** What fresh runs said of a change that was suspected; nothing more is to be measured for it. */
struct pe_results_confirmation {
	size_t benchmark, metric;
	/** revisions: as suspected, and what held it with 95 % */
	size_t before, after, first, last;
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
struct pe_results {
	struct pe_machine machine;
	bool has_batch; /**< the batch's fields, cells and runs mean something */
	int64_t created_s;
	uint64_t seed; /**< with the machine and created_s what identifies the batch everywhere */
	struct pe_conditions conditions;
	bool aside; /**< its runs are pairs of a confirmation: not part of series */
	struct pe_revision *revisions;
	size_t n_revisions;
	struct pe_results_benchmark *benchmarks;
	size_t n_benchmarks;
	/** Custom metrics belong to the benchmark whose samples refer to them. */
	struct pe_metric *metrics;
	size_t n_metrics;
	struct pe_results_cell *cells;
	size_t n_cells;
	struct pe_results_run *runs;
	size_t n_runs;
	struct pe_results_sample *samples;
	size_t n_samples;
	struct pe_results_build *builds;
	size_t n_builds;
	struct pe_results_reused *reused;
	size_t n_reused;
	struct pe_results_confirmation *confirmations;
	size_t n_confirmations;
};

/** Write a document (schema in exchange/columns.c). Equal results give equal bytes. */
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

#endif
