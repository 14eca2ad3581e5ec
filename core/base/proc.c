/*
 * The near end of formats/launch.h: one message out, one message back, and in between a wait that Ctrl-C
 * may interrupt.
 */
#define _GNU_SOURCE /* ppoll, sigabbrev_np */
#include "core/base/proc.h"

#include "core/base/arena.h"
#include "core/base/place.h"
#include "core/base/spawn.h"
#include "core/base/text.h"
#include "formats/launch.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct pe_launcher {
	int socket; /* -1 once the launcher is gone */
	pid_t pid;
	bool counts_instructions;
	uint64_t run;
	struct pe_text request;
};

static const char *const launcher_dirs[] = {".", "../launcher", "../../launcher",
					    "../libexec/perfevo", NULL};

/* A message with its head, in packets. */
static bool send_message(int fd, const char *bytes, size_t n)
{
	size_t most = sizeof(struct pe_wire_head) + PE_WIRE_PACKET;

	while (n > 0) {
		ssize_t sent = send(fd, bytes, n < most ? n : most, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		n -= (size_t)sent;
		most = PE_WIRE_PACKET;
	}
	return true;
}

/* What the launcher says, always in one packet. */
struct answer {
	struct pe_wire_head head;
	union {
		struct pe_wire_hello hello;
		struct pe_proc_result result;
		struct pe_wire_refused refused;
		struct pe_wire_confined confined;
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

/* The handle stays, and every later run fails; how the launcher ended is part of the sentence. */
static int launcher_gone(struct pe_launcher *launcher, struct pe_err *err)
{
	int status;

	if (launcher->socket < 0)
		return pe_fail(err, PE_ESYS, "the launcher has exited; run the command again");
	close(launcher->socket);
	launcher->socket = -1;
	status = pe_spawn_wait(launcher->pid);
	if (WIFSIGNALED(status))
		return pe_fail(err, PE_ESYS, "the launcher was killed by signal %d",
			       WTERMSIG(status));
	return pe_fail(err, PE_ESYS, "the launcher exited with status %d; run the command again",
		       WEXITSTATUS(status));
}

static int greet(struct pe_launcher *launcher, const char *path, struct pe_err *err)
{
	struct answer answer;
	size_t n = receive_answer(launcher->socket, &answer);
	int rc;

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

static int launch(struct pe_launcher **out, const char *path, struct pe_err *err)
{
	/* It needs no environment, and what it does not have it cannot hand on. */
	const char *const env[] = {NULL}, *const argv[] = {"perfevo-launch", "3", NULL};
	struct pe_spawn spawn = {PE_SPAWN_INIT, .program = path, .argv = argv, .env = env,
				 .flags = PE_SPAWN_PLAIN};
	struct pe_launcher *launcher;
	int pair[2];
	int rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return pe_fail_errno(err, "cannot open a socket for the launcher");
	launcher = pe_realloc(NULL, 1, sizeof(*launcher));
	*launcher = (struct pe_launcher){.socket = pair[0]};
	spawn.hand = pair[1];
	rc = pe_spawn_start(&launcher->pid, &spawn, err);
	close(pair[1]);
	if (rc != PE_OK) {
		close(pair[0]);
		free(launcher);
		return rc;
	}
	rc = greet(launcher, path, err);
	if (rc != PE_OK) {
		pe_launcher_close(launcher);
		return rc;
	}
	*out = launcher;
	return PE_OK;
}

int pe_launcher_open(struct pe_launcher **out, const char *path, struct pe_err *err)
{
	struct pe_text found = PE_TEXT_INIT;
	int rc = PE_OK;

	*out = NULL;
	if (path == NULL)
		rc = pe_place_find(&found, "perfevo-launch", "PERFEVO_LAUNCH", launcher_dirs, err);
	if (rc == PE_OK)
		rc = launch(out, path != NULL ? path : pe_text_str(&found), err);
	pe_text_release(&found);
	return rc;
}

void pe_launcher_close(struct pe_launcher *launcher)
{
	if (launcher == NULL)
		return;
	if (launcher->socket >= 0)
		launcher_gone(launcher, NULL);
	pe_text_release(&launcher->request);
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

int pe_launcher_confine(struct pe_launcher *launcher, const struct pe_confine_spec *spec,
			struct pe_err *err)
{
	struct pe_text *text = &launcher->request;
	struct pe_wire_head head = {.kind = PE_WIRE_CONFINE, .run = ++launcher->run};
	struct pe_wire_confine body = {.file_bytes = spec->file_bytes,
				       .processes = spec->processes,
				       .n = (uint32_t)spec->n,
				       .flags = spec->offline ? PE_CONFINE_OFFLINE : 0};
	struct answer answer;
	size_t n;

	pe_text_clear(text);
	pe_text_addn(text, (const char *)&head, sizeof(head));
	pe_text_addn(text, (const char *)&body, sizeof(body));
	add_string(text, spec->root);
	for (size_t i = 0; i < spec->n; i++) {
		pe_text_addc(text, (char)spec->places[i].kind);
		add_string(text, spec->places[i].path);
		add_string(text, spec->places[i].target != NULL ? spec->places[i].target : "");
	}
	head.length = (uint32_t)(text->len - sizeof(head));
	memcpy(text->data, &head, sizeof(head));
	if (!send_message(launcher->socket, text->data, text->len))
		return launcher_gone(launcher, err);
	n = receive_answer(launcher->socket, &answer);
	if (!answer_is(&answer, n, PE_WIRE_CONFINED, sizeof(answer.confined)))
		return launcher_gone(launcher, err);
	launcher->counts_instructions = answer.confined.counts_instructions != 0;
	if (answer.confined.error == 0)
		return PE_OK;
	answer.confined.what[sizeof(answer.confined.what) - 1] = '\0';
	return pe_fail(err, PE_EUNSUPPORTED, "%s: %s", answer.confined.what,
		       strerror(answer.confined.error));
}

/* The launcher keeps the directory it was started in: what is relative here is made absolute for it. */
static void add_path(struct pe_text *text, const char *path, const char *here)
{
	if (path != NULL && *path != '\0' && *path != '/')
		pe_text_addf(text, "%s/", here);
	add_string(text, path != NULL ? path : "");
}

static bool is_relative(const char *path)
{
	return path != NULL && *path != '/';
}

static uint32_t add_strings(struct pe_text *text, const char *const *strings)
{
	uint32_t n = 0;

	for (; strings[n] != NULL; n++)
		add_string(text, strings[n]);
	return n;
}

static int encode(struct pe_launcher *launcher, const struct pe_proc_spec *spec, struct pe_err *err)
{
	struct pe_text *text = &launcher->request;
	struct pe_wire_head head = {.kind = PE_WIRE_RUN, .run = ++launcher->run};
	struct pe_wire_run run = {.timeout_ns = spec->timeout_ns,
				  .output_bytes = spec->output_bytes,
				  .cpu = spec->cpu,
				  .nice = spec->nice,
				  .flags = spec->flags};
	char *here = NULL;

	if (spec->cwd == NULL || is_relative(spec->cwd) || is_relative(spec->stdin_path) ||
	    is_relative(spec->stdout_path) || is_relative(spec->stderr_path)) {
		here = getcwd(NULL, 0);
		if (here == NULL)
			return pe_fail_errno(err, "the current directory cannot be named");
	}
	pe_text_clear(text);
	pe_text_addn(text, (const char *)&head, sizeof(head));
	pe_text_addn(text, (const char *)&run, sizeof(run));
	add_path(text, spec->cwd != NULL ? spec->cwd : here, here);
	add_path(text, spec->stdin_path, here);
	add_path(text, spec->stdout_path, here);
	add_path(text, spec->stderr_path, here);
	for (size_t i = 0; i < PE_WIRE_PLACES; i++)
		add_string(text, spec->places[i] != NULL ? spec->places[i] : "");
	free(here);
	run.argc = add_strings(text, spec->argv);
	run.envc = add_strings(text, spec->env);
	if (text->len - sizeof(head) > PE_WIRE_MAX)
		return pe_fail(err, PE_EINVALID,
			       "arguments and environment of '%s' take %zu bytes, more than 16 MiB",
			       spec->argv[0], text->len);
	head.length = (uint32_t)(text->len - sizeof(head));
	memcpy(text->data, &head, sizeof(head));
	memcpy(text->data + sizeof(head), &run, sizeof(run));
	return PE_OK;
}

/*
 * Wait until the launcher has something to say. Signals are let in by ppoll(2) alone, so that one which
 * comes after the counter was looked at still ends the wait.
 */
static void await(const struct pe_launcher *launcher, const volatile sig_atomic_t *interrupts)
{
	struct pollfd answer = {.fd = launcher->socket, .events = POLLIN};
	struct pe_wire_head stop = {.kind = PE_WIRE_STOP, .run = launcher->run};
	bool asked = false;
	sigset_t all, before;
	int n;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	do {
		if (!asked && *interrupts >= 2)
			asked = send_message(launcher->socket, (const char *)&stop, sizeof(stop));
		n = ppoll(&answer, 1, NULL, &before);
	} while (n < 0 && errno == EINTR);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int refused(const struct pe_wire_refused *refusal, const struct pe_proc_spec *spec,
		   struct pe_err *err)
{
	errno = refusal->error;
	switch ((enum pe_wire_refusal)refusal->why) {
	case PE_WIRE_BAD_STDOUT:
		return pe_fail_errno(err, "cannot open '%s' for the output", spec->stdout_path);
	case PE_WIRE_BAD_STDERR:
		return pe_fail_errno(err, "cannot open '%s' for the output", spec->stderr_path);
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

int pe_launcher_run(struct pe_proc_result *out, struct pe_launcher *launcher,
		    const struct pe_proc_spec *spec, struct pe_err *err)
{
	int rc;

	*out = (struct pe_proc_result){.end = PE_PROC_STOPPED};
	if (launcher->socket < 0)
		return launcher_gone(launcher, err);
	if (spec->interrupts != NULL && *spec->interrupts >= 2)
		return PE_OK;
	rc = encode(launcher, spec, err);
	if (rc != PE_OK)
		return rc;
	if (!send_message(launcher->socket, launcher->request.data, launcher->request.len))
		return launcher_gone(launcher, err);
	if (spec->interrupts != NULL)
		await(launcher, spec->interrupts);
	return conclude(out, launcher, spec, err);
}

/* "350 ms", "2.5 s", "60 s" */
static void describe_duration(char *buffer, size_t size, uint64_t ns)
{
	uint64_t tenths = (ns + 50000000) / 100000000;

	if (ns < 1000000000)
		snprintf(buffer, size, "%d ms", (int)((ns + 500000) / 1000000));
	else if (tenths % 10 == 0 || tenths >= 100)
		snprintf(buffer, size, "%llu s", (unsigned long long)((tenths + 5) / 10));
	else
		snprintf(buffer, size, "%llu.%llu s", (unsigned long long)(tenths / 10),
			 (unsigned long long)(tenths % 10));
}

static void describe_signal(char *buffer, size_t size, int signal)
{
	const char *name = sigabbrev_np(signal);

	if (name != NULL)
		snprintf(buffer, size, "killed by SIG%s", name);
	else
		snprintf(buffer, size, "killed by signal %d", signal);
}

const char *pe_proc_describe(const struct pe_proc_result *result, char *buffer, unsigned long size)
{
	char duration[32];

	switch (result->end) {
	case PE_PROC_EXITED:
		snprintf(buffer, size, "exited with status %d", result->status);
		break;
	case PE_PROC_SIGNALED:
		describe_signal(buffer, size, result->status);
		break;
	case PE_PROC_TIMED_OUT:
		describe_duration(duration, sizeof(duration), result->cost.wall_ns);
		snprintf(buffer, size, "timed out after %s", duration);
		break;
	case PE_PROC_OUTPUT_FULL:
		snprintf(buffer, size, "exceeded the output limit");
		break;
	case PE_PROC_STOPPED:
		snprintf(buffer, size, "stopped");
		break;
	case PE_PROC_NOT_STARTED:
		snprintf(buffer, size, "could not be started: %s", strerror(result->status));
		break;
	}
	return buffer;
}
