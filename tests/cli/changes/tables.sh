# A table that holds other values changes the functions that read it, though their instructions are the same. Of a
# variable that several functions share the first value says nothing.
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

static const int rates[] = {2, 4, 6, 8};
int level = 7;

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

APART static int up(int n)
{
	return level += rates[n & 3];
}

APART static int down(int n)
{
	return level -= rates[n & 1];
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %s %d %d\n", step(argc), name(argc), up(argc), down(argc));
	return 0;
}
END
save first

# changed SUBJECT FILE SED: commit an edit and cross it
changed()
{
	sed -i "$3" "$2"
	save "$1"
	perfevo changes --code -q | sed '1s/^[0-9a-f]* /# /; $s/of [0-9]* functions/of N functions/'
}

changed 'a string of a table' prog.c 's/"three"/"tres"/'
changed 'the macro that fills a table' steps.h 's/, 5/, 8/'
changed 'what two functions read' prog.c 's/6, 8/6, 9/'
changed 'another table of that name' prog.c \
	's/^int level/int other(int n);\nint other(int n)\n{\n\tstatic const int table[] = {4, 3};\n\n\treturn table[n];\n}\n\nint level/'
changed 'what two functions write' prog.c 's/level = 7/level = 8/'
