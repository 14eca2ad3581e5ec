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
static struct pe_worker *worker;
static uint64_t limit_us; /* of a file's time; 0: by its size */
static volatile sig_atomic_t interrupts;

TestSuiteWith(worker, (interrupts = 0, limit_us = 0, worker = pe_worker_new(&interrupts)),
	      (pe_worker_free(worker), pe_arena_release(&arena)), .timeout = 600);

static const char small[] = "int f(void)\n{\n\treturn 1;\n}\n";

static int ask(struct pe_methods *out, const char *path, const char *text, size_t n)
{
	const struct pe_source_file file = {pe_language_of(path), path, text, n, limit_us};
	struct pe_err err = PE_ERR_INIT;

	return pe_worker_extract(out, worker, &file, &arena, &err);
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
		struct pe_text packed = PE_TEXT_INIT;

		cr_assert(eq(int, ask(&found, "dir/a.c", texts[i], strlen(texts[i])), PE_OK));
		pe_methods_pack(&packed, &expected);
		cr_expect(eq(sz, found.n, expected.n));
		cr_expect(eq(sz, found.unread, expected.unread));
		cr_expect(eq(sz, found.files, 1));
		if (found.n > 0)
			cr_expect_str_eq(found.at[0].component, "dir/a.c");
		cr_assert(eq(sz, pe_worker_packed(worker)->len, packed.len));
		cr_expect(memcmp(pe_worker_packed(worker)->data, packed.data, packed.len) == 0);
		pe_text_release(&packed);
	}
}

/* More than a socket holds at once, both ways. */
Test(worker, takes_and_gives_megabytes)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_methods methods;

	for (int i = 0; i < 30000; i++)
		pe_text_addf(&text, "int function_%d(int a) { return a + %d; }\n", i, i);
	limit_us = UINT64_C(200000000);
	cr_assert(eq(int, ask(&methods, "a.c", text.data, text.len), PE_OK));
	cr_expect_text("30000 0", methods.n, methods.unread);
}

Test(worker, one_process_serves_all_files)
{
	pid_t pid;

	cr_expect(eq(int, pe_worker_pid(worker), 0));
	expect_it_goes_on();
	pid = pe_worker_pid(worker);
	cr_expect(gt(int, pid, 0));
	expect_it_goes_on();
	cr_expect(eq(int, pe_worker_pid(worker), pid));
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
	pid_t pid;

	add_slow_text(&text);
	expect_it_goes_on();
	pid = pe_worker_pid(worker);
	limit_us = 300000;
	cr_assert(eq(int, ask(&methods, "Slow.java", text.data, text.len), PE_OK));
	cr_expect(methods.ran_out);
	cr_expect_text("1 0", methods.unread, methods.files);
	cr_expect(ne(int, pe_worker_pid(worker), pid));
	/* What the kernel booked on the dead: its time, and not the rest of the step. */
	getrusage(RUSAGE_CHILDREN, &used);
	cr_expect(lt(long, (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec), 3L));
	limit_us = 0;
	expect_it_goes_on();
}

Test(worker, one_killed_between_files_is_replaced)
{
	pid_t pid;

	expect_it_goes_on();
	pid = pe_worker_pid(worker);
	cr_assert(eq(int, kill(pid, SIGKILL), 0));
	expect_it_goes_on();
	cr_expect(ne(int, pe_worker_pid(worker), pid));
	/* The dead one was seen to: it is no zombie. */
	errno = 0;
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), 0));
	cr_expect(kill(pid, 0) == -1 && errno == ESRCH);
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
	/* Where it came before the source was sent, the worker is as it was before, and ends with the rest. */
	pe_worker_free(worker);
	worker = NULL;
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
	cr_expect(eq(int, errno, ECHILD));
}

/* What the terminal sends to all of its processes is for the parent to judge. */
Test(worker, it_outlives_the_signals_of_a_terminal)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
	pid_t pid;

	expect_it_goes_on();
	pid = pe_worker_pid(worker);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		cr_assert(eq(int, kill(pid, signals[i]), 0));
	expect_it_goes_on();
	cr_expect(eq(int, pe_worker_pid(worker), pid));
}

/* Descriptors of a process: those that are neither its three streams, all elsewhere, nor its only socket. */
Test(worker, it_keeps_nothing_of_its_parent_open)
{
	char folder[64];
	FILE *lock = tmpfile();
	int others = 0, sockets = 0;
	struct dirent *entry;
	struct stat status;
	DIR *fds;

	cr_assert(lock != NULL);
	expect_it_goes_on();
	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pe_worker_pid(worker));
	fds = opendir(folder);
	if (fds == NULL && errno == EACCES) /* it is not to be looked into, but by root */
		cr_skip_test("%s is closed to us", folder);
	cr_assert(fds != NULL);
	while ((entry = readdir(fds)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		cr_assert(eq(int, fstatat(dirfd(fds), entry->d_name, &status, 0), 0));
		sockets += S_ISSOCK(status.st_mode);
		others += !S_ISSOCK(status.st_mode) && !S_ISCHR(status.st_mode);
	}
	closedir(fds);
	fclose(lock);
	cr_expect_text("1 0", sockets, others);
}

enum { MANY_FDS = 1024 };

/* Programs that the parent starts later must not hold the socket open. */
Test(worker, its_socket_is_not_inherited)
{
	bool before[MANY_FDS];
	int more = 0;

	for (int fd = 0; fd < MANY_FDS; fd++)
		before[fd] = fcntl(fd, F_GETFD) >= 0;
	expect_it_goes_on();
	for (int fd = 0; fd < MANY_FDS; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags < 0 || before[fd])
			continue;
		more++;
		flags &= FD_CLOEXEC;
		cr_expect(eq(int, flags, FD_CLOEXEC), "%d is inherited", fd);
	}
	cr_expect(eq(int, more, 1));
}

Test(worker, it_dies_with_its_parent)
{
	int ends[2], status;
	pid_t child, orphan = 0;

	cr_assert(eq(int, pipe(ends), 0));
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* the orphan becomes ours */
	child = fork();
	if (child == 0) {
		expect_it_goes_on();
		orphan = pe_worker_pid(worker);
		if (write(ends[1], &orphan, sizeof(orphan)) != sizeof(orphan))
			_exit(1);
		pause();
	}
	close(ends[1]);
	cr_assert(eq(sz, (size_t)read(ends[0], &orphan, sizeof(orphan)), sizeof(orphan)));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_assert(eq(int, waitpid(orphan, &status, 0), orphan));
	close(ends[0]);
}
