/*
 * Suite: one program that runs many benchmarks. Each of them is a benchmark of its own (core/model/benchmark.h), its
 * member: one process of the suite gives a run to all of them that are wanted.
 */
#pragma once

#include "core/model/benchmark.h"
#include "core/model/run.h"

/** An entry of `renamed:`. */
struct pe_rename {
	const char *from, *to; /**< names within the suite, without its own before them */
};

/** A suite as a config defines it. */
struct pe_suite {
	const char *name;
	struct pe_command command; /**< runs all of it, without options of the library */
	const char *format; /**< of its output; "auto": seen in the program and what it prints */
	const char *
		output; /**< file or folder that it writes its results to, relative to cwd; NULL: stdout */
	struct pe_strings options; /**< words added to the command */
	/** words that name one benchmark to the program, {}; none: its library has its own */
	struct pe_strings filter;
	const char *include,
		*exclude; /**< POSIX extended regular expressions over members; NULL: none */
	const struct pe_rename *renamed;
	size_t n_renamed;
	/** what its members share: cwd, env, setup, prepare, cleanup, repeats, timeout and so on */
	struct pe_benchmark model;
	char version[PE_HASH_HEX]; /**< see pe_suite_version() */
};

/** A member as a revision's program has it. */
struct pe_member_name {
	const char *own; /**< as the library's filter takes it */
	const char *id;  /**< parameters in brackets: "BM_Parse[1024]" */
};

/** A process's values of one member. */
struct pe_member_reading {
	struct pe_member_name name;
	const char *error; /**< the library's message; NULL: it was measured */
	const struct pe_sample *
		values; /**< medians over processes of the medians within each; most formats have one process */
	size_t n_values;
};

/** What the output of one process holds. Lives in the arena that it was read into. */
struct pe_suite_readings {
	const struct pe_member_reading *entries;
	size_t n;
	bool cut_short; /**< the output ends before its end */
	const char
		*running; /**< what the library calls that which ran when it ended; NULL: unknown */
	const struct pe_suite_output
		*output; /**< as the library's format has it (suites/suite.h) */
};

/**
 * Compute a suite's version: command, cwd, env, setup, prepare, cleanup, output, format, the recipe's hash. Out: what
 * chooses members or only makes them more precise.
 *
 * @param precise  which of the options only make the values more precise; NULL: none
 */
void pe_suite_version(struct pe_suite *suite, const char *recipe_hash,
		      bool (*precise)(const char *option));

/**
 * The version of a member: of the suite's and the name that it had first, never of its siblings.
 *
 * @param name  within the suite, parameters included
 */
void pe_suite_member_version(char version[PE_HASH_HEX], const struct pe_suite *suite,
			     const char *name);

/** Whether `include` and `exclude` leave a member in. @param name  within the suite, as it is called today */
bool pe_suite_wants(const struct pe_suite *suite, const char *name);

/** Whether a stored benchmark is a member of the suite as it is defined now, by its full name and its version. */
bool pe_suite_has(const struct pe_suite *suite, const char *name, const char *version);

/** The name that a member has today: a name found in an old revision, followed through `renamed`. */
const char *pe_suite_renamed(const struct pe_suite *suite, const char *name);
