/* The worker's own end: read a question, extract, answer; until the parent hangs up. */
#define _GNU_SOURCE /* close_range */
#include "analysis/methods/worker_serve.h"

#include "analysis/methods/extract.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The worker's number for its end of the socket. */
#define SOCKET_FD 3

bool pe_worker_send(int fd, struct iovec *parts, size_t n)
{
	while (n > 0) {
		struct msghdr message = {.msg_iov = parts, .msg_iovlen = n};
		ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return false;
		for (; n > 0 && (size_t)sent >= parts->iov_len; parts++, n--)
			sent -= (ssize_t)parts->iov_len;
		if (n > 0) {
			parts->iov_base = (char *)parts->iov_base + sent;
			parts->iov_len -= (size_t)sent;
		}
	}
	return true;
}

bool pe_worker_receive(int fd, void *bytes, size_t n)
{
	char *at = bytes;

	while (n > 0) {
		ssize_t got = recv(fd, at, n, MSG_WAITALL);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

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

/* Ignore the terminal's signals: Ctrl-C reaches every process of the terminal, and the parent decides. */
static void leave_signals(void)
{
	static const int terminal[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t none;

	sigemptyset(&ignore.sa_mask);
	for (size_t i = 0; i < sizeof(terminal) / sizeof(*terminal); i++)
		sigaction(terminal[i], &ignore, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What serves all questions. */
struct service {
	struct pe_extractor *extractor;
	struct pe_text packed;
	char *text; /* path and source, each with its terminator */
	size_t text_bytes;
};

static bool receive_text(struct service *service, const struct pe_worker_question *question)
{
	size_t path = (size_t)question->path_bytes, source = (size_t)question->source_bytes;

	if (path > SIZE_MAX / 4 || source > SIZE_MAX / 4)
		return false;
	if (service->text == NULL || path + source + 2 > service->text_bytes) {
		service->text_bytes = path + source + 2;
		service->text = pe_realloc(service->text, service->text_bytes, 1);
	}
	service->text[path] = service->text[path + 1 + source] = '\0';
	return pe_worker_receive(SOCKET_FD, service->text, path) &&
	       pe_worker_receive(SOCKET_FD, service->text + path + 1, source);
}

/* One question and its answer. False: there are no more. */
static bool serve_one(struct service *service)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_worker_question question;
	struct pe_worker_answer answer;
	struct pe_methods methods;
	struct iovec parts[2];

	if (!pe_worker_receive(SOCKET_FD, &question, sizeof(question)) ||
	    !receive_text(service, &question))
		return false;
	pe_extractor_limit(service->extractor, question.cpu_us);
	pe_extract(&methods, service->extractor, question.language, service->text,
		   service->text + question.path_bytes + 1, (size_t)question.source_bytes, &arena);
	pe_text_clear(&service->packed);
	pe_methods_pack(&service->packed, &methods);
	answer = (struct pe_worker_answer){service->packed.len, methods.ran_out};
	parts[0] = (struct iovec){&answer, sizeof(answer)};
	parts[1] = (struct iovec){service->packed.data, service->packed.len};
	return pe_worker_send(SOCKET_FD, parts, 2);
}

_Noreturn void pe_worker_serve(int fd, pid_t parent)
{
	struct service service = {.packed = PE_TEXT_INIT};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0); /* a crash that was reckoned with leaves no core file */
	if (getppid() != parent)
		_exit(0);
	leave_signals();
	leave_descriptors(fd);
	service.extractor = pe_extractor_new();
	while (serve_one(&service))
		;
	_exit(0); /* nothing of the parent's is to be flushed a second time */
}
