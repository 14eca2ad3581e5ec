/* Build: how a checkout is turned into programs, and the result. */
#pragma once

#include "core/model/outcome.h"
#include "core/model/revision.h"
#include "core/model/benchmark.h"
#include "core/model/sandbox.h"

/** What happens to the products of the revision that a slot held before. */
enum pe_clean {
	PE_CLEAN_ALWAYS, /**< every build starts from the tree alone (default) */
	/** incremental while no build-description file changed, clean otherwise */
	PE_CLEAN_AUTO,
	PE_CLEAN_NEVER, /**< always incremental */
};

/** The `build:` of a config. */
struct pe_recipe {
	struct pe_commands prepare; /**< run before the steps, with the network */
	struct pe_commands steps;   /**< run one after the other at the tree's root */
	struct pe_strings env;      /**< "K=V" added to what is inherited */
	struct pe_strings
		pass_env; /**< names that are inherited beside the usual ones; "X_*": all that begin so */
	uint64_t timeout_ns; /**< for each step */
	/** exported as PERFEVO_JOBS, and in the variables of make, cmake, cargo and nproc */
	unsigned jobs;
	/** builds side by side; 0: as many as processors and memory allow (core/exec/parallel_builds.h) */
	unsigned parallel;
	enum pe_clean clean;
	/** put ccache in front of the compilers where it is installed */
	bool ccache;
	/** another mode is other surroundings: other builds, and other series of every benchmark */
	enum pe_sandbox_mode sandbox;
	enum pe_sandbox_means sandbox_means; /**< of `auto` */
	struct pe_strings exclude;      /**< files and folders that are left out of the trees */
	char overlay_hash[PE_HASH_HEX]; /**< of the files copied into every tree; "" without any */
};

/** Hash of what decides the programs: steps, env, overlay, sandbox. Not timeout, jobs, parallel, clean, ccache. */
void pe_recipe_hash(const struct pe_recipe *recipe, char hex[PE_HASH_HEX]);

struct pe_dependencies;

/** The result of building one revision, good or bad. */
struct pe_build {
	enum pe_outcome outcome; /**< PE_MEASURED: it was built */
	int64_t started_s;
	int64_t started_ns; /**< clock of files, ns, before the tree was filled */
	uint64_t
		duration_ns; /**< wall time; of what builds side by side took together, its share */
	const char *step;    /**< text of the step that failed; NULL when built */
	int status;          /**< its exit status or signal */
	/** the end of its output (at most 64 KiB), or why the tree was refused */
	const char *log;
	/** What it read of its tree, a good build that was watched (core/exec/dependencies.h); else NULL. In the arena. */
	const struct pe_dependencies *reads;
	/** A refused tree: by which version and limits, where it is refused by these whatever else is done; NULL: it may be mended */
	const char *refused_by;
};
