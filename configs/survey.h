/*
 * Survey: what is known about a tree while a config is guessed for it. One function a build system looks for
 * its files and notes the commands and programs that they name.
 */
#ifndef PE_CONFIGS_SURVEY_H
#define PE_CONFIGS_SURVEY_H

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#include <stdbool.h>

/** A program or benchmark that the build is expected to leave behind. */
struct pe_candidate {
	const char *name;    /**< for people, and as the benchmark's name */
	const char *command; /**< for the shell, at the top of the tree */
};

typedef PE_VEC(struct pe_candidate) pe_candidate_vec;
typedef PE_VEC(const char *) pe_line_vec;

struct pe_survey {
	const char *root;
	struct pe_arena *arena;
	const char *system;       /**< NULL: none recognised */
	pe_line_vec steps;        /**< of the build */
	pe_candidate_vec benches; /**< programs that look like benchmarks */
	pe_candidate_vec programs;
	bool ctest;          /**< there is a suite that ctest runs, in build/ */
	pe_line_vec unknown; /**< sentences */
};

/** A file found by pe_survey_find(), and the folder it lies in relative to the root ("." for the root). */
struct pe_found {
	const char *path, *dir;
};

typedef PE_VEC(struct pe_found) pe_found_vec;

/** Files of one name below the root, nearest first, without products, dependencies and hidden folders. */
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

/** Whether a program is on PATH. */
bool pe_survey_on_path(const char *program);

/** Note a program by its path in the built tree; sorts it by what its name says. */
void pe_survey_add_program(struct pe_survey *survey, const char *name, const char *path);

/** Note a benchmark with its whole command. */
void pe_survey_add_bench(struct pe_survey *survey, const char *name, const char *command);

/** Note a build step, or a sentence about what is unknown. */
void pe_survey_add_step(struct pe_survey *survey, const char *step);
void pe_survey_add_unknown(struct pe_survey *survey, const char *sentence);

/** dir/name, without a leading "./". */
const char *pe_survey_join(const struct pe_survey *survey, const char *dir, const char *name);

/** Each looks for its build system and gives whether it is there. */
bool pe_survey_cmake(struct pe_survey *survey);
bool pe_survey_meson(struct pe_survey *survey);
bool pe_survey_autotools(struct pe_survey *survey);
bool pe_survey_make(struct pe_survey *survey);
bool pe_survey_cargo(struct pe_survey *survey);
bool pe_survey_npm(struct pe_survey *survey);
bool pe_survey_c_files(struct pe_survey *survey);

#endif
