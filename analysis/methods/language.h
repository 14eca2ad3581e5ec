/*
 * Language: a row of the table of languages, inside this room alone. A row has the nodes of the language's syntax tree that
 * are methods, those that open a scope, the reader of each name, and the comments; the walk (walk.c) is the same for
 * all. Adding a language is a row in languages.c, its grammar, and its tests.
 */
#pragma once

#include "analysis/methods/extract.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tree_sitter/api.h>

/** What a type of node is to the walk. */
enum pe_node_role {
	PE_ROLE_PLAIN,
	PE_ROLE_NAMED, /**< a method or a scope, as its reader answers; plain when it answers no */
	PE_ROLE_COMMENT, /**< left out with all below it */
	PE_ROLE_ATOM,    /**< one token whatever is below it: parts of its text have no node */
	PE_ROLE_STRING, /**< an atom if it is a start, a content and an end: nothing is put into it */
	PE_ROLE_DIRECTIVE, /**< raw text of a preprocessor's line: white space in it does not count */
	PE_ROLE_PREFIX,    /**< attributes before a method that are part of its head */
	PE_ROLE_CALL_HEAD, /**< a call that stands where a macro defines a function */
	PE_ROLE_CALL_BODY, /**< the block after it */
	PE_ROLE_ERROR,
};

enum { PE_NAME_MAX = 1024 }; /**< bytes of a name; the rest of a longer one is cut off */

/** Text of bounded length. */
struct pe_label {
	char text[PE_NAME_MAX];
	size_t len;
};

enum pe_naming_kind { PE_NAMES_NOTHING, PE_NAMES_METHOD, PE_NAMES_SCOPE };

/** What a reader found. */
struct pe_naming {
	enum pe_naming_kind kind;
	struct pe_label name; /**< as written, perhaps qualified; empty: adds nothing (a scope) */
	struct pe_label signature;
	uint32_t start, end;   /**< bytes of the name in the head: masked as one token */
	const void *function;  /**< node that is this very method and is not to be opened again */
	const char *separator; /**< before the name, where it is not the language's own */
	bool top;              /**< methods around it do not qualify it */
	bool absolute;         /**< nothing around it qualifies it */
	bool singleton;        /**< methods directly inside are the object's own (Ruby) */
};

struct pe_grammar;
struct pe_rule;

/** A node and what is needed to read it. */
struct pe_node_reading {
	const struct pe_grammar *grammar;
	const struct pe_rule *rule; /**< of the node */
	const char *source;
	TSNode node;
	bool in_class;  /**< the innermost scope is a class or the like */
	bool singleton; /**< it is an object's own */
};

typedef void pe_reader_fn(struct pe_naming *out, const struct pe_node_reading *reading);

struct pe_rule {
	const char *type; /**< of the node */
	enum pe_node_role role;
	pe_reader_fn *read;
	const char *name; /**< of the field that holds it */
	const char *
		value; /**< the field of a body or a bound value, without which nothing is named; NULL: none */
	bool plain;       /**< bound names alone that are known without running the program */
	bool is_class;    /**< a scope whose methods are members */
	const char *text; /**< behind a method's name; the name of a scope that has none */
};

enum pe_language_flags {
	/** Lines and indentation are part of the grammar: the tree's shape counts as tokens, `;` does not. */
	PE_LANGUAGE_LAYOUT = 1 << 0,
	PE_LANGUAGE_MACROS = 1 << 2, /**< words that the preprocessor takes away bend its heads */
	PE_LANGUAGE_OVERLOADS = 1 << 1, /**< parameters' types are part of a method's identity */
};

struct pe_language {
	const char *name;
	const char *endings; /**< each between spaces: " .c .h " */
	const TSLanguage *(*grammar)(void);
	const char *separator;
	unsigned flags;
	const struct pe_rule *rules; /**< type NULL after the last */
	const char *functions;       /**< values that are functions, for bindings; as endings */
	const char *objects;         /**< values that are scopes; as endings */
};

/** Whether a word is in a list in which each stands between spaces. */
bool pe_lists_word(const char *list, const char *word);

/** Roles of a symbol of the grammar, looked up once. */
struct pe_node_symbol {
	uint8_t role;
	bool identifier; /**< may be the method's own name */
	bool dropped;    /**< a token that counts for nothing here */
	bool named;
	const struct pe_rule *rule; /**< NULL: none */
};

/** A row made ready for the walk. */
struct pe_grammar {
	const struct pe_language *language;
	const TSLanguage *ts;
	struct pe_node_symbol *symbols;
};

/** Look a row's names up in its grammar. The caller frees `symbols`. */
void pe_grammar_prepare(struct pe_grammar *out, const struct pe_language *language);

/** The language to read a file's bytes in: C++ for a header of C's ending that shows classes or templates. */
const struct pe_language *pe_language_by_content(const struct pe_language *language,
						 const char *path, const char *source, size_t n);

/** The child in a field; a null node where there is none. */
static inline TSNode pe_node_child(TSNode node, const char *field)
{
	return ts_node_child_by_field_name(node, field, (uint32_t)strlen(field));
}

/** The last child that is neither a comment nor an error; a null node where there is none. */
TSNode pe_node_last_child(const struct pe_grammar *grammar, TSNode node);

/** The roles of a node's symbol. */
static inline const struct pe_node_symbol *pe_grammar_symbol(const struct pe_grammar *grammar,
							     TSNode node)
{
	static const struct pe_node_symbol error = {.role = PE_ROLE_ERROR, .named = true};
	TSSymbol symbol = ts_node_symbol(node);

	return symbol == (TSSymbol)-1 ? &error : &grammar->symbols[symbol];
}

/** Whether a node is there and of a type. */
static inline bool pe_node_is(TSNode node, const char *type)
{
	return !ts_node_is_null(node) && strcmp(ts_node_type(node), type) == 0;
}

/** Append a node's text, without comments and with no more white space than keeps words apart. */
void pe_label_add_node(struct pe_label *label, const char *source, TSNode node);
/** The same of the bytes `at` up to, not with, `end`. */
void pe_label_add_range(struct pe_label *label, const char *source, uint32_t at, uint32_t end);

/** Append n bytes as they are, apart from the word before. */
void pe_label_add(struct pe_label *label, const char *text, size_t n);

/** Walk a file's tree: its methods, and how much was not read; walk.c. @param out  in the arena */
void pe_walk_tree(struct pe_methods *out, const struct pe_grammar *grammar, const TSTree *tree,
		  const struct pe_source_file *file, struct pe_arena *arena);

/** Blank, in a copy of a source of C or C++, the macros that its parser has no place for; macros.c. */
void pe_macros_blank(char *text, size_t n, bool is_c);

/* The readers, by language; names.c and names_c.c. */
pe_reader_fn pe_read_named; /**< method */
pe_reader_fn pe_read_scope;
pe_reader_fn pe_read_bound;      /**< name = value: of a function or an object */
pe_reader_fn pe_read_wrapped;    /**< template or decorators around a function */
pe_reader_fn pe_read_c_function; /**< through the chain of declarators */
pe_reader_fn pe_read_call_head;  /**< the name of a function that a macro defines, from its call */
pe_reader_fn pe_read_java_method;
pe_reader_fn pe_read_go_method;
pe_reader_fn pe_read_rust_impl;
pe_reader_fn pe_read_ruby_method;
pe_reader_fn pe_read_ruby_singleton;
pe_reader_fn pe_read_ruby_self; /**< class << self */

/** White space of C. */
static inline bool pe_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/** What names and numbers consist of, in any language. */
static inline bool pe_is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/** The end of a comment of C that starts at `at`; `at` itself where none does. */
static inline uint32_t pe_skip_comment(const char *source, uint32_t at, uint32_t end)
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

/** The end of a string or character that starts at `at`; `at` where none does. */
static inline uint32_t pe_skip_quoted(const char *source, uint32_t at, uint32_t end)
{
	const char quote = source[at];

	if (quote != '"' && quote != '\'')
		return at;
	for (at++; at < end && source[at] != quote && source[at] != '\n'; at++)
		if (source[at] == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}
