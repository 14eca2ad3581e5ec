/* A library for plugins.c: one source, so that functions lie at the same places in both. */
#include <stdlib.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define RUN         JOIN(run_, NAME)
#define STEP        JOIN(step_, NAME)

void *plugin_block;
void plugin_run(void (*back)(void));
static void RUN(void (*back)(void));
static void STEP(void);

__attribute__((noinline)) static void STEP(void)
{
	plugin_block = malloc(SIZE);
}

__attribute__((noinline)) static void RUN(void (*back)(void))
{
	STEP();
	back();
}

void plugin_run(void (*back)(void))
{
	RUN(back);
}
