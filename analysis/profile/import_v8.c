#include "analysis/profile/import_v8.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* The place is "URL:LINE"; a line of 0 is unknown. */
void pe_v8_read_name(struct pe_frame *frame, char *name, char *place)
{
	char *colon = strrchr(place, ':');

	frame->name = name;
	if (colon == NULL)
		return;
	*colon = '\0';
	frame->line = (uint32_t)strtoul(colon + 1, NULL, 10);
	place[strcspn(place, "?#")] = '\0';
	frame->component = strncmp(place, "file:///", 8) == 0 ? place + 7 : place;
	if (*place == '\0' && strcmp(name, "(idle)") == 0)
		*frame = (struct pe_frame){.name = "(waiting)", .kind = PE_FRAME_WAITING};
}

uint32_t pe_v8_frame(struct pe_import_names *names, const struct pe_text *function,
		     const struct pe_text *script, int64_t line)
{
	/* Stacks name the outermost code of eval(), which samples do not. */
	bool is_named =
		function->len > 0 && (script->len > 0 || strcmp(function->data, "eval") != 0);
	const char *name = is_named ? function->data : PE_V8_ANONYMOUS;
	size_t n = is_named ? function->len : strlen(PE_V8_ANONYMOUS);
	pe_auto_text place = PE_TEXT_INIT;

	/* V8 counts lines from 0; -1: no source. */
	pe_text_addf(&place, "%s:%" PRId64, pe_text_str(script),
		     line >= 0 && line < UINT32_MAX ? line + 1 : 0);
	return pe_names_frame(names, name, n, place.data, place.len);
}

uint32_t pe_v8_index(struct pe_v8 *v8, int64_t id, uint64_t offset)
{
	const struct pe_v8_node node = {
		.id = id,
		.offset = offset,
		.frame = PE_FRAME_NONE,
		.parent = PE_CCT_NONE,
	};
	bool is_new;
	const uint32_t index =
		*pe_map_put(&v8->indices, (uint64_t)id, 0, (uint32_t)v8->nodes.n, &is_new);

	if (!is_new)
		return index;
	pe_vec_push(&v8->nodes, node);
	pe_vec_push(&v8->sums, (struct pe_v8_sum){0});
	return index;
}

static int read_string(struct pe_json_cursor *json, void *self)
{
	const struct pe_json_token *token = &json->token;

	if (token->kind != PE_JSON_STRING)
		return pe_json_expected(json, "a string");
	if (memchr(token->text, '\0', token->n) != NULL)
		return pe_json_expected(json, "a name without NUL");
	pe_text_clear(self);
	pe_text_addn(self, token->text, token->n);
	return PE_OK;
}

#define AT(member) offsetof(struct pe_v8_reader, member)

static int on_call_frame(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"functionName", read_string, AT(name), false},
		{"url", read_string, AT(url), false},
		{"lineNumber", pe_json_read_integer, AT(line), false},
	};

	return pe_json_fields(json, fields, 3, self);
}

static int on_child(struct pe_json_cursor *json, void *self)
{
	struct pe_v8_reader *reader = self;
	int64_t id;

	if (!pe_json_integer(&json->token, &id))
		return pe_json_expected(json, "the number of a node");
	pe_vec_push(&reader->children, pe_v8_index(reader->v8, id, json->token.offset));
	return PE_OK;
}

static int link_nodes(struct pe_v8_reader *reader, struct pe_json_cursor *json, uint32_t child,
		      uint32_t parent)
{
	struct pe_v8_node *node = &reader->v8->nodes.data[child];

	if (node->parent != PE_CCT_NONE && node->parent != parent)
		return pe_json_expected(json, "each node to have one parent");
	node->parent = parent;
	return PE_OK;
}

/* Add the node whose members were read. */
static int add_node(struct pe_v8_reader *reader, struct pe_json_cursor *json, uint64_t offset)
{
	struct pe_v8 *v8 = reader->v8;
	uint32_t index;
	struct pe_v8_node *node;

	if (reader->id == PE_V8_NO_NODE)
		return pe_json_expected(json, "a node with its id");
	index = pe_v8_index(v8, reader->id, offset);
	node = &v8->nodes.data[index];
	if (node->is_defined)
		return pe_json_expected(json, "each node once");
	node->is_defined = true;
	node->frame = pe_v8_frame(&reader->names, &reader->name, &reader->url, reader->line);
	for (size_t i = 0; i < reader->children.n; i++)
		PE_TRY(link_nodes(reader, json, reader->children.data[i], index));
	if (reader->parent == PE_V8_NO_NODE)
		return PE_OK;
	return link_nodes(reader, json, index, pe_v8_index(v8, reader->parent, offset));
}

int pe_v8_node(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"id", pe_json_read_integer, AT(id), false},
		{"callFrame", on_call_frame, 0, false},
		{"parent", pe_json_read_integer, AT(parent), false},
		{"children", on_child, 0, true},
	};
	struct pe_v8_reader *reader = self;
	const uint64_t offset = json->token.offset;

	if (json->token.kind != PE_JSON_OBJECT)
		return pe_json_expected(json, "a node");
	pe_text_clear(&reader->name);
	pe_text_clear(&reader->url);
	reader->id = reader->parent = PE_V8_NO_NODE;
	reader->line = -1;
	reader->children.n = 0;
	PE_TRY(pe_json_fields(json, fields, 4, self));
	return add_node(reader, json, offset);
}

static void keep_run(struct pe_v8 *v8, uint32_t node, int64_t before_us)
{
	struct pe_v8_run *last = v8->runs.n > 0 ? &v8->runs.data[v8->runs.n - 1] : NULL;

	if (last != NULL && last->node == node && last->samples < UINT32_MAX) {
		last->samples++;
		last->to_us = v8->latest_us;
		return;
	}
	pe_vec_push(&v8->runs, (struct pe_v8_run){
				       .node = node,
				       .samples = 1,
				       .from_us = before_us,
				       .first_us = v8->latest_us,
				       .to_us = v8->latest_us,
			       });
}

void pe_v8_add(struct pe_v8 *v8, int64_t id, int64_t delta_us, uint64_t offset)
{
	uint32_t index = pe_v8_index(v8, id, offset);
	struct pe_v8_sum *sum = &v8->sums.data[index];
	int64_t now, before = v8->latest_us;

	sum->samples++;
	v8->samples++;
	if (__builtin_add_overflow(v8->now_us, delta_us, &now))
		return;
	v8->now_us = now;
	if (now > v8->latest_us) {
		pe_cct_add(&sum->us, (uint64_t)now - (uint64_t)v8->latest_us);
		v8->latest_us = now;
	}
	if (v8->keeps_runs)
		keep_run(v8, index, before);
}

void pe_v8_release(struct pe_v8 *v8)
{
	pe_map_release(&v8->indices);
	pe_vec_release(&v8->sums);
	pe_vec_release(&v8->nodes);
	pe_vec_release(&v8->runs);
}

void pe_v8_reader_release(struct pe_v8_reader *reader)
{
	pe_names_release(&reader->names);
	pe_text_release(&reader->name);
	pe_text_release(&reader->url);
	pe_vec_release(&reader->children);
}
