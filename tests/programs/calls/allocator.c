/*
 * A program with an allocator of its own: what it allocates is unknown, which is not zero; calls are counted,
 * also those of the allocator.
 *
 *   allocator x1
 *     main x1
 *       user @user x3
 *         take @take x3
 */
#include <stddef.h>

#define QUIET __attribute__((no_instrument_function))

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

static _Alignas(16) char heap[1 << 20];
static size_t used;
static volatile int counted;

QUIET static void *quiet_take(size_t size)
{
	void *block = heap + used;

	used += (size + 15) / 16 * 16;
	return block;
}

__attribute__((noinline)) static void *take(size_t size)
{
	return quiet_take(size);
}

/* Others come here too: the C library, and whatever it starts. */
QUIET void *malloc(size_t size)
{
	return counted ? take(size) /* <take> */ : quiet_take(size);
}

QUIET void *calloc(size_t n, size_t size)
{
	return malloc(n * size);
}

QUIET void *realloc(void *block, size_t size)
{
	char *moved = malloc(size);

	for (size_t i = 0; block != NULL && i < size; i++)
		moved[i] = ((char *)block)[i];
	return moved;
}

QUIET void free(void *block)
{
	(void)block;
}

__attribute__((noinline)) static void user(void)
{
	void *volatile block;

	counted = 1;
	block = malloc(10);
	counted = 0;
	free(block);
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		user(); /* <user> */
	return 0;
}
