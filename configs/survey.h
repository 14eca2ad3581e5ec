/*
 * Survey: what is known about a tree while a config is guessed for it. One function a build system looks for
 * its files, asks it what it makes, and notes the commands and programs. Texts are formats of printf(3), and copied.
 */
#ifndef PE_CONFIGS_SURVEY_H
#define PE_CONFIGS_SURVEY_H

#include "configs/discovery.h"

#include <stdbool.h>

/** A program or benchmark that the build is expected to leave behind. */
struct pe_candidate {
	const char *name;    /**< for people, and as the benchmark's name */
	const char *command; /**< for the shell, at the top of the tree */
	const char *format;  /**< of a suite: as `suites.NAME.format` has it; else NULL */
	/** what a suite leaves its results in; NULL: its library has an option for that */
	const char *output;
};

typedef PE_VEC(struct pe_candidate) pe_candidate_vec;

struct pe_survey {
	const char *root;
	struct pe_arena *arena;
	struct pe_discovery *ask; /**< runs commands in the tree; NULL: nothing is asked */
	const struct pe_progress *progress; /**< hears who is asked; NULL: nobody watches */
	/** why the build system did not say what it makes; NULL: it did. pe_survey_ask() sets it where that is NULL */
	const char *unasked;
	const char *system;       /**< NULL: none recognised */
	pe_string_vec prepares;   /**< of the build: what fetches */
	pe_string_vec steps;      /**< of the build; none twice */
	pe_candidate_vec benches; /**< programs that look like benchmarks */
	pe_candidate_vec programs;
	const char *test_program; /**< command of one that runs tests, by its name; NULL: none */
	pe_candidate_vec suites;  /**< programs with many benchmarks, whose results perfevo reads */
	pe_candidate_vec
		targets;     /**< programs that can be built alone; the command is their path */
	const char *alone;   /**< builds one of the targets, when its name follows; NULL: unknown */
	const char *tests;   /**< value of `tests:`; NULL: there are none, or it is not known */
	const char *profile; /**< value of `profile:`, NULL: the default */
	const char *env;     /**< of the build, as YAML has it: "{A: b}"; NULL: none */
	const char *run_env; /**< the same of each benchmark; behind it a comment may follow */
	pe_string_vec unknown; /**< sentences */
};

/** A file found by pe_survey_find(), and the folder it lies in relative to the root ("." for the root). */
struct pe_found {
	const char *path, *dir;
};

typedef PE_VEC(struct pe_found) pe_found_vec;

/**
 * Files of one name (or of one ending: "*.cc") below the root, nearest first, without products, dependencies and hidden folders.
 *
 * @param sign  a regular expression, which a line of the file matches; NULL: any file
 */
void pe_survey_find(pe_found_vec *out, const struct pe_survey *survey, const char *name,
		    unsigned depth, const char *sign);

/** The content of a file below the root, through no link; NULL when it cannot be read. In the arena. */
const char *pe_survey_read(const struct pe_survey *survey, const char *path);

/** Whether something of that name stands below the root. */
bool pe_survey_has(const struct pe_survey *survey, const char *path);

/** Whether a line of a file matches a regular expression. */
bool pe_survey_matches(const struct pe_survey *survey, const char *path, const char *sign);

/** Whether a name may go into a command as it is: short ASCII, nothing that a shell would read otherwise. */
bool pe_survey_is_fit(const char *name);

/** Note a program by its path in the built tree; sorts it by what its name says. */
void pe_survey_add_program(struct pe_survey *survey, const char *name, const char *path);

/** Note a benchmark with its whole command. */
void pe_survey_add_bench(struct pe_survey *survey, const char *name, const char *command, ...)
	PE_PRINTF(3, 4);

/** Note a suite; its name is made one that the config takes, and its own. */
void pe_survey_add_suite(struct pe_survey *survey, const char *name, const char *format,
			 const char *output, const char *command, ...) PE_PRINTF(5, 6);

/** Note a step of the build: a command for the shell. */
void pe_survey_add_step(struct pe_survey *survey, const char *step, ...) PE_PRINTF(2, 3);

/** Note what is unknown: a sentence for the user. */
void pe_survey_add_unknown(struct pe_survey *survey, const char *sentence, ...) PE_PRINTF(2, 3);

/**
 * Run a command for the shell at the top of the tree.
 *
 * @return  its stdout; NULL when nothing can be asked or it failed: then survey->unasked says why
 */
const char *pe_survey_ask(struct pe_survey *survey, const char *command, ...) PE_PRINTF(2, 3);

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
/** C files that nothing says how to build. Gives whether it is there. */
bool pe_survey_c_files(struct pe_survey *survey);

#endif
