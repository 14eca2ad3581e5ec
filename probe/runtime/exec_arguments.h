/* Exec arguments: lists of arguments as a vector. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "probe/runtime/next.h"

/*
 * execl(3) or its kin, as what a call with a vector of the arguments does.
 *
 * `env_of` is where the environment comes from: environ, or the list's last argument. `call` takes path, argv and env;
 * `before` is done first.
 */
#define PE_EXEC_LIST(name, env_of, before, call)                                                   \
	PE_PUBLIC int name(const char *path, const char *arg, ...)                                 \
	{                                                                                          \
		va_list rest, counting;                                                            \
		char **argv, **env;                                                                \
		size_t n = 1;                                                                      \
                                                                                                   \
		before;                                                                            \
		va_start(rest, arg);                                                               \
		va_copy(counting, rest);                                                           \
		while (va_arg(counting, const char *) != NULL)                                     \
			n++;                                                                       \
		va_end(counting);                                                                  \
		argv = __builtin_alloca((n + 1) * sizeof(*argv));                                  \
		argv[0] = (char *)(size_t)arg;                                                     \
		for (size_t i = 1; i <= n; i++)                                                    \
			argv[i] = va_arg(rest, char *);                                            \
		env = env_of;                                                                      \
		va_end(rest);                                                                      \
		return call;                                                                       \
	}
