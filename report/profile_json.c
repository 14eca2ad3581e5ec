/*
 * One JSON document:
 *
 *	{
 *	  "format": "perfevo-profile", "version": 1,
 *	  "benchmark": "parse", "revision": "3f2a91c0", "subject": "...",      null where unknown
 *	  "source": "counting+samples",
 *	  "weight": "time", "threshold": 0.005, "depth": 0,                    what it was cut by
 *	  "known": ["calls", "sites", "time", "deviation", "allocations", "samples"],
 *	  "duration_ns": 1230000000, "samples": 1230, "samples_lost": 4, "interval_ns": 1000000,
 *	  "processes": 1, "threads": 2, "peak_bytes": 1048576,                 0: unknown
 *	  "methods": [
 *	    {"name": "ns::table::probe", "signature": "(int)", "component": "src/table.c",
 *	     "module": "tool", "line": 40, "kind": "method"}, ...
 *	  ],
 *	  "nodes": [
 *	    {"method": 0, "parent": null, "site": 45, "calls": 12,
 *	     "self_ns": 100, "total_ns": 250, "low_ns": 80, "high_ns": 120, "deviation_ns": 2.5,
 *	     "allocations": 1, "allocated_bytes": 16, "frees": 1,
 *	     "total_allocations": 3, "total_allocated_bytes": 48,
 *	     "samples": 100, "flags": ["folded", "unstable", "uncounted", "cut"], "differs_in": 3,
 *	     "runs": 8, "hidden": 3}, ...
 *	  ]
 *	}
 *
 * "kind" is one of method, root, process, thread, unknown, waiting. Nodes stand in preorder, children in the order of
 * their first call; "parent" is an index into "nodes". Members whose figure the whole tree does not know are
 * left out, as "known" says; "calls" and allocations of an uncounted node are left out, too. "low_ns" and
 * "high_ns" bound self_ns by its 95 % interval, where there are samples. "differs_in" of so many counting "runs" had
 * other counts or another place than is shown; absent where all agree. "hidden" is the number of nodes below this
 * one that threshold and depth cut off. Later versions may add members.
 */
#include "report/profile_text.h"

#include "report/format.h"
#include "report/json_out.h"

#include <string.h>

#define Z_95 1.959963984540054

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

/* Exact, and without the detour over double: there may be ten million of them. */
static void put_count(struct pe_text *out, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	pe_json_key(out, key);
	pe_text_addn(out, digits + at, sizeof(digits) - at);
}

/* Number the nodes that threshold and depth leave, and the methods of those. */
static void choose(struct writer *writer)
{
	const struct pe_profile *profile = writer->view.profile;
	const struct pe_cct *cct = writer->view.cct;
	const double least = profile->threshold * writer->view.whole;
	uint32_t *levels = pe_arena_new(&writer->view.arena, uint32_t, cct->n);

	writer->methods = pe_arena_new(&writer->view.arena, uint32_t, cct->frames->n);
	writer->nodes = pe_arena_new(&writer->view.arena, uint32_t, cct->n);
	memset(writer->methods, 0xff, cct->frames->n * sizeof(*writer->methods));
	memset(writer->nodes, 0xff, cct->n * sizeof(*writer->nodes));
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

static void put_known(struct pe_text *out, unsigned known)
{
	static const struct {
		enum pe_cct_known bit;
		const char *name;
	} names[] = {
		{PE_CCT_CALLS, "calls"},
		{PE_CCT_SITES, "sites"},
		{PE_CCT_TIME, "time"},
		{PE_CCT_DEVIATION, "deviation"},
		{PE_CCT_ALLOCATIONS, "allocations"},
		{PE_CCT_SAMPLES, "samples"},
	};

	pe_json_open(out, "known", '[');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((known & (unsigned)names[i].bit) == 0)
			continue;
		pe_json_put_comma(out);
		pe_escape_json(out, names[i].name);
	}
	pe_text_addc(out, ']');
}

static void put_facts(struct pe_text *out, const struct pe_profile *profile)
{
	const struct pe_cct_facts *facts = &profile->cct->facts;

	pe_json_put_text(out, "format", "perfevo-profile");
	put_count(out, "version", 1);
	pe_json_put_text(out, "benchmark", profile->benchmark);
	pe_json_put_text(out, "revision", profile->revision);
	pe_json_put_text(out, "subject", profile->subject);
	pe_json_put_text(out, "source", facts->source);
	pe_json_put_text(out, "weight", pe_weights[profile->weight].name);
	pe_json_put_number(out, "threshold", profile->threshold);
	put_count(out, "depth", profile->depth);
	put_known(out, profile->cct->known);
	put_count(out, "duration_ns", facts->duration_ns);
	put_count(out, "samples", facts->samples);
	put_count(out, "samples_lost", facts->samples_lost);
	put_count(out, "interval_ns", facts->interval_ns);
	put_count(out, "processes", facts->processes);
	put_count(out, "threads", facts->threads);
	put_count(out, "peak_bytes", facts->peak_bytes);
}

static void put_methods(struct pe_text *out, const struct writer *writer)
{
	const struct pe_frames *frames = writer->view.cct->frames;
	struct pe_arena arena = PE_ARENA_INIT;
	uint32_t *order = pe_arena_new(&arena, uint32_t, writer->n_methods);

	for (uint32_t i = 0; i < frames->n; i++)
		if (writer->methods[i] != PE_CCT_NONE)
			order[writer->methods[i]] = i;
	pe_json_open(out, "methods", '[');
	for (uint32_t i = 0; i < writer->n_methods; i++) {
		const struct pe_frame *frame = &frames->at[order[i]];

		pe_text_add(out, i > 0 ? ",\n{" : "\n{");
		pe_json_put_text(out, "name", frame->name);
		pe_json_put_text(out, "signature", frame->signature);
		pe_json_put_text(out, "component", frame->component);
		pe_json_put_text(out, "module", frame->module);
		put_count(out, "line", frame->line);
		pe_json_put_text(out, "kind", kinds[frame->kind]);
		pe_text_addc(out, '}');
	}
	pe_text_add(out, "\n]");
	pe_arena_release(&arena);
}

static void put_flags(struct pe_text *out, unsigned flags)
{
	static const struct {
		enum pe_cct_flag bit;
		const char *name;
	} names[] = {
		{PE_CCT_FOLDED, "folded"},
		{PE_CCT_UNSTABLE, "unstable"},
		{PE_CCT_UNCOUNTED, "uncounted"},
		{PE_CCT_CUT, "cut"},
	};

	if (flags == 0)
		return;
	pe_json_open(out, "flags", '[');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((flags & (unsigned)names[i].bit) == 0)
			continue;
		pe_json_put_comma(out);
		pe_escape_json(out, names[i].name);
	}
	pe_text_addc(out, ']');
}

static void put_times(struct pe_text *out, const struct pe_cct *cct, uint32_t node)
{
	double low, high;

	if (cct->self_ns == NULL)
		return;
	put_count(out, "self_ns", cct->self_ns[node]);
	put_count(out, "total_ns", cct->total_ns[node]);
	if (pe_cct_self_interval(cct, node, Z_95, &low, &high)) {
		put_count(out, "low_ns", (uint64_t)low);
		put_count(out, "high_ns", (uint64_t)high);
	}
	if (cct->deviation_ns != NULL)
		pe_json_put_computed(out, "deviation_ns", cct->deviation_ns[node]);
}

static void put_allocations(struct pe_text *out, const struct pe_cct *cct, uint32_t node)
{
	if (cct->allocations == NULL)
		return;
	if ((cct->flags[node] & PE_CCT_UNCOUNTED) == 0) {
		put_count(out, "allocations", cct->allocations[node]);
		put_count(out, "allocated_bytes", cct->allocated_bytes[node]);
		put_count(out, "frees", cct->frees[node]);
	}
	put_count(out, "total_allocations", cct->total_allocations[node]);
	put_count(out, "total_allocated_bytes", cct->total_bytes[node]);
}

void pe_profile_json_differs(struct pe_text *out, const struct pe_cct *cct, uint32_t node)
{
	const struct pe_cct_range *range = pe_cct_range_of(cct, node);

	if (range == NULL)
		return;
	pe_json_put_number(out, "differs_in", range->runs);
	pe_json_put_number(out, "runs", cct->facts.counting_runs);
}

static void put_node(struct pe_text *out, const struct writer *writer, uint32_t node,
		     uint32_t hidden)
{
	const struct pe_cct *cct = writer->view.cct;
	const uint32_t parent = cct->nodes[node].parent;

	put_count(out, "method", writer->methods[cct->nodes[node].frame]);
	if (parent == PE_CCT_NONE)
		pe_json_put_text(out, "parent", NULL);
	else
		put_count(out, "parent", writer->nodes[parent]);
	if ((cct->known & PE_CCT_SITES) != 0 && cct->nodes[node].site != 0)
		put_count(out, "site", cct->nodes[node].site);
	if (cct->calls != NULL && (cct->flags[node] & PE_CCT_UNCOUNTED) == 0)
		put_count(out, "calls", cct->calls[node]);
	put_times(out, cct, node);
	put_allocations(out, cct, node);
	if (cct->samples != NULL)
		put_count(out, "samples", cct->samples[node]);
	put_flags(out, cct->flags[node]);
	pe_profile_json_differs(out, cct, node);
	if (hidden > 0)
		put_count(out, "hidden", hidden);
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

void pe_profile_json(struct pe_text *out, const struct pe_profile *profile)
{
	struct writer writer = {.n_nodes = 0};
	const uint32_t *hidden;

	pe_profile_begin(&writer.view, profile);
	if (writer.view.total == NULL) /* a weight that is not known cuts nothing */
		writer.view.total = pe_arena_new(&writer.view.arena, uint64_t, profile->cct->n);
	choose(&writer);
	hidden = count_hidden(&writer, &writer.view.arena);
	pe_text_addc(out, '{');
	put_facts(out, profile);
	put_methods(out, &writer);
	pe_json_open(out, "nodes", '[');
	for (uint32_t i = 0; i < profile->cct->n; i++) {
		if (writer.nodes[i] == PE_CCT_NONE)
			continue;
		pe_text_add(out, i > 0 ? ",\n{" : "\n{");
		put_node(out, &writer, i, hidden[i]);
		pe_text_addc(out, '}');
	}
	pe_text_add(out, "\n]}\n");
	pe_profile_end(&writer.view);
}
