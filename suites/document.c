/*
 * A file holds documents and other text: more output of the program, documents of several programs that ran one after
 * the other. A document is read record by record, so that memory follows the longest record, and so that all records
 * before a cut are read.
 */
#include "suites/suite_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct walk {
	struct pe_suite_reader *reader;
	struct pe_json_stream *json;
	size_t begin; /* of the document in the file */
	const struct pe_suite_part *parts;
	size_t n_parts;
	struct pe_json_token token;
	struct pe_err err;
};

static int next(struct walk *walk)
{
	return pe_json_next(walk->json, &walk->token, &walk->err);
}

/* Pass the value that begins with the current token to a part. */
static int take(struct walk *walk, const struct pe_suite_part *part, const char *key, size_t depth)
{
	struct pe_suite_reader *reader = walk->reader;
	const struct pe_json_value *value;
	struct pe_json_value named;
	int rc = pe_json_tree_value(&value, walk->json, &walk->token, PE_SUITE_MAX_DEPTH - depth,
				    &reader->scratch, &walk->err);

	named = *value;
	named.key = key;
	part->take(reader, &named, rc == PE_OK);
	return rc;
}

/* Copy the current key; it lives as long as its record. */
static const char *keep_key(struct walk *walk)
{
	return pe_arena_strndup(&walk->reader->scratch, walk->token.text, walk->token.n);
}

/* Pass each element of the current array, or member of the current object, to a part. */
static int take_each(struct walk *walk, const struct pe_suite_part *part, size_t depth)
{
	bool object = walk->token.kind == PE_JSON_OBJECT;
	int rc;

	if (!object && walk->token.kind != PE_JSON_ARRAY)
		return pe_json_skip(walk->json, &walk->token, &walk->err);
	for (;;) {
		const char *key = NULL;

		pe_arena_release(&walk->reader->scratch);
		rc = next(walk);
		if (rc != PE_OK || walk->token.kind == PE_JSON_ARRAY_END ||
		    walk->token.kind == PE_JSON_OBJECT_END)
			return rc;
		if (object) {
			key = keep_key(walk);
			rc = next(walk);
		}
		if (rc == PE_OK)
			rc = take(walk, part, key, depth + 1);
		if (rc != PE_OK)
			return rc;
	}
}

static const struct pe_suite_part *find_part(const struct walk *walk, const char *key)
{
	for (size_t i = 0; i < walk->n_parts; i++)
		if (walk->parts[i].key != NULL &&
		    (strcmp(walk->parts[i].key, key) == 0 || strcmp(walk->parts[i].key, "*") == 0))
			return &walk->parts[i];
	return NULL;
}

static int take_members(struct walk *walk)
{
	for (;;) {
		const struct pe_suite_part *part;
		const char *key;
		int rc;

		pe_arena_release(&walk->reader->scratch);
		rc = next(walk);
		if (rc != PE_OK || walk->token.kind == PE_JSON_OBJECT_END)
			return rc;
		key = keep_key(walk);
		part = find_part(walk, key);
		rc = next(walk);
		if (rc == PE_OK && part == NULL)
			rc = pe_json_skip(walk->json, &walk->token, &walk->err);
		else if (rc == PE_OK)
			rc = part->each ? take_each(walk, part, 1) : take(walk, part, key, 1);
		if (rc != PE_OK)
			return rc;
	}
}

static int take_root(struct walk *walk)
{
	int rc = next(walk);

	if (rc != PE_OK)
		return rc;
	if (walk->n_parts == 1 && walk->parts[0].key == NULL)
		return walk->parts[0].each ? take_each(walk, &walk->parts[0], 0)
					   : take(walk, &walk->parts[0], NULL, 0);
	return walk->token.kind == PE_JSON_OBJECT ? take_members(walk) : PE_OK;
}

/* Note the position where reading stopped before the document's end: the end of the file, or invalid JSON. */
static size_t note_end(struct walk *walk)
{
	struct pe_suite_reader *reader = walk->reader;
	size_t at = walk->begin + (size_t)pe_json_failed_at(walk->json);
	const char *what = strstr(walk->err.message, ": ");

	if (!reader->out->cut_short)
		pe_suite_cut(reader, NULL);
	if (at >= reader->n)
		return reader->n;
	what = what != NULL ? strstr(what + 2, ": ") : NULL;
	pe_suite_note(reader, PE_SUITE_NOTE_DAMAGED, "byte %zu: %s", at,
		      what != NULL ? what + 2 : "no JSON");
	return at;
}

void pe_suite_documents(struct pe_suite_reader *reader, enum pe_suite_format format,
			const struct pe_suite_part *parts, size_t n_parts)
{
	struct pe_suite_search search = {.bytes = reader->bytes, .n = reader->n};

	while (pe_suite_find_document(&search, format) == format) {
		struct walk walk = {
			.reader = reader,
			.json = pe_json_stream_of("JSON", PE_JSON_LOOSE, reader->bytes + search.at,
						  reader->n - search.at),
			.begin = search.at,
			.parts = parts,
			.n_parts = n_parts,
		};
		size_t end;

		reader->found++;
		if (take_root(&walk) == PE_OK)
			end = walk.begin + (size_t)walk.token.offset + 1;
		else
			end = note_end(&walk);
		pe_json_stream_free(walk.json);
		pe_arena_release(&reader->scratch);
		reader->document++;
		reader->process++;
		search.at = end > search.at ? end : search.at + 1;
	}
	if (search.gave_up)
		pe_suite_note(reader, PE_SUITE_NOTE_LIMIT,
			      "byte %zu: too much that looks like a document and is none",
			      search.at);
}

const struct pe_json_value *pe_suite_tree(const char *bytes, size_t n, struct pe_arena *arena)
{
	struct pe_json_stream *json = pe_json_stream_of("JSON", PE_JSON_LOOSE, bytes, n);
	struct pe_json_token token;
	const struct pe_json_value *value = NULL;
	struct pe_err err;
	int rc;

	rc = pe_json_next(json, &token, &err);
	if (rc == PE_OK && token.kind != PE_JSON_END)
		rc = pe_json_tree_value(&value, json, &token, PE_SUITE_MAX_DEPTH, arena, &err);
	if (rc == PE_OK)
		rc = pe_json_next(json, &token, &err);
	pe_json_stream_free(json);
	return rc == PE_OK ? value : NULL;
}

/* ---- Values ---- */

double pe_suite_number(const struct pe_json_value *value)
{
	return value->kind == PE_JSON_NUMBER ? pe_json_number(value) : NAN;
}

const char *pe_suite_string(const struct pe_json_value *value)
{
	return value->kind == PE_JSON_STRING ? value->text : "";
}

const char *pe_suite_scalar(const struct pe_json_value *value, struct pe_arena *arena)
{
	switch (value->kind) {
	case PE_JSON_STRING:
	case PE_JSON_NUMBER:
		return pe_arena_strdup(arena, value->text);
	case PE_JSON_TRUE:
		return "true";
	case PE_JSON_FALSE:
		return "false";
	case PE_JSON_NULL:
		return "null";
	default:
		return NULL;
	}
}

void pe_suite_param_members(struct pe_suite_reader *reader, struct pe_suite_name *name,
			    const struct pe_json_value *object)
{
	if (object->kind != PE_JSON_OBJECT)
		return;
	for (size_t i = 0; i < object->n; i++) {
		const struct pe_json_value *member = &object->items[i];
		const char *value = pe_suite_scalar(
			member->kind == PE_JSON_OBJECT ? pe_json_member(member, "value") : member,
			&reader->scratch);

		if (value != NULL && !pe_suite_param(reader, name, object->items[i].key, value))
			return;
	}
}
