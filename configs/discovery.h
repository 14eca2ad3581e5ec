/* Discovery: one search for the tests of a built tree, and helpers of its ways. */
#pragma once

#include "configs/config.h"

#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/json/json.h"

typedef PE_VEC(const char *) pe_string_vec;

struct pe_discovery {
	const struct pe_config *config;
	const char *tree; /**< absolute */
	/** the same without symbolic links, or as commands see it: tools print either */
	const char *real;
	const struct pe_executor *executor;
	const volatile sig_atomic_t *interrupts; /**< see struct pe_proc_spec */
	struct pe_arena *arena;
	struct pe_err *err;
	PE_VEC(struct pe_benchmark) found;
	PE_VEC(struct pe_left_out) skipped;
};

/** Fill in discovery->real. PE_ESYS. */
int pe_discovery_resolve(struct pe_discovery *discovery);

/**
 * Run a command in the build's environment, with the tests' own variables, and append its stdout.
 *
 * @return  PE_EINVALID when it fails, with what it says of that; PE_ESTOPPED; PE_ESYS
 */
int pe_discovery_run(struct pe_text *out, struct pe_discovery *discovery,
		     const struct pe_command *command, const char *cwd);

/** A text in small letters, in the arena. */
const char *pe_discovery_lower(const char *text, struct pe_arena *arena);

/** Whether `include` and `exclude` accept a name. */
bool pe_discovery_wants(const struct pe_discovery *discovery, const char *name);

/** Leave a test out, with the reason. */
void pe_discovery_skip(struct pe_discovery *discovery, const char *name, const char *reason);

/** Add a test, unless its name is taken or invalid. */
void pe_discovery_add(struct pe_discovery *discovery, const struct pe_benchmark *benchmark);

/** Make a path relative to the tree, without "." and ".."; NULL when it is outside. */
const char *pe_discovery_relative(const struct pe_discovery *discovery, const char *path);

/** Whether a path of the tree is a file. */
bool pe_discovery_has_file(const struct pe_discovery *discovery, const char *path);

/** Add a string that is not in the vector yet. */
void pe_discovery_push(pe_string_vec *vec, const char *string);

/** Move a vector into the arena. */
struct pe_strings pe_discovery_take(pe_string_vec *vec, struct pe_arena *arena);

/** Find tests of ctest. As pe_discovery_run(). */
int pe_discovery_ctest(struct pe_discovery *discovery);

/** Find tests of meson and meson-benchmarks. As pe_discovery_run(). */
int pe_discovery_meson(struct pe_discovery *discovery);

/**
 * List the executables that CMake makes in a build folder of the tree, from its code model; if it does not write one,
 * there are none. PE_ESTOPPED, PE_ESYS.
 */
int pe_discovery_cmake_targets(struct pe_built_target **out, size_t *n,
			       struct pe_discovery *discovery, const char *folder);

/** Read one of Meson's files for editors in a build folder, an array; no link is followed in the build's output. */
int pe_discovery_meson_info(const struct pe_json_value **out, const struct pe_discovery *discovery,
			    const char *build, const char *name);
