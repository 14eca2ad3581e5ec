/*
 * Threads: 50 at once, and 2000 one after the other, half of which end in the middle of a function. They are
 * summed.
 *
 *   threads x1
 *     main x1
 *       together @together x1 ~
 *       one_by_one @one_by_one x1
 *     worker x50
 *       step @step x5000 +5000:40000 -5000
 *     brief x2000
 *       end_here @end_here x2000 ~
 */
#include <pthread.h>
#include <stdlib.h>

enum { TOGETHER = 50, STEPS = 100, BRIEF = 2000 };

static void step(void)
{
	void *volatile block = malloc(8);

	free(block);
}

static void *worker(void *payload)
{
	for (int i = 0; i < STEPS; i++)
		step(); /* <step> */
	return payload;
}

static void end_here(const void *payload)
{
	if (payload != NULL)
		pthread_exit(NULL);
}

static void *brief(void *payload)
{
	end_here(payload); /* <end_here> */
	return NULL;
}

static void together(void)
{
	pthread_t threads[TOGETHER];

	for (int i = 0; i < TOGETHER; i++)
		if (pthread_create(&threads[i], NULL, worker, NULL) != 0)
			abort();
	for (int i = 0; i < TOGETHER; i++)
		pthread_join(threads[i], NULL);
}

static void one_by_one(void)
{
	for (int i = 0; i < BRIEF; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, brief, i % 2 == 0 ? &thread : NULL) != 0)
			abort();
		pthread_join(thread, NULL);
	}
}

int main(void)
{
	together();   /* <together> */
	one_by_one(); /* <one_by_one> */
	return 0;
}
