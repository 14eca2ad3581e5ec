#include "app/changes/bare_names.h"

#include "core/base/array.h"

#include <string.h>

const char *pe_bare_name(const char *name, struct pe_arena *arena)
{
	size_t end = strcspn(name + (name[0] == '('), "(") + (name[0] == '('), start = end;

	while (start > 0 && strchr(":. ", name[start - 1]) == NULL)
		start--;
	return pe_arena_strndup(arena, name + start, end - start);
}

struct pe_strings pe_bare_names_changed(const struct pe_method_changes *changes,
					struct pe_arena *arena)
{
	const char **names = pe_arena_new(arena, const char *, 2 * changes->n);
	size_t n = 0;

	for (size_t i = 0; i < changes->n; i++) {
		const struct pe_method_change *one = &changes->at[i];
		const struct pe_method *const sides[] = {one->before, one->after};

		if (one->kind == PE_METHOD_RENAMED || one->kind == PE_METHOD_MOVED)
			continue;
		for (int side = 0; side < 2; side++)
			if (sides[side] != NULL)
				names[n++] = pe_bare_name(sides[side]->name, arena);
	}
	return (struct pe_strings){names, pe_strings_settle(names, n)};
}

int pe_bare_names_executed(struct pe_strings *out, bool *profiled, struct pe_app *app,
			   const struct pe_stored_profile *profiles, size_t n, int64_t benchmark,
			   struct pe_arena *arena)
{
	const struct pe_stored_profile *newest = NULL;
	pe_auto_frames frames = PE_FRAMES_INIT;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_cct *tree;
	const char **names;
	size_t n_names = 0;

	*out = (struct pe_strings){NULL, 0};
	for (size_t i = 0; i < n; i++)
		if (profiles[i].benchmark == benchmark &&
		    (newest == NULL || profiles[i].taken_s >= newest->taken_s))
			newest = &profiles[i];
	*profiled = newest != NULL;
	if (newest == NULL)
		return PE_OK;
	PE_TRY(pe_store_get_tree(&tree, app->store, newest->key, 0, &frames, &scratch, app->err));
	names = pe_arena_new(arena, const char *, frames.n);
	for (uint32_t i = 0; i < frames.n; i++)
		if (frames.at[i].kind == PE_FRAME_METHOD)
			names[n_names++] = pe_bare_name(frames.at[i].name, arena);
	*out = (struct pe_strings){names, pe_strings_settle(names, n_names)};
	return PE_OK;
}
