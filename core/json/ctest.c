/*
 * The list of tests that `ctest --show-only=json-v1` prints: documented in ctest(1), "Show as JSON
 * Object Model". Each test names its place in a graph of backtraces; properties are a list of name
 * and value.
 */
#include "core/json/json.h"
#include "core/json/tree.h"

static void read_property(struct pe_built_test *test, const struct pe_json_value *property,
			  struct pe_arena *arena)
{
	const struct pe_json_value *name = pe_json_member(property, "name");
	const struct pe_json_value *value = pe_json_member(property, "value");

	if (pe_json_equals(name, "WORKING_DIRECTORY"))
		test->working_directory = pe_json_string(value);
	else if (pe_json_equals(name, "ENVIRONMENT"))
		test->environment = pe_json_strings(value, arena);
	else if (pe_json_equals(name, "TIMEOUT") && value->kind == PE_JSON_NUMBER)
		test->timeout_s = pe_json_number(value);
	else if (pe_json_equals(name, "DISABLED"))
		test->disabled = pe_json_true(value);
	else if (pe_json_equals(name, "WILL_FAIL"))
		test->will_fail = pe_json_true(value);
}

/* An element by an index from another part of the document, which may be out of range. */
static const struct pe_json_value *indexed(const struct pe_json_value *array,
					   const struct pe_json_value *index)
{
	int64_t i = pe_json_whole(index, -1);

	return pe_json_element(array, i >= 0 ? (size_t)i : SIZE_MAX);
}

static void read_definition(struct pe_built_test *out, const struct pe_json_value *test,
			    const struct pe_json_value *graph)
{
	const struct pe_json_value *node =
		indexed(pe_json_member(graph, "nodes"), pe_json_member(test, "backtrace"));

	out->defined_in = pe_json_string(
		indexed(pe_json_member(graph, "files"), pe_json_member(node, "file")));
}

static int read_test(struct pe_built_test *out, const struct pe_json_value *test,
		     const struct pe_json_value *graph, struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_json_value *command = pe_json_member(test, "command");
	const struct pe_json_value *properties = pe_json_member(test, "properties");

	out->name = pe_json_string(pe_json_member(test, "name"));
	if (out->name == NULL)
		return pe_fail(err, PE_EINVALID, "ctest's list holds a test without a name");
	if (pe_json_length(command) > 0)
		out->command = pe_json_strings(command, arena).at;
	for (size_t i = 0; i < pe_json_length(properties); i++)
		read_property(out, &properties->items[i], arena);
	read_definition(out, test, graph);
	return PE_OK;
}

int pe_json_ctest_list(struct pe_built_test **out, size_t *n, const char *document, size_t len,
		       struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_json_value *root, *tests, *graph;
	int rc = pe_json_tree(&root, document, len, arena, err);

	*out = NULL;
	*n = 0;
	if (rc != PE_OK)
		pe_err_context(err, "ctest's list of tests");
	PE_TRY(rc);
	tests = pe_json_member(root, "tests");
	graph = pe_json_member(root, "backtraceGraph");
	if (tests->kind != PE_JSON_ARRAY)
		return pe_fail(err, PE_EINVALID,
			       "ctest's list of tests has no array 'tests': "
			       "ctest 3.14 or newer is needed");
	*n = tests->n;
	*out = pe_arena_new(arena, struct pe_built_test, *n);
	for (size_t i = 0; i < *n; i++)
		PE_TRY(read_test(&(*out)[i], &tests->items[i], graph, arena, err));
	return PE_OK;
}
