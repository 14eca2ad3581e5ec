/*
 * Packing: the methods of one file as bytes for the store's cache (core/base/packed.h): the extraction's version, what was
 * not read, and the methods one after the other.
 */
#include "analysis/methods/extract.h"

#include "core/base/packed.h"

#define MAGIC "PEME"

enum { LAYOUT = 1, MIN_METHOD_BYTES = 9 }; /* of a method: a byte a number */

static void put_method(struct pe_packed_writer *writer, const struct pe_method *method)
{
	uint32_t before = 0;

	pe_packed_put_string(writer, method->name);
	pe_packed_put_string(writer, method->signature);
	pe_packed_put(writer, method->first_line);
	pe_packed_put(writer, method->last_line - method->first_line);
	pe_packed_put(writer, method->body.high);
	pe_packed_put(writer, method->body.low);
	pe_packed_put(writer, method->tokens);
	pe_packed_put(writer, method->uncertain);
	pe_packed_put(writer, method->n_sketch);
	/* Ascending, so the steps between them are smaller. */
	for (uint32_t i = 0; i < method->n_sketch; i++) {
		pe_packed_put(writer, method->sketch[i] - before);
		before = method->sketch[i];
	}
}

void pe_methods_pack(struct pe_text *out, const struct pe_methods *methods)
{
	struct pe_packed_writer writer;

	pe_packed_begin(&writer, MAGIC, LAYOUT, methods->n, out);
	pe_packed_put(&writer, pe_extract_version());
	pe_packed_put(&writer, methods->unread);
	pe_packed_put(&writer, methods->files);
	pe_packed_put(&writer, methods->rest.high);
	pe_packed_put(&writer, methods->rest.low);
	for (size_t i = 0; i < methods->n; i++)
		put_method(&writer, &methods->at[i]);
	pe_packed_end(&writer);
}

/* A number that fits beside `before`. */
static uint32_t get_u32(struct pe_packed_reader *reader, uint32_t before)
{
	return (uint32_t)pe_packed_get_below(reader, (uint64_t)UINT32_MAX - before + 1,
					     "a number that is too large");
}

static void get_method(struct pe_packed_reader *reader, struct pe_method *out,
		       const char *component, struct pe_arena *arena)
{
	uint32_t before = 0, *sketch;

	out->component = component;
	out->name = pe_packed_get_string(reader, arena);
	out->signature = pe_packed_get_string(reader, arena);
	out->first_line = get_u32(reader, 0);
	out->last_line = out->first_line + get_u32(reader, out->first_line);
	out->body.high = pe_packed_get(reader);
	out->body.low = pe_packed_get(reader);
	out->tokens = get_u32(reader, 0);
	out->uncertain = pe_packed_get_below(reader, 2, "no truth value") != 0;
	out->n_sketch = (uint32_t)pe_packed_get_below(reader, PE_SKETCH_MAX + 1,
						      "a sketch that is too long");
	out->sketch = sketch = pe_arena_new(arena, uint32_t, out->n_sketch);
	for (uint32_t i = 0; i < out->n_sketch; i++) {
		uint32_t step = get_u32(reader, before);

		if (i > 0 && step == 0)
			pe_packed_refuse(reader, "a sketch in disorder");
		sketch[i] = before += step;
	}
}

static void get_methods(struct pe_packed_reader *reader, struct pe_methods *out, const char *path,
			struct pe_arena *arena)
{
	const char *component = pe_arena_strdup(arena, path);

	if (pe_packed_get(reader) != pe_extract_version() ||
	    reader->count > reader->size / MIN_METHOD_BYTES) {
		pe_packed_refuse(reader, "of another version, or another number of methods");
		return;
	}
	out->n = (size_t)reader->count;
	out->unread = (size_t)pe_packed_get(reader);
	out->files = (size_t)pe_packed_get(reader);
	out->rest.high = pe_packed_get(reader);
	out->rest.low = pe_packed_get(reader);
	out->at = pe_arena_new(arena, struct pe_method, out->n);
	for (size_t i = 0; i < out->n && reader->rc == PE_OK; i++)
		get_method(reader, &out->at[i], component, arena);
	pe_packed_finish(reader);
}

int pe_methods_unpack(struct pe_methods *out, const char *path, const char *bytes, size_t n,
		      struct pe_arena *arena, struct pe_err *err)
{
	struct pe_packed_reader reader;

	*out = (struct pe_methods){.at = NULL};
	pe_packed_look(&reader, MAGIC, LAYOUT, "the list of a file's methods", bytes, n, err);
	if (pe_packed_open(&reader) == PE_OK)
		get_methods(&reader, out, path, arena);
	pe_packed_close(&reader);
	if (reader.rc == PE_OK)
		return PE_OK;
	*out = (struct pe_methods){.at = NULL};
	return PE_EINVALID;
}
