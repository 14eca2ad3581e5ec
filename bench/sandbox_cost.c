/*
 * What a sandbox costs, for sandbox_cost.sh: one command through two launchers, one confined and one not, in pairs of
 * random order.
 *
 *   pe_bench_sandbox_cost auto|require|landlock|limits PAIRS
 *   pe_bench_sandbox_cost work nothing|computing|longer|calling
 *
 * The second is the command: it ends at once, computes for some 10 or some 100 milliseconds, or calls the kernel. Prints for
 * each of these the ratio of what is reported, confined over not, as median with a 95 % interval of order statistics
 * (distribution-free), and beside it what a run takes in all; and the same of the difference, which is the same for
 * 10 and 100 milliseconds where it is the start that costs.
 */
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/exec/limits.h"
#include "core/exec/sandbox.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAIN, CONFINED, N_SIDES, N_FIGURES = 3 };

struct bench {
	struct pe_launcher *launchers[N_SIDES];
	const char *program;
	struct pe_err err;
};

static int work(const char *kind)
{
	volatile unsigned sum = 0;

	if (strcmp(kind, "calling") != 0) {
		unsigned n = strcmp(kind, "longer") == 0      ? 80u << 20
			     : strcmp(kind, "computing") == 0 ? 8u << 20
							      : 0;

		for (unsigned i = 0; i < n; i++)
			sum = sum * 31 + i;
		return 0;
	}
	for (int i = 0; i < 4000; i++) {
		struct stat about;
		int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
		char byte;

		if (fd < 0 || fstat(fd, &about) != 0 || read(fd, &byte, 1) != 1 || close(fd) != 0)
			return 1;
	}
	return 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_median(double *values, size_t n, int digits)
{
	double reach = 1.96 * sqrt((double)n) / 2;
	size_t low = (size_t)fmax(0, floor((double)n / 2 - reach));
	size_t high = (size_t)fmin((double)n - 1, ceil((double)n / 2 + reach));

	qsort(values, n, sizeof(*values), by_size);
	printf("  %9.*f  [%.*f, %.*f]", digits, values[n / 2], digits, values[low], digits,
	       values[high]);
}

/* Reported wall and CPU time, and what the whole exchange with the launcher took. */
static int run(double figures[N_FIGURES], struct bench *bench, int side, const char *kind)
{
	const char *const argv[] = {bench->program, "work", kind, NULL}, *const env[] = {NULL};
	const struct pe_proc_spec spec = {.argv = argv, .env = env, .cwd = "/", .cpu = -1};
	struct pe_proc_result result;
	uint64_t began = pe_clock_ns();
	int rc = pe_launcher_run(&result, bench->launchers[side], &spec, &bench->err);

	figures[2] = (double)(pe_clock_ns() - began);
	figures[0] = (double)result.cost.wall_ns;
	figures[1] = (double)(result.cost.user_ns + result.cost.sys_ns);
	if (rc == PE_OK && (result.end != PE_PROC_EXITED || result.status != 0))
		rc = pe_fail(&bench->err, PE_EINVALID, "the command failed");
	return rc;
}

static int compare(struct bench *bench, const char *kind, size_t n)
{
	static const char *const names[N_FIGURES] = {"wall", "cpu", "in all"};
	double *ratios = calloc(2 * N_FIGURES * n, sizeof(*ratios));
	double *more_us = ratios + N_FIGURES * n;
	int rc = ratios != NULL ? PE_OK : PE_ESYS;

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		double figures[N_SIDES][N_FIGURES];
		int first = rand() % 2;

		rc = run(figures[first], bench, first, kind);
		if (rc == PE_OK)
			rc = run(figures[!first], bench, !first, kind);
		for (size_t j = 0; rc == PE_OK && j < N_FIGURES; j++) {
			ratios[j * n + i] = figures[CONFINED][j] / figures[PLAIN][j];
			more_us[j * n + i] = (figures[CONFINED][j] - figures[PLAIN][j]) / 1e3;
		}
	}
	if (rc == PE_OK)
		printf("%s, confined / not, %zu pairs\n", kind, n);
	for (size_t j = 0; rc == PE_OK && j < N_FIGURES; j++) {
		printf("  %-7s", names[j]);
		print_median(ratios + j * n, n, 5);
		fputs("   us more", stdout);
		print_median(more_us + j * n, n, 1);
		putchar('\n');
	}
	free(ratios);
	return rc;
}

/* Bounds that no command meets: of all its processes by a cgroup, where one can be had. */
static int bound(struct bench *bench, struct pe_arena *arena)
{
	const struct pe_limits limits = {
		.memory_bytes = UINT64_C(1) << 40, .processes = 8192, .memory_at = "here"};
	const char *lacks;
	int rc = pe_limits_enter(bench->launchers[CONFINED], &limits, true, &lacks, arena,
				 &bench->err);

	if (rc == PE_OK && lacks != NULL)
		printf("%s\n", lacks);
	return rc;
}

static int open_sides(struct bench *bench, const struct pe_sandbox *sandbox, const char *dir)
{
	struct pe_arena arena = PE_ARENA_INIT;
	const struct pe_sandbox_site site = {
		.sandbox = sandbox, .cache_dir = dir, .programs = {&bench->program, 1}};
	int rc = pe_launcher_open(&bench->launchers[PLAIN], NULL, &bench->err);
	uint64_t began;

	if (rc == PE_OK)
		rc = pe_launcher_open(&bench->launchers[CONFINED], NULL, &bench->err);
	began = pe_clock_ns();
	if (rc == PE_OK && sandbox->mode == PE_SANDBOX_OFF)
		rc = bound(bench, &arena);
	else if (rc == PE_OK)
		rc = pe_sandbox_enter(bench->launchers[CONFINED], &site, &arena, &bench->err);
	if (rc == PE_OK)
		printf("to confine a session: %.2f ms\n", (double)(pe_clock_ns() - began) / 1e6);
	pe_arena_release(&arena);
	return rc;
}

int main(int argc, char **argv)
{
	struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO};
	struct bench bench = {.err = PE_ERR_INIT};
	char dir[] = "/tmp/perfevo-sandbox-XXXXXX", program[4096] = "";
	size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	int rc;

	if (argc == 3 && strcmp(argv[1], "work") == 0)
		return work(argv[2]);
	if (n == 0 || readlink("/proc/self/exe", program, sizeof(program) - 1) < 0 ||
	    mkdtemp(dir) == NULL) {
		fputs("usage: pe_bench_sandbox_cost auto|require|landlock|limits PAIRS\n", stderr);
		return 129;
	}
	if (strcmp(argv[1], "require") == 0)
		sandbox.mode = PE_SANDBOX_REQUIRE;
	else if (strcmp(argv[1], "limits") == 0)
		sandbox.mode = PE_SANDBOX_OFF;
	sandbox.by_landlock = strcmp(argv[1], "landlock") == 0;
	bench.program = program;
	rc = open_sides(&bench, &sandbox, dir);
	if (rc == PE_OK)
		rc = compare(&bench, "nothing", n);
	if (rc == PE_OK)
		rc = compare(&bench, "computing", n);
	if (rc == PE_OK)
		rc = compare(&bench, "longer", n / 10 + 1);
	if (rc == PE_OK)
		rc = compare(&bench, "calling", n);
	if (rc != PE_OK)
		fprintf(stderr, "sandbox_cost: %s\n", bench.err.message);
	for (int i = 0; i < N_SIDES; i++)
		pe_launcher_close(bench.launchers[i]);
	pe_files_remove(dir, NULL);
	return rc == PE_OK ? 0 : rc == PE_EUNSUPPORTED ? 125 : 128;
}
