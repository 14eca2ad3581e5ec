# System calls by name, as valgrind writes them down: of all processes and threads, exact, told by compare, show, export and ci;
# more than can be written down take nothing else with them.
with_valgrind
new_repo
rm build.sh prog.sh
# program WRITES SEEKS: of the process itself; two children write 7 times each, and with an argument three threads 5 times.
program()
{
	cat >prog.c <<END
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int null;
static void *writes(void *n)
{
	for (long i = 0; i < (long)n; i++)
		if (write(null, "x", 1) != 1)
			_exit(1);
	return NULL;
}
int main(int argc, char **argv)
{
	(void)argv;
	null = open("/dev/null", O_WRONLY);
	writes((void *)$1);
	for (int i = 0; i < $2; i++)
		lseek(null, 0, SEEK_CUR);
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			writes((void *)7);
			_exit(0);
		}
		wait(NULL);
	}
	for (int i = 0; argc > 1 && i < 3; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, writes, (void *)5);
		pthread_join(thread, NULL);
	}
	return 0;
}
END
}
cat >perfevo.yml <<'END'
build: cc -O1 -pthread prog.c -o prog
run: {instructions: simulated}
metrics: {wall: {judge: false}, max-rss: {judge: false}, simulated-instructions: {judge: false}, system-calls: {}}
benchmarks:
  prog: {command: [./prog], repeats: 2, warmup: 0}
  threads: {command: [./prog, with], repeats: 2, warmup: 0}
END
program 12 5
save one
program 4012 0
save two
perfevo track --all --no-confirm -q >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
# calls BENCHMARK CALL REVISION: the least and the most of all runs.
calls()
{
	perfevo export --system-calls -b "^$1\$" "$3" | tr -d '\r' | awk -F, -v call="$2" '$2 == call { print $3, $4 }'
}
# 12 + 2 * 7, and 3 * 5; how often threads wait for each other differs from run to run.
same 'of processes' '26 26' "$(calls prog write HEAD~1)"
same 'of threads' '41 41' "$(calls threads write HEAD~1)"
same 'of the other' '4026 4026' "$(calls prog write HEAD)"
perfevo export --system-calls --format json -b '^prog$' HEAD | grep -q '"name":"write","least":4026,"most":4026' || fail 'export as JSON'
same 'the total' '26 writes and 5 seeks, 4026 writes' "$(db "SELECT CASE max(value) - min(value) WHEN 4000 - 5
	THEN '26 writes and 5 seeks, 4026 writes' ELSE max(value) || ' ' || min(value) END
	FROM measurements WHERE metric = 'system-calls' AND benchmark = 'prog' AND round = 0")"
same 'the jump' 'system-calls' "$(db "SELECT metric FROM jumps_named WHERE subject = 'two' AND benchmark = 'prog'")"

perfevo compare HEAD~1 HEAD --stored --all -b '^prog$' >"$case_dir/out" 2>&1 || fail "compare: $(cat "$case_dir/out")"
has 'compare' "$case_dir/out" 'system calls: write 26 → 4,026, lseek 5 → 0'
perfevo compare HEAD~1 HEAD --stored -b '^prog$' --format json | tr -d ' \n' | grep -q '"changed":\[{"name":"write","old":\[26,26\],"new":\[4026,4026\]},{"name":"lseek","old":\[5,5\],"new":\[0,0\]}' ||
	fail 'compare as JSON'
perfevo compare HEAD~1 HEAD --stored -b '^prog$' --format md | grep -q 'write 26 → 4,026' || fail 'compare as Markdown'
perfevo show >"$case_dir/out" 2>&1 || fail "show: $(cat "$case_dir/out")"
has 'show' "$case_dir/out" 'prog makes the system calls write 4,026, '
has 'show, the difference' "$case_dir/out" 'system calls: write 26 → 4,026, lseek 5 → 0'
perfevo show --format json | tr -d ' \n' | grep -q '"against_before":{"same":[0-9]*,"changed":\[{"name":"write"' || fail 'show as JSON'
perfevo ci --base HEAD~1 HEAD --simulated -b '^prog$' >"$case_dir/out" 2>&1 && fail "ci: $(cat "$case_dir/out")"
has 'ci' "$case_dir/out" 'system calls: write 26 → 4,026'

# They travel with their runs.
git init -q --bare "$case_dir/hub.git"
git remote add hub "$case_dir/hub.git"
git push -q hub HEAD:refs/heads/main 2>/dev/null || fail 'git push'
perfevo push hub >"$case_dir/out" 2>&1 || fail "push: $(cat "$case_dir/out")"
git clone -q -b main "$case_dir/hub.git" "$case_dir/clone"
(on_machine other && cd "$case_dir/clone" && perfevo pull origin >"$case_dir/out" 2>&1) || fail "pull: $(cat "$case_dir/out")"
same 'pulled' '4026 4026' "$(on_machine other && cd "$case_dir/clone" && calls prog write HEAD)"

# More than can be written down: the run is made again without, and everything else is there.
cat >"$case_dir/many" <<END
#!/bin/sh
case " \$* " in
*" --trace-syscalls=yes "*)
	for option; do
		case \$option in --log-file=*) log=\${option#--log-file=} ;; esac
	done
	fallocate -l 150000000 "\${log%.%p}.\$\$" || head -c 150000000 /dev/zero >"\${log%.%p}.\$\$"
	sleep 60 ;;
*) exec "$PERFEVO_VALGRIND" "\$@" ;;
esac
END
chmod +x "$case_dir/many"
sed -i '/^  threads:/d' perfevo.yml
rm -f "$store"*
PERFEVO_VALGRIND=$case_dir/many perfevo track --last 1 --no-confirm -q >"$case_dir/out" 2>"$case_dir/err" || fail "many: $(cat "$case_dir/err")"
has 'told' "$case_dir/err" "prog: system calls are not counted: a run makes so many that valgrind's records of them are more than 128 MiB"
same 'unharmed' 'allocations
simulated-instructions
wall' "$(db "SELECT DISTINCT metric FROM measurements WHERE metric IN ('wall', 'allocations', 'simulated-instructions', 'system-calls') ORDER BY 1")"
same 'whose functions are there, too' 1 "$(db 'SELECT count(*) > 0 FROM run_functions')"

# What valgrind says is found behind all that was written down.
cat >prog.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	if (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL) {
		for (int i = 0; i < 1000; i++)
			lseek(0, 0, SEEK_CUR);
		*(volatile char *)preloaded = *(volatile char *)16;
	}
	return 0;
}
END
save ends
perfevo track --last 1 --no-confirm -q >"$case_dir/out" 2>"$case_dir/err" || fail "ends: $(cat "$case_dir/err")"
has 'the reason' "$case_dir/err" 'it ends otherwise below valgrind than by itself: Process terminating with default action of signal 11'
