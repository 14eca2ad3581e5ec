/*
 * Read: turns a mapping of the config into a struct. Each noun has a table of keys; a row has
 * the key, the function that reads its value, and the field for it. Unknown keys, values of
 * the wrong kind and all other errors end reading with "file:line:column: " and a sentence.
 */
#pragma once

#include "configs/yaml.h"
#include "core/model/benchmark.h"

#include <stddef.h>
#include <stdint.h>

struct pe_parameters;

/** A placeholder in a command. */
#define PE_TO_DO "..."

/** State of all reading functions, and their position. */
struct pe_reader {
	const char *path; /**< of the file, for messages */
	struct pe_arena *arena;
	struct pe_err *err;
	const char *key;            /**< of the value that is being read, for messages */
	const struct pe_yaml *root; /**< the mapping at the top */
	/** fill {name} in texts from these; NULL: braces are plain */
	struct pe_parameters *parameters;
	const char *kept;  /**< a name with its braces that is not filled in; NULL: none */
	const char *to_do; /**< the first placeholder, with its position; NULL: there is none */
};

/** Read one value into a field; the row of the table pairs them. */
typedef int (*pe_read_fn)(struct pe_reader *reader, const struct pe_yaml *node, void *field);

/** A row: one key of a mapping. It is read by a function, by a table of its own, is one of some words, or matches a pattern. */
struct pe_key {
	const char *name;
	pe_read_fn read;
	size_t offset;
	const struct pe_key *keys; /**< of a mapping; its rows count from `offset` */
	size_t n_keys;
	const char *const *words; /**< ended by NULL: the field receives the index of the word */
	size_t size;              /**< of that field: a bool's or an enum's */
	/** pe_read_matching() */
	const char *pattern, *what;
	/** of a whole number, an int or unsigned; words stand for the numbers below, the first for least - 1 */
	int least, most;
	bool list; /**< one value or a list of values, each by the row: the field is a struct pe_strings */
	bool always; /**< pe_read_map_in_order(): called with no node where the key is missing */
};

#define PE_KEY(key, function, type, field)                                                         \
	{                                                                                          \
		.name = (key), .read = (function), .offset = offsetof(type, field)                 \
	}
/** A row for a function that is called for a whole struct, with or without the key. */
#define PE_KEY_ALWAYS(key, function)                                                               \
	{                                                                                          \
		.name = (key), .read = (function), .always = true                                  \
	}
#define PE_KEY_MAP(key, table, type, field)                                                        \
	{                                                                                          \
		.name = (key), .offset = offsetof(type, field), .keys = (table),                   \
		.n_keys = sizeof(table) / sizeof((table)[0])                                       \
	}
/** A mapping whose keys are fields of the same struct. */
#define PE_KEY_GROUP(key, table)                                                                   \
	{                                                                                          \
		.name = (key), .keys = (table), .n_keys = sizeof(table) / sizeof((table)[0])       \
	}
#define PE_KEY_WORDS(key, list, type, field)                                                       \
	{                                                                                          \
		.name = (key), .offset = offsetof(type, field), .words = (list),                   \
		.size = sizeof(((type *)NULL)->field)                                              \
	}
#define PE_KEY_NUMBER(key, min, max, list, meaning, type, field)                                   \
	{                                                                                          \
		.name = (key), .offset = offsetof(type, field), .least = (min), .most = (max),     \
		.words = (list), .what = (meaning)                                                 \
	}
#define PE_KEY_MATCH(key, expression, meaning, type, field)                                        \
	{                                                                                          \
		.name = (key), .offset = offsetof(type, field), .pattern = (expression),           \
		.what = (meaning)                                                                  \
	}
/** A value or a list of values, each by a function for const char *. */
#define PE_KEY_LIST(key, function, type, field)                                                    \
	{                                                                                          \
		.name = (key), .read = (function), .offset = offsetof(type, field), .list = true   \
	}
/** A value or a list of values that match a pattern. */
#define PE_KEY_MATCHES(key, expression, meaning, type, field)                                      \
	{                                                                                          \
		.name = (key), .offset = offsetof(type, field), .pattern = (expression),           \
		.what = (meaning), .list = true                                                    \
	}
/** Names of environment variables; "NAME_*" is a prefix. */
#define PE_KEY_VARIABLES(key, type, field)                                                         \
	PE_KEY_MATCHES(key, "^[A-Za-z_][A-Za-z0-9_]*[*]?$", "the name of an environment variable", \
		       type, field)
/** A valid key that is read elsewhere. */
#define PE_KEY_ELSEWHERE(key)                                                                      \
	{                                                                                          \
		.name = (key)                                                                      \
	}
#define PE_KEYS(table) (table), sizeof(table) / sizeof((table)[0])

/**
 * Read a mapping by its table.
 *
 * @param target  the struct of the rows' offsets
 * @param where   for messages: "benchmark 'parse'"; NULL at the top
 */
int pe_read_map(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *keys,
		size_t n, void *target, const char *where);

/** Read the mapping at the top in the order of its table, not of the file. A key without a value counts as missing. */
int pe_read_map_in_order(struct pe_reader *reader, const struct pe_yaml *node,
			 const struct pe_key *keys, size_t n, void *target);

/** Read the value of one row's key. */
int pe_read_key(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *key,
		void *target);

/** Fail with "file:line:column: " and a sentence; returns PE_EINVALID. */
int pe_read_fail(struct pe_reader *reader, const struct pe_yaml *node, const char *format, ...)
	PE_PRINTF(3, 4);

/** Fail with "'key' must be <what>, not <value>". */
int pe_read_expected(struct pe_reader *reader, const struct pe_yaml *node, const char *what);

/** " (did you mean 'x'?)" or "", in the arena. */
const char *pe_read_suggestion(struct pe_arena *arena, const char *word,
			       const char *const *candidates, size_t n);

/* --- Fields --- */

/** Read a node into a field of a mapping. The comment after each is the field's type. */
int pe_read_text(struct pe_reader *reader, const struct pe_yaml *node,
		 void *field); /* const char * */
int pe_read_texts(struct pe_reader *reader, const struct pe_yaml *node,
		  void *field); /* struct pe_strings: one text or a list */
/** Read a text that matches a pattern, else fail with what is expected. The field is a const char *. */
int pe_read_matching(struct pe_reader *reader, const struct pe_yaml *node, void *field,
		     const char *pattern, const char *what);
/** Read a whole number, or a word for one, by its row. */
int pe_read_number(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *key,
		   void *field);
/** One value or a list of them, each by a row. The field is a struct pe_strings. */
int pe_read_list(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *key,
		 void *field);
int pe_read_path(struct pe_reader *reader, const struct pe_yaml *node,
		 void *field); /* const char *: relative, without "." and "..", inside the tree */
int pe_read_count(struct pe_reader *reader, const struct pe_yaml *node, void *field); /* unsigned */
int pe_read_positive(struct pe_reader *reader, const struct pe_yaml *node,
		     void *field); /* unsigned, at least 1 */
int pe_read_bool(struct pe_reader *reader, const struct pe_yaml *node, void *field); /* bool */
int pe_read_duration(struct pe_reader *reader, const struct pe_yaml *node,
		     void *field); /* uint64_t nanoseconds, above 0 */
int pe_read_size(struct pe_reader *reader, const struct pe_yaml *node,
		 void *field); /* uint64_t bytes, above 0 */
int pe_read_regex(
	struct pe_reader *reader, const struct pe_yaml *node,
	void *field); /* const char *: a POSIX extended regular expression that compiles */
int pe_read_command(
	struct pe_reader *reader, const struct pe_yaml *node,
	void *field); /* struct pe_command: a text for the shell, or a list without one */
/** Read the command of a body that is a command alone: its key is a name of the user's. */
int pe_read_named_command(struct pe_reader *reader, const struct pe_yaml *node, const char *name,
			  struct pe_command *out);
int pe_read_commands(struct pe_reader *reader, const struct pe_yaml *node,
		     void *field); /* struct pe_commands: one text, or a list of commands */
int pe_read_env(struct pe_reader *reader, const struct pe_yaml *node,
		void *field); /* struct pe_strings "K=V"; later ones replace the field's own */

/* --- Plain strings --- */

/** Whether a text is one line (of at most PE_REGEX_LINE_BYTES) and matches a regular expression; false for an invalid one. */
bool pe_read_matches(const char *text, const char *pattern);

/** Convert a number that is in a unit, or has another one of its kind: "1ms" of "ns" is 1e6. */
bool pe_read_amount_text(double *out, const char *text, const char *unit);

/** Convert "90s", "1m30s", "0.5", "20us" to nanoseconds; a bare number counts seconds. */
bool pe_read_duration_text(double *out_ns, const char *text);

/** Convert "10GiB", "512M", "1.5KB", "4096" to bytes; K is 1024 bytes, KB is 1000. */
bool pe_read_size_text(double *out_bytes, const char *text);

/** Convert "2%" or "0.02" to a fraction in [0, 1). */
bool pe_read_fraction_text(double *out, const char *text);

/** Make a command that the shell runs. */
struct pe_command pe_command_of_shell(const char *text, struct pe_arena *arena);

/** Make a command without a shell; argv is borrowed, the text for people is quoted for the shell. */
struct pe_command pe_command_of_argv(const char *const *argv, struct pe_arena *arena);

/** Append words to a command: to the text of a shell, quoted, or as arguments. */
struct pe_command pe_command_append(const struct pe_command *command,
				    const struct pe_strings *words, struct pe_arena *arena);

/** Put a value wherever a text has a hole, such as "{name}". In the arena. */
const char *pe_fill_hole(const char *text, const char *hole, const char *value,
			 struct pe_arena *arena);

/** The same in a command; in a text for the shell the value is quoted. */
struct pe_command pe_command_fill(const struct pe_command *command, const char *hole,
				  const char *value, struct pe_arena *arena);

/** Quote a word for the shell if necessary. */
const char *pe_command_quote(const char *word, struct pe_arena *arena);

/** Put "K=V" into a list with room for one more; it replaces an earlier K. */
void pe_command_assign(const char **at, size_t *n, const char *assignment);
