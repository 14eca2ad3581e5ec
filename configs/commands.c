/* Commands: texts for the shell, lists without one, and the environment around them. */
#include "configs/read.h"

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#include <string.h>

struct pe_command pe_command_of_shell(const char *text, struct pe_arena *arena)
{
	const char **argv = pe_arena_new(arena, const char *, 4);

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = text;
	return (struct pe_command){.argv = argv, .text = text};
}

const char *pe_command_quote(const char *word, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add_word(&text, word);
	return pe_arena_strdup(arena, text.data);
}

struct pe_command pe_command_of_argv(const char *const *argv, struct pe_arena *arena)
{
	struct pe_command command = {.argv = argv, .text = ""};
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; argv[i] != NULL; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? " " : "", pe_command_quote(argv[i], arena));
	command.text = pe_arena_strdup(arena, pe_text_str(&text));
	return command;
}

/* Whether a command is one text for the shell, which a list may be, too. */
static bool is_text(const char *const *argv)
{
	return strcmp(argv[0], "/bin/sh") == 0 && argv[1] != NULL && strcmp(argv[1], "-c") == 0 &&
	       argv[2] != NULL && argv[3] == NULL;
}

const char *pe_fill_hole(const char *text, const char *hole, const char *value,
			 struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (const char *at; (at = strstr(text, hole)) != NULL; text = at + strlen(hole)) {
		pe_text_addn(&out, text, (size_t)(at - text));
		pe_text_add(&out, value);
	}
	pe_text_add(&out, text);
	return pe_arena_strdup(arena, pe_text_str(&out));
}

struct pe_command pe_command_fill(const struct pe_command *command, const char *hole,
				  const char *value, struct pe_arena *arena)
{
	const char **argv;
	size_t n = 0;

	if (is_text(command->argv))
		return pe_command_of_shell(
			pe_fill_hole(command->argv[2], hole, pe_command_quote(value, arena), arena),
			arena);
	while (command->argv[n] != NULL)
		n++;
	argv = pe_arena_new(arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		argv[i] = pe_fill_hole(command->argv[i], hole, value, arena);
	return pe_command_of_argv(argv, arena);
}

struct pe_command pe_command_append(const struct pe_command *command,
				    const struct pe_strings *words, struct pe_arena *arena)
{
	const char *const *argv = command->argv;
	pe_auto_free PE_VEC(const char *) all = {NULL, 0, 0};
	pe_auto_text text = PE_TEXT_INIT;

	if (words->n == 0)
		return *command;
	if (is_text(argv)) {
		pe_text_add(&text, argv[2]);
		while (text.len > 0 && strchr(" \t\r\n", text.data[text.len - 1]) != NULL)
			text.data[--text.len] = '\0';
		for (size_t i = 0; i < words->n; i++)
			pe_text_addf(&text, " %s", pe_command_quote(words->at[i], arena));
		return pe_command_of_shell(pe_arena_strdup(arena, pe_text_str(&text)), arena);
	}
	for (size_t i = 0; argv[i] != NULL; i++)
		pe_vec_push(&all, argv[i]);
	for (size_t i = 0; i < words->n; i++)
		pe_vec_push(&all, words->at[i]);
	return pe_command_of_argv(pe_vec_copy(arena, &all), arena);
}

int pe_read_command(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	const char *what = "a command: a text for the shell, or a list of words";
	struct pe_command *out = field;
	struct pe_strings words;
	const char *text;

	if (node->kind == PE_YAML_LIST && node->n > 0) {
		PE_TRY(pe_read_texts(reader, node, &words));
		if (words.at[0][0] == '\0')
			return pe_read_expected(reader, node->items[0], "the name of a program");
		*out = pe_command_of_argv(words.at, reader->arena);
		return PE_OK;
	}
	if (node->kind != PE_YAML_SCALAR || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, what);
	PE_TRY(pe_read_text(reader, node, (void *)&text));
	if (text[strspn(text, " \t\n")] == '\0')
		return pe_read_expected(reader, node, what);
	*out = pe_command_of_shell(text, reader->arena);
	return PE_OK;
}

int pe_read_named_command(struct pe_reader *reader, const struct pe_yaml *node, const char *name,
			  struct pe_command *out)
{
	const struct pe_key key = {.name = name, .read = pe_read_command};

	return pe_read_key(reader, node, &key, out);
}

int pe_read_commands(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_commands *out = field;
	size_t n = node->kind == PE_YAML_LIST ? node->n : 1;
	struct pe_command *at = pe_arena_new(reader->arena, struct pe_command, n);

	if (node->kind == PE_YAML_MAP || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, "a command or a list of commands");
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_read_command(reader, node->kind == PE_YAML_LIST ? node->items[i] : node,
				       &at[i]));
	*out = (struct pe_commands){.at = at, .n = n};
	return PE_OK;
}

static bool is_assignment(const char *text, struct pe_arena *arena)
{
	const char *name = pe_arena_strndup(arena, text, strcspn(text, "="));

	return strchr(text, '=') != NULL && pe_read_matches(name, "^[A-Za-z_][A-Za-z0-9_]*$");
}

/* Read one entry of env, as "K=V": an item "K=V" of a list, or a pair of a mapping. */
static int read_assignment(const char **out, struct pe_reader *reader, const struct pe_yaml *node,
			   size_t i)
{
	const struct pe_yaml *at = node->kind == PE_YAML_MAP ? node->pairs[i].key : node->items[i];
	const struct pe_yaml *value = node->kind == PE_YAML_MAP ? node->pairs[i].value : at;
	const char *text = "";

	if (!pe_yaml_is_null(value))
		PE_TRY(pe_read_text(reader, value, (void *)&text));
	if (node->kind == PE_YAML_MAP)
		text = pe_arena_printf(reader->arena, "%s=%s", at->text, text);
	if (!is_assignment(text, reader->arena))
		return pe_read_fail(reader, at, "'%s' must be a variable with its value, not '%s'",
				    reader->key, node->kind == PE_YAML_MAP ? at->text : text);
	*out = text;
	return PE_OK;
}

void pe_command_assign(const char **at, size_t *n, const char *assignment)
{
	size_t name = strcspn(assignment, "=") + 1;

	for (size_t i = 0; i < *n; i++) {
		if (strncmp(at[i], assignment, name) == 0) {
			at[i] = assignment;
			return;
		}
	}
	at[(*n)++] = assignment;
}

int pe_read_env(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_strings *out = field;
	const char **at;
	size_t n = out->n;

	if (node->kind == PE_YAML_SCALAR)
		return pe_read_expected(reader, node, "a mapping of variables to values");
	at = pe_arena_new(reader->arena, const char *, n + node->n + 1);
	for (size_t i = 0; i < n; i++)
		at[i] = out->at[i];
	for (size_t i = 0; i < node->n; i++) {
		const char *assignment = "";

		PE_TRY(read_assignment(&assignment, reader, node, i));
		pe_command_assign(at, &n, assignment);
	}
	*out = (struct pe_strings){.at = at, .n = n};
	return PE_OK;
}
