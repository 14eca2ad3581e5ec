#define _GNU_SOURCE /* sched_getaffinity(2) */
#include "core/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

/* More than these gain little beside what they take of memory. */
enum { MOST_THREADS = 32 };

struct pool {
	size_t n;
	void (*work)(void *payload, size_t number);
	void *payload;
	atomic_size_t next;
};

static void *take_turns(void *argument)
{
	struct pool *pool = argument;

	for (size_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->n;)
		pool->work(pool->payload, i);
	return NULL;
}

/* How many processors this process may use, at least 1. */
static size_t width(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

void pe_parallel(size_t n, void (*work)(void *payload, size_t number), void *payload)
{
	struct pool pool = {n, work, payload, 0};
	pthread_t threads[MOST_THREADS];
	size_t want = width(), started = 0;
	sigset_t all, were;

	want = want < n ? want : n;
	/* Signals are for the thread whose calls they interrupt. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &were);
	while (started + 1 < want && started < MOST_THREADS &&
	       pthread_create(&threads[started], NULL, take_turns, &pool) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &were, NULL);
	take_turns(&pool);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
