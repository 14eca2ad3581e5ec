#include "configs/schema.h"

#include "core/base/text.h"
#include "core/json/tree.h"

#include <assert.h>
#include <string.h>

extern const char pe_config_schema[];

/* State of listing. */
struct lister {
	const struct pe_json_value *definitions;
	struct pe_arena *arena;
	pe_schema_keys *keys;
};

static const struct pe_json_value *resolve(const struct lister *lister,
					   const struct pe_json_value *node)
{
	const char *ref = pe_json_string(pe_json_member(node, "$ref"));

	return ref != NULL ? pe_json_member(lister->definitions, pe_path_name(ref)) : node;
}

static const char *scalar(const struct pe_json_value *value)
{
	return value->kind == PE_JSON_TRUE    ? "true"
	       : value->kind == PE_JSON_FALSE ? "false"
					      : value->text;
}

/* A description without the marks of code that the documentation has. */
static const char *text_of(const struct pe_json_value *node, struct pe_arena *arena)
{
	char *text = pe_arena_strdup(arena, pe_json_member(node, "description")->text), *to = text;

	for (const char *from = text; *from != '\0'; from++)
		if (*from != '`')
			*to++ = *from;
	*to = '\0';
	return text;
}

/* The default as it is written in a config; NULL: none. */
static const char *default_of(const struct pe_json_value *node, struct pe_arena *arena)
{
	const struct pe_json_value *value = pe_json_member(node, "default");
	pe_auto_text list = PE_TEXT_INIT;

	if (value->kind != PE_JSON_ARRAY)
		return pe_json_there(value) ? scalar(value) : NULL;
	for (size_t i = 0; i < value->n; i++)
		pe_text_addf(&list, "%s%s", i > 0 ? ", " : "[", scalar(&value->items[i]));
	return pe_arena_printf(arena, "%s]", list.data);
}

/* A key refers to its type by "allOf"; the text explains the words of an "enum". */
static const char *type_of(const struct lister *lister, const struct pe_json_value *node)
{
	const struct pe_json_value *type =
		resolve(lister, pe_json_element(pe_json_member(node, "allOf"), 0));
	const char *name = pe_json_string(pe_json_member(node, "type"));

	return name == NULL || strcmp(name, "object") == 0
		       ? pe_json_string(pe_json_member(type, "title"))
		       : name;
}

static bool is_listed(const struct lister *lister, const char *path)
{
	for (size_t i = 0; i < lister->keys->n; i++)
		if (strcmp(lister->keys->data[i].path, path) == 0)
			return true;
	return false;
}

/* List the keys below a node. */
static void list(struct lister *lister, const struct pe_json_value *node, const char *prefix)
{
	static const char *const parts[] = {"allOf", "oneOf"};
	static const char *const unnamed[] = {"additionalProperties", "items"};
	const struct pe_json_value *properties;

	node = resolve(lister, node);
	properties = pe_json_member(node, "properties");
	for (size_t i = 0; i < properties->n; i++) {
		const struct pe_json_value *key = resolve(lister, &properties->items[i]);
		const char *path =
			pe_arena_printf(lister->arena, "%s%s", prefix, properties->items[i].key);

		if (!is_listed(lister, path))
			pe_vec_push(lister->keys,
				    (struct pe_schema_key){path, text_of(key, lister->arena),
							   type_of(lister, key),
							   default_of(key, lister->arena)});
		list(lister, key, pe_arena_printf(lister->arena, "%s.", path));
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t j = 0; j < pe_json_length(pe_json_member(node, parts[i])); j++)
			list(lister, pe_json_element(pe_json_member(node, parts[i]), j), prefix);
	for (size_t i = 0; i < sizeof(unnamed) / sizeof(*unnamed); i++)
		if (pe_json_member(node, unnamed[i])->kind == PE_JSON_OBJECT)
			list(lister, pe_json_member(node, unnamed[i]),
			     pe_arena_printf(lister->arena, "%sNAME.", prefix));
}

void pe_schema_list(pe_schema_keys *out, struct pe_arena *arena)
{
	const struct pe_json_value *root = NULL;
	int rc = pe_json_tree(&root, pe_config_schema, strlen(pe_config_schema), arena, NULL);
	struct lister lister = {.arena = arena, .keys = out};

	assert(rc == PE_OK);
	(void)rc;
	lister.definitions = pe_json_member(root, "definitions");
	list(&lister, root, "");
}
