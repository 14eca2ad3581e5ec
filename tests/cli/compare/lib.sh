# Projects whose calls and allocations are known, for the cases of 'perfevo compare' and 'perfevo parcs'. Nothing
# is inlined and no clock is looked at, so that every figure is the same everywhere.

# project: a table that interns words, in two files; 100 words, each probed for once
project()
{
	needs gcc
	empty_repo
	cat >perfevo.yml <<'END2'
build: gcc -O1 -g -fno-inline prog.c table.c -o prog
profile: {mode: counting}
metrics: {wall: {judge: false}, cpu: {judge: false}, max-rss: {judge: false}, allocated-peak: {judge: false}}
benchmarks:
  small: {command: [./prog, "100"], repeats: 1, warmup: 0}
  large: {command: [./prog, "300"], repeats: 1, warmup: 0}
END2
	cat >table.h <<'END2'
void *probe(int word);
void intern(int word);
END2
	cat >table.c <<'END2'
#include "table.h"
#include <stdlib.h>

static void *volatile sink;

static void release(void)
{
	free(sink);
}

void *probe(int word)
{
	sink = malloc(16 + (unsigned)word % 2);
	release();
	return sink;
}

void intern(int word)
{
	probe(word);
}
END2
	cat >prog.c <<'END2'
#include "table.h"
#include <stdlib.h>

static void parse(int n)
{
	for (int i = 0; i < n; i++)
		intern(i);
}

int main(int argc, char **argv)
{
	parse(argc > 1 ? atoi(argv[1]) : 1);
	return 0;
}
END2
	save 'intern words'
}

# probe_thrice: each word is probed for three times
probe_thrice()
{
	sed -i 's/^\tprobe(word);$/\tfor (int i = 0; i < 3; i++)\n\t\tprobe(word);/' table.c
}
