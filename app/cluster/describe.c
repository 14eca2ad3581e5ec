/* What a node is: what `farm init` asks each of them. */
#include "app/cluster/worker.h"
#include "core/exec/machine.h"
#include "core/json/writer.h"

int pe_farm_describe_node(struct pe_app *app, const char *spool)
{
	const char *node = pe_farm_node(app->arena);
	const char *path = pe_arena_printf(app->arena, "%s/nodes/%s.json", spool, node);
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&text);
	struct pe_machine machine = *pe_app_here(app);

	pe_machine_as_class(&machine);
	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "node", node);
	pe_json_members(&json, &machine, fingerprint, cpu, cores, memory_bytes, kernel, compilers);
	pe_json_finish(&json);
	return pe_text_write_file(&text, path, app->err);
}
