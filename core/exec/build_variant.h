/*
 * Build variant: a build that is made to be looked into, beside the one that is timed. The project's build system is
 * not asked to cooperate: its compilers are reached through the environment: COMPILER_PATH leads gcc's drivers
 * to stand-ins of cc1, cc1plus and collect2 (probe/launcher/perfevo-cc1.c), CCC_OVERRIDE_OPTIONS edits clang's
 * arguments, and ccache steps aside. Symbols are kept also where the compiler is to strip what it links.
 *
 * gcc leaves out of the hooks what `exclude:` names, as it compiles. clang has no such lists: it puts its hooks
 * in after inlining, which leaves out nearly all of what headers hold, and what is left of the names is taken
 * out when the tree is read.
 */
#pragma once

#include "core/base/arena.h"
#include "core/model/build.h"

/** The numbers are part of a build variant's hash: append, never reorder. */
enum pe_build_variant {
	PE_BUILD_VARIANT_COUNTING = 0, /**< every function calls a hook when it begins and ends */
	PE_BUILD_VARIANT_SAMPLED = 1,  /**< native, with debug information and all its frames */
	PE_BUILD_VARIANT_NATIVE = 2,   /**< the code that is timed, with debug information */
};

/** How a profile is taken. */
enum pe_profile_mode {
	PE_PROFILE_DEFAULT = 0, /**< unset: counting and samples */
	PE_PROFILE_BOTH,        /**< "counting+samples" */
	PE_PROFILE_COUNTING,    /**< "counting": exact calls and allocations, no times */
	PE_PROFILE_SAMPLES,     /**< "samples": times of the native build, no calls */
	PE_PROFILE_COMMAND,     /**< a command of the project leaves a profile */
};

/** The word for a mode in config and command line. */
const char *pe_profile_mode_name(enum pe_profile_mode mode);

/** Whose own profiler a benchmark is run with, under PE_PROFILE_COMMAND. */
enum pe_profile_language {
	PE_PROFILE_NO_LANGUAGE = 0, /**< the command's */
	PE_PROFILE_PYTHON,
	PE_PROFILE_NODE,
	PE_PROFILE_GO,
	PE_N_PROFILE_LANGUAGES
};

/** The word for it in the config: "python"; NULL for none. */
const char *pe_profile_language_name(enum pe_profile_language language);

/** What has no hooks, or has no node: texts that the path or the name of a function holds. */
struct pe_profile_exclude {
	struct pe_strings files;     /**< parts of paths of source files: "vendor/" */
	struct pe_strings functions; /**< parts of names: "list_get" */
	/** functions whose machine code, hooks included, has fewer bytes; 0: none */
	uint64_t size_bytes;
};

/** `profile:` of a config or a benchmark. */
struct pe_profile_plan {
	enum pe_profile_mode mode;
	struct pe_profile_exclude exclude;
	struct pe_commands
		build; /**< of the counting build, in place of the recipe's steps; none: those */
	unsigned rate; /**< samples a second; 0: as many as serve */
	unsigned runs; /**< sampled runs; 0: as many as serve */
	/** leaves a profile at {profile}, or at PERFEVO_PROFILE of its environment; argv NULL: none */
	struct pe_command command;
	const char *format; /**< of that file: an importer's name; NULL: by content */
	enum pe_profile_language language; /**< in place of a command */
};

/**
 * The recipe of a build variant: the project's own with other surroundings.
 *
 * @param out        borrows from recipe and plan; the rest lives in the arena
 * @param compilers  folder of the stand-ins, see pe_build_variant_compilers()
 */
void pe_build_variant_recipe(struct pe_recipe *out, enum pe_build_variant variant,
			     const struct pe_recipe *recipe, const struct pe_profile_plan *plan,
			     const char *compilers, struct pe_arena *arena);

/** Hash of a build variant and its recipe; no recipe has the same one. The folder of the stand-ins is not part of it. */
void pe_build_variant_hash(enum pe_build_variant variant, const struct pe_recipe *recipe,
			   const struct pe_profile_plan *plan, char hex[PE_HASH_HEX]);

/** Hash of what decides the trees besides the benchmark's version and the way of collecting. */
void pe_profile_plan_hash(const struct pe_profile_plan *plan, char hex[PE_HASH_HEX]);

/**
 * The folder with the stand-ins: PERFEVO_COMPILERS from the environment, else in the build tree or in the
 * installed place beside this program.
 *
 * @return  NULL with PE_ENOTFOUND in err
 */
const char *pe_build_variant_compilers(struct pe_arena *arena, struct pe_err *err);

/** What a run has preloaded to be looked into. */
enum pe_probe_library {
	PE_LIBRARY_COUNTING, /**< libperfevo_rt.so: counts allocations, lists files */
	PE_LIBRARY_CALLS,    /**< libperfevo_calls.so: counts calls (probe/runtime/) */
	PE_LIBRARY_SAMPLES,  /**< libperfevo_sample.so */
};

/**
 * Where a library is: PERFEVO_RUNTIME, PERFEVO_CALLS_LIBRARY or PERFEVO_SAMPLE_LIBRARY from the environment, else beside
 * this program, in its build tree, or in its installed place (../lib/perfevo or ../lib/<triplet>/perfevo relative to it).
 *
 * @return  NULL with PE_ENOTFOUND in err
 */
const char *pe_build_variant_library(enum pe_probe_library which, struct pe_arena *arena,
				     struct pe_err *err);
