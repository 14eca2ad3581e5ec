/* Next: the functions of the C library that a preloaded library's own functions of these names go on to. */
#pragma once

#include <stdbool.h>

#define PE_PUBLIC __attribute__((visibility("default")))
#define PE_HIDDEN __attribute__((visibility("hidden")))

/** Where a function is that the program would have called without this library. */
struct pe_next {
	const char *name;
	void *at;   /**< a pointer to a function, to be filled in; NULL: there is none */
	bool known; /**< it was looked up */
};

/** Look up one, or all that PE_NEXT() names. */
void pe_next_find(struct pe_next *one);
void pe_next_find_all(void);

/** dlsym(RTLD_NEXT, name), defined by each library. */
void *pe_next_symbol(const char *name);

/*
 * PE_NEXT(open) is the open(2) that comes after this library's.
 *
 * They may be looked up all at start-up, since a child of a process with threads had better not call dlsym(3);
 * but other libraries may be initialised before this one, so every call asks.
 */
#define PE_NEXT(function) PE_NEXT_OF(__typeof__(function) *, #function)
#define PE_NEXT_OF(type, name)                                                                     \
	__extension__({                                                                            \
		static type next;                                                                  \
		/* The alignment is given, so that the section is an array. */                     \
		static _Alignas(struct pe_next) __attribute__((                                    \
			used, section("pe_next"))) struct pe_next entry = {name, &next, false};    \
                                                                                                   \
		if (__builtin_expect(!__atomic_load_n(&entry.known, __ATOMIC_ACQUIRE), 0))         \
			pe_next_find(&entry);                                                      \
		next;                                                                              \
	})
