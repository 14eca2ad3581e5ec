/* Keys of configs/perfevo.schema.json, as paths: "benchmarks.NAME.command". */
#pragma once

#include "configs/yaml.h"
#include "core/base/arena.h"

#include <string.h>

/** A key, and what the schema says of it. One that several branches have comes as often. */
typedef void schema_key_fn(const char *path, const struct pe_yaml *node);

static inline void schema_keys(const struct pe_yaml *schema, const struct pe_yaml *node,
			       const char *path, schema_key_fn *take, struct pe_arena *arena)
{
	static const char *const branches[] = {"allOf", "oneOf", "anyOf"};
	static const char *const unnamed[] = {"additionalProperties", "items"};
	const struct pe_yaml *ref = pe_yaml_get(node, "$ref"), *properties;
	const char *dot = *path != '\0' ? "." : "";

	if (ref != NULL)
		node = pe_yaml_get(pe_yaml_get(schema, "definitions"),
				   ref->text + strlen("#/definitions/"));
	properties = pe_yaml_get(node, "properties");
	for (size_t i = 0; properties != NULL && i < properties->n; i++) {
		const char *key =
			pe_arena_printf(arena, "%s%s%s", path, dot, properties->pairs[i].key->text);

		take(key, properties->pairs[i].value);
		schema_keys(schema, properties->pairs[i].value, key, take, arena);
	}
	for (size_t i = 0; i < sizeof(unnamed) / sizeof(*unnamed); i++)
		if (pe_yaml_get(node, unnamed[i]) != NULL)
			schema_keys(schema, pe_yaml_get(node, unnamed[i]),
				    pe_arena_printf(arena, "%s%sNAME", path, dot), take, arena);
	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
		const struct pe_yaml *list = pe_yaml_get(node, branches[i]);

		for (size_t j = 0; list != NULL && j < list->n; j++)
			schema_keys(schema, list->items[j], path, take, arena);
	}
}
