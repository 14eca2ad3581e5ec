#include "json/document.h"
#include "json/json.h"

/* "bin" is one path, or an object of program names and paths: the first will do. */
static const char *first_program(const struct json_object *package, struct pe_arena *arena)
{
	struct json_object *bin = pe_json_member(package, "bin");

	if (json_object_is_type(bin, json_type_object)) {
		json_object_object_foreach(bin, name, path)
		{
			(void)name;
			if (json_object_is_type(path, json_type_string))
				return pe_arena_strdup(arena, json_object_get_string(path));
		}
	}
	return pe_json_string(package, "bin", arena);
}

int pe_json_npm_package(struct pe_npm_package *out, const char *document, size_t len,
			struct pe_arena *arena, struct pe_err *err)
{
	static const char *const benches[] = {"bench", "benchmark", "perf"};
	struct json_object *package, *scripts;
	int rc = pe_json_parse(&package, document, len, err);

	*out = (struct pe_npm_package){0};
	if (rc != PE_OK)
		return rc;
	if (!json_object_is_type(package, json_type_object)) {
		json_object_put(package);
		return pe_fail(err, PE_EINVALID, "package.json holds no object");
	}
	scripts = pe_json_member(package, "scripts");
	out->name = pe_json_string(package, "name", arena);
	out->main = pe_json_string(package, "main", arena);
	out->bin = first_program(package, arena);
	out->build = pe_json_string(scripts, "build", arena);
	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches) && out->bench == NULL; i++) {
		out->bench = pe_json_string(scripts, benches[i], arena);
		out->bench_name = out->bench != NULL ? benches[i] : NULL;
	}
	json_object_put(package);
	return PE_OK;
}
