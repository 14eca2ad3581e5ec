/* The counting library in real programs, whose allocations are known. */
#define _GNU_SOURCE
#include "core/base/proc.h"
#include "core/exec/alloc.h"
#include "core/exec/build_variant.h"
#include "probe/formats/alloc.h"
#include "tests/support/test.h"

#include <dirent.h>

#define PROGRAMS PE_BINARY_DIR "/tests/core/"

static char allocate[] = PROGRAMS "pe_program_allocate";
static char static_one[] = PROGRAMS "pe_program_allocate_static";
static char own_new[] = PROGRAMS "pe_program_own_new";
static char own_malloc[] = PROGRAMS "pe_program_own_malloc";

static struct pe_launcher *launcher;
static struct pe_arena arena;
static struct pe_err err;
static struct pe_proc_result result;
static struct pe_alloc_cost cost;
static char dir[256], preload[512], records[300];

static void remove_records(void)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;

	while ((entry = readdir(entries)) != NULL)
		unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
}

static void set_up(void)
{
	const char *runtime = pe_build_variant_library(PE_LIBRARY_COUNTING, &arena, &err);
	const char *tmp = getenv("TMPDIR");

	cr_assert(ne(ptr, (void *)(size_t)runtime, NULL), "%s", err.message);
	snprintf(dir, sizeof(dir), "%s/pe-alloc-XXXXXX", tmp != NULL ? tmp : P_tmpdir);
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", runtime);
	snprintf(records, sizeof(records), PE_ALLOC_DIR_ENV "=%s", dir);
	cr_assert_ok(pe_launcher_open(&launcher, NULL, &err), err.message);
}

static void tear_down(void)
{
	pe_launcher_close(launcher);
	remove_records();
	rmdir(dir);
	pe_arena_release(&arena);
}

TestSuite(alloc, .init = set_up, .fini = tear_down, .timeout = 600);

/* Run a command with the counting library and collect what it left. */
static void count(const char *const *argv)
{
	const char *const env[] = {"PATH=/usr/bin:/bin", preload, records, NULL};
	struct pe_proc_spec spec = {.argv = argv, .env = env, .cpu = -1};

	remove_records();
	cr_assert_ok(pe_launcher_run(&result, launcher, &spec, &err), err.message);
	cr_assert_ok(pe_alloc_collect(&cost, dir, NULL, NULL, &err), err.message);
}

#define COUNT(...) count((const char *const[]){__VA_ARGS__, NULL})

static void expect_text(const char *is, const char *expected)
{
	cr_expect(eq(int, strcmp(is, expected), 0), "'%s' instead of '%s'", is, expected);
}

static void expect(uint64_t allocations, uint64_t bytes, uint64_t frees)
{
	cr_expect(eq(u64, cost.count, allocations));
	cr_expect(eq(u64, cost.bytes, bytes));
	cr_expect(eq(u64, cost.frees, frees));
}

static void expect_complete(void)
{
	char reason[512] = "";

	cr_expect(pe_alloc_complete(&cost, result.pid, reason, sizeof(reason)), "%s", reason);
}

static void expect_incomplete(const char *because)
{
	char reason[512] = "";

	cr_expect(not(pe_alloc_complete(&cost, result.pid, reason, sizeof(reason))));
	cr_expect_has(reason, because);
}

Test(alloc, counts_a_known_program_exactly)
{
	COUNT(allocate, "known");
	expect(10, 1200, 6);
	cr_expect(eq(uint, cost.processes, 1));
	/* Usable sizes are at least what was asked for: 3 blocks of 150 and one of 100 are left. */
	cr_expect(ge(u64, cost.live_bytes, 550));
	cr_expect(ge(u64, cost.peak_bytes, 1200));
	cr_expect(lt(u64, cost.peak_bytes, 1600));
	expect_complete();
}

/* None; a resize is an allocation and a free; aligned blocks count once; each program and each child has a record of its own;
 * a program that cannot be started is not missing. */
Test(alloc, programs_and_their_children_count_exactly)
{
	static const struct {
		const char *argv[9];
		uint64_t allocations, bytes, frees;
		unsigned processes;
	} cases[] = {
		{{allocate, "nothing"}, 0, 0, 0, 1},
		{{allocate, "resize"}, 5, 160, 5, 1},
		{{allocate, "aligned"}, 6, 600, 6, 1},
		{{allocate, "fork"}, 20, 2400, 12, 2},
		{{allocate, "clone"}, 20, 2400, 12, 2},
		{{allocate, "exec", allocate, "known"}, 13, 1230, 6, 2},
		{{allocate, "exec", allocate, "exec", allocate, "exec", allocate, "known"},
		 19,
		 1290,
		 6,
		 4},
		{{allocate, "spawn", allocate, "known"}, 13, 1230, 6, 2},
		{{allocate, "spawn", "/nowhere/program", "x"}, 3, 30, 0, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		count(cases[i].argv);
		cr_expect(cost.count == cases[i].allocations && cost.bytes == cases[i].bytes &&
				  cost.frees == cases[i].frees &&
				  cost.processes == cases[i].processes,
			  "%s %s: %d allocations, %d bytes, %d frees, %u processes",
			  cases[i].argv[1], cases[i].argv[2], (int)cost.count, (int)cost.bytes,
			  (int)cost.frees, cost.processes);
		expect_complete();
		if (i == 1 || i == 2)
			cr_expect(eq(u64, cost.live_bytes, 0));
		if (i == 3) /* The child had its parent's four blocks from the beginning. */
			cr_expect(gt(u64, cost.peak_bytes, 1600));
	}
}

Test(alloc, the_peak_is_the_most_at_once)
{
	COUNT(allocate, "peak");
	expect(2, (1 << 20) + (1 << 10), 2);
	cr_expect(eq(u64, cost.live_bytes, 0));
	cr_expect(ge(u64, cost.peak_bytes, 1 << 20));
	cr_expect(lt(u64, cost.peak_bytes, (1 << 20) + 8192));
}

Test(alloc, threads_are_counted_exactly)
{
	struct pe_alloc_cost idle;

	/* What starting threads allocates is libc's business: the difference is ours. */
	COUNT(allocate, "threads", "8", "0");
	idle = cost;
	COUNT(allocate, "threads", "8", "20000");
	expect(idle.count + 160000, idle.bytes + 160000 * 16, idle.frees + 160000);
	cr_expect(eq(u64, cost.live_bytes, idle.live_bytes));
	expect_complete();
}

Test(alloc, children_forked_amid_threads_count)
{
	COUNT(allocate, "storm", "50");
	cr_expect(eq(int, result.end, PE_PROC_EXITED));
	cr_expect(eq(uint, cost.processes, 51));
	cr_expect(ge(u64, cost.count, 500));
	expect_complete();
}

Test(alloc, what_a_program_did_survives_its_end)
{
	COUNT(allocate, "crash");
	cr_expect(eq(int, result.end, PE_PROC_SIGNALED));
	expect(10, 1200, 6);
	COUNT(allocate, "leave");
	cr_expect(eq(int, result.status, 3));
	expect(10, 1200, 6);
	COUNT(allocate, "abort");
	cr_expect(eq(int, result.status, SIGABRT));
	expect(10, 1200, 6);
}

Test(alloc, is_the_same_in_every_run)
{
	struct pe_alloc_cost first;

	COUNT("/bin/sh", "-c", "ls -l / | sort | cat; echo $(date)");
	first = cost;
	expect_complete();
	cr_expect(gt(u64, first.count, 100));
	COUNT("/bin/sh", "-c", "ls -l / | sort | cat; echo $(date)");
	cr_expect(eq(u64, cost.count, first.count));
	cr_expect(eq(uint, cost.processes, first.processes));
}

Test(alloc, a_static_program_is_not_counted_and_not_zero)
{
	char reason[256] = "";

	COUNT(static_one, "known");
	cr_expect(eq(uint, cost.processes, 0));
	expect_incomplete("no process reported");
	cr_expect(not(pe_alloc_countable(static_one, reason, sizeof(reason))));
	expect_text(reason, "it is statically linked");
	cr_expect(pe_alloc_countable(allocate, reason, sizeof(reason)));
}

Test(alloc, a_static_program_behind_a_shell_is_noticed)
{
	char command[512];

	snprintf(command, sizeof(command), "%s known", static_one);
	COUNT("/bin/sh", "-c", command);
	cr_expect(eq(uint, cost.processes, 1));
	cr_expect(eq(uint, cost.missing, 1));
	expect_incomplete("pe_program_allocate_static");
	snprintf(command, sizeof(command), "true && %s known; true", static_one);
	COUNT("/bin/sh", "-c", command);
	expect_incomplete("pe_program_allocate_static");
	COUNT(allocate, "exec", static_one, "known");
	expect_incomplete("pe_program_allocate_static");
	COUNT(allocate, "spawn", static_one, "known");
	expect_incomplete("pe_program_allocate_static");
	COUNT("/bin/sh", "-c", "env -i /bin/true");
	expect_incomplete("/bin/true");
}

Test(alloc, dynamic_programs_behind_a_static_one_are_not_the_whole)
{
	COUNT(static_one, "spawn", allocate, "known");
	expect(10, 1200, 6);
	expect_incomplete("the command itself");
}

Test(alloc, a_program_with_its_own_allocator_is_reported)
{
	COUNT(own_malloc);
	cr_expect(eq(int, result.status, 0));
	cr_expect(eq(uint, cost.bypassed, 1));
	expect_incomplete("allocator of its own");
}

Test(alloc, operators_that_go_past_malloc_are_counted)
{
	/* The names of C++'s operators contain the size of size_t. */
	if (sizeof(size_t) != sizeof(unsigned long) || sizeof(size_t) != 8)
		cr_skip_test();
	COUNT(own_new);
	cr_expect(eq(int, result.status, 0));
	expect(7, 5 * 24 + 2 * 10, 3);
	cr_expect(eq(u64, cost.live_bytes, 2 * 24 + 2 * 10));
	expect_complete();
}

Test(alloc, leaves_the_programs_output_and_status_alone)
{
	const char *const env[] = {"PATH=/usr/bin:/bin", preload, NULL};
	const char *const argv[] = {allocate, "leave", NULL};
	struct pe_proc_spec spec = {.argv = argv, .env = env, .cpu = -1};

	/* Without a directory the library is there and writes nothing. */
	remove_records();
	cr_assert(eq(int, pe_launcher_run(&result, launcher, &spec, &err), PE_OK));
	cr_expect(eq(int, result.status, 3));
	cr_assert(eq(int, pe_alloc_collect(&cost, dir, NULL, NULL, &err), PE_OK));
	cr_expect(eq(uint, cost.processes, 0));
}

/* A write ends a program that may write no byte (SIGXFSZ). */
Test(alloc, a_limit_on_file_sizes_does_not_end_the_program)
{
	char command[512];

	snprintf(command, sizeof(command), "ulimit -f 0; %s known; exit $?", allocate);
	COUNT("/bin/sh", "-c", command);
	cr_expect(eq(int, result.status, 0));
	expect_incomplete("may not write files");
}

Test(alloc, records_that_cannot_be_read_are_errors)
{
	char path[300];
	struct pe_alloc_record record = {
		.magic = PE_ALLOC_MAGIC, .version = PE_ALLOC_VERSION + 1, .size = sizeof(record)};
	int fd;

	cr_expect(eq(int, pe_alloc_collect(&cost, "/nowhere/records", NULL, NULL, &err),
		     PE_ENOTFOUND));
	snprintf(path, sizeof(path), "%s/1-1.alloc", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	/* Empty: its process was killed before it could write. */
	cr_expect(eq(int, pe_alloc_collect(&cost, dir, NULL, NULL, &err), PE_OK));
	cr_expect(eq(uint, cost.processes, 0));
	cr_assert(eq(sz, (size_t)write(fd, &record, sizeof(record)), sizeof(record)));
	close(fd);
	cr_expect(eq(int, pe_alloc_collect(&cost, dir, NULL, NULL, &err), PE_EUNSUPPORTED));
}

Test(alloc, judges_programs_by_their_files)
{
	char script[700], reason[256];
	FILE *file;
	struct stat shell;

	cr_expect(pe_alloc_countable("/bin/sh", reason, sizeof(reason)));
	cr_expect(pe_alloc_countable("/nowhere/program", reason, sizeof(reason)));
	snprintf(script, sizeof(script), "%s/script", dir);
	file = fopen(script, "w");
	fprintf(file, "#! %s -x\n", static_one);
	fclose(file);
	cr_expect(not(pe_alloc_countable(script, reason, sizeof(reason))));
	expect_text(reason, "it is statically linked");
	file = fopen(script, "w");
	fputs("#!/bin/sh\n", file);
	fclose(file);
	cr_expect(pe_alloc_countable(script, reason, sizeof(reason)));
	cr_assert(eq(int, stat("/bin/sh", &shell), 0));
	snprintf(script, sizeof(script), "cp /bin/sh %s/script && chmod u+s %s/script", dir, dir);
	cr_assert(eq(int, system(script), 0));
	snprintf(script, sizeof(script), "%s/script", dir);
	cr_expect(not(pe_alloc_countable(script, reason, sizeof(reason))));
	expect_text(reason, "it is setuid, setgid or has capabilities");
}
