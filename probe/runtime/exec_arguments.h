/* Exec arguments: lists of arguments as a vector. */
#ifndef PE_RUNTIME_EXEC_ARGUMENTS_H
#define PE_RUNTIME_EXEC_ARGUMENTS_H

#include <stdarg.h>
#include <stddef.h>

/* The arguments of execl(3) and its kin, with their NULL; `last` is where the list goes on. */
#define GATHER(argv, first, last)                                                                  \
	do {                                                                                       \
		size_t n = 1;                                                                      \
		va_list counting;                                                                  \
		va_copy(counting, last);                                                           \
		while (va_arg(counting, const char *) != NULL)                                     \
			n++;                                                                       \
		va_end(counting);                                                                  \
		argv = __builtin_alloca((n + 1) * sizeof(*argv));                                  \
		argv[0] = (char *)(size_t)(first);                                                 \
		for (size_t i = 1; i <= n; i++)                                                    \
			argv[i] = va_arg(last, char *);                                            \
	} while (0)

#endif
