/* A program with an allocator of its own linked in: blocks come from one array and are never given back. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *malloc(size_t size)
{
	static _Alignas(max_align_t) char heap[1 << 20];
	static size_t used;
	void *block = heap + used;
	size_t bytes = (size + 15) / 16 * 16;

	if (bytes > sizeof(heap) - used)
		return NULL;
	used += bytes;
	return block;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size);
}

void *realloc(void *block, size_t size)
{
	void *larger = malloc(size);

	/* Blocks lie one after the other in the array: reading past the old one stays inside. */
	return block != NULL && larger != NULL ? memmove(larger, block, size) : larger;
}

int main(void)
{
	void *volatile block = malloc(100);

	free(block);
	return block == NULL;
}
