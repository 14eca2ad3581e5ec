/*
 * A question is answered, or it ends the process: of itself, by a signal from elsewhere, or by SIGPROF when its time is up.
 * Time is what the kernel books on the worker since the question, so that a busy machine reads what an idle one does, and
 * the kernel ends it there, whatever the parser is at.
 *
 * A question is a length and a struct pe_source_file, path and text behind it; an answer is a length and the packed methods.
 * Both ends are one program, so that a language's address means the same to both. Handled signals are
 * blocked on both ends, so that no send(2) or recv(2) is cut short.
 */
#define _GNU_SOURCE /* close_range, ppoll */
#include "analysis/methods/worker.h"

#include "core/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
	SOCKET_FD = 3,          /* the worker's number for its end of the socket */
};

struct pe_worker {
	const volatile sig_atomic_t *interrupts;
	pid_t pid; /* 0: none runs */
	int fd;
	bool asked; /* it got a question before */
	struct pe_text packed;
};

/* The result of a request. */
enum outcome {
	ANSWERED,
	CRASHED,
	ENDED, /* from outside, or for want of memory: not by the file alone */
	RAN_OUT,
	STOPPED, /* the user asked to */
};

static bool send_all(int fd, const struct pe_text *text)
{
	return send(fd, text->data, text->len, MSG_NOSIGNAL) == (ssize_t)text->len;
}

/* False: the other end is gone. */
static bool receive(int fd, void *out, size_t n)
{
	return recv(fd, out, n, MSG_WAITALL) == (ssize_t)n;
}

/* --- The worker's side --- */

/*
 * Close the parent's descriptors: a lock would outlive the parent, a pipe would not end with it. Messages of the C library
 * or of a sanitizer about a crash are dropped: the parent reports the crash itself.
 */
static void leave_descriptors(int fd)
{
	int nowhere;

	if (fd != SOCKET_FD)
		dup2(fd, SOCKET_FD);
	if (close_range(SOCKET_FD + 1, ~0u, 0) < 0) {
		long most = sysconf(_SC_OPEN_MAX);

		for (int other = SOCKET_FD + 1; other < most; other++)
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

/* End this process once it had so much time; 0: never. */
static void limit_time(uint64_t micros)
{
	const struct itimerval timer = {
		.it_value = {(time_t)(micros / 1000000u), (suseconds_t)(micros % 1000000u)}};

	setitimer(ITIMER_PROF, &timer, NULL);
}

/* One question and its answer. False: there are no more. */
static bool serve_one(struct pe_text *text)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_source_file file;
	struct pe_methods methods;
	char *question;
	size_t n, n_packed = 0;

	if (!receive(SOCKET_FD, &n, sizeof(n)))
		return false;
	question = pe_arena_alloc(&arena, n, sizeof(void *));
	if (!receive(SOCKET_FD, question, n))
		return false;
	memcpy(&file, question, sizeof(file));
	file.path = question + sizeof(file);
	file.text = file.path + strlen(file.path) + 1;
	limit_time(file.limit_us != 0 ? file.limit_us
				      : LIMIT_MICROS + file.n / 1024 * LIMIT_MICROS_PER_KBYTE);
	pe_extract(&methods, &file, &arena);
	pe_text_clear(text);
	pe_text_addn(text, (const char *)&n_packed, sizeof(n_packed));
	pe_methods_pack(text, &methods);
	limit_time(0);
	n_packed = text->len - sizeof(n_packed);
	memcpy(text->data, &n_packed, sizeof(n_packed));
	return send_all(SOCKET_FD, text);
}

struct serving {
	int fd;
	pid_t parent;
};

/* The worker's life, right after fork(2) with all signals blocked. */
static void serve(void *payload)
{
	const struct serving *serving = payload;
	struct pe_text text = PE_TEXT_INIT;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0); /* a crash that was reckoned with leaves no core file */
	if (getppid() != serving->parent)
		_exit(0);
	leave_signals();
	leave_descriptors(serving->fd);
	while (serve_one(&text))
		;
	_exit(0); /* nothing of the parent's is to be flushed a second time */
}

/* --- The process --- */

struct pe_worker *pe_worker_new(const volatile sig_atomic_t *interrupts)
{
	struct pe_worker *worker = pe_realloc(NULL, 1, sizeof(*worker));

	*worker = (struct pe_worker){.interrupts = interrupts};
	return worker;
}

const struct pe_text *pe_worker_packed(const struct pe_worker *worker)
{
	return &worker->packed;
}

pid_t pe_worker_pid(const struct pe_worker *worker)
{
	return worker->pid;
}

/* End the process and return how it ended; a signal does not change one that had ended before. */
static int end(struct pe_worker *worker)
{
	int status;

	kill(worker->pid, SIGKILL);
	status = pe_spawn_wait(worker->pid);
	close(worker->fd);
	worker->pid = 0;
	return status;
}

static int start(struct pe_worker *worker, struct pe_err *err)
{
	struct serving serving = {.parent = getpid()};
	int ends[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return pe_fail_errno(err, "cannot open a socket for reading sources");
	serving.fd = ends[1];
	rc = pe_spawn_fork(&worker->pid, serve, &serving, err);
	close(ends[1]);
	worker->fd = ends[0];
	worker->asked = false;
	if (rc != PE_OK) {
		worker->pid = 0;
		close(worker->fd);
	}
	return rc;
}

void pe_worker_free(struct pe_worker *worker)
{
	if (worker == NULL)
		return;
	if (worker->pid != 0)
		end(worker);
	pe_text_release(&worker->packed);
	free(worker);
}

/* The process hung up: whether that was its own doing. */
static enum outcome look_after(struct pe_worker *worker)
{
	static const int own[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	const int status = end(worker);

	if (WIFEXITED(status))
		return WEXITSTATUS(status) == STATUS_NO_MEMORY ? ENDED : CRASHED;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (WTERMSIG(status) == own[i])
			return CRASHED;
	return WTERMSIG(status) == SIGPROF ? RAN_OUT : ENDED;
}

/* --- A question --- */

static bool is_interrupted(const struct pe_worker *worker)
{
	return worker->interrupts != NULL && *worker->interrupts > 0;
}

/* Signals are let in by ppoll(2) alone: none slips by between look and wait. */
static enum outcome await_answer(const struct pe_worker *worker, const sigset_t *unblocked)
{
	struct pollfd answer = {.fd = worker->fd, .events = POLLIN};

	while (!is_interrupted(worker))
		if (ppoll(&answer, 1, NULL, unblocked) > 0)
			return ANSWERED;
	return STOPPED;
}

static bool send_question(const struct pe_worker *worker, const struct pe_source_file *file)
{
	const size_t path_bytes = strlen(file->path) + 1, n = sizeof(*file) + path_bytes + file->n;
	pe_auto_text question = PE_TEXT_INIT;

	pe_text_addn(&question, (const char *)&n, sizeof(n));
	pe_text_addn(&question, (const char *)file, sizeof(*file));
	pe_text_addn(&question, file->path, path_bytes);
	pe_text_addn(&question, file->text, file->n);
	return send_all(worker->fd, &question);
}

/* A length that a dying process made up is not believed: memory grows with what arrives. */
static bool receive_answer(struct pe_methods *out, struct pe_worker *worker, const char *path,
			   struct pe_arena *arena)
{
	char buffer[16384];
	size_t n_packed;

	if (!receive(worker->fd, &n_packed, sizeof(n_packed)))
		return false;
	pe_text_clear(&worker->packed);
	for (size_t left = n_packed, n; left > 0; left -= n) {
		n = left < sizeof(buffer) ? left : sizeof(buffer);
		if (!receive(worker->fd, buffer, n))
			return false;
		pe_text_addn(&worker->packed, buffer, n);
	}
	return pe_methods_unpack(out, path, pe_text_str(&worker->packed), worker->packed.len, arena,
				 NULL) == PE_OK;
}

static enum outcome ask(struct pe_methods *out, struct pe_worker *worker,
			const struct pe_source_file *file, struct pe_arena *arena)
{
	enum outcome outcome = CRASHED;
	sigset_t all, before;

	worker->asked = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (send_question(worker, file))
		outcome = await_answer(worker, &before);
	if (outcome == ANSWERED && !receive_answer(out, worker, file->path, arena))
		outcome = CRASHED;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (outcome == CRASHED)
		return look_after(worker);
	if (outcome == STOPPED)
		end(worker);
	return outcome;
}

/* Give a file up. */
static int give_up(struct pe_methods *out, struct pe_worker *worker, bool ran_out,
		   struct pe_arena *arena)
{
	*out = (struct pe_methods){
		.at = pe_arena_new(arena, struct pe_method, 0),
		.unread = 1,
		.ran_out = ran_out,
	};
	pe_text_clear(&worker->packed);
	pe_methods_pack(&worker->packed, out);
	return PE_OK;
}

int pe_worker_extract(struct pe_methods *out, struct pe_worker *worker,
		      const struct pe_source_file *file, struct pe_arena *arena, struct pe_err *err)
{
	if (file->n > PE_EXTRACT_MAX_BYTES)
		return give_up(out, worker, false, arena);
	for (unsigned attempt = 0;; attempt++) {
		bool fresh;

		if (is_interrupted(worker))
			return PE_ESTOPPED;
		if (worker->pid == 0)
			PE_TRY(start(worker, err));
		fresh = !worker->asked;
		switch (ask(out, worker, file, arena)) {
		case ANSWERED:
			return PE_OK;
		case STOPPED:
			return PE_ESTOPPED;
		case RAN_OUT:
			return give_up(out, worker, true, arena);
		case CRASHED: /* else an earlier file may have left the memory corrupt */
			if (fresh)
				return give_up(out, worker, false, arena);
			break;
		case ENDED:
			if (attempt > 0)
				return give_up(out, worker, true, arena);
			break;
		}
	}
}
