/* Shared parts of the ways to find tests: starting programs in the built tree, names, paths. */
/* realpath(3) is in the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "configs/discovery.h"
#include "configs/read.h"
#include "core/exec/env.h"
#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/utf8.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 20 }; /* largest list of tests, in bytes */

/* The error message of a command: from the first line with an error up to a blank one, on one line; else its last line. */
static const char *complaint_in(const struct pe_text *text, struct pe_arena *arena)
{
	enum { MOST = 240 };
	const char *all = pe_text_str(text), *from = pe_utf8_error_line(all), *end;
	pe_auto_text out = PE_TEXT_INIT;

	if (from == NULL)
		for (from = all + text->len; from > all && (from[-1] != '\n' || *from <= ' ');)
			from--;
	end = strstr(from, "\n\n");
	for (; *from != '\0' && from != end && out.len < MOST; from++) {
		bool blank = (unsigned char)*from <= ' ';

		if (!blank || (out.len > 0 && out.data[out.len - 1] != ' '))
			pe_text_addc(&out, blank ? ' ' : *from);
	}
	while (out.len > 0 && out.data[out.len - 1] == ' ')
		out.data[--out.len] = '\0';
	return pe_arena_strdup(arena, pe_text_str(&out));
}

int pe_discovery_resolve(struct pe_discovery *discovery)
{
	pe_auto_free char *real = realpath(discovery->tree, NULL);

	if (real == NULL)
		return pe_fail_errno(discovery->err, "cannot read %s", discovery->tree);
	discovery->real = discovery->executor->tree != NULL
				  ? discovery->executor->tree
				  : pe_arena_strdup(discovery->arena, real);
	return PE_OK;
}

static const char *const *environment(const struct pe_discovery *discovery)
{
	const struct pe_strings *own = &discovery->config->tests.model.env;
	const char *const *build = pe_env_for_build(
		&discovery->config->recipe, pe_executor_tree(discovery->executor, discovery->tree),
		discovery->config->root, false, discovery->arena);
	const char **at;
	size_t n = 0, room = 0;

	while (build[room] != NULL)
		room++;
	at = pe_arena_new(discovery->arena, const char *, room + own->n + 1);
	for (; n < room; n++)
		at[n] = build[n];
	for (size_t i = 0; i < own->n; i++)
		pe_command_assign(at, &n, own->at[i]);
	return at;
}

static int run_into(struct pe_proc_result *out, struct pe_text *const printed[2], const int fds[2],
		    struct pe_discovery *discovery, const struct pe_command *command,
		    const char *cwd)
{
	const struct pe_proc_spec spec = {
		.argv = command->argv,
		.cwd = pe_arena_printf(discovery->arena, "%s/%s",
				       pe_executor_tree(discovery->executor, discovery->tree), cwd),
		.env = environment(discovery),
		.stdout_fd = fds[0],
		.stderr_fd = fds[1],
		.timeout_ns = discovery->config->recipe.timeout_ns,
		.output_bytes = MAX_OUTPUT,
		.cpu = -1,
		.places = {discovery->tree},
		.interrupts = discovery->interrupts,
		.hasty = true,
	};

	PE_TRY(discovery->executor->run(out, &spec, discovery->executor->payload, discovery->err));
	if (out->end == PE_PROC_STOPPED)
		return pe_fail(discovery->err, PE_ESTOPPED, "stopped");
	for (int i = 0; i < 2; i++)
		if (lseek(fds[i], 0, SEEK_SET) != 0 || pe_text_read_fd(printed[i], fds[i]) != 0)
			return pe_fail_errno(discovery->err, "cannot read the list of tests");
	return PE_OK;
}

int pe_discovery_run(struct pe_text *out, struct pe_discovery *discovery,
		     const struct pe_command *command, const char *cwd)
{
	const char *base = getenv("TMPDIR"), *why;
	const char *path = base != NULL && base[0] == '/' ? base : "/tmp";
	pe_auto_fd dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pe_auto_fd out_fd = dir >= 0 ? pe_files_open_unnamed(dir) : -1;
	pe_auto_fd err_fd = out_fd >= 0 ? pe_files_open_unnamed(dir) : -1;
	pe_auto_text said = PE_TEXT_INIT;
	const size_t before = out->len;
	struct pe_proc_result result;
	char how[128];

	if (err_fd < 0)
		return pe_fail_errno(discovery->err, "cannot write a file in %s", path);
	PE_TRY(run_into(&result, (struct pe_text *const[]){out, &said},
			(const int[]){out_fd, err_fd}, discovery, command, cwd));
	if (result.end == PE_PROC_EXITED && result.status == 0)
		return PE_OK;
	why = complaint_in(said.len > 0 ? &said : out, discovery->arena);
	out->len = before;
	return pe_fail(discovery->err, PE_EINVALID, "'%s' %s%s%s", command->text,
		       pe_proc_describe(&result, how, sizeof(how)), *why != '\0' ? ": " : "", why);
}

const char *pe_discovery_lower(const char *text, struct pe_arena *arena)
{
	char *lower = pe_arena_strdup(arena, text);

	for (char *at = lower; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	return lower;
}

bool pe_discovery_wants(const struct pe_discovery *discovery, const char *name)
{
	const struct pe_tests *tests = &discovery->config->tests;

	return (tests->include == NULL || pe_read_matches(name, tests->include)) &&
	       (tests->exclude == NULL || !pe_read_matches(name, tests->exclude));
}

void pe_discovery_skip(struct pe_discovery *discovery, const char *name, const char *reason)
{
	pe_vec_push(&discovery->skipped, (struct pe_left_out){name, reason});
}

static bool is_taken(const struct pe_discovery *discovery, const char *name)
{
	for (size_t i = 0; i < discovery->found.n; i++)
		if (strcmp(discovery->found.data[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < discovery->config->n_benchmarks; i++)
		if (strcmp(discovery->config->benchmarks[i].name, name) == 0)
			return true;
	return false;
}

void pe_discovery_add(struct pe_discovery *discovery, const struct pe_benchmark *benchmark)
{
	if (!pe_read_matches(benchmark->name, "^[^[:cntrl:]]*$"))
		pe_discovery_skip(discovery, "?", "a control character in its name");
	else if (is_taken(discovery, benchmark->name))
		pe_discovery_skip(discovery, benchmark->name,
				  "a benchmark or another test has this name");
	else
		pe_vec_push(&discovery->found, *benchmark);
}

void pe_discovery_push(pe_string_vec *vec, const char *string)
{
	if (!pe_has_string(vec->data, vec->n, string))
		pe_vec_push(vec, string);
}

struct pe_strings pe_discovery_take(pe_string_vec *vec, struct pe_arena *arena)
{
	const char **at = pe_vec_copy(arena, vec);
	size_t n = vec->n;

	pe_vec_release(vec);
	return (struct pe_strings){.at = at, .n = n};
}

/* The rest of a path inside a folder; NULL outside. */
static const char *behind(const char *folder, const char *path)
{
	size_t n = strlen(folder);

	if (strncmp(path, folder, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	return path + n;
}

const char *pe_discovery_relative(const struct pe_discovery *discovery, const char *path)
{
	pe_auto_text clean = PE_TEXT_INIT;
	const char *rest, *all;

	pe_text_add_clean_path(&clean, path);
	rest = all = pe_text_str(&clean);
	if (path[0] == '/') {
		rest = behind(discovery->tree, all);
		if (rest == NULL)
			rest = behind(discovery->real, all);
	} else if (behind("..", all) != NULL) {
		rest = NULL;
	}
	if (rest == NULL)
		return NULL;
	rest += *rest == '/';
	return pe_arena_strdup(discovery->arena, *rest != '\0' ? rest : ".");
}

bool pe_discovery_has_file(const struct pe_discovery *discovery, const char *path)
{
	struct stat st;

	return stat(pe_arena_printf(discovery->arena, "%s/%s", discovery->tree, path), &st) == 0 &&
	       S_ISREG(st.st_mode);
}
