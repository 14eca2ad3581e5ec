/*
 * A program that was linked on glibc 2.34 or newer gives __libc_start_main() no function for its constructors: the libc
 * finds them. An older libc does not, and calls the function that this gives it; a newer one takes that, too, from
 * programs that are older than it.
 */
#include <stddef.h>

typedef int main_fn(int argc, char **argv, char **environment);
typedef void start_fn(int argc, char **argv, char **environment);

extern start_fn *__init_array_start[] __attribute__((visibility("hidden")));
extern start_fn *__init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

int __real___libc_start_main(main_fn *run, int argc, char **argv, start_fn *init,
			     void (*fini)(void), void (*loader)(void), void *stack_end);
int __wrap___libc_start_main(main_fn *run, int argc, char **argv, start_fn *init,
			     void (*fini)(void), void (*loader)(void), void *stack_end);

static void construct(int argc, char **argv, char **environment)
{
	_init();
	for (start_fn **each = __init_array_start; each < __init_array_end; each++)
		(*each)(argc, argv, environment);
}

int __wrap___libc_start_main(main_fn *run, int argc, char **argv, start_fn *init,
			     void (*fini)(void), void (*loader)(void), void *stack_end)
{
	return __real___libc_start_main(run, argc, argv, init != NULL ? init : construct, fini,
					loader, stack_end);
}
