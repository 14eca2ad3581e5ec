/*
 * Env: the environments of builds and benchmarks. A build inherits from the user's environment the variables with paths
 * and with compilers' names, and no secrets. A benchmark gets a fixed small one, padded to a fixed size: the size of the
 * environment moves the stack and with it the values (Mytkowicz et al., ASPLOS 2009).
 */
#pragma once

#include "core/base/arena.h"
#include "core/model/build.h"

/** An environment's size is a multiple of this; see pe_env_for_run(). */
enum { PE_ENV_BYTES = 4096 };

/**
 * The environment of build steps: what it inherits of the caller's, the job count, ccache, then the
 * recipe's own.
 *
 * @param tree  the measured tree: exported as PERFEVO_TREE, and ccache's base directory
 * @param root  the user's tree: exported as PERFEVO_ROOT; NULL: none
 * @param jobserver  steps have one, as PE_JOBS_FD, in place of a share of their own
 * @return      NULL-terminated "K=V", in the arena
 */
const char *const *pe_env_for_build(const struct pe_recipe *recipe, const char *tree,
				    const char *root, bool jobserver, struct pe_arena *arena);

/** Whether builds inherit a variable, "K" or "K=V". @param pass  names beside the usual ones */
bool pe_env_inherits(const char *setting, const struct pe_strings *pass);

/**
 * The environment of a benchmark and of its setup, prepare and cleanup: PATH, HOME, USER, LANG, TMPDIR and
 * the names passed, PERFEVO_TREE, PERFEVO_ROOT, the benchmark's own, and padding up to PE_ENV_BYTES.
 *
 * @param pass   names inherited from the caller's environment; one that ends in '*' stands for all that begin so
 * @param extra  more "K=V", before the padding (the counting library's); may be NULL
 */
const char *const *pe_env_for_run(const struct pe_benchmark *benchmark,
				  const struct pe_strings *pass, const char *tree, const char *root,
				  const struct pe_strings *extra, struct pe_arena *arena);

/**
 * Additional variables of a run below valgrind: the C library chooses its functions for the oldest processor of the
 * architecture, with one size of caches, and ld.so chooses the libraries for it, so that counts are the same on all. The
 * benchmark's own GLIBC_TUNABLES come last, and win.
 *
 * @param pass  as for pe_env_for_run()
 */
struct pe_strings pe_env_for_simulation(const struct pe_benchmark *benchmark,
					const struct pe_strings *pass, struct pe_arena *arena);

/** Bytes of an environment: its strings with their terminators. */
size_t pe_env_size(const char *const *env);

/** The value of a name in an environment; NULL when it is not there. */
const char *pe_env_get(const char *const *env, const char *name);
