/*
 * A program that allocates a known amount. It uses nothing of libc that allocates on its own, so that every
 * allocation of a run without threads stands here:
 *
 *   known          10 blocks, 1200 bytes asked for, 6 freed
 *   resize         realloc in all its ways: 5 allocations, 160 bytes, 5 frees
 *   aligned        6 blocks of 100 bytes by the aligned functions, all freed
 *   threads T N    T threads with N blocks of 16 bytes each, all freed
 *   fork           `known` in the parent and in a child that was forked
 *   clone          likewise, with a bare system call that libc does not see
 *   storm N        N children forked while four threads allocate; each child does `known`
 *   exec PROGRAM VERB  3 blocks of 10 bytes, then execv
 *   spawn PROGRAM VERB 3 blocks of 10 bytes, then a child that becomes the program
 *   peak           a block of 1 MiB, freed, then one of 1 KiB
 *   crash, leave, abort  `known`, then SIGSEGV, _exit(3), SIGABRT
 *   nothing        end
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The compiler may not see that the blocks are unused, or it leaves them out. */
static void *volatile keep;

static void *kept(void *block)
{
	keep = block;
	return keep;
}

static void known(void)
{
	void *blocks[10];

	for (int i = 0; i < 5; i++)
		blocks[i] = kept(malloc(100));
	for (int i = 5; i < 9; i++)
		blocks[i] = kept(calloc(10, 15));
	blocks[9] = kept(strdup("0123456789012345678901234567890123456789"
				"0123456789012345678901234567890123456789012345678"
				"9012345678"));
	for (int i = 0; i < 6; i++)
		free(blocks[i]);
	free(NULL);
}

static void resize(void)
{
	volatile size_t too_many = SIZE_MAX / 2;
	char *block = kept(realloc(NULL, 10));

	block = kept(realloc(block, 20));
	block = kept(realloc(block, 10));
	block = kept(reallocarray(block, 4, 25));
	if (reallocarray(block, too_many, 3) != NULL)
		_exit(98);
	free(block);
	block = kept(malloc(20));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-result"
	/* glibc frees a block that is made empty. */
	keep = realloc(block, 0);
#pragma GCC diagnostic pop
}

static void aligned(void)
{
	void *block;

	if (posix_memalign(&block, 64, 100) != 0)
		_exit(98);
	free(kept(block));
	free(kept(aligned_alloc(64, 100)));
	free(kept(memalign(64, 100)));
	free(kept(valloc(100)));
	free(kept(pvalloc(100)));
	free(kept(memalign(4096, 100)));
}

/* Given to the other end of the world, so that the compiler has to make it. */
static void *malloc_unseen(size_t size)
{
	void *block = malloc(size);

	__asm__ volatile("" : : "r"(block) : "memory");
	return block;
}

static void *thread(void *payload)
{
	long n = *(long *)payload;

	for (long i = 0; i < n; i++) {
		free(malloc_unseen(16));
	}
	return NULL;
}

static void threads(int n, long blocks)
{
	pthread_t ids[64];

	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&ids[i], NULL, thread, &blocks);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(ids[i], NULL);
}

static void three(void)
{
	for (int i = 0; i < 3; i++)
		keep = malloc(10);
}

/* libc's fork handlers do not run. */
static void bare_clone(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0) {
		known();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void run_in_child(char **argv)
{
	pid_t child = fork();

	if (child == 0) {
		if (argv != NULL) {
			execv(argv[0], argv);
			_exit(97);
		}
		known();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static volatile int storming = 1;

static void *storm_thread(void *payload)
{
	while (storming)
		free(malloc_unseen(32));
	return payload;
}

static void storm(long n)
{
	pthread_t ids[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, storm_thread, NULL);
	for (long i = 0; i < n; i++)
		run_in_child(NULL);
	storming = 0;
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "known") == 0) {
		known();
	} else if (strcmp(verb, "resize") == 0) {
		resize();
	} else if (strcmp(verb, "aligned") == 0) {
		aligned();
	} else if (strcmp(verb, "threads") == 0 && argc > 3) {
		threads(atoi(argv[2]), atol(argv[3]));
	} else if (strcmp(verb, "fork") == 0) {
		known();
		run_in_child(NULL);
	} else if (strcmp(verb, "clone") == 0) {
		known();
		bare_clone();
	} else if (strcmp(verb, "storm") == 0 && argc > 2) {
		storm(atol(argv[2]));
	} else if (strcmp(verb, "exec") == 0 && argc > 2) {
		three();
		execv(argv[2], argv + 2);
	} else if (strcmp(verb, "spawn") == 0 && argc > 2) {
		three();
		run_in_child(argv + 2);
	} else if (strcmp(verb, "peak") == 0) {
		free(kept(malloc(1 << 20)));
		free(kept(malloc(1 << 10)));
	} else if (strcmp(verb, "crash") == 0) {
		known();
		raise(SIGSEGV);
	} else if (strcmp(verb, "leave") == 0) {
		known();
		_exit(3);
	} else if (strcmp(verb, "abort") == 0) {
		known();
		abort();
	} else if (strcmp(verb, "nothing") != 0) {
		return 99;
	}
	return 0;
}
