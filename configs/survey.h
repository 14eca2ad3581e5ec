/*
 * Survey: what is known about a tree while a config is guessed for it. One function a build system looks for
 * its files, asks it what it makes, and notes the commands and programs.
 */
#ifndef PE_CONFIGS_SURVEY_H
#define PE_CONFIGS_SURVEY_H

#include "configs/discovery.h"

#include <stdbool.h>

/** A program or benchmark that the build is expected to leave behind. */
struct pe_candidate {
	const char *name;    /**< for people, and as the benchmark's name */
	const char *command; /**< for the shell, at the top of the tree */
};

/** A program with many benchmarks, whose results perfevo reads. */
struct pe_suite_candidate {
	const char *name;
	const char *command; /**< for the shell, at the top of the tree */
	const char *format;  /**< as `suites.NAME.format` has it */
	const char *
		output; /**< what it leaves its results in; NULL: its library has an option for that */
};

typedef PE_VEC(struct pe_candidate) pe_candidate_vec;
typedef PE_VEC(struct pe_suite_candidate) pe_suite_candidate_vec;
typedef PE_VEC(const char *) pe_line_vec;

struct pe_survey {
	const char *root;
	struct pe_arena *arena;
	struct pe_discovery *ask; /**< runs commands in the tree; NULL: nothing is asked */
	/** why the build system did not say what it makes; NULL: it did. pe_survey_ask() sets it where that is NULL */
	const char *unasked;
	const char *system;       /**< NULL: none recognised */
	pe_line_vec prepares;     /**< of the build: what fetches */
	pe_line_vec steps;        /**< of the build */
	pe_candidate_vec benches; /**< programs that look like benchmarks */
	pe_candidate_vec programs;
	const char *
		test_program; /**< command of one that runs tests, by its name; NULL: none was seen */
	pe_suite_candidate_vec suites;
	const char
		*tests; /**< value of `tests:`, NULL: there are none, or nothing is known of them */
	const char *profile; /**< value of `profile:`, NULL: the default */
	const char *env;     /**< of the build, as YAML has it: "{A: b}"; NULL: none */
	const char *run_env; /**< likewise, of each benchmark; behind it a comment may follow */
	pe_line_vec unknown; /**< sentences */
};

/** A file found by pe_survey_find(), and the folder it lies in relative to the root ("." for the root). */
struct pe_found {
	const char *path, *dir;
};

typedef PE_VEC(struct pe_found) pe_found_vec;

/** Files of one name (or of one ending: "*.cc") below the root, nearest first, without products, dependencies and hidden folders. */
void pe_survey_find(pe_found_vec *out, const struct pe_survey *survey, const char *name,
		    unsigned depth);

/** The content of a file below the root; NULL when it cannot be read. In the arena. */
const char *pe_survey_read(const struct pe_survey *survey, const char *path);

/** Whether something of that name stands below the root. */
bool pe_survey_has(const struct pe_survey *survey, const char *path);

/** Names in a folder that end with a suffix, sorted. */
void pe_survey_list(pe_line_vec *out, const struct pe_survey *survey, const char *dir,
		    const char *suffix);

/** Whether a name may go into a command as it is: short ASCII, nothing that a shell would read otherwise. */
bool pe_survey_is_fit(const char *name);

/** Note a program by its path in the built tree; sorts it by what its name says. */
void pe_survey_add_program(struct pe_survey *survey, const char *name, const char *path);

/** Note a benchmark with its whole command. */
void pe_survey_add_bench(struct pe_survey *survey, const char *name, const char *command);

/** Note a suite; its name is made one that the config takes, and its own. */
void pe_survey_add_suite(struct pe_survey *survey, const char *name, const char *command,
			 const char *format, const char *output);

/**
 * The library that a C or C++ source measures with: "google-benchmark", "catch2", "nanobench"; NULL: none.
 *
 * @param hidden  set when its Catch2 benchmarks run only when they are asked for by their tag
 */
const char *pe_survey_library_of(const struct pe_survey *survey, const char *path, bool *hidden);

/**
 * Note each script of a folder for benchmarks ("bench", "benchmarks/parse") as one: "node bench/a.js"; at the top of the
 * tree each that is called so: "node bench.js".
 *
 * @param ending   "*.js"
 * @param program  what runs it, with its options
 * @param runs     says of a file's text whether it is a program
 */
void pe_survey_add_scripts(struct pe_survey *survey, const char *ending, const char *program,
			   bool (*runs)(const char *text));

/** Note a build step: a command for the shell, copied. */
void pe_survey_add_step(struct pe_survey *survey, const char *step);

/** Note what is unknown: a sentence for the user, copied. */
void pe_survey_add_unknown(struct pe_survey *survey, const char *sentence);

/**
 * Run a command for the shell at the top of the tree.
 *
 * @return  its stdout; NULL when nothing can be asked or it failed: then survey->unasked says why
 */
const char *pe_survey_ask(struct pe_survey *survey, const char *command);

/** A file that the build made, as pe_survey_read(), through no link. */
const char *pe_survey_read_made(const struct pe_survey *survey, const char *path);

/** dir/name, without a leading "./". */
const char *pe_survey_join(const struct pe_survey *survey, const char *dir, const char *name);

/* Each looks for its build system in the survey's tree, and fills in steps and benchmarks where it is there. */

/** CMake: CMakeLists.txt. Gives whether it is there. */
bool pe_survey_cmake(struct pe_survey *survey);
/** Meson: meson.build. Gives whether it is there. */
bool pe_survey_meson(struct pe_survey *survey);
/** Autotools, which makes a makefile, or Make: configure or what makes it, or a makefile. Gives whether one is there. */
bool pe_survey_make(struct pe_survey *survey);
/** Cargo: Cargo.toml. Gives whether it is there. */
bool pe_survey_cargo(struct pe_survey *survey);
/** Go: go.mod. Gives whether it is there. */
bool pe_survey_go(struct pe_survey *survey);
/** Java: Maven or Gradle. Gives whether it is there. */
bool pe_survey_java(struct pe_survey *survey);
/** .NET: project files. Gives whether it is there. */
bool pe_survey_dotnet(struct pe_survey *survey);
/** Python: a project, or scripts. Gives whether it is there. */
bool pe_survey_python(struct pe_survey *survey);
/** npm: package.json. Gives whether it is there. */
bool pe_survey_npm(struct pe_survey *survey);
/** C or C++ files that nothing says how to build. Gives whether it is there. */
bool pe_survey_c_files(struct pe_survey *survey);

#endif
