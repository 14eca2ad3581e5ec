/* The extraction in a process of its own: answers are pe_extract()'s, and a dead worker costs one file. */
#include "analysis/methods/worker.h"

#include "tests/methods/reading.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct pe_arena arena;
static struct pe_text packed = PE_TEXT_INIT;
static uint64_t limit_us; /* of a file's time; 0: by its size */
static volatile sig_atomic_t interrupts;

TestSuiteWith(worker, (interrupts = 0, limit_us = 0),
	      (pe_text_release(&packed), pe_arena_release(&arena)), .timeout = 600);

static const char small[] = "int f(void)\n{\n\treturn 1;\n}\n";

static int ask(struct pe_methods *out, const char *path, const char *text, size_t n)
{
	const struct pe_source_file file = {pe_language_of(path), path, text, n, limit_us};
	struct pe_err err = PE_ERR_INIT;

	return pe_worker_extract(out, &packed, &file, &interrupts, &arena, &err);
}

/* The next file is read as ever. */
static void expect_it_goes_on(void)
{
	struct pe_methods methods;

	cr_assert(eq(int, ask(&methods, "a.c", small, strlen(small)), PE_OK));
	cr_assert(eq(sz, methods.n, 1));
	cr_expect_text("f 0", methods.at[0].name, methods.unread);
	cr_expect(not(methods.ran_out));
}

static void repeat(struct pe_text *out, const char *piece, int n)
{
	for (int i = 0; i < n; i++)
		pe_text_add(out, piece);
}

/* A text that keeps the parser busy for many seconds, with one look at the clock in all of them. */
static void add_slow_text(struct pe_text *out)
{
	repeat(out, "a < ", 31000);
}

Test(worker, answers_as_the_extraction_does)
{
	static const char *const texts[] = {
		small, "", "int g(int a) { return a; }\nint h(void) { return g(2); }\n", "}}}{{{"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct pe_methods expected = read_text("dir/a.c", texts[i], &arena), found;
		struct pe_text again = PE_TEXT_INIT;

		cr_assert(eq(int, ask(&found, "dir/a.c", texts[i], strlen(texts[i])), PE_OK));
		pe_methods_pack(&again, &expected);
		cr_expect(eq(sz, found.n, expected.n));
		cr_expect(eq(sz, found.unread, expected.unread));
		cr_expect(eq(sz, found.files, 1));
		if (found.n > 0)
			cr_expect_str_eq(found.at[0].component, "dir/a.c");
		cr_assert(eq(sz, packed.len, again.len));
		cr_expect(memcmp(packed.data, again.data, again.len) == 0);
		pe_text_release(&again);
	}
}

/* More than a pipe holds at once. */
Test(worker, gives_megabytes)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_methods methods;

	for (int i = 0; i < 30000; i++)
		pe_text_addf(&text, "int function_%d(int a) { return a + %d; }\n", i, i);
	limit_us = UINT64_C(200000000);
	cr_assert(eq(int, ask(&methods, "a.c", text.data, text.len), PE_OK));
	cr_expect_text("30000 0", methods.n, methods.unread);
}

/*
 * Texts on which versions of the parser corrupt memory; one that does not, reads them, within its time or not.
 * Whatever it does, it is not done to us, and it is the same at the second time.
 */
Test(worker, a_crash_costs_one_file)
{
	static const struct {
		const char *path, *piece;
		int n;
	} cases[] = {
		{"p.c", "+ ", 70000},
		{"t.cpp", "A<B<C<(D) ", 7500},
		{"B.java", "a \xE2\x80\xB9 ", 40000},
	};

	expect_it_goes_on();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_text text = PE_TEXT_INIT;
		struct pe_methods first, second;

		repeat(&text, cases[i].piece, cases[i].n);
		cr_assert(eq(int, ask(&first, cases[i].path, text.data, text.len), PE_OK));
		cr_expect(gt(sz, first.unread, 0));
		expect_it_goes_on();
		/* The first is asked for again: to read the others until they crash takes seconds. */
		if (i > 0) {
			pe_text_release(&text);
			continue;
		}
		cr_assert(eq(int, ask(&second, cases[i].path, text.data, text.len), PE_OK));
		cr_expect(eq(sz, second.n, first.n));
		cr_expect(eq(sz, second.unread, first.unread));
		expect_it_goes_on();
		pe_text_release(&text);
	}
}

Test(worker, the_time_limit_binds)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_methods methods;
	struct rusage used;

	add_slow_text(&text);
	limit_us = 300000;
	cr_assert(eq(int, ask(&methods, "Slow.java", text.data, text.len), PE_OK));
	cr_expect(methods.ran_out);
	cr_expect_text("1 0", methods.unread, methods.files);
	/* What the kernel booked on the dead: its time, and not the rest of the step. */
	getrusage(RUSAGE_CHILDREN, &used);
	cr_expect(lt(long, (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec), 3L));
	limit_us = 0;
	expect_it_goes_on();
}

/* The kernel ends each worker after a second of its time: no fault of the file, and no answer to keep. */
Test(worker, a_file_whose_workers_are_ended_from_outside_is_given_up)
{
	const struct rlimit second = {1, RLIM_INFINITY};
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_methods methods;

	add_slow_text(&text);
	signal(SIGXCPU, SIG_DFL);
	cr_assert(eq(int, setrlimit(RLIMIT_CPU, &second), 0));
	limit_us = UINT64_C(200000000);
	cr_assert(eq(int, ask(&methods, "Slow.java", text.data, text.len), PE_OK));
	cr_expect(methods.ran_out);
	cr_expect(eq(sz, methods.unread, 1));
	expect_it_goes_on();
}

static void on_signal(int number)
{
	(void)number;
	interrupts = interrupts + 1;
}

Test(worker, ctrl_c_ends_it_while_it_reads)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	const struct timespec pause = {0, 100000000};
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_methods methods;
	pid_t self = getpid(), sender;

	add_slow_text(&text);
	sigaction(SIGUSR1, &action, NULL);
	expect_it_goes_on();
	sender = fork();
	if (sender == 0) {
		/* Again and again: whenever it comes it ends what is under way, or keeps it from starting. */
		do
			nanosleep(&pause, NULL);
		while (getppid() == self && kill(self, SIGUSR1) == 0);
		_exit(0);
	}
	limit_us = UINT64_C(200000000);
	cr_expect(eq(int, ask(&methods, "Slow.java", text.data, text.len), PE_ESTOPPED));
	kill(sender, SIGKILL);
	waitpid(sender, NULL, 0);
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
	cr_expect(eq(int, errno, ECHILD));
}

/* The child of a process; 0: it has none. */
static pid_t child_of(pid_t parent)
{
	DIR *all = opendir("/proc");
	struct dirent *entry;
	long found = 0;

	cr_assert(all != NULL);
	while (found == 0 && (entry = readdir(all)) != NULL) {
		char path[300];
		long pid = 0, of = 0;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		stat = fopen(path, "re");
		if (stat != NULL && fscanf(stat, "%ld (%*[^)]) %*c %ld", &pid, &of) == 2 &&
		    of == (long)parent)
			found = pid;
		if (stat != NULL)
			fclose(stat);
	}
	closedir(all);
	return (pid_t)found;
}

/* The worker of a process, once it has one. */
static pid_t worker_of(pid_t reader)
{
	const struct timespec pause = {0, 1000000};
	pid_t worker;

	while ((worker = child_of(reader)) == 0)
		nanosleep(&pause, NULL);
	return worker;
}

/* A child of ours that reads a slow text in a worker. */
static pid_t start_reader(void)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_methods methods;
	pid_t reader;

	add_slow_text(&text);
	limit_us = UINT64_C(200000000);
	reader = fork();
	if (reader != 0)
		return reader;
	_exit(ask(&methods, "Slow.java", text.data, text.len) == PE_OK && !methods.ran_out ? 0 : 1);
}

/* Regular files that a process has open; where it is not to be looked into, but by root, none. */
static int count_files(pid_t pid)
{
	char folder[64];
	struct dirent *entry;
	struct stat status;
	int n = 0;
	DIR *fds;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pid);
	fds = opendir(folder);
	while (fds != NULL && (entry = readdir(fds)) != NULL)
		n += fstatat(dirfd(fds), entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode);
	if (fds != NULL)
		closedir(fds);
	return n;
}

/* What the terminal sends to all of its processes is for the parent to judge. */
Test(worker, it_ignores_the_terminal_and_keeps_nothing_of_its_parent_open)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
	const struct timespec pause = {0, 1000000};
	FILE *lock = tmpfile();
	pid_t reader = start_reader(), pid = worker_of(reader);

	cr_assert(lock != NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		cr_assert(eq(int, kill(pid, signals[i]), 0));
	while (count_files(pid) > 0) /* it closes them first of all */
		nanosleep(&pause, NULL);
	fclose(lock);
	cr_expect(eq(int, kill(pid, 0), 0));
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
}

Test(worker, it_dies_with_its_parent)
{
	pid_t reader, orphan;

	prctl(PR_SET_CHILD_SUBREAPER, 1); /* the orphan becomes ours */
	reader = start_reader();
	orphan = worker_of(reader);
	cr_assert(gt(int, orphan, 0));
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
	cr_assert(eq(int, waitpid(orphan, NULL, 0), orphan));
}
