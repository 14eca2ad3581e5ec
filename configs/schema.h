/* Schema: the keys of the config as configs/perfevo.schema.json describes them, for editors, help and documentation. */
#pragma once

#include "core/base/arena.h"
#include "core/base/vec.h"

struct pe_schema_key {
	const char *path;    /**< "benchmarks.NAME.command": NAME is a name of the user's */
	const char *text;    /**< what it means */
	const char *type;    /**< "duration"; NULL: a mapping, or one of some words */
	const char *initial; /**< default, as in the config; NULL: none */
};

typedef PE_VEC(struct pe_schema_key) pe_schema_keys;

/** List all keys in the schema's order, none twice; a mapping comes before its keys. The texts are in the arena. */
void pe_schema_list(pe_schema_keys *out, struct pe_arena *arena);
