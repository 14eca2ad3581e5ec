/* Main: the options before the command's name, the signals, and the command. */
#include "cmd/commands.h"

#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* The commit that was built (cmake/commit.cmake); "": unknown. */
extern const char pe_commit[];

enum { GRACE_S = 3 };

/* The one piece of state that a signal handler can reach. */
static volatile sig_atomic_t interrupts;

/*
 * The first one asks to stop, the second one ends the run in flight, and who needs a third wants to be gone:
 * the signal then does what it does to any program.
 */
static void on_interrupt(int number)
{
	static const char first[] =
		"\r\033[Kperfevo: finishing the run in flight; Ctrl-C again stops at once\n";
	int saved = errno;

	interrupts = interrupts + 1;
	if (number == SIGTERM)
		alarm(GRACE_S);
	if (interrupts == 1 && isatty(STDERR_FILENO) == 1 &&
	    write(STDERR_FILENO, first, sizeof(first) - 1) < 0)
		interrupts = 1; /* nothing to be done about it */
	if (interrupts > 2) {
		signal(number, SIG_DFL);
		raise(number);
	}
	errno = saved;
}

/*
 * Whoever sends SIGTERM kills soon after: a run that is not over by now is ended, and its result is lost. The same where the
 * time that the user gave is over (try --budget).
 */
static void on_alarm(int number)
{
	(void)number;
	if (interrupts < 2)
		interrupts = 2;
}

/* For a command without runs: it ends at once. */
static void on_stop(int number)
{
	if (interrupts >= 2) {
		signal(number, SIG_DFL);
		raise(number);
	}
	interrupts = 2;
}

/*
 * Writing to a pipe without a reader is an error to handle (EPIPE), not a reason to die. A handler achieves that as
 * well as SIG_IGN and, unlike it, is not inherited by the programs that are run.
 */
static void on_broken_pipe(int number)
{
	(void)number;
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction before;

	sigemptyset(&action.sa_mask);
	/* A SIGHUP that nohup ignores stays ignored. */
	if (number == SIGHUP && sigaction(number, NULL, &before) == 0 &&
	    before.sa_handler == SIG_IGN)
		return;
	sigaction(number, &action, NULL);
}

static void handle_signals(const struct pe_cmd *cmd)
{
	void (*stop)(int) = (cmd->needs & PE_STOPS_AT_ONCE) != 0 ? on_stop : on_interrupt;

	handle(SIGPIPE, on_broken_pipe);
	handle(SIGXFSZ, on_broken_pipe); /* a limit on file sizes is an error to look at, too */
	if ((cmd->needs & PE_COUNTS_INTERRUPTS) == 0)
		return;
	handle(SIGINT, stop);
	handle(SIGTERM, stop);
	handle(SIGALRM, on_alarm);
	handle(SIGHUP, stop);
}

static int run_command(struct pe_cmd_ctx *ctx, const char *name, int argc, char **argv)
{
	int code;

	ctx->cmd = pe_cmd_find(ctx, name);
	if (ctx->cmd == NULL)
		return pe_cmd_misused(ctx, "%s", ctx->app.err->message);
	handle_signals(ctx->cmd);
	code = ctx->cmd->run(ctx, argc, argv);
	/* What a command printed through stdio counts as written only now. */
	if (fflush(stdout) != 0 && errno != EPIPE && code == PE_EXIT_GOOD)
		code = pe_fail_errno(ctx->app.err, "cannot write the result");
	if (code < 0)
		return pe_cmd_fail(ctx, code);
	return code == PE_EXIT_ANSWERED ? PE_EXIT_GOOD : code;
}

static int run(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	bool version = false;
	const struct pe_opt own[] = {
		OPT_FLAG(0, "version", &version, "print the version"),
		OPT_END,
	};
	char help[] = "help", *no_operands[] = {NULL};

	if (pe_opts_parse_leading(pe_cmd_options(ctx, own), &argc, argv, ctx->app.arena,
				  ctx->app.err) != PE_OK)
		return pe_cmd_misused(ctx, "%s", ctx->app.err->message);
	if (version) {
		if (pe_commit[0] != '\0')
			printf("perfevo %s (%s)\n", PE_VERSION, pe_commit);
		else
			printf("perfevo %s\n", PE_VERSION);
		return PE_EXIT_GOOD;
	}
	if (argc == 0 && !ctx->help) {
		run_command(ctx, help, 0, no_operands);
		return PE_EXIT_USAGE;
	}
	if (argc == 0) {
		ctx->help = false;
		return run_command(ctx, help, 0, no_operands);
	}
	return run_command(ctx, argv[0], argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cmd_ctx ctx = {
		.app = {.arena = &arena,
			.err = &err,
			.interrupts = &interrupts,
			.note = pe_cmd_say},
		.cmds = pe_cmds,
	};
	int code;

	/* A search takes and gives back megabytes thousands of times: to give them to the system costs a fifth of its time. */
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	ctx.app.note_payload = &ctx;
	setlocale(LC_CTYPE, "");
	code = run(&ctx, argc > 0 ? argc - 1 : 0, argv + (argc > 0));
	pe_cmd_end(&ctx);
	return code;
}
