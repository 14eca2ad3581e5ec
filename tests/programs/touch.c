/*
 * Opens files in the ways that its arguments name, one after the other:
 *
 *   open, fopen, freopen, stat, access, list, dir, walk, glob FILE   as the function does
 *   at DIR FILE       openat(2) from a descriptor of a folder
 *   cd DIR            chdir(2)
 *   write FILE        make or empty it; append FILE; new FILE: only when it is not there
 *   mkdir, rename     make a folder; OLD NEW
 *   many N NAME       look for NAME.0 to NAME.N-1, none of which needs to exist
 *   often N FILE      open one file N times
 *   threads N NAME    N threads open NAME.0 to NAME.999, all the same
 *   fork FILE         a child opens it
 *   allocate N        N blocks
 *   load NAME         dlopen(3); fails when it is not found
 *   raw FILE          syscall(2)
 *   exit              _exit(2) at once
 *   exec ...          become another program
 *
 * Every failure to open is fine; ends with status 1 when errno was changed by a call that worked.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PE_GO_SECTION
/* To be taken for a program made with Go. */
__attribute__((used, section(".go.buildinfo"))) static const char go[] = "go";
#endif

static int open_quietly(const char *path, int flags)
{
	int fd;

	errno = 0;
	fd = open(path, flags, 0666);
	if (fd >= 0) {
		if (errno != 0)
			exit(1);
		close(fd);
	}
	return fd;
}

static void open_stream(const char *path, const char *mode)
{
	FILE *stream = fopen(path, mode);

	if (stream != NULL)
		fclose(stream);
}

static void reopen(const char *path)
{
	FILE *stream = freopen(path, "r", stdin);

	if (stream != NULL && freopen(NULL, "r", stream) == NULL)
		clearerr(stdin);
}

static void list(const char *path)
{
	DIR *entries = opendir(path);

	while (entries != NULL && readdir(entries) != NULL)
		;
	if (entries != NULL)
		closedir(entries);
}

static int visit(const char *path, const struct stat *info, int type)
{
	(void)path;
	(void)info;
	(void)type;
	return 0;
}

static void expand(const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0)
		globfree(&found);
}

static void open_at(const char *dir, const char *path)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY);
	int fd = openat(at, path, O_RDONLY);

	close(fd);
	close(at);
}

static void look_for(const char *name, int n)
{
	char path[256];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s.%d", name, i);
		open_quietly(path, O_RDONLY);
	}
}

static void *look_in_thread(void *name)
{
	look_for(name, 1000);
	return NULL;
}

static void look_in_threads(char *name, int n)
{
	pthread_t threads[64];

	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, look_in_thread, name) != 0)
			exit(1);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void fork_and_open(const char *path)
{
	pid_t child = fork();

	if (child == 0) {
		open_quietly(path, O_RDONLY);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void allocate(int n)
{
	for (int i = 0; i < n; i++)
		free(malloc(64));
}

static void load(const char *name)
{
	if (dlopen(name, RTLD_NOW) == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
}

/* One step; how many arguments it took. */
static int step(char *argv[])
{
	const char *what = argv[0];
	struct stat info;

	if (strcmp(what, "open") == 0)
		open_quietly(argv[1], O_RDONLY);
	else if (strcmp(what, "fopen") == 0)
		open_stream(argv[1], "r");
	else if (strcmp(what, "freopen") == 0)
		reopen(argv[1]);
	else if (strcmp(what, "stat") == 0)
		stat(argv[1], &info);
	else if (strcmp(what, "access") == 0)
		open_at(".", access(argv[1], R_OK) == 0 ? "." : "..");
	else if (strcmp(what, "list") == 0)
		list(argv[1]);
	else if (strcmp(what, "walk") == 0)
		ftw(argv[1], visit, 8);
	else if (strcmp(what, "glob") == 0)
		expand(argv[1]);
	else if (strcmp(what, "cd") == 0)
		return chdir(argv[1]) == 0 ? 2 : 0;
	else if (strcmp(what, "write") == 0)
		open_stream(argv[1], "w");
	else if (strcmp(what, "append") == 0)
		open_stream(argv[1], "a");
	else if (strcmp(what, "new") == 0)
		open_quietly(argv[1], O_WRONLY | O_CREAT | O_EXCL);
	else if (strcmp(what, "mkdir") == 0)
		mkdir(argv[1], 0777);
	else if (strcmp(what, "fork") == 0)
		fork_and_open(argv[1]);
	else if (strcmp(what, "allocate") == 0)
		allocate(atoi(argv[1]));
	else if (strcmp(what, "load") == 0)
		load(argv[1]);
	else if (strcmp(what, "raw") == 0)
		close((int)syscall(SYS_openat, AT_FDCWD, argv[1], O_RDONLY, 0));
	else
		return 0;
	return 2;
}

static int long_step(char *argv[])
{
	const char *what = argv[0];

	if (strcmp(what, "at") == 0)
		open_at(argv[1], argv[2]);
	else if (strcmp(what, "rename") == 0)
		return rename(argv[1], argv[2]) == 0 ? 3 : 0;
	else if (strcmp(what, "many") == 0)
		look_for(argv[2], atoi(argv[1]));
	else if (strcmp(what, "often") == 0)
		for (int i = atoi(argv[1]); i > 0; i--)
			open_quietly(argv[2], O_RDONLY);
	else if (strcmp(what, "threads") == 0)
		look_in_threads(argv[2], atoi(argv[1]));
	else
		return 0;
	return 3;
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc;) {
		int taken;

		if (strcmp(argv[i], "exit") == 0)
			_exit(0);
		if (strcmp(argv[i], "exec") == 0 && i + 1 < argc) {
			execvp(argv[i + 1], argv + i + 1);
			return 1;
		}
		taken = i + 1 < argc ? step(argv + i) : 0;
		if (taken == 0 && i + 2 < argc)
			taken = long_step(argv + i);
		if (taken == 0) {
			fprintf(stderr, "cannot %s\n", argv[i]);
			return 1;
		}
		i += taken;
	}
	return 0;
}
