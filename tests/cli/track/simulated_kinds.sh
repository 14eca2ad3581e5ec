# Wherever a program does its work, in a child, a thread, a signal's handler or a library that it loads, instructions are
# counted; a valgrind that dies or is too old is told, and other metrics are unharmed.
with_valgrind
new_repo
rm build.sh prog.sh
cat >plug.c <<'END'
void in_library(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}
END
cat >prog.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "turns.h"
#define WORK(name) __attribute__((noinline)) void name(unsigned n) { for (volatile unsigned i = 0; i < n; i++) ; }
WORK(in_main) WORK(in_child) WORK(in_thread) WORK(in_handler)
static void handle(int signal) { (void)signal; in_handler(TURNS); }
static void *start(void *nothing) { in_thread(TURNS); return nothing; }
int main(void)
{
	pthread_t thread;
	void *library;
	int status;
	if (fork() == 0) {
		in_child(TURNS);
		_exit(0);
	}
	in_main(TURNS); /* what comes before the fork counts in the child, too */
	wait(&status);
	pthread_create(&thread, 0, start, 0);
	pthread_join(thread, 0);
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	library = dlopen("./plug.so", RTLD_NOW);
	if (library == 0)
		return 1;
	((void (*)(unsigned))dlsym(library, "in_library"))(TURNS);
	return status;
}
END
cat >perfevo.yml <<'END'
build: [cc -O1 -shared -fPIC plug.c -o plug.so, cc -O1 prog.c -o prog -pthread -ldl]
run: {instructions: simulated}
benchmarks:
  kinds: {command: [./prog], repeats: 1, warmup: 0, allocations: false}
END
echo '#define TURNS 1000u' >turns.h
save one
echo '#define TURNS 3000u' >turns.h
save three
perfevo track --last 2 --no-confirm -q >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
# counted REVISION: the functions that loop, and what they execute
counted()
{
	perfevo export --functions "$1" | tr -d '\r' | awk -F, '$2 ~ /^in_/ { print $2, $5, $6 }' | sort
}
counted HEAD~1 >"$case_dir/one"
counted HEAD >"$case_dir/three"
# 2,000 more turns of a loop, the same everywhere.
same 'each kind is counted, and exactly' 'in_child 1
in_handler 1
in_library 1
in_main 1
in_thread 1' "$(join "$case_dir/one" "$case_dir/three" | awk '
	{ more[$1] = $4 - $2; exact[$1] = $2 == $3 && $4 == $5 }
	END { for (name in more) print name, (exact[name] && more[name] == more["in_main"] && more[name] >= 2000 && more[name] % 2000 == 0) }' | sort)"

# fake LINE...: a valgrind that does so
fake()
{
	printf '%s\n' '#!/bin/sh' "$@" >"$case_dir/fake"
	chmod +x "$case_dir/fake"
	rm -f "$store"*
	PERFEVO_VALGRIND=$case_dir/fake perfevo track --last 1 --no-confirm -q >"$case_dir/out" 2>"$case_dir/err" ||
		fail "fake: $(cat "$case_dir/err")"
	has 'told' "$case_dir/err" 'kinds: instructions are not simulated: it ends otherwise below valgrind than by itself'
	same 'unharmed' 1 "$(db "SELECT count(*) FROM measurements WHERE metric = 'wall'")"
}
fake 'kill -9 $$'
fake 'echo "valgrind: Unknown option: --command-line-only=yes" >&2' 'exit 1'
