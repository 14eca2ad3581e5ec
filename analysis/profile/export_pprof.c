/*
 * pprof's protocol buffer (profile.proto of github.com/google/pprof), compressed by gzip as its tools write it.
 * A sample is a node with values of its own, in every column of the tree. A caller's location is its
 * method and the line of the call. The root is in no stack, unless it has values of its own.
 */
#include "analysis/profile/export.h"

#include "core/base/utf8.h"
#include "core/base/vec.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

enum {
	FLUSH_BYTES = 1 << 18,
	GZIP_WINDOW = 15 + 16, /* the largest, and 16 for gzip's header */
	MEMORY_LEVEL = 9
};

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_NAME = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

enum { VARINT = 0, BYTES = 2 };

/* A column and its name in pprof. */
static const struct type {
	enum pe_weight weight;
	const char *name, *unit;
} types[] = {
	{PE_WEIGHT_SAMPLES, "samples", "count"},
	{PE_WEIGHT_TIME, "time", "nanoseconds"},
	{PE_WEIGHT_CALLS, "calls", "count"},
	{PE_WEIGHT_ALLOCATIONS, "alloc_objects", "count"},
	{PE_WEIGHT_BYTES, "alloc_space", "bytes"},
};

#define N_TYPES (sizeof(types) / sizeof(types[0]))

struct level {
	uint32_t node, location; /* of the caller, in the call to the next level */
};

struct writer {
	const struct pe_cct *cct;
	struct pe_text *out; /* compressed */
	struct pe_text raw;  /* not compressed yet */
	struct pe_text message, inner;
	z_stream stream;
	struct pe_map locations; /* numbers from 1, by method and line */
	uint32_t *mappings;      /* by frame: of its module; 0: unknown */
	struct pe_arena arena;
	PE_VEC(struct level) levels;
	const uint64_t *columns[N_TYPES];
};

static void add_varint(struct pe_text *out, uint64_t value)
{
	while (value >= 0x80) {
		pe_text_addc(out, (char)(value | 0x80));
		value >>= 7;
	}
	pe_text_addc(out, (char)value);
}

/* Append a number; zero is left out, as an absent field means 0. */
static void put_number(struct pe_text *out, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	add_varint(out, field << 3 | VARINT);
	add_varint(out, value);
}

/* Append a message as a field, and empty it for the next one. */
static void put_message(struct pe_text *out, unsigned field, struct pe_text *message)
{
	add_varint(out, field << 3 | BYTES);
	add_varint(out, message->len);
	pe_text_addn(out, pe_text_str(message), message->len);
	pe_text_clear(message);
}

/* Compress the bytes in `raw`; with Z_FINISH, end the stream. */
static void compress_raw(struct writer *writer, int flush)
{
	char buffer[1 << 14];
	int rc;

	writer->stream.next_in = (Bytef *)writer->raw.data;
	writer->stream.avail_in = (uInt)writer->raw.len;
	do {
		writer->stream.next_out = (Bytef *)buffer;
		writer->stream.avail_out = sizeof(buffer);
		rc = deflate(&writer->stream, flush);
		assert(rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR);
		pe_text_addn(writer->out, buffer, sizeof(buffer) - writer->stream.avail_out);
	} while (writer->stream.avail_out == 0);
	(void)rc;
	pe_text_clear(&writer->raw);
}

/* Append a message to the profile. */
static void put_part(struct writer *writer, unsigned field, struct pe_text *message)
{
	put_message(&writer->raw, field, message);
	if (writer->raw.len >= FLUSH_BYTES)
		compress_raw(writer, Z_NO_FLUSH);
}

/* --- Strings: 0 is "", then types, then four a method, in this order --- */

enum { FIRST_OF_METHODS = 1 + 2 * (int)N_TYPES + 1 };

static uint64_t type_string(size_t type, bool unit)
{
	return 1 + 2 * type + (unit ? 1 : 0);
}

static uint64_t frame_string(uint32_t frame, int which)
{
	return FIRST_OF_METHODS + 4 * (uint64_t)frame + (uint64_t)which;
}

static void put_string(struct writer *writer, const char *string)
{
	pe_utf8_add(&writer->inner, string);
	put_part(writer, PROFILE_STRING, &writer->inner);
}

static void put_strings(struct writer *writer, const char *title)
{
	const struct pe_frames *frames = writer->cct->frames;

	put_string(writer, "");
	for (size_t i = 0; i < N_TYPES; i++) {
		put_string(writer, types[i].name);
		put_string(writer, types[i].unit);
	}
	put_string(writer, title != NULL ? title : "");
	for (uint32_t i = 0; i < frames->n; i++) {
		pe_export_add_name(&writer->message, &frames->at[i]);
		put_string(writer, pe_text_str(&writer->message));
		pe_text_clear(&writer->message);
		put_string(writer, frames->at[i].name);
		put_string(writer, frames->at[i].component);
		put_string(writer, frames->at[i].module);
	}
}

/* --- Locations --- */

/* Find the number of a location; a new one is written. */
static uint32_t location_of(struct writer *writer, uint32_t frame, uint32_t line)
{
	bool is_new;
	const uint32_t id = *pe_map_put(&writer->locations, frame, line,
					(uint32_t)writer->locations.entries.n + 1, &is_new);

	if (!is_new)
		return id;
	put_number(&writer->inner, LINE_FUNCTION, (uint64_t)frame + 1);
	put_number(&writer->inner, LINE_LINE, line);
	put_number(&writer->message, LOCATION_ID, id);
	put_number(&writer->message, LOCATION_MAPPING, writer->mappings[frame]);
	put_message(&writer->message, LOCATION_LINE, &writer->inner);
	put_part(writer, PROFILE_LOCATION, &writer->message);
	return id;
}

/* --- Modules and methods --- */

static void put_mappings(struct writer *writer)
{
	const struct pe_frames *frames = writer->cct->frames;
	struct pe_frames modules = PE_FRAMES_INIT; /* only their names are used */

	writer->mappings = pe_arena_new(&writer->arena, uint32_t, frames->n);
	for (uint32_t i = 0; i < frames->n; i++) {
		const uint32_t before = modules.n;

		if (frames->at[i].module[0] == '\0')
			continue;
		writer->mappings[i] =
			pe_frames_add_method(&modules, frames->at[i].module, NULL) + 1;
		if (modules.n == before)
			continue;
		put_number(&writer->message, MAPPING_ID, modules.n);
		put_number(&writer->message, MAPPING_FILE, frame_string(i, 3));
		put_number(&writer->message, MAPPING_HAS_FUNCTIONS, 1);
		put_part(writer, PROFILE_MAPPING, &writer->message);
	}
	pe_frames_release(&modules);
}

static void put_functions(struct writer *writer)
{
	const struct pe_frames *frames = writer->cct->frames;

	for (uint32_t i = 0; i < frames->n; i++) {
		put_number(&writer->message, FUNCTION_ID, (uint64_t)i + 1);
		put_number(&writer->message, FUNCTION_NAME, frame_string(i, 0));
		put_number(&writer->message, FUNCTION_SYSTEM_NAME, frame_string(i, 1));
		put_number(&writer->message, FUNCTION_FILE, frame_string(i, 2));
		put_number(&writer->message, FUNCTION_LINE, frames->at[i].line);
		put_part(writer, PROFILE_FUNCTION, &writer->message);
	}
}

/* --- Samples --- */

static void put_type(struct writer *writer, unsigned field, size_t type)
{
	put_number(&writer->message, TYPE_NAME, type_string(type, false));
	put_number(&writer->message, TYPE_UNIT, type_string(type, true));
	put_part(writer, field, &writer->message);
}

static bool has_values(const struct writer *writer, uint32_t node)
{
	for (size_t i = 0; i < N_TYPES; i++)
		if (writer->columns[i] != NULL && writer->columns[i][node] != 0)
			return true;
	return false;
}

/* Append the path to a node from the levels: innermost first, its own location, then that of each call. */
static void put_sample(struct writer *writer, uint32_t node)
{
	const uint32_t own = location_of(writer, writer->cct->nodes[node].frame, 0);

	add_varint(&writer->inner, own);
	for (size_t i = writer->levels.n; i-- > 0;)
		add_varint(&writer->inner, writer->levels.data[i].location);
	put_message(&writer->message, SAMPLE_LOCATIONS, &writer->inner);
	/* pprof's values are signed. */
	for (size_t i = 0; i < N_TYPES; i++)
		if (writer->columns[i] != NULL)
			add_varint(&writer->inner, writer->columns[i][node] < INT64_MAX
							   ? writer->columns[i][node]
							   : INT64_MAX);
	put_message(&writer->message, SAMPLE_VALUES, &writer->inner);
	put_part(writer, PROFILE_SAMPLE, &writer->message);
}

static void put_samples(struct writer *writer)
{
	const struct pe_cct *cct = writer->cct;

	for (uint32_t i = 0; i < cct->n; i++) {
		const uint32_t parent = cct->nodes[i].parent;

		while (writer->levels.n > 0 &&
		       cct->nodes[writer->levels.data[writer->levels.n - 1].node].end <= i)
			writer->levels.n--;
		/* A level is the call that leads to the current node, so it ends with that node. */
		if (parent != PE_CCT_NONE && pe_cct_frame(cct, parent)->kind != PE_FRAME_ROOT)
			pe_vec_push(&writer->levels,
				    (struct level){i, location_of(writer, cct->nodes[parent].frame,
								  cct->nodes[i].site)});
		if (has_values(writer, i))
			put_sample(writer, i);
	}
}

static void put_facts(struct writer *writer, const struct pe_export_options *options)
{
	const struct pe_cct_facts *facts = &writer->cct->facts;

	for (size_t i = 0; i < N_TYPES; i++)
		if (writer->columns[i] != NULL)
			put_type(writer, PROFILE_SAMPLE_TYPE, i);
	if (options->time_s > 0)
		put_number(&writer->raw, PROFILE_TIME, (uint64_t)options->time_s * 1000000000);
	put_number(&writer->raw, PROFILE_DURATION,
		   facts->duration_ns < INT64_MAX ? facts->duration_ns : INT64_MAX);
	if (facts->interval_ns > 0 && facts->interval_ns < INT64_MAX) {
		put_type(writer, PROFILE_PERIOD_TYPE, 1);
		put_number(&writer->raw, PROFILE_PERIOD, facts->interval_ns);
	}
	if (options->title != NULL)
		put_number(&writer->raw, PROFILE_COMMENT, FIRST_OF_METHODS - 1);
	for (size_t i = 0; i < N_TYPES; i++)
		if (types[i].weight == options->weight)
			put_number(&writer->raw, PROFILE_DEFAULT_TYPE, type_string(i, false));
}

int pe_export_pprof(struct pe_text *out, const struct pe_cct *cct,
		    const struct pe_export_options *options, struct pe_err *err)
{
	struct writer writer = {.cct = cct, .out = out};
	enum pe_weight weight = options->weight;

	if (pe_weight_settle(&weight, cct, err) != PE_OK)
		return PE_ENOTFOUND;
	if (deflateInit2(&writer.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		pe_out_of_memory(0);
	for (size_t i = 0; i < N_TYPES; i++)
		writer.columns[i] = pe_weight_self(cct, types[i].weight);
	put_facts(&writer, options);
	put_mappings(&writer);
	put_samples(&writer);
	put_functions(&writer);
	put_strings(&writer, options->title);
	compress_raw(&writer, Z_FINISH);
	deflateEnd(&writer.stream);
	pe_text_release(&writer.raw);
	pe_text_release(&writer.message);
	pe_text_release(&writer.inner);
	pe_vec_release(&writer.levels);
	pe_arena_release(&writer.arena);
	pe_map_release(&writer.locations);
	return PE_OK;
}
