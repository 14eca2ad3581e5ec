#!/usr/bin/env python3
"""What does it cost a program that waits often to have its waits recorded?

Programs that wait many times run alone and below the library that samples, by turns; compared is processor time. Prints the
median of the pairs. Runs for some minutes.
"""
import argparse
import os
import statistics
import subprocess
import tempfile

SOURCE = r'''
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn, n, pipes[2][2];
static sem_t sems[2];
static const char *mode;
static void step(int me)
{
	char byte = 0;
	if (*mode == 's') {
		sem_wait(&sems[me]);
		sem_post(&sems[!me]);
	} else if (*mode == 'p') {
		if (write(pipes[me][1], &byte, 1) != 1 || read(pipes[!me][0], &byte, 1) != 1)
			abort();
	} else {
		pthread_mutex_lock(&lock);
		while (turn != me)
			pthread_cond_wait(&turned, &lock);
		turn = !me;
		pthread_cond_signal(&turned);
		pthread_mutex_unlock(&lock);
	}
}
static void *run(void *me)
{
	volatile unsigned long x = 1;
	for (long i = 0; i < (*mode == 'l' ? 100000000 : 0); i++)
		x = x * 3 + 1;
	for (int i = 0; i < n; i++)
		step(me != NULL);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t other;
	mode = argv[1];
	n = atoi(argv[2]);
	for (int i = 0; i < n && *mode == 'n'; i++)
		nanosleep(&(struct timespec){0, 1000}, NULL);
	if (*mode == 'n')
		return 0;
	if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0)
		return 1;
	sem_init(&sems[0], 0, 1);
	sem_init(&sems[1], 0, 0);
	pthread_create(&other, NULL, run, &turn);
	run(NULL);
	return pthread_join(other, NULL);
}
'''

# What waits, by the first letter of the mode, and how often each of the two threads does.
MODES = [('condition', 60000), ('pipe', 60000), ('semaphore', 60000), ('nap', 100000), ('late condition', 400000)]


def cost(program, mode, library):
    with tempfile.TemporaryDirectory() as samples:
        env = dict(os.environ, LD_PRELOAD=library, PERFEVO_SAMPLE_DIR=samples) if library else os.environ
        pid = os.posix_spawn(program, [program, mode[0], str(mode[1])], env)
        _, status, usage = os.wait4(pid, 0)
        assert status == 0, mode
        return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', help='the folder that perfevo was built in')
    parser.add_argument('--pairs', type=int, default=11)
    options = parser.parse_args()
    library = os.path.join(os.path.abspath(options.build), 'runtime', 'libperfevo_sample.so')
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'wait')
        subprocess.run(['gcc', '-O1', '-pthread', '-x', 'c', '-', '-o', program], input=SOURCE, text=True, check=True)
        for mode in MODES:
            pairs = [(cost(program, mode, ''), cost(program, mode, library)) for _ in range(options.pairs)]
            print(f'{mode[0]:15} {mode[1]} times: {statistics.median(old for old, _ in pairs):6.3f} s, '
                  f'{100 * (statistics.median(new / old for old, new in pairs) - 1):+5.1f} %', flush=True)


if __name__ == '__main__':
    main()
