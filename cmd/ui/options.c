/*
 * Options. A word is looked up among the long names (whole, then as an unambiguous prefix), a letter among the
 * letters; the row has the form of its value and where it is stored. A flag "x" also answers to
 * --no-x, and a flag "no-x" to --x.
 */
#include "cmd/ui/options.h"

#include "configs/read.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *const pe_text_or_json[] = {"term", "json", NULL};

struct parser {
	const struct pe_opt *opts;
	struct pe_arena *arena;
	struct pe_err *err;
	char **argv;
	int argc, at; /* at: the next argument */
};

/* A long name, and what it means: a flag "x" also answers to --no-x, and a flag "no-x" to --x. */
struct spelling {
	const char *name;
	const struct pe_opt *opt;
	bool negated;
};

static bool is_option(const struct pe_opt *opt)
{
	return opt->kind != PE_OPT_GROUP && opt->kind != PE_OPT_END;
}

static struct spelling opposite(const struct pe_opt *opt, struct pe_arena *arena)
{
	const bool is_negative = strncmp(opt->name, "no-", 3) == 0;

	return (struct spelling){is_negative ? opt->name + 3
					     : pe_arena_printf(arena, "no-%s", opt->name),
				 opt, true};
}

static int fail_unknown(const struct parser *parser, const char *word, const struct spelling *all,
			size_t n)
{
	const char **names = pe_arena_new(parser->arena, const char *, n + 1), *nearest;

	for (size_t i = 0; i < n; i++)
		names[i] = all[i].name;
	nearest = pe_nearest(word, names, n);
	if (nearest == NULL)
		return pe_fail(parser->err, PE_EINVALID, "unknown option '--%s'", word);
	return pe_fail(parser->err, PE_EINVALID, "unknown option '--%s' (did you mean '--%s'?)",
		       word, nearest);
}

/* The name that a word of n bytes is; else the only one that it begins. */
static int find_long(struct spelling *out, const struct parser *parser, const char *word, size_t n)
{
	pe_auto_free PE_VEC(struct spelling) all = {NULL, 0, 0};
	const char *rival = NULL;

	*out = (struct spelling){.name = NULL};
	for (const struct pe_opt *opt = parser->opts; opt->kind != PE_OPT_END; opt++) {
		if (!is_option(opt) || opt->name == NULL)
			continue;
		pe_vec_push(&all, ((struct spelling){opt->name, opt, false}));
		if (opt->kind == PE_OPT_FLAG)
			pe_vec_push(&all, opposite(opt, parser->arena));
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct spelling *one = &all.data[i];

		if (strncmp(one->name, word, n) != 0)
			continue;
		if (out->name == NULL || one->name[n] == '\0')
			*out = *one;
		else
			rival = one->name;
		if (one->name[n] == '\0')
			return PE_OK;
	}
	word = pe_arena_strndup(parser->arena, word, n);
	if (out->name == NULL)
		return fail_unknown(parser, word, all.data, all.n);
	return rival == NULL
		       ? PE_OK
		       : pe_fail(parser->err, PE_EINVALID, "option '--%s' may be '--%s' or '--%s'",
				 word, out->name, rival);
}

static const struct pe_opt *find_letter(const struct pe_opt *opts, char letter)
{
	for (; opts->kind != PE_OPT_END; opts++)
		if (is_option(opts) && opts->letter == letter)
			return opts;
	return NULL;
}

/* "--last" or "-l": how the row is called in messages. */
static const char *called(const struct parser *parser, const struct pe_opt *opt)
{
	if (opt->name != NULL)
		return pe_arena_printf(parser->arena, "--%s", opt->name);
	return pe_arena_printf(parser->arena, "-%c", opt->letter);
}

static int expected(const struct parser *parser, const struct pe_opt *opt, const char *what,
		    const char *value)
{
	return pe_fail(parser->err, PE_EINVALID, "%s takes %s, not '%s'", called(parser, opt), what,
		       value);
}

static int set_number(const struct parser *parser, const struct pe_opt *opt, const char *value)
{
	char *end;
	unsigned long long number;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno == ERANGE ||
	    number > SIZE_MAX || (number == 0 && opt->kind == PE_OPT_COUNT))
		return expected(parser, opt,
				opt->kind == PE_OPT_COUNT ? "a number from 1 on" : "a number",
				value);
	*(size_t *)opt->value = (size_t)number;
	return PE_OK;
}

/* At least a nanosecond, and below what 64 bits hold. */
static int set_duration(const struct parser *parser, const struct pe_opt *opt, const char *value)
{
	double ns;

	if (!pe_read_duration_text(&ns, value) || !(ns >= 1) || ns >= 0x1p63)
		return expected(parser, opt, "a duration such as 90s, 5m or 1500ms", value);
	*(uint64_t *)opt->value = (uint64_t)ns;
	return PE_OK;
}

/* "term, json or csv" */
static const char *listed(const char *const *choices, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; choices[i] != NULL; i++) {
		if (i > 0)
			pe_text_add(&text, choices[i + 1] == NULL ? " or " : ", ");
		pe_text_add(&text, choices[i]);
	}
	return pe_arena_strdup(arena, pe_text_str(&text));
}

static int set_choice(const struct parser *parser, const struct pe_opt *opt, const char *value)
{
	for (int i = 0; opt->choices[i] != NULL; i++) {
		if (strcmp(opt->choices[i], value) == 0) {
			*(int *)opt->value = i;
			return PE_OK;
		}
	}
	return expected(parser, opt, listed(opt->choices, parser->arena), value);
}

static void add_to_list(const struct parser *parser, const struct pe_opt *opt, const char *value)
{
	struct pe_strings *list = opt->value;
	const char **longer = pe_arena_new(parser->arena, const char *, list->n + 2);

	if (list->n > 0)
		memcpy(longer, list->at, list->n * sizeof(*longer));
	longer[list->n++] = value;
	list->at = longer;
}

static int set_value(const struct parser *parser, const struct pe_opt *opt, const char *value)
{
	switch (opt->kind) {
	case PE_OPT_STRING:
		*(const char **)opt->value = value;
		return PE_OK;
	case PE_OPT_NUMBER:
	case PE_OPT_COUNT:
		return set_number(parser, opt, value);
	case PE_OPT_DURATION:
		return set_duration(parser, opt, value);
	case PE_OPT_CHOICE:
		return set_choice(parser, opt, value);
	case PE_OPT_LIST:
		add_to_list(parser, opt, value);
		return PE_OK;
	default:
		return PE_OK;
	}
}

/* The argument after an option, where the option's own word carries no value. */
static int set_from_next(struct parser *parser, const struct pe_opt *opt)
{
	const char *wanted =
		opt->kind == PE_OPT_CHOICE ? listed(opt->choices, parser->arena) : opt->argument;

	if (parser->at >= parser->argc)
		return pe_fail(parser->err, PE_EINVALID, "%s needs a value: %s",
			       called(parser, opt), wanted);
	return set_value(parser, opt, parser->argv[parser->at++]);
}

/* A flag's row may be called "no-x": then --x clears it. */
static int parse_long(struct parser *parser, const char *word)
{
	size_t n = strcspn(word, "=");
	struct spelling match;

	PE_TRY(find_long(&match, parser, word, n));
	if (match.opt->kind == PE_OPT_FLAG) {
		if (word[n] == '=')
			return pe_fail(parser->err, PE_EINVALID, "%s takes no value",
				       called(parser, match.opt));
		*(bool *)match.opt->value = !match.negated;
		return PE_OK;
	}
	if (word[n] == '=')
		return set_value(parser, match.opt, word + n + 1);
	return set_from_next(parser, match.opt);
}

/* "-qn", "-n5", "-n 5": flags up to the first option that takes a value, which takes the rest. */
static int parse_cluster(struct parser *parser, const char *letters)
{
	for (; *letters != '\0'; letters++) {
		const struct pe_opt *opt = find_letter(parser->opts, *letters);

		if (opt == NULL)
			return pe_fail(parser->err, PE_EINVALID, "unknown option '-%c'", *letters);
		if (opt->kind == PE_OPT_FLAG)
			*(bool *)opt->value = true;
		else if (letters[1] != '\0')
			return set_value(parser, opt, letters + 1);
		else
			return set_from_next(parser, opt);
	}
	return PE_OK;
}

static int parse(const struct pe_opt *opts, int *argc, char **argv, bool leading,
		 struct pe_arena *arena, struct pe_err *err)
{
	struct parser parser = {opts, arena, err, argv, *argc, 0};
	int operands = 0, rc = PE_OK;

	while (rc == PE_OK && parser.at < parser.argc) {
		char *arg = argv[parser.at++];

		if (arg[0] != '-' || arg[1] == '\0') {
			argv[operands++] = arg;
			if (leading)
				break;
		} else if (strcmp(arg, "--") == 0) {
			break;
		} else if (arg[1] == '-') {
			rc = parse_long(&parser, arg + 2);
		} else {
			rc = parse_cluster(&parser, arg + 1);
		}
	}
	while (parser.at < parser.argc)
		argv[operands++] = argv[parser.at++];
	*argc = operands;
	return rc;
}

int pe_opts_parse(const struct pe_opt *opts, int *argc, char **argv, struct pe_arena *arena,
		  struct pe_err *err)
{
	return parse(opts, argc, argv, false, arena, err);
}

int pe_opts_parse_leading(const struct pe_opt *opts, int *argc, char **argv, struct pe_arena *arena,
			  struct pe_err *err)
{
	return parse(opts, argc, argv, true, arena, err);
}

const char *pe_opts_choice(const struct pe_opt *opts, const char *name)
{
	for (; opts->kind != PE_OPT_END; opts++)
		if (opts->kind == PE_OPT_CHOICE && opts->name != NULL &&
		    strcmp(opts->name, name) == 0)
			return opts->choices[*(const int *)opts->value];
	return NULL;
}
