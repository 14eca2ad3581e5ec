# Instructions that valgrind counts: exact where the machine counts none, also of static programs; what valgrind cannot run
# has its other metrics all the same.
with_valgrind
new_repo
rm build.sh prog.sh
program()
{
	cat >prog.c <<END
#include <stdlib.h>
int main(void)
{
	volatile unsigned x = 1;

	for (unsigned i = 0; i < $1; i++) /* $2 */
		x = x * 1664525u + 7;
	return malloc(16) == NULL;
}
END
}
cat >perfevo.yml <<'END'
build: [cc -O1 prog.c -o prog, cc -O1 -static prog.c -o static]
run: {instructions: simulated}
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  prog: {command: [./prog], repeats: 2, warmup: 0}
  static: {command: [./static], repeats: 2, warmup: 0}
END
program 1000000 first
save one
program 1000000 second
save two
program 1005000 second
save three
program 1005500 second
save four
perfevo track --all -q >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
same 'jumps' 'prog simulated-instructions
static simulated-instructions' "$(db "SELECT benchmark, metric FROM jumps_named WHERE subject = 'three' ORDER BY 1" | tr '|' ' ')"
same 'others' 0 "$(db "SELECT count(*) FROM jumps_named WHERE subject <> 'three'")"
same 'all are counted before any is timed' 0 "$(db 'SELECT count(*) FROM runs r WHERE kind = 1 AND EXISTS
	(SELECT 1 FROM runs t WHERE t.kind = 0 AND t.benchmark = r.benchmark AND t.key < r.key)')"
has 'static' "$case_dir/err" "static: allocations are not counted: ./static: it is statically linked"
has_not 'a note of one line' "$case_dir/err" 'linked\n'
perfevo check -q -b '^static$' >"$case_dir/checked" 2>"$case_dir/err" || fail "check: $(cat "$case_dir/err")"
has 'check' "$case_dir/checked" 'static (./static: it is statically linked): allocations cannot be counted'
# 5,000 more turns of a loop, and nothing else: the same number each, whatever the compiler makes of one.
same 'a loop of known length' 0 "$(db "
	WITH s AS (SELECT r.subject AS subject, m.benchmark AS b, m.value AS v FROM measurements m JOIN revisions r ON r.id = m.revision
		WHERE m.metric = 'simulated-instructions' AND m.round = 0),
	d AS (SELECT one.b AS b, three.v - one.v AS five, four.v - three.v AS half FROM s one JOIN s three USING (b) JOIN s four USING (b)
		WHERE one.subject = 'one' AND three.subject = 'three' AND four.subject = 'four')
	SELECT count(*) FROM d WHERE five <> 10 * half OR five < 5000 OR half < 500")"

# Which function it is, on the first screen of track, and without building or running anything again.
grep -EA 1 '^ +prog +simulated instructions +\+0.5 %' "$case_dir/out" | grep -q '^ *main (modified) +30 k$' || fail "track: $(cat "$case_dir/out")"
perfevo track --all --no-open -q --format json 2>&1 | tr -d '\n ' | grep -qF '"functions":[{"name":"main","amount":30000,"change":"modified"}]' || fail 'track as JSON'
perfevo compare HEAD~2 HEAD~1 --stored --all --bench '^prog$' >"$case_dir/out" 2>&1 || fail "compare: $(cat "$case_dir/out")"
has 'functions' "$case_dir/out" ' executes more or fewer for sure'
grep -Eq '^ *\+[0-9,]+ +\+0.5 % +main$' "$case_dir/out" || fail "the function: $(cat "$case_dir/out")"
perfevo compare HEAD~3 HEAD~2 --stored --bench '^prog$' >"$case_dir/out" 2>&1 || fail "compare: $(cat "$case_dir/out")"
has 'none' "$case_dir/out" 'execute the same: nothing to explain'

# What each function executes, for other programs.
perfevo export --functions -b '^prog$' HEAD~1 >"$case_dir/out" || fail "export"
grep -Eq '^prog,main,,[^,]*,[0-9]+,[0-9]+' "$case_dir/out" || fail "export: $(cat "$case_dir/out")"
perfevo export --functions --format json HEAD~1 | grep -q '"name":"main"' || fail 'export as JSON'

# Counts alone decide about a change, and name the function.
timed=$(db 'SELECT count(*) FROM runs WHERE kind = 0')
perfevo ci --base HEAD~2 HEAD~1 --simulated -b '^prog$' >"$case_dir/out" 2>&1 || fail "a change below the gate: $(cat "$case_dir/out")"
has 'ci' "$case_dir/out" 'executes more: 1 notice in'
echo 'gate: {instructions: 0.4%}' >>perfevo.yml
perfevo ci --base HEAD~2 HEAD~1 --simulated -b '^prog$' >"$case_dir/out" 2>&1 && fail "ci: $(cat "$case_dir/out")"
has 'ci' "$case_dir/out" '`main` executes +30,000 instructions itself, +0.5 %'
perfevo ci --base HEAD~3 HEAD~2 --simulated -b '^prog$' >"$case_dir/out" 2>&1 || fail "ci: $(cat "$case_dir/out")"
same 'nothing is timed' "$timed" "$(db 'SELECT count(*) FROM runs WHERE kind = 0')"

# So they do of a history and of a comparison: nothing is timed, and what is counted is no result of a later track.
stored=$store store=$case_dir/counts.db
cat >"$case_dir/counts.yml" <<'END'
build: [cc -O1 prog.c -o prog]
benchmarks: {prog: {command: [./prog], repeats: 2, warmup: 0}}
END
counted() { perfevo --store "$store" "$@" --config "$case_dir/counts.yml" >"$case_dir/out" 2>"$case_dir/err" </dev/null || fail "$*: $(cat "$case_dir/err")"; }
counted track --counts -q
has 'counts only' "$case_dir/out" '(counts only, nothing was timed)'
counted track --simulated -q --format json
has 'as JSON' "$case_dir/out" '"counts_only":true'
counted compare --counts HEAD~2 HEAD~1 -q
has 'compared' "$case_dir/out" 'counts only, nothing was timed'
has 'by function' "$case_dir/out" '+0.5 %  main'
has 'the cause' "$case_dir/out" '1. `main` (modified, prog.c:'
same 'counts alone' '1|simulated-instructions|three' "$(db "SELECT DISTINCT r.kind, j.metric, j.subject FROM runs r, jumps_named j")"
for wrong in '-m wall' '--budget 1m' '--last 0' '--farm slurm'; do
	! perfevo --store "$store" track --counts $wrong --config "$case_dir/counts.yml" 2>>"$case_dir/err" || fail "$wrong"
done
has 'a metric of timed runs' "$case_dir/err" "--counts takes no 'wall': timed runs give it"
has 'no commit' "$case_dir/err" "--last takes a number from 1 on, not '0'"
counted track -q -n 2 --no-confirm
same 'times of the newest' '2|4' "$(db 'SELECT count(DISTINCT revision), count(*) FROM runs WHERE kind = 0')"
store=$stored

# What counts differently in each run is told by function, and stops nothing else from being exact.
cat >prog.c <<'END'
#include <unistd.h>
static volatile unsigned x;
__attribute__((noinline)) static void vary(void)
{
	for (unsigned i = 0; i < 50000 + (unsigned)getpid() % 9973 * 7; i++)
		x++;
}
int main(void)
{
	vary();
	return 0;
}
END
save varying
perfevo check -b '^prog$' >"$case_dir/out" 2>&1 || fail "check: $(cat "$case_dir/out")"
has 'what varies' "$case_dir/out" 'simulated instructions, by `vary`'

# What valgrind says of itself, in place of a count.
printf '#!/bin/sh\necho "==1== unrecognised instruction" >&2\nexit 9\n' >"$case_dir/fake"
chmod +x "$case_dir/fake"
rm -f "$store"*
PERFEVO_VALGRIND=$case_dir/fake perfevo track --last 1 --no-confirm -q >"$case_dir/out" 2>"$case_dir/err" || fail "fake: $?"
has 'told' "$case_dir/err" "prog: instructions are not simulated: it ends otherwise below valgrind than by itself"
same 'unharmed' 'allocations
wall' "$(db "SELECT DISTINCT metric FROM measurements WHERE benchmark = 'prog' AND metric IN ('wall', 'allocations', 'simulated-instructions') ORDER BY 1")"

rm -f "$store"*
if PERFEVO_VALGRIND='' perfevo track --last 1 -q >"$case_dir/out" 2>"$case_dir/err"; then fail "absent, and asked for"; fi
has 'absent' "$case_dir/err" "'run: {instructions: simulated}': valgrind is not installed"
