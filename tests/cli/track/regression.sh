# Allocations are exact, so that their doubling is a jump without any doubt: it is found at the right commit,
# and decides the exit status where that is asked for.

new_repo
echo '${CC:-cc} -o prog prog.c' >build.sh
rm prog.sh
cat >prog.c <<'END'
#include <stdlib.h>
#include "level.h"

static void *volatile kept;

int main(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		kept = malloc(64);
		free(kept);
	}
	return 0;
}
END
for blocks in 5000 5000 5000 10000 10000 10000; do
	echo "#define BLOCKS $blocks" >level.h
	echo "$blocks" >>log
	save "blocks $blocks, $(wc -l <log)"
done
cat >perfevo.yml <<'END'
build: sh build.sh
benchmarks:
  prog: {command: ./prog, warmup: 0, repeats: 2}
metrics: {wall: {judge: false}, cpu: {judge: false}, user: {judge: false}, max-rss: {judge: false}}
END

track 0 --last 6
same "jumps in allocations" 'blocks 10000, 4|1' "$(db "SELECT subject, regression FROM jumps_named
	WHERE metric = 'allocations'")"
# The second and third commit of a level are carried over from the first: they execute the same.
same "allocations added" 5000.0 "$(db "SELECT
	(SELECT max(value) FROM measurements m JOIN revisions v ON v.id = m.revision
	 WHERE v.subject = 'blocks 10000, 4' AND metric = 'allocations') -
	(SELECT max(value) FROM measurements m JOIN revisions v ON v.id = m.revision
	 WHERE v.subject = 'blocks 5000, 1' AND metric = 'allocations')")"
has "the jump in the report" "$case_dir/out" "blocks 10000, 4"

# Nothing is measured now, only judged.
runs=$(all_runs)
track 1 --last 6 --fail-on-regression
# The first commit of a range is compared with the one before it; what jumped earlier is not the range's.
track 1 --last 3 --fail-on-regression
track 0 --last 2 --fail-on-regression
same "runs" "$runs" "$(all_runs)"

# Half of the allocations again: an improvement, which fails nothing.
echo "#define BLOCKS 5000" >level.h
save "blocks 5000, again"
track 0 --last 3 --fail-on-regression
same "the improvement" 'blocks 5000, again|0' "$(db "SELECT subject, regression FROM jumps_named
	WHERE metric = 'allocations' AND subject LIKE '%again'")"
