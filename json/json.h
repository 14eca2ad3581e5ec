/*
 * What is read out of JSON that other programs write: numbers by pointer out of a benchmark's output, ctest's list of
 * tests, CMake's targets, npm's packages.
 */
#ifndef PE_JSON_JSON_H
#define PE_JSON_JSON_H

#include "core/base/arena.h"
#include "core/exec/ports.h"

/** The port for custom metrics. */
struct pe_json_reader pe_json_number_reader(void);

/** One test of `ctest --show-only=json-v1`. Strings live in the arena. */
struct pe_ctest {
	const char *name;
	const char *const *command; /**< NULL-terminated; NULL for a test without one (not built) */
	const char *working_directory; /**< absolute; NULL: ctest's own */
	struct pe_strings environment; /**< "K=V" of the ENVIRONMENT property */
	double timeout_s;              /**< TIMEOUT property; 0: none */
	bool disabled, will_fail;
	/** file of its add_test(), from the backtrace graph; NULL: unknown */
	const char *defined_in;
	unsigned defined_at; /**< line */
};

/**
 * Read ctest's list.
 *
 * @param out  an array in the arena, *n long, in ctest's order
 * @return     PE_EINVALID with what was expected
 */
int pe_json_ctest_list(struct pe_ctest **out, size_t *n, const char *document, size_t len,
		       struct pe_arena *arena, struct pe_err *err);

/** One executable target of CMake's file API (codemodel-v2). */
struct pe_cmake_target {
	const char *name;
	struct pe_strings artifacts; /**< absolute paths */
	struct pe_strings sources;   /**< absolute paths, without generated files */
};

/**
 * Read the executable targets from a reply directory of CMake's file API
 * (BUILD/.cmake/api/v1/reply). PE_ENOTFOUND without a reply.
 */
int pe_json_cmake_targets(struct pe_cmake_target **out, size_t *n, const char *build_dir,
			  struct pe_arena *arena, struct pe_err *err);

/** What a package.json says about running its program. Strings live in the arena; NULL: not given. */
struct pe_npm_package {
	const char *name;
	const char *main;       /**< the file that `require` loads */
	const char *bin;        /**< the first program it installs, as a path in the package */
	const char *bench;      /**< text of the script "bench", else "benchmark", else "perf" */
	const char *bench_name; /**< which of them it is */
	const char *build;      /**< text of the script "build" */
};

/** Read a package.json. PE_EINVALID when it is not a JSON object. */
int pe_json_npm_package(struct pe_npm_package *out, const char *document, size_t len,
			struct pe_arena *arena, struct pe_err *err);

#endif
