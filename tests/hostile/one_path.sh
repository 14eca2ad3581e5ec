# A sandbox shows every tree at one path: what absolute paths make of a build (__FILE__, debug information, search paths of
# libraries, links) is the same in all slots, and perfevo finds the files that they name.

command -v cc >/dev/null || exit 77
unshare -Urmpf --mount-proc true 2>/dev/null || exit 77

empty_repo
mkdir src
cat >src/work.c <<'END_OF_FILE'
unsigned work(unsigned n)
{
	unsigned sum = 0;

	while (n-- > 0)
		sum = sum * 31 + n;
	return sum;
}
END_OF_FILE
cat >src/main.c <<'END_OF_FILE'
#include <stdio.h>

unsigned work(unsigned n);

int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += work(10000);
	printf("%s %u\n", __FILE__, sum);
	return 0;
}
END_OF_FILE
# The library is found by way of a link and a search path, both absolute.
cat >build.sh <<'END_OF_FILE'
set -e
mkdir out
cc -g -O1 -fPIC -shared -o out/libwork.so.1.2 "$PWD/src/work.c" -Wl,-soname,libwork.so.1
ln -s "$PWD/out/libwork.so.1.2" out/libwork.so.1
cc -g -O1 -o prog "$PWD/src/main.c" "$PWD/out/libwork.so.1" -Wl,-rpath,"$PWD/out"
END_OF_FILE
perfevo_yml 'sh build.sh' 'one: {command: ./prog, warmup: 0, repeats: 2}'
save first
echo '#define UNUSED 1' >>src/main.c
save second
sed -i 's/31/33/' src/work.c
save third

# different FILE: how many contents it has in all slots
different()
{
	cksum "$XDG_CACHE_HOME"/perfevo/*/slots/*/tree/"$1" | cut -d' ' -f1,2 | sort -u | wc -l
}

# measured MODE: a session under a sandbox, with a cache and a store of its own
measured()
{
	export PERFEVO_SANDBOX="$1" XDG_CACHE_HOME="$HOME/$1"
	rm -rf .git/perfevo
	perfevo track --quiet --no-open --no-confirm >"../$1.txt" 2>&1 || fail "track: $(cat "../$1.txt")"
	same "builds under $1" 3 "$(sqlite3 .git/perfevo/perfevo.db "SELECT count(*) FROM builds WHERE outcome = 0")"
	same "identical under $1" 'second as first' "$(sqlite3 .git/perfevo/perfevo.db "SELECT v.subject || ' as ' || s.subject
		FROM reused c JOIN revisions v ON v.key = c.revision JOIN revisions s ON s.key = c.source")"
}

measured off
same 'programs differ by their paths' 3 "$(different prog)"
measured require
same 'programs at one path' 1 "$(different prog)"
same 'libraries at one path' 2 "$(different out/libwork.so.1.2)"
perfevo changes --code -q -b one HEAD~2.. >../code 2>&1 || fail "changes: $(cat ../code)"
has 'code that changed' ../code src/work.c
perfevo profile -q -b one HEAD --format json >../profile 2>&1 || fail "profile: $(cat ../profile)"
has 'a profile' ../profile '"src/work.c"'
