# Time in which nothing runs stands below the method that waits: a program that sleeps for most of its time.
needs gcc sqlite3
empty_repo
cat >prog.c <<'END'
#include <unistd.h>

__attribute__((noinline)) static void spin(void)
{
	for (volatile long i = 0; i < 20000000; i++)
		;
}

int main(void)
{
	spin();
	usleep(120000);
	return 0;
}
END
echo '{build: gcc -O2 prog.c -o prog, benchmarks: {prog: [./prog]}, profile: {runs: 3}}' >perfevo.yml
save first
perfevo profile -q --hot -n 1 --color never | grep -o '(waiting: sleep)'
perfevo profile -q --format json >../tree.json
sqlite3 :memory: "SELECT count(*) FROM json_each(readfile('../tree.json'), '\$.methods') WHERE value ->> 'kind' = 'waiting'"
