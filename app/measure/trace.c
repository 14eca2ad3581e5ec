/* Traces as text: one item a line, for files and functions alike. */
#include "app/measure/trace.h"

#include "core/base/sort.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* --- Packing --- */

struct item {
	char kind;
	const char *path;
};

typedef PE_VEC(struct item) items;

PE_SORT_BY(compare_items, struct item, path, kind);

static bool add_items(items *out, char kind, const struct pe_strings *paths)
{
	bool whole = true;

	for (size_t i = 0; i < paths->n; i++) {
		whole &= strchr(paths->at[i], '\n') == NULL;
		pe_vec_push(out, (struct item){kind, paths->at[i]});
	}
	return whole;
}

const char *pe_trace_pack(const struct pe_dependencies *touched, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;
	pe_auto_free items all = {NULL, 0, 0};
	const char *before = "";
	bool whole = add_items(&all, 'P', &touched->programs);

	whole &= add_items(&all, 'F', &touched->files);
	whole &= add_items(&all, 'D', &touched->folders);
	whole &= add_items(&all, 'M', &touched->made);
	whole &= add_items(&all, 'O', &touched->outside);
	if (!whole)
		return NULL;
	pe_sort(all.data, all.n, compare_items);
	pe_text_add(&text, touched->cached ? "N \n" : "");
	for (size_t i = 0; i < all.n; i++) {
		const struct item *item = &all.data[i];
		size_t same = 0;

		while (before[same] != '\0' && before[same] == item->path[same])
			same++;
		pe_text_addc(&text, item->kind);
		if (same > 0)
			pe_text_addf(&text, "%zu", same);
		pe_text_addf(&text, " %s\n", item->path + same);
		before = item->path;
	}
	return pe_arena_strdup(arena, pe_text_str(&text));
}

/* --- Unpacking --- */

/* Read the next line. false: there is none. */
static bool read_line(struct item *out, const char **lines, const char *before,
		      struct pe_arena *arena)
{
	const char *at = *lines, *const end = at + strcspn(at, "\n");
	size_t same = 0;

	if (*at == '\0')
		return false;
	out->kind = *at;
	at += at < end;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		same = 10 * same + (size_t)(*at - '0');
	at += at < end;
	same = strnlen(before, same);
	out->path = pe_arena_printf(arena, "%.*s%.*s", (int)same, before, (int)(end - at), at);
	*lines = end + (*end == '\n');
	return true;
}

static void unpack(items *out, const char *lines, struct pe_arena *arena)
{
	struct item item = {'\0', ""};

	while (read_line(&item, &lines, item.path, arena))
		pe_vec_push(out, item);
}

/* The items of one kind. */
static struct pe_strings of_kind(const items *all, char kind, struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, all->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->data[i].kind == kind)
			at[n++] = all->data[i].path;
	return (struct pe_strings){at, n};
}

static void unpack_executed(struct pe_executed *out, const char *lines, struct pe_arena *arena)
{
	pe_auto_free items all = {NULL, 0, 0};
	struct pe_code_used *modules;
	const char **keys;
	bool *opened;
	size_t n_modules = 0, n_keys = 0;

	unpack(&all, lines, arena);
	/* The modules and functions of all programs share one array each. */
	modules = pe_arena_new(arena, struct pe_code_used, all.n + 1);
	keys = pe_arena_new(arena, const char *, all.n + 1);
	opened = pe_arena_new(arena, bool, all.n + 1);
	*out = (struct pe_executed){pe_arena_new(arena, struct pe_executed_program, all.n + 1), 0};
	for (size_t i = 0; i < all.n; i++) {
		const char kind = all.data[i].kind, *path = all.data[i].path;

		if (kind == 'P') {
			out->programs[out->n++] = (struct pe_executed_program){
				path, modules + n_modules, opened + n_modules, 0};
		} else if (out->n > 0 && (kind == 'M' || kind == 'W')) {
			modules[n_modules++] =
				(struct pe_code_used){path, kind == 'W', keys + n_keys, 0};
			out->programs[out->n - 1].n++;
		} else if (kind == 'R' && n_modules > 0) {
			opened[n_modules - 1] = true;
		} else if (kind == 'f' && n_modules > 0) {
			keys[n_keys++] = path;
			modules[n_modules - 1].n++;
		}
	}
}

void pe_trace_unpack(struct pe_trace *out, const char *lines, const char *functions,
		     struct pe_arena *arena)
{
	pe_auto_free items all = {NULL, 0, 0};

	unpack(&all, lines, arena);
	*out = (struct pe_trace){.items = lines, .functions = functions};
	out->touched = (struct pe_dependencies){
		.programs = of_kind(&all, 'P', arena),
		.files = of_kind(&all, 'F', arena),
		.folders = of_kind(&all, 'D', arena),
		.made = of_kind(&all, 'M', arena),
		.outside = of_kind(&all, 'O', arena),
		.cached = of_kind(&all, 'N', arena).n > 0,
		.complete = true,
	};
	if (functions != NULL)
		unpack_executed(&out->executed, functions, arena);
}
