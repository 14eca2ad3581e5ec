/* A comparison on the page: its entry in the index, and its block but for the trees (report/page.h). */
#include "report/page_parts.h"

#include "core/json/writer.h"
#include "report/compare_text.h"
#include "report/profile_text.h"
#include "report/short_name.h"

#include <string.h>

/* --- The index --- */

static void put_side(struct pe_json *json, const char *key, const struct pe_compare_side *side,
		     size_t revision)
{
	pe_json_begin_object(json, key);
	pe_json_members(json, side, name, id, subject);
	pe_json_index(json, "revision", revision, SIZE_MAX);
	pe_json_end(json);
}

static void put_line(struct pe_json *json, const struct pe_compare *compare,
		     const struct pe_compare_line *line)
{
	const struct pe_attribution *report = &compare->pairs[line->pair].reports[line->report];

	pe_json_begin_object(json, NULL);
	pe_json_members(json, line, text, pair, report, cause);
	pe_json_index(json, "node", report->causes[line->cause].node, PE_CCT_NONE);
	pe_json_computed(json, "weight", line->weight);
	pe_json_end(json);
}

void pe_page_put_entry(struct pe_json *json, const struct pe_page_comparison *comparison,
		       size_t number)
{
	const struct pe_compare *compare = comparison->compare;

	pe_json_begin_object(json, NULL);
	pe_page_put_block_name(json, 'c', number);
	put_side(json, "old", &compare->old_side, comparison->old_revision);
	put_side(json, "new", &compare->new_side, comparison->new_revision);
	pe_json_each(json, "benchmarks", p, compare->n_pairs,
		     pe_json_put(json, NULL, compare->pairs[p].name));
	pe_json_each(json, "lines", i, compare->n_lines,
		     put_line(json, compare, &compare->lines[i]));
	pe_json_end(json);
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
	if ((flags & 7) != 0 && pe_changes_binary(changes, frame) == PE_BINARY_SAME)
		flags |= 256;
	if (frames->at[frame].kind == PE_FRAME_WAITING)
		flags |= 32;
	if (frames->at[frame].kind == PE_FRAME_ROOT)
		flags |= 128;
	return flags;
}

/* The changes of frames are the same for all pairs. */
static const struct pe_changes *find_changes(const struct pe_compare *compare)
{
	for (size_t p = 0; p < compare->n_pairs; p++)
		if (compare->pairs[p].changes != NULL)
			return compare->pairs[p].changes;
	return NULL;
}

static void put_frame_name(struct pe_json *json, const struct pe_frames *frames, uint32_t frame)
{
	struct pe_text name = PE_TEXT_INIT;

	pe_compare_add_method(&name, frames, frame);
	pe_json_take(json, NULL, &name);
}

/* Forms of every name, one a width; null where it is the same as before. */
static void put_forms(struct pe_json *json, const struct pe_frames *frames)
{
	static const size_t widths[] = {64, 48, 36, 28, 21, 15, 10};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_short_name *names = pe_arena_new(&arena, struct pe_short_name, frames->n);
	const char **last = pe_arena_new(&arena, const char *, frames->n);
	pe_auto_text name = PE_TEXT_INIT;

	for (uint32_t f = 0; f < frames->n; f++) {
		pe_text_clear(&name);
		pe_compare_add_method(&name, frames, f);
		names[f].name = last[f] = pe_arena_strdup(&arena, pe_text_str(&name));
	}
	pe_json_begin_array(json, "short");
	for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
		for (uint32_t f = 0; f < frames->n; f++)
			names[f].columns = widths[w];
		pe_short_names_fit(names, frames->n, "…", &arena);
		pe_json_begin_array(json, NULL);
		for (uint32_t f = 0; f < frames->n; f++) {
			pe_json_put(json, NULL,
				    strcmp(names[f].shown, last[f]) != 0 ? names[f].shown : NULL);
			last[f] = names[f].shown;
		}
		pe_json_end(json);
	}
	pe_json_end(json);
}

static void put_frames(struct pe_json *json, const struct pe_page_comparison *comparison)
{
	const struct pe_frames *frames = comparison->frames;
	const struct pe_changes *changes = find_changes(comparison->compare);
	const struct pe_frame *at = frames->at;

	pe_json_begin_object(json, "frames");
	pe_json_each(json, "name", f, frames->n, put_frame_name(json, frames, (uint32_t)f));
	put_forms(json, frames);
	pe_json_each(json, "file", f, frames->n, pe_json_put(json, NULL, at[f].component));
	pe_json_each(json, "line", f, frames->n, pe_json_put(json, NULL, at[f].line));
	pe_json_each(json, "component", f, frames->n, pe_json_put(json, NULL, at[f].module));
	pe_json_each(json, "flags", f, frames->n,
		     pe_json_put(json, NULL, frame_flags(frames, changes, (uint32_t)f)));
	pe_json_end(json);
}

/* --- Sources --- */

static void put_source_text(struct pe_json *json, const struct pe_page_source *source)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "frame", source->frame);
	pe_json_texts(json, "path", source->path, 2);
	pe_json_pair(json, "line", source->line[0], source->line[1]);
	pe_json_texts(json, "text", source->text, 2);
	pe_json_each(json, "same", i, source->n_same, pe_json_put(json, NULL, source->same[i]));
	pe_json_end(json);
}

/* --- Pairs --- */

static void put_critical(struct pe_json *json, const struct pe_zam *zam)
{
	if (!pe_json_begin_maybe(json, "critical", zam != NULL))
		return;
	pe_json_put(json, "min_ns", zam->min_ns);
	pe_json_bool(json, "from_noise", zam->min_from_noise);
	pe_json_begin_array(json, "nodes");
	for (uint32_t i = 0; i < zam->n; i++) {
		const struct pe_zam_node *node = &zam->nodes[i];

		pe_json_begin_object(json, NULL);
		pe_json_index(json, "parent", node->parent, PE_CCT_NONE);
		pe_json_members(json, node, frame, node, added, cause, places);
		pe_json_computed_members(json, node, old_ns, new_ns);
		pe_json_end(json);
	}
	pe_json_end(json);
	pe_json_begin_array(json, "methods");
	for (uint32_t i = 0; i < zam->n_methods; i++) {
		const struct pe_zam_method *method = &zam->methods[i];

		pe_json_begin_array(json, NULL);
		pe_json_put(json, NULL, method->frame);
		pe_json_computed(json, NULL, method->old_ns);
		pe_json_computed(json, NULL, method->new_ns);
		pe_json_columns(json, method, contexts, in_graph);
		pe_json_end(json);
	}
	pe_json_end(json);
	pe_json_end(json);
}

static void put_timelines(struct pe_json *json, const struct pe_compare_pair *pair)
{
	if (pair->timelines[0] == NULL && pair->timelines[1] == NULL)
		return;
	pe_json_begin_array(json, "timelines");
	for (int side = 0; side < 2; side++) {
		if (pair->timelines[side] == NULL)
			pe_json_null(json, NULL);
		else
			pe_profile_json_timeline(json, NULL, pair->timelines[side], NULL);
	}
	pe_json_end(json);
}

static void put_pair(struct pe_json *json, const struct pe_compare_pair *pair)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", pair->name);
	pe_json_put(json, "with", pair->with_name);
	pe_json_members(json, pair, same, problem, untimed, whole);
	pe_json_put(json, "unexplained", pe_compare_unexplained(pair));
	pe_compare_json_metrics(json, pair);
	pe_compare_json_judged(json, pair, true);
	pe_page_put_tree(json, pair);
	put_timelines(json, pair);
	put_critical(json, pair->critical);
	if (pair->parcs != NULL)
		pe_parcs_json_benchmark(json, "parcs", pair);
	else
		pe_json_null(json, "parcs");
	pe_json_end(json);
}

void pe_page_put_comparison(struct pe_json *json, const struct pe_page_comparison *comparison)
{
	const struct pe_compare *compare = comparison->compare;

	pe_json_begin_object(json, NULL);
	pe_json_members(json, compare, match, call_sites);
	pe_json_put(json, "basis", pe_basis_name(compare->basis));
	pe_json_put(json, "min_change", compare->min_change);
	if (comparison->stored)
		pe_json_bool(json, "stored", true);
	pe_compare_json_source(json, &compare->source);
	put_frames(json, comparison);
	pe_json_each_row(json, "sources", i, comparison->n_sources,
			 put_source_text(json, &comparison->sources[i]));
	pe_json_each_row(json, "pairs", p, compare->n_pairs, put_pair(json, &compare->pairs[p]));
	pe_json_end(json);
}
