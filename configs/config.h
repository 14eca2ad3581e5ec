/*
 * Config: perfevo.yml, read with libyaml. Every message reads file:line:column: what is wrong,
 * where, and what was expected.
 */
#ifndef PE_CONFIGS_CONFIG_H
#define PE_CONFIGS_CONFIG_H

#include "core/base/arena.h"
#include "core/model/build.h"
#include "core/model/commit_class.h"
#include "core/exec/build_variant.h"
#include "core/exec/ports.h"
#include "core/model/suite.h"
#include "core/model/limits.h"
#include "core/model/sandbox.h"

#include <stdbool.h>

/** Files of the user's current tree, or of a named revision, that are copied into every measured
 * tree. */
struct pe_overlay {
	struct pe_strings paths; /**< relative to the tree's root; files or folders */
	const char *revision;    /**< NULL: the user's current tree */
};

/** Budget for kept builds where the config has no word on it. */
#define PE_DISK_BYTES (UINT64_C(10) << 30)

enum pe_tests_kind {
	PE_TESTS_NONE,
	PE_TESTS_CTEST,
	PE_TESTS_LIST,
	PE_TESTS_MESON,
	PE_TESTS_MESON_BENCHMARKS,
	/* One process a test of a program that is linked with the library: */
	PE_TESTS_GTEST,
	PE_TESTS_DOCTEST,
	PE_TESTS_BOOST,
	PE_TESTS_CATCH2,
};

/** As the config has it: "ctest"; NULL: a list of the config's own, or none. */
const char *pe_tests_kind_name(enum pe_tests_kind kind);

/** Unit tests as benchmarks (Rizel §IV). */
struct pe_tests {
	enum pe_tests_kind kind;
	const char *
		build_dir; /**< ctest, meson: where was built, relative to the tree; "build" by default */
	/** of a library's: they list and run their tests by its options */
	struct pe_commands programs;
	bool several; /**< several programs were asked for: names begin with the program's */
	struct pe_command
		list;          /**< prints one test a line; its own sources may follow after tabs */
	struct pe_command run; /**< {name} stands for the test's name, quoted for the shell */
	/** own sources of every test where the list gives none; {name} allowed */
	struct pe_strings sources;
	const char *include,
		*exclude;          /**< POSIX extended regular expressions over names; NULL: none */
	struct pe_benchmark model; /**< warmup, repeats, timeout, env, tags that every test takes */
};

/** A test that is not compared, and why: "disabled". */
struct pe_left_out {
	const char *name, *reason;
};

struct pe_left_outs {
	const struct pe_left_out *at;
	size_t n;
};

/** `run: instructions:` what counts them. */
enum pe_instructions {
	PE_INSTRUCTIONS_AUTO, /**< the machine where it can, else valgrind where it is installed */
	PE_INSTRUCTIONS_HARDWARE,  /**< the machine */
	PE_INSTRUCTIONS_SIMULATED, /**< valgrind, of every benchmark */
	PE_INSTRUCTIONS_OFF,
};

/** How runs are surrounded: the same for all of them. */
struct pe_surroundings {
	int cpu; /**< -1: not pinned; -2: perfevo chooses */
	int nice;
	bool fixed_layout; /**< aslr: false */
	enum pe_instructions instructions;
	/** names that benchmarks inherit from the user's environment */
	struct pe_strings pass_env;
};

/** `metrics:`: what counts as a change, and what is judged. */
struct pe_threshold {
	const char *metric;
	double min_relative; /**< < 0: the metric's own */
	double min_absolute; /**< < 0: the metric's own */
	bool judged;         /**< false: recorded only */
	bool primary;        /**< what people pay for: it stands before all others */
};

/** `paths:`: the source files whose methods are compared; patterns as in pe_glob_match(). */
struct pe_paths {
	struct pe_strings include; /**< none: every file */
	struct pe_strings exclude; /**< of these, not the ones that match */
};

/** `hooks:`: what the git hooks do, where they are installed. */
struct pe_hooks_plan {
	bool notify;             /**< post-commit: notify the desktop what came of a commit */
	uint64_t push_budget_ns; /**< pre-push: how long a push may wait for an answer */
	bool push_blocks;        /**< pre-push: a confirmed regression stops it */
};

/** `nightly:`: what `perfevo nightly` does and whom it notifies. Strings are NULL where nothing was said. */
struct pe_nightly_plan {
	const char *fetch;    /**< remote that is fetched first */
	const char *revision; /**< tip of the history that is watched; NULL: HEAD */
	unsigned last;        /**< commits of it */
	const char *farm;     /**< "slurm" or "local": what track is told; NULL: it measures here */
	uint64_t budget_ns;   /**< after it the night ends, and the next one goes on */
	const char *report;   /**< file of the page */
	const char *mail;     /**< address */
	const char *command;  /**< given to a shell, with the news on its input */
	const char *file;     /**< that the news are written to */
};

/** `farm:`: the machines of Slurm that `perfevo track --farm` measures on. Strings are NULL where nothing was said. */
struct pe_farm_plan {
	const char *partition, *constraint, *account; /**< as sbatch has them */
	const char *spool; /**< absolute folder that all machines see; NULL: beside the store */
	const char *cache; /**< absolute folder on each of them; NULL: below /var/tmp */
	unsigned nodes;    /**< at most so many at a time; 0: all that are there */
	unsigned local;    /**< workers on this machine; 0: one */
	uint64_t time_ns;  /**< of an allocation; 0: the partition's */
	bool moves;        /**< pin: class: a benchmark may move from node to node */
	struct pe_strings options; /**< further words of sbatch */
};

enum { PE_N_SPARK_BOUNDS = 5 };

/** `spark:`: how the glyphs of the commit graph are drawn. */
struct pe_spark_plan {
	/** PE_N_SPARK_BOUNDS numbers of changed methods, ascending, from each of which on the sector is a step
	 * higher; NULL: those of report/history.h */
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
	bool sandbox_is_said; /**< by the file or the environment; else by `nightly: fetch:` */
	struct pe_paths paths;
	struct pe_hooks_plan hooks;
	struct pe_nightly_plan nightly;
	struct pe_farm_plan farm;
	struct pe_spark_plan spark;
	struct pe_gate_limits
		gate; /**< `gate:` and `layout:`: which regressions fail ci, a push, a night */
	/** fingerprints of the keys ("SHA256:...") whose pulled results count as those that were measured here */
	struct pe_strings trust;
	const struct pe_profile_plan *profile; /**< what every benchmark starts from */
	struct pe_threshold *thresholds;
	size_t n_thresholds;
	uint64_t disk_bytes;   /**< budget for kept builds; PE_DISK_BYTES by default */
	const char *cache_dir; /**< NULL: the XDG cache directory */
	/** "perfevo.yml:9:14: still to do: ..." where a benchmark's command has '...' for a word; NULL: none has */
	const char *to_do;
};

/**
 * Read and check a config. Versions and overlay hash are not filled in: that is pe_config_seal().
 *
 * @param path  the file
 * @param root  folder that its relative paths refer to (the top of the user's tree)
 * @param text  its content if it was read already (a bare repository's HEAD:perfevo.yml); NULL:
 * read path
 * @return      PE_ENOTFOUND, PE_EINVALID with "file:line:column: ..."
 */
int pe_config_load(struct pe_config *out, const char *path, const char *root, const char *text,
		   struct pe_arena *arena, struct pe_err *err);

/** Whether a file, relative to the tree's root, is among the paths; all zero: every file is. */
bool pe_paths_have(const struct pe_paths *paths, const char *path);

/**
 * Fill in the overlay's hash and every benchmark's version, from the contents of the files they
 * name.
 *
 * @param overlay_hash  of an overlay taken from a revision (pe_repo_export()); NULL: the overlay is
 * the user's current tree and its files are read here
 */
int pe_config_seal(struct pe_config *config, const char *overlay_hash, struct pe_err *err);

/** Copy the overlay's files from the user's current tree into a measured tree, modes and symlinks
 * kept. */
int pe_config_apply_overlay(const struct pe_config *config, const char *tree, struct pe_err *err);

/** What `init` found and wrote. */
struct pe_guess {
	const char *system; /**< "CMake", "Meson", "Autotools", "Make", "Cargo", "npm", or NULL */
	const char *yaml;   /**< the text of a config with comments */
	/** sentences: what could not be guessed and must be filled in */
	struct pe_strings unknown;
	const char *
		runs; /**< what is measured first, a command or a word for it; NULL: nothing was found */
	const char *target; /**< the program that is built alone for it; NULL: all is built */
	/** the one of these about '...' in the config, which commands that measure refuse; NULL: there is none */
	const char *to_do;
};

/** How a build system is asked what it makes, which runs its code, and what is wanted of the answer. Borrowed. */
struct pe_guess_opts {
	const struct pe_executor *executor; /**< runs it in the tree; NULL: nothing is asked */
	const char *unasked;                /**< why, for a sentence: "nothing is committed yet" */
	const struct pe_config *asking;     /**< whose build gives environment and time */
	const volatile sig_atomic_t *interrupts; /**< see struct pe_proc_spec */
	const struct pe_progress *progress;      /**< PE_PROGRESS_ASK; NULL: nobody watches */
	bool one; /**< for a first answer: a config with one thing to run */
	const char
		*command; /**< with `one`, for the shell; NULL: what looks most like a benchmark */
};

/**
 * Look at a tree and write a config for it. Always gives a text that pe_config_load() accepts; what cannot be guessed of
 * a benchmark's command is '...' in it, and stands in `unknown`.
 *
 * @param root  of a copy that is nobody's work: build systems write into it
 */
int pe_config_guess(struct pe_guess *out, const char *root, const struct pe_guess_opts *opts,
		    struct pe_arena *arena, struct pe_err *err);

/**
 * Turn the tests of a built tree into benchmarks: asks ctest, Meson's files, the programs or the list command there.
 *
 * @param out      benchmarks in the arena, with sources filled in where they are known; *n of them
 * @param skipped  tests that cannot be taken, in the arena
 * @param tree     a built tree
 */
int pe_tests_discover(struct pe_benchmark **out, size_t *n, struct pe_left_outs *skipped,
		      const struct pe_config *config, const char *tree,
		      const struct pe_executor *executor, struct pe_arena *arena,
		      struct pe_err *err);

#endif
