#include "core/base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct pe_arena_block {
	struct pe_arena_block *next;
	size_t used, size;
	_Alignas(max_align_t) unsigned char data[];
};

_Noreturn void pe_out_of_memory(size_t bytes)
{
	fprintf(stderr, "perfevo: out of memory (%zu bytes asked for)\n", bytes);
	exit(128);
}

void *pe_realloc(void *old, size_t n, size_t size)
{
	void *grown;

	if (size != 0 && n > SIZE_MAX / size)
		pe_out_of_memory(SIZE_MAX);
	grown = realloc(old, n * size != 0 ? n * size : 1);
	if (grown == NULL)
		pe_out_of_memory(n * size);
	return grown;
}

void *pe_arena_alloc(struct pe_arena *arena, size_t n, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct pe_arena_block *block = arena->head;
	size_t bytes;
	bool fresh = false;
	void *object;

	if (size != 0 && n > (SIZE_MAX - BLOCK_BYTES) / size)
		pe_out_of_memory(SIZE_MAX);
	bytes = (n * size + align - 1) / align * align;
	if (block == NULL || block->size - block->used < bytes) {
		size_t room = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;

		/* Memory that comes straight from the system is zero already: a large object is not touched here. */
		fresh = room == bytes;
		block = fresh ? calloc(1, sizeof(*block) + room) : malloc(sizeof(*block) + room);
		if (block == NULL)
			pe_out_of_memory(sizeof(*block) + room);
		block->used = 0;
		block->size = room;
		/* A large object gets a block of its own behind the head, so that the head's rest stays in use. */
		if (arena->head != NULL && room == bytes) {
			block->next = arena->head->next;
			arena->head->next = block;
		} else {
			block->next = arena->head;
			arena->head = block;
		}
	}
	object = block->data + block->used;
	block->used += bytes;
	return fresh ? object : memset(object, 0, bytes);
}

char *pe_arena_strndup(struct pe_arena *arena, const char *string, size_t n)
{
	char *copy = pe_arena_alloc(arena, n + 1, 1);

	memcpy(copy, string, n);
	return copy;
}

char *pe_arena_strdup(struct pe_arena *arena, const char *string)
{
	return string != NULL ? pe_arena_strndup(arena, string, strlen(string)) : NULL;
}

char *pe_arena_hex(struct pe_arena *arena, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *out = pe_arena_new(arena, char, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		const unsigned char byte = ((const unsigned char *)bytes)[i];

		out[2 * i] = digits[byte >> 4];
		out[2 * i + 1] = digits[byte & 15];
	}
	return out;
}

char *pe_arena_printf(struct pe_arena *arena, const char *format, ...)
{
	va_list args, again;
	char *string;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	string = pe_arena_alloc(arena, (size_t)n + 1, 1);
	vsnprintf(string, (size_t)n + 1, format, again);
	va_end(again);
	return string;
}

void pe_arena_release(struct pe_arena *arena)
{
	struct pe_arena_block *block, *next;

	if (arena == NULL)
		return;
	for (block = arena->head; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
	arena->head = NULL;
}

void pe_free_pointed(void *pointer)
{
	void *memory;

	memcpy(&memory, pointer, sizeof(memory));
	free(memory);
}
