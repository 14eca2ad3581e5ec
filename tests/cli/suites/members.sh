# A commit that changes what some members of a suite execute has the results of the others from before: each member is looked
# at by itself, once where it is measured. With --all they are run, and none counts otherwise.
. "$SOURCE_DIR/tests/cli/lib.sh"
command -v cc >/dev/null || exit 77
[ "$(uname -m)" = x86_64 ] || exit 77
# What its processes take is not learnt before: the library's usual time makes a look at a member worth its start.
export PERFEVO_PATIENCE=0
git init -q repo
cd repo
cp "$CASE_DIR/bench.c" .
printf 'BM_%s 100\n' A B C >figures
own()
{
	cat >own.h <<END
__attribute__((noinline)) void a(void) { sum += $1; }
__attribute__((noinline)) void b(void) { sum += $2; }
__attribute__((noinline)) void c(void) { sum += 3; }
__attribute__((noinline)) void nobody(void) { sum += $3; }
void own(const char *name)
{
	name[3] == 'A' ? a() : name[3] == 'B' ? b() : c();
}
END
}
echo perfevo.yml >>.git/info/exclude
cat >perfevo.yml <<END
build: cc -g -O1 -DOWN='"own.h"' -DSTARTS='"$HOME/starts"' -o bench bench.c
suites:
  micro: {command: ./bench, repeats: 2}
END
own 1 2 4
save first
own 1 5 4
save b
own 1 5 6
save nobody
own 7 5 6
save a
reused()
{
	sqlite3 .git/perfevo/perfevo.db "SELECT v.subject, b.name, s.subject FROM reused c JOIN revisions v ON v.key = c.revision
	    JOIN revisions s ON s.key = c.source JOIN benchmarks b ON b.key = c.benchmark WHERE skipped ORDER BY v.time_s, b.name"
}
perfevo track --last 4 --quiet --no-open --no-confirm >/dev/null
same 'skipped' 'b|micro/BM_A|first
b|micro/BM_C|first
nobody|micro/BM_A|first
nobody|micro/BM_B|b
nobody|micro/BM_C|first
a|micro/BM_B|b
a|micro/BM_C|first' "$(reused)"
same 'looks: three at first, and one at each that changed' 5 "$(grep -c '^^(BM_.)\$ 1$' "$HOME/starts")"
perfevo track --last 4 --all --quiet --no-open --no-confirm >/dev/null
same 'skipped' '' "$(reused)"
same 'misjudged' 0 "$(sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM misjudged')"
