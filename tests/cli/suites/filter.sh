# A program of the project's own that prints a line a benchmark: 'filter' says how one of them runs alone. Without it the
# whole program runs for each, and what is explained by its profiles says so.
command -v cc >/dev/null || exit 77
empty_repo
starts=$HOME/starts
cat >own.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figures.h"
__attribute__((noinline)) static void *grow(int n) { void *p = NULL; for (int i = 1; i <= n; i++) p = realloc(p, 64 * i); return p; }
__attribute__((noinline)) static void parse(void) { free(grow(PARSE)); }
__attribute__((noinline)) static void print(void) { free(grow(PRINT)); }
int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] + strlen("--only=") : "";
	FILE *file = fopen(STARTS, "a");
	fprintf(file, "%s\n", only);
	fclose(file);
	if (strcmp(only, "print") != 0) { parse(); printf("{\"name\": \"parse\", \"unit\": \"ns\", \"value\": %d}\n", 100 * PARSE); }
	if (strcmp(only, "parse") != 0) { print(); printf("{\"name\": \"print\", \"unit\": \"ns\", \"value\": %d}\n", 100 * PRINT); }
}
END
cat >perfevo.yml <<END
build: cc -g -O1 -DSTARTS='"$starts"' -o own own.c
profile: {mode: counting, runs: 2}
suites:
  micro: {command: ./own, repeats: 3, filter: "--only={}"}
END
for n in 100 140; do
	printf '#define PARSE %s\n#define PRINT 100\n' $n >figures.h
	save "figures: $n"
done

: >"$starts"
perfevo track --all -q >out 2>err
has 'what is confirmed' out '+40 %'
same 'a start for both' 1 "$(grep -q '^$' "$starts" && echo 1)"
same 'a start for one' 1 "$(grep -q '^parse$' "$starts" && echo 1)"
same 'starts for the other alone' 0 "$(grep -c '^print$' "$starts")"
: >"$starts"
perfevo compare HEAD~ HEAD -b micro/parse >out 2>err
has 'its functions' out 'parse'
has_not 'no remark' out 'whole suite'
same 'starts of others' 0 "$(grep -vc '^parse$' "$starts")"

sed -i 's/, filter: "--only={}"//' perfevo.yml
perfevo compare HEAD~ HEAD -b micro/parse --again >out 2>err
has 'remark' out "of the whole suite 'micro'"
sed -i 's/repeats: 3/repeats: 3, filter: --only/' perfevo.yml
! perfevo check 2>err || echo 'a filter without a name is taken'
has 'what is missing' err "needs {} where"
