/*
 * The scan behind macros.c: words, strings, comments, and conditions (#if ... #endif) that cut a statement, an
 * expression or a head in two, or whose branches open and close different braces: the grammar has conditions around
 * whole statements only. Of those the lines of the directives are blanked, and all branches but the first.
 * Alternatives of whole functions stay.
 */
#include "analysis/methods/macros_scan.h"

#include "analysis/methods/language.h"

#include <string.h>

/* Words that are no names, sorted. */
static const struct {
	const char *word;
	enum pe_macro_word kind;
} known_words[] = {
	/* clang-format off */
	{"_Bool", PE_TYPE_WORD}, {"_Noreturn", PE_HEAD_WORD}, {"_Thread_local", PE_HEAD_WORD},
	{"__asm__", PE_STATEMENT_WORD}, {"__attribute__", PE_STATEMENT_WORD},
	{"__declspec", PE_STATEMENT_WORD}, {"__extension__", PE_HEAD_WORD}, {"__inline", PE_HEAD_WORD},
	{"__inline__", PE_HEAD_WORD}, {"alignas", PE_STATEMENT_WORD}, {"and", PE_STATEMENT_WORD},
	{"asm", PE_STATEMENT_WORD}, {"auto", PE_TYPE_WORD}, {"bool", PE_TYPE_WORD},
	{"break", PE_STATEMENT_WORD}, {"case", PE_STATEMENT_WORD}, {"catch", PE_STATEMENT_WORD},
	{"char", PE_TYPE_WORD}, {"class", PE_TAG_WORD}, {"co_await", PE_STATEMENT_WORD},
	{"co_return", PE_STATEMENT_WORD}, {"co_yield", PE_STATEMENT_WORD}, {"concept", PE_STATEMENT_WORD},
	{"const", PE_HEAD_WORD}, {"consteval", PE_HEAD_WORD}, {"constexpr", PE_HEAD_WORD},
	{"constinit", PE_HEAD_WORD}, {"continue", PE_STATEMENT_WORD}, {"decltype", PE_STATEMENT_WORD},
	{"default", PE_STATEMENT_WORD}, {"defined", PE_STATEMENT_WORD}, {"delete", PE_STATEMENT_WORD},
	{"do", PE_STATEMENT_WORD}, {"double", PE_TYPE_WORD}, {"else", PE_STATEMENT_WORD},
	{"enum", PE_TAG_WORD}, {"explicit", PE_HEAD_WORD}, {"extern", PE_HEAD_WORD}, {"final", PE_AFTER_WORD},
	{"float", PE_TYPE_WORD}, {"for", PE_STATEMENT_WORD}, {"friend", PE_HEAD_WORD},
	{"goto", PE_STATEMENT_WORD}, {"if", PE_STATEMENT_WORD}, {"inline", PE_HEAD_WORD},
	{"int", PE_TYPE_WORD}, {"long", PE_TYPE_WORD}, {"mutable", PE_HEAD_WORD},
	{"namespace", PE_STATEMENT_WORD}, {"new", PE_STATEMENT_WORD}, {"noexcept", PE_AFTER_WORD},
	{"not", PE_STATEMENT_WORD}, {"operator", PE_STATEMENT_WORD}, {"or", PE_STATEMENT_WORD},
	{"override", PE_AFTER_WORD}, {"private", PE_STATEMENT_WORD}, {"protected", PE_STATEMENT_WORD},
	{"public", PE_STATEMENT_WORD}, {"register", PE_HEAD_WORD}, {"requires", PE_STATEMENT_WORD},
	{"restrict", PE_HEAD_WORD}, {"return", PE_STATEMENT_WORD}, {"short", PE_TYPE_WORD},
	{"signed", PE_TYPE_WORD}, {"sizeof", PE_STATEMENT_WORD}, {"static", PE_HEAD_WORD},
	{"static_assert", PE_STATEMENT_WORD}, {"struct", PE_TAG_WORD}, {"switch", PE_STATEMENT_WORD},
	{"template", PE_STATEMENT_WORD}, {"thread_local", PE_HEAD_WORD}, {"throw", PE_STATEMENT_WORD},
	{"try", PE_STATEMENT_WORD}, {"typedef", PE_HEAD_WORD}, {"typename", PE_TAG_WORD},
	{"typeof", PE_STATEMENT_WORD}, {"union", PE_TAG_WORD}, {"unsigned", PE_TYPE_WORD},
	{"using", PE_STATEMENT_WORD}, {"virtual", PE_HEAD_WORD}, {"void", PE_TYPE_WORD},
	{"volatile", PE_HEAD_WORD}, {"while", PE_STATEMENT_WORD},
	/* clang-format on */
};

enum pe_macro_word pe_macro_kind(const struct pe_macro_scan *scan,
				 const struct pe_macro_token *token)
{
	const char *text = scan->text + token->start;
	uint32_t len = token->end - token->start;
	size_t low = 0, high = sizeof(known_words) / sizeof(known_words[0]);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = text[0] - known_words[middle].word[0];

		if (order == 0)
			order = strncmp(text, known_words[middle].word, len);

		if (order == 0 && known_words[middle].word[len] != '\0')
			order = -1;
		if (order == 0)
			return known_words[middle].kind;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return PE_PLAIN_WORD;
}

bool pe_macro_is_plain(const struct pe_macro_scan *scan, const struct pe_macro_token *token)
{
	return token->first == 'a' && pe_macro_kind(scan, token) == PE_PLAIN_WORD;
}

bool pe_macro_is_capitals(const struct pe_macro_scan *scan, const struct pe_macro_token *token)
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
static void skip_raw(struct pe_macro_scan *scan)
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

static bool skip_comment(struct pe_macro_scan *scan)
{
	const uint32_t from = scan->at;

	scan->at = pe_skip_comment(scan->text, from, scan->n);
	return scan->at != from;
}

static void read_word(struct pe_macro_scan *scan, struct pe_macro_token *out)
{
	out->first = scan->text[scan->at] >= '0' && scan->text[scan->at] <= '9' ? '0' : 'a';
	while (scan->at < scan->n && pe_is_word(scan->text[scan->at]))
		scan->at++;
}

/* A directive with the lines that continue it, and with a comment that starts on it and runs on. */
static void skip_directive(struct pe_macro_scan *scan)
{
	while (scan->at < scan->n && scan->text[scan->at] != '\n') {
		if (scan->text[scan->at] == '\\' && scan->at + 1 < scan->n)
			scan->at += 2;
		else if (scan->text[scan->at] != '/' || !skip_comment(scan))
			scan->at++;
	}
}

static bool starts(const struct pe_macro_scan *scan, uint32_t at, const char *word)
{
	size_t len = strlen(word);

	return scan->n - at >= len && memcmp(scan->text + at, word, len) == 0;
}

void pe_macro_blank(struct pe_macro_scan *scan, uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; i++)
		if (scan->text[i] != '\n' && scan->text[i] != '\r')
			scan->text[i] = ' ';
}

struct pe_macro_token *pe_macro_back(struct pe_macro_scan *scan, unsigned places)
{
	return &scan->window[(scan->newest - places) % PE_MACRO_BATCH];
}

/* Whether a statement could not end before the directive that starts here. */
static bool cuts_before(struct pe_macro_scan *scan)
{
	const char last = pe_macro_back(scan, 0)->first;

	if (last == ':')
		return pe_macro_back(scan, 1)->first == ')';
	return last != '\0' && strchr(";{}", last) == NULL;
}

/* Whether what follows the directive goes on with something. */
static bool cuts_after(const struct pe_macro_scan *scan)
{
	struct pe_macro_scan ahead = {.text = scan->text, .n = scan->n, .at = scan->at};

	while (ahead.at < ahead.n) {
		char c = ahead.text[ahead.at];

		if (pe_is_blank(c))
			ahead.at++;
		else if (!skip_comment(&ahead))
			break;
	}
	if (ahead.at >= ahead.n)
		return false;
	return strchr("|?,)=<>", ahead.text[ahead.at]) != NULL || starts(&ahead, ahead.at, "&&") ||
	       (starts(&ahead, ahead.at, "else") &&
		!pe_is_word(ahead.text[ahead.at + 4 < ahead.n ? ahead.at + 4 : ahead.at]));
}

/* One of the condition's directives: does it stand where the grammar has no place for it? */
static void judge(struct pe_macro_scan *scan, struct pe_macro_condition *condition, bool first)
{
	if (scan->braces > 0 || scan->parens > 0)
		condition->bad |= cuts_before(scan) || cuts_after(scan);
	else if (!first && !condition->whole)
		condition->bad |= cuts_before(scan);
}

static void end_condition(struct pe_macro_scan *scan, struct pe_macro_condition *condition,
			  uint32_t start)
{
	condition->bad |= scan->braces != condition->braces;
	if (condition->other != 0)
		scan->braces = condition->braces_first;
	if (!condition->bad)
		return;
	pe_macro_blank(scan, condition->start, condition->end);
	pe_macro_blank(scan, condition->other != 0 ? condition->other : start, scan->at);
}

/* A line that starts with '#'. */
static void read_directive(struct pe_macro_scan *scan)
{
	uint32_t start = scan->at, word = start + 1;
	struct pe_macro_condition *condition = NULL;

	while (word < scan->n && (scan->text[word] == ' ' || scan->text[word] == '\t'))
		word++;
	skip_directive(scan);
	if (starts(scan, word, "if")) {
		if (scan->n_conditions++ >= PE_MACRO_CONDITIONS)
			return;
		condition = &scan->conditions[scan->n_conditions - 1];
		*condition = (struct pe_macro_condition){
			.start = start, .end = scan->at, .braces = scan->braces};
		judge(scan, condition, true);
		return;
	}
	if (scan->n_conditions == 0 || (!starts(scan, word, "el") && !starts(scan, word, "endif")))
		return;
	if (scan->n_conditions <= PE_MACRO_CONDITIONS)
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

void pe_macro_note_whole(struct pe_macro_scan *scan)
{
	unsigned n =
		scan->n_conditions < PE_MACRO_CONDITIONS ? scan->n_conditions : PE_MACRO_CONDITIONS;

	for (unsigned i = n; i-- > 0 && scan->conditions[i].braces >= scan->braces;)
		scan->conditions[i].whole = true;
}

bool pe_macro_next(struct pe_macro_scan *scan, struct pe_macro_token *out)
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
		*out = (struct pe_macro_token){
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

bool pe_macro_is_word(const struct pe_macro_scan *scan, const struct pe_macro_token *token,
		      const char *word)
{
	uint32_t len = token->end - token->start;

	return strlen(word) == len && memcmp(scan->text + token->start, word, len) == 0;
}
