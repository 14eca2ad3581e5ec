/*
 * What has a name: scopes and methods, opened where the walk meets their nodes and closed where it leaves them.
 */
#include "analysis/methods/walk.h"

#include <assert.h>
#include <string.h>

enum { QUALIFIED_MAX = 2 * PE_NAME_MAX };

#define TOKEN_METHOD 0x6D6574686F642E2Eu

/* The scope that qualifies a name here; NULL: none. */
static const struct pe_method_scope *qualifying(const struct pe_walk *walk, bool top)
{
	size_t n = walk->scopes.n;

	while (top && n > 0 && walk->scopes.data[n - 1].is_method)
		n--;
	return n > 0 ? &walk->scopes.data[n - 1] : NULL;
}

/* Open a scope. A name beyond QUALIFIED_MAX bytes is cut off, so that deep nesting stays linear. */
static void push_scope(struct pe_walk *walk, const struct pe_naming *naming, bool is_class)
{
	const struct pe_method_scope *outer =
		naming->absolute ? NULL : qualifying(walk, naming->top);
	struct pe_method_scope scope = {
		.depth = walk->depth,
		.outside = walk->paths.len,
		.is_method = naming->kind == PE_NAMES_METHOD,
		.in_class = is_class,
		.singleton = naming->singleton,
	};
	const char *separator =
		naming->separator != NULL ? naming->separator : walk->grammar->language->separator;

	if (outer != NULL && (naming->name.len == 0 ||
			      outer->len + naming->name.len + strlen(separator) > QUALIFIED_MAX)) {
		scope.start = outer->start;
		scope.len = outer->len;
	} else {
		scope.start = walk->paths.len;
		if (outer != NULL && outer->len > 0) {
			char name[QUALIFIED_MAX];

			memcpy(name, walk->paths.data + outer->start, outer->len);
			pe_text_addn(&walk->paths, name, outer->len);
			pe_text_add(&walk->paths, separator);
		}
		pe_text_addn(&walk->paths, naming->name.text, naming->name.len);
		scope.len = walk->paths.len - scope.start;
	}
	pe_vec_push(&walk->scopes, scope);
}

/* The last part of a name, as calls of it are written in the body. */
static const char *own_name(const struct pe_walk *walk, const struct pe_label *name, size_t *len)
{
	size_t from = name->len;

	while (from > 0 && strchr(".:#~ ", name->text[from - 1]) == NULL)
		from--;
	*len = name->len - from;
	return pe_arena_strndup(walk->arena, name->text + from, *len);
}

void pe_walk_flush_prefix(struct pe_walk *walk)
{
	assert(walk->prefix_depth == 0);
	walk->prefix_level = 0;
	for (size_t i = 0; i < walk->prefix.n; i++)
		pe_walk_emit(walk, walk->prefix.data[i]);
	walk->prefix.n = 0;
}

static void open_method(struct pe_walk *walk, const struct pe_naming *naming, TSNode node,
			uint32_t first_line)
{
	struct pe_method_frame frame = {
		.method = walk->methods.n,
		.label_start = naming->start,
		.label_end = naming->end,
		.function = naming->function != NULL ? naming->function : node.id,
	};
	struct pe_method method = {.component = walk->component};
	const struct pe_method_scope *scope;
	const uint32_t start = ts_node_start_byte(node);

	/* What stands before a method in its line, as a macro with attributes, is no part of the file's rest. */
	pe_walk_gap(walk, walk->frames.n > 0 ? start : start - ts_node_start_point(node).column);
	if (walk->frames.n > 0)
		pe_walk_emit(walk, TOKEN_METHOD);
	push_scope(walk, naming, false);
	scope = pe_walk_scope(walk);
	assert(scope != NULL);
	method.name = pe_arena_strndup(walk->arena, walk->paths.data + scope->start, scope->len);
	method.signature =
		pe_arena_strndup(walk->arena, naming->signature.text, naming->signature.len);
	method.first_line = first_line;
	method.last_line = ts_node_end_point(node).row + 1;
	method.uncertain = walk->error_depth != 0 || ts_node_has_error(node);
	frame.own = own_name(walk, &naming->name, &frame.own_len);
	pe_vec_push(&walk->methods, method);
	pe_vec_push(&walk->frames, frame);
	walk->last_end = start;
	pe_walk_flush_prefix(walk);
}

static void close_method(struct pe_walk *walk)
{
	struct pe_method_frame *frame = pe_walk_frame(walk);
	struct pe_method *method;
	uint32_t *sketch;

	assert(frame != NULL);
	method = &walk->methods.data[frame->method];
	sketch = pe_arena_new(walk->arena, uint32_t, frame->tokens.n_sketch);
	memcpy(sketch, frame->tokens.sketch, frame->tokens.n_sketch * sizeof(*sketch));
	method->sketch = sketch;
	method->n_sketch = frame->tokens.n_sketch;
	method->tokens = frame->tokens.n;
	method->body = pe_tokens_fingerprint(&frame->tokens);
	walk->frames.n--;
}

/* Whether the node is the very function of a method that is open already: its binding was seen first. */
static bool is_open(const struct pe_walk *walk, const void *function)
{
	const struct pe_method_frame *frame =
		walk->frames.n > 0 ? &walk->frames.data[walk->frames.n - 1] : NULL;

	return frame != NULL && frame->function == function;
}

static struct pe_node_reading reading_of(const struct pe_walk *walk,
					 const struct pe_node_symbol *symbol, TSNode node)
{
	const struct pe_method_scope *scope = pe_walk_scope(walk);

	return (struct pe_node_reading){
		.grammar = walk->grammar,
		.rule = symbol->rule,
		.source = walk->source,
		.node = node,
		.in_class = scope != NULL && scope->in_class,
		.singleton = scope != NULL && scope->singleton,
	};
}

void pe_walk_named(struct pe_walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	struct pe_naming *naming = &walk->naming;
	struct pe_node_reading reading;

	/* What a decorator holds is part of the head that it decorates. */
	if (walk->prefix_depth != 0 || is_open(walk, node.id))
		return;
	reading = reading_of(walk, symbol, node);
	*naming = (struct pe_naming){.kind = PE_NAMES_NOTHING};
	symbol->rule->read(naming, &reading);
	if (naming->kind == PE_NAMES_NOTHING || is_open(walk, naming->function))
		return;
	if (naming->kind == PE_NAMES_METHOD && naming->name.len == 0)
		return; /* {"": function () {}}, or a name that the parser made up */
	/* C has no function in a function: macros that take blocks look like it, or braces that #if unbalances. */
	if (naming->top && walk->scopes.n > 0 && pe_walk_scope(walk)->is_method &&
	    ts_node_start_point(node).column != 0)
		return;
	if (naming->kind == PE_NAMES_METHOD)
		open_method(walk, naming, node, ts_node_start_point(node).row + 1);
	else
		push_scope(walk, naming, symbol->rule->is_class);
}

void pe_walk_call_head(struct pe_walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	struct pe_node_reading reading;

	if (walk->frames.n > 0 || walk->call_depth != 0)
		return;
	reading = reading_of(walk, symbol, node);
	walk->call = (struct pe_naming){.kind = PE_NAMES_NOTHING};
	symbol->rule->read(&walk->call, &reading);
	if (walk->call.kind != PE_NAMES_METHOD)
		return;
	walk->call_depth = walk->depth;
	walk->call_line = ts_node_start_point(node).row + 1;
}

void pe_walk_call_body(struct pe_walk *walk, TSNode node)
{
	walk->unread -= walk->unread > 0; /* the semicolon was never missing */
	open_method(walk, &walk->call, node, walk->call_line);
}

void pe_walk_close(struct pe_walk *walk, uint32_t end)
{
	const struct pe_method_scope *scope;

	while ((scope = pe_walk_scope(walk)) != NULL && scope->depth == walk->depth) {
		if (scope->is_method) {
			pe_walk_gap(walk, end);
			walk->last_end = end;
			close_method(walk);
		}
		walk->paths.len = scope->outside;
		walk->scopes.n--;
	}
}
