/*
 * A program that ends, or refuses to end, in every way that a benchmark may. Its arguments are verbs, done
 * one after the other:
 *
 *   exit N, signal N        end so
 *   sleep                   for ever
 *   ignore                  SIGTERM, SIGINT and SIGHUP
 *   note FILE               append a line with the process's number
 *   spin MS                 use so much processor time
 *   touch MB                use so much memory
 *   flood                   write to stdout for ever
 *   print TEXT, complain TEXT  to stdout, stderr
 *   echo                    copy stdin to stdout
 *   environment             write the number of bytes in the environment
 *   descriptors             write how many are open
 *   where, nice, cpus, personality, groupleader   write what the surroundings are
 *   child VERBS...          a child does the rest, and this process waits for it
 *   orphan FILE VERBS...    a daemon does the rest: forked twice, in a session of its own, noted in FILE
 *   brood N VERBS...        N children and this process do the rest, nobody waits
 *   comet N                 fork a child and exit, N times over
 *   poke PID                send SIGUSR1
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void note(const char *path)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "%d\n", (int)getpid());
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort();
	close(fd);
}

static void spin(long ms)
{
	struct timespec used;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < ms);
}

static void touch(size_t mb)
{
	volatile char *bytes = malloc(mb << 20);

	if (bytes == NULL)
		abort();
	for (size_t i = 0; i < mb << 20; i += 4096)
		bytes[i] = 1;
}

static void flood(void)
{
	static char block[65536];

	while (write(STDOUT_FILENO, block, sizeof(block)) > 0)
		;
}

static void echo(void)
{
	char block[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, block, sizeof(block))) > 0) {
		if (write(STDOUT_FILENO, block, (size_t)n) != n)
			abort();
	}
}

static void write_number(long number)
{
	printf("%ld\n", number);
	fflush(stdout);
}

static long environment_bytes(void)
{
	long n = 0;

	for (char **entry = environ; *entry != NULL; entry++)
		n += (long)strlen(*entry) + 1;
	return n;
}

static long descriptors(void)
{
	long n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static long cpus(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	return CPU_COUNT(&set);
}

static void where(void)
{
	char dir[4096];

	if (getcwd(dir, sizeof(dir)) == NULL)
		abort();
	puts(dir);
	fflush(stdout);
}

/* In the parent: a child does the rest. */
static void wait_for_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		return;
	waitpid(child, &status, 0);
	_exit(WEXITSTATUS(status));
}

static void orphan(const char *ready)
{
	int pipe_fds[2];
	char byte;

	if (pipe(pipe_fds) != 0)
		abort();
	if (fork() != 0) {
		/* Leave when the daemon is one. */
		close(pipe_fds[1]);
		if (read(pipe_fds[0], &byte, 1) < 0)
			abort();
		_exit(0);
	}
	setsid();
	if (fork() != 0)
		_exit(0);
	setsid();
	note(ready);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void brood(long n)
{
	for (; n > 0; n--) {
		if (fork() == 0)
			return;
	}
}

static void comet(long n)
{
	for (; n > 0; n--) {
		if (fork() != 0)
			_exit(0);
	}
}

/* Verbs with an argument; false: no such verb. */
static int do_with(const char *verb, const char *argument)
{
	if (strcmp(verb, "exit") == 0)
		_exit(atoi(argument));
	else if (strcmp(verb, "signal") == 0)
		raise(atoi(argument));
	else if (strcmp(verb, "note") == 0)
		note(argument);
	else if (strcmp(verb, "spin") == 0)
		spin(atol(argument));
	else if (strcmp(verb, "touch") == 0)
		touch((size_t)atol(argument));
	else if (strcmp(verb, "print") == 0)
		dprintf(STDOUT_FILENO, "%s", argument);
	else if (strcmp(verb, "complain") == 0)
		dprintf(STDERR_FILENO, "%s", argument);
	else if (strcmp(verb, "comet") == 0)
		comet(atol(argument));
	else if (strcmp(verb, "poke") == 0)
		kill(atoi(argument), SIGUSR1);
	else if (strcmp(verb, "orphan") == 0)
		orphan(argument);
	else if (strcmp(verb, "brood") == 0)
		brood(atol(argument));
	else
		return 0;
	return 1;
}

static int do_plain(const char *verb)
{
	if (strcmp(verb, "sleep") == 0) {
		for (;;)
			pause();
	} else if (strcmp(verb, "ignore") == 0) {
		signal(SIGTERM, SIG_IGN);
		signal(SIGINT, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
	} else if (strcmp(verb, "flood") == 0) {
		flood();
	} else if (strcmp(verb, "echo") == 0) {
		echo();
	} else if (strcmp(verb, "environment") == 0) {
		write_number(environment_bytes());
	} else if (strcmp(verb, "descriptors") == 0) {
		write_number(descriptors());
	} else if (strcmp(verb, "where") == 0) {
		where();
	} else if (strcmp(verb, "nice") == 0) {
		write_number(getpriority(PRIO_PROCESS, 0));
	} else if (strcmp(verb, "cpus") == 0) {
		write_number(cpus());
	} else if (strcmp(verb, "personality") == 0) {
		write_number(personality(0xffffffff));
	} else if (strcmp(verb, "groupleader") == 0) {
		write_number(getpgrp() == getpid());
	} else if (strcmp(verb, "child") == 0) {
		wait_for_child();
	} else {
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (do_plain(argv[i]))
			continue;
		if (i + 1 < argc && do_with(argv[i], argv[i + 1]))
			i++;
		else
			return 99;
	}
	return 0;
}
