/*
 * The worker writes the packed methods into a pipe and exits, or is ended: of itself, by a signal from elsewhere, or by
 * SIGPROF when its time is up. Time is what the kernel books on the worker, so that a busy machine reads what an idle one
 * does, and the kernel ends it there, whatever the parser is at.
 */
#define _GNU_SOURCE /* close_range, pipe2 */
#include "analysis/methods/worker.h"

#include "core/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What a file may take at most, of the processor's time; ordinary sources need a fiftieth. No work can be counted in its
 * place: the parser's interface tells how much text it took, and a text that takes it 16 seconds is read no oftener than
 * any other.
 */
#define LIMIT_MICROS           2000000u
#define LIMIT_MICROS_PER_KBYTE 2000u

enum {
	STATUS_NO_MEMORY = 128, /* how pe_realloc() ends a process that got no memory */
	PIPE_FD = 3,            /* the worker's number for its end of the pipe */
	INTERRUPTS_MS = 100,    /* how often Ctrl-C is looked for */
};

/* --- The worker's side --- */

/*
 * Close the parent's descriptors: a lock would outlive the parent, a pipe would not end with it. Messages of the C library
 * or of a sanitizer about a crash are dropped: the parent reports the crash itself.
 */
static void leave_descriptors(int fd)
{
	int nowhere;

	if (fd != PIPE_FD)
		dup2(fd, PIPE_FD);
	if (close_range(PIPE_FD + 1, ~0u, 0) < 0) {
		long most = sysconf(_SC_OPEN_MAX);

		for (int other = PIPE_FD + 1; other < most; other++)
			close(other);
	}
	nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int stream = STDIN_FILENO; nowhere >= 0 && stream <= STDERR_FILENO; stream++)
		dup2(nowhere, stream);
}

/* Let all signals in but the terminal's: Ctrl-C reaches every process of the terminal, and the parent decides. */
static void leave_signals(void)
{
	static const int terminal[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(terminal) / sizeof(*terminal); i++)
		sigaddset(&blocked, terminal[i]);
	signal(SIGPROF, SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* End this process once it had so much of the processor's time. */
static void limit_time(uint64_t micros)
{
	const struct itimerval timer = {
		.it_value = {(time_t)(micros / 1000000u), (suseconds_t)(micros % 1000000u)}};

	setitimer(ITIMER_PROF, &timer, NULL);
}

struct reading {
	const struct pe_source_file *file;
	int fd;
	pid_t parent;
};

/* The worker's life, right after fork(2) with all signals blocked. */
static void read_file(void *payload)
{
	const struct reading *reading = payload;
	const struct pe_source_file *file = reading->file;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_text text = PE_TEXT_INIT;
	struct pe_methods methods;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0); /* a crash that was reckoned with leaves no core file */
	if (getppid() != reading->parent)
		_exit(0);
	leave_signals();
	leave_descriptors(reading->fd);
	limit_time(file->limit_us != 0 ? file->limit_us
				       : LIMIT_MICROS + file->n / 1024 * LIMIT_MICROS_PER_KBYTE);
	pe_extract(&methods, file, &arena);
	pe_methods_pack(&text, &methods);
	/* Nothing of the parent's is to be flushed a second time. */
	_exit(pe_text_write_fd(&text, PIPE_FD) == 0 ? 0 : 1);
}

/* --- The parent's side --- */

static bool is_interrupted(const volatile sig_atomic_t *interrupts)
{
	return interrupts != NULL && *interrupts > 0;
}

/* Everything that the worker writes, until it ends. False: the user asked to stop. */
static bool receive(struct pe_text *out, int fd, const volatile sig_atomic_t *interrupts)
{
	struct pollfd answer = {.fd = fd, .events = POLLIN};
	char buffer[16384];
	ssize_t n = 1;

	while (n != 0 && !is_interrupted(interrupts)) {
		if (poll(&answer, 1, INTERRUPTS_MS) <= 0)
			continue;
		n = read(fd, buffer, sizeof(buffer));
		if (n > 0)
			pe_text_addn(out, buffer, (size_t)n);
		else if (n < 0 && errno != EINTR)
			return true;
	}
	return n == 0;
}

/* Run a worker. @param status  how it ended; SIGKILL after Ctrl-C */
static int run(int *status, struct pe_text *packed, const struct pe_source_file *file,
	       const volatile sig_atomic_t *interrupts, struct pe_err *err)
{
	struct reading reading = {.file = file, .parent = getpid()};
	bool received = false;
	pid_t pid;
	int ends[2], rc;

	pe_text_clear(packed);
	if (is_interrupted(interrupts))
		return PE_ESTOPPED;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return pe_fail_errno(err, "cannot open a pipe for reading sources");
	reading.fd = ends[1];
	rc = pe_spawn_fork(&pid, read_file, &reading, err);
	close(ends[1]);
	if (rc == PE_OK) {
		received = receive(packed, ends[0], interrupts);
		if (!received)
			kill(pid, SIGKILL);
		*status = pe_spawn_wait(pid);
	}
	close(ends[0]);
	return rc != PE_OK || received ? rc : PE_ESTOPPED;
}

/* Whether a worker was ended from outside, or for want of memory: not by the file alone. */
static bool is_ended(int status)
{
	static const int own[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};

	if (WIFEXITED(status))
		return WEXITSTATUS(status) == STATUS_NO_MEMORY;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (WTERMSIG(status) == own[i])
			return false;
	return true;
}

int pe_worker_extract(struct pe_methods *out, struct pe_text *packed,
		      const struct pe_source_file *file, const volatile sig_atomic_t *interrupts,
		      struct pe_arena *arena, struct pe_err *err)
{
	int status = 0;

	if (file->n <= PE_EXTRACT_MAX_BYTES) {
		PE_TRY(run(&status, packed, file, interrupts, err));
		if (status == 0 && pe_methods_unpack(out, file->path, pe_text_str(packed),
						     packed->len, arena, NULL) == PE_OK)
			return PE_OK;
	}
	*out = (struct pe_methods){
		.at = pe_arena_new(arena, struct pe_method, 0),
		.unread = 1,
		.ran_out = is_ended(status),
	};
	pe_text_clear(packed);
	pe_methods_pack(packed, out);
	return PE_OK;
}
