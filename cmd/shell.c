#define _GNU_SOURCE /* cfmakeraw(3) */
/*
 * Shell: build one commit as `track` builds it, to examine it by hand: a shell or a command with the environment of the
 * build, or a benchmark's runs. Only the result of the build is stored.
 */
#include "app/measure/session.h"
#include "cmd/commands.h"
#include "cmd/ui/term.h"
#include "core/base/utf8.h"
#include "core/exec/env.h"
#include "core/model/outcome.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

/*
 * --- A terminal of its own ---
 *
 * What the command prints is copied to the user's terminal, and what they type is copied to it where they talk to it: a
 * command that had their terminal itself, be it for its output alone, could read from it and type into it (TIOCSTI), and
 * would have no jobs in another session.
 */

struct pty {
	int master, slave,
		resized; /* descriptors; the slave is what the command gets for its output and reads from */
	struct termios before; /* how the user's terminal was set */
	pthread_t relay;
	int screen;  /* the user's terminal, as the descriptor that what is printed is copied to */
	bool typing; /* what the user types is copied, too, and the user's terminal is raw */
	bool on;     /* copying */
};

/* @return  false: nothing more comes from there, or goes there */
static bool copy(int from, int to)
{
	char bytes[4096];
	ssize_t n = read(from, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR;
	return n > 0 && pe_term_write(to, bytes, (size_t)n, NULL) == PE_OK;
}

static void copy_size(const struct pty *pty)
{
	struct winsize size;

	if (ioctl(pty->screen, TIOCGWINSZ, &size) == 0)
		ioctl(pty->master, TIOCSWINSZ, &size);
}

static void *copy_both(void *payload)
{
	const struct pty *pty = payload;
	struct pollfd ready[3] = {{.fd = pty->master, .events = POLLIN},
				  {.fd = pty->typing ? STDIN_FILENO : -1, .events = POLLIN},
				  {.fd = pty->resized, .events = POLLIN}};

	for (;;) {
		struct signalfd_siginfo resized;

		if (poll(ready, 3, -1) < 0 && errno != EINTR)
			break;
		/* The read fails once no process has the slave open. */
		if (ready[0].revents != 0 && !copy(pty->master, pty->screen))
			break;
		if (ready[1].revents != 0 && !copy(STDIN_FILENO, pty->master))
			ready[1].fd = -1;
		if (ready[2].revents != 0 && read(pty->resized, &resized, sizeof(resized)) > 0)
			copy_size(pty);
	}
	return NULL;
}

static void close_all(const struct pty *pty)
{
	const int fds[] = {pty->master, pty->slave, pty->resized};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Only a signal that every thread blocks waits for who reads it. */
static int watch_size(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGWINCH);
	return pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0 ? signalfd(-1, &signals, SFD_CLOEXEC)
							       : -1;
}

static bool begin(struct pty *pty)
{
	struct termios raw;

	if (tcgetattr(pty->screen, &pty->before) != 0)
		return false;
	copy_size(pty);
	raw = pty->before;
	cfmakeraw(&raw);
	/* One of the two is raw, so that nothing is done twice to what passes through both. */
	if (tcsetattr(pty->slave, TCSANOW, pty->typing ? &pty->before : &raw) != 0)
		return false;
	if (pty->typing && tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
		return false;
	errno = pthread_create(&pty->relay, NULL, copy_both, pty);
	if (errno != 0 && pty->typing)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &pty->before);
	return errno == 0;
}

/*
 * Open one of the size of the user's terminal and begin to copy. Before it, no other thread is there.
 *
 * @param screen  standard output or standard error: the one that is a terminal
 * @param typing  whether standard input is to be copied, too: it is a terminal then, and becomes raw
 * @return        PE_ESYS; nothing has changed then
 */
static int pty_open(struct pty *out, int screen, bool typing, struct pe_err *err)
{
	*out = (struct pty){.master = -1,
			    .slave = -1,
			    .resized = watch_size(),
			    .screen = screen,
			    .typing = typing};
	out->on = out->resized >= 0 && openpty(&out->master, &out->slave, NULL, NULL, NULL) == 0 &&
		  begin(out);
	if (out->on)
		return PE_OK;
	pe_fail_errno(
		err,
		"cannot open a pseudo-terminal: give a command after `--`, and redirect its output");
	close_all(out);
	return PE_ESYS;
}

/* Copy what is left, once every command that has the slave has ended, and give the user's terminal back. */
static void pty_close(struct pty *pty)
{
	if (!pty->on)
		return;
	close(pty->slave);
	pty->slave = -1;
	pthread_join(pty->relay, NULL);
	if (pty->typing)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &pty->before);
	close_all(pty);
	pty->on = false;
}

/* --- Shell --- */

struct shell {
	struct pe_session session;
	struct pe_build build;
	struct pe_slot *slot;
	const struct pe_revision *revision;
	const struct pe_benchmark *benchmark; /* whose runs it is to be like; NULL: the build */
	const char *const *command;           /* NULL-terminated; NULL: a shell */
};

/* The arguments after `--`, which ends argv; NULL: there are none. */
static const char *const *cut_command(int *argc, char **argv)
{
	for (int i = 0; i < *argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		*argc = i;
		argv[i] = NULL;
		return argv[i + 1] != NULL ? (const char *const *)&argv[i + 1] : NULL;
	}
	return NULL;
}

static bool has_terminal(void)
{
	return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

static int build(struct shell *shell, struct pe_cmd_ctx *ctx, const char *spec, const char *bench)
{
	struct pe_range range = {.spec = spec, .last = 1};
	struct pe_session *session = &shell->session;
	struct pe_revisions revisions;

	PE_TRY(pe_repo_walk(&revisions, ctx->app.repo, &range, ctx->app.arena, ctx->app.err));
	if (revisions.n == 0)
		return pe_fail(ctx->app.err, PE_ENOTFOUND, "there is no commit to build yet");
	PE_TRY(pe_session_open(session, &ctx->app, true));
	PE_TRY(pe_session_choose(session, &revisions, bench));
	shell->revision = &revisions.at[0];
	session->builds_total = 1;
	PE_TRY(pe_session_build(&shell->slot, &shell->build, session,
				&session->revisions[session->n_revisions - 1]));
	if (shell->build.outcome == PE_TREE_REFUSED)
		return pe_fail(ctx->app.err, PE_EUNSUPPORTED, "there is no tree of %.10s: %s",
			       shell->revision->id, shell->build.log);
	return PE_OK;
}

/* A build that failed has no suites to ask, and is looked into all the same. */
static int find_benchmark(struct shell *shell, const char *bench)
{
	struct pe_session *session = &shell->session;

	if (bench == NULL)
		return PE_OK;
	if (shell->build.outcome == PE_MEASURED)
		PE_TRY(pe_session_discover(session, bench));
	return cmd_choose_benchmark(&shell->benchmark, session, bench);
}

static void tell_build(const struct shell *shell, const struct pe_cmd_ctx *ctx)
{
	pe_auto_text log = PE_TEXT_INIT;

	if (shell->build.outcome == PE_MEASURED)
		return;
	pe_app_note(&ctx->app, "%.10s: %s; its tree is as the build left it, and its log ends:",
		    shell->revision->id, pe_outcome_say(shell->build.outcome));
	pe_utf8_add_log(&log, shell->build.log);
	pe_term_write(STDERR_FILENO, pe_text_str(&log), log.len, NULL);
}

static void tell_shell(const struct shell *shell, const struct pe_cmd_ctx *ctx)
{
	if (shell->command != NULL)
		return;
	if (shell->benchmark != NULL)
		pe_app_note(&ctx->app, "%.10s %s, as the runs of %s have it; they execute: %s",
			    shell->revision->id, shell->revision->subject, shell->benchmark->name,
			    shell->benchmark->command.text);
	else
		pe_app_note(&ctx->app, "%.10s %s, as its build has it", shell->revision->id,
			    shell->revision->subject);
	pe_app_note(&ctx->app,
		    "what you change here is thrown away; other perfevo commands that measure "
		    "wait until the shell ends");
}

/* The user's own, which may be none; what runs commands looks it up. */
static const char *shell_name(void)
{
	const char *name = getenv("SHELL");

	return name != NULL && access(name, X_OK) == 0 ? name : "sh";
}

/*
 * The words to start. On a terminal the command becomes the first process of a session, with that terminal as its own: else
 * Ctrl-C would reach no process, and a shell would have no job control.
 */
static const char *const *choose_words(const struct shell *shell, bool on_terminal,
				       struct pe_arena *arena)
{
	static const char *const first[] = {"sh", "-c", "exec setsid -c -w \"$@\" <&1", "sh"};
	const size_t n_first = on_terminal ? sizeof(first) / sizeof(*first) : 0;
	const char *own[] = {shell_name(), NULL};
	const char *const *command = shell->command != NULL ? shell->command : own;
	const char **out;
	size_t n = 0;

	while (command[n] != NULL)
		n++;
	out = pe_arena_new(arena, const char *, n_first + n + 1);
	memcpy(out, first, n_first * sizeof(*out));
	memcpy(out + n_first, command, n * sizeof(*out));
	return out;
}

static const char *const *environment(const struct shell *shell, const char *seen)
{
	const struct pe_session *session = &shell->session;
	const char *term = getenv("TERM");
	struct pe_strings more = {NULL, 0};
	struct pe_arena *arena = session->arena;
	const char *line;

	if (shell->benchmark == NULL)
		return pe_env_for_build(session->builder.recipe, seen, session->builder.root, false,
					arena);
	if (term != NULL) {
		line = pe_arena_printf(arena, "TERM=%s", term);
		more = (struct pe_strings){&line, 1};
	}
	return pe_env_for_run(shell->benchmark, session->runner.pass_env, seen,
			      session->runner.root, &more, arena);
}

static int execute(struct pe_proc_result *result, struct shell *shell)
{
	struct pe_session *session = &shell->session;
	struct pe_err *err = session->app->err;
	const char *tree = shell->slot->tree;
	const char *seen = pe_executor_tree(&session->executor, tree);
	struct pty pty = {.on = false};
	const bool on_terminal = has_terminal();
	const bool is_seen[] = {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1};
	struct pe_proc_spec spec = {
		.argv = choose_words(shell, on_terminal, session->arena),
		.cwd = shell->benchmark != NULL
			       ? pe_runner_below(seen, shell->benchmark->cwd, session->arena)
			       : seen,
		.env = environment(shell, seen),
		.stdout_fd = STDOUT_FILENO,
		.stderr_fd = STDERR_FILENO,
		.cpu = -1,
		.places = {tree, session->runner.scratch},
		.interrupts = session->app->interrupts,
	};
	int rc = PE_OK;

	if (is_seen[0] || is_seen[1])
		rc = pty_open(&pty, is_seen[0] ? STDOUT_FILENO : STDERR_FILENO, on_terminal, err);
	if (pty.on && is_seen[0])
		spec.stdout_fd = pty.slave;
	if (pty.on && is_seen[1])
		spec.stderr_fd = pty.slave;
	if (rc == PE_OK)
		rc = session->executor.run(result, &spec, session->executor.payload, err);
	pty_close(&pty);
	return rc;
}

/* The benchmark's setup comes first, as before its runs, and its cleanup last. */
static int execute_in_place(struct pe_proc_result *result, struct shell *shell)
{
	struct pe_session *session = &shell->session;
	const char *tree = shell->slot->tree;
	struct pe_run run = {.outcome = PE_MEASURED};
	int rc;

	if (shell->benchmark == NULL || shell->build.outcome != PE_MEASURED)
		return execute(result, shell);
	rc = pe_runner_set_up(&run, &session->runner, shell->benchmark, tree, session->arena,
			      session->app->err);
	if (rc == PE_OK && run.outcome != PE_MEASURED)
		pe_app_note(session->app, "%s: %s", pe_outcome_say(run.outcome), run.log);
	if (rc == PE_OK)
		rc = execute(result, shell);
	return pe_runner_clean_up(rc, &session->runner, shell->benchmark, tree, session->arena,
				  session->app->err);
}

static int run(struct pe_proc_result *result, struct shell *shell, struct pe_cmd_ctx *ctx,
	       const char *spec, const char *bench)
{
	PE_TRY(build(shell, ctx, spec, bench));
	PE_TRY(find_benchmark(shell, bench));
	tell_build(shell, ctx);
	tell_shell(shell, ctx);
	/* What somebody had his hands in is no build, and nothing to build upon. */
	PE_TRY(pe_slot_forget(shell->slot, ctx->app.err));
	shell->slot->id[0] = '\0';
	return execute_in_place(result, shell);
}

static int code_of(const struct pe_proc_result *result)
{
	switch (result->end) {
	case PE_PROC_EXITED:
		return result->status;
	case PE_PROC_SIGNALED:
		return 128 + result->status;
	case PE_PROC_STOPPED:
		return 128 + SIGINT;
	default:
		return PE_EXIT_UNMEASURABLE;
	}
}

int cmd_shell(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const char *bench = NULL;
	struct shell shell = {.command = cut_command(&argc, argv)};
	struct pe_proc_result result = {0};
	const struct pe_opt opts[] = {
		OPT_STRING('b', "bench", &bench, "REGEX",
			   "with the environment of this benchmark's runs"),
		OPT_END,
	};
	char words[128];
	int rc;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (shell.command == NULL && !has_terminal())
		return pe_cmd_misused(ctx, "a shell needs a terminal: give a command after '--'");
	rc = run(&result, &shell, ctx, argc > 0 ? argv[0] : NULL, bench);
	pe_session_close(&shell.session);
	PE_TRY(rc);
	if (result.end != PE_PROC_EXITED)
		pe_app_note(&ctx->app, "the command was %s",
			    pe_proc_describe(&result, words, sizeof(words)));
	return code_of(&result);
}
