# A benchmark that executes nothing of what a commit changes is the same by code, however much it varies: it is not called
# undecided, and no run is spent on it.
needs cc
[ "$(uname -m)" = x86_64 ] || exit 77
empty_repo
cat >main.c <<'END'
#include <stdio.h>
#include <unistd.h>

int other(int);

/* Each process has another score. */
int main(int argc, char **argv)
{
	(void)argv;
	printf("score %d\n", argc > 1 ? other(argc) : 100 + (int)getpid() % 100);
	return 0;
}
END
echo 'int other(int x) { return x + 10; }' >other.c
cat >perfevo.yml <<'END'
build: cc -O1 other.c main.c -o prog
profile: {mode: counting}
metrics: {wall: {judge: false}, max-rss: {judge: false}}
defaults: {warmup: 0, repeats: 20}
benchmarks:
  noisy:
    command: [./prog]
    metrics: &score
      score: {unit: points, better: lower, regex: 'score ([0-9]+)'}
  steady:
    command: [./prog, other]
    metrics: *score
END
save start
perfevo track -q --last 1 -b noisy >../out 2>../err || fail "$(cat ../err)"
count_runs()
{
	sqlite3 .git/perfevo/perfevo.db \
		"SELECT count(*) FROM runs JOIN benchmarks ON benchmarks.key = benchmark WHERE name = 'noisy' AND kind = 0"
}
runs=$(count_runs)
echo 'int other(int x) { return x + 20; }' >other.c
save 'another result'
perfevo compare HEAD~1 HEAD >../out 2>../err || fail "$(cat ../err)"
has_not 'undecided' ../err undecided
has 'the noisy one' ../out 'old and new execute the same: noisy'
perfevo compare --stored --all HEAD~1 HEAD >../all 2>../err || fail "$(cat ../err)"
same 'what is said of it' 'score same' "$(sed -n '/^noisy/,$p' ../all | grep -m 1 '^score' | awk '{ print $1, $NF }')"
same 'its runs' "$runs" "$(count_runs)"
