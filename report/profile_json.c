/* A tree as one JSON document: report/schema/profile.schema.json describes its members. */
#include "report/profile_text.h"

#include "analysis/profile/timeline.h"
#include "core/json/writer.h"

#include <string.h>

#define Z_95 1.959963984540054

/* By bit of enum pe_cct_known, and of enum pe_cct_flag. */
static const char *const known[] = {"calls", "sites", "time", NULL, "allocations", "samples"};
static const char *const flags[] = {"folded", "unstable", "uncounted", "cut"};

static const char *const kinds[] = {
	[PE_FRAME_METHOD] = "method",   [PE_FRAME_ROOT] = "root",
	[PE_FRAME_PROCESS] = "process", [PE_FRAME_THREAD] = "thread",
	[PE_FRAME_UNKNOWN] = "unknown", [PE_FRAME_WAITING] = "waiting",
};

struct writer {
	struct pe_profile_view_data view;
	uint32_t *methods; /* by frame: its index in "methods"; PE_CCT_NONE: not there */
	uint32_t *nodes;   /* by node: its index in "nodes"; PE_CCT_NONE: cut off */
	uint32_t n_nodes, n_methods;
};

/* Names of the bits that are set. */
static void put_bits(struct pe_json *json, const char *key, unsigned bits,
		     const char *const names[], size_t n)
{
	pe_json_each(json, key, i, n, if ((bits >> i & 1) != 0) pe_json_put(json, NULL, names[i]));
}

/* Number the nodes that threshold and depth leave, and the methods of those. */
static void choose(struct writer *writer)
{
	const struct pe_profile *profile = writer->view.profile;
	const struct pe_cct *cct = writer->view.cct;
	const struct pe_timeline *timeline = cct->facts.timeline;
	const double least = profile->threshold * writer->view.whole;
	uint32_t *levels = pe_arena_new(&writer->view.arena, uint32_t, cct->n);

	writer->methods = pe_arena_new(&writer->view.arena, uint32_t, cct->frames->n);
	writer->nodes = pe_arena_new(&writer->view.arena, uint32_t, cct->n);
	memset(writer->methods, 0xff, cct->frames->n * sizeof(*writer->methods));
	memset(writer->nodes, 0xff, cct->n * sizeof(*writer->nodes));
	for (uint32_t i = 0; timeline != NULL && i < timeline->n_lanes + timeline->n_stacks; i++) {
		const uint32_t frame = i < timeline->n_lanes
					       ? timeline->lanes[i].frame
					       : timeline->stacks[i - timeline->n_lanes].frame;

		if (writer->methods[frame] == PE_CCT_NONE)
			writer->methods[frame] = writer->n_methods++;
	}
	for (uint32_t i = 0; i < cct->n;) {
		const uint32_t parent = cct->nodes[i].parent;

		levels[i] = parent != PE_CCT_NONE ? levels[parent] + 1 : 0;
		if (i > 0 && ((double)writer->view.total[i] < least ||
			      (profile->depth != 0 && levels[i] > profile->depth))) {
			i = cct->nodes[i].end;
			continue;
		}
		writer->nodes[i] = writer->n_nodes++;
		if (writer->methods[cct->nodes[i].frame] == PE_CCT_NONE)
			writer->methods[cct->nodes[i].frame] = writer->n_methods++;
		i++;
	}
}

static void put_facts(struct pe_json *json, const struct pe_profile *profile)
{
	const struct pe_cct_facts *facts = &profile->cct->facts;

	pe_json_put(json, "format", "perfevo-profile");
	pe_json_put(json, "version", 1);
	pe_json_members(json, profile, benchmark, revision, subject);
	pe_json_put(json, "source", facts->source);
	pe_json_put(json, "weight", pe_weights[profile->weight].name);
	pe_json_members(json, profile, threshold, depth);
	put_bits(json, "known", profile->cct->known, known, 6);
	pe_json_members(json, facts, duration_ns, samples, samples_lost, interval_ns, processes,
			threads, peak_bytes);
}

static void put_methods(struct pe_json *json, const struct writer *writer)
{
	const struct pe_frames *frames = writer->view.cct->frames;
	const uint64_t *instructions = writer->view.profile->instructions;
	pe_auto_arena arena = PE_ARENA_INIT;
	uint32_t *order = pe_arena_new(&arena, uint32_t, writer->n_methods);

	for (uint32_t i = 0; i < frames->n; i++)
		if (writer->methods[i] != PE_CCT_NONE)
			order[writer->methods[i]] = i;
	pe_json_begin_rows(json, "methods");
	for (uint32_t i = 0; i < writer->n_methods; i++) {
		const struct pe_frame *frame = &frames->at[order[i]];

		pe_json_begin_object(json, NULL);
		pe_json_members(json, frame, name, signature, component, module, line);
		pe_json_put(json, "kind", kinds[frame->kind]);
		if (instructions != NULL && instructions[order[i]] > 0)
			pe_json_put(json, "instructions", instructions[order[i]]);
		pe_json_end(json);
	}
	pe_json_end(json);
}

static void put_times(struct pe_json *json, const struct pe_cct *cct, uint32_t node)
{
	double low, high;

	if (cct->self_ns == NULL)
		return;
	pe_json_put(json, "self_ns", cct->self_ns[node]);
	pe_json_put(json, "total_ns", cct->total_ns[node]);
	if (pe_cct_self_interval(cct, node, Z_95, &low, &high)) {
		pe_json_put(json, "low_ns", (uint64_t)low);
		pe_json_put(json, "high_ns", (uint64_t)high);
	}
}

static void put_allocations(struct pe_json *json, const struct pe_cct *cct, uint32_t node)
{
	if (cct->allocations == NULL)
		return;
	if ((cct->flags[node] & PE_CCT_UNCOUNTED) == 0) {
		pe_json_put(json, "allocations", cct->allocations[node]);
		pe_json_put(json, "allocated_bytes", cct->allocated_bytes[node]);
		pe_json_put(json, "frees", cct->frees[node]);
	}
	pe_json_put(json, "total_allocations", cct->total_allocations[node]);
	pe_json_put(json, "total_allocated_bytes", cct->total_bytes[node]);
}

void pe_profile_json_differs(struct pe_json *json, const struct pe_cct *cct, uint32_t node)
{
	const struct pe_cct_range *range = pe_cct_range_of(cct, node);

	if (range == NULL)
		return;
	pe_json_put(json, "differs_in", range->runs);
	pe_json_put(json, "runs", cct->facts.counting_runs);
}

static void put_node(struct pe_json *json, const struct writer *writer, uint32_t node,
		     uint32_t hidden)
{
	const struct pe_cct *cct = writer->view.cct;
	const uint32_t parent = cct->nodes[node].parent;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "method", writer->methods[cct->nodes[node].frame]);
	pe_json_index(json, "parent", parent != PE_CCT_NONE ? writer->nodes[parent] : PE_CCT_NONE,
		      PE_CCT_NONE);
	if ((cct->known & PE_CCT_SITES) != 0 && cct->nodes[node].site != 0)
		pe_json_put(json, "site", cct->nodes[node].site);
	if (cct->calls != NULL && (cct->flags[node] & PE_CCT_UNCOUNTED) == 0)
		pe_json_put(json, "calls", cct->calls[node]);
	put_times(json, cct, node);
	put_allocations(json, cct, node);
	if (cct->samples != NULL)
		pe_json_put(json, "samples", cct->samples[node]);
	if ((cct->flags[node] & 0xf) != 0)
		put_bits(json, "flags", cct->flags[node], flags, 4);
	pe_profile_json_differs(json, cct, node);
	if (hidden > 0)
		pe_json_put(json, "hidden", hidden);
	pe_json_end(json);
}

static void put_method(struct pe_json *json, const uint32_t *methods, uint32_t frame)
{
	pe_json_put(json, NULL, methods != NULL ? methods[frame] : frame);
}

/* Nodes that are cut off below each one that is written: all below it, less those that are written. */
static uint32_t *count_hidden(const struct writer *writer, struct pe_arena *arena)
{
	const struct pe_cct *cct = writer->view.cct;
	uint32_t *hidden = pe_arena_new(arena, uint32_t, cct->n);

	for (uint32_t i = cct->n; i-- > 1;) {
		const uint32_t parent = cct->nodes[i].parent;

		if (writer->nodes[i] == PE_CCT_NONE && writer->nodes[parent] != PE_CCT_NONE)
			hidden[parent] += cct->nodes[i].end - i;
	}
	return hidden;
}

void pe_profile_json_timeline(struct pe_json *json, const char *key,
			      const struct pe_timeline *timeline, const uint32_t *methods)
{
	const struct pe_timeline_lane *lanes = timeline->lanes;
	const struct pe_timeline_stack *stacks = timeline->stacks;
	const struct pe_timeline_segment *at = timeline->segments;

	pe_json_begin_object(json, key);
	pe_json_put(json, "left_out", timeline->left_out);
	pe_json_begin_object(json, "lanes");
	pe_json_each(json, "method", i, timeline->n_lanes,
		     put_method(json, methods, lanes[i].frame));
	pe_json_each(json, "threads", i, timeline->n_lanes,
		     pe_json_put(json, NULL, lanes[i].threads));
	pe_json_each(json, "pid", i, timeline->n_lanes, pe_json_put(json, NULL, lanes[i].pid));
	pe_json_each(json, "tid", i, timeline->n_lanes, pe_json_put(json, NULL, lanes[i].tid));
	pe_json_end(json);
	pe_json_begin_object(json, "stacks");
	pe_json_each(
		json, "parent", i, timeline->n_stacks,
		pe_json_put(json, NULL,
			    stacks[i].parent != PE_CCT_NONE ? (uint32_t)i - stacks[i].parent : 0));
	pe_json_each(json, "method", i, timeline->n_stacks,
		     put_method(json, methods, stacks[i].frame));
	pe_json_end(json);
	pe_json_begin_object(json, "segments");
	pe_json_each(json, "lane", i, timeline->n_segments, pe_json_put(json, NULL, at[i].lane));
	pe_json_each(json, "begin_us", i, timeline->n_segments,
		     pe_json_put(json, NULL, at[i].begin_us));
	pe_json_each(json, "length_us", i, timeline->n_segments,
		     pe_json_put(json, NULL, at[i].end_us - at[i].begin_us));
	pe_json_each(json, "stack", i, timeline->n_segments,
		     pe_json_index(json, NULL, at[i].stack, PE_CCT_NONE));
	pe_json_each(json, "waited_us", i, timeline->n_segments,
		     pe_json_put(json, NULL, at[i].waited_us));
	pe_json_each(json, "path_us", i, timeline->n_segments,
		     pe_json_put(json, NULL, at[i].path_us));
	pe_json_end(json);
	pe_json_end(json);
}

void pe_profile_json(struct pe_text *out, const struct pe_profile *profile)
{
	struct pe_json json = PE_JSON_INIT(out);
	struct writer writer = {.n_nodes = 0};
	const uint32_t *hidden;

	pe_profile_begin(&writer.view, profile);
	if (writer.view.total == NULL) /* a weight that is not known cuts nothing */
		writer.view.total = pe_arena_new(&writer.view.arena, uint64_t, profile->cct->n);
	choose(&writer);
	hidden = count_hidden(&writer, &writer.view.arena);
	pe_json_begin_object(&json, NULL);
	put_facts(&json, profile);
	put_methods(&json, &writer);
	pe_json_each_row(&json, "nodes", i, profile->cct->n,
			 if (writer.nodes[i] != PE_CCT_NONE)
				 put_node(&json, &writer, (uint32_t)i, hidden[i]));
	if (profile->cct->facts.timeline != NULL)
		pe_profile_json_timeline(&json, "timeline", profile->cct->facts.timeline,
					 writer.methods);
	pe_json_finish(&json);
	pe_profile_end(&writer.view);
}
