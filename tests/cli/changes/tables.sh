# A table that holds other values changes the functions that read it, though their instructions are the same: whose it is, by
# five ways to compile, is proved by tests/methods/test_code.c.
command -v gcc >/dev/null || exit 77
empty_repo
perfevo_yml 'gcc -g -O2 prog.c -o prog' 'prog: {command: [./prog], warmup: 0, repeats: 3}'
cat >steps.h <<'END'
#define STEPS 1, 2, 3, 5
END
cat >prog.c <<'END'
#include "steps.h"
#include <stdio.h>

#define APART __attribute__((noinline))

APART static int step(int n)
{
	static const int table[] = {STEPS};

	return table[n & 3];
}

APART static const char *name(int n)
{
	static const char *const table[] = {"one", "two", "three", "four"};

	return table[n & 3];
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %s\n", step(argc), name(argc));
	return 0;
}
END
save first

changed 'a string of a table' prog.c 's/"three"/"tres"/'
changed 'the macro that fills a table' steps.h 's/, 5/, 8/'
