/*
 * fork(2) rather than posix_spawn(3), which can neither change the folder nor follow its parent, in POSIX 2008. That a
 * program cannot be executed comes back through a pipe that a successful execve(2) closes.
 */
#define _GNU_SOURCE /* execvpe, pipe2 */
#include "core/base/spawn.h"

#include "core/base/clock.h"
#include "core/base/files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ABOVE_NAMED = 10, N_NAMED = 4, MOST_SIGNALS = 32 };

/* Our handlers would count a signal and lose it. What the caller's caller ignores (nohup) stays ignored. */
static void leave_handlers(void)
{
	for (int number = 1; number < MOST_SIGNALS; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			signal(number, SIG_DFL);
	}
	signal(SIGPIPE, SIG_DFL);
}

int pe_spawn_fork(pid_t *pid, void (*body)(void *payload), void *payload, struct pe_err *err)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	*pid = fork();
	error = errno;
	if (*pid == 0) {
		leave_handlers();
		body(payload);
		_exit(127);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return *pid > 0 ? PE_OK : pe_fail_errno(err, "cannot start a process");
}

struct start {
	const struct pe_spawn *spawn;
	pid_t parent;
	int report; /* descriptor for errno; -1: none */
};

static void close_others(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0u) < 0)
		for (unsigned fd = first; fd < 1024; fd++)
			close((int)fd);
}

/* Out of the way first: one stream may stand where another one belongs. */
static bool take_streams(const struct pe_spawn *spawn)
{
	const int named[N_NAMED] = {spawn->in, spawn->out, spawn->err, spawn->hand};
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	int lifted[N_NAMED];

	for (int i = 0; i < N_NAMED; i++) {
		lifted[i] = fcntl(named[i] >= 0 ? named[i] : nothing, F_DUPFD_CLOEXEC, ABOVE_NAMED);
		/* A stream that is closed here is closed there. */
		if (lifted[i] < 0 && named[i] != i)
			return false;
	}
	for (int i = 0; i < N_NAMED; i++)
		if ((i != PE_SPAWN_HAND || spawn->hand >= 0) && lifted[i] >= 0 &&
		    dup2(lifted[i], i) < 0)
			return false;
	return true;
}

static bool follow(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

/* SIGXFSZ would end it without a word, and with its files left behind. */
static void limit_files(uint64_t bytes)
{
	struct rlimit limit;

	if (bytes == 0 || getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes)
		limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_IGN);
}

/* In the child: only calls that are safe between fork and execve, up to a body. */
static void become(void *payload)
{
	const struct start *start = payload;
	const struct pe_spawn *spawn = start->spawn;
	const char *program = spawn->program != NULL ? spawn->program : spawn->argv[0];
	int report = start->report >= 0 ? fcntl(start->report, F_DUPFD_CLOEXEC, ABOVE_NAMED) : -1;
	sigset_t none;

	sigemptyset(&none);
	if (spawn->body == NULL)
		sigprocmask(SIG_SETMASK, &none, NULL);
	if ((spawn->flags & PE_SPAWN_FOLLOW) != 0 && !follow(start->parent))
		_exit(127);
	if ((spawn->flags & PE_SPAWN_DETACHED) != 0)
		setsid();
	limit_files(spawn->file_bytes);
	if ((spawn->dir == NULL || chdir(spawn->dir) == 0) && take_streams(spawn)) {
		if ((spawn->flags & PE_SPAWN_DETACHED) != 0 || spawn->body != NULL)
			close_others(PE_SPAWN_HAND + (spawn->hand >= 0));
		if (spawn->body != NULL) {
			spawn->body(spawn->payload);
			_exit(127);
		}
		for (int n = 1;
		     (spawn->flags & (PE_SPAWN_DETACHED | PE_SPAWN_PLAIN)) != 0 && n < MOST_SIGNALS;
		     n++)
			signal(n, SIG_DFL);
		execvpe(program, (char *const *)spawn->argv,
			spawn->env != NULL ? (char *const *)spawn->env : environ);
	}
	if (write(report, &errno, sizeof(errno)) < 0)
		_exit(126);
}

int pe_spawn_start(pid_t *pid, const struct pe_spawn *spawn, struct pe_err *err)
{
	struct start start = {.spawn = spawn, .parent = getpid(), .report = -1};
	int ends[2], error = 0, rc;
	ssize_t n;

	if ((spawn->flags & PE_SPAWN_DETACHED) != 0)
		return pe_spawn_fork(pid, become, &start, err);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return pe_fail_errno(err, "cannot start %s", spawn->argv[0]);
	start.report = ends[1];
	rc = pe_spawn_fork(pid, become, &start, err);
	close(ends[1]);
	do {
		n = rc == PE_OK ? read(ends[0], &error, sizeof(error)) : 0;
	} while (n < 0 && errno == EINTR);
	close(ends[0]);
	if (n == (ssize_t)sizeof(error)) {
		pe_spawn_wait(*pid);
		errno = error;
		pe_fail_errno(err, "cannot start %s", spawn->argv[0]);
		rc = error == ENOENT ? PE_ENOTFOUND : PE_ESYS;
	}
	return rc;
}

int pe_spawn_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

bool pe_spawn_succeeded(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void take(int *from, const struct pe_spawn_io *io)
{
	char bytes[4096];
	ssize_t n = read(*from, bytes, sizeof(bytes));
	size_t room;

	assert(io->output != NULL); /* else there is no pipe */
	room = io->output_bytes != 0 ? io->output_bytes - io->output->len : SIZE_MAX;
	if (n > 0)
		pe_text_addn(io->output, bytes, (size_t)n < room ? (size_t)n : room);
	else if (n == 0 || errno != EINTR)
		shut(from);
}

static bool is_interrupted(const struct pe_spawn_io *io)
{
	return io->interrupts != NULL && *io->interrupts > 0;
}

/* @return  false: the time is over, or Ctrl-C was pressed */
static bool listen_to(pid_t pid, int *status, int *from, const struct pe_spawn_io *io)
{
	const bool looks_up = io->timeout_ns != 0 || io->interrupts != NULL;
	const uint64_t begun_ns = pe_clock_ns();

	while (*from >= 0 || io->timeout_ns != 0) {
		struct pollfd end = {.fd = *from, .events = POLLIN};

		if (*from < 0 && waitpid(pid, status, WNOHANG) == pid)
			return true;
		if (is_interrupted(io))
			return false;
		if (io->timeout_ns != 0 && pe_clock_ns() - begun_ns > io->timeout_ns)
			return false;
		if (poll(&end, 1, looks_up ? 20 : -1) > 0)
			take(from, io);
	}
	*status = pe_spawn_wait(pid);
	return true;
}

int pe_spawn_run(int *status, const struct pe_spawn *spawn, const struct pe_spawn_io *io,
		 struct pe_err *err)
{
	struct pe_spawn child = *spawn;
	pe_auto_fd in = io->input != NULL ? pe_files_open_memory(io->input, io->n_input) : -1;
	int out[2] = {-1, -1}, rc;
	pid_t pid = -1;

	if (io->input != NULL && in < 0)
		return pe_fail_errno(err, "cannot make a file in memory");
	if (io->output != NULL && pipe2(out, O_CLOEXEC) < 0)
		return pe_fail_errno(err, "cannot open a pipe");
	child.in = io->input != NULL ? in : spawn->in;
	child.out = io->output != NULL ? out[1] : spawn->out;
	rc = pe_spawn_start(&pid, &child, err);
	shut(&out[1]);
	if (rc == PE_OK && !listen_to(pid, status, &out[0], io)) {
		kill(pid, SIGKILL);
		*status = pe_spawn_wait(pid);
		rc = is_interrupted(io) ? PE_ESTOPPED
					: pe_fail(err, PE_ESYS, "%s took more than %.3g s",
						  spawn->argv[0], (double)io->timeout_ns / 1e9);
	}
	shut(&out[0]);
	return rc;
}
