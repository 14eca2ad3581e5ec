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
 * Conditions (#if ... #endif) that cut a statement, an expression or a head in two, or whose branches open and close
 * different braces, have no place in the grammar either: the lines of their directives are blanked, and all branches
 * but the first. Alternatives of whole functions stay.
 */
#include "analysis/methods/language.h"

#include "core/base/search.h"

#include <string.h>

enum { BATCH = 16, CONDITIONS = 64 };

enum word {
	PLAIN_WORD = 'p',
	TYPE_WORD = 'y',
	TAG_WORD = 'g',
	HEAD_WORD = 'h',
	AFTER_WORD = 'a',
	STATEMENT_WORD = 's'
};

struct token {
	uint32_t start, end;
	char first;      /* its first byte; 'a' for a word, zero for none */
	bool opens_line; /* first on its line */
};

/* An #if that is open. */
struct condition {
	uint32_t start, end;           /* its line */
	uint32_t other;                /* where the first #else or #elif starts; 0: none so far */
	unsigned braces, braces_first; /* before it; after its first branch */
	bool bad;                      /* it cuts something in two */
	bool whole;                    /* something with braces around it ended inside */
};

struct scan {
	char *text;
	uint32_t n, at;
	bool is_c;
	bool fresh_line; /* nothing but blanks since the line began */
	unsigned braces, parens;
	bool named;                 /* a name stood before the outermost open parenthesis */
	bool after_parameters;      /* pattern (2) may be going on */
	uint32_t after_parens;      /* of its words' arguments */
	uint32_t from, to;          /* what it would blank */
	struct token window[BATCH]; /* the last ones, in a ring */
	unsigned newest;
	struct condition conditions[CONDITIONS];
	unsigned n_conditions; /* may exceed the array: deeper ones are let be */
};

/* --- The scan --- */

/* Words that are no names, each behind the letter of its kind, sorted. */
static const char *const known_words[] = {
	/* clang-format off */
	"y_Bool", "h_Noreturn", "h_Thread_local", "s__asm__", "s__attribute__", "s__declspec",
	"h__extension__", "h__inline", "h__inline__", "salignas", "sand", "sasm", "yauto", "ybool", "sbreak",
	"scase", "scatch", "ychar", "gclass", "sco_await", "sco_return", "sco_yield", "sconcept", "hconst",
	"hconsteval", "hconstexpr", "hconstinit", "scontinue", "sdecltype", "sdefault", "sdefined", "sdelete",
	"sdo", "ydouble", "selse", "genum", "hexplicit", "hextern", "afinal", "yfloat", "sfor", "hfriend",
	"sgoto", "sif", "hinline", "yint", "ylong", "hmutable", "snamespace", "snew", "anoexcept", "snot",
	"soperator", "sor", "aoverride", "sprivate", "sprotected", "spublic", "hregister", "srequires",
	"hrestrict", "sreturn", "yshort", "ysigned", "ssizeof", "hstatic", "sstatic_assert", "gstruct",
	"sswitch", "stemplate", "hthread_local", "sthrow", "stry", "htypedef", "gtypename", "stypeof",
	"gunion", "yunsigned", "susing", "hvirtual", "yvoid", "hvolatile", "swhile",
	/* clang-format on */
};

/* What a word is in this language. */
static enum word kind_of(const struct scan *scan, const struct token *token)
{
	const size_t len = token->end - token->start,
		     n = sizeof(known_words) / sizeof(known_words[0]);
	const char *text = scan->text + token->start;
	size_t at = 0;

	pe_search(at, n, i, strncmp(known_words[i] + 1, text, len) < 0);
	return at < n && strlen(known_words[at] + 1) == len &&
			       memcmp(known_words[at] + 1, text, len) == 0
		       ? (enum word)known_words[at][0]
		       : PLAIN_WORD;
}

/* Whether a token is a word without a meaning in the grammar. */
static bool is_plain(const struct scan *scan, const struct token *token)
{
	return token->first == 'a' && kind_of(scan, token) == PLAIN_WORD;
}

/* A word of two letters or more, none of them small. */
static bool is_capitals(const struct scan *scan, const struct token *token)
{
	bool letter = false;

	for (uint32_t i = token->start; i < token->end; i++) {
		if (scan->text[i] >= 'a' && scan->text[i] <= 'z')
			return false;
		letter |= scan->text[i] >= 'A' && scan->text[i] <= 'Z';
	}
	return letter && token->first == 'a' && token->end - token->start > 1;
}

/* R"x( ... )x" */
static void skip_raw(struct scan *scan)
{
	const char *text = scan->text;
	uint32_t open = ++scan->at, len;

	while (scan->at < scan->n && text[scan->at] != '(' && scan->at - open < 16)
		scan->at++;
	len = scan->at - open;
	for (; scan->at < scan->n; scan->at++)
		if (text[scan->at] == ')' && scan->n - scan->at > len + 1 &&
		    memcmp(text + scan->at + 1, text + open, len) == 0 &&
		    text[scan->at + 1 + len] == '"') {
			scan->at += len + 2;
			return;
		}
}

static bool skip_comment(struct scan *scan)
{
	const uint32_t from = scan->at;

	scan->at = pe_skip_comment(scan->text, from, scan->n);
	return scan->at != from;
}

static void read_word(struct scan *scan, struct token *out)
{
	out->first = scan->text[scan->at] >= '0' && scan->text[scan->at] <= '9' ? '0' : 'a';
	while (scan->at < scan->n && pe_is_word(scan->text[scan->at]))
		scan->at++;
}

/* A directive with the lines that continue it, and with a comment that starts on it and runs on. */
static void skip_directive(struct scan *scan)
{
	while (scan->at < scan->n && scan->text[scan->at] != '\n') {
		if (scan->text[scan->at] == '\\' && scan->at + 1 < scan->n)
			scan->at += 2;
		else if (scan->text[scan->at] != '/' || !skip_comment(scan))
			scan->at++;
	}
}

static bool starts(const struct scan *scan, uint32_t at, const char *word)
{
	size_t len = strlen(word);

	return scan->n - at >= len && memcmp(scan->text + at, word, len) == 0;
}

/* Blank bytes, but for the ends of lines. */
static void blank(struct scan *scan, uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; i++)
		if (scan->text[i] != '\n' && scan->text[i] != '\r')
			scan->text[i] = ' ';
}

/* The token `places` before the newest. */
static struct token *back(struct scan *scan, unsigned places)
{
	return &scan->window[(scan->newest - places) % BATCH];
}

/* Whether a statement could not end before the directive that starts here. */
static bool cuts_before(struct scan *scan)
{
	const char last = back(scan, 0)->first;

	if (last == ':')
		return back(scan, 1)->first == ')';
	return last != '\0' && strchr(";{}", last) == NULL;
}

/* Whether what follows the directive goes on with something. */
static bool cuts_after(const struct scan *scan)
{
	uint32_t at = scan->at, from;

	do {
		from = at;
		while (at < scan->n && pe_is_blank(scan->text[at]))
			at++;
		at = pe_skip_comment(scan->text, at, scan->n);
	} while (at != from);
	if (at >= scan->n)
		return false;
	return strchr("|?,)=<>", scan->text[at]) != NULL || starts(scan, at, "&&") ||
	       (starts(scan, at, "else") &&
		!pe_is_word(scan->text[at + 4 < scan->n ? at + 4 : at]));
}

/* One of the condition's directives: does it stand where the grammar has no place for it? */
static void judge(struct scan *scan, struct condition *condition, bool first)
{
	if (scan->braces > 0 || scan->parens > 0)
		condition->bad |= cuts_before(scan) || cuts_after(scan);
	else if (!first && !condition->whole)
		condition->bad |= cuts_before(scan);
}

static void end_condition(struct scan *scan, struct condition *condition, uint32_t start)
{
	condition->bad |= scan->braces != condition->braces;
	if (condition->other != 0)
		scan->braces = condition->braces_first;
	if (!condition->bad)
		return;
	blank(scan, condition->start, condition->end);
	blank(scan, condition->other != 0 ? condition->other : start, scan->at);
}

/* A line that starts with '#'. */
static void read_directive(struct scan *scan)
{
	uint32_t start = scan->at, word = start + 1;
	struct condition *condition = NULL;

	while (word < scan->n && (scan->text[word] == ' ' || scan->text[word] == '\t'))
		word++;
	skip_directive(scan);
	if (starts(scan, word, "if")) {
		if (scan->n_conditions++ >= CONDITIONS)
			return;
		condition = &scan->conditions[scan->n_conditions - 1];
		*condition =
			(struct condition){.start = start, .end = scan->at, .braces = scan->braces};
		judge(scan, condition, true);
		return;
	}
	if (scan->n_conditions == 0 || (!starts(scan, word, "el") && !starts(scan, word, "endif")))
		return;
	if (scan->n_conditions <= CONDITIONS)
		condition = &scan->conditions[scan->n_conditions - 1];
	if (condition != NULL)
		judge(scan, condition, false);
	if (starts(scan, word, "endif")) {
		scan->n_conditions--;
		if (condition != NULL)
			end_condition(scan, condition, start);
	} else if (condition != NULL) {
		if (condition->other == 0) {
			condition->other = start;
			condition->braces_first = scan->braces;
		}
		condition->bad |= scan->braces != condition->braces;
		scan->braces = condition->braces;
	}
}

/* A brace closed in a condition closes something whole there. */
static void note_whole(struct scan *scan)
{
	unsigned n = scan->n_conditions < CONDITIONS ? scan->n_conditions : CONDITIONS;

	for (unsigned i = n; i-- > 0 && scan->conditions[i].braces >= scan->braces;)
		scan->conditions[i].whole = true;
}

/*
 * Step to the next token that is neither comment nor directive; conditions that cut something in two are blanked on
 * the way. False: the end.
 */
static bool next_token(struct scan *scan, struct token *out)
{
	for (; scan->at < scan->n;) {
		char c = scan->text[scan->at];

		if (c == '\n')
			scan->fresh_line = true;
		if (pe_is_blank(c) || c == '\\') {
			scan->at++;
			continue;
		}
		if (c == '/' && skip_comment(scan))
			continue;
		if (c == '#' && scan->fresh_line) {
			read_directive(scan);
			continue;
		}
		*out = (struct token){
			.start = scan->at, .first = c, .opens_line = scan->fresh_line};
		scan->fresh_line = false;
		if (pe_is_word(c)) {
			read_word(scan, out);
		} else if (c == '"' && scan->at > 0 && scan->text[scan->at - 1] == 'R') {
			skip_raw(scan);
		} else if (c == '"' || c == '\'') {
			scan->at = pe_skip_quoted(scan->text, scan->at, scan->n);
		} else {
			scan->at++;
		}
		out->end = scan->at;
		return true;
	}
	return false;
}

/* Whether a token is this word. */
static bool is_word(const struct scan *scan, const struct token *token, const char *word)
{
	uint32_t len = token->end - token->start;

	return strlen(word) == len && memcmp(scan->text + token->start, word, len) == 0;
}

/* --- The patterns --- */

/* (1) */
static void match_class(struct scan *scan)
{
	const struct token *newest = back(scan, 0), *macro = back(scan, 2), *tag = back(scan, 3);
	bool heads_body =
		newest->first == '{' ||
		(newest->first == ':' && scan->at < scan->n && scan->text[scan->at] != ':') ||
		(newest->first == 'a' && is_word(scan, newest, "final"));

	if (!heads_body || !is_plain(scan, back(scan, 1)) || !is_plain(scan, macro) ||
	    !is_capitals(scan, macro) || tag->first != 'a' || kind_of(scan, tag) != TAG_WORD ||
	    is_word(scan, tag, "enum"))
		return;
	blank(scan, macro->start, macro->end);
}

/* (2), a token at a time. */
static void follow_parameters(struct scan *scan)
{
	const struct token *newest = back(scan, 0);

	if (newest->first == '(') {
		/* Arguments of the macro, or of noexcept. */
		if (scan->after_parens++ == 0 && back(scan, 1)->first != 'a')
			scan->after_parameters = false;
		return;
	}
	if (scan->after_parens > 0) {
		if (newest->first == ')' && --scan->after_parens == 0 && scan->to > scan->from &&
		    !is_word(scan, back(scan, 1), "noexcept"))
			scan->to = newest->end;
		scan->after_parameters = newest->first != ';' && newest->first != '{';
		return;
	}
	if (newest->first == '{' || (newest->first == ':' && !scan->is_c)) {
		blank(scan, scan->from, scan->to);
		scan->after_parameters = false;
	} else if (newest->first == 'a' && is_plain(scan, newest) && is_capitals(scan, newest)) {
		if (scan->to == scan->from)
			scan->from = newest->start;
		scan->to = newest->end;
	} else if (newest->first != '&' &&
		   (newest->first != 'a' ||
		    (kind_of(scan, newest) != AFTER_WORD && !is_word(scan, newest, "const")))) {
		scan->after_parameters = false;
	}
}

static void track_parentheses(struct scan *scan)
{
	const struct token *newest = back(scan, 0), *name = back(scan, 1);

	if (newest->first == '(') {
		if (scan->parens++ == 0)
			scan->named = is_plain(scan, name) && !is_capitals(scan, name);
	} else if (newest->first == ')' && scan->parens > 0) {
		scan->parens--;
		if (scan->parens == 0 && scan->named) {
			scan->after_parameters = true;
			scan->from = scan->to = 0;
			scan->after_parens = 0;
		}
	} else if (newest->first == '{' || newest->first == '}') {
		scan->parens = 0;
	}
}

/* What may stand before a declaration: an end, a label, a template's head, a linkage, another macro's arguments. */
static bool opens_declaration(const struct token *token)
{
	return token->first == '\0' || strchr(";{}):>\"", token->first) != NULL;
}

/* The words before a function's name, newest first; how many. *typed: a type of the language is among them. */
static unsigned collect_head(struct scan *scan, struct token *words[BATCH], bool *typed)
{
	unsigned n = 0, i = 2;

	*typed = false;
	for (; i < BATCH; i++) {
		struct token *token = back(scan, i);
		enum word kind;

		if (token->first == '*' || token->first == '&')
			continue;
		if (token->first == ':' && i + 1 < BATCH && back(scan, i + 1)->first == ':') {
			i += 2; /* what qualifies a name is part of it */
			continue;
		}
		if (token->first != 'a')
			break;
		kind = kind_of(scan, token);
		if (kind == STATEMENT_WORD || kind == AFTER_WORD)
			return 0;
		*typed |= kind == TYPE_WORD || kind == TAG_WORD;
		/* The name of a struct is no type of its own. */
		if (kind == TAG_WORD && n > 0)
			n--;
		if (kind == PLAIN_WORD)
			words[n++] = token;
	}
	return i < BATCH && opens_declaration(back(scan, i)) ? n : 0;
}

/* (3) */
static void match_head(struct scan *scan)
{
	struct token *words[BATCH];
	bool typed;
	unsigned n, excess;

	if (back(scan, 0)->first != '(' || !is_plain(scan, back(scan, 1)))
		return;
	n = collect_head(scan, words, &typed);
	excess = n > !typed ? n - !typed : 0;
	for (unsigned i = n; i-- > 0 && excess > 0;)
		if (is_capitals(scan, words[i])) {
			blank(scan, words[i]->start, words[i]->end);
			words[i]->end = words[i]->start;
			excess--;
		}
	for (unsigned i = n; i-- > 0 && excess > 0;)
		if (words[i]->end > words[i]->start) {
			blank(scan, words[i]->start, words[i]->end);
			excess--;
		}
}

/* (4) */
static void match_statement(struct scan *scan)
{
	const struct token *newest = back(scan, 0), *macro = back(scan, 1);
	const char end = back(scan, 2)->first;

	if (scan->braces == 0 || !newest->opens_line || !macro->opens_line ||
	    (end != ';' && end != '{' && end != '}') || !is_capitals(scan, macro) ||
	    (newest->first != 'a' && newest->first != '}'))
		return;
	/* In a class it may be the type of what follows. */
	if (newest->first == 'a' && !scan->is_c && !is_capitals(scan, newest) &&
	    kind_of(scan, newest) == PLAIN_WORD)
		return;
	blank(scan, macro->start, macro->end);
}

void pe_macros_blank(char *text, size_t n, bool is_c)
{
	struct scan scan = {.text = text, .n = (uint32_t)n, .is_c = is_c, .fresh_line = true};
	struct token token;

	while (next_token(&scan, &token)) {
		scan.window[++scan.newest % BATCH] = token;
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
			note_whole(&scan);
		}
	}
}
