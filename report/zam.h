/* Zam: the critical graph on paper: `perfevo localize`. Values in, text out; old before new. */
#pragma once

#include "analysis/compare/zam.h"
#include "core/base/text.h"
#include "core/json/writer.h"
#include "report/evolution.h"

/** What to print. Strings are borrowed. */
struct pe_zam_page {
	const struct pe_zam *zam;
	const struct pe_frames *frames;
	const char *old_name, *new_name; /**< the folders */
	size_t top;                      /**< most methods; 0: all */
	const char *unit;                /**< of all values, "Ir"; NULL: ns */
};

/** The graph as an indented tree with its causes marked, then methods whose sums got slower. */
void pe_zam_term(struct pe_text *out, const struct pe_zam_page *page, const struct pe_term *term);

/** Everything as one JSON document (report/schema/localize.schema.json). */
void pe_zam_json(struct pe_text *out, const struct pe_zam_page *page);

/** The members of that document that are the graph, for an object that is open. @param top  0: all methods */
void pe_zam_json_graph(struct pe_json *json, const struct pe_zam *zam,
		       const struct pe_frames *frames, size_t top);

/** The graph for Graphviz: causes are red. */
void pe_zam_dot(struct pe_text *out, const struct pe_zam_page *page);
