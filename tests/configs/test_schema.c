/*
 * The reader, the schema for editors and docs/config.md know the same keys, with the same defaults. A key is a path:
 * benchmarks.NAME.metrics.NAME.unit. The reader is asked by an unknown key, which makes it list all that it knows; the
 * documentation by its tables, whose first cell reads "key in `path`".
 */
#include "configs/config.h"
#include "configs/yaml.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/metric.h"
#include "tests/support/schema_keys.h"
#include "tests/support/test.h"

/* What the schema or the documentation says of one key. */
struct key {
	const char *path;
	const char *preset; /* default, as it is written; NULL: none */
	const char *
		words; /* documentation: the row; schema: the words of its enum, separated by spaces */
};

typedef PE_VEC(struct key) keys_vec;

static struct pe_arena arena;
static struct pe_text schema_text, page;
static struct pe_yaml *schema;
static keys_vec in_schema, in_page;

static const struct key *find(const keys_vec *keys, const char *path)
{
	for (size_t i = 0; i < keys->n; i++)
		if (strcmp(keys->data[i].path, path) == 0)
			return &keys->data[i];
	return NULL;
}

static const char *join(const char *path, const char *name, size_t n)
{
	return pe_arena_printf(&arena, "%s%s%.*s", path, *path != '\0' ? "." : "", (int)n, name);
}

/* --- The schema --- */

/* The scalars of a list, or a scalar, with something between and around them; NULL for what is absent. */
static const char *written(const struct pe_yaml *node, const char *before, const char *between,
			   const char *after)
{
	const char *text = before;

	if (node == NULL || node->kind == PE_YAML_SCALAR)
		return node != NULL ? node->text : NULL;
	for (size_t i = 0; i < node->n; i++)
		text = pe_arena_printf(&arena, "%s%s%s", text, i > 0 ? between : "",
				       node->items[i]->text);
	return pe_arena_printf(&arena, "%s%s", text, after);
}

static void note(const char *path, const struct pe_yaml *node)
{
	if (find(&in_schema, path) == NULL)
		pe_vec_push(&in_schema,
			    (struct key){path,
					 written(pe_yaml_get(node, "default"), "[", ", ", "]"),
					 written(pe_yaml_get(node, "enum"), "", " ", "")});
}

/* --- The documentation --- */

/* The next text between backticks, moving *at behind it and no further than end; NULL: none. */
static const char *next_code(const char **at, const char *end, size_t *n)
{
	const char *from = memchr(*at, '`', (size_t)(end - *at));
	const char *to = from != NULL ? memchr(from + 1, '`', (size_t)(end - from - 1)) : NULL;

	if (to == NULL)
		return NULL;
	*at = to + 1;
	*n = (size_t)(to - from - 1);
	return from + 1;
}

static void read_row(const char *row, const char *head)
{
	const char *end = strchr(row + 1, '|'), *next, *at = row, *name, *preset;
	size_t n, n_preset = 0;

	cr_assert_not_null(end, "no second cell in '%s'", row);
	next = end;
	preset = next_code(&next, strchr(end + 1, '|'), &n_preset);
	while ((name = next_code(&at, end, &n)) != NULL) {
		const char *in = head, *prefix = "";
		size_t n_prefix = 0;
		bool top = memchr(head, '`', strcspn(head + 1, "|")) == NULL;

		while (top || (prefix = next_code(&in, strchr(head + 1, '|'), &n_prefix)) != NULL) {
			const char *path = pe_arena_printf(&arena, "%.*s", (int)n_prefix, prefix);

			pe_vec_push(&in_page,
				    (struct key){join(path, name, n),
						 preset != NULL
							 ? pe_arena_printf(&arena, "%.*s",
									   (int)n_preset, preset)
							 : NULL,
						 row});
			if (top)
				break;
		}
	}
}

static void read_page(void)
{
	const char *head = NULL;
	char *rest = NULL;

	for (char *line = strtok_r(page.data, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "| key", 5) == 0)
			head = line;
		else if (line[0] != '|')
			head = NULL;
		else if (head != NULL && strncmp(line, "| ---", 5) != 0)
			read_row(line, head);
	}
}

static void init(void)
{
	struct pe_err err = PE_ERR_INIT;
	const char *path = PE_SOURCE_DIR "/configs/perfevo.schema.json";

	cr_assert_ok(pe_text_read_file(&schema_text, path, &err), err.message);
	cr_assert_ok(pe_text_read_file(&page, PE_SOURCE_DIR "/docs/config.md", &err), err.message);
	cr_assert_ok(pe_yaml_parse(&schema, path, schema_text.data, schema_text.len, &arena, &err),
		     err.message);
	schema_keys(schema, schema, "", note, &arena);
	read_page();
}

static void release(void)
{
	pe_vec_release(&in_schema);
	pe_vec_release(&in_page);
	pe_text_release(&schema_text);
	pe_text_release(&page);
	pe_arena_release(&arena);
}

TestSuite(schema, .init = init, .fini = release, .timeout = 600);

/* --- The reader --- */

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
		n_keys += is_child(in_schema.data[i].path, path);
	cr_assert(
		eq(int, pe_config_load(&config, "c.yml", "/top", text, &arena, &err), PE_EINVALID),
		"%s", text);
	names = strstr(err.message, "(known: ");
	cr_assert_not_null(names, "%s: %s", text, err.message);
	names += strlen("(known: ");
	names[strcspn(names, ")")] = '\0';
	for (char *name = strtok_r(names, ", ", &rest); name != NULL;
	     name = strtok_r(NULL, ", ", &rest), n_known++)
		cr_expect_not_null(find(&in_schema, join(path, name, 99)),
				   "'%s' of '%s' is not in the schema", name, path);
	cr_expect(eq(sz, n_known, n_keys), "the schema has other keys of '%s' than the reader",
		  path);
}

Test(schema, has_the_keys_of_the_reader_and_no_others)
{
	size_t n_mappings = 1;

	check_mapping("");
	for (size_t i = 0; i < in_schema.n; i++) {
		char *parent = pe_arena_strdup(&arena, in_schema.data[i].path);
		char *dot = strrchr(parent, '.');
		bool first = dot != NULL;

		if (dot != NULL)
			*dot = '\0';
		for (size_t j = 0; j < i; j++)
			first = first && !is_child(in_schema.data[j].path, parent);
		if (first)
			check_mapping(parent);
		n_mappings += first;
	}
	cr_expect(eq(sz, n_mappings, 28));
}

/* --- The page --- */

static bool is_described(const struct key *key)
{
	size_t n = strlen(key->path);

	for (size_t i = 0; i < in_page.n; i++)
		if (strncmp(in_page.data[i].path, key->path, n) == 0 &&
		    (in_page.data[i].path[n] == '\0' || in_page.data[i].path[n] == '.'))
			return true;
	return false;
}

Test(schema, stands_in_the_documentation)
{
	for (size_t i = 0; i < in_schema.n; i++)
		cr_expect(is_described(&in_schema.data[i]), "docs/config.md lacks '%s'",
			  in_schema.data[i].path);
	for (size_t i = 0; i < in_page.n; i++)
		cr_expect_not_null(find(&in_schema, in_page.data[i].path),
				   "docs/config.md has '%s', the schema has not",
				   in_page.data[i].path);
}

Test(schema, has_the_defaults_and_words_of_the_documentation)
{
	for (size_t i = 0; i < in_page.n; i++) {
		const struct key *row = &in_page.data[i], *key = find(&in_schema, row->path);
		char *rest = NULL, *words;

		if (key == NULL)
			continue;
		cr_expect_str_eq((row->preset != NULL ? row->preset : ""),
				 (key->preset != NULL ? key->preset : ""), "default of '%s'",
				 row->path);
		words = pe_arena_strdup(&arena, key->words != NULL ? key->words : "");
		for (char *word = strtok_r(words, " ", &rest); word != NULL;
		     word = strtok_r(NULL, " ", &rest))
			cr_expect_not_null(
				strstr(row->words, pe_arena_printf(&arena, "`%s`", word)),
				"docs/config.md does not explain '%s' of '%s'", word, row->path);
	}
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
