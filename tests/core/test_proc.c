/* Real children of every kind, through a real launcher. Nothing here is judged by how long it took. */
#define _GNU_SOURCE
#include "core/base/proc.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/exec/ports.h"
#include "tests/support/test.h"

#include <time.h>

#define SECOND UINT64_C(1000000000)

static const char behave[] = PE_BINARY_DIR "/tests/core/pe_program_behave";
static const char *const no_env[] = {"PATH=/usr/bin:/bin", NULL};

static struct pe_launcher *launcher;
static struct pe_err err;
static struct pe_proc_result result;
static char dir[256], out_path[300], err_path[300], note_path[300];
static int out_fd, err_fd;
static volatile sig_atomic_t interrupts;

static void open_launcher(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/pe-proc-XXXXXX", tmp != NULL ? tmp : P_tmpdir);
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	snprintf(err_path, sizeof(err_path), "%s/err", dir);
	snprintf(note_path, sizeof(note_path), "%s/note", dir);
	out_fd = open(out_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	err_fd = open(err_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	cr_assert(out_fd > 2 && err_fd > 2);
	cr_assert_ok(pe_launcher_open(&launcher, NULL, &err), err.message);
}

static void close_launcher(void)
{
	pe_launcher_close(launcher);
	close(out_fd);
	close(err_fd);
	unlink(out_path);
	unlink(err_path);
	unlink(note_path);
	rmdir(dir);
}

TestSuite(proc, .init = open_launcher, .fini = close_launcher, .timeout = 600);

static struct pe_proc_spec spec_of(const char *const *argv)
{
	return (struct pe_proc_spec){
		.argv = argv, .env = no_env, .stdout_fd = out_fd, .stderr_fd = err_fd, .cpu = -1};
}

static void run(const struct pe_proc_spec *spec)
{
	const int fds[] = {spec->stdout_fd, spec->stderr_fd};

	for (int i = 0; i < 2; i++)
		cr_assert(fds[i] == 0 ||
			  (ftruncate(fds[i], 0) == 0 && lseek(fds[i], 0, SEEK_SET) == 0));
	cr_assert_ok(pe_launcher_run(&result, launcher, spec, &err), err.message);
}

/* Run the test program with verbs. */
#define BEHAVE(spec, ...)                                                                          \
	const char *const spec##_argv[] = {behave, __VA_ARGS__, NULL};                             \
	struct pe_proc_spec spec = spec_of(spec##_argv)

static const char *content(const char *path)
{
	static struct pe_text text;

	pe_text_clear(&text);
	cr_assert_ok(pe_text_read_file(&text, path, &err), err.message);
	return pe_text_str(&text);
}

static void expect_end(enum pe_proc_end end, int status)
{
	cr_expect(eq(int, result.end, end));
	cr_expect(eq(int, result.status, status));
}

static void expect_run(const struct pe_proc_spec *spec, enum pe_proc_end end, int status)
{
	run(spec);
	expect_end(end, status);
}

/* Gone, or a zombie that waits for init. */
static bool is_over(pid_t pid)
{
	char path[32], line[256] = "";
	const char *rest;
	FILE *stat;

	if (kill(pid, 0) != 0 && errno == ESRCH)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stat = fopen(path, "r");
	if (stat == NULL)
		return true;
	rest = fgets(line, sizeof(line), stat) != NULL ? strrchr(line, ')') : NULL;
	fclose(stat);
	return rest == NULL || rest[2] == 'Z' || rest[2] == 'X';
}

/* Whether every process that noted itself is gone. */
static bool noted_are_gone(void)
{
	char *at = (char *)(size_t)content(note_path);
	bool gone = true;

	cr_expect(ne(chr, *at, '\0'), "nobody noted itself");
	while (*at != '\0') {
		pid_t pid = (pid_t)strtol(at, &at, 10);

		gone = gone && is_over(pid);
		at += *at == '\n';
	}
	return gone;
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

Test(proc, a_run_ends_as_its_command_does)
{
	static const struct {
		const char *argv[4];
		enum pe_proc_end end;
		int status;
	} cases[] = {
		{{behave, "exit", "3"}, PE_PROC_EXITED, 3},
		{{behave, "exit", "0"}, PE_PROC_EXITED, 0},
		{{behave, "exit", "127"}, PE_PROC_EXITED, 127}, /* no missing program */
		{{behave, "signal", "11"}, PE_PROC_SIGNALED, SIGSEGV},
		{{behave, "signal", "9"}, PE_PROC_SIGNALED, SIGKILL},
		/* A command that signals its group spares the launcher. */
		{{"/bin/sh", "-c", "kill -9 0"}, PE_PROC_SIGNALED, SIGKILL},
		{{"/nowhere/program"}, PE_PROC_NOT_STARTED, ENOENT},
		{{"no-such-program-anywhere"}, PE_PROC_NOT_STARTED, ENOENT},
		{{"/usr"}, PE_PROC_NOT_STARTED, EACCES},
		{{""}, PE_PROC_NOT_STARTED, ENOENT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct pe_proc_spec spec = spec_of(cases[i].argv);

		run(&spec);
		cr_expect(result.end == cases[i].end && result.status == cases[i].status &&
				  result.left_behind == 0,
			  "%s %s: end %d, status %d", cases[i].argv[0], cases[i].argv[2],
			  (int)result.end, result.status);
	}
}

/* Until execve(2) a child shares the launcher's memory, in which it says why it could not start. */
Test(proc, ends_a_command_that_is_only_just_starting)
{
	const char *const missing[] = {"/nowhere/program", NULL};
	struct pe_proc_spec absent = spec_of(missing);
	BEHAVE(there, "sleep");

	absent.timeout_ns = there.timeout_ns = 1;
	for (int i = 0; i < 50; i++) {
		expect_run(&absent, PE_PROC_NOT_STARTED, ENOENT);
		run(&there);
		cr_expect(eq(int, result.end, PE_PROC_TIMED_OUT));
	}
}

Test(proc, tells_a_missing_directory_and_a_missing_input)
{
	BEHAVE(spec, "exit", "0");

	spec.cwd = "/nowhere";
	expect_run(&spec, PE_PROC_NOT_STARTED, ENOENT);
	spec.cwd = behave;
	expect_run(&spec, PE_PROC_NOT_STARTED, ENOTDIR);
	spec.cwd = NULL;
	spec.stdin_path = "/nowhere/input";
	expect_run(&spec, PE_PROC_NOT_STARTED, ENOENT);
}

/* Opening a FIFO waits for a writer: the launcher did, before any timer ran, and stayed for ever. */
Test(proc, an_input_that_is_no_file_is_refused_at_once)
{
	BEHAVE(spec, "echo");
	char words[128];

	cr_assert(eq(int, mkfifo(note_path, 0600), 0));
	spec.stdin_path = note_path;
	expect_run(&spec, PE_PROC_NOT_STARTED, PE_PROC_BAD_INPUT);
	cr_expect_str_eq(pe_proc_describe(&result, words, sizeof(words)),
			 "could not be started: its input is no file");
	spec.stdin_path = dir;
	expect_run(&spec, PE_PROC_NOT_STARTED, PE_PROC_BAD_INPUT);
	spec.stdin_path = "/dev/null";
	expect_run(&spec, PE_PROC_EXITED, 0);
}

/* A command runs as the same user as the launcher, and may stop it. */
Test(proc, a_stopped_launcher_is_ended_with_its_tree_and_replaced)
{
	const char *const argv[] = {"/bin/sh", "-c",
				    "echo $PPID $$ >\"$0\"; sleep 1000 & echo $! >>\"$0\"; "
				    "kill -STOP $PPID; wait",
				    note_path, NULL};
	struct pe_proc_spec spec = spec_of(argv);
	BEHAVE(next, "exit", "3");

	expect_run(&spec, PE_PROC_UNANSWERED, 0);
	while (!noted_are_gone()) /* killed, and ended when the kernel gets to it */
		nap();
	expect_run(&next, PE_PROC_EXITED, 3);
}

Test(proc, looks_the_name_up_on_the_given_path)
{
	const char *const argv[] = {"pe_program_behave", "exit", "7", NULL};
	const char *const env[] = {"PATH=/nowhere:" PE_BINARY_DIR "/tests/core:/bin", NULL};
	struct pe_proc_spec spec = spec_of(argv);

	expect_run(&spec, PE_PROC_NOT_STARTED, ENOENT);
	spec.env = env;
	expect_run(&spec, PE_PROC_EXITED, 7);
	/* An empty entry is the working directory. */
	spec.env = (const char *const[]){"PATH=/bin:", NULL};
	spec.cwd = PE_BINARY_DIR "/tests/core";
	expect_run(&spec, PE_PROC_EXITED, 7);
}

Test(proc, a_script_without_interpreter_is_the_shells)
{
	const char *const argv[] = {note_path, "a b", NULL};
	struct pe_proc_spec spec = spec_of(argv);
	FILE *script = fopen(note_path, "w");

	fputs("echo \"$0:$1\"; exit 4\n", script);
	fclose(script);
	chmod(note_path, 0755);
	expect_run(&spec, PE_PROC_EXITED, 4);
	cr_expect_has(content(out_path), "/note:a b\n");
}

Test(proc, keeps_the_streams_apart_or_together)
{
	BEHAVE(spec, "print", "one ", "complain", "two ", "print", "three");

	run(&spec);
	cr_expect_str_eq(content(out_path), "one three");
	cr_expect_str_eq(content(err_path), "two ");
	spec.stderr_fd = out_fd;
	run(&spec);
	cr_expect_str_eq(content(out_path), "one two three");
	spec.stdout_fd = spec.stderr_fd = 0;
	expect_run(&spec, PE_PROC_EXITED, 0);
	cr_expect_str_eq(content(out_path), "one two three");
}

Test(proc, starts_in_the_given_folder_or_in_the_topmost)
{
	char name[300];
	BEHAVE(spec, "where");

	run(&spec);
	cr_expect_str_eq(content(out_path), "/\n");
	spec.cwd = dir;
	run(&spec);
	snprintf(name, sizeof(name), "%s\n", dir);
	cr_expect_str_eq(content(out_path), name);
}

Test(proc, hands_over_input_environment_and_surroundings)
{
	static char large[1024][1024];
	const char *env[1025];
	BEHAVE(spec, "echo");
	BEHAVE(room, "environment", "groupleader", "personality", "nice", "cpus");

	spec.stdin_path = behave;
	expect_run(&spec, PE_PROC_EXITED, 0);
	for (int i = 0; i < 1024; i++) {
		memset(large[i], 'x', sizeof(large[i]) - 1);
		snprintf(large[i], 6, "V%03d", i % 1000);
		large[i][4] = '=';
		env[i] = large[i];
	}
	env[1024] = NULL;
	room.env = env;
	room.cpu = 0;
	room.nice = 5;
	room.flags = PE_PROC_FIXED_LAYOUT;
	expect_run(&room, PE_PROC_EXITED, 0);
	/* Containers often forbid personality(2). */
	if (strstr(content(out_path), "\n0\n") != NULL)
		cr_expect_str_eq(content(out_path), "1048576\n1\n0\n5\n1\n");
	else
		cr_expect_str_eq(content(out_path), "1048576\n1\n262144\n5\n1\n");
}

Test(proc, runs_also_where_a_condition_is_not_granted)
{
	BEHAVE(spec, "exit", "0");

	spec.cpu = 1023;
	expect_run(&spec, PE_PROC_EXITED, 0);
}

Test(proc, refuses_a_specification_that_is_too_large)
{
	char *huge = malloc(17 << 20);
	BEHAVE(spec, "exit", "0");

	memset(huge, 'x', (17 << 20) - 1);
	huge[(17 << 20) - 1] = '\0';
	spec.env = (const char *const[]){huge, NULL};
	cr_expect(eq(int, pe_launcher_run(&result, launcher, &spec, &err), PE_EINVALID));
	/* Under our bound and over the kernel's: the command's failure. */
	huge[8 << 20] = '\0';
	expect_run(&spec, PE_PROC_NOT_STARTED, E2BIG);
	spec.env = no_env;
	expect_run(&spec, PE_PROC_EXITED, 0);
	free(huge);
}

Test(proc, a_timeout_ends_the_whole_tree)
{
	BEHAVE(spec, "ignore", "note", note_path, "brood", "2", "ignore", "note", note_path,
	       "sleep");

	spec.timeout_ns = SECOND / 2;
	run(&spec);
	cr_expect(eq(int, result.end, PE_PROC_TIMED_OUT));
	cr_expect(ge(u64, result.cost.wall_ns, SECOND / 2));
	cr_expect(eq(uint, result.left_behind, 2));
	cr_expect(noted_are_gone());
}

Test(proc, daemons_are_found_and_ended)
{
	BEHAVE(spec, "orphan", note_path, "ignore", "sleep");

	expect_run(&spec, PE_PROC_EXITED, 0);
	cr_expect(eq(uint, result.left_behind, 1));
	cr_expect(noted_are_gone());
}

Test(proc, a_timeout_finds_daemons_of_children)
{
	BEHAVE(spec, "brood", "1", "brood", "1", "orphan", note_path, "ignore", "sleep");
	const char *const shell[] = {
		"/bin/sh", "-c",      "\"$0\" orphan \"$1\" ignore sleep; sleep 1000",
		behave,    note_path, NULL};

	expect_run(&spec, PE_PROC_EXITED, 0);
	cr_expect(noted_are_gone());
	unlink(note_path);
	spec.argv = shell;
	spec.timeout_ns = SECOND;
	run(&spec);
	cr_expect(eq(int, result.end, PE_PROC_TIMED_OUT));
	cr_expect(noted_are_gone());
}

Test(proc, a_process_that_keeps_changing_is_caught)
{
	BEHAVE(spec, "comet", "100000", "note", note_path);

	expect_run(&spec, PE_PROC_EXITED, 0);
	/* Caught in flight: the last of them never came to note itself. */
	cr_expect(eq(int, access(note_path, F_OK), -1));
}

Test(proc, too_much_output_ends_the_tree)
{
	BEHAVE(spec, "brood", "1", "flood");
	BEHAVE(little, "print", "0123456789");

	spec.output_bytes = 1 << 20;
	run(&spec);
	cr_expect(eq(int, result.end, PE_PROC_OUTPUT_FULL));
	little.output_bytes = 10;
	expect_run(&little, PE_PROC_EXITED, 0);
	/* Too much is too much, also for a command that was done before anybody looked. */
	little.output_bytes = 9;
	run(&little);
	cr_expect(eq(int, result.end, PE_PROC_OUTPUT_FULL));
}

Test(proc, peak_memory_is_the_commands_alone)
{
	const size_t ours = (size_t)300 << 20;
	char *large = malloc(ours);
	const char *const argv[] = {"true", NULL};
	struct pe_proc_spec spec = spec_of(argv);
	BEHAVE(touching, "child", "touch", "64");

	memset(large, 1, ours);
	run(&spec);
	cr_expect(gt(u64, result.cost.max_rss_bytes, 100 << 10));
	cr_expect(lt(u64, result.cost.max_rss_bytes, 20 << 20));
	run(&touching);
	cr_expect(ge(u64, result.cost.max_rss_bytes, 64 << 20));
	cr_expect(lt(u64, result.cost.max_rss_bytes, 100 << 20));
	run(&spec);
	cr_expect(lt(u64, result.cost.max_rss_bytes, 20 << 20));
	free(large);
}

Test(proc, a_large_request_does_not_raise_later_peaks)
{
	char *huge = malloc(15 << 20);
	const char *const argv[] = {"true", NULL};
	struct pe_proc_spec spec = spec_of(argv);
	uint64_t before;

	run(&spec);
	before = result.cost.max_rss_bytes;
	memset(huge, 'x', (15 << 20) - 1);
	huge[(15 << 20) - 1] = '\0';
	spec.env = (const char *const[]){huge, NULL};
	expect_run(&spec, PE_PROC_NOT_STARTED, E2BIG);
	spec.env = no_env;
	run(&spec);
	cr_expect(lt(u64, result.cost.max_rss_bytes, before + (4 << 20)));
	free(huge);
}

Test(proc, costs_are_the_trees)
{
	BEHAVE(waited, "brood", "1", "child", "child", "spin", "100");
	BEHAVE(orphaned, "orphan", note_path, "spin", "100", "sleep");

	/* Two processes that each wait for a grandchild; one of the two is nobody's to wait for. */
	expect_run(&waited, PE_PROC_EXITED, 0);
	cr_expect(ge(u64, result.cost.user_ns + result.cost.sys_ns, 95 * SECOND / 1000));
	cr_expect(gt(u64, result.cost.minor_faults, 0));
	cr_expect(gt(u64, result.cost.voluntary_switches, 0));
	/* What the daemon used until it was ended is part of it; it may have got nowhere. */
	expect_run(&orphaned, PE_PROC_EXITED, 0);
	cr_expect(eq(uint, result.left_behind, 1));
}

Test(proc, instructions_are_counted_or_said_to_be_unknown)
{
	BEHAVE(spec, "spin", "1");

	spec.flags = PE_PROC_INSTRUCTIONS;
	expect_run(&spec, PE_PROC_EXITED, 0);
	if (result.cost.has_instructions)
		cr_expect(gt(u64, result.cost.instructions, 1000));
	else
		cr_expect(eq(u64, result.cost.instructions, 0));
	if (!pe_launcher_counts_instructions(launcher))
		cr_expect(not(result.cost.has_instructions));
}

/* Differences are exact: what starts the program, and its loader, read as much each time. */
Test(proc, bytes_read_and_written_are_the_trees)
{
	static const char *const commands[] = {
		"dd if=/dev/zero of=/dev/null bs=1000 count=100 status=none; exit 0",
		"dd if=/dev/zero of=/dev/null bs=1000 count=300 status=none; exit 0",
	};
	uint64_t read[2], written[2];

	for (int i = 0; i < 2; i++) {
		const char *const argv[] = {"/bin/sh", "-c", commands[i], NULL};
		struct pe_proc_spec spec = spec_of(argv);

		expect_run(&spec, PE_PROC_EXITED, 0);
		if (!result.cost.has_bytes)
			cr_skip_test("the kernel does not count them here");
		read[i] = result.cost.read_bytes;
		written[i] = result.cost.written_bytes;
	}
	cr_expect(ge(u64, read[0], 100000));
	cr_expect(ge(u64, written[0], 100000));
	cr_expect(eq(u64, read[1] - read[0], 200000));
	cr_expect(eq(u64, written[1] - written[0], 200000));
}

static void count_interrupt(int signal)
{
	(void)signal;
	interrupts = interrupts + 1;
}

static void catch_pokes(void)
{
	struct sigaction action = {.sa_handler = count_interrupt};

	interrupts = 0;
	sigaction(SIGUSR1, &action, NULL);
}

Test(proc, the_first_interrupt_lets_the_run_finish_the_second_ends_it)
{
	char us[16];

	catch_pokes();
	snprintf(us, sizeof(us), "%d", (int)getpid());
	{
		BEHAVE(once, "poke", us, "exit", "5");
		BEHAVE(again, "orphan", note_path, "ignore", "poke", us, "sleep");
		BEHAVE(sleeping, "poke", us, "brood", "1", "note", note_path, "sleep");

		once.interrupts = again.interrupts = sleeping.interrupts = &interrupts;
		expect_run(&once, PE_PROC_EXITED, 5);
		cr_expect(eq(int, interrupts, 1));
		run(&sleeping);
		cr_expect(eq(int, result.end, PE_PROC_STOPPED));
		/* Whoever was asked to stop does not start another one. */
		unlink(note_path);
		run(&again);
		cr_expect(eq(int, result.end, PE_PROC_STOPPED));
		cr_expect(eq(int, access(note_path, F_OK), -1));
		/* The launcher is there for what comes after. */
		once.interrupts = NULL;
		expect_run(&once, PE_PROC_EXITED, 5);
	}
}

Test(proc, nothing_outlives_a_killed_parent)
{
	BEHAVE(spec, "brood", "1", "ignore", "brood", "1", "note", note_path, "sleep");
	pid_t parent = fork();

	if (parent == 0) {
		struct pe_launcher *own;

		if (pe_launcher_open(&own, NULL, NULL) == PE_OK)
			pe_launcher_run(&result, own, &spec, NULL);
		_exit(1);
	}
	while (access(note_path, F_OK) != 0 || strlen(content(note_path)) < 8)
		nap();
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	while (!noted_are_gone())
		nap();
}

Test(proc, a_lost_launcher_is_an_error_and_stays_one)
{
	char us[16];
	BEHAVE(spec, "exit", "0");
	const char *const killer[] = {"/bin/sh", "-c", "kill -9 $PPID; sleep 1000", NULL};

	snprintf(us, sizeof(us), "%d", (int)getpid());
	spec.argv = killer;
	cr_expect(eq(int, pe_launcher_run(&result, launcher, &spec, &err), PE_ESYS));
	cr_expect(eq(int, pe_launcher_run(&result, launcher, &spec, &err), PE_ESYS));
}

Test(proc, no_descriptor_reaches_the_command)
{
	BEHAVE(spec, "descriptors");
	int stray = open("/dev/null", O_RDONLY);
	struct pe_launcher *second;

	cr_assert(eq(int, pe_launcher_open(&second, NULL, &err), PE_OK));
	cr_assert(eq(int, pe_launcher_run(&result, second, &spec, &err), PE_OK));
	cr_expect_str_eq(content(out_path), "3\n");
	pe_launcher_close(second);
	close(stray);
}

Test(proc, an_unusable_launcher_is_told)
{
	struct pe_launcher *other;

	cr_expect(eq(int, pe_launcher_open(&other, "/nowhere/launcher", &err), PE_ENOTFOUND));
	cr_expect(eq(ptr, other, NULL));
	cr_expect_fails(pe_launcher_open(&other, "/bin/true", &err), PE_ESYS, err.message,
			"/bin/true");
	setenv("PERFEVO_LAUNCH", "/nowhere/launcher", 1);
	cr_expect_fails(pe_launcher_open(&other, NULL, &err), PE_ENOTFOUND, err.message,
			"PERFEVO_LAUNCH");
	unsetenv("PERFEVO_LAUNCH");
	pe_launcher_close(NULL);
}

Test(proc, ends_are_described_in_words)
{
	static const struct {
		struct pe_proc_result result;
		const char *words;
	} cases[] = {
		{{.end = PE_PROC_EXITED, .status = 3}, "exited with status 3"},
		{{.end = PE_PROC_EXITED, .status = 128 + SIGSEGV},
		 "exited with status 139 (128 + SIGSEGV)"},
		{{.end = PE_PROC_EXITED, .status = 255}, "exited with status 255"},
		{{.end = PE_PROC_SIGNALED, .status = SIGSEGV}, "killed by SIGSEGV"},
		{{.end = PE_PROC_SIGNALED, .status = 60}, "killed by signal 60"},
		{{.end = PE_PROC_TIMED_OUT, .cost.wall_ns = 60003000000}, "timed out after 60.0 s"},
		{{.end = PE_PROC_TIMED_OUT, .cost.wall_ns = 2500100000}, "timed out after 2.5 s"},
		{{.end = PE_PROC_TIMED_OUT, .cost.wall_ns = 350400000}, "timed out after 0.4 s"},
		{{.end = PE_PROC_OUTPUT_FULL}, "exceeded the output limit"},
		{{.end = PE_PROC_DISK_FULL}, "ended for filling more of the disk than it may"},
		{{.end = PE_PROC_DISK_FULL, .status = ENOSPC}, "ended before the disk was full"},
		{{.end = PE_PROC_RECORDS_FULL}, "ended for leaving more records than it may"},
		{{.end = PE_PROC_STOPPED}, "stopped"},
		{{.end = PE_PROC_NOT_STARTED, .status = ENOENT},
		 "could not be started: No such file or directory"},
	};
	char buffer[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect(eq(
			str,
			(char *)(size_t)pe_proc_describe(&cases[i].result, buffer, sizeof(buffer)),
			(char *)(size_t)cases[i].words));
}

/* --- Limits: where there are no cgroups to be had, those of each process --- */

static struct pe_wire_limited limit(uint64_t memory_bytes, unsigned processes, const char *group)
{
	const struct pe_wire_limit limit = {.memory_bytes = memory_bytes, .processes = processes};
	struct pe_wire_limited kept;

	cr_assert_ok(pe_launcher_limit(&kept, launcher, &limit, group, &err), err.message);
	return kept;
}

/* A command in a folder of which it may fill 8 MiB, and a moment in which somebody may look. */
static void fill(const char *folder, const char *script)
{
	char text[256];
	const char *const argv[] = {"sh", "-c", text, NULL};
	struct pe_proc_spec spec = spec_of(argv);

	snprintf(text, sizeof(text), "m() { head -c 1048576 /dev/urandom >$1; }; %s; sleep 0.3",
		 script);
	spec.places[0] = spec.cwd = folder;
	spec.output_bytes = 1 << 20;
	run(&spec);
}

Test(proc, many_files_of_a_folder_are_bounded_as_one_is)
{
	const struct pe_wire_limit bound = {.disk_bytes = 8u << 20};
	struct pe_wire_limited kept;
	char around[] = "/tmp/perfevo-disk-XXXXXX", folder[64];

	cr_assert(ne(ptr, mkdtemp(around), NULL));
	snprintf(folder, sizeof(folder), "%s/tree", around);
	cr_assert(eq(int, mkdir(folder, 0700), 0));
	cr_assert(eq(int, pe_launcher_limit(&kept, launcher, &bound, NULL, &err), PE_OK));
	fill(folder, "for i in 1 2 3; do m $i; done");
	expect_end(PE_PROC_EXITED, 0);
	fill(folder, "for i in 4 5 6 7 8 9 a b c; do m $i; ln $i l$i; done");
	expect_end(PE_PROC_DISK_FULL, 0);
	fill(folder, "rm *; for i in 1 2 3 4; do m ../$i; m ../x$i; m $i; done");
	expect_end(PE_PROC_EXITED, 0);
	/* Where nobody looks any more. */
	fill(folder,
	     "rm *; p=$(printf d/%.0s $(seq 120)); mkdir -p $p; for i in 1 2 3 4 5 6 7 8 9; do m $p$i; done");
	expect_end(PE_PROC_DISK_FULL, 0);
	fill(around, "rm -r *; rmdir $PWD");
	expect_end(PE_PROC_EXITED, 0);
}

Test(proc, records_are_bounded_apart_from_the_tree)
{
	const char *const argv[] = {"sh", "-c", "head -c 4194304 /dev/urandom >log; sleep 10",
				    NULL};
	struct pe_proc_spec spec = spec_of(argv);
	char records[] = "/tmp/perfevo-records-XXXXXX";

	cr_assert(ne(ptr, mkdtemp(records), NULL));
	spec.places[0] = "/";
	spec.places[1] = spec.cwd = records;
	spec.output_bytes = spec.records_bytes = 1 << 20;
	expect_run(&spec, PE_PROC_RECORDS_FULL, 0);
	spec.records_bytes = 8 << 20;
	spec.timeout_ns = 300000000;
	expect_run(&spec, PE_PROC_TIMED_OUT, 0);
}

Test(proc, what_is_left_of_a_command_in_a_group_is_ended_and_counted)
{
	const char *const argv[] = {"sh", "-c", "for i in 1 2 3; do sleep 99 & done", NULL};
	const struct pe_proc_spec leaver = spec_of(argv);

	limit(0, 1000, NULL);
	expect_run(&leaver, PE_PROC_EXITED, 0);
	cr_expect(eq(u32, result.left_behind, 3));
}
