#include "analysis/methods/code_executed.h"

#include "analysis/methods/code_identity.h"
#include "analysis/methods/code_modules.h"
#include "analysis/methods/code_reach.h"

#include <stdlib.h>
#include <string.h>

struct pe_code_parts {
	struct pe_modules modules;
	struct pe_code_module *list; /* by module */
	struct pe_reach_part *parts; /* of the separable modules; in the order of the modules */
	size_t *part_of;             /* by module: its part; SIZE_MAX: none */
	struct pe_xxh **hashes;      /* by part: of its code, zero: not asked for yet */
	size_t n_parts;
	struct pe_reach reach;
};

static bool can_be_watched(const struct pe_atom *atom)
{
	return atom != NULL && atom->routine && !atom->indirect && !pe_code_startup(atom);
}

static void list_entries(struct pe_code_module *out, const struct pe_view *view,
			 struct pe_arena *arena)
{
	struct pe_code_entry *entries = pe_arena_new(arena, struct pe_code_entry, view->code.n);

	for (size_t i = 0; i < view->code.n; i++) {
		const struct pe_atom *atom = view->code.data[i].atom;

		if (can_be_watched(atom))
			entries[out->n++] = (struct pe_code_entry){
				.key = atom->key,
				.name = atom->unsized ? NULL : atom->name,
				.addr = view->code.data[i].addr,
			};
	}
	out->entries = entries;
}

static bool asks_processor(const struct pe_image *image, const struct pe_view *view)
{
	bool asks = view->refs.asks;

	for (size_t i = 0; i < image->n_atoms; i++) {
		if (image->atoms[i].function &&
		    strcmp(image->atoms[i].name, "__libc_start_main") == 0)
			return false;
		asks = asks || image->atoms[i].indirect;
	}
	return asks;
}

static void open_part(struct pe_code_parts *parts, size_t module, struct pe_arena *arena)
{
	const struct pe_image *image = parts->modules.list.data[module];
	struct pe_reach_part *part = &parts->parts[parts->n_parts];
	bool whole;

	parts->list[module] =
		(struct pe_code_module){.path = image->path, .relative = image->relative};
	parts->part_of[module] = SIZE_MAX;
	if (!image->x86_64 || !image->named)
		return;
	*part = (struct pe_reach_part){.image = image};
	pe_landings_read(&part->landings, &whole, image);
	if (!whole) {
		pe_vec_release(&part->landings.list);
		return;
	}
	pe_view_open(&part->view, image);
	parts->list[module].known = true;
	parts->list[module].asks = asks_processor(image, &part->view);
	list_entries(&parts->list[module], &part->view, arena);
	parts->hashes[parts->n_parts] = pe_arena_new(arena, struct pe_xxh, part->view.code.n);
	parts->part_of[module] = parts->n_parts++;
}

int pe_code_parts_open(struct pe_code_parts **out, const char *program, const char *tree,
		       struct pe_arena *arena, struct pe_err *err)
{
	struct pe_code_parts *parts = pe_arena_new(arena, struct pe_code_parts, 1);
	size_t n;

	*out = parts;
	PE_TRY(pe_modules_open(&parts->modules, tree, arena, err));
	PE_TRY(pe_modules_add(&parts->modules, program, arena, err));
	n = parts->modules.list.n;
	parts->list = pe_arena_new(arena, struct pe_code_module, n);
	parts->parts = pe_arena_new(arena, struct pe_reach_part, n);
	parts->part_of = pe_arena_new(arena, size_t, n);
	parts->hashes = pe_arena_new(arena, struct pe_xxh *, n);
	for (size_t i = 0; i < n; i++)
		open_part(parts, i, arena);
	pe_reach_open(&parts->reach, parts->parts, parts->n_parts);
	return PE_OK;
}

void pe_code_parts_close(struct pe_code_parts *parts)
{
	if (parts == NULL)
		return;
	pe_reach_close(&parts->reach);
	for (size_t i = 0; i < parts->n_parts; i++) {
		pe_vec_release(&parts->parts[i].landings.list);
		pe_view_close(&parts->parts[i].view);
	}
	pe_modules_close(&parts->modules);
}

const struct pe_code_module *pe_code_parts_modules(const struct pe_code_parts *parts, size_t *n)
{
	*n = parts->modules.list.n;
	return parts->list;
}

static size_t find_module(const struct pe_code_parts *parts, const char *relative)
{
	for (size_t i = 0; i < parts->modules.list.n; i++)
		if (strcmp(parts->list[i].relative, relative) == 0)
			return i;
	return SIZE_MAX;
}

/* Mark what a run used of a module; how many of its functions are there. */
static size_t mark_used(struct pe_code_parts *parts, size_t module, const struct pe_code_used *used)
{
	const size_t at = parts->part_of[module];
	const struct pe_view *view = &parts->parts[at].view;
	size_t found = 0;

	pe_reach_roots(&parts->reach, at, module == 0);
	if (used->whole)
		pe_reach_whole(&parts->reach, at);
	for (size_t i = 0; i < view->code.n && used->n > 0; i++) {
		const struct pe_atom *atom = view->code.data[i].atom;

		if (atom == NULL || bsearch(&atom->key, used->keys, used->n, sizeof(*used->keys),
					    pe_string_order) == NULL)
			continue;
		found += can_be_watched(atom);
		pe_reach_code(&parts->reach, at, i, PE_REACHED);
	}
	return found;
}

static void add_part(struct pe_xxh *out, struct pe_code_parts *parts, size_t at)
{
	const struct pe_reach_part *part = &parts->parts[at];
	const struct pe_code_choice choice = {part->code, part->atoms, part->bounds};
	struct pe_xxh hash;

	for (size_t i = 0; i < part->view.code.n; i++) {
		struct pe_code_hashes all;

		if (part->code[i] == PE_REACH_NOT ||
		    (parts->hashes[at][i].high | parts->hashes[at][i].low) != 0)
			continue;
		pe_code_hash(&all, &part->view, &part->landings, &part->view.code.data[i], 0);
		parts->hashes[at][i] = all.exact;
	}
	pe_code_identity(&hash, &part->view, parts->hashes[at], &choice);
	pe_xxh_number(out, hash.high);
	pe_xxh_number(out, hash.low);
}

int pe_code_parts_hash(struct pe_xxh *out, struct pe_code_parts *parts,
		       const struct pe_code_used *used, size_t n, struct pe_err *err)
{
	pe_reach_clear(&parts->reach);
	pe_xxh_init(out);
	for (size_t i = 0; i < n; i++) {
		const size_t module = find_module(parts, used[i].relative);

		pe_xxh_string(out, used[i].relative);
		if (module != SIZE_MAX && parts->part_of[module] == SIZE_MAX)
			return pe_fail(err, PE_EUNSUPPORTED, "%s: its parts cannot be told apart",
				       used[i].relative);
		/* Functions that are missing make it another one, as a module does. */
		pe_xxh_number(out,
			      module != SIZE_MAX ? mark_used(parts, module, &used[i]) : UINT64_MAX);
	}
	pe_reach_spread(&parts->reach);
	for (size_t i = 0; i < n; i++) {
		const size_t module = find_module(parts, used[i].relative);

		if (module != SIZE_MAX)
			add_part(out, parts, parts->part_of[module]);
	}
	for (size_t i = 0; i < parts->modules.libraries.n; i++)
		pe_xxh_string(out, parts->modules.libraries.data[i]);
	return PE_OK;
}
