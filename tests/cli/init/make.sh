# A project with a Makefile: what is written loads, and is not written over.
empty_repo
printf 'prog: prog.c\n\t$(CC) -o prog prog.c\n' >Makefile
echo 'int main(void) { return 0; }' >prog.c
save start
mkdir deep
perfevo init -C deep
perfevo completion --benchmarks >/dev/null
test -s perfevo.yml && test ! -e deep/perfevo.yml
perfevo init || echo "status $?"
echo changed >perfevo.yml
perfevo init --print >printed
cmp -s printed perfevo.yml && echo '--print wrote the file'
perfevo init --force >/dev/null
cmp printed perfevo.yml
perfevo init operand || echo "status $?"
git status --short
# What a sanitizer is built into is nothing to measure.
mkdir ../more
cd ../more
printf 'all: bench bench-asan\nbench: bench.c\n\t$(CC) -o $@ bench.c\nbench-asan: bench.c\n\t$(CC) -fsanitize=address -o $@ bench.c\n' >Makefile
echo 'int main(void) { return 0; }' >bench.c
git init -q .
save start
perfevo init --print >printed
grep -n 'bench' printed | grep command
# Make is asked in a copy of HEAD: what it writes there reaches no file of the user's; nor any other, within the sandbox.
mkdir ../copy
cd ../copy
printf 'X := $(shell touch touched "$(HOME)/touched"; cat "$(HOME)/.netrc" >$(dir $(CURDIR))/../secret)\nall: bench-run\nbench-run: bench.c\n\t$(CC) -o $@ bench.c\n' >Makefile
echo 'int main(void) { return 0; }' >bench.c
git init -q .
save start
echo secret >~/.netrc
rm -f ~/touched
if PERFEVO_SANDBOX=require perfevo init >out 2>err && grep -q 'cannot be had here' out; then
	echo "no namespaces: the sandbox is not tried" >&2
else
	has 'what was asked in the sandbox' perfevo.yml 'command: ./bench-run'
	test ! -e ~/touched || fail 'make wrote into the home folder'
fi
rm -f out err
git status --short
find "${XDG_CACHE_HOME:-$HOME/.cache}" -name touched -o -name secret -o -name init
# Nothing committed: nothing is asked.
mkdir ../empty
cd ../empty
git init -q .
cp ../copy/Makefile .
perfevo init | grep 'could not say'
test ! -e touched
