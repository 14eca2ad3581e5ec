/*
 * Programs that are linked with a test library: each lists its tests by an option, and runs one of them by another. One
 * process a test, so that a test's values are its own.
 */
#include "configs/discovery.h"
#include "configs/read.h"
#include "configs/test_list.h"
#include "core/base/files.h"

#include <string.h>
#include <unistd.h>

/* gtest writes its list with files and lines only to a file: at the top of the tree, which a sandbox permits. */
static const char gtest_file[] = ".perfevo-tests.json";

/* Split a text that needs no shell into its plain words. NULL: it needs a shell. */
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

/* Append words to a command; without a shell if none is needed. */
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

/* Options that list a library's tests. */
static const struct lister {
	enum pe_tests_kind kind;
	const char *words[5];
	const char *sign; /* in a list of this version; without it, the next row is tried */
	bool to_file;     /* the list is in gtest_file, whose path ends the last word */
	bool on_stderr;
} listers[] = {
	{
		/* A version that writes no file prints its list. */
		.kind = PE_TESTS_GTEST,
		.words = {"--gtest_list_tests", "--gtest_output=json:"},
		.to_file = true,
	},
	{
		.kind = PE_TESTS_DOCTEST,
		.words = {"--dt-list-test-cases", "--dt-reporters=xml", "--dt-no-skip=true"},
	},
	{
		.kind = PE_TESTS_BOOST,
		.words = {"--list_content=DOT"},
		.on_stderr = true,
	},
	{
		.kind = PE_TESTS_CATCH2,
		.words = {"--list-tests", "--reporter", "xml", "~[.]"},
		.sign = "<MatchingTests>",
	},
	{
		/* Version 2 ignores the reporter. */
		.kind = PE_TESTS_CATCH2,
		.words = {"--list-test-names-only", "--verbosity", "high", "~[.]"},
	},
};

/* Run one row's options. Any exit status is accepted: Catch2's version 2 returns the number of tests. */
static int ask(struct pe_text *out, struct pe_command_output *output,
	       struct pe_discovery *discovery, const struct pe_command *command,
	       const struct lister *lister)
{
	const char *words[5];
	struct pe_strings list = {.at = words};
	int dir = pe_files_open_below(discovery->tree, discovery->tree, false), rc;
	struct pe_command whole;

	if (dir < 0)
		return pe_fail_errno(discovery->err, "cannot open %s", discovery->tree);
	for (; lister->words[list.n] != NULL; list.n++)
		words[list.n] = lister->words[list.n];
	if (lister->to_file)
		words[list.n - 1] = pe_arena_printf(
			discovery->arena, "%s%s/%s", words[list.n - 1],
			pe_executor_tree(discovery->executor, discovery->tree), gtest_file);
	whole = extend(command, &list, discovery->arena);
	pe_files_remove_at(dir, gtest_file, &(size_t){0});
	rc = pe_discovery_start(output, discovery, &whole, discovery->config->tests.model.cwd);
	if (rc == PE_OK && output->result.end != PE_PROC_EXITED)
		rc = pe_discovery_fail(discovery, &whole, output);
	pe_text_clear(out);
	if (rc == PE_OK && (!lister->to_file || pe_files_read_at(out, dir, gtest_file) != 0)) {
		pe_text_clear(out);
		pe_text_addf(out, "%s%s", pe_text_str(&output->out),
			     lister->on_stderr ? pe_text_str(&output->err) : "");
	}
	pe_files_remove_at(dir, gtest_file, &(size_t){0});
	close(dir);
	return rc;
}

static int list_program(struct pe_test_list *out, struct pe_discovery *discovery,
			const struct pe_command *command)
{
	const enum pe_tests_kind kind = discovery->config->tests.kind;
	struct pe_command_output output = {.out = PE_TEXT_INIT, .err = PE_TEXT_INIT};
	pe_auto_text text = PE_TEXT_INIT;
	const struct lister *lister = listers;
	int rc;

	while (lister->kind != kind)
		lister++;
	rc = ask(&text, &output, discovery, command, lister);
	while (rc == PE_OK && lister->sign != NULL &&
	       strstr(pe_text_str(&text), lister->sign) == NULL) {
		pe_command_output_release(&output);
		output = (struct pe_command_output){.out = PE_TEXT_INIT, .err = PE_TEXT_INIT};
		rc = ask(&text, &output, discovery, command, ++lister);
	}
	if (rc == PE_OK) {
		rc = pe_test_list_read(out, kind, pe_text_str(&text), text.len, discovery->arena,
				       discovery->err);
		if (rc == PE_EINVALID && output.result.status != 0)
			rc = pe_discovery_fail(discovery, command, &output);
		else if (rc != PE_OK)
			pe_err_context(discovery->err, "tests: '%s'", command->text);
	}
	pe_command_output_release(&output);
	return rc;
}

/* --- Sources --- */

/* A file below a folder of the tree; NULL: it is missing. */
static const char *below(const struct pe_discovery *discovery, const char *folder, const char *file)
{
	const char *path = pe_discovery_relative(
		discovery, pe_arena_printf(discovery->arena, "%s/%s", folder, file));

	return path != NULL && pe_discovery_has_file(discovery, path) ? path : NULL;
}

/* Find a file relative to where the compiler ran: the folder of the program or one above it; or the working directory. */
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
		return pe_discovery_has_file(discovery, path) ? path : NULL;
	/* The path may have another prefix for the tree, from -ffile-prefix-map: try its ends that have a folder. */
	for (const char *at = file + 1; strchr(at, '/') != NULL; at = strchr(at, '/') + 1) {
		path = below(discovery, ".", at);
		if (path != NULL)
			return path;
	}
	return NULL;
}

/* --- Tests --- */

/* The program that a command starts. */
static const char *program_of(const struct pe_command *command, struct pe_arena *arena)
{
	bool shell = command->argv[1] != NULL && command->argv[2] == command->text;

	return shell ? pe_arena_strndup(arena, command->text, strcspn(command->text, " "))
		     : command->argv[0];
}

/* The prefix of a program's tests if there are several programs: its file name, or its path if another has the same name. */
static const char *prefix_of(const struct pe_discovery *discovery, const struct pe_command *command)
{
	const struct pe_commands *all = &discovery->config->tests.programs;
	const char *program = program_of(command, discovery->arena);
	const char *base = pe_path_name(program);
	size_t same = 0;

	if (!discovery->config->tests.several)
		return "";
	for (size_t i = 0; i < all->n; i++) {
		const char *other = program_of(&all->at[i], discovery->arena);

		same += strcmp(pe_path_name(other), base) == 0;
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

	for (size_t i = 0; i < programs->n; i++) {
		const char *prefix = prefix_of(discovery, &programs->at[i]);
		struct pe_test_list list;

		PE_TRY(list_program(&list, discovery, &programs->at[i]));
		for (size_t j = 0; j < list.n; j++)
			take_item(discovery, &list, j, &programs->at[i], prefix);
	}
	return PE_OK;
}
