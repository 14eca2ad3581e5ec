/* A pool of threads: jobs in a bounded queue, results in a table behind one lock. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))

enum { WORKERS = 3, JOBS = 240, SLOTS = 64 };

static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	int jobs[SLOTS];
	int head, n, room;
} queues[WORKERS];

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned table[256];

APART static unsigned work(unsigned seed, int turns)
{
	for (int i = 0; i < turns; i++)
		seed = seed * 1664525 + 1013904223;
	return seed;
}

APART static void nap(int us)
{
	usleep((useconds_t)us);
}

APART static void open_queue(struct queue *queue)
{
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->filled, NULL);
	pthread_cond_init(&queue->emptied, NULL);
	queue->room = 32;
}

APART static void push(struct queue *queue, int job)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->n == queue->room)
		pthread_cond_wait(&queue->emptied, &queue->lock);
	queue->jobs[(queue->head + queue->n++) % SLOTS] = job;
	pthread_cond_signal(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

APART static int pop(struct queue *queue)
{
	int job;

	pthread_mutex_lock(&queue->lock);
	while (queue->n == 0)
		pthread_cond_wait(&queue->filled, &queue->lock);
	job = queue->jobs[queue->head];
	queue->head = (queue->head + 1) % SLOTS;
	queue->n--;
	pthread_cond_signal(&queue->emptied);
	pthread_mutex_unlock(&queue->lock);
	return job;
}

/* The network that a job is fetched from. */
APART static unsigned fetch(int job)
{
	nap(3000);
	return work((unsigned)job, 200000);
}

APART static void account(unsigned digest)
{
	pthread_mutex_lock(&table_lock);
	table[digest % 256] += work(digest, 20000) % 7;
	pthread_mutex_unlock(&table_lock);
}

APART static void *run_worker(void *payload)
{
	struct queue *queue = payload;

	for (int job; (job = pop(queue)) >= 0;)
		account(fetch(job));
	return NULL;
}

APART static struct queue *choose(int job)
{
	return &queues[job % WORKERS];
}

APART static void produce(void)
{
	for (int job = 0; job < JOBS; job++) {
		if (job % 60 == 59)
			nap(20000);
		push(choose(job), job);
	}
}

int main(void)
{
	pthread_t threads[WORKERS];
	unsigned sum = 0;

	for (int i = 0; i < WORKERS; i++) {
		open_queue(&queues[i]);
		pthread_create(&threads[i], NULL, run_worker, &queues[i]);
	}
	produce();
	for (int i = 0; i < WORKERS; i++)
		push(&queues[i], -1);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 256; i++)
		sum += table[i];
	printf("%u\n", sum);
	return 0;
}
