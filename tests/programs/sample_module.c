/* A module for sample_me.c, built twice under two names: MODULE_FUNCTION spends the time. */
static volatile unsigned long sink;

void module_work(void (*spin)(int));

__attribute__((noinline)) static void MODULE_FUNCTION(void (*spin)(int))
{
	spin(100);
	sink++;
}

void module_work(void (*spin)(int))
{
	MODULE_FUNCTION(spin);
	sink++;
}
