/*
 * Ways out of a sandbox, each tried in a process of its own.
 *
 *   escape TARGETS
 *
 * TARGETS is a file of "name value" lines: home, tmp, repo, store, slot (of another commit), cache, secret, pid (of a
 * process), port, abstract, socket, shm, key. Prints a line for each attempt: "held NAME" or "OUT NAME". What writes to the
 * machine leaves the word ESCAPE there, so that whoever made TARGETS looks as well.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char lines[32][2][512];
static int n_lines;

static const char *target(const char *name)
{
	for (int i = 0; i < n_lines; i++)
		if (strcmp(lines[i][0], name) == 0)
			return lines[i][1];
	fprintf(stderr, "no target %s\n", name);
	exit(2);
}

/* Below a target's path; NULL: as it stands. */
static const char *in(const char *name, const char *rest)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s%s", name != NULL ? target(name) : "", rest);
	return path;
}

/* --- Files --- */

/* Written to, or made. What a folder in memory takes of it is not seen from outside: the caller looks there. */
static bool scribble(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);

	if (fd >= 0) {
		if (write(fd, "ESCAPE\n", 7) != 7)
			errno = 0;
		close(fd);
	}
	return false; /* the caller of the sandbox decides */
}

static bool readable(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	bool got = fd >= 0 && read(fd, &byte, 1) == 1;

	if (fd >= 0)
		close(fd);
	return got;
}

static bool write_in(const char *name, const char *rest)
{
	return scribble(in(name, rest));
}
static bool read_in(const char *name, const char *rest)
{
	return readable(in(name, rest));
}

static bool log_by_link(void)
{
	unlink("../build.log");
	return symlink(in("home", "/precious"), "../build.log") == 0;
}

static bool log_by_fifo(void)
{
	unlink("../build.log");
	return mkfifo("../build.log", 0666) == 0;
}

static bool swap_tree(void)
{
	char here[512];

	return getcwd(here, sizeof(here)) != NULL && rename(here, "../away") == 0 &&
	       symlink(target("home"), here) == 0;
}

static bool link_hard(void)
{
	return link(in("home", "/precious"), "hard") == 0 && scribble("hard");
}

/* What the launcher opened for us is the log; its folder is not. */
static bool beside_stdout(void)
{
	char path[600], log[512];
	ssize_t n = readlink("/proc/self/fd/1", log, sizeof(log) - 1);

	if (n <= 0)
		return false;
	log[n] = '\0';
	*strrchr(log, '/') = '\0';
	snprintf(path, sizeof(path), "%s/ESCAPE", log);
	return scribble(path);
}

static bool watch_home(void)
{
	return inotify_add_watch(inotify_init(), in("home", "/precious"), IN_OPEN) >= 0;
}

/* --- Processes --- */

/* The secret, by way of a link of another process. */
static bool below_proc(const char *what, const char *name)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char path[600];
	bool out = false;

	while (proc != NULL && (entry = readdir(proc)) != NULL && !out) {
		snprintf(path, sizeof(path), "/proc/%s/%s%s", entry->d_name, what, target(name));
		out = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && readable(path);
	}
	return out;
}

static bool files_of_launcher(void)
{
	char path[64];
	bool out = false;

	for (int fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/1/fd/%d/.", fd);
		out = out || access(path, F_OK) == 0;
	}
	return out;
}

static bool sees_perfevo(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char path[300], name[32] = "";

	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, name, sizeof(name) - 1) > 0 && strcmp(name, "perfevo\n") == 0)
			return true;
		close(fd);
	}
	return false;
}

static bool trace_launcher(void)
{
	return ptrace(PTRACE_SEIZE, 1, 0, 0) == 0;
}

static bool read_launcher(void)
{
	char byte;
	struct iovec mine = {&byte, 1}, its = {(void *)0x400000, 1};

	return process_vm_readv(1, &mine, 1, &its, 1, 0) == 1;
}

static bool take_file_of_launcher(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, 1, 0);

	return pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 3, 0) >= 0;
}

/* The launcher survives, or there is no answer to the build. A signal of a timer names no sender. */
static bool signal_launcher(void)
{
	static const int codes[] = {SI_QUEUE, SI_TIMER, SI_SIGIO};

	for (int i = 1; i < NSIG; i++)
		for (size_t k = 0; k < sizeof(codes) / sizeof(*codes); k++) {
			siginfo_t forged = {.si_signo = i, .si_code = codes[k]};

			syscall(SYS_rt_sigqueueinfo, 1, i, &forged);
		}
	kill(1, SIGSTOP);
	kill(1, SIGTERM);
	return kill(1, SIGKILL) != 0 && false;
}
static bool signal_others(void)
{
	kill(atoi(target("pid")), SIGKILL);
	return false; /* the caller looks whether it lives */
}
static bool signal_all(void)
{
	signal(SIGTERM, SIG_IGN);
	kill(-1, SIGTERM);
	return false;
}

/* --- Network and other channels --- */

static bool reach(int family, const struct sockaddr *address, socklen_t size, int type)
{
	int fd = socket(family, type, 0);

	return fd >= 0 && connect(fd, address, size) == 0;
}

static bool connect_v4(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)atoi(target("port"))),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};

	return reach(AF_INET, (void *)&to, sizeof(to), SOCK_STREAM);
}

static bool connect_v6(void)
{
	struct sockaddr_in6 to = {.sin6_family = AF_INET6,
				  .sin6_port = htons((uint16_t)atoi(target("port"))),
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};

	return reach(AF_INET6, (void *)&to, sizeof(to), SOCK_STREAM);
}

/* Without a route even an address nobody answers at cannot be chosen. */
static bool route_out(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(53), .sin_addr = {htonl(0x08080808)}};

	return reach(AF_INET, (void *)&to, sizeof(to), SOCK_DGRAM);
}

static bool raw_packets(void)
{
	struct ifreq device = {.ifr_name = "eth0"};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	return fd >= 0 && ioctl(fd, SIOCGIFINDEX, &device) == 0;
}

/* A path, or an abstract name. */
static bool connect_unix(const char *name, const char *rest)
{
	const char *path = in(name, rest);
	const bool abstract = path[0] != '/';
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	snprintf(to.sun_path + abstract, sizeof(to.sun_path) - 1, "%s", path);
	return reach(AF_UNIX, (void *)&to,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + abstract),
		     SOCK_STREAM);
}

static bool attach_shm(void)
{
	return shmget((key_t)atoi(target("shm")), 0, 0) >= 0;
}

static bool find_key(void)
{
	static const int rings[] = {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING,
				    KEY_SPEC_USER_SESSION_KEYRING};
	bool out = false;

	for (int i = 0; i < 3; i++)
		out = out ||
		      syscall(SYS_keyctl, KEYCTL_SEARCH, rings[i], "user", target("key"), 0) > 0;
	return out;
}

/* --- Namespaces, mounts, devices, the kernel --- */

static bool mount_own(void)
{
	return mount("none", "/tmp", "tmpfs", 0, NULL) == 0;
}
static bool mount_writable(void)
{
	return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0 ||
	       mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL) == 0;
}
static bool unmount_cover(void)
{
	return umount2("/proc/sys", MNT_DETACH) == 0 || umount2("/tmp", MNT_DETACH) == 0 ||
	       umount2("/dev", MNT_DETACH) == 0;
}
static bool change_root(void)
{
	return mkdir("jail", 0755) + chroot("jail") == 0;
}
static bool pivot(void)
{
	return syscall(SYS_pivot_root, ".", ".") == 0;
}
static bool new_users(void)
{
	return unshare(CLONE_NEWUSER) == 0;
}
static bool new_mounts(void)
{
	return unshare(CLONE_NEWNS) == 0;
}
static bool new_users_by_clone(void)
{
	long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(0);
	return child > 0;
}

static bool join(const char *name, const char *path)
{
	int fd = open(in(name, path), O_RDONLY);

	return fd >= 0 && setns(fd, 0) == 0;
}

static bool by_handle(void)
{
	struct {
		struct file_handle head;
		unsigned char bytes[8];
	} handle = {{8, 1, {}}, {2}};
	int here = open("/", O_RDONLY | O_DIRECTORY);

	return open_by_handle_at(here, &handle.head, O_RDONLY) >= 0;
}

static bool node(const char *name, mode_t kind, unsigned major, unsigned minor)
{
	return mknod(name, kind | 0600, makedev(major, minor)) == 0 && open(name, O_RDONLY) >= 0;
}

static bool make_memory(void)
{
	return node("memory", S_IFCHR, 1, 1);
}
static bool make_disk(void)
{
	return node("disk", S_IFBLK, 254, 0) || node("disk2", S_IFBLK, 8, 0);
}
static bool open_memory(void)
{
	return open("/dev/mem", O_RDONLY) >= 0 || open("/dev/kmsg", O_WRONLY) >= 0;
}

static bool open_disks(void)
{
	static const char *const names[] = {"/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/loop0",
					    "/dev/loop-control"};
	bool out = false;

	for (int i = 0; i < 5; i++)
		out = out || open(names[i], O_RDONLY) >= 0;
	return out;
}

static bool push_terminal(void)
{
	char path[32];
	bool out = false;

	for (int i = -1; i < 64; i++) {
		int fd;

		snprintf(path, sizeof(path), i < 0 ? "/dev/tty" : "/dev/pts/%d", i);
		fd = open(path, O_RDWR | O_NOCTTY);
		out = out || (fd >= 0 && (ioctl(fd, TIOCSTI, "x") == 0 || write(fd, "x", 1) == 1));
	}
	return out;
}

static bool sets(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	return fd >= 0 && write(fd, text, strlen(text)) > 0;
}

static bool other_cgroup(void)
{
	return sets("/sys/fs/cgroup/cgroup.procs", "0\n") ||
	       sets("/sys/fs/cgroup/pids/tasks", "0\n") ||
	       sets("/sys/fs/cgroup/memory/release_agent", "x\n");
}
static bool load_module(void)
{
	return syscall(SYS_init_module, "", 0, "") == 0 || errno == ENOEXEC;
}
static bool list_programs(void)
{
	char attr[64] = {0};
	return syscall(SYS_bpf, 11, attr, sizeof(attr)) == 0 || errno == ENOENT;
}
static bool set_clock(void)
{
	struct timeval now;
	gettimeofday(&now, NULL);
	return settimeofday(&now, NULL) == 0;
}
static bool set_name(void)
{
	return sethostname("escape", 6) == 0;
}
static bool swap_off(void)
{
	return swapoff("/nowhere") == 0 || (errno != EPERM && errno != ENOSYS);
}
static bool restart(void)
{
	return syscall(SYS_reboot, 0xfee1dead, 672274793, 0, NULL) == 0;
}
static bool lift_limit(void)
{
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	return setrlimit(RLIMIT_FSIZE, &all) == 0;
}

/* A program with the set-user-ID bit, or a file's capabilities, gives nothing. */
static bool gain(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 ||
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0;
}

static bool fill_disk(void)
{
	int fd = open("big", O_WRONLY | O_CREAT, 0600);
	bool out;

	signal(SIGXFSZ, SIG_IGN);
	out = ftruncate(fd, INT64_C(100) << 30) == 0 || pwrite(fd, "x", 1, INT64_C(100) << 30) == 1;
	unlink("big");
	return out;
}

/* 8192 processes at most; all of them are gone when the step ends. */
static bool fork_bomb(void)
{
	int n = 0;

	while (n < 20000) {
		pid_t child = fork();

		if (child == 0)
			pause();
		if (child < 0)
			break;
		n++;
	}
	kill(0, SIGKILL);
	return n >= 20000;
}

static bool daemonise(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			prctl(PR_SET_NAME, "perfevo-escape");
			sleep(600);
		}
		_exit(0);
	}
	return false; /* the caller of the sandbox looks for it */
}

struct attempt {
	const char *name;
	bool (*alone)(void);
	bool (*with)(const char *, const char *); /* of the two below */
	const char *first, *second;
};

#define ALONE(name) #name, name, NULL, NULL, NULL
static const struct attempt attempts[] = {
	{"write_home", NULL, write_in, "home", "/ESCAPE"},
	{"write_shell", NULL, write_in, "home", "/.bashrc"},
	{"write_tmp", NULL, write_in, "tmp", "/ESCAPE"},
	{"write_tree_of_user", NULL, write_in, "repo", "/perfevo.yml"},
	{"write_git_config", NULL, write_in, "repo", "/.git/config"},
	{"write_hook", NULL, write_in, "repo", "/.git/hooks/post-commit"},
	{"write_store", NULL, write_in, "store", ""},
	{"write_other_build", NULL, write_in, "slot", "/tree/product"},
	{"write_state", NULL, write_in, NULL, "../state"},
	{"write_cache", NULL, write_in, "cache", "/ESCAPE"},
	{"write_etc", NULL, write_in, NULL, "/etc/ESCAPE"},
	{"write_usr", NULL, write_in, NULL, "/usr/local/bin/ESCAPE"},
	{"write_cron", NULL, write_in, NULL, "/var/spool/cron/ESCAPE"},
	{"write_shm", NULL, write_in, NULL, "/dev/shm/ESCAPE"},
	{"write_run", NULL, write_in, NULL, "/run/ESCAPE"},
	{"read_secret", NULL, read_in, "secret", ""},
	{"read_store", NULL, read_in, "store", ""},
	{"read_shadow", NULL, read_in, NULL, "/etc/shadow"},
	{"read_other_build", NULL, read_in, "slot", "/tree/product"},
	{ALONE(log_by_link)},
	{ALONE(log_by_fifo)},
	{ALONE(swap_tree)},
	{ALONE(link_hard)},
	{ALONE(beside_stdout)},
	{ALONE(watch_home)},
	{"root_of_others", NULL, below_proc, "root", "secret"},
	{"folder_of_others", NULL, below_proc, "cwd/../../../../../../../..", "secret"},
	{ALONE(files_of_launcher)},
	{ALONE(sees_perfevo)},
	{ALONE(trace_launcher)},
	{ALONE(read_launcher)},
	{ALONE(take_file_of_launcher)},
	{ALONE(signal_launcher)},
	{ALONE(signal_others)},
	{ALONE(connect_v4)},
	{ALONE(connect_v6)},
	{ALONE(route_out)},
	{ALONE(raw_packets)},
	{"connect_abstract", NULL, connect_unix, "abstract", ""},
	{"connect_socket", NULL, connect_unix, "socket", ""},
	{"connect_bus", NULL, connect_unix, NULL, "/run/dbus/system_bus_socket"},
	{"connect_docker", NULL, connect_unix, NULL, "/run/docker.sock"},
	{ALONE(attach_shm)},
	{ALONE(find_key)},
	{ALONE(mount_own)},
	{ALONE(mount_writable)},
	{ALONE(unmount_cover)},
	{ALONE(change_root)},
	{ALONE(pivot)},
	{ALONE(new_users)},
	{ALONE(new_mounts)},
	{ALONE(new_users_by_clone)},
	{"join_mounts", NULL, join, NULL, "/proc/1/ns/mnt"},
	{"join_network", NULL, join, NULL, "/proc/1/ns/net"},
	{ALONE(by_handle)},
	{ALONE(make_memory)},
	{ALONE(make_disk)},
	{ALONE(open_memory)},
	{ALONE(open_disks)},
	{ALONE(push_terminal)},
	{"core_pattern", NULL, sets, "/proc/sys/kernel/core_pattern", "core\n"},
	{"overcommit", NULL, sets, "/proc/sys/vm/overcommit_memory", "0\n"},
	{"ask_kernel", NULL, sets, "/proc/sysrq-trigger", "h\n"},
	{"helper_path", NULL, sets, "/sys/kernel/uevent_helper", "x\n"},
	{ALONE(other_cgroup)},
	{ALONE(load_module)},
	{ALONE(list_programs)},
	{ALONE(set_clock)},
	{ALONE(set_name)},
	{ALONE(swap_off)},
	{ALONE(restart)},
	{"be_favoured", NULL, sets, "/proc/self/oom_score_adj", "0"},
	{ALONE(lift_limit)},
	{ALONE(gain)},
	{ALONE(fill_disk)},
	{ALONE(fork_bomb)},
	{ALONE(daemonise)},
	{ALONE(signal_all)},
};

static bool is_out(const struct attempt *attempt)
{
	return attempt->alone != NULL ? attempt->alone()
				      : attempt->with(attempt->first, attempt->second);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (file == NULL)
		return 2;
	while (n_lines < 32 &&
	       fscanf(file, "%511s %511s", lines[n_lines][0], lines[n_lines][1]) == 2)
		n_lines++;
	fclose(file);
	signal(SIGTERM, SIG_IGN);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		int status;
		pid_t child = fork();

		/* Until all of the last attempt's processes are gone, there may be no room for more. */
		for (int wait = 0; child < 0 && wait < 1000; wait++) {
			usleep(10000);
			child = fork();
		}
		if (child == 0) {
			setpgid(0, 0);
			signal(SIGTERM, SIG_DFL);
			alarm(20);
			_exit(is_out(&attempts[i]) ? 1 : 0);
		}
		if (child < 0)
			return 3;
		waitpid(child, &status, 0);
		printf("%s %s\n", WIFEXITED(status) && WEXITSTATUS(status) == 1 ? "OUT" : "held",
		       attempts[i].name);
		fflush(stdout);
	}
	return 0;
}
