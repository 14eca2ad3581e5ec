#include "probe/launcher/start.h"

#include "probe/formats/launch.h"
#include "probe/formats/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

static bool is_confined(const struct pe_start *start)
{
	return start->confinement->on || start->confinement->by_landlock;
}

/*
 * Open the input with the rights of the command: its links must not lead to places that it cannot reach. Opening a FIFO must
 * not wait for a writer.
 */
static int open_input(const struct pe_start *start)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY };
	const struct open_how how = {.flags = FLAGS, .resolve = RESOLVE_NO_MAGICLINKS};
	struct stat file;
	int flags, fd = is_confined(start) ? (int)syscall(SYS_openat2, AT_FDCWD, start->input, &how,
							  sizeof(how))
					   : open(start->input, FLAGS);

	if (fd < 0)
		return errno == ENXIO ? PE_PROC_BAD_INPUT : errno; /* a socket */
	flags = fcntl(fd, F_GETFL);
	if (fstat(fd, &file) != 0 || (!S_ISREG(file.st_mode) && !S_ISCHR(file.st_mode)) ||
	    flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
		return PE_PROC_BAD_INPUT;
	return dup2(fd, 0) == 0 ? 0 : errno;
}

static int enter(const struct pe_start *start)
{
	return pe_confine_child(start->confinement, start->flags);
}

static int let_go(const struct pe_start *start)
{
	int error = is_confined(start) ? pe_confine_let_go(start->confinement, start->flags) : 0;

	return error != 0 || *start->input == '\0' ? error : open_input(start);
}

/* Do one step, and add its time to the cost. */
static int prepare(const struct pe_start *start, struct pe_start_cost *cost,
		   int (*step)(const struct pe_start *))
{
	uint64_t wall_ns, cpu_ns;
	int error;

	if (!is_confined(start) && *start->input == '\0')
		return 0;
	wall_ns = clock_ns(CLOCK_MONOTONIC);
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	error = step(start);
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
	error = prepare(start, &out->preparing, enter);
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
	error = prepare(start, &out->preparing, let_go);
	if (error != 0)
		return error;
	/* The command's PATH is searched. The launcher, whose memory this is, reads no variables meanwhile. */
	environ = start->env;
	execvpe(start->argv[0], start->argv, start->env);
	return errno;
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
	started->preparing = copy->preparing;
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
	/* A script without a #! line is given to the shell with a copy of its arguments there. */
	static _Alignas(16) char stack[1 << 20];

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
	static char *nothing[] = {NULL};
	uint32_t sharing;

	if (started->copy != NULL)
		wait_for_copy(started);
	while ((sharing = __atomic_load_n(&started->sharing, __ATOMIC_ACQUIRE)) != 0)
		syscall(SYS_futex, &started->sharing, FUTEX_WAIT, sharing, NULL, NULL, 0);
	environ = nothing;
}
