/*
 * Track, for the worker: a process of its own, so that nothing it meets (a config that breaks it, a benchmark that
 * eats the memory) takes the worker with it, and so that what it does is what the user's own `perfevo track` does.
 * It reports its progress as JSON, an event a line, and its answer as one JSON document.
 */
#include "app/jobs/hook.h"

#include "core/base/clock.h"
#include "core/base/spawn.h"
#include "hooks/background.h"
#include "core/json/track.h"
#include "core/base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The child, and what it has said so far. */
struct child {
	pid_t pid;
	int events; /* its standard error */
	struct pe_text line;
	struct pe_worker_state state;
	const char *folder;
	char reason[256]; /* the last sentence it had for a person */
};

/* --- Its progress --- */

/* A line that is no event comes from before the display: "perfevo: no such thing". */
static void take_line(struct child *child)
{
	static const char prefix[] = "perfevo: ";
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text said = PE_TEXT_INIT;
	const char *line = pe_text_str(&child->line), *sentence = NULL;
	struct pe_track_event event;

	if (pe_json_track_event(&event, line, child->line.len, &arena, NULL) != PE_OK)
		sentence = strncmp(line, prefix, sizeof(prefix) - 1) == 0
				   ? line + sizeof(prefix) - 1
				   : line;
	else if (strcmp(event.kind, "note") == 0)
		sentence = event.text;
	if (sentence != NULL) {
		snprintf(child->reason, sizeof(child->reason), "%s", sentence);
		pe_utf8_add_visible(&said, sentence, "");
		fprintf(stderr, "%s\n", pe_text_str(&said));
	} else {
		snprintf(child->state.phase, sizeof(child->state.phase), "%s", event.kind);
		child->state.done = (uint64_t)event.done;
		child->state.total = (uint64_t)event.total;
		pe_worker_report(child->folder, &child->state);
	}
	pe_text_clear(&child->line);
}

/* @return  false: the child closed its end */
static bool take_events(struct child *child)
{
	char bytes[4096];
	ssize_t n = read(child->events, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] != '\n')
			pe_text_addc(&child->line, bytes[i]);
		else if (child->line.len > 0)
			take_line(child);
	}
	return n > 0;
}

/* --- Its life --- */

static int start(struct child *child, const struct pe_queued *commit, const char *ids,
		 const char *answer, struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_hook_env place = {commit->git_dir, commit->tree};
	const char *const *env =
		pe_background_env(commit->git_dir[0] != '\0' ? &place : NULL, arena);
	static const char *const argv[] = {"perfevo", "track",     "--stdin", "--format",
					   "json",    "--no-open", NULL};
	int in[2] = {-1, -1}, events[2] = {-1, -1}, rc = PE_OK;
	int out = open(answer, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct pe_spawn spawn = {.program = "/proc/self/exe",
				 .argv = argv,
				 .env = env,
				 .dir = commit->tree,
				 .out = out,
				 .hand = -1,
				 .flags = PE_SPAWN_FOLLOW};

	if (out < 0 || pipe(in) < 0 || pipe(events) < 0 ||
	    fcntl(events[0], F_SETFD, FD_CLOEXEC) < 0 || fcntl(in[1], F_SETFD, FD_CLOEXEC) < 0 ||
	    write(in[1], ids, strlen(ids)) < 0)
		rc = pe_fail_errno(err, "cannot prepare a measurement");
	/* The ids are in the pipe; its end must be closed before the child reads to it. */
	close(in[1]);
	spawn.in = in[0];
	spawn.err = events[1];
	if (rc == PE_OK)
		rc = pe_spawn_start(&child->pid, &spawn, err);
	close(in[0]);
	close(events[1]);
	close(out);
	child->events = events[0];
	return rc;
}

/* Until it ends; *stopped when it was asked to. Asked once, it finishes the run in flight; twice, it ends at once. */
static int watch(struct child *child, bool *stopped, const struct pe_app *app,
		 bool (*go_on)(void *payload), void *payload)
{
	uint64_t asked_ns = pe_clock_ns();
	int signals = 0;
	bool open = true;

	while (open) {
		struct pollfd end = {.fd = child->events, .events = POLLIN};
		int ready = poll(&end, 1, signals > 0 || *app->interrupts > 0 ? 200 : 1000);

		if (ready > 0)
			open = take_events(child);
		if (pe_clock_ns() - asked_ns > UINT64_C(1000000000)) {
			asked_ns = pe_clock_ns();
			*stopped = *stopped || (go_on != NULL && !go_on(payload));
		}
		*stopped = *stopped || *app->interrupts > 0;
		if (*stopped && open && signals < 2) {
			kill(child->pid, SIGTERM);
			signals++;
		}
	}
	return pe_spawn_wait(child->pid);
}

int pe_hook_track(struct pe_tracked *out, struct pe_app *app, const struct pe_queued *commit,
		  const char *ids, bool (*go_on)(void *payload), void *payload,
		  struct pe_arena *arena)
{
	struct child child = {.folder = pe_app_hook_dir(app), .events = -1};
	const char *answer = pe_arena_printf(arena, "%s/track.json", child.folder);
	pe_auto_text document = PE_TEXT_INIT;
	int status = 0, rc;

	*out = (struct pe_tracked){.verdict = PE_RESULT_FAILED};
	child.state = (struct pe_worker_state){.pid = getpid(), .since_s = pe_clock_now_s()};
	memcpy(child.state.id, commit->id, sizeof(child.state.id));
	rc = start(&child, commit, ids, answer, arena, app->err);
	if (rc == PE_OK)
		status = watch(&child, &out->stopped, app, go_on, payload);
	if (child.events >= 0)
		close(child.events);
	pe_text_release(&child.line);
	if (rc == PE_OK && !out->stopped) {
		out->died = WIFSIGNALED(status);
		out->text =
			pe_arena_printf(arena, "could not be measured: %s",
					child.reason[0] != '\0' ? child.reason : "it ended early");
		if (WIFEXITED(status) && pe_text_read_file(&document, answer, NULL) == PE_OK &&
		    document.len > 0)
			pe_tracked_read(out, document.data, document.len, commit->id, arena, NULL);
	}
	unlink(answer);
	return rc;
}

/* --- Its answer --- */

static enum pe_result_verdict verdict_of(const struct pe_track_answer *answer)
{
	if (answer->benchmarks == 0)
		return PE_RESULT_FAILED;
	if (answer->worse && !answer->accepted)
		return answer->confirmed ? PE_RESULT_REGRESSED : PE_RESULT_SUSPECTED;
	if (answer->n_failures > 0)
		return PE_RESULT_FAILED;
	return answer->better && !answer->accepted ? PE_RESULT_IMPROVED : PE_RESULT_PASS;
}

static void add_failures(struct pe_text *out, const struct pe_track_answer *answer)
{
	const struct pe_track_failure *first = &answer->failures[0];

	if (first->benchmark != NULL)
		pe_text_addf(out, "%s: ", first->benchmark);
	pe_text_add(out, first->outcome != NULL ? first->outcome : "failed");
	if (answer->n_failures > 1)
		pe_text_addf(out, " (and %zu more failures)", answer->n_failures - 1);
}

int pe_tracked_read(struct pe_tracked *out, const char *document, size_t n, const char *id,
		    struct pe_arena *arena, struct pe_err *err)
{
	struct pe_track_answer answer;
	pe_auto_text text = PE_TEXT_INIT;
	int rc = pe_json_track_answer(&answer, document, n, id, arena, err);

	if (rc != PE_OK)
		return rc;
	out->verdict = verdict_of(&answer);
	if (answer.summary != NULL)
		pe_text_add(&text, answer.summary);
	if (answer.n_failures > 0) {
		pe_text_add(&text, text.len > 0 ? "; " : "");
		add_failures(&text, &answer);
	}
	if (text.len == 0 && answer.benchmarks > 0)
		pe_text_addf(&text, "no change in %zu benchmark%s", answer.benchmarks,
			     answer.benchmarks == 1 ? "" : "s");
	if (text.len > 0)
		out->text = pe_arena_strdup(arena, text.data);
	return PE_OK;
}
