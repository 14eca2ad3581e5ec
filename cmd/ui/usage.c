/* Usage: the pages of help, read. */
#include "cmd/ui/usage.h"

#include <string.h>

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
