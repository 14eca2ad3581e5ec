# A commit that changes nothing of what a benchmark executes is not run in that benchmark: functions that it does not enter,
# what these read, and text. All of it is run with --all; a benchmark that then counts otherwise is run at every commit.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
[ "$(uname -m)" = x86_64 ] || exit 77
new_repo
rm -f prog.sh build.sh
program()
{
	cat >prog.c <<END
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
static const int table[] = {$1, 2, 3};
__attribute__((noinline)) int a(int n) { return table[n % 3]; }
__attribute__((noinline)) int b(int n) { return n * $2; }
__attribute__((noinline)) int help(void) { return puts("$3"); }
__attribute__((noinline)) int cheat(void)
{
	struct stat s;

	return stat("prog", &s) != 0 || (*(volatile char *)malloc(s.st_size) = 1) == 0;
}
int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "help";

	if (strcmp(which, "a") == 0)
		return printf("%d\n", a(argc)) < 0;
	if (strcmp(which, "b") == 0)
		return printf("%d\n", b(argc)) < 0;
	return strcmp(which, "cheat") == 0 ? cheat() : help() < 0;
}
END
}
long=$(printf '%05000d' 0)
program 1 1 text
save first
program 1 2 text
save b
program 1 2 "$long"
save text
program 2 2 "$long"
save table
program 2 3 "$long"
save 'b again'
perfevo_yml 'cc -g -O1 prog.c -o prog' \
	'a: {command: [./prog, a], warmup: 0, repeats: 2}' \
	'b: {command: [./prog, b], warmup: 0, repeats: 2}'
echo perfevo.yml >>.git/info/exclude

skipped()
{
	db 'SELECT v.subject, b.name, s.subject FROM reused c JOIN revisions v ON v.key = c.revision
	    JOIN revisions s ON s.key = c.source JOIN benchmarks b ON b.key = c.benchmark
	    WHERE skipped ORDER BY v.time_s, b.name'
}

track 0 --last 5
same "skipped" 'b|a|first
text|a|first
text|b|b
table|b|b
b again|a|table' "$(skipped)"
grep 'reused' "$case_dir/out"
perfevo show HEAD | grep 'not run' | sed 's/[0-9a-f]\{8\}/ID/'
perfevo show HEAD~2 --format json | grep -o '"skipped": *true' | sort -u
store_is_whole

# Whatever was skipped is compared with what --all measures.
program 2 4 "$long"
save 'b once more'
track 0 --last 6 --all
same "skipped" '' "$(skipped)"
same "misjudged" 0 "$(db 'SELECT count(*) FROM misjudged')"
same "measured" 12 "$(db 'SELECT count(DISTINCT revision * 100 + benchmark) FROM runs')"

# A benchmark that asks for the size of its own program is another one with every build, though it executes the same.
echo '  cheat: {command: [./prog, cheat], warmup: 0, repeats: 2}' >>perfevo.yml
track 0 --last 6 -b cheat
same "skipped" 5 "$(skipped | wc -l)"
perfevo track --no-confirm --no-open --last 6 -b cheat --all 2>"$case_dir/err" >"$case_dir/out"
grep -o "'cheat' counts otherwise than .*" "$case_dir/err" | sed 's/[0-9a-f]\{10\}/ID/'
same "skipped" '' "$(skipped)"
program 2 5 "$long"
save last
track 0 --last 7
same "skipped" 'last|a|b once more' "$(skipped)"
store_is_whole
