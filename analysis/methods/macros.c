/*
 * Macros in the heads of C and C++. The parser sees the text before the preprocessor, and a word that stands
 * where the grammar has no place for one ("int ZEXPORT f(", "class EXPORT C {", "void f() LOCKED(mu) {") bends
 * everything after it. Such words are blanked in the copy that is parsed, by four patterns of tokens that no
 * program without macros has. The walk reads the original, where they are bytes without a node, and counts them
 * as tokens all the same.
 *
 * (1) class, struct or union, a word in capitals, a name, then '{', ':' or "final".
 * (2) After a parameter list: words in capitals, with arguments or without, before the body.
 * (3) More than one word for the type before a function's name.
 * (4) Inside braces, a word in capitals alone on its line, as if it were a statement.
 *
 * Conditions that cut something in two are blanked by the scan underneath (macros_scan.c).
 */
#include "analysis/methods/language.h"
#include "analysis/methods/macros_scan.h"

#include <string.h>

/* (1) */
static void match_class(struct pe_macro_scan *scan)
{
	const struct pe_macro_token *newest = pe_macro_back(scan, 0),
				    *macro = pe_macro_back(scan, 2), *tag = pe_macro_back(scan, 3);
	bool heads_body =
		newest->first == '{' ||
		(newest->first == ':' && scan->at < scan->n && scan->text[scan->at] != ':') ||
		(newest->first == 'a' && pe_macro_is_word(scan, newest, "final"));

	if (!heads_body || !pe_macro_is_plain(scan, pe_macro_back(scan, 1)) ||
	    !pe_macro_is_plain(scan, macro) || !pe_macro_is_capitals(scan, macro) ||
	    tag->first != 'a' || pe_macro_kind(scan, tag) != PE_TAG_WORD ||
	    pe_macro_is_word(scan, tag, "enum"))
		return;
	pe_macro_blank(scan, macro->start, macro->end);
}

/* (2), a token at a time. */
static void follow_parameters(struct pe_macro_scan *scan)
{
	const struct pe_macro_token *newest = pe_macro_back(scan, 0);

	if (newest->first == '(') {
		/* Arguments of the macro, or of noexcept. */
		if (scan->after_parens++ == 0 && pe_macro_back(scan, 1)->first != 'a')
			scan->after_parameters = false;
		return;
	}
	if (scan->after_parens > 0) {
		if (newest->first == ')' && --scan->after_parens == 0 && scan->to > scan->from &&
		    !pe_macro_is_word(scan, pe_macro_back(scan, 1), "noexcept"))
			scan->to = newest->end;
		scan->after_parameters = newest->first != ';' && newest->first != '{';
		return;
	}
	if (newest->first == '{' || (newest->first == ':' && !scan->is_c)) {
		pe_macro_blank(scan, scan->from, scan->to);
		scan->after_parameters = false;
	} else if (newest->first == 'a' && pe_macro_is_plain(scan, newest) &&
		   pe_macro_is_capitals(scan, newest)) {
		if (scan->to == scan->from)
			scan->from = newest->start;
		scan->to = newest->end;
	} else if (newest->first != '&' &&
		   (newest->first != 'a' || (pe_macro_kind(scan, newest) != PE_AFTER_WORD &&
					     !pe_macro_is_word(scan, newest, "const")))) {
		scan->after_parameters = false;
	}
}

static void track_parentheses(struct pe_macro_scan *scan)
{
	const struct pe_macro_token *newest = pe_macro_back(scan, 0),
				    *name = pe_macro_back(scan, 1);

	if (newest->first == '(') {
		if (scan->parens < PE_MACRO_NESTING)
			scan->named[scan->parens] =
				pe_macro_is_plain(scan, name) && !pe_macro_is_capitals(scan, name);
		scan->parens++;
	} else if (newest->first == ')' && scan->parens > 0) {
		scan->parens--;
		if (scan->parens == 0 && scan->named[0]) {
			scan->after_parameters = true;
			scan->from = scan->to = 0;
			scan->after_parens = 0;
		}
	} else if (newest->first == '{' || newest->first == '}') {
		scan->parens = 0;
	}
}

/* What may stand before a declaration: an end, a label, a template's head, a linkage, another macro's arguments. */
static bool opens_declaration(const struct pe_macro_token *token)
{
	return token->first == '\0' || strchr(";{}):>\"", token->first) != NULL;
}

/* The words before a function's name, newest first; how many. *typed: a type of the language is among them. */
static unsigned collect_head(struct pe_macro_scan *scan,
			     struct pe_macro_token *words[PE_MACRO_BATCH], bool *typed)
{
	unsigned n = 0, i = 2;

	*typed = false;
	for (; i < PE_MACRO_BATCH; i++) {
		struct pe_macro_token *token = pe_macro_back(scan, i);
		enum pe_macro_word kind;

		if (token->first == '*' || token->first == '&')
			continue;
		if (token->first == ':' && i + 1 < PE_MACRO_BATCH &&
		    pe_macro_back(scan, i + 1)->first == ':') {
			i += 2; /* what qualifies a name is part of it */
			continue;
		}
		if (token->first != 'a')
			break;
		kind = pe_macro_kind(scan, token);
		if (kind == PE_STATEMENT_WORD || kind == PE_AFTER_WORD)
			return 0;
		*typed |= kind == PE_TYPE_WORD || kind == PE_TAG_WORD;
		/* The name of a struct is no type of its own. */
		if (kind == PE_TAG_WORD && n > 0)
			n--;
		if (kind == PE_PLAIN_WORD)
			words[n++] = token;
	}
	return i < PE_MACRO_BATCH && opens_declaration(pe_macro_back(scan, i)) ? n : 0;
}

/* (3) */
static void match_head(struct pe_macro_scan *scan)
{
	struct pe_macro_token *words[PE_MACRO_BATCH];
	bool typed;
	unsigned n, excess;

	if (pe_macro_back(scan, 0)->first != '(' ||
	    !pe_macro_is_plain(scan, pe_macro_back(scan, 1)))
		return;
	n = collect_head(scan, words, &typed);
	excess = n > !typed ? n - !typed : 0;
	for (unsigned i = n; i-- > 0 && excess > 0;)
		if (pe_macro_is_capitals(scan, words[i])) {
			pe_macro_blank(scan, words[i]->start, words[i]->end);
			words[i]->end = words[i]->start;
			excess--;
		}
	for (unsigned i = n; i-- > 0 && excess > 0;)
		if (words[i]->end > words[i]->start) {
			pe_macro_blank(scan, words[i]->start, words[i]->end);
			excess--;
		}
}

/* (4) */
static void match_statement(struct pe_macro_scan *scan)
{
	const struct pe_macro_token *newest = pe_macro_back(scan, 0),
				    *macro = pe_macro_back(scan, 1);
	const char end = pe_macro_back(scan, 2)->first;

	if (scan->braces == 0 || !newest->opens_line || !macro->opens_line ||
	    (end != ';' && end != '{' && end != '}') || !pe_macro_is_capitals(scan, macro) ||
	    (newest->first != 'a' && newest->first != '}'))
		return;
	/* In a class it may be the type of what follows. */
	if (newest->first == 'a' && !scan->is_c && !pe_macro_is_capitals(scan, newest) &&
	    pe_macro_kind(scan, newest) == PE_PLAIN_WORD)
		return;
	pe_macro_blank(scan, macro->start, macro->end);
}

void pe_macros_blank(char *text, size_t n, bool is_c)
{
	struct pe_macro_scan scan = {
		.text = text, .n = (uint32_t)n, .is_c = is_c, .fresh_line = true};
	struct pe_macro_token token;

	while (pe_macro_next(&scan, &token)) {
		scan.window[++scan.newest % PE_MACRO_BATCH] = token;
		match_statement(&scan);
		match_class(&scan);
		match_head(&scan);
		if (scan.after_parameters)
			follow_parameters(&scan);
		track_parentheses(&scan);
		if (token.first == '{')
			scan.braces++;
		else if (token.first == '}' && scan.braces > 0) {
			scan.braces--;
			pe_macro_note_whole(&scan);
		}
	}
}
