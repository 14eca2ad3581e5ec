/*
 * Tree: a whole JSON document in memory, for those that are small or read in no particular order. Every look at it
 * gives a value: what is not there is one of kind PE_JSON_END, which has no members, no text and no number, so that
 * a path of looks needs no check in between.
 */
#pragma once

#include "core/base/arena.h"
#include "core/model/benchmark.h"
#include "core/json/stream.h"

struct pe_json_value {
	enum pe_json_kind kind;
	bool is_cut;     /**< a container that the document, or reading, ends in */
	const char *key; /**< of a member; else NULL */
	const char *
		text; /**< of a string its value, of a number as it is written; terminated, else "" */
	size_t n;     /**< bytes of text (a string may hold NUL); members or elements */
	const struct pe_json_value *items; /**< members in their order, or elements */
};

/**
 * Read a document.
 *
 * @param out    its value; with all that is in it in the arena
 * @return       PE_EINVALID: "not JSON: offset N: <found>; expected <what>"
 */
int pe_json_tree(const struct pe_json_value **out, const char *document, size_t n,
		 struct pe_arena *arena, struct pe_err *err);

/**
 * Read one value out of a stream.
 *
 * @param first  its first token, which was taken from the stream
 * @param depth  of nesting at most, the value's own container being 1
 * @param out    also when it fails: what there is of the value, its containers closed
 * @return       PE_EINVALID: it is nested deeper; what pe_json_next() returned, the document's early end being one
 */
int pe_json_tree_value(const struct pe_json_value **out, struct pe_json_stream *stream,
		       const struct pe_json_token *first, size_t depth, struct pe_arena *arena,
		       struct pe_err *err);

/** A member of an object, the last of that name; a value that is not there (pe_json_there()) otherwise, never NULL. */
const struct pe_json_value *pe_json_member(const struct pe_json_value *object, const char *key);
/** An element of an array; a value that is not there otherwise, never NULL. */
const struct pe_json_value *pe_json_element(const struct pe_json_value *array, size_t i);

/** Elements of an array; 0 of anything else. */
size_t pe_json_length(const struct pe_json_value *array);

/** The value at a path of members, "a.b": what pe_json_member() gives of each in turn. */
const struct pe_json_value *pe_json_at(const struct pe_json_value *value, const char *path);

/** The strings of an array, in the arena; none of anything else. */
struct pe_strings pe_json_strings(const struct pe_json_value *array, struct pe_arena *arena);

/** The text of a string; NULL of anything else. */
const char *pe_json_string(const struct pe_json_value *value);

/** Whether it is a string with this text. */
bool pe_json_equals(const struct pe_json_value *value, const char *text);

/** A whole number; `other` of anything else. */
int64_t pe_json_whole(const struct pe_json_value *value, int64_t other);

/** A finite number; NaN of anything else. */
double pe_json_number(const struct pe_json_value *value);

/** Whether it is true. */
bool pe_json_true(const struct pe_json_value *value);

/** Whether there is a value that is not null. */
bool pe_json_there(const struct pe_json_value *value);
