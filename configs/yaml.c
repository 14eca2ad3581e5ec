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

struct anchor {
	const char *name;
	struct pe_yaml *node;
};

/* State of parsing: libyaml's parser, its current event, and the anchors so far. */
struct parse {
	yaml_parser_t parser;
	yaml_event_t event;
	bool has_event;
	const char *path;
	struct pe_arena *arena;
	struct pe_err *err;
	PE_VEC(struct anchor) anchors;
};

typedef PE_VEC(struct pe_yaml *) node_vec;
typedef PE_VEC(struct pe_yaml_pair) pair_vec;

static struct pe_yaml_mark mark_of(yaml_mark_t mark)
{
	return (struct pe_yaml_mark){.line = mark.line + 1, .column = mark.column + 1};
}

static int fail_at(struct parse *parse, struct pe_yaml_mark mark, const char *what)
{
	return pe_fail(parse->err, PE_EINVALID, "%s:%zu:%zu: %s", parse->path, mark.line,
		       mark.column, what);
}

static int fail_event(struct parse *parse, const char *what)
{
	return fail_at(parse, mark_of(parse->event.start_mark), what);
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

static int next_event(struct parse *parse)
{
	if (parse->has_event)
		yaml_event_delete(&parse->event);
	parse->has_event = yaml_parser_parse(&parse->parser, &parse->event) != 0;
	return parse->has_event ? PE_OK : fail_parser(parse);
}

static int read_node(struct pe_yaml **out, struct parse *parse, unsigned depth);

static int check_tag(struct parse *parse, const yaml_char_t *tag)
{
	if (tag == NULL)
		return PE_OK;
	return fail_event(parse,
			  "tags ('!...') are not used here: quote a text, write a number as it is");
}

static int read_alias(struct pe_yaml **out, struct parse *parse)
{
	const char *name = (const char *)parse->event.data.alias.anchor;

	/* The latest anchor of a name counts. */
	for (size_t i = parse->anchors.n; i-- > 0;) {
		if (strcmp(parse->anchors.data[i].name, name) != 0)
			continue;
		*out = parse->anchors.data[i].node;
		return (*out)->open ? fail_event(parse, "an alias inside its own anchor") : PE_OK;
	}
	return fail_event(parse, "an alias without an anchor before it");
}

static int read_scalar(struct pe_yaml *node, struct parse *parse)
{
	const char *value = (const char *)parse->event.data.scalar.value;
	size_t length = parse->event.data.scalar.length;

	PE_TRY(check_tag(parse, parse->event.data.scalar.tag));
	if (memchr(value, '\0', length) != NULL)
		return fail_event(parse, "a NUL character");
	node->text = pe_arena_strndup(parse->arena, value, length);
	node->plain = parse->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
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

static int read_list(struct pe_yaml *node, struct parse *parse, unsigned depth)
{
	pe_auto_free node_vec items = {0};

	PE_TRY(check_tag(parse, parse->event.data.sequence_start.tag));
	for (;;) {
		struct pe_yaml *item;

		PE_TRY(next_event(parse));
		if (parse->event.type == YAML_SEQUENCE_END_EVENT)
			break;
		PE_TRY(read_node(&item, parse, depth + 1));
		PE_TRY(count_in(node, item, parse));
		pe_vec_push(&items, item);
	}
	node->n = items.n;
	node->items = pe_vec_copy(parse->arena, &items);
	return PE_OK;
}

static int check_key(struct parse *parse, const pair_vec *pairs, const struct pe_yaml *key)
{
	if (key->kind != PE_YAML_SCALAR)
		return fail_at(parse, key->mark, "a key must be a single value");
	if (key->plain && strcmp(key->text, "<<") == 0)
		return fail_at(
			parse, key->mark,
			"merge keys ('<<') are not read: write the keys out, or put what all benchmarks share under 'defaults'");
	if (pairs->n >= MAX_PAIRS)
		return fail_at(parse, key->mark, "more than 10000 keys in one mapping");
	for (size_t i = 0; i < pairs->n; i++) {
		const struct pe_yaml *first = pairs->data[i].key;

		if (strcmp(first->text, key->text) == 0)
			return pe_fail(parse->err, PE_EINVALID,
				       "%s:%zu:%zu: key '%.60s' is given twice (first at %zu:%zu)",
				       parse->path, key->mark.line, key->mark.column, key->text,
				       first->mark.line, first->mark.column);
	}
	return PE_OK;
}

static int read_map(struct pe_yaml *node, struct parse *parse, unsigned depth)
{
	pe_auto_free pair_vec pairs = {0};

	PE_TRY(check_tag(parse, parse->event.data.mapping_start.tag));
	for (;;) {
		struct pe_yaml_pair pair;

		PE_TRY(next_event(parse));
		if (parse->event.type == YAML_MAPPING_END_EVENT)
			break;
		PE_TRY(read_node(&pair.key, parse, depth + 1));
		PE_TRY(check_key(parse, &pairs, pair.key));
		PE_TRY(next_event(parse));
		PE_TRY(read_node(&pair.value, parse, depth + 1));
		PE_TRY(count_in(node, pair.value, parse));
		pe_vec_push(&pairs, pair);
	}
	node->n = pairs.n;
	node->pairs = pe_vec_copy(parse->arena, &pairs);
	return PE_OK;
}

static void keep_anchor(struct parse *parse, const yaml_char_t *name, struct pe_yaml *node)
{
	if (name == NULL)
		return;
	pe_vec_push(&parse->anchors,
		    (struct anchor){pe_arena_strdup(parse->arena, (const char *)name), node});
}

/* Read the node that the current event begins. */
static int read_node(struct pe_yaml **out, struct parse *parse, unsigned depth)
{
	const yaml_event_t *event = &parse->event;
	struct pe_yaml *node = pe_arena_new(parse->arena, struct pe_yaml, 1);

	if (depth > MAX_DEPTH)
		return fail_event(parse, "nested deeper than 64 levels");
	*out = node;
	*node = (struct pe_yaml){.mark = mark_of(event->start_mark), .open = true, .size = 1};
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return read_alias(out, parse);
	case YAML_SCALAR_EVENT:
		node->kind = PE_YAML_SCALAR;
		keep_anchor(parse, event->data.scalar.anchor, node);
		PE_TRY(read_scalar(node, parse));
		break;
	case YAML_SEQUENCE_START_EVENT:
		node->kind = PE_YAML_LIST;
		keep_anchor(parse, event->data.sequence_start.anchor, node);
		PE_TRY(read_list(node, parse, depth));
		break;
	case YAML_MAPPING_START_EVENT:
		node->kind = PE_YAML_MAP;
		keep_anchor(parse, event->data.mapping_start.anchor, node);
		PE_TRY(read_map(node, parse, depth));
		break;
	default:
		return fail_event(parse, "not what was expected here");
	}
	node->open = false;
	return PE_OK;
}

/* Read STREAM-START [DOCUMENT-START node DOCUMENT-END] STREAM-END. */
static int read_stream(struct pe_yaml **out, struct parse *parse)
{
	PE_TRY(next_event(parse));
	PE_TRY(next_event(parse));
	if (parse->event.type == YAML_STREAM_END_EVENT)
		return PE_OK;
	PE_TRY(next_event(parse));
	PE_TRY(read_node(out, parse, 0));
	PE_TRY(next_event(parse));
	PE_TRY(next_event(parse));
	return parse->event.type == YAML_STREAM_END_EVENT
		       ? PE_OK
		       : fail_event(parse, "a second document: one file is one config");
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
	if (parse.has_event)
		yaml_event_delete(&parse.event);
	yaml_parser_delete(&parse.parser);
	pe_vec_release(&parse.anchors);
	return rc;
}

bool pe_yaml_is_null(const struct pe_yaml *node)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

	if (node->kind != PE_YAML_SCALAR || !node->plain)
		return false;
	for (size_t i = 0; i < sizeof(nulls) / sizeof(*nulls); i++)
		if (strcmp(node->text, nulls[i]) == 0)
			return true;
	return false;
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
