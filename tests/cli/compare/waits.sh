# Threads that hold a lock longer make a program slower, though it computes less: that wall time is no other load on the machine.
command -v cc >/dev/null || exit 77

# holds WORK MILLISECONDS: a commit whose four threads compute WORK each, and then sleep with the lock held
holds()
{
	cat >main.c <<END
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sink;

static void *work(void *payload)
{
	struct timespec held = {0, $2 * 1000000L};

	for (unsigned long i = 0; i < $1; i++)
		sink += i;
	pthread_mutex_lock(&lock);
	nanosleep(&held, NULL);
	pthread_mutex_unlock(&lock);
	return payload;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
	save "$2 ms held"
}

empty_repo
cat >perfevo.yml <<'END'
build: cc -O1 -pthread main.c -o prog
profile: {mode: counting}
metrics: {max-rss: {judge: false}}
benchmarks:
  threads: {command: ./prog, warmup: 0, repeats: 12, allocations: false}
END
# A fourth of the work: processor time falls by far more than it varies. 1.2 s of waiting beside 40 ms of work are a multiple of what
# a machine that is three times slower, and busy, makes of them.
holds 4000000 1
holds 1000000 300
ends 1 perfevo compare --fail-on-regression HEAD~1
grep -q "^wall time .*  worse$" ../out || fail "the wall time is not worse: $(cat ../out ../err)"
