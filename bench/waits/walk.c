/* A walk over folders that starts a child for each, reads what they print, and writes a list. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

extern char **environ;
static unsigned found;
static int list_fd;

APART static unsigned scan(unsigned seed)
{
	for (int i = 0; i < 2000000; i++)
		seed = seed * 1664525 + 1013904223;
	return seed;
}

APART static void ask(int number)
{
	char command[64], line[64];
	FILE *child;

	snprintf(command, sizeof(command), "./helper %d", number);
	child = popen(command, "r");
	while (child != NULL && fgets(line, sizeof(line), child) != NULL)
		found += (unsigned)atoi(line);
	if (child != NULL)
		pclose(child);
}

APART static void check(int number)
{
	char text[16], *argv[] = {"./helper", text, NULL};
	int status;
	pid_t pid;

	snprintf(text, sizeof(text), "%d", number);
	if (posix_spawn(&pid, "./helper", NULL, NULL, argv, environ) == 0)
		waitpid(pid, &status, 0);
}

APART static void note(int number)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%d %u\n", number, found);

	if (write(list_fd, text, (size_t)n) != n)
		abort();
}

APART static void visit(int number, int depth)
{
	found += scan((unsigned)number);
	ask(number);
	if (number % 4 == 0)
		check(number);
	note(number);
	for (int i = 0; depth > 0 && i < 4; i++)
		visit(4 * number + i + 1, depth - 1);
}

int main(void)
{
	list_fd = open("list.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	visit(0, 2);
	close(list_fd);
	return 0;
}
