/*
 * A document: tables first, then rows that refer to them by index, a row a line, so that git finds what two documents
 * have in common.
 *
 * { "format": "perfevo results", "version": 2, "machine": { ... }, "batch": null | { ... },
 *   "revisions": [[...], ...], "benchmarks": ..., ... }
 *
 * Members and columns are those below. Times are seconds since 1970; outcomes and answers are names; numbers of kinds,
 * roles and directions are those that stores hold. Version 1 called itself "perfevo parcel", its batch "window" and its
 * table of reused cells "carried". Tables and columns that came later may be missing, and older versions of perfevo pass
 * over them: there is nothing of them then.
 */
#include "store/exchange/columns.h"

#include "core/model/batch.h"

#include <stddef.h>
#include <string.h>

enum {
	NAME_MOST = 4096,     /* bytes of a name */
	ROUNDS_MOST = 100000, /* of a batch */
	CPUS_MOST = 1 << 20,
	FRAME_KINDS = 6, /* enum pe_frame_kind */
};
#define TIME_LEAST (INT64_MIN / 2)
#define TIME_MOST  (INT64_MAX / 2)

#define COLUMN(kind, row, field, ...)                                                              \
	{                                                                                          \
#field, PE_COLUMN_##kind, offsetof(struct row, field),                             \
			sizeof(((struct row *)0)->field), __VA_ARGS__                              \
	}
#define WHOLE(row, field, least, most)  COLUMN(WHOLE, row, field, least, most, NULL, 0)
#define PLAIN(kind, row, field)         COLUMN(kind, row, field, 0, NAME_MOST, NULL, 0)
#define LONG_TEXT(kind, row, field)     COLUMN(kind, row, field, 0, PE_RESULTS_TEXT, NULL, 0)
#define TIME(row, field)                WHOLE(row, field, TIME_LEAST, TIME_MOST)
#define LIST(kind, row, field, columns) COLUMN(kind, row, field, 0, 0, columns, COUNT(columns))
#define COUNT(array)                    (sizeof(array) / sizeof(*(array)))

/* A member of struct pe_results under a name of its own. */
#define MEMBER(kind, key, field, least, most)                                                      \
	{                                                                                          \
		key, PE_COLUMN_##kind, offsetof(struct pe_results, field),                         \
			sizeof(((struct pe_results *)0)->field), least, most, NULL, 0              \
	}

static const struct pe_results_column machine_columns[] = {
	MEMBER(HEX, "fingerprint", machine.fingerprint, 0, 0),
	MEMBER(MAYBE_WORDS, "hostname", machine.hostname, 0, NAME_MOST),
	MEMBER(MAYBE_WORDS, "cpu", machine.cpu, 0, NAME_MOST),
	MEMBER(WHOLE, "cores", machine.cores, 0, CPUS_MOST),
	MEMBER(WHOLE, "memory_bytes", machine.memory_bytes, 0, INT64_MAX),
	MEMBER(MAYBE_WORDS, "kernel", machine.kernel, 0, NAME_MOST),
	MEMBER(MAYBE_TEXT, "compilers", machine.compilers, 0, NAME_MOST),
};

static const struct pe_results_column batch_columns[] = {
	MEMBER(WHOLE, "created", created_s, TIME_LEAST, TIME_MOST),
	MEMBER(SEED, "seed", seed, 0, 0),
	MEMBER(MAYBE_WORDS, "governor", conditions.governor, 0, NAME_MOST),
	MEMBER(MAYBE_WORDS, "turbo", conditions.turbo, 0, NAME_MOST),
	MEMBER(REAL, "load", conditions.load, 0, 0),
	MEMBER(WHOLE, "env_bytes", conditions.env_bytes, 0, UINT32_MAX),
	MEMBER(WHOLE, "cpu", conditions.cpu, -1, CPUS_MOST),
	MEMBER(WHOLE, "nice", conditions.nice, -20, 19),
	MEMBER(TRUTH, "fixed_layout", conditions.fixed_layout, 0, 0),
	MEMBER(TRUTH, "aside", aside, 0, 0),
};

static const struct pe_results_column revision_columns[] = {
	PLAIN(HEX, pe_results_revision, id),
};

static const struct pe_results_column benchmark_columns[] = {
	PLAIN(NAME, pe_results_benchmark, name),
	PLAIN(HASH, pe_results_benchmark, version),
	LONG_TEXT(TEXT, pe_results_benchmark, definition),
	PLAIN(TRUTH, pe_results_benchmark, is_test),
};

static const struct pe_results_column metric_columns[] = {
	PLAIN(NAME, pe_metric, name),
	PLAIN(WORDS, pe_metric, unit),
	PLAIN(WORDS, pe_metric, label),
	WHOLE(pe_metric, better, PE_LOWER_IS_BETTER, PE_HIGHER_IS_BETTER),
	WHOLE(pe_metric, kind, PE_METRIC_NOISY, PE_METRIC_CONTEXT),
	PLAIN(REAL, pe_metric, min_relative),
	PLAIN(REAL, pe_metric, min_absolute),
};

static const struct pe_results_column cell_columns[] = {
	PLAIN(REVISION, pe_results_cell, revision),
	PLAIN(BENCHMARK, pe_results_cell, benchmark),
	WHOLE(pe_results_cell, role, 0, PE_ROLE_EXPLORED),
	WHOLE(pe_results_cell, rounds, 0, ROUNDS_MOST),
	WHOLE(pe_results_cell, enough, 0, 1),
};

static const struct pe_results_column module_set_columns[] = {
	LONG_TEXT(MODULES, pe_results_module_set, lines),
};

static const struct pe_results_column its_modules[] = {
	PLAIN(MODULE_SET, pe_results_run, modules),
	TIME(pe_results_run, since_s),
};

static const struct pe_results_column run_columns[] = {
	PLAIN(REVISION, pe_results_run, revision),
	PLAIN(BENCHMARK, pe_results_run, benchmark),
	WHOLE(pe_results_run, kind, PE_RUN_TIMED, PE_RUN_COUNTED),
	WHOLE(pe_results_run, round, 0, ROUNDS_MOST),
	WHOLE(pe_results_run, sequence, 0, INT64_MAX),
	TIME(pe_results_run, started_s),
	PLAIN(OUTCOME, pe_results_run, outcome),
	WHOLE(pe_results_run, status, INT32_MIN, INT32_MAX),
	LONG_TEXT(MAYBE_TEXT, pe_results_run, log),
	PLAIN(SAMPLES, pe_results_run, first),
	LIST(MAYBE_LIST, pe_results_run, has_modules, its_modules),
	LONG_TEXT(MAYBE_CALLS, pe_results_run, calls),
};

static const struct pe_results_column build_columns[] = {
	PLAIN(REVISION, pe_results_build, revision),
	PLAIN(HASH, pe_results_build, recipe),
	PLAIN(OUTCOME, pe_results_build, build.outcome),
	WHOLE(pe_results_build, build.status, INT32_MIN, INT32_MAX),
	TIME(pe_results_build, build.started_s),
	WHOLE(pe_results_build, build.duration_ns, 0, INT64_MAX),
	LONG_TEXT(MAYBE_TEXT, pe_results_build, build.step),
	LONG_TEXT(MAYBE_TEXT, pe_results_build, build.log),
};

static const struct pe_results_column reused_columns[] = {
	PLAIN(REVISION, pe_results_reused, revision),
	PLAIN(BENCHMARK, pe_results_reused, benchmark),
	PLAIN(REVISION, pe_results_reused, source),
};

static const struct pe_results_column its_batch[] = {
	TIME(pe_results_confirmation, created_s),
	PLAIN(SEED, pe_results_confirmation, seed),
};

static const struct pe_results_column its_opts[] = {
	PLAIN(REAL, pe_results_confirmation, opts.accept),
	PLAIN(REAL, pe_results_confirmation, opts.give_up),
	PLAIN(REAL, pe_results_confirmation, opts.suspected),
	PLAIN(REAL, pe_results_confirmation, opts.min_effect),
	PLAIN(REAL, pe_results_confirmation, opts.margin),
	PLAIN(REAL, pe_results_confirmation, opts.unit),
};

static const struct pe_results_column its_answer[] = {
	WHOLE(pe_results_confirmation, result.pairs, 0, PE_CONFIRM_PAIRS),
	PLAIN(MAYBE_REAL, pe_results_confirmation, result.relative),
	PLAIN(MAYBE_REAL, pe_results_confirmation, result.low),
	PLAIN(MAYBE_REAL, pe_results_confirmation, result.high),
	PLAIN(MAYBE_REAL, pe_results_confirmation, result.confidence),
	PLAIN(MAYBE_REAL, pe_results_confirmation, result.p),
	PLAIN(MAYBE_REAL, pe_results_confirmation, result.least),
	WHOLE(pe_results_confirmation, result.more, 0, INT32_MAX),
};

static const struct pe_results_column its_place[] = {
	PLAIN(REVISION, pe_results_confirmation, pinned_before),
	PLAIN(REVISION, pe_results_confirmation, pinned_after),
	PLAIN(REVISION, pe_results_confirmation, pinned_first),
	PLAIN(REVISION, pe_results_confirmation, pinned_last),
};

static const struct pe_results_column confirmation_columns[] = {
	PLAIN(BENCHMARK, pe_results_confirmation, benchmark),
	PLAIN(METRIC, pe_results_confirmation, metric),
	PLAIN(REVISION, pe_results_confirmation, before),
	PLAIN(REVISION, pe_results_confirmation, after),
	PLAIN(REVISION, pe_results_confirmation, first),
	PLAIN(REVISION, pe_results_confirmation, last),
	LIST(MAYBE_LIST, pe_results_confirmation, has_batch, its_batch),
	WHOLE(pe_results_confirmation, direction, -1, 1),
	TIME(pe_results_confirmation, begun_s),
	PLAIN(ANSWER, pe_results_confirmation, answer),
	LIST(LIST, pe_results_confirmation, opts, its_opts),
	LIST(LIST, pe_results_confirmation, result, its_answer),
	WHOLE(pe_results_confirmation, known_after, 0, INT32_MAX),
	LIST(MAYBE_LIST, pe_results_confirmation, pinned, its_place),
	PLAIN(MAYBE_REAL, pe_results_confirmation, sure),
	WHOLE(pe_results_confirmation, layout, PE_LAYOUT_NOT_LOOKED, PE_LAYOUT_UNKNOWN),
};

static const struct pe_results_column frame_columns[] = {
	LONG_TEXT(TEXT, pe_results_frame, name),
	LONG_TEXT(TEXT, pe_results_frame, component),
	LONG_TEXT(TEXT, pe_results_frame, signature),
	LONG_TEXT(TEXT, pe_results_frame, module),
	WHOLE(pe_results_frame, line, 0, UINT32_MAX),
	WHOLE(pe_results_frame, kind, 0, FRAME_KINDS - 1),
};

static const struct pe_results_column profile_columns[] = {
	PLAIN(REVISION, pe_results_profile, revision),
	PLAIN(BENCHMARK, pe_results_profile, benchmark),
	PLAIN(NAME, pe_results_profile, kind),
	PLAIN(WORDS, pe_results_profile, settings),
	PLAIN(WORDS, pe_results_profile, tool),
	PLAIN(WORDS, pe_results_profile, file),
	LONG_TEXT(TEXT, pe_results_profile, note),
	TIME(pe_results_profile, taken_s),
};

static const struct pe_results_column tree_columns[] = {
	PLAIN(PROFILE, pe_results_tree, profile),
	PLAIN(BYTES, pe_results_tree, frames),
	PLAIN(BYTES, pe_results_tree, data),
};

#define TABLE(name, old_name, row, columns, optional, later)                                       \
	{                                                                                          \
#name, old_name, offsetof(struct pe_results, name),                                \
			offsetof(struct pe_results, n_##name), sizeof(struct row), columns,        \
			COUNT(columns), COUNT(columns) - (later) - (optional),                     \
			COUNT(columns) - (later)                                                   \
	}

const struct pe_results_shape pe_results_tables[PE_N_RESULTS_TABLES] = {
	TABLE(revisions, "revisions", pe_results_revision, revision_columns, 0, 0),
	TABLE(benchmarks, "benchmarks", pe_results_benchmark, benchmark_columns, 0, 0),
	TABLE(metrics, "metrics", pe_metric, metric_columns, 0, 0),
	TABLE(module_sets, NULL, pe_results_module_set, module_set_columns, 0, 0),
	TABLE(cells, "cells", pe_results_cell, cell_columns, 1, 0),
	TABLE(runs, "runs", pe_results_run, run_columns, 0, 2),
	TABLE(builds, "builds", pe_results_build, build_columns, 0, 0),
	TABLE(reused, "carried", pe_results_reused, reused_columns, 0, 0),
	TABLE(confirmations, "confirmations", pe_results_confirmation, confirmation_columns, 1, 0),
	TABLE(frames, NULL, pe_results_frame, frame_columns, 0, 0),
	TABLE(profiles, NULL, pe_results_profile, profile_columns, 0, 0),
	TABLE(trees, NULL, pe_results_tree, tree_columns, 0, 0),
};

const struct pe_results_shape pe_results_machine = {.name = "machine",
						    .old_name = "machine",
						    .columns = machine_columns,
						    .n = COUNT(machine_columns)};
const struct pe_results_shape pe_results_batch = {
	.name = "batch", .old_name = "window", .columns = batch_columns, .n = COUNT(batch_columns)};

size_t pe_results_samples_column(void)
{
	size_t at = 0;

	while (run_columns[at].kind != PE_COLUMN_SAMPLES)
		at++;
	return at;
}

/* Columns of four bytes hold a sign where their range has one. */
int64_t pe_results_get(const struct pe_results_column *column, const void *row)
{
	const char *at = (const char *)row + column->offset;
	int64_t whole = 0;
	uint32_t half;
	bool truth;

	if (column->size == sizeof(whole)) {
		memcpy(&whole, at, sizeof(whole));
		return whole;
	}
	if (column->size == sizeof(truth)) {
		memcpy(&truth, at, sizeof(truth));
		return truth;
	}
	memcpy(&half, at, sizeof(half));
	return column->least < 0 ? (int64_t)(int32_t)half : (int64_t)half;
}

void pe_results_set(const struct pe_results_column *column, void *row, int64_t value)
{
	char *at = (char *)row + column->offset;
	const uint32_t half = (uint32_t)value;
	const bool truth = value != 0;

	if (column->size == sizeof(value))
		memcpy(at, &value, sizeof(value));
	else if (column->size == sizeof(truth))
		memcpy(at, &truth, sizeof(truth));
	else
		memcpy(at, &half, sizeof(half));
}
