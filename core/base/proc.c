/*
 * The near end of probe/formats/launch.h: one message out, one message back, and in between a wait that Ctrl-C may
 * interrupt.
 *
 * The wait is bounded. A command runs as the same user as the launcher and may stop it (SIGSTOP); so every few seconds the
 * launcher's state is checked. A launcher that runs and does not answer is given a minute after the timeout: until then it
 * may be busy with ending processes.
 */
#define _GNU_SOURCE /* ppoll, sigabbrev_np */
#include "core/base/proc.h"

#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/place.h"
#include "core/base/spawn.h"
#include "core/base/text.h"
#include "probe/formats/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

static const uint64_t LOOK_NS = 4 * NS_PER_S, GRACE_NS = 60 * NS_PER_S, HELLO_NS = 10 * NS_PER_S;

struct pe_launcher {
	int socket; /* -1 once the launcher is gone */
	pid_t pid;
	struct pe_arena arena;
	const char *path; /* of the program; in the arena */
	bool counts_instructions;
	uint64_t run;
	struct pe_text request;
	/* The messages that bound and confined it; empty: none did. */
	struct pe_text limit, confinement;
};

static const char *const launcher_dirs[] = {".", "../launcher", "../../launcher",
					    "../libexec/perfevo", NULL};

/* One packet, with open files. */
static ssize_t send_packet(int fd, const char *bytes, size_t n, const int *files, size_t n_files)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(PE_WIRE_FILES * sizeof(int))];
	} control = {0};
	struct iovec from = {.iov_base = (char *)(size_t)bytes, .iov_len = n};
	struct msghdr message = {.msg_iov = &from, .msg_iovlen = 1};
	struct cmsghdr *head;

	if (n_files > 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(n_files * sizeof(*files));
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(n_files * sizeof(*files));
		memcpy(CMSG_DATA(head), files, n_files * sizeof(*files));
	}
	return sendmsg(fd, &message, MSG_NOSIGNAL);
}

/* A message with its head, in packets; the first one brings the files. */
static bool send_message(int fd, const char *bytes, size_t n, const int *files, size_t n_files)
{
	size_t most = sizeof(struct pe_wire_head) + PE_WIRE_PACKET;

	while (n > 0) {
		ssize_t sent = send_packet(fd, bytes, n < most ? n : most, files, n_files);

		if (sent < 0 && errno == EINTR)
			continue;
		n_files = 0;
		if (sent <= 0)
			return false;
		bytes += sent;
		n -= (size_t)sent;
		most = PE_WIRE_PACKET;
	}
	return true;
}

/* An answer of the launcher, always one packet. */
struct answer {
	struct pe_wire_head head;
	union {
		struct pe_wire_hello hello;
		struct pe_proc_result result;
		struct pe_wire_refused refused;
		struct pe_wire_confined confined;
		struct pe_wire_limited limited;
	};
};

/* Whether a whole message came, of that kind and with that payload. */
static bool answer_is(const struct answer *answer, size_t n, enum pe_wire_kind kind, size_t length)
{
	return n == offsetof(struct answer, hello) + length && answer->head.kind == kind &&
	       answer->head.length == length;
}

/* The size of the packet; 0 when the launcher is gone. */
static size_t receive_answer(int fd, struct answer *answer)
{
	ssize_t got;

	do {
		got = recv(fd, answer, sizeof(*answer), 0);
	} while (got < 0 && errno == EINTR);
	return got > 0 ? (size_t)got : 0;
}

/* The state letter of a process (proc(5)); '\0': it is gone. */
static char state_of(pid_t pid)
{
	char path[32], line[512];
	const char *rest;
	ssize_t n;
	pe_auto_fd fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, line, sizeof(line) - 1) : 0;
	line[n > 0 ? n : 0] = '\0';
	rest = strrchr(line, ')');
	return rest != NULL && rest[1] == ' ' ? rest[2] : '\0';
}

/* End a launcher with all its processes: a fresh launcher does it. */
static void end_family(const struct pe_launcher *launcher)
{
	char number[16];
	const char *const env[] = {NULL};
	const char *argv[] = {"perfevo-launch", "--end", number, NULL};
	const struct pe_spawn spawn = {PE_SPAWN_INIT, .program = launcher->path, .argv = argv,
				       .env = env, .flags = PE_SPAWN_PLAIN};
	const struct pe_spawn_io io = {.timeout_ns = GRACE_NS};
	int status;

	snprintf(number, sizeof(number), "%d", (int)launcher->pid);
	if (pe_spawn_run(&status, &spawn, &io, NULL) != PE_OK || !pe_spawn_succeeded(status))
		kill(launcher->pid, SIGKILL);
}

/* The end of a launcher whose socket is closed, as of waitpid(2); one that cannot go on is ended. */
static int wait_for_end(const struct pe_launcher *launcher)
{
	uint64_t give_up = pe_clock_ns() + GRACE_NS;
	int status = 0, ms = 1;
	pid_t ended;

	while ((ended = waitpid(launcher->pid, &status, WNOHANG)) == 0 ||
	       (ended < 0 && errno == EINTR)) {
		if (state_of(launcher->pid) == 'T' || pe_clock_ns() > give_up) {
			end_family(launcher);
			return pe_spawn_wait(launcher->pid);
		}
		poll(NULL, 0, ms);
		ms = ms < 50 ? 2 * ms : 100;
	}
	return status;
}

/* The handle stays, and every later run fails; how the launcher ended is part of the sentence. */
static int launcher_gone(struct pe_launcher *launcher, struct pe_err *err)
{
	int status;

	if (launcher->socket < 0)
		return pe_fail(err, PE_ESYS, "the launcher has exited; run the command again");
	close(launcher->socket);
	launcher->socket = -1;
	status = wait_for_end(launcher);
	if (WIFSIGNALED(status))
		return pe_fail(err, PE_ESYS, "the launcher was killed by signal %d",
			       WTERMSIG(status));
	return pe_fail(err, PE_ESYS, "the launcher exited with status %d; run the command again",
		       WEXITSTATUS(status));
}

static int greet(struct pe_launcher *launcher, const char *path, struct pe_err *err)
{
	struct answer answer;
	struct pollfd hello = {.fd = launcher->socket, .events = POLLIN};
	size_t n;
	int rc;

	do {
		rc = poll(&hello, 1, (int)(HELLO_NS / 1000000));
	} while (rc < 0 && errno == EINTR);
	if (rc == 0)
		kill(launcher->pid, SIGKILL);
	n = receive_answer(launcher->socket, &answer);
	if (!answer_is(&answer, n, PE_WIRE_HELLO, sizeof(answer.hello))) {
		rc = launcher_gone(launcher, err);
		pe_err_context(err, "%s does not answer as a launcher", path);
		return rc;
	}
	if (answer.hello.version != PE_WIRE_VERSION ||
	    answer.hello.run_size != sizeof(struct pe_wire_run) ||
	    answer.hello.result_size != sizeof(struct pe_proc_result))
		return pe_fail(err, PE_EUNSUPPORTED, "%s belongs to another version of perfevo",
			       path);
	launcher->counts_instructions = answer.hello.counts_instructions != 0;
	return PE_OK;
}

/* Start the program of a handle, and greet it. */
static int launch(struct pe_launcher *launcher, struct pe_err *err)
{
	/* The launcher needs no environment, and without one it can pass none to a command by accident. */
	const char *const env[] = {NULL}, *const argv[] = {"perfevo-launch", "3", NULL};
	struct pe_spawn spawn = {PE_SPAWN_INIT, .program = launcher->path, .argv = argv, .env = env,
				 .flags = PE_SPAWN_PLAIN};
	const struct timeval patience = {.tv_sec = (time_t)(GRACE_NS / NS_PER_S)};
	int pair[2];
	int rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return pe_fail_errno(err, "cannot open a socket for the launcher");
	/* A launcher that was stopped reads nothing: what has no room in the socket fails in the end. */
	setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	spawn.hand = pair[1];
	rc = pe_spawn_start(&launcher->pid, &spawn, err);
	close(pair[1]);
	if (rc != PE_OK) {
		close(pair[0]);
		return rc;
	}
	launcher->socket = pair[0];
	return greet(launcher, launcher->path, err);
}

int pe_launcher_open(struct pe_launcher **out, const char *path, struct pe_err *err)
{
	struct pe_launcher *launcher = pe_realloc(NULL, 1, sizeof(*launcher));
	int rc = PE_ENOTFOUND;

	*out = NULL;
	*launcher = (struct pe_launcher){.socket = -1, .arena = PE_ARENA_INIT};
	launcher->path = path != NULL ? pe_arena_strdup(&launcher->arena, path)
				      : pe_place_find("perfevo-launch", "PERFEVO_LAUNCH",
						      launcher_dirs, &launcher->arena, err);
	if (launcher->path != NULL)
		rc = launch(launcher, err);
	if (rc == PE_OK)
		*out = launcher;
	else
		pe_launcher_close(launcher);
	return rc;
}

void pe_launcher_close(struct pe_launcher *launcher)
{
	if (launcher == NULL)
		return;
	if (launcher->socket >= 0)
		launcher_gone(launcher, NULL);
	pe_text_release(&launcher->request);
	pe_text_release(&launcher->limit);
	pe_text_release(&launcher->confinement);
	pe_arena_release(&launcher->arena);
	free(launcher);
}

bool pe_launcher_counts_instructions(const struct pe_launcher *launcher)
{
	return launcher->counts_instructions;
}

static void add_string(struct pe_text *text, const char *string)
{
	pe_text_addn(text, string, strlen(string) + 1);
}

/* Begin a message; end_message() puts its length in. */
static void begin_message(struct pe_text *text, enum pe_wire_kind kind, uint64_t run,
			  const void *body, size_t n)
{
	const struct pe_wire_head head = {.kind = kind, .run = run};

	pe_text_clear(text);
	pe_text_addn(text, (const char *)&head, sizeof(head));
	pe_text_addn(text, body, n);
}

static void end_message(struct pe_text *text)
{
	uint32_t length = (uint32_t)(text->len - sizeof(struct pe_wire_head));

	memcpy(text->data + offsetof(struct pe_wire_head, length), &length, sizeof(length));
}

/* Send one message and receive the answer. */
static int ask(struct answer *answer, struct pe_launcher *launcher, const struct pe_text *text,
	       enum pe_wire_kind kind, size_t length, struct pe_err *err)
{
	size_t n;

	if (!send_message(launcher->socket, text->data, text->len, NULL, 0))
		return launcher_gone(launcher, err);
	n = receive_answer(launcher->socket, answer);
	return answer_is(answer, n, kind, length) ? PE_OK : launcher_gone(launcher, err);
}

static int limit(struct pe_wire_limited *out, struct pe_launcher *launcher, struct pe_err *err)
{
	struct answer answer;

	PE_TRY(ask(&answer, launcher, &launcher->limit, PE_WIRE_LIMITED, sizeof(answer.limited),
		   err));
	*out = answer.limited;
	out->what[sizeof(out->what) - 1] = '\0';
	return PE_OK;
}

int pe_launcher_limit(struct pe_wire_limited *out, struct pe_launcher *launcher,
		      const struct pe_wire_limit *body, const char *group, struct pe_err *err)
{
	begin_message(&launcher->limit, PE_WIRE_LIMIT, 0, body, sizeof(*body));
	add_string(&launcher->limit, group != NULL ? group : "");
	end_message(&launcher->limit);
	return limit(out, launcher, err);
}

static int confine(struct pe_launcher *launcher, struct pe_err *err)
{
	struct answer answer = {0};

	PE_TRY(ask(&answer, launcher, &launcher->confinement, PE_WIRE_CONFINED,
		   sizeof(answer.confined), err));
	launcher->counts_instructions = answer.confined.counts_instructions != 0;
	if (answer.confined.error == 0)
		return PE_OK;
	answer.confined.what[sizeof(answer.confined.what) - 1] = '\0';
	return pe_fail(err, PE_EUNSUPPORTED, "%s: %s", answer.confined.what,
		       strerror(answer.confined.error));
}

int pe_launcher_confine(struct pe_launcher *launcher, const struct pe_confine_spec *spec,
			struct pe_err *err)
{
	struct pe_text *text = &launcher->confinement;
	struct pe_wire_confine body = {.file_bytes = spec->file_bytes,
				       .processes = spec->processes,
				       .n = (uint32_t)spec->n,
				       .flags = (spec->offline ? PE_CONFINE_OFFLINE : 0u) |
						(spec->by_landlock ? PE_CONFINE_LANDLOCK : 0u)};
	int rc;

	begin_message(text, PE_WIRE_CONFINE, 0, &body, sizeof(body));
	add_string(text, spec->root);
	for (size_t i = 0; i < spec->n; i++) {
		pe_text_addc(text, (char)spec->places[i].kind);
		add_string(text, spec->places[i].path);
		add_string(text, spec->places[i].target != NULL ? spec->places[i].target : "");
	}
	end_message(text);
	rc = confine(launcher, err);
	if (rc != PE_OK)
		pe_text_clear(text);
	return rc;
}

static uint32_t add_strings(struct pe_text *text, const char *const *strings)
{
	uint32_t n = 0;

	for (; strings[n] != NULL; n++)
		add_string(text, strings[n]);
	return n;
}

static uint32_t outputs_of(const struct pe_proc_spec *spec)
{
	bool one = spec->stderr_fd != 0 && spec->stderr_fd == spec->stdout_fd;

	return (spec->stdout_fd != 0 ? PE_WIRE_STDOUT : 0u) |
	       (spec->jobs != NULL ? PE_WIRE_JOBS : 0u) |
	       (one                    ? PE_WIRE_ONE_STREAM
		: spec->stderr_fd != 0 ? PE_WIRE_STDERR
				       : 0u);
}

static bool send_run(const struct pe_launcher *launcher, const struct pe_proc_spec *spec)
{
	uint32_t outputs = outputs_of(spec);
	size_t n = 0;
	int files[PE_WIRE_FILES];

	if ((outputs & PE_WIRE_STDOUT) != 0)
		files[n++] = spec->stdout_fd;
	if ((outputs & PE_WIRE_STDERR) != 0)
		files[n++] = spec->stderr_fd;
	for (int i = 0; spec->jobs != NULL && i < 2; i++)
		files[n++] = spec->jobs[i];
	return send_message(launcher->socket, launcher->request.data, launcher->request.len, files,
			    n);
}

static int encode(struct pe_launcher *launcher, const struct pe_proc_spec *spec, struct pe_err *err)
{
	struct pe_text *text = &launcher->request;
	struct pe_wire_run run = {.timeout_ns = spec->timeout_ns,
				  .output_bytes = spec->output_bytes,
				  .records_bytes = spec->records_bytes,
				  .holder = spec->holder,
				  .cpu = spec->cpu,
				  .nice = spec->nice,
				  .flags = spec->flags,
				  .outputs = outputs_of(spec)};

	begin_message(text, PE_WIRE_RUN, ++launcher->run, &run, sizeof(run));
	add_string(text, spec->cwd != NULL ? spec->cwd : "/");
	add_string(text, spec->stdin_path != NULL ? spec->stdin_path : "");
	for (size_t i = 0; i < PE_WIRE_PLACES; i++)
		add_string(text, spec->places[i] != NULL ? spec->places[i] : "");
	run.argc = add_strings(text, spec->argv);
	run.envc = add_strings(text, spec->env);
	if (text->len - sizeof(struct pe_wire_head) > PE_WIRE_MAX)
		return pe_fail(err, PE_EINVALID,
			       "arguments and environment of '%s' take %zu bytes, more than 16 MiB",
			       spec->argv[0], text->len);
	memcpy(text->data + sizeof(struct pe_wire_head), &run, sizeof(run));
	end_message(text);
	return PE_OK;
}

static bool is_interrupted(const struct pe_proc_spec *spec)
{
	return spec->interrupts != NULL && *spec->interrupts >= (spec->hasty ? 1 : 2);
}

/* Whether nothing more is to be started. */
static bool is_stopped(const struct pe_proc_spec *spec)
{
	struct pollfd stop = {.fd = spec->stop_fd, .events = POLLIN};

	return is_interrupted(spec) || (spec->stop_fd > 0 && poll(&stop, 1, 0) > 0);
}

/*
 * Wait for the launcher's answer. Signals are unblocked within ppoll(2) alone, so that one which arrives after the counter
 * was read still ends the wait.
 *
 * @return  false: it cannot answer, or is overdue
 */
static bool await(const struct pe_launcher *launcher, const struct pe_proc_spec *spec)
{
	static const struct timespec look = {.tv_sec = (time_t)(LOOK_NS / NS_PER_S)};
	/* Of the second one only that there is something, once. */
	struct pollfd ready[2] = {{.fd = launcher->socket, .events = POLLIN},
				  {.fd = spec->stop_fd > 0 ? spec->stop_fd : -1, .events = POLLIN}};
	struct pe_wire_head stop = {.kind = PE_WIRE_STOP, .run = launcher->run};
	uint64_t began = pe_clock_ns(), limit = UINT64_MAX;
	bool asked = false, stopped = false;
	sigset_t all, before;
	int n;

	if (spec->timeout_ns != 0 && spec->timeout_ns < UINT64_MAX - began - GRACE_NS)
		limit = began + spec->timeout_ns + GRACE_NS;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	do {
		if (!asked && (ready[1].revents != 0 || is_interrupted(spec))) {
			asked = send_message(launcher->socket, (const char *)&stop, sizeof(stop),
					     NULL, 0);
			limit = pe_clock_ns() + GRACE_NS;
			ready[1].fd = -1;
		}
		n = ppoll(ready, 2, &look, &before);
		if (n == 0) {
			/* Checked twice, since a debugger may stop it briefly. */
			bool stays = stopped;

			stopped = state_of(launcher->pid) == 'T';
			if ((stopped && stays) || pe_clock_ns() > limit)
				break;
		}
	} while (n == 0 || (n < 0 && errno == EINTR) || (n > 0 && ready[0].revents == 0));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return n != 0;
}

static int refused(const struct pe_wire_refused *refusal, const struct pe_proc_spec *spec,
		   struct pe_err *err)
{
	errno = refusal->error;
	switch ((enum pe_wire_refusal)refusal->why) {
	case PE_WIRE_NO_PROCESS:
		return pe_fail_errno(err, "cannot start a process for '%s'", spec->argv[0]);
	case PE_WIRE_UNENDING:
		if (refusal->error == 0)
			return pe_fail(err, PE_ESYS,
				       "'%s' left process %d behind, which does not end",
				       spec->argv[0], (int)refusal->pid);
		return pe_fail_errno(err, "'%s' left process %d behind, which cannot be ended",
				     spec->argv[0], (int)refusal->pid);
	case PE_WIRE_NO_PLACE:
		return pe_fail_errno(err, "the sandbox cannot make %s writable",
				     spec->places[0] != NULL ? spec->places[0] : "a folder");
	case PE_WIRE_BAD_REQUEST:
		break;
	}
	return pe_fail(err, PE_ESYS, "the launcher did not understand the request for '%s'",
		       spec->argv[0]);
}

static int conclude(struct pe_proc_result *out, struct pe_launcher *launcher,
		    const struct pe_proc_spec *spec, struct pe_err *err)
{
	struct answer answer;
	size_t n = receive_answer(launcher->socket, &answer);

	if (n < sizeof(answer.head) || answer.head.run != launcher->run)
		return launcher_gone(launcher, err);
	if (answer_is(&answer, n, PE_WIRE_REFUSED, sizeof(answer.refused)))
		return refused(&answer.refused, spec, err);
	if (!answer_is(&answer, n, PE_WIRE_RESULT, sizeof(answer.result)))
		return launcher_gone(launcher, err);
	*out = answer.result;
	return PE_OK;
}

/* A launcher that does not answer ends with all its processes, and a fresh one takes its place. */
static int replace(struct pe_proc_result *out, struct pe_launcher *launcher, uint64_t wall_ns,
		   struct pe_err *err)
{
	struct pe_wire_limited kept;
	int rc;

	end_family(launcher);
	close(launcher->socket);
	launcher->socket = -1;
	pe_spawn_wait(launcher->pid);
	*out = (struct pe_proc_result){.end = PE_PROC_UNANSWERED, .cost = {.wall_ns = wall_ns}};
	rc = launch(launcher, err);
	if (rc == PE_OK && launcher->limit.len > 0)
		rc = limit(&kept, launcher, err);
	return rc == PE_OK && launcher->confinement.len > 0 ? confine(launcher, err) : rc;
}

int pe_launcher_run(struct pe_proc_result *out, struct pe_launcher *launcher,
		    const struct pe_proc_spec *spec, struct pe_err *err)
{
	uint64_t began = pe_clock_ns();

	*out = (struct pe_proc_result){.end = PE_PROC_STOPPED};
	if (launcher->socket < 0)
		return launcher_gone(launcher, err);
	if (is_stopped(spec))
		return PE_OK;
	PE_TRY(encode(launcher, spec, err));
	if (!send_run(launcher, spec))
		return launcher_gone(launcher, err);
	if (!await(launcher, spec))
		return replace(out, launcher, pe_clock_ns() - began, err);
	return conclude(out, launcher, spec, err);
}

const char *pe_proc_describe(const struct pe_proc_result *result, char *buffer, unsigned long size)
{
	static const char *const phrases[] = {
		[PE_PROC_OUTPUT_FULL] = "exceeded the output limit",
		[PE_PROC_STOPPED] = "stopped",
		[PE_PROC_MEMORY_FULL] = "killed for taking more memory than it may have",
		[PE_PROC_DISK_FULL] = "ended for filling more of the disk than it may",
		[PE_PROC_RECORDS_FULL] = "ended for leaving more records than it may",
		[PE_PROC_UNANSWERED] =
			"the launcher does not answer: something stopped it, and it was ended",
	};
	const int status = result->status;
	const char *name;

	switch (result->end) {
	case PE_PROC_EXITED:
		/* A shell whose last command was ended by a signal exits with 128 plus the signal. */
		name = status > 128 ? sigabbrev_np(status - 128) : NULL;
		if (name != NULL)
			snprintf(buffer, size, "exited with status %d (128 + SIG%s)", status, name);
		else
			snprintf(buffer, size, "exited with status %d", status);
		break;
	case PE_PROC_SIGNALED:
		name = sigabbrev_np(status);
		if (name != NULL)
			snprintf(buffer, size, "killed by SIG%s", name);
		else
			snprintf(buffer, size, "killed by signal %d", status);
		break;
	case PE_PROC_TIMED_OUT:
		snprintf(buffer, size, "timed out after %.1f s",
			 (double)result->cost.wall_ns / (double)NS_PER_S);
		break;
	case PE_PROC_NOT_STARTED:
		snprintf(buffer, size, "could not be started: %s",
			 status == PE_PROC_BAD_INPUT ? "its input is no file" : strerror(status));
		break;
	default:
		snprintf(buffer, size, "%s",
			 result->end == PE_PROC_DISK_FULL && status == ENOSPC
				 ? "ended before the disk was full"
				 : phrases[result->end]);
	}
	return buffer;
}
