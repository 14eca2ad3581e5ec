# The documents of the commands that docs/automation.md names, each as a file here: sh documents.sh, with perfevo on PATH and
# SOURCE_DIR. The metric is exact, and instructions are not simulated, so that they are the same wherever this runs.
set -eu
# shellcheck source=tests/cli/lib.sh
. "$SOURCE_DIR/tests/cli/lib.sh"
out=$PWD

# document FILE STATUS COMMAND...: what it prints, and how it ends
document()
{
	file=$1 expected=$2 status=0
	shift 2
	"$@" --quiet --format json >"$out/$file.json" || status=$?
	same "status of $*" "$expected" "$status"
}

# program N: reads a list N times
program()
{
	cat >prog.c <<END
#include <stdio.h>
static int list[1000];
static int __attribute__((noinline)) sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += list[i] + i; return s; }
static int __attribute__((noinline)) parse(void) { int s = 0; for (int i = 0; i < $1; i++) s += sum(1000); return s; }
int main(void) { fprintf(stderr, "%d\n", parse()); printf("score $1\n"); return 0; }
END
	save "read the list $1 times"
}

git init -q repo
cd repo
cat >perfevo.yml <<'END'
build: sh build.sh
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
benchmarks:
  score:
    command: ./prog
    warmup: 0
    repeats: 2
    metrics:
      score: {unit: points, better: lower, deterministic: true, regex: 'score ([0-9]+)'}
END
echo '${CC:-cc} $CFLAGS -O1 -g prog.c -o prog' >build.sh
echo prog >.gitignore
for times in 100 101 200 201 150; do
	program "$times"
done
document track 0 perfevo track --no-open
document track-export 0 perfevo export
document track-log 0 perfevo log --no-graph
document compare 0 perfevo compare HEAD~3 HEAD~2
document bisect 0 perfevo bisect -m score HEAD~3 HEAD~2
document bisect-steps 0 perfevo bisect -m score --min-change 10% HEAD~4 HEAD
document ci 1 perfevo ci --base HEAD~3 HEAD~2
document ci-notice 0 perfevo ci --base HEAD~2 HEAD~1
echo 'exit 3' >build.sh
save 'break the build'
document ci-broken 125 perfevo ci --base HEAD~1 HEAD
document track-broken 0 perfevo track --no-open

cd "$out"
printf 'main;parse;read 100\nmain;parse 50\nmain;print 10\n' >old.folded
printf 'main;parse;read 300\nmain;parse 50\nmain;write 10\n' >new.folded
document diff 0 perfevo diff old.folded new.folded
mkdir old new
echo 'main;parse 100' >old/1.folded
echo 'main;parse 900' >new/1.folded
document localize 0 perfevo localize --old old --new new --min-diff 1us
