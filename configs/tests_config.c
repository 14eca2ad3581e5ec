#include "configs/sections.h"

#include <string.h>

enum { CTEST, MESON, MESON_BENCHMARKS, GTEST, DOCTEST, CATCH2, BOOST };

static const char *const kind_words[] = {
	"ctest", "meson", "meson-benchmarks", "gtest", "doctest", "catch2", "boost", NULL};

/* What `kind` names: a build system, or a test library, whose program ($0 of the list) gets an argument for each test. */
static const struct kind {
	enum pe_tests_kind kind;
	const char *list, *argument;
} kinds[] = {
	[CTEST] = {PE_TESTS_CTEST, NULL, NULL},
	[MESON] = {PE_TESTS_MESON, NULL, NULL},
	[MESON_BENCHMARKS] = {PE_TESTS_MESON_BENCHMARKS, NULL, NULL},
	[GTEST] = {PE_TESTS_LIST,
		   "out=$($0 --gtest_list_tests) || exit; printf '%s\\n' \"$out\" |"
		   " awk '/^[^ ]/ {s = $1} /^ / && (s $1) !~ /DISABLED_/ {print s $1}'",
		   "--gtest_filter={name}"},
	[DOCTEST] = {PE_TESTS_LIST,
		     "out=$($0 --list-test-cases --no-colors) || exit; printf '%s\\n' \"$out\" |"
		     " sed '/^\\[doctest\\]/d; /^=*$/d; s/,/\\\\,/g'",
		     "--test-case={name}"},
	/* The status of version 2 is the number of tests, so that the help shows whether the program runs. */
	[CATCH2] = {PE_TESTS_LIST,
		    "help=$($0 -h) || exit; case $help in"
		    " *--list-test-names-only*) $0 --list-test-names-only ;;"
		    " *) $0 --list-tests --verbosity quiet ;; esac | sed 's/[][,\\*\"]/\\\\&/g'",
		    "{name}"},
	/* An indented tree; an asterisk marks what is enabled. */
	[BOOST] =
		{PE_TESTS_LIST,
		 "out=$($0 --list_content 2>&1) || { code=$?; printf '%s\\n' \"$out\" >&2; exit $code; };"
		 " printf '%s\\n' \"$out\" | awk '"
		 "{d = (match($0, /[^ ]/) - 1) / 4; if (d <= last && on) print path; last = d; on = /\\*/;"
		 " sub(/\\*.*/, \"\"); sub(/^ */, \"\"); name[d] = $0; path = name[0];"
		 " for (i = 1; i <= d; i++) path = path \"/\" name[i]} END {if (on) print path}'",
		 "--run_test={name}"},
};

const char *pe_tests_kind_name(enum pe_tests_kind kind)
{
	for (size_t i = 0; kind_words[i] != NULL; i++)
		if (kinds[i].kind == kind)
			return kind_words[i];
	return NULL;
}

/* State of reading `tests:`. */
struct tests {
	struct pe_tests tests;
	unsigned kind; /* index of its word */
	const char *command;
};

static const struct pe_key tests_keys[] = {
	PE_KEY_WORDS("kind", kind_words, struct tests, kind),
	PE_KEY("build-dir", pe_read_path, struct tests, tests.build_dir),
	PE_KEY("command", pe_read_text, struct tests, command),
	PE_KEY("list", pe_read_command, struct tests, tests.list),
	PE_KEY("run", pe_read_command, struct tests, tests.run),
	PE_KEY_LIST("sources", pe_read_path, struct tests, tests.sources),
	PE_KEY("cwd", pe_read_path, struct tests, tests.model.cwd),
	PE_KEY("include", pe_read_regex, struct tests, tests.include),
	PE_KEY("exclude", pe_read_regex, struct tests, tests.exclude),
	PE_KEY("warmup", pe_read_count, struct tests, tests.model.warmup),
	PE_KEY("repeats", pe_read_positive, struct tests, tests.model.repeats),
	PE_KEY("timeout", pe_read_duration, struct tests, tests.model.timeout_ns),
	PE_KEY("env", pe_read_env, struct tests, tests.model.env),
	PE_KEY("tags", pe_read_texts, struct tests, tests.model.tags),
	PE_KEY("allocations", pe_read_bool, struct tests, tests.model.count_allocations),
};

static bool names_test(const struct pe_command *command)
{
	for (size_t i = 0; command->argv[i] != NULL; i++)
		if (strstr(command->argv[i], "{name}") != NULL)
			return true;
	return false;
}

/* Fail for a key that is missing, or has no meaning here. Both lists end with NULL; what: "'tests' of kind ctest". */
static int check_keys(struct pe_reader *reader, const struct pe_yaml *node, const char *what,
		      const char *const *needed, const char *const *refused)
{
	for (; *refused != NULL; refused++)
		if (pe_yaml_get(node, *refused) != NULL)
			return pe_read_fail(reader, node, "%s takes no '%s'", what, *refused);
	for (; *needed != NULL; needed++)
		if (pe_yaml_get(node, *needed) == NULL)
			return pe_read_fail(reader, node, "%s needs '%s'", what, *needed);
	return PE_OK;
}

static int read_listed_tests(struct pe_reader *reader, const struct pe_yaml *node,
			     struct tests *tests)
{
	static const char *const needed[] = {"list", "run", NULL};
	static const char *const refused[] = {"command", "build-dir", NULL};

	PE_TRY(check_keys(reader, node, "'tests' without 'kind'", needed, refused));
	if (!names_test(&tests->tests.run))
		return pe_read_fail(reader, pe_yaml_get(node, "run"),
				    "'run' must hold {name}, where the test's name belongs");
	tests->tests.kind = PE_TESTS_LIST;
	return PE_OK;
}

static struct pe_command shell(const char *script, const char *zero, const char *argument,
			       struct pe_arena *arena)
{
	const char **argv = pe_arena_new(arena, const char *, 6);

	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = script;
	argv[3] = zero;
	argv[4] = argument;
	return (struct pe_command){argv, zero};
}

/* A program's tests are listed and run by its library's options. */
static int read_of_kind(struct pe_reader *reader, const struct pe_yaml *node, struct tests *tests)
{
	static const char *const needed[] = {"command", NULL};
	static const char *const program_refuses[] = {"list", "run", "build-dir", NULL};
	static const char *const build_refuses[] = {"list",    "run", "command",
						    "sources", "cwd", NULL};
	const struct kind *kind = &kinds[tests->kind];
	const bool built = kind->list == NULL;
	const char *what =
		pe_arena_printf(reader->arena, "'tests' of kind %s", kind_words[tests->kind]);

	tests->tests.kind = kind->kind;
	if (built)
		return check_keys(reader, node, what, needed + 1, build_refuses);
	PE_TRY(check_keys(reader, node, what, needed, program_refuses));
	tests->tests.list = shell(kind->list, tests->command, NULL, reader->arena);
	tests->tests.run = shell("exec $0 \"$1\"", tests->command, kind->argument, reader->arena);
	return PE_OK;
}

int pe_tests_read(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	static const struct pe_key word = PE_KEY_WORDS("tests", kind_words, struct tests, kind);
	struct pe_tests *out = field;
	struct tests tests = {.tests = *out};
	int rc;

	reader->key = "tests";
	if (node->kind == PE_YAML_SCALAR)
		PE_TRY(pe_read_key(reader, node, &word, &tests));
	else if (node->kind == PE_YAML_MAP)
		PE_TRY(pe_read_map(reader, node, PE_KEYS(tests_keys), &tests, "'tests'"));
	else
		return pe_read_expected(
			reader, node,
			"ctest, meson, meson-benchmarks, or a mapping with 'kind', or 'list' and 'run'");
	rc = node->kind == PE_YAML_SCALAR || pe_yaml_get(node, "kind") != NULL
		     ? read_of_kind(reader, node, &tests)
		     : read_listed_tests(reader, node, &tests);
	*out = tests.tests;
	return rc;
}
