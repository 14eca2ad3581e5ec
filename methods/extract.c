/*
 * Extraction: one walk over the syntax tree with a cursor, never recursing. Two stacks go along: scopes, whose
 * names qualify what is inside, and open methods, of which the innermost takes each token.
 *
 * (1) A method's tokens are its own: those of a method inside it belong to that one, and the outer method sees
 *     one mark in its place. Changing an inner method changes it alone.
 * (2) No text is lost: bytes between two tokens that are neither white space nor comment count as a token,
 *     whether or not the grammar has a node for them.
 * (3) The walk visits a node once; readers look at a bounded number of nodes around it, or at a head that
 *     belongs to one method alone. Time and memory are linear in the file's size.
 */
#include "methods/extract.h"

#include "core/base/vec.h"
#include "methods/language.h"
#include "methods/tokens.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCE_BYTES (8u << 20)
#define MAX_BRACKETS     10000u

/* What parsing may take at most; ordinary sources need a fiftieth. */
#define PARSE_MICROS           2000000u
#define PARSE_MICROS_PER_KBYTE 2000u

/* Raised whenever the walk or a reader answers otherwise; the grammars' versions are in the other half. */
enum { EXTRACT_REVISION = 1, QUALIFIED_MAX = 2 * PE_NAME_MAX };

#define TOKEN_OWN_NAME 0x6F776E206E616D65u
#define TOKEN_METHOD   0x6D6574686F642E2Eu
#define TOKEN_NEWLINE  0x6E65776C696E652Eu
#define SHAPE_OPEN     0x6F70656E2E2E2E2Eu
#define SHAPE_CLOSE    0x636C6F73652E2E2Eu

/* A scope or an open method on the way down to the current node. */
struct scope {
	uint32_t depth;
	size_t start, len; /* its qualified name, in walk.paths */
	size_t outside;    /* length of walk.paths before it came */
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
	uint32_t last_end;    /* of the last token or comment inside a method */
	uint32_t error_depth; /* of the outermost error around; 0: none (the root's depth is 1) */
	size_t unread;
	struct pe_text paths; /* qualified names of the open scopes, one behind the other */
	struct pe_naming naming;
	PE_VEC(struct scope) scopes;
	PE_VEC(struct frame) frames;
	PE_VEC(struct pe_method) methods;
	PE_VEC(uint64_t) prefix; /* tokens of attributes that await what follows them */
	uint32_t prefix_depth;   /* of the attribute that is being read; 0: none */
	uint32_t prefix_level;   /* depth at which the attributes stand */
	uint32_t call_depth;     /* of a call that may head a function; 0: none */
	uint32_t call_line;
	struct pe_naming call;
};

struct pe_extractor {
	TSParser *parser;
	struct pe_grammar
		*grammars[PE_LANGUAGES_MAX]; /* by the place in the table; NULL: not used yet */
	struct pe_text text; /* what is parsed, where that is not the source itself */
	struct walk walk;    /* of the last file: its memory serves the next */
};

uint32_t pe_extract_version(void)
{
	return ((uint32_t)EXTRACT_REVISION << 20) ^ PE_GRAMMARS_VERSION;
}

struct pe_extractor *pe_extractor_new(void)
{
	struct pe_extractor *extractor = pe_realloc(NULL, 1, sizeof(*extractor));

	*extractor = (struct pe_extractor){.parser = ts_parser_new()};
	return extractor;
}

void pe_extractor_free(struct pe_extractor *extractor)
{
	if (extractor == NULL)
		return;
	for (size_t i = 0; i < PE_LANGUAGES_MAX; i++) {
		if (extractor->grammars[i] != NULL)
			free(extractor->grammars[i]->symbols);
		free(extractor->grammars[i]);
	}
	ts_parser_delete(extractor->parser);
	pe_text_release(&extractor->text);
	pe_text_release(&extractor->walk.paths);
	pe_vec_release(&extractor->walk.scopes);
	pe_vec_release(&extractor->walk.frames);
	pe_vec_release(&extractor->walk.methods);
	pe_vec_release(&extractor->walk.prefix);
	free(extractor);
}

static const struct pe_grammar *find_grammar(struct pe_extractor *extractor,
					     const struct pe_language *language)
{
	size_t i = 0;

	while (pe_language_at(i) != language)
		i++;
	assert(i < PE_LANGUAGES_MAX);
	if (extractor->grammars[i] == NULL) {
		extractor->grammars[i] = pe_realloc(NULL, 1, sizeof(*extractor->grammars[i]));
		pe_grammar_prepare(extractor->grammars[i], language);
	}
	return extractor->grammars[i];
}

/* ---- tokens ---- */

static struct frame *top_frame(struct walk *walk)
{
	return walk->frames.n > 0 ? &walk->frames.data[walk->frames.n - 1] : NULL;
}

static void emit(struct walk *walk, uint64_t hash)
{
	struct frame *frame = top_frame(walk);

	if (walk->prefix_depth != 0)
		pe_vec_push(&walk->prefix, hash);
	else if (frame != NULL)
		pe_tokens_add(&frame->tokens, hash);
}

static void emit_shape(struct walk *walk, uint64_t kind, TSNode node)
{
	struct frame *frame = top_frame(walk);

	if (walk->layout && walk->prefix_depth == 0 && frame != NULL)
		pe_tokens_add_shape(&frame->tokens, kind + ts_node_symbol(node));
}

static bool listening(const struct walk *walk)
{
	return walk->frames.n > 0 || walk->prefix_depth != 0;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The end of a comment of C that starts at `at`; `at` where none does. */
static uint32_t skip_comment(const char *source, uint32_t at, uint32_t end)
{
	if (end - at < 2 || source[at] != '/')
		return at;
	if (source[at + 1] == '/')
		while (at < end && source[at] != '\n')
			at++;
	else if (source[at + 1] == '*')
		for (at += 2; at < end; at++)
			if (source[at - 1] == '*' && source[at] == '/')
				return at + 1;
	return at;
}

/* The end of a string or character that starts at `at`; `at` where none does. */
static uint32_t skip_quoted(const char *source, uint32_t at, uint32_t end)
{
	const char quote = source[at];

	if (quote != '"' && quote != '\'')
		return at;
	for (at++; at < end && source[at] != quote && source[at] != '\n'; at++)
		if (source[at] == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/*
 * Bytes before a token that no node covers (2), in words, strings and single characters. Where macros are
 * blanked, comments may be among them.
 */
static void emit_gap(struct walk *walk, uint32_t end)
{
	const char *source = walk->source;
	uint32_t at = walk->last_end;

	while (at < end) {
		uint32_t from = at;

		if (walk->macros && (at = skip_comment(source, from, end)) != from)
			continue;
		while (at < end && is_word(source[at]))
			at++;
		if (at == from && walk->macros)
			at = skip_quoted(source, at, end);
		if (at == from)
			at++;
		if (!is_blank(source[from]) && source[from] != '\\')
			emit(walk, pe_token_hash(source + from, at - from));
	}
}

/* The raw text of a directive, word by word. */
static void emit_words(struct walk *walk, uint32_t at, uint32_t end)
{
	while (at < end) {
		uint32_t from;

		while (at < end && (is_blank(walk->source[at]) || walk->source[at] == '\\'))
			at++;
		from = at;
		while (at < end && !is_blank(walk->source[at]) && walk->source[at] != '\\')
			at++;
		if (at > from)
			emit(walk, pe_token_hash(walk->source + from, at - from));
	}
}

static bool is_own_name(const struct frame *frame, const struct pe_symbol *symbol, const char *text,
			size_t n)
{
	return frame != NULL && symbol->identifier && n == frame->own_len &&
	       memcmp(text, frame->own, n) == 0;
}

static void visit_token(struct walk *walk, const struct pe_symbol *symbol, uint32_t start,
			uint32_t end)
{
	const struct frame *frame = top_frame(walk);
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
	if (symbol->role == PE_ROLE_DIRECTIVE)
		emit_words(walk, start, end);
	else if (is_blank(*text) && !symbol->named) {
		if (!walk->layout)
			emit(walk, TOKEN_NEWLINE);
	} else if (is_own_name(frame, symbol, text, end - start))
		emit(walk, TOKEN_OWN_NAME);
	else
		emit(walk, pe_token_hash(text, end - start));
}

/* ---- scopes and methods ---- */

static const struct scope *innermost(const struct walk *walk)
{
	return walk->scopes.n > 0 ? &walk->scopes.data[walk->scopes.n - 1] : NULL;
}

/* The scope that qualifies a name here; NULL: none. */
static const struct scope *qualifying(const struct walk *walk, bool top)
{
	size_t n = walk->scopes.n;

	while (top && n > 0 && walk->scopes.data[n - 1].is_method)
		n--;
	return n > 0 ? &walk->scopes.data[n - 1] : NULL;
}

/* Open a scope. A name beyond QUALIFIED_MAX bytes is cut off, so that deep nesting stays linear. */
static void push_scope(struct walk *walk, const struct pe_naming *naming, bool is_class)
{
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

static void flush_prefix(struct walk *walk)
{
	assert(walk->prefix_depth == 0);
	walk->prefix_level = 0;
	for (size_t i = 0; i < walk->prefix.n; i++)
		emit(walk, walk->prefix.data[i]);
	walk->prefix.n = 0;
}

static void open_method(struct walk *walk, const struct pe_naming *naming, TSNode node,
			uint32_t first_line)
{
	struct frame frame = {
		.method = walk->methods.n,
		.label_start = naming->start,
		.label_end = naming->end,
		.function = naming->function != NULL ? naming->function : node.id,
	};
	struct pe_method method = {.component = walk->component};
	const struct scope *scope;

	if (walk->frames.n > 0) {
		emit_gap(walk, ts_node_start_byte(node));
		emit(walk, TOKEN_METHOD);
	}
	push_scope(walk, naming, false);
	scope = innermost(walk);
	method.name = pe_arena_strndup(walk->arena, walk->paths.data + scope->start, scope->len);
	method.signature =
		pe_arena_strndup(walk->arena, naming->signature.text, naming->signature.len);
	method.first_line = first_line;
	method.last_line = ts_node_end_point(node).row + 1;
	method.uncertain = walk->error_depth != 0 || ts_node_has_error(node);
	frame.own = own_name(walk, &naming->name, &frame.own_len);
	pe_vec_push(&walk->methods, method);
	pe_vec_push(&walk->frames, frame);
	walk->last_end = ts_node_start_byte(node);
	flush_prefix(walk);
}

static void close_method(struct walk *walk)
{
	struct frame *frame = top_frame(walk);
	struct pe_method *method = &walk->methods.data[frame->method];
	uint32_t *sketch = pe_arena_new(walk->arena, uint32_t, frame->tokens.n_sketch);

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
	const struct frame *frame =
		walk->frames.n > 0 ? &walk->frames.data[walk->frames.n - 1] : NULL;

	return frame != NULL && frame->function == function;
}

static struct pe_reading reading_of(const struct walk *walk, TSNode node)
{
	const struct scope *scope = innermost(walk);

	return (struct pe_reading){
		.grammar = walk->grammar,
		.source = walk->source,
		.node = node,
		.in_class = scope != NULL && scope->in_class,
		.singleton = scope != NULL && scope->singleton,
	};
}

static void clear_naming(struct pe_naming *naming)
{
	naming->kind = PE_NAMES_NOTHING;
	naming->name.len = naming->signature.len = 0;
	naming->name.text[0] = naming->signature.text[0] = '\0';
	naming->start = naming->end = 0;
	naming->function = NULL;
	naming->separator = NULL;
	naming->top = naming->absolute = naming->singleton = false;
}

static void visit_named(struct walk *walk, const struct pe_symbol *symbol, TSNode node)
{
	struct pe_naming *naming = &walk->naming;
	struct pe_reading reading;

	/* What a decorator holds is part of the head that it decorates. */
	if (walk->prefix_depth != 0 || is_open(walk, node.id))
		return;
	reading = reading_of(walk, node);
	clear_naming(naming);
	symbol->read(naming, &reading);
	if (naming->kind == PE_NAMES_NOTHING || is_open(walk, naming->function))
		return;
	if (naming->kind == PE_NAMES_METHOD && naming->name.len == 0)
		return; /* {"": function () {}}, or a name that the parser made up */
	/* C has no function in a function: macros that take blocks look like it, or braces that #if unbalances. */
	if (naming->top && walk->scopes.n > 0 && innermost(walk)->is_method &&
	    ts_node_start_point(node).column != 0)
		return;
	if (naming->kind == PE_NAMES_METHOD)
		open_method(walk, naming, node, ts_node_start_point(node).row + 1);
	else
		push_scope(walk, naming, symbol->read == pe_read_c_class);
}

/* A call without its semicolon, at file level: perhaps a macro that defines a function. */
static void visit_call_head(struct walk *walk, const struct pe_symbol *symbol, TSNode node)
{
	struct pe_reading reading;

	if (walk->frames.n > 0 || walk->call_depth != 0)
		return;
	reading = reading_of(walk, node);
	clear_naming(&walk->call);
	symbol->read(&walk->call, &reading);
	if (walk->call.kind != PE_NAMES_METHOD)
		return;
	walk->call_depth = walk->depth;
	walk->call_line = ts_node_start_point(node).row + 1;
}

/* ---- the walk ---- */

/* What awaited its next sibling has met it, or has met none. */
static void settle(struct walk *walk, const struct pe_symbol *symbol, TSNode node)
{
	if (walk->call_depth != 0 && walk->depth <= walk->call_depth) {
		walk->call_depth = 0;
		if (symbol->role == PE_ROLE_CALL_BODY && walk->frames.n == 0) {
			walk->unread -= walk->unread > 0; /* the semicolon was never missing */
			open_method(walk, &walk->call, node, walk->call_line);
		}
	}
	if (walk->prefix.n > 0 && walk->depth <= walk->prefix_level &&
	    symbol->role != PE_ROLE_PREFIX && symbol->role != PE_ROLE_NAMED)
		flush_prefix(walk);
}

/* Look at a node on the way down. Returns whether to look below it. */
static bool enter(struct walk *walk, const struct pe_symbol *symbol, TSNode node)
{
	if (symbol->role == PE_ROLE_COMMENT) {
		if (listening(walk)) {
			emit_gap(walk, ts_node_start_byte(node));
			walk->last_end = ts_node_end_byte(node);
		}
		return false;
	}
	settle(walk, symbol, node);
	switch (symbol->role) {
	case PE_ROLE_NAMED:
		visit_named(walk, symbol, node);
		if (walk->prefix.n > 0 && walk->depth <= walk->prefix_level)
			flush_prefix(walk);
		break;
	case PE_ROLE_CALL_HEAD:
		visit_call_head(walk, symbol, node);
		break;
	case PE_ROLE_OPAQUE:
		return listening(walk) || ts_node_has_error(node);
	case PE_ROLE_PREFIX:
		if (walk->prefix_depth == 0) {
			if (!listening(walk))
				walk->last_end = ts_node_start_byte(node);
			walk->prefix_depth = walk->prefix_level = walk->depth;
		}
		break;
	case PE_ROLE_ERROR:
		if (walk->error_depth == 0) {
			walk->error_depth = walk->depth;
			walk->unread++;
		}
		break;
	case PE_ROLE_ATOM:
		if (listening(walk))
			visit_token(walk, symbol, ts_node_start_byte(node), ts_node_end_byte(node));
		return false;
	default:
		break;
	}
	return true;
}

static void visit_leaf(struct walk *walk, const struct pe_symbol *symbol, TSNode node)
{
	uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);

	if (start == end && ts_node_is_missing(node))
		walk->unread++;
	if (listening(walk))
		visit_token(walk, symbol, start, end);
}

/* Close what ends with the node at this depth, which the cursor stands on. */
static void leave(struct walk *walk, TSNode node)
{
	const struct scope *scope;

	if (walk->prefix_depth == walk->depth) {
		emit_gap(walk, ts_node_end_byte(node));
		walk->last_end = ts_node_end_byte(node);
		walk->prefix_depth = 0;
	}
	if (walk->error_depth == walk->depth)
		walk->error_depth = 0;
	if (walk->prefix.n > 0 && walk->depth < walk->prefix_level)
		flush_prefix(walk);
	while ((scope = innermost(walk)) != NULL && scope->depth == walk->depth) {
		if (scope->is_method) {
			emit_gap(walk, ts_node_end_byte(node));
			walk->last_end = ts_node_end_byte(node);
			close_method(walk);
		}
		walk->paths.len = scope->outside;
		walk->scopes.n--;
	}
}

static void walk_tree(struct walk *walk)
{
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(&walk->cursor);
		const struct pe_symbol *symbol = pe_grammar_symbol(walk->grammar, node);
		bool below = enter(walk, symbol, node);

		if (below && ts_node_child_count(node) > 0 &&
		    ts_tree_cursor_goto_first_child(&walk->cursor)) {
			walk->depth++;
			emit_shape(walk, SHAPE_OPEN, node);
			continue;
		}
		if (below)
			visit_leaf(walk, symbol, node);
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

/*
 * A parser keeps a stack and a node for every bracket that is open: some hundred bytes for each byte of a file that
 * does nothing but open them. No program nests so deep.
 */
static bool too_deep(const char *source, size_t n)
{
	size_t depth = 0;

	for (size_t i = 0; i < n && depth <= MAX_BRACKETS; i++) {
		const char c = source[i];

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && depth > 0)
			depth--;
	}
	return depth > MAX_BRACKETS;
}

static TSTree *parse_text(struct pe_extractor *extractor, const char *text, size_t n)
{
	TSTree *tree;

	ts_parser_set_timeout_micros(extractor->parser,
				     PARSE_MICROS + (uint64_t)(n / 1024) * PARSE_MICROS_PER_KBYTE);
	tree = ts_parser_parse_string(extractor->parser, NULL, text, (uint32_t)n);
	if (tree == NULL)
		ts_parser_reset(extractor->parser);
	return tree;
}

static TSTree *parse(struct pe_extractor *extractor, const struct pe_grammar *grammar,
		     const char *source, size_t n)
{
	struct pe_text *text = &extractor->text;

	if (n > MAX_SOURCE_BYTES || too_deep(source, n) ||
	    !ts_parser_set_language(extractor->parser, grammar->ts))
		return NULL;
	if (!(grammar->language->flags & PE_LANGUAGE_MACROS))
		return parse_text(extractor, source, n);
	pe_text_clear(text);
	pe_text_addn(text, source, n);
	pe_macros_blank(text->data, n, !(grammar->language->flags & PE_LANGUAGE_OVERLOADS));
	return parse_text(extractor, text->data, n);
}

/* A walk from the start, in the memory of the one before. */
static void start_walk(struct walk *walk, const struct pe_grammar *grammar, const char *source,
		       struct pe_arena *arena)
{
	walk->grammar = grammar;
	walk->source = source;
	walk->arena = arena;
	walk->macros = (grammar->language->flags & PE_LANGUAGE_MACROS) != 0;
	walk->layout = (grammar->language->flags & PE_LANGUAGE_LAYOUT) != 0;
	walk->depth = 1;
	walk->last_end = walk->error_depth = 0;
	walk->unread = 0;
	walk->prefix_depth = walk->prefix_level = walk->call_depth = 0;
	walk->scopes.n = walk->frames.n = walk->methods.n = walk->prefix.n = 0;
	pe_text_clear(&walk->paths);
}

void pe_extract(struct pe_methods *out, struct pe_extractor *extractor,
		const struct pe_language *language, const char *path, const char *source, size_t n,
		struct pe_arena *arena)
{
	const struct pe_grammar *grammar =
		find_grammar(extractor, pe_language_by_content(language, path, source, n));
	TSTree *tree = parse(extractor, grammar, source, n);
	struct walk *walk = &extractor->walk;

	*out = (struct pe_methods){.at = pe_arena_new(arena, struct pe_method, 0), .unread = 1};
	if (tree == NULL)
		return;
	start_walk(walk, grammar, source, arena);
	walk->component = pe_arena_strdup(arena, path);
	walk->cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	walk_tree(walk);
	*out = (struct pe_methods){
		.at = pe_arena_new(arena, struct pe_method, walk->methods.n),
		.n = walk->methods.n,
		.unread = walk->unread,
		.files = 1,
	};
	if (walk->methods.n > 0)
		memcpy(out->at, walk->methods.data, walk->methods.n * sizeof(*out->at));
	ts_tree_cursor_delete(&walk->cursor);
	ts_tree_delete(tree);
}
