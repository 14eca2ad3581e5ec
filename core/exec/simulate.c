#include "core/base/files.h"
#include "core/exec/simulate.h"

#include "core/base/place.h"
#include "core/base/walk.h"
#include "core/exec/simulate_calls.h"
#include "core/exec/simulate_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAIL_BYTES = 4096 };

const char *pe_simulate_program(struct pe_arena *arena, struct pe_err *err)
{
	const char *named = getenv("PERFEVO_VALGRIND");
	const char *path =
		named != NULL ? pe_arena_strdup(arena, named) : pe_place_on_path("valgrind", arena);

	if (path != NULL && path[0] != '\0' && access(path, X_OK) == 0)
		return path;
	if (named != NULL && named[0] != '\0')
		pe_fail(err, PE_ENOTFOUND, "PERFEVO_VALGRIND names %s, which cannot be run", named);
	else
		pe_fail(err, PE_ENOTFOUND, "valgrind is not installed");
	return NULL;
}

/* A command behind valgrind's own words. */
static struct pe_command below(const char *const *options, size_t n_options,
			       const struct pe_command *command, struct pe_arena *arena)
{
	const char **argv;
	size_t n = 0;

	while (command->argv[n] != NULL)
		n++;
	argv = pe_arena_new(arena, const char *, n_options + n + 1);
	memcpy(argv, options, n_options * sizeof(*options));
	memcpy(argv + n_options, command->argv, (n + 1) * sizeof(*argv));
	return (struct pe_command){argv, command->text};
}

/*
 * Options of the user's own, from a file or the environment, would be other counts. Where valgrind follows branches, it turns
 * `A && B` into one condition and counts the instructions of B also where A is false.
 */
#define COMMON                                                                                     \
	"--vex-guest-chase=no", "--command-line-only=yes", "--cache-sim=no", "--branch-sim=no",    \
		"--trace-children=yes", "--vgdb=no", "-q"

struct pe_command pe_simulate_command(const char *program, const struct pe_command *command,
				      const char *dir, unsigned flags, struct pe_arena *arena)
{
	const char *const options[] = {
		program,
		"--tool=cachegrind",
		(flags & PE_SIMULATE_TRACED) != 0 ? "--trace-syscalls=yes" : "--trace-syscalls=no",
		COMMON,
		pe_arena_printf(arena, "--cachegrind-out-file=%s/" PE_SIMULATE_RECORD "%%p", dir),
		pe_arena_printf(arena, "--log-file=%s/log.%%p", dir),
	};

	return below(options, sizeof(options) / sizeof(*options), command, arena);
}

struct pe_command pe_simulate_calls_command(const char *program, const struct pe_command *command,
					    const char *dir, struct pe_arena *arena)
{
	const char *const options[] = {
		program,
		"--tool=callgrind",
		"--dump-instr=yes",
		COMMON,
		pe_arena_printf(arena, "--callgrind-out-file=%s/" PE_SIMULATE_RECORD "%%p", dir),
		pe_arena_printf(arena, "--log-file=%s/log.%%p", dir),
	};

	return below(options, sizeof(options) / sizeof(*options), command, arena);
}

/* The end of a record, as text; false: it cannot be read. */
static bool read_tail(char text[TAIL_BYTES + 1], int dir, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, 0);
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
	ssize_t n = -1;

	if (size >= 0)
		n = pread(fd, text, TAIL_BYTES, size > TAIL_BYTES ? size - TAIL_BYTES : 0);
	text[n > 0 ? n : 0] = '\0';
	return n >= 0;
}

/* "summary: 732726", the last line of a record that is whole. */
static bool read_summary(uint64_t *out, const char *tail)
{
	const char *at = strstr(tail, "\nsummary: ");
	char *end;

	if (at == NULL)
		return false;
	errno = 0;
	*out = strtoull(at + 10, &end, 10);
	return errno == 0 && end != at + 10 && end[0] == '\n' && end[1] == '\0';
}

static void add_functions(struct pe_simulated_functions *functions, int dir, const char *name,
			  uint64_t total)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, 0);

	if (fd >= 0)
		pe_simulated_functions_read(functions, fd, total);
	else
		functions->lost = true;
}

static void add_count(struct pe_simulated *out, struct pe_simulated_functions *functions, int dir,
		      const char *name)
{
	char tail[TAIL_BYTES + 1];
	uint64_t count;

	if (!read_tail(tail, dir, name) || !read_summary(&count, tail) ||
	    count > UINT64_MAX - out->instructions)
		return;
	out->instructions += count;
	out->processes++;
	add_functions(functions, dir, name, count);
}

static bool is_whole(int dir, const char *pid, struct pe_arena *arena)
{
	char tail[TAIL_BYTES + 1];
	uint64_t count;

	return read_tail(tail, dir, pe_arena_printf(arena, PE_SIMULATE_RECORD "%s", pid)) &&
	       read_summary(&count, tail);
}

static void add_log(struct pe_simulated *out, struct pe_simulated_calls *calls, int dir,
		    const char *name, struct pe_arena *arena)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, 0);
	const char *problem = NULL;

	if (fd >= 0)
		problem = pe_simulated_calls_read(calls, fd, arena);
	else
		calls->lost = true;
	if (out->problem == NULL)
		out->problem = problem;
}

int pe_simulate_collect(struct pe_simulated *out, int dir, struct pe_arena *arena,
			struct pe_err *err)
{
	struct pe_simulated_functions functions = {0};
	struct pe_simulated_calls calls = {.bytes = 0};
	const char **names = pe_walk_names(dir, arena);

	*out = (struct pe_simulated){0};
	if (names == NULL)
		return pe_fail_errno(err, "cannot read valgrind's records");
	for (; *names != NULL; names++) {
		if (strncmp(*names, PE_SIMULATE_RECORD, strlen(PE_SIMULATE_RECORD)) == 0) {
			add_count(out, &functions, dir, *names);
		} else if (strncmp(*names, "log.", 4) == 0) {
			/* A log begins with its process, a count is written when that ends. */
			out->unfinished += !is_whole(dir, *names + 4, arena);
			add_log(out, &calls, dir, *names, arena);
		}
	}
	out->functions = pe_simulated_functions_take(&functions, arena);
	pe_simulated_functions_release(&functions);
	out->calls = pe_simulated_calls_take(&calls, arena);
	out->calls_lost = calls.lost;
	return PE_OK;
}

const char *pe_simulate_failure(const struct pe_simulated *counted, enum pe_outcome outcome,
				struct pe_arena *arena)
{
	const char *said = counted->problem != NULL ? counted->problem : "";
	const char *what = NULL;

	if (outcome == PE_TIMED_OUT)
		what = "it takes too long below valgrind";
	else if (outcome != PE_MEASURED)
		what = "it ends otherwise below valgrind than by itself";
	else if (counted->unfinished > 0)
		what = pe_arena_printf(arena, "%u of its processes did not end by themselves",
				       counted->unfinished);
	else if (counted->processes == 0)
		what = "valgrind wrote no counts";
	if (what == NULL)
		return NULL;
	return pe_arena_printf(arena, "instructions are not simulated: %s%s%s", what,
			       *said != '\0' ? ": " : "", said);
}
