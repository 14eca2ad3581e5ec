#include "core/base/spawn.h"

#include "tests/support/test.h"

static struct pe_err err;

/* What a shell script says, given an input. */
static int run_script(struct pe_text *out, const char *script, const char *input, size_t n,
		      size_t most)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	const struct pe_spawn spawn = {PE_SPAWN_INIT, .argv = argv};
	const struct pe_spawn_io io = {
		.input = input, .n_input = n, .output = out, .output_bytes = most};
	int status;

	cr_assert_ok(pe_spawn_run(&status, &spawn, &io, &err), err.message);
	return status;
}

Test(spawn, hands_text_over_and_takes_the_answer)
{
	pe_auto_text out = PE_TEXT_INIT;
	char *big = malloc(1 << 20);
	int status;

	/* More than a pipe holds, in both directions at once. */
	memset(big, 'x', 1 << 20);
	status = run_script(&out, "cat; exit 3", big, 1 << 20, 0);
	cr_expect(eq(int, WEXITSTATUS(status), 3));
	cr_expect(not(pe_spawn_succeeded(status)));
	cr_expect(eq(sz, out.len, 1 << 20));
	pe_text_clear(&out);
	/* One that reads nothing of it, and one that says too much. */
	cr_expect(pe_spawn_succeeded(run_script(&out, "echo done", big, 1 << 20, 0)));
	cr_expect_str_eq(out.data, "done\n");
	pe_text_clear(&out);
	cr_expect(pe_spawn_succeeded(
		run_script(&out, "head -c 300000 /dev/zero | tr '\\0' y", NULL, 0, 5000)));
	cr_expect(eq(sz, out.len, 5000));
	free(big);
}

static const char *const no_such[] = {"/no/such/program", NULL}, *const sh[] = {"sh", NULL};

Test(spawn, says_what_cannot_be_started)
{
	struct pe_spawn spawn = {PE_SPAWN_INIT, .argv = no_such};
	pid_t pid;

	cr_expect_fails(pe_spawn_start(&pid, &spawn, &err), PE_ENOTFOUND, err.message,
			"/no/such/program");
	spawn.argv = sh;
	spawn.dir = "/no/such/folder";
	cr_expect(eq(int, pe_spawn_start(&pid, &spawn, &err), PE_ENOTFOUND));
}

Test(spawn, sets_folder_environment_and_streams)
{
	const char *const argv[] = {"sh", "-c", "pwd; echo $A; echo err >&2; read x <&3; echo $x",
				    NULL};
	const char *const env[] = {"A=b", NULL};
	pe_auto_text out = PE_TEXT_INIT;
	struct pe_spawn spawn = {.program = "/bin/sh", .argv = argv, .env = env, .dir = "/"};
	int ends[2], status;

	/* The streams stand where others belong: the pipe's end may be 3 already. */
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], "hand\n", 5), 5);
	spawn.in = spawn.out = spawn.err = -1;
	spawn.hand = ends[0];
	cr_assert_eq(pe_spawn_run(&status, &spawn, &(struct pe_spawn_io){.output = &out}, &err),
		     PE_OK);
	cr_expect_str_eq(out.data, "/\nb\nhand\n");
}

static void note_signal(int number)
{
	(void)number;
}

/* A child of a caller that ignores SIGPIPE, handles SIGTERM and blocks all: yes(1) ends by SIGPIPE, and kill works. */
Test(spawn, gives_the_child_its_signals_back)
{
	pe_auto_text out = PE_TEXT_INIT;
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, note_signal);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	run_script(&out, "(sh -c 'yes; echo not reached >&2') | head -n 1; kill -TERM $$; echo no",
		   NULL, 0, 0);
	cr_expect_str_eq(out.data, "y\n");
}

Test(spawn, ends_what_takes_too_long, .timeout = 600)
{
	const char *const argv[] = {"sleep", "1000", NULL};
	const struct pe_spawn spawn = {PE_SPAWN_INIT, .argv = argv};
	pe_auto_text out = PE_TEXT_INIT;
	int status;

	cr_expect(eq(int,
		     pe_spawn_run(&status, &spawn,
				  &(struct pe_spawn_io){.output = &out, .timeout_ns = 50000000},
				  &err),
		     PE_ESYS));
	cr_expect(eq(int, WTERMSIG(status), SIGKILL));
	cr_expect_has(err.message, "0.05 s");
}

Test(spawn, a_child_that_follows_goes_with_its_parent, .timeout = 600)
{
	const char *const argv[] = {"sleep", "1000", NULL};
	int ends[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		const struct pe_spawn spawn = {PE_SPAWN_INIT, .argv = argv,
					       .flags = PE_SPAWN_FOLLOW};
		pid_t child;

		_exit(pe_spawn_start(&child, &spawn, NULL) == PE_OK ? 0 : 1);
	}
	close(ends[1]);
	cr_expect(pe_spawn_succeeded(pe_spawn_wait(pid)));
	/* The other end is closed once both are gone. */
	cr_expect(eq(int, (int)read(ends[0], &byte, 1), 0));
	close(ends[0]);
}
