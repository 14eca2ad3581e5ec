/* Usage: pages of help, and how the terminal shows them. Manual pages are in man.c. */
#include "cmd/ui/usage.h"

#include "report/format.h"
#include "report/terminal.h"

#include <string.h>

enum {
	INDENT = 2,
	OPTION_COLUMN = 28, /* where the explanation of an option starts */
	LEAST_TEXT = 24,    /* an explanation is never squeezed into less */
	PLAIN_WIDTH = 80,   /* where there is no terminal to ask */
	MOST_WIDTH = 100,   /* longer lines are hard to read */
};

extern const char *const pe_help_pages[];
extern const size_t pe_n_help_pages;

static const char *take_line(const char **page, struct pe_arena *arena)
{
	const char *line = *page;
	size_t n = strcspn(line, "\n");

	*page += n + (line[n] != '\0');
	return pe_arena_strndup(arena, line, n);
}

struct pe_usage pe_usage_read(const char *page, struct pe_arena *arena)
{
	size_t most = strlen(page) / 2 + 2, n;
	const char **line = pe_arena_new(arena, const char *, most);
	struct pe_example *example = pe_arena_new(arena, struct pe_example, most);
	struct pe_usage usage = {.lines = line, .examples = example};
	const char *end;

	while (*page != '\0' && *page != '\n')
		*line++ = take_line(&page, arena);
	page += strspn(page, "\n");
	end = strstr(page, "\n\n$ ");
	n = end != NULL ? (size_t)(end - page) : strlen(page);
	while (n > 0 && page[n - 1] == '\n')
		n--;
	usage.description = pe_arena_strndup(arena, page, n);
	for (page = end != NULL ? end + 2 : ""; *page != '\0'; example++) {
		example->command = take_line(&page, arena) + strlen("$ ");
		example->what = take_line(&page, arena);
	}
	return usage;
}

struct pe_usage pe_usage_of(const char *name, struct pe_arena *arena)
{
	static const char tool[] = "perfevo ";
	size_t n = strlen(name), from = strlen(tool);

	for (size_t i = 0; i < pe_n_help_pages; i++)
		if (strncmp(pe_help_pages[i], tool, from) == 0 &&
		    strncmp(pe_help_pages[i] + from, name, n) == 0 &&
		    strchr(" \n", pe_help_pages[i][from + n]) != NULL)
			return pe_usage_read(pe_help_pages[i], arena);
	return pe_usage_read("", arena);
}

static size_t width_of(const struct pe_term *term)
{
	if (!term->interactive)
		return PLAIN_WIDTH;
	return term->width < MOST_WIDTH ? term->width : MOST_WIDTH;
}

static void pad(struct pe_text *out, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		pe_text_addc(out, ' ');
}

/* Append words from *string on to the end of its paragraph, wrapped; at is the column reached so far. */
static void wrap(struct pe_text *out, const char *string, size_t n, size_t at, size_t indent,
		 size_t width)
{
	pe_auto_text word = PE_TEXT_INIT;
	size_t i = 0;

	while (i < n) {
		size_t start, columns;

		while (i < n && (string[i] == ' ' || string[i] == '\n'))
			i++;
		start = i;
		while (i < n && string[i] != ' ' && string[i] != '\n')
			i++;
		if (start == i)
			break;
		pe_text_clear(&word);
		pe_text_addn(&word, string + start, i - start);
		columns = pe_text_columns(word.data);
		if (at > indent && at + 1 + columns > width) {
			pe_text_addc(out, '\n');
			pad(out, indent);
			at = indent;
		} else if (at > indent) {
			pe_text_addc(out, ' ');
			at++;
		}
		pe_text_add(out, word.data);
		at += columns;
	}
	pe_text_addc(out, '\n');
}

void pe_usage_heading(struct pe_text *out, const char *heading, const struct pe_term *term)
{
	pe_text_addc(out, '\n');
	pe_term_paint(out, term, PE_BOLD, heading);
	pe_text_addc(out, '\n');
}

void pe_usage_row(struct pe_text *out, const char *left, const char *right, size_t column,
		  const struct pe_term *term)
{
	size_t at = INDENT + pe_text_columns(left);
	size_t width = width_of(term);

	pad(out, INDENT);
	pe_text_add(out, left);
	if (column + LEAST_TEXT > width)
		column = 2 * INDENT + INDENT;
	if (at + INDENT > column) {
		pe_text_addc(out, '\n');
		at = 0;
	}
	pad(out, column - at);
	wrap(out, right, strlen(right), column, column, width);
}

void pe_usage_option(struct pe_text *out, const struct pe_opt *opt)
{
	if (opt->letter != 0)
		pe_text_addf(out, "-%c", opt->letter);
	if (opt->letter != 0 && opt->name != NULL)
		pe_text_add(out, ", ");
	if (opt->name != NULL)
		pe_text_addf(out, "--%s", opt->name);
	if (opt->kind == PE_OPT_CHOICE) {
		for (size_t i = 0; opt->choices[i] != NULL; i++)
			pe_text_addf(out, "%s%s", i == 0 ? " " : "|", opt->choices[i]);
	} else if (opt->argument != NULL) {
		pe_text_addf(out, " %s", opt->argument);
	}
}

void pe_usage_options(struct pe_text *out, const struct pe_opt *opts, const struct pe_term *term)
{
	pe_auto_text left = PE_TEXT_INIT;

	if (opts->kind != PE_OPT_GROUP && opts->kind != PE_OPT_END)
		pe_usage_heading(out, "Options", term);
	for (; opts->kind != PE_OPT_END; opts++) {
		if (opts->kind == PE_OPT_GROUP) {
			pe_usage_heading(out, opts->help, term);
			continue;
		}
		pe_text_clear(&left);
		if (opts->letter == 0)
			pad(&left, strlen("-x, "));
		pe_usage_option(&left, opts);
		pe_usage_row(out, left.data, opts->help, OPTION_COLUMN, term);
	}
}

static void description(struct pe_text *out, const char *string, const struct pe_term *term)
{
	while (*string != '\0') {
		const char *end = strstr(string, "\n\n");
		size_t n = end != NULL ? (size_t)(end - string) : strlen(string);

		pe_text_addc(out, '\n');
		wrap(out, string, n, 0, 0, width_of(term));
		string += n;
		string += strspn(string, "\n");
	}
}

static void examples(struct pe_text *out, const struct pe_example *example,
		     const struct pe_term *term)
{
	if (example == NULL || example->command == NULL)
		return;
	pe_usage_heading(out, "Examples", term);
	for (; example->command != NULL; example++) {
		pad(out, INDENT);
		pe_text_addf(out, "%s\n", example->command);
		pad(out, 3 * INDENT);
		wrap(out, example->what, strlen(example->what), 3 * INDENT, 3 * INDENT,
		     width_of(term));
	}
}

void pe_usage_introduce(struct pe_text *out, const struct pe_usage *usage,
			const struct pe_term *term)
{
	for (size_t i = 0; usage->lines[i] != NULL; i++)
		pe_text_addf(out, "%s %s\n", i == 0 ? "usage:" : "   or:", usage->lines[i]);
	description(out, usage->description, term);
}

void pe_usage_help(struct pe_text *out, const struct pe_usage *usage, const struct pe_opt *opts,
		   const struct pe_term *term)
{
	pe_usage_introduce(out, usage, term);
	pe_usage_options(out, opts, term);
	examples(out, usage->examples, term);
}
