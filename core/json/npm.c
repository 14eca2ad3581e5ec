#include "core/json/json.h"
#include "core/json/tree.h"

/* "bin" is one path, or an object of program names and paths: the first will do. */
static const char *first_program(const struct pe_json_value *bin)
{
	for (size_t i = 0; bin->kind == PE_JSON_OBJECT && i < bin->n; i++)
		if (bin->items[i].kind == PE_JSON_STRING)
			return bin->items[i].text;
	return pe_json_string(bin);
}

static bool depends_on(const struct pe_json_value *package, const char *name)
{
	return pe_json_there(pe_json_member(pe_json_member(package, "dependencies"), name)) ||
	       pe_json_there(pe_json_member(pe_json_member(package, "devDependencies"), name));
}

int pe_json_npm_package(struct pe_npm_package *out, const char *document, size_t len,
			struct pe_arena *arena, struct pe_err *err)
{
	static const char *const benches[] = {"bench", "benchmark", "perf"};
	static const char *const libraries[] = {"tinybench", "mitata", "benchmark", "benny"};
	const struct pe_json_value *package, *scripts;
	int rc = pe_json_tree(&package, document, len, arena, err);

	*out = (struct pe_npm_package){0};
	if (rc != PE_OK)
		return rc;
	if (package->kind != PE_JSON_OBJECT)
		return pe_fail(err, PE_EINVALID, "package.json holds no object");
	scripts = pe_json_member(package, "scripts");
	out->name = pe_json_string(pe_json_member(package, "name"));
	out->main = pe_json_string(pe_json_member(package, "main"));
	out->bin = first_program(pe_json_member(package, "bin"));
	out->build = pe_json_string(pe_json_member(scripts, "build"));
	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches) && out->bench == NULL; i++) {
		out->bench = pe_json_string(pe_json_member(scripts, benches[i]));
		out->bench_name = out->bench != NULL ? benches[i] : NULL;
	}
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries) && out->suite == NULL; i++)
		if (depends_on(package, libraries[i]))
			out->suite = libraries[i];
	return PE_OK;
}
