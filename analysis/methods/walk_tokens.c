/*
 * Tokens of the text that the walk comes by. Most come from nodes without children. Two short cuts leave the
 * fingerprint as it would be without them:
 *
 * (1) A stretch is text whose tokens show in its bytes alone: words, single marks, operators between which and
 *     their neighbours there is no doubt, and strings where the language has plain ones. A node that is a stretch
 *     is spelt from its text, and what is below it is never visited: most of the nodes.
 * (2) A node is one token as a whole (PE_ROLE_ATOM) where that is what a stretch takes it for: strings.
 *
 * Whether a node is a stretch may hang on white space and comments in it, so both ways must spell alike: a token
 * whose text is plain but more than one piece ("1.5") is taken apart in the tree's way too.
 */
#include "analysis/methods/walk.h"

#include <string.h>

#define TOKEN_OWN_NAME 0x6F776E206E616D65u
#define TOKEN_NEWLINE  0x6E65776C696E652Eu

/* Longer ones are made of shorter ones. */
enum { STRETCH_MAX = 256 };

/* A byte in a stretch; the last two need a look at what follows. */
enum byte_kind { UNSAFE, WORD, BLANK, MARK, OPERATOR, QUOTE };

void pe_walk_emit(struct pe_walk *walk, uint64_t hash)
{
	struct pe_method_frame *frame = pe_walk_frame(walk);

	if (walk->prefix_depth != 0)
		pe_vec_push(&walk->prefix, hash);
	else if (frame != NULL)
		pe_tokens_add(&frame->tokens, hash);
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
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

/* Where macros are blanked, comments may be among the bytes without a node. */
void pe_walk_gap(struct pe_walk *walk, uint32_t end)
{
	const char *source = walk->source;
	uint32_t at = walk->last_end;

	while (at < end) {
		uint32_t from = at;

		if (walk->macros && (at = pe_skip_comment(source, from, end)) != from)
			continue;
		while (at < end && is_word(source[at]))
			at++;
		if (at == from && walk->macros)
			at = skip_quoted(source, at, end);
		if (at == from)
			at++;
		if (!pe_is_blank(source[from]) && source[from] != '\\')
			pe_walk_emit(walk, pe_token_hash(source + from, at - from));
	}
}

/* The raw text of a directive, word by word. */
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
			pe_walk_emit(walk, pe_token_hash(walk->source + from, at - from));
	}
}

/* ---- stretches ---- */

void pe_walk_sort_bytes(uint8_t kinds[256], const char *plain)
{
	memset(kinds, UNSAFE, 256);
	if (plain == NULL)
		return;
	for (int c = 0; c < 0x80; c++) {
		if (is_word((char)c))
			kinds[c] = WORD;
		else if (pe_is_blank((char)c))
			kinds[c] = BLANK;
	}
	for (const char *c = ".,()[]"; *c != '\0'; c++)
		kinds[(unsigned char)*c] = MARK;
	for (; *plain != '\0'; plain++)
		kinds[(unsigned char)*plain] = *plain == ';'                     ? MARK
					       : *plain == '"' || *plain == '\'' ? QUOTE
										 : OPERATOR;
}

/* The end of the operators that follow each other from `at`. */
static uint32_t skip_operators(const struct pe_walk *walk, uint32_t at)
{
	while (at < walk->n && walk->grammar->bytes[(unsigned char)walk->source[at]] == OPERATOR)
		at++;
	return at;
}

/*
 * One operator wherever it stands, if nothing but words, marks and blanks are around it. "&&" next to a word may
 * be two references.
 */
static bool is_operator(const char *text, size_t n, char next)
{
	static const char pairs[][3] = {"==", "!=", "<=", "+=", "-=", ":=", "::", "->", "&&", "||"};

	if (n == 1)
		return true;
	if (n == 3)
		return (text[0] == '=' || text[0] == '!') && text[1] == '=' && text[2] == '=';
	for (size_t i = 0; n == 2 && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (text[0] == pairs[i][0] && text[1] == pairs[i][1])
			return text[0] != '&' || pe_is_blank(next);
	return false;
}

/*
 * The end of a string on one line, without a prefix; `at` where there is none, or where it is empty and another
 * quote follows, which may be a string of another kind.
 */
static uint32_t skip_plain_string(const struct pe_walk *walk, uint32_t at)
{
	const char *source = walk->source, quote = source[at];
	uint32_t end = at + 1;

	if (at > 0 && is_word(source[at - 1]))
		return at;
	while (end < walk->n && source[end] != quote) {
		if (source[end] == '\\')
			end++;
		if (end >= walk->n || source[end] == '\n')
			return at;
		end++;
	}
	if (end >= walk->n || (end + 1 < walk->n && source[end + 1] == quote))
		return at;
	return end + 1;
}

/* The end of the piece of a stretch at `at`: a word, a mark, an operator or a string; `at` where it ends. */
static uint32_t skip_piece(const struct pe_walk *walk, uint32_t at)
{
	const uint8_t *kinds = walk->grammar->bytes;
	const char *source = walk->source;
	uint32_t end = at;

	switch (kinds[(unsigned char)source[at]]) {
	case WORD:
		while (end < walk->n && kinds[(unsigned char)source[end]] == WORD)
			end++;
		return end;
	case OPERATOR:
		end = skip_operators(walk, at);
		return end < walk->n && is_operator(source + at, end - at, source[end]) ? end : at;
	case QUOTE:
		return skip_plain_string(walk, at);
	case UNSAFE:
		return at;
	default:
		return at + 1;
	}
}

/* Whether a range is a stretch. What was seen of the text before is not looked at again. */
static bool is_plain(struct pe_walk *walk, uint32_t start, uint32_t end)
{
	uint32_t at = start, next = start;

	if (start >= walk->stretch_start && start <= walk->stretch_end)
		return end <= walk->stretch_end;
	while (at < walk->n && (next = skip_piece(walk, at)) != at)
		at = next;
	walk->stretch_start = start;
	walk->stretch_end = at;
	return end <= at;
}

/*
 * Whether a method's own name is in it does not show in the bytes, nor what the name in its head is made of: both
 * are left to the tree.
 */
bool pe_walk_stretch(struct pe_walk *walk, uint32_t start, uint32_t end)
{
	const struct pe_method_frame *frame = pe_walk_frame(walk);
	uint64_t hashes[STRETCH_MAX];
	uint32_t n = 0, next;

	if (end - start > STRETCH_MAX || !is_plain(walk, start, end) ||
	    (frame != NULL && start < frame->label_end && end > frame->label_start))
		return false;
	for (uint32_t at = start; at < end; at = next) {
		const char *text = walk->source + at;

		next = skip_piece(walk, at);
		if (next == at || next > end)
			return false; /* the tree sees another token here */
		if (walk->grammar->bytes[(unsigned char)*text] == BLANK)
			continue;
		if (frame != NULL && next - at == frame->own_len &&
		    memcmp(text, frame->own, frame->own_len) == 0)
			return false;
		hashes[n++] = pe_token_hash(text, next - at);
	}
	pe_walk_gap(walk, start);
	if (end > walk->last_end)
		walk->last_end = end;
	for (uint32_t i = 0; i < n; i++)
		pe_walk_emit(walk, hashes[i]);
	return true;
}

/* ---- tokens of the tree ---- */

/*
 * Whether a token is made of more than one piece. Blanks in a named one belong to text, such as a string's; in
 * another, they stand between words ("not in").
 */
static bool has_pieces(const struct pe_walk *walk, const struct pe_node_symbol *symbol,
		       uint32_t start, uint32_t end)
{
	uint32_t next;

	for (uint32_t at = start; at < end; at = next) {
		const uint8_t kind = walk->grammar->bytes[(unsigned char)walk->source[at]];

		next = skip_piece(walk, at);
		if ((kind == BLANK && symbol->named) || kind == QUOTE || next == at || next > end)
			return false;
	}
	return true;
}

static void emit_text(struct pe_walk *walk, const struct pe_node_symbol *symbol, uint32_t start,
		      uint32_t end)
{
	uint32_t at = start, next;

	while (at < end && is_word(walk->source[at]))
		at++;
	if (at == end || end - start == 1 || !has_pieces(walk, symbol, start, end)) {
		pe_walk_emit(walk, pe_token_hash(walk->source + start, end - start));
		return;
	}
	for (at = start; at < end; at = next) {
		next = skip_piece(walk, at);
		if (!pe_is_blank(walk->source[at]))
			pe_walk_emit(walk, pe_token_hash(walk->source + at, next - at));
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
	if (symbol->role == PE_ROLE_DIRECTIVE)
		emit_words(walk, start, end);
	else if (pe_is_blank(*text) && !symbol->named) {
		if (!walk->layout)
			pe_walk_emit(walk, TOKEN_NEWLINE);
	} else if (is_own_name(frame, symbol, text, end - start))
		pe_walk_emit(walk, TOKEN_OWN_NAME);
	else
		emit_text(walk, symbol, start, end);
}
