/* realpath(3) is in the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "configs/discovery.h"
#include "configs/read.h"
#include "core/exec/env.h"
#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/regex.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 20 }; /* bytes that a list of tests may have */

/* The last line that says something, for a message. */
static const char *last_line(const struct pe_text *text, struct pe_arena *arena)
{
	const char *start = pe_text_str(text), *end = start + text->len, *at;

	while (end > start && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
		end--;
	for (at = end; at > start && at[-1] != '\n';)
		at--;
	return pe_arena_strndup(arena, at, (size_t)(end - at));
}

static int run_into(struct pe_text *out, const int fds[2], struct pe_discovery *discovery,
		    const struct pe_command *command, const char *cwd)
{
	struct pe_arena *arena = discovery->arena;
	const struct pe_recipe *recipe = &discovery->config->recipe;
	const struct pe_proc_spec spec = {
		.argv = command->argv,
		.cwd = pe_arena_printf(arena, "%s/%s", discovery->tree, cwd),
		.env = pe_env_for_build(recipe, discovery->tree, discovery->config->root, arena),
		.stdout_fd = fds[0],
		.stderr_fd = fds[1],
		.timeout_ns = recipe->timeout_ns,
		.output_bytes = MAX_OUTPUT,
		.cpu = -1,
		.places = {discovery->tree},
	};
	struct pe_proc_result result;
	pe_auto_text said = PE_TEXT_INIT;
	char how[128];
	int rc = discovery->executor->run(&result, &spec, discovery->executor->payload,
					  discovery->err);

	if (rc != PE_OK)
		return rc;
	if (result.end == PE_PROC_STOPPED)
		return pe_fail(discovery->err, PE_ESTOPPED, "stopped");
	if (result.end == PE_PROC_EXITED && result.status == 0)
		return lseek(fds[0], 0, SEEK_SET) == 0 && pe_text_read_fd(out, fds[0]) == 0
			       ? PE_OK
			       : pe_fail_errno(discovery->err, "cannot read the list of tests");
	if (lseek(fds[1], 0, SEEK_SET) == 0)
		pe_text_read_fd(&said, fds[1]);
	return pe_fail(discovery->err, PE_EINVALID, "tests: '%s' %s%s%s", command->text,
		       pe_proc_describe(&result, how, sizeof(how)), said.len > 0 ? ": " : "",
		       last_line(&said, arena));
}

int pe_discovery_run(struct pe_text *out, struct pe_discovery *discovery,
		     const struct pe_command *command, const char *cwd)
{
	const char *base = getenv("TMPDIR");
	const char *path = base != NULL && base[0] == '/' ? base : "/tmp";
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fds[2] = {-1, -1};
	int rc;

	for (int i = 0; dir >= 0 && i < 2; i++)
		fds[i] = pe_files_open_unnamed(dir);
	rc = fds[0] >= 0 && fds[1] >= 0
		     ? run_into(out, fds, discovery, command, cwd)
		     : pe_fail_errno(discovery->err, "cannot write a file in %s", path);
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (dir >= 0)
		close(dir);
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
	pe_vec_push(&discovery->skipped,
		    pe_arena_printf(discovery->arena, "'%s': %s", name, reason));
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

/* What follows a folder's path in a path inside it; NULL outside. */
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

/* A text with {name} filled in. */
static const char *fill(const char *text, const char *name, struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (const char *at; (at = strstr(text, "{name}")) != NULL; text = at + strlen("{name}")) {
		pe_text_addn(&out, text, (size_t)(at - text));
		pe_text_add(&out, name);
	}
	pe_text_add(&out, text);
	return pe_arena_strdup(arena, pe_text_str(&out));
}

static struct pe_command fill_command(const struct pe_command *command, const char *name,
				      struct pe_arena *arena)
{
	const char **argv;
	size_t n = 0;

	while (command->argv[n] != NULL)
		n++;
	/* A command for the shell has its text as third word; see pe_command_of_shell(). */
	if (n == 3 && command->argv[2] == command->text)
		return pe_command_of_shell(
			fill(command->text, pe_command_quote(name, arena), arena), arena);
	argv = pe_arena_new(arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		argv[i] = fill(command->argv[i], name, arena);
	return pe_command_of_argv(argv, arena);
}

static const char *glob_quote(const char *text, struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (; *text != '\0'; text++) {
		if (strchr("*?[]\\", *text) != NULL)
			pe_text_addc(&out, '\\');
		pe_text_addc(&out, *text);
	}
	return pe_arena_strdup(arena, pe_text_str(&out));
}

/* Files of the tree that a pattern of `sources` means for a test. */
static void expand_sources(pe_string_vec *sources, const struct pe_discovery *discovery,
			   const char *pattern, const char *name)
{
	struct pe_arena *arena = discovery->arena;
	const char *tree = glob_quote(discovery->tree, arena);
	glob_t found = {0};

	pattern = fill(pattern, glob_quote(name, arena), arena);
	if (glob(pe_arena_printf(arena, "%s/%s", tree, pattern), 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *path = pe_discovery_relative(discovery, found.gl_pathv[i]);

			if (path != NULL)
				pe_discovery_push(sources, path);
		}
	}
	globfree(&found);
}

static bool is_file(const struct pe_discovery *discovery, const char *path)
{
	struct stat st;

	return stat(pe_arena_printf(discovery->arena, "%s/%s", discovery->tree, path), &st) == 0 &&
	       S_ISREG(st.st_mode);
}

/* One line of the list: the name, then own sources after tabs. */
static void take_line(struct pe_discovery *discovery, char *line)
{
	const struct pe_tests *tests = &discovery->config->tests;
	struct pe_benchmark benchmark = tests->model;
	pe_string_vec sources = {0};
	char *rest = NULL;
	const char *name = strtok_r(line, "\t", &rest);

	if (name == NULL || !pe_discovery_wants(discovery, name))
		return;
	for (const char *field; (field = strtok_r(NULL, "\t", &rest)) != NULL;) {
		const char *path = pe_discovery_relative(discovery, field);

		if (path != NULL && is_file(discovery, path))
			pe_discovery_push(&sources, path);
	}
	for (size_t i = 0; sources.n == 0 && i < tests->sources.n; i++)
		expand_sources(&sources, discovery, tests->sources.at[i], name);
	benchmark.name = name;
	benchmark.command = fill_command(&tests->run, name, discovery->arena);
	benchmark.sources = pe_discovery_take(&sources, discovery->arena);
	pe_discovery_add(discovery, &benchmark);
}

static int discover_listed(struct pe_discovery *discovery)
{
	const struct pe_tests *tests = &discovery->config->tests;
	pe_auto_text list = PE_TEXT_INIT;
	int rc = pe_discovery_run(&list, discovery, &tests->list, tests->model.cwd);
	char *rest = NULL;

	if (rc == PE_OK) {
		char *lines = pe_arena_strdup(discovery->arena, pe_text_str(&list));

		for (char *line = strtok_r(lines, "\r\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\r\n", &rest))
			take_line(discovery, line);
	}
	return rc;
}

static void hand_over(struct pe_benchmark **out, size_t *n, struct pe_discovery *discovery)
{
	char recipe_hash[PE_HASH_HEX];

	pe_recipe_hash(&discovery->config->recipe, recipe_hash);
	*n = discovery->found.n;
	*out = pe_arena_new(discovery->arena, struct pe_benchmark, *n);
	for (size_t i = 0; i < *n; i++) {
		(*out)[i] = discovery->found.data[i];
		pe_benchmark_version(&(*out)[i], recipe_hash, "");
	}
}

int pe_tests_discover(struct pe_benchmark **out, size_t *n, struct pe_strings *skipped,
		      const struct pe_config *config, const char *tree,
		      const struct pe_executor *executor, struct pe_arena *arena,
		      struct pe_err *err)
{
	pe_auto_free char *real = realpath(tree, NULL);
	struct pe_discovery discovery = {
		.config = config,
		.tree = tree,
		.executor = executor,
		.arena = arena,
		.err = err,
	};
	int rc = PE_OK;

	*out = NULL;
	*n = 0;
	if (real == NULL)
		return pe_fail_errno(err, "cannot read %s", tree);
	discovery.real = pe_arena_strdup(arena, real);
	if (config->tests.kind == PE_TESTS_CTEST)
		rc = pe_discovery_ctest(&discovery);
	else if (config->tests.kind == PE_TESTS_LIST)
		rc = discover_listed(&discovery);
	if (rc == PE_OK)
		hand_over(out, n, &discovery);
	*skipped = pe_discovery_take(&discovery.skipped, arena);
	pe_vec_release(&discovery.found);
	return rc;
}
