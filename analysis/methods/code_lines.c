/* The functions of the debug information, as analysis/symbols/ reads it: each with its place and what was inlined into it. */
#include "analysis/methods/code_lines.h"

#include "core/base/array.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "analysis/symbols/paths.h"

#include <string.h>

/* A call that was inlined into a function, which may be inlined itself. */
struct inlined {
	uint32_t function;
	const char *name;
};

struct reading {
	struct pe_names names;
	struct pe_scopes scopes;
	PE_VEC(struct inlined) inlined; /* by function, then name */
	size_t next;                    /* of them: the first of the functions to come */
	PE_VEC(struct pe_code_line) found;
};

PE_SORT_BY(by_function, struct inlined, function, name);

static void find_inlined(struct reading *reading)
{
	const struct pe_scopes *scopes = &reading->scopes;

	for (uint32_t i = 0; i < scopes->n; i++) {
		Dwarf_Die die = pe_scope_die(&scopes->at[i]);
		struct inlined inlined = {i, pe_names_linkage(&die)};

		while (scopes->at[inlined.function].parent != PE_SCOPE_NONE)
			inlined.function = scopes->at[inlined.function].parent;
		if (inlined.name == NULL)
			inlined.name = dwarf_diename(&die);
		if (inlined.function != i && inlined.name != NULL)
			pe_vec_push(&reading->inlined, inlined);
	}
	pe_sort(reading->inlined.data, reading->inlined.n, by_function);
}

/* Take the names that were inlined into a function, each once. Functions come in their order. */
static void take_inlined(struct pe_code_line *line, struct reading *reading, uint32_t function)
{
	const struct inlined *all = reading->inlined.data;
	const size_t first = reading->next;
	const char **names;

	while (reading->next < reading->inlined.n && all[reading->next].function == function)
		reading->next++;
	names = pe_arena_new(reading->names.arena, const char *, reading->next - first);
	for (size_t i = first; i < reading->next; i++)
		if (i == first || strcmp(all[i].name, all[i - 1].name) != 0)
			names[line->n_inlined++] =
				pe_arena_strdup(reading->names.arena, all[i].name);
	line->inlined = names;
}

static void add_function(struct reading *reading, uint32_t function)
{
	Dwarf_Die die = pe_scope_die(&reading->scopes.at[function]);
	struct pe_code_line line = {.file = pe_paths_source(&reading->names, &die)};
	Dwarf_Addr base, end;
	int number = 0;

	if (dwarf_decl_line(&die, &number) == 0 && number > 0)
		line.line = (uint32_t)number;
	take_inlined(&line, reading, function);
	for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &line.addr, &end)) > 0;)
		pe_vec_push(&reading->found, line);
}

PE_SORT_BY(by_addr, struct pe_code_line, addr, line);

void pe_code_lines_read(struct pe_code_lines *out, const struct pe_image *image,
			struct pe_arena *arena)
{
	struct reading reading = {
		.names = {.arena = arena, .trees = {image->masks[0], image->masks[1]}}};
	struct pe_symbols_file file;

	*out = (struct pe_code_lines){0};
	if (!pe_symbols_file_open(&file, image->path, "", arena))
		return;
	pe_scopes_read(&reading.scopes, &file);
	find_inlined(&reading);
	for (uint32_t i = 0; i < reading.scopes.n; i++)
		if (reading.scopes.at[i].parent == PE_SCOPE_NONE && !reading.scopes.at[i].is_unit)
			add_function(&reading, i);
	pe_sort(reading.found.data, reading.found.n, by_addr);
	out->at = pe_vec_copy(arena, &reading.found);
	out->n = reading.found.n;
	pe_vec_release(&reading.found);
	pe_vec_release(&reading.inlined);
	pe_scopes_release(&reading.scopes);
	pe_symbols_file_close(&file);
}

const struct pe_code_line *pe_code_lines_find(const struct pe_code_lines *lines, uint64_t addr)
{
	size_t at = 0;

	pe_search(at, lines->n, i, lines->at[i].addr < addr);
	return at < lines->n && lines->at[at].addr == addr ? &lines->at[at] : NULL;
}
