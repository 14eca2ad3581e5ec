/*
 * What is read out of JSON that other programs write: numbers by pointer out of a benchmark's output, lists of tests of
 * ctest and Meson, targets of CMake and Meson.
 */
#pragma once

#include "core/base/arena.h"
#include "core/exec/ports.h"
#include "core/json/tree.h"

/** The port for custom metrics. */
struct pe_json_reader pe_json_number_reader(void);

/** One test that a build system lists: of `ctest --show-only=json-v1` or of Meson. Strings live in the arena. */
struct pe_built_test {
	const char *name;
	struct pe_strings suites;   /**< Meson: "unit" of "project:unit" */
	const char *const *command; /**< NULL-terminated; NULL for a test without one (not built) */
	const char *working_directory; /**< absolute; NULL: the build folder */
	struct pe_strings environment; /**< "K=V" */
	double timeout_s;              /**< that the test claims for itself; 0: none */
	bool disabled, will_fail;
	/** file of its add_test(), from ctest's backtrace graph; NULL: unknown */
	const char *defined_in;
};

/**
 * Read ctest's list.
 *
 * @param out  an array in the arena, *n long, in ctest's order
 * @return     PE_EINVALID with what was expected
 */
int pe_json_ctest_list(struct pe_built_test **out, size_t *n, const char *document, size_t len,
		       struct pe_arena *arena, struct pe_err *err);

/** One executable target, of CMake's file API (codemodel-v2) or of Meson. */
struct pe_built_target {
	const char *name;
	struct pe_strings artifacts; /**< absolute paths */
	struct pe_strings sources;   /**< absolute paths, without generated files */
	const char *defined_in;      /**< absolute path of its meson.build; NULL: unknown */
	bool on_request;             /**< Meson: it is not built by default */
	bool sanitized;              /**< compiled with -fsanitize */
};

/**
 * Read the executable targets from a reply directory of CMake's file API
 * (BUILD/.cmake/api/v1/reply). PE_ENOTFOUND without a reply.
 */
int pe_json_cmake_targets(struct pe_built_target **out, size_t *n, const char *build_dir,
			  struct pe_arena *arena, struct pe_err *err);

/**
 * Read Meson's list of tests or benchmarks (BUILD/meson-info/intro-tests.json, intro-benchmarks.json). Tests of one name
 * get their first suite before it: "unit/parse".
 *
 * @return  PE_EINVALID: a test has no name
 */
int pe_json_meson_tests(struct pe_built_test **out, size_t *n, const struct pe_json_value *list,
			struct pe_arena *arena, struct pe_err *err);

/** Read the executable targets of Meson (BUILD/meson-info/intro-targets.json). */
struct pe_built_target *pe_json_meson_targets(size_t *n, const struct pe_json_value *list,
					      struct pe_arena *arena);

/**
 * Read Meson's options of the project (BUILD/meson-info/intro-buildoptions.json): those that are off, as "name=true" or
 * "name=enabled", which would turn them on.
 */
struct pe_strings pe_json_meson_options_off(const struct pe_json_value *list,
					    struct pe_arena *arena);
