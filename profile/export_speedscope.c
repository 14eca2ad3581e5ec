/*
 * JSON of speedscope, one evented profile a column: a node opens, weighs what it weighs itself, has its children,
 * and closes. So a tree takes two events a node, whatever its depth. The root stands in no stack: what it weighs
 * itself is a gap. Nodes that weigh nothing with all below are left out. The format has no call sites.
 */
#include "profile/exports.h"

#include "core/base/utf8.h"
#include "core/base/vec.h"

#include <string.h>

static void add_text(struct pe_text *out, const char *string)
{
	struct pe_text clean = PE_TEXT_INIT;

	pe_utf8_add(&clean, string);
	pe_text_addc(out, '"');
	for (size_t i = 0; i < clean.len; i++) {
		const unsigned char c = (unsigned char)clean.data[i];

		if (c == '"' || c == '\\')
			pe_text_addf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			pe_text_addf(out, "\\u%04x", c);
		else
			pe_text_addc(out, (char)c);
	}
	pe_text_addc(out, '"');
	pe_text_release(&clean);
}

static void add_frames(struct pe_text *out, const struct pe_frames *frames)
{
	struct pe_text name = PE_TEXT_INIT;

	pe_text_add(out, "\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < frames->n; i++) {
		const struct pe_frame *frame = &frames->at[i];

		pe_text_clear(&name);
		pe_export_add_name(&name, frame);
		pe_text_add(out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
		add_text(out, pe_text_str(&name));
		if (frame->component[0] != '\0') {
			pe_text_add(out, ",\"file\":");
			add_text(out, frame->component);
		}
		if (frame->line != 0)
			pe_text_addf(out, ",\"line\":%u", frame->line);
		pe_text_addc(out, '}');
	}
	pe_text_add(out, "\n]}");
	pe_text_release(&name);
}

struct events {
	struct pe_text *out;
	const struct pe_cct *cct;
	uint64_t at;
	bool any;
	PE_VEC(uint32_t) open; /* nodes */
};

static void add_event(struct events *events, char type, uint32_t node)
{
	pe_text_addf(events->out, "%s{\"type\":\"%c\",\"frame\":", events->any ? ",\n" : "\n",
		     type);
	pe_export_add_number(events->out, events->cct->nodes[node].frame);
	pe_text_add(events->out, ",\"at\":");
	pe_export_add_number(events->out, events->at);
	pe_text_addc(events->out, '}');
	events->any = true;
}

static void close_until(struct events *events, uint32_t node)
{
	while (events->open.n > 0) {
		const uint32_t last = events->open.data[events->open.n - 1];

		if (events->cct->nodes[last].end > node)
			return;
		add_event(events, 'C', last);
		events->open.n--;
	}
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
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
			add_event(events, 'O', i);
			pe_vec_push(&events->open, i);
		}
		events->at = add_capped(events->at, self[i]);
		i++;
	}
	close_until(events, cct->n);
}

static void add_profile(struct pe_text *out, const struct pe_cct *cct, enum pe_weight weight)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct events events = {.out = out, .cct = cct};
	const char *unit = weight == PE_WEIGHT_TIME    ? "nanoseconds"
			   : weight == PE_WEIGHT_BYTES ? "bytes"
						       : "none";
	const uint64_t *total = pe_weight_total(cct, weight, &arena);

	pe_text_add(out, "\n{\"type\":\"evented\",\"name\":");
	add_text(out, pe_weights[weight].label);
	pe_text_addf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", unit);
	pe_export_add_number(out, cct->n > 0 ? total[0] : 0);
	pe_text_add(out, ",\"events\":[");
	add_events(&events, pe_weight_self(cct, weight), total);
	pe_text_add(out, "\n]}");
	pe_vec_release(&events.open);
	pe_arena_release(&arena);
}

int pe_export_speedscope(struct pe_text *out, const struct pe_cct *cct,
			 const struct pe_export_options *options, struct pe_err *err)
{
	enum pe_weight only = options->weight;
	bool any = false;

	if (pe_weight_settle(&only, cct, err) != PE_OK)
		return PE_ENOTFOUND;
	pe_text_add(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
	add_frames(out, cct->frames);
	pe_text_add(out, ",\n\"profiles\":[");
	for (int i = PE_WEIGHT_AUTO + 1; i < PE_N_WEIGHTS; i++) {
		const enum pe_weight weight = (enum pe_weight)i;

		if (pe_weight_self(cct, weight) == NULL ||
		    (options->weight != PE_WEIGHT_AUTO && weight != only))
			continue;
		if (any)
			pe_text_addc(out, ',');
		add_profile(out, cct, weight);
		any = true;
	}
	pe_text_add(out, "\n],\n\"name\":");
	add_text(out, options->title != NULL ? options->title : "profile");
	pe_text_add(out, ",\"activeProfileIndex\":0,\"exporter\":\"perfevo\"}\n");
	return PE_OK;
}
