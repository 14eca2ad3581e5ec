#include "probe/launcher/start.h"

#include "probe/formats/launch.h"
#include "probe/formats/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *env_path(char *const *env)
{
	for (; *env != NULL; env++) {
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	}
	return "/bin:/usr/bin"; /* as confstr(_CS_PATH) */
}

/* Execute a file. A script without a #! line is run by the shell, as by execvp(3). Returns only when it failed. */
static void exec_file(const char *file, const struct pe_start *start)
{
	static char shell[] = "/bin/sh";

	execve(file, start->argv, start->env);
	if (errno == ENOEXEC) {
		char *name = start->argv[0];

		start->argv[-1] = shell;
		start->argv[0] = (char *)(size_t)file;
		execve(shell, start->argv - 1, start->env);
		start->argv[0] = name;
		errno = ENOEXEC;
	}
}

/*
 * Look a name up on PATH. A directory that must not be searched does not end the search, and is the answer
 * only when no other directory has the program.
 */
static int exec_lookup(const struct pe_start *start)
{
	const char *name = start->argv[0];
	const char *dir = env_path(start->env);
	int error = ENOENT;
	char file[PATH_MAX];

	if (*name == '\0')
		return ENOENT;
	if (strchr(name, '/') != NULL) {
		exec_file(name, start);
		return errno;
	}
	for (;;) {
		size_t n = strcspn(dir, ":");

		if (n + strlen(name) + 2 <= sizeof(file)) {
			memcpy(file, dir, n);
			file[n] = '/';
			/* An empty entry is the working directory. */
			memcpy(file + n + (n > 0), name, strlen(name) + 1);
			exec_file(file, start);
			if (errno == EACCES)
				error = EACCES;
			else if (errno != ENOENT && errno != ENOTDIR)
				return errno;
		}
		if (dir[n] == '\0')
			return error;
		dir += n + 1;
	}
}

/* Bound the memory that can be written to, not reserved address space, of which garbage collectors take much. */
static void bound_memory(uint64_t bytes)
{
	const struct rlimit most = {bytes, bytes};

	if (bytes > 0)
		setrlimit(RLIMIT_DATA, &most);
}

/* As far as the system grants them: containers often forbid personality(2). */
static void set_conditions(const struct pe_start *start)
{
	setpriority(PRIO_PROCESS, 0, start->nice);
	if (start->cpu >= 0) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		if (start->cpu < CPU_SETSIZE)
			CPU_SET((size_t)start->cpu, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
	}
	if ((start->flags & PE_PROC_FIXED_LAYOUT) != 0) {
		int persona = personality(0xffffffff);

		if (persona >= 0)
			personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
	}
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Do one step of confining, and add its time to the cost. */
static int confine(const struct pe_start *start, struct pe_start_cost *cost,
		   int (*step)(const struct pe_confinement *, unsigned))
{
	uint64_t wall_ns, cpu_ns;
	int error;

	if (!start->confinement->on && !start->confinement->by_landlock)
		return 0;
	wall_ns = clock_ns(CLOCK_MONOTONIC);
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	error = step(start->confinement, start->flags);
	cost->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	cost->wall_ns += clock_ns(CLOCK_MONOTONIC) - wall_ns;
	return error;
}

/* In the child; returns only when the command could not be started. */
static int become(const struct pe_start *start, struct pe_started *out)
{
	sigset_t none;
	int error;

	/* A group of its own: a command that signals its group must not reach the launcher. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != out->launcher)
		_exit(127);
	error = confine(start, &out->confining, pe_confine_child);
	if (error != 0)
		return error;
	if (chdir(start->cwd) != 0)
		return errno;
	for (int i = 0; i < 3; i++) {
		if (start->fds[i] != i && dup2(start->fds[i], i) < 0)
			return errno;
	}
	/* Where the limit of open files is below these numbers, the command itself reports that there is no jobserver. */
	for (int i = 0; i < 2; i++) {
		if (start->jobs[i] >= 0)
			dup2(start->jobs[i], PE_JOBS_FD + i);
	}
	set_conditions(start);
	bound_memory(start->memory_bytes);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if ((start->flags & PE_PROC_INSTRUCTIONS) != 0 && pe_counter_works(start->counter))
		pe_counter_give(start->counter);
	error = confine(start, &out->confining, pe_confine_let_go);
	return error != 0 ? error : exec_lookup(start);
}

static int child(void *payload)
{
	struct pe_started *out = payload;

	out->error = become(out->start, out);
	_exit(127);
}

/*
 * The C library's clone(2) does not support cgroups. A process that starts in its group was never counted in another, and
 * moving it later would make the kernel wait for all its processors.
 */
static pid_t clone_into_group(const struct clone_args *args, struct pe_started *out)
{
	long rc = pe_machine_clone3(args, sizeof(*args), child, out);

	if (rc >= 0)
		return (pid_t)rc;
	errno = (int)-rc;
	return -1;
}

/* Start by fork where processes cannot share memory (qemu-user): the child's results are in a page that both share. */
static bool start_copy(struct pe_started *out)
{
	static struct pe_started *page = MAP_FAILED;
	int ends[2];

	if (page == MAP_FAILED)
		page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	if (page == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0)
		return false;
	*page = *out;
	out->pid = fork();
	if (out->pid == 0)
		child(page);
	close(ends[1]);
	if (out->pid < 0) {
		close(ends[0]);
		return false;
	}
	out->copy = page;
	out->copied = ends[0];
	return true;
}

/* execve(2) and the child's end close the pipe. */
static void wait_for_copy(struct pe_started *started)
{
	const struct pe_started *copy = started->copy;
	char none;

	while (read(started->copied, &none, 1) < 0 && errno == EINTR)
		;
	close(started->copied);
	started->copy = NULL;
	started->error = copy->error;
	started->confining = copy->confining;
	started->sharing = 0;
}

/*
 * Start the child as vfork(2) does: there are no page tables to copy, and the child writes its failures into our memory.
 * But we do not wait until execve(2): the kernel clears `sharing` there, so that the launcher is not woken on another
 * processor only to fall asleep again. Until then the child shares our memory, errno included, so it calls only system
 * calls and string functions; we have no signal handlers that could run in it.
 */
bool pe_start_command(struct pe_started *out, const struct pe_start *start)
{
	enum { FLAGS = CLONE_VM | CLONE_CHILD_CLEARTID };
	static _Alignas(16) char stack[64 << 10];

	*out = (struct pe_started){.start = start, .launcher = getpid(), .sharing = 1};
	if (start->group >= 0) {
		const struct clone_args args = {.flags = FLAGS | CLONE_INTO_CGROUP,
						.child_tid = (uintptr_t)&out->sharing,
						.exit_signal = SIGCHLD,
						.stack = (uintptr_t)stack,
						.stack_size = sizeof(stack),
						.cgroup = (uint64_t)start->group};

		out->pid = clone_into_group(&args, out);
	} else {
		out->pid = clone(child, stack + sizeof(stack), FLAGS | SIGCHLD, out, NULL, NULL,
				 &out->sharing);
	}
	return out->pid >= 0 || (errno == EINVAL && start->group < 0 && start_copy(out));
}

void pe_start_wait(struct pe_started *started)
{
	uint32_t sharing;

	if (started->copy != NULL)
		wait_for_copy(started);
	while ((sharing = __atomic_load_n(&started->sharing, __ATOMIC_ACQUIRE)) != 0)
		syscall(SYS_futex, &started->sharing, FUTEX_WAIT, sharing, NULL, NULL, 0);
}
