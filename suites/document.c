/*
 * A file holds documents and other text: more output of the program, documents of several programs that ran one after
 * the other.
 */
#include "suites/suite_internal.h"

#include <string.h>

/* Note the position where reading stopped before the document's end: the end of the file, or invalid JSON. */
static void note_end(struct pe_suite_reader *reader, const struct pe_suite_search *search)
{
	const char *what = strstr(search->err.message, ": ");

	if (!reader->out->cut_short)
		pe_suite_cut(reader, NULL);
	if (search->end >= reader->n)
		return;
	what = what != NULL ? strstr(what + 2, ": ") : NULL;
	pe_suite_note(reader, PE_SUITE_NOTE_DAMAGED, "byte %zu: %s", search->end,
		      what != NULL ? what + 2 : "no JSON");
}

void pe_suite_documents(struct pe_suite_reader *reader, enum pe_suite_format format,
			pe_suite_take_fn take)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_suite_search search = {.bytes = reader->bytes, .n = reader->n, .arena = &arena};

	while (pe_suite_find_document(&search, format) == format) {
		reader->found++;
		take(reader, search.root);
		if (!search.is_whole)
			note_end(reader, &search);
		pe_arena_release(&reader->scratch);
		reader->document++;
		reader->process++;
		search.at = search.end > search.at ? search.end : search.at + 1;
	}
	if (search.gave_up)
		pe_suite_note(reader, PE_SUITE_NOTE_LIMIT,
			      "byte %zu: too much that looks like a document and is none",
			      search.at);
}

void pe_suite_each(struct pe_suite_reader *reader, const struct pe_json_value *records,
		   pe_suite_take_fn take)
{
	if (records->kind == PE_JSON_ARRAY || records->kind == PE_JSON_OBJECT)
		for (size_t i = 0; i < records->n; i++)
			take(reader, &records->items[i]);
}

/* ---- Values ---- */

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
