/*
 * The reader knows the keys of the schema. A key is a path: benchmarks.NAME.metrics.NAME.unit. The reader is asked by an
 * unknown key, which makes it list all that it knows.
 */
#include "configs/config.h"
#include "core/base/text.h"
#include "core/model/metric.h"
#include "tests/support/config_keys.h"
#include "tests/support/test.h"

static struct pe_arena arena;
static config_keys in_schema;

static bool has(const char *path)
{
	for (size_t i = 0; i < in_schema.n; i++)
		if (strcmp(in_schema.data[i], path) == 0)
			return true;
	return false;
}

static void init(void)
{
	config_keys_read(&in_schema, &arena);
}

static void release(void)
{
	pe_vec_release(&in_schema);
	pe_arena_release(&arena);
}

TestSuite(schema, .init = init, .fini = release, .timeout = 600);

/* A config with an unknown key in the mapping at a path. */
static const char *config_asking(const char *path)
{
	bool alone = strncmp(path, "benchmarks", 10) == 0 || strncmp(path, "tests", 5) == 0 ||
		     strncmp(path, "suites", 6) == 0;
	const char *before = alone ? "" : "benchmarks: {b: x}\n", *after = "";
	char *copy = pe_arena_strdup(&arena, path), *rest = NULL;
	const char *name = strncmp(path, "metrics.", 8) == 0 ? "wall" : "m";

	for (char *part = strtok_r(copy, ".", &rest); part != NULL;
	     part = strtok_r(NULL, ".", &rest)) {
		before = pe_arena_printf(&arena, "%s%s: {", before,
					 strcmp(part, "NAME") == 0 ? name : part);
		after = pe_arena_printf(&arena, "}%s", after);
	}
	return *path == '\0' ? "qqqqqqqqqqqq: 1\n"
			     : pe_arena_printf(&arena, "%sqqqqqqqqqqqq: 1%s\n", before, after);
}

static bool is_child(const char *path, const char *of)
{
	size_t n = strlen(of);

	if (n == 0)
		return strchr(path, '.') == NULL;
	return strncmp(path, of, n) == 0 && path[n] == '.' && strchr(path + n + 1, '.') == NULL;
}

/* The reader lists the same keys of a mapping as the schema. */
static void check_mapping(const char *path)
{
	struct pe_err err = PE_ERR_INIT;
	const char *text = config_asking(path);
	struct pe_config config;
	size_t n_known = 0, n_keys = 0;
	char *names, *rest = NULL;

	for (size_t i = 0; i < in_schema.n; i++)
		n_keys += is_child(in_schema.data[i], path);
	cr_assert(
		eq(int, pe_config_load(&config, "c.yml", "/top", text, &arena, &err), PE_EINVALID),
		"%s", text);
	names = strstr(err.message, "(known: ");
	cr_assert_not_null(names, "%s: %s", text, err.message);
	names += strlen("(known: ");
	names[strcspn(names, ")")] = '\0';
	for (char *name = strtok_r(names, ", ", &rest); name != NULL;
	     name = strtok_r(NULL, ", ", &rest), n_known++)
		cr_expect(has(pe_arena_printf(&arena, "%s%s%s", path, *path != '\0' ? "." : "",
					      name)),
			  "'%s' of '%s' is not in the schema", name, path);
	cr_expect(eq(sz, n_known, n_keys), "the schema has other keys of '%s' than the reader",
		  path);
}

Test(schema, has_the_keys_of_the_reader_and_no_others)
{
	size_t n_mappings = 1;

	check_mapping("");
	for (size_t i = 0; i < in_schema.n; i++) {
		char *parent = pe_arena_strdup(&arena, in_schema.data[i]);
		char *dot = strrchr(parent, '.');
		bool first = dot != NULL;

		if (dot != NULL)
			*dot = '\0';
		for (size_t j = 0; j < i; j++)
			first = first && !is_child(in_schema.data[j], parent);
		if (first)
			check_mapping(parent);
		n_mappings += first;
	}
	cr_expect(eq(sz, n_mappings, 28));
}

Test(schema, has_every_metric_in_the_documentation)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;

	cr_assert(eq(int, pe_text_read_file(&text, PE_SOURCE_DIR "/docs/config.md", &err), PE_OK));
	for (size_t i = 0; i < PE_N_METRICS; i++)
		cr_expect_not_null(
			strstr(text.data, pe_arena_printf(&arena, "`%s`", pe_metrics[i].name)),
			"docs/config.md lacks the metric '%s'", pe_metrics[i].name);
}
