# Without a config: HEAD and its parent are built and compared by counts, and the repository stays as it is.
PERFEVO_VALGRIND=$(command -v valgrind) || exit 77
export PERFEVO_VALGRIND
empty_repo
write()
{
	cat >main.c <<-END
		#include <stdlib.h>
		static void *volatile kept;
		int main(int argc, char **argv)
		{
			(void)argv;
			for (int i = 0; i < $1 * argc; i++) { kept = malloc(8); free(kept); }
			return argc > 1 ? 0 : 2;
		}
	END
}
printf 'prog: main.c\n\tcc -o $@ main.c\nclean:\n\trm -f prog\n' >Makefile
write 1000
save one
write 3000
save two
write 3000
echo >README
save three
try()
{
	status=0
	perfevo try --budget 10m "$@" >out 2>err || status=$?
	echo "status $status"
}
head=$(git rev-parse HEAD)
try --base HEAD~2 -- ./prog input
grep -o 'allocations *+198 %' out
echo "--- the second time nothing is built, and the first answer stands"
try --base HEAD~2 -- './prog input'
has_not "no build" err "builds done"
echo "--- HEAD changes nothing that runs, by what is found"
try
has "what runs" err "running: ./prog --help"
has "no change" out "no change"
echo "--- a command that fails"
try -- ./prog
has "how it ended" out "exited with status 2"
sh -c "$(sed -n "s/.*'\(perfevo show --store .*\)' prints the log of one.*/\1/p" err)" >out
has "its log" out "exited with status 2"
echo "--- nothing stays in the repository"
rm -f out err
git status --short
test "$(git rev-parse HEAD)" = "$head"
test ! -e .git/perfevo
echo "--- no parent, no build system"
try --base HEAD~9 | tail -n 1
grep -o 'HEAD~9.*' err | head -n 1
git rm -q Makefile main.c
save "no build system"
try
cat err
echo "--- a program that runs tests, where nothing else is there"
printf 'prog-test: main.c\n\tcc -o $@ main.c\n' >Makefile
printf 'int main(void) { return 0; }\n' >main.c
save "tests"
echo >>main.c
save "a line"
try
has "what runs" err "running: ./prog-test"
echo "--- what gives no answer makes way for the next: a benchmark that fails, one whose counts vary"
printf 'all: prog bench\nprog: main.c\n\tcc -o $@ main.c\nbench: bench.c\n\tcc -o $@ bench.c\n' >Makefile
for body in 'return 3;' 'fread(&n, 4, 1, fopen("/dev/urandom", "r")); for (n %= 99999; n > 0; n--) free(malloc(1)); return 0;'; do
	for times in 1000 1500; do
		write "$times"
		printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { volatile unsigned n = %s; %s }\n' \
			"$times" "$body" >bench.c
		save "$times"
	done
	try
	grep -o "'./bench' gave no answer\|running: ./.*" err
	grep -o 'allocations *+[0-9.]* %' out
done
