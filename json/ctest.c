/*
 * The list of tests that `ctest --show-only=json-v1` prints: documented in ctest(1), "Show as JSON
 * Object Model". Each test names its place in a graph of backtraces; properties are a list of name
 * and value.
 */
#include "json/document.h"
#include "json/json.h"

#include <string.h>

static struct pe_strings strings_of(const struct json_object *array, struct pe_arena *arena)
{
	size_t n = pe_json_length(array);
	const char **at = pe_arena_new(arena, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		at[i] = pe_arena_strdup(
			arena, json_object_get_string(json_object_array_get_idx(array, i)));
	return (struct pe_strings){.at = at, .n = n};
}

static void read_property(struct pe_ctest *test, const struct json_object *property,
			  struct pe_arena *arena)
{
	const char *name = json_object_get_string(pe_json_member(property, "name"));
	struct json_object *value = pe_json_member(property, "value");

	if (name == NULL || value == NULL)
		return;
	if (strcmp(name, "WORKING_DIRECTORY") == 0)
		test->working_directory = pe_json_string(property, "value", arena);
	else if (strcmp(name, "ENVIRONMENT") == 0)
		test->environment = strings_of(value, arena);
	else if (strcmp(name, "TIMEOUT") == 0)
		test->timeout_s = json_object_get_double(value);
	else if (strcmp(name, "DISABLED") == 0)
		test->disabled = json_object_get_boolean(value);
	else if (strcmp(name, "WILL_FAIL") == 0)
		test->will_fail = json_object_get_boolean(value);
}

/* An index that another part of the document gave: nothing says that it is in range. */
static struct json_object *indexed(const struct json_object *array, const struct json_object *index)
{
	int64_t i = json_object_get_int64(index);

	if (!json_object_is_type(index, json_type_int) || i < 0 ||
	    (size_t)i >= pe_json_length(array))
		return NULL;
	return json_object_array_get_idx(array, (size_t)i);
}

static void read_definition(struct pe_ctest *out, const struct json_object *test,
			    const struct json_object *graph, struct pe_arena *arena)
{
	struct json_object *node =
		indexed(pe_json_member(graph, "nodes"), pe_json_member(test, "backtrace"));
	struct json_object *file =
		indexed(pe_json_member(graph, "files"), pe_json_member(node, "file"));
	int64_t line = json_object_get_int64(pe_json_member(node, "line"));

	if (!json_object_is_type(file, json_type_string))
		return;
	out->defined_in = pe_arena_strdup(arena, json_object_get_string(file));
	out->defined_at = line > 0 ? (unsigned)line : 0;
}

static int read_test(struct pe_ctest *out, const struct json_object *test,
		     const struct json_object *graph, struct pe_arena *arena, struct pe_err *err)
{
	struct json_object *command = pe_json_member(test, "command");
	struct json_object *properties = pe_json_member(test, "properties");

	out->name = pe_json_string(test, "name", arena);
	if (out->name == NULL)
		return pe_fail(err, PE_EINVALID, "ctest's list holds a test without a name");
	if (pe_json_length(command) > 0)
		out->command = strings_of(command, arena).at;
	for (size_t i = 0; i < pe_json_length(properties); i++)
		read_property(out, json_object_array_get_idx(properties, i), arena);
	read_definition(out, test, graph, arena);
	return PE_OK;
}

int pe_json_ctest_list(struct pe_ctest **out, size_t *n, const char *document, size_t len,
		       struct pe_arena *arena, struct pe_err *err)
{
	struct json_object *root, *tests, *graph;
	int rc;

	*out = NULL;
	*n = 0;
	rc = pe_json_parse(&root, document, len, err);
	if (rc != PE_OK) {
		pe_err_context(err, "ctest's list of tests");
		goto done;
	}
	tests = pe_json_member(root, "tests");
	graph = pe_json_member(root, "backtraceGraph");
	if (!json_object_is_type(tests, json_type_array)) {
		rc = pe_fail(err, PE_EINVALID,
			     "ctest's list of tests has no array 'tests': "
			     "ctest 3.14 or newer is needed");
		goto done;
	}
	*n = pe_json_length(tests);
	*out = pe_arena_new(arena, struct pe_ctest, *n);
	for (size_t i = 0; i < *n && rc == PE_OK; i++)
		rc = read_test(&(*out)[i], json_object_array_get_idx(tests, i), graph, arena, err);
done:
	json_object_put(root);
	return rc;
}
