/* Discovery: one search for the tests of a built tree, and what its two ways (ctest, list and run) share. */
#ifndef PE_CONFIGS_DISCOVERY_H
#define PE_CONFIGS_DISCOVERY_H

#include "configs/config.h"

#include "core/base/text.h"
#include "core/base/vec.h"

typedef PE_VEC(const char *) pe_string_vec;

struct pe_discovery {
	const struct pe_config *config;
	const char *tree; /**< absolute */
	const char *real; /**< the same without symbolic links: tools print either */
	const struct pe_executor *executor;
	struct pe_arena *arena;
	struct pe_err *err;
	PE_VEC(struct pe_benchmark) found;
	pe_string_vec skipped;
};

/**
 * Run a command in the build's environment and take its stdout.
 *
 * @return  PE_EINVALID when it fails, with the end of what it wrote to stderr; PE_ESTOPPED; PE_ESYS
 */
int pe_discovery_run(struct pe_text *out, struct pe_discovery *discovery,
		     const struct pe_command *command, const char *cwd);

/** Whether `include` and `exclude` let a name through. */
bool pe_discovery_wants(const struct pe_discovery *discovery, const char *name);

/** Leave a test out, with the reason. */
void pe_discovery_skip(struct pe_discovery *discovery, const char *name, const char *reason);

/** Add a test, unless its name is taken or unfit. */
void pe_discovery_add(struct pe_discovery *discovery, const struct pe_benchmark *benchmark);

/** A path relative to the tree, without "." and ".."; NULL when it lies outside. */
const char *pe_discovery_relative(const struct pe_discovery *discovery, const char *path);

/** Add a string that is not in the vector yet. */
void pe_discovery_push(pe_string_vec *vec, const char *string);

/** Move a vector into the arena. */
struct pe_strings pe_discovery_take(pe_string_vec *vec, struct pe_arena *arena);

/** tests: ctest. */
int pe_discovery_ctest(struct pe_discovery *discovery);

#endif
