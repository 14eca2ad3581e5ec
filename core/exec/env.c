#include "core/exec/env.h"

#include "core/base/vec.h"

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
	const char **copy = pe_arena_new(arena, const char *, env->n + 1);

	if (env->n > 0)
		memcpy(copy, env->data, env->n * sizeof(*copy));
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
	set(env, pe_arena_printf(arena, "PERFEVO_TREE=%s", tree));
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

const char *const *pe_env_for_build(const struct pe_recipe *recipe, const char *tree,
				    const char *root, struct pe_arena *arena)
{
	list env = {NULL, 0, 0};

	for (char **at = environ; *at != NULL; at++)
		if (strncmp(*at, "GIT_", 4) != 0 && strncmp(*at, "PERFEVO_", 8) != 0)
			pe_vec_push(&env, *at);
	set_trees(&env, tree, root, arena);
	set(&env, pe_arena_printf(arena, "PWD=%s", tree));
	set(&env, pe_arena_printf(arena, "PERFEVO_JOBS=%u", recipe->jobs));
	set(&env, pe_arena_printf(arena, "MAKEFLAGS=-j%u", recipe->jobs));
	set(&env, pe_arena_printf(arena, "CMAKE_BUILD_PARALLEL_LEVEL=%u", recipe->jobs));
	if (recipe->ccache)
		use_ccache(&env, tree, arena);
	set_all(&env, &recipe->env);
	return finish(&env, arena);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
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
	for (size_t i = 0; pass != NULL && i < pass->n; i++)
		inherit(&env, pass->at[i], NULL, arena);
	set_trees(&env, tree, root, arena);
	set_all(&env, &benchmark->env);
	set_all(&env, extra);
	/* One order, whatever the caller's shell made of it. */
	qsort(env.data, env.n, sizeof(*env.data), by_name);
	pad(&env, arena);
	return finish(&env, arena);
}
