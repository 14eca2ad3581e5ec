# Two runs that count differently are told apart from code that does.
needs gcc
empty_repo
sources
sed -i 's/int main(void)/int main(int argc, char **argv)/; s/i < 10/i < argc + (argv[1][0] % 7)/' prog.c
cat >perfevo.yml <<'END'
build: gcc -O2 prog.c work.c -o prog
benchmarks: {prog: 'echo $$ >>pids; ./prog $(wc -l <pids)'}
END
save first
perfevo profile --mode counting --format folded -w calls 2>&1 >/dev/null | grep -v 'builds\{0,1\} done' |
	sed 's/[0-9]* of [0-9]* call paths/N of M call paths/'
perfevo profile -q --mode counting --methods --color never | grep -o 'differs in .*' | sed 's/[1-9] of 4/K of 4/' | LC_ALL=C sort -u
perfevo profile -q --mode counting --color never >../tree
grep -o 'differs in .*' ../tree | sed 's/[1-9] of 4/K of 4/' | LC_ALL=C sort -u
perfevo profile -q --mode counting --format json >../json
sqlite3 :memory: "SELECT DISTINCT value ->> 'differs_in' BETWEEN 1 AND 3, value ->> 'runs'
	FROM json_each(readfile('../json'), '\$.nodes') WHERE value ->> 'flags' LIKE '%unstable%'"
