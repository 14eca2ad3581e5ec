/*
 * A document: tables first, then rows that refer to them by index, a row a line, so that git finds what two documents
 * have in common.
 *
 * { "format": "perfevo results", "version": 2, "machine": { ... }, "batch": null | { ... },
 *   "revisions": [[...], ...], "benchmarks": ..., ... }
 *
 * Members and columns are those below. Times are seconds since 1970; outcomes and answers are names; numbers of kinds,
 * roles and directions are those that stores hold. Tables and columns that came later may be missing, and older versions of
 * perfevo pass over them: there is nothing of them then.
 */
#include "store/exchange/columns.h"

#include "core/base/utf8.h"
#include "core/model/batch.h"
#include "core/model/modules.h"
#include "core/model/outcome.h"
#include "core/model/system_calls.h"

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

/* --- Texts and names --- */

/* Text of one line that is shown to people may contain no control characters for their terminal. */
static const char *words_fault(const char *text)
{
	return pe_utf8_is_words(text) ? NULL : "a name holds a control character";
}

static const char *name_fault(const char *text)
{
	return text[0] == '\0' ? "a name is empty" : words_fault(text);
}

static const char *hash_fault(const char *text)
{
	return strlen(text) == PE_HASH_HEX - 1 &&
			       strspn(text, "0123456789abcdef") == PE_HASH_HEX - 1
		       ? NULL
		       : "an identifier has another form";
}

/* Programs and libraries, whose paths people get to see. */
static const char *modules_fault(const char *text)
{
	return pe_modules_are_sound(text, NULL) ? NULL : "it is no set of modules";
}

/* Names that people get to see, and counts. */
static const char *calls_fault(const char *text)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_system_calls calls;

	return pe_system_calls_unpack(&calls, text, &arena) && calls.n > 0
		       ? NULL
		       : "it is no list of system calls";
}

static const char *outcome_name(int outcome)
{
	return pe_outcome_name((enum pe_outcome)outcome);
}

static const char *answer_name(int answer)
{
	return pe_confirm_answer_name((enum pe_confirm_answer)answer);
}

/* --- Columns --- */

#define COLUMN(column, row, field, ...)                                                            \
	{                                                                                          \
		.kind = PE_COLUMN_##column, .offset = offsetof(struct row, field),                 \
		.size = sizeof(((struct row *)0)->field), __VA_ARGS__                              \
	}
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define WHOLE(row, field, from, to) COLUMN(WHOLE, row, field, .least = (from), .most = (to))
#define TIME(row, field)            WHOLE(row, field, TIME_LEAST, TIME_MOST)
#define TRUTH(row, field)           COLUMN(TRUTH, row, field, .maybe = false)
#define REAL(row, field)            COLUMN(REAL, row, field, .maybe = false)
#define MAYBE_REAL(row, field)      COLUMN(REAL, row, field, .maybe = true)
#define NAME(row, field, check)     COLUMN(TEXT, row, field, .most = NAME_MOST, .fault = (check))
#define LONG_TEXT(row, field, check)                                                               \
	COLUMN(TEXT, row, field, .most = PE_RESULTS_TEXT, .fault = (check))
#define MAYBE_TEXT(row, field, check)                                                              \
	COLUMN(TEXT, row, field, .most = PE_RESULTS_TEXT, .fault = (check), .maybe = true)
#define ROW(row, field, table) COLUMN(ROW, row, field, .most = PE_RESULTS_##table)
#define OUTCOME(row, field)                                                                        \
	COLUMN(NAMED, row, field, .most = PE_N_OUTCOMES - 1, .name_of = outcome_name)
#define LIST(row, field, columns)                                                                  \
	COLUMN(LIST, row, field, .inner = (columns), .n_inner = COUNT(columns))
#define MAYBE_LIST(row, field, columns)                                                            \
	COLUMN(LIST, row, field, .inner = (columns), .n_inner = COUNT(columns), .maybe = true)

/* Members of an object have names. */
#define MEMBER(column, key, field, ...)                                                            \
	COLUMN(column, pe_results, field, .name = (key), __VA_ARGS__)
#define MEMBER_WHOLE(key, field, from, to) MEMBER(WHOLE, key, field, .least = (from), .most = (to))
#define MEMBER_TEXT(key, field, check)                                                             \
	MEMBER(TEXT, key, field, .most = NAME_MOST, .fault = (check), .maybe = true)

static const struct pe_results_column machine_columns[] = {
	MEMBER(HEX, "fingerprint", machine.fingerprint, .maybe = false),
	MEMBER_TEXT("hostname", machine.hostname, words_fault),
	MEMBER_TEXT("cpu", machine.cpu, words_fault),
	MEMBER_WHOLE("cores", machine.cores, 0, CPUS_MOST),
	MEMBER_WHOLE("memory_bytes", machine.memory_bytes, 0, INT64_MAX),
	MEMBER_TEXT("kernel", machine.kernel, words_fault),
	MEMBER_TEXT("compilers", machine.compilers, NULL),
};

static const struct pe_results_column batch_columns[] = {
	MEMBER_WHOLE("created", created_s, TIME_LEAST, TIME_MOST),
	MEMBER(SEED, "seed", seed, .maybe = false),
	MEMBER_TEXT("governor", conditions.governor, words_fault),
	MEMBER_TEXT("turbo", conditions.turbo, words_fault),
	MEMBER(REAL, "load", conditions.load, .maybe = false),
	MEMBER_WHOLE("env_bytes", conditions.env_bytes, 0, UINT32_MAX),
	MEMBER_WHOLE("cpu", conditions.cpu, -1, CPUS_MOST),
	MEMBER_WHOLE("nice", conditions.nice, -20, 19),
	MEMBER(TRUTH, "fixed_layout", conditions.fixed_layout, .maybe = false),
	MEMBER(TRUTH, "aside", aside, .maybe = false),
};

static const struct pe_results_column revision_columns[] = {
	COLUMN(HEX, pe_results_revision, id, .maybe = false),
};

static const struct pe_results_column benchmark_columns[] = {
	NAME(pe_results_benchmark, name, name_fault),
	NAME(pe_results_benchmark, version, hash_fault),
	LONG_TEXT(pe_results_benchmark, definition, NULL),
	TRUTH(pe_results_benchmark, is_test),
};

static const struct pe_results_column metric_columns[] = {
	NAME(pe_metric, name, name_fault),
	NAME(pe_metric, unit, words_fault),
	NAME(pe_metric, label, words_fault),
	WHOLE(pe_metric, better, PE_LOWER_IS_BETTER, PE_HIGHER_IS_BETTER),
	WHOLE(pe_metric, kind, PE_METRIC_NOISY, PE_METRIC_CONTEXT),
	REAL(pe_metric, min_relative),
	REAL(pe_metric, min_absolute),
};

static const struct pe_results_column cell_columns[] = {
	ROW(pe_results_cell, revision, REVISIONS),
	ROW(pe_results_cell, benchmark, BENCHMARKS),
	WHOLE(pe_results_cell, role, 0, PE_ROLE_EXPLORED),
	WHOLE(pe_results_cell, rounds, 0, ROUNDS_MOST),
	WHOLE(pe_results_cell, enough, 0, 1),
};

static const struct pe_results_column module_set_columns[] = {
	LONG_TEXT(pe_results_module_set, lines, modules_fault),
};

static const struct pe_results_column its_modules[] = {
	ROW(pe_results_run, modules, MODULE_SETS),
	TIME(pe_results_run, since_s),
};

static const struct pe_results_column run_columns[] = {
	ROW(pe_results_run, revision, REVISIONS),
	ROW(pe_results_run, benchmark, BENCHMARKS),
	WHOLE(pe_results_run, kind, PE_RUN_TIMED, PE_RUN_COUNTED),
	WHOLE(pe_results_run, round, 0, ROUNDS_MOST),
	WHOLE(pe_results_run, sequence, 0, INT64_MAX),
	TIME(pe_results_run, started_s),
	OUTCOME(pe_results_run, outcome),
	WHOLE(pe_results_run, status, INT32_MIN, INT32_MAX),
	MAYBE_TEXT(pe_results_run, log, NULL),
	COLUMN(SAMPLES, pe_results_run, samples, .most = PE_RUN_MAX_SAMPLES),
	MAYBE_LIST(pe_results_run, has_modules, its_modules),
	MAYBE_TEXT(pe_results_run, calls, calls_fault),
};

static const struct pe_results_column build_columns[] = {
	ROW(pe_results_build, revision, REVISIONS),
	NAME(pe_results_build, recipe, hash_fault),
	OUTCOME(pe_results_build, build.outcome),
	WHOLE(pe_results_build, build.status, INT32_MIN, INT32_MAX),
	TIME(pe_results_build, build.started_s),
	WHOLE(pe_results_build, build.duration_ns, 0, INT64_MAX),
	MAYBE_TEXT(pe_results_build, build.step, NULL),
	MAYBE_TEXT(pe_results_build, build.log, NULL),
};

static const struct pe_results_column reused_columns[] = {
	ROW(pe_results_reused, revision, REVISIONS),
	ROW(pe_results_reused, benchmark, BENCHMARKS),
	ROW(pe_results_reused, source, REVISIONS),
};

static const struct pe_results_column its_batch[] = {
	TIME(pe_results_confirmation, created_s),
	COLUMN(SEED, pe_results_confirmation, seed, .maybe = false),
};

static const struct pe_results_column its_opts[] = {
	REAL(pe_results_confirmation, opts.accept),
	REAL(pe_results_confirmation, opts.give_up),
	REAL(pe_results_confirmation, opts.suspected),
	REAL(pe_results_confirmation, opts.min_effect),
	REAL(pe_results_confirmation, opts.margin),
	REAL(pe_results_confirmation, opts.unit),
};

static const struct pe_results_column its_answer[] = {
	WHOLE(pe_results_confirmation, result.pairs, 0, PE_CONFIRM_PAIRS),
	MAYBE_REAL(pe_results_confirmation, result.relative),
	MAYBE_REAL(pe_results_confirmation, result.low),
	MAYBE_REAL(pe_results_confirmation, result.high),
	MAYBE_REAL(pe_results_confirmation, result.confidence),
	MAYBE_REAL(pe_results_confirmation, result.p),
	MAYBE_REAL(pe_results_confirmation, result.least),
	WHOLE(pe_results_confirmation, result.more, 0, INT32_MAX),
};

static const struct pe_results_column its_place[] = {
	ROW(pe_results_confirmation, pinned_before, REVISIONS),
	ROW(pe_results_confirmation, pinned_after, REVISIONS),
	ROW(pe_results_confirmation, pinned_first, REVISIONS),
	ROW(pe_results_confirmation, pinned_last, REVISIONS),
};

static const struct pe_results_column confirmation_columns[] = {
	ROW(pe_results_confirmation, benchmark, BENCHMARKS),
	ROW(pe_results_confirmation, metric, METRICS),
	ROW(pe_results_confirmation, before, REVISIONS),
	ROW(pe_results_confirmation, after, REVISIONS),
	ROW(pe_results_confirmation, first, REVISIONS),
	ROW(pe_results_confirmation, last, REVISIONS),
	MAYBE_LIST(pe_results_confirmation, has_batch, its_batch),
	WHOLE(pe_results_confirmation, direction, -1, 1),
	TIME(pe_results_confirmation, begun_s),
	COLUMN(NAMED, pe_results_confirmation, answer, .least = PE_CONFIRMED,
	       .most = PE_CONFIRM_UNDECIDED, .name_of = answer_name),
	LIST(pe_results_confirmation, opts, its_opts),
	LIST(pe_results_confirmation, result, its_answer),
	WHOLE(pe_results_confirmation, known_after, 0, INT32_MAX),
	MAYBE_LIST(pe_results_confirmation, pinned, its_place),
	MAYBE_REAL(pe_results_confirmation, sure),
	WHOLE(pe_results_confirmation, layout, PE_LAYOUT_NOT_LOOKED, PE_LAYOUT_UNKNOWN),
};

static const struct pe_results_column frame_columns[] = {
	LONG_TEXT(pe_results_frame, name, NULL),
	LONG_TEXT(pe_results_frame, component, NULL),
	LONG_TEXT(pe_results_frame, signature, NULL),
	LONG_TEXT(pe_results_frame, module, NULL),
	WHOLE(pe_results_frame, line, 0, UINT32_MAX),
	WHOLE(pe_results_frame, kind, 0, FRAME_KINDS - 1),
};

static const struct pe_results_column profile_columns[] = {
	ROW(pe_results_profile, revision, REVISIONS),
	ROW(pe_results_profile, benchmark, BENCHMARKS),
	NAME(pe_results_profile, kind, name_fault),
	NAME(pe_results_profile, settings, words_fault),
	NAME(pe_results_profile, tool, words_fault),
	NAME(pe_results_profile, file, words_fault),
	LONG_TEXT(pe_results_profile, note, NULL),
	TIME(pe_results_profile, taken_s),
};

static const struct pe_results_column tree_columns[] = {
	ROW(pe_results_tree, profile, PROFILES),
	COLUMN(BYTES, pe_results_tree, frames, .most = PE_RESULTS_BYTES),
	COLUMN(BYTES, pe_results_tree, data, .most = PE_RESULTS_BYTES),
};

#define TABLE(name, row, columns, later)                                                           \
	{                                                                                          \
#name, offsetof(struct pe_results, name), offsetof(struct pe_results, n_##name),   \
			sizeof(struct row), columns, COUNT(columns), COUNT(columns) - (later)      \
	}

const struct pe_results_shape pe_results_tables[PE_N_RESULTS_TABLES] = {
	TABLE(revisions, pe_results_revision, revision_columns, 0),
	TABLE(benchmarks, pe_results_benchmark, benchmark_columns, 0),
	TABLE(metrics, pe_metric, metric_columns, 0),
	TABLE(module_sets, pe_results_module_set, module_set_columns, 0),
	TABLE(cells, pe_results_cell, cell_columns, 0),
	TABLE(runs, pe_results_run, run_columns, 2),
	TABLE(builds, pe_results_build, build_columns, 0),
	TABLE(reused, pe_results_reused, reused_columns, 0),
	TABLE(confirmations, pe_results_confirmation, confirmation_columns, 0),
	TABLE(frames, pe_results_frame, frame_columns, 0),
	TABLE(profiles, pe_results_profile, profile_columns, 0),
	TABLE(trees, pe_results_tree, tree_columns, 0),
};

const struct pe_results_shape pe_results_machine = {
	.name = "machine", .columns = machine_columns, .n = COUNT(machine_columns)};
const struct pe_results_shape pe_results_batch = {
	.name = "batch", .columns = batch_columns, .n = COUNT(batch_columns)};

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
