/*
 * What Meson writes into BUILD/meson-info for editors ("IDE integration" in its manual): tests and benchmarks with all
 * that running them takes, and targets with their sources. A test that is expected to fail (should_fail) is not told
 * apart there.
 */
#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/json/json.h"
#include "core/json/tree.h"

#include <stdlib.h>
#include <string.h>

/* "project:suite" without the project; a test without a suite has the project alone. */
static struct pe_strings suites_of(const struct pe_json_value *array, struct pe_arena *arena)
{
	struct pe_strings all = pe_json_strings(array, arena);
	const char **at = pe_arena_new(arena, const char *, all.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all.n; i++) {
		const char *colon = strchr(all.at[i], ':');

		if (colon != NULL && colon[1] != '\0')
			at[n++] = colon + 1;
	}
	return (struct pe_strings){.at = at, .n = n};
}

static struct pe_strings assignments_of(const struct pe_json_value *object, struct pe_arena *arena)
{
	size_t room = object->kind == PE_JSON_OBJECT ? object->n : 0, n = 0;
	const char **at = pe_arena_new(arena, const char *, room + 1);

	for (size_t i = 0; i < room; i++) {
		const struct pe_json_value *member = &object->items[i];

		if (pe_json_string(member) != NULL && member->key[0] != '\0' &&
		    strchr(member->key, '=') == NULL)
			at[n++] = pe_arena_printf(arena, "%s=%s", member->key,
						  pe_json_string(member));
	}
	return (struct pe_strings){.at = at, .n = n};
}

static int read_test(struct pe_built_test *out, const struct pe_json_value *test,
		     struct pe_arena *arena, struct pe_err *err)
{
	struct pe_strings command = pe_json_strings(pe_json_member(test, "cmd"), arena);
	double timeout_s = pe_json_number(pe_json_member(test, "timeout"));

	out->name = pe_json_string(pe_json_member(test, "name"));
	if (out->name == NULL)
		return pe_fail(err, PE_EINVALID, "Meson's list holds a test without a name");
	out->suites = suites_of(pe_json_member(test, "suite"), arena);
	out->command = command.n > 0 ? command.at : NULL;
	out->working_directory = pe_json_string(pe_json_member(test, "workdir"));
	out->environment = assignments_of(pe_json_member(test, "env"), arena);
	out->timeout_s = timeout_s > 0 ? timeout_s : 0; /* NaN: absent; 0 and less: no limit */
	return PE_OK;
}

PE_SORT_POINTERS_BY(by_name, struct pe_built_test, name);

/* Meson allows one name in several suites. */
static void distinguish(struct pe_built_test *tests, size_t n, struct pe_arena *arena)
{
	struct pe_built_test **sorted = pe_arena_new(arena, struct pe_built_test *, n);

	for (size_t i = 0; i < n; i++)
		sorted[i] = &tests[i];
	if (n > 0)
		qsort(sorted, n, sizeof(struct pe_built_test *), by_name);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && by_name(&sorted[from], &sorted[to]) == 0;)
			to++;
		for (size_t i = from; i < to && to - from > 1; i++)
			if (sorted[i]->suites.n > 0)
				sorted[i]->name = pe_arena_printf(
					arena, "%s/%s", sorted[i]->suites.at[0], sorted[i]->name);
	}
}

int pe_json_meson_tests(struct pe_built_test **out, size_t *n, const struct pe_json_value *list,
			struct pe_arena *arena, struct pe_err *err)
{
	*n = 0;
	*out = pe_arena_new(arena, struct pe_built_test, pe_json_length(list));
	for (size_t i = 0; i < pe_json_length(list); i++)
		PE_TRY(read_test(&(*out)[i], &list->items[i], arena, err));
	*n = pe_json_length(list);
	distinguish(*out, *n, arena);
	return PE_OK;
}

static struct pe_strings sources_of(const struct pe_json_value *groups, struct pe_arena *arena)
{
	pe_auto_free PE_VEC(const char *) all = {0};
	const char **at;

	for (size_t i = 0; i < pe_json_length(groups); i++) {
		struct pe_strings group =
			pe_json_strings(pe_json_member(&groups->items[i], "sources"), arena);

		for (size_t j = 0; j < group.n; j++)
			pe_vec_push(&all, group.at[j]);
	}
	at = pe_vec_copy(arena, &all);
	return (struct pe_strings){.at = at, .n = all.n};
}

static bool is_sanitized(const struct pe_json_value *groups)
{
	for (size_t i = 0; i < pe_json_length(groups); i++) {
		const struct pe_json_value *words = pe_json_member(&groups->items[i], "parameters");

		for (size_t j = 0; j < pe_json_length(words); j++)
			if (strncmp(words->items[j].text, "-fsanitize=", 11) == 0)
				return true;
	}
	return false;
}

struct pe_built_target *pe_json_meson_targets(size_t *n, const struct pe_json_value *list,
					      struct pe_arena *arena)
{
	struct pe_built_target *out =
		pe_arena_new(arena, struct pe_built_target, pe_json_length(list));

	*n = 0;
	for (size_t i = 0; i < pe_json_length(list); i++) {
		const struct pe_json_value *target = &list->items[i], *by_default;

		by_default = pe_json_member(target, "build_by_default");
		if (!pe_json_equals(pe_json_member(target, "type"), "executable"))
			continue;
		out[(*n)++] = (struct pe_built_target){
			.name = pe_json_string(pe_json_member(target, "name")),
			.artifacts = pe_json_strings(pe_json_member(target, "filename"), arena),
			.sources = sources_of(pe_json_member(target, "target_sources"), arena),
			.defined_in = pe_json_string(pe_json_member(target, "defined_in")),
			.on_request = pe_json_there(by_default) && !pe_json_true(by_default),
			.sanitized = is_sanitized(pe_json_member(target, "target_sources")),
		};
	}
	return out;
}

struct pe_strings pe_json_meson_options_off(const struct pe_json_value *list,
					    struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, pe_json_length(list));
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(list); i++) {
		const struct pe_json_value *option = &list->items[i];
		const struct pe_json_value *value = pe_json_member(option, "value");
		const char *name = pe_json_string(pe_json_member(option, "name"));
		const bool feature = pe_json_equals(value, "disabled");

		if (name != NULL && pe_json_equals(pe_json_member(option, "section"), "user") &&
		    (feature || value->kind == PE_JSON_FALSE))
			at[n++] =
				pe_arena_printf(arena, "%s=%s", name, feature ? "enabled" : "true");
	}
	return (struct pe_strings){at, n};
}
