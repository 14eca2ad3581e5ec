/*
 * pprof's protocol buffer (profile.proto of github.com/google/pprof), decoded by hand: only two kinds of fields of
 * the wire format are needed.
 *
 * Everything refers to tables that may be at the end. So the whole file is in memory, and is read twice: its tables
 * first, then its samples, whose locations become methods. One location becomes several nodes where the compiler
 * inlined calls. The line of a caller's location is the call site.
 *
 * Of the values, one in units of time, one in counts, and allocated objects with their bytes are used.
 */
#include "analysis/profile/importers.h"

#include "core/base/hash_index.h"
#include "core/base/quantity.h"
#include "core/base/vec.h"
#include "analysis/profile/import_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Wire types. */
enum { VARINT = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };

/* Fields of a profile. */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	MAPPING = 3,
	LOCATION = 4,
	FUNCTION = 5,
	STRING = 6,
	PERIOD_TYPE = 11,
	PERIOD = 12,
	DEFAULT_TYPE = 14,
	LAST_FIELD = 15,
};

/* Most values of a sample. NONE: a value that is not there. */
enum { MOST_VALUES = 64, NONE = MOST_VALUES };

struct wire {
	const unsigned char *at, *end;
};

struct field {
	unsigned number, type;
	uint64_t value;    /* of a varint */
	struct wire bytes; /* of BYTES */
};

struct value_type {
	uint64_t name, unit; /* strings, by number */
};

struct mapping {
	uint64_t start, offset, file;
};

struct function {
	uint64_t name, system_name, file, line;
};

struct line {
	uint64_t function, line;
	uint32_t frame; /* PE_FRAME_NONE: not made yet */
};

struct location {
	uint64_t offset; /* in the file */
	uint64_t mapping, address;
	size_t line, n_lines; /* innermost first */
};

/* The values that are used, by their index in a sample. */
struct choice {
	size_t time, samples, calls, allocations, bytes;
	double scale; /* from the unit of time to ns */
	bool is_cost; /* samples hold another quantity: bytes in use, contentions ... */
};

struct pprof {
	struct pe_import *import;
	struct wire file;
	PE_VEC(const char *) strings; /* in the import's arena */
	PE_VEC(struct value_type) types;
	PE_VEC(struct mapping) mappings;
	PE_VEC(struct function) functions;
	PE_VEC(struct line) lines;
	PE_VEC(struct location) locations;
	struct pe_map mapping_ids, function_ids, location_ids;
	struct pe_map
		steps; /* by node and location, and call site: the node of the location below it */
	struct value_type period_type;
	uint64_t default_type, period;
	/* the current sample */
	PE_VEC(uint64_t) path, values;
	size_t n_values; /* of each sample; 0: no sample so far */
	struct choice choice;
	bool has_sites;
};

/* --- Wire format --- */

static uint64_t offset_of(const struct pprof *pprof, const struct wire *wire)
{
	return (uint64_t)(wire->at - pprof->file.at);
}

static int refuse(const struct pprof *pprof, const struct wire *wire, const char *found,
		  const char *expected)
{
	return pe_import_refuse_at(pprof->import, offset_of(pprof, wire), expected, "%s", found);
}

static bool read_varint(struct wire *wire, uint64_t *value)
{
	const unsigned char *at = wire->at;

	*value = 0;
	for (unsigned shift = 0; shift < 70 && at < wire->end; shift += 7, at++) {
		if (shift < 64)
			*value |= (uint64_t)(*at & 0x7f) << shift;
		if (*at < 0x80) {
			wire->at = at + 1;
			return true;
		}
	}
	return false;
}

static bool skip_bytes(struct wire *wire, uint64_t n)
{
	if ((uint64_t)(wire->end - wire->at) < n)
		return false;
	wire->at += n;
	return true;
}

/* Read the next field; false, and the position unchanged, when the bytes are no field or an incomplete one. */
static bool read_field(struct wire *wire, struct field *field)
{
	const unsigned char *start = wire->at;
	uint64_t tag;

	*field = (struct field){0};
	if (read_varint(wire, &tag) && tag >> 3 != 0 && tag >> 3 < 1u << 29) {
		field->number = (unsigned)(tag >> 3);
		field->type = tag & 7;
		if (field->type == VARINT && read_varint(wire, &field->value))
			return true;
		if (field->type == FIXED_64 && skip_bytes(wire, 8))
			return true;
		if (field->type == FIXED_32 && skip_bytes(wire, 4))
			return true;
		if (field->type == BYTES && read_varint(wire, &field->value)) {
			field->bytes.at = wire->at;
			if (skip_bytes(wire, field->value)) {
				field->bytes.end = wire->at;
				return true;
			}
		}
	}
	wire->at = start;
	return false;
}

/* Read a message whose fields of interest are numbers: field i is stored in numbers[i] (NULL: skipped). */
static int read_numbers(const struct pprof *pprof, struct wire wire, uint64_t *const *numbers,
			size_t n)
{
	struct field field;

	while (wire.at < wire.end) {
		if (!read_field(&wire, &field))
			return refuse(pprof, &wire, "no field", "a field of a message");
		if (field.number < n && numbers[field.number] != NULL && field.type == VARINT)
			*numbers[field.number] = field.value;
	}
	return PE_OK;
}

/* --- Tables --- */

static int read_type(struct pprof *pprof, struct wire wire, struct value_type *type)
{
	uint64_t *const numbers[] = {NULL, &type->name, &type->unit};

	*type = (struct value_type){0};
	return read_numbers(pprof, wire, numbers, 3);
}

static int read_sample_type(struct pprof *pprof, struct wire wire)
{
	struct value_type type;
	int rc = read_type(pprof, wire, &type);

	pe_vec_push(&pprof->types, type);
	return rc;
}

static int read_mapping(struct pprof *pprof, struct wire wire)
{
	struct mapping mapping = {0};
	uint64_t id = 0;
	uint64_t *const numbers[] = {NULL,         &id, &mapping.start, NULL, &mapping.offset,
				     &mapping.file};
	int rc = read_numbers(pprof, wire, numbers, 6);

	pe_map_put(&pprof->mapping_ids, id, 0, (uint32_t)pprof->mappings.n, NULL);
	pe_vec_push(&pprof->mappings, mapping);
	return rc;
}

static int read_function(struct pprof *pprof, struct wire wire)
{
	struct function function = {0};
	uint64_t id = 0;
	uint64_t *const numbers[] = {
		NULL, &id, &function.name, &function.system_name, &function.file, &function.line};
	int rc = read_numbers(pprof, wire, numbers, 6);

	pe_map_put(&pprof->function_ids, id, 0, (uint32_t)pprof->functions.n, NULL);
	pe_vec_push(&pprof->functions, function);
	return rc;
}

static int read_line(struct pprof *pprof, struct wire wire)
{
	struct line line = {.frame = PE_FRAME_NONE};
	uint64_t *const numbers[] = {NULL, &line.function, &line.line};
	int rc = read_numbers(pprof, wire, numbers, 3);

	pprof->has_sites = pprof->has_sites || line.line != 0;
	pe_vec_push(&pprof->lines, line);
	return rc;
}

static int read_location(struct pprof *pprof, struct wire wire)
{
	struct location location = {.line = pprof->lines.n, .offset = offset_of(pprof, &wire)};
	uint64_t id = 0;
	uint64_t *const numbers[] = {NULL, &id, &location.mapping, &location.address};
	struct wire again = wire;
	struct field field;
	bool is_new;

	PE_TRY(read_numbers(pprof, wire, numbers, 4));
	while (read_field(&again, &field))
		if (field.number == 4 && field.type == BYTES)
			PE_TRY(read_line(pprof, field.bytes));
	location.n_lines = pprof->lines.n - location.line;
	pe_map_put(&pprof->location_ids, id, 0, (uint32_t)pprof->locations.n, &is_new);
	pe_vec_push(&pprof->locations, location);
	return is_new ? PE_OK : refuse(pprof, &wire, "a location again", "each location once");
}

static int read_string(struct pprof *pprof, struct wire wire)
{
	const size_t n = (size_t)(wire.end - wire.at);
	char *copy = pe_arena_new(pprof->import->arena, char, n + 1);

	/* Names become C strings. */
	for (size_t i = 0; i < n; i++)
		copy[i] = wire.at[i] != '\0' ? (char)wire.at[i] : '?';
	pe_vec_push(&pprof->strings, copy);
	return PE_OK;
}

static int read_table_field(struct pprof *pprof, const struct field *field)
{
	static int (*const readers[])(struct pprof * pprof, struct wire wire) = {
		[SAMPLE_TYPE] = read_sample_type, [MAPPING] = read_mapping,
		[LOCATION] = read_location,       [FUNCTION] = read_function,
		[STRING] = read_string,
	};

	if (field->number == PERIOD && field->type == VARINT)
		pprof->period = field->value;
	else if (field->number == DEFAULT_TYPE && field->type == VARINT)
		pprof->default_type = field->value;
	else if (field->number == PERIOD_TYPE && field->type == BYTES)
		return read_type(pprof, field->bytes, &pprof->period_type);
	else if (field->number <= STRING && field->type == BYTES && readers[field->number] != NULL)
		return readers[field->number](pprof, field->bytes);
	return PE_OK;
}

/* --- Methods --- */

static const char *string_at(const struct pprof *pprof, uint64_t index)
{
	return index < pprof->strings.n ? pprof->strings.data[index] : "";
}

static const struct mapping *mapping_of(const struct pprof *pprof, const struct location *location)
{
	static const struct mapping none = {.file = UINT64_MAX};
	const uint32_t *index = pe_map_find(&pprof->mapping_ids, location->mapping, 0);

	return index != NULL ? &pprof->mappings.data[*index] : &none;
}

static const char *module_of(const struct pprof *pprof, const struct location *location)
{
	return pe_path_name(string_at(pprof, mapping_of(pprof, location)->file));
}

static uint32_t unknown_frame(struct pprof *pprof, const struct location *location)
{
	const struct mapping *mapping = mapping_of(pprof, location);
	const char *module = module_of(pprof, location);
	char name[512];
	struct pe_frame frame = {
		.name = name,
		.module = module,
		.component = module,
		.kind = PE_FRAME_UNKNOWN,
	};

	snprintf(name, sizeof(name), "%s%s0x%" PRIx64, module, module[0] != '\0' ? "+" : "",
		 location->address + mapping->offset - mapping->start);
	return pe_frames_add(pprof->import->frames, &frame);
}

/* Make the frame of a line, unless it was made before. */
static int line_frame(struct pprof *pprof, const struct location *location, struct line *line)
{
	const uint32_t *index = pe_map_find(&pprof->function_ids, line->function, 0);
	pe_auto_arena scratch = PE_ARENA_INIT;
	const struct function *function;
	struct pe_frame frame = {0};
	const char *name;
	char *copy;

	if (line->frame != PE_FRAME_NONE)
		return PE_OK;
	if (index == NULL)
		return pe_import_refuse_at(pprof->import, location->offset,
					   "it among the functions",
					   "function %" PRIu64 " is not there", line->function);
	function = &pprof->functions.data[*index];
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

/*
 * Limit of the tree's nodes. A file refers to a location with a byte, and the location may have a thousand inlined lines:
 * the limit keeps the tree in proportion. Two nodes a byte, and this base, are above the files of all profilers.
 */
static const uint64_t NODES_BASE = 1 << 18, NODES_BYTE = 2;

static bool is_too_large(const struct pprof *pprof)
{
	return pe_cct_builder_count(pprof->import->builder) >
	       NODES_BASE + NODES_BYTE * (uint64_t)(pprof->file.end - pprof->file.at);
}

static uint32_t site_of(uint64_t line)
{
	return line < UINT32_MAX ? (uint32_t)line : 0;
}

/* Make the nodes of one location below a node, from the function itself to the innermost one inlined into it. */
static int make_nodes(struct pprof *pprof, const struct location *location, uint32_t *node,
		      uint32_t call_site)
{
	struct pe_cct_builder *builder = pprof->import->builder;

	if (is_too_large(pprof))
		return pe_import_refuse_at(pprof->import, location->offset,
					   "a tree in proportion to the file",
					   "inlined calls make more than %" PRIu32 " nodes",
					   pe_cct_builder_count(pprof->import->builder) - 1);
	if (location->n_lines == 0)
		*node = pe_cct_builder_child(builder, *node, unknown_frame(pprof, location),
					     call_site);
	for (size_t i = location->n_lines; i > 0; i--) {
		struct line *line = &pprof->lines.data[location->line + i - 1];

		PE_TRY(line_frame(pprof, location, line));
		*node = pe_cct_builder_child(builder, *node, line->frame, call_site);
		call_site = site_of(line->line);
	}
	return PE_OK;
}

/* Go one location down. Its nodes are looked for once: one location may have many inlined lines, and many samples. */
static int step_down(struct pprof *pprof, uint32_t index, uint32_t *node, uint32_t *call_site)
{
	const struct location *location = &pprof->locations.data[index];
	const uint64_t key = (uint64_t)*node << 32 | index;
	const uint32_t *known = pe_map_find(&pprof->steps, key, *call_site);

	if (known != NULL) {
		*node = *known;
	} else {
		PE_TRY(make_nodes(pprof, location, node, *call_site));
		pe_map_set(&pprof->steps, key, *call_site, *node);
	}
	*call_site = location->n_lines > 0 ? site_of(pprof->lines.data[location->line].line) : 0;
	return PE_OK;
}

/* --- Which values --- */

static double time_scale(const char *unit)
{
	return pe_unit_ns(unit, strlen(unit));
}

static const char *type_name(const struct pprof *pprof, size_t type)
{
	return string_at(pprof, pprof->types.data[type].name);
}

static const char *type_unit(const struct pprof *pprof, size_t type)
{
	return string_at(pprof, pprof->types.data[type].unit);
}

static bool is_default(const struct pprof *pprof, size_t type)
{
	return pprof->default_type != 0 &&
	       strcmp(type_name(pprof, type), string_at(pprof, pprof->default_type)) == 0;
}

/* Rank a value as the time to be read; 0: it is no time. */
static int time_rank(const struct pprof *pprof, size_t type)
{
	const char *name = type_name(pprof, type);

	if (time_scale(type_unit(pprof, type)) == 0)
		return 0;
	if (is_default(pprof, type))
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
static size_t choose_cost(const struct pprof *pprof, size_t n)
{
	size_t cost = n > 0 ? 0 : NONE;

	for (size_t i = n; i-- > 0;)
		if (strcmp(type_unit(pprof, i), "bytes") == 0)
			cost = i;
	for (size_t i = 0; i < n; i++)
		if (is_default(pprof, i))
			cost = i;
	return cost;
}

static struct choice choose(const struct pprof *pprof)
{
	struct choice choice = {NONE, NONE, NONE, NONE, NONE, 0, false};
	size_t n = pprof->types.n < pprof->n_values ? pprof->types.n : pprof->n_values;
	int best = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = type_name(pprof, i);
		bool is_count = strcmp(type_unit(pprof, i), "count") == 0;
		int rank = time_rank(pprof, i);

		if (rank > best) {
			best = rank;
			choice.time = i;
			choice.scale = time_scale(type_unit(pprof, i));
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
	if (choice.allocations == NONE || choice.bytes == NONE)
		choice.allocations = choice.bytes = NONE;
	if (choice.time == NONE && choice.samples == NONE && choice.calls == NONE &&
	    choice.allocations == NONE) {
		choice.samples = choose_cost(pprof, n);
		choice.is_cost = choice.samples != NONE;
	}
	return choice;
}

/* Choose the values, and set the known columns; PE_EINVALID if there is no usable value. */
static int begin_samples(struct pprof *pprof)
{
	struct pe_import *import = pprof->import;
	const struct choice choice = choose(pprof);
	const double scale = time_scale(string_at(pprof, pprof->period_type.unit));
	const unsigned known = (choice.time != NONE ? PE_CCT_TIME : 0u) |
			       (choice.samples != NONE ? PE_CCT_SAMPLES : 0u) |
			       (choice.calls != NONE ? PE_CCT_CALLS : 0u) |
			       (choice.allocations != NONE ? PE_CCT_ALLOCATIONS : 0u);

	pprof->choice = choice;
	if (known == 0)
		return refuse(pprof, &(struct wire){.at = pprof->file.end},
			      "no values that can be taken",
			      "times, counts, or alloc_objects and alloc_space");
	if (choice.samples != NONE && !choice.is_cost && scale > 0 &&
	    pprof->period < INT64_MAX / 1000)
		import->facts.interval_ns = (uint64_t)((double)pprof->period * scale);
	if (choice.is_cost)
		import->note = pe_arena_printf(
			import->arena, "costs are those of '%s' (%s): there are no times",
			type_name(pprof, choice.samples), type_unit(pprof, choice.samples));
	else if (choice.time != NONE && pprof->types.n > 2)
		import->note = pe_arena_printf(import->arena, "times are those of '%s'",
					       type_name(pprof, choice.time));
	pe_cct_builder_know(import->builder, known | (pprof->has_sites ? PE_CCT_SITES : 0u));
	return PE_OK;
}

/* --- Samples --- */

static void add_values(struct pprof *pprof, uint32_t node)
{
	struct pe_cct_values *sums = pe_cct_builder_at(pprof->import->builder, node);
	const struct choice *choice = &pprof->choice;
	const uint64_t *values = pprof->values.data;

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
	if (choice->allocations != NONE) {
		pe_cct_add(&sums->allocations, values[choice->allocations]);
		pe_cct_add(&sums->allocated_bytes, values[choice->bytes]);
	}
}

static int add_sample(struct pprof *pprof, const struct wire *wire)
{
	uint32_t node = 0, call_site = 0;

	if (pprof->n_values == 0) {
		if (pprof->values.n == 0 || pprof->values.n > MOST_VALUES)
			return refuse(pprof, wire, "a sample without values, or with too many",
				      "1 to 64 values");
		pprof->n_values = pprof->values.n;
		PE_TRY(begin_samples(pprof));
	}
	if (pprof->values.n != pprof->n_values)
		return refuse(pprof, wire, "a sample with another number of values",
			      "as many as the first one has");
	for (size_t i = 0; i < pprof->n_values; i++)
		if (pprof->values.data[i] > INT64_MAX)
			return refuse(pprof, wire, "a value below 0",
				      "a profile, not a difference of two");
	for (size_t i = pprof->path.n; i > 0; i--) {
		const uint64_t id = pprof->path.data[i - 1];
		const uint32_t *index = pe_map_find(&pprof->location_ids, id, 0);

		if (index == NULL)
			return pe_import_refuse_at(pprof->import, offset_of(pprof, wire),
						   "it among the locations",
						   "location %" PRIu64 " is not there", id);
		PE_TRY(step_down(pprof, *index, &node, &call_site));
	}
	add_values(pprof, node);
	return PE_OK;
}

/* Add a number to the path or the values of the current sample, which are fields 1 and 2. */
static void push_number(struct pprof *pprof, unsigned field, uint64_t number)
{
	if (field == 1)
		pe_vec_push(&pprof->path, number);
	else
		pe_vec_push(&pprof->values, number);
}

static int read_sample(struct pprof *pprof, struct wire wire)
{
	const struct wire whole = wire;
	struct field field;
	uint64_t number;

	pprof->path.n = pprof->values.n = 0;
	while (wire.at < wire.end) {
		if (!read_field(&wire, &field))
			return refuse(pprof, &wire, "no field", "a field of a sample");
		if (field.number != 1 && field.number != 2)
			continue;
		if (field.type == VARINT)
			push_number(pprof, field.number, field.value);
		else if (field.type != BYTES)
			return refuse(pprof, &whole, "numbers of another kind", "varints");
		while (field.bytes.at < field.bytes.end) {
			if (!read_varint(&field.bytes, &number))
				return refuse(pprof, &field.bytes, "no number", "a varint");
			push_number(pprof, field.number, number);
		}
	}
	return add_sample(pprof, &whole);
}

/* Read the samples of a file, or all but these. */
static int read_fields(struct pprof *pprof, bool samples)
{
	struct wire wire = pprof->file;
	struct field field;

	while (wire.at < wire.end) {
		if (!read_field(&wire, &field))
			return refuse(pprof, &wire, "no field, or a part of one",
				      "a whole field of a profile");
		if (field.number != SAMPLE && !samples)
			PE_TRY(read_table_field(pprof, &field));
		if (field.number == SAMPLE && field.type == BYTES && samples)
			PE_TRY(read_sample(pprof, field.bytes));
	}
	return PE_OK;
}

static void release(struct pprof *pprof)
{
	pe_vec_release(&pprof->strings);
	pe_vec_release(&pprof->types);
	pe_vec_release(&pprof->mappings);
	pe_vec_release(&pprof->functions);
	pe_vec_release(&pprof->lines);
	pe_vec_release(&pprof->locations);
	pe_map_release(&pprof->mapping_ids);
	pe_map_release(&pprof->function_ids);
	pe_map_release(&pprof->location_ids);
	pe_map_release(&pprof->steps);
	pe_vec_release(&pprof->path);
	pe_vec_release(&pprof->values);
}

static bool is_value_type(struct wire wire)
{
	struct field field;

	while (wire.at < wire.end)
		if (!read_field(&wire, &field) || field.type != VARINT || field.number > 2)
			return false;
	return true;
}

/* Whether bytes are a profile. Its fields are in their order: it begins with the type of a value. */
bool pe_pprof_recognises(const char *head, size_t n)
{
	const unsigned char *bytes = (const unsigned char *)head;
	struct wire wire = {.at = bytes, .end = bytes + n};
	struct field field;

	if (!read_field(&wire, &field) || field.number != SAMPLE_TYPE || field.type != BYTES ||
	    !is_value_type(field.bytes))
		return false;
	while (read_field(&wire, &field))
		if (field.number > LAST_FIELD)
			return false;
	return wire.at == wire.end || field.number <= LAST_FIELD;
}

int pe_pprof_read(struct pe_import *import)
{
	struct pprof pprof = {.import = import};
	const char *bytes;
	size_t n;
	int rc;

	PE_TRY(pe_input_all(import->input, &bytes, &n, import->err));
	pprof.file.at = (const unsigned char *)bytes;
	pprof.file.end = pprof.file.at + n;
	rc = read_fields(&pprof, false);
	if (rc == PE_OK)
		rc = read_fields(&pprof, true);
	pe_input_take(import->input, n);
	release(&pprof);
	return rc;
}
