/* Shared parts of the ways to find tests: starting programs in the built tree, names, paths. */
/* realpath(3) is in the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "configs/discovery.h"
#include "configs/read.h"
#include "core/exec/env.h"
#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/regex.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 20 }; /* largest list of tests, in bytes */

/* The last line that is not blank, for a message. */
static const char *last_line(const struct pe_text *text, struct pe_arena *arena)
{
	const char *start = pe_text_str(text), *end = start + text->len, *at;

	while (end > start && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
		end--;
	for (at = end; at > start && at[-1] != '\n';)
		at--;
	return pe_arena_strndup(arena, at, (size_t)(end - at));
}

void pe_command_output_release(struct pe_command_output *output)
{
	pe_text_release(&output->out);
	pe_text_release(&output->err);
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

static int run_into(struct pe_command_output *output, const int fds[2],
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
	int rc = discovery->executor->run(&output->result, &spec, discovery->executor->payload,
					  discovery->err);

	if (rc != PE_OK)
		return rc;
	if (output->result.end == PE_PROC_STOPPED)
		return pe_fail(discovery->err, PE_ESTOPPED, "stopped");
	for (int i = 0; i < 2; i++)
		if (lseek(fds[i], 0, SEEK_SET) != 0 ||
		    pe_text_read_fd(i == 0 ? &output->out : &output->err, fds[i]) != 0)
			return pe_fail_errno(discovery->err, "cannot read the list of tests");
	return PE_OK;
}

int pe_discovery_start(struct pe_command_output *output, struct pe_discovery *discovery,
		       const struct pe_command *command, const char *cwd)
{
	const char *base = getenv("TMPDIR");
	const char *path = base != NULL && base[0] == '/' ? base : "/tmp";
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fds[2] = {-1, -1};
	int rc;

	for (int i = 0; dir >= 0 && i < 2; i++)
		fds[i] = pe_files_open_unnamed(dir);
	rc = fds[0] >= 0 && fds[1] >= 0
		     ? run_into(output, fds, discovery, command, cwd)
		     : pe_fail_errno(discovery->err, "cannot write a file in %s", path);
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (dir >= 0)
		close(dir);
	return rc;
}

/* Fail with a command's exit status and the last line of its stderr. */
static int fail_command(struct pe_discovery *discovery, const struct pe_command *command,
			const struct pe_command_output *output)
{
	char how[128];

	return pe_fail(discovery->err, PE_EINVALID, "tests: '%s' %s%s%s", command->text,
		       pe_proc_describe(&output->result, how, sizeof(how)),
		       output->err.len > 0 ? ": " : "", last_line(&output->err, discovery->arena));
}

int pe_discovery_run(struct pe_text *out, struct pe_discovery *discovery,
		     const struct pe_command *command, const char *cwd)
{
	struct pe_command_output output = {.out = PE_TEXT_INIT, .err = PE_TEXT_INIT};
	int rc = pe_discovery_start(&output, discovery, command, cwd);

	if (rc == PE_OK && (output.result.end != PE_PROC_EXITED || output.result.status != 0))
		rc = fail_command(discovery, command, &output);
	if (rc == PE_OK)
		pe_text_addn(out, pe_text_str(&output.out), output.out.len);
	pe_command_output_release(&output);
	return rc;
}

static bool matches(const char *expression, const char *name)
{
	struct pe_regex regex;
	bool found;

	if (pe_regex_init(&regex, expression, NULL) != PE_OK)
		return false; /* it was compiled when the config was read */
	found = pe_regex_matches(&regex, name);
	pe_regex_release(&regex);
	return found;
}

bool pe_discovery_wants(const struct pe_discovery *discovery, const char *name)
{
	const struct pe_tests *tests = &discovery->config->tests;

	return (tests->include == NULL || matches(tests->include, name)) &&
	       (tests->exclude == NULL || !matches(tests->exclude, name));
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

static bool is_printable(const char *name)
{
	for (; *name != '\0'; name++)
		if ((unsigned char)*name < 0x20 || *name == 0x7f)
			return false;
	return true;
}

void pe_discovery_add(struct pe_discovery *discovery, const struct pe_benchmark *benchmark)
{
	if (!is_printable(benchmark->name))
		pe_discovery_skip(discovery, "?", "a control character in its name");
	else if (is_taken(discovery, benchmark->name))
		pe_discovery_skip(discovery, benchmark->name,
				  "a benchmark or another test has this name");
	else
		pe_vec_push(&discovery->found, *benchmark);
}

void pe_discovery_push(pe_string_vec *vec, const char *string)
{
	for (size_t i = 0; i < vec->n; i++)
		if (strcmp(vec->data[i], string) == 0)
			return;
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
	pe_auto_text out = PE_TEXT_INIT;
	const char *rest = path;

	if (path[0] == '/') {
		rest = behind(discovery->tree, path);
		if (rest == NULL)
			rest = behind(discovery->real, path);
	}
	while (rest != NULL && *rest != '\0') {
		size_t n = strcspn(rest, "/");

		if (n == 2 && strncmp(rest, "..", 2) == 0) {
			const char *slash = strrchr(pe_text_str(&out), '/');

			if (out.len == 0) {
				rest = NULL;
				break;
			}
			out.len = slash != NULL ? (size_t)(slash - out.data) : 0;
			out.data[out.len] = '\0';
		} else if (n > 0 && !(n == 1 && rest[0] == '.')) {
			pe_text_addf(&out, "%s%.*s", out.len > 0 ? "/" : "", (int)n, rest);
		}
		rest += n + (rest[n] == '/');
	}
	return rest == NULL ? NULL
			    : pe_arena_strdup(discovery->arena, out.len > 0 ? out.data : ".");
}

bool pe_discovery_has_file(const struct pe_discovery *discovery, const char *path)
{
	struct stat st;

	return stat(pe_arena_printf(discovery->arena, "%s/%s", discovery->tree, path), &st) == 0 &&
	       S_ISREG(st.st_mode);
}
