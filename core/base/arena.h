/*
 * Arena: objects that share one lifetime. Memory grows in blocks and goes away at once; running out of
 * memory ends the program in one place (pe_out_of_memory), so callers have nothing to check.
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>

struct pe_arena_block;

/** Zero-initialise with PE_ARENA_INIT; released by pe_arena_release(). */
struct pe_arena {
	struct pe_arena_block *head;
};

#define PE_ARENA_INIT                                                                              \
	{                                                                                          \
		NULL                                                                               \
	}

/** A zeroed array of n objects of a type, aligned for it. */
#define pe_arena_new(arena, type, n) ((type *)pe_arena_alloc((arena), (n), sizeof(type)))

/** n zeroed objects of size bytes; never NULL, also for n = 0. */
void *pe_arena_alloc(struct pe_arena *arena, size_t n, size_t size);

/** A copy of a string; NULL stays NULL. */
char *pe_arena_strdup(struct pe_arena *arena, const char *string);

/** A copy of the first n bytes, terminated. */
char *pe_arena_strndup(struct pe_arena *arena, const char *string, size_t n);

/** The hexadecimal form of n bytes. */
char *pe_arena_hex(struct pe_arena *arena, const void *bytes, size_t n);

/** A formatted string. */
char *pe_arena_printf(struct pe_arena *arena, const char *format, ...) PE_PRINTF(2, 3);

/** Free everything; the arena is empty and usable again. */
void pe_arena_release(struct pe_arena *arena);

/** A local arena that is released where its block is left, whichever way: `pe_auto_arena work = PE_ARENA_INIT;` */
#define pe_auto_arena __attribute__((cleanup(pe_arena_release))) struct pe_arena

/** Print a sentence and abort: the one place where the tool ends for want of memory. */
_Noreturn void pe_out_of_memory(size_t bytes);

/** malloc/realloc that end the program instead of returning NULL. */
void *pe_realloc(void *old, size_t n, size_t size);

/** A local pointer whose memory is freed where its block is left: `pe_auto_free double *sorted = pe_realloc(...);` */
#define pe_auto_free __attribute__((cleanup(pe_free_pointed)))

/** What pe_auto_free calls, with the address of the pointer. */
void pe_free_pointed(void *pointer);
