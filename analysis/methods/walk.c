/*
 * The walk itself.
 *
 * (1) A method's tokens are its own: those of a method inside it count for the inner one, and the outer method has
 *     one mark in its place. Changing an inner method changes it alone.
 * (2) No text is lost: bytes between two tokens that are neither white space nor comment count as a token,
 *     whether or not the grammar has a node for them.
 * (3) The walk visits a node once; readers look at a bounded number of nodes around it, or at a head that
 *     is part of one method alone. Time and memory are linear in the file's size.
 */
#include "analysis/methods/walk.h"

enum { STRING_PARTS = 3 };

#define SHAPE_OPEN  0x6F70656E2E2E2E2Eu
#define SHAPE_CLOSE 0x636C6F73652E2E2Eu

static void emit_shape(struct pe_walk *walk, uint64_t kind, TSNode node)
{
	/* The root's shape is that of an empty file, too. */
	if (walk->layout && walk->prefix_depth == 0 && walk->depth > 1)
		pe_tokens_add_shape(pe_walk_tokens(walk), kind + ts_node_symbol(node));
}

/* What awaited its next sibling has met it, or has met none. */
static void settle(struct pe_walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	if (walk->call_depth != 0 && walk->depth <= walk->call_depth) {
		walk->call_depth = 0;
		if (symbol->role == PE_ROLE_CALL_BODY && walk->frames.n == 0)
			pe_walk_call_body(walk, node);
	}
	if (walk->prefix.n > 0 && walk->depth <= walk->prefix_level &&
	    symbol->role != PE_ROLE_PREFIX && symbol->role != PE_ROLE_NAMED)
		pe_walk_flush_prefix(walk);
}

/* Look at a node on the way down. Returns whether to look below it. */
static bool enter(struct pe_walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	if (symbol->role == PE_ROLE_COMMENT) {
		pe_walk_gap(walk, ts_node_start_byte(node));
		walk->last_end = ts_node_end_byte(node);
		return false;
	}
	settle(walk, symbol, node);
	switch (symbol->role) {
	case PE_ROLE_NAMED:
		pe_walk_named(walk, symbol, node);
		if (walk->prefix.n > 0 && walk->depth <= walk->prefix_level)
			pe_walk_flush_prefix(walk);
		break;
	case PE_ROLE_CALL_HEAD:
		pe_walk_call_head(walk, symbol, node);
		break;
	case PE_ROLE_PREFIX:
		if (walk->prefix_depth == 0) {
			pe_walk_gap(walk, ts_node_start_byte(node));
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
	case PE_ROLE_STRING:
		if (ts_node_child_count(node) > STRING_PARTS)
			break;
		/* fallthrough */
	case PE_ROLE_ATOM:
		if (ts_node_has_error(node))
			break;
		pe_walk_token(walk, symbol, ts_node_start_byte(node), ts_node_end_byte(node));
		return false;
	default:
		break;
	}
	return true;
}

static void visit_leaf(struct pe_walk *walk, const struct pe_node_symbol *symbol, TSNode node)
{
	uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);

	if (start == end && ts_node_is_missing(node))
		walk->unread++;
	pe_walk_token(walk, symbol, start, end);
}

/* Close what ends with the node at this depth, which the cursor stands on. */
static void leave(struct pe_walk *walk, TSNode node)
{
	const struct pe_method_scope *scope = pe_walk_scope(walk);

	if (walk->prefix_depth == walk->depth) {
		pe_walk_gap(walk, ts_node_end_byte(node));
		walk->last_end = ts_node_end_byte(node);
		walk->prefix_depth = 0;
	}
	if (walk->error_depth == walk->depth)
		walk->error_depth = 0;
	if (walk->prefix.n > 0 && walk->depth < walk->prefix_level)
		pe_walk_flush_prefix(walk);
	if (scope != NULL && scope->depth == walk->depth)
		pe_walk_close(walk, ts_node_end_byte(node));
}

/* Look at the node that the cursor stands on. Returns whether the walk goes on below it. */
static bool visit(struct pe_walk *walk, TSNode node)
{
	const struct pe_node_symbol *symbol = pe_grammar_symbol(walk->grammar, node);

	if (!enter(walk, symbol, node))
		return false;
	if (ts_node_child_count(node) == 0) {
		visit_leaf(walk, symbol, node);
		return false;
	}
	emit_shape(walk, SHAPE_OPEN, node);
	return true;
}

void pe_walk_tree(struct pe_walk *walk)
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
