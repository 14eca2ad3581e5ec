/* A comparison on the page: its entry in the index, and its block but for the trees (report/page.h). */
#include "report/page_parts.h"

#include "report/compare_text.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/json_out.h"
#include "core/base/number.h"
#include "report/parcs_tree.h"

#include <math.h>

/* --- The index --- */

static void put_side(struct pe_text *out, const char *key, const struct pe_compare_side *side,
		     size_t revision)
{
	pe_json_open(out, key, '{');
	pe_json_put_text(out, "name", side->name);
	pe_json_put_text(out, "id", side->id);
	pe_json_put_text(out, "subject", side->subject);
	pe_json_put_number(out, "revision", revision != SIZE_MAX ? (double)revision : NAN);
	pe_text_addc(out, '}');
}

static void put_node_number(struct pe_text *out, const char *key, uint32_t node)
{
	pe_json_put_number(out, key, node != PE_CCT_NONE ? (double)node : NAN);
}

static void put_line(struct pe_text *out, const struct pe_compare *compare,
		     const struct pe_compare_line *line)
{
	const struct pe_verdict_report *report = &compare->pairs[line->pair].reports[line->report];

	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_text(out, "text", line->text);
	pe_json_put_number(out, "pair", (double)line->pair);
	pe_json_put_number(out, "report", (double)line->report);
	pe_json_put_number(out, "cause", line->cause);
	put_node_number(out, "node", report->causes[line->cause].node);
	pe_json_put_computed(out, "weight", line->weight);
	pe_text_addc(out, '}');
}

void pe_page_put_entry(struct pe_text *out, const struct pe_page_comparison *comparison,
		       size_t number)
{
	const struct pe_compare *compare = comparison->compare;

	pe_json_put_comma(out);
	pe_text_addf(out, "\n{\"block\":\"c%zu\"", number);
	put_side(out, "old", &compare->old_side, comparison->old_revision);
	put_side(out, "new", &compare->new_side, comparison->new_revision);
	pe_json_open(out, "benchmarks", '[');
	for (size_t p = 0; p < compare->n_pairs; p++) {
		pe_json_put_comma(out);
		pe_escape_json(out, compare->pairs[p].name);
	}
	pe_text_addc(out, ']');
	pe_json_open(out, "lines", '[');
	for (size_t i = 0; i < compare->n_lines; i++)
		put_line(out, compare, &compare->lines[i]);
	pe_text_add(out, "]}");
}

/* --- Frames --- */

static unsigned frame_flags(const struct pe_frames *frames, const struct pe_changes *changes,
			    uint32_t frame)
{
	static const unsigned of_source[PE_N_SOURCE_CHANGES] = {
		[PE_SOURCE_UNKNOWN] = 64, [PE_SOURCE_SAME] = 0,    [PE_SOURCE_MODIFIED] = 1,
		[PE_SOURCE_ADDED] = 2,    [PE_SOURCE_DELETED] = 4, [PE_SOURCE_RENAMED] = 8,
	};
	unsigned flags = of_source[pe_changes_source(changes, frame)];

	if (pe_changes_binary(changes, frame) == PE_BINARY_RECOMPILED)
		flags |= 16;
	if (frames->at[frame].kind == PE_FRAME_WAITING)
		flags |= 32;
	if (frames->at[frame].kind == PE_FRAME_ROOT)
		flags |= 128;
	return flags;
}

/* What is known of frames is the same for all pairs. */
static const struct pe_changes *find_changes(const struct pe_compare *compare)
{
	for (size_t p = 0; p < compare->n_pairs; p++)
		if (compare->pairs[p].changes != NULL)
			return compare->pairs[p].changes;
	return NULL;
}

static void put_frames(struct pe_text *out, const struct pe_page_comparison *comparison)
{
	const struct pe_frames *frames = comparison->frames;
	const struct pe_changes *changes = find_changes(comparison->compare);
	struct pe_text name = PE_TEXT_INIT;

	pe_json_open(out, "frames", '{');
	pe_json_open(out, "name", '[');
	for (uint32_t f = 0; f < frames->n; f++) {
		pe_text_clear(&name);
		pe_compare_add_method(&name, frames, f);
		pe_json_put_comma(out);
		pe_escape_json(out, pe_text_str(&name));
	}
	pe_text_addc(out, ']');
	pe_json_open(out, "file", '[');
	for (uint32_t f = 0; f < frames->n; f++) {
		pe_json_put_comma(out);
		pe_escape_json(out, frames->at[f].component);
	}
	pe_text_addc(out, ']');
	pe_json_open(out, "line", '[');
	for (uint32_t f = 0; f < frames->n; f++)
		pe_json_number(out, frames->at[f].line);
	pe_text_addc(out, ']');
	pe_json_open(out, "component", '[');
	for (uint32_t f = 0; f < frames->n; f++) {
		pe_json_put_comma(out);
		pe_escape_json(out, frames->at[f].module);
	}
	pe_text_addc(out, ']');
	pe_json_open(out, "flags", '[');
	for (uint32_t f = 0; f < frames->n; f++)
		pe_json_number(out, frame_flags(frames, changes, f));
	pe_text_add(out, "]}");
	pe_text_release(&name);
}

/* --- Sources --- */

static void put_two_texts(struct pe_text *out, const char *key, const char *const texts[2])
{
	pe_json_open(out, key, '[');
	for (int side = 0; side < 2; side++) {
		pe_json_put_comma(out);
		pe_escape_json(out, texts[side]);
	}
	pe_text_addc(out, ']');
}

static void put_two(struct pe_text *out, const char *key, double old_value, double new_value)
{
	pe_json_open(out, key, '[');
	pe_json_number(out, old_value);
	pe_json_number(out, new_value);
	pe_text_addc(out, ']');
}

static void put_source_text(struct pe_text *out, const struct pe_page_source *source)
{
	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_number(out, "frame", source->frame);
	put_two_texts(out, "path", source->path);
	put_two(out, "line", source->line[0], source->line[1]);
	put_two_texts(out, "text", source->text);
	pe_json_open(out, "same", '[');
	for (size_t i = 0; i < source->n_same; i++)
		pe_json_number(out, source->same[i]);
	pe_text_add(out, "]}");
}

/* --- Pairs --- */

static void put_figure(struct pe_text *out, const struct pe_compare_figure *figure)
{
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_text(out, "metric", figure->metric->name);
	pe_json_put_text(out, "label", figure->metric->label);
	pe_json_put_text(out, "unit", figure->metric->unit);
	pe_json_put_bool(out, "lower", figure->metric->better == PE_LOWER_IS_BETTER);
	pe_json_put_bool(out, "judged", figure->judged);
	pe_json_put_bool(out, "exact", figure->exact);
	pe_json_put_computed(out, "old", figure->old_value);
	pe_json_put_computed(out, "new", figure->new_value);
	put_two(out, "n", (double)figure->old_n, (double)figure->new_n);
	pe_json_put_computed(out, "relative", figure->relative);
	pe_json_put_computed(out, "low", figure->low);
	pe_json_put_computed(out, "high", figure->high);
	if (figure->jump != NULL) {
		struct pe_text text = PE_TEXT_INIT;

		pe_estimate_add_compared(&text, figure->jump, figure->jump_id, figure->measured);
		pe_json_put_text(out, "jump", pe_text_str(&text));
		pe_text_release(&text);
	}
	pe_json_put_text(out, "verdict", pe_compare_verdict_word(figure));
	pe_text_addc(out, '}');
}

static void put_cause(struct pe_text *out, const struct pe_compare_pair *pair,
		      const struct pe_verdict_report *report, uint32_t c)
{
	const struct pe_cause *cause = &report->causes[c];
	struct pe_text text = PE_TEXT_INIT;

	pe_verdict_say(&text, report, c, pair->delta);
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_text(out, "text", pe_text_str(&text));
	pe_json_put_text(out, "kind", pe_cause_kind_name(cause->kind));
	put_node_number(out, "frame", cause->frame);
	put_node_number(out, "caller", cause->caller);
	put_node_number(out, "other", cause->other);
	put_node_number(out, "node", cause->node);
	pe_json_put_number(out, "amount", (double)cause->amount);
	pe_json_put_computed(out, "share", cause->share);
	pe_json_put_computed(out, "noise", cause->noise);
	pe_text_addc(out, '}');
	pe_text_release(&text);
}

static void put_report(struct pe_text *out, const struct pe_compare_pair *pair,
		       const struct pe_verdict_report *report)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_verdict_say_whole(&text, report);
	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "text", pe_text_str(&text));
	pe_json_put_text(out, "unit", pe_compare_unit(report->unit));
	pe_json_put_number(out, "difference", (double)report->whole);
	pe_json_put_number(out, "old_total", (double)report->old_whole);
	pe_json_put_number(out, "new_total", (double)report->new_whole);
	pe_json_put_computed(out, "noise", report->noise);
	pe_json_put_number(out, "unsaid", (double)report->unsaid);
	pe_json_put_number(out, "within_noise", report->within_noise);
	pe_json_put_number(out, "more", report->more);
	pe_json_open(out, "causes", '[');
	for (uint32_t c = 0; c < report->n; c++)
		put_cause(out, pair, report, c);
	pe_text_add(out, "]}");
	pe_text_release(&text);
}

static void put_critical(struct pe_text *out, const struct pe_zam *zam)
{
	if (zam == NULL) {
		pe_json_put_text(out, "critical", NULL);
		return;
	}
	pe_json_open(out, "critical", '{');
	pe_json_put_number(out, "min_ns", (double)zam->min_ns);
	pe_json_put_bool(out, "from_noise", zam->min_from_noise);
	pe_json_open(out, "nodes", '[');
	for (uint32_t i = 0; i < zam->n; i++) {
		const struct pe_zam_node *node = &zam->nodes[i];

		pe_json_put_comma(out);
		pe_text_addc(out, '{');
		put_node_number(out, "parent", node->parent);
		pe_json_put_number(out, "frame", node->frame);
		pe_json_put_bool(out, "added", node->added);
		pe_json_put_bool(out, "cause", node->cause);
		pe_json_put_number(out, "places", node->places);
		pe_json_put_computed(out, "old_ns", node->old_ns);
		pe_json_put_computed(out, "new_ns", node->new_ns);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
	pe_json_open(out, "methods", '[');
	for (uint32_t i = 0; i < zam->n_methods; i++) {
		const struct pe_zam_method *method = &zam->methods[i];

		pe_json_put_comma(out);
		pe_text_addf(out, "[%u", method->frame);
		pe_json_put_comma(out);
		pe_number_computed(out, method->old_ns);
		pe_json_put_comma(out);
		pe_number_computed(out, method->new_ns);
		pe_text_addf(out, ",%u,%s]", method->contexts, method->in_graph ? "true" : "false");
	}
	pe_text_add(out, "]}");
}

static void put_stages_node(struct pe_text *out, const struct pe_compare_pair *pair,
			    const struct pe_parcs_shown *shown)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_number(out, "node", shown->node);
	if (shown->parent != PE_CCT_NONE)
		pe_json_put_number(out, "parent", shown->parent);
	else
		pe_json_put_text(out, "parent", NULL);
	pe_json_put_computed(out, "x", shown->x);
	pe_json_put_computed(out, "y", shown->y);
	pe_json_put_computed(out, "wide", shown->wide);
	pe_json_put_computed(out, "reach", shown->reach);
	pe_json_put_bool(out, "modified", shown->modified);
	pe_json_put_bool(out, "cut", shown->cut != NULL);
	pe_json_put_number(out, "hidden", shown->hidden);
	pe_parcs_picture_name(&text, pair, shown);
	pe_json_put_text(out, "name", pe_text_str(&text));
	pe_text_clear(&text);
	pe_parcs_picture_why(&text, pair, shown);
	pe_json_put_text(out, "why", pe_text_str(&text));
	pe_text_release(&text);
	pe_text_addc(out, '}');
}

static void put_stages_tree(struct pe_text *out, const struct pe_compare_pair *pair)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_parcs_picture picture;

	if (pair->parcs == NULL) {
		pe_json_put_text(out, "stages_tree", NULL);
		return;
	}
	pe_parcs_picture_make(&picture, pair, PE_PARCS_MOST_CUTS, &arena);
	pe_parcs_picture_lay_out(&picture, pair, &arena);
	pe_json_open(out, "stages_tree", '{');
	pe_json_put_computed(out, "width", picture.width);
	pe_json_put_computed(out, "height", picture.height);
	pe_json_put_computed(out, "high", PE_PARCS_HIGH);
	pe_json_put_number(out, "cuts", picture.cuts);
	pe_json_open(out, "nodes", '[');
	for (uint32_t i = 0; i < picture.n; i++)
		put_stages_node(out, pair, &picture.at[i]);
	pe_text_add(out, "]}");
	pe_arena_release(&arena);
}

static void put_pair(struct pe_text *out, const struct pe_compare_pair *pair,
		     const struct pe_page_variants *variants)
{
	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "name", pair->name);
	pe_json_put_text(out, "with", pair->with_name);
	pe_json_put_bool(out, "same", pair->same);
	pe_json_put_text(out, "problem", pair->problem);
	pe_json_put_text(out, "untimed", pair->untimed);
	pe_json_open(out, "figures", '[');
	for (size_t i = 0; i < pair->n_figures; i++)
		put_figure(out, &pair->figures[i]);
	pe_text_addc(out, ']');
	pe_json_open(out, "reports", '[');
	for (size_t i = 0; i < pair->n_reports; i++)
		put_report(out, pair, &pair->reports[i]);
	pe_text_addc(out, ']');
	pe_page_put_trees(out, pair, variants);
	put_critical(out, pair->critical);
	pe_json_key(out, "parcs");
	if (pair->parcs != NULL)
		pe_parcs_json_benchmark(out, pair);
	else
		pe_text_add(out, "null");
	put_stages_tree(out, pair);
	pe_text_addc(out, '}');
}

void pe_page_put_comparison(struct pe_text *out, const struct pe_page_comparison *comparison)
{
	const struct pe_compare *compare = comparison->compare;

	pe_text_addc(out, '{');
	pe_json_put_text(out, "match", compare->match);
	pe_json_put_bool(out, "call_sites", compare->call_sites);
	pe_json_put_text(out, "basis", pe_basis_name(compare->basis));
	pe_json_put_number(out, "min_change", compare->min_change);
	if (comparison->stored)
		pe_json_put_bool(out, "stored", true);
	pe_compare_json_source(out, &compare->source);
	put_frames(out, comparison);
	pe_json_open(out, "sources", '[');
	for (size_t i = 0; i < comparison->n_sources; i++)
		put_source_text(out, &comparison->sources[i]);
	pe_text_addc(out, ']');
	pe_json_open(out, "pairs", '[');
	for (size_t p = 0; p < compare->n_pairs; p++)
		put_pair(out, &compare->pairs[p], &comparison->variants[p]);
	pe_text_add(out, "]}");
}
