/*
 * pprof's protocol buffer (profile.proto of github.com/google/pprof), decoded by hand: only two kinds of fields of
 * the wire format are needed.
 *
 * Everything refers to a table of strings that may be at the end, so the tree is made of the numbers of
 * locations first, with all values of the samples; after the last field, locations become methods. One location
 * becomes several nodes where the compiler inlined calls. The line of a caller's location is the call site.
 *
 * Of the values, one in units of time, one in counts, and allocated objects with their bytes are used.
 */
#include "analysis/profile/importers.h"

#include "analysis/profile/import_json.h"
#include "analysis/profile/import_pprof.h"

/* A field with its header fits in the most bytes that pe_input_peek() returns. */
enum { MOST_FIELD_BYTES = (1 << 20) - 32 };

/* Wire types. */
enum { VARINT = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };

struct wire {
	const unsigned char *at, *end, *begin;
	uint64_t offset; /* of begin */
};

struct field {
	unsigned number, type;
	uint64_t value;             /* of a varint */
	const unsigned char *bytes; /* of BYTES */
	size_t n;
};

/* --- Wire format --- */

static int refuse(const struct pe_pprof *pprof, const struct wire *wire, const char *found,
		  const char *expected)
{
	return pe_import_refuse_at(pprof->import, wire->offset + (uint64_t)(wire->at - wire->begin),
				   expected, "%s", found);
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

static bool skip_bytes(struct wire *wire, size_t n)
{
	if ((size_t)(wire->end - wire->at) < n)
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
		if (field->type == BYTES && read_varint(wire, &field->value) &&
		    field->value <= (uint64_t)(wire->end - wire->at)) {
			field->bytes = wire->at;
			field->n = field->value;
			wire->at += field->n;
			return true;
		}
	}
	wire->at = start;
	return false;
}

static struct wire within(const struct wire *wire, const struct field *field)
{
	return (struct wire){
		.at = field->bytes,
		.begin = field->bytes,
		.end = field->bytes + field->n,
		.offset = wire->offset + (uint64_t)(field->bytes - wire->begin),
	};
}

/* Read a message whose fields of interest are numbers: field i is stored in numbers[i] (NULL: skipped). */
static int read_numbers(const struct pe_pprof *pprof, struct wire wire, uint64_t *const *numbers,
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

/* --- Messages --- */

static int read_type(struct pe_pprof *pprof, struct wire wire, struct pe_pprof_value_type *type)
{
	uint64_t *const numbers[] = {NULL, &type->name, &type->unit};

	*type = (struct pe_pprof_value_type){0};
	return read_numbers(pprof, wire, numbers, 3);
}

static int read_mapping(struct pe_pprof *pprof, struct wire wire)
{
	struct pe_pprof_mapping mapping = {0};
	uint64_t id = 0;
	uint64_t *const numbers[] = {NULL,         &id, &mapping.start, NULL, &mapping.offset,
				     &mapping.file};
	int rc = read_numbers(pprof, wire, numbers, 6);

	pe_map_put(&pprof->mapping_ids, id, 0, (uint32_t)pprof->mappings.n, NULL);
	pe_vec_push(&pprof->mappings, mapping);
	return rc;
}

static int read_function(struct pe_pprof *pprof, struct wire wire)
{
	struct pe_pprof_function function = {0};
	uint64_t id = 0;
	uint64_t *const numbers[] = {
		NULL, &id, &function.name, &function.system_name, &function.file, &function.line};
	int rc = read_numbers(pprof, wire, numbers, 6);

	pe_map_put(&pprof->function_ids, id, 0, (uint32_t)pprof->functions.n, NULL);
	pe_vec_push(&pprof->functions, function);
	return rc;
}

static uint32_t location_index(struct pe_pprof *pprof, uint64_t id, uint64_t offset)
{
	bool is_new;
	uint32_t index =
		*pe_map_put(&pprof->location_ids, id, 0, (uint32_t)pprof->locations.n, &is_new);

	if (is_new)
		pe_vec_push(&pprof->locations,
			    (struct pe_pprof_location){.id = id, .offset = offset});
	return index;
}

static int read_line(struct pe_pprof *pprof, struct wire wire)
{
	struct pe_pprof_line line = {.frame = PE_FRAME_NONE};
	uint64_t *const numbers[] = {NULL, &line.function, &line.line};
	int rc = read_numbers(pprof, wire, numbers, 3);

	pprof->has_sites = pprof->has_sites || line.line != 0;
	pe_vec_push(&pprof->lines, line);
	return rc;
}

static int read_location(struct pe_pprof *pprof, struct wire wire)
{
	struct pe_pprof_location read = {
		.line = pprof->lines.n, .is_defined = true, .offset = wire.offset};
	uint64_t *const numbers[] = {NULL, &read.id, &read.mapping, &read.address};
	struct wire again = wire;
	struct field field;
	uint32_t index;
	int rc = read_numbers(pprof, wire, numbers, 4);

	while (rc == PE_OK && read_field(&again, &field))
		if (field.number == 4 && field.type == BYTES)
			rc = read_line(pprof, within(&again, &field));
	if (rc != PE_OK)
		return rc;
	read.n_lines = pprof->lines.n - read.line;
	index = location_index(pprof, read.id, wire.offset);
	if (pprof->locations.data[index].is_defined)
		return refuse(pprof, &wire, "a location again", "each location once");
	pprof->locations.data[index] = read;
	return PE_OK;
}

/* Find or make the child of a draft's node for a location. */
static uint32_t step_down(struct pe_pprof *pprof, uint32_t parent, uint32_t location)
{
	struct pe_cct_builder *builder = pprof->import->builder;
	uint32_t node = pe_cct_builder_child(builder, parent, pe_cct_builder_frame(builder, 0),
					     location + 1);

	while (pprof->location_of.n <= node)
		pe_vec_push(&pprof->location_of, location);
	while (pprof->values.n < ((size_t)node + 1) * pprof->n_values)
		pe_vec_push(&pprof->values, 0);
	return node;
}

static int add_sample(struct pe_pprof *pprof, const struct wire *wire)
{
	uint32_t node = 0;
	uint64_t *sums;

	if (pprof->n_values == 0) {
		if (pprof->sample.n == 0 || pprof->sample.n > PE_PPROF_VALUES)
			return refuse(pprof, wire, "a sample without values, or with too many",
				      "1 to 64 values");
		pprof->n_values = pprof->sample.n;
		for (size_t i = 0; i < pprof->n_values; i++)
			pe_vec_push(&pprof->values, 0);
	}
	if (pprof->sample.n != pprof->n_values)
		return refuse(pprof, wire, "a sample with another number of values",
			      "as many as the first one has");
	for (size_t i = pprof->path.n; i > 0; i--)
		node = step_down(pprof, node,
				 location_index(pprof, pprof->path.data[i - 1], wire->offset));
	sums = &pprof->values.data[node * pprof->n_values];
	for (size_t i = 0; i < pprof->n_values; i++) {
		if (pprof->sample.data[i] > INT64_MAX)
			return refuse(pprof, wire, "a value below 0",
				      "a profile, not a difference of two");
		pe_cct_add(&sums[i], pprof->sample.data[i]);
	}
	return PE_OK;
}

static int read_sample(struct pe_pprof *pprof, struct wire wire)
{
	const struct wire whole = wire;
	struct field field;
	uint64_t number;

	pprof->path.n = pprof->sample.n = 0;
	while (wire.at < wire.end) {
		struct wire packed;

		if (!read_field(&wire, &field))
			return refuse(pprof, &wire, "no field", "a field of a sample");
		if (field.number != 1 && field.number != 2)
			continue;
		if (field.type == VARINT && field.number == 1)
			pe_vec_push(&pprof->path, field.value);
		else if (field.type == VARINT)
			pe_vec_push(&pprof->sample, field.value);
		else if (field.type != BYTES)
			return refuse(pprof, &whole, "numbers of another kind", "varints");
		if (field.type == VARINT)
			continue;
		for (packed = within(&wire, &field); packed.at < packed.end;) {
			if (!read_varint(&packed, &number))
				return refuse(pprof, &packed, "no number", "a varint");
			if (field.number == 1)
				pe_vec_push(&pprof->path, number);
			else
				pe_vec_push(&pprof->sample, number);
		}
	}
	return add_sample(pprof, &whole);
}

static void read_string(struct pe_pprof *pprof, const struct field *field)
{
	pe_vec_push(&pprof->strings,
		    (struct pe_pprof_string){.at = pprof->text.len, .n = field->n});
	pe_text_addn(&pprof->text, (const char *)field->bytes, field->n);
	/* Names become C strings. */
	for (size_t at = pprof->text.len - field->n; at < pprof->text.len; at++)
		if (pprof->text.data[at] == '\0')
			pprof->text.data[at] = '?';
	pe_text_addc(&pprof->text, '\0');
}

static int read_message(struct pe_pprof *pprof, const struct wire *wire, const struct field *field)
{
	struct wire inner = within(wire, field);
	struct pe_pprof_value_type type;
	int rc;

	switch (field->number) {
	case 1:
		rc = read_type(pprof, inner, &type);
		pe_vec_push(&pprof->types, type);
		return rc;
	case 2:
		return read_sample(pprof, inner);
	case 3:
		return read_mapping(pprof, inner);
	case 4:
		return read_location(pprof, inner);
	case 5:
		return read_function(pprof, inner);
	case 6:
		read_string(pprof, field);
		return PE_OK;
	case 11:
		return read_type(pprof, inner, &pprof->period_type);
	default:
		return PE_OK;
	}
}

/* Read the next field of the profile with all its bytes; wire->at == wire->end at the end of the file. */
static int next_field(struct pe_pprof *pprof, struct wire *wire, struct field *field)
{
	const char *bytes;
	size_t n, want = 32;
	int rc;

	for (;;) {
		rc = pe_input_peek(pprof->import->input, want, &bytes, &n, pprof->import->err);
		if (rc != PE_OK)
			return rc;
		wire->begin = wire->at = (const unsigned char *)bytes;
		wire->end = wire->begin + n;
		wire->offset = pe_input_offset(pprof->import->input);
		if (n == 0 || read_field(wire, field))
			return PE_OK;
		if (field->type == BYTES && field->value <= MOST_FIELD_BYTES &&
		    want < field->value + 32 && n >= want) {
			want = field->value + 32;
			continue;
		}
		if (field->type == BYTES && field->value > MOST_FIELD_BYTES)
			return refuse(pprof, wire, "a field that is too long", "1 MiB at the most");
		return n < want ? refuse(pprof, wire, "the file ends early", "the rest of a field")
				: refuse(pprof, wire, "no field", "a field of a profile");
	}
}

static int read_profile(struct pe_pprof *pprof)
{
	struct field field;
	struct wire wire;
	int rc;

	for (;;) {
		rc = next_field(pprof, &wire, &field);
		if (rc != PE_OK || wire.begin == wire.end)
			return rc;
		if (field.type == BYTES)
			rc = read_message(pprof, &wire, &field);
		else if (field.number == 12 && field.type == VARINT)
			pprof->period = field.value;
		else if (field.number == 14 && field.type == VARINT)
			pprof->default_type = field.value;
		if (rc != PE_OK)
			return rc;
		pe_input_take(pprof->import->input, (size_t)(wire.at - wire.begin));
	}
}

static void release(struct pe_pprof *pprof)
{
	pe_text_release(&pprof->text);
	pe_vec_release(&pprof->strings);
	pe_vec_release(&pprof->types);
	pe_vec_release(&pprof->mappings);
	pe_vec_release(&pprof->functions);
	pe_vec_release(&pprof->lines);
	pe_vec_release(&pprof->locations);
	pe_map_release(&pprof->mapping_ids);
	pe_map_release(&pprof->function_ids);
	pe_map_release(&pprof->location_ids);
	pe_vec_release(&pprof->location_of);
	pe_vec_release(&pprof->values);
	pe_vec_release(&pprof->path);
	pe_vec_release(&pprof->sample);
}

/* Whether a field is one of a profile, by number and wire type. */
static bool is_profile_field(const struct field *field)
{
	static const char kinds[] =
		" mmmmmmvvvvmvbvv"; /* by number: message or string, varint, both */

	if (field->number == 0 || field->number >= sizeof(kinds) - 1)
		return false;
	return kinds[field->number] == 'm'   ? field->type == BYTES
	       : kinds[field->number] == 'v' ? field->type == VARINT
					     : field->type == VARINT || field->type == BYTES;
}

static bool is_value_type(struct wire wire)
{
	struct field field;

	while (wire.at < wire.end)
		if (!read_field(&wire, &field) || field.type != VARINT || field.number > 2)
			return false;
	return true;
}

/* Whether bytes are a sequence of whole fields. */
static bool is_message(struct wire wire)
{
	struct field field;

	while (wire.at < wire.end)
		if (!read_field(&wire, &field))
			return false;
	return true;
}

/*
 * Whether bytes are a profile. Those of many files are fields by chance. A value type is a sure sign; without one, each
 * complete message has to be well formed.
 */
bool pe_pprof_recognises(const char *head, size_t n)
{
	const unsigned char *bytes = (const unsigned char *)head;
	struct wire wire = {.at = bytes, .begin = bytes, .end = bytes + n};
	struct field field;
	bool has_message = false, has_type = false;

	while (read_field(&wire, &field)) {
		if (!is_profile_field(&field))
			return false;
		if (field.number == 1 && !is_value_type(within(&wire, &field)))
			return false;
		has_type = has_type || field.number == 1;
		if (field.number >= 2 && field.number <= 5 && !has_type &&
		    !is_message(within(&wire, &field)))
			return false;
		has_message = has_message || field.number <= 6;
	}
	return has_message && (wire.at == wire.end || is_profile_field(&field));
}

int pe_pprof_read(struct pe_import *import)
{
	struct pe_pprof pprof = {.import = import};
	struct pe_cct_builder *draft = import->builder;
	int rc;

	rc = read_profile(&pprof);
	import->builder = pe_cct_builder_new(import->frames, 0);
	if (rc == PE_OK)
		rc = pe_pprof_build(&pprof, draft);
	pe_cct_builder_free(draft);
	release(&pprof);
	return rc;
}
