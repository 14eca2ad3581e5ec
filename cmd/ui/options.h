/*
 * Options: a table of rows that point at local variables. Long and short forms, --no-x for flags, --x=y and
 * --x y, -xy clusters, -- ends them; a long option may be cut as far as it stays unique. An unknown one
 * names the nearest.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/model/benchmark.h"

#include <stdbool.h>
#include <stddef.h>

enum pe_opt_kind {
	PE_OPT_END,
	PE_OPT_GROUP,  /**< a heading in the help */
	PE_OPT_FLAG,   /**< bool */
	PE_OPT_STRING, /**< const char * */
	PE_OPT_NUMBER, /**< size_t, decimal */
	PE_OPT_COUNT,  /**< size_t, decimal, at least 1 */
	/** uint64_t nanoseconds from "90s", "5m", "2h", "1500ms", as in the config */
	PE_OPT_DURATION,
	PE_OPT_CHOICE, /**< int: index into choices */
	PE_OPT_LIST,   /**< struct pe_strings, may be given again */
};

struct pe_opt {
	enum pe_opt_kind kind;
	char letter;      /**< 0: none */
	const char *name; /**< long form */
	void *value;
	/** what it takes, for the help: "N", "REV", "FILE" (completed as a file) */
	const char *argument;
	const char *help;
	const char *const *choices; /**< NULL-terminated, for PE_OPT_CHOICE */
};

#define OPT_ROW(kind, c, n, v, a, h, ch)                                                           \
	{                                                                                          \
		kind, c, n, v, a, h, ch                                                            \
	}
#define OPT_END                     OPT_ROW(PE_OPT_END, 0, NULL, NULL, NULL, NULL, NULL)
#define OPT_GROUP(h)                OPT_ROW(PE_OPT_GROUP, 0, NULL, NULL, NULL, h, NULL)
#define OPT_FLAG(c, n, v, h)        OPT_ROW(PE_OPT_FLAG, c, n, v, NULL, h, NULL)
#define OPT_STRING(c, n, v, a, h)   OPT_ROW(PE_OPT_STRING, c, n, v, a, h, NULL)
#define OPT_NUMBER(c, n, v, a, h)   OPT_ROW(PE_OPT_NUMBER, c, n, v, a, h, NULL)
#define OPT_COUNT(c, n, v, a, h)    OPT_ROW(PE_OPT_COUNT, c, n, v, a, h, NULL)
#define OPT_DURATION(c, n, v, a, h) OPT_ROW(PE_OPT_DURATION, c, n, v, a, h, NULL)
#define OPT_CHOICE(c, n, v, ch, h)  OPT_ROW(PE_OPT_CHOICE, c, n, v, NULL, h, ch)
#define OPT_LIST(c, n, v, a, h)     OPT_ROW(PE_OPT_LIST, c, n, v, a, h, NULL)

/** Rows that mean the same in many commands. */
#define OPT_BENCH(v)   OPT_STRING('b', "bench", v, "REGEX", "only benchmarks whose name matches")
#define OPT_LAST(v, h) OPT_COUNT('n', "last", v, "N", h)
#define OPT_COUNTS(v)                                                                              \
	OPT_FLAG(0, "counts", v,                                                                   \
		 "take exact counts alone, which valgrind makes: no noise, and nothing is timed"), \
		OPT_FLAG(0, "simulated", v, "the same as --counts")
#define OPT_FORMAT(v, ch) OPT_CHOICE(0, "format", v, ch, "how the result is printed")
#define OPT_JSON(v)       OPT_FORMAT(v, pe_text_or_json)

/** Choices of --format where there is nothing else; the value is PE_FORMAT_TERM or PE_FORMAT_JSON. */
extern const char *const pe_text_or_json[];
enum { PE_FORMAT_TERM, PE_FORMAT_JSON };

/** A command to copy, and its description. */
struct pe_example {
	const char *command, *what;
};

/** The text around a command's options, for --help and the man page. */
struct pe_usage {
	const char *const *lines;          /**< "perfevo track [--last N]", NULL-terminated */
	const char *description;           /**< paragraphs separated by an empty line */
	const struct pe_example *examples; /**< ended by a NULL command; NULL: none */
};

/**
 * Parse.
 *
 * @param argc  in: all arguments; out: the operands, moved to the front of argv
 * @return      PE_EINVALID with "unknown option '--lats' (did you mean '--last'?)"
 */
int pe_opts_parse(const struct pe_opt *opts, int *argc, char **argv, struct pe_arena *arena,
		  struct pe_err *err);

/**
 * Parse the options before the first operand and leave the rest alone: for what stands before a command's
 * name.
 *
 * @param argc  out: the first operand and all that follows it, moved to the front of argv
 */
int pe_opts_parse_leading(const struct pe_opt *opts, int *argc, char **argv, struct pe_arena *arena,
			  struct pe_err *err);

/** The name of the choice that a PE_OPT_CHOICE row called name stands at; NULL without such a row. */
const char *pe_opts_choice(const struct pe_opt *opts, const char *name);
