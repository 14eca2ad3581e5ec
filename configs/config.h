/* Config: perfevo.yml, read with libyaml. Every message has the form file:line:column, the error, and the expected value. */
#pragma once

#include "core/base/arena.h"
#include "core/model/build.h"
#include "core/model/commit_class.h"
#include "core/exec/build_variant.h"
#include "core/exec/ports.h"
#include "core/model/suite.h"
#include "core/model/limits.h"
#include "core/model/sandbox.h"

#include <stdbool.h>

/** Files of the user's current tree, or of a named revision, that are copied into every measured tree. */
struct pe_overlay {
	struct pe_strings paths; /**< relative to the tree's root; files or folders */
	const char *revision;    /**< NULL: the user's current tree */
};

/** Default budget for kept builds. */
#define PE_DISK_BYTES (UINT64_C(10) << 30)

enum pe_tests_kind {
	PE_TESTS_NONE,
	PE_TESTS_CTEST,
	PE_TESTS_LIST,
	PE_TESTS_MESON,
	PE_TESTS_MESON_BENCHMARKS,
};

/** The name of a kind in the config: "ctest"; NULL: a list of the config's own, or none. */
const char *pe_tests_kind_name(enum pe_tests_kind kind);

/** Unit tests as benchmarks (Rizel §IV). */
struct pe_tests {
	enum pe_tests_kind kind;
	const char *
		build_dir; /**< ctest, meson: the build's folder, relative to the tree; "build" by default */
	struct pe_command
		list;          /**< prints one test a line; its own sources may follow after tabs */
	struct pe_command run; /**< {name} is replaced by the test's name, quoted for the shell */
	/** own sources of every test if the list has none; {name} allowed */
	struct pe_strings sources;
	const char *include,
		*exclude;          /**< POSIX extended regular expressions over names; NULL: none */
	struct pe_benchmark model; /**< warmup, repeats, timeout, env, tags of every test */
};

/** A test that is not compared, and why: "disabled". */
struct pe_left_out {
	const char *name, *reason;
};

struct pe_left_outs {
	const struct pe_left_out *at;
	size_t n;
};

/** `run: instructions:`: the counter of instructions. */
enum pe_instructions {
	PE_INSTRUCTIONS_AUTO,      /**< the machine if it can, else valgrind if it is installed */
	PE_INSTRUCTIONS_HARDWARE,  /**< the machine */
	PE_INSTRUCTIONS_SIMULATED, /**< valgrind, for every benchmark */
	PE_INSTRUCTIONS_OFF,
};

/** Environment of runs: the same for all of them. */
struct pe_surroundings {
	int cpu; /**< -1: not pinned; -2: chosen by perfevo */
	int nice;
	bool fixed_layout; /**< aslr: false */
	enum pe_instructions instructions;
	/** names that benchmarks inherit from the user's environment */
	struct pe_strings pass_env;
};

/** `metrics:`: thresholds of changes, and judged metrics. */
struct pe_threshold {
	const char *metric;
	double min_relative; /**< < 0: the metric's own */
	double min_absolute; /**< < 0: the metric's own */
	bool judged;         /**< false: recorded only */
	bool primary;        /**< printed before all others: it costs the users most */
};

/** `paths:`: the source files whose methods are compared; patterns as in pe_glob_match(). */
struct pe_paths {
	struct pe_strings include; /**< none: every file */
	struct pe_strings exclude; /**< except those that match these */
};

/** `hooks:`: actions of the installed git hooks. */
struct pe_hooks_plan {
	bool notify;             /**< post-commit: show results on the desktop */
	uint64_t push_budget_ns; /**< pre-push: longest delay of a push */
	bool push_blocks;        /**< pre-push: a confirmed regression stops it */
};

/** `nightly:`: actions and recipients of `perfevo nightly`. Strings are NULL where the config has none. */
struct pe_nightly_plan {
	const char *fetch;    /**< remote that is fetched first */
	const char *revision; /**< tip of the watched history; NULL: HEAD */
	unsigned last;        /**< commits of it */
	const char *farm;     /**< "slurm"; NULL: this machine measures */
	uint64_t budget_ns;   /**< the night ends after it, and the next one continues */
	const char *report;   /**< file of the page */
	const char *mail;     /**< address */
	const char *command;  /**< run by a shell, with the news on its input */
	const char *file;     /**< receives the news */
};

/** `farm:`: the machines of Slurm on which `perfevo track --farm` measures. Strings are NULL where the config has none. */
struct pe_farm_plan {
	const char *partition, *constraint, *account; /**< in the form of sbatch's options */
	const char *spool; /**< absolute folder visible to all machines; NULL: beside the store */
	const char *cache; /**< absolute folder on each of them; NULL: below /var/tmp */
	unsigned nodes;    /**< most nodes at a time; 0: all */
	uint64_t time_ns;  /**< of an allocation; 0: the partition's */
	bool moves;        /**< pin: class: a benchmark may move from node to node */
	struct pe_strings options; /**< further words of sbatch */
};

enum { PE_N_SPARK_BOUNDS = 5 };

/** `spark:`: the glyphs of the commit graph. */
struct pe_spark_plan {
	/**
	 * PE_N_SPARK_BOUNDS numbers of changed methods, ascending: from each on, the sector is a step
	 * higher; NULL: those of report/history.h
	 */
	const uint32_t *methods;
};

struct pe_config {
	const char *path; /**< of the file, for messages */
	const char *root; /**< absolute folder of the user's tree that relative paths refer to */
	struct pe_recipe recipe;
	struct pe_overlay overlay;
	/** parameters filled in, one per combination, in the file's order */
	struct pe_benchmark *benchmarks;
	size_t n_benchmarks;
	struct pe_suite *suites;
	size_t n_suites;
	struct pe_tests tests;
	struct pe_surroundings surroundings;
	struct pe_sandbox sandbox;
	struct pe_limits limits;
	bool sandbox_is_said; /**< the file or the environment has the mode; else `nightly: fetch:` decides */
	struct pe_paths paths;
	struct pe_hooks_plan hooks;
	struct pe_nightly_plan nightly;
	struct pe_farm_plan farm;
	struct pe_spark_plan spark;
	struct pe_gate_limits
		gate; /**< `gate:` and `layout:`: regressions that fail ci, a push, a night */
	/** fingerprints of the keys ("SHA256:...") whose pulled results count like local ones */
	struct pe_strings trust;
	const struct pe_profile_plan *profile; /**< initial values of every benchmark's */
	struct pe_threshold *thresholds;
	size_t n_thresholds;
	uint64_t disk_bytes;   /**< budget for kept builds; PE_DISK_BYTES by default */
	const char *cache_dir; /**< NULL: the XDG cache directory */
	/** "perfevo.yml:9:14: still to do: ..." if a benchmark's command has the word '...'; NULL: none has */
	const char *to_do;
};

/**
 * Read and check a config. Versions and overlay hash are not filled in: call pe_config_seal() for them.
 *
 * @param path  the file
 * @param root  folder to which its relative paths refer (the top of the user's tree)
 * @param text  its content if it was read already (a bare repository's HEAD:perfevo.yml); NULL:
 *              read path
 * @return      PE_ENOTFOUND, PE_EINVALID with "file:line:column: ..."
 */
int pe_config_load(struct pe_config *out, const char *path, const char *root, const char *text,
		   struct pe_arena *arena, struct pe_err *err);

/** Whether a file, relative to the tree's root, is among the paths; all zero: every file is. */
bool pe_paths_have(const struct pe_paths *paths, const char *path);

/**
 * Fill in the overlay's hash and every benchmark's version, from the contents of the files that they name.
 *
 * @param overlay_hash  of an overlay taken from a revision (pe_repo_export()); NULL: the overlay is
 *                      the user's current tree and its files are read here
 */
int pe_config_seal(struct pe_config *config, const char *overlay_hash, struct pe_err *err);

/**
 * Set the mode of a loaded config to `require`, with all consequences. With `or_auto`, a machine without namespaces, where
 * `require` would run nothing, gets `auto`, without a network as far as landlock can.
 */
void pe_sandbox_require(struct pe_config *config, bool or_auto, struct pe_arena *arena);

/** Copy the overlay's files from the user's current tree into a measured tree, with their modes and symlinks. */
int pe_config_apply_overlay(const struct pe_config *config, const char *tree, struct pe_err *err);

/** One thing to run for a first answer. */
struct pe_guess_choice {
	const char *yaml;   /**< the text of a config that builds and runs it alone */
	const char *runs;   /**< a command or a description */
	const char *target; /**< the program that is built alone for it; NULL: all is built */
};

enum { PE_GUESS_CHOICES = 3 };

/** Results of `init`. */
struct pe_guess {
	const char *system; /**< "CMake", "Meson", "Autotools", "Make", "Cargo", "npm", or NULL */
	const char *yaml;   /**< the text of a config with comments */
	/** sentences: values that could not be guessed and must be filled in */
	struct pe_strings unknown;
	/** with opts->one: things to run, the most telling first */
	struct pe_guess_choice choices[PE_GUESS_CHOICES];
	size_t n_choices;
	/** the one of these about '...' in the config, which commands that measure refuse; NULL: there is none */
	const char *to_do;
};

/** Options of a guess: access to the build system, and the wanted result. Borrowed. */
struct pe_guess_opts {
	const struct pe_executor *executor; /**< runs it in the tree; NULL: it is not run */
	const char *unasked;                /**< the reason: "nothing is committed yet" */
	const struct pe_config *asking;     /**< source of the build's environment and time limit */
	const volatile sig_atomic_t *interrupts; /**< see struct pe_proc_spec */
	const struct pe_progress *progress;      /**< PE_PROGRESS_ASK; NULL is allowed */
	bool one;            /**< for a first answer: choices, each with one thing to run */
	const char *command; /**< with `one`: the only choice, for the shell; NULL: what is found */
};

/**
 * Guess a config for a tree. The text is always one that pe_config_load() accepts; unknown parts of
 * a benchmark's command are '...' in it, and listed in `unknown`.
 *
 * @param root  of a disposable copy: build systems write into it
 */
int pe_config_guess(struct pe_guess *out, const char *root, const struct pe_guess_opts *opts,
		    struct pe_arena *arena, struct pe_err *err);

/**
 * Turn the tests of a built tree into benchmarks: queries ctest, Meson's files, the programs or the list command there.
 *
 * @param out      benchmarks in the arena, with sources filled in where they are known; *n of them
 * @param skipped  tests that cannot be used, in the arena
 * @param tree     a built tree
 */
int pe_tests_discover(struct pe_benchmark **out, size_t *n, struct pe_left_outs *skipped,
		      const struct pe_config *config, const char *tree,
		      const struct pe_executor *executor, struct pe_arena *arena,
		      struct pe_err *err);
