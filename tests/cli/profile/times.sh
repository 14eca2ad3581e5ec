# The joined tree: exact calls, and the time where it is spent.
needs gcc sqlite3
empty_repo
sources
cat >prog.c <<'END'
#include "work.h"

APART void spin(void)
{
	for (volatile long i = 0; i < 100000000; i++)
		;
}

int main(void)
{
	work(3);
	spin();
	return 0;
}
END
echo '{build: gcc -O2 prog.c work.c -o prog, benchmarks: {prog: [./prog]}}' >perfevo.yml
save first
perfevo profile -q --format json >../tree.json

# ask SQL: of the methods and nodes of the tree
ask()
{
	sqlite3 :memory: "SELECT $1 FROM (SELECT readfile('../tree.json') AS tree)"
}

ask "tree ->> 'source', tree ->> 'samples' > 100, tree ->> 'duration_ns' > 0"
# A loaded machine may keep every run waiting for a processor, which is told apart.
perfevo profile -q --hot -n 3 --color never | grep -v '(waiting)' | sed -n 5p | grep -o ' spin '
perfevo profile -q --format folded -w calls | LC_ALL=C sort
perfevo profile -q --format folded -w time | grep -v '(waiting)' | sort -t ' ' -k 2 -n | tail -n 1 | sed 's/ .*//'
# The times of every call were a mode once. It is refused, and what a store has of it is in nobody's way.
perfevo profile --mode timed >/dev/null 2>&1 || echo refused
sqlite3 .git/perfevo/perfevo.db "UPDATE profiles SET kind = 'timed'; SELECT kind, count(*) FROM profiles"
perfevo profile -q --mode counting --format folded -w calls | grep leaf
perfevo gc -q >/dev/null
