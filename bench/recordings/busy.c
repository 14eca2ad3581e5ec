/* The program of the fixtures that real tools made (make.sh): its calls are known. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

volatile unsigned long sink;

int odd(int n);

static inline __attribute__((always_inline)) void spin(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) void leaf(unsigned long n)
{
	spin(n);
}

__attribute__((noinline)) void middle(unsigned long n)
{
	leaf(n);
	leaf(2 * n);
}

__attribute__((noinline)) unsigned long fib(int n)
{
	return n < 2 ? (unsigned long)n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) int even(int n)
{
	sink++;
	return n == 0 ? 1 : odd(n - 1);
}

__attribute__((noinline)) int odd(int n)
{
	sink++;
	return n == 0 ? 0 : even(n - 1);
}

__attribute__((noinline)) void shared(unsigned long n)
{
	if (n > 50)
		middle(n);
	else
		fib(4);
}

static void *worker(void *arg)
{
	middle(*(unsigned long *)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	pthread_t thread;

	pthread_create(&thread, NULL, worker, &n);
	middle(n);
	sink += fib(7);
	sink += (unsigned long)even(9);
	shared(n);
	shared(10);
	leaf(3 * n);
	pthread_join(thread, NULL);
	return 0;
}
