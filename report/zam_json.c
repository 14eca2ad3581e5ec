/* The critical graph as one JSON document: report/schema/localize.schema.json describes its members. */
#include "report/zam.h"

#include "core/json/writer.h"

static void put_node(struct pe_json *json, const struct pe_zam_node *at,
		     const struct pe_frames *frames)
{
	pe_json_begin_object(json, NULL);
	pe_json_index(json, "parent", at->parent, PE_CCT_NONE);
	pe_json_members(json, &frames->at[at->frame], name, signature, component);
	pe_json_members(json, at, added, cause);
	pe_json_bool(json, "scattered", at->places > 0);
	pe_json_put(json, "places", at->places);
	pe_json_index(json, "blamed", at->blamed, PE_CCT_NONE);
	pe_json_computed_members(json, at, old_ns, new_ns, old_waiting_ns, new_waiting_ns);
	pe_json_end(json);
}

static void put_method(struct pe_json *json, const struct pe_zam_method *method,
		       const struct pe_frames *frames)
{
	pe_json_begin_object(json, NULL);
	pe_json_members(json, &frames->at[method->frame], name, signature, component);
	pe_json_computed_members(json, method, old_ns, new_ns);
	pe_json_members(json, method, contexts, in_graph);
	pe_json_end(json);
}

void pe_zam_json_graph(struct pe_json *json, const struct pe_zam *zam,
		       const struct pe_frames *frames, size_t top)
{
	pe_json_put(json, "pairs", zam->pairs);
	pe_json_put(json, "min_diff_ns", zam->min_ns);
	pe_json_members(json, zam, min_waiting_ns, min_own_ns);
	pe_json_bool(json, "from_noise", zam->min_from_noise);
	pe_json_members(json, zam, nodes_in, causes);
	pe_json_computed(json, "old_waiting_ns", zam->old_rest.waiting_ns);
	pe_json_computed(json, "new_waiting_ns", zam->new_rest.waiting_ns);
	pe_json_computed(json, "old_engine_ns", zam->old_rest.engine_ns);
	pe_json_computed(json, "new_engine_ns", zam->new_rest.engine_ns);
	pe_json_each(json, "nodes", i, zam->n, put_node(json, &zam->nodes[i], frames));
	pe_json_each(json, "methods", i, top > 0 && top < zam->n_methods ? top : zam->n_methods,
		     put_method(json, &zam->methods[i], frames));
	if (top > 0 && top < zam->n_methods)
		pe_json_put(json, "more_methods", zam->n_methods - top);
}

void pe_zam_json(struct pe_text *out, const struct pe_zam_page *page)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", "perfevo-localize");
	pe_json_put(&json, "version", 1);
	pe_json_put(&json, "old", page->old_name);
	pe_json_put(&json, "new", page->new_name);
	pe_json_put(&json, "unit", page->unit != NULL ? page->unit : "ns");
	pe_zam_json_graph(&json, page->zam, page->frames, page->top);
	pe_json_finish(&json);
}
