/*
 * JSON of speedscope, one evented profile a column: a node opens, lasts for its own value, then for its children,
 * and closes. So a tree takes two events a node, whatever its depth. The root is in no stack: its own value is a
 * gap. Nodes whose total is zero are left out. The format has no call sites.
 */
#include "analysis/profile/export.h"

#include "core/base/vec.h"
#include "core/json/writer.h"

#include <string.h>

static void put_frame(struct pe_json *json, const struct pe_frame *frame)
{
	struct pe_text name = PE_TEXT_INIT;

	pe_json_begin_object(json, NULL);
	pe_export_add_name(&name, frame);
	pe_json_take(json, "name", &name);
	if (frame->component[0] != '\0')
		pe_json_put(json, "file", frame->component);
	if (frame->line != 0)
		pe_json_put(json, "line", frame->line);
	pe_json_end(json);
}

struct events {
	struct pe_json *json;
	const struct pe_cct *cct;
	uint64_t at;
	PE_VEC(uint32_t) open; /* nodes */
};

static void add_event(struct events *events, const char *type, uint32_t node)
{
	pe_json_begin_object(events->json, NULL);
	pe_json_put(events->json, "type", type);
	pe_json_put(events->json, "frame", events->cct->nodes[node].frame);
	pe_json_put(events->json, "at", events->at);
	pe_json_end(events->json);
}

static void close_until(struct events *events, uint32_t node)
{
	while (events->open.n > 0) {
		const uint32_t last = events->open.data[events->open.n - 1];

		if (events->cct->nodes[last].end > node)
			return;
		add_event(events, "C", last);
		events->open.n--;
	}
}

static void add_events(struct events *events, const uint64_t *self, const uint64_t *total)
{
	const struct pe_cct *cct = events->cct;

	for (uint32_t i = 0; i < cct->n;) {
		close_until(events, i);
		if (total[i] == 0) {
			i = cct->nodes[i].end;
			continue;
		}
		if (i > 0 || pe_cct_frame(cct, i)->kind != PE_FRAME_ROOT) {
			add_event(events, "O", i);
			pe_vec_push(&events->open, i);
		}
		pe_cct_add(&events->at, self[i]);
		i++;
	}
	close_until(events, cct->n);
}

static void put_profile(struct pe_json *json, const struct pe_cct *cct, enum pe_weight weight)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct events events = {.json = json, .cct = cct};
	const char *unit = weight == PE_WEIGHT_TIME    ? "nanoseconds"
			   : weight == PE_WEIGHT_BYTES ? "bytes"
						       : "none";
	const uint64_t *total = pe_weight_total(cct, weight, &arena);

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "type", "evented");
	pe_json_put(json, "name", pe_weights[weight].label);
	pe_json_put(json, "unit", unit);
	pe_json_put(json, "startValue", 0);
	pe_json_put(json, "endValue", cct->n > 0 ? total[0] : 0);
	pe_json_begin_rows(json, "events");
	add_events(&events, pe_weight_self(cct, weight), total);
	pe_json_end(json);
	pe_json_end(json);
	pe_vec_release(&events.open);
}

int pe_export_speedscope(struct pe_text *out, const struct pe_cct *cct,
			 const struct pe_export_options *options, struct pe_err *err)
{
	struct pe_json json = PE_JSON_INIT(out);
	enum pe_weight only = options->weight;

	if (pe_weight_settle(&only, cct, err) != PE_OK)
		return PE_ENOTFOUND;
	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	pe_json_begin_object(&json, "shared");
	pe_json_each_row(&json, "frames", i, cct->frames->n, put_frame(&json, &cct->frames->at[i]));
	pe_json_end(&json);
	pe_json_begin_rows(&json, "profiles");
	for (int i = PE_WEIGHT_AUTO + 1; i < PE_N_WEIGHTS; i++) {
		const enum pe_weight weight = (enum pe_weight)i;

		if (pe_weight_self(cct, weight) != NULL &&
		    (options->weight == PE_WEIGHT_AUTO || weight == only))
			put_profile(&json, cct, weight);
	}
	pe_json_end(&json);
	pe_json_put(&json, "name", options->title != NULL ? options->title : "profile");
	pe_json_put(&json, "activeProfileIndex", 0);
	pe_json_put(&json, "exporter", "perfevo");
	pe_json_finish(&json);
	return PE_OK;
}
