/* What valgrind writes down of system calls, and what a process that has its own lines in it can make of that. */
#define _GNU_SOURCE
#include "core/base/text.h"
#include "core/exec/simulate_calls.h"
#include "tests/support/test.h"

#include <sys/mman.h>

static struct pe_simulated_calls calls;
static struct pe_arena arena;

TestSuiteWith(simulate_calls, calls = (struct pe_simulated_calls){.bytes = 0},
	      pe_arena_release(&arena), .timeout = 600);

static const char *add_bytes(const char *log, size_t n)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	const char *problem;

	cr_assert(fd >= 0 && write(fd, log, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
	problem = pe_simulated_calls_read(&calls, fd, &arena);
	close(fd);
	return problem;
}

static const char *add(const char *log)
{
	return add_bytes(log, strlen(log));
}

static void expect(const char *lines)
{
	const struct pe_system_calls taken = pe_simulated_calls_take(&calls, &arena);

	cr_expect_str_eq(pe_system_calls_pack(&taken, &arena), lines);
}

#define BEGIN                                                                                      \
	"--7-- warning: L3 cache found, using its data for the LL simulation.\n"                   \
	"SYSCALL[7,1](12) sys_brk ( 0x0 ) --> [pre-success] Success(0x4035000) \n"                 \
	"SYSCALL[7,1](257) sys_openat ( 4294967196, 0x4034bb0(/usr/libexec/valgrind/"              \
	"vgpreload_core-amd64-linux.so), 524288 ) --> [async] ... \n"                              \
	"SYSCALL[7,1](257) ... [async] --> Success(0x4) \n"                                        \
	"SYSCALL[7,1](9) sys_mmap ( 0x0, 8192, 3, 34, 4294967295, 0 ) --> [pre-success] "          \
	"Success(0x4835000) \n"                                                                    \
	"SYSCALL[7,1](3) sys_close ( 4 )[sync] --> Success(0x0) \n"

Test(simulate_calls, without_a_name_have_their_number)
{
	add("SYSCALL[7,1](334) unimplemented (by the kernel) syscall: 334! (ni_syscall)\n"
	    " --> [pre-fail] Failure(0x26) \n"
	    "SYSCALL[7,1](72) sys_fcntl[ARG3=='arg'] ( 3, 2, 1 )[sync] --> Success(0x0) \n"
	    "SYSCALL[7,1](629) unhandled syscall: 629\n"
	    "SYSCALL[7,1](1073741825) unhandled syscall: 1073741825\n");
	expect("call-334 1\ncall-629 1\ncall-other 1\nfcntl 1\n");
}

Test(simulate_calls, leave_what_valgrind_says_to_be_found)
{
	pe_auto_text log = PE_TEXT_INIT;
	const char *problem;

	pe_text_add(&log, BEGIN);
	for (int i = 0; i < 5000; i++)
		pe_text_add(&log, "SYSCALL[7,1](39) sys_getpid ( )[sync] --> Success(0x7) \n");
	pe_text_add(&log, "==7== \n==7== Process terminating with default action of signal 4\n");
	for (int i = 0; i < 5000; i++)
		pe_text_add(&log, "==7==    at 0x109129: main (in /tmp/a)\n");
	problem = add(pe_text_str(&log));
	cr_assert(ne(ptr, (void *)(size_t)problem, NULL));
	cr_expect_str_eq(problem, "Process terminating with default action of signal 4");
	expect("brk 1\ngetpid 5000\n");
}

Test(simulate_calls, of_hostile_paths_and_lines_are_bounded)
{
	static char log[3 * 4096];
	size_t n = strlen("SYSCALL[7,1](87) sys_unlink ( 0x1(");

	/* A path longer than any, and one that goes on as a call. */
	memset(log, 'a', sizeof(log));
	memcpy(log, "SYSCALL[7,1](87) sys_unlink ( 0x1(", n);
	log[sizeof(log) - 1] = '\n';
	add_bytes(log, sizeof(log));
	add("SYSCALL[7,1](87) sys_unlink ( 0x1(/x\nSYSCALL[1,1](2) evil\n), 1 )[sync] --> Success(0x0) \n");
	expect("call-2 1\nunlink 2\n");
}

Test(simulate_calls, that_are_none_count_nothing)
{
	static const char *const lines[] = {
		"SYSCALL[",
		"SYSCALL[7",
		"SYSCALL[7,",
		"SYSCALL[7,1](",
		"SYSCALL[7,1](x) sys_read (",
		"SYSCALL[-7,1](1) sys_write (",
		"SYSCALL[7,1](1)",
		"SYSCALL[7, 1](1) sys_write (",
		"syscall[7,1](1) sys_write (",
		"",
		"\n\n\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		add(lines[i]);
	add_bytes("\0\0\nSYSCALL[7,1](1)\0sys_write", 28);
	expect("");
}

Test(simulate_calls, names_are_words_whatever_a_line_says)
{
	add("SYSCALL[7,1](1) sys_WRITE ( 1 )\nSYSCALL[7,1](2) sys_\033[2J ( 1 )\n"
	    "SYSCALL[7,1](3) aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ( 1 )\n"
	    "SYSCALL[7,1](4) same ( 1 )\nSYSCALL[7,1](5) same ( 1 )\n");
	expect("call-1 1\ncall-2 1\ncall-3 1\nsame 2\n");
}

/* --- Lists --- */

Test(simulate_calls, lists_have_one_form)
{
	static const char *const wrong[] = {
		"write",      "write \n",
		"write 0\n",  "write 01\n",
		"write 1",    "write -1\n",
		"Write 1\n",  "b 1\na 1\n",
		"a 1\na 1\n", "a  1\n",
		"a 1 \n",     "\n",
		" 1\n",       "a 18446744073709551616\n",
	};
	struct pe_system_calls taken;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		cr_expect_not(pe_system_calls_unpack(&taken, wrong[i], &arena), "%s", wrong[i]);
	cr_assert(pe_system_calls_unpack(&taken, "", &arena));
	cr_expect(eq(sz, taken.n, 0));
	cr_assert(pe_system_calls_unpack(&taken, "a 1\nb 18446744073709551615\n", &arena));
	cr_expect(eq(sz, taken.n, 2));
	cr_expect(eq(u64, pe_system_calls_total(&taken), UINT64_MAX));
	cr_expect_str_eq(pe_system_calls_pack(&taken, &arena), "a 1\nb 18446744073709551615\n");
}
