/*
 * Tokens of the text that the walk comes by: of nodes without children, and of the bytes between them that no node
 * covers. A node whose text has parts without a node (PE_ROLE_ATOM) is one token as a whole.
 */
#include "analysis/methods/walk.h"

#include "core/base/xxh.h"

#include <string.h>

#define TOKEN_OWN_NAME 0x6F776E206E616D65u
#define TOKEN_NEWLINE  0x6E65776C696E652Eu

void pe_walk_emit(struct pe_walk *walk, uint64_t hash)
{
	if (walk->prefix_depth != 0)
		pe_vec_push(&walk->prefix, hash);
	else
		pe_tokens_add(pe_walk_tokens(walk), hash);
}

/* Where macros are blanked, comments may be among the bytes without a node. */
void pe_walk_gap(struct pe_walk *walk, uint32_t end)
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
			pe_walk_emit(walk, pe_xxh_short(0, source + from, at - from));
	}
}

/* Word by word: white space does not count. */
static void emit_words(struct pe_walk *walk, uint32_t at, uint32_t end)
{
	while (at < end) {
		uint32_t from;

		while (at < end && (pe_is_blank(walk->source[at]) || walk->source[at] == '\\'))
			at++;
		from = at;
		while (at < end && !pe_is_blank(walk->source[at]) && walk->source[at] != '\\')
			at++;
		if (at > from)
			pe_walk_emit(walk, pe_xxh_short(0, walk->source + from, at - from));
	}
}

static bool is_own_name(const struct pe_method_frame *frame, const struct pe_node_symbol *symbol,
			const char *text, size_t n)
{
	return frame != NULL && symbol->identifier && n == frame->own_len &&
	       memcmp(text, frame->own, n) == 0;
}

void pe_walk_token(struct pe_walk *walk, const struct pe_node_symbol *symbol, uint32_t start,
		   uint32_t end)
{
	const struct pe_method_frame *frame = pe_walk_frame(walk);
	const char *text = walk->source + start;

	pe_walk_gap(walk, start);
	if (end > walk->last_end)
		walk->last_end = end;
	if (frame != NULL && start >= frame->label_start && end <= frame->label_end) {
		/* Of the name in the head, one token is left whatever it is made of. */
		if (start == frame->label_start)
			pe_walk_emit(walk, TOKEN_OWN_NAME);
		return;
	}
	if (symbol->dropped || start == end)
		return;
	if (pe_is_blank(*text) && !symbol->named) {
		if (!walk->layout)
			pe_walk_emit(walk, TOKEN_NEWLINE);
	} else if (is_own_name(frame, symbol, text, end - start))
		pe_walk_emit(walk, TOKEN_OWN_NAME);
	else if (symbol->role == PE_ROLE_DIRECTIVE || !symbol->named)
		emit_words(walk, start, end); /* also "not in" */
	else
		pe_walk_emit(walk, pe_xxh_short(0, text, end - start));
}
