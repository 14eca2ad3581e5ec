/*
 * Walk: one pass over a file's syntax tree with a cursor, never recursing. Two stacks go along: scopes, whose names
 * qualify what is inside, and open methods, of which the innermost takes each token.
 *
 * (1) A method's tokens are its own: those of a method inside it count for the inner one, and the outer method has
 *     one mark in its place. Changing an inner method changes it alone.
 * (2) No text is lost: bytes between two tokens that are neither white space nor comment count as a token,
 *     whether or not the grammar has a node for them.
 * (3) The walk visits a node once; readers look at a bounded number of nodes around it, or at a head that
 *     is part of one method alone. Time and memory are linear in the file's size.
 */
#include "analysis/methods/language.h"

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/base/xxh.h"
#include "analysis/methods/tokens.h"

#include <assert.h>
#include <string.h>

enum { STRING_PARTS = 3, QUALIFIED_MAX = 2 * PE_NAME_MAX };

#define SHAPE_OPEN     0x6F70656E2E2E2E2Eu
#define SHAPE_CLOSE    0x636C6F73652E2E2Eu
#define TOKEN_METHOD   0x6D6574686F642E2Eu
#define TOKEN_OWN_NAME 0x6F776E206E616D65u
#define TOKEN_NEWLINE  0x6E65776C696E652Eu

/* A scope or an open method on the way down to the current node. */
struct scope {
	uint32_t depth;
	size_t start, len; /* its qualified name, in paths */
	size_t outside;    /* length of paths before it came */
	bool is_method;
	bool in_class, singleton;
};

struct frame {
	size_t method;   /* its place in methods */
	const char *own; /* its unqualified name, in the arena */
	size_t own_len;
	uint32_t label_start, label_end;
	const void *function;
	struct pe_tokens tokens;
};

struct walk {
	const struct pe_grammar *grammar;
	const char *source;
	struct pe_arena *arena;
	bool layout, macros;
	const char *component;
	TSTreeCursor cursor;
	uint32_t depth;
	uint32_t last_end;    /* of the last token or comment */
	uint32_t error_depth; /* of the outermost error around; 0: none (the root's depth is 1) */
	size_t unread;
	struct pe_text paths; /* qualified names of the open scopes, one behind the other */
	struct pe_naming naming;
	PE_VEC(struct scope) scopes;
	PE_VEC(struct frame) frames;
	PE_VEC(struct pe_method) methods;
	struct pe_tokens rest;   /* outside of methods */
	PE_VEC(uint64_t) prefix; /* tokens of attributes that await what follows them */
	uint32_t prefix_depth;   /* of the attribute that is being read; 0: none */
	uint32_t prefix_level;   /* depth at which the attributes stand */
	uint32_t call_depth;     /* of a call that may head a function; 0: none */
	TSNode call;
};

/* The innermost open method; NULL: none. */
static struct frame *innermost_frame(struct walk *walk)
{
	return walk->frames.n > 0 ? &walk->frames.data[walk->frames.n - 1] : NULL;
}

/* The innermost scope or method; NULL: none. */
static const struct scope *innermost_scope(const struct walk *walk)
{
	return walk->scopes.n > 0 ? &walk->scopes.data[walk->scopes.n - 1] : NULL;
}

/* --- Tokens: nodes without children, and the bytes between them that no node covers --- */

/* The innermost open method's tokens; outside of methods, the file's rest. */
static struct pe_tokens *tokens_of(struct walk *walk)
{
	return walk->frames.n > 0 ? &innermost_frame(walk)->tokens : &walk->rest;
}

/* Add a token to what takes it. */
static void emit(struct walk *walk, uint64_t hash)
{
	if (walk->prefix_depth != 0)
		pe_vec_push(&walk->prefix, hash);
	else
		pe_tokens_add(tokens_of(walk), hash);
}

/*
 * Bytes from the last token to `end`, in words, strings and single characters. Where macros are blanked, comments may be
 * among them.
 */
static void emit_gap(struct walk *walk, uint32_t end)
{
	const char *source = walk->source;
	uint32_t at = walk->last_end;

	while (at < end) {
		uint32_t from = at;

		if (walk->macros && (at = pe_skip_comment(source, from, end)) != from)
			continue;
		while (at < end && pe_is_word(source[at]))
			at++;
		if (at == from && walk->macros)
			at = pe_skip_quoted(source, at, end);
		if (at == from)
			at++;
		if (!pe_is_blank(source[from]) && source[from] != '\\')
			emit(walk, pe_xxh_short(0, source + from, at - from));
	}
	walk->last_end = at;
}

/* Word by word: white space does not count. */
static void emit_words(struct walk *walk, uint32_t at, uint32_t end)
{
	while (at < end) {
		uint32_t from;

		while (at < end && (pe_is_blank(walk->source[at]) || walk->source[at] == '\\'))
			at++;
		from = at;
		while (at < end && !pe_is_blank(walk->source[at]) && walk->source[at] != '\\')
			at++;
		if (at > from)
			emit(walk, pe_xxh_short(0, walk->source + from, at - from));
	}
}

static bool is_own_name(const struct frame *frame, const struct pe_node_symbol *symbol,
			const char *text, size_t n)
{
	return frame != NULL && symbol->identifier && n == frame->own_len &&
	       memcmp(text, frame->own, n) == 0;
}

/* The token of a node without children, or of one that is a token as a whole. */
static void emit_token(struct walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	const struct frame *frame = innermost_frame(walk);
	const uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
	const char *text = walk->source + start;

	emit_gap(walk, start);
	if (end > walk->last_end)
		walk->last_end = end;
	if (frame != NULL && start >= frame->label_start && end <= frame->label_end) {
		/* Of the name in the head, one token is left whatever it is made of. */
		if (start == frame->label_start)
			emit(walk, TOKEN_OWN_NAME);
		return;
	}
	if (symbol->dropped || start == end)
		return;
	if (pe_is_blank(*text) && !symbol->named) {
		if (!walk->layout)
			emit(walk, TOKEN_NEWLINE);
	} else if (is_own_name(frame, symbol, text, end - start))
		emit(walk, TOKEN_OWN_NAME);
	else if (symbol->role == PE_ROLE_DIRECTIVE || !symbol->named)
		emit_words(walk, start, end); /* also "not in" */
	else
		emit(walk, pe_xxh_short(0, text, end - start));
}

/* --- Scopes and methods --- */

/* The scope that qualifies a name here; NULL: none. */
static const struct scope *qualifying(const struct walk *walk, bool top)
{
	size_t n = walk->scopes.n;

	while (top && n > 0 && walk->scopes.data[n - 1].is_method)
		n--;
	return n > 0 ? &walk->scopes.data[n - 1] : NULL;
}

/* Open a scope. A name beyond QUALIFIED_MAX bytes is cut off, so that deep nesting stays linear. */
static void push_scope(struct walk *walk, bool is_class)
{
	const struct pe_naming *naming = &walk->naming;
	const struct scope *outer = naming->absolute ? NULL : qualifying(walk, naming->top);
	struct scope scope = {
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
static const char *own_name(const struct walk *walk, const struct pe_label *name, size_t *len)
{
	size_t from = name->len;

	while (from > 0 && strchr(".:#~ ", name->text[from - 1]) == NULL)
		from--;
	*len = name->len - from;
	return pe_arena_strndup(walk->arena, name->text + from, *len);
}

/* Give the tokens of attributes that waited to what is open now. */
static void flush_prefix(struct walk *walk)
{
	assert(walk->prefix_depth == 0);
	walk->prefix_level = 0;
	for (size_t i = 0; i < walk->prefix.n; i++)
		emit(walk, walk->prefix.data[i]);
	walk->prefix.n = 0;
}

static void open_method(struct walk *walk, TSNode node, uint32_t first_line)
{
	const struct pe_naming *naming = &walk->naming;
	struct frame frame = {
		.method = walk->methods.n,
		.label_start = naming->start,
		.label_end = naming->end,
		.function = naming->function != NULL ? naming->function : node.id,
	};
	struct pe_method method = {.component = walk->component};
	const struct scope *scope;
	const uint32_t start = ts_node_start_byte(node);

	/* What stands before a method in its line, as a macro with attributes, is no part of the file's rest. */
	emit_gap(walk, walk->frames.n > 0 ? start : start - ts_node_start_point(node).column);
	if (walk->frames.n > 0)
		emit(walk, TOKEN_METHOD);
	push_scope(walk, false);
	scope = innermost_scope(walk);
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
	flush_prefix(walk);
}

/* Close the innermost method, which ends at the byte `end`. */
static void close_method(struct walk *walk, uint32_t end)
{
	struct frame *frame = innermost_frame(walk);
	struct pe_method *method;
	uint32_t *sketch;

	assert(frame != NULL);
	emit_gap(walk, end);
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
static bool is_open(const struct walk *walk, const void *function)
{
	return walk->frames.n > 0 && walk->frames.data[walk->frames.n - 1].function == function;
}

/* Read what a node names, into walk->naming. Returns whether it names anything. */
static bool read_naming(struct walk *walk, TSNode node)
{
	const struct pe_node_symbol *symbol = pe_grammar_symbol(walk->grammar, node);
	const struct scope *scope = innermost_scope(walk);
	const struct pe_node_reading reading = {
		.grammar = walk->grammar,
		.rule = symbol->rule,
		.source = walk->source,
		.node = node,
		.in_class = scope != NULL && scope->in_class,
		.singleton = scope != NULL && scope->singleton,
	};

	walk->naming = (struct pe_naming){.kind = PE_NAMES_NOTHING};
	symbol->rule->read(&walk->naming, &reading);
	return walk->naming.kind != PE_NAMES_NOTHING;
}

/* A node that may name a method or a scope: open what it names. */
static void open_named(struct walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	const struct pe_naming *naming = &walk->naming;
	const TSPoint start = ts_node_start_point(node);

	/* What a decorator holds is part of the head that it decorates. */
	if (walk->prefix_depth != 0 || is_open(walk, node.id) || !read_naming(walk, node) ||
	    is_open(walk, naming->function))
		return;
	if (naming->kind == PE_NAMES_METHOD && naming->name.len == 0)
		return; /* {"": function () {}}, or a name that the parser made up */
	/* C has no function in a function: macros that take blocks look like it, or braces that #if unbalances. */
	if (naming->top && walk->scopes.n > 0 && innermost_scope(walk)->is_method &&
	    start.column != 0)
		return;
	if (naming->kind == PE_NAMES_METHOD)
		open_method(walk, node, start.row + 1);
	else
		push_scope(walk, symbol->rule->is_class);
}

/* A block after a call without its semicolon, at file level: perhaps a macro's use that defines a function. */
static void open_called(struct walk *walk, TSNode block)
{
	if (!read_naming(walk, walk->call))
		return;
	walk->unread -= walk->unread > 0; /* the semicolon was never missing */
	open_method(walk, block, ts_node_start_point(walk->call).row + 1);
}

/* --- The walk --- */

static void emit_shape(struct walk *walk, uint64_t kind, TSNode node)
{
	/* The root's shape is that of an empty file, too. */
	if (walk->layout && walk->prefix_depth == 0 && walk->depth > 1)
		pe_tokens_add_shape(tokens_of(walk), kind + ts_node_symbol(node));
}

/* What awaited its next sibling has met it, or has met none. */
static void settle(struct walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	if (walk->call_depth != 0 && walk->depth <= walk->call_depth) {
		walk->call_depth = 0;
		if (symbol->role == PE_ROLE_CALL_BODY && walk->frames.n == 0)
			open_called(walk, node);
	}
	if (walk->prefix.n > 0 && walk->depth <= walk->prefix_level &&
	    symbol->role != PE_ROLE_PREFIX && symbol->role != PE_ROLE_NAMED)
		flush_prefix(walk);
}

/* Look at a node on the way down. Returns whether to look below it. */
static bool enter(struct walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	if (symbol->role == PE_ROLE_COMMENT) {
		emit_gap(walk, ts_node_start_byte(node));
		walk->last_end = ts_node_end_byte(node);
		return false;
	}
	settle(walk, symbol, node);
	switch (symbol->role) {
	case PE_ROLE_NAMED:
		open_named(walk, symbol, node);
		if (walk->prefix.n > 0 && walk->depth <= walk->prefix_level)
			flush_prefix(walk);
		break;
	case PE_ROLE_CALL_HEAD:
		/* A statement that names nothing does not hide the calls inside it. */
		if (walk->frames.n == 0 && walk->call_depth == 0 && read_naming(walk, node)) {
			walk->call = node;
			walk->call_depth = walk->depth;
		}
		break;
	case PE_ROLE_PREFIX:
		if (walk->prefix_depth == 0) {
			emit_gap(walk, ts_node_start_byte(node));
			walk->prefix_depth = walk->prefix_level = walk->depth;
		}
		break;
	case PE_ROLE_ERROR:
		if (walk->error_depth == 0) {
			walk->error_depth = walk->depth;
			walk->unread++;
		}
		break;
	case PE_ROLE_STRING:
		if (ts_node_child_count(node) > STRING_PARTS)
			break;
		/* fallthrough */
	case PE_ROLE_ATOM:
		if (ts_node_has_error(node))
			break;
		emit_token(walk, symbol, node);
		return false;
	default:
		break;
	}
	return true;
}

/* Close what ends with the node at this depth, which the cursor stands on. */
static void leave(struct walk *walk, TSNode node)
{
	const struct scope *scope = innermost_scope(walk);

	if (walk->prefix_depth == walk->depth) {
		emit_gap(walk, ts_node_end_byte(node));
		walk->prefix_depth = 0;
	}
	if (walk->error_depth == walk->depth)
		walk->error_depth = 0;
	if (walk->prefix.n > 0 && walk->depth < walk->prefix_level)
		flush_prefix(walk);
	if (scope == NULL || scope->depth != walk->depth)
		return;
	if (scope->is_method)
		close_method(walk, ts_node_end_byte(node));
	walk->paths.len = scope->outside;
	walk->scopes.n--;
}

/* Look at the node that the cursor stands on. Returns whether the walk goes on below it. */
static bool visit(struct walk *walk, TSNode node)
{
	const struct pe_node_symbol *symbol = pe_grammar_symbol(walk->grammar, node);

	if (!enter(walk, symbol, node))
		return false;
	if (ts_node_child_count(node) == 0) {
		walk->unread += ts_node_is_missing(node);
		emit_token(walk, symbol, node);
		return false;
	}
	emit_shape(walk, SHAPE_OPEN, node);
	return true;
}

static void walk_nodes(struct walk *walk)
{
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(&walk->cursor);

		if (visit(walk, node)) {
			ts_tree_cursor_goto_first_child(&walk->cursor);
			walk->depth++;
			continue;
		}
		leave(walk, node);
		while (!ts_tree_cursor_goto_next_sibling(&walk->cursor)) {
			if (!ts_tree_cursor_goto_parent(&walk->cursor))
				return;
			walk->depth--;
			node = ts_tree_cursor_current_node(&walk->cursor);
			emit_shape(walk, SHAPE_CLOSE, node);
			leave(walk, node);
		}
	}
}

void pe_walk_tree(struct pe_methods *out, const struct pe_grammar *grammar, const TSTree *tree,
		  const struct pe_source_file *file, struct pe_arena *arena)
{
	struct walk walk = {
		.grammar = grammar,
		.source = file->text,
		.arena = arena,
		.macros = (grammar->language->flags & PE_LANGUAGE_MACROS) != 0,
		.layout = (grammar->language->flags & PE_LANGUAGE_LAYOUT) != 0,
		.component = pe_arena_strdup(arena, file->path),
		.cursor = ts_tree_cursor_new(ts_tree_root_node(tree)),
		.depth = 1,
	};

	walk_nodes(&walk);
	*out = (struct pe_methods){
		.at = pe_vec_copy(arena, &walk.methods),
		.n = walk.methods.n,
		.unread = walk.unread,
		.files = 1,
		.rest = walk.rest.n > 0 ? pe_tokens_fingerprint(&walk.rest) : (struct pe_hash){0},
	};
	ts_tree_cursor_delete(&walk.cursor);
	pe_text_release(&walk.paths);
	pe_vec_release(&walk.scopes);
	pe_vec_release(&walk.frames);
	pe_vec_release(&walk.methods);
	pe_vec_release(&walk.prefix);
}
