# Instructions are counted at the ends and at each candidate, though none was measured before and whatever the config says;
# counts that differ from run to run by far less than the step are exact enough.
with_valgrind
empty_repo
cat >prog.c <<'END'
#include <stdlib.h>
#include <unistd.h>
#include "turns.h"
int main(void)
{
	volatile unsigned x = 1;
	unsigned turns = TURNS + (unsigned)getpid() % 8;

	for (unsigned i = 0; i < turns; i++)
		x = x * 1664525u + 7;
	return malloc(16) == NULL;
}
END
cat >perfevo.yml <<'END'
build: [cc -O1 prog.c -o prog]
run: {instructions: off}
benchmarks:
  prog: {command: [./prog], repeats: 2, warmup: 0, allocations: false}
END
# commits FROM TO TURNS
commits()
{
	for i in $(seq "$1" "$2"); do
		echo "#define TURNS $3 /* $i */" >turns.h
		echo "int unused_$i;" >>prog.c
		save "commit $i"
		git tag "c$i"
	done
}
commits 1 6 1000000
commits 7 12 1010000
perfevo bisect c1 c12 -m simulated-instructions --no-compare >../out 2>../err ||
	fail "bisect: $(cat ../out ../err)"
has 'the commit' ../out 'commit 7'
has 'exact' ../out 'certain'
has_not 'all are counted' ../err 'gives no'
