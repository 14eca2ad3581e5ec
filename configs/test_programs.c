/*
 * Programs that are linked with a test library: each lists its tests by an option, and runs one of them by another. One
 * process a test, so that a test's values are its own.
 */
#include "configs/discovery.h"
#include "configs/read.h"
#include "configs/test_list.h"
#include "core/base/files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* gtest writes its list with files and lines to a file alone: at the top of the tree, where a sandbox lets it. */
static const char gtest_file[] = ".perfevo-tests.json";

/* A text for the shell that needs none: plain words. NULL: a shell has to read it. */
static const char *const *plain_words(const char *text, struct pe_arena *arena)
{
	static const char safe[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@% ";
	const char **at = pe_arena_new(arena, const char *, strlen(text) / 2 + 2);
	char *rest = NULL;
	size_t n = 0;

	if (text[strspn(text, safe)] != '\0' || strcspn(text, "=") < strcspn(text, " "))
		return NULL;
	for (const char *word = strtok_r(pe_arena_strdup(arena, text), " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest))
		at[n++] = word;
	return at;
}

/* A command with more words behind it; without a shell where none is needed. */
static struct pe_command extend(const struct pe_command *command, const struct pe_strings *words,
				struct pe_arena *arena)
{
	bool shell = command->argv[1] != NULL && command->argv[2] == command->text;
	const char *const *own = shell ? plain_words(command->text, arena) : command->argv;
	pe_auto_text line = PE_TEXT_INIT;
	const char **argv;
	size_t n = 0;

	if (own == NULL) {
		pe_text_add(&line, command->text);
		for (size_t i = 0; i < words->n; i++)
			pe_text_addf(&line, " %s", pe_command_quote(words->at[i], arena));
		return pe_command_of_shell(pe_arena_strdup(arena, pe_text_str(&line)), arena);
	}
	while (own[n] != NULL)
		n++;
	argv = pe_arena_new(arena, const char *, n + words->n + 1);
	for (size_t i = 0; i < n; i++)
		argv[i] = own[i];
	for (size_t i = 0; i < words->n; i++)
		argv[n + i] = words->at[i];
	return pe_command_of_argv(argv, arena);
}

/* --- Listing --- */

static int start(struct pe_said *said, struct pe_discovery *discovery,
		 const struct pe_command *command, const char *const *words, size_t n)
{
	const struct pe_strings list = {.at = words, .n = n};
	const struct pe_command whole = extend(command, &list, discovery->arena);
	int rc = pe_discovery_start(said, discovery, &whole, discovery->config->tests.model.cwd);

	if (rc == PE_OK && said->result.end != PE_PROC_EXITED)
		rc = pe_discovery_fail(discovery, &whole, said);
	return rc;
}

/* The list that gtest left in its file, or what it printed where its version writes none. */
static int list_gtest(struct pe_text *out, struct pe_said *said, struct pe_discovery *discovery,
		      const struct pe_command *command)
{
	const char *words[] = {
		"--gtest_list_tests",
		pe_arena_printf(discovery->arena, "--gtest_output=json:%s/%s",
				pe_executor_tree(discovery->executor, discovery->tree),
				gtest_file)};
	int dir = pe_files_open_below(discovery->tree, discovery->tree, false);
	int rc;

	if (dir < 0)
		return pe_fail_errno(discovery->err, "cannot open %s", discovery->tree);
	pe_files_remove_at(dir, gtest_file, &(size_t){0});
	rc = start(said, discovery, command, words, 2);
	if (rc == PE_OK && pe_files_read_at(out, dir, gtest_file) != 0) {
		pe_text_clear(out);
		pe_text_addn(out, pe_text_str(&said->out), said->out.len);
	}
	pe_files_remove_at(dir, gtest_file, &(size_t){0});
	close(dir);
	return rc;
}

/* Version 3 lists in XML; version 2 ignores the reporter, and its exit status is the number of tests. */
static int list_catch2(struct pe_text *out, struct pe_said *said, struct pe_discovery *discovery,
		       const struct pe_command *command)
{
	static const char *const xml[] = {"--list-tests", "--reporter", "xml", "~[.]"};
	static const char *const names[] = {"--list-test-names-only", "--verbosity", "high",
					    "~[.]"};
	int rc = start(said, discovery, command, xml, 4);

	if (rc == PE_OK && strstr(pe_text_str(&said->out), "<MatchingTests>") == NULL) {
		pe_said_release(said);
		*said = (struct pe_said){.out = PE_TEXT_INIT, .err = PE_TEXT_INIT};
		rc = start(said, discovery, command, names, 4);
	}
	if (rc == PE_OK)
		pe_text_addn(out, pe_text_str(&said->out), said->out.len);
	return rc;
}

static int list_plainly(struct pe_text *out, struct pe_said *said, struct pe_discovery *discovery,
			const struct pe_command *command)
{
	static const char *const doctest[] = {"--dt-list-test-cases", "--dt-reporters=xml",
					      "--dt-no-skip=true"};
	static const char *const boost[] = {"--list_content=DOT"};
	bool is_boost = discovery->config->tests.kind == PE_TESTS_BOOST;
	int rc = start(said, discovery, command, is_boost ? boost : doctest, is_boost ? 1 : 3);

	/* Boost lists on its standard error. */
	if (rc == PE_OK)
		pe_text_addf(out, "%s%s", pe_text_str(&said->out),
			     is_boost ? pe_text_str(&said->err) : "");
	return rc;
}

static int list_program(struct pe_test_list *out, struct pe_discovery *discovery,
			const struct pe_command *command)
{
	enum pe_tests_kind kind = discovery->config->tests.kind;
	struct pe_said said = {.out = PE_TEXT_INIT, .err = PE_TEXT_INIT};
	pe_auto_text text = PE_TEXT_INIT;
	int rc = kind == PE_TESTS_GTEST    ? list_gtest(&text, &said, discovery, command)
		 : kind == PE_TESTS_CATCH2 ? list_catch2(&text, &said, discovery, command)
					   : list_plainly(&text, &said, discovery, command);

	if (rc == PE_OK) {
		rc = pe_test_list_read(out, kind, pe_text_str(&text), text.len, discovery->arena,
				       discovery->err);
		if (rc == PE_EINVALID && said.result.status != 0)
			rc = pe_discovery_fail(discovery, command, &said);
		else if (rc != PE_OK)
			pe_err_context(discovery->err, "tests: '%s'", command->text);
	}
	pe_said_release(&said);
	return rc;
}

/* --- Sources --- */

static bool is_file(const struct pe_discovery *discovery, const char *path)
{
	struct stat st;

	return stat(pe_arena_printf(discovery->arena, "%s/%s", discovery->tree, path), &st) == 0 &&
	       S_ISREG(st.st_mode);
}

/* A file below a folder of the tree; NULL: it is not there. */
static const char *below(const struct pe_discovery *discovery, const char *folder, const char *file)
{
	const char *path = pe_discovery_relative(
		discovery, pe_arena_printf(discovery->arena, "%s/%s", folder, file));

	return path != NULL && is_file(discovery, path) ? path : NULL;
}

/* Relative to where the compiler ran: the folder of the program or one above it; or the working directory. */
static const char *relative_source(const struct pe_discovery *discovery, const char *file,
				   const char *program, const char *cwd)
{
	const char *path = NULL;
	char *folder = pe_arena_printf(discovery->arena, "./%s/%s", cwd, program);

	for (char *slash; path == NULL && (slash = strrchr(folder, '/')) != NULL;) {
		*slash = '\0';
		path = below(discovery, folder, file);
	}
	return path != NULL ? path : below(discovery, cwd, file);
}

const char *pe_discovery_source(const struct pe_discovery *discovery, const char *file,
				const char *program, const char *cwd)
{
	const char *path;

	if (file[0] != '/')
		return relative_source(discovery, file, program, cwd);
	path = pe_discovery_relative(discovery, file);
	if (path != NULL)
		return is_file(discovery, path) ? path : NULL;
	/* Another name of the tree, as -ffile-prefix-map gives it: its end, with a folder. */
	for (const char *at = file + 1; strchr(at, '/') != NULL; at = strchr(at, '/') + 1) {
		path = below(discovery, ".", at);
		if (path != NULL)
			return path;
	}
	return NULL;
}

/* --- Tests --- */

/* The first word that a command starts. */
static const char *program_of(const struct pe_command *command, struct pe_arena *arena)
{
	bool shell = command->argv[1] != NULL && command->argv[2] == command->text;

	return shell ? pe_arena_strndup(arena, command->text, strcspn(command->text, " "))
		     : command->argv[0];
}

/* What names of a program's tests begin with, where there are several: its last part, or all where that is not its own. */
static const char *prefix_of(const struct pe_discovery *discovery, const struct pe_command *command)
{
	const struct pe_commands *all = &discovery->config->tests.programs;
	const char *program = program_of(command, discovery->arena);
	const char *slash = strrchr(program, '/');
	const char *base = slash != NULL ? slash + 1 : program;
	size_t same = 0;

	if (!discovery->config->tests.several)
		return "";
	for (size_t i = 0; i < all->n; i++) {
		const char *other = program_of(&all->at[i], discovery->arena);

		slash = strrchr(other, '/');
		same += strcmp(slash != NULL ? slash + 1 : other, base) == 0;
	}
	return pe_arena_printf(discovery->arena, "%s:",
			       same == 1                        ? base
			       : strncmp(program, "./", 2) == 0 ? program + 2
								: program);
}

static void take_item(struct pe_discovery *discovery, const struct pe_test_list *list, size_t i,
		      const struct pe_command *command, const char *prefix)
{
	const struct pe_tests *tests = &discovery->config->tests;
	const struct pe_test_item *item = &list->items[i];
	struct pe_benchmark benchmark = tests->model;
	struct pe_arena *arena = discovery->arena;
	pe_string_vec sources = {0};
	const char *reason = item->reason, *path;
	struct pe_strings words = {NULL, 0};

	benchmark.name = pe_arena_printf(arena, "%s%s%s%s", prefix, item->suite,
					 item->suite[0] != '\0' ? "/" : "", item->name);
	if (!pe_discovery_wants(discovery, benchmark.name))
		return;
	if (reason == NULL)
		pe_test_words(&words, &reason, tests->kind, list, i, arena);
	if (reason != NULL) {
		pe_discovery_skip(discovery, benchmark.name, reason);
		return;
	}
	path = item->file != NULL ? pe_discovery_source(discovery, item->file,
							program_of(command, arena), benchmark.cwd)
				  : NULL;
	if (path != NULL)
		pe_discovery_push(&sources, path);
	else
		pe_discovery_add_sources(&sources, discovery, item->name);
	benchmark.command = extend(command, &words, arena);
	benchmark.sources = pe_discovery_take(&sources, arena);
	pe_discovery_add(discovery, &benchmark);
}

int pe_discovery_programs(struct pe_discovery *discovery)
{
	const struct pe_commands *programs = &discovery->config->tests.programs;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < programs->n; i++) {
		const char *prefix = prefix_of(discovery, &programs->at[i]);
		struct pe_test_list list;

		rc = list_program(&list, discovery, &programs->at[i]);
		for (size_t j = 0; rc == PE_OK && j < list.n; j++)
			take_item(discovery, &list, j, &programs->at[i], prefix);
	}
	return rc;
}
