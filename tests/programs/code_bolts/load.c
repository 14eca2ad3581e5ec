/* Loads the library of bolts by name while it runs. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : "./libbolts.so", RTLD_NOW);

	printf("%p\n", library != NULL ? dlsym(library, "bolts_length") : NULL);
	return 0;
}
