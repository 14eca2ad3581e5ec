/*
 * Tests from a build system. CMake: ctest lists the commands, the file API has the sources of a test's program.
 * Meson: its files for editors have both. Paths inside the tree become relative to the test's working directory,
 * or begin with PERFEVO_TREE, so that a test found in one tree runs in all of them.
 */
#include "configs/discovery.h"
#include "configs/read.h"
#include "core/base/files.h"
#include "core/json/json.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

/* The model of one build folder. */
struct model {
	const char *build; /* relative to the tree */
	struct pe_built_target *targets;
	size_t n;
};

int pe_discovery_cmake_targets(struct pe_built_target **out, size_t *n,
			       struct pe_discovery *discovery, const char *folder)
{
	struct pe_arena *arena = discovery->arena;
	const char *build = pe_arena_printf(arena, "%s/%s", discovery->tree, folder);
	const char *query = pe_arena_printf(arena, "%s/.cmake/api/v1/query", build);
	const char *argv[] = {"cmake", ".", NULL};
	const struct pe_command command = {.argv = argv, .text = "cmake ."};
	pe_auto_text nothing = PE_TEXT_INIT;
	pe_auto_fd dir = pe_files_open_below(discovery->tree, query, true);
	int rc;

	*n = 0;
	/* A build may have put a link in place of a folder of the tree: no link is followed for writing. */
	if (dir < 0 || pe_files_write_at(&nothing, dir, "codemodel-v2", 0600) != 0)
		return pe_fail_errno(discovery->err, "cannot write in %s", query);
	rc = pe_discovery_run(&nothing, discovery, &command, folder);
	if (rc == PE_OK)
		rc = pe_json_cmake_targets(out, n, build, arena, discovery->err);
	return rc == PE_EINVALID || rc == PE_ENOTFOUND ? PE_OK : rc;
}

/* "../.." from a folder of the tree back to its top; "." for the top itself. */
static const char *way_up(const char *folder, struct pe_arena *arena)
{
	pe_auto_text up = PE_TEXT_INIT;

	if (strcmp(folder, ".") == 0)
		return ".";
	pe_text_add(&up, "..");
	for (; *folder != '\0'; folder++)
		if (*folder == '/')
			pe_text_add(&up, "/..");
	return pe_arena_strdup(arena, up.data);
}

static bool ends_name(char c)
{
	return !isalnum((unsigned char)c) && c != '_' && c != '-' && c != '.';
}

/* Find the first path of the tree in a word; its length at *n. NULL: there is none. */
static const char *find_tree(const struct pe_discovery *discovery, const char *word, size_t *n)
{
	const char *const trees[] = {discovery->tree, discovery->real};
	const char *first = NULL;

	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(trees[i]);
		const char *at = word;

		while ((at = strstr(at, trees[i])) != NULL && !ends_name(at[length]))
			at += length;
		if (at == NULL || (first != NULL && at >= first))
			continue;
		first = at;
		*n = length;
	}
	return first;
}

/* Replace every path of the tree in a text by one relative to a folder. */
static const char *relocate(const struct pe_discovery *discovery, const char *text, const char *cwd)
{
	const char *up = way_up(cwd, discovery->arena);
	const size_t length = strlen(cwd);
	pe_auto_text out = PE_TEXT_INIT;
	size_t n;

	for (const char *at; (at = find_tree(discovery, text, &n)) != NULL; text = at + n) {
		const bool inside = strcmp(cwd, ".") != 0 && at[n] == '/' &&
				    strncmp(at + n + 1, cwd, length) == 0 &&
				    ends_name(at[n + 1 + length]);

		pe_text_addn(&out, text, (size_t)(at - text));
		pe_text_add(&out, inside ? "." : up);
		n += inside ? 1 + length : 0;
	}
	pe_text_add(&out, text);
	return pe_arena_strdup(discovery->arena, pe_text_str(&out));
}

/* Whether a source is part of a test rather than of the program under test, by its path. */
static bool looks_like_test(const char *path, struct pe_arena *arena)
{
	return pe_read_matches(pe_discovery_lower(path, arena),
			       "test|(^|[^a-z])(check|spec|bench|benchmark)s?([^a-z]|$)");
}

static const struct pe_built_target *target_of(const struct model *model,
					       const struct pe_discovery *discovery,
					       const char *word, const char *cwd)
{
	const char *path = pe_discovery_relative(
		discovery,
		word[0] == '/' ? word : pe_arena_printf(discovery->arena, "%s/%s", cwd, word));

	for (size_t i = 0; path != NULL && i < model->n; i++) {
		for (size_t j = 0; j < model->targets[i].artifacts.n; j++) {
			const char *artifact =
				pe_discovery_relative(discovery, model->targets[i].artifacts.at[j]);

			if (artifact != NULL && strcmp(artifact, path) == 0)
				return &model->targets[i];
		}
	}
	return NULL;
}

/* The file of the tree that a word of a command names, such as a script or its data; NULL: none. */
static const char *named_file(const struct pe_discovery *discovery, const struct model *model,
			      const char *word, const char *cwd)
{
	const char *equals = strchr(word, '=');
	const char *path = equals != NULL ? equals + 1 : word;

	if (path[0] == '\0')
		return NULL;
	if (path[0] != '/')
		path = pe_arena_printf(discovery->arena, "%s/%s", cwd, path);
	path = pe_discovery_relative(discovery, path);
	return path != NULL && pe_path_below(path, model->build) == NULL &&
			       pe_discovery_has_file(discovery, path)
		       ? path
		       : NULL;
}

/* Add those sources of a program that look like a test's. */
static void add_sources(pe_string_vec *sources, const struct pe_discovery *discovery,
			const struct model *model, const struct pe_built_target *target)
{
	for (size_t i = 0; i < target->sources.n; i++) {
		const char *path = pe_discovery_relative(discovery, target->sources.at[i]);

		if (path != NULL && pe_path_below(path, model->build) == NULL &&
		    looks_like_test(path, discovery->arena))
			pe_discovery_push(sources, path);
	}
}

/*
 * Find a test's own sources: those of its program (or of a wrapper's) that look like a test's, and the
 * files that its command names. A test that runs the program under test itself has none of these: then the file of its
 * definition is used.
 */
static struct pe_strings own_sources(struct pe_discovery *discovery, const struct model *model,
				     const struct pe_built_test *test, const char *cwd)
{
	const char *defined_in = test->defined_in, *path;
	pe_string_vec sources = {0};

	for (size_t i = 0; test->command[i] != NULL; i++) {
		const struct pe_built_target *target =
			target_of(model, discovery, test->command[i], cwd);

		if (target != NULL) {
			add_sources(&sources, discovery, model, target);
			defined_in = defined_in != NULL ? defined_in : target->defined_in;
			continue;
		}
		path = named_file(discovery, model, test->command[i], cwd);
		if (path != NULL)
			pe_discovery_push(&sources, path);
	}
	path = defined_in != NULL ? pe_discovery_relative(discovery, defined_in) : NULL;
	if (sources.n == 0 && path != NULL)
		pe_discovery_push(&sources, path);
	return pe_discovery_take(&sources, discovery->arena);
}

static bool names_tree(const struct pe_discovery *discovery, const char *const *words)
{
	size_t n;

	for (size_t i = 0; words[i] != NULL; i++)
		if (find_tree(discovery, words[i], &n) != NULL)
			return true;
	return false;
}

/* Append a word for the shell, with the measured tree's own path in place of this tree's. */
static void add_shell_word(struct pe_text *out, const struct pe_discovery *discovery,
			   const char *word)
{
	struct pe_arena *arena = discovery->arena;
	size_t n;

	for (const char *at; (at = find_tree(discovery, word, &n)) != NULL; word = at + n) {
		if (at > word)
			pe_text_add(out, pe_command_quote(
						 pe_arena_strndup(arena, word, (size_t)(at - word)),
						 arena));
		pe_text_add(out, "\"$PERFEVO_TREE\"");
		if (at[n] == '\0')
			return;
	}
	pe_text_add(out, pe_command_quote(word, arena));
}

/*
 * Make the command of a wrapper script. It may change its folder before it starts its program (cd "$(dirname "$1")"; "$2"),
 * so relative paths would fail. Its words keep whole paths, into which the shell inserts the measured tree.
 */
static struct pe_command wrapper_command(const struct pe_discovery *discovery,
					 const char *const *command)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(&text, "exec");
	for (size_t i = 0; command[i] != NULL; i++) {
		pe_text_addc(&text, ' ');
		add_shell_word(&text, discovery, command[i]);
	}
	return pe_command_of_shell(pe_arena_strdup(discovery->arena, pe_text_str(&text)),
				   discovery->arena);
}

static struct pe_command relocate_command(const struct pe_discovery *discovery,
					  const struct model *model, const char *const *command,
					  const char *cwd)
{
	const char **argv;
	size_t n = 0;

	if (target_of(model, discovery, command[0], cwd) == NULL &&
	    names_tree(discovery, command + 1))
		return wrapper_command(discovery, command);
	while (command[n] != NULL)
		n++;
	argv = pe_arena_new(discovery->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		argv[i] = relocate(discovery, command[i], cwd);
	return pe_command_of_argv(argv, discovery->arena);
}

static struct pe_strings environment(const struct pe_discovery *discovery,
				     const struct pe_built_test *test, const char *cwd)
{
	const struct pe_strings *given = &discovery->config->tests.model.env;
	size_t n = 0;
	const char **at =
		pe_arena_new(discovery->arena, const char *, test->environment.n + given->n + 1);

	for (size_t i = 0; i < test->environment.n; i++)
		if (strchr(test->environment.at[i], '=') != NULL)
			pe_command_assign(at, &n,
					  relocate(discovery, test->environment.at[i], cwd));
	for (size_t i = 0; i < given->n; i++)
		pe_command_assign(at, &n, given->at[i]);
	return (struct pe_strings){.at = at, .n = n};
}

/* The config's tags and the test's suites. */
static struct pe_strings tags(const struct pe_discovery *discovery,
			      const struct pe_built_test *test)
{
	const struct pe_strings *given = &discovery->config->tests.model.tags;
	pe_string_vec all = {0};

	for (size_t i = 0; i < given->n; i++)
		pe_discovery_push(&all, given->at[i]);
	for (size_t i = 0; i < test->suites.n; i++)
		pe_discovery_push(&all, test->suites.at[i]);
	return pe_discovery_take(&all, discovery->arena);
}

/* Whether the program of a command is in the tree and was not built: its target is not built by default. */
static bool is_unbuilt(const struct pe_discovery *discovery, const char *program)
{
	const char *path = program[0] == '/' ? pe_discovery_relative(discovery, program) : NULL;
	struct stat st;

	return path != NULL &&
	       stat(pe_arena_printf(discovery->arena, "%s/%s", discovery->tree, path), &st) < 0;
}

/* The reason why a test cannot be used; NULL: it can. */
static const char *refusal(const struct pe_discovery *discovery, const struct pe_built_test *test,
			   const char *cwd)
{
	if (test->disabled)
		return "disabled";
	if (test->will_fail)
		return "expected to fail (WILL_FAIL)";
	if (test->command == NULL || is_unbuilt(discovery, test->command[0]))
		return "its program is not built"; /* ctest omits such a command */
	if (cwd == NULL)
		return pe_arena_printf(discovery->arena, "runs in %s, outside the tree",
				       test->working_directory);
	return NULL;
}

static void take_test(struct pe_discovery *discovery, const struct model *model,
		      const struct pe_built_test *test)
{
	struct pe_benchmark benchmark = discovery->config->tests.model;
	double timeout_ns = test->timeout_s * 1e9;
	const char *cwd = model->build, *reason;

	if (!pe_discovery_wants(discovery, test->name))
		return;
	if (test->working_directory != NULL)
		cwd = pe_discovery_relative(discovery, test->working_directory);
	reason = refusal(discovery, test, cwd);
	if (reason != NULL) {
		pe_discovery_skip(discovery, test->name, reason);
		return;
	}
	benchmark.name = test->name;
	benchmark.cwd = cwd;
	benchmark.tags = tags(discovery, test);
	benchmark.command = relocate_command(discovery, model, test->command, cwd);
	benchmark.env = environment(discovery, test, cwd);
	benchmark.sources = own_sources(discovery, model, test, cwd);
	/* A test's own timeout is used if it is longer than the config's. */
	if (timeout_ns > (double)benchmark.timeout_ns && timeout_ns < 1e15)
		benchmark.timeout_ns = (uint64_t)timeout_ns;
	pe_discovery_add(discovery, &benchmark);
}

int pe_discovery_ctest(struct pe_discovery *discovery)
{
	const char *argv[] = {"ctest", "--show-only=json-v1", NULL};
	const struct pe_command command = {.argv = argv, .text = "ctest --show-only=json-v1"};
	struct model model = {.build = discovery->config->tests.build_dir};
	pe_auto_text list = PE_TEXT_INIT;
	struct pe_built_test *tests = NULL;
	size_t n = 0;

	if (!pe_discovery_has_file(
		    discovery,
		    pe_arena_printf(discovery->arena, "%s/CTestTestfile.cmake", model.build)))
		return pe_fail(
			discovery->err, PE_EINVALID,
			"no CTestTestfile.cmake in '%s': set tests.build-dir to where CMake builds, and see that the project calls enable_testing()",
			model.build);
	PE_TRY(pe_discovery_cmake_targets(&model.targets, &model.n, discovery, model.build));
	PE_TRY(pe_discovery_run(&list, discovery, &command, model.build));
	PE_TRY(pe_json_ctest_list(&tests, &n, pe_text_str(&list), list.len, discovery->arena,
				  discovery->err));
	for (size_t i = 0; i < n; i++)
		take_test(discovery, &model, &tests[i]);
	return PE_OK;
}

int pe_discovery_meson_info(const struct pe_json_value **out, const struct pe_discovery *discovery,
			    const char *build, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed_in(
		discovery->tree, pe_arena_printf(discovery->arena, "%s/meson-info/%s", build, name),
		0);
	pe_auto_text text = PE_TEXT_INIT;
	int rc;

	if (fd < 0 || pe_text_read_fd(&text, fd) != 0)
		return pe_fail(
			discovery->err, PE_EINVALID,
			"no meson-info/%s in '%s': set tests.build-dir to where Meson builds", name,
			build);
	rc = pe_json_tree(out, pe_text_str(&text), text.len, discovery->arena, discovery->err);
	if (rc == PE_OK && (*out)->kind != PE_JSON_ARRAY)
		rc = pe_fail(discovery->err, PE_EINVALID, "an array was expected");
	if (rc != PE_OK)
		pe_err_context(discovery->err, "Meson's %s", name);
	return rc;
}

int pe_discovery_meson(struct pe_discovery *discovery)
{
	const char *file = discovery->config->tests.kind == PE_TESTS_MESON
				   ? "intro-tests.json"
				   : "intro-benchmarks.json";
	struct model model = {.build = discovery->config->tests.build_dir};
	const struct pe_json_value *list, *targets;
	struct pe_built_test *tests = NULL;
	size_t n = 0;

	PE_TRY(pe_discovery_meson_info(&list, discovery, model.build, file));
	PE_TRY(pe_discovery_meson_info(&targets, discovery, model.build, "intro-targets.json"));
	model.targets = pe_json_meson_targets(&model.n, targets, discovery->arena);
	PE_TRY(pe_json_meson_tests(&tests, &n, list, discovery->arena, discovery->err));
	for (size_t i = 0; i < n; i++)
		take_test(discovery, &model, &tests[i]);
	return PE_OK;
}
