/*
 * Benchmark: one benchmark with its parameters filled in: what is run, in what surroundings, how often, and
 * what is read from it. Its version is a hash of what defines it; another version is another series.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/hash.h"
#include "core/model/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A command. A string of the config becomes { "/bin/sh", "-c", string }. */
struct pe_command {
	const char *const *argv; /**< NULL-terminated; NULL: no command */
	const char *text;        /**< for people, as the user wrote it */
};

struct pe_commands {
	const struct pe_command *at;
	size_t n;
};

/** Add commands in their order, word by word. */
void pe_commands_hash(struct pe_hash *hash, const struct pe_commands *commands);

/** NULL-terminated strings with their number. */
struct pe_strings {
	const char *const *at;
	size_t n;
};

/** Add strings in their order. */
void pe_strings_hash(struct pe_hash *hash, const struct pe_strings *strings);

/** How a custom metric is read from the benchmark's output. */
enum pe_extract {
	PE_EXTRACT_REGEX, /**< POSIX extended; the first group of the last match is the number */
	PE_EXTRACT_JSON,  /**< RFC 6901 pointer into stdout as one JSON document */
};

struct pe_custom_metric {
	struct pe_metric metric;
	enum pe_extract how;
	const char *expression;
	bool from_stderr;
	char decimal; /**< of a regex, as pe_quantity_form has it */
};

struct pe_profile_plan;
struct pe_suite;

struct pe_benchmark {
	int64_t key;      /**< in the store; 0: it is of none, or was not asked for there */
	const char *name; /**< unique; parameters follow in brackets: "sort[n=1000]" */
	struct pe_strings tags;
	struct pe_strings parameters; /**< "n=1000" */
	struct pe_command command;
	const char *cwd;       /**< relative to the measured tree; "." by default */
	struct pe_strings env; /**< "K=V" added to the fixed environment */
	/** file given as stdin, relative to the measured tree; NULL: none */
	const char *input;
	/** files of the user's tree whose content is part of the version */
	struct pe_strings inputs;
	unsigned warmup;  /**< runs thrown away, per session */
	unsigned repeats; /**< runs recorded */
	uint64_t timeout_ns;
	struct pe_commands setup;   /**< once per revision before its first run */
	struct pe_commands prepare; /**< before every run, not measured */
	struct pe_commands cleanup; /**< once per revision after its last run */
	int expected_status;
	/** true by default: two further runs with the counting library */
	bool count_allocations;
	const struct pe_custom_metric *customs;
	size_t n_customs;
	bool is_test; /**< came from `tests:` */
	/** of a test: its own source files, relative to the tree's root */
	struct pe_strings sources;
	/** how its calling context tree is collected (core/exec/build_variant.h); NULL: the default */
	const struct pe_profile_plan *profile;
	/** that it is a member of (core/model/suite.h); its command runs it alone, for what counts. NULL: on its own */
	const struct pe_suite *suite;
	const char *member; /**< its name within the suite, parameters included; NULL: on its own */
	bool is_whole_suite; /**< `command` runs all of its suite: nothing names this one alone */
	const char *own; /**< as the library's filter takes it in the newest revision that has it */
	unsigned
		iterations; /**< that `command` runs it, by which counts are divided; 0: unknown, or no member */
	/** runs it alone for as long as its library likes, for what samples; without argv it is `command` that does */
	struct pe_command sampled;
	char version[PE_HASH_HEX]; /**< see pe_benchmark_version() */
};

/**
 * Compute a benchmark's version: everything that can change what the values mean and nothing else. In:
 * command, cwd, env, input, inputs' content hash, setup, prepare, cleanup, expected status, custom metrics,
 * the recipe's hash. Out: name, tags, warmup, repeats, timeout, profile.
 *
 * @param recipe_hash  of the build (pe_recipe_hash()), so that other compiler flags start another series
 * @param inputs_hash  of the contents of the input files; "" without any
 */
void pe_benchmark_version(struct pe_benchmark *benchmark, const char *recipe_hash,
			  const char *inputs_hash);

/** A built-in metric as it is of a benchmark: of one iteration where it is a member of a suite. */
const struct pe_metric *pe_benchmark_metric(const struct pe_benchmark *benchmark,
					    enum pe_metric_id id);

/**
 * Whether a metric of a benchmark takes a counting run. A suite's own result by the same name for a member (B/op of Go)
 * comes with its timed runs, unless the suite is counted, too.
 */
bool pe_benchmark_counts(const struct pe_benchmark *benchmark, const struct pe_metric *metric);

/**
 * The programs that a benchmark's command may start: its words as paths of the tree, whether or not they exist.
 *
 * @return  in the arena; without words that are options, or lead out of the tree
 */
struct pe_strings pe_benchmark_words(const struct pe_benchmark *benchmark, struct pe_arena *arena);
