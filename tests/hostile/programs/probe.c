/*
 * A walk through all that a confined command can reach: each number of a system call, each family and protocol of sockets,
 * each call that names a process, for process 1; each file of /proc, /sys, /dev and below the folders of the system.
 *
 *   probe WORD       prints a line for each thing that it got hold of; WORD is a secret of the launcher's environment
 *
 * The number of attempts comes last.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *word;
static long tries;

/* --- System calls --- */

/* Whether a process sleeps or was stopped. */
static bool is_still(pid_t pid)
{
	char path[64], stat[256] = "", *name;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, stat, sizeof(stat) - 1) <= 0)
		stat[0] = '\0';
	if (fd >= 0)
		close(fd);
	name = strrchr(stat, ')');
	return name != NULL && strchr("STt", name[2]) != NULL;
}

/* In a process of its own: -1 is no valid argument of any call, but some end, stop or keep who calls them. */
static bool exists(long number)
{
	static volatile int *begun;
	int status = 0;
	pid_t child;

	if (begun == NULL)
		begun = mmap(NULL, sizeof(*begun), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*begun = 0;
	child = fork();
	if (child == 0) {
		*begun = 1;
		_exit(syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) == -1 && errno == ENOSYS ? 1
											     : 0);
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		if (*begun == 1 && is_still(child))
			kill(child, SIGKILL);
		usleep(100);
	}
	return !WIFEXITED(status) || WEXITSTATUS(status) != 1;
}

static void walk_calls(void)
{
	static const long ranges[][2] = {{0, 600}, {0x40000000, 0x40000000 + 600}};

	for (int i = 0; i < 2; i++)
		for (long n = ranges[i][0]; n < ranges[i][1]; n++, tries++)
			if (exists(n))
				printf("call %ld\n", n);
}

static void walk_sockets(void)
{
	for (int family = 0; family < 64; family++)
		for (int type = 1; type < 11; type++)
			for (int protocol = 0; protocol < 264; protocol++, tries++) {
				int fd = socket(family, type, protocol), pair[2];

				if (fd >= 0)
					printf("socket %d %d %d\n", family, type, protocol),
						close(fd);
				if (family != AF_UNIX &&
				    socketpair(family, type, protocol, pair) == 0)
					printf("pair %d %d %d\n", family, type, protocol);
			}
	/* The kernel takes the lower half of a number alone. */
	if (syscall(SYS_socket, 0x100000028, SOCK_STREAM, 0) >= 0)
		printf("socket 40 by 64 bits\n");
}

/* --- Process 1, whose bounds and priorities all later commands inherit --- */

/* Opening says nothing: the kernel asks who reads. */
static long read_or_list(const char *path)
{
	int fd = open(path, O_RDONLY);
	char bytes[4096];
	long n = fd >= 0 ? read(fd, bytes, sizeof(bytes)) : -1;

	if (n < 0 && errno == EISDIR)
		n = syscall(SYS_getdents64, fd, bytes, sizeof(bytes)) > 48 ? 1 : 0;
	if (fd >= 0)
		close(fd);
	return n > 0 ? 0 : -1;
}

static void of_launcher(const char *name, long rc)
{
	tries++;
	if (rc >= 0)
		printf("launcher %s\n", name);
}

static void reach_launcher(void)
{
	static const char *const files[] = {"environ",  "mem",         "maps",    "auxv",
					    "stack",    "syscall",     "io",      "fd/0",
					    "fdinfo/0", "cwd/.",       "root/.",  "exe",
					    "ns/mnt",   "personality", "pagemap", "map_files"};
	static const char *const written[] = {
		"oom_score_adj",   "autogroup",  "timerslack_ns", "sched",     "comm",
		"coredump_filter", "clear_refs", "loginuid",      "setgroups", "uid_map"};
	const struct rlimit limit = {1, 1};
	struct sched_param param = {0};
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(event), .exclude_kernel = 1};
	cpu_set_t cpu;
	char path[64];
	uint32_t attr[14] = {sizeof(attr), SCHED_IDLE};

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "/proc/1/%s", files[i]);
		of_launcher(files[i], read_or_list(path));
	}
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
		snprintf(path, sizeof(path), "/proc/1/%s", written[i]);
		of_launcher(written[i], open(path, O_WRONLY));
		snprintf(path, sizeof(path), "/proc/self/%s", written[i]);
		of_launcher(written[i], open(path, O_WRONLY));
	}
	for (long high = 0; high < 2;
	     high++) { /* the kernel takes the lower half of a number alone */
		const long one = 1 | high << 32;

		for (long which = 0; which < 4; which++) {
			for (long who = 0; which > 1 - high && who < 3; who++)
				of_launcher("setpriority",
					    which == 2 || who == 1
						    ? syscall(SYS_setpriority, which | high << 32,
							      who == 1 ? one : who, 19)
						    : -1);
			of_launcher("ioprio_set", syscall(SYS_ioprio_set, which, one, 3 << 13));
		}
		of_launcher("setpriority", syscall(SYS_setpriority, 0, one, 19));
		of_launcher("setpriority of all", syscall(SYS_setpriority, 2 | high << 32, 0, 19));
		of_launcher("setpriority of all",
			    syscall(SYS_setpriority, 2 | high << 32, getuid(), 19));
		of_launcher("ioprio_set of all",
			    syscall(SYS_ioprio_set, 3 | high << 32, getuid(), 3 << 13));
		for (int i = 0; i < RLIM_NLIMITS; i++)
			of_launcher("prlimit",
				    syscall(SYS_prlimit64, one,
					    i == RLIMIT_NOFILE ? RLIMIT_RTTIME : i, &limit, NULL));
		of_launcher("sched_setaffinity",
			    syscall(SYS_sched_setaffinity, one, sizeof(cpu), &cpu));
		of_launcher("sched_setscheduler",
			    syscall(SYS_sched_setscheduler, one, SCHED_IDLE, &param));
		of_launcher("sched_setparam", syscall(SYS_sched_setparam, one, &param));
		of_launcher("sched_setattr", syscall(SYS_sched_setattr, one, attr, 0));
		of_launcher("perf_event_open",
			    syscall(SYS_perf_event_open, &event, one, -1, -1, 0));
		of_launcher(
			"perf_event_open of a processor",
			syscall(SYS_perf_event_open, &event, high ? 0xffffffffL : -1L, 0, -1, 0));
	}
	of_launcher("move_pages", syscall(SYS_move_pages, 1, 0, NULL, NULL, NULL, 0));
	of_launcher("migrate_pages", syscall(SYS_migrate_pages, 1, 0, NULL, NULL));
	of_launcher("kcmp", syscall(SYS_kcmp, 1, getpid(), 0, 0, 0));
	of_launcher("setpgid", syscall(SYS_setpgid, 1, 0));
	of_launcher("ptrace", syscall(SYS_ptrace, 16 /* PTRACE_ATTACH */, 1, 0, 0));
}

/* --- Files --- */

/* Where commands write as they like. */
static bool is_own(const char *path)
{
	static const char *const own[] = {"/tmp",     "/var/tmp", "/run",
					  "/dev/shm", "/dev/pts", "/dev/fd"};
	const char *home = getenv("HOME"), *tmp = getenv("TMPDIR");
	bool found = (home != NULL && strncmp(path, home, strlen(home)) == 0) ||
		     (tmp != NULL && strncmp(path, tmp, strlen(tmp)) == 0);

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		found = found || strncmp(path, own[i], strlen(own[i])) == 0;
	return found;
}

static bool has_word(int fd)
{
	static char bytes[1 << 16];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	return n > 0 && memmem(bytes, (size_t)n, word, strlen(word)) != NULL;
}

static void look_at_file(const char *path, const struct stat *what)
{
	const bool kernel = strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
	char made[1];
	int fd;

	if (S_ISSOCK(what->st_mode))
		printf("socket %s\n", path);
	/* Of the machine's devices: null, zero, full, random, urandom; /dev/tty is nobody's here. */
	if (S_ISCHR(what->st_mode) && major(what->st_rdev) == 1 && minor(what->st_rdev) != 1 &&
	    minor(what->st_rdev) != 2 && minor(what->st_rdev) != 4 && minor(what->st_rdev) != 11)
		return;
	if (S_ISLNK(what->st_mode) || S_ISSOCK(what->st_mode) || S_ISFIFO(what->st_mode))
		return;
	fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && !S_ISDIR(what->st_mode))
		printf("written %s\n", path);
	if (fd >= 0)
		close(fd);
	if (kernel && (what->st_mode & S_IROTH) != 0 && strncmp(path, "/proc/", 6) != 0)
		return;
	if (!kernel && (what->st_mode & S_IROTH) != 0)
		return;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (what->st_mode & S_IROTH) == 0 && strncmp(path, "/proc/", 6) != 0 &&
	    read(fd, made, 1) == 1)
		printf("private %s\n", path);
	if (fd >= 0 && has_word(fd))
		printf("word %s\n", path);
	if (fd >= 0)
		close(fd);
}

static void walk_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	char child[4096], made[4096];
	struct stat what;
	int fd;

	snprintf(made, sizeof(made), "%s/ESCAPE", path);
	if (!is_own(path) && strcmp(path, "/proc") != 0) {
		tries++;
		fd = open(made, O_WRONLY | O_CREAT, 0600);
		if (fd >= 0)
			printf("made %s\n", made), close(fd);
	}
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(child, sizeof(child), "%s/%s", strcmp(path, "/") == 0 ? "" : path,
			 entry->d_name);
		if (lstat(child, &what) != 0)
			continue;
		tries++;
		/* Of processes: itself, and process 1. */
		if (strcmp(path, "/proc") == 0 && entry->d_name[0] >= '1' &&
		    entry->d_name[0] <= '9' && strcmp(entry->d_name, "1") != 0)
			continue;
		if (S_ISDIR(what.st_mode) && (what.st_mode & 5) != 5 &&
		    strncmp(path, "/proc", 5) != 0 && !is_own(child) && opendir(child) != NULL)
			printf("private %s\n", child);
		if (S_ISDIR(what.st_mode) && strncmp(child, "/usr/", 5) == 0 &&
		    strncmp(child, "/usr/local", 10) != 0)
			continue;
		if (S_ISDIR(what.st_mode) && !is_own(child))
			walk_folder(child);
		else if (!is_own(child))
			look_at_file(child, &what);
	}
	if (folder != NULL)
		closedir(folder);
}

int main(int argc, char **argv)
{
	char here[4096];

	if (argc != 2 || getcwd(here, sizeof(here)) == NULL)
		return 2;
	word = argv[1] + 1; /* or its own command line is found */
	setvbuf(stdout, NULL, _IOLBF, 0);
	walk_calls();
	walk_sockets();
	walk_folder("/");
	reach_launcher(); /* last: its own priority is the lowest after that */
	printf("tries %ld\n", tries);
	return 0;
}
