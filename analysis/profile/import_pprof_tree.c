/* From the numbers of a pprof file to the tree: locations become methods, and the chosen values are converted. */
#include "core/base/quantity.h"
#include "analysis/profile/import_json.h"
#include "analysis/profile/import_names.h"
#include "analysis/profile/import_pprof.h"
#include "analysis/profile/importers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static char *string_at(const struct pe_pprof *pprof, uint64_t index)
{
	static char none[1];

	return index < pprof->strings.n ? pprof->text.data + pprof->strings.data[index].at : none;
}

static const char *module_of(const struct pe_pprof *pprof, const struct pe_pprof_location *location)
{
	uint32_t index = pe_map_get(&pprof->mapping_ids, location->mapping, 0, UINT32_MAX);

	if (index == UINT32_MAX)
		return "";
	return pe_names_base(string_at(pprof, pprof->mappings.data[index].file));
}

static uint32_t unknown_frame(struct pe_pprof *pprof, const struct pe_pprof_location *location)
{
	uint32_t index = pe_map_get(&pprof->mapping_ids, location->mapping, 0, UINT32_MAX);
	const char *module = module_of(pprof, location);
	uint64_t address = location->address;
	char name[512];
	struct pe_frame frame = {
		.name = name,
		.module = module,
		.component = module,
		.kind = PE_FRAME_UNKNOWN,
	};

	if (index != UINT32_MAX)
		address += pprof->mappings.data[index].offset - pprof->mappings.data[index].start;
	snprintf(name, sizeof(name), "%s%s0x%" PRIx64, module, module[0] != '\0' ? "+" : "",
		 address);
	return pe_frames_add(pprof->import->frames, &frame);
}

static int line_frame(struct pe_pprof *pprof, const struct pe_pprof_location *location,
		      struct pe_pprof_line *line)
{
	uint32_t index = pe_map_get(&pprof->function_ids, line->function, 0, UINT32_MAX);
	const struct pe_pprof_function *function;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_frame frame = {0};
	const char *name;
	char *copy;

	if (line->frame != PE_FRAME_NONE)
		return PE_OK;
	if (index == UINT32_MAX)
		return pe_import_refuse_at(pprof->import, location->offset,
					   "it among the functions",
					   "function %" PRIu64 " is not there", line->function);
	function = &pprof->functions.data[index];
	if (function->name >= pprof->strings.n || function->file >= pprof->strings.n)
		return pe_import_refuse_at(
			pprof->import, location->offset, "it in the table of strings",
			"the name of function %" PRIu64 " is not there", line->function);
	name = string_at(pprof, function->name);
	if (name[0] == '\0')
		name = string_at(pprof, function->system_name);
	if (name[0] == '\0')
		name = "(anonymous)";
	copy = pe_arena_new(&scratch, char, strlen(name) + 2);
	memcpy(copy, name, strlen(name));
	pe_names_split_signature(&frame, copy);
	frame.module = module_of(pprof, location);
	frame.component = string_at(pprof, function->file);
	if (frame.component[0] == '\0')
		frame.component = frame.module;
	frame.line = function->line < UINT32_MAX ? (uint32_t)function->line : 0;
	line->frame = pe_frames_add(pprof->import->frames, &frame);
	return PE_OK;
}

static uint32_t site(const struct pe_pprof *pprof, const struct pe_pprof_location *location)
{
	uint64_t line = location->n_lines > 0 ? pprof->lines.data[location->line].line : 0;

	return line < UINT32_MAX ? (uint32_t)line : 0;
}

/*
 * Limit of the tree's nodes. A file refers to a location with a byte, and the location may have a thousand inlined lines:
 * the limit keeps the tree in proportion. Two nodes a byte, and this base, are above the files of all profilers.
 */
static const uint64_t NODES_BASE = 1 << 18, NODES_BYTE = 2;

static bool is_too_large(const struct pe_pprof *pprof)
{
	return pe_cct_builder_count(pprof->import->builder) >
	       NODES_BASE + NODES_BYTE * pe_input_offset(pprof->import->input);
}

/* Make the nodes of one location below a node, from the function itself to the innermost one inlined into it. */
static int make_nodes(struct pe_pprof *pprof, const struct pe_pprof_location *location,
		      uint32_t *node, uint32_t call_site)
{
	struct pe_cct_builder *builder = pprof->import->builder;

	if (!location->is_defined)
		return pe_import_refuse_at(pprof->import, location->offset,
					   "it among the locations",
					   "location %" PRIu64 " is not there", location->id);
	if (is_too_large(pprof))
		return pe_import_refuse_at(pprof->import, location->offset,
					   "a tree in proportion to the file",
					   "inlined calls make more than %" PRIu32 " nodes",
					   pe_cct_builder_count(pprof->import->builder) - 1);
	if (location->n_lines == 0)
		*node = pe_cct_builder_child(builder, *node, unknown_frame(pprof, location),
					     call_site);
	for (size_t i = location->n_lines; i > 0; i--) {
		struct pe_pprof_line *line = &pprof->lines.data[location->line + i - 1];
		int rc = line_frame(pprof, location, line);

		if (rc != PE_OK)
			return rc;
		*node = pe_cct_builder_child(builder, *node, line->frame, call_site);
		call_site = line->line < UINT32_MAX ? (uint32_t)line->line : 0;
	}
	return PE_OK;
}

/* --- Which values --- */

enum { NONE = PE_PPROF_VALUES };

struct choice {
	size_t time, samples, calls, allocations, bytes; /* NONE: not there */
	double scale;                                    /* from the unit of time to ns */
	bool is_cost; /* samples hold another quantity: bytes in use, contentions ... */
};

static double time_scale(const char *unit)
{
	return pe_unit_ns(unit, strlen(unit));
}

/* Rank a value as the time to be read; 0: it is no time. */
static int time_rank(const struct pe_pprof *pprof, const struct pe_pprof_value_type *type)
{
	const char *name = string_at(pprof, type->name);

	if (time_scale(string_at(pprof, type->unit)) == 0)
		return 0;
	if (pprof->default_type != 0 && strcmp(name, string_at(pprof, pprof->default_type)) == 0)
		return 4;
	return strcmp(name, "cpu") == 0                                 ? 3
	       : strcmp(name, "time") == 0 || strcmp(name, "wall") == 0 ? 2
									: 1;
}

/* Whether a value counts samples. Exceptions, contentions or objects are counted, too, but are no samples. */
static bool is_sampling(const char *name)
{
	static const char *const names[] = {"samples", "sample", "sample_count", "cpu_samples"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/*
 * Choose the value of a profile without times, samples, calls and allocations: its default one, else bytes, else the first.
 */
static size_t choose_cost(const struct pe_pprof *pprof, size_t n)
{
	size_t cost = n > 0 ? 0 : NONE;

	for (size_t i = n; i-- > 0;)
		if (strcmp(string_at(pprof, pprof->types.data[i].unit), "bytes") == 0)
			cost = i;
	for (size_t i = 0; i < n && pprof->default_type != 0; i++)
		if (strcmp(string_at(pprof, pprof->types.data[i].name),
			   string_at(pprof, pprof->default_type)) == 0)
			cost = i;
	return cost;
}

static struct choice choose(const struct pe_pprof *pprof)
{
	struct choice choice = {NONE, NONE, NONE, NONE, NONE, 0, false};
	size_t n = pprof->types.n < pprof->n_values ? pprof->types.n : pprof->n_values;
	int best = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pe_pprof_value_type *type = &pprof->types.data[i];
		const char *name = string_at(pprof, type->name);
		bool is_count = strcmp(string_at(pprof, type->unit), "count") == 0;
		int rank = time_rank(pprof, type);

		if (rank > best) {
			best = rank;
			choice.time = i;
			choice.scale = time_scale(string_at(pprof, type->unit));
		} else if (strcmp(name, "calls") == 0 && is_count) {
			choice.calls = i;
		} else if (strcmp(name, "alloc_objects") == 0) {
			choice.allocations = i;
		} else if (strcmp(name, "alloc_space") == 0) {
			choice.bytes = i;
		} else if (is_count && is_sampling(name)) {
			choice.samples = i;
		}
	}
	if (choice.time == NONE && choice.samples == NONE && choice.calls == NONE &&
	    (choice.allocations == NONE || choice.bytes == NONE)) {
		choice.samples = choose_cost(pprof, n);
		choice.is_cost = choice.samples != NONE;
	}
	return choice;
}

static void add_values(struct pe_pprof *pprof, const struct choice *choice, uint32_t from,
		       uint32_t to)
{
	const uint64_t *values = &pprof->values.data[from * pprof->n_values];
	struct pe_cct_values *sums = pe_cct_builder_at(pprof->import->builder, to);

	if (choice->time != NONE) {
		double ns = (double)values[choice->time] * choice->scale;

		pe_cct_add(&sums->self_ns, choice->scale == 1 ? values[choice->time]
					   : ns < 0x1p63      ? (uint64_t)ns
							      : UINT64_MAX);
	}
	if (choice->samples != NONE) {
		uint64_t *all = &pprof->import->facts.samples;

		pe_cct_add(&sums->samples, values[choice->samples]);
		pe_cct_add(all, values[choice->samples]);
	}
	if (choice->calls != NONE)
		pe_cct_add(&sums->calls, values[choice->calls]);
	if (choice->allocations != NONE && choice->bytes != NONE) {
		pe_cct_add(&sums->allocations, values[choice->allocations]);
		pe_cct_add(&sums->allocated_bytes, values[choice->bytes]);
	}
}

/* Set the known columns; PE_EINVALID if there is no usable value. */
static int know(struct pe_pprof *pprof, const struct choice *choice)
{
	struct pe_import *import = pprof->import;
	unsigned known = (choice->time != NONE ? PE_CCT_TIME : 0u) |
			 (choice->samples != NONE ? PE_CCT_SAMPLES : 0u) |
			 (choice->calls != NONE ? PE_CCT_CALLS : 0u);

	if (choice->allocations != NONE && choice->bytes != NONE)
		known |= PE_CCT_ALLOCATIONS;
	if (known == 0 && pprof->n_values > 0)
		return pe_import_refuse_at(pprof->import, pe_input_offset(pprof->import->input),
					   "times, counts, or alloc_objects and alloc_space",
					   "no values that can be taken");
	if (pprof->has_sites)
		known |= PE_CCT_SITES;
	if (choice->samples != NONE && !choice->is_cost &&
	    time_scale(string_at(pprof, pprof->period_type.unit)) > 0 &&
	    pprof->period < INT64_MAX / 1000)
		import->facts.interval_ns =
			(uint64_t)((double)pprof->period *
				   time_scale(string_at(pprof, pprof->period_type.unit)));
	if (choice->is_cost)
		import->note = pe_arena_printf(
			import->arena, "costs are those of '%s' (%s): there are no times",
			string_at(pprof, pprof->types.data[choice->samples].name),
			string_at(pprof, pprof->types.data[choice->samples].unit));
	else if (choice->time != NONE && pprof->types.n > 2)
		import->note =
			pe_arena_printf(import->arena, "times are those of '%s'",
					string_at(pprof, pprof->types.data[choice->time].name));
	pe_cct_builder_know(import->builder, known);
	return PE_OK;
}

int pe_pprof_build(struct pe_pprof *pprof, struct pe_cct_builder *draft)
{
	struct choice choice = choose(pprof);
	uint32_t n = pprof->n_values > 0 ? pe_cct_builder_count(draft) : 0;
	pe_auto_free uint32_t *made = pe_realloc(NULL, (size_t)n + 1, sizeof(*made));
	int rc = know(pprof, &choice);

	for (uint32_t i = 0; rc == PE_OK && i < n; i++) {
		uint32_t parent = i > 0 ? pe_cct_builder_parent(draft, i) : 0;
		uint32_t call_site = 0;

		made[i] = i > 0 ? made[parent] : 0;
		if (parent > 0)
			call_site = site(pprof,
					 &pprof->locations.data[pprof->location_of.data[parent]]);
		if (i > 0)
			rc = make_nodes(pprof, &pprof->locations.data[pprof->location_of.data[i]],
					&made[i], call_site);
		if (rc == PE_OK)
			add_values(pprof, &choice, i, made[i]);
	}
	return rc;
}
