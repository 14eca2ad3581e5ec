/*
 * The parent's end. A question is answered, or it ends the process: of itself, by a signal from elsewhere, or by
 * ours when its time is up. Time is what the kernel booked on the worker since the question, so that a busy
 * machine reads what an idle one does.
 */
#define _GNU_SOURCE /* ppoll */
#include "analysis/methods/worker.h"

#include "core/base/spawn.h"
#include "analysis/methods/extract.h"
#include "analysis/methods/worker_serve.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* How pe_realloc() ends a process that got no memory. */
enum { STATUS_NO_MEMORY = 128 };

struct pe_worker {
	const volatile sig_atomic_t *interrupts;
	uint64_t limit_us; /* 0: by the file's size */
	pid_t pid;         /* 0: none runs */
	int fd;
	clockid_t clock; /* the processor's time that it had */
	bool asked;      /* it got a question before */
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

struct question {
	struct pe_worker_question head;
	const char *path, *source;
};

struct pe_worker *pe_worker_new(const volatile sig_atomic_t *interrupts)
{
	struct pe_worker *worker = pe_realloc(NULL, 1, sizeof(*worker));

	*worker = (struct pe_worker){.interrupts = interrupts};
	return worker;
}

void pe_worker_limit(struct pe_worker *worker, uint64_t cpu_us)
{
	worker->limit_us = cpu_us;
}

const struct pe_text *pe_worker_packed(const struct pe_worker *worker)
{
	return &worker->packed;
}

pid_t pe_worker_pid(const struct pe_worker *worker)
{
	return worker->pid;
}

/* --- The process --- */

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

struct serving {
	int fd;
	pid_t parent;
};

static void serve(void *payload)
{
	const struct serving *serving = payload;

	pe_worker_serve(serving->fd, serving->parent);
}

static int start(struct pe_worker *worker, struct pe_err *err)
{
	struct serving serving = {.parent = getpid()};
	int ends[2], error, rc;

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
		return rc;
	}
	error = clock_getcpuclockid(worker->pid, &worker->clock);
	if (error != 0) {
		end(worker);
		return pe_fail(err, PE_ESYS, "cannot tell a process's time: %s", strerror(error));
	}
	return PE_OK;
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
	return ENDED;
}

/* --- A question --- */

static uint64_t cpu_micros(const struct pe_worker *worker)
{
	struct timespec now = {0, 0};

	clock_gettime(worker->clock, &now); /* fails once it has ended, which the socket tells */
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static bool is_interrupted(const struct pe_worker *worker)
{
	return worker->interrupts != NULL && *worker->interrupts > 0;
}

/* Wait until it has had its time. On one processor that takes at least as long by any other clock. */
static enum outcome await_answer(const struct pe_worker *worker, uint64_t until_us,
				 const sigset_t *unblocked)
{
	struct pollfd answer = {.fd = worker->fd, .events = POLLIN};
	uint64_t left_us = until_us;

	for (;;) {
		struct timespec wait;
		int n;

		if (is_interrupted(worker))
			return STOPPED;
		left_us = cpu_micros(worker);
		left_us = left_us < until_us ? until_us - left_us : 0;
		wait.tv_sec = (time_t)(left_us / 1000000u);
		wait.tv_nsec = (long)(left_us % 1000000u) * 1000;
		n = ppoll(&answer, 1, &wait, unblocked);
		if (n > 0)
			return ANSWERED;
		if (n == 0 && left_us == 0)
			return RAN_OUT;
	}
}

static bool receive_answer(struct pe_methods *out, struct pe_worker *worker, const char *path,
			   struct pe_arena *arena)
{
	struct pe_text *packed = &worker->packed;
	struct pe_worker_answer answer;
	char buffer[16384];

	if (!pe_worker_receive(worker->fd, &answer, sizeof(answer)))
		return false;
	pe_text_clear(packed);
	for (uint64_t left = answer.packed_bytes; left > 0;) {
		size_t n = left < sizeof(buffer) ? (size_t)left : sizeof(buffer);

		if (!pe_worker_receive(worker->fd, buffer, n))
			return false;
		pe_text_addn(packed, buffer, n);
		left -= n;
	}
	if (pe_methods_unpack(out, path, pe_text_str(packed), packed->len, arena, NULL) != PE_OK)
		return false;
	out->ran_out = answer.ran_out != 0;
	return true;
}

/* Ask, and wait for what comes of it. Signals are let in by ppoll(2) alone: none slips by between look and wait. */
static enum outcome ask(struct pe_methods *out, struct pe_worker *worker,
			const struct question *question, struct pe_arena *arena)
{
	const struct pe_worker_question *head = &question->head;
	uint64_t until_us = cpu_micros(worker) + head->cpu_us;
	/* sendmsg(2) only reads what they point to. */
	struct iovec parts[] = {
		{(void *)head, sizeof(*head)},
		{(void *)question->path, (size_t)head->path_bytes},
		{(void *)question->source, (size_t)head->source_bytes},
	};
	enum outcome outcome;
	sigset_t all, before;

	worker->asked = true;
	if (!pe_worker_send(worker->fd, parts, 3))
		return look_after(worker);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	outcome = await_answer(worker, until_us, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (outcome == ANSWERED && !receive_answer(out, worker, question->path, arena))
		return look_after(worker);
	if (outcome != ANSWERED)
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
		      const struct pe_language *language, const char *path, const char *source,
		      size_t n, struct pe_arena *arena, struct pe_err *err)
{
	const struct question question = {
		{language, worker->limit_us != 0 ? worker->limit_us : pe_extract_limit(n),
		 strlen(path), n},
		path,
		source,
	};

	if (n > PE_EXTRACT_MAX_BYTES)
		return give_up(out, worker, false, arena);
	for (unsigned attempt = 0;; attempt++) {
		int rc = PE_OK;
		bool fresh;

		if (is_interrupted(worker))
			return PE_ESTOPPED;
		if (worker->pid == 0)
			rc = start(worker, err);
		if (rc != PE_OK)
			return rc;
		fresh = !worker->asked;
		switch (ask(out, worker, &question, arena)) {
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
