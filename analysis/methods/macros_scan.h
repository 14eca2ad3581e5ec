/* Scan: the tokens of a text of C or C++ for macros.c, with what is open around them; inside this room alone. */
#ifndef PE_METHODS_MACROS_SCAN_H
#define PE_METHODS_MACROS_SCAN_H

#include <stdbool.h>
#include <stdint.h>

enum { PE_MACRO_BATCH = 16, PE_MACRO_NESTING = 64 };

enum pe_macro_word {
	PE_PLAIN_WORD,
	PE_TYPE_WORD,
	PE_TAG_WORD,
	PE_HEAD_WORD,
	PE_AFTER_WORD,
	PE_STATEMENT_WORD
};

struct pe_macro_token {
	uint32_t start, end;
	char first;      /* its first byte; 'a' for a word, zero for none */
	bool opens_line; /* first on its line */
};

/* An #if that is open. */
struct pe_macro_condition {
	uint32_t start, end;           /* its line */
	uint32_t other;                /* where the first #else or #elif starts; 0: none so far */
	unsigned braces, braces_first; /* before it; after its first branch */
	bool bad;                      /* it cuts something in two */
	bool whole;                    /* something with braces around it ended inside */
};

enum { PE_MACRO_CONDITIONS = 64 };

struct pe_macro_scan {
	char *text;
	uint32_t n, at;
	bool is_c;
	bool fresh_line; /* nothing but blanks since the line began */
	unsigned braces, parens;
	bool named[PE_MACRO_NESTING]; /* by open parenthesis: a name stood before it */
	bool after_parameters;        /* pattern (2) may be going on */
	uint32_t after_parens;        /* of its words' arguments */
	uint32_t from, to;            /* what it would blank */
	struct pe_macro_token window[PE_MACRO_BATCH]; /* the last ones, in a ring */
	unsigned newest;
	struct pe_macro_condition conditions[PE_MACRO_CONDITIONS];
	unsigned n_conditions; /* may exceed the array: deeper ones are let be */
};

/** What a word is in this language. */
enum pe_macro_word pe_macro_kind(const struct pe_macro_scan *scan,
				 const struct pe_macro_token *token);

/** Whether a token is a word without a meaning in the grammar. */
bool pe_macro_is_plain(const struct pe_macro_scan *scan, const struct pe_macro_token *token);

/** A word of two letters or more, none of them small. */
bool pe_macro_is_capitals(const struct pe_macro_scan *scan, const struct pe_macro_token *token);

/**
 * Step to the next token that is neither comment nor directive; conditions that cut something in two are blanked on
 * the way. False: the end.
 */
bool pe_macro_next(struct pe_macro_scan *scan, struct pe_macro_token *out);

/** Whether a token is this word. */
bool pe_macro_is_word(const struct pe_macro_scan *scan, const struct pe_macro_token *token,
		      const char *word);

/** Blank bytes, but for the ends of lines. */
void pe_macro_blank(struct pe_macro_scan *scan, uint32_t start, uint32_t end);

/** The token `places` before the newest. */
struct pe_macro_token *pe_macro_back(struct pe_macro_scan *scan, unsigned places);

/** A brace closed in a condition closes something whole there. */
void pe_macro_note_whole(struct pe_macro_scan *scan);

#endif
