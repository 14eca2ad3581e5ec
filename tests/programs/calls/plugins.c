/*
 * Plug-ins that are loaded and unloaded in turns, so that the second lies where the first was. Their call
 * sites lie in another file (plugin.c): their lines are given.
 *
 *   plugins x1
 *     main x1
 *       use @use x40 ~
 *         plugin_run @run x40
 *           run_one @27 x20
 *             step_one @21 x20 +20:200
 *             back @22 x20
 *           run_two @27 x20
 *             step_two @21 x20 +20:600
 *             back @22 x20
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void back(void)
{
}

static void use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*run)(void (*)(void));
	void *symbol;

	if (library == NULL)
		abort();
	symbol = dlsym(library, "plugin_run");
	memcpy(&run, &symbol, sizeof(run));
	run(back); /* <run> */
	dlclose(library);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	for (int i = 0; i < 40; i++)
		use(argv[1 + i % 2]); /* <use> */
	return 0;
}
