# Helpers of the cases of confirmation: a history whose benchmark prints a figure with noise of its own, drawn from
# the number of the run. So nothing depends on the machine, and every run of a case sees the same noise.
. "$CASE_DIR/../track/lib.sh"

# Nor does a trial of what runs cost take numbers.
export PERFEVO_SEED=7 PERFEVO_PATIENCE=0
confirming=--confirm
runs=$case_dir/runs   # how many there were
extra=$case_dir/extra # what comes on top of the level from a commit on, "7 0.06"; a third field multiplies the noise

# own_config BUILD: perfevo.yml, which is part of no commit: four runs of ./prog, judged by the score that it prints
own_config()
{
	score_config "$1" 4 '' ./prog
	echo perfevo.yml >>.git/info/exclude
}

# noisy_repo COMMITS STEP PERCENT NOISE: a history of so many commits with a step of so many percent; the deviation
# of a run is NOISE percent
noisy_repo()
{
	new_repo
	cat >prog.sh <<END
#!/bin/sh
n=\$(cat "$runs")
echo \$((n + 1)) >"$runs"
if [ "\$n" = "\$(cat "$case_dir/kill" 2>/dev/null)" ]; then kill -9 "\$(cat "$case_dir/pid")"; fi
[ ! -e "$case_dir/slow" ] || sleep 0.6
read -r commit level <level
read -r from more wide <"$extra"
[ "\$more" != fail ] || [ "\$commit" -le "\$from" ] || exit 1
awk -v n="\$n" -v commit="\$commit" -v level="\$level" -v from="\$from" -v more="\$more" -v wide="\${wide:-1}" 'BEGIN {
	srand(7919 * n + 13)
	for (i = 0; i < 12; i++) sum += rand()
	value = level * (1 + (commit >= from ? more : 0)) * (1 + wide * $4 / 100 * (sum - 6))
	printf "score %.4f\\ndouble %.4f\\n", value, 2 * value
}'
END
	echo 0 >"$runs"
	echo 1000 0 >"$extra"
	commit=0
	while [ "$commit" -lt "$1" ]; do
		commit=$((commit + 1))
		if [ "$commit" -lt "$2" ]; then level=100; else level=$(echo "100 + $3" | bc); fi
		echo "$commit $level" >level
		save "c$commit"
	done
	own_config 'sh build.sh'
}

# numbers_in FOLDER: number.h there, whose next_number() counts runs in a file that all commits share. It asks the kernel
# itself, past the library that sees what a run reads: of a shared file nothing is reused, carried over or called layout.
numbers_in()
{
	cat >"$1/number.h" <<END
static inline long ask(long call, long a, long b, long c, long d)
{
	register long e __asm__("r10") = d;

	__asm__ volatile("syscall" : "+a"(call) : "D"(a), "S"(b), "d"(c), "r"(e) : "rcx", "r11", "memory");
	return call;
}

static inline unsigned next_number(void)
{
	unsigned n = 0, next;
	long fd = ask(2 /* open */, (long)"$runs", 2 /* O_RDWR */, 0, 0);
	char text[16], c = 0;

	for (long at = 0; ask(17 /* pread64 */, fd, (long)&c, 1, at) == 1 && c >= '0' && c <= '9'; at++)
		n = 10 * n + (unsigned)(c - '0');
	next = n + 1;
	for (int i = 15; i >= 0; i--, next /= 10)
		text[i] = (char)('0' + next % 10);
	ask(18 /* pwrite64 */, fd, (long)text, sizeof(text), 0);
	ask(3 /* close */, fd, 0, 0, 0);
	return n;
}
END
}

answers()
{
	db "SELECT benchmark, metric, substr(subject, 1, 3), answer FROM confirmations_named ORDER BY 1, 2, 3, 4"
}

fresh_runs()
{
	db 'SELECT count(*) FROM runs r JOIN batches w ON w.key = r.batch WHERE w.aside'
}

# said STATUS ARGUMENTS...: track with its advice
said()
{
	expected=$1
	shift
	ends "$expected" perfevo track --no-open "$@"
}

# A program that counts differently each time: how many of its threads hold their memory at once is drawn from the
# number of the run, as a scheduler would, so that no case depends on one.
#
# threads_repo: an empty history with a config; level N is what a commit's program holds, in units of a megabyte
threads_repo()
{
	new_repo
	echo 0 >"$runs"
	cat >main.c <<END
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "level.h"
static pthread_barrier_t together;
static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static void hold(void)
{
	volatile char *block = malloc(20000);
	block[0] = 1;
	free((void *)block);
}
static void *early(void *unused)
{
	volatile char *block = malloc(20000);
	block[0] = 1;
	pthread_barrier_wait(&together);
	free((void *)block);
	pthread_barrier_wait(&together);
	return unused;
}
static void *late(void *unused)
{
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&alone);
	hold();
	pthread_mutex_unlock(&alone);
	return unused;
}
int main(void)
{
	FILE *file = fopen("$runs", "r+");
	pthread_t threads[4];
	unsigned n = 0, i, who;
	volatile char *most = malloc(1000000 * LEVEL);
	if (!file || fscanf(file, "%u", &n) != 1) return 1;
	rewind(file);
	fprintf(file, "%u\n", n + 1);
	fclose(file);
	pthread_barrier_init(&together, NULL, 5);
	who = (n * 2654435761u) >> 28;
	most[0] = 1;
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, who >> i & 1 ? late : early, NULL);
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	for (i = 0; i < 4; i++) pthread_join(threads[i], NULL);
	free((void *)most);
	return 0;
}
END
	cat >build.sh <<'END'
cc -O1 -o prog main.c -lpthread
END
	cat >perfevo.yml <<'END'
build: sh build.sh
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  pool:
    command: ./prog
    warmup: 0
    repeats: 2
END
	mkdir -p .git/info
	echo perfevo.yml >>.git/info/exclude
}

# level N SUBJECT: a commit whose program holds N megabytes, and is another one than the last
level()
{
	printf '#define LEVEL %s\n/* %s */\nstatic const char name[] __attribute__((used)) = "%s";\n' "$1" "$2" "$2" >level.h
	save "$2"
}
