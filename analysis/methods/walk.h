/*
 * Walk: one pass over a file's syntax tree with a cursor, never recursing. Two stacks go along: scopes, whose names
 * qualify what is inside, and open methods, of which the innermost takes each token. Inside this room alone:
 * walk.c goes through the nodes, walk_methods.c opens and closes what has a name, walk_tokens.c spells the text.
 */
#pragma once

#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/methods/language.h"
#include "analysis/methods/method.h"
#include "analysis/methods/tokens.h"

/* A scope or an open method on the way down to the current node. */
struct pe_method_scope {
	uint32_t depth;
	size_t start, len; /* its qualified name, in paths */
	size_t outside;    /* length of paths before it came */
	bool is_method;
	bool in_class, singleton;
};

struct pe_method_frame {
	size_t method;   /* its place in methods */
	const char *own; /* its unqualified name, in the arena */
	size_t own_len;
	uint32_t label_start, label_end;
	const void *function;
	struct pe_tokens tokens;
};

struct pe_walk {
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
	PE_VEC(struct pe_method_scope) scopes;
	PE_VEC(struct pe_method_frame) frames;
	PE_VEC(struct pe_method) methods;
	struct pe_tokens rest;   /* outside of methods */
	PE_VEC(uint64_t) prefix; /* tokens of attributes that await what follows them */
	uint32_t prefix_depth;   /* of the attribute that is being read; 0: none */
	uint32_t prefix_level;   /* depth at which the attributes stand */
	uint32_t call_depth;     /* of a call that may head a function; 0: none */
	uint32_t call_line;
	struct pe_naming call;
};

/** The innermost open method; NULL: none. */
static inline struct pe_method_frame *pe_walk_frame(struct pe_walk *walk)
{
	return walk->frames.n > 0 ? &walk->frames.data[walk->frames.n - 1] : NULL;
}

/** The innermost scope or method; NULL: none. */
static inline const struct pe_method_scope *pe_walk_scope(const struct pe_walk *walk)
{
	return walk->scopes.n > 0 ? &walk->scopes.data[walk->scopes.n - 1] : NULL;
}

/** Walk the whole tree, from the root that the cursor stands on. */
void pe_walk_tree(struct pe_walk *walk);

/* ---- walk_methods.c ---- */

/** A node that may name a method or a scope: open what it names. */
void pe_walk_named(struct pe_walk *walk, const struct pe_node_symbol *symbol, TSNode node);

/** A call without its semicolon, at file level: perhaps a macro that defines a function. */
void pe_walk_call_head(struct pe_walk *walk, const struct pe_node_symbol *symbol, TSNode node);

/** The block after such a call: what it defines begins. */
void pe_walk_call_body(struct pe_walk *walk, TSNode node);

/** Close the scopes and methods of the node at this depth, which ends at the byte `end`. */
void pe_walk_close(struct pe_walk *walk, uint32_t end);

/** Give the tokens of attributes that waited to what is open now. */
void pe_walk_flush_prefix(struct pe_walk *walk);

/* ---- walk_tokens.c ---- */

/** The innermost open method's tokens; outside of methods, the file's rest. */
static inline struct pe_tokens *pe_walk_tokens(struct pe_walk *walk)
{
	return walk->frames.n > 0 ? &pe_walk_frame(walk)->tokens : &walk->rest;
}

/** Add a token to what takes it. */
void pe_walk_emit(struct pe_walk *walk, uint64_t hash);

/** Bytes from the last token to `end` that no node covers, in words, strings and single characters. */
void pe_walk_gap(struct pe_walk *walk, uint32_t end);

/** The token of a node without children, or of one that is a token as a whole. */
void pe_walk_token(struct pe_walk *walk, const struct pe_node_symbol *symbol, uint32_t start,
		   uint32_t end);
