#include "core/exec/env.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "probe/formats/launch.h"
#include "probe/formats/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

typedef PE_VEC(const char *) list;

/* Debian's folder of compiler names that lead to ccache. */
static const char CCACHE_LINKS[] = "/usr/lib/ccache";

static size_t name_length(const char *setting)
{
	return strcspn(setting, "=");
}

/* Set "K=V", in place of an earlier K. */
static void set(list *env, const char *setting)
{
	size_t n = name_length(setting);

	for (size_t i = 0; i < env->n; i++) {
		if (strncmp(env->data[i], setting, n) == 0 && env->data[i][n] == '=') {
			env->data[i] = setting;
			return;
		}
	}
	pe_vec_push(env, setting);
}

static void set_all(list *env, const struct pe_strings *settings)
{
	for (size_t i = 0; settings != NULL && i < settings->n; i++)
		set(env, settings->at[i]);
}

static void inherit(list *env, const char *name, const char *otherwise, struct pe_arena *arena)
{
	const char *value = getenv(name);

	if (value == NULL)
		value = otherwise;
	if (value != NULL)
		set(env, pe_arena_printf(arena, "%s=%s", name, value));
}

static const char *const *finish(list *env, struct pe_arena *arena)
{
	const char **copy = pe_vec_copy(arena, env);

	pe_vec_release(env);
	return copy;
}

size_t pe_env_size(const char *const *env)
{
	size_t bytes = 0;

	for (; *env != NULL; env++)
		bytes += strlen(*env) + 1;
	return bytes;
}

const char *pe_env_get(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env != NULL; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static void set_trees(list *env, const char *tree, const char *root, struct pe_arena *arena)
{
	const char *slash = strrchr(tree, '/');

	set(env, pe_arena_printf(arena, "PERFEVO_TREE=%s", tree));
	/* Trees have no .git: git would find a repository above the cache. */
	if (slash != NULL && slash > tree)
		set(env, pe_arena_printf(arena, "GIT_CEILING_DIRECTORIES=%.*s", (int)(slash - tree),
					 tree));
	if (root != NULL)
		set(env, pe_arena_printf(arena, "PERFEVO_ROOT=%s", root));
}

static void use_ccache(list *env, const char *tree, struct pe_arena *arena)
{
	const char *path = getenv("PATH");

	if (access(CCACHE_LINKS, X_OK) != 0 || access("/usr/bin/ccache", X_OK) != 0)
		return;
	set(env, pe_arena_printf(arena, "PATH=%s:%s", CCACHE_LINKS,
				 path != NULL ? path : "/usr/bin:/bin"));
	/* Trees of different slots share their hits: paths below the tree are made relative. */
	set(env, pe_arena_printf(arena, "CCACHE_BASEDIR=%s", tree));
	set(env, "CCACHE_NOHASHDIR=1");
}

/*
 * What builds inherit: where things are and how compilers are to be called. A name that ends in a star stands for all
 * that begin so. Nothing that is a secret by custom: tokens and keys, agents' sockets, addresses with passwords (proxies).
 */
static const char *const inherited[] = {
	/* the user, terminals */
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR",
	"TERM", "COLORTERM", "NO_COLOR", "HOSTNAME",
	/* compilers, their flags and search paths */
	"CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "OBJCOPY", "OBJDUMP",
	"READELF", "FC", "F77", "NVCC", "MAKE", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS",
	"LDLIBS", "LIBS", "ASFLAGS", "ARFLAGS", "FFLAGS", "FCFLAGS", "CPATH", "C_INCLUDE_PATH",
	"CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
	"GCC_EXEC_PREFIX", "LD_LIBRARY_PATH", "LD_RUN_PATH",
	/* build systems and caches of compilers */
	"PKG_CONFIG*", "CMAKE_*", "CTEST_*", "NINJA_STATUS", "MESON_*", "ACLOCAL_PATH", "M4",
	"CCACHE_*", "DISTCC_*", "ICECC*", "SOURCE_DATE_EPOCH",
	/* languages */
	"JAVA_HOME", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOTOOLCHAIN",
	"CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_INCREMENTAL", "CARGO_BUILD_*", "CARGO_PROFILE_*",
	"RUSTUP_*", "RUSTC*", "RUSTFLAGS", "PYTHONPATH", "PYTHONHOME", "PYENV_*", "VIRTUAL_ENV",
	"CONDA_PREFIX", "NODE_PATH", "NODE_OPTIONS", "NVM_DIR", "PERL5LIB", "RUBYLIB", "OPAM*",
	"OCAML*", "GHCUP_*", "ZIG_*",
	/* folders, certificates */
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "SSL_CERT_FILE",
	"SSL_CERT_DIR", "CURL_CA_BUNDLE",
	/* Nix, sanitizers, coverage */
	"NIX_CC", "NIX_CFLAGS_*", "NIX_LDFLAGS*", "NIX_SSL_CERT_FILE", "NIX_BINTOOLS",
	"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "MSAN_OPTIONS", "GCOV_*",
	"LLVM_*",
	/* libraries and modules of the machine */
	"SDKROOT", "CUDA_*", "ROCM_*", "HIP_*", "MKLROOT", "ONEAPI_ROOT", "TBBROOT", "BOOST_ROOT",
	"QTDIR", "MODULEPATH", "LOADEDMODULES", "OMP_*", "CI", "DEBIAN_FRONTEND"};

/* Whether a name, n bytes long, is one of a pattern's. */
static bool matches(const char *name, size_t n, const char *pattern)
{
	size_t length = strlen(pattern);

	if (length > 0 && pattern[length - 1] == '*')
		return n >= length - 1 && strncmp(name, pattern, length - 1) == 0;
	return n == length && strncmp(name, pattern, n) == 0;
}

static bool is_passed(const char *setting, const struct pe_strings *patterns)
{
	for (size_t i = 0; patterns != NULL && i < patterns->n; i++)
		if (matches(setting, name_length(setting), patterns->at[i]))
			return true;
	return false;
}

bool pe_env_inherits(const char *setting, const struct pe_strings *pass)
{
	const struct pe_strings usual = {(const char **)(size_t)inherited,
					 sizeof(inherited) / sizeof(*inherited)};

	return is_passed(setting, &usual) || is_passed(setting, pass);
}

const char *const *pe_env_for_build(const struct pe_recipe *recipe, const char *tree,
				    const char *root, bool jobserver, struct pe_arena *arena)
{
	list env = {NULL, 0, 0};

	for (char **at = environ; *at != NULL; at++)
		if (pe_env_inherits(*at, &recipe->pass_env) && strncmp(*at, "PERFEVO_", 8) != 0)
			pe_vec_push(&env, *at);
	set_trees(&env, tree, root, arena);
	set(&env, pe_arena_printf(arena, "PWD=%s", tree));
	set(&env, pe_arena_printf(arena, "PERFEVO_JOBS=%u", recipe->jobs));
	set(&env, jobserver ? pe_arena_printf(arena, "MAKEFLAGS=-j%u --jobserver-auth=%d,%d",
					      recipe->jobs, PE_JOBS_FD, PE_JOBS_FD + 1)
			    : pe_arena_printf(arena, "MAKEFLAGS=-j%u", recipe->jobs));
	set(&env, pe_arena_printf(arena, "CMAKE_BUILD_PARALLEL_LEVEL=%u", recipe->jobs));
	set(&env, pe_arena_printf(arena, "CARGO_BUILD_JOBS=%u", recipe->jobs));
	/* The answer of nproc(1), for recipes with `make -j$(nproc)`. */
	if (getenv("OMP_NUM_THREADS") == NULL)
		set(&env, pe_arena_printf(arena, "OMP_NUM_THREADS=%u", recipe->jobs));
	if (recipe->ccache)
		use_ccache(&env, tree, arena);
	set_all(&env, &recipe->env);
	return finish(&env, arena);
}

/* Fill up to a multiple of PE_ENV_BYTES with one variable of the right length. */
static void pad(list *env, struct pe_arena *arena)
{
	static const char name[] = "PERFEVO_PAD=";
	size_t used = 0;
	size_t total;
	char *padding;

	for (size_t i = 0; i < env->n; i++)
		used += strlen(env->data[i]) + 1;
	used += sizeof(name);
	total = (used + PE_ENV_BYTES - 1) / PE_ENV_BYTES * PE_ENV_BYTES;
	padding = pe_arena_alloc(arena, sizeof(name) + total - used, 1);
	memcpy(padding, name, sizeof(name));
	memset(padding + sizeof(name) - 1, 'x', total - used);
	pe_vec_push(env, padding);
}

const char *const *pe_env_for_run(const struct pe_benchmark *benchmark,
				  const struct pe_strings *pass, const char *tree, const char *root,
				  const struct pe_strings *extra, struct pe_arena *arena)
{
	list env = {NULL, 0, 0};

	inherit(&env, "PATH", "/usr/local/bin:/usr/bin:/bin", arena);
	inherit(&env, "HOME", "/", arena);
	inherit(&env, "USER", NULL, arena);
	inherit(&env, "TMPDIR", NULL, arena);
	set(&env, "LANG=C.UTF-8");
	set(&env, "LC_ALL=C.UTF-8");
	for (char **at = environ; *at != NULL; at++)
		if (is_passed(*at, pass))
			set(&env, *at);
	set_trees(&env, tree, root, arena);
	set_all(&env, &benchmark->env);
	set_all(&env, extra);
	/* One order, whatever the caller's shell made of it. */
	pe_sort(env.data, env.n, pe_string_order);
	pad(&env, arena);
	return finish(&env, arena);
}

struct pe_strings pe_env_for_simulation(const struct pe_benchmark *benchmark,
					const struct pe_strings *pass, struct pe_arena *arena)
{
	static const char oldest_processor[] = "GLIBC_TUNABLES=" PE_MACHINE_TUNABLES;
	const struct pe_strings none = {NULL, 0};
	const char *own = pe_env_get(pe_env_for_run(benchmark, pass, "/", NULL, &none, arena),
				     "GLIBC_TUNABLES");
	const char **settings = pe_arena_new(arena, const char *, 1);

	settings[0] = own != NULL && own[0] != '\0'
			      ? pe_arena_printf(arena, "%s:%s", oldest_processor, own)
			      : oldest_processor;
	return (struct pe_strings){settings, 1};
}
