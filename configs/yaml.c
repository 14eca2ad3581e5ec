#include "configs/yaml.h"

#include "core/base/array.h"

#include <yaml.h>

#include <string.h>

enum {
	MAX_DEPTH = 64,    /* nesting; reading recurses */
	MAX_PAIRS = 10000, /* keys of one mapping; the search for duplicates is quadratic */
	/* aliases expanded; a file without any can hold half as many */
	MAX_VALUES = 1000000,
};

/* State of reading: libyaml's document, and our nodes of it by its numbers, which count from 1. */
struct parse {
	yaml_parser_t parser;
	yaml_document_t document;
	struct pe_yaml **nodes;
	const char *path;
	struct pe_arena *arena;
	struct pe_err *err;
};

static struct pe_yaml_mark mark_of(yaml_mark_t mark)
{
	return (struct pe_yaml_mark){.line = mark.line + 1, .column = mark.column + 1};
}

static int fail_at(struct parse *parse, struct pe_yaml_mark mark, const char *what)
{
	return pe_fail(parse->err, PE_EINVALID, "%s:%zu:%zu: %s", parse->path, mark.line,
		       mark.column, what);
}

/*
 * Advice for libyaml's problems, which are in terms of YAML's grammar. Their position is where it stopped
 * reading, which may be far behind an unclosed quote: so the beginning of the enclosing element is named, too.
 */
static const struct advice {
	const char *problem, *advice;
	const char *
		begun; /* element that begins at libyaml's other position; NULL: the first position is enough */
} advices[] = {
	{"did not find expected key",
	 "the keys of a mapping stand in one column, and a text in quotes ends at its quote",
	 "the mapping"},
	{"found unexpected end of stream", "a quote is not closed", "it"},
	{"did not find expected ',' or ']'", "a list is not closed, or lacks a comma", "it"},
	{"did not find expected ',' or '}'", "a mapping is not closed, or lacks a comma", "it"},
	{"could not find expected ':'", "a key needs a ':' behind it", "it"},
	{"found character that cannot start any token",
	 "indent with spaces, not with tabs, and quote a text that begins with '@', '`' or '%'",
	 NULL},
	{"found a tab character that violates indentation", "indent with spaces", NULL},
	{"found undefined alias", "an anchor ('&NAME') stands before its aliases ('*NAME')", NULL},
	{"second occurrence", "each anchor has a name of its own", "the first one"},
	{"mapping values are not allowed in this context",
	 "quote a text that contains ': ', or mend the indentation", NULL},
};

/* Append the advice to libyaml's message. */
static const char *sentence_of(const struct parse *parse, const char *problem)
{
	struct pe_yaml_mark begin = mark_of(parse->parser.context_mark);
	const struct advice *found = NULL;

	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (strcmp(problem, advices[i].problem) == 0)
			found = &advices[i];
	if (found == NULL)
		return problem;
	if (found->begun == NULL || parse->parser.context == NULL)
		return pe_arena_printf(parse->arena, "%s: %s", problem, found->advice);
	return pe_arena_printf(parse->arena, "%s: %s; %s begins at line %zu, column %zu", problem,
			       found->advice, found->begun, begin.line, begin.column);
}

/* Fail with libyaml's message; a reader's problem (bad UTF-8) has an offset instead of a position. */
static int fail_parser(struct parse *parse)
{
	const yaml_parser_t *parser = &parse->parser;
	const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
	struct pe_yaml_mark mark = mark_of(parser->problem_mark);

	if (parser->error == YAML_MEMORY_ERROR)
		pe_out_of_memory(0);
	if (parser->error == YAML_READER_ERROR)
		return pe_fail(parse->err, PE_EINVALID, "%s:1:1: not UTF-8 text: %s at byte %zu",
			       parse->path, problem, parser->problem_offset + 1);
	return fail_at(parse, mark, sentence_of(parse, problem));
}

static int read_node(struct pe_yaml **out, struct parse *parse, int number, unsigned depth);

static int read_scalar(struct pe_yaml *node, struct parse *parse, const yaml_node_t *from)
{
	const char *value = (const char *)from->data.scalar.value;
	size_t length = from->data.scalar.length;

	if (memchr(value, '\0', length) != NULL)
		return fail_at(parse, node->mark, "a NUL character");
	node->kind = PE_YAML_SCALAR;
	node->text = pe_arena_strndup(parse->arena, value, length);
	node->plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return PE_OK;
}

/* Add the size of a part. An alias takes a few bytes, and counts as much as its anchor. */
static int count_in(struct pe_yaml *node, const struct pe_yaml *part, struct parse *parse)
{
	node->size += part->size;
	if (node->size > MAX_VALUES)
		return fail_at(parse, node->mark,
			       "aliases written out make more than 1000000 values");
	return PE_OK;
}

static int read_list(struct pe_yaml *node, struct parse *parse, const yaml_node_t *from,
		     unsigned depth)
{
	const yaml_node_item_t *items = from->data.sequence.items.start;

	node->kind = PE_YAML_LIST;
	node->n = (size_t)(from->data.sequence.items.top - items);
	node->items = pe_arena_new(parse->arena, struct pe_yaml *, node->n);
	for (size_t i = 0; i < node->n; i++) {
		PE_TRY(read_node(&node->items[i], parse, items[i], depth + 1));
		PE_TRY(count_in(node, node->items[i], parse));
	}
	return PE_OK;
}

static int check_key(struct parse *parse, const struct pe_yaml *map, const struct pe_yaml *key)
{
	if (key->kind != PE_YAML_SCALAR)
		return fail_at(parse, key->mark, "a key must be a single value");
	if (key->plain && strcmp(key->text, "<<") == 0)
		return fail_at(
			parse, key->mark,
			"merge keys ('<<') are not read: write the keys out, or put what all benchmarks share under 'defaults'");
	if (map->n >= MAX_PAIRS)
		return fail_at(parse, key->mark, "more than 10000 keys in one mapping");
	for (size_t i = 0; i < map->n; i++) {
		const struct pe_yaml *first = map->pairs[i].key;

		if (strcmp(first->text, key->text) == 0)
			return pe_fail(parse->err, PE_EINVALID,
				       "%s:%zu:%zu: key '%.60s' is given twice (first at %zu:%zu)",
				       parse->path, key->mark.line, key->mark.column, key->text,
				       first->mark.line, first->mark.column);
	}
	return PE_OK;
}

static int read_map(struct pe_yaml *node, struct parse *parse, const yaml_node_t *from,
		    unsigned depth)
{
	const yaml_node_pair_t *pair = from->data.mapping.pairs.start;
	const yaml_node_pair_t *end = from->data.mapping.pairs.top;

	node->kind = PE_YAML_MAP;
	node->pairs = pe_arena_new(parse->arena, struct pe_yaml_pair, (size_t)(end - pair));
	for (; pair < end; pair++) {
		struct pe_yaml_pair *to = &node->pairs[node->n];

		PE_TRY(read_node(&to->key, parse, pair->key, depth + 1));
		PE_TRY(check_key(parse, node, to->key));
		PE_TRY(read_node(&to->value, parse, pair->value, depth + 1));
		PE_TRY(count_in(node, to->value, parse));
		node->n++;
	}
	return PE_OK;
}

/* Whether a node has the tag that libyaml gives those without one. */
static bool has_default_tag(const yaml_node_t *node)
{
	static const char *const tags[] = {
		[YAML_SCALAR_NODE] = YAML_DEFAULT_SCALAR_TAG,
		[YAML_SEQUENCE_NODE] = YAML_DEFAULT_SEQUENCE_TAG,
		[YAML_MAPPING_NODE] = YAML_DEFAULT_MAPPING_TAG,
	};

	return strcmp((const char *)node->tag, tags[node->type]) == 0;
}

/* Read a node of the document; where an alias stands, it is the very node of its anchor. */
static int read_node(struct pe_yaml **out, struct parse *parse, int number, unsigned depth)
{
	const yaml_node_t *from = yaml_document_get_node(&parse->document, number);
	struct pe_yaml *node = parse->nodes[number];

	*out = node;
	if (node != NULL)
		return node->open ? fail_at(parse, node->mark, "an alias inside its own anchor")
				  : PE_OK;
	*out = parse->nodes[number] = node = pe_arena_new(parse->arena, struct pe_yaml, 1);
	*node = (struct pe_yaml){.mark = mark_of(from->start_mark), .open = true, .size = 1};
	if (depth > MAX_DEPTH)
		return fail_at(parse, node->mark, "nested deeper than 64 levels");
	if (!has_default_tag(from))
		return fail_at(
			parse, node->mark,
			"tags ('!...') are not used here: quote a text, write a number as it is");
	if (from->type == YAML_SCALAR_NODE)
		PE_TRY(read_scalar(node, parse, from));
	else if (from->type == YAML_SEQUENCE_NODE)
		PE_TRY(read_list(node, parse, from, depth));
	else
		PE_TRY(read_map(node, parse, from, depth));
	node->open = false;
	return PE_OK;
}

/* Read the next document, if there is one. */
static int read_document(struct pe_yaml **out, struct parse *parse)
{
	yaml_document_t *document = &parse->document;
	int rc = PE_OK;

	*out = NULL;
	if (yaml_parser_load(&parse->parser, document) == 0)
		return fail_parser(parse);
	if (yaml_document_get_root_node(document) != NULL) {
		parse->nodes =
			pe_arena_new(parse->arena, struct pe_yaml *,
				     (size_t)(document->nodes.top - document->nodes.start) + 1);
		rc = read_node(out, parse, 1, 0);
	}
	yaml_document_delete(document);
	return rc;
}

static int read_stream(struct pe_yaml **out, struct parse *parse)
{
	struct pe_yaml *second = NULL;

	PE_TRY(read_document(out, parse));
	if (*out != NULL)
		PE_TRY(read_document(&second, parse));
	return second == NULL
		       ? PE_OK
		       : fail_at(parse, second->mark, "a second document: one file is one config");
}

int pe_yaml_parse(struct pe_yaml **out, const char *path, const char *text, size_t len,
		  struct pe_arena *arena, struct pe_err *err)
{
	struct parse parse = {.path = path, .arena = arena, .err = err};
	int rc;

	*out = NULL;
	if (len > PE_YAML_MOST_BYTES)
		return pe_fail(err, PE_EINVALID, "%s:1:1: larger than 1 MiB: this is no config",
			       path);
	if (yaml_parser_initialize(&parse.parser) == 0)
		pe_out_of_memory(sizeof(parse.parser));
	yaml_parser_set_input_string(&parse.parser, (const unsigned char *)text, len);
	rc = read_stream(out, &parse);
	yaml_parser_delete(&parse.parser);
	return rc;
}

bool pe_yaml_is_null(const struct pe_yaml *node)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

	return node->kind == PE_YAML_SCALAR && node->plain &&
	       pe_has_string(nulls, sizeof(nulls) / sizeof(*nulls), node->text);
}

struct pe_yaml *pe_yaml_get(const struct pe_yaml *node, const char *key)
{
	if (node == NULL || node->kind != PE_YAML_MAP)
		return NULL;
	for (size_t i = 0; i < node->n; i++)
		if (strcmp(node->pairs[i].key->text, key) == 0)
			return node->pairs[i].value;
	return NULL;
}

const char *pe_yaml_kind_name(const struct pe_yaml *node)
{
	static const char *const names[] = {
		[PE_YAML_SCALAR] = "a single value",
		[PE_YAML_LIST] = "a list",
		[PE_YAML_MAP] = "a mapping",
	};

	return pe_yaml_is_null(node) ? "nothing" : names[node->kind];
}
