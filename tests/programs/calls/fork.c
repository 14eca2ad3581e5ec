/*
 * Processes: a forked child goes on below the path of its parent, one that is forked by a bare system call
 * too; the child of vfork works in its parent's memory until it becomes another program, which is this one
 * again.
 *
 *   fork x2
 *     main x2
 *       parent @parent x1
 *         wait_for @wait x2
 *         child @child x2 +2:64
 *           grandchild @grandchild x2
 *       bare @bare x1
 *         wait_for @bare_wait x1
 *         child @bare_child x1 +1:32
 *           grandchild @grandchild x1
 *       start @start x1
 *         become @become x1
 *         wait_for @start_wait x1
 *       last @last x1
 *       second_life @second x1 +1:10
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static void *volatile block;

KEEP static void grandchild(void)
{
	_exit(0);
}

KEEP static void child(void)
{
	block = malloc(32);
	grandchild(); /* <grandchild> */
}

KEEP static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		abort();
}

KEEP static void parent(void)
{
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(); /* <child> */
		wait_for(pid);   /* <wait> */
	}
}

KEEP static void bare(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		child(); /* <bare_child> */
	wait_for(pid);   /* <bare_wait> */
}

KEEP static void become(char *program)
{
	execl(program, program, "again", (char *)NULL);
	_exit(127);
}

KEEP static void start(char *program)
{
	pid_t pid = vfork();

	if (pid == 0)
		become(program); /* <become> */
	wait_for(pid);           /* <start_wait> */
}

KEEP static void second_life(void)
{
	block = malloc(10);
}

KEEP static void last(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		second_life(); /* <second> */
		return 0;
	}
	parent();       /* <parent> */
	bare();         /* <bare> */
	start(argv[0]); /* <start> */
	last();         /* <last> */
	return 0;
}
