# Levels of one measured build each, the commits between carried over: every step is found at its commit although one
# run in ten is an outlier, and is confirmed by builds of its own two levels, whatever another metric has beyond them.

command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ] || exit 77
new_repo
rm -f prog.sh build.sh
# The time is made: what `level` says, with noise drawn from the number of the run.
numbers_in .
cat >prog.c <<END
#include <stdio.h>
#include "number.h"
int main(void)
{
	FILE *f = fopen("level", "r");
	double took = 0, other = 0, sum = 0;
	unsigned n = next_number(), x;

	if (f == NULL || fscanf(f, "%lf %lf", &took, &other) != 2)
		return 1;
	x = n * 2654435761u + 12345;
	for (int i = 0; i < 12; i++)
		sum += ((x = x * 1664525u + 1013904223u) >> 8) / 16777216.0;
	took *= (1 + 0.01 * (sum - 6)) * (n % 10 == 3 ? 1.4 : 1);
	printf("took %.0f\nother %.0f\n", 1e6 * took, 1e6 * other * (1 + 0.01 * (sum - 6)));
	return 0;
}
END
echo 0 >"$runs"
commit()
{
	[ -z "$2" ] || echo "$2" >level
	echo "$1" >README
	save "$1"
}
commit c1 '22.3 10'
commit c2 ''
commit c3 '32.3 12'
commit c4 ''
commit c5 ''
commit c6 '40.2 12'
commit c7 ''
cat >perfevo.yml <<'END'
build: cc -g -O2 prog.c -o prog
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  prog:
    command: ./prog
    warmup: 0
    repeats: 8
    metrics:
      other: {unit: ns, better: lower, regex: 'other ([0-9]+)'}
      took: {unit: ns, better: lower, regex: 'took ([0-9]+)'}
END
echo perfevo.yml >>.git/info/exclude

track 0 --last 10
same "builds that were run" 'c1 c3 c6 ' "$(measured)"
same "answers" 'prog|other|c3|confirmed
prog|took|c3|confirmed
prog|took|c6|confirmed' "$(answers)"
# Beyond c6 lies the next step of the one metric, not of the other that shares the window.
same "who vouched for c3" 'c1 c3' "$(db "SELECT group_concat(DISTINCT v.subject) FROM batch_cells c
	JOIN batches w ON w.key = c.batch JOIN revisions v ON v.key = c.revision
	WHERE w.key = (SELECT min(key) FROM batches WHERE aside)" | tr ',' '\n' | sort | paste -s -d ' ' -)"
perfevo export --format json >"$case_dir/json"
same "jumps" 'c3 c6' "$(sqlite3 -batch :memory: "SELECT r.value ->> 'subject'
	FROM json_each(readfile('$case_dir/json'), '\$.lines') l, json_each(l.value, '\$.jumps') j,
		json_each(readfile('$case_dir/json'), '\$.revisions') r
	WHERE l.value ->> '\$.metric.name' = 'took' AND r.value ->> 'id' = j.value ->> 'after'
		AND j.value ->> 'state' = 'confirmed' ORDER BY 1" | paste -s -d ' ' -)"
store_is_whole
