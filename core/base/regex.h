/*
 * Regex: POSIX extended regular expressions that may come from a stranger's config. The C library's compiler recurses
 * and writes repeats out, so that a short text can take its stack or gigabytes: what is compiled is bounded first.
 */
#pragma once

#include "core/base/err.h"

#include <regex.h>
#include <stdbool.h>

enum {
	PE_REGEX_MOST_BYTES = 1000, /**< of an expression */
	PE_REGEX_MOST_LEVELS = 50,  /**< of parentheses in parentheses */
	PE_REGEX_MOST_POSITIONS =
		1000, /**< characters with repeats written out: (ab){1,20} has 40 and a group */
	PE_REGEX_LINE_BYTES =
		64 * 1024, /**< of a text; what follows on the line is not looked at */
};

/** A compiled expression; release it also when it is zeroed. */
struct pe_regex {
	regex_t compiled;
	const char *exact; /**< a text that matches besides the expression; NULL: none */
	bool is_compiled;  /**< false: there is no expression, and everything matches */
};

/**
 * Compile an expression; back-references, which take exponential time, are refused.
 *
 * @param expression  NULL: one that everything matches
 * @param err         receives the fault of the expression; the caller adds the option or key (pe_err_context())
 * @return            PE_EINVALID when it does not compile or is too large
 */
int pe_regex_init(struct pe_regex *regex, const char *expression, struct pe_err *err);

/**
 * The same for an expression of the command line, whose option the message names. It also matches the text that is
 * written just so: names such as `go[name=Links]` can be given as they are printed.
 *
 * @param expression  borrowed until pe_regex_release()
 */
int pe_regex_init_option(struct pe_regex *regex, const char *option, const char *expression,
			 struct pe_err *err);

/** Release what pe_regex_init() and pe_regex_init_option() made; the expression is the caller's. */
void pe_regex_release(struct pe_regex *regex);

/** One that is released where its block is left; pe_regex_init() comes before any return. */
#define pe_auto_regex __attribute__((cleanup(pe_regex_release))) struct pe_regex

/** Whether the text has a match. */
bool pe_regex_matches(const struct pe_regex *regex, const char *text);

/** Number of groups in the expression. */
size_t pe_regex_groups(const struct pe_regex *regex);

/**
 * Call found for every match on every line, in order.
 *
 * @param found  receives the first group of the match with its length, or all of it where the expression has none
 */
void pe_regex_find(const struct pe_regex *regex, const char *text,
		   void (*found)(const char *match, size_t n, void *payload), void *payload);
