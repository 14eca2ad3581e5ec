/*
 * Survey: facts about a tree for guessing a config. One function per build system looks for its files, queries it for its
 * targets, and records commands and programs. Texts are formats of printf(3), and copied.
 */
#pragma once

#include "configs/discovery.h"

#include <stdbool.h>

/** A program or benchmark that the build is expected to produce. */
struct pe_candidate {
	const char *name;    /**< for people, and as the benchmark's name */
	const char *command; /**< for the shell, at the top of the tree */
	const char *format;  /**< of a suite: the value of `suites.NAME.format`; else NULL */
	/** file of a suite's results; NULL: its library has an option for that */
	const char *output;
};

typedef PE_VEC(struct pe_candidate) pe_candidate_vec;

struct pe_survey {
	const char *root;
	struct pe_arena *arena;
	struct pe_discovery *ask;           /**< runs commands in the tree; NULL: nothing is run */
	const struct pe_progress *progress; /**< receives each query; NULL is allowed */
	/** why the build system could not be queried; NULL: it could. pe_survey_ask() sets it where that is NULL */
	const char *unasked;
	bool one;                 /**< for a first answer, where tests say more than `--help` */
	bool chores;              /**< a Makefile that makes no program */
	const char *system;       /**< NULL: none recognised */
	pe_string_vec prepares;   /**< of the build: commands that fetch */
	pe_string_vec steps;      /**< of the build; none twice */
	pe_candidate_vec benches; /**< programs that look like benchmarks */
	pe_candidate_vec programs;
	const char *test_program; /**< command of a test program, by its name; NULL: none */
	pe_candidate_vec suites;  /**< programs with many benchmarks, whose results perfevo reads */
	pe_candidate_vec
		targets;     /**< programs that can be built alone; the command is their path */
	const char *alone;   /**< builds one of the targets, when its name follows; NULL: unknown */
	const char *tests;   /**< value of `tests:`; NULL: there are none, or it is unknown */
	const char *profile; /**< value of `profile:`, NULL: the default */
	const char *env;     /**< of the build, in YAML: "{A: b}"; NULL: none */
	const char *run_env; /**< the same for each benchmark; a comment may follow it */
	pe_string_vec unknown; /**< sentences */
};

/** A file found by pe_survey_find(), and its folder relative to the root ("." for the root). */
struct pe_found {
	const char *path, *dir;
};

typedef PE_VEC(struct pe_found) pe_found_vec;

/**
 * Find files of one name (or of one ending: "*.cc") below the root, nearest first, without build output, dependencies and
 * hidden folders.
 *
 * @param sign  a regular expression that a line of the file must match; NULL: any file
 */
void pe_survey_find(pe_found_vec *out, const struct pe_survey *survey, const char *name,
		    unsigned depth, const char *sign);

/** Read a file below the root, without following links; NULL when it cannot be read. In the arena. */
const char *pe_survey_read(const struct pe_survey *survey, const char *path);

/** Whether there is anything of that name below the root. */
bool pe_survey_has(const struct pe_survey *survey, const char *path);

/** Whether a line of a file matches a regular expression. */
bool pe_survey_matches(const struct pe_survey *survey, const char *path, const char *sign);

/** Whether a name can be used in a command as it is: short ASCII, without special characters of a shell. */
bool pe_survey_is_fit(const char *name);

/** Whether a candidate has this name. */
bool pe_survey_has_name(const pe_candidate_vec *vec, const char *name);

/** Add a program by its path in the built tree; its name decides its kind. */
void pe_survey_add_program(struct pe_survey *survey, const char *name, const char *path);

/** Add a benchmark with its whole command. */
void pe_survey_add_bench(struct pe_survey *survey, const char *name, const char *command, ...)
	PE_PRINTF(3, 4);

/** Add a suite; its name is made valid for the config, and unique. */
void pe_survey_add_suite(struct pe_survey *survey, const char *name, const char *format,
			 const char *output, const char *command, ...) PE_PRINTF(5, 6);

/** Add a step of the build: a command for the shell. */
void pe_survey_add_step(struct pe_survey *survey, const char *step, ...) PE_PRINTF(2, 3);

/** Add a sentence for the user about an unknown. */
void pe_survey_add_unknown(struct pe_survey *survey, const char *sentence, ...) PE_PRINTF(2, 3);

/**
 * Run a command for the shell at the top of the tree.
 *
 * @return  its stdout; NULL when nothing can be run or it failed: then survey->unasked is the reason
 */
const char *pe_survey_ask(struct pe_survey *survey, const char *command, ...) PE_PRINTF(2, 3);

/** dir/name, without a leading "./". */
const char *pe_survey_join(const struct pe_survey *survey, const char *dir, const char *name);

/* Each looks for its build system in the survey's tree, and adds its steps and benchmarks if it is there. */

/** CMake: CMakeLists.txt. Returns whether it is there. */
bool pe_survey_cmake(struct pe_survey *survey);
/** Meson: meson.build. Returns whether it is there. */
bool pe_survey_meson(struct pe_survey *survey);
/** Cargo: Cargo.toml. Returns whether it is there. */
bool pe_survey_cargo(struct pe_survey *survey);
/** Go: go.mod. Returns whether it is there. */
bool pe_survey_go(struct pe_survey *survey);
/** Maven, Gradle or .NET: their project files. Returns whether one is there. */
bool pe_survey_tools(struct pe_survey *survey);
/** npm: package.json. Returns whether it is there. */
bool pe_survey_npm(struct pe_survey *survey);
/** Python: a project that can be installed. Returns whether it is there. */
bool pe_survey_python(struct pe_survey *survey);
/** Autotools, which makes a makefile, or Make: configure or its source, or a makefile. Returns whether one is there. */
bool pe_survey_make(struct pe_survey *survey);
/** Scripts of Python that measure, in a tree that nothing builds. Returns whether there are some. */
bool pe_survey_scripts(struct pe_survey *survey);
